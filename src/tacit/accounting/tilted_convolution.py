"""Sums of privacy losses by a tilted Fourier transform, with a bound for each thing that it does
not do exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.accounting.connect_the_dots import Dots
from tacit.accounting.convolution_errors import (
    bound_aliasing,
    bound_masses,
    bound_spread,
    bound_tail,
    bound_transform,
)
from tacit.accounting.tilted_law import SUMMED, Part, Points, reach_of, spread_of, tilt_law
from tacit.exact import ROUNDING
from tacit.frozen import frozen

__all__ = ["Convolution", "convolve"]
_LARGEST = 1 << 22
_WHOLE = 1 << 16  # a sum with so few values is computed in whole
_CUT = exp(-59)  # no less than what `_sum` leaves out


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
        return max(nearer, line) * (1 - SUMMED)

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
        return (self._sum(at) + wrong) * self._scale(at) * (1 + SUMMED)

    def _lower_on_grid(self, epsilon: float) -> float:
        at = epsilon + self.place
        wrong = self.rounding + self.aliasing + self.transform
        return (self._sum(at) * (1 - SUMMED) - wrong) * self._scale(at)

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


def convolve(
    counted: Sequence[tuple[Dots, int]], step: Fraction | float, tilt: float, width: float
) -> Convolution | None:
    """The sum of these losses near one value; None if the window would be too long."""
    h = float(step)
    parts = [tilt_law(dots, times, tilt * h) for dots, times in counted]
    origin = sum(part.times * (part.dots.origin + h * part.centre) for part in parts)
    moments = [spread_of(part) for part in parts]
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
        beyond=sum(part.times * part.dots.beyond for part in parts) * (1 + SUMMED),
        place=place + 8 * ROUNDING * far,
        rounding=rounding + sum(part.times for part in parts) * 2.0**-48,
        aliasing=aliasing,
        right_tail=bound_tail(parts, mean, deviation, float(first + length), side=1),
        transform=bound_transform(parts, length, tilt, h),
        spread=sum(part.times for part in parts if part.dots.is_spread) * h * h / 4,
        farthest=sum(part.times for part in parts if part.dots.is_spread) * h * (1 + SUMMED),
    )


def _choose_window(
    parts: Sequence[Part], mean: float, deviation: float, room: int
) -> tuple[int, int, float] | None:
    """The first index and the length of a window outside of which hardly anything lies, and how
    much does.
    """
    lowest, highest = reach_of(parts)
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
