"""Many Gaussian steps, each on a Poisson sample of the units, as one charge of rho and a failure."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_least, ball, count_of, upper, working
from tacit.privacy import GaussianLoss, Subsampled

__all__ = ["sampled_multiplier", "sampled_rho"]

_NEAR = Fraction(1, 100)  # below the order 1 + 1/100 the divergence of that order is taken
_LARGEST = 512
_WIDEST = 2.0**30  # noise beyond which a price is out of reach: cut-off parts cost more
_STEPS = 8  # parts of the way from one whole order to the next


def sampled_rho(multiplier: Number, rate: Number, steps: int, failure: Number) -> Fraction | None:
    """The rho of so many steps of noise `multiplier` times the sensitivity, each on a sample, up to a failure.

    None where no order of at most 512 proves one.

    Claim:      all steps together, each chosen after those before it, are `failure`-approximate
                rho-zero-concentrated, by add-or-remove; the noise may be discrete Gaussian.
    Because:    a step has Renyi divergence D(a) at whole orders by the binomial theorem, of which every term
                holds for discrete Gaussian noise too; the divergence of T steps is T D(a), and between whole
                orders (a - 1) D(a) is convex.  Cut off the outcomes whose privacy loss exceeds t: by Markov's
                inequality they have probability 2 exp(-(a - 1)(t - T D(a))) at most, for any a.  On the rest the
                divergence is at most T D(a), and at most t, which is rho a from the order t / rho on.
                docs/proofs/sampled-steps.md
    Checked by: tests/unit/accounting/test_sampled_steps.py

    >>> round(float(sampled_rho(4, Fraction(1, 10), 100, 1e-7)), 4)
    0.043
    """
    noise, share = at_least(multiplier, "multiplier"), at_least(rate, "rate")
    count, missed = count_of(steps, "steps", least=1), at_least(failure, "failure")
    if not 0 < share < 1 or noise <= 0 or not 0 < missed < 1:
        raise InvalidInput("rate", rate, "give a rate, a failure and a multiplier between 0 and 1")
    with working():
        return _certify_rho(noise, share, count, missed)


def _certify_rho(noise: Fraction, rate: Fraction, steps: int, failure: Fraction) -> Fraction | None:
    """The rho that is proved by the first order at which the cut is rare enough."""
    step = Subsampled(GaussianLoss(1 / noise**2), rate)
    q, apart = ball(rate), (ball(1) / ball(noise) ** 2).expm1()
    low = q * q * apart / 2 * (1 + q / (3 * (1 - q) ** 2))  # of D(a) / a between the orders 1 and 2
    ratio, moments = upper(low), {1: ball(0)}
    goal = -(ball(failure) / 2).log()
    for order in range(2, _LARGEST):
        divergence = step.renyi(Fraction(order))
        if divergence is None or not divergence.is_finite():
            return None
        moments[order] = divergence * (order - 1)
        if order > 2:
            ratio = max(ratio, _largest_ratio(moments, order))
        rho = steps * ratio
        cut = ball(rho * order)
        tails = (
            (a - 1) * (cut - steps * moments[a] / (a - 1)) for a in _orders_to_try(order)
        )  # exponents of the probability of what is cut off
        if any(upper(goal - tail) <= 0 for tail in tails):
            return rho * (1 + _NEAR) + 2 * (1 + 1 / _NEAR) * failure
    return None


def _orders_to_try(order: int) -> range:
    return range(max(2, order // 3), order + 1)


def _largest_ratio(moments: dict[int, Ball], order: int) -> Fraction:
    """The largest D(a) / a between two whole orders, by the chord of (a - 1) D(a)."""
    below, above = moments[order - 1], moments[order]
    worst = Fraction(0)
    for part in range(_STEPS):
        first = Fraction(order - 1) + Fraction(part, _STEPS)
        last = ball(Fraction(part + 1, _STEPS))
        chord = below + (above - below) * last
        worst = max(worst, upper(chord / ball(first * (first - 1))))
    return worst


@lru_cache(maxsize=64)
def sampled_multiplier(rho: Fraction, rate: Fraction, steps: int, failure: Fraction) -> Fraction:
    """The least noise, in units of the sensitivity, at which so many sampled steps cost at most rho; a little more.

    >>> float(sampled_multiplier(Fraction(1, 20), Fraction(1, 10), 100, Fraction(1, 10**7))) < 4
    True
    """
    low, high = 0.2, 2.0
    while _rough(high, float(rate), steps, float(failure)) > float(rho):
        high *= 2
        if high > _WIDEST:
            raise InvalidInput(
                "rho",
                float(rho),
                "give a larger price: no noise makes sampled steps cost so little",
            )
    for _ in range(30):
        middle = (low * high) ** 0.5
        if _rough(middle, float(rate), steps, float(failure)) > float(rho):
            low = middle
        else:
            high = middle
    while True:  # doubles were used to guess; what is returned is certified
        found = Fraction(ceil(high * 1024), 1024)
        proved = sampled_rho(found, rate, steps, failure)
        if proved is not None and proved <= rho:
            return found
        high *= 1.002


def _rough(noise: float, rate: float, steps: int, failure: float) -> float:
    """The same rho in doubles, as a guess."""
    orders = np.arange(2, _LARGEST)
    moments = np.array([_moment(noise, rate, int(order)) for order in orders])
    ratios = np.maximum.accumulate(steps * moments / (orders * (orders - 1.0)))
    ratios = np.maximum(ratios, steps * rate**2 * np.expm1(noise**-2.0) / 2)
    for place, order in enumerate(orders):
        rho = ratios[place]
        tried = slice(max(0, order // 3 - 2), place + 1)
        exponents = (orders[tried] - 1) * rho * order - steps * moments[tried]
        if exponents.max() >= np.log(2 / failure):
            return float(rho) * 1.01 + 202 * failure
    return float("inf")


@lru_cache(maxsize=1 << 16)
def _moment(noise: float, rate: float, order: int) -> float:
    k = np.arange(order + 1, dtype=np.float64)
    logs = _log_binomials(order) + k * np.log(rate) + (order - k) * np.log1p(-rate)
    exponents = logs + k * (k - 1) / (2 * noise**2)
    top = float(exponents.max())
    return max(0.0, top + float(np.log(np.exp(exponents - top).sum())))


@lru_cache(maxsize=1024)
def _log_binomials(order: int) -> NDArray[np.float64]:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, order + 1)))])
    return np.asarray(logs[order] - logs - logs[::-1], np.float64)
