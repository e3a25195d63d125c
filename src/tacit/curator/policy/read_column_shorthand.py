"""Columns as people declare them, in short or spelled out, and the one column that each declaration stands for.

Checked by: tests/unit/curator/test_protect.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.engines import conversion_of_text
from tacit.errors import InvalidInput
from tacit.plan import OTHER, Column, Kind, Scalar, constant, parse_text

__all__ = ["WORDS", "Declared", "column_of"]

WORDS = ("type", "low", "high", "values", "nullable", "other", "null_group")
"""What may be said about a column that is spelled out."""

Declared = Column | Kind | type | str | Sequence[Any] | Mapping[str, Any] | None
"""A column, in short: its kind, a list of its public values, a pair of bounds, or all of them in a mapping."""

_PYTHON_TYPES = {
    str: Kind.TEXT,
    int: Kind.INTEGER,
    float: Kind.NUMBER,
    bool: Kind.BOOLEAN,
    date: Kind.DATE,
    datetime: Kind.TIMESTAMP,
}


def column_of(name: str, declared: Declared, stored: tuple[Kind, ...]) -> Column:
    """The column that a short form stands for; where it names no kind, the source's type decides, never its values.

    >>> column_of("age", (0, 120), (Kind.INTEGER, Kind.NUMBER)).kind
    <Kind.INTEGER: 'integer'>
    """
    if not isinstance(name, str) or not name:
        raise InvalidInput(
            "the name of a column",
            name,
            "give its name as text, as in the source; rename it there if necessary",
        )
    return _of_one_kind(_read_column(name, declared, stored), stored)


def _read_column(name: str, declared: Declared, stored: tuple[Kind, ...]) -> Column:
    if hasattr(declared, "tolist") and hasattr(declared, "dtype"):  # of NumPy, pandas or polars
        declared = list(declared)  # type: ignore[arg-type]
    match declared:
        case Column() if declared.name == name:
            return declared
        case None:
            return Column(name, _kind(name, stored, ()))
        case Kind():
            return Column(name, declared)
        case type() if declared in _PYTHON_TYPES:
            return Column(name, _PYTHON_TYPES[declared])
        case str():
            return Column(name, _kind_named(name, declared))
        case Mapping():
            return _spelled_out(name, declared, stored)
        case tuple() if len(declared) == 2:
            return _with_bounds(name, [_scalar(name, end) for end in declared], stored)
        case list():
            values = tuple(_scalar(name, value) for value in declared)
            return Column(name, _kind(name, stored, values), values=_distinct(name, values))
        case _:
            raise InvalidInput(
                f"column {name!r}",
                declared,
                "give a type, a pair (low, high), or a list of public values",
            )


def _with_bounds(name: str, ends: Sequence[Scalar], stored: tuple[Kind, ...]) -> Column:
    """A column between two ends; days and moments may be written as texts, as in ("2024-01-01", "2024-12-31")."""
    kind = _kind(name, stored, ends)
    if kind is Kind.TEXT and (found := _kind_of_texts(ends)) is not None:
        kind = found if found in stored else kind
    low, high = (_time_of(name, end, kind) for end in ends)
    return _check_order(Column(name, kind, low=low, high=high))


def _kind_of_texts(ends: Sequence[Scalar]) -> Kind | None:
    """The kind of days or moments that are written as texts; None if they are no such texts."""
    for kind in (Kind.DATE, Kind.TIMESTAMP):
        if all(isinstance(end, str) and parse_text(end, kind) is not None for end in ends):
            return kind
    return None


def _kind_of_ends(ends: Sequence[Scalar]) -> Kind:
    """The kind that is meant by two ends: days, moments or numbers, also where they are written as texts."""
    return _kind_of_texts(ends) or _kind("", (), ends)


def _time_of(name: str, end: Scalar, kind: Kind) -> Scalar:
    """A bound that is written as a text, where the column has days or moments."""
    if not isinstance(end, str) or kind not in {Kind.DATE, Kind.TIMESTAMP}:
        return end
    try:
        return date.fromisoformat(end) if kind is Kind.DATE else datetime.fromisoformat(end)
    except ValueError:
        remedy = "write dates as 2024-01-31, and timestamps as 2024-01-31 08:30:00"
        raise InvalidInput(f"column {name!r}", end, remedy) from None


def _spelled_out(name: str, declared: Mapping[str, Any], stored: tuple[Kind, ...]) -> Column:
    unknown = set(declared) - set(WORDS)
    if unknown:
        raise InvalidInput(f"column {name!r}", sorted(unknown), f"it may have: {', '.join(WORDS)}")
    low, high = (
        None if declared.get(end) is None else _scalar(name, declared[end])
        for end in ("low", "high")
    )
    values = (
        None
        if declared.get("values") is None
        else tuple(_scalar(name, value) for value in declared["values"])
    )
    known = [value for value in (low, high, *(values or ())) if value is not None]
    kind = _kind_named(name, declared["type"]) if "type" in declared else _kind(name, stored, known)
    if "type" not in declared and kind is Kind.TEXT and values is None and known:
        found = _kind_of_texts(known)
        kind = found if found is not None and found in stored else kind
    said = (
        declared.get("nullable", True),
        declared.get("other", False),
        declared.get("null_group", False),
    )
    if not all(isinstance(each, bool) for each in said):
        raise InvalidInput(
            f"column {name!r}", said, "nullable, other and null_group are True or False"
        )
    low, high = (None if end is None else _time_of(name, end, kind) for end in (low, high))
    listed = None if values is None else _distinct(name, values)
    return _check_order(Column(name, kind, low, high, listed, *said))


def _of_one_kind(column: Column, stored: tuple[Kind, ...]) -> Column:
    """The column, refused if a bound or a public value is not of its kind."""
    if column.other and (
        column.kind is not Kind.TEXT or not column.values or OTHER in column.values
    ):
        remedy = (
            "other = true needs a text column with a list of values that does not contain "
            f"{OTHER!r}"
        )
        raise InvalidInput(f"column {column.name!r}", column.values, remedy)
    if column.null_group and not column.nullable:
        remedy = (
            "a column with nullable = false has no NULL group; remove null_group or nullable = "
            "false"
        )
        raise InvalidInput(f"column {column.name!r}", "null_group", remedy)
    bounds = [end for end in (column.low, column.high) if end is not None]
    if bounds and column.kind in (Kind.TEXT, Kind.BOOLEAN):
        remedy = "it has no range; list its public values in brackets: [...]"
        meant = _kind_of_ends(bounds)
        if stored == (Kind.TEXT,) and meant is not Kind.TEXT:
            remedy = (
                f"it has no range, since it is stored as text; {conversion_of_text(meant)}, or list its public "
                "values in brackets: [...]"
            )
        raise InvalidInput(f"column {column.name!r}", tuple(bounds), remedy)
    # integers may be held between halves
    ends = Kind.NUMBER if column.kind is Kind.INTEGER else column.kind
    for value, kind in (
        *((end, ends) for end in bounds),
        *((each, column.kind) for each in column.values or ()),
    ):
        if constant(value, kind) is None:
            raise InvalidInput(
                f"column {column.name!r}",
                value,
                f"declare values of its type, {column.kind.value}",
            )
    return column


def _check_order(column: Column) -> Column:
    bounds: list[Any] = [end for end in (column.low, column.high) if end is not None]
    remedy = "give bounds of its type, with low below high"
    try:
        wrong = len(bounds) == 2 and not bounds[0] < bounds[1]
    except TypeError:
        wrong = True
    if wrong:
        raise InvalidInput(f"column {column.name!r}", tuple(bounds), remedy)
    return column


def _kind_named(name: str, kind: object) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        raise InvalidInput(
            f"column {name!r}",
            kind,
            f"its type is one of: {', '.join(each.value for each in Kind)}",
        ) from None


def _kind(name: str, stored: tuple[Kind, ...], known: Sequence[Scalar]) -> Kind:
    """The kind that a column is stored as; where it may be anything, the kind of what is declared about it."""
    if stored and len(stored) < len(Kind):
        between = stored[0] is Kind.INTEGER and any(isinstance(value, Fraction) for value in known)
        return Kind.NUMBER if between else stored[0]
    for value in known:
        match value:
            case bool():
                return Kind.BOOLEAN
            case datetime():
                return Kind.TIMESTAMP
            case date():
                return Kind.DATE
            case str():
                return Kind.TEXT
            case _:
                return Kind.NUMBER
    raise InvalidInput(
        f"column {name!r}",
        None,
        f"give its type, one of: {', '.join(each.value for each in Kind)}",
    )


def _scalar(name: str, value: object) -> Scalar:
    """A bound or a public value; scalars of NumPy and pandas are the Python values that they stand for."""
    if isinstance(value, np.datetime64):
        value = _moment_of(name, value)
    elif isinstance(value, np.generic):
        value = value.item()
    elif hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    if isinstance(value, float):
        try:
            return Fraction(repr(value))
        except ValueError:
            raise InvalidInput(f"column {name!r}", value, "declare finite numbers") from None
    if isinstance(value, bool | int | Fraction | str | date | datetime):
        return value
    raise InvalidInput(f"column {name!r}", value, "declare numbers, texts, dates or booleans")


def _moment_of(name: str, value: np.datetime64) -> date | datetime:
    """A day of NumPy as a day, and a moment as a moment."""
    days = np.datetime_data(value.dtype)[0] in {"Y", "M", "W", "D"}
    found = value.astype("datetime64[D]" if days else "datetime64[us]").item()
    if not isinstance(found, date):
        raise InvalidInput(f"column {name!r}", str(value), "declare days of the years 1 to 9999")
    return found


def _distinct(name: str, values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if not values or len(set(values)) < len(values):
        raise InvalidInput(
            f"column {name!r}", values, "list each public value once, and at least one"
        )
    return values
