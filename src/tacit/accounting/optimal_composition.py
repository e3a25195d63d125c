"""Optimal composition of pure losses: everyone answers by randomized response, and the answers are counted."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt, prod

from tacit.accounting.basic_composition import pure_parts
from tacit.accounting.bound_protocol import Bound, Profile
from tacit.exact import Ball, ball, hull, precision
from tacit.frozen import frozen
from tacit.privacy import Composed, PureLoss

__all__ = ["Optimal"]

# How many cases of the rarer epsilons are gone through, before the commonest one is summed in closed form.
_CASES = 128


@frozen
class Optimal(Bound):
    """Pure losses, each as the randomized response it is made from: no bound that knows only epsilons is smaller.

    Claim:      delta(e) is the mean of max(0, 1 - exp(e - L)), L being the sum of the losses +-epsilon_i of independent
                randomized responses.
    Because:    every pure release is a post-processing of randomized response, also among others and adaptively
                (Kairouz, Oh, Viswanath 2015, Theorem 3.3; a failure delta_i is split off before, which gives their
                1 - (1 - delta)**k (1 - delta_j)).
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "optimal"

    def profile(self, losses: Composed) -> Profile | None:
        """The exact delta of that many randomized responses, if few epsilons are unlike."""
        parts = pure_parts(losses)
        if parts is None:
            return None
        groups = sorted(((own, times) for own, times in parts if own), key=lambda group: group[1])
        if prod(times + 1 for _, times in groups[:-1]) > _CASES:
            return None
        return lambda epsilon: _responses(groups, epsilon)

    def is_exact(self, losses: Composed) -> bool:
        """Whether nothing but epsilons is known of the losses."""
        return all(isinstance(part, PureLoss) for part, _ in losses.parts)


def _responses(groups: list[tuple[Fraction, int]], epsilon: Fraction) -> Ball:
    """The delta of independent randomized responses: the first group's sums one by one, the last one's all at once."""
    if not groups:
        return (1 - ball(epsilon).exp()).max(ball(0))
    (own, times), *others = groups
    if not others:
        return _binomial(own, times, epsilon)
    truth = 1 / (1 + (-ball(own)).exp())
    chance, total = (1 - truth) ** times, ball(0)
    for truths in range(times + 1):
        total += chance * _responses(others, epsilon - (2 * truths - times) * own)
        chance = chance * (times - truths) / (truths + 1) * ball(own).exp()
    return total


def _binomial(own: Fraction, times: int, epsilon: Fraction) -> Ball:
    """The sum over the number k of truths of P(k) max(0, 1 - exp(epsilon - (2k - n) own)).

    Claim:      the ball holds the sum.
    Because:    left out are numbers of truths so far below their mean that Hoeffding bounds them by exp(-2 bits - 80),
                and the end of the sum, whose terms fall faster than a geometric series.
    Checked by: tests/unit/accounting/test_optimal_composition.py
    """
    first = max(0, floor((epsilon / own + times) / 2) + 1)
    if first > times:
        return ball(0)
    told = ball(own)
    truth, lie = 1 / (1 + (-told).exp()), 1 / (1 + told.exp())
    skipped, reach = ball(0), isqrt(times * (precision() + 40)) + 1
    usual = floor(float(truth.mid()) * times) - 1 - reach
    if first < usual:
        first, skipped = usual, (-2 * ball(reach) ** 2 / times).exp()
    chance = (_log_choose(times, first) + first * truth.log() + (times - first) * lie.log()).exp()
    # e**(epsilon - L), at most one from here on
    excess = (ball(epsilon) - (2 * first - times) * told).exp()
    step, fall, total, least = told.exp(), (-2 * told).exp(), ball(0), ball(2) ** -(precision() - 8)
    for truths in range(first, times + 1):
        total += chance * (1 - excess)
        ratio = step * (times - truths) / (truths + 1)
        chance *= ratio
        excess *= fall
        if truths % 16 == 0 and ratio < 1 and chance < total * least * (1 - ratio):
            return total + hull(ball(0), chance / (1 - ratio) + skipped)
    return total + hull(ball(0), skipped)


def _log_choose(n: int, k: int) -> Ball:
    return ball(n + 1).lgamma() - ball(k + 1).lgamma() - ball(n - k + 1).lgamma()
