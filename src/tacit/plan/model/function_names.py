"""The functions of one row's values that there are, by the name under which people know them.

Checked by: tests/unit/plan/model/test_serialize.py
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "ANGLES",
    "FORMATS",
    "Function",
    "INEXACT",
    "PARTS",
    "STRICT",
    "TOTAL",
    "TRUNCATED",
    "UNITS",
]


class Function(Enum):
    """A function of values; what each means is written in `meanings`, what it can be in `calls`."""

    COALESCE = "COALESCE"
    NULLIF = "NULLIF"
    LEAST = "LEAST"
    GREATEST = "GREATEST"
    DISTINCT = "IS DISTINCT FROM"
    QUOTIENT = "//"
    ABS = "ABS"
    SIGN = "SIGN"
    ROUND = "ROUND"
    FLOOR = "FLOOR"
    CEIL = "CEIL"
    TRUNC = "TRUNC"
    SQRT = "SQRT"
    LN = "LN"
    LOG10 = "LOG10"
    EXP = "EXP"
    POWER = "POWER"
    SIN = "SIN"
    COS = "COS"
    TAN = "TAN"
    ASIN = "ASIN"
    ACOS = "ACOS"
    ATAN = "ATAN"
    ATAN2 = "ATAN2"
    LOWER = "LOWER"
    UPPER = "UPPER"
    TRIM = "TRIM"
    LTRIM = "LTRIM"
    RTRIM = "RTRIM"
    SUBSTR = "SUBSTR"
    RIGHT = "RIGHT"
    REPLACE = "REPLACE"
    LENGTH = "LENGTH"
    SPLIT_PART = "SPLIT_PART"
    STRPOS = "STRPOS"
    LPAD = "LPAD"
    RPAD = "RPAD"
    REGEXP = "REGEXP_MATCHES"
    CONCAT = "CONCAT"
    JOINED = "||"
    EXTRACT = "EXTRACT"
    DATE_TRUNC = "DATE_TRUNC"
    DATE_ADD = "DATE_ADD"
    DATE_DIFF = "DATE_DIFF"
    SECONDS_BETWEEN = "SECONDS_BETWEEN"
    STRFTIME = "STRFTIME"


STRICT = frozenset(Function) - {
    Function.COALESCE,
    Function.NULLIF,
    Function.LEAST,
    Function.GREATEST,
    Function.DISTINCT,
    Function.CONCAT,
}
"""The functions that are NULL wherever an operand is; each of the others has its own rule."""

TOTAL = STRICT - {
    Function.QUOTIENT,
    Function.SQRT,
    Function.LN,
    Function.LOG10,
    Function.POWER,
    Function.ASIN,
    Function.ACOS,
    Function.DATE_ADD,
}
"""The functions that are NULL nowhere else."""

ANGLES = frozenset(
    {
        *(Function.SIN, Function.COS, Function.TAN),
        *(Function.ASIN, Function.ACOS, Function.ATAN, Function.ATAN2),
    }
)
"""The functions of angles, in radians, and those whose value is one."""

INEXACT = ANGLES | {Function.LN, Function.LOG10, Function.EXP, Function.POWER}
"""The functions whose last bit is the machine's: engines may differ by it, and no key is found by it."""

PARTS = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "day": (1, 31),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
    "epoch": None,
}
"""What EXTRACT takes out of a moment, and between which whole numbers it lies; the epoch is no whole number."""

TRUNCATED = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
"""To what DATE_TRUNC cuts a moment: its first microsecond; a week begins on Monday."""

UNITS = {
    "year": 10_000,
    "quarter": 40_000,
    "month": 120_000,
    "week": 530_000,
    "day": 3_700_000,
    "hour": 90_000_000,
    "minute": 5_400_000_000,
    "second": 320_000_000_000,
}
"""In what intervals are measured, and the most of them that are added: about ten thousand years."""

FORMATS = {
    **dict.fromkeys("Yy", "year"),
    **dict.fromkeys("mbB", "month"),
    **dict.fromkeys("djaA", "day"),
    "H": "hour",
    "M": "minute",
    "S": "second",
}
"""What STRFTIME writes after a % sign, and the unit of time within which all moments have the same."""
