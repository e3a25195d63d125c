"""The laws of integer noise: exact probabilities, tails, variances, quantiles."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import lru_cache
from math import floor, log
from numbers import Integral
from statistics import NormalDist
from typing import Any, Protocol, cast

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, ball, count_of, gaussian_mass, gaussian_tail, working
from tacit.frozen import frozen
from tacit.mechanisms.parameters import confidence_of
from tacit.privacy import root_at_least

__all__ = ["GaussianLaw", "LaplaceLaw", "Law", "Released", "first", "quantile", "stays"]


class Law(Protocol):
    """How integer noise, symmetric about zero, is distributed."""

    def mass(self, place: int) -> Ball:
        """The probability of exactly this integer."""

    def tail(self, start: int) -> Ball:
        """The probability of this integer or more."""

    def variance(self) -> Ball:
        """The expected square, or a bound of it."""

    def near(self, share: float) -> int:
        """About how far away the two tails together have this probability; a guess, to begin a search at."""


@frozen
class LaplaceLaw(Law):
    """P(z) proportional to exp(-|z| / scale).

    >>> from tacit.exact import upper
    >>> with working():
    ...     float(upper(LaplaceLaw(Fraction(1)).mass(0)))
    0.4621171572600...
    """

    scale: Fraction

    def mass(self, place: int) -> Ball:
        """(1 - r) / (1 + r) r**|z|."""
        return (-ball(abs(place) / self.scale)).exp() * ball(1 / (2 * self.scale)).tanh()

    def tail(self, start: int) -> Ball:
        """r**start / (1 + r), from one on."""
        if start <= 0:
            return 1 - self.tail(1 - start)
        return (-ball(start / self.scale)).exp() / (1 + (-ball(1 / self.scale)).exp())

    def variance(self) -> Ball:
        """2 r / (1 - r)**2, close to 2 scale**2."""
        return 1 / (2 * ball(1 / (2 * self.scale)).sinh() ** 2)

    def near(self, share: float) -> int:
        """By the continuous law."""
        return floor(self.scale * Fraction(-log(max(share, 1e-300))))


@frozen
class GaussianLaw(Law):
    """P(z) proportional to exp(-z**2 / (2 parameter)).

    >>> from tacit.exact import upper
    >>> with working():
    ...     float(upper(GaussianLaw(Fraction(1)).mass(0)))
    0.39894227...
    """

    parameter: Fraction

    def mass(self, place: int) -> Ball:
        """The share of one term in the sum of all."""
        whole = 2 * gaussian_mass(self.parameter, 0) - 1
        return (-ball(place**2 / (2 * self.parameter))).exp() / whole

    def tail(self, start: int) -> Ball:
        """A certified sum."""
        return gaussian_tail(self.parameter, start)

    def variance(self) -> Ball:
        """The parameter, which the discrete Gaussian's variance never exceeds."""
        return ball(self.parameter)

    def near(self, share: float) -> int:
        """By the continuous law."""
        deviations = NormalDist().inv_cdf(min(max(share, 1e-300) / 2, 0.5))
        return floor(root_at_least(self.parameter) * Fraction(-deviations))


def stays(law: Law, distance: int, confidence: Number, answers: int = 1) -> bool:
    """Whether so many independent draws all stay within the distance, with at least this probability.

    Claim:      if true, the probability that no draw is further away is at least `confidence`.
    Because:    the draws are independent, so each must stay with probability confidence**(1/answers); the comparison
                is made between a tail's upper end and the lower end of the share that may fall outside.
    Checked by: tests/laws/test_mechanisms.py

    >>> stays(LaplaceLaw(Fraction(1)), 3, 0.95), stays(LaplaceLaw(Fraction(1)), 2, 0.95)
    (True, False)
    """
    wanted, each = confidence_of(confidence), count_of(answers, "answers", least=1)
    with working():
        return bool(law.tail(distance + 1) <= _share_beyond(wanted, each))


def _share_beyond(confidence: Fraction, answers: int) -> Ball:
    """How often each of so many independent draws may leave to one side, so that all stay with this probability."""
    # Near one the digits are those of 1 - confidence, near zero those of confidence.
    kept = ball(confidence).log() if 2 * confidence < 1 else (-ball(1 - confidence)).log1p()
    return -(kept / answers).expm1() / 2


def quantile(law: Law, confidence: Number, answers: int = 1) -> int:
    """The smallest distance within which so many independent draws all stay, with at least this probability.

    >>> quantile(LaplaceLaw(Fraction(1)), 0.95)
    3
    """
    return _quantile(
        cast(Hashable, law), confidence_of(confidence), count_of(answers, "answers", least=1)
    )


@lru_cache(maxsize=1024)
def _quantile(law: Any, confidence: Fraction, answers: int) -> int:
    with working():
        share = _share_beyond(confidence, answers)
        return first(lambda distance: law.tail(distance + 1) <= share, law.near(2 * float(share)))


def first(holds: Callable[[int], bool], near: int) -> int:
    """The smallest integer from zero on at which a monotone condition holds, looked for around a guess.

    >>> first(lambda place: place**2 > 50, near=3)
    8
    """
    high, step = max(near, 0), 1
    while not holds(high):
        high, step = high + step, 2 * step
    low, step = high, 1
    while low > 0 and holds(low - 1):
        low, high, step = max(0, low - step), low - 1, 2 * step
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


@frozen
class Released:
    """The law of what leaves: the exact answer, in steps of the grid, moved by noise.

    >>> from tacit.exact import upper
    >>> with working():
    ...     float(upper(Released(7, LaplaceLaw(Fraction(1))).probability(7)))
    0.4621171572600...
    """

    centre: int
    law: Law

    def probability(self, outcome: int) -> Ball:
        """The probability of exactly this outcome."""
        return self.law.mass(_whole(outcome, "outcome") - self.centre)

    def clamp_law(self, low: int, high: int) -> dict[int, Ball]:
        """The law after clamping to low … high: a finite distribution, as certified balls that sum to one.

        Clamping is a function of the release, so it can only lose information; for Laplace noise nothing is lost if
        the limits lie outside the answers that are compared.
        """
        low, high = _whole(low, "low"), _whole(high, "high")
        if not low < high:
            raise InvalidInput("high", high, "give a high end above the low one")
        inner = {outcome: self.probability(outcome) for outcome in range(low + 1, high)}
        # by symmetry, without the digits that one minus nearly one loses
        below = self.law.tail(self.centre - low)
        return {low: below, **inner, high: self.law.tail(high - self.centre)}


def _whole(number: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InvalidInput(
            name, number, "outcomes are counted in whole steps of the grid; give an int"
        )
    return int(number)
