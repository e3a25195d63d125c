"""Real numbers enclosed in balls: the certified side of every claimed figure."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq, fmpz

from tacit.errors import InvalidInput
from tacit.exact.rational import at_least, at_most

__all__ = [
    "PRECISION",
    "Ball",
    "ball",
    "certain_floor",
    "hull",
    "erfc",
    "exp",
    "floor_of",
    "infinite",
    "log",
    "lower",
    "normal_quantile",
    "pi",
    "precision",
    "sqrt",
    "upper",
    "working",
]

Ball = arb
"""A real number known to lie within a radius of a midpoint."""

PRECISION = 128
"""The number of bits that balls carry unless told otherwise."""

# The precision is one setting of the whole process.  A ball computed at the wrong precision is still
# right, only wider; the lock keeps one thread from widening the balls of another.
_one_at_a_time = threading.RLock()


# A fork waits until nobody computes: a child must not inherit a lock that no thread of its own will release, nor the
# precision of a thread that it does not have.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_one_at_a_time.acquire,
        after_in_parent=_one_at_a_time.release,
        after_in_child=_one_at_a_time.release,
    )


class working:  # noqa: N801 -- it is called like a function
    """A stretch of code whose balls carry `bits` bits."""

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int = PRECISION) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _one_at_a_time.acquire()
        self._before = ctx.prec
        try:
            ctx.prec = self._bits
        except BaseException:
            _one_at_a_time.release()
            raise

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before
        _one_at_a_time.release()


def precision() -> int:
    """The number of bits that balls carry just now."""
    return int(ctx.prec)


def ball(number: int | Fraction | arb) -> arb:
    """The ball around a rational at the working precision; a ball stays as it is.

    >>> with working(64):
    ...     upper(ball(Fraction(1, 3))) > Fraction(1, 3) > lower(ball(Fraction(1, 3)))
    True
    """
    if isinstance(number, arb):
        return number
    if type(number) is int:
        return arb(number)
    if type(number) is Fraction:
        return arb(fmpq(number.numerator, number.denominator))
    least, most = at_most(number, "a number"), at_least(number, "a number")
    return hull(ball(least), ball(most))


def hull(low: arb, high: arb) -> arb:
    """The smallest ball that holds both.

    >>> upper(hull(ball(0), ball(1))) >= 1
    True
    """
    return low.union(high)


def infinite() -> arb:
    """Plus infinity, for a bound that does not exist.

    >>> infinite().is_finite()
    False
    """
    return arb.pos_inf()


def upper(enclosed: arb) -> Fraction:
    """The upper end of a ball, exactly unless a part of it is smaller than 2**-131072: then a little more.

    >>> upper(ball(7))
    Fraction(7, 1)
    """
    middle, radius = _ends(enclosed)
    return middle + radius


def lower(enclosed: arb) -> Fraction:
    """The lower end of a ball, exactly unless a part of it is smaller than 2**-131072: then a little less.

    >>> lower(ball(7))
    Fraction(7, 1)
    """
    middle, radius = _ends(enclosed)
    return middle - radius


# e**-(10**12) fits a ball, but as a rational it would fill the memory: what is finer than this is rounded outwards.
_FINEST = 1 << 17
_SMALLEST, _LARGEST = arb(2) ** -_FINEST, arb(2) ** _FINEST


def _ends(enclosed: arb) -> tuple[Fraction, Fraction]:
    if not enclosed.is_finite() or abs(enclosed) > _LARGEST:
        raise InvalidInput(
            "a certified value",
            enclosed,
            "it has no finite bound; choose parameters that are not so extreme",
        )
    (middle, lost), (radius, more) = _dyadic(enclosed.mid()), _dyadic(enclosed.rad())
    return middle, radius + Fraction(lost + more, 1 << _FINEST) if lost or more else radius


def _dyadic(point: arb) -> tuple[Fraction, bool]:
    """A point as a rational, or zero if it is too fine for one, and whether something was lost by that."""
    if abs(point) < _SMALLEST:
        return Fraction(0), point != 0
    mantissa, exponent = point.man_exp()
    whole, shift = int(mantissa), int(exponent)
    return Fraction(whole << shift) if shift >= 0 else Fraction(whole, 1 << -shift), False


def exp(number: int | Fraction | arb, bits: int = PRECISION) -> arb:
    """e to the given number.

    >>> float(upper(exp(1)))
    2.718281828459045
    """
    with working(bits):
        return ball(number).exp()


def log(number: int | Fraction | arb, bits: int = PRECISION) -> arb:
    """The natural logarithm.

    >>> float(upper(log(3)))
    1.0986122886681098
    """
    with working(bits):
        return ball(number).log()


def sqrt(number: int | Fraction | arb, bits: int = PRECISION) -> arb:
    """The square root.

    >>> float(upper(sqrt(2)))
    1.4142135623730951
    """
    with working(bits):
        return ball(number).sqrt()


def pi(bits: int = PRECISION) -> arb:
    """The circle's number.

    >>> float(upper(pi()))
    3.141592653589793
    """
    with working(bits):
        return arb.pi()


def erfc(number: int | Fraction | arb, bits: int = PRECISION) -> arb:
    """The complementary error function, accurate far into the tail.

    >>> float(upper(erfc(10)))
    2.088487583762545e-45
    """
    with working(bits):
        return ball(number).erfc()


def normal_quantile(probability: int | Fraction | arb, bits: int = PRECISION) -> arb:
    """The point below which a standard normal falls with the given probability.

    >>> float(upper(normal_quantile(Fraction(39, 40))))
    1.9599639845400543
    """
    with working(bits):
        if isinstance(probability, Fraction) and Fraction(1, 2) < probability < 1:
            # the distance to one is kept, however small
            return -normal_quantile(1 - probability, bits)
        inside = ball(probability)
        if not (inside > 0 and inside < 1):
            raise InvalidInput(
                "a probability", probability, "give a number strictly between 0 and 1"
            )
        return -arb(2).sqrt() * (2 * inside).erfcinv()


def floor_of(real: Callable[[], arb], scale_bits: int) -> int:
    """floor(2**scale_bits * x) of an irrational x, given by a function that encloses it at the working precision.

    Claim:      the floor is exact.
    Because:    the enclosure is refined until both of its ends have the same floor.
    Checked by: tests/unit/exact/test_certified.py
    """
    bits = scale_bits + 64
    while True:
        with working(bits):
            floor = certain_floor(real(), scale_bits)
        if floor is not None:
            return floor
        bits *= 2


def certain_floor(enclosed: arb, scale_bits: int) -> int | None:
    """floor(2**scale_bits * x) of a number in a ball, at the working precision; None if the ball is too wide to tell.

    >>> with working(128):
    ...     certain_floor(arb(2).sqrt(), 8), certain_floor(hull(ball(1), ball(2)), 8)
    (362, None)
    """
    floor: fmpz | None = (enclosed * arb(2) ** scale_bits).floor().unique_fmpz()
    return None if floor is None else int(floor)
