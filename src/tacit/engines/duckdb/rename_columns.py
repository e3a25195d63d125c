"""Relations of a connection, with columns by names of our own.

Checked by: tests/unit/engines/sources/test_refuse_ambiguous_names.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.select_with_parameters import alias
from tacit.plan import Table

__all__ = ["column_types", "create_relation", "key_number_name", "stratum_name"]


def create_relation(
    connection: duckdb.DuckDBPyConnection,
    what: str,
    ours: str,
    scan: str,
    table: Table,
    cells: list[str],
    stored: list[str],
    counted: Sequence[str] = (),
) -> Relation:
    """A view or table with the cells; then the unit and what was counted of it, by the names of `counted`, if any."""
    names = [alias(f"c{j}", column.name) for j, column in enumerate(table.columns)]
    extra = ["unit", *counted][: len(cells) - len(names)]
    listed = ", ".join(
        f"{cell} AS {name}" for cell, name in zip(cells, [*names, *extra], strict=True)
    )
    connection.execute(
        f"CREATE {what} {ours} AS SELECT {listed or '1 AS nothing'} FROM {scan}"
    ).fetchall()
    columns = {column.name: (names[j], stored[j]) for j, column in enumerate(table.columns)}
    unit = ("unit", stored[len(names)]) if extra else None
    return Relation(ours, columns, unit, counted[0] if counted else None, copied=what == "TABLE")


def stratum_name(place: int) -> str:
    """What the column of a relation is called that says the strata of its rows."""
    return f"stratum_{place}"


def key_number_name(place: int) -> str:
    """What the column of a relation is called that says the numbers of its rows' texts."""
    return f"key_number_{place}"


def column_types(connection: duckdb.DuckDBPyConnection, scan: str) -> dict[str, str]:
    """The columns of a scan, and as what each is stored."""
    return {
        row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    }
