"""On what terms a question is answered: weights, sensitivity, noise and price, from the plan and the policy alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt, prod
from typing import TYPE_CHECKING

from tacit.accounting import Charge, ConcentratedFilter
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.answer_size import bytes_of_a_group, keys_that_fit, room_for_keys
from tacit.curator.pricing.noise_error import steps_off
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number, at_most
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace, RankedCells, steps_moved_squared
from tacit.plan import (
    Measure,
    MeasureOf,
    Plan,
    Question,
    Ranked,
    Summed,
    Weighing,
    Weights,
    columns_of_answer,
    groups_of,
)
from tacit.privacy import Composed, Loss, PureLoss, Sensitivity, ZeroConcentratedLoss, root_at_least
from tacit.stability import key_sensitivity, keys_of, sensitivity_of, weights_for

if TYPE_CHECKING:
    from tacit.curator.pricing.unknown_key_threshold import CodeFinder, Finder


__all__ = ["Terms", "amount_within", "shown_as_measured", "terms_at", "terms_of", "worth_of"]

# Scales are rounded up to this many bits: enough that the certified loss, rounded up to whole units, is the price and
# not one more; few enough that a scale is a short number.
_BITS = 80

# By how much more is paid at least where an error is a little too large: errors are whole steps, of which a rounded
# number has more than 2**21 within reach, so that this makes it a step smaller and is lost on nobody.
_A_STEP_MORE = 1 + Fraction(1, 1 << 20)


@frozen
class Terms:
    """What an answer will be made of; computed without data."""

    question: Question
    weights: Weights
    sensitivities: tuple[Sensitivity, ...]
    mechanisms: tuple[Laplace | Gaussian | RankedCells, ...]
    grids: tuple[int, ...]
    amount: Fraction
    concentrated: bool
    finder: Finder | CodeFinder | None = None
    """How unknown keys are found, if there are any."""

    @property
    def loss(self) -> Loss:
        """What is paid for the whole answer: the asked price, which its noise keeps.

        Claim:      everything released for the question together costs no more than this.
        Because:    each measure's noise is fitted to its part of the price and then widened; the measures are hidden by
                    independent noise, each over all groups at once, and losses add.  Cells at outer ranks, of which an
                    interval is made, are part of their measure's noise.  Unknown keys that were found are released
                    first, and what is measured of them is chosen after that.
        Checked by: tests/laws/test_corridor.py and tests/laws/test_keys.py
        """
        neighbours = self.sensitivities[0].neighbours
        if self.concentrated:
            return ZeroConcentratedLoss(
                self.amount, self.finder.delta if self.finder else 0, neighbours
            )
        return PureLoss(self.amount, neighbours)

    @property
    def spent(self) -> Loss:
        """What the noise really costs, measure by measure; never more than `loss`."""
        pairs = zip(self.mechanisms, self.sensitivities, strict=True)
        losses = [mechanism.loss(sensitivity) for mechanism, sensitivity in pairs]
        if self.finder is not None:
            losses += self.finder.losses()
        return Composed.of(*((loss, 1) for loss in losses))

    def worth(self, place: int) -> Fraction:
        """How much one step of a measure's released integers is in its natural unit."""
        return worth_of(self.question.measures[place], self.weights) * self.grids[place]

    @property
    def groups(self) -> int:
        """How many groups are released; of unknown keys, at most."""
        if self.finder is None:
            return groups_of(self.question)
        return self.finder.most * prod(len(key.public_values) for key in self.question.public)

    @property
    def columns(self) -> list[slice]:
        """Where in an engine's answer each measure stands."""
        return columns_of_answer(self.question)

    def round_to_grid(self, place: int, exact: list[int]) -> list[int]:
        """A measure's exact integers on its grid, halves upward."""
        grid = self.grids[place]
        return [(number + grid // 2) // grid for number in exact]

    def reach(self, place: int, confidence: Number) -> Fraction:
        """The ± of a measure at this confidence, known before anything is released; of what is ranked, in rows."""
        mechanism = self.mechanisms[place]
        if isinstance(mechanism, RankedCells):
            return mechanism.error(confidence) * self.worth(place)
        return steps_off(mechanism, confidence) * self.worth(place)


def worth_of(measure: Measure, weights: Weights) -> Fraction:
    """How much one step of a measure's integers is in its natural unit."""
    step = measure.step if isinstance(measure, Summed) else Fraction(1)
    return step / (1 << weights.bits)


def terms_of(
    question: Question,
    shared: Shared,
    limit: Limit,
    amount: Fraction,
    failure: Fraction | None = None,
) -> Terms:
    """The terms at a price: `amount` of rho (delta > 0) or of epsilon (delta = 0), in equal parts for all measures.

    Unknown keys take a fifth of it, and a failure: as much of the limit's reserve as the amount is of its rho, unless
    another one was charged.  Without a delta they take half of it, and no failure.

    Claim:      the loss of these terms is at most the amount, and the failure.
    Because:    each measure's noise is fitted to its part and then widened, never narrowed, and so is that of keys.
    Checked by: tests/laws/test_corridor.py and tests/laws/test_keys.py
    """
    if amount <= 0:
        raise InvalidInput(
            "a price",
            "nothing",
            "it is smaller than the ledger's smallest unit; give a larger epsilon",
        )
    weights = weights_for(question, shared.contributions, limit.weighing)
    moved = sensitivity_of(question, weights, limit.neighbours)
    finder = _finder(question, shared, limit, amount, failure) if question.unknown else None
    concentrated = bool(limit.delta)
    part = (amount if finder is None else amount * (1 - _key_share(limit))) / len(moved)
    pairs = zip(question.measures, moved, strict=True)
    rounded, noise, grids = zip(
        *(_fit_mechanism(measure, each, part, concentrated) for measure, each in pairs), strict=True
    )
    if finder is not None:  # no more keys are let go than the ledger keeps of one answer
        each = bytes_of_a_group(question, weights, noise, grids)
        most = min(finder.most, keys_that_fit(question, each))
        finder = replace(finder, most=most, room=room_for_keys(question, each, most))
    return Terms(question, weights, rounded, noise, grids, amount, concentrated, finder)


def terms_at(question: Question, shared: Shared, limit: Limit, charge: Charge) -> Terms:
    """The terms at a charge in whole units, that was paid or would be."""
    rule = limit.filter()
    failure = rule.failure(charge) if isinstance(rule, ConcentratedFilter) else None
    return terms_of(question, shared, limit, rule.amount(charge), failure)


def _key_share(limit: Limit) -> Fraction:
    """What unknown keys take of a price."""
    from tacit.curator.pricing.unknown_key_threshold import PURE_SHARE, SHARE

    return SHARE if limit.delta else PURE_SHARE


@lru_cache(maxsize=256)
def _finder(
    question: Question, shared: Shared, limit: Limit, amount: Fraction, failure: Fraction | None
) -> Finder | CodeFinder:
    """How unknown keys are found, for a fifth of an amount of rho and a failure, or for half of one of epsilon."""
    from tacit.curator.pricing.unknown_key_threshold import PURE_SHARE, SHARE, CodeFinder, Finder

    rule = limit.filter()
    if shared.keys is None:
        raise InvalidPlan(
            f"neither `keys` nor `contributions` is declared for table {shared.table.name!r}",
            f"set `keys` or `contributions` for {shared.table.name}",
        )
    if not isinstance(rule, ConcentratedFilter):
        keeping = keys_of(question, shared.keys, Weighing.L1)
        moved = key_sensitivity(question, keeping, limit.neighbours)
        calibrated = Laplace.calibrate(amount * PURE_SHARE, moved)
        return CodeFinder.fit(question, keeping, moved, Laplace(_widen(calibrated.scale)))
    if failure is None:
        failure = rule.failure(rule.with_keys(Charge(floor(amount / rule.amount(Charge(1))))))
    if not failure:
        raise InvalidInput(
            "a price",
            "too little",
            "discovering unknown keys needs a part of the limit's delta; give a larger epsilon",
        )
    keeping = keys_of(question, shared.keys)
    moved = key_sensitivity(question, keeping, limit.neighbours)
    return Finder.fit(question, keeping, _gaussian(moved, amount * SHARE), failure)


Fitted = tuple[Sensitivity, Laplace | Gaussian | RankedCells, int]
"""How far a measure's rounded integers move, the noise that hides it, and the grid to which they are rounded."""


def _fit_mechanism(
    measure: Measure, moved: Sensitivity, part: Fraction, concentrated: bool
) -> Fitted:
    """What hides a measure for a part of the price: of rho, or of epsilon."""
    if isinstance(measure, Ranked):
        return _fit_ranks(measure.rank, measure.grid.count, measure.ends, moved, part, concentrated)
    return _gaussian(moved, part) if concentrated else _laplace(moved, part)


@lru_cache(maxsize=1024)
def _fit_ranks(
    rank: Fraction, cells: int, ends: bool, moved: Sensitivity, part: Fraction, concentrated: bool
) -> Fitted:
    """Draws for a part of the price."""
    calibrated = RankedCells.of_rho if concentrated else RankedCells.of_epsilon
    found = calibrated(part, moved, rank, cells, ends=ends)
    return moved, RankedCells(rank, _widen(found.scale), cells, ends=ends), 1


# Remembered: terms are needed before the charge and after it, and most questions of a vault cost the same.
@lru_cache(maxsize=1024)
def _laplace(moved: Sensitivity, part: Fraction) -> Fitted:
    """Noise for a part of epsilon."""
    return moved, Laplace(_widen(Laplace.calibrate(part, moved).scale)), 1


@lru_cache(maxsize=1024)
def _gaussian(moved: Sensitivity, part: Fraction) -> tuple[Sensitivity, Gaussian, int]:
    """Noise for a part of rho."""
    grid = _grid(moved, moved.bound**2 / (2 * part))
    rounded = _on_grid(moved, grid)
    return rounded, Gaussian(_widen(root_at_least(rounded.bound**2 / (2 * part)))), grid


def _grid(moved: Sensitivity, variance: Fraction) -> int:
    """The power of two to which integers are rounded before they get noise of this variance: a 2**-22th of its spread,
    or less where there are so many numbers that rounding each would add to what has to be hidden.

    Wider noise takes longer to draw, and is no more private; rounding moves an answer by a millionth of it, and lets
    all numbers together move by at most a 2**-10th more.
    """
    bits = (variance.numerator // variance.denominator).bit_length() // 2
    spared = (
        moved.bound.numerator // (moved.bound.denominator * (isqrt(moved.dimension - 1) + 1)) >> 10
    )
    return 1 << max(0, min(bits - 22, spared.bit_length() - 1))


def _on_grid(moved: Sensitivity, grid: int) -> Sensitivity:
    """How far the rounded integers move, in steps of the grid."""
    if grid == 1:
        return moved
    return Sensitivity.root(
        steps_moved_squared(moved, Fraction(grid)), moved.neighbours, moved.dimension
    )


def shown_as_measured(plan: Plan) -> tuple[int, ...]:
    """The measures that are columns of the answer as they are: those whose error is known beforehand."""
    places = {
        shown.value.place for shown in plan.view.columns if isinstance(shown.value, MeasureOf)
    }
    return tuple(
        sorted(place for place in places if not isinstance(plan.question.measures[place], Ranked))
    )


def amount_within(
    question: Question,
    shared: Shared,
    limit: Limit,
    places: tuple[int, ...],
    error: Number,
    confidence: Number,
) -> Fraction:
    """The smallest amount at which the named measures stay within `error` at this confidence."""
    allowed = at_most(error, "within")
    if allowed <= 0:
        raise InvalidInput("within", error, "give the error to allow, a number above zero")
    if not places:
        raise InvalidInput(
            "within",
            error,
            "only counts and sums have an error that is known in advance; give epsilon, or for a ratio such as AVG use "
            "vault.refine(question, within=..., epsilon=...), where epsilon is the most that it may cost",
        )
    weights = weights_for(question, shared.contributions, limit.weighing)
    moved = sensitivity_of(question, weights, limit.neighbours)
    needed = []
    for place in places:
        assert not isinstance(question.measures[place], Ranked), (
            "an error in rows is not an error of the value"
        )
        steps = floor(allowed / worth_of(question.measures[place], weights))
        if limit.delta:
            needed.append(
                moved[place].bound ** 2 / (2 * Gaussian.within(steps, confidence).sigma ** 2)
            )
        else:
            needed.append(moved[place].bound / Laplace.within(steps, confidence).scale)
    amount = max(needed) * len(moved) / (1 - _key_share(limit) if question.unknown else 1)
    while (
        over := _relative_error(
            terms_of(question, shared, limit, amount), places, allowed, confidence
        )
    ) > 1:
        amount *= max(over**2, _A_STEP_MORE)  # rounding to a grid adds a little noise
    return amount


def _relative_error(
    terms: Terms, places: tuple[int, ...], allowed: Fraction, confidence: Number
) -> Fraction:
    """The largest error of the named measures, in parts of what is allowed."""
    return max(terms.reach(place, confidence) for place in places) / allowed


def _widen(scale: Fraction) -> Fraction:
    """The scale made a little wider: by more than a ball's width, and up to a number of few bits."""
    unit = Fraction(2) ** (scale.numerator.bit_length() - scale.denominator.bit_length() - _BITS)
    return (scale // unit + 2) * unit
