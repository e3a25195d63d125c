"""Rows stored for speed: sorted by unit, units as small numbers, and what weights need counted beforehand."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from pathlib import Path

import duckdb

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.file_seal import write_seal
from tacit.engines.duckdb.ingested_layout import (
    INGESTED,
    INGESTED_KEYS,
    INGESTED_NAMES,
    INGESTED_STRATA,
    INGESTED_UNIT,
    UNIT,
    UNIT_ROWS,
    is_own_name,
    name_key_numbers,
    name_pairs,
    name_strata,
)
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.source_kinds import source_of
from tacit.engines.sql.expressions import quote_name, text
from tacit.engines.sql.read_stored_columns import read_unit
from tacit.errors import InvalidData
from tacit.exact import words
from tacit.plan import Kind, Table

__all__ = ["ingest"]

_MOST_STRATA = _MOST_KEYS = 1 << 16


def ingest(source: object, table: Table, path: str | Path, *, memory: str = "4GB") -> Path:
    """The path of a new file that holds the table's declared columns, which `DuckDB` evaluates several times faster.

    Cells are kept as they are, so that bounds and public values may be declared anew.  Units become numbers, in the
    order of their values: who they are is not kept, unless the unit is a declared column.  What has to depend on
    nobody else is told by a unit's name, a hash with a secret that is forgotten.  Rows without a unit are left out.
    By each text column whose values are declared, rows are divided into strata; of every other text column it is
    counted who has which texts, unless there are very many.  Nobody may change the file: it would be refused.  Nothing
    is encrypted: keep the file where the source is kept.
    """
    target = Path(path)
    if target.suffix != ".duckdb":
        raise InvalidData(f"an ingested file ends in '.duckdb', and {target.name!r} does not")
    if target.exists():
        raise InvalidData(
            f"there is a file {str(target)!r} already; remove it, or choose another name"
        )
    if taken := [column.name for column in table.columns if is_own_name(column.name)]:
        raise InvalidData(f"a column cannot be called {taken[0]!r} in an ingested table; rename it")
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
            connection.execute(f"CREATE TEMP TABLE units AS {numbered}").fetchall()
            columns += [f"w.place AS {quote_name(UNIT)}", f"w.n AS {quote_name(UNIT_ROWS)}"]
            name = f"sha256({text(words(4).tobytes().hex())} || CAST(u AS VARCHAR))"
            names = f"SELECT place AS u, left({name}, 16) AS name FROM units"
            connection.execute(f"CREATE TABLE target.{INGESTED_NAMES} AS {names}").fetchall()
            rows += f" JOIN units AS w ON {who} = w.u"
            strata = f"CREATE TABLE target.{INGESTED_STRATA}"
            connection.execute(
                f"{strata} (divided VARCHAR, stratum USMALLINT, cell VARCHAR, unit_rows BIGINT, unit_squares HUGEINT)"
            )
            connection.execute(
                f"CREATE TABLE target.{INGESTED_KEYS} (counted VARCHAR, place INTEGER, number USMALLINT, cell VARCHAR)"
            )
            joins = ""
            for place, column in enumerate(table.columns):
                if column.kind is Kind.TEXT and column.values is not None:
                    cell = f"CAST({relation.name}.{relation.columns[column.name][0]} AS VARCHAR)"
                    if _divide_rows(connection, place, column.name, cell, rows):
                        same = f"{cell} IS NOT DISTINCT FROM s{place}.cell"
                        joins += f" JOIN strata_{place} AS s{place} ON w.place = s{place}.place AND {same}"
                        columns.append(
                            f"s{place}.stratum AS {quote_name(name_strata(column.name))}"
                        )
                elif column.kind is Kind.TEXT:
                    cell = relation.reader()(column)
                    if _count_keys(connection, place, column.name, cell, rows):
                        joins += f" LEFT JOIN keys_{place} AS k{place} ON {cell} = k{place}.cell"
                        number = quote_name(name_key_numbers(column.name))
                        columns.append(f"k{place}.number AS {number}")
            rows += f"{joins} ORDER BY w.place"
        connection.execute(
            f"CREATE TABLE target.{INGESTED} AS SELECT {', '.join(columns)} FROM {rows}"
        ).fetchall()
        connection.execute("DETACH target")
        write_seal(connection, target.resolve())
    finally:
        connection.close()
    return target


def _divide_rows(
    connection: duckdb.DuckDBPyConnection, place: int, name: str, cell: str, rows: str
) -> bool:
    """Divide rows into strata by the texts of a column, unless there are too many; whether it was done.

    Claim:      which rows are in one stratum depends on nobody but the units of these rows.
    Because:    a stratum is what its rows have in common: their text, how many rows their unit has, and the sum of
                squares of its numbers of rows by text.  Its number is a name, from which nothing is computed.
    Checked by: tests/unit/engines/sql/test_ingested_sums.py::test_a_unit_that_leaves_changes_the_strata_of_nobody
    """
    connection.execute(
        f"CREATE TEMP TABLE pairs AS SELECT w.place AS place, {cell} AS cell, w.n AS n, count(*) AS pair_rows "
        f"FROM {rows} GROUP BY ALL"
    ).fetchall()
    squares = (
        "SELECT place, sum(pair_rows::HUGEINT * pair_rows) AS squares FROM pairs GROUP BY place"
    )
    connection.execute(
        f"CREATE TEMP TABLE measured AS SELECT place, cell, n, squares FROM pairs JOIN ({squares}) USING (place)"
    ).fetchall()
    connection.execute("DROP TABLE pairs")
    distinct = "SELECT DISTINCT cell, n, squares FROM measured"
    ((count,),) = connection.execute(f"SELECT count(*) FROM ({distinct})").fetchall()
    if count <= _MOST_STRATA:
        number = "(row_number() OVER (ORDER BY n, squares, cell) - 1)::USMALLINT AS stratum"
        connection.execute(
            f"CREATE TEMP TABLE strata AS SELECT {number}, cell, n, squares FROM ({distinct})"
        ).fetchall()
        connection.execute(
            f"INSERT INTO target.{INGESTED_STRATA} SELECT {text(name)}, stratum, cell, n, squares FROM strata"
        ).fetchall()
        same = "m.n = s.n AND m.squares = s.squares AND m.cell IS NOT DISTINCT FROM s.cell"
        connection.execute(
            f"CREATE TEMP TABLE strata_{place} AS SELECT m.place, m.cell, s.stratum "
            f"FROM measured AS m JOIN strata AS s ON {same}"
        ).fetchall()
        connection.execute("DROP TABLE strata")
    connection.execute("DROP TABLE measured")
    return bool(count <= _MOST_STRATA)


def _count_keys(
    connection: duckdb.DuckDBPyConnection, place: int, name: str, cell: str, rows: str
) -> bool:
    """Number the texts of a column and count who has which, unless there are too many; whether it was done.

    Claim:      what is known of a pair of unit and text depends on the rows of that unit alone.
    Because:    it is how many rows the unit has with that text, with how many texts, and the sum of squares over these.
                The number of a text is a name, from which nothing is computed.
    Checked by: tests/unit/engines/duckdb/test_ingested_key_counts.py::test_who_leaves_changes_the_pairs_of_nobody
    """
    keys = f"keys_{place}"
    distinct = f"SELECT DISTINCT {cell} AS cell FROM {rows} WHERE {cell} IS NOT NULL"
    number = "row_number() OVER (ORDER BY cell) - 1 AS number"
    connection.execute(
        f"CREATE TEMP TABLE {keys} AS SELECT {number}, cell FROM ({distinct} LIMIT {_MOST_KEYS + 1})"
    ).fetchall()
    ((count,),) = connection.execute(f"SELECT count(*) FROM {keys}").fetchall()
    if count > _MOST_KEYS:
        connection.execute(f"DROP TABLE {keys}")
        return False
    connection.execute(f"ALTER TABLE {keys} ALTER number TYPE USMALLINT").fetchall()
    connection.execute(
        f"INSERT INTO target.{INGESTED_KEYS} SELECT {text(name)}, {place}, number, cell FROM {keys}"
    ).fetchall()
    connection.execute(
        "CREATE TEMP TABLE pairs AS SELECT w.place AS unit, k.number AS number, count(*) AS pair_rows "
        f"FROM {rows} JOIN {keys} AS k ON {cell} = k.cell GROUP BY ALL"
    ).fetchall()
    # beyond 2**62, which no bound is, a sum of squares need not be told
    squares = f"least(sum(pair_rows::HUGEINT * pair_rows), {1 << 62})::BIGINT AS unit_squares"
    owners = f"SELECT unit, count(*) AS unit_keys, {squares} FROM pairs GROUP BY unit"
    connection.execute(
        f"CREATE TABLE target.{name_pairs(place)} AS SELECT * FROM pairs JOIN ({owners}) USING (unit) ORDER BY unit"
    ).fetchall()
    connection.execute("DROP TABLE pairs")
    return True
