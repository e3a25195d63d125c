"""Noise whose scale may depend on the data through a smooth bound: Student's t for delta zero, Laplace with a delta."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from tacit.errors import InvalidInput
from tacit.exact import (
    Ball,
    Number,
    at_least,
    ball,
    below,
    bernoulli,
    discrete_laplace,
    hull,
    pi,
    random_bits,
    upper,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.noise_law import LaplaceLaw, Law
from tacit.mechanisms.parameters import failure_of, price_of
from tacit.privacy import ApproximateLoss, Loss, Neighbours, PureLoss, fill

__all__ = ["ROUNDED", "SmoothLaplace", "SmoothNoise", "StudentLaw", "StudentNoise"]

ROUNDED = Fraction(1, 1 << 40)
"""A smooth bound may be rounded up by this part of itself: what neighbours see may differ by so much more."""

_PARTS = 48  # of the range of ratios, each of which is bounded by itself
_STEPS = 1 << 16  # of alpha, of which as many are taken as are affordable
_SUMMED = 4096  # terms of a tail that are added one by one
_LARGEST = 1 << 200


class SmoothNoise(Protocol):
    """Noise in proportion to a bound that changes by at most a factor e**beta between neighbours."""

    @property
    def beta(self) -> Fraction:
        """How smooth the bound has to be."""

    def law(self, bound: Fraction) -> Law:
        """The law of the noise at a smooth bound."""

    def draw(self, bound: Fraction) -> int:
        """Noise of that law."""

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """What one release costs."""


@frozen
class StudentLaw(Law):
    """P(z) proportional to (spread + z**2)**-2: Student's t with three degrees of freedom, on the integers.

    >>> from tacit.exact import upper
    >>> with working():
    ...     round(float(upper(StudentLaw(Fraction(3)).mass(0))), 6)
    0.367389
    """

    spread: Fraction

    def mass(self, place: int) -> Ball:
        """The weight over the sum of all weights, which has a closed form."""
        return (ball(self.spread) + ball(place) ** 2) ** -2 / self._whole()

    def tail(self, start: int) -> Ball:
        """One half less what lies before; far out, an integral on either side of the sum."""
        if start <= 0:
            return 1 - self.tail(1 - start)
        if start <= _SUMMED:
            before = sum((self.mass(place) for place in range(1, start)), self.mass(0) / 2)
            return ball(Fraction(1, 2)) - before
        return hull(self._integral(start), self._integral(start - 1)) / self._whole()

    def variance(self) -> Ball:
        """Close to the spread."""
        root = ball(self.spread).sqrt()
        return (pi() / root / (pi() * root).tanh()) / self._whole() - ball(self.spread)

    def near(self, share: float) -> int:
        """By the tail of the continuous law."""
        return int(float(self.spread) ** 0.5 * (0.25 / max(share, 1e-12)) ** (1 / 3))

    def _whole(self) -> Ball:
        """The sum of (spread + k**2)**-2 over all integers k, by the cotangent series and its derivative."""
        root = ball(self.spread).sqrt()
        y = pi() * root
        return pi() / (2 * root**3) * (1 / y.tanh() + y / y.sinh() ** 2)

    def _integral(self, start: int) -> Ball:
        """Of (spread + x**2)**-2 from here to infinity."""
        spread, root, x = ball(self.spread), ball(self.spread).sqrt(), ball(start)
        return (root / x).atan() / (2 * root**3) - x / (2 * spread * (spread + x**2))


@frozen(init=False)
class StudentNoise:
    """Student's noise of scale bound / alpha, at least one step, for a bound that is beta-smooth: pure epsilon.

    Claim:      if the bound is at least the local sensitivity and beta-smooth, a release is epsilon-DP, epsilon being
                the largest privacy loss of two such laws whose scales differ by at most e**beta and whose centres by
                at most alpha times the smaller scale.
    Because:    both laws have polynomial tails, so that the ratio is bounded; of (u + (x - d)**2) / (1 + x**2) the
                supremum is the larger root of l**2 - (1 + u + d**2) l + u, and the sums of weights are those of a
                closed form (Bun and Steinke 2019 bound the parts one by one; here both are judged together).
    Checked by: tests/laws/test_smooth_sensitivity.py::test_student_noise_costs_what_it_claims_and_hardly_less

    >>> noise = StudentNoise.calibrate(epsilon=1)
    >>> 0.99 < float(noise.loss().pure()) <= 1
    True
    """

    beta: Fraction
    alpha: Fraction

    def __init__(self, beta: Number, alpha: Number) -> None:
        fill(self, beta=_positive(beta, "beta"), alpha=_positive(alpha, "alpha"))

    @classmethod
    def calibrate(cls, epsilon: Number, share: Number = Fraction(1, 2)) -> StudentNoise:
        """The noise whose loss is at most epsilon: a `share` of it for the smoothness, the rest for the scale."""
        price, part = price_of(epsilon), at_least(share, "share")
        if not 0 < part < 1:
            raise InvalidInput("share", share, "give a part strictly between 0 and 1")
        beta = _rounded_down(price * part / 3)
        alpha = _affordable(beta, price)
        if not alpha:
            raise InvalidInput("share", share, "give a smaller part: nothing is left for the scale")
        return cls(beta, alpha)

    def scale(self, bound: Fraction) -> Fraction:
        """How wide the noise is at a smooth bound: at least one step."""
        return max(Fraction(1), at_least(bound, "bound") / self.alpha)

    def law(self, bound: Fraction) -> StudentLaw:
        """The law of the noise at a smooth bound."""
        return StudentLaw(3 * self.scale(bound) ** 2)

    def draw(self, bound: Fraction) -> int:
        """Noise, drawn exactly.

        Claim:      P(z) is proportional to (spread + z**2)**-2, exactly.
        Because:    rings of doubling width are proposed with rational odds, each integer of a ring alike, and accepted
                    with the rational ratio of its weight to a bound of the ring's.
        Checked by: tests/laws/test_smooth_sensitivity.py::test_rings_bound_the_weights_of_their_integers
        """
        spread = self.law(bound).spread
        while True:
            ring, place = _propose(spread)
            if bernoulli(ring_chance(spread, ring, place)):
                return -place if place and random_bits(1) else place

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """The pure epsilon, certified."""
        with working():
            return PureLoss(upper(_student_loss(self.beta, self.alpha)), neighbours)


@frozen(init=False)
class SmoothLaplace:
    """Laplace noise of scale bound / alpha, at least one step, for a bound that is beta-smooth: epsilon with a delta.

    Claim:      if the bound is at least the local sensitivity and beta-smooth, a release is
                (alpha + slack, delta)-DP, delta being that of the worst pair of scales and centres.
    Because:    docs/proofs/smooth-laplace.md: where the other scale is larger the loss is at most alpha + beta; where
                it is smaller the loss grows along either tail, and what exceeds alpha + slack there is summed.  With
                delta = 0 there is no such bound: tails that fall at different rates tell the scales apart.
    Checked by: tests/laws/test_smooth_sensitivity.py::test_smooth_laplace_never_costs_more_than_it_claims

    >>> noise = SmoothLaplace.calibrate(epsilon=1, delta=1e-6)
    >>> noise.alpha, round(float(noise.beta), 4)
    (Fraction(1, 2), 0.0505)
    """

    beta: Fraction
    alpha: Fraction
    slack: Fraction

    def __init__(self, beta: Number, alpha: Number, slack: Number) -> None:
        decay, scale = _positive(beta, "beta"), _positive(alpha, "alpha")
        spare = _positive(slack, "slack")
        if spare < decay + ROUNDED:
            raise InvalidInput("slack", slack, "it has to exceed beta; give a smaller beta")
        fill(self, beta=decay, alpha=scale, slack=spare)

    @classmethod
    def calibrate(cls, epsilon: Number, delta: Number) -> SmoothLaplace:
        """The noise whose loss is (epsilon, delta): half of epsilon for the scale, half for its change."""
        price, failure = price_of(epsilon), failure_of(delta)
        half = price / 2
        return cls(_smoothness(half, half, failure), half, half)

    def scale(self, bound: Fraction) -> Fraction:
        """How wide the noise is at a smooth bound: at least one step."""
        return max(Fraction(1), at_least(bound, "bound") / self.alpha)

    def law(self, bound: Fraction) -> LaplaceLaw:
        """The law of the noise at a smooth bound."""
        return LaplaceLaw(self.scale(bound))

    def draw(self, bound: Fraction) -> int:
        """Noise, drawn exactly."""
        return discrete_laplace(self.scale(bound))

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """Epsilon and delta, certified."""
        with working():
            delta = upper(_laplace_delta(self.beta, self.alpha, self.slack))
            return ApproximateLoss(self.alpha + self.slack, min(Fraction(1), delta), neighbours)


def ring_chance(spread: Fraction, ring: int, place: int) -> Fraction:
    """With which probability a proposed distance is accepted: its weight over the bound of its ring.

    >>> ring_chance(Fraction(3), 0, 0)
    Fraction(1, 2)
    """
    floor = spread if ring == 0 else Fraction((ring_width(spread) << ring - 1) ** 2)
    chance = (floor / (spread + place**2)) ** 2
    # the distance zero has one sign and all others two
    return chance / 2 if place == 0 and ring == 0 else chance


def ring_width(spread: Fraction) -> int:
    """The power of two from which on rings double: at least the root of the spread.

    >>> ring_width(Fraction(3)), ring_width(Fraction(17))
    (2, 8)
    """
    width = 1
    while width**2 < spread:
        width *= 2
    return width


def _propose(spread: Fraction) -> tuple[int, int]:
    """A ring, with odds that bound the weight of its integers, and a distance in it."""
    width = ring_width(spread)
    inner, outer = width / spread**2, Fraction(8, 7 * width**3)
    if bernoulli(inner / (inner + outer)):
        return 0, below(width)
    ring = 1
    while not random_bits(3):
        ring += 1
    inside = width << ring - 1
    return ring, inside + below(inside)


@lru_cache(maxsize=256)
def _affordable(beta: Fraction, price: Fraction) -> Fraction:
    """The largest alpha whose loss is at most the price, but for a small part of it."""
    low, high, most = 0, _STEPS, price
    with working():
        while upper(_student_loss(beta, most)) <= price:
            most *= 2
        while low < high:
            middle = (low + high + 1) // 2
            fits = upper(_student_loss(beta, most * middle / _STEPS)) <= price
            low, high = (middle, high) if fits else (low, middle - 1)
    return most * low / _STEPS


def _student_loss(beta: Fraction, alpha: Fraction) -> Ball:
    """The largest log ratio of two laws of Student's noise at smooth bounds, bounded part by part.

    With u the ratio of the spreads, from e**-2b to e**2b, and v the square of the shift over the spread of the first.
    """
    smooth = beta + ROUNDED
    edge = pi() * ball(3).sqrt()
    # how fast the sum of weights falls with the logarithm of the scale: by three, and by so much more near one step
    steep = 3 + 2 * edge**2 / edge.sinh() ** 2 / edge.tanh()
    found = ball(0)
    for part in range(-_PARTS, _PARTS):
        start, end = (smooth * each / _PARTS for each in (part, part + 1))
        moved = hull(ball(start), ball(end))
        ratio = (2 * moved).exp()
        shift = (
            ball(alpha) ** 2
            / 3
            * (2 * hull(ball(min(start, Fraction(0))), ball(min(end, Fraction(0))))).exp()
        )
        root = ((1 - ratio) ** 2 + shift**2 + 2 * shift * (1 + ratio)).upper().sqrt()
        weights = -3 * moved if start >= 0 else -steep * moved
        found = found.max(2 * ((1 + ratio + shift + root) / 2).log() + weights)
    return found


def _laplace_delta(beta: Fraction, alpha: Fraction, slack: Fraction) -> Ball:
    """The delta of Laplace noise at alpha + slack, if its scale changes by e**beta and its centre by alpha scales.

    Claim:      no two scales of at least one step have a larger one.
    Because:    docs/proofs/smooth-laplace.md.
    Checked by: tests/laws/test_smooth_sensitivity.py::test_smooth_laplace_never_costs_more_than_it_claims
    """
    smooth = ball(beta + ROUNDED)
    growth = smooth.expm1()
    # the sums of weights differ by at least this, since no scale is below one step
    narrower = smooth / ball(1).sinh()
    far = (-(ball(slack) + narrower) / growth).exp()
    near = (-(ball(slack + 2 * alpha) + narrower) / growth).exp()
    return growth / (1 + growth) / (1 + ball(-1).exp()) * (far + near)


@lru_cache(maxsize=256)
def _smoothness(alpha: Fraction, slack: Fraction, failure: Fraction) -> Fraction:
    """The largest beta whose delta is at most this, but for a small part of it; less than the slack."""
    most = slack - 2 * ROUNDED
    with working():

        def fits(beta: Fraction) -> bool:
            return upper(_laplace_delta(_rounded_down(beta), alpha, slack)) <= failure

        if fits(most):
            return _rounded_down(most)
        while not fits(most):
            most /= 2
            if most < ROUNDED:
                raise InvalidInput("delta", failure, "give a larger delta: no scale is so smooth")
        low, high = _STEPS, 2 * _STEPS
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(most * middle / _STEPS) else (low, middle)
    return _rounded_down(most * low / _STEPS)


def _rounded_down(number: Fraction) -> Fraction:
    """A number of few bits, just below."""
    if number <= 0:
        raise InvalidInput("epsilon", number, "give a larger price: nothing is left for smoothness")
    unit = Fraction(2) ** (number.numerator.bit_length() - number.denominator.bit_length() - 32)
    return number // unit * unit


def _positive(number: Number, name: str) -> Fraction:
    exact = at_least(number, name)
    if not Fraction(1, _LARGEST) <= exact <= _LARGEST:
        raise InvalidInput(name, number, "give a number above zero")
    return exact
