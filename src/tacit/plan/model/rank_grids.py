"""The cells in which values are ranked: declared, or public from the start, never taken from data.

Checked by: tests/laws/test_ranks.py
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp

from tacit.frozen import frozen

__all__ = ["Even", "Grid", "Powers"]


@frozen
class Even:
    """The values low, low + 1, …, high in whole steps of a public power of two; a value belongs to the nearest one.

    >>> ages = Even(Fraction(1), 0, 120)
    >>> ages.count, ages.value(40), ages.ends(40)
    (121, Fraction(40, 1), (Fraction(79, 2), Fraction(81, 2)))
    """

    step: Fraction
    low: int
    high: int

    @property
    def count(self) -> int:
        """How many cells there are."""
        return self.high - self.low + 1

    def value(self, cell: int) -> Fraction:
        """The middle of a cell."""
        return (self.low + cell) * self.step

    def ends(self, cell: int) -> tuple[Fraction, Fraction]:
        """Where a cell begins and ends: halves between two cells belong to the upper one."""
        middle = self.value(cell)
        return middle - self.step / 2, middle + self.step / 2


@frozen
class Powers:
    """Zero and the signed powers of two from 2**least to 2**most, each value rounded away from zero.

    A value beyond the ends belongs to the outermost cell: such a grid needs no bounds of what is ranked.

    >>> wide = Powers(0, 10)
    >>> [wide.value(wide.place(x)) for x in (-3.0, 0, 0.2, 5, 1e9)]
    [Fraction(-4, 1), Fraction(0, 1), Fraction(1, 1), Fraction(8, 1), Fraction(1024, 1)]
    """

    least: int
    most: int

    @property
    def count(self) -> int:
        """How many cells there are."""
        return 2 * (self.most - self.least + 1) + 1

    @property
    def middle(self) -> int:
        """The cell of zero."""
        return self.count // 2

    def place(self, number: float) -> int:
        """The cell of a finite number."""
        fraction, exponent = frexp(abs(number))
        power = exponent - 1 if fraction == 0.5 else exponent
        steps = 0 if not number else min(max(power, self.least), self.most) - self.least + 1
        return self.middle + (steps if number > 0 else -steps)

    def value(self, cell: int) -> Fraction:
        """The end of a cell that lies further from zero."""
        steps = cell - self.middle
        size = Fraction(2) ** (self.least + abs(steps) - 1) if steps else Fraction(0)
        return size if steps > 0 else -size

    def ends(self, cell: int) -> tuple[Fraction, Fraction]:
        """Where a cell begins and ends."""
        steps = cell - self.middle
        inner = Fraction(0) if abs(steps) <= 1 else self.value(cell - 1 if steps > 0 else cell + 1)
        outer = self.value(cell)
        return min(inner, outer), max(inner, outer)


Grid = Even | Powers
"""Where values are ranked."""
