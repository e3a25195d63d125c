"""Every mechanism of Tacit with a pair of neighbours to audit it on, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

from tacit.audit.runs import Release
from tacit.audit.statistical import Findings, audit, claimed_epsilon
from tacit.audit.verify import compare
from tacit.errors import InvalidInput, NotPrivate
from tacit.exact import Ball, Number, at_least, ball, normal_quantile, upper, working
from tacit.mechanisms import (
    AboveThreshold,
    ClippingBounds,
    Contributions,
    Exponential,
    Gaussian,
    GaussianLaw,
    HistogramQuantiles,
    InterquartileRange,
    JointQuantiles,
    Laplace,
    NoisyMax,
    NoisyTopK,
    PermuteAndFlip,
    PowersOfTwo,
    Quantile,
    RandomizedResponse,
    RankedCells,
    RecursiveQuantiles,
)
from tacit.privacy import Loss, Neighbours, Sensitivity

__all__ = ["SUBJECTS", "Subject", "subject_of"]

F = Fraction
NONE = Fraction(0)
Law = Callable[[Any], Any]


@dataclass(frozen=True)
class Subject:
    """A mechanism, a pair of neighbours (as it sees them) on which it loses about as much as it may, and its claim.

    >>> subject_of("laplace", epsilon=1).pair
    (0, 1)
    """

    name: str
    mechanism: Any
    pair: tuple[Any, Any]
    loss: Loss
    delta: Fraction = NONE
    law: Law | None = None
    release: Release | None = None
    quick: bool = False  # whether a million runs take less than a second

    @cached_property
    def claimed(self) -> Fraction:
        """The epsilon that the mechanism claims at `delta`."""
        return claimed_epsilon(self.loss, self.delta)

    @cached_property
    def exact(self) -> Fraction:
        """The smallest epsilon that holds at `delta` for this pair, from the exact law; the claim where there is none.

        Claim:      it is never below the pair's smallest epsilon.
        Because:    it is the upper end of an enclosure, and the claim of a mechanism that keeps it is an upper bound.
        Checked by: tests/attacks/test_statistical_audit.py
        """
        if self.law is None:
            return self.claimed
        with working():
            report = compare(*(self.law(data) for data in self.pair))
        try:
            return report.epsilon(self.delta).high
        except NotPrivate:
            return self.claimed

    @cached_property
    def mu(self) -> Fraction | None:
        """For Gaussian noise, the smallest mu that holds for this pair, but for events rarer than any audit sees.

        Claim:      no event that has a probability of at least 1e-15 shows a larger mu.
        Because:    the likelihood ratio grows with the outcome, so by Neyman and Pearson only the events "t or more"
                    count; they are tried for all t within nine deviations.
        Checked by: tests/unit/audit/test_audited_mechanisms.py
        """
        if not isinstance(self.mechanism, Gaussian):
            return None
        law, (low, high) = self.mechanism.law, self.pair
        reach = ceil(9 * self.mechanism.sigma)
        with working():
            return max(
                upper(_deviations(law, place - high) - _deviations(law, place - low))
                for place in range(low - reach, high + reach + 1)
            )

    def audit(self, samples: int, confidence: Number) -> Findings:
        """What so many runs on each database certify, against the claim."""
        return audit(
            self.release or self.mechanism,
            self.pair,
            samples,
            confidence,
            delta=self.delta,
            claimed=self.claimed,
            claimed_mu=self.mu,
            subject=self.name,
        )


def subject_of(
    name: str,
    epsilon: Number,
    delta: Number = 0,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
) -> Subject:
    """The mechanism of this name, calibrated to a price, with a pair of neighbours for an audit.

    >>> subject_of("randomized-response", epsilon=1).mechanism.categories
    2
    """
    if name not in SUBJECTS:
        raise InvalidInput("mechanism", name, f"name one of {', '.join(SUBJECTS)}")
    if name != "gaussian" and delta:
        raise InvalidInput("delta", delta, "only the Gaussian mechanism needs one; leave it out")
    try:
        unit = Sensitivity(1, neighbours=Neighbours(neighbours))
    except ValueError:
        raise InvalidInput("neighbours", neighbours, 'give "add-or-remove" or "replace"') from None
    return (
        SUBJECTS[name](name, epsilon, delta, unit)
        if name == "gaussian"
        else SUBJECTS[name](name, epsilon, unit)
    )


def _deviations(law: GaussianLaw, start: int) -> Ball:
    """The normal quantile of the chance of `start` or more, without the digits that a chance near one loses."""
    return -normal_quantile(law.tail(1 - start)) if start <= 0 else normal_quantile(law.tail(start))


def _laplace(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = Laplace.calibrate(epsilon, unit)
    return Subject(
        name,
        made,
        (0, 1),
        made.loss(unit),
        law=lambda centre: made.distribution(centre).clamp_law(-1, 2),
        quick=True,
    )


def _gaussian(name: str, epsilon: Number, delta: Number, unit: Sensitivity) -> Subject:
    made = Gaussian.calibrate(epsilon, delta, unit)
    return Subject(name, made, (0, 1), made.loss(unit), at_least(delta, "delta"), quick=True)


def _response(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = RandomizedResponse(epsilon)
    return Subject(name, made, (0, 1), made.loss(unit), law=made.distribution, quick=True)


def _selection(kind: Any, **options: Any) -> Callable[[str, Number, Sensitivity], Subject]:
    """One of two candidates, the other one far ahead: there a choice tells most."""

    def subject(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
        monotone = unit.neighbours is Neighbours.ADD_OR_REMOVE
        made = kind.calibrate(epsilon, unit, monotone=monotone, **options)
        lead = ceil(2 * made.scale)
        pair = ([0, lead], [1, lead]) if monotone else ([0, lead], [1, lead - 1])
        return Subject(name, made, pair, made.loss(unit), law=made.distribution, quick=True)

    return subject


def _top(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = NoisyTopK.calibrate(2, epsilon, unit)
    return Subject(name, made, ([0, 1, 0], [1, 0, 1]), made.loss(unit), law=made.distribution)


def _above(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = AboveThreshold.calibrate(epsilon, unit)

    def ask_in_order(values: tuple[int, ...]) -> tuple[bool | int, ...]:
        session, answers = made.begin(threshold=0), []
        for value in values:
            answers.append(session.ask(value))
            if not session.left:
                break
        return tuple(answers)

    far = -ceil(made.value_scale)
    pair = (0, 0, far), (-1, -1, far + 1)
    return Subject(
        name,
        made,
        pair,
        made.loss(unit),
        law=lambda values: made.distribution(values, 0),
        release=ask_in_order,
    )


def _counts(unit: Sensitivity) -> tuple[list[int], list[int]]:
    """One row in the first of two cells; another comes into the second, or the row moves there."""
    return ([1, 0], [1, 1] if unit.neighbours is Neighbours.ADD_OR_REMOVE else [0, 1])


def _quantile(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = Quantile.calibrate(epsilon, unit, F(1, 2))
    return Subject(name, made, _counts(unit), made.loss(unit), law=made.distribution)


def _rank_subject(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    """A cell at the median of one group, which a row that comes or goes misranks by a half, and one replaced by one."""
    added = unit.neighbours is Neighbours.ADD_OR_REMOVE
    moved = Sensitivity(F(1, 2) if added else 1, neighbours=unit.neighbours)
    made = RankedCells.of_epsilon(epsilon, moved, F(1, 2), cells=2, ends=False)

    def release_cell(counts: list[int]) -> int:
        ((cell,),) = made.release([counts])
        return cell

    return Subject(
        name, made, _counts(unit), made.loss(moved), law=made.distribution, release=release_cell
    )


def _several(
    kind: Any, *, law: bool = True, **options: Any
) -> Callable[[str, Number, Sensitivity], Subject]:
    def subject(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
        made = kind.calibrate(epsilon, unit, ranks=[F(1, 3), F(2, 3)], **options)
        pair = _counts(unit) if unit.neighbours is Neighbours.ADD_OR_REMOVE else ([2, 0], [1, 1])
        return Subject(name, made, pair, made.loss(unit), law=made.distribution if law else None)

    return subject


def _interquartile(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = InterquartileRange.calibrate(epsilon, unit)
    added = unit.neighbours is Neighbours.ADD_OR_REMOVE
    pair = ([2, 1, 1, 0], [2, 1, 1, 1]) if added else ([3, 0, 1, 1], [4, 0, 1, 0])

    def law(counts: list[int]) -> dict[int, Ball]:
        return _both(made.low, made.high, counts, lambda low, high: abs(high - low))

    return Subject(name, made, pair, made.loss(unit), law=law)


def _clipping(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    """The law is that of the two cells, of which the bounds are a function: it can only show more."""
    made = ClippingBounds.calibrate(epsilon, unit, F(1, 2), PowersOfTwo(0, 2))
    alike = [0.0, 1.0, 2.0]
    pair = (
        [-100.0, *alike],
        [*([-100.0] if unit.neighbours is Neighbours.ADD_OR_REMOVE else []), *alike, 100.0],
    )

    def law(values: list[float]) -> dict[tuple[int, int], Ball]:
        cells = made.grid.weigh(values)
        return _both(made.low, made.high, cells, lambda low, high: (min(low, high), max(low, high)))

    return Subject(name, made, pair, made.loss(unit), law=law)


def _both(
    low: Quantile, high: Quantile, counts: Any, told: Callable[[int, int], Any]
) -> dict[Any, Ball]:
    """The law of what is told about two quantiles that are drawn independently."""
    found: dict[Any, Ball] = {}
    for one, chance in low.distribution(counts).items():
        for other, its_chance in high.distribution(counts).items():
            found[told(one, other)] = found.get(told(one, other), ball(0)) + chance * its_chance
    return found


def _contributions(name: str, epsilon: Number, unit: Sensitivity) -> Subject:
    made = Contributions.calibrate(epsilon, F(1, 2), most=2, sensitivity=unit)
    one, other = ([1] * ones + [2] * twos for ones, twos in _counts(unit))

    def law(rows: list[int]) -> dict[int, Ball]:
        places = made.cut.distribution([rows.count(1), rows.count(2)])
        return {int(made.grid.value(place)): chance for place, chance in places.items()}

    return Subject(name, made, (one, other), made.loss(unit), law=law)


SUBJECTS: Mapping[str, Callable[..., Subject]] = {
    "laplace": _laplace,
    "gaussian": _gaussian,
    "randomized-response": _response,
    "exponential": _selection(Exponential),
    "permute-and-flip": _selection(PermuteAndFlip),
    "noisy-max": _selection(NoisyMax),
    "noisy-max-exponential": _selection(NoisyMax, noise="exponential"),
    "top-k": _top,
    "above-threshold": _above,
    "quantile": _quantile,
    "ranked-cells": _rank_subject,
    "joint-quantiles": _several(JointQuantiles),
    "recursive-quantiles": _several(RecursiveQuantiles, parts=1),
    "histogram-quantiles": _several(HistogramQuantiles, law=False, cells=2),
    "interquartile-range": _interquartile,
    "clipping-bounds": _clipping,
    "contributions": _contributions,
}
"""The mechanisms that can be audited by name, each with what makes its subject."""
