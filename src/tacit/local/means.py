"""The mean of bounded numbers from noisy reports: Duchi's bit, the piecewise window, and both mixed."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import isqrt, lcm, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least, at_most, ball, float_at_least, lower, working
from tacit.frozen import frozen
from tacit.local.client_coins import SECURE, Draws
from tacit.local.frequencies import quantile_of
from tacit.local.protocol import Integers, Report, loss_of
from tacit.local.randomized_response import check_numbers, read_numbers
from tacit.local.truth_odds import Odds
from tacit.privacy import PureLoss, fill

__all__ = ["Duchi", "Hybrid", "Mean", "MeanProtocol", "Piecewise"]

STEPS = 1 << 16
"""Into so many steps a range is divided unless it is said otherwise."""
_CELLS = 1024


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

    def collect(self, reports: Any) -> "Mean":
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

    def __add__(self, other: "Mean") -> "Mean":
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


@frozen(init=False)
class Duchi(MeanProtocol):
    """One bit: the number is rounded to an end of its range by chance, and the end told by response.

    It is the best for small epsilon (Duchi, Jordan, Wainwright 2018).

    >>> Duchi(0, 100, epsilon=1).collect([1, 0, 1, 1]).people
    4
    """

    low: Fraction
    high: Fraction
    steps: int
    odds: Odds

    def __init__(self, low: Number, high: Number, epsilon: Number, steps: int = STEPS) -> None:
        fill(self, **_range(low, high, steps), odds=Odds.of(epsilon))

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    def randomise(self, step: int, draws: Draws) -> int:
        """Zero for the low end, one for the high end."""
        high = draws.below(self.steps) < step
        return int(high == draws.coin(self.odds.truth, self.odds.lie))

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """The same for many."""
        high = draws.numbers(self.steps, len(steps)) < steps
        honest = draws.coins(self.odds.truth, self.odds.lie, len(steps))
        return np.asarray(high == honest, dtype=np.int64)

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Zeros and ones."""
        return read_numbers(reports, 2)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Zeros and ones."""
        return check_numbers(reports, 2)

    @property
    def reports(self) -> int:
        """Two."""
        return 2

    def score(self, report: int) -> Fraction:
        """An end of the range, moved outwards so far that the mean is right."""
        p = Fraction(self.odds.truth, self.odds.truth + self.odds.lie)
        return self.low + (self.high - self.low) * (report - (1 - p)) / (2 * p - 1)

    def law(self, step: int) -> dict[int, Fraction]:
        """Both bits."""
        p = Fraction(self.odds.truth, self.odds.truth + self.odds.lie)
        share = Fraction(step, self.steps)
        one = share * p + (1 - share) * (1 - p)
        return {0: 1 - one, 1: one}

    def name(self, report: int) -> int:
        """Itself."""
        return report

    def describe(self) -> dict[str, Any]:
        """The range, the steps and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "duchi", "steps": self.steps, **_ends(self), **odds}


@frozen(init=False)
class Piecewise(MeanProtocol):
    """One of many cells: a window that moves with the number weighs `truth` a cell, the rest `lie`.

    It is the better one for a larger epsilon (Wang et al. 2019).  Here the window stands at one of
    finitely many places, the number is rounded to one of the two nearest by chance, and all is whole.

    >>> Piecewise(0, 100, epsilon=2).window
    275
    """

    low: Fraction
    high: Fraction
    steps: int
    odds: Odds
    cells: int
    window: int

    def __init__(
        self,
        low: Number,
        high: Number,
        epsilon: Number,
        steps: int = STEPS,
        cells: int = _CELLS,
    ) -> None:
        odds = Odds.of(epsilon)
        root = Fraction(isqrt(odds.truth << 32), isqrt(odds.lie << 32))  # about e**(epsilon/2)
        window = min(max(1, round(cells / (root + 1))), cells - 1)
        fill(self, **_range(low, high, steps), odds=odds, cells=cells, window=window)

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    @property
    def _places(self) -> int:
        """The largest number of cells before the window."""
        return self.cells - self.window

    @property
    def _weights(self) -> tuple[int, int]:
        return self.odds.truth * self.window, self.odds.lie * self._places

    def randomise(self, step: int, draws: Draws) -> int:
        """The number of a cell."""
        whole, part = divmod(step * self._places, self.steps)
        place = whole + (draws.below(self.steps) < part)
        if draws.coin(*self._weights):
            return place + draws.below(self.window)
        outside = draws.below(self._places)
        return outside if outside < place else outside + self.window

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """The same for many."""
        whole, part = np.divmod(steps * self._places, self.steps)
        places = whole + (draws.numbers(self.steps, len(steps)) < part)
        inside = draws.coins(*self._weights, len(steps))
        within = places + draws.numbers(self.window, len(steps))
        outside = draws.numbers(self._places, len(steps))
        return np.where(inside, within, outside + self.window * (outside >= places))

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Numbers of cells."""
        return read_numbers(reports, self.cells)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Numbers of cells."""
        return check_numbers(reports, self.cells)

    @property
    def reports(self) -> int:
        """As many as there are cells."""
        return self.cells

    def score(self, report: int) -> Fraction:
        """The place of the window that would have this cell as its mean, in the unit of the range.

        Claim:      the mean of the score is the number.
        Because:    the mean cell is affine in the window's place: the sum over all cells at weight
                    `lie` does not move, and that over the window at truth - lie moves with it.
        Checked by: tests/laws/test_local.py::test_the_mean_of_numbers_is_unbiased
        """
        inside, outside = self._weights
        total = inside + outside
        gain = Fraction((self.odds.truth - self.odds.lie) * self.window, total)
        base = Fraction(self.odds.lie * self.cells * (self.cells - 1), 2 * total)
        middle = Fraction(self.window - 1, 2)
        place = (report - base) / gain - middle
        return self.low + (self.high - self.low) * place / self._places

    def law(self, step: int) -> dict[int, Fraction]:
        """All cells."""
        whole, part = divmod(step * self._places, self.steps)
        total = sum(self._weights)
        law = dict.fromkeys(range(self.cells), Fraction(self.odds.lie, total))
        more = Fraction(self.odds.truth - self.odds.lie, total)
        for place, chance in (
            (whole, 1 - Fraction(part, self.steps)),
            (whole + 1, Fraction(part, self.steps)),
        ):
            if chance:
                for cell in range(place, place + self.window):
                    law[cell] += more * chance
        return law

    def name(self, report: int) -> int:
        """Itself."""
        return report

    def describe(self) -> dict[str, Any]:
        """The range, the steps, the cells and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        sizes = {"steps": self.steps, "cells": self.cells, "window": self.window}
        return {"protocol": "piecewise", **_ends(self), **sizes, **odds}


@frozen(init=False)
class Hybrid(MeanProtocol):
    """Piecewise with probability 1 - e**(-epsilon/2), else Duchi's bit: better than either.

    At an epsilon of at most 0.61 it is Duchi's bit alone (Wang et al. 2019).

    Claim:      a report costs what the dearer of the two costs.
    Because:    which of the two is used does not depend on the number, and the report says it.
    Checked by: tests/laws/test_local.py::test_a_number_costs_what_is_claimed_and_no_less

    >>> Hybrid(0, 100, epsilon=2).share
    Fraction(2714937127, 4294967296)
    """

    duchi: Duchi
    piecewise: Piecewise
    share: Fraction

    def __init__(
        self,
        low: Number,
        high: Number,
        epsilon: Number,
        steps: int = STEPS,
        cells: int = _CELLS,
    ) -> None:
        price = at_most(epsilon, "epsilon")
        duchi, piecewise = (
            Duchi(low, high, epsilon, steps),
            Piecewise(low, high, epsilon, steps, cells),
        )
        with working():
            share = (
                lower(1 - (-ball(price) / 2).exp()) if price > Fraction(61, 100) else Fraction(0)
            )
        fill(
            self, duchi=duchi, piecewise=piecewise, share=Fraction(int(share * (1 << 32)), 1 << 32)
        )

    @property
    def low(self) -> Fraction:  # type: ignore[override]
        """The low end of the range."""
        return self.duchi.low

    @property
    def high(self) -> Fraction:  # type: ignore[override]
        """The high end of the range."""
        return self.duchi.high

    @property
    def steps(self) -> int:  # type: ignore[override]
        """The steps of the range."""
        return self.duchi.steps

    @property
    def ratio(self) -> Fraction:
        """The larger of the two."""
        return max(self.duchi.ratio, self.piecewise.ratio)

    @property
    def _coin(self) -> tuple[int, int]:
        return self.share.numerator, self.share.denominator - self.share.numerator

    def randomise(self, step: int, draws: Draws) -> tuple[int, int]:
        """Which of the two (zero for Duchi's), and its report."""
        if draws.coin(*self._coin):
            return 1, self.piecewise.randomise(step, draws)
        return 0, self.duchi.randomise(step, draws)

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """Zero or one of Duchi's, or two more than a cell."""
        wide = draws.coins(*self._coin, len(steps))
        bits, cells = (
            self.duchi.randomise_all(steps, draws),
            self.piecewise.randomise_all(steps, draws),
        )
        return np.where(wide, cells + 2, bits)

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Pairs of which and what."""
        found = []
        for report in reports:
            pair = tuple(report) if isinstance(report, list | tuple) else ()
            fits = len(pair) == 2 and all(type(each) is int for each in pair) and pair[0] in {0, 1}
            if not fits or not 0 <= pair[1] < (self.piecewise.cells if pair[0] else 2):
                raise InvalidData(
                    "a report must be a pair of integers, a part and a value; encode it again"
                )
            found.append(pair[1] + 2 * pair[0])
        return np.array(found, dtype=np.int64)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Numbers below two more than the cells."""
        return check_numbers(reports, self.piecewise.cells + 2)

    @property
    def reports(self) -> int:
        """Those of both."""
        return self.piecewise.cells + 2

    def score(self, report: int) -> Fraction:
        """That of either."""
        return self.duchi.score(report) if report < 2 else self.piecewise.score(report - 2)

    def law(self, step: int) -> dict[int, Fraction]:
        """Those of both."""
        bits = {each: chance * (1 - self.share) for each, chance in self.duchi.law(step).items()}
        cells = {each + 2: chance * self.share for each, chance in self.piecewise.law(step).items()}
        return bits | cells if self.share else bits

    def name(self, report: int) -> tuple[int, int]:
        """Which, and what."""
        return (0, report) if report < 2 else (1, report - 2)

    def describe(self) -> dict[str, Any]:
        """Those of both, and the coin between them."""
        coin = [str(each) for each in self._coin]
        parts = {"duchi": self.duchi.describe(), "piecewise": self.piecewise.describe()}
        return {"protocol": "hybrid", "steps": self.steps, **_ends(self), "coin": coin, **parts}


@lru_cache(maxsize=64)
def _scores(protocol: MeanProtocol) -> tuple[Fraction, NDArray[Any]]:
    """The scores of all reports as whole numbers of one unit, and the unit."""
    exact = [protocol.score(report) for report in range(protocol.reports)]
    shared = lcm(*(score.denominator for score in exact))
    return Fraction(1, shared), np.array([int(score * shared) for score in exact], dtype=object)


def _range(low: Number, high: Number, steps: int) -> dict[str, Any]:
    least, most = at_most(low, "low"), at_least(high, "high")
    if not least < most:
        raise InvalidInput("high", high, "give a number above the low end")
    if type(steps) is not int or not 1 <= steps <= 1 << 30:
        raise InvalidInput("steps", steps, "give a whole number from 1 to 2**30")
    return {"low": least, "high": most, "steps": steps}


def _ends(protocol: MeanProtocol) -> dict[str, list[str]]:
    return {
        name: [str(end.numerator), str(end.denominator)]
        for name, end in (("low", protocol.low), ("high", protocol.high))
    }
