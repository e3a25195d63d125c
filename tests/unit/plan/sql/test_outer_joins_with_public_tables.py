"""Outer joins that keep rows of a public table: which are a JOIN with groups without rows, and which are refused."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, PublicRows, Table, fingerprint, group_filter, read_sql
from tests.laws.clinic import TABLES

KEPT = "this outer join would keep rows of the public table"


@pytest.mark.parametrize(
    ("select", "ends"),
    [
        ("s.ward, COUNT(v.stay) AS n", "GROUP BY s.ward"),
        ("s.ward, COUNT(v.patient) AS n", "GROUP BY s.ward"),
        ("s.ward AS w, SUM(v.stay * 2 + s.floor) AS n", "GROUP BY w"),
        ("s.floor, COUNT(DISTINCT v.patient) AS n", "WHERE s.floor > 2 GROUP BY 1"),
        ("s.ward, AVG(v.cost) AS n", "WHERE v.cost > 7 AND v.urgent = TRUE GROUP BY s.ward"),
    ],
)
def test_what_is_kept_makes_groups_alone(select, ends):
    left, right, inner = (
        fingerprint(
            read_sql(f"SELECT {select} FROM {joined} ON v.ward = s.ward {ends}", TABLES).question
        )
        for joined in (
            "stations s LEFT JOIN visits v",
            "visits v RIGHT JOIN stations s",
            "visits v JOIN stations s",
        )
    )
    assert left == right == inner


@pytest.mark.parametrize(
    ("select", "ends"),
    [
        ("s.ward, COUNT(*) AS n", "GROUP BY s.ward"),
        ("s.ward, COUNT(s.floor) AS n", "GROUP BY s.ward"),
        ("s.ward, SUM(COALESCE(v.stay, 1)) AS n", "GROUP BY s.ward"),
        ("s.ward, COUNT_IF(v.stay IS NULL) AS n", "GROUP BY s.ward"),
        ("s.ward, COUNT(v.stay) FILTER (WHERE v.stay > 1) AS n", "GROUP BY s.ward"),
        ("v.urgent, COUNT(v.stay) AS n", "GROUP BY v.urgent"),
        ("s.ward, COUNT(v.stay) AS n", "WHERE v.stay IS NULL GROUP BY s.ward"),
        ("s.ward, COUNT(v.stay) AS n", "WHERE NOT v.stay > 1 OR s.floor = 1 GROUP BY s.ward"),
        ("COUNT(v.stay) AS n", ""),
        ("s.ward, COUNT(v.stay) AS n", "GROUP BY ROLLUP (s.ward)"),
        ("s.ward, COUNT(v.stay) AS n", "GROUP BY s.ward HAVING COUNT(*) > 1"),
    ],
)
def test_what_would_count_a_row_of_nobody_is_refused(select, ends):
    text = f"SELECT {select} FROM stations s LEFT JOIN visits v ON v.ward = s.ward {ends}"
    with pytest.raises(InvalidPlan, match=KEPT):
        read_sql(text, TABLES)


def test_a_row_that_is_kept_alone_has_its_group():
    rows = PublicRows((("A", 1), ("B", 2), (None, 3)))
    wards = (Column("ward", Kind.TEXT, values=("A", "B")), Column("floor", Kind.INTEGER, 1, 3))
    tables = {
        "visits": Table(
            "visits",
            (Column("ward", Kind.TEXT), Column("cost", Kind.INTEGER, 0, 9)),
            unit="patient",
        ),
        "wards": Table("wards", wards, public=True, listed=rows),
    }
    text = "SELECT w.floor, COUNT(v.cost) AS n FROM wards w {} visits v ON v.ward = w.ward {} GROUP BY w.floor"

    def floors(join, more=""):
        question = read_sql(text.format(join, more), tables).question
        can_have_rows = group_filter(question)
        return [key for (key,) in question.groups if can_have_rows is None or can_have_rows((key,))]

    assert floors("JOIN") == [1, 2]
    assert floors("LEFT JOIN") == [1, 2, 3]
    assert floors("JOIN", "AND w.floor > 1") == [2]
    assert floors("LEFT JOIN", "AND w.floor > 1") == [1, 2, 3]
