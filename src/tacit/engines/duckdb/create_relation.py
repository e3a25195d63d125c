"""Relations of a connection, with columns by names of our own.

Checked by: tests/unit/engines/sources/test_column_names.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

import duckdb

from tacit.engines.sql.relation import Relation
from tacit.engines.sql.select import alias
from tacit.plan import Table

__all__ = ["column_types", "create_relation", "stratum_name"]


def create_relation(
    connection: duckdb.DuckDBPyConnection,
    what: str,
    ours: str,
    scan: str,
    table: Table,
    cells: list[str],
    stored: list[str],
) -> Relation:
    """A view or table with the cells; then the unit, its number of rows and the strata, as far as there are some."""
    names = [alias(f"c{j}", column.name) for j, column in enumerate(table.columns)]
    beyond = len(cells) - len(names)
    extra = ["unit", "unit_table_rows", *map(stratum_name, range(beyond))][:beyond]
    listed = ", ".join(
        f"{cell} AS {name}" for cell, name in zip(cells, [*names, *extra], strict=True)
    )
    connection.execute(
        f"CREATE {what} {ours} AS SELECT {listed or '1 AS nothing'} FROM {scan}"
    ).fetchall()
    columns = {column.name: (names[j], stored[j]) for j, column in enumerate(table.columns)}
    unit = ("unit", stored[len(names)]) if extra else None
    unit_rows = extra[1] if len(extra) > 1 else None
    return Relation(ours, columns, unit, unit_rows, copied=what == "TABLE")


def stratum_name(place: int) -> str:
    """What the column of a relation is called that says the strata of its rows."""
    return f"stratum_{place}"


def column_types(connection: duckdb.DuckDBPyConnection, scan: str) -> dict[str, str]:
    """The columns of a scan, and as what each is stored."""
    return {
        row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    }
