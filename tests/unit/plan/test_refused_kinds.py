"""Every kind of refusal that an analyst meets is among the statements that are refused by hand."""

import pytest

from tests.unit.plan import test_refusals, test_rows_sql

CASES = [*test_refusals.CASES, *test_rows_sql.CASES]
KINDS = {
    "raw rows": "no row ever leaves",
    "the unit as a key": "one group for each would be one answer about each",
    "the unit shown": "names the protected unit and is never shown",
    "windows across units": "this window would look at rows of several units",
    "LIMIT before rows are counted": "LIMIT before rows are counted",
    "unknown multiplicity": "how far it moves the answer is not known",
    "rows of different units that meet": "otherwise rows of different units would meet",
    "added up over all units, inside": "over all of them nothing would be protected",
    "unbounded columns": "has no declared range",
    "unbounded expressions": "the quotient has no bound",
    "unbounded functions": "has no bound",
    "functions that are not listed": "none of the functions that are answered",
    "keys whose values are private": "has is private",
    "questions about everybody at once": "told about everybody at once",
    "the clock": "the same question must mean the same tomorrow",
    "more than one statement": "one statement is answered at a time",
    "changes": "nothing is ever changed",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_refusal_is_shown_by_a_statement(kind):
    assert any(KINDS[kind] in reason for reason, _ in CASES)


def test_there_are_more_than_two_hundred_statements_for_more_than_a_hundred_and_fifty_reasons():
    assert len({statement for _, statement in CASES}) > 200
    assert len({reason for reason, _ in CASES}) > 150
