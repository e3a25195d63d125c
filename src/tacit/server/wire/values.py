"""Values between PostgreSQL's forms, text and binary, and Python's.

Checked by: tests/unit/server/wire/test_values.py
"""

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from math import isinf, isnan
from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.messages import InvalidMessage, decode_text

__all__ = [
    "TYPES",
    "Field",
    "array_of",
    "element_of",
    "length_of",
    "read_value",
    "to_binary",
    "to_text",
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

_ELEMENTS = {each.array: oid for oid, each in TYPES.items() if each.array}
_ELEMENTS |= {22: INT2, 30: OID, 1034: 1033}  # int2vector, oidvector, aclitem[]
_BY_NAME = {name: oid for oid, each in TYPES.items() for name in each.names}
_OIDS = frozenset({24, OID, 28, 2205, 2206, 4089, 4096})
_WHOLE = {INT8: "!q", INT2: "!h", INT4: "!i", **dict.fromkeys(_OIDS, "!I")}
_DAY_ZERO, _ZERO = date(2000, 1, 1), datetime(2000, 1, 1)  # noqa: DTZ001 -- as PostgreSQL counts
_MOST_CELLS = 10_000


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
    return _ELEMENTS.get(oid)


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


# -------------------------------------------------------------------- values that leave


def to_text(value: Any, oid: int) -> str:
    """A value as PostgreSQL prints it.

    >>> to_text(True, 16), to_text(5.0, 701), to_text(["a b", None], 1009)
    ('t', '5', '{"a b",NULL}')
    """
    match value:
        case bool():
            return "t" if value else "f"
        case float():
            return _float_text(value)
        case datetime():
            return _moment_text(value, zoned=oid == TIMESTAMPTZ)
        case timedelta():
            return _interval_text(value)
        case bytes():
            return "\\x" + value.hex()
        case list() | tuple():
            return _array_text(value, oid)
        case date() | time():
            return value.isoformat()
        case _:
            return str(value)


def to_binary(value: Any, oid: int) -> bytes:
    """A value in PostgreSQL's binary form; where it has none here, the text is it."""
    if oid in _ELEMENTS and isinstance(value, list | tuple):
        return _array_binary(value, _ELEMENTS[oid])
    write = _WRITERS.get(oid)
    return to_text(value, oid).encode() if write is None else write(value)


def _float_text(value: float) -> str:
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    if 1e15 <= abs(value) < 1e16:  # here PostgreSQL writes an exponent, and Python does not
        digits = text.removesuffix(".0").lstrip("-").rstrip("0")
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{'-' if value < 0 else ''}{digits[0]}{fraction}e+15"
    return text.removesuffix(".0")


def _moment_text(value: datetime, *, zoned: bool) -> str:
    plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    text = plain.isoformat(" ")
    if plain.microsecond:
        text = text.rstrip("0")
    return text + ("+00" if zoned else "")


def _interval_text(value: timedelta) -> str:
    seconds, sign = value.seconds, ""
    days = value.days
    if value < timedelta(0):
        value = -value
        days, seconds, sign = -value.days, value.seconds, "-"
    clock = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if value.microseconds:
        clock += f".{value.microseconds:06d}".rstrip("0")
    named = f"{days} day{'' if abs(days) == 1 else 's'}" if days else ""
    return " ".join(
        filter(None, [named, clock if seconds or value.microseconds or not days else ""])
    )


def _array_text(value: Sequence[Any], oid: int) -> str:
    element = _ELEMENTS.get(oid, TEXT)
    if oid in {22, 30}:
        return " ".join(to_text(each, element) for each in value)
    cells = []
    for each in value:
        if each is None:
            cells.append("NULL")
            continue
        text = to_text(each, oid if isinstance(each, list | tuple) else element)
        plain = isinstance(each, list | tuple) or (
            re.fullmatch(r"[^\s{}\",\\]+", text) is not None and text.upper() != "NULL"
        )
        cells.append(text if plain else '"' + re.sub(r'(["\\])', r"\\\1", text) + '"')
    return "{" + ",".join(cells) + "}"


def _array_binary(value: Sequence[Any], element: int) -> bytes:
    shape, cells, inner = list[int](), list[Any](value), value
    while cells and all(isinstance(each, list | tuple) for each in cells):
        shape.append(len(inner))
        inner = inner[0]
        cells = [cell for each in cells for cell in each]
    if cells:
        shape.append(len(inner))
    has_null = int(any(each is None for each in cells))
    found = [struct.pack("!iiI", len(shape), has_null, element)]
    found += [struct.pack("!ii", size, 1) for size in shape]
    for each in cells:
        if each is None:
            found.append(struct.pack("!i", -1))
        else:
            cell = to_binary(each, element)
            found.append(struct.pack("!i", len(cell)) + cell)
    return b"".join(found)


def _moment_binary(value: Any) -> bytes:
    plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    return struct.pack("!q", (plain - _ZERO) // timedelta(microseconds=1))


def _time_binary(value: time) -> bytes:
    seconds = value.hour * 3600 + value.minute * 60 + value.second
    return struct.pack("!q", seconds * 1_000_000 + value.microsecond)


def _interval_binary(value: timedelta) -> bytes:
    return struct.pack("!qii", value.seconds * 1_000_000 + value.microseconds, value.days, 0)


def _numeric_binary(value: Any) -> bytes:
    """A number in groups of four digits."""
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite():
        return struct.pack("!hhHh", 0, 0, 0xC000 if number.is_nan() else 0xD000, 0)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "a finite number has an exponent"
    scale = max(0, -exponent)
    whole = "".join(map(str, digits)) + "0" * max(0, exponent)
    whole = whole.rjust(scale + 1, "0")
    left, right = whole[: len(whole) - scale], whole[len(whole) - scale :]
    left = left.rjust(-(-len(left) // 4) * 4, "0")
    right = right.ljust(-(-len(right) // 4) * 4, "0")
    groups = [int((left + right)[at : at + 4]) for at in range(0, len(left + right), 4)]
    weight = len(left) // 4 - 1
    while groups and not groups[0]:
        groups.pop(0)
        weight -= 1
    while groups and not groups[-1]:
        groups.pop()
    head = struct.pack("!hhHh", len(groups), weight if groups else 0, 0x4000 if sign else 0, scale)
    return head + struct.pack(f"!{len(groups)}h", *groups)


def _whole_binary(form: str, value: Any) -> bytes:
    return struct.pack(form, int(value))


_WRITERS: Mapping[int, Callable[[Any], bytes]] = {
    BOOL: lambda value: b"\1" if value else b"\0",
    FLOAT4: lambda value: struct.pack("!f", value),
    FLOAT8: lambda value: struct.pack("!d", value),
    DATE: lambda value: struct.pack("!i", (value - _DAY_ZERO).days),
    TIME: _time_binary,
    TIMESTAMP: _moment_binary,
    TIMESTAMPTZ: _moment_binary,
    INTERVAL: _interval_binary,
    NUMERIC: _numeric_binary,
    BYTEA: bytes,
    UUID: lambda value: bytes.fromhex(str(value).replace("-", "")),
    JSONB: lambda value: b"\1" + str(value).encode(),
    **{oid: partial(_whole_binary, form) for oid, form in _WHOLE.items()},
}


# -------------------------------------------------------------------- values that come in


def read_value(raw: bytes | None, form: int, oid: int) -> Any:
    """A parameter as a client sent it, as text (0) or binary (1).

    Claim:      a value is a value: no text of a parameter becomes part of a statement.
    Because:    it becomes an object of Python's, which is bound to the place of its parameter in the plan.
    Checked by: tests/unit/server/wire/test_values.py and tests/attacks/test_wire_parameters.py
    """
    if raw is None:
        return None
    if form not in {0, 1}:
        raise InvalidMessage("unsupported format code", "22023")
    try:
        if form == 0:
            text = decode_text(raw)
            if "\0" in text:
                raise InvalidMessage("a zero cannot be part of a text", "22021")
            return _from_text(text, oid)
        return _from_binary(raw, oid)
    except (ValueError, struct.error, OverflowError, IndexError, InvalidOperation):
        name = TYPES[oid].names[0] if oid in TYPES else str(oid)
        raise InvalidMessage(f"invalid input for type {name}", "22P02") from None


def _from_text(text: str, oid: int) -> Any:
    if oid in _ELEMENTS:
        return _read_array(text, _ELEMENTS[oid])
    stripped = text.strip()
    if oid == BOOL:
        return _read_bool(stripped)
    if oid in {INT8, INT2, INT4, OID}:
        return _read_whole(stripped)
    if oid in {FLOAT4, FLOAT8, NUMERIC}:
        return _read_number(stripped)
    if oid == DATE:
        return date.fromisoformat(stripped[:10])
    if oid in {TIMESTAMP, TIMESTAMPTZ}:
        return _read_moment(stripped)
    if oid == BYTEA:
        return bytes.fromhex(text.removeprefix("\\x"))
    return text


def _from_binary(raw: bytes, oid: int) -> Any:
    if oid in _ELEMENTS:
        return _read_binary_array(raw)
    if oid == BOOL:
        return bool(_one(raw, "!b"))
    if oid in _WHOLE:
        return _one(raw, _WHOLE[oid])
    if oid in {FLOAT4, FLOAT8}:
        return _tidy(_one(raw, "!f" if oid == FLOAT4 else "!d"))
    if oid == NUMERIC:
        return _read_binary_numeric(raw)
    if oid == DATE:
        return _DAY_ZERO + timedelta(days=_one(raw, "!i"))
    if oid in {TIMESTAMP, TIMESTAMPTZ}:
        return _ZERO + timedelta(microseconds=_one(raw, "!q"))
    if oid == TIME:
        return (_ZERO + timedelta(microseconds=_one(raw, "!q"))).time()
    if oid == BYTEA:
        return raw
    if oid == UUID:
        return _uuid_text(raw)
    if oid == JSONB:
        return decode_text(raw[1:])
    text = decode_text(raw)
    if "\0" in text:
        raise InvalidMessage("a zero cannot be part of a text", "22021")
    return text


def _uuid_text(raw: bytes) -> str:
    if len(raw) != 16:
        raise ValueError
    digits = raw.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _one(raw: bytes, form: str) -> Any:
    (found,) = struct.unpack(form, raw)
    return found


def _tidy(value: float) -> Any:
    """A whole number as one: what a client could send as a float alone asks the same as the number in the text."""
    if isnan(value) or isinf(value):
        raise ValueError
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _read_bool(text: str) -> bool:
    low = text.lower()
    if low in {"t", "true", "yes", "y", "on", "1"}:
        return True
    if low in {"f", "false", "no", "n", "off", "0"}:
        return False
    raise ValueError


def _read_whole(text: str) -> int:
    if len(text) > 40 or re.fullmatch(r"[-+]?\d+", text, re.ASCII) is None:
        raise ValueError
    return int(text)


def _read_number(text: str) -> Any:
    if (
        len(text) > 400
        or re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", text, re.ASCII) is None
    ):
        raise ValueError
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    return _tidy_decimal(Decimal(text))


def _tidy_decimal(value: Decimal) -> Any:
    if not value.is_finite():
        raise ValueError
    whole = value.to_integral_value() if abs(value) < Decimal(2**63) else None
    return int(whole) if whole is not None and whole == value else value


def _read_moment(text: str) -> datetime:
    moment = datetime.fromisoformat(re.sub(r"([+-]\d\d)$", r"\1:00", text))
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _read_binary_numeric(raw: bytes) -> Any:
    count, weight, sign, scale = struct.unpack_from("!hhHh", raw)
    if (
        sign not in {0, 0x4000}
        or count < 0
        or len(raw) != 8 + 2 * count
        or not -100 <= weight <= 100
    ):
        raise ValueError
    groups = struct.unpack_from(f"!{count}h", raw, 8)
    if any(not 0 <= group < 10_000 for group in groups) or not 0 <= scale <= 1_000:
        raise ValueError
    whole = sum(
        Decimal(group) * Decimal(10_000) ** (weight - place) for place, group in enumerate(groups)
    )
    return _tidy_decimal(Decimal(-whole if sign else whole))


def _read_array(text: str, element: int) -> list[Any]:
    """A list of one dimension from its text: {a,"b c",NULL}."""
    if not text.startswith("{") or not text.endswith("}"):
        raise ValueError
    cells, place, end = list[Any](), 1, len(text) - 1
    while place < end:
        if len(cells) >= _MOST_CELLS:
            raise ValueError
        quoted = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*', re.DOTALL).match(text, place)
        plain = re.compile(r'[^",{}]*').match(text, place)
        assert plain is not None, "it may be empty"
        if quoted is not None:
            cells.append(_from_text(re.sub(r"\\(.)", r"\1", quoted[1]), element))
            place = quoted.end()
        else:
            word = plain[0].strip()
            cells.append(None if word.upper() == "NULL" else _from_text(word, element))
            place = plain.end()
        if place < end:
            if text[place] != ",":
                raise ValueError
            place += 1
    return cells


def _read_binary_array(raw: bytes) -> list[Any]:
    dimensions, _, element = struct.unpack_from("!iiI", raw)
    if dimensions == 0:
        return []
    if dimensions != 1 or element in _ELEMENTS:
        raise ValueError
    count, _ = struct.unpack_from("!ii", raw, 12)
    if not 0 <= count <= _MOST_CELLS:
        raise ValueError
    cells, place = list[Any](), 20
    for _ in range(count):
        (length,) = struct.unpack_from("!i", raw, place)
        place += 4
        if length == -1:
            cells.append(None)
            continue
        if length < 0 or place + length > len(raw):
            raise ValueError
        cells.append(_from_binary(raw[place : place + length], element))
        place += length
    return cells
