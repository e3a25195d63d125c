"""How many queries are read of a statement: one in WITH as often as it is named, by whatever way."""

import pytest
import sqlglot

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_asked
from tacit.plan.sql.bound_queries_that_with_repeats import MOST_QUERIES, count_queries
from tests.together import together

VISITS = Table("visits", (Column("ward", Kind.TEXT, values=("A", "B")),), unit="patient")


@together
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("SELECT 1", 1),
        ("SELECT 1 FROM (SELECT 2)", 2),
        ("SELECT 1 UNION ALL SELECT 2", 2),
        ("WITH a AS (SELECT 1) SELECT 2", 1),
        ("WITH a AS (SELECT 1) SELECT 2 FROM a", 2),
        ("WITH a AS (SELECT 1), b AS (SELECT 2 FROM a JOIN a AS c) SELECT 3 FROM b, b AS d", 7),
        ("WITH b AS (WITH a AS (SELECT 1) SELECT 2 FROM a, a) SELECT 3 FROM B, b", 7),
        ("SELECT (WITH a AS (SELECT 1) SELECT 2 FROM a) FROM (SELECT 3 FROM a)", 5),
    ],
)
def test_each_way_to_a_query_counts(text, count):
    assert count_queries(sqlglot.parse_one(text)) == count


def chain(steps):
    parts = ["a0 AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)"]
    twice = "SELECT ward, n FROM {0} UNION ALL SELECT ward, n FROM {0}"
    parts += [f"a{i} AS ({twice.format(f'a{i - 1}')})" for i in range(1, steps)]
    return f"WITH {', '.join(parts)} SELECT ward, n FROM a{steps - 1}"


def test_a_statement_of_too_many_is_refused_before_it_is_read():
    """It is 2**40 queries long: whoever began to read them would not come to an end."""
    with pytest.raises(InvalidPlan, match=f"more than {MOST_QUERIES} queries"):
        read_asked(chain(40), {"visits": VISITS})
    assert read_asked(chain(3), {"visits": VISITS})
