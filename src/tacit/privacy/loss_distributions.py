"""The privacy-loss distribution of a loss: how likely each value of ln P(o)/Q(o) is when o comes
from P.
"""

from bisect import bisect_right
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import erfc, exp, expm1, inf, log, log1p, pi, sqrt, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import ROUNDING, ball, gaussian_mass, working
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import BoundedRangeLoss, PureLoss
from tacit.privacy.finite_loss import FiniteLoss
from tacit.privacy.loss import Loss
from tacit.privacy.noise_losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
)
from tacit.privacy.subsampled import Subsampled

__all__ = [
    "Atoms",
    "Curve",
    "Direction",
    "LossDistribution",
    "has_loss_distribution",
    "loss_distribution",
]

Points = NDArray[np.float64]

# Of exp, expm1, log1p, erfc, relative to their result: four times what was ever measured.
_LIBRARY = 16 * ROUNDING
_MOST_ATOMS = 1 << 18
_SMOOTH = 1 << 22  # a variance from which on values are not listed one by one
_FARTHEST = 37.5  # standard deviations beyond which a float cannot hold a probability
_LOST = 1e-300  # no less than the probability beyond


class Direction(Enum):
    """Which of two neighbours the outcome is drawn from.

    >>> Direction.REMOVE.value
    'remove'
    """

    REMOVE = "remove"
    """From the one that holds the unit; the other does not."""

    ADD = "add"
    """From the one that does not; under replace both directions are alike."""


@frozen(eq=False)
class Atoms:
    """A privacy loss that takes the values `losses`, in ascending order, with probabilities
    `masses`.

    `errors` are relative to the masses, `place` bounds the error of a loss.  Equally spaced losses
    have a `step`, which is a Fraction where it is rational.  Below the first and above the last
    loss lies a probability of at most `lost`.
    """

    losses: Points
    masses: Points
    errors: Points
    step: Fraction | float | None = None
    place: float = 0.0
    lost: float = 0.0

    def span(self, mass: float) -> tuple[float, float]:
        """An interval of losses; at most this probability lies above it, and below it."""
        high = len(self.losses) - int(np.searchsorted(np.cumsum(self.masses[::-1]), mass / 2))
        low = int(np.searchsorted(np.cumsum(self.masses), mass / 2))
        return float(self.losses[low]), float(self.losses[max(high - 1, low)])


@frozen(eq=False)
class Curve:
    """A privacy loss between `low` and `high`, given by its tails.

    `tails(l)` are P(L > l), Q(L > l) and the relative error of both; `reach(mass)` is a loss that
    is exceeded with at most this probability.  A loss at which they are evaluated is wrong by at
    most `place`, the same for both.
    """

    tails: Callable[[Points], tuple[Points, Points, Points]]
    reach: Callable[[float], float]
    depth: Callable[[float], float]
    place: float

    def span(self, mass: float) -> tuple[float, float]:
        """An interval of losses; at most this probability lies above it, and below it."""
        return self.depth(mass), self.reach(mass)


LossDistribution = Atoms | Curve
"""What is known of a privacy loss: single values, or a curve of tails."""


def has_loss_distribution(loss: Loss) -> bool:
    """Whether a loss has a law: those that are only a rho, or a list of other losses, have none.

    >>> has_loss_distribution(PureLoss(1))
    True
    """
    match loss:
        case Subsampled():
            return not isinstance(loss.loss, Subsampled) and has_loss_distribution(loss.loss)
        case FiniteLoss():
            return loss.ratio() != inf
        case PureLoss() | BoundedRangeLoss() | LaplaceLoss() | GaussianLoss():
            return True
        case DiscreteLaplaceLoss():
            return loss.distance < _MOST_ATOMS
        case DiscreteGaussianLoss():
            return loss.distance <= _MOST_ATOMS or loss.variance >= loss.distance
        case _:
            return False


def loss_distribution(loss: Loss, direction: Direction = Direction.REMOVE) -> LossDistribution:
    """The law of the privacy loss, for the pair of distributions that dominates every pair of
    neighbours.

    Claim:      delta(e) of any pair of neighbours, in this direction, is at most E[max(0, 1 -
                e**(e - L))], also in an adaptive composition with others.
    Because:    the law is that of a pair whose delta is at least that of every pair at every e,
                negative ones too; such pairs dominate, and the products of dominating pairs
                dominate compositions (Zhu, Dong, Wang 2022,
                Theorem 10).  For noise the pair is the farthest move; for bounded range and for a
                finite pair, whose direction is not known, it is the one whose delta is the largest
                of all cases at each e.
    Checked by: tests/laws/test_loss_distributions.py

    >>> law = loss_distribution(PureLoss(1))
    >>> [round(float(mass), 3) for mass in law.masses]
    [0.269, 0.731]
    """
    if not has_loss_distribution(loss):
        raise InvalidInput(
            "a loss",
            loss,
            "it has no privacy-loss distribution; ask for its total, which uses other bounds",
        )
    if isinstance(loss, Subsampled) and isinstance(loss.loss, PureLoss):
        return _respond_for_a_sample(loss.loss.epsilon, loss.rate)
    if isinstance(loss, Subsampled):
        return _sample(loss_distribution(loss.loss), float(loss.rate), direction)
    hashed: Any = loss
    return _law_of(hashed)


@lru_cache(maxsize=256)
def _law_of(loss: Any) -> LossDistribution:
    match loss:
        case PureLoss():
            return _respond(loss.epsilon)
        case FiniteLoss():
            return _list(loss)
        case BoundedRangeLoss():
            return _range(float(loss.epsilon))
        case LaplaceLoss():
            return _laplace(float(loss.epsilon))
        case GaussianLoss():
            return _gaussian(sqrt(float(loss.squared)))
        case DiscreteLaplaceLoss():
            return _discrete_laplace(loss)
        case DiscreteGaussianLoss() if loss.variance > _SMOOTH:
            return _smooth_discrete_gaussian(loss)
        case DiscreteGaussianLoss():
            return _discrete_gaussian(loss)
        case _:
            raise AssertionError(loss)


# ---------------------------------------------------------------- single values


def _respond(epsilon: Fraction) -> Atoms:
    """Randomized response: the truth with probability 1 / (1 + e**-epsilon)."""
    told = float(epsilon)
    if not told:
        return _nothing()
    lie = exp(-told) / (1 + exp(-told))
    masses = np.array([lie, 1 / (1 + exp(-told))])
    errors = np.full(2, 2 * _LIBRARY + 2 * told * ROUNDING)
    return Atoms(np.array([-told, told]), masses, errors, 2 * epsilon, place=told * ROUNDING)


def _respond_for_a_sample(epsilon: Fraction, rate: Fraction) -> Atoms:
    """A sample of whatever is pure, seen from both sides at once: a loss of -a, 0 or a.

    Claim:      with a = ln(1 + rate (e**epsilon - 1)) and t = rate tanh(epsilon / 2) the losses -a
                and a have the probabilities t / (e**a - 1) and t e**a / (e**a - 1).
    Because:    the delta of M against Q is a line in e**e from t at 1 to nothing at e**a, and that
                of Q against M is less; a pair that is its own mirror image follows from it.  A
                group of units, of which some come and others go, is such a loss too, and has no
                direction: so none is used.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not epsilon or not rate:
        return _nothing()
    told, drawn = float(epsilon), float(rate)
    growth = drawn * expm1(min(told, 700.0))
    tell, far = log1p(growth), drawn * tanh(told / 2)
    masses = np.array([far / growth, 0.0, far * (1 + growth) / growth])
    masses[1] = max(0.0, 1 - masses.sum())
    errors = np.full(3, 16 * _LIBRARY)
    errors[1] += 16 * _LIBRARY / max(masses[1], 1e-300)
    return Atoms(np.array([-tell, 0.0, tell]), masses, errors, tell, place=4 * _LIBRARY * tell)


def _nothing() -> Atoms:
    """What costs nothing."""
    return Atoms(np.zeros(1), np.ones(1), np.zeros(1), Fraction(1))


def _list(loss: FiniteLoss) -> Atoms:
    """A finite pair of which nobody says which side is which: the pair that dominates it in both
    directions.

    Claim:      its delta is the larger of those of (p, q) and (q, p), at every e.
    Because:    both are convex and piecewise linear in x = e**e, and so is the larger; the slope
                jumps at x by what its second distribution puts on the loss ln x, and the first
                puts x times that on it.
    Checked by: tests/unit/privacy/test_loss_distributions.py
    """
    forth, back = _Deltas(loss.p, loss.q), _Deltas(loss.q, loss.p)
    places = sorted({*forth.ratios, *back.ratios})
    crossings = []
    for left, right in pairwise(places):
        before, after = forth.at(left) - back.at(left), forth.at(right) - back.at(right)
        if before * after < 0:
            crossings.append(left + (right - left) * before / (before - after))
    places = sorted({*places, *crossings})
    heights = [Fraction(1), *(max(forth.at(x), back.at(x)) for x in places), Fraction(0)]
    knots = [Fraction(0), *places, places[-1] + 1]
    slopes = [
        (b - a) / (y - x) for (x, y), (a, b) in zip(pairwise(knots), pairwise(heights), strict=True)
    ]
    listed = [
        (x, x * (after - before))
        for x, (before, after) in zip(places, pairwise(slopes), strict=True)
    ]
    listed = [(x, mass) for x, mass in listed if mass]
    ratios = [x for x, _ in listed]
    with working():
        losses = np.array([float(ball(x).log()) for x in ratios])
    masses = np.array([float(mass) for _, mass in listed])
    place = float(np.abs(losses).max()) * 2 * ROUNDING
    even = len({y / x for x, y in pairwise(ratios)}) == 1
    step = (losses[-1] - losses[0]) / (len(losses) - 1) if even else None
    return Atoms(losses, masses, np.full(len(losses), 2 * ROUNDING), step, 2 * place)


class _Deltas:
    """The sum of max(0, p - x q) over the outcomes of a finite pair, for any x, exactly."""

    def __init__(self, p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> None:
        listed = sorted((a / b, a, b) for a, b in zip(p, q, strict=True) if b)
        self.ratios = [ratio for ratio, _, _ in listed]
        self.sums = [(Fraction(0), Fraction(0))]
        for _, a, b in reversed(listed):
            self.sums.append((self.sums[-1][0] + a, self.sums[-1][1] + b))
        self.sums.reverse()

    def at(self, x: Fraction) -> Fraction:
        p, q = self.sums[bisect_right(self.ratios, x)]
        return p - x * q


def _discrete_laplace(loss: DiscreteLaplaceLoss) -> Atoms:
    """Between 0 and the distance d the loss is (d - 2z) / scale; all of either tail has the loss
    of its end.
    """
    d = loss.distance
    if not d:
        return _nothing()
    rate = float(1 / loss.scale)
    z = np.arange(d, -1, -1, dtype=np.float64)
    masses = np.exp(-rate * z) / (1 + exp(-rate))
    masses[1:-1] *= -expm1(-rate)
    losses = (d - 2 * z) * rate
    errors = 4 * _LIBRARY + 4 * ROUNDING * rate * z
    return Atoms(losses, masses, errors, 2 / loss.scale, place=4 * ROUNDING * d * rate)


def _discrete_gaussian(loss: DiscreteGaussianLoss) -> Atoms:
    """At z the loss is (d**2 / 2 + d z) / variance, and z has the probability exp(-z**2 / (2
    variance)) over a sum.
    """
    d = loss.distance
    if not d:
        return _nothing()
    variance = float(loss.variance)
    far = int(_FARTHEST * sqrt(variance)) + d + 1
    z = np.arange(-far, far + 1, dtype=np.float64)
    with working(64):
        whole = float(2 * gaussian_mass(loss.variance, 0) - 1)
    powers = z * z / (2 * variance)
    masses = np.exp(-powers) / whole
    errors = 4 * _LIBRARY + 8 * ROUNDING * powers
    losses = (d * d / 2 + d * z) / variance
    place = 8 * ROUNDING * float(np.abs(losses).max())
    return Atoms(losses, masses, errors, d / loss.variance, place, _LOST)


# ---------------------------------------------------------------- curves


def _laplace(epsilon: float) -> LossDistribution:
    """P(L > l) = 1 - exp((l - epsilon)/2)/2 and Q(L > l) = exp(-(l + epsilon)/2)/2 between
    -epsilon and epsilon.
    """
    if not epsilon:
        return _nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        inside = np.clip(at, -epsilon, epsilon)
        p = np.where(at < -epsilon, 1.0, 1 - np.exp((inside - epsilon) / 2) / 2)
        q = np.where(at < -epsilon, 1.0, np.exp(-(inside + epsilon) / 2) / 2)
        over = at >= epsilon
        p[over], q[over] = 0.0, 0.0
        return p, q, np.full(len(at), 2 * _LIBRARY + 2 * epsilon * ROUNDING)

    return Curve(tails, lambda _: epsilon, lambda _: -epsilon, 4 * epsilon * ROUNDING)


def _range(epsilon: float) -> LossDistribution:
    """The pair whose delta is the worst of bounded range at every e, negative ones too.

    Claim:      with a = e**(-epsilon/2) and y = e**(l/2), P(L > l) = (1 - a y) / (1 - a**2)
                and Q(L > l) =
                a (1/y - a) / (1 - a**2), between -epsilon and epsilon.
    Because:    delta = (1 - a y)**2 / (1 - a**2), and in x = y**2 its slope is minus the second,
                and delta plus x times the second is the first.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not epsilon:
        return _nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        inside = np.clip(at, -epsilon, epsilon)
        p = np.expm1((inside - epsilon) / 2) / expm1(-epsilon)
        q = np.exp(-(inside + epsilon) / 2) * p
        return p, q, np.full(len(at), 4 * _LIBRARY + 4 * epsilon * ROUNDING)

    return Curve(tails, lambda _: epsilon, lambda _: -epsilon, 4 * epsilon * ROUNDING)


def _gaussian(mu: float) -> LossDistribution:
    """L is normal with mean mu**2 / 2 and variance mu**2 under P, and with mean -mu**2 / 2 under
    Q.
    """
    if not mu:
        return _nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        middle = at / mu
        far = np.clip(
            middle + mu, 0.0, 40.0
        )  # left of the mean a tail hardly changes with its place
        errors = _LIBRARY + 8 * ROUNDING * (1 + far**2)
        return _normal_tails(middle - mu / 2), _normal_tails(middle + mu / 2), errors

    def reach(mass: float) -> float:
        return mu * mu / 2 + mu * _farthest(mass)

    return Curve(
        tails, reach, lambda mass: mu * mu / 2 - mu * _farthest(mass), 64 * ROUNDING * mu * (1 + mu)
    )


def _smooth_discrete_gaussian(loss: DiscreteGaussianLoss) -> LossDistribution:
    """Noise so wide that its values cannot be listed: tails are integrals with a correction.

    Claim:      with g(z) = exp(-z**2 / (2 variance)), the sum of g(z) over integers z >= m is the
                integral of g from m - 1/2 on, plus g'(m - 1/2) / 24, but for a relative error of
                at most 14/5760 (1 + m / sigma)**4 / variance**2; all of g sums to its integral.
    Because:    Euler and Maclaurin's formula for the middles of intervals; its next term is
                7/5760 of the third derivative, and the sum over all integers errs by less than
                e**(-19 variance) (Poisson).
    Checked by: tests/unit/privacy/test_loss_distributions.py
    """
    d, variance = loss.distance, float(loss.variance)
    sigma = sqrt(variance)

    def tails_from(first: Points) -> Points:
        at = (first - 0.5) / sigma
        slope = at * np.exp(-np.minimum(at * at / 2, 740.0)) / sqrt(2 * pi) / variance
        return np.maximum(_normal_tails(at) - slope / 24, 0.0)

    def tails(at: Points) -> tuple[Points, Points, Points]:
        first = np.floor(at * (variance / d) - d / 2) + 1
        far = np.clip(np.abs(first) / sigma + d / sigma, 0.0, 40.0)
        errors = 4 * _LIBRARY + 8 * ROUNDING * (1 + far**2)
        errors += 14 / 5760 * (1 + far) ** 4 / variance**2  # twice the term that is left out
        return tails_from(first), tails_from(first + d), errors

    def reach(mass: float) -> float:
        return (d * d / 2 + d * (sigma * _farthest(mass) + 1)) / variance

    def depth(mass: float) -> float:
        return (d * d / 2 - d * (sigma * _farthest(mass) + 1)) / variance

    return Curve(tails, reach, depth, 64 * ROUNDING * (1 + reach(1e-300)))


def _farthest(mass: float) -> float:
    """A number of standard deviations that a normal variable exceeds with at most this
    probability.
    """
    return min(sqrt(max(-2 * log(2 * mass), 0.0)), _FARTHEST) if mass > 0 else _FARTHEST


def _normal_tails(at: Points) -> Points:
    return np.array([erfc(x) for x in (at / sqrt(2)).tolist()]) / 2


# ---------------------------------------------------------------- samples


def _sample(law: LossDistribution, rate: float, direction: Direction) -> LossDistribution:
    """The law on a Poisson sample, of one that is its own mirror image.

    Claim:      with the unit the outcome comes from M = (1 - rate) Q + rate P, without it from Q;
                the loss of M against Q is ln(1 + rate (e**L - 1)), and that of Q against M is its
                negative.
    Because:    the unit is drawn with probability `rate`; Balle, Barthe and Gaboardi 2018, Zhu,
                Dong and Wang 2022.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not rate:
        return _nothing()
    if rate == 1:
        return law
    if isinstance(law, Atoms):
        return _sample_atoms(law, rate, direction)
    return _sample_curve(law, rate, direction)


def _sample_atoms(law: Atoms, rate: float, direction: Direction) -> Atoms:
    without = law.masses * np.exp(-law.losses)
    losses = np.log1p(rate * np.expm1(law.losses))
    errors = law.errors + 4 * _LIBRARY + 2 * ROUNDING * np.abs(law.losses)
    masses = rate * law.masses + (1 - rate) * without if direction is Direction.REMOVE else without
    if direction is Direction.ADD:
        losses, masses, errors = -losses[::-1], masses[::-1], errors[::-1]
    step = float(losses[1] - losses[0]) if len(losses) == 2 else None
    place = law.place + 8 * _LIBRARY * (1 + float(np.abs(losses).max()))
    return Atoms(losses, masses, errors, step, place, law.lost)


def _sample_curve(law: Curve, rate: float, direction: Direction) -> Curve:
    floor = log1p(-rate)

    def undo_sampling(at: Points) -> Points:
        with np.errstate(divide="ignore"):
            return np.log1p(np.maximum(np.expm1(at) / rate, -1.0))

    def tails_of_removing(at: Points) -> tuple[Points, Points, Points]:
        p, q, errors = law.tails(undo_sampling(at))
        return rate * p + (1 - rate) * q, q, errors + 4 * ROUNDING

    def tails_of_adding(at: Points) -> tuple[Points, Points, Points]:
        # seen in the mirror P and Q have changed places
        q, p, errors = law.tails(-undo_sampling(-at))
        return q, (1 - rate) * q + rate * p, errors + 4 * ROUNDING

    def reach(mass: float) -> float:
        return float(np.log1p(rate * np.expm1(min(law.reach(min(mass / rate, 0.5)), 700.0))))

    def low(mass: float) -> float:
        return max(log1p(rate * expm1(-law.reach(mass))), floor)

    place = law.place + 16 * _LIBRARY * (1 + abs(law.reach(1e-30)))
    if direction is Direction.REMOVE:
        return Curve(tails_of_removing, reach, low, place)
    return Curve(tails_of_adding, lambda mass: -low(mass), lambda mass: -reach(mass), place)
