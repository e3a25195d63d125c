"""Units that would have too many pairs of rows in a join: found by counting rows, and never by pairing them."""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and keys were rendered

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import render
from tacit.engines.sql.select_with_parameters import Reader
from tacit.engines.work_bounds import MOST_BYTES
from tacit.frozen import frozen
from tacit.plan import ROW_BYTES, Column, Compared, Field, Kind, Value

__all__ = ["Side", "bytes_of", "crowded_sql", "size_sql", "suspects_sql"]


@frozen
class Side:
    """One side of a join as SQL: its rows, the bytes of one of them, and what it is joined on, of which kinds."""

    rows: str
    size: str
    keys: tuple[str, ...]
    kinds: tuple[Kind, ...]
    dialect: SqlDialect

    def count_sql(self, who: Sequence[str]) -> str:
        """How many rows there are with the same unit and keys, and how many bytes they take together."""
        named = [f"{key} AS key_{i}" for i, key in enumerate(self.keys)]
        by = [*who, *(f"key_{i}" for i in range(len(self.keys)))]
        each = ", ".join([*who, *named, f"{self.size} AS row_bytes"])
        totals = ", ".join(
            [*by, "count(*) AS row_count", f"{self.dialect.total('row_bytes')} AS byte_count"]
        )
        grouped = f" GROUP BY {', '.join(by)}" if by else ""
        return f"(SELECT {totals} FROM (SELECT {each} FROM {self.rows}) AS sized{grouped})"

    def without_keys(self) -> Side:
        """The same side, joined on nothing."""
        return Side(self.rows, self.size, (), (), self.dialect)

    def pair_bytes(self) -> str:
        """The bytes of all pairs of rows of a unit: those of the one side as often as the other has rows."""
        wide = self.dialect.type("HUGEINT")
        return (
            f"left_side.row_count::{wide} * right_side.byte_count"
            f" + right_side.row_count::{wide} * left_side.byte_count"
        )


def suspects_sql(one: Side, two: Side, same: str | None, partners: int) -> str:
    """The units that would have too many pairs if each of their rows met as many as it can.

    `same` says that rows of both sides are of one unit; without it those on the right are public, and a row meets so
    many partners.
    """
    ours = one.without_keys().count_sql(["unit"])
    if same is None:
        most = f"{partners}::{one.dialect.type('HUGEINT')} * max({two.size}) AS byte_count"
        theirs = f"(SELECT {partners}::BIGINT AS row_count, {most} FROM {two.rows})"
        join = f"{ours} AS left_side, {theirs} AS right_side"
    else:
        join = f"{ours} AS left_side JOIN {two.without_keys().count_sql(['unit'])} AS right_side ON {same}"
    return f"SELECT left_side.unit AS unit FROM {join} WHERE {one.pair_bytes()} > {MOST_BYTES}"


def crowded_sql(one: Side, two: Side, same: str | None, among: str) -> str:
    """Those of the units in a table, `among`, whose pairs take more than MOST_BYTES.

    Claim:      they are those that the memory engine leaves out.
    Because:    n rows that meet m others take the bytes of the first m times, and those of the others n times, and rows
                with the same unit and keys meet the same; what is equal is what the join itself compares.
    Checked by: tests/laws/test_bounds.py::test_both_engines_leave_out_the_same_units
    """
    known = Side(one.dialect.semi_join(one.rows, among), one.size, one.keys, one.kinds, one.dialect)
    ours = known.count_sql(["unit"])
    theirs = two.count_sql([] if same is None else ["unit"])
    on = [] if same is None else [same]
    on += [
        _equal(i, *kinds, one.dialect)
        for i, kinds in enumerate(zip(one.kinds, two.kinds, strict=True))
    ]
    join = f"{ours} AS left_side JOIN {theirs} AS right_side ON {' AND '.join(on) or 'TRUE'}"
    found = f"SELECT left_side.unit AS unit FROM {join} GROUP BY left_side.unit"
    return f"{found} HAVING {one.dialect.total(one.pair_bytes(), wide=True)} > {MOST_BYTES}"


def _equal(place: int, left: Kind, right: Kind, dialect: SqlDialect) -> str:
    """That two keys are equal, as the join has it."""
    sides = Field(Column("left_side", left)), Field(Column("right_side", right))
    read = Reader(lambda column: f"{column.name}.key_{place}", None, dialect)
    return render(Compared("=", *sides), read)


def size_sql(texts: Sequence[str], dialect: SqlDialect) -> str:
    """The bytes of a row, from the columns of it that are texts."""
    return " + ".join(
        [str(ROW_BYTES), *(f"coalesce({dialect.byte_length(text)}, 0)" for text in texts)]
    )


def bytes_of(cells: Sequence[Value]) -> int:
    """The same of a row in memory.

    >>> bytes_of(["é", None, 7]) - ROW_BYTES
    2
    """
    return ROW_BYTES + sum(len(cell.encode()) for cell in cells if isinstance(cell, str))
