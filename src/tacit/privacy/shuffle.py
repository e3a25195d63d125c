"""The loss of reports that arrive shuffled: what one of many local reports gives away in the crowd."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp as float_exp
from math import inf, lgamma, sqrt
from math import log as float_log

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import (
    Ball,
    Number,
    at_least,
    at_most,
    ball,
    count_of,
    float_at_least,
    hull,
    upper,
    working,
)
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import PureLoss
from tacit.privacy.loss import Loss, Order, check_epsilon
from tacit.privacy.protection import Neighbours, fill

__all__ = ["Shuffled", "shuffled_epsilon"]

Floats = NDArray[np.float64]

_BLOCKS = 96
_FEWEST = 24  # blocks of a search, whose result is certified afterwards
_ERROR = Fraction(1, 10**8)  # relative, of a sum of positive floats: far above what rounding can do
_MOST = 1 << 40
_LARGEST = 30


@frozen(init=False)
class Shuffled(Loss):
    """One of `people` reports, each epsilon-DP for its owner, whose order is lost before anybody looks.

    Claim:      delta bounds that of any such randomiser, the same for everybody; with `response`, that
                of k-ary randomized response.
    Because:    others act as clones: the reports of two values are a function of the two counts
                (A + D, C - A + 1 - D), C being Binomial(n - 1, 2 p), A Binomial(C, 1/2) and D the
                response of the one in question.  For any randomiser p = e**-epsilon / 2 (Feldman,
                McMillan, Talwar 2021), for k-ary response p = 1 / (e**epsilon + 1) (the same authors,
                2022); docs/proofs/shuffling.md.
    Checked by: tests/laws/test_shuffle.py

    >>> Shuffled(1, people=10_000).people
    10000
    """

    epsilon: Fraction
    people: int
    response: bool

    def __init__(self, epsilon: Number, people: int, *, response: bool = False) -> None:
        price = at_least(epsilon, "epsilon")
        if not 0 < price <= _LARGEST:
            raise InvalidInput("epsilon", epsilon, f"give a price above 0 and up to {_LARGEST}")
        crowd = count_of(people, "people", least=1, most=_MOST)
        fill(self, epsilon=price, people=crowd, response=bool(response))

    @property
    def neighbours(self) -> Neighbours:
        """Replace: everybody reports, and how many do is known."""
        return Neighbours.REPLACE

    def delta(self, epsilon: Fraction) -> Ball:
        """At most this, at any epsilon."""
        check_epsilon(epsilon)
        if epsilon >= self.epsilon:
            return ball(0)
        found = certified_delta(self, epsilon, _BLOCKS)
        own = PureLoss(self.epsilon).delta(epsilon)
        return min(found, own, key=upper)

    def renyi(self, order: Order) -> Ball:
        """That of the report alone: shuffling is post-processing."""
        return PureLoss(self.epsilon).renyi(order)

    def rho(self) -> Ball:
        """That of the report alone."""
        return PureLoss(self.epsilon).rho()

    def group(self, size: int) -> PureLoss:
        """That of the reports alone."""
        return PureLoss(self.epsilon, Neighbours.REPLACE).group(size)


def shuffled_epsilon(
    epsilon: Number, people: int, delta: Number, *, response: bool = False
) -> float:
    """The central epsilon of so many shuffled reports, at this delta; rounded up and certified.

    >>> round(shuffled_epsilon(1, people=100_000, delta=1e-6), 3)
    0.015
    """
    loss, wanted = Shuffled(epsilon, people, response=response), at_most(delta, "delta")
    if not 0 < wanted < 1:
        raise InvalidInput("delta", delta, "give a probability strictly between 0 and 1")
    guess = Fraction(_search(loss, float(wanted)))
    with working():
        for widening in range(1, 60):
            tried = min(guess, loss.epsilon)
            if upper(loss.delta(tried)) <= wanted:
                return float_at_least(tried)
            guess *= 1 + Fraction(1 << widening, 1 << 14)
    return float_at_least(loss.epsilon)


def certified_delta(loss: Shuffled, epsilon: Fraction, blocks: int) -> Ball:
    """The bound at one epsilon, certified: clones in blocks, each judged by its fewest.

    Claim:      the ball's upper end bounds the sum over c of P(C = c) delta(c).
    Because:    delta(c) falls with c, since one more fair coin in the counts is post-processing; the
                parts are certified figures at one point and sums of positive floats from there on.
    Checked by: tests/laws/test_shuffle.py::test_the_bound_is_that_of_the_exact_sum
    """
    with working():
        odds, growth = ball(loss.epsilon).exp(), ball(epsilon).exp()
        rate = 2 / (odds + 1) if loss.response else 1 / odds
        masses = _masses(loss.people - 1, rate, blocks)
        found = ball(0)
        for fewest, mass in masses:
            found += mass * _delta_of(fewest, odds, growth)
        return found.min(ball(1))


def _masses(others: int, rate: Ball, blocks: int) -> list[tuple[int, Ball]]:
    """The fewest clones of each block, and the probability of the block, rounded up."""
    chance = float(rate.mid())
    if others < 64:
        chances = [_binomial(others, c, rate) for c in range(others + 1)]
        return list(enumerate(chances))
    low, high = _window(others, chance)
    mode = min(max(int((others + 1) * chance), low), high)
    law = _law_around_mode(others, chance, low, mode, high)
    peak = _binomial(others, mode, rate)
    widen = hull(ball(1 - _ERROR), ball(1 + _ERROR))
    edges = np.unique(np.linspace(low, high, blocks + 1).astype(np.int64))
    sums = np.add.reduceat(law, edges[:-1] - low)
    parts = [
        (int(first), ball(Fraction(float(mass))) * peak * widen)
        for first, mass in zip(edges[:-1], sums, strict=True)
    ]
    # The ends are geometric series at most: pmf falls by at least the first ratio at every step.
    first = ball(Fraction(float(law[0]))) * peak * widen
    last = ball(Fraction(float(law[-1]))) * peak * widen
    falling = low * (1 - rate) / ((others - low + 1) * rate)
    rising = (others - high) * rate / ((high + 1) * (1 - rate))
    if low > 0:
        parts.append((0, first * falling / (1 - falling)))
    parts.append((high, last / (1 - rising) if high < others else last))
    return parts


def _window(others: int, chance: float) -> tuple[int, int]:
    """Where nearly all of the clones are."""
    middle, deviation = others * chance, sqrt(others * chance * (1 - chance))
    low, high = int(middle - 9 * deviation - 9), int(middle + 8 * deviation + 9)
    return max(low, 0), min(high, others)


def _law_around_mode(others: int, chance: float, low: int, mode: int, high: int) -> Floats:
    """The law from `low` to `high`, in units of what it is at its mode."""
    odds = chance / (1 - chance)
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    above = np.cumprod((others - up) / (up + 1) * odds)
    below = np.cumprod(down / (others - down + 1) / odds)
    return np.concatenate([below[::-1], [1.0], above])


def _binomial(count: int, place: int, chance: Ball) -> Ball:
    """The probability of a place, certified."""
    if place in {0, count}:
        return (chance if place else 1 - chance) ** count
    logs = _log_choose(count, place) + place * chance.log() + (count - place) * (1 - chance).log()
    return logs.exp()


def _log_choose(count: int, place: int) -> Ball:
    return ball(count + 1).lgamma() - ball(place + 1).lgamma() - ball(count - place + 1).lgamma()


def _delta_of(clones: int, odds: Ball, growth: Ball) -> Ball:
    """The exact delta among so many clones: the best test is a threshold on the first count.

    Claim:      the largest sum over a >= t of P(a) - growth Q(a), over all t.
    Because:    with m = clones + 1 the ratio P(a) / Q(a) = (odds a + m - a) / (a + odds (m - a)) grows
                with a, so the best t is the first at which it exceeds `growth`; where a ball cannot
                tell which that is, the larger sum is taken.
    Checked by: tests/laws/test_shuffle.py::test_the_bound_is_that_of_the_exact_sum
    """
    held = odds / (odds + 1)
    middle = (clones + 1) * (growth * odds - 1) / ((odds - 1) * (1 + growth))
    first = int(float(middle.mid()))
    found = ball(0)
    for start in (first, first + 1, first + 2):
        if 1 <= start <= clones + 1:
            found = found.max(_excess(clones, start, held, growth))
    return found


def _excess(clones: int, start: int, held: Ball, growth: Ball) -> Ball:
    """P(a >= start) - growth Q(a >= start): only the last coin of `start` tells the two apart."""
    at = _half_binomial(clones, start - 1)
    above = at * _sum_above(clones, start - 1, 1)
    return (1 - growth) * above + (held - growth * (1 - held)) * at


def _half_binomial(count: int, place: int) -> Ball:
    return _binomial(count, place, ball(Fraction(1, 2)))


def _sum_above(count: int, place: int, skipped: int) -> Ball:
    """The sum of the law of fair coins above a place, in units of the law there."""
    total, error = _float_sum(count, place)
    exact = ball(Fraction(total)) * hull(ball(1 - _ERROR), ball(1 + _ERROR))
    return (exact + hull(ball(0), ball(Fraction(error)))) * skipped


def _float_sum(count: int, place: int) -> tuple[float, float]:
    """The same in floats, and a bound of what was left out: a geometric series."""
    steps = min(count - place, 64 + int(14 * sqrt(count)))
    if steps <= 0:
        return 0.0, 0.0
    over = np.arange(place, place + steps, dtype=np.float64)
    ratios = (count - over) / (over + 1)
    terms = np.cumprod(ratios)
    if place + steps == count:
        return float(terms.sum()), 0.0
    last = ratios[-1]
    rest = float(terms[-1]) * 2 / (1 - last) if last < 1 else inf
    return float(terms.sum()), rest


def _search(loss: Shuffled, delta: float) -> float:
    """An epsilon whose delta is near the wanted one, in floats; what it finds is certified elsewhere."""
    figure = _float_delta(loss)
    low, high = 0.0, float(loss.epsilon)
    if figure(low) <= delta:
        return high * 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        if high - low < 1e-5 * high:
            break
        low, high = (middle, high) if figure(middle) > delta else (low, middle)
    return high


def _float_delta(loss: Shuffled) -> Callable[[float], float]:
    """The bound as a function of epsilon, in floats."""
    odds, others = float_exp(float(loss.epsilon)), loss.people - 1
    rate = 2 / (odds + 1) if loss.response else 1 / odds
    low, high = _window(others, rate) if others >= 64 else (0, others)
    mode = min(max(int((others + 1) * rate), low), high)
    law = _law_around_mode(others, rate, low, mode, high)
    law /= law.sum()
    edges = np.unique(np.linspace(low, high + 1, _FEWEST + 1).astype(np.int64))
    sums = np.add.reduceat(law, edges[:-1] - low)
    blocks = list(zip(edges[:-1].tolist(), sums.tolist(), strict=True))

    def figure(epsilon: float) -> float:
        growth, held = float_exp(epsilon), odds / (odds + 1)
        theta = (growth * odds - 1) / ((odds - 1) * (1 + growth))
        found = 0.0
        for clones, mass in blocks:
            start = int((clones + 1) * theta) + 1
            if start > clones + 1 or not mass:
                continue
            logs = lgamma(clones + 1) - lgamma(start) - lgamma(clones - start + 2)
            at = float_exp(logs - clones * float_log(2))
            above = at * _float_sum(clones, start - 1)[0]
            found += mass * max(0.0, (1 - growth) * above + (held - growth * (1 - held)) * at)
        return found

    return figure
