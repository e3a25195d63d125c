"""A column that is the unit under another name is refused as a key where it is written."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_sql

VISITS = Table(
    "visits",
    (Column("person", Kind.INTEGER, 0, 99), Column("urgent", Kind.BOOLEAN)),
    unit="person",
)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT c, COUNT(*) AS n FROM (SELECT person, person AS c FROM visits) GROUP BY c",
        "SELECT c, urgent, COUNT(*) AS n FROM (SELECT person, urgent, person AS c FROM visits) GROUP BY 1, 2",
        "SELECT c, COUNT(*) AS n FROM (SELECT person, person AS c FROM visits WHERE urgent) GROUP BY c",
        "SELECT d, COUNT(*) AS n FROM (SELECT person, c AS d FROM (SELECT person, person AS c FROM visits)) GROUP BY d",
    ],
)
def test_a_copy_of_the_unit_is_no_key(text: str) -> None:
    with pytest.raises(InvalidPlan, match="is the protected unit: grouping by it"):
        read_sql(text, {"visits": VISITS}, finding=True)


def test_what_is_computed_from_the_unit_may_be_a_key() -> None:
    text = "SELECT c, COUNT(*) AS n FROM (SELECT person, person % 3 AS c FROM visits) GROUP BY c"
    assert read_sql(text, {"visits": VISITS}, finding=True).question.keys
