"""On what terms a threshold is watched: noise, price and error, from policy and plan alone."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.noise_of_measures import worth_of
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number, at_most, count_of, upper, working
from tacit.frozen import frozen
from tacit.mechanisms import AboveThreshold
from tacit.plan import (
    Counted,
    Distinct,
    MeasureOf,
    Plan,
    Question,
    Summed,
    Units,
    Weights,
)
from tacit.privacy import Loss, Neighbours, PureLoss, Sensitivity, ZeroConcentratedLoss
from tacit.stability import is_monotone, score_sensitivity, weights_for

__all__ = ["STEPS", "Compared", "WatchTerms", "compared_of", "watch_terms"]

STEPS = 1 << 8
"""So many steps is the most that one unit moves what is compared, whatever is asked."""

MOST_ANSWERS = 1000
"""The most answers of one watch: each has a noisy threshold of its own where the currency is rho."""


@frozen
class WatchTerms:
    """What a watch will be made of; computed without data."""

    threshold: Fraction
    answers: int
    mechanism: AboveThreshold
    amount: Fraction
    concentrated: bool
    neighbours: Neighbours

    @property
    def lines(self) -> int:
        """How many noisy thresholds there are: one for all answers, or one for each."""
        return self.answers // self.mechanism.count

    @property
    def loss(self) -> Loss:
        """What is paid for the whole watch when it begins: the asked price, which its noise keeps.

        Claim:      all answers of a watch together, however many questions are asked, cost no more than this.
        Because:    what is compared moves by at most STEPS between neighbours, whichever question is asked, so that one
                    line of questions is a session of `AboveThreshold`: pure, and interactive.  In a pure vault there is
                    one line, of the whole price.  With a delta there is one for each answer, begun when the one before
                    it has ended: the rho of a pure epsilon is epsilon tanh(epsilon / 2), and rho adds up.  Between its
                    questions others may be asked: losses of interactive mechanisms add up although they are asked in
                    turns (Vadhan and Wang 2021; Haney and others 2023 for filters).
        Checked by: tests/laws/test_watch.py::test_the_price_covers_the_exact_law
        """
        if self.concentrated:
            return ZeroConcentratedLoss(self.amount, 0, self.neighbours)
        return PureLoss(self.amount, self.neighbours)

    def error(self, compared: Compared, confidence: Number, asks: int) -> Fraction:
        """No value further than this from the threshold is called wrongly in so many questions, at this confidence."""
        sure = 1 - (1 - at_most(confidence, "confidence")) / self.lines
        return Fraction(self.mechanism.error(sure, asks), STEPS) * compared.moved


@frozen
class Compared:
    """A number that is compared with the threshold: the question, its weights, and how far a unit moves it."""

    question: Question
    weights: Weights
    sensitivity: Sensitivity
    worth: Fraction

    @property
    def moved(self) -> Fraction:
        """How far the number moves between neighbours at most, in its own unit."""
        return self.sensitivity.bound * self.worth

    def steps_above(self, exact: int, threshold: Fraction) -> int:
        """How far the exact integer is above the threshold, in steps of which a unit moves it by at most `STEPS`.

        Claim:      between neighbours it moves by at most STEPS.
        Because:    the integer moves by at most the sensitivity, so that STEPS times their ratio moves by at most
                    STEPS; rounding down keeps that, since STEPS is whole.
        Checked by: tests/laws/test_watch.py::test_what_is_compared_moves_no_further_than_is_claimed
        """
        return floor((exact - threshold / self.worth) * STEPS / self.sensitivity.bound)


def watch_terms(
    limit: Limit,
    threshold: Number,
    amount: Fraction,
    answers: int,
    monotone: bool | None,
) -> WatchTerms:
    """The terms of a watch at a price: `amount` of rho (delta > 0) or of epsilon (delta = 0)."""
    many = count_of(answers, "answers", least=1, most=MOST_ANSWERS)
    adding = limit.neighbours is Neighbours.ADD_OR_REMOVE
    if monotone and not adding:
        remedy = (
            "numbers all move in the same direction only under add-or-remove; leave monotone out"
        )
        raise InvalidInput("monotone", monotone, remedy)
    same_way = adding if monotone is None else bool(monotone)
    concentrated = bool(limit.delta)
    each, count = (_epsilon_of(amount / many), 1) if concentrated else (amount, many)
    if each <= 0:
        raise InvalidInput("epsilon", float(amount), "give a larger price")
    moved = Sensitivity(STEPS, neighbours=limit.neighbours)
    mechanism = AboveThreshold.calibrate(each, moved, count, monotone=same_way)
    return WatchTerms(
        at_most(threshold, "threshold"), many, mechanism, amount, concentrated, limit.neighbours
    )


def compared_of(plan: Plan, shared: Shared, limit: Limit, *, monotone: bool) -> Compared:
    """What is compared of a question with one number; others are refused.

    Claim:      if the watch is monotone, everything that is compared grows when a unit comes, and shrinks when it goes.
    Because:    counts do, and sums of values that are not negative; all else is refused.
    Checked by: tests/laws/test_watch.py::test_a_monotone_watch_refuses_what_may_shrink
    """
    question, view = plan.question, plan.view
    one = len(view.columns) == 1 and view.columns[0].value == MeasureOf(0)
    if question.keys or len(question.measures) != 1 or not one or view.having or view.qualify:
        raise InvalidPlan(
            "a watch compares a single number with its threshold",
            "ask for one COUNT or SUM without GROUP BY, as in SELECT COUNT(*) FROM visits WHERE ward = 'A'",
        )
    (measure,) = question.measures
    if not isinstance(measure, Counted | Units | Distinct) and not (
        isinstance(measure, Summed) and measure.centre == 0
    ):
        raise InvalidPlan(
            "a watch compares counts and sums, whose sensitivity is known",
            "ask for a COUNT or a SUM; instead of a mean, watch SUM(x - limit) above zero",
        )
    if monotone and not (_grows(measure) and is_monotone(question, limit.neighbours)):
        raise InvalidPlan(
            "this sum may shrink when somebody is added, and the watch is for numbers that grow",
            "begin another watch with monotone=False, or clip the values at zero: GREATEST(x, 0)",
        )
    weights = weights_for(question, shared.contributions, limit.weighing)
    moved = score_sensitivity(question, weights, limit.neighbours)
    return Compared(question, weights, moved, worth_of(measure, weights))


def _grows(measure: object) -> bool:
    """Whether rows add nothing negative."""
    return not isinstance(measure, Summed) or measure.low >= 0


@lru_cache(maxsize=64)
def _epsilon_of(rho: Fraction) -> Fraction:
    """The largest pure epsilon, to 40 bits, whose rho is at most this."""
    low, high = Fraction(0), Fraction(1)
    while _rho_of(high) <= rho:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _rho_of(middle) <= rho else (low, middle)
    return low


def _rho_of(epsilon: Fraction) -> Fraction:
    """The rho of a pure epsilon, rounded up."""
    with working():
        return upper(PureLoss(epsilon).rho())
