"""Multiplicative weights with the exponential mechanism (Hardt, Ligett and McSherry 2012), on a small universe."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, ball, count_of
from tacit.frozen import frozen
from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.parameters import price_of

__all__ = ["MultiplicativeWeights"]

Round = tuple[int, int]
"""What one round releases: the place of a query, and its noisy answer."""

_STEPS = 64  # steps of a row in which the model's answers are rounded
_PASSES = 20


@frozen
class MultiplicativeWeights:
    """Rounds that choose the query on which a model is worst, measure it, and correct the model by it.

    Claim:      all rounds together are epsilon-DP: each pays half of its part for the choice and half for the number.
    Because:    a score is |Q(x) - public|, which moves by at most one; what a round asks follows from what earlier
                rounds released.  Under replace n is public; under add-or-remove it is `total`, a public guess.
    Checked by: tests/laws/test_net.py::test_multiplicative_weights_are_as_private_as_they_say

    >>> weights = MultiplicativeWeights.calibrate([(1, 0, 0), (0, 1, 1)], epsilon=100, rounds=2, total=9)
    >>> found = weights.release((8, 1, 0))
    >>> len(found), weights.model(found).round().tolist()[0]
    (2, 8.0)
    """

    queries: tuple[tuple[int, ...], ...]
    rounds: int
    total: int
    choice: Exponential
    noise: Laplace

    @classmethod
    def calibrate(
        cls, queries: Sequence[Sequence[int]], epsilon: Number, rounds: int, total: int
    ) -> MultiplicativeWeights:
        """The mechanism with the least noise whose rounds cost at most epsilon together."""
        listed = tuple(tuple(int(each) for each in query) for query in queries)
        if not listed or {each for query in listed for each in query} - {0, 1}:
            raise InvalidInput(
                "queries", queries, "give lists of zeros and ones, one for each query"
            )
        part = Fraction(price_of(epsilon)) / (2 * count_of(rounds, "rounds", least=1))
        choice = Exponential.calibrate(part, _STEPS)
        return cls(
            listed, rounds, count_of(total, "total", least=1), choice, Laplace.calibrate(part, 1)
        )

    @property
    def epsilon(self) -> Fraction:
        """What all rounds cost together."""
        return self.rounds * (self.choice.relative_sensitivity(_STEPS) + 1 / self.noise.scale)

    def release(self, counts: Sequence[int]) -> tuple[Round, ...]:
        """The rounds: which query each chose, and its noisy answer; `model` makes a database of them."""
        exact, found = self._answers(counts), tuple[Round, ...]()
        for _ in range(self.rounds):
            query = self.choice.release(self._scores(exact, found))
            found = (*found, (query, int(self.noise.release(int(exact[query])))))
        return found

    def distribution(self, counts: Sequence[int], margin: int = 2) -> dict[tuple[Round, ...], Ball]:
        """The exact chance of all rounds, noisy answers clamped to so many rows beyond none and all.

        A model clamps answers to none and all anyway: what later rounds ask is the same.
        """
        exact = self._answers(counts)
        answers = [
            self.noise.distribution(int(each)).clamp_law(-margin, self.total + margin)
            for each in exact
        ]
        reached: dict[tuple[Round, ...], Ball] = {(): ball(1)}
        for _ in range(self.rounds):
            reached = {
                (*before, (query, answer)): chance * chosen * likely
                for before, chance in reached.items()
                for query, chosen in self.choice.distribution(self._scores(exact, before)).items()
                for answer, likely in answers[query].items()
            }
        return reached

    def model(self, found: Sequence[Round]) -> NDArray[np.float64]:
        """How many rows of each kind there are by what was released: the mean over rounds, as counts that need not be
        whole."""
        models = [self._fit(found[:count]) for count in range(1, len(found) + 1)]
        return np.asarray(np.mean(models, axis=0)) if models else self._fit(())

    def error(self, counts: Sequence[int], found: Sequence[Round]) -> float:
        """The largest error of the model's answers, as a share of all rows."""
        off = np.array(self.queries) @ (self.model(found) - np.array(counts))
        return float(np.abs(off).max()) / self.total

    def _fit(self, found: Sequence[Round]) -> NDArray[np.float64]:
        """The model after some rounds: each measured answer pulls the weights of what it counts."""
        queries = np.array(self.queries, float)
        weights = np.full(queries.shape[1], self.total / queries.shape[1])
        for _ in range(_PASSES if found else 0):
            for query, answer in found:
                off = min(max(answer, 0), self.total) - queries[query] @ weights
                weights = weights * np.exp(queries[query] * off / (2 * self.total))
                weights *= self.total / weights.sum()
        return weights

    def _answers(self, counts: Sequence[int]) -> NDArray[np.int64]:
        held = np.array(counts, np.int64)
        if held.shape != (len(self.queries[0]),) or (held < 0).any():
            raise InvalidInput(
                "counts", tuple(counts), "give a count for every element of the universe"
            )
        return np.asarray(np.array(self.queries, np.int64) @ held)

    def _scores(self, exact: NDArray[np.int64], found: Sequence[Round]) -> NDArray[np.int64]:
        """How far the model is off on every query, in whole steps: each moves by a row's steps at most."""
        public = np.rint(_STEPS * (np.array(self.queries, float) @ self._fit(found))).astype(
            np.int64
        )
        return np.asarray(np.abs(_STEPS * exact - public))
