"""Nearest neighbours: a sketch of where each class lies, released once, or neighbours among synthetic rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import GRID, Encoding, FeatureMap, Lesson, Moments, VectorNoise, Waves
from tacit.errors import InvalidInput
from tacit.learn.encoders import Dense
from tacit.learn.estimator import Classifier, Learning, ask
from tacit.learn.model_card import Step
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.learn.pseudo_random import made_up_normals

__all__ = ["NearestClassifier"]

Array = NDArray[np.float64]

COUNT = Fraction(2, 100)  # of the price: how many rows there are
MOMENTS = Fraction(13, 100)  # which directions matter; the rest is for the waves
WIDTH, POWER = 0.5, 0.5
PHASES = 1 << 16
BLOCK = 2_048


class NearestClassifier(Classifier):
    """Nearest neighbours, softly: the kernel mass of every class around a row, from sums of random waves.

    One release serves any number of predictions.  Voting of the true neighbours would cost a price for every query
    and is far less accurate; neighbours in a synthetic table (`vault.synthesize`) are the third form.
    """

    def __init__(self, *, epsilon: Any, waves: int = 1_000, logs: tuple[str, ...] = ()) -> None:
        self.epsilon, self.waves, self.logs = epsilon, waves, logs

    def scores(self, frame: Any) -> Array:
        """The logarithm of the kernel mass of each class, not less than the noise."""
        x = np.rint(self._read(frame) * GRID)
        phases, sums = self._model["phases"], self._model["sums"]
        masses = []
        for start in range(0, len(x), BLOCK):
            turns = (x[start : start + BLOCK] @ phases) * (2 * np.pi / PHASES)
            waves = np.concatenate([np.cos(turns), np.sin(turns)], axis=1)
            masses.append(waves @ sums.T / phases.shape[1])
        found = np.concatenate(masses) if masses else np.zeros((0, len(self.classes_)))
        return np.log(np.maximum(found, float(self._model["floor"])))

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        check_positive(self.waves, "waves")
        encoder = self._encode(lesson)
        encoding, d = encoder.encoding(), len(encoder.names)
        bound = encoder.typical(pure=not noise.concentrated)
        alone = Moments(FeatureMap(Encoding((), ()), 1.0))
        ((counted, _),) = yield from ask(alone, COUNT)
        ((moments, off),) = yield from ask(Moments(FeatureMap(encoding, bound)), MOMENTS)
        # In many columns noise hides how many rows the moments are of; rows that are held count less, but not nothing.
        most = max(float(counted[0, 0]), 10.0)
        least_kept = (bound / (encoder.bound if noise.concentrated else encoder.total)) ** 2
        rows = float(np.clip(moments[-1, -1], least_kept * most, most))
        mean = moments[-1, :d] / rows
        lifted = (
            0.5 * (off / rows) ** 2 * np.eye(d)
        )  # what the noise of the mean adds to its square
        values, vectors = np.linalg.eigh(moments[:d, :d] / rows - np.outer(mean, mean) + lifted)
        values = np.maximum(values, 0)
        floor = max(off * np.sqrt(2 * d) / rows, 2 * values.sum() / d)
        narrow = vectors / (values + floor) ** POWER @ vectors.T
        effective = max(0.1, float((values / (values + floor) ** (2 * POWER)).sum()))
        width = WIDTH * np.sqrt(effective)
        directions = narrow @ made_up_normals((d, self.waves), 7) / width / (2 * np.pi)
        phases = np.concatenate([np.rint(directions * PHASES / GRID), np.zeros((1, self.waves))])
        phases = np.clip(phases, -(1 << 24), 1 << 24)
        kernel = Waves(encoding, phases, len(lesson.classes))
        ((sums, spread),) = yield from ask(kernel, 1 - COUNT - MOMENTS)
        least = spread / np.sqrt(self.waves)
        return {"phases": phases, "sums": sums, "floor": least, "rows": rows}

    def _encode(self, lesson: Declarations) -> Dense:
        return Dense(lesson.features, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        return (
            Step("number of rows", float(COUNT), 1),
            Step("mean and second moments", float(MOMENTS), (d + 1) * (d + 2) // 2),
            Step(
                "sums of random waves by class",
                float(1 - COUNT - MOMENTS),
                2 * self.waves * len(lesson.classes),
            ),
        )


def nearest_labels(points: Array, labels: Sequence[Any], queries: Array, k: int) -> list[Any]:
    """The most frequent label among the k nearest of some public points, such as synthetic rows.

    >>> nearest_labels(np.array([[0.0], [1.0], [9.0]]), ["a", "a", "b"], np.array([[0.4], [8.0]]), 1)
    ['a', 'b']
    """
    if not 1 <= k <= len(points):
        raise InvalidInput("k", k, f"give a whole number between 1 and {len(points)}")
    classes = sorted(set(labels), key=str)
    codes = np.array([classes.index(label) for label in labels])
    found = []
    for start in range(0, len(queries), BLOCK):
        part = queries[start : start + BLOCK]
        far = (points**2).sum(1)[None] - 2 * part @ points.T
        near = np.argpartition(far, k - 1, axis=1)[:, :k]
        votes = (codes[near][:, :, None] == np.arange(len(classes))[None, None]).sum(axis=1)
        found += [classes[place] for place in votes.argmax(axis=1)]
    return found
