"""The scorecard: the evidence of every column's bins, and how much each column's evidence counts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import GRID, Encoding, Lesson, VectorNoise
from tacit.learn.encoders import Binned
from tacit.learn.estimator import Classifier, Learning
from tacit.learn.linear import check_two_classes
from tacit.learn.model_card import Step
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.learn.naive_bayes import ask_evidence
from tacit.learn.whitening import MOMENTS, STEPS, learn_logistic
from tacit.printing import printable

__all__ = ["Scorecard"]

Array = NDArray[np.float64]

EVIDENCE = Fraction(3, 5)  # of the price; the rest is for the weights
PSEUDO = 2.0  # how many deviations of noise a bin is taken to hold besides
HOLD = 3.0  # evidence is held between minus and plus this
START = 0.5  # what evidence counts before anything is known
BOUND = 4.0
SHOWN = 8  # columns on a card


class Scorecard(Classifier):
    """Evidence from noisy counts of every column's bins, weighed by a logistic regression: best for categorical data.

    Two classes.  `points()` lists what every bin of every column adds to the logarithm of the odds.
    """

    def __init__(self, *, epsilon: Any, bins: int = 16, logs: tuple[str, ...] = ()) -> None:
        self.epsilon, self.bins, self.logs = epsilon, bins, logs

    def scores(self, frame: Any) -> Array:
        """Minus half and plus half of the points."""
        bins = self._read(frame)
        total = np.full(len(bins), self._model["weights"][-1])
        for place, points in enumerate(self._points()):
            total += points[bins[:, place]]
        return np.stack([-total / 2, total / 2], axis=1)

    def decision_function(self, frame: Any) -> Array:
        """The logarithm of the odds of the second class."""
        return 2 * self.scores(frame)[:, 1]

    def points(self) -> dict[str, list[float]]:
        """What every bin of every column adds to the logarithm of the odds of the second class."""
        self._check_fitted()
        names = [each.name for each in self.features_]
        return {name: each.tolist() for name, each in zip(names, self._points(), strict=True)}

    def _points(self) -> list[Array]:
        weights = self._model["weights"]
        return [
            self._model[f"evidence {place}"] * weights[place]
            for place in range(len(self.features_))
        ]

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        check_positive(self.bins, "bins")
        encoder = self._encode(lesson)
        logs, prior = yield from ask_evidence(lesson, encoder, EVIDENCE, PSEUDO)
        evidence = [np.clip(each[:, 1] - each[:, 0], -HOLD, HOLD) for each in logs]
        d = len(evidence)
        tables = [
            np.rint(each[np.array(group)] / HOLD * GRID).astype(np.int16)[:, None]
            for each, group in zip(evidence, encoder.groups(), strict=True)
        ]
        start = np.array([*[START * HOLD] * d, prior[1] - prior[0]])
        fit = yield from learn_logistic(
            Encoding(tuple(range(d)), tuple(tables)),
            BOUND,
            noise,
            1 - EVIDENCE,
            matrix=np.diag([*[HOLD] * d, 1.0]),
            start=start,
        )
        weights = np.array([*(fit.theta[:-1] / HOLD), fit.theta[-1]])
        named = {f"evidence {place}": each for place, each in enumerate(evidence)}
        return {"weights": weights, "rows": fit.rows, **named}

    def _encode(self, lesson: Declarations) -> Binned:
        check_two_classes(lesson, type(self).__name__)
        return Binned(lesson.features, self.bins, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)

    def _learnt(self) -> tuple[str, ...]:
        """The columns whose bins differ most in points."""
        ranges = {name: (min(each), max(each)) for name, each in self.points().items()}
        order = sorted(ranges, key=lambda name: ranges[name][0] - ranges[name][1])
        return tuple(
            f"{printable(name)}: from {ranges[name][0]:+.2g} to {ranges[name][1]:+.2g} points"
            for name in order[:SHOWN]
        )

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(lesson.features) + 1
        rest = float(1 - EVIDENCE)
        steps = STEPS if noise.concentrated else 5
        cells = sum(self._encode(lesson).sizes) * 2
        return (
            Step("counts of each column's bins by class", float(EVIDENCE), cells),
            Step("second moments of the evidence", rest * float(MOMENTS), d * (d + 1) // 2),
            Step(f"{steps} gradients", rest * float(1 - MOMENTS), steps * d),
        )
