"""What a question says of its price holds, and nothing may contradict it."""

from fractions import Fraction

import pytest

import tacit
from tacit.errors import InvalidPlan

ROWS = [{"patient": n % 9, "cost": n} for n in range(40)]


@pytest.fixture
def clinic():
    return tacit.protect(
        ROWS, unit="patient", contributions=5, columns={"cost": (0, 50)}, epsilon=3, delta=1e-6
    )


def asked(options: str) -> str:
    return f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({options}) COUNT(*) AS n FROM data"


def test_the_epsilon_of_the_header_is_the_price(clinic):
    paid = clinic.sql(asked("epsilon = 0.5, delta = 1e-6, privacy_unit_column = PATIENT")).price
    plain = tacit.protect(
        ROWS, unit="patient", contributions=5, columns={"cost": (0, 50)}, epsilon=3, delta=1e-6
    )
    assert paid == plain.sql("SELECT COUNT(*) AS n FROM data", epsilon=0.5).price
    assert (
        clinic.explain(asked("epsilon = 0.25")).share < clinic.explain(asked("epsilon = 0.5")).share
    )


@pytest.mark.parametrize("epsilon", [0.1, "0.1", Fraction(1, 10)])
def test_a_price_may_be_said_twice_if_it_is_the_same(clinic, epsilon):
    given = Fraction(epsilon) if isinstance(epsilon, str) else epsilon
    assert clinic.sql(asked("epsilon = 0.1"), epsilon=given).price.share > 0


@pytest.mark.parametrize(
    ("options", "given", "reason"),
    [
        (
            "epsilon = 0.5",
            {"epsilon": 0.4},
            "the question states epsilon = 0.5, but the call states epsilon 0.4",
        ),
        (
            "epsilon = 0.5",
            {"within": 10},
            "the question states epsilon, and the call states within",
        ),
        ("epsilon = 0.5, delta = 1e-5", {}, "the delta of this vault is 1e-06"),
        (
            "epsilon = 0.5, privacy_unit_column = cost",
            {},
            "'cost' is not the protected unit; the unit is 'patient'",
        ),
    ],
)
def test_what_contradicts_is_refused_before_anything_is_paid(clinic, options, given, reason):
    for ask in (clinic.sql, clinic.explain):
        with pytest.raises(InvalidPlan) as refusal:
            ask(asked(options), **given)
        assert refusal.value.reason == reason
        assert refusal.value.text == asked(options)
        assert "=" in refusal.value.text[refusal.value.start : refusal.value.end]
    assert clinic.budget.spent == 0
