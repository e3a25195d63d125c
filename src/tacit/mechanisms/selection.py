"""What all mechanisms share that choose one of many candidates by their scores.

Checked by: tests/laws/test_selection.py
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import (
    PRECISION,
    Ball,
    Number,
    at_most,
    ball,
    below_best,
    float_at_least,
    precision,
    upper,
    working,
)
from tacit.mechanisms.bisection import narrowest, widest_that
from tacit.mechanisms.grid_steps import checked_grid, checked_scale, copies_of
from tacit.mechanisms.noise_law import first
from tacit.mechanisms.parameters import confidence_of, price_of
from tacit.mechanisms.scores import candidates_of, scores_of, steps_apart
from tacit.privacy import Loss, Sensitivity, fill

__all__ = ["Selection", "set_parameters"]


class Selection(Protocol):
    """A frozen value that chooses one of many candidates, the better its score the likelier.

    Only differences of scores matter, in units of `scale`.  Scores are integers, or real numbers rounded to `grid`.
    `monotone` says that between neighbours all scores move the same way, as counts do when a unit is added.
    """

    @abstractmethod
    def __init__(
        self, scale: Number, grid: Number | None = None, *, monotone: bool = False
    ) -> None: ...

    @property
    @abstractmethod
    def scale(self) -> Fraction:
        """The difference of scores that makes a candidate e times as likely, or less so."""

    @property
    @abstractmethod
    def grid(self) -> Fraction | None:
        """The step to which scores are rounded; None for integers."""

    @property
    @abstractmethod
    def monotone(self) -> bool:
        """Whether all scores move the same way between neighbours."""

    @abstractmethod
    def choose(self, steps: NDArray[Any], times: int) -> NDArray[np.int64]:
        """The places of the chosen candidates, so many independent times, from scores in steps."""

    @abstractmethod
    def chances(self, counts: Mapping[int, int]) -> dict[int, Ball]:
        """The chance of one candidate by its distance to the best, from how many candidates there are at each."""

    @abstractmethod
    def misses(self, candidates: int, distance: int) -> Ball:
        """The chance of a choice at least so many steps, one or more, below the best: that of the worst scores."""

    @abstractmethod
    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one choice costs, if each score moves by at most this much between neighbours."""

    @classmethod
    def calibrate(
        cls,
        epsilon: Number,
        sensitivity: Sensitivity | Number,
        grid: Number | None = None,
        *,
        monotone: bool = False,
        **kind: Any,
    ) -> Self:
        """The mechanism with the least randomness whose pure loss is at most epsilon."""
        step = checked_grid(grid)
        apart = steps_apart(sensitivity, step, monotone=monotone)
        return cls(apart * (step or 1) / price_of(epsilon), grid, monotone=monotone, **kind)

    @classmethod
    def calibrate_rho(
        cls,
        rho: Number,
        sensitivity: Sensitivity | Number,
        grid: Number | None = None,
        *,
        monotone: bool = False,
        **kind: Any,
    ) -> Self:
        """The mechanism with the least randomness, up to one part in 2**40, that is rho-zCDP by its own best bound."""
        price, step = at_most(rho, "rho"), checked_grid(grid)
        if price <= 0:
            raise InvalidInput("rho", rho, "give a price above zero")
        made = partial(cls, grid=grid, monotone=monotone, **kind)

        def keeps(scale: Fraction) -> bool:
            with working():
                reached = made(scale=scale * (step or 1)).loss(sensitivity).rho()
                return reached is not None and upper(reached) <= price

        start = Fraction(steps_apart(sensitivity, step, monotone=monotone))
        return made(scale=narrowest(keeps, start) * (step or 1))

    @classmethod
    def within(
        cls,
        error: Number,
        confidence: Number,
        candidates: int,
        grid: Number | None = None,
        *,
        monotone: bool = False,
        **kind: Any,
    ) -> Self:
        """The mechanism with the most randomness whose choice stays within `error` of the best: accuracy first."""
        step = checked_grid(grid)
        distance = at_most(error, "error") // (step or 1) - (step is not None)
        wanted, count = confidence_of(confidence), candidates_of(candidates)
        if count == 1:
            raise InvalidInput(
                "candidates",
                candidates,
                "with one candidate there is nothing to choose; give two or more",
            )
        made = partial(cls, grid=grid, monotone=monotone, **kind)
        widest = widest_that(
            lambda scale: _stays(made(scale=scale * (step or 1)), distance, wanted, count), distance
        )
        return made(scale=widest * (step or 1))

    def release(self, scores: Any, times: int | None = None, *, smallest: bool = False) -> Any:
        """The place of the chosen candidate; with `times`, an array of so many choices, each to be paid for."""
        steps = scores_of(scores, self.grid, smallest=smallest)
        chosen = self.choose(steps, 1 if times is None else copies_of(times))
        return int(chosen[0]) if times is None else chosen

    def distribution(self, scores: Any, *, smallest: bool = False) -> dict[int, Ball]:
        """The exact chance of every candidate, by its place, as certified balls."""
        return self.law(scores_of(scores, self.grid, smallest=smallest))

    def law(self, steps: NDArray[Any]) -> dict[int, Ball]:
        """The exact chance of every candidate, from scores in steps."""
        distances = below_best(steps).tolist()
        with working(max(PRECISION, precision())):
            chances = self.chances(Counter(distances))
        return {place: chances[distance] for place, distance in enumerate(distances)}

    def tail(self, scores: Any, distance: Number, *, smallest: bool = False) -> Ball:
        """The exact chance of a choice whose score is at least this far from the best one."""
        counts = Counter(below_best(scores_of(scores, self.grid, smallest=smallest)).tolist())
        steps = at_most(distance, "distance") / (self.grid or 1)
        with working(max(PRECISION, precision())):
            chances = self.chances(counts)
            return sum(
                (chances[far] * count for far, count in counts.items() if far >= steps), ball(0)
            )

    def error(self, confidence: Number, candidates: int) -> int | float:
        """How far the chosen score is from the best one at most, with at least this probability, whatever the scores.

        On a grid scores were rounded first, which moves the chosen and the best by up to half a step each.
        """
        wanted, count = confidence_of(confidence), candidates_of(candidates)
        with working():
            near = upper(ball(count / (1 - wanted)).log()) * self.scale // (self.grid or 1)
        steps = first(lambda distance: _stays(self, distance, wanted, count), int(near))
        return steps if self.grid is None else float_at_least((steps + 1) * self.grid)

    def steps_scale(self) -> Fraction:
        """The scale in steps of the grid."""
        return self.scale / (self.grid or 1)

    def relative_sensitivity(self, sensitivity: Sensitivity | Number) -> Fraction:
        """How far two scores move apart between neighbours, in units of the scale."""
        return steps_apart(sensitivity, self.grid, monotone=self.monotone) / self.steps_scale()


def set_parameters(selection: Any, scale: Number, grid: Number | None, monotone: bool) -> None:
    """Set the scale, grid and kind of scores of a new mechanism; refuse each that makes no sense."""
    step = checked_grid(grid)
    if not isinstance(monotone, bool):
        raise InvalidInput(
            "monotone",
            monotone,
            "say True if all scores move the same way between neighbours, or False",
        )
    fill(selection, scale=checked_scale(scale, "scale", step), grid=step, monotone=monotone)


def _stays(mechanism: Selection, distance: int, confidence: Fraction, candidates: int) -> bool:
    """Whether the choice stays within so many steps of the best, with at least this probability."""
    with working(PRECISION + 2 * confidence.denominator.bit_length()):
        return candidates == 1 or bool(
            mechanism.misses(candidates, distance + 1) <= ball(1 - confidence)
        )
