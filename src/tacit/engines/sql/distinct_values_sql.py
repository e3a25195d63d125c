"""The values of a unit that are counted among the different ones, as SQL.

Checked by: tests/laws/test_distinct.py
"""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and no literal comes from anywhere

from __future__ import annotations

from collections.abc import Iterator

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.select_with_parameters import cte
from tacit.plan import Kind

__all__ = ["count_values", "distinct_value"]


def distinct_value(value: str, kind: Kind, dialect: SqlDialect) -> str:
    """The SQL of a value such that what is equal is the same: zero has no sign."""
    return f"({value} + {dialect.double(0)})" if kind is Kind.NUMBER else value


def count_values(
    place: int,
    column: str,
    kind: Kind,
    most: int,
    stored: str,
    names: str | None,
    rows: str,
    dialect: SqlDialect,
) -> Iterator[str]:
    """The common table expressions that end in value_counts_{place}: how many values are brought in each group.

    `stored` is the type of units.  Where they are numbers, which others that come and go change, `names` is a table of
    what each is hashed by.
    """
    owned, crowded = f"unit_values_{place}", f"crowded_units_{place}"
    pairs = f"SELECT unit, group_id, {column} AS counted FROM {rows} WHERE {column} IS NOT NULL"
    yield cte(owned, f"{pairs} GROUP BY unit, group_id, {column}", materialized=True)
    yield cte(crowded, f"SELECT unit FROM {owned} GROUP BY unit HAVING count(*) > {most}")
    who, named = (
        (_unit_text(stored, dialect), "")
        if names is None
        else ("name", f" JOIN {names} USING (unit)")
    )
    value = dialect.text_of("counted", kind)
    hashed = dialect.hash(f"concat({who}, ' ', group_id, ' ', {value})")
    ranked = (
        f"SELECT group_id, counted, row_number() OVER (PARTITION BY unit ORDER BY {hashed}) AS rank"
    )
    lowest = f"{ranked} FROM {dialect.semi_join(f'{owned}{named}', crowded)}"
    many = f"SELECT group_id, counted FROM ({lowest}) AS ranked WHERE rank <= {most}"
    few = f"SELECT group_id, counted FROM {dialect.semi_join(owned, crowded, anti=True)}"
    counted = f"SELECT group_id, count(DISTINCT counted) AS total_values_{place}"
    yield cte(
        f"value_counts_{place}",
        f"{counted} FROM ({few} UNION ALL {many}) AS kept GROUP BY group_id",
    )


def _unit_text(stored: str, dialect: SqlDialect) -> str:
    """By what a unit is hashed that is stored as some type: 7.0 is 7."""
    text = f"CAST(unit AS {dialect.type('VARCHAR')})"
    if stored not in {"DOUBLE", "FLOAT"}:
        return text
    whole = "CASE WHEN unit = floor(unit) THEN CAST(TRY_CAST(unit AS BIGINT) AS VARCHAR) END"
    return f"coalesce({whole}, {text})"
