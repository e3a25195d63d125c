"""Sums of privacy losses by a tilted Fourier transform, with a bound for each thing that it does
not do exactly.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, log2, sinh, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.accounting.connect_the_dots import Dots
from tacit.exact import ROUNDING
from tacit.frozen import frozen

__all__ = [
    "Convolution",
    "bound_aliasing",
    "bound_masses",
    "bound_spread",
    "bound_tail",
    "bound_transform",
    "convolve",
]

Points = NDArray[np.float64]

_TRANSFORM = (
    8 * ROUNDING
)  # of a transform, per doubling of its length, relative to the length of its result
_SUMMED = 2.0**-40  # of the last sums and exponentials, relative to their result
_LARGEST = 1 << 22
_WHOLE = 1 << 16  # a sum with so few values is computed in whole
_CUT = exp(-59)  # no less than what `_sum` leaves out


@frozen(eq=False)
class Part:
    """A law on the grid, how often it occurs, and the same law tilted: weighted by e**(tilt loss),
    with the sum one.

    The tilt is one at the point `centre`; `slack` is tilted alike, and `rounding` is what tilting
    itself adds to it.
    """

    dots: Dots
    times: int
    tilted: Points
    slack: Points
    centre: int
    log_weight: float
    rounding: float

    @property
    def wrong(self) -> float:
        """The error of the whole tilted law."""
        return (float(self.slack.sum()) + self.rounding) * (1 + _SUMMED)


@frozen(eq=False)
class Convolution:
    """The sum of independent losses near one value, in units of its own Chernoff bound exp(K(tilt)
    - tilt e).
    """

    tilt: float
    step: float
    losses: Points
    weights: Points
    log_scale: float
    loss_at_one: float
    beyond: float
    place: float
    rounding: float
    aliasing: float
    right_tail: float
    transform: float
    spread: float
    farthest: float

    def upper(self, epsilon: float) -> float:
        """A number that delta does not exceed.

        Claim:      delta at epsilon is at most the result.
        Because:    what the grid says is never less than delta (`connect_dots`); of what it says
                    the transform computes the part inside a window, where what wraps around only
                    adds; to it are added what lies to the right of the window, what lies beyond
                    the grid and all errors.
        Checked by: tests/laws/test_loss_distributions.py
        """
        return min(1.0, self._upper_on_grid(epsilon) + self.beyond)

    def lower(self, epsilon: float) -> float:
        """A number that delta is not below.

        Claim:      delta at epsilon is at least the result, if each law is that of a pair which
                    some neighbours have.
        Because:    where losses were shared between points, e**-(error) has mean one, so delta on
                    the grid is at most the chord of delta between e - t and e + t, but for errors
                    larger than t, which `bound_spread` bounds; turned round, the line through two
                    points of the grid's delta to the right of e, continued to e, is at most delta,
                    since the chord is at most that of any larger function.
        Checked by: tests/laws/test_loss_distributions.py
        """
        if not self.spread:
            return max(0.0, self._lower_on_grid(epsilon))
        likely = (factor * sqrt(self.spread) for factor in (4.5, 5.5, 6.5, 8.0))
        return max(
            0.0, *(self._continue_chord(epsilon, reach) for reach in (*likely, self.farthest))
        )

    def _continue_chord(self, epsilon: float, reach: float) -> float:
        """The lower end, if errors of sharing up to `reach` are looked at; none is larger than
        `farthest`.
        """
        nearer = self._lower_on_grid(epsilon + reach)
        if reach < self.farthest:
            rare = bound_spread(self.spread, self.tilt, reach) * exp(self.rounding)
            nearer -= rare * self._scale(epsilon + reach)
        farther = self._upper_on_grid(epsilon + 2 * reach)
        line = (1 + exp(-reach)) * nearer - exp(-reach) * farther
        return max(nearer, line) * (1 - _SUMMED)

    def epsilon_at(self, delta: float) -> float | None:
        """An epsilon at which `upper` is at most delta, and hardly any smaller one is; None if it
        is not in the window.

        Claim:      delta at the result is at most the given one.
        Because:    the result is one at which `upper` was seen to be.
        Checked by: tests/unit/accounting/test_tilted_convolution.py
        """
        at = self._search(delta)
        for nudge in (1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
            epsilon = max(at + nudge * max(abs(at), self.step), 0.0)
            if self.upper(epsilon) <= delta:
                return epsilon
        return None

    def _search(self, delta: float) -> float:
        """Where `upper` is about delta, by sums from the right that are made once."""
        from_here = self.losses - self.loss_at_one
        centre = from_here[len(from_here) // 2]

        def add_up(tilt: float) -> Points:
            powers = np.clip(-tilt * (from_here - centre), -600.0, 600.0)
            return np.cumsum((self.weights * np.exp(powers))[::-1])[::-1]

        first, second = add_up(self.tilt), add_up(self.tilt + 1)
        scale = exp(min(self.log_scale - self.tilt * centre, 700.0))
        wrong = self.rounding + self.right_tail + self.transform + _CUT

        def delta_at(place: float) -> float:
            after = min(int(np.searchsorted(from_here, place, side="right")), len(first) - 1)
            inside = first[after] - exp(min(place - centre, 700.0)) * second[after]
            return (
                float(inside + wrong * exp(min(self.tilt * (centre - place), 700.0))) * scale
                + self.beyond
            )

        low, high = float(from_here[0]), float(from_here[-1])
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
        return high + self.loss_at_one + self.place

    def is_inside(self, epsilon: float) -> bool:
        """Whether this loss, and some above it, are inside the window."""
        room = (self.losses[-1] - self.losses[0]) / 4
        return bool(self.losses[0] + room < epsilon < self.losses[-1] - room)

    def _upper_on_grid(self, epsilon: float) -> float:
        at = epsilon - self.place
        wrong = self.rounding + self.right_tail + self.transform + _CUT
        return (self._sum(at) + wrong) * self._scale(at) * (1 + _SUMMED)

    def _lower_on_grid(self, epsilon: float) -> float:
        at = epsilon + self.place
        wrong = self.rounding + self.aliasing + self.transform
        return (self._sum(at) * (1 - _SUMMED) - wrong) * self._scale(at)

    def _scale(self, epsilon: float) -> float:
        """The Chernoff bound of the probability that the sum exceeds epsilon."""
        return exp(min(self.log_scale - self.tilt * (epsilon - self.loss_at_one), 700.0))

    def _sum(self, epsilon: float) -> float:
        """The mean of max(0, 1 - e**(epsilon - S)) in units of the Chernoff bound at epsilon,
        inside the window.

        What weighs less than e**-60 is left out; the errors of the transform are bounded as if it
        were not.
        """
        first, last = np.searchsorted(
            self.losses, (epsilon, epsilon + 60 / self.tilt), side="right"
        )
        above = self.losses[first:last] - epsilon
        return float(
            (self.weights[first:last] * np.exp(-self.tilt * above) * -np.expm1(-above)).sum()
        )


def bound_masses(parts: Sequence[Part]) -> float:
    """What wrong masses of single laws can change, in units of the Chernoff bound.

    Claim:      replacing exact masses by those on the grid changes delta by at most this.
    Because:    one law after another is replaced; wrong mass m at a loss l, next to the rest of
                the sum, changes the mean of max(0, 1 - e**(e - S)) by at most m e**(tilt l) times
                the rest's moment e**(-tilt e); and mass that lies one step too high changes it by
                at most a step's worth of that at the higher point.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    wrong = sum(part.wrong * part.times for part in parts)
    return wrong * exp(min(wrong, 50.0))


def bound_transform(parts: Sequence[Part], length: int, tilt: float, step: float) -> float:
    """What rounding inside the Fourier transforms can change, in units of the Chernoff bound.

    Claim:      the computed convolution, weighted, differs from the exact one by at most this.
    Because:    a transform errs, in the Euclidean norm, by at most c u log2(length) of its
                result (Higham 2002,
                Theorem 24.2); a k-th power grows an error k times, as no value exceeds one; each
                complex product adds at most sqrt(5) u.  The sum of error times weight is at most
                the product of their norms.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    each = _TRANSFORM * log2(length)
    norms = [sqrt(float(np.dot(part.tilted, part.tilted))) for part in parts]
    grown = sum(part.times * each * norm for part, norm in zip(parts, norms, strict=True))
    products = 3 * ROUNDING * sum(part.times + 64 for part in parts)
    growth = exp(min(grown * sqrt(length), 50.0))
    weights = sqrt(min(length, 1 / -expm1(-2 * tilt * step)))
    return (grown + (products + 2 * each) * min(norms)) * growth * weights


def bound_tail(
    parts: Sequence[Part], mean: float, deviation: float, edge: float, side: int
) -> float:
    """The tilted probability that the sum is at least `edge`, for side 1, or at most that, for
    side -1.

    Claim:      under the tilted law the sum reaches the edge with at most this probability.
    Because:    P(S >= s) <= E[e**(c S)] e**(-c s) for every c > 0, and the like below the mean
                (Chernoff); tried are some c from the best one of a normal law on down.  The errors
                of masses are added to them before.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    lowest, highest = _reach_of(parts)
    if (edge > highest) if side > 0 else (edge < lowest):
        return 0.0
    best = 1.0
    if side * (edge - mean) <= 0:
        return best
    for factor in (1.0, 0.8, 0.6, 0.3, 0.1, 0.03, 0.01, 0.003):
        move = factor * (edge - mean) / deviation**2
        logs = sum(part.times * _log_moment(part, move) for part in parts)
        best = min(best, exp(min(logs - move * edge, 0.0)))
    return best


def bound_aliasing(
    parts: Sequence[Part], mean: float, deviation: float, ends: tuple[float, float]
) -> float:
    """The tilted probability that the sum lies outside the window, and so wraps around into it.

    Claim:      what wraps around adds at most this, in units of the Chernoff bound.
    Because:    it is added with a weight e**(-tilt (s - e)) (1 - e**(e - s)), which is at most one.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    return sum(
        bound_tail(parts, mean, deviation, edge, side)
        for edge, side in zip(ends, (-1, 1), strict=True)
    )


def _log_moment(part: Part, move: float) -> float:
    """ln of the tilted mean of e**(move index), the errors of masses included."""
    powers = move * (np.arange(len(part.tilted)) - part.centre)
    if float(powers.max()) > 600:
        return inf
    moment = float(((part.tilted * (1 + part.rounding) + part.slack) * np.exp(powers)).sum())
    return log(moment * (1 + _SUMMED))


def bound_spread(spread: float, tilt: float, reach: float) -> float:
    """What errors of sharing that are larger than `reach` can change, in units of the Chernoff
    bound.

    Claim:      with v = `spread`, the sum of step**2 / 4 over all shared losses, the two terms
                below.
    Because:    given the loss, a shared one moves by X in an interval of one step with E[e**-X] =
                1, so ln E[e**(c X)] is at most c (c + 1) step**2 / 8 for c >= 0 and for c <= -1;
                Chernoff's bound at the best c.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    steep = max(reach / spread - 0.5, 0.0)
    over = max(steep - tilt, 0.0)
    upwards = spread * (tilt + over) * (tilt + over + 1) / 2 - over * reach
    downwards = spread * steep * (steep + 1) / 2 + (tilt - steep) * reach
    return exp(min(upwards, 50.0)) + exp(min(downwards, 50.0)) / (2 * sinh(reach))


def bound_chernoff(
    counted: Sequence[tuple[Dots, int]], step: float, tilt: float, epsilon: float
) -> float:
    """A delta that holds at epsilon, without any convolution.

    Claim:      delta is at most E[e**(tilt (S - epsilon))] times the largest e**(-tilt u) (1 -
                e**-u).
    Because:    max(0, 1 - e**-u) is at most e**(tilt u) times that largest value, which is
                (t/(t+1))**t / (t+1).
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    parts = [_tilt(dots, times, tilt * step) for dots, times in counted]
    places = sum(
        part.times * (part.dots.origin + step * part.centre + part.dots.place) for part in parts
    )
    logs = sum(part.times * (part.log_weight + part.wrong + 2.0**-48) for part in parts)
    weight = exp(-tilt * log1p(1 / tilt)) / (tilt + 1)
    beyond = sum(part.times * part.dots.beyond for part in parts)
    return min(
        1.0, (exp(min(logs + tilt * (places - epsilon), 700.0)) * weight + beyond) * (1 + _SUMMED)
    )


def convolve(
    counted: Sequence[tuple[Dots, int]], step: Fraction | float, tilt: float, width: float
) -> Convolution | None:
    """The sum of these losses near one value; None if the window would be too long."""
    h = float(step)
    parts = [_tilt(dots, times, tilt * h) for dots, times in counted]
    origin = sum(part.times * (part.dots.origin + h * part.centre) for part in parts)
    moments = [_spread_of(part) for part in parts]
    mean = sum(part.times * first for part, (first, _) in zip(parts, moments, strict=True))
    deviation = (
        sqrt(sum(part.times * second for part, (_, second) in zip(parts, moments, strict=True))) + 1
    )
    window = _choose_window(parts, mean, deviation, int(width / h) + 8)
    if window is None:
        return None
    first, length, aliasing = window
    weights = _transform(parts, length, first)
    places = origin + h * (first + np.arange(length, dtype=np.float64))
    rounding = bound_masses(parts)
    far = float(np.abs(places).max())
    place = sum(
        part.times * (part.dots.place + 4 * ROUNDING * abs(part.dots.origin)) for part in parts
    )
    return Convolution(
        tilt=tilt,
        step=h,
        losses=places,
        weights=weights,
        log_scale=sum(part.times * part.log_weight for part in parts),
        loss_at_one=origin,
        beyond=sum(part.times * part.dots.beyond for part in parts) * (1 + _SUMMED),
        place=place + 8 * ROUNDING * far,
        rounding=rounding + sum(part.times for part in parts) * 2.0**-48,
        aliasing=aliasing,
        right_tail=bound_tail(parts, mean, deviation, float(first + length), side=1),
        transform=bound_transform(parts, length, tilt, h),
        spread=sum(part.times for part in parts if part.dots.is_spread) * h * h / 4,
        farthest=sum(part.times for part in parts if part.dots.is_spread) * h * (1 + _SUMMED),
    )


def _choose_window(
    parts: Sequence[Part], mean: float, deviation: float, room: int
) -> tuple[int, int, float] | None:
    """The first index and the length of a window outside of which hardly anything lies, and how
    much does.
    """
    lowest, highest = _reach_of(parts)
    if highest - lowest < _WHOLE:
        return lowest, _fast_length(highest - lowest + 1), 0.0
    first, length, aliasing = 0, 0, 1.0
    for reach in (7.0, 9.0, 13.0, 20.0, 40.0, 80.0, 160.0):
        length = _fast_length(2 * (int(reach * deviation) + room))
        if length > _LARGEST:
            return None
        first = round(mean) - length // 2
        aliasing = bound_aliasing(parts, mean, deviation, (float(first - 1), float(first + length)))
        if aliasing < 1e-9:
            break
    return first, length, aliasing


def _reach_of(parts: Sequence[Part]) -> tuple[int, int]:
    """The smallest and the largest index that the sum can have."""
    lowest = sum(-part.centre * part.times for part in parts)
    return lowest, lowest + sum((len(part.tilted) - 1) * part.times for part in parts)


def _tilt(dots: Dots, times: int, per_step: float) -> Part:
    """The law weighted by e**(tilt loss), counted from its likeliest point so that no power is
    large.
    """
    index = np.arange(len(dots.masses), dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(dots.masses)
        slack = np.log(dots.slack)
    powers = per_step * index
    centre = int(np.argmax(logs + powers))
    shift = per_step * centre
    tilted = np.exp(logs + powers - shift)
    whole = float(tilted.sum())
    tilted /= whole
    powered = np.where(dots.masses > 0, np.abs(logs), 0.0) + np.abs(powers - shift)
    rounding = float((tilted * powered).sum()) * 4 * ROUNDING + 32 * ROUNDING
    return Part(
        dots, times, tilted, np.exp(slack + powers - shift) / whole, centre, log(whole), rounding
    )


def _spread_of(part: Part) -> tuple[float, float]:
    """Mean and variance of the index under the tilted law."""
    index = np.arange(len(part.tilted)) - part.centre
    mean = float(np.dot(part.tilted, index))
    return mean, float(np.dot(part.tilted, (index - mean) ** 2))


def _transform(parts: Sequence[Part], length: int, first: int) -> Points:
    """The convolution of all parts, each so often, from index `first` on; what lies outside wraps
    around.
    """
    product = None
    for part in parts:
        index = (np.arange(len(part.tilted)) - part.centre) % length
        folded = np.bincount(index, part.tilted, length)
        values = _power(np.fft.rfft(folded), part.times)
        product = values if product is None else product * values
    assert product is not None
    return np.roll(np.fft.irfft(product, length), -(first % length))


def _power(values: NDArray[np.complex128], times: int) -> NDArray[np.complex128]:
    """Repeated squaring: as many products as `times` has bits, twice at most."""
    result = None
    while times:
        if times & 1:
            result = values if result is None else result * values
        times >>= 1
        if times:
            values = values * values
    assert result is not None
    return result


def _fast_length(least: int) -> int:
    """The smallest even product of twos, threes and fives that is no less."""
    best = 1 << (least - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            quotient = -(-least // three)
            found = three << max((quotient - 1).bit_length(), 1)
            best = min(best, found)
            three *= 3
        five *= 5
    return best
