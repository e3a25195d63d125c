"""What dialects share that write functions out: letters and their other case, ends of doubles, lengths of time.

Checked by: tests/laws/test_engine_conformance.py
"""

from __future__ import annotations

import sys
from functools import cache
from math import inf, isfinite, nextafter

from tacit.plan import MEANINGS, Called, Function, Literal, constant

__all__ = [
    "FIRST_MOMENT",
    "LAST_MOMENT",
    "MONTHS",
    "SECONDS",
    "SPACES",
    "case_map",
    "largest_factor",
    "setting_of",
]

SECONDS = {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
MONTHS = {"year": 12, "quarter": 3, "month": 1}
FIRST_MOMENT, LAST_MOMENT = -62_135_596_800_000_000, 253_402_300_799_999_999
SPACES = "".join(map(chr, [0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]))


def setting_of(expression: Called, place: int) -> str | int:
    """A constant operand of a call: how many decimals, which part of a date."""
    part = expression.operands[place]
    assert isinstance(part, Literal)
    value = constant(part.value, part.kind)
    assert isinstance(value, str | int)
    return value


@cache
def largest_factor(scale: float) -> float:
    """The largest double that stays finite when it is multiplied by a power of ten.

    >>> largest_factor(10.0)
    1.7976931348623158e+307
    """
    found = sys.float_info.max / scale
    while not isfinite(found * scale):
        found = nextafter(found, 0)
    while isfinite(nextafter(found, inf) * scale):
        found = nextafter(found, inf)
    return found


@cache
def case_map(function: Function) -> tuple[str, str]:
    """The letters beyond ASCII that LOWER or UPPER changes, and what they become, one by one."""
    change = MEANINGS[function]
    letters = (chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    odd = [each for each in letters if each.lower() != each or each.upper() != each]
    pairs = [(each, str(change(each))) for each in odd]
    changed = [(one, other) for one, other in pairs if one != other]
    return "".join(one for one, _ in changed), "".join(other for _, other in changed)
