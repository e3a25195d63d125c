"""Columns as a learner sees them: names, public values and bounds, and which place stands for which value."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.tables.column_codes import CodedColumn
from tacit.frozen import frozen
from tacit.plan import OTHER, Kind, constant

__all__ = ["CATEGORY", "NUMBER", "Feature", "describe_column"]

CATEGORY, NUMBER = "category", "number"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- as the policy declares moments


@frozen(eq=False)
class Feature:
    """What is public about a column: a category with its values, or a number with its bounds.

    Rows are told apart by places: `values` has the value of each place of a category, `numbers` the
    middle of each place of a number (nan for NULL, which has the last place of a column that may be
    NULL).

    >>> ward = Feature("ward", CATEGORY, ("A", "B", None), np.zeros(0), 0.0, 0.0)
    >>> ward.places(["B", "C", "A"]).tolist(), ward.size
    ([1, 2, 0], 3)
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    numbers: NDArray[np.float64]
    low: float
    high: float

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.values) if self.kind == CATEGORY else len(self.numbers)

    def places(self, values: Sequence[Any]) -> NDArray[np.int64]:
        """The place of each value of a category; others have that of "other", else of NULL, else the first."""
        known = {value: place for place, value in enumerate(self.values)}
        missing = known.get(OTHER, known.get(None, 0))
        found = (known.get(_plain(value), missing) for value in values)
        return np.fromiter(found, np.int64, len(values))

    def to_numbers(self, values: Sequence[Any]) -> NDArray[np.float64]:
        """Cells as numbers: of moments, days or microseconds since 1970; nan where there is none."""
        return np.array([_as_number(value) for value in values], np.float64)

    def standardize(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers moved into the declared bounds, as -1 to 1; what is missing is in the middle."""
        middle, half = (self.low + self.high) / 2, max((self.high - self.low) / 2, 1e-300)
        inside = np.clip(numbers, self.low, self.high)
        return np.nan_to_num((inside - middle) / half, nan=0.0)

    def to_plain(self) -> dict[str, Any]:
        """All of it but the places, as JSON can hold it."""
        return {"name": self.name, "kind": self.kind, "low": self.low, "high": self.high}


def describe_column(column: CodedColumn) -> Feature:
    """What is public about a coded column.

    Claim:      it follows from what the policy declares of the column.
    Because:    nothing else is passed in.
    Checked by: tests/laws/test_vectors.py::test_with_constant_noise_a_fit_is_the_same_on_neighbours
    """
    declared = column.column
    if column.axis.grid is None:
        return Feature(declared.name, CATEGORY, tuple(column.labels()), np.zeros(0), 0.0, 0.0)
    return Feature(declared.name, NUMBER, (), _numbers(column), *_bounds(column))


def _bounds(column: CodedColumn) -> tuple[float, float]:
    kind = Kind.NUMBER if column.column.kind is Kind.INTEGER else column.column.kind
    low, high = (constant(end, kind) for end in (column.column.low, column.column.high))
    return _as_number(low), _as_number(high)


def _numbers(column: CodedColumn) -> NDArray[np.float64]:
    """The middle of every place, as a number."""
    axis, kind = column.axis, column.column.kind
    assert axis.grid is not None, "numbers have cells"
    by_code = [_as_number(constant(value, kind)) for value in axis.values]
    by_code += (np.arange(axis.grid.low, axis.grid.high + 1) * float(axis.grid.step)).tolist()
    by_code += [float("nan")] * axis.null
    found = np.zeros(axis.size)
    found[np.array(column.order)] = by_code
    return found


def _as_number(value: Any) -> float:
    """A cell as a number: of moments, days or microseconds since 1970; nan where there is none."""
    if value is None:
        return float("nan")
    if isinstance(value, datetime):
        return float(round((value.replace(tzinfo=None) - _EPOCH).total_seconds() * 1_000_000))
    if isinstance(value, date):
        return float((value - _EPOCH.date()).days)
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _plain(value: Any) -> Any:
    """A cell of a frame as the value that a policy would list; None for what is missing."""
    found = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(found, float) and np.isnan(found) else found
