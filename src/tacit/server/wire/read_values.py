"""Values of parameters as clients send them, as text and in binary.

Checked by: tests/unit/server/wire/test_values.py
"""

from __future__ import annotations

import re
import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from math import isinf, isnan
from typing import Any

from tacit.server.wire.client_messages import InvalidMessage, decode_text
from tacit.server.wire.value_types import (
    BOOL,
    BYTEA,
    DATE,
    DAY_ZERO,
    ELEMENTS,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    MOMENT_ZERO,
    MOST_CELLS,
    NUMERIC,
    OID,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TYPES,
    UUID,
    WHOLE_FORMS,
)

__all__ = ["read_value"]


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
    if oid in ELEMENTS:
        return _read_array(text, ELEMENTS[oid])
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
    if oid in ELEMENTS:
        return _read_binary_array(raw)
    if oid == BOOL:
        return bool(_one(raw, "!b"))
    if oid in WHOLE_FORMS:
        return _one(raw, WHOLE_FORMS[oid])
    if oid in {FLOAT4, FLOAT8}:
        return _tidy(_one(raw, "!f" if oid == FLOAT4 else "!d"))
    if oid == NUMERIC:
        return _read_binary_numeric(raw)
    if oid == DATE:
        return DAY_ZERO + timedelta(days=_one(raw, "!i"))
    if oid in {TIMESTAMP, TIMESTAMPTZ}:
        return MOMENT_ZERO + timedelta(microseconds=_one(raw, "!q"))
    if oid == TIME:
        return (MOMENT_ZERO + timedelta(microseconds=_one(raw, "!q"))).time()
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
        if len(cells) >= MOST_CELLS:
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
    if dimensions != 1 or element in ELEMENTS:
        raise ValueError
    count, _ = struct.unpack_from("!ii", raw, 12)
    if not 0 <= count <= MOST_CELLS:
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
