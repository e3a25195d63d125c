"""A refused parameter is shown as people write it."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput, LimitExceeded


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, "epsilon is missing; give more"),
        (Fraction(0), "epsilon cannot be 0; give more"),
        (Fraction(-7), "epsilon cannot be -7; give more"),
        (Fraction(1, 10), "epsilon cannot be 0.1; give more"),
        (Fraction(-1, 3), "epsilon cannot be -1/3; give more"),
        (Fraction(1, 10**7), "epsilon cannot be 1E-7; give more"),
        ((Fraction(5), Fraction(1, 2)), "epsilon cannot be (5, 0.5); give more"),
        ([None, "a"], "epsilon cannot be [missing, 'a']; give more"),
        ((1,), "epsilon cannot be (1,); give more"),
        (True, "epsilon cannot be True; give more"),
        ("much", "epsilon cannot be 'much'; give more"),
        (1 << 300, "epsilon cannot be an integer of 301 bits; give more"),
        (Fraction(1, 10**3000), "epsilon cannot be a quotient of 1 and 9966 bits; give more"),
    ],
)
def test_a_refused_parameter_is_shown_as_people_write_it(given: object, shown: str) -> None:
    assert str(InvalidInput("epsilon", given, "give more")) == shown


def test_what_is_long_is_cut() -> None:
    assert len(str(InvalidInput("epsilon", "x" * 1000, "give more"))) < 120
    assert len(str(InvalidInput("epsilon", list(range(1000)), "give more"))) < 120


def test_where_nothing_is_left_no_price_is_advised():
    for left, words in (
        (0, "nothing is left; only what was asked before"),
        (Fraction(1, 100), "smaller"),
    ):
        said = str(LimitExceeded(None, Fraction(1, 10), Fraction(left)))
        assert words in said
        assert ("epsilon" in said) == (left > 0)
