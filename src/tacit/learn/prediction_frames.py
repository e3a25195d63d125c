"""A frame of one's own, which a fitted model predicts for: columns by their names, and what is no such frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Feature
from tacit.errors import InvalidInput

__all__ = ["column_of", "read_columns", "read_numbers"]

ROWS = 'give rows as [{"age": 34, …}, …], or columns as {"age": [34, …], …}'


def read_columns(frame: Any, features: Sequence[Feature]) -> tuple[list[Sequence[Any]], int]:
    """The values of every feature, as many of each, and how many rows there are."""
    columns = [column_of(frame, each.name) for each in features]
    counts = sorted({len(each) for each in columns}) or [len(frame)]
    if len(counts) > 1:
        said = f"columns of {counts[0]} and of {counts[-1]} values"
        raise InvalidInput("frame", said, "give the same number of values for every column")
    return columns, counts[0]


def read_numbers(feature: Feature, values: Sequence[Any]) -> NDArray[np.float64]:
    """The values of a feature as numbers, nan where there is none; text that is no number is refused."""
    found = feature.to_numbers(values)
    for place in np.flatnonzero(np.isnan(found)).tolist():
        if isinstance(values[place], str) and values[place].strip().lower() not in {"", "nan"}:
            raise InvalidInput(
                feature.name,
                values[place],
                "give numbers, or dates as datetime.date, and None where there is none",
            )
    return found


def column_of(frame: Any, name: str) -> Sequence[Any]:
    """A column of a frame: of a mapping of columns, a list of rows, or anything that is indexed by names.

    >>> column_of([{"age": 34}, {"age": None}], "age")
    [34, None]
    """
    if isinstance(frame, list | tuple):
        if not all(isinstance(row, Mapping) for row in frame):
            raise InvalidInput(
                "frame", f"a {type(frame).__name__} of values that are not rows", ROWS
            )
        if frame and not any(name in row for row in frame):
            raise _refuse_missing(name)
        return [row.get(name) for row in frame]
    try:
        column = frame[name]
    except (KeyError, IndexError, TypeError, ValueError):
        raise _refuse_missing(name) from None
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    if isinstance(column, str) or not hasattr(column, "__iter__"):
        raise InvalidInput(name, column, f"that is one value; {ROWS}")
    found: Sequence[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return found


def _refuse_missing(name: str) -> InvalidInput:
    return InvalidInput(
        "column", name, "the frame has no such column; give all columns of the model"
    )
