"""Rows stored for speed: sorted by unit, units as small numbers, and with every row how many rows its unit has."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from pathlib import Path

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.ingested import INGESTED, INGESTED_NAMES, INGESTED_UNIT, UNIT, UNIT_ROWS
from tacit.engines.duckdb.load import load_table
from tacit.engines.sources.kinds import source_of
from tacit.engines.sql.casts import read_unit
from tacit.engines.sql.expressions import quote_name, text
from tacit.errors import InvalidData
from tacit.exact import words
from tacit.plan import Table

__all__ = ["ingest"]


def ingest(source: object, table: Table, path: str | Path, *, memory: str = "4GB") -> Path:
    """The path of a new file that holds the table's declared columns, which `DuckDB` evaluates several times faster.

    Cells are kept as they are, so that bounds and public values may be declared anew.  Units become numbers, in the
    order of their values: who they are is not kept, unless the unit is a declared column.  What has to depend on
    nobody else is told by a unit's name, a hash with a secret that is forgotten.  Rows without a unit are left out.
    Nothing is encrypted: keep the file where the source is kept.
    """
    target = Path(path)
    if target.suffix != ".duckdb":
        raise InvalidData(f"an ingested file ends in '.duckdb', and {target.name!r} does not")
    if target.exists():
        raise InvalidData(
            f"there is a file {str(target)!r} already; remove it, or choose another name"
        )
    if taken := {UNIT, UNIT_ROWS} & {column.name for column in table.columns}:
        raise InvalidData(
            f"a column cannot be called {taken.pop()!r} in an ingested table; rename it"
        )
    given = source_of(source)
    connection = open_connection(memory=memory)
    try:
        relation = load_table(connection, 0, table, given)
        rows = relation.name
        columns = [
            f"{rows}.{name} AS {quote_name(column)}"
            for column, (name, _) in relation.columns.items()
        ]
        connection.execute(f"ATTACH {text(str(target.resolve()))} AS target")
        unit = "NULL" if table.unit is None else text(table.unit)
        connection.execute(
            f"CREATE TABLE target.{INGESTED_UNIT} AS SELECT CAST({unit} AS VARCHAR) AS unit"
        )
        if relation.unit is not None:
            who = read_unit(f"{rows}.unit", relation.unit[1])
            units = (
                f"SELECT {who} AS u, count(*) AS n FROM {rows} WHERE {who} IS NOT NULL GROUP BY 1"
            )
            numbered = f"SELECT u, n, row_number() OVER (ORDER BY u) - 1 AS place FROM ({units})"
            columns += [f"w.place AS {quote_name(UNIT)}", f"w.n AS {quote_name(UNIT_ROWS)}"]
            name = f"sha256({text(words(4).tobytes().hex())} || CAST(u AS VARCHAR))"
            names = f"SELECT place AS u, left({name}, 16) AS name FROM ({numbered})"
            connection.execute(f"CREATE TABLE target.{INGESTED_NAMES} AS {names}").fetchall()
            rows += f" JOIN ({numbered}) AS w ON {who} = w.u ORDER BY w.place"
        connection.execute(
            f"CREATE TABLE target.{INGESTED} AS SELECT {', '.join(columns)} FROM {rows}"
        ).fetchall()
        connection.execute("DETACH target")
    finally:
        connection.close()
    return target
