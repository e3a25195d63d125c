"""A number between two rationals: what the verifier calculates with and what it reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

from tacit.errors import InvalidInput
from tacit.exact import Ball, at_least, at_most, exp, log, lower, upper

__all__ = ["Enclosure", "Number", "enclose", "exp_of", "log_of", "rational"]

Number = int | Fraction | float | Decimal | Ball


@dataclass(frozen=True, slots=True, repr=False)
class Enclosure:
    """A number that is certainly at least `low` and at most `high`.

    >>> third = Enclosure(Fraction(1, 3), Fraction(1, 3))
    >>> third.exact, str(third)
    (True, '1/3')
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        assert self.low <= self.high, "an enclosure's low end lies above its high end"

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.low == self.high

    @property
    def width(self) -> Fraction:
        """How far the two ends lie apart."""
        return self.high - self.low

    def __contains__(self, number: Number) -> bool:
        """Whether the number may be the enclosed one."""
        other = enclose(number)
        return self.low <= other.high and other.low <= self.high

    def __float__(self) -> float:
        """The upper end, rounded up: a loss is never shown smaller than it is."""
        try:
            near = float(self.high)
        except OverflowError:
            return math.inf
        return near if Fraction(near) >= self.high else math.nextafter(near, math.inf)

    def __str__(self) -> str:
        if self.exact:
            return str(self.low)
        return f"{float(self)!r} (certified, to within {float(self.width):.0e})"

    def __repr__(self) -> str:
        return f"Enclosure({self})"


def enclose(number: Number, name: str = "a number") -> Enclosure:
    """The enclosure of a number as typed: a ball's two ends, a float's two readings, a rational itself.

    >>> enclose(0.1).low, enclose(0.1).high > Fraction(1, 10)
    (Fraction(1, 10), True)
    """
    if isinstance(number, Fraction):
        return Enclosure(number, number)
    if isinstance(number, Ball):
        return Enclosure(lower(number), upper(number))
    return Enclosure(at_most(number, name), at_least(number, name))


def rational(number: int | Fraction, name: str) -> Fraction:
    """The number itself; a float is refused, because a question with two readings has no exact answer.

    >>> rational(3, "ratio")
    Fraction(3, 1)
    """
    if isinstance(number, bool) or not isinstance(number, Rational):
        remedy = (
            "give an int or a Fraction (`epsilon` and `delta` also take a float, and enclose it)"
        )
        raise InvalidInput(name, number, remedy)
    return Fraction(int(number.numerator), int(number.denominator))


def exp_of(number: Enclosure, bits: int) -> Enclosure:
    """The exponential of an enclosed number."""
    if number == Enclosure(Fraction(0), Fraction(0)):
        return Enclosure(Fraction(1), Fraction(1))
    return Enclosure(lower(exp(number.low, bits)), upper(exp(number.high, bits)))


def log_of(number: Enclosure, bits: int) -> Enclosure:
    """The natural logarithm of an enclosed number."""
    if number == Enclosure(Fraction(1), Fraction(1)):
        return Enclosure(Fraction(0), Fraction(0))
    return Enclosure(lower(log(number.low, bits)), upper(log(number.high, bits)))
