"""Frames of pandas: what a column's dtype says, and its cells as arrays of the kind that is declared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.sources.python_cells import (
    array_of,
    arrow_cells,
    read_object,
    unit_of,
    units_array,
)
from tacit.engines.sql.read_stored_columns import refuse_kind
from tacit.plan import INT64, Column, Kind, Table

__all__ = ["check_dtype", "declared_kinds", "series_array", "series_cells", "series_units"]

ANY = tuple(Kind)
_SAID: Mapping[Any, tuple[Kind, ...]] = {
    int: (Kind.INTEGER, Kind.NUMBER),
    float: (Kind.NUMBER, Kind.INTEGER),
    bool: (Kind.BOOLEAN,),
    str: (Kind.TEXT,),
    date: (Kind.DATE, Kind.TIMESTAMP),
    datetime: (Kind.TIMESTAMP, Kind.DATE),
}
_POSSIBLE = {"i": int, "u": int, "f": float, "b": bool, "M": datetime}


def declared_kinds(frame: Any) -> dict[str, tuple[Kind, ...]]:
    """The kinds as which each column of a frame can be declared, the first of which it is if nothing is said.

    Claim:      no cell of a frame decides of what kind a column is.
    Because:    dtypes that pandas finds from the cells say nothing here: one missing cell turns int64 into float64, and
                bool into object; dtypes that somebody has to ask for, as Int64 and string, say what they say.
    Checked by: tests/unit/engines/sources/test_pandas_frames.py::test_one_cell_never_decides_a_kind
    """
    return {
        str(name): _kinds(frame[name].dtype) if _is_asked_for(frame[name].dtype) else ANY
        for name in frame.columns
    }


def seen_kinds(frame: Any) -> dict[str, tuple[Kind, ...]]:
    """The same for a frame about nobody: what pandas found from its cells counts, too."""
    return {str(name): _kinds(frame[name].dtype) for name in frame.columns}


def check_dtype(dtype: Any, column: Column, table: Table) -> None:
    """Refuse a column no cell of which can be of the kind that is declared."""
    possible = _kinds(dtype)
    if column.kind not in possible:
        refuse_kind(column, table, str(dtype)[:40], possible)


def series_array(series: Any, kind: Kind) -> NDArray[Any]:
    """The cells of a column as an array of the kind.

    Claim:      it is `array_of` what `read_object` gives for every cell.
    Because:    of numbers it is the same arithmetic, for all cells at once; all else is read cell by cell.
    Checked by: tests/laws/test_cells.py::test_a_cell_means_the_same_in_both_engines
    """
    if series.dtype.kind in "iufb" and kind in {Kind.INTEGER, Kind.NUMBER}:
        cells, missing = _numbers(series)
        return _whole_numbers(cells, missing) if kind is Kind.INTEGER else _doubles(cells, missing)
    return array_of([read_object(cell, kind) for cell in series_cells(series)], kind)


def series_cells(series: Any) -> list[Any]:
    """The cells of a column as Python objects."""
    if not hasattr(series.dtype, "pyarrow_dtype"):
        return series.tolist()  # type: ignore[no-any-return]
    return arrow_cells(series.array.__arrow_array__())


def series_units(series: Any, name: str, *, keys: bool = False) -> tuple[Kind, NDArray[Any]]:
    """The units of a column, and of what kind they are."""
    if series.dtype.kind in "iuf":
        cells, missing = _numbers(series)
        whole = _whole_numbers(cells, missing)
        inside = cells.dtype.kind != "u" or not (cells > INT64[1]).any()
        if cells.dtype.kind != "f" and inside:
            return Kind.INTEGER, whole
    return units_array([unit_of(cell) for cell in series_cells(series)], name, keys=keys)


def _kinds(dtype: Any) -> tuple[Kind, ...]:
    """The kinds of which the cells of a dtype can be."""
    if getattr(dtype, "type", None) is date:
        return _SAID[date]
    if dtype.kind in _POSSIBLE:
        return _SAID[_POSSIBLE[dtype.kind]]
    if dtype.kind in "cmV" or str(dtype).startswith(("period", "interval", "Sparse")):
        return ()
    return _SAID.get(getattr(dtype, "type", None), ANY)


def _is_asked_for(dtype: Any) -> bool:
    """Whether a dtype is one that pandas never finds by itself."""
    found = (
        isinstance(dtype, np.dtype)
        or str(dtype) in {"str", "category"}
        or str(dtype).startswith("datetime64")
    )
    return not found


def _numbers(series: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The numbers of a column, and where there is none."""
    missing = np.asarray(series.isna(), dtype=np.bool_)
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy(), missing
    plain_type = {"i": np.int64, "u": np.uint64, "b": np.bool_}.get(series.dtype.kind, np.float64)
    return series.to_numpy(dtype=plain_type, na_value=0), missing


def _doubles(cells: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    if cells.dtype.kind == "b":
        return np.full(len(cells), np.nan)
    return np.where(missing, np.nan, cells.astype(np.float64))


def _whole_numbers(cells: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Integers, those beyond 64 bits moved onto the last; what has a fraction is nothing."""
    match cells.dtype.kind:
        case "i":
            return np.ma.MaskedArray(cells.astype(np.int64), missing)
        case "u":
            return np.ma.MaskedArray(
                np.minimum(cells, np.uint64(INT64[1])).astype(np.int64), missing
            )
        case "f":
            wide = cells.astype(np.float64)
            none = missing | ~np.isfinite(wide)
            none |= np.where(none, 0.0, wide) != np.trunc(np.where(none, 0.0, wide))
            held = np.where(none, 0.0, wide)
            above, below = held >= 2.0**63, held < -(2.0**63)
            whole = np.where(above | below, 0.0, held).astype(np.int64)
            whole[above], whole[below] = INT64[1], INT64[0]
            return np.ma.MaskedArray(whole, none)
        case _:
            return np.ma.MaskedArray(np.zeros(len(cells), np.int64), np.ones(len(cells), np.bool_))
