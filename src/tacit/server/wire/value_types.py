"""PostgreSQL's types of values, by their names and numbers, and columns that have them.

Checked by: tests/unit/server/wire/test_values.py
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from tacit.frozen import frozen

__all__ = [
    "BOOL",
    "BYTEA",
    "DATE",
    "DAY_ZERO",
    "ELEMENTS",
    "FLOAT4",
    "FLOAT8",
    "Field",
    "INT2",
    "INT4",
    "INT8",
    "INTERVAL",
    "JSONB",
    "MOMENT_ZERO",
    "MOST_CELLS",
    "NUMERIC",
    "OID",
    "TEXT",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMPTZ",
    "TYPES",
    "UUID",
    "WHOLE_FORMS",
    "array_of",
    "element_of",
    "length_of",
    "type_named",
]


@frozen
class Field:
    """A column as a client is told of it: its name, its type (a number of PostgreSQL's) and its modifier."""

    name: str
    oid: int
    modifier: int = -1


@frozen
class _Type:
    """A type: its names, the bytes of a value (-1: any number), the number of its array type."""

    names: tuple[str, ...]
    length: int
    array: int


BOOL, BYTEA, CHAR, NAME, INT8, INT2, INT4, TEXT, OID = 16, 17, 18, 19, 20, 21, 23, 25, 26
JSON, FLOAT4, FLOAT8, UNKNOWN, BPCHAR, VARCHAR, DATE, TIME = (
    114,
    700,
    701,
    705,
    1042,
    1043,
    1082,
    1083,
)
TIMESTAMP, TIMESTAMPTZ, INTERVAL, NUMERIC, UUID, JSONB = 1114, 1184, 1186, 1700, 2950, 3802

TYPES: Mapping[int, _Type] = {
    BOOL: _Type(("bool", "boolean"), 1, 1000),
    BYTEA: _Type(("bytea",), -1, 1001),
    CHAR: _Type(('"char"',), 1, 1002),
    NAME: _Type(("name",), 64, 1003),
    INT8: _Type(("int8", "bigint"), 8, 1016),
    INT2: _Type(("int2", "smallint"), 2, 1005),
    INT4: _Type(("int4", "integer", "int"), 4, 1007),
    24: _Type(("regproc",), 4, 1008),
    TEXT: _Type(("text",), -1, 1009),
    OID: _Type(("oid",), 4, 1028),
    28: _Type(("xid",), 4, 1011),
    JSON: _Type(("json",), -1, 199),
    FLOAT4: _Type(("float4", "real"), 4, 1021),
    FLOAT8: _Type(("float8", "double precision", "float"), 8, 1022),
    UNKNOWN: _Type(("unknown",), -2, 0),
    BPCHAR: _Type(("bpchar", "character"), -1, 1014),
    VARCHAR: _Type(("varchar", "character varying"), -1, 1015),
    DATE: _Type(("date",), 4, 1182),
    TIME: _Type(("time", "time without time zone"), 8, 1183),
    TIMESTAMP: _Type(("timestamp", "timestamp without time zone"), 8, 1115),
    TIMESTAMPTZ: _Type(("timestamptz", "timestamp with time zone"), 8, 1185),
    INTERVAL: _Type(("interval",), 16, 1187),
    NUMERIC: _Type(("numeric", "decimal"), -1, 1231),
    2205: _Type(("regclass",), 4, 2210),
    2206: _Type(("regtype",), 4, 2211),
    UUID: _Type(("uuid",), 16, 2951),
    JSONB: _Type(("jsonb",), -1, 3807),
    4089: _Type(("regnamespace",), 4, 4090),
    4096: _Type(("regrole",), 4, 4097),
}
"""The types of which values are written and read."""

ELEMENTS = {each.array: oid for oid, each in TYPES.items() if each.array}
ELEMENTS |= {22: INT2, 30: OID, 1034: 1033}  # int2vector, oidvector, aclitem[]
_BY_NAME = {name: oid for oid, each in TYPES.items() for name in each.names}
_OIDS = frozenset({24, OID, 28, 2205, 2206, 4089, 4096})
WHOLE_FORMS = {INT8: "!q", INT2: "!h", INT4: "!i", **dict.fromkeys(_OIDS, "!I")}
DAY_ZERO, MOMENT_ZERO = date(2000, 1, 1), datetime(2000, 1, 1)  # noqa: DTZ001 -- as PostgreSQL counts
MOST_CELLS = 10_000


def type_named(name: str) -> int | None:
    """The number of a type by its name, of an array by its name and [].

    >>> type_named("integer"), type_named("oid[]"), type_named("nonsense")
    (23, 1028, None)
    """
    if name.endswith("[]"):
        of = _BY_NAME.get(name.removesuffix("[]"))
        return None if of is None else TYPES[of].array
    return _BY_NAME.get(name)


def element_of(oid: int) -> int | None:
    """The type of the values of an array, None if it is none.

    >>> element_of(1009), element_of(25)
    (25, None)
    """
    return ELEMENTS.get(oid)


def array_of(oid: int) -> int:
    """The type of arrays of a type; of texts where there is none.

    >>> array_of(20)
    1016
    """
    found = TYPES.get(oid)
    return found.array if found is not None and found.array else TYPES[TEXT].array


def length_of(oid: int) -> int:
    """How many bytes a value has, -1 if that differs."""
    found = TYPES.get(oid)
    return -1 if found is None else found.length
