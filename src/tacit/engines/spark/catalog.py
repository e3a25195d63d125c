"""What a Spark cluster says about a table: its columns and their types, by analysing a statement that is not run.

Claim:      no value of the data is read, and no statistics of it.
Because:    the schema of a SELECT is asked for; of files, Spark reads the names and types that they say.
Checked by: tests/unit/engines/spark/test_catalog.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote`

from __future__ import annotations

import re
from collections.abc import Mapping

from tacit.engines.served.engine import tell
from tacit.engines.served.table_selects import StoredColumn
from tacit.engines.sources.path_to_unit import Raw
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.spark.functions import is_finite
from tacit.engines.spark.literals import double_literal, quote
from tacit.engines.spark.session import Session, Sessions, refusal_of
from tacit.plan import INT64, Kind

__all__ = ["SECONDS", "read_columns", "read_stored", "scan", "table_columns"]

SECONDS = 3600.0
"""A statement is ended after an hour."""

_PLAIN = {
    "tinyint": ("BIGINT", "CAST({} AS BIGINT)"),
    "smallint": ("BIGINT", "CAST({} AS BIGINT)"),
    "int": ("BIGINT", "CAST({} AS BIGINT)"),
    "bigint": ("BIGINT", "{}"),
    "float": ("DOUBLE", "CAST({} AS DOUBLE)"),
    "double": ("DOUBLE", "{}"),
    "boolean": ("BOOLEAN", "{}"),
    "string": ("VARCHAR", "{}"),
    "date": ("DATE", "{}"),
    "timestamp_ntz": ("TIMESTAMP", "{}"),
    "timestamp": ("TIMESTAMP", "CAST({} AS TIMESTAMP_NTZ)"),
}
_MOST_DIGITS = 18


def scan(source: SparkTable) -> str:
    """A table after FROM.

    >>> scan(SparkTable("spark://host:15002", ("/data/visits",), "parquet"))
    'parquet.`/data/visits`'
    """
    if source.format is not None:
        return f"{source.format}.{quote(source.parts[0])}"
    return ".".join(map(quote, source.parts))


def read_type(declared: str) -> tuple[str | None, str]:
    """The type as which a column is read, and how.

    >>> read_type("decimal(12,0)"), read_type("map<string,int>")[0]
    (('BIGINT', 'CAST({} AS BIGINT)'), None)
    """
    if declared.startswith(("string", "char(", "varchar(")):  # of any collation
        plain = declared == "string"
        return "VARCHAR", "{}" if plain else "CAST(collate({}, 'UTF8_BINARY') AS STRING)"
    if found := re.fullmatch(r"decimal\((\d+),(\d+)\)", declared):
        whole = int(found[1]) <= _MOST_DIGITS and found[2] == "0"
        return ("BIGINT", "CAST({} AS BIGINT)") if whole else ("DOUBLE", "CAST({} AS DOUBLE)")
    return _PLAIN.get(declared, (None, "{}"))


def read_stored(written: str, column: StoredColumn, kind: Kind | None) -> Raw:
    """A column as statements read it; one that is declared as another kind than it is stored as is made one here."""
    raw = Raw(column.cast.replace("{}", written), column.stored or column.declared)
    match raw.stored, kind:
        case "DOUBLE", Kind.INTEGER:
            return Raw(_whole_double(raw.sql), "BIGINT")
        case "BIGINT", Kind.NUMBER:
            return Raw(f"CAST({raw.sql} AS DOUBLE)", "DOUBLE")
        case "DATE", Kind.TIMESTAMP:
            return Raw(_moment_of_day(raw.sql), "TIMESTAMP")
        case _:
            return raw


def _whole_double(number: str) -> str:
    """A double without a fraction as an integer, those beyond 64 bits moved onto the last; any other is NULL."""
    low, high = double_literal(-(2.0**63)), double_literal(2.0**63)
    ends = (
        f"WHEN {number} >= {high} THEN {INT64[1]}L "
        f"WHEN {number} < {low} THEN CAST({INT64[0]} AS BIGINT)"
    )
    whole = f"CASE {ends} ELSE CAST({number} AS BIGINT) END"
    return f"CASE WHEN {is_finite(number)} AND {number} = rint({number}) THEN {whole} END"


def _moment_of_day(day: str) -> str:
    """The moment at which a day begins; of those beyond the years 1 to 9999, one that is beyond them, too."""
    after, before = "TIMESTAMP_NTZ'10000-01-01 00:00:00'", "TIMESTAMP_NTZ'0000-12-31 00:00:00'"
    ends = f"WHEN {day} > DATE'9999-12-31' THEN {after} WHEN {day} < DATE'0001-01-01' THEN {before}"
    return f"CASE {ends} ELSE CAST({day} AS TIMESTAMP_NTZ) END"


def table_columns(session: Session, source: SparkTable) -> Mapping[str, StoredColumn]:
    """The columns of a table, in their order."""
    found = session.schema(f"SELECT * FROM {scan(source)}")
    return {name: StoredColumn(name, declared, *read_type(declared)) for name, declared in found}


def read_columns(source: SparkTable) -> Mapping[str, StoredColumn]:
    """The same in a session of its own; whatever fails is said in a sentence of ours."""
    sessions = Sessions(source.address, SECONDS)

    def look() -> Mapping[str, StoredColumn]:
        with sessions.session() as session:
            return table_columns(session, source)

    return tell(look, refusal_of)
