"""How stored columns are read as declared ones, in SQL: checked by their types alone, with no cell that could raise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import NoReturn

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.expressions import clamp_sql, double, type_name, whole
from tacit.errors import InvalidData
from tacit.plan import INT64, MOST_CHARACTERS, Column, Kind, Table, Value, bounds_of, constant

__all__ = [
    "check_type",
    "check_unit_type",
    "check_units_alike",
    "conversion_of_text",
    "scan_conditions",
    "key_type",
    "kinds_of",
    "read_cell",
    "read_unit",
    "refuse_kind",
    "refuse_own_numbers",
    "whole_unit",
]

_SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
_NARROW = _SIGNED | {"UTINYINT", "USMALLINT", "UINTEGER"}
_WIDE = {"UBIGINT", "HUGEINT", "UHUGEINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_STAMPS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
_NS, _ZONED, _ZONED_NS = "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"
_ABSENT = {"NULL", '"NULL"'}
_EXACT_DECIMAL = 15
_ENDS = {
    Kind.DATE: (constant(date.min, Kind.DATE), constant(date.max, Kind.DATE)),
    Kind.TIMESTAMP: (
        constant(datetime.min.replace(tzinfo=UTC), Kind.TIMESTAMP),
        constant(datetime.max.replace(tzinfo=UTC), Kind.TIMESTAMP),
    ),
}


def kinds_of(stored: str) -> tuple[Kind, ...]:
    """The kinds as which a column of a stored type can be declared, the first of which it is if nothing is said.

    Doubles may be declared as integers: files that pandas writes store integers so as soon as one is missing.
    """
    match _family(stored):
        case "BOOLEAN":
            return (Kind.BOOLEAN,)
        case "INTEGER":
            return (Kind.INTEGER, Kind.NUMBER)
        case "FLOAT":
            return (Kind.NUMBER, Kind.INTEGER)
        case "DECIMAL":
            return (Kind.NUMBER,)
        case "TEXT":
            return (Kind.TEXT,)
        case "DATE":
            return (Kind.DATE, Kind.TIMESTAMP)
        case "TIMESTAMP":
            return (Kind.TIMESTAMP,)
        case "NULL":
            return tuple(Kind)
        case _:
            return ()


def check_type(stored: str, column: Column, table: Table) -> None:
    """Refuse a column that is stored as something else than it is declared to be."""
    possible = kinds_of(stored)
    if column.kind not in possible:
        refuse_kind(column, table, _short(stored), possible)


def refuse_kind(column: Column, table: Table, stored: str, possible: Sequence[Kind]) -> NoReturn:
    """Refuse what a column is declared as: it is stored otherwise, and may be of these kinds."""
    listed = " or ".join(sorted(kind.value for kind in possible))
    convert = conversion_of_text(column.kind) if Kind.TEXT in possible else "convert it"
    remedy = f"declare it as {listed}, or {convert}" if possible else "convert it, or remove it"
    raise InvalidData(
        f"column {column.name!r} of table {table.name!r} is declared as {column.kind.value} but "
        f"stored as {stored}; {remedy}"
    )


def conversion_of_text(kind: Kind) -> str:
    """How a column of texts becomes one of a kind, in a frame.

    >>> conversion_of_text(Kind.DATE)
    "convert it, as pandas.to_datetime or polars' str.to_date do"
    """
    match kind:
        case Kind.DATE:
            return "convert it, as pandas.to_datetime or polars' str.to_date do"
        case Kind.TIMESTAMP:
            return "convert it, as pandas.to_datetime or polars' str.to_datetime do"
        case Kind.INTEGER | Kind.NUMBER:
            return "convert it, as pandas.to_numeric or polars' cast do"
        case _:
            return "convert it"


def check_unit_type(stored: str, table: Table) -> None:
    """Refuse units of a type that cannot be told apart exactly."""
    if not kinds_of(stored) and stored != "UUID":
        raise InvalidData(
            f"the unit {table.unit!r} of table {table.name!r} is stored as {_short(stored)}; a "
            "unit must be a text, an integer, a number or a date"
        )


def refuse_own_numbers() -> NoReturn:
    """Refuse to combine an ingested table with another."""
    raise InvalidData(
        "an ingested table has its own numbering of units and cannot be combined with another "
        "table; open the sources instead"
    )


def check_units_alike(stored: Iterable[str]) -> None:
    """Refuse units of several stored types that are not known from each other by their texts: 7 and 7.0 are one.

    A truth value is no number, day or moment; a list without rows is stored as one, and meets nobody.
    """
    types = {each for each in stored if _family(each) not in {"BOOLEAN", "NULL"}}
    if len(types) > 1 and any(key_type(each) is None for each in types):
        listed = " and ".join(sorted(map(_short, types)))
        raise InvalidData(
            f"the units of the combined tables are stored as {listed}, where one unit may have "
            "two spellings; store them all as integers or all as texts"
        )


def read_cell(
    raw: str, stored: str, column: Column, dialect: SqlDialect = DUCKDB, *, uncut: bool = False
) -> str:
    """The SQL of a declared column: of its kind, between its bounds, NaN and unbounded infinities NULL, texts cut.

    With `uncut`, a text is read as long as it is, for who only compares it with shorter ones.

    Claim:      the SQL raises on no cell, and gives what `held(plain(cell))` gives in memory.
    Because:    every cast that could fail is TRY_CAST; NaN is greater than every double in DuckDB's order, so that one
                comparison finds it and what lies above; clamps are CASE, since GREATEST ignores NULL.
    Checked by: tests/unit/engines/test_poison.py and
                tests/laws/test_engines.py::test_memory_and_duckdb_agree
    """
    if _family(stored) == "NULL":
        return dialect.literal(None, column.kind)
    low, high = bounds_of(column)
    match column.kind:
        case Kind.BOOLEAN:
            return raw
        case Kind.TEXT:
            whole_text = raw if stored == "VARCHAR" else f"CAST({raw} AS VARCHAR)"
            return whole_text if uncut else dialect.cut_text(whole_text, MOST_CHARACTERS)
        case Kind.INTEGER:
            return clamp_sql(_integer(raw, stored), column.kind, low, high, dialect)
        case Kind.NUMBER:
            number = _number(raw, stored)
            if _family(stored) == "FLOAT":
                return _finite_number(number, low, high, dialect)
            return clamp_sql(number, column.kind, low, high, dialect)
        case Kind.DATE | Kind.TIMESTAMP:
            moment = _moment(raw, stored, column.kind)
            return _finite_moment(moment, column.kind, low, high, dialect)


def scan_conditions(columns: Iterable[Column], read_column: Callable[[Column], str]) -> list[str]:
    """The conditions under which a row is there: what is declared never to be NULL is not.

    Claim:      no row that is read has NULL in a column that is declared never to be.
    Because:    a row that has is left out wherever its table is scanned, by its own cells alone: the promise is kept,
                and nobody else is asked whether it was.
    Checked by: tests/unit/engines/test_declared.py::test_a_row_without_a_value_that_must_be_there_is_left_out
    """
    needed = [column for column in columns if not column.nullable]
    return [f"{read_column(column)} IS NOT NULL" for column in dict.fromkeys(needed)]


def read_unit(raw: str, stored: str, dialect: SqlDialect = DUCKDB) -> str:
    """The SQL of a unit: never clamped, or two units would become one; NaN and infinite numbers are nobody.

    Zero has no sign, or its text would have one, and who is known by it would be two where units are compared as texts.
    """
    if _family(stored) == "FLOAT":
        zero, finite = f"CAST(0 AS {dialect.type(stored)})", dialect.is_finite(raw)
        return f"CASE WHEN {raw} = 0 THEN {zero} WHEN {finite} THEN {raw} END"
    return raw


def whole_unit(stored: str) -> bool:
    """Whether units of a stored type are integers of 64 bits.

    >>> whole_unit("INTEGER"), whole_unit("VARCHAR")
    (True, False)
    """
    return stored in _NARROW


def key_type(stored: str) -> str | None:
    """The type as which a key is compared with other keys, None if it cannot be: no two keys become one."""
    if stored in _NARROW:
        return "BIGINT"
    return (
        "VARCHAR"
        if stored == "UUID" or _family(stored) in {"INTEGER", "TEXT", "BOOLEAN", "NULL"}
        else None
    )


def _family(stored: str) -> str:
    if stored in _NARROW | _WIDE:
        return "INTEGER"
    if stored in _FLOATS:
        return "FLOAT"
    if stored in _STAMPS | {_ZONED, _ZONED_NS}:
        return "TIMESTAMP"
    if stored in _ABSENT:
        return "NULL"
    if stored == "VARCHAR" or stored.startswith("ENUM("):
        return "TEXT"
    return "DECIMAL" if stored.startswith("DECIMAL(") else stored


def _short(stored: str) -> str:
    return stored if len(stored) <= 40 else stored[:37] + "..."


def _integer(raw: str, stored: str) -> str:
    if stored == "BIGINT":
        return raw
    if stored in _NARROW:
        return f"CAST({raw} AS BIGINT)"
    if stored in _FLOATS:
        return _whole_double(raw)
    low, high = (f"CAST('{end}' AS HUGEINT)" for end in INT64)
    beyond = f"WHEN {raw} > {high} THEN {whole(INT64[1])}"
    below = f" WHEN {raw} < {low} THEN {whole(INT64[0])}" if stored == "HUGEINT" else ""
    return f"CASE {beyond}{below} ELSE TRY_CAST({raw} AS BIGINT) END"


def _whole_double(raw: str) -> str:
    """A double without a fraction as an integer, those beyond 64 bits moved onto the last; any other is NULL."""
    ends = (
        f"WHEN {raw} >= {double(2.0**63)} THEN {whole(INT64[1])} WHEN {raw} < {double(-(2.0**63))}"
    )
    held = f"CASE {ends} THEN {whole(INT64[0])} ELSE TRY_CAST({raw} AS BIGINT) END"
    return f"CASE WHEN isfinite({raw}) AND {raw} = trunc({raw}) THEN {held} END"


def _number(raw: str, stored: str) -> str:
    if stored == "DOUBLE":
        return raw
    width = re.match(r"DECIMAL\((\d+),", stored)
    if stored in {"HUGEINT", "UHUGEINT"} or (width and int(width[1]) > _EXACT_DECIMAL):
        return f"TRY_CAST(CAST({raw} AS VARCHAR) AS DOUBLE)"  # text is read to the nearest double
    return f"CAST({raw} AS DOUBLE)"


def _finite_number(number: str, low: object, high: object, dialect: SqlDialect) -> str:
    double = dialect.double
    if isinstance(low, float) and isinstance(high, float):
        # most are, and it is cheap
        inside = f"WHEN {number} BETWEEN {double(low)} AND {double(high)} THEN {number}"
        below, above = (
            f"WHEN {number} < {double(low)} THEN {double(low)}",
            f"WHEN NOT {dialect.is_nan(number)} THEN {double(high)}",
        )
        return f"CASE {inside} {below} {above} END"
    cases: list[str] = [f"WHEN {dialect.is_nan(number)} THEN {dialect.literal(None, Kind.NUMBER)}"]
    if isinstance(high, float):
        cases.append(f"WHEN {number} > {double(high)} THEN {double(high)}")
    if isinstance(low, float):
        cases.append(f"WHEN {number} < {double(low)} THEN {double(low)}")
    return f"CASE {' '.join(cases)} WHEN {dialect.is_finite(number)} THEN {number} END"


def _moment(raw: str, stored: str, kind: Kind) -> str:
    """A date or timestamp of another width; what lies beyond the years 1 to 9999 is infinite."""
    if stored == type_name(kind):
        return raw
    # all are within the years, but for infinities; those have no place in an order
    if stored in {_NS, _ZONED_NS}:
        inside = (
            f"{raw}::TIMESTAMP"
            if stored == _NS
            else f"make_timestamp(epoch_us({raw}::TIMESTAMPTZ))"
        )
        sign = f"WHEN {raw} = 'infinity'::{stored} THEN TIMESTAMP 'infinity' WHEN {raw} = '-infinity'::{stored} THEN"
        return f"CASE {sign} TIMESTAMP '-infinity' ELSE {inside} END"
    if stored == _ZONED:  # its microseconds are those of UTC
        inside = f"make_timestamp(epoch_us({raw}))"
        first, after = (f"TIMESTAMPTZ '{day} 00:00:00+00'" for day in ("0001-01-01", "10000-01-01"))
    else:
        inside = f"TRY_CAST({raw} AS TIMESTAMP)"
        first, after = (f"CAST(DATE '{day}' AS {stored})" for day in ("0001-01-01", "10000-01-01"))
    infinities = f"WHEN {raw} >= {after} THEN TIMESTAMP 'infinity' WHEN {raw} < {first} THEN TIMESTAMP '-infinity'"
    return f"CASE {infinities} ELSE {inside} END"


def _finite_moment(moment: str, kind: Kind, low: Value, high: Value, dialect: SqlDialect) -> str:
    """A date or timestamp between its bounds; NULL beyond the years 1 to 9999 where no bound holds it."""
    (first, last), literal = _ENDS[kind], dialect.literal
    above = f"WHEN {moment} > {literal(last if high is None else high, kind)} THEN {literal(high, kind)}"
    below = (
        f"WHEN {moment} < {literal(first if low is None else low, kind)} THEN {literal(low, kind)}"
    )
    return f"CASE {above} {below} ELSE {moment} END"
