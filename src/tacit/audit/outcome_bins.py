"""Outcomes put into a few cells, so that events can be chosen among them and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.audit.runs import Outputs

__all__ = ["Cells", "NamedCells", "NumberCells", "ScoreCells", "views_of"]

Places = NDArray[np.int64]

_EDGES = 128
_DISTINCT = 512
_NAMES = 2048
_FEW = 16


class Cells(Protocol):
    """A rule that puts every possible output into one of `count` cells; the last takes what was never expected."""

    @property
    def count(self) -> int:
        """How many cells there are."""

    @property
    def is_ordered(self) -> bool:
        """Whether neighbouring cells hold neighbouring numbers, so that a run of them is a simple event."""

    def places(self, outputs: Outputs) -> Places:
        """The cell of every output."""

    def words(self, inside: NDArray[np.bool_]) -> str:
        """What the outputs of these cells have in common, for people."""


@dataclass(frozen=True, eq=False)
class NumberCells:
    """Numbers below the first edge, from each edge to the next, from the last edge on; and all that is no number.

    >>> NumberCells(np.array([0, 10])).places(np.array([-5, 0, 9, 10])).tolist()
    [0, 1, 1, 2]
    """

    edges: NDArray[Any]
    what: str = ""
    is_ordered = True

    @property
    def count(self) -> int:
        """One more than there are edges, and one for all else."""
        return len(self.edges) + 2

    def places(self, outputs: Outputs) -> Places:
        """By bisection."""
        if isinstance(outputs, np.ndarray) and outputs.ndim == 1:
            return np.asarray(np.searchsorted(self.edges, outputs, side="right"), dtype=np.int64)
        numbers = [isinstance(output, int | float) for output in outputs]
        found = np.full(len(numbers), len(self.edges) + 1, dtype=np.int64)
        chosen = np.array(
            [output for output, is_one in zip(outputs, numbers, strict=True) if is_one]
        )
        found[np.array(numbers, dtype=np.bool_)] = np.searchsorted(self.edges, chosen, side="right")
        return found

    def words(self, inside: NDArray[np.bool_]) -> str:
        """Runs of cells, as ranges."""
        edges = self.edges.tolist()
        parts = [
            _range(
                edges[start - 1] if start else None, edges[stop - 1] if stop <= len(edges) else None
            )
            for start, stop in _stretches(inside[:-1].tolist())
        ]
        if inside[-1] and not parts:
            parts = ["no number"]
        return (f"{self.what} " if self.what else "") + _join_parts(parts)


@dataclass(frozen=True, eq=False)
class NamedCells:
    """One cell for each of the outputs that were seen often, and one for all others.

    >>> NamedCells(("yes", "no")).places(["no", "perhaps", "yes"]).tolist()
    [1, 2, 0]
    """

    names: tuple[Any, ...]
    is_ordered = False

    @property
    def count(self) -> int:
        """One more than there are names."""
        return len(self.names) + 1

    def places(self, outputs: Outputs) -> Places:
        """By looking the output up."""
        where = {name: place for place, name in enumerate(self.names)}
        return np.array(
            [where.get(value, len(self.names)) for value in _hashable_outputs(outputs)],
            dtype=np.int64,
        )

    def words(self, inside: NDArray[np.bool_]) -> str:
        """The names."""
        parts = [
            repr(name)
            for name, is_in in zip(self.names, inside[:-1].tolist(), strict=True)
            if is_in
        ]
        return _join_parts([*parts, *(["anything else"] if inside[-1] else [])])


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Rows of numbers by a score: for every column, how much likelier its cell was for one database, all added up."""

    columns: tuple[NumberCells, ...]
    weights: tuple[NDArray[np.float64], ...]
    score: NumberCells
    is_ordered = True

    @property
    def count(self) -> int:
        """As many as the score has."""
        return self.score.count

    def places(self, outputs: Outputs) -> Places:
        """By the score of each row."""
        if (
            isinstance(outputs, np.ndarray)
            and outputs.ndim == 2
            and outputs.shape[1] == len(self.columns)
        ):
            return self.score.places(score_rows(self.columns, self.weights, outputs))
        one = [
            self.places(np.array([output]))
            if _is_row(output, len(self.columns))
            else np.array([self.count - 1])
            for output in _hashable_outputs(outputs)
        ]
        return np.concatenate(one) if one else np.empty(0, np.int64)

    def words(self, inside: NDArray[np.bool_]) -> str:
        """A range of the score."""
        return self.score.words(inside)


def score_rows(
    columns: Sequence[NumberCells], weights: Sequence[NDArray[np.float64]], rows: NDArray[Any]
) -> Any:
    """The sum over the columns of the weight of the cell that the row's number lies in."""
    parts = [
        w[cells.places(rows[:, i])]
        for i, (cells, w) in enumerate(zip(columns, weights, strict=True))
    ]
    return np.sum(parts, axis=0)


def views_of(one: Sequence[Outputs], other: Sequence[Outputs]) -> list[Cells]:
    """The ways in which outputs like these can be put into cells.

    >>> [type(view).__name__ for view in views_of([np.array([1, 2])], [np.array([2, 3])])]
    ['NumberCells']
    """
    blocks = [*one, *other]
    shapes = {block.shape[1:] if isinstance(block, np.ndarray) else None for block in blocks}
    if shapes == {()}:
        return [_number_cells(np.concatenate(blocks))]
    if None not in shapes and len(shapes) == 1:
        return [
            _named_cells(blocks),
            _score_cells(np.concatenate(list(one)), np.concatenate(list(other))),
        ]
    return [_named_cells(blocks)]


def _number_cells(numbers: NDArray[Any], most: int = _EDGES, what: str = "") -> NumberCells:
    """Every number its own cell where they are few, else cells that hold about equally many."""
    if numbers.dtype.kind == "f":
        numbers = numbers + 0.0  # -0.0 and 0.0 are one number
    distinct = np.unique(numbers)
    if len(distinct) > max(most, _DISTINCT if most == _EDGES else 0):
        ranks = np.linspace(0, len(numbers) - 1, most + 1).astype(np.int64)[1:-1]
        missing = distinct[-1:] if distinct[-1] != distinct[-1] else distinct[:0]
        distinct = np.unique(np.concatenate([np.sort(numbers)[ranks], missing]))
    return NumberCells(distinct, what)


def _named_cells(blocks: Sequence[Outputs]) -> NamedCells:
    common = Counter(chain.from_iterable(_hashable_outputs(block) for block in blocks)).most_common(
        _NAMES
    )
    return NamedCells(tuple(name for name, _ in common))


def _score_cells(one: NDArray[Any], other: NDArray[Any]) -> ScoreCells:
    columns, weights = [], []
    for i in range(one.shape[1]):
        cells = _number_cells(np.concatenate([one[:, i], other[:, i]]), most=_FEW)
        mine, theirs = (
            np.bincount(cells.places(rows[:, i]), minlength=cells.count) + 0.5
            for rows in (one, other)
        )
        columns.append(cells)
        weights.append(np.log(mine / mine.sum()) - np.log(theirs / theirs.sum()))
    scores = np.concatenate([score_rows(columns, weights, rows) for rows in (one, other)])
    return ScoreCells(
        tuple(columns), tuple(weights), _number_cells(scores, what="a likelihood score of")
    )


def _hashable_outputs(outputs: Outputs) -> list[Any]:
    """Outputs as values with a hash; rows as tuples."""
    if isinstance(outputs, np.ndarray):
        return list(map(tuple, outputs.tolist())) if outputs.ndim == 2 else outputs.tolist()
    return outputs


def _is_row(output: Any, length: int) -> bool:
    return (
        isinstance(output, tuple)
        and len(output) == length
        and all(isinstance(part, int | float) for part in output)
    )


def _stretches(inside: list[bool]) -> list[tuple[int, int]]:
    """Where each unbroken run of True begins, and where it has ended."""
    edges = [
        i for i, (a, b) in enumerate(zip([False, *inside], [*inside, False], strict=True)) if a != b
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _range(low: float | None, high: float | None) -> str:
    """From `low` on and below `high`, in words."""
    whole = isinstance(low, int | None) and isinstance(high, int | None)
    if low is None:
        return (
            "any number"
            if high is None
            else f"{high - 1:,} or less"
            if whole
            else f"below {high:.4g}"
        )
    if high is None:
        return f"{low:,} or more" if whole else f"{low:.4g} or more"
    if whole:
        return f"{low:,}" if high == low + 1 else f"{low:,} to {high - 1:,}"
    return f"{low:.4g} to {high:.4g}"


def _join_parts(parts: list[str], most: int = 6) -> str:
    """The parts, the first few of many."""
    if not parts:
        return "nothing"
    more = [f"{len(parts) - most:,} more"] if len(parts) > most else []
    return ", ".join([*parts[:most], *more])
