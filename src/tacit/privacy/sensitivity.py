"""How far an answer can move between neighbours, as a value."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from math import isqrt

from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, count_of
from tacit.frozen import frozen
from tacit.privacy.protection import Neighbours, fill

__all__ = ["Norm", "Sensitivity", "root_at_least"]


class Norm(Enum):
    """How the moves of several coordinates are put together.

    >>> Norm.L2.value
    'L2'
    """

    L1 = "L1"
    """The sum of the moves."""

    L2 = "L2"
    """The root of the sum of their squares."""

    LINF = "Linf"
    """The largest of them."""


@frozen(init=False)
class Sensitivity:
    """The most that an answer of `dimension` numbers moves, in a norm, between neighbours of a named relation.

    One number moves the same in every norm.  For several, `Sensitivity.root(m, dimension=m)` is the L2 sensitivity
    of m counts that one unit moves by one each.

    >>> Sensitivity(3).bound
    Fraction(3, 1)
    """

    bound: Fraction
    norm: Norm
    neighbours: Neighbours
    dimension: int

    def __init__(
        self,
        bound: Number,
        norm: Norm = Norm.L1,
        neighbours: Neighbours = Neighbours.ADD_OR_REMOVE,
        dimension: int = 1,
    ) -> None:
        exact = at_least(bound, "sensitivity")
        if exact <= 0:
            raise InvalidInput(
                "sensitivity",
                bound,
                "give a positive number: the most that one unit can move the answer",
            )
        if not isinstance(norm, Norm):
            raise InvalidInput("norm", norm, "give Norm.L1, Norm.L2 or Norm.LINF")
        fill(
            self,
            bound=exact,
            norm=norm,
            neighbours=neighbours,
            dimension=count_of(dimension, "dimension", least=1),
        )

    @classmethod
    def root(
        cls, squared: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE, dimension: int = 1
    ) -> Sensitivity:
        """The L2 sensitivity whose square is given, rounded up.

        >>> float(Sensitivity.root(2, dimension=2).bound)
        1.4142135623730951
        """
        exact = at_least(squared, "the square of a sensitivity")
        if exact <= 0:
            raise InvalidInput("the square of a sensitivity", squared, "give a positive number")
        return cls(root_at_least(exact), Norm.L2, neighbours, dimension)

    def in_norm(self, norm: Norm) -> Sensitivity:
        """The same move bounded in another norm, by what holds between norms of vectors of this length.

        Claim:      the result bounds every vector that this sensitivity bounds.
        Because:    |x|_inf <= |x|_2 <= |x|_1 <= sqrt(d) |x|_2 <= d |x|_inf, and |x|_2 <= sqrt(d) |x|_inf.
        Checked by: tests/laws/test_sensitivity.py

        >>> Sensitivity(1, Norm.LINF, dimension=4).in_norm(Norm.L2).bound
        Fraction(2, 1)
        """
        widening = {
            (Norm.L2, Norm.L1): self.dimension,
            (Norm.LINF, Norm.L2): self.dimension,
            (Norm.LINF, Norm.L1): self.dimension**2,
        }
        factor = root_at_least(Fraction(widening.get((self.norm, norm), 1)))
        return Sensitivity(self.bound * factor, norm, self.neighbours, self.dimension)


def root_at_least(square: Fraction) -> Fraction:
    """The square root of a rational, rounded up by less than 2**-128 of itself; exact where the root is rational.

    >>> root_at_least(Fraction(9, 4))
    Fraction(3, 2)
    """
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    if above**2 == square.numerator and below**2 == square.denominator:
        return Fraction(above, below)
    places = 130 + max(0, square.denominator.bit_length() - square.numerator.bit_length())
    scaled = (square.numerator << 2 * places) // square.denominator
    return Fraction(isqrt(scaled) + 1, 1 << places)
