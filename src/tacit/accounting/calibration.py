"""The least noise, the most releases and the best split that a limit allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor

from tacit.accounting.totals import total
from tacit.errors import InvalidInput, NotPrivate
from tacit.exact import Number, at_most, ball, count_of, lower, upper, working
from tacit.privacy import Loss

__all__ = ["least_noise", "most_releases", "split_epsilon", "split_rho"]

_FINE = 40  # a scale is found to one part in 2**40
_MOST = 1 << 50
_UNITS = 1 << 60  # a share is a multiple of the whole price divided by this


def least_noise(
    noise: Callable[[Fraction], Loss], epsilon: Number, delta: Number, times: int = 1
) -> Fraction:
    """The smallest scale of noise at which so many releases are (epsilon, delta)-DP together, to one part in 2**40.

    `noise` says what a release with noise of a scale costs; more noise must not cost more.

    Claim:      at the scale returned, the certified delta of all releases at epsilon is at most delta.
    Because:    only scales at which that was seen are ever taken for the upper end of the bisection.
    Checked by: tests/unit/accounting/test_calibration.py

    >>> from tacit.privacy import GaussianLoss
    >>> sigma = least_noise(lambda sigma: GaussianLoss(1 / sigma**2), epsilon=1, delta=1e-5)
    >>> round(float(sigma), 6)
    3.730632
    """
    keeps, count = _keeper(epsilon, delta), count_of(times, "how often", least=1)

    def enough(scale: Fraction) -> bool:
        return keeps(noise(scale) * count)

    high = Fraction(1)
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise NotPrivate(
                "no noise up to 2**50 keeps this limit; raise epsilon or delta, or release less often"
            )
    while enough(high / 2):
        high /= 2
        if high < Fraction(1, _MOST):
            raise InvalidInput(
                "noise",
                "zero",
                "these releases fit the limit without noise; release them as they are",
            )
    low = high / 2
    for _ in range(_FINE):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def most_releases(loss: Loss, epsilon: Number, delta: Number) -> int:
    """The largest number of releases of this loss that are (epsilon, delta)-DP together.

    Claim:      so many keep the limit for certain, and one more is not known to.
    Because:    the certified delta grows with the number of releases; doubling and halving find where it passes.
    Checked by: tests/unit/accounting/test_calibration.py

    >>> from tacit.privacy import PureLoss
    >>> most_releases(PureLoss(Fraction(1, 10)), epsilon=1, delta=0)
    10
    """
    keeps = _keeper(epsilon, delta)
    high = 1
    while keeps(loss * high):
        high *= 2
        if high > _MOST:
            raise InvalidInput(
                "a loss",
                loss,
                "it costs nothing, so it fits any number of times; give a loss above zero",
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(loss * middle) else (low, middle)
    return low


def split_epsilon(epsilon: Number, weights: Sequence[Number]) -> tuple[Fraction, ...]:
    """Shares of a pure price over queries answered with Laplace noise, so that the weighted errors sum to the least.

    A weight is how much an error of one unit of sensitivity matters: importance times sensitivity over size of answer.

    Claim:      shares in proportion to the roots of the weights minimise the sum of weight / share; they sum to at most
                the price.
    Because:    the error of a share is weight / share; at the least sum all weight / share**2 are equal (Lagrange).
    Checked by: tests/unit/accounting/test_calibration.py

    >>> [float(share) for share in split_epsilon(1, [1, 4, 25])]
    [0.125, 0.25, 0.625]
    """
    return _shares(at_most(epsilon, "epsilon"), weights, Fraction(1, 2))


def split_rho(rho: Number, weights: Sequence[Number]) -> tuple[Fraction, ...]:
    """Shares of a rho over queries answered with Gaussian noise, so that the weighted errors sum to the least.

    Claim:      shares in proportion to weight**(2/3) minimise the sum of weight / sqrt(share); they sum to at most rho.
    Because:    the error of a share is weight / sqrt(share); at the least sum all weight / share**(3/2) are equal.
    Checked by: tests/unit/accounting/test_calibration.py

    >>> [float(share) for share in split_rho(1, [1, 8, 27])]
    [0.0714..., 0.2857..., 0.6428...]
    """
    return _shares(at_most(rho, "rho"), weights, Fraction(2, 3))


def _keeper(epsilon: Number, delta: Number) -> Callable[[Loss], bool]:
    """Whether a loss keeps the limit, for certain."""
    budget, failure = at_most(epsilon, "epsilon"), at_most(delta, "delta")
    if budget < 0 or not 0 <= failure < 1:
        raise InvalidInput(
            "the limit",
            (epsilon, delta),
            "give an epsilon of at least 0 and a delta from 0 to below 1",
        )
    return lambda loss: upper(total(loss).profile(budget)[0]) <= failure


def _shares(price: Fraction, weights: Sequence[Number], power: Fraction) -> tuple[Fraction, ...]:
    exact = [at_most(weight, "a weight") for weight in weights]
    if price <= 0 or not exact or any(weight <= 0 for weight in exact):
        raise InvalidInput(
            "a split",
            list(weights),
            "give a price above zero, and a weight above zero for each query",
        )
    with working():
        roots = [ball(weight) ** ball(power) for weight in exact]
        parts = [lower(root / sum(roots, ball(0))) for root in roots]
    return tuple(
        price * Fraction(floor(part * _UNITS + Fraction(1, 1 << 20)), _UNITS) for part in parts
    )
