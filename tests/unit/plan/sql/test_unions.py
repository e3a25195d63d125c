"""INTERSECT and EXCEPT are of units alone."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Kept, read_sql, walk_rows
from tests.unit.plan.cases import TABLES


@pytest.mark.parametrize(("word", "present"), [("INTERSECT", True), ("EXCEPT", False)])
def test_units_are_looked_for_among_units(word, present):
    inside = f"SELECT patient FROM visits WHERE age > 60 {word} SELECT patient FROM visits WHERE cost > 9"
    plan = read_sql(f"SELECT COUNT(*) AS n FROM ({inside})", TABLES)
    (kept,) = [rows for rows in walk_rows(plan.question.rows) if isinstance(rows, Kept)]
    assert kept.present is present


@pytest.mark.parametrize(
    "inside",
    [
        "SELECT ward FROM visits INTERSECT SELECT ward FROM visits",
        "SELECT patient, ward FROM visits INTERSECT SELECT patient, ward FROM visits",
        "SELECT patient FROM visits EXCEPT SELECT age FROM visits",
        "SELECT x FROM loose INTERSECT SELECT x FROM loose",
    ],
)
def test_only_units_are_intersected(inside):
    with pytest.raises(InvalidPlan, match="would compare rows of different units"):
        read_sql(f"SELECT COUNT(*) AS n FROM ({inside})", TABLES)


@pytest.mark.parametrize("word", ["INTERSECT ALL", "EXCEPT ALL"])
def test_units_are_not_counted_twice(word):
    with pytest.raises(InvalidPlan):
        read_sql(
            f"SELECT COUNT(*) AS n FROM (SELECT patient FROM visits {word} SELECT patient FROM visits)",
            TABLES,
        )
