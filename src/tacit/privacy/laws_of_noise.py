"""The privacy-loss distributions of additive noise: Laplace and Gaussian, continuous and on the integers.

Checked by: tests/unit/privacy/test_loss_distributions.py
"""

from __future__ import annotations

from math import erfc, exp, expm1, log, pi, sqrt

import numpy as np

from tacit.exact import ROUNDING, gaussian_mass, working
from tacit.privacy.laws_of_bounded_losses import law_of_nothing
from tacit.privacy.loss_law import FARTHEST, LIBRARY, LOST, Atoms, Curve, LossDistribution, Points
from tacit.privacy.noise_losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
)

__all__ = [
    "law_of_discrete_gaussian",
    "law_of_discrete_laplace",
    "law_of_gaussian",
    "law_of_laplace",
    "law_of_wide_discrete_gaussian",
]


def law_of_discrete_laplace(loss: DiscreteLaplaceLoss) -> Atoms:
    """Between 0 and the distance d the loss is (d - 2z) / scale; all of either tail has the loss
    of its end.
    """
    d = loss.distance
    if not d:
        return law_of_nothing()
    rate = float(1 / loss.scale)
    z = np.arange(d, -1, -1, dtype=np.float64)
    masses = np.exp(-rate * z) / (1 + exp(-rate))
    masses[1:-1] *= -expm1(-rate)
    losses = (d - 2 * z) * rate
    errors = 4 * LIBRARY + 4 * ROUNDING * rate * z
    return Atoms(losses, masses, errors, 2 / loss.scale, place=4 * ROUNDING * d * rate)


def law_of_discrete_gaussian(loss: DiscreteGaussianLoss) -> Atoms:
    """At z the loss is (d**2 / 2 + d z) / variance, and z has the probability exp(-z**2 / (2
    variance)) over a sum.
    """
    d = loss.distance
    if not d:
        return law_of_nothing()
    variance = float(loss.variance)
    far = int(FARTHEST * sqrt(variance)) + d + 1
    z = np.arange(-far, far + 1, dtype=np.float64)
    with working(64):
        whole = float(2 * gaussian_mass(loss.variance, 0) - 1)
    powers = z * z / (2 * variance)
    masses = np.exp(-powers) / whole
    errors = 4 * LIBRARY + 8 * ROUNDING * powers
    losses = (d * d / 2 + d * z) / variance
    place = 8 * ROUNDING * float(np.abs(losses).max())
    return Atoms(losses, masses, errors, d / loss.variance, place, LOST)


# ---------------------------------------------------------------- curves


def law_of_laplace(epsilon: float) -> LossDistribution:
    """P(L > l) = 1 - exp((l - epsilon)/2)/2 and Q(L > l) = exp(-(l + epsilon)/2)/2 between
    -epsilon and epsilon.
    """
    if not epsilon:
        return law_of_nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        inside = np.clip(at, -epsilon, epsilon)
        p = np.where(at < -epsilon, 1.0, 1 - np.exp((inside - epsilon) / 2) / 2)
        q = np.where(at < -epsilon, 1.0, np.exp(-(inside + epsilon) / 2) / 2)
        over = at >= epsilon
        p[over], q[over] = 0.0, 0.0
        return p, q, np.full(len(at), 2 * LIBRARY + 2 * epsilon * ROUNDING)

    return Curve(tails, lambda _: epsilon, lambda _: -epsilon, 4 * epsilon * ROUNDING)


def law_of_gaussian(mu: float) -> LossDistribution:
    """L is normal with mean mu**2 / 2 and variance mu**2 under P, and with mean -mu**2 / 2 under
    Q.
    """
    if not mu:
        return law_of_nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        middle = at / mu
        far = np.clip(
            middle + mu, 0.0, 40.0
        )  # left of the mean a tail hardly changes with its place
        errors = LIBRARY + 8 * ROUNDING * (1 + far**2)
        return _normal_tails(middle - mu / 2), _normal_tails(middle + mu / 2), errors

    def reach(mass: float) -> float:
        return mu * mu / 2 + mu * _farthest(mass)

    return Curve(
        tails, reach, lambda mass: mu * mu / 2 - mu * _farthest(mass), 64 * ROUNDING * mu * (1 + mu)
    )


def law_of_wide_discrete_gaussian(loss: DiscreteGaussianLoss) -> LossDistribution:
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
        errors = 4 * LIBRARY + 8 * ROUNDING * (1 + far**2)
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
    return min(sqrt(max(-2 * log(2 * mass), 0.0)), FARTHEST) if mass > 0 else FARTHEST


def _normal_tails(at: Points) -> Points:
    return np.array([erfc(x) for x in (at / sqrt(2)).tolist()]) / 2
