"""Which values of a unit are counted among the different ones, the same in every engine.

Claim:      which values a unit brings depends on that unit and its own values, on nothing else, and they are no more
            than the bound.
Because:    they are the lowest of hashes of the unit, the group and the value, and whose values are the same as
            another's is not looked at.  The hash needs no secret: who knows it knows which of a unit's values would
            count, and nothing about whether they are there.
Checked by: tests/laws/test_distinct.py
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from hashlib import sha256
from struct import pack

from tacit.plan import Kind, Value

__all__ = ["Pair", "keep_lowest", "unit_text"]

_WIDE = 1 << 63

Pair = tuple[int, Value]
"""A group and a value in it."""


def unit_text(unit: Hashable) -> str:
    """A unit as tables know it from each other: by its text, so that 7 and "7" are one."""
    match unit:
        case bool():
            return str(unit).lower()
        case float():
            return str(unit + 0.0)
        case _:
            return str(unit)


def keep_lowest(unit: Hashable, pairs: Iterable[Pair], kind: Kind, most: int) -> set[Pair]:
    """The pairs of a group and a value that one unit brings.

    >>> sorted(keep_lowest("ann", {(0, 1), (0, 2), (1, 1)}, Kind.INTEGER, 5))
    [(0, 1), (0, 2), (1, 1)]
    >>> len(keep_lowest("ann", {(0, 1), (0, 2), (1, 1)}, Kind.INTEGER, 2))
    2
    """
    return set(sorted(pairs, key=lambda pair: _hash(unit, pair, kind))[:most])


def _hash(unit: Hashable, pair: Pair, kind: Kind) -> str:
    group, value = pair
    return sha256(f"{_name(unit)} {group} {_text(value, kind)}".encode()).hexdigest()


def _name(unit: Hashable) -> str:
    """By what a unit is hashed: 7.0 is 7, or a fraction among units would change what all others are stored as."""
    whole = isinstance(unit, float) and unit.is_integer() and -_WIDE <= unit < _WIDE
    return unit_text(int(unit)) if isinstance(unit, float) and whole else unit_text(unit)


def _text(value: Value, kind: Kind) -> str:
    """A value as a text of which no two are the same; days and moments are whole numbers already."""
    match kind:
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.NUMBER:
            return "".join(f"{byte:08b}" for byte in pack(">d", float(value or 0) + 0.0))
        case _:
            return str(value)
