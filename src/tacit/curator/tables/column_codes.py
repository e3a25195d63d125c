"""Columns of a table as codes, by what the policy declares of them, and codes as values again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.plan import OTHER, Axis, Column, Even, Field, Kind, Scalar, Table, constant
from tacit.synth import Attribute

__all__ = [
    "MOST_CELLS",
    "MOST_VALUES",
    "CodedColumn",
    "code_column",
    "code_columns",
    "find_lattice",
    "list_uncoded",
]

MOST_CELLS = 128
"""The most cells of a column that is divided into cells: numbers, dates and times within bounds."""

MOST_VALUES = 512
"""The most whole numbers, or days, that are told apart one by one."""

_ORDERED = {Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP}
_DIGITS = 4  # of a number spread inside its cell, below the first digit of the column's range
_LATTICES = (Fraction(1), Fraction(1, 2))
_ON_LATTICE = 0.9
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- as the policy declares moments


@frozen
class CodedColumn:
    """A column, the axis by which rows are coded, and the order of its codes: neighbours stand side
    by side.

    `order` gives each code of the axis its place; NULL has the last.  Where a release says so, all
    numbers are multiples of a `lattice`.
    """

    column: Column
    axis: Axis
    order: tuple[int, ...]
    lattice: Fraction | None = None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def attribute(self) -> Attribute:
        """What is public about it, without names."""
        return Attribute(self.axis.size, self.column.kind in _ORDERED, self.axis.null)

    @property
    def is_exact(self) -> bool:
        """Whether every code stands for one value."""
        return self.axis.grid is None or (
            self.axis.grid.step == 1 and self.column.kind is not Kind.NUMBER
        )

    def labels(self) -> list[Any]:
        """A value for every place: the value itself, or the middle of its cell; None for NULL."""
        return self.decode(np.arange(self.axis.size), np.full(self.axis.size, 0.5))

    def decode(self, places: NDArray[Any], inside: NDArray[np.float64]) -> list[Any]:
        """The values of some places; where a cell holds many, `inside` says which: 0 the first, 1
        the last."""
        codes = np.argsort(np.array(self.order))[places]
        listed = len(self.axis.values)
        cells = self.axis.size - self.axis.null
        values: list[Any] = [None] * len(codes)
        for code in np.unique(codes):
            at = np.flatnonzero(codes == code)
            if code < listed:
                found: Sequence[Any] = [_plain(self.axis.values[code])] * len(at)
            elif code < cells:
                found = self._inside_cell(int(code) - listed, inside[at])
            else:
                continue
            for place, value in zip(at.tolist(), found, strict=True):
                values[place] = value
        return values

    def _inside_cell(self, cell: int, inside: NDArray[np.float64]) -> Sequence[Any]:
        """The values of one cell of the grid at places between 0 and 1."""
        grid, kind = self.axis.grid, self.column.kind
        assert grid is not None, "there are cells"
        low, high = _ends(self.column)
        first, last = grid.ends(cell)
        if kind is Kind.NUMBER:
            if (point := _point_inside(first, last, self.lattice)) is not None:
                return [float(min(max(point, low), high))] * len(inside)
            digits = _DIGITS - floor(log10(high - low))
            start, end = float(max(first, low)), float(min(last, high))
            spread = np.round(start + (end - start) * inside, digits)
            return list(np.clip(spread, float(low), float(high)).tolist())
        start_at, end_at = max(ceil(first), ceil(low)), min(ceil(last) - 1, floor(high))
        steps = start_at + np.floor(inside * (end_at - start_at + 1)).astype(np.int64)
        whole = np.clip(steps, start_at, max(start_at, end_at)).tolist()
        if kind is Kind.DATE:
            return [(_EPOCH + timedelta(days=days)).date() for days in whole]
        if kind is Kind.TIMESTAMP:
            second = 1_000_000 if grid.step > 2_000_000 else 1
            return [_EPOCH + timedelta(microseconds=each // second * second) for each in whole]
        return list(whole)


def code_columns(
    table: Table,
    names: Sequence[str] | None = None,
    cells: int = MOST_CELLS,
    most_values: int = MOST_VALUES,
) -> tuple[CodedColumn, ...]:
    """The columns of a table that can be coded, or those that are named; the unit is not among
    them.

    Claim:      the codes of a column follow from what the policy declares of it.
    Because:    nothing but the column's declaration is passed in.
    Checked by: tests/laws/test_tables.py::test_everything_but_noise_is_the_same_on_neighbours
    """
    known = {column.name: column for column in table.columns if column.name != table.unit}
    for name in names or ():
        if name not in known:
            raise InvalidInput("column", name, f"name one of: {', '.join(sorted(known))}")
        if _is_uncoded(known[name]):
            raise InvalidInput(
                "column",
                name,
                "it has neither values nor bounds; declare them, or leave the column out",
            )
    chosen = [known[name] for name in names] if names is not None else list(known.values())
    found = tuple(_code(column, cells, most_values) for column in chosen if not _is_uncoded(column))
    if not found:
        raise InvalidInput(
            "table",
            table.name,
            "no column has declared values or bounds; declare some in the policy",
        )
    return found


def find_lattice(column: CodedColumn, mass: NDArray[np.float64]) -> CodedColumn:
    """The column with the lattice on which its numbers lie, if what was released of them says so.

    `mass` is what each place weighs by the release: where nearly all of it is in cells with a whole number, or a half,
    and most cells have none, numbers are whole, or halves, though they were not declared so.

    >>> months = code_column(Column("month", Kind.NUMBER, low=1, high=12, nullable=False))
    >>> find_lattice(months, np.array([label % 1 == 0 for label in months.labels()])).lattice
    Fraction(1, 1)
    """
    grid, listed = column.axis.grid, len(column.axis.values)
    if grid is None or column.column.kind is not Kind.NUMBER:
        return column
    ends = [grid.ends(cell) for cell in range(column.axis.size - column.axis.null - listed)]
    weights = mass[np.array(column.order)]
    points = [Fraction(value) for value in column.axis.values if isinstance(value, int | Fraction)]
    for lattice in _LATTICES:
        on = [point / lattice == floor(point / lattice) for point in points]
        on += [_point_inside(first, last, lattice) is not None for first, last in ends]
        if 2 * sum(on) > len(on):
            continue
        whole = weights[: len(on)].sum()
        if weights[: len(on)][on].sum() >= _ON_LATTICE * whole > 0:
            return replace(column, lattice=lattice)
    return column


def list_uncoded(table: Table) -> tuple[str, ...]:
    """The columns of a table that cannot be coded, for want of declared values or bounds; and the
    unit."""
    return tuple(
        column.name for column in table.columns if column.name == table.unit or _is_uncoded(column)
    )


def code_column(column: Column) -> CodedColumn:
    """A column that is made of others, with its axis."""
    return _code(column, MOST_CELLS, MOST_VALUES)


def _is_uncoded(column: Column) -> bool:
    bounded = column.low is not None and column.high is not None
    return column.kind is not Kind.BOOLEAN and column.values is None and not bounded


def _code(column: Column, cells: int, most_values: int) -> CodedColumn:
    """A column with its axis."""
    field = Field(column)
    if column.kind is Kind.BOOLEAN or column.values is not None:
        values: tuple[Scalar, ...] = column.values if column.values is not None else (False, True)
        if column.other:
            values = (*values, OTHER)
        axis = Axis(field, values, None, column.nullable)
        ranked = (
            sorted(range(len(values)), key=lambda place: values[place])
            if column.kind in _ORDERED
            else None
        )
        return CodedColumn(column, axis, _order(ranked, axis))
    low, high = _ends(column)
    step = Fraction(1)
    if column.kind is Kind.NUMBER or high - low >= most_values:
        step = _power_of_two((high - low) / (cells - 2))
        step = step if column.kind is Kind.NUMBER else max(Fraction(1), step)
    grid = Even(step, floor(low / step + Fraction(1, 2)), floor(high / step + Fraction(1, 2)))
    exact = step == 1 and column.kind is not Kind.NUMBER
    points = () if exact else _points(column.kind, low, high)
    axis = Axis(
        field, tuple(_as_scalar(each, column.kind) for each in points), grid, column.nullable
    )
    if not points:
        return CodedColumn(column, axis, tuple(range(axis.size)))
    outside = {low: grid.low - 2, high: grid.high + 2}  # in steps: before all cells, and after them
    keys = [
        *((outside.get(each, 0), 0) for each in points),
        *((place, 1) for place in range(grid.low, grid.high + 1)),
    ]
    return CodedColumn(column, axis, _order(sorted(range(len(keys)), key=keys.__getitem__), axis))


def _points(kind: Kind, low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Values that have a code of their own: both ends, where what lies beyond them is moved to, and zero."""
    zero = (Fraction(0),) if kind in {Kind.INTEGER, Kind.NUMBER} and low < 0 < high else ()
    return (low, *zero, high)


def _order(ranked: Sequence[int] | None, axis: Axis) -> tuple[int, ...]:
    """The place of each code, where codes stand in the order given; NULL last."""
    if ranked is None:
        return tuple(range(axis.size))
    places = [0] * len(ranked)
    for place, code in enumerate(ranked):
        places[code] = place
    return (*places, axis.size - 1) if axis.null else tuple(places)


def _ends(column: Column) -> tuple[Fraction, Fraction]:
    """The bounds of a column as numbers: of days or microseconds since 1970 where it holds
    moments."""
    kind = Kind.NUMBER if column.kind is Kind.INTEGER else column.kind
    low, high = (constant(end, kind) for end in (column.low, column.high))
    assert isinstance(low, int | float), "a bound is a number"
    assert isinstance(high, int | float), "a bound is a number"
    return Fraction(low), Fraction(high)


def _as_scalar(number: Fraction, kind: Kind) -> Scalar:
    """A number as a value of its kind."""
    if kind is Kind.DATE:
        return (_EPOCH + timedelta(days=int(number))).date()
    if kind is Kind.TIMESTAMP:
        return _EPOCH + timedelta(microseconds=int(number))
    return int(number) if kind is Kind.INTEGER else number


def _point_inside(first: Fraction, last: Fraction, lattice: Fraction | None) -> Fraction | None:
    """The first point of a lattice inside a cell, if there is one."""
    if lattice is None:
        return None
    point = ceil(first / lattice) * lattice
    return point if point < last else None


def _power_of_two(least: Fraction) -> Fraction:
    """The smallest power of two that is not below a positive number."""
    power = Fraction(2) ** (least.numerator.bit_length() - least.denominator.bit_length() - 1)
    while power < least:
        power *= 2
    return power


def _plain(value: Scalar) -> bool | int | float | str | date | datetime:
    return float(value) if isinstance(value, Fraction) else value
