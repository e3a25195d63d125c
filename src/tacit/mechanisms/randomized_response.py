"""Randomized response: everyone answers with a coin of their own, and only the crowd is told apart."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import (
    Number,
    at_most,
    ball,
    below,
    bernoulli,
    count_of,
    float_at_least,
    log,
    lower,
    upper,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import array_of, copies_of, sensitivity_of, whole
from tacit.mechanisms.parameters import confidence_of
from tacit.privacy import (
    FiniteLoss,
    Loss,
    Neighbours,
    Norm,
    PureLoss,
    Sensitivity,
    fill,
    root_at_least,
)

__all__ = ["Estimate", "RandomizedResponse"]


@frozen
class Estimate:
    """How many people truly gave an answer, judged from noisy reports: unbiased, with its standard deviation.

    >>> Estimate(Fraction(40), Fraction(100), Fraction(9))
    Estimate(count=40, people=100, deviation=3)
    >>> Estimate(Fraction(40), Fraction(100), Fraction(9)).share
    Fraction(2, 5)
    """

    count: Fraction
    people: Fraction
    variance: Fraction

    @property
    def share(self) -> Fraction:
        """The count as a share of the people."""
        return self.count / self.people

    @property
    def deviation(self) -> float:
        """The standard deviation of the count."""
        return float(root_at_least(self.variance))

    def __repr__(self) -> str:
        """In decimals: the fractions have dozens of digits."""
        return (
            f"Estimate(count={float(self.count):.6g}, people={float(self.people):.6g}, "
            f"deviation={self.deviation:.4g})"
        )


@frozen(init=False)
class RandomizedResponse:
    """The truth with probability `truth`, else one of the other answers, each alike.

    Claim:      one report costs its owner exactly ln(truth / lie), `lie` being the probability of each other answer;
                for two answers that is all that any release of this epsilon can cost.
    Because:    the two distributions differ in the owner's two answers only, where their ratio is truth / lie.
    Checked by: tests/laws/test_mechanisms.py, tests/laws/test_exact_verifier.py

    >>> RandomizedResponse.two_coin().truth
    Fraction(3, 4)
    >>> round(RandomizedResponse(epsilon=1).epsilon, 9)
    1.0
    """

    truth: Fraction
    categories: int

    def __init__(self, epsilon: Number, categories: int = 2) -> None:
        price = at_most(epsilon, "epsilon")
        if not Fraction(1, 1 << 40) <= price <= 1 << 10:
            raise InvalidInput("epsilon", epsilon, "give a price from 2**-40 to 1024")
        kinds = _kinds(categories)
        # Rounding the truth down keeps the loss below the price by more than the width of the ball that states it.
        places = 112 + 2 * ceil(price)
        with working(2 * places):
            grown = ball(price).exp()
            truth = lower(grown / (grown + (kinds - 1)))
        fill(self, truth=Fraction(floor(truth * (1 << places)), 1 << places), categories=kinds)

    @classmethod
    def telling(cls, truth: Number, categories: int = 2) -> RandomizedResponse:
        """The mechanism that tells the truth with this probability.

        >>> RandomizedResponse.telling(Fraction(9, 10)).lie
        Fraction(1, 10)
        """
        exact, kinds = at_most(truth, "truth"), _kinds(categories)
        if not Fraction(1, kinds) < exact < 1:
            raise InvalidInput("truth", truth, f"give a probability above 1/{kinds} and below 1")
        made = cls.__new__(cls)
        fill(made, truth=exact, categories=kinds)
        return made

    @classmethod
    def two_coin(cls) -> RandomizedResponse:
        """Heads: the truth.  Tails: whatever a second coin says.  Its epsilon is ln 3.

        >>> RandomizedResponse.two_coin().epsilon
        1.0986122886681098
        """
        return cls.telling(Fraction(3, 4))

    @classmethod
    def half_plus(cls, gamma: Number) -> RandomizedResponse:
        """The truth with probability 1/2 + gamma.  Its epsilon is ln((1 + 2 gamma) / (1 - 2 gamma)).

        >>> RandomizedResponse.half_plus(Fraction(1, 4)) == RandomizedResponse.two_coin()
        True
        """
        exact = at_most(gamma, "gamma")
        if not 0 < exact < Fraction(1, 2):
            raise InvalidInput("gamma", gamma, "give a number above 0 and below 1/2")
        return cls.telling(Fraction(1, 2) + exact)

    @property
    def lie(self) -> Fraction:
        """The probability of each answer that is not the truth."""
        return (1 - self.truth) / (self.categories - 1)

    @property
    def epsilon(self) -> float:
        """ln(truth / lie), rounded up."""
        return float_at_least(self._epsilon())

    def _epsilon(self) -> Fraction:
        bits = 2 * self.truth.denominator.bit_length() + 256
        return upper(log(self.truth / self.lie, bits))

    def release(self, value: Any, times: int | None = None) -> Any:
        """A report for each true answer (0, 1, …); with `times`, that many reports of one answer, each to be paid for.

        Claim:      every report depends on its own answer and its own coins only.
        Because:    one coin and one uniform shift are drawn for each, whether or not they are used.
        Checked by: tests/laws/test_mechanisms.py
        """
        answers = self._answers(value)
        if answers.ndim == 0:
            reports = self._reports(np.full(1 if times is None else copies_of(times), answers))
            return int(reports[0]) if times is None else reports
        if times is not None:
            raise InvalidData(
                "only one answer can be released several times at once; release an array once"
            )
        return self._reports(answers.ravel()).reshape(answers.shape)

    def _reports(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        honest = bernoulli(self.truth, len(answers))
        others = answers + 1 + below(self.categories - 1, len(answers))
        return np.where(honest, answers, others % self.categories)

    def _answers(self, value: Any) -> NDArray[np.int64]:
        answers = array_of(value)
        if answers.dtype.kind not in "biu" and answers.size:
            raise InvalidData(
                f"answers must be whole numbers from 0 to {self.categories - 1}; number the categories first"
            )
        answers = answers.astype(np.int64)
        if answers.size and not (answers.min() >= 0 and answers.max() < self.categories):
            raise InvalidData(
                f"answers must lie between 0 and {self.categories - 1}; number the categories from zero"
            )
        return answers

    def loss(self, sensitivity: Sensitivity | Number = 1) -> Loss:
        """What the reports cost a unit that can change this many of them; a bare number is for the replace relation."""
        moved = sensitivity_of(sensitivity, Neighbours.REPLACE)
        reports = whole(moved.bound)
        if moved.norm is not Norm.L1 or reports < 1:
            raise InvalidInput(
                "sensitivity",
                moved.bound,
                "give the number of a unit's reports that may change, at least 1",
            )
        one = self._loss(moved.neighbours)
        return one if reports == 1 else one * reports

    def _loss(self, neighbours: Neighbours) -> Loss:
        if self.categories == 2:
            return PureLoss(self._epsilon(), neighbours)
        # The answers that neither neighbour holds are equally likely under both, so they count as one.
        others = (self.categories - 2) * self.lie
        return FiniteLoss(
            [self.truth, self.lie, others], [self.lie, self.truth, others], neighbours
        )

    def distribution(self, exact: int) -> dict[int, Fraction]:
        """The probability of every report when the true answer is as given.

        >>> RandomizedResponse.two_coin().distribution(1)
        {0: Fraction(1, 4), 1: Fraction(3, 4)}
        """
        answers = self._answers(exact)
        if answers.ndim:
            raise InvalidData("a law is that of one answer; ask for each answer's own")
        answer = int(answers)
        return {
            report: self.truth if report == answer else self.lie
            for report in range(self.categories)
        }

    def reports_law(self, holders: int, others: int) -> dict[int, Fraction]:
        """The exact law of how many report an answer that `holders` people hold and `others` do not.

        It is Binomial(holders, truth) + Binomial(others, lie).

        >>> RandomizedResponse.two_coin().reports_law(holders=1, others=1)[2]
        Fraction(3, 16)
        """
        tell, stray = (
            [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            for n, p in (
                (count_of(holders, "holders"), self.truth),
                (count_of(others, "others"), self.lie),
            )
        )
        law = dict.fromkeys(range(len(tell) + len(stray) - 1), Fraction(0))
        for k, first in enumerate(tell):
            for j, second in enumerate(stray):
                law[k + j] += first * second
        return law

    def estimate(self, reports: Any) -> dict[int, Estimate]:
        """For every answer, how many people truly hold it: the debiased count of its reports.

        Claim:      the expected value of each count is the true one.
        Because:    E[reports] = n lie + count (truth - lie), solved for the count; the plain share is biased.
        Checked by: tests/laws/test_mechanisms.py

        >>> RandomizedResponse.two_coin().estimate([1, 1, 0, 1])[1].count
        Fraction(4, 1)
        """
        answers = self._answers(reports).ravel()
        if not answers.size:
            raise InvalidData("there are no reports to estimate from; collect some first")
        seen = np.bincount(answers, minlength=self.categories).tolist()
        people, apart = len(answers), self.truth - self.lie
        return {
            answer: Estimate(
                (count - people * self.lie) / apart, Fraction(people), people * self.variance
            )
            for answer, count in enumerate(seen)
        }

    @property
    def variance(self) -> Fraction:
        """The most that one person adds to the variance of an estimated count.

        With two answers it is e**epsilon / (e**epsilon - 1)**2, whatever the person holds.

        >>> RandomizedResponse.two_coin().variance
        Fraction(3, 4)
        """
        spread = max(self.truth * (1 - self.truth), self.lie * (1 - self.lie))
        return spread / (self.truth - self.lie) ** 2

    def error(self, confidence: Number, answers: int = 1) -> float:
        """The distance within which an estimated count stays when so many people answer, by Hoeffding's inequality.

        >>> RandomizedResponse.two_coin().error(confidence=0.95, answers=10_000)
        271.6...
        """
        wanted = confidence_of(confidence)
        people = count_of(answers, "answers", least=1)
        with working():
            spread = upper(log(2 / (1 - wanted)) * people / 2)
        return float_at_least(root_at_least(spread) / (self.truth - self.lie))


def _kinds(categories: int) -> int:
    kinds = count_of(categories, "categories", least=2)
    if kinds > 1 << 32:
        raise InvalidInput("categories", categories, "give a number of categories from 2 to 2**32")
    return kinds
