"""Cells that are Python objects: what each means, by itself, and columns of them as arrays.

Checked by: tests/unit/engines/sources/test_source_kinds.py
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.distinct_values_per_unit import unit_text
from tacit.engines.sources.text_cells import YEARS, moment
from tacit.errors import InvalidData
from tacit.frozen import frozen
from tacit.plan import INT64, Kind, Value, plain

__all__ = [
    "Stamp",
    "array_of",
    "arrow_cells",
    "is_missing",
    "read_object",
    "unit_of",
    "units_array",
]

_DAY = 86_400_000_000
_NEVER_WHOLE = {int, str, type(None)}
"""Types of most cells that are not read as a number without a fraction: an integer `plain` knows."""
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@frozen
class Stamp:
    """A moment as a column stores it: so many of a unit ("D", "s", "ms", "us", "ns") since 1970, of any year."""

    value: int
    unit: str

    @property
    def microseconds(self) -> int:
        """So many microseconds since 1970."""
        return (
            self.value * _DAY if self.unit == "D" else self.value * 10**6 // _PER_SECOND[self.unit]
        )


def read_object(raw: object, kind: Kind) -> Value:
    """A cell as a value of the kind; NULL if it is of another kind.

    A number without a fraction is an integer, whatever its type: pandas makes all integers of a column doubles as soon
    as one is missing.  A moment is on its day, since pandas has no days.

    >>> read_object(18.0, Kind.INTEGER), read_object(18.5, Kind.INTEGER), read_object("18", Kind.INTEGER)
    (18, None, None)
    """
    match kind:
        case Kind.INTEGER if _is_whole(raw):
            return plain(int(raw), kind)  # type: ignore[call-overload]
        case Kind.DATE if isinstance(raw, datetime | Stamp):
            found = _microseconds(raw)
            return found // _DAY if isinstance(found, int) else found
        case Kind.TIMESTAMP if isinstance(raw, datetime | Stamp):
            return _microseconds(raw)
        case _:
            return plain(raw, kind)


def arrow_cells(column: Any) -> list[Any]:
    """The cells of a column of Arrow; days and moments that Python has not, as they are stored."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
        unit, stored = (
            ("D", pa.int32()) if pa.types.is_date32(column.type) else (column.type.unit, pa.int64())
        )
        return [
            None if value is None else Stamp(value, unit)
            for value in column.cast(stored).to_pylist()
        ]


def is_missing(raw: object) -> bool:
    """Whether a cell says that there is nothing: None, NaN and what else is not equal to itself.

    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    if raw is None:
        return True
    try:
        return bool(raw != raw)  # noqa: PLR0124 -- how numpy and pandas say that there is nothing
    except TypeError:  # whether pandas.NA is equal to itself nobody knows
        return True
    except ValueError:  # an array is something
        return False


def _is_whole(raw: object) -> bool:
    if type(raw) is float:
        return raw.is_integer()
    if type(raw) in _NEVER_WHOLE:
        return False
    match raw:
        case bool() | np.bool_() | Integral():
            return False  # which `plain` knows
        case Decimal():
            return raw.is_finite() and raw == raw.to_integral_value()
        case Real():
            return isfinite(raw) and float(raw).is_integer() and raw == float(raw)
        case _:
            return False


def _microseconds(raw: datetime | Stamp) -> int | float | None:
    """Microseconds since 1970; frames have moments that Python has not."""
    if isinstance(raw, Stamp):
        return moment(raw.microseconds)
    if is_missing(raw):
        return None
    if hasattr(raw, "asm8"):  # one of pandas
        return moment(
            Stamp(int(raw.asm8.astype(np.int64)), np.datetime_data(raw.asm8.dtype)[0]).microseconds
        )
    found = plain(raw, Kind.TIMESTAMP)
    return None if found is None else moment(int(found))


def unit_of(raw: object) -> Any:
    """Whose a row is: any value that is equal to itself; NaN, infinities and missing values are nobody.

    Numbers without a fraction are integers: 7.0 is who 7 is.
    """
    if type(raw) is int:
        return raw
    match raw:
        case bool() | np.bool_():
            return bool(raw)
        case Integral():
            return int(raw)
        case float() | np.floating():
            return _whole_unit(float(raw)) if isfinite(raw) else None
        case Decimal():
            return raw if raw.is_finite() else None
        case str():
            return plain(raw, Kind.TEXT)
        case date() | Stamp():
            return None if is_missing(raw) else raw
        case _:
            return None


def _whole_unit(unit: float) -> int | float:
    return int(unit) if unit.is_integer() and INT64[0] <= unit < INT64[1] else unit


def units_array(units: list[Any], name: str, *, keys: bool = False) -> tuple[Kind, NDArray[Any]]:
    """Units, or foreign keys, as a column that a columnar engine can take over, and of what kind they are."""
    kind = _unit_kind(units, name)
    wide = kind is Kind.INTEGER and any(
        isinstance(unit, int) and not INT64[0] <= unit <= INT64[1] for unit in units
    )
    if wide or (kind is Kind.NUMBER and not keys):
        # As texts they meet those of other tables as integers do: one unit decides nothing about all the others.
        kind, units = Kind.TEXT, [None if unit is None else unit_text(unit) for unit in units]
    return kind, array_of([plain(unit, kind) for unit in units], kind)


def _unit_kind(units: Iterable[object], name: str) -> Kind:
    """The first kind that all units are of."""
    present = [unit for unit in units if unit is not None]
    for kind in (Kind.BOOLEAN, Kind.INTEGER, Kind.TEXT, Kind.DATE):
        if all(plain(unit, kind) is not None for unit in present):
            return kind
    if all(isinstance(unit, datetime) for unit in present):
        return Kind.TIMESTAMP
    # exactly: two units never become one
    if all(plain(unit, Kind.NUMBER) == unit for unit in present):
        return Kind.NUMBER
    raise InvalidData(
        f"the units in column {name!r} have several types; store them all as text or all as "
        "integers"
    )


def array_of(values: list[Value], kind: Kind) -> NDArray[Any]:
    """Values as a column that a columnar engine can take over.

    NULL is masked; in numbers it is NaN, which is read as NULL.  Dates and timestamps are integers, and an infinite one
    is one that lies just beyond the years.
    """
    match kind:
        case Kind.TEXT:
            return np.array([*values, None], dtype=object)[:-1]
        case Kind.NUMBER:
            return np.array(
                [np.nan if value is None else value for value in values], dtype=np.float64
            )
        case Kind.BOOLEAN:
            return _mask_missing(np.array([bool(value) for value in values], np.bool_), values)
        case Kind.INTEGER:
            whole = [0 if value is None else value for value in values]
            return _mask_missing(np.array(whole, np.int64), values)
        case Kind.DATE | Kind.TIMESTAMP:
            first, last = (end // (_DAY if kind is Kind.DATE else 1) for end in YEARS)
            held = [
                0 if value is None else max(first - 1, min(last + 1, value)) for value in values
            ]
            return _mask_missing(np.array(held, np.int64), values)


def _mask_missing(array: NDArray[Any], values: list[Value]) -> NDArray[Any]:
    """An array in which NULL is masked; where nothing is, NumPy's masked arrays need not be opened."""
    missing = [value is None for value in values]
    return np.ma.MaskedArray(array, missing) if any(missing) else array
