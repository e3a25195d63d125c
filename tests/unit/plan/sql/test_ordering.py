"""FETCH, OFFSET and NULLS FIRST; and names with the schema before them."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, IsNull, KeyOf, Kind, MeasureOf, Ordering, Table, read_sql

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=("A", "B"), null_group=True),
        Column("age", Kind.INTEGER, 0, 9),
    ),
    unit="patient",
    contributions=3,
)
SELECT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def read(text):
    return read_sql(text, {"visits": VISITS})


@pytest.mark.parametrize(
    ("end", "same"),
    [
        ("FETCH FIRST 2 ROWS ONLY", "LIMIT 2"),
        ("LIMIT 2::INTEGER", "LIMIT 2"),
        ("LIMIT CAST(2 AS BIGINT) OFFSET 1::BIGINT", "LIMIT 2 OFFSET 1"),
        ("FETCH NEXT 2 ROWS ONLY", "LIMIT 2"),
        ("FETCH FIRST ROW ONLY", "LIMIT 1"),
        ("OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY", "LIMIT 2 OFFSET 1"),
        ("OFFSET 1 ROWS", "OFFSET 1"),
        ("ORDER BY n NULLS FIRST", "ORDER BY n"),
        ("ORDER BY n DESC NULLS LAST", "ORDER BY n DESC"),
    ],
)
def test_other_spellings_of_the_end_are_the_same_plan(end, same):
    assert read(f"{SELECT} {end}") == read(f"{SELECT} {same}")


def test_nulls_come_first_where_a_key_may_be_null():
    assert read(f"{SELECT} ORDER BY ward DESC NULLS FIRST, n").view.order == (
        Ordering(IsNull(KeyOf(0)), descending=True),
        Ordering(KeyOf(0), descending=True),
        Ordering(MeasureOf(0)),
    )


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("FETCH FIRST 10 PERCENT ROWS ONLY", "a share of the rows"),
        ("ORDER BY n FETCH FIRST 1 ROWS WITH TIES", "WITH TIES"),
        ("FETCH 3 ROWS ONLY", "FETCH takes FIRST or NEXT"),
    ],
)
def test_what_fetch_cannot_say_is_refused(end, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read(f"{SELECT} {end}")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, COUNT(*) AS n FROM public.visits GROUP BY ward",
        'SELECT "public"."visits"."ward", COUNT(*) AS n FROM "public"."visits" GROUP BY 1',
        "SELECT PUBLIC.visits.ward, COUNT(*) AS n FROM visits GROUP BY public.visits.ward",
    ],
)
def test_a_table_may_be_named_with_its_schema(text):
    assert read(text) == read(SELECT)


def test_a_table_in_its_schema_is_not_what_with_names():
    text = "WITH visits AS (SELECT patient, ward FROM visits WHERE age > 3) SELECT COUNT(*) AS n FROM {}"
    assert read(text.format("public.visits")) == read("SELECT COUNT(*) AS n FROM visits")
    assert read(text.format("visits")) != read("SELECT COUNT(*) AS n FROM visits")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT COUNT(*) AS n FROM other.visits", "there is no schema 'other'"),
        ('SELECT COUNT(*) AS n FROM "PUBLIC".visits', "there is no schema 'PUBLIC'"),
        ("SELECT COUNT(*) AS n FROM a.public.visits", "catalogs are not supported"),
        ("SELECT x.visits.ward, COUNT(*) AS n FROM visits GROUP BY 1", "there is no schema 'x'"),
    ],
)
def test_there_is_one_schema(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read(text)
