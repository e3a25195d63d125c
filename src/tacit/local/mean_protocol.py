"""What every protocol for means keeps: a number of a public range, divided into steps, is randomised and scored.

Checked by: tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least, at_most, float_at_least
from tacit.frozen import frozen
from tacit.local.client_coins import SECURE, Draws
from tacit.local.frequencies import quantile_of
from tacit.local.protocol import Integers, Report, loss_of
from tacit.privacy import PureLoss

__all__ = ["Mean", "MeanProtocol", "STEPS", "end_fields", "read_range"]

STEPS = 1 << 16
"""Into so many steps a range is divided unless it is said otherwise."""


class MeanProtocol(ABC):
    """A randomiser for a number of a public range, which is divided into equal steps.

    A report has a score, a rational whose mean is the number itself: the mean of the scores is an
    unbiased estimate of the mean of the numbers, rounded to steps.
    """

    __slots__ = ()
    low: Fraction
    high: Fraction
    steps: int

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """e to the loss of one report."""

    @abstractmethod
    def randomise(self, step: int, draws: Draws) -> Report:
        """A report of the number that lies so many steps above the low end."""

    @abstractmethod
    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """A report of each, as an array; of the same law as `randomise`."""

    @abstractmethod
    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Reports as an array, refused if one is malformed."""

    @abstractmethod
    def check_array(self, reports: NDArray[Any]) -> Integers:
        """An array of reports, refused if one is malformed."""

    @property
    @abstractmethod
    def reports(self) -> int:
        """How many different reports there are."""

    @abstractmethod
    def score(self, report: int) -> Fraction:
        """What a report counts for, in the unit of the range; reports are numbered as in arrays."""

    @abstractmethod
    def law(self, step: int) -> dict[int, Fraction]:
        """The probability of every report of a step, reports numbered as in arrays."""

    @abstractmethod
    def name(self, report: int) -> Report:
        """A report as `encode` gives it, from its number."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What a client needs to know, in JSON: whole numbers only."""

    @property
    def epsilon(self) -> float:
        """What one report costs its owner, rounded up."""
        return float_at_least(self.loss().epsilon)

    def loss(self, reports: int = 1) -> PureLoss:
        """What so many fresh reports cost their owner, by the replace relation.

        Claim:      one report costs ln(ratio) and no less; fresh ones add.
        Because:    `ratio` is the largest ratio of the rational probabilities of reports, and is attained.
        Checked by: tests/laws/test_local.py::test_a_number_costs_what_is_claimed_and_no_less
        """
        return loss_of(self.ratio, reports)

    def encode(self, number: Number) -> Report:
        """A report of this number, by secure coins; what lies outside the range counts as its end."""
        return self.randomise(self.step_of(number), SECURE)

    def encode_all(self, numbers: Any) -> Integers:
        """A report of each number, as an array: many clients at once."""
        array = np.asarray(numbers, dtype=np.float64)
        if array.ndim != 1 or not np.isfinite(array).all():
            raise InvalidData("numbers must be a list of finite numbers; leave the others out")
        shares = (array - float(self.low)) / float(self.high - self.low)
        steps = np.floor(np.clip(shares, 0, 1) * self.steps + 0.5).astype(np.int64)
        return self.randomise_all(np.clip(steps, 0, self.steps), SECURE)

    def step_of(self, number: Number) -> int:
        """The step nearest to a number, halves upward."""
        share = (at_least(number, "a number") - self.low) / (self.high - self.low)
        return int((min(max(share, Fraction(0)), Fraction(1)) * self.steps * 2 + 1) // 2)

    def distribution(self, step: int) -> dict[Report, Fraction]:
        """The probability of every report of a step."""
        return {self.name(report): chance for report, chance in self.law(step).items()}

    def variance(self, step: int) -> Fraction:
        """The variance of the score of one report."""
        law = self.law(step)
        mean = sum(self.score(report) * chance for report, chance in law.items())
        return sum(
            (self.score(each) - mean) ** 2 * chance for each, chance in law.items()
        ) + Fraction(0)

    def collect(self, reports: Any) -> Mean:
        """The estimated mean, from a list or an array of reports."""
        known = isinstance(reports, np.ndarray)
        array = self.check_array(reports) if known else self.read_reports(reports)
        if not array.size:
            raise InvalidData("there are no reports to estimate from; collect some first")
        unit, scores = _scores(self)
        times = np.bincount(array, minlength=len(scores)).astype(object)
        total, squares = times @ scores, times @ (scores * scores)
        return Mean(self, len(array), int(total) * unit, int(squares) * unit**2)


@frozen
class Mean:
    """The mean of the scores of so many reports, and how far it may lie from the true mean."""

    protocol: MeanProtocol
    people: int
    total: Fraction
    squares: Fraction

    def __add__(self, other: Mean) -> Mean:
        """Both collections as one."""
        if self.protocol != other.protocol:
            raise InvalidInput(
                "a collection", "of another protocol", "add reports of one protocol only"
            )
        total, squares = self.total + other.total, self.squares + other.squares
        return Mean(self.protocol, self.people + other.people, total, squares)

    @property
    def value(self) -> float:
        """The estimated mean: unbiased for the mean of the numbers as they were rounded to steps."""
        return float(self.total / self.people)

    @property
    def deviation(self) -> float:
        """The standard deviation of the estimate, from the spread of the scores."""
        spread = self.squares / self.people - (self.total / self.people) ** 2
        return sqrt(max(spread, Fraction(0)) / self.people)

    def interval(self, confidence: Number = 0.95) -> tuple[float, float]:
        """Where the true mean lies with this confidence, by the normal law; within the range."""
        reach = quantile_of(confidence) * self.deviation
        low, high = float(self.protocol.low), float(self.protocol.high)
        return min(max(self.value - reach, low), high), min(max(self.value + reach, low), high)

    def __str__(self) -> str:
        return self.show()

    def show(self, confidence: Number = 0.95) -> str:
        """The mean with its interval, as a text."""
        low, high = self.interval(confidence)
        return f"{self.people:,} reports: mean {self.value:,.4g} ({low:,.4g} to {high:,.4g})"


@lru_cache(maxsize=64)
def _scores(protocol: MeanProtocol) -> tuple[Fraction, NDArray[Any]]:
    """The scores of all reports as whole numbers of one unit, and the unit."""
    exact = [protocol.score(report) for report in range(protocol.reports)]
    shared = lcm(*(score.denominator for score in exact))
    return Fraction(1, shared), np.array([int(score * shared) for score in exact], dtype=object)


def read_range(low: Number, high: Number, steps: int) -> dict[str, Any]:
    """The fields of a protocol that say which numbers it is for: the ends of the range, and its steps."""
    least, most = at_most(low, "low"), at_least(high, "high")
    if not least < most:
        raise InvalidInput("high", high, "give a number above the low end")
    if type(steps) is not int or not 1 <= steps <= 1 << 30:
        raise InvalidInput("steps", steps, "give a whole number from 1 to 2**30")
    return {"low": least, "high": most, "steps": steps}


def end_fields(protocol: MeanProtocol) -> dict[str, list[str]]:
    """The ends of the range, as a description of a protocol holds them: exactly."""
    return {
        name: [str(end.numerator), str(end.denominator)]
        for name, end in (("low", protocol.low), ("high", protocol.high))
    }
