"""A plan that lists keys passes a gate of its own: it measures nothing, and shows nothing that it would have to."""

from dataclasses import replace

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Column,
    Field,
    Key,
    KeyOf,
    Kind,
    MeasureOf,
    Plan,
    Question,
    Scan,
    Shown,
    Table,
    View,
    keys_alone,
    prove,
    prove_keys,
    read_sql,
)

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("name", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 9),
    ),
    unit="patient",
    contributions=3,
)
WARD, NAME = (Field(column) for column in VISITS.columns[:2])
LISTED = Plan(
    Question(Scan(VISITS), (Key(WARD, ("A", "B")),), ()), View((Shown("ward", KeyOf(0)),))
)


def test_a_listing_is_proved_and_is_no_question_to_the_data():
    assert prove_keys(LISTED) == LISTED
    with pytest.raises(InvalidPlan, match="no aggregate"):
        prove(LISTED)


@pytest.mark.parametrize(
    "plan",
    [
        replace(LISTED, view=View((Shown("n", MeasureOf(0)),))),
        replace(LISTED, question=replace(LISTED.question, keys=(Key(NAME, None),))),
        replace(LISTED, question=replace(LISTED.question, found=(("x",),))),
        replace(LISTED, view=View((Shown("ward", KeyOf(1)),))),
        replace(LISTED, view=View((Shown("ward", WARD),))),
    ],
    ids=["a measure", "unknown keys", "found keys", "no such key", "a row"],
)
def test_whoever_shows_more_is_refused(plan):
    with pytest.raises(InvalidPlan):
        prove_keys(plan)


def test_too_many_keys_are_refused():
    wide = Column("code", Kind.INTEGER, values=tuple(range(2000)))
    table = Table("visits", (wide, replace(wide, name="other")), unit="patient", contributions=3)
    with pytest.raises(InvalidPlan, match="too many combinations"):
        read_sql("SELECT DISTINCT code, other FROM visits", {"visits": table})
    keys = tuple(Key(Field(column), column.values) for column in table.columns)
    with pytest.raises(InvalidPlan, match="too many combinations"):
        prove_keys(Plan(Question(Scan(table), keys, ()), View((Shown("code", KeyOf(0)),))))


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("SELECT DISTINCT ward FROM visits", True),
        ("SELECT ward FROM visits WHERE ward = 'A' GROUP BY ward", True),
        ("SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 3", False),
        ("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1", False),
        ("SELECT name FROM visits GROUP BY name", False),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", False),
        ("SELECT ward, name FROM visits GROUP BY ward, name", False),
        (
            "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE age > 1 GROUP BY ward)",
            False,
        ),
    ],
)
def test_which_questions_list_public_keys_alone(text, free):
    assert (keys_alone(read_sql(text, {"visits": VISITS}, finding=True)) is not None) is free


def test_which_groups_have_rows_is_not_told_for_free():
    with pytest.raises(InvalidPlan, match="which of them have such rows is not"):
        read_sql("SELECT ward FROM visits WHERE age > 3 GROUP BY ward", {"visits": VISITS})
