"""Linear and logistic regression, with intervals for their coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import FeatureMap, Lesson, Regression, VectorNoise
from tacit.errors import InvalidInput
from tacit.learn.encoders import Dense
from tacit.learn.estimator import Classifier, Estimator, Learning, ask
from tacit.learn.model_card import Step, shorten_number
from tacit.learn.model_json import Declarations
from tacit.learn.whitening import MOMENTS, NEWTON, STEPS, add_hidden, learn_logistic, whiten
from tacit.printing import printable

__all__ = ["LinearRegression", "LogisticRegression", "check_two_classes"]

Array = NDArray[np.float64]

SHARES = (Fraction(1, 5), Fraction(3, 10), Fraction(1, 2))  # of the price, round by round
PARTS = (35, 50, 15)  # of a round: u u', u e and e e
WIDE = 0.05
SHOWN = 8  # coefficients on a card


class LogisticRegression(Classifier):
    """Logistic regression of a target of two classes: the safe default for classification.

    `logs` are numbers of which the logarithm is used.  With `intervals`, three tenths of the price buy coefficients
    whose error is known: `coef_`, with the ends `coef_low_` and `coef_high_`.
    """

    coef_: Array
    coef_names_: NDArray[Any]
    intercept_: float
    coef_low_: Array
    coef_high_: Array

    def __init__(
        self, *, epsilon: Any, logs: tuple[str, ...] = (), intervals: bool = False
    ) -> None:
        self.epsilon, self.logs, self.intervals = epsilon, logs, intervals

    def scores(self, frame: Any) -> Array:
        """Minus half and plus half of the logarithm of the odds."""
        half = self._read(frame) @ self._model["theta"] / 2
        return np.stack([-half, half], axis=1)

    def decision_function(self, frame: Any) -> Array:
        """The logarithm of the odds of the second class."""
        self._check_fitted()
        return np.asarray(self._read(frame) @ self._model["theta"], np.float64)

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        encoder = self._encode(lesson)
        bound = encoder.bound if noise.concentrated else encoder.total
        fit = yield from learn_logistic(
            encoder.encoding(), bound, noise, Fraction(1), intervals=self.intervals
        )
        found: dict[str, Any] = {"theta": fit.theta, "rows": fit.rows}
        return found | {"free": fit.free, "covariance": fit.covariance}

    def _encode(self, lesson: Declarations) -> Dense:
        check_two_classes(lesson, type(self).__name__)
        return Dense(lesson.features, tuple(self.logs), drop=self.intervals)

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)
        free = model["free"] if self.intervals else model["theta"]
        spread = np.sqrt(np.maximum(np.diag(model["covariance"]), 0)) if self.intervals else None
        _set_coefficients(self, self._encoder, free, spread, 1.0, 0.0)

    def _learnt(self) -> tuple[str, ...]:
        return _list_coefficients(self)

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names) + 1
        last = NEWTON if self.intervals else Fraction(0)
        steps = STEPS if noise.concentrated else 5
        found = [
            Step("second moments of the features", float(MOMENTS), d * (d + 1) // 2),
            Step(f"{steps} gradients", float(1 - MOMENTS - last), d * steps),
        ]
        if self.intervals:
            found.append(Step("curvature and a last gradient", float(last), d * (d + 3) // 2))
        return tuple(found)

    def _notes(self, lesson: Lesson, noise: VectorNoise) -> tuple[str, ...]:
        if noise.concentrated:
            return ()
        return ("without a delta, HistogramNB is more accurate: steps are few and noise is wide",)


class LinearRegression(Estimator):
    """Least squares in three rounds: look, whiten and take residuals, look again.

    `coef_` and `intercept_` are about the columns' own units; `coef_low_` and `coef_high_` are the ends of their
    intervals at 95 %, for noise and sampling together; predictions use coefficients that are shrunk by their noise.
    """

    predicts = "a number"
    coef_: Array
    coef_names_: NDArray[Any]
    intercept_: float
    coef_low_: Array
    coef_high_: Array

    def __init__(self, *, epsilon: Any, logs: tuple[str, ...] = ()) -> None:
        self.epsilon, self.logs = epsilon, logs

    def predict(self, frame: Any) -> Array:
        """The expected target of each row of a frame of one's own, within its declared bounds."""
        self._check_fitted()
        low, high = self._bounds
        scaled = self._read(frame) @ self._model["theta"]
        expected = (low + high) / 2 + scaled * (high - low) / 2
        return np.asarray(np.clip(expected, low, high), np.float64)

    def score(self, frame: Any, y: Any = None) -> float:
        """R squared on a frame of one's own."""
        found = self.predict(frame)
        true = np.array(self._true(frame, y, len(found)), np.float64)
        if not np.isfinite(true).all():
            raise InvalidInput("y", "missing or infinite", "give rows whose target is known")
        left, whole = ((true - found) ** 2).sum(), ((true - true.mean()) ** 2).sum()
        if not whole:  # as scikit-learn has it
            return float(not left)
        return float(1 - left / whole)

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        encoder = self._encode(lesson)
        encoding, d = encoder.encoding(), len(encoder.names) + 1
        pure = not noise.concentrated
        stretch = float(np.sqrt(d)) if pure else 1.0
        matrix, theta = np.eye(d), np.zeros(d)
        radius, scale, most, rows = (encoder.total if pure else encoder.bound), 1.0, 1.0, 0.0
        for turn, share in enumerate(SHARES):
            kernel = Regression(FeatureMap(encoding, radius, matrix), theta, scale, most)
            (
                (moments, off_moments),
                (cross, off_cross),
                (square, off_square),
            ) = yield from ask(kernel, share, PARTS)
            if not turn:
                rows = max(float(moments[-1, -1]), 10.0)
            final = turn == len(SHARES) - 1
            values, vectors = np.linalg.eigh(moments / rows)
            floor = off_moments * np.sqrt(2 * d) / rows
            raised = np.maximum(values, 0) + (0.5 * floor if final else floor)
            step = vectors @ ((vectors.T @ (cross / rows)) / raised)
            noise_energy = (off_cross / rows) ** 2 * (np.maximum(values, 0) / raised**2).sum()
            energy = max(float(step @ (moments / rows) @ step), 1e-30)
            step = step * max(0.0, 1 - noise_energy / energy)
            moved = np.clip(theta + scale * (matrix.T @ step), -1e6, 1e6)
            left = max(
                float(square[0]) / rows - float(step @ (cross / rows)), off_square / rows, 1e-6
            )
            if final:
                free, covariance = _free_estimate(
                    matrix, vectors, values, floor, cross / rows, step, theta, scale,
                    (off_cross / rows, off_moments / rows, left / rows),
                )  # fmt: skip
                residual = scale * float(np.sqrt(left))
                found = {"theta": moved, "free": free, "covariance": covariance, "rows": rows}
                return {**found, "residual": residual}
            inverse, effective, _ = whiten(moments, off_moments, rows)
            matrix, theta, scale = inverse @ matrix, moved, scale * float(np.sqrt(left))
            following = SHARES[turn + 1]
            alone = [noise.unit_deviation(following * Fraction(part, sum(PARTS))) for part in PARTS]
            roomy = WIDE * rows / (alone[0] * np.sqrt(2 * d))
            largest = np.sqrt(d) * float(np.linalg.norm(matrix, 2))
            radius = min(largest, float(np.sqrt(max(2.25 * effective, roomy)))) * stretch
            most = min(2 / scale, max(4.0, float(np.sqrt(rows)) / (alone[1] * radius)))
        raise AssertionError("the last round returns")

    def _encode(self, lesson: Declarations) -> Dense:
        return Dense(lesson.features, tuple(self.logs), drop=True)

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        assert lesson.target is not None, "a number is predicted"
        self._encoder, self._bounds = self._encode(lesson), (lesson.target.low, lesson.target.high)
        low, high = self._bounds
        spread = np.sqrt(np.maximum(np.diag(model["covariance"]), 0))
        half, middle = (high - low) / 2, (high + low) / 2
        _set_coefficients(self, self._encoder, model["free"], spread, half, middle)

    def _learnt(self) -> tuple[str, ...]:
        return _list_coefficients(self)

    def _error(self) -> str:
        if "residual" not in getattr(self, "_model", {}):
            return super()._error()
        low, high = self._bounds
        off = shorten_number(float(self._model["residual"]) * (high - low) / 2)
        return (
            f"the root mean square of the residuals is about {off}, computed from released numbers"
        )

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names) + 1
        numbers = d * (d + 1) // 2 + d + 1
        what = "second moments, products with the residual, and its square"
        return tuple(
            Step(f"round {at + 1}: {what}", float(s), numbers) for at, s in enumerate(SHARES)
        )


def _free_estimate(
    matrix: Array,
    vectors: Array,
    values: Array,
    floor: float,
    cross: Array,
    step: Array,
    theta: Array,
    scale: float,
    deviations: tuple[float, float, float],
) -> tuple[Array, Array]:
    """An estimate without shrinkage, and the covariance of its error; infinite where noise hides a direction."""
    off_cross, off_moments, sampled = deviations
    known = values > 3 * floor
    kept = vectors[:, known]
    inverse = kept / values[known] @ kept.T
    free = theta + scale * (matrix.T @ (inverse @ cross))
    middle = (off_cross**2 + 0.5 * off_moments**2 * float(step @ step)) * np.eye(len(step))
    middle += 0.5 * off_moments**2 * np.outer(step, step)
    covariance = scale**2 * matrix.T @ (inverse @ middle @ inverse + sampled * inverse) @ matrix
    add_hidden(covariance, matrix.T @ vectors[:, ~known], 1.0)
    return free, covariance


def _set_coefficients(
    model: Any, encoder: Dense, theta: Array, spread: Array | None, half: float, middle: float
) -> None:
    """Coefficients in the columns' own units on a fitted model, with the ends of their intervals at 95 %."""
    scales, centres = encoder.scales()
    slopes = theta[:-1] * half / scales
    model.coef_, model.coef_names_ = slopes, np.array(encoder.names, dtype=object)
    model.intercept_ = float(theta[-1] * half + middle - slopes @ centres)
    if spread is not None:
        reach = NormalDist().inv_cdf(0.975) * spread[:-1] * half / scales
        model.coef_low_, model.coef_high_ = slopes - reach, slopes + reach


def _list_coefficients(model: Any) -> tuple[str, ...]:
    """The coefficients with their intervals, those that are farthest from none first where that is known."""
    low, high = getattr(model, "coef_low_", None), getattr(model, "coef_high_", None)
    names, slopes = model.coef_names_, model.coef_
    order = list(range(len(slopes)))
    if low is not None and high is not None:
        width = np.maximum(high - low, 1e-300)
        order.sort(key=lambda place: -abs(slopes[place]) / width[place])
    said = []
    for place in order[:SHOWN]:
        line = f"{printable(str(names[place]))}: {shorten_number(float(slopes[place]))}"
        if low is not None and high is not None:
            line += _show_interval(float(low[place]), float(high[place]))
        said.append(line)
    if len(order) > SHOWN:
        said.append(f"and {len(order) - SHOWN} more coefficients, in coef_")
    return tuple(said)


def _show_interval(low: float, high: float) -> str:
    if not np.isfinite(high - low):
        return " (no interval: noise hides it)"
    return f" (95 %: {shorten_number(low)} to {shorten_number(high)})"


def check_two_classes(lesson: Declarations, name: str) -> None:
    """Refuse a target of more than two classes."""
    if len(lesson.classes) != 2:
        raise InvalidInput(
            "target",
            lesson.target.name if lesson.target else None,
            f"{name} distinguishes two classes, but this target has {len(lesson.classes)}; "
            "use HistogramNB (naive-bayes) or MLPClassifier (network) for more, LinearRegression (linear) for a number",
        )
