"""What a CASE says of the values it chooses is the same before and after constants are calculated."""

from fractions import Fraction

import pytest

import tacit
from tacit.plan import Column, Kind
from tacit.plan.model.expressions import Both, Compared, Field, Literal
from tacit.plan.semantics.case_ranges import narrow_branch


def between(value, low, high):
    ends = (Literal(end, Kind.INTEGER) for end in (low, high))
    return Both(Compared(">=", value, next(ends)), Compared("<=", value, next(ends)))


@pytest.mark.parametrize(
    ("constant", "ends"), [(-1, (0, 0)), (2, (1, 1)), (0, (0, 0)), (1, (1, 1))]
)
def test_a_constant_that_is_never_chosen_lies_at_the_end_it_is_beyond(constant, ends):
    value, own = Literal(constant, Kind.INTEGER), (Fraction(constant), Fraction(constant))
    assert narrow_branch(own, value, [between(value, 0, 1)], 0) == ends


def test_a_column_is_narrowed_to_what_is_asked_of_it():
    value = Field(Column("n", Kind.INTEGER, -5, 5))
    assert narrow_branch((Fraction(-5), Fraction(5)), value, [between(value, 0, 1)], 0) == (0, 1)
    assert narrow_branch((Fraction(-5), Fraction(5)), value, [between(value, 7, 9)], 0) == (-5, 5)


@pytest.mark.parametrize("constant", [-1, 2])
def test_a_sum_of_what_is_narrowed_stays_in_its_range_once_constants_are_calculated(constant):
    value = f"COALESCE({constant}, LENGTH(note))"
    text = (
        "SELECT SUM(s) AS m FROM (SELECT patient, "
        f"SUM(CASE WHEN {value} BETWEEN 0 AND 1 THEN {value} END) AS s FROM visits GROUP BY patient) AS t"
    )
    rows = [{"patient": 1, "note": "a"}]
    said = {"unit": "patient", "contributions": 2, "columns": {"note": str}, "epsilon": 3}
    with tacit.protect(rows, name="visits", **said) as vault:
        assert vault.explain(text, epsilon=1)
