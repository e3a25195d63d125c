"""The bound by privacy-loss distributions: sums of losses by convolution, certified on both
sides.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, floor, gcd, lcm, log, log10, sqrt

from tacit.accounting.bound_protocol import Bound, Profile
from tacit.accounting.connect_the_dots import connect_dots, span_above
from tacit.accounting.convolution_errors import bound_chernoff
from tacit.accounting.exact_law import merge_gaussians
from tacit.accounting.saddle_point import Counted, Saddle, saddle_at, saddle_for
from tacit.accounting.tilted_convolution import Convolution, convolve
from tacit.exact import Ball, ball, float_at_least, float_at_most, infinite
from tacit.frozen import frozen
from tacit.privacy import (
    Atoms,
    Composed,
    Direction,
    PureLoss,
    Subsampled,
    has_loss_distribution,
    loss_distribution,
)

__all__ = ["WIDTH", "Numerical", "compose", "delta_interval", "epsilon_interval", "has_laws"]

WIDTH = 1e-3
"""How far apart the certified ends of epsilon may be, relative to it, unless told otherwise."""

_COARSE = 1 << 12  # points of a law while only a quick bound is wanted
_CHEAP = 1 << 14  # points that cost nothing
_SHORT = 1 << 17  # a window of so many points is computed in milliseconds
_LONGEST = 1 << 21
_MOST = 1 << 40  # releases; beyond, rounding errors would say more than the losses
_SMALLEST = 1e-280  # a delta below is left to bounds that have no floats
_PER_TILT = 16  # tilts within a factor of e that are told apart
_UNLIKELY = 16.0  # ln of how much rarer than the Chernoff bound large errors of sharing are to be


@frozen
class Numerical(Bound):
    """Any losses that have a law, in the worse of both directions, by their privacy-loss
    distributions.

    Claim:      delta(e) of all releases together is at most the figure, adaptively too.
    Because:    products of dominating pairs dominate compositions (`loss_distribution`); their
                delta is that of the sum of independent losses, which `Convolution.upper` bounds.
    Checked by: tests/laws/test_loss_distributions.py
    """

    name: str = "loss distribution"

    def profile(self, losses: Composed) -> Profile | None:
        """The upper end of the certified delta."""
        if not has_laws(losses):
            return None

        def delta(epsilon: Fraction) -> Ball:
            found = delta_interval(losses, epsilon)
            return infinite() if found is None else ball(found[1])

        return delta

    def is_narrow(self, losses: Composed, epsilon: Fraction) -> bool:
        """Whether the certified ends of delta are so near to each other that no other bound could say much less."""
        found = delta_interval(losses, epsilon) if has_laws(losses) else None
        return found is not None and found[0] * 10 > found[1] * 9

    def epsilon(
        self, losses: Composed, delta: Fraction, below: Fraction | None = None
    ) -> Fraction | None:
        """The upper end of the certified epsilon; None where there is none, or none less than
        `below`.
        """
        goal = float_at_most(delta)
        if not has_laws(losses) or not _SMALLEST < goal < 1:
            return None
        found = _epsilon_above(losses, goal, WIDTH)
        return None if found is None or (below is not None and found >= below) else found


@lru_cache(maxsize=256)
def delta_interval(
    losses: Composed, epsilon: Fraction, width: float = WIDTH
) -> tuple[Fraction, Fraction] | None:
    """The certified ends of the delta of all releases together; None where a grid would be too long.

    The lower end is what no bound that knows only these laws can fall below.

    >>> from tacit.privacy import LaplaceLoss
    >>> low, high = delta_interval(LaplaceLoss(1) * 10, Fraction(5))
    >>> bool(0 < low <= high < low * Fraction(101, 100))
    True
    """
    low, high = Fraction(0), Fraction(0)
    for direction in _directions(losses):
        laws = _laws(losses, direction)
        if not laws:
            continue
        place = _place_of(saddle_for(laws, epsilon=float_at_most(epsilon)))
        sums = _sums_at(losses, direction, place, width)
        if sums is None:
            return None
        low = max(low, Fraction(sums.lower(float_at_least(epsilon))))
        high = max(high, Fraction(sums.upper(float_at_most(epsilon))))
    return low, high


def epsilon_interval(
    losses: Composed, delta: Fraction, width: float = WIDTH
) -> tuple[Fraction, Fraction] | None:
    """The certified ends of the epsilon of all releases together; None where there is none."""
    high = _epsilon_above(losses, float_at_most(delta), width)
    if high is None:
        return None
    least = Fraction(0)
    for direction in _directions(losses):
        laws = _laws(losses, direction)
        sums = compose(laws, saddle_for(laws, delta=float_at_least(delta)), width) if laws else None
        if sums is not None:
            least = max(least, _epsilon_below(sums, float_at_least(delta), float(high)))
    return least, high


def _epsilon_below(sums: Convolution, delta: float, high: float) -> Fraction:
    """The largest epsilon found at which delta is certainly more than the given one."""
    low = high * 0.9
    if not sums.lower(low) > delta:
        return Fraction(0)
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if sums.lower(middle) > delta else (low, middle)
    return Fraction(low)


def _epsilon_above(losses: Composed, delta: float, width: float) -> Fraction | None:
    best = 0.0
    for direction in _directions(losses):
        laws = _laws(losses, direction)
        if not laws or (best and _is_below(laws, best, delta)):
            continue
        found = _epsilon_for(losses, direction, delta, width)
        if found is None:
            return None
        best = max(best, found)
    return Fraction(best)


def _epsilon_for(
    losses: Composed, direction: Direction, delta: float, width: float
) -> float | None:
    """An epsilon at which `delta_interval`, which looks from tilts of its own, says at most delta."""
    laws = _laws(losses, direction)
    places = [_place_of(saddle_for(laws, delta=delta))]
    best = 0.0
    while True:
        sums = _sums_at(losses, direction, places[-1], width)
        found = None if sums is None else sums.epsilon_at(delta)
        if found is None:
            return None
        best = max(best, found)
        place = _place_of(saddle_for(laws, epsilon=best))
        if place in places:
            return best
        places.append(place)


def _place_of(saddle: Saddle) -> tuple[int, int]:
    """Which of the few tilts and rare masses at which sums are kept are next below.

    A tilt that is a little too large may be far too large: it may make a rare loss the usual one.
    """
    return floor(_PER_TILT * log(saddle.tilt)), floor(log10(saddle.mass))


def _is_below(laws: Counted, epsilon: float, delta: float) -> bool:
    """Whether delta at epsilon is certainly less than the given one, by what is quick to compute."""
    saddle = saddle_for(laws, epsilon=epsilon)
    counts = sum(times for _, times in laws)
    mass = delta * 1e-6 / counts
    lowest = -(2 * _UNLIKELY + log(counts)) / saddle.tilt
    spans = [span_above(law, mass, lowest) for law, _ in laws]
    widest = max(high - low for low, high in spans)
    step = max(saddle.deviation / (16 * sqrt(counts)), widest / _COARSE)
    dots = [(connect_dots(law, step, mass, lowest), times) for law, times in laws]
    return bound_chernoff(dots, step, saddle.tilt, epsilon) < delta


def has_laws(losses: Composed) -> bool:
    """Whether every loss has a law, and there are not too many.

    >>> from tacit.privacy import PureLoss
    >>> has_laws(PureLoss(1) * 3)
    True
    """
    few = sum(times for _, times in losses.parts) <= _MOST
    return (
        bool(losses.parts) and few and all(has_loss_distribution(part) for part, _ in losses.parts)
    )


def _directions(losses: Composed) -> tuple[Direction, ...]:
    """The directions in which the laws differ: only samples look unlike from both sides."""
    sampled = (part for part, _ in losses.parts if isinstance(part, Subsampled))
    oriented = any(not isinstance(part.loss, PureLoss) for part in sampled)
    return tuple(Direction) if oriented else (Direction.REMOVE,)


def _laws(losses: Composed, direction: Direction) -> Counted:
    """The laws of all losses in one direction; what costs nothing is left out."""
    laws = [
        (loss_distribution(part, direction), times) for part, times in merge_gaussians(losses).parts
    ]
    return [
        (law, times) for law, times in laws if not isinstance(law, Atoms) or len(law.losses) > 1
    ]


@lru_cache(maxsize=8)
def _sums_at(
    losses: Composed, direction: Direction, place: tuple[int, int], width: float
) -> Convolution | None:
    """The sum of losses at one of a few tilts, kept for whoever asks for an epsilon nearby."""
    laws = _laws(losses, direction)
    tilt, mass = place
    return compose(laws, saddle_at(laws, exp(tilt / _PER_TILT), 10.0**mass), width)


def compose(laws: Counted, saddle: Saddle, width: float = WIDTH) -> Convolution | None:
    """The sum of these losses around the saddle, on the coarsest grid that keeps the relative
    width of epsilon.
    """
    counts = sum(count for _, count in laws)
    mass = saddle.mass
    reach = sqrt(width * max(saddle.epsilon, saddle.deviation / 4, 1e-12) / (2 * (saddle.tilt + 1)))
    exact = _common_step(laws)
    fine = reach * sqrt(2 / (counts * (_UNLIKELY + (saddle.tilt + 0.5) * reach)))
    window = 14 * saddle.deviation + 4 * reach
    # Few losses have laws with corners, where a chord is no better than a step: these get finer
    # grids, as they are short.
    corner = width * max(saddle.epsilon, 1e-12) / (3 * min(counts, 5 * sqrt(counts)))
    # Losses so far below count for nothing at this tilt, and may as well be raised.
    lowest = -(_UNLIKELY * 2 + log(counts)) / saddle.tilt
    spans = [span_above(law, mass, lowest) for law, _ in laws]
    widest = max(window, *(high - low for low, high in spans))
    fine = min(fine, max(corner, widest / _CHEAP))
    step: Fraction | float = min(fine, 0.25)
    if exact is not None and window / float(exact) <= max(_SHORT, 4 * window / fine):
        step = exact
    if widest / float(step) > _LONGEST:
        return None
    dots = [(connect_dots(law, step, mass, lowest), count) for law, count in laws]
    room = 0.0 if not any(each.is_spread for each, _ in dots) else 20 * sqrt(counts) * float(step)
    return convolve(dots, step, saddle.tilt, room)


def _common_step(laws: Counted) -> Fraction | float | None:
    """The largest step of which all laws' steps are multiples; None if a law is a curve, or steps
    do not fit.
    """
    steps = {law.step for law, _ in laws if isinstance(law, Atoms)}
    if None in steps or not all(isinstance(law, Atoms) for law, _ in laws):
        return None
    rational = [step for step in steps if isinstance(step, Fraction)]
    if len(steps) == 1:
        return next(iter(steps))
    if len(rational) < len(steps):
        return None
    return (
        Fraction(gcd(*(s.numerator * (m // s.denominator) for s in rational)), m)
        if (m := lcm(*(s.denominator for s in rational)))
        else None
    )
