"""What values an expression can take: closed intervals of rationals that no computed double can leave."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from tacit.frozen import frozen

__all__ = ["INT64", "LARGEST", "Range", "as_double", "hull", "outward"]

# Doubles up to here can be added, multiplied by two and rounded without ever becoming infinite.
LARGEST = Fraction(2) ** 1000
# Below this, doubles lose bits; a range that ends there ends here or at zero.
_SMALLEST = Fraction(1, 2**1000)
_BITS = 50


@frozen
class Range:
    """Every number from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    def __contains__(self, number: Fraction | int) -> bool:
        return self.low <= number <= self.high

    def is_within(self, other: Range) -> bool:
        """Whether nothing of this range lies outside the other."""
        return other.low <= self.low and self.high <= other.high

    @property
    def furthest(self) -> Fraction:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low)

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Range) -> Range:
        return self + -other

    def __mul__(self, other: Range) -> Range:
        return hull(x * y for x in (self.low, self.high) for y in (other.low, other.high))

    def divide(self, divisor: Range, *, whole: bool) -> Range | None:
        """Every quotient by a number that is not zero; None if there is no bound.

        A whole divisor that is not zero is at least one away from it, so that its quotients are bounded.
        """
        if 0 not in divisor:
            pieces = [divisor]
        elif whole:
            pieces = [Range(divisor.low, Fraction(-1))] if divisor.low <= -1 else []
            pieces += [Range(Fraction(1), divisor.high)] if divisor.high >= 1 else []
        else:
            return Range(Fraction(0), Fraction(0)) if divisor.low == divisor.high else None
        ends = [
            x / y
            for piece in pieces
            for x in (self.low, self.high)
            for y in (piece.low, piece.high)
        ]
        return hull(ends or [Fraction(0)])

    def rest(self, divisor: Range, *, whole: bool) -> Range:
        """Every remainder, which has the sign of what is divided and is smaller than the divisor."""
        most = divisor.furthest - (1 if whole and divisor.furthest >= 1 else 0)
        return Range(max(min(self.low, Fraction(0)), -most), min(max(self.high, Fraction(0)), most))


INT64 = Range(Fraction(-(1 << 63)), Fraction((1 << 63) - 1))
"""The integers that engines compute with."""


def hull(numbers: Iterable[Fraction]) -> Range:
    """The smallest range that holds all the numbers."""
    listed = list(numbers)
    return Range(min(listed), max(listed))


def outward(exact: Range) -> Range:
    """The range with its ends moved outward to numbers of 50 or 51 significant bits.

    Claim:      an operation on doubles whose exact results lie in `exact` gives doubles in the returned range.
    Because:    both ends are doubles themselves, and rounding to the nearest double never passes over a double; ends
                below 2**-1000, where doubles have fewer bits, are moved to it or to zero.
    Checked by: tests/unit/plan/semantics/test_ranges.py::test_no_computed_double_leaves_its_range
    """
    return Range(-_up(-exact.low), _up(exact.high))


def as_double(number: Fraction | int) -> Fraction | None:
    """The double nearest to a number, exactly; None if it is too large for one."""
    exact = Fraction(number)
    return Fraction(float(exact)) if abs(exact) <= LARGEST else None


def _up(number: Fraction) -> Fraction:
    """A number of at most 51 significant bits that is not below the given one, and hardly above."""
    if abs(number) <= _SMALLEST:
        return _SMALLEST if number > 0 else Fraction(0)
    exponent = abs(number.numerator).bit_length() - number.denominator.bit_length() - _BITS
    step = Fraction(2) ** exponent
    return ceil(number / step) * step
