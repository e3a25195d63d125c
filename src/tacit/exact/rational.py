"""Rationals from what people type, rounded in a direction that is named."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf, isfinite, nextafter
from numbers import Integral, Rational
from sys import float_info
from typing import cast

from tacit.errors import InvalidInput

__all__ = [
    "LARGEST_SIZE",
    "Number",
    "ROUNDING",
    "at_least",
    "at_most",
    "count_of",
    "float_at_least",
    "float_at_most",
    "short_at_least",
]

Number = int | Fraction | float | Decimal
"""What people may type for a number; it is read exactly, in a named direction."""

ROUNDING = 2.0**-53
"""The most by which one operation on floats errs, relative to its result."""

LARGEST_SIZE = 1 << 36
"""The most numbers that are drawn at once; no memory holds more."""

# Parameters are short numbers.  An integer of a million digits is a mistake or an attack on our patience.
_WIDEST = 8192


def at_least(number: Number, name: str = "a number") -> Fraction:
    """The given number as a rational, never smaller than what was meant.

    A float stands both for its binary value and for the decimal it prints as; the larger of the two is taken.

    >>> at_least(0.1) > Fraction(1, 10)
    True
    >>> at_least(0.3)
    Fraction(3, 10)
    """
    return max(_readings(number, name))


def at_most(number: Number, name: str = "a number") -> Fraction:
    """The given number as a rational, never larger than what was meant.

    >>> at_most(0.1)
    Fraction(1, 10)
    >>> at_most(0.3) < Fraction(3, 10)
    True
    """
    return min(_readings(number, name))


def short_at_least(exact: Fraction, digits: int = 12) -> float:
    """A float of few decimal digits that is not below the rational: how a price is shown to people.

    >>> short_at_least(Fraction(1, 10) - Fraction(1, 10**16)), short_at_least(Fraction(1, 3), digits=3)
    (0.1, 0.334)
    """
    context = Context(prec=digits, rounding=ROUND_CEILING)
    shown = float(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))
    return shown if shown == inf or Fraction(shown) >= exact else float_at_least(exact)


def float_at_least(exact: Fraction) -> float:
    """The smallest float that is not below the rational: how a certified figure is shown.

    >>> Fraction(float_at_least(Fraction(1, 3))) >= Fraction(1, 3)
    True
    """
    try:
        nearest = exact.numerator / exact.denominator
    except OverflowError:
        return inf if exact > 0 else -float_info.max
    # compared in integers: an answer shows hundreds of such floats
    above, below = nearest.as_integer_ratio()
    return (
        nearest if above * exact.denominator >= exact.numerator * below else nextafter(nearest, inf)
    )


def float_at_most(exact: Fraction) -> float:
    """The largest float that is not above the rational.

    >>> Fraction(float_at_most(Fraction(1, 3))) <= Fraction(1, 3)
    True
    """
    return -float_at_least(-exact)


def count_of(number: int, name: str = "a count", least: int = 0, most: int = (1 << 62) - 1) -> int:
    """The given whole number as an `int`, refused if it is not one or not between `least` and `most`.

    >>> count_of(12)
    12
    """
    if type(number) is not int and (isinstance(number, bool) or not isinstance(number, Integral)):
        raise InvalidInput(name, number, f"give a whole number of at least {least}")
    if not least <= number <= most:
        raise InvalidInput(name, number, f"give a whole number from {least} to {most}")
    return int(number)


def _readings(number: Number, name: str) -> tuple[Fraction, ...]:
    remedy = "give an int, a Fraction, a Decimal or a finite float"
    if type(number) is Fraction:
        return (_check_width(number, name),)
    if isinstance(number, bool):
        raise InvalidInput(name, number, remedy)
    if isinstance(number, float):
        if not isfinite(number):
            raise InvalidInput(name, number, remedy)
        return Fraction(float(number)), Fraction(repr(float(number)))
    if isinstance(number, Decimal):
        if (
            not number.is_finite()
            or abs(number.adjusted()) + len(number.as_tuple().digits) > _WIDEST // 4
        ):
            raise InvalidInput(name, number, remedy)
        return (Fraction(number),)
    if isinstance(number, Rational):
        given = cast(Rational, number)
        return (_check_width(Fraction(int(given.numerator), int(given.denominator)), name),)
    raise InvalidInput(name, number, remedy)


def _check_width(exact: Fraction, name: str) -> Fraction:
    """The rational, refused if it is a very long one."""
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > _WIDEST:
        raise InvalidInput(name, exact, f"give a rational of at most {_WIDEST} bits")
    return exact
