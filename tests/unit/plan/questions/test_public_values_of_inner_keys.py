"""Keys that were calculated inside have the public values of what they were calculated from."""

from dataclasses import replace

import pytest

from tacit.plan import Computed, Defined, Field, Scan, read_sql
from tacit.plan.questions.public_values_of_inner_keys import seen_values
from tests.laws.clinic import TABLES, VISITS

SEEN = {
    "SELECT kind, COUNT(*) AS n FROM (SELECT patient, 'visit' AS kind FROM visits UNION ALL"
    " SELECT id AS patient, 'person' AS kind FROM patients) GROUP BY kind": ("person", "visit"),
    "SELECT b, COUNT(*) AS n FROM (SELECT patient, CASE WHEN stay > 9 THEN 'long' ELSE 'short' END AS b FROM visits)"
    " GROUP BY b": ("long", "short"),
    "WITH c AS (SELECT patient, LOWER(ward) AS w FROM visits) SELECT w, COUNT(*) AS n FROM c GROUP BY w": (
        *"abcd",
    ),
    "WITH c AS (SELECT patient, LOWER(ward) AS w FROM visits), d AS (SELECT patient, w || '!' AS v FROM c"
    " WHERE w <> 'a') SELECT v, COUNT(*) AS n FROM d GROUP BY v": ("b!", "c!", "d!"),
    "SELECT w, COUNT(*) AS n FROM (SELECT patient, LOWER(ward) AS w, SUM(cost) AS s FROM visits GROUP BY patient, w)"
    " WHERE s > 5 GROUP BY w": (*"abcd",),
    "SELECT a.w, COUNT(*) AS n FROM (SELECT patient, LOWER(ward) AS w FROM visits) AS a JOIN patients AS p"
    " ON a.patient = p.id WHERE p.age > 50 GROUP BY a.w": (*"abcd",),
    "SELECT w, COUNT(*) AS n FROM (SELECT patient, LOWER(ward) AS w, ROW_NUMBER() OVER (PARTITION BY patient"
    " ORDER BY day) AS place FROM visits) WHERE place = 1 GROUP BY w": (*"abcd",),
}


@pytest.mark.parametrize(("text", "values"), SEEN.items())
def test_the_values_of_what_was_calculated_inside_are_known(text, values):
    found = read_sql(text, TABLES).question.keys[0].values
    assert sorted(found) == sorted(values)


def test_a_column_that_was_calculated_has_the_values_of_its_calculation():
    """Its bounds alone would give a group to every whole number between them."""
    inside = "(SELECT patient, MIN(stay) - MIN(stay) % 10 AS decade FROM visits GROUP BY patient)"
    text = f"SELECT decade, COUNT(*) AS n FROM {inside} GROUP BY decade"
    assert read_sql(text, TABLES).question.keys[0].values == tuple(range(0, 61, 10))


def test_what_is_not_known_inside_is_not_known_outside():
    visit = next(column for column in VISITS.columns if column.name == "visit")
    inside = Computed(Scan(VISITS), (Defined("w", Field(visit)),))
    assert seen_values(Field(replace(visit, name="w")), inside, []) is None
    assert seen_values(Field(replace(visit, name="elsewhere")), inside, []) is None
