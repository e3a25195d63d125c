"""Every mechanism that the laws are about, seen from outside: add an object here, not a test there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tacit.exact import Ball, ball, lower, upper
from tacit.mechanisms import Gaussian, Laplace, RandomizedResponse
from tacit.privacy import Neighbours, Norm, Sensitivity

F = Fraction
# what is summed here and what is claimed are both enclosed more narrowly than this
TINY = F(1, 2**90)
EPSILONS = (F(0), F(1, 3), F(1), F(5, 2))
ORDERS = (F(3, 2), F(2), F(9))


@dataclass(frozen=True)
class Case:
    """A mechanism, the exact answers that it is tried on, and how far apart they may be.

    Answers are counted in steps of the grid; for randomized response any two answers are one report apart.
    """

    mechanism: Any
    answers: tuple[int, ...]
    distances: tuple[int, ...]
    law: Callable[[int], dict[int, Ball]]
    bounded: bool  # whether the claimed Renyi divergence is only a bound

    def sensitivity(
        self, distance: int, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
    ) -> Sensitivity:
        """That of an answer that moves by so many steps."""
        return Sensitivity(distance * step_of(self.mechanism), neighbours=neighbours)

    def apart(self, one: int, other: int) -> int:
        """How many steps, or reports, lie between two answers."""
        return (
            int(one != other)
            if isinstance(self.mechanism, RandomizedResponse)
            else abs(one - other)
        )

    def pairs(self, distance: int) -> Iterator[tuple[dict[int, Ball], dict[int, Ball], int]]:
        """Both laws of every pair of answers that are at most so far apart, and how far apart they are."""
        laws = {answer: self.law(answer) for answer in self.answers}
        for one, other in product(self.answers, repeat=2):
            if self.apart(one, other) <= distance:
                yield laws[one], laws[other], self.apart(one, other)


def step_of(mechanism: Any) -> Fraction:
    """The length of one step."""
    return getattr(mechanism, "grid", None) or F(1)


def noise(mechanism: Laplace | Gaussian) -> Case:
    """Additive noise, its law clamped far outside the answers: likelihood ratios are monotone, so nothing is lost."""
    step, answers = step_of(mechanism), (-1, 0, 1, 2)
    deviation = mechanism.scale if isinstance(mechanism, Laplace) else mechanism.sigma
    reach = 3 if isinstance(mechanism, Laplace) else int(14 * deviation / step) + 8

    def law(answer: int) -> dict[int, Ball]:
        exact = answer if mechanism.grid is None else answer * step
        return mechanism.distribution(exact).clamp_law(-1 - reach, 2 + reach)

    return Case(mechanism, answers, (1, 2, 3), law, isinstance(mechanism, Gaussian))


def response(mechanism: RandomizedResponse) -> Case:
    """Randomized response: any answer against any other."""

    def law(answer: int) -> dict[int, Ball]:
        return {report: ball(chance) for report, chance in mechanism.distribution(answer).items()}

    return Case(mechanism, tuple(range(mechanism.categories)), (1,), law, bounded=False)


NOISES = {
    "laplace 1/2": noise(Laplace(F(1, 2))),
    "laplace 1": noise(Laplace(1)),
    "laplace 10/3": noise(Laplace(F(10, 3))),
    "laplace 3/8 by 1/8": noise(Laplace(F(3, 8), grid=F(1, 8))),
    "laplace 100 by 64": noise(Laplace(100, grid=64)),
    "gaussian 1/2": noise(Gaussian(F(1, 2))),
    "gaussian 1": noise(Gaussian(1)),
    "gaussian 7/2": noise(Gaussian(F(7, 2))),
    "gaussian 3/8 by 1/4": noise(Gaussian(F(3, 8), grid=F(1, 4))),
    "gaussian 100 by 64": noise(Gaussian(100, grid=64)),
}
RESPONSES = {
    "two coins": response(RandomizedResponse.two_coin()),
    "one half and a tenth": response(RandomizedResponse.half_plus(F(1, 10))),
    "response 1": response(RandomizedResponse(1)),
    "response 1 of three": response(RandomizedResponse(1, categories=3)),
    "nine in ten of five": response(RandomizedResponse.telling(F(9, 10), categories=5)),
}


def each(cases: dict[str, Case]) -> pytest.MarkDecorator:
    """A test for each of the cases."""
    return pytest.mark.parametrize(
        "case", [pytest.param(case, id=name) for name, case in cases.items()]
    )


every_mechanism = each(NOISES | RESPONSES)
every_noise = each(NOISES)
every_response = each(RESPONSES)
both_relations = pytest.mark.parametrize(
    "neighbours", list(Neighbours), ids=lambda neighbours: neighbours.value
)
every_norm = pytest.mark.parametrize("norm", list(Norm), ids=lambda norm: norm.value)


def excess(p: dict[Any, Ball], q: dict[Any, Ball], epsilon: Fraction) -> Ball:
    """The definition: the sum of max(0, p - e**epsilon q)."""
    growth = ball(epsilon).exp()
    return sum(((p[outcome] - growth * q[outcome]).max(ball(0)) for outcome in p), ball(0))


def divergence(p: dict[Any, Ball], q: dict[Any, Ball], order: Fraction) -> Ball:
    """The Renyi divergence, by its defining sum."""
    alpha = ball(order)
    moment = sum(
        ((alpha * p[outcome].log() + (1 - alpha) * q[outcome].log()).exp() for outcome in p),
        ball(0),
    )
    return moment.log() / (alpha - 1)


def largest_loss(p: dict[Any, Ball], q: dict[Any, Ball]) -> Fraction:
    """The largest privacy loss of any outcome, from above."""
    return max(upper((p[outcome] / q[outcome]).log()) for outcome in p)


def close(one: Ball | Fraction, other: Ball | Fraction) -> bool:
    """Whether two enclosed figures are equal but for the width of their balls."""
    return (
        abs(upper(ball(one)) - upper(ball(other))) < TINY
        and abs(lower(ball(one)) - lower(ball(other))) < TINY
    )


@contextmanager
def constant_noise(drawn: int) -> Iterator[list[int | None]]:
    """Every draw is this number, and every coin tells the truth; yields the sizes that were asked for."""
    asked: list[int | None] = []

    def integers(_: object, size: int | None = None) -> Any:
        asked.append(size)
        wide = np.int64 if -(2**63) <= drawn < 2**63 else object
        return drawn if size is None else np.full(size, drawn, dtype=wide)

    def coins(_: object, size: int) -> Any:
        asked.append(size)
        return np.ones(size, np.bool_)

    with (
        patch("tacit.mechanisms.laplace.discrete_laplace", integers),
        patch("tacit.mechanisms.gaussian.discrete_gaussian", integers),
        patch("tacit.mechanisms.randomized_response.bernoulli", coins),
        patch(
            "tacit.mechanisms.randomized_response.below",
            lambda bound, size: np.zeros(size, np.int64),
        ),
    ):
        yield asked
