"""On what terms groups are chosen: which mechanism, at which scale, and what it saves; from plan and policy alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.noise_of_measures import Terms, worth_of
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.mechanisms import Exponential, Gaussian, Laplace, NoisyTopK, PermuteAndFlip
from tacit.plan import TopK, Units, Weighing, Weights, groups_of
from tacit.privacy import Loss, PureLoss, Sensitivity, ZeroConcentratedLoss
from tacit.stability import is_monotone, score_sensitivity, weights_for

__all__ = ["MOST_CHOSEN", "SelectionTerms", "kinds", "selection_terms"]

kinds: dict[str, type[Exponential | PermuteAndFlip]] = {
    "Exponential": Exponential,
    "PermuteAndFlip": PermuteAndFlip,
}
"""The mechanisms that choose one group, by the names under which the ledger keeps them."""

MOST_CHOSEN = 1000
"""The most groups that are chosen one by one: each choice looks at all groups that are left."""


@frozen
class SelectionTerms:
    """How the first groups are chosen; computed without data."""

    top: TopK
    weights: Weights
    sensitivity: Sensitivity
    mechanism: NoisyTopK
    amount: Fraction
    concentrated: bool
    ranking_error: Fraction
    """How far a chosen group may be behind at 95 % if all numbers were released at this price, and sorted."""

    @property
    def loss(self) -> Loss:
        """What is paid for the whole choice: the asked price, which the mechanism keeps.

        Claim:      choosing k groups costs no more than this.
        Because:    each choice is fitted to a k-th of the price, the scores of all of them move by no more than the
                    sensitivity, and losses add although who is left depends on earlier choices.
        Checked by: tests/laws/test_top_k.py::test_the_price_covers_the_exact_law
        """
        neighbours = self.sensitivity.neighbours
        if self.concentrated:
            return ZeroConcentratedLoss(self.amount, 0, neighbours)
        return PureLoss(self.amount, neighbours)

    @property
    def candidates(self) -> int:
        """How many groups are chosen from."""
        return self.top.candidates

    @property
    def worth(self) -> Fraction:
        """How much one step of the scores is in the unit of what groups are chosen by."""
        return worth_of(self.top.question.measures[0], self.weights)

    def error(self, confidence: Number) -> Fraction:
        """How far each chosen group is behind the best one left at most, in the unit of what it is chosen by."""
        return Fraction(self.mechanism.error(confidence, self.candidates)) * self.worth

    @property
    def saving(self) -> float:
        """How many times the price all numbers would take, if sorting them were to be as accurate."""
        ratio = float(self.ranking_error / max(self.error(_SURE), Fraction(1, 10**9)))
        return ratio**2 if self.concentrated else ratio


_SURE = Fraction(19, 20)


def selection_terms(top: TopK, shared: Shared, limit: Limit, terms: Terms) -> SelectionTerms | None:
    """The terms of a choice at the price of `terms`; None where sorting all released numbers is as accurate.

    Claim:      whether groups are chosen or numbers released is decided by the plan, the policy and the price.
    Because:    nothing else is read here.
    Checked by: tests/laws/test_top_k.py::test_which_way_is_taken_depends_on_no_row
    """
    if top.k > MOST_CHOSEN:
        return None
    groups = groups_of(top.question)
    weights = weights_for(top.question, shared.contributions, limit.weighing)
    if isinstance(top.question.measures[0], Units):
        # Only how far one group moves matters: presence in many groups need not weigh less.
        every = groups if weights.norm is Weighing.L2 else groups**2
        weights = replace(weights, units_squared=max(weights.units_squared, every))
    moved = score_sensitivity(top.question, weights, limit.neighbours)
    monotone = is_monotone(top.question, limit.neighbours)
    concentrated = bool(limit.delta)
    mechanism = _calibrate(top.k, terms.amount, moved, monotone, concentrated)
    noise = terms.mechanisms[0]
    assert isinstance(noise, Laplace | Gaussian), "counts and sums are hidden by noise"
    sure = 1 - (1 - _SURE) / groups  # all numbers at once, and twice: the chosen and the better one
    behind = 2 * Fraction(noise.error(sure)) * terms.worth(0)
    found = SelectionTerms(top, weights, moved, mechanism, terms.amount, concentrated, behind)
    return found if found.error(_SURE) < behind else None


@lru_cache(maxsize=256)
def _calibrate(
    k: int, amount: Fraction, moved: Sensitivity, monotone: bool, concentrated: bool
) -> NoisyTopK:
    """The choice of k at a price: of rho by exponential weights, of epsilon by permute-and-flip."""
    if concentrated:
        return NoisyTopK.calibrate_rho(k, amount, moved, kind=Exponential, monotone=monotone)
    return NoisyTopK.calibrate(k, amount, moved, kind=PermuteAndFlip, monotone=monotone)
