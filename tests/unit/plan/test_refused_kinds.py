"""Every kind of refusal that an analyst meets is among the statements that are refused by hand."""

import pytest

from tests.unit.plan import test_refusals, test_rows_sql

CASES = [*test_refusals.CASES, *test_rows_sql.CASES]
KINDS = {
    "raw rows": "single rows are never released",
    "the unit as a key": "is the protected unit: grouping by it would",
    "the unit shown": "is the protected unit and is never shown",
    "windows across units": "this window would combine rows of several units",
    "LIMIT before rows are counted": "LIMIT in a subquery would let one unit",
    "unknown multiplicity": "a row could match many public rows, and",
    "rows of different units that are combined": "private tables can only be joined on the",
    "added up over all units, inside": "a subquery may aggregate per unit only: an",
    "unbounded columns": "has no declared bounds, so one row could",
    "unbounded expressions": "the quotient has no bound",
    "unbounded functions": "has no bound",
    "functions that are not listed": "is not supported",
    "keys whose values are private": "are private and not declared; unknown keys need",
    "questions about everybody at once": "whether any row exists at all would be",
    "the clock": "the same question must mean the same tomorrow",
    "more than one statement": "only one statement can be asked at a time",
    "changes": "only SELECT is supported; data cannot be changed",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_refusal_is_shown_by_a_statement(kind):
    assert any(KINDS[kind] in reason for reason, _ in CASES)


def test_there_are_more_than_two_hundred_statements_for_more_than_a_hundred_and_fifty_reasons():
    assert len({statement for _, statement in CASES}) > 200
    assert len({reason for reason, _ in CASES}) > 150
