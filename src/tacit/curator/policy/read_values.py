"""Single values of a policy file: each is read, or refused with what to write in its place.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.curator.policy.toml_sections import BLANK, Refused, suggest

__all__ = [
    "DELTA",
    "read_count",
    "read_names",
    "read_one_of",
    "read_positive",
    "read_probability",
    "read_scalar",
    "read_scalars",
    "read_text",
    "read_truth",
    "resolve_path",
]

DELTA = "write 0 for pure differential privacy, or a small probability, such as delta = 1e-6"


def resolve_path(given: str, folder: Path, *, follow: bool = True) -> Path:
    """A path as seen from the folder of the policy: where links lead, or all but the last name."""
    try:
        found = folder / Path(given).expanduser()
        return (
            found.resolve()
            if follow or found.name in ("", "..")
            else found.parent.resolve() / found.name
        )
    except (OSError, RuntimeError, ValueError):
        raise Refused("write a path relative to the folder of the policy") from None


def read_names(value: Any, remedy: str) -> list[str]:
    """A list of names."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise Refused(remedy)
    return value


def read_scalar(value: Any) -> Any:
    """A bound or a public value, with decimals as the rationals that they are."""
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        number = number_of(value)
        if number is None:
            raise Refused("declare a finite number in the range of doubles")
        return value if isinstance(value, int) else number
    if isinstance(value, list | dict) or value == BLANK:
        raise Refused("write a number or a date, without brackets")
    return value


def read_scalars(value: Any) -> list[Any]:
    """A list of public values."""
    remedy = 'list the public values in brackets, as in values = ["A", "B"]'
    if not isinstance(value, list):
        raise Refused(remedy)
    try:
        return [read_scalar(each) for each in value]
    except Refused:
        raise Refused(remedy, "it contains something that is not a value") from None


def read_text(remedy: str) -> Callable[[Any], str]:
    """What reads a text that is not empty."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not value or value == BLANK:
            raise Refused(remedy)
        return value

    return read


def read_one_of(*words: str) -> Callable[[Any], str]:
    """What reads one of some words."""

    def read(value: Any) -> str:
        if value not in words:
            guess = suggest(value, words) if isinstance(value, str) else ""
            raise Refused(guess + "write " + " or ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def read_truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Refused("write true or false, without quotes")
    return value


def read_count(remedy: str, most: int = (1 << 62) - 1) -> Callable[[Any], int]:
    """What reads a whole number from one to the most."""

    def read(value: Any) -> int:
        if type(value) is not int or not 1 <= value <= most:
            raise Refused(remedy)
        return value

    return read


def read_positive(remedy: str) -> Callable[[Any], Fraction]:
    """What reads a number above zero."""

    def read(value: Any) -> Fraction:
        number = number_of(value)
        if number is None or number <= 0:
            raise Refused(remedy)
        return number

    return read


def read_probability(value: Any) -> Fraction:
    """A number from zero to below one."""
    number = number_of(value)
    if number is None or not 0 <= number < 1:
        raise Refused(DELTA)
    return number


def number_of(value: Any) -> Fraction | None:
    """A number of the file, exactly as it is written; None if it is none, or none that a double can hold."""
    if (
        isinstance(value, Decimal)
        and value.is_finite()
        and abs(value.adjusted()) <= 300
        and len(str(value)) <= 600
    ):
        return Fraction(value)
    if type(value) is int and value.bit_length() <= 1000:
        return Fraction(value)
    return None
