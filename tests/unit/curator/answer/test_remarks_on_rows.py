"""What explain says of a question's rows before it is paid for."""

import pytest

import tacit

ROWS = [{"patient": n // 3, "ward": "AB"[n % 2], "stay": n % 9} for n in range(90)]
MISSING = "SELECT COUNT(*) AS n FROM visits a LEFT JOIN visits b ON {} WHERE {}"


@pytest.fixture(scope="module")
def vault():
    return tacit.protect(
        {"visits": ROWS},
        unit="patient",
        contributions=3,
        columns={"visits": {"ward": ["A", "B"], "stay": (0, 60)}},
        epsilon=10,
    )


def remarks_of(vault, text):
    return vault.explain(text, epsilon=1).remarks


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("stay > 100", "stay > 100 is true of no declared value"),
        ("ward = 'A' AND stay < 0", "stay < 0 is true of no declared value"),
        ("stay IN (70, 80)", "stay IN (70, 80) is true of no declared value"),
    ],
)
def test_a_condition_that_no_row_can_meet_is_told_before(vault, condition, said):
    (remark,) = remarks_of(vault, f"SELECT COUNT(*) AS n FROM visits WHERE {condition}")
    assert remark.startswith(said)
    assert remark in str(
        vault.explain(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", epsilon=1)
    )


@pytest.mark.parametrize(
    "condition", ["stay > 59", "stay <= 100", "ward = 'A'", "stay > 100 OR ward = 'A'"]
)
def test_nothing_is_said_of_a_condition_that_rows_may_meet(vault, condition):
    assert remarks_of(vault, f"SELECT COUNT(*) AS n FROM visits WHERE {condition}") == ()


@pytest.mark.parametrize(
    ("on", "where"),
    [
        ("a.patient = b.patient", "b.patient IS NULL"),
        ("a.patient = b.patient AND b.stay > 5", "a.ward = 'A' AND b.patient IS NULL"),
    ],
)
def test_not_exists_is_named_where_it_has_less_noise(vault, on, where):
    text = MISSING.format(on, where)
    (remark,) = remarks_of(vault, text)
    assert "NOT EXISTS" in remark
    instead = "SELECT COUNT(*) AS n FROM visits a WHERE NOT EXISTS (SELECT 1 FROM visits b WHERE b.patient = a.patient)"
    (error,), (other,) = (
        [each.reach for each in vault.explain(each, epsilon=1).expected] for each in (text, instead)
    )
    assert other < error / 2


@pytest.mark.parametrize(
    ("on", "where"),
    [
        ("a.patient = b.patient", "b.patient IS NOT NULL"),
        ("a.patient = b.patient", "b.stay IS NULL"),
        ("a.patient = b.patient AND a.ward = b.ward", "b.patient IS NULL"),
    ],
)
def test_nothing_is_said_of_other_joins(vault, on, where):
    assert remarks_of(vault, MISSING.format(on, where)) == ()
