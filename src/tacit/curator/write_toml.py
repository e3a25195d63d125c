"""Keys, texts, numbers and comments as TOML writes them.

Checked by: tests/unit/curator/test_starter_policy.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from textwrap import fill

from tacit.curator.policy.toml_sections import BLANK
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.printing import printable

__all__ = [
    "as_printed",
    "write_comment",
    "write_key",
    "write_number",
    "write_text",
    "write_value",
    "write_words",
]
_KEY = re.compile(r"[A-Za-z0-9_-]+")


def write_comment(prose: str) -> list[str]:
    """Prose as a comment, in lines of at most 100 letters."""
    return fill(
        prose, 100, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False
    ).splitlines()


def write_key(name: str) -> str:
    """A key, between quotes where it has to be."""
    return name if _KEY.fullmatch(name) else write_text(name)


def write_text(value: str) -> str:
    """A text between quotes, as TOML and JSON both write it, but for signs that are not seen."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(letter if printable(letter) == letter else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    """A sign that is not seen, as TOML writes it."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


def write_words(value: str | Sequence[str]) -> str:
    """A text, or a list of texts in brackets.

    >>> write_words(";"), write_words(["ja", "Ja"])
    ('";"', '["ja", "Ja"]')
    """
    return write_text(value) if isinstance(value, str) else f"[{', '.join(map(write_text, value))}]"


def write_value(number: Number | None) -> str:
    """A number, or the sign that it is to be filled in."""
    return write_text(BLANK) if number is None else write_number(number)


def as_printed(number: Number) -> Number:
    """The number that is meant: a float stands for the decimal that it prints, since the policy is read so."""
    return Decimal(repr(number)) if isinstance(number, float) else number


def write_number(number: Number) -> str:
    """A number in decimal digits, all of them."""
    exact = Fraction(as_printed(number))
    if exact.denominator == 1:
        return str(exact.numerator)
    context = Context(prec=60)
    digits = context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)
    if context.flags[Inexact]:
        raise InvalidInput("a number", number, "give one with finitely many decimal digits")
    return format(digits, "e" if digits.adjusted() < -3 else "f")
