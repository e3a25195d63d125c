"""Features as numbers: on grids for the vault's rows, and the same way for a frame of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import GRID, Encoding, Feature
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.learn.prediction_frames import read_columns, read_numbers

__all__ = ["Binned", "Dense"]

Array = NDArray[np.float64]


@frozen(eq=False)
class Dense:
    """Numbers as -1 to 1, or as their logarithm; categories as one number for each value; and a constant.

    With `drop`, the first value of a category has no number: coefficients compare the others with it.
    """

    features: tuple[Feature, ...]
    logs: tuple[str, ...] = ()
    drop: bool = False

    def __post_init__(self) -> None:
        check_logs(self.features, self.logs)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every number, without the constant."""
        return tuple(name for each in self.features for name in self._names(each))

    @property
    def bound(self) -> float:
        """The largest norm of a row, with the constant: one for every column."""
        return float(np.sqrt(len(self.features) + 1))

    def typical(self, *, pure: bool, norm: float | None = None) -> float:
        """A usual norm: of numbers that of uniform ones, a third of the largest square; of categories all of it.

        Where a `norm` of the features is declared, it is that, and the constant's.

        Claim:      no fit fails for its norm after it was paid for.
        Because:    a norm is at least a step of the grid on which features are; even a sixteenth of its square keeps
                    every public matrix far below what doubles add exactly. A smaller one is refused before the price.
        Checked by: tests/laws/test_learn.py::test_a_norm_is_refused_before_it_is_paid_for_or_fits
        """
        if norm is not None:
            if not 1 / GRID <= norm < 1e6:
                remedy = (
                    f"give a number from 1/{GRID}, a step of the features, to a million, such as 1"
                )
                raise InvalidInput("norm", norm, remedy)
            return float(norm + 1) if pure else float(np.sqrt(norm**2 + 1))
        if pure:
            return self.total
        numbers = sum(each.kind == "number" for each in self.features)
        return float(np.sqrt(numbers / 3 + len(self.features) - numbers + 1))

    @property
    def total(self) -> float:
        """The largest sum of absolute values of a row, with the constant."""
        return float(len(self.features) + 1)

    def encoding(self) -> Encoding:
        """What the vault encodes rows by."""
        tables = [np.rint(self._table(each) * GRID).astype(np.int16) for each in self.features]
        return Encoding(tuple(range(len(tables))), tuple(tables))

    def transform(self, frame: Any) -> Array:
        """A frame of one's own as numbers, with the constant, as rows of the vault are."""
        columns, count = read_columns(frame, self.features)
        parts = [
            self._encode(each, values) for each, values in zip(self.features, columns, strict=True)
        ]
        return np.concatenate([*parts, np.ones((count, 1))], axis=1)

    def scales(self) -> tuple[Array, Array]:
        """By what coefficients are divided to be about the columns' own units, and what is subtracted first."""
        half, middle = [], []
        for each in self.features:
            numeric = each.kind == "number" and each.name not in self.logs
            half += [max((each.high - each.low) / 2, 1e-300) if numeric else 1.0] * self._width(
                each
            )
            middle += [(each.high + each.low) / 2 if numeric else 0.0] * self._width(each)
        return np.array(half), np.array(middle)

    def _width(self, feature: Feature) -> int:
        return 1 if feature.kind == "number" else feature.size - self.drop

    def _names(self, feature: Feature) -> list[str]:
        if feature.kind == "number":
            return [feature.name]
        return [f"{feature.name}={value}" for value in feature.values[self.drop :]]

    def _table(self, feature: Feature) -> Array:
        if feature.kind == "number":
            return scale_number(feature, feature.numbers, self.logs)[:, None]
        return np.eye(feature.size)[:, self.drop :]

    def _encode(self, feature: Feature, values: Sequence[Any]) -> Array:
        if feature.kind == "number":
            return scale_number(feature, read_numbers(feature, values), self.logs)[:, None]
        return self._table(feature)[feature.places(values)]


@frozen(eq=False)
class Binned:
    """Every column in bins: those of a category are its values, those of a number equally wide; NULL has its own."""

    features: tuple[Feature, ...]
    bins: int
    logs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_logs(self.features, self.logs)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many bins each column has."""
        return tuple(max(group) + 1 for group in self.groups())

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The bin of every place of every column."""
        return tuple(
            tuple(range(each.size))
            if each.kind == "category"
            else tuple(self._bin(each, each.numbers).tolist())
            for each in self.features
        )

    def transform(self, frame: Any) -> NDArray[np.int64]:
        """The bins of the rows of a frame of one's own."""
        columns, _ = read_columns(frame, self.features)
        places = [
            each.places(values)
            if each.kind == "category"
            else self._bin(each, read_numbers(each, values))
            for each, values in zip(self.features, columns, strict=True)
        ]
        return np.stack(places, axis=1)

    def _bin(self, feature: Feature, numbers: Array) -> NDArray[np.int64]:
        has_null = bool(np.isnan(feature.numbers).any())
        values = int(np.count_nonzero(~np.isnan(feature.numbers)))
        count = min(self.bins, values)
        scaled = (scale_number(feature, numbers, self.logs) + 1) / 2
        found = np.minimum(np.floor(scaled * count), count - 1).astype(np.int64)
        return np.where(np.isnan(numbers), count if has_null else 0, found)


def scale_number(feature: Feature, numbers: Array, logs: Sequence[str]) -> Array:
    """Numbers within bounds as -1 to 1, of some the logarithm of one plus their distance from the lower bound."""
    if feature.name not in logs:
        return feature.standardize(numbers)
    inside = np.clip(numbers, feature.low, feature.high) - feature.low
    whole = np.log1p(feature.high - feature.low)
    return np.asarray(np.nan_to_num(2 * np.log1p(inside) / whole - 1, nan=0.0), np.float64)


def check_logs(features: Sequence[Feature], logs: Sequence[str]) -> None:
    """Refuse a logarithm of what is no number among the features."""
    numbers = [each.name for each in features if each.kind == "number"]
    for name in logs:
        if name not in numbers:
            raise InvalidInput("logs", name, f"name columns with bounds: {', '.join(numbers)}")
