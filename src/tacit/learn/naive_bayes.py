"""Naive Bayes: class-conditionals as histograms, or as Gaussians, and the prior apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import ClassMoments, Encoding, FeatureMap, Lesson, VectorNoise, ask_tables
from tacit.errors import InvalidInput
from tacit.learn.encoders import Binned, Dense
from tacit.learn.estimator import Classifier, Learning, ask
from tacit.learn.model_card import Step
from tacit.learn.model_json import Declarations
from tacit.learn.model_settings import check_positive
from tacit.printing import printable

__all__ = ["GaussianNB", "HistogramNB", "ask_evidence"]

Array = NDArray[np.float64]

PSEUDO = 0.5  # how many deviations of noise a bin is taken to hold besides
SHOWN = 10  # classes on a card


class HistogramNB(Classifier):
    """Naive Bayes from noisy counts of every column's bins and the classes: good at small prices, and without a delta.

    A number is divided into at most so many `bins` of equal width, by its declared bounds; `logs` are numbers of
    which the logarithm is divided.
    """

    def __init__(self, *, epsilon: Any, bins: int = 16, logs: tuple[str, ...] = ()) -> None:
        self.epsilon, self.bins, self.logs = epsilon, bins, logs

    def scores(self, frame: Any) -> Array:
        """The logarithm of the prior and of every column's likelihood, added up."""
        bins = self._read(frame)
        found = np.tile(self._model["prior"], (len(bins), 1))
        for place in range(bins.shape[1]):
            found += self._model[f"evidence {place}"][bins[:, place]]
        return found

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        check_positive(self.bins, "bins")
        evidence, prior = yield from ask_evidence(lesson, self._encode(lesson), Fraction(1))
        named = {f"evidence {place}": each for place, each in enumerate(evidence)}
        return {"prior": prior, **named}

    def _encode(self, lesson: Declarations) -> Binned:
        return Binned(lesson.features, self.bins, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)

    def _learnt(self) -> tuple[str, ...]:
        return _list_shares(self)

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        cells = sum(self._encode(lesson).sizes) * len(lesson.classes)
        return (Step("counts of each column's bins by class", 1.0, cells),)


class GaussianNB(Classifier):
    """Naive Bayes with a Gaussian for every number in every class: counts, sums and sums of squares.

    Sums are about the middle of the declared bounds.  Columns that are no numbers are left out.
    """

    def __init__(self, *, epsilon: Any, logs: tuple[str, ...] = ()) -> None:
        self.epsilon, self.logs = epsilon, logs

    def scores(self, frame: Any) -> Array:
        """The logarithm of the prior and of every Gaussian density, added up."""
        x = self._read(frame)[:, None, :-1]
        means, variances = self._model["means"][None], self._model["variances"][None]
        density = -0.5 * ((x - means) ** 2 / variances + np.log(variances)).sum(axis=2)
        return np.asarray(self._model["prior"][None] + density, np.float64)

    def _learn(self, lesson: Lesson, noise: VectorNoise) -> Learning:
        encoder = self._encode(lesson)
        full = encoder.encoding()
        places = tuple(place for place, each in enumerate(lesson.features) if each.kind == "number")
        encoding, d = Encoding(places, full.tables, constant=False), len(places)
        radius = float(d) if not noise.concentrated else float(np.sqrt(d))
        kernel = ClassMoments(FeatureMap(encoding, radius), len(lesson.classes))
        (
            (counts, _),
            (sums, off),
            (squares, off_squares),
        ) = yield from ask(kernel, Fraction(1), (2, 9, 9))
        rows = np.maximum(counts, 1.0)
        means = np.clip(sums / rows[:, None], -1, 1)
        least = np.clip(np.maximum(off, off_squares) / rows, 1e-3, 1)[:, None]
        variances = np.clip((squares / rows[:, None] + 1) / 2 - means**2, least, 1)
        return {"prior": np.log(rows / rows.sum()), "means": means, "variances": variances}

    def _columns(self, rows: Any, columns: Sequence[str] | None) -> Sequence[str] | None:
        return columns

    def _encode(self, lesson: Declarations) -> Dense:
        numbers = tuple(each for each in lesson.features if each.kind == "number")
        if not numbers:
            raise InvalidInput("columns", "none", "no feature is a number; use HistogramNB")
        return Dense(numbers, tuple(self.logs))

    def _take(self, lesson: Declarations, model: Mapping[str, Array]) -> None:
        super()._take(lesson, model)
        self._encoder = self._encode(lesson)

    def _learnt(self) -> tuple[str, ...]:
        return _list_shares(self)

    def _steps(self, lesson: Lesson, noise: VectorNoise) -> tuple[Step, ...]:
        d = len(self._encode(lesson).names)
        numbers = len(lesson.classes) * (2 * d + 1)
        return (Step("counts, sums and sums of squares of each class", 1.0, numbers),)


def _list_shares(model: Classifier) -> tuple[str, ...]:
    """The estimated share of every class."""
    shares = np.exp(model._model["prior"])  # noqa: SLF001 -- of this room
    pairs = zip(model.classes_.tolist(), shares / shares.sum(), strict=True)
    said = [f"{printable(str(label))} {share:.1%}" for label, share in list(pairs)[:SHOWN]]
    more = ", …" if len(shares) > SHOWN else ""
    return (f"shares of the classes: {', '.join(said)}{more}",)


def ask_evidence(lesson: Lesson, encoder: Binned, share: Fraction, pseudo: float = PSEUDO) -> Any:
    """The logarithm of every bin's likelihood in each class, column by column, and that of the prior.

    Counts are made consistent (every column has the same class totals), and each bin is taken to hold some noise:
    `pseudo` deviations of it.
    """
    target = len(lesson.features)
    assert lesson.target is not None, "classes are predicted"
    groups = [*encoder.groups(), range(lesson.target.size)]
    pairs = [(place, target) for place in range(target)]
    released = yield ask_tables(pairs, groups, share)
    classes = len(lesson.classes)
    tables = [each.counts[:, :classes] for each in released]
    bins = np.array([len(table) for table in tables])
    totals = np.stack([table.sum(axis=0) for table in tables])
    rows = np.maximum((totals / bins[:, None]).sum(axis=0) / (1 / bins).sum(), 1.0)
    prior = rows / rows.sum()
    found = []
    for table, each in zip(tables, released, strict=True):
        even = np.maximum(table + (rows - table.sum(axis=0)) / len(table), 0)
        even = even + classes * pseudo * each.sigma * prior
        found.append(np.log(even / even.sum(axis=0)))
    return found, np.log(prior)
