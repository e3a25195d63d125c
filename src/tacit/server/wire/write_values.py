"""Values as PostgreSQL sends them, as text and in binary.

Checked by: tests/unit/server/wire/test_values.py
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from math import isinf, isnan
from typing import Any

from tacit.server.wire.value_types import (
    BOOL,
    BYTEA,
    DATE,
    DAY_ZERO,
    ELEMENTS,
    FLOAT4,
    FLOAT8,
    INTERVAL,
    JSONB,
    MOMENT_ZERO,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    WHOLE_FORMS,
)

__all__ = ["to_binary", "to_text"]


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
    if oid in ELEMENTS and isinstance(value, list | tuple):
        return _array_binary(value, ELEMENTS[oid])
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
    element = ELEMENTS.get(oid, TEXT)
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
    return struct.pack("!q", (plain - MOMENT_ZERO) // timedelta(microseconds=1))


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
    DATE: lambda value: struct.pack("!i", (value - DAY_ZERO).days),
    TIME: _time_binary,
    TIMESTAMP: _moment_binary,
    TIMESTAMPTZ: _moment_binary,
    INTERVAL: _interval_binary,
    NUMERIC: _numeric_binary,
    BYTEA: bytes,
    UUID: lambda value: bytes.fromhex(str(value).replace("-", "")),
    JSONB: lambda value: b"\1" + str(value).encode(),
    **{oid: partial(_whole_binary, form) for oid, form in WHOLE_FORMS.items()},
}
