"""Clusters and principal components: k-means in a few noisy steps, and the eigenvectors of a noisy second moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Assigned, FeatureMap, Lesson, Moments, VectorNoise
from tacit.errors import InvalidInput
from tacit.learn.encoders import Dense
from tacit.learn.estimator import Estimator, Learning, ask
from tacit.learn.model_card import Step, shorten_number
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.learn.pseudo_random import made_up_normals, made_up_uniforms
from tacit.printing import printable
from tacit.progress import show_progress

__all__ = ["PCA", "KMeans"]

Array = NDArray[np.float64]

MOMENTS = Fraction(15, 100)  # of the price: where the rows lie
COUNTS = (1, 9)  # parts of a step: counts and sums
SURROGATE = 4_000  # made-up points on which centres start
RESTARTS = 4
MOST_STEPS = 20
SHOWN = 6  # centres, columns or components on a card


class KMeans(Estimator):
    """k-means: centres start on made-up points of the released mean and covariance, then move in a few noisy steps.

    `cluster_centers_` are in the columns' own units.
    """

    def __init__(self, n_clusters: int = 8, *, epsilon: Any, logs: tuple[str, ...] = ()) -> None:
        self.n_clusters, self.epsilon, self.logs = n_clusters, epsilon, logs

    def predict(self, frame: Any) -> NDArray[np.int64]:
        """The nearest centre of each row of a frame of one's own."""
        self._check_fitted()
        return np.asarray(self._distances(frame).argmin(axis=1), np.int64)

    def score(self, frame: Any, y: Any = None) -> float:
        """Minus the mean squared distance of rows from their centres, where declared ranges go from -1 to 1."""
        self._check_fitted()
        return -float(self._distances(frame).min(axis=1).mean())

    def _distances(self, frame: Any) -> Array:
        x, centres = self._read(frame)[:, :-1], self._model["centres"]
        squares = (x**2).sum(1)[:, None] - 2 * x @ centres.T + (centres**2).sum(1)[None]
        return np.asarray(np.maximum(squares, 0), np.float64)

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        check_positive(self.n_clusters, "n_clusters")
        encoder = self._encode(lesson)
        encoding, d, k = encoder.encoding(), len(encoder.names), self.n_clusters
        stretch = 1.0 if noise.concentrated else float(np.sqrt(d))
        bound = encoder.typical(pure=not noise.concentrated)
        ((moments, off),) = yield from ask(Moments(FeatureMap(encoding, bound)), MOMENTS)
        rows = max(float(moments[-1, -1]), 10.0)
        mean = np.clip(moments[-1, :d] / rows, -1, 1)
        values, vectors = np.linalg.eigh(moments[:d, :d] / rows - np.outer(mean, mean))
        floor = off * np.sqrt(2 * d) / rows
        trace = float(np.clip(values.sum(), floor / np.sqrt(d), d))
        values = np.maximum(values, 0.1 * floor)
        values = values * min(1.0, trace / values.sum())
        centres = _start(values, vectors, mean, k)
        alone = noise.unit_deviation((1 - MOMENTS) * Fraction(9, 10))
        room = 0.01 * (rows / k) ** 2 / (d * alone**2)
        steps = int(np.clip(room / 6.25, 3, MOST_STEPS)) if noise.concentrated else 3
        radius = np.sqrt(trace * np.clip(room / steps, 2.56, 12.25)) * stretch
        radius = float(min(2 * np.sqrt(d) * stretch, radius))
        mapping = FeatureMap(encoding, radius, np.c_[np.eye(d), -mean])
        kept: list[Array] = []
        for step in show_progress(range(steps), steps, "steps"):
            kernel = Assigned(mapping, centres)
            (counts, off_counts), (sums, off_sums) = yield from ask(
                kernel, (1 - MOMENTS) / steps, COUNTS
            )
            found = np.maximum(counts, 1.0)
            spread = (off_sums / found) ** 2
            turned = sums / found[:, None] @ vectors
            means = turned * (values[None] / (values[None] + spread[:, None])) @ vectors.T
            way = means - centres
            trusted = np.maximum(0, 1 - d * spread / np.maximum((way**2).sum(1), 1e-30))
            seen = found > 3 * off_counts
            centres = np.where(seen[:, None], centres + trusted[:, None] * way, centres)
            if step < steps - max(1, steps // 3):
                centres = _split(centres, found, seen, values, vectors, step)
            kept.append(centres.copy())
        if steps > 4:
            centres = np.mean(kept[-(steps // 3) :], axis=0)
        return {"centres": centres + mean, "rows": rows, "steps": steps}

    def _encode(self, lesson: Declarations) -> Dense:
        return Dense(lesson.features, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)
        half, middle = self._encoder.scales()
        self.cluster_centers_ = model["centres"] * half + middle

    def _learnt(self) -> tuple[str, ...]:
        """Some centres, in some of the columns."""
        names = self._encoder.names[:SHOWN]
        said = []
        for place, centre in enumerate(self.cluster_centers_[:SHOWN], 1):
            numbers = zip(names, centre, strict=False)
            where = ", ".join(f"{printable(name)} {shorten_number(at)}" for name, at in numbers)
            said.append(f"centre {place}: {where}{', …' if len(centre) > SHOWN else ''}")
        if len(self.cluster_centers_) > SHOWN:
            said.append(f"and {len(self.cluster_centers_) - SHOWN} more, in cluster_centers_")
        return tuple(said)

    def _error(self) -> str:
        return "not measured: score(frame) is for rows of your own"

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        return (
            Step("mean and covariance", float(MOMENTS), (d + 1) * (d + 2) // 2),
            Step(
                f"3 to {MOST_STEPS} steps of counts and sums",
                float(1 - MOMENTS),
                MOST_STEPS * self.n_clusters * (d + 1),
            ),
        )


class PCA(Estimator):
    """Principal components from one noisy second moment; any number of columns.

    `norm` may declare the largest norm of a row's features, each from -1 to 1 by its bounds; longer rows are shortened.
    `components_` has a component in each row, over the encoded features; `explained_variance_` may be off by noise.
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        epsilon: Any,
        norm: float | None = None,
        logs: tuple[str, ...] = (),
    ) -> None:
        self.n_components, self.epsilon, self.norm, self.logs = n_components, epsilon, norm, logs

    def transform(self, frame: Any) -> Array:
        """The coordinates of each row of a frame of one's own in the components."""
        self._check_fitted()
        centred = self._read(frame)[:, :-1] - self._model["mean"]
        return np.asarray(centred @ self._model["components"].T, np.float64)

    def score(self, frame: Any, y: Any = None) -> float:
        """The share of a frame's variance, about the released mean, that the components keep."""
        centred = self._read(frame)[:, :-1] - self._model["mean"]
        return float((self.transform(frame) ** 2).sum() / (centred**2).sum())

    def _lesson(
        self, vault: Any, rows: Any, target: str | None, columns: Sequence[str] | None
    ) -> Lesson:
        found = super()._lesson(vault, rows, target, columns)
        most = len(self._encode(found).names)
        if self.n_components > most:
            raise InvalidInput(
                "n_components",
                self.n_components,
                f"give at most {most}, the number of encoded features of a row",
            )
        return found

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        check_positive(self.n_components, "n_components")
        encoder = self._encode(lesson)
        d = len(encoder.names)
        bound = encoder.typical(pure=not noise.concentrated, norm=self.norm)
        kernel = Moments(FeatureMap(encoder.encoding(), bound))
        ((moments, off),) = yield from ask(kernel, Fraction(1))
        rows = max(float(moments[-1, -1]), 10.0)
        mean = np.clip(moments[-1, :d] / rows, -1, 1)
        values, vectors = np.linalg.eigh(moments[:d, :d] / rows - np.outer(mean, mean))
        order = np.argsort(values)[::-1][: self.n_components]
        components = vectors[:, order].T
        signs = np.sign(components[np.arange(len(order)), np.abs(components).argmax(axis=1)])
        return {
            "components": components * signs[:, None],
            "variances": np.maximum(values[order], 0),
            "mean": mean,
            "rows": rows,
            "noise": off / rows,
        }

    def _encode(self, lesson: Declarations) -> Dense:
        return Dense(lesson.features, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)
        self.components_, self.explained_variance_ = model["components"], model["variances"]
        self.mean_ = model["mean"]

    def _learnt(self) -> tuple[str, ...]:
        """The variance of every component."""
        said = ", ".join(shorten_number(float(each)) for each in self.explained_variance_[:SHOWN])
        more = ", …" if len(self.explained_variance_) > SHOWN else ""
        return (f"variances of the components, with bounds scaled to -1 and 1: {said}{more}",)

    def _error(self) -> str:
        off = shorten_number(float(self._model["noise"])) if hasattr(self, "_model") else "?"
        return f"noise with standard deviation {off} in every entry of the covariance"

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        return (Step("mean and second moments", 1.0, (d + 1) * (d + 2) // 2),)


def _start(values: Array, vectors: Array, mean: Array, k: int) -> Array:
    """Centres of made-up points that have the released covariance, the best of some starts."""
    points = made_up_normals((SURROGATE, len(values))) * np.sqrt(values) @ vectors.T
    points = np.clip(points + mean, -1, 1) - mean
    starts = (_settle(points, _scatter(points, k, 10 + turn)) for turn in range(RESTARTS))
    return min(starts, key=lambda found: found[1])[0]


def _scatter(points: Array, k: int, stream: int) -> Array:
    """Centres among points, each likelier the farther it lies from those before (Arthur and Vassilvitskii 2007)."""
    coins = made_up_uniforms(k, stream)
    centres = [points[int(coins[0] * len(points))]]
    far = ((points - centres[0]) ** 2).sum(1)
    for coin in coins[1:]:
        total = np.cumsum(far)
        centres.append(points[int(min(np.searchsorted(total, coin * total[-1]), len(points) - 1))])
        far = np.minimum(far, ((points - centres[-1]) ** 2).sum(1))
    return np.array(centres)


def _settle(points: Array, centres: Array, turns: int = 15) -> tuple[Array, float]:
    """Lloyd's steps on public points, and the mean squared distance that is left."""
    centres = centres.copy()
    for _ in range(turns):
        nearest = ((centres**2).sum(1)[None] - 2 * points @ centres.T).argmin(1)
        member = (nearest[:, None] == np.arange(len(centres))[None]).astype(float)
        counts = member.sum(0)
        moved = member.T @ points / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, moved, centres)
    squares = (points**2).sum(1)[:, None] - 2 * points @ centres.T + (centres**2).sum(1)[None]
    return centres, float(squares.min(1).mean())


def _split(
    centres: Array, counts: Array, seen: NDArray[np.bool_], values: Array, vectors: Array, step: int
) -> Array:
    """Centres that attract nobody beyond noise are put beside the largest ones."""
    moved, left = centres.copy(), counts.copy()
    d = len(values)
    for place in np.flatnonzero(~seen):
        largest = int(left.argmax())
        way = made_up_normals((d,), 1000 + 100 * step + int(place)) * np.sqrt(values) * 0.5
        moved[place] = moved[largest] + vectors @ way
        moved[largest] = moved[largest] - vectors @ way
        left[largest] /= 2
        left[place] = left[largest]
    return moved
