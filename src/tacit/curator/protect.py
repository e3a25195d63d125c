"""From a frame or a file to a vault in one call."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.curator.policy import Limit, Policy, Shared
from tacit.curator.vault import Vault
from tacit.engines import DuckDB, constant, stored_kinds
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Scalar, Table
from tacit.privacy import Neighbours

__all__ = ["column_of", "protect"]

Declared = Column | Kind | str | Sequence[Any] | Mapping[str, Any] | None
"""A column, in short: its kind, a list of its public values, a pair of bounds, or all of them in a mapping."""


def protect(
    source: object,
    *,
    unit: str,
    columns: Mapping[str, Declared],
    epsilon: Number,
    delta: Number = 0,
    contributions: int | None = None,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    name: str | None = None,
) -> Vault:
    """A vault over one table: a path to Parquet or CSV, a frame of pandas, polars or Arrow, or a list of dictionaries.

    `unit` names the column whose equal values belong to one person, or is "row".  `columns` declares what may be asked
    about: a pair is a range, a list is a set of public keys.  `contributions` is how many rows of one unit count in
    full.

    >>> visits = [{"patient": 1, "ward": "A", "cost": 120}, {"patient": 2, "ward": "B", "cost": 80}]
    >>> columns = {"ward": ["A", "B"], "cost": (0, 5000)}
    >>> clinic = protect(visits, unit="patient", contributions=5, columns=columns, epsilon=3)
    >>> clinic.sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1).columns
    ('ward', 'n', 'n_low', 'n_high')
    """
    if not isinstance(unit, str) or not unit:
        raise InvalidInput("unit", unit, 'name the column whose equal values belong to one person, or "row"')
    stored = stored_kinds(source)
    for wanted in [*columns, *([unit] if unit != "row" else [])]:
        if wanted not in stored:
            close = get_close_matches(wanted, stored, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise InvalidInput("column", wanted, f"{hint}the source has: {', '.join(sorted(stored))}")
    if contributions is None and unit != "row":
        raise InvalidInput(
            "contributions", None, f"say how many rows of one {unit} count in full, such as contributions=10"
        )
    called = name or (Path(source).stem if isinstance(source, str | Path) else "data")
    declared = tuple(column_of(each, spec, stored[each]) for each, spec in columns.items())
    table = Table(called, declared, unit=None if unit == "row" else unit)
    limit = Limit(epsilon, delta, neighbours)
    engine = DuckDB({table: source})
    return Vault(
        Policy(limit, {called: Shared(table, 1 if contributions is None else contributions)}),
        {called: engine},
        MemoryLedger(limit.filter()),
    )


def column_of(name: str, declared: Declared, stored: frozenset[Kind]) -> Column:
    """The column that a short form stands for; where it names no kind, the source's type decides, never its values.

    >>> column_of("age", (0, 120), frozenset({Kind.INTEGER, Kind.NUMBER})).kind
    <Kind.INTEGER: 'integer'>
    """
    return _of_one_kind(_read(name, declared, stored))


def _read(name: str, declared: Declared, stored: frozenset[Kind]) -> Column:
    match declared:
        case Column() if declared.name == name:
            return declared
        case None:
            return Column(name, _kind(name, stored, ()))
        case Kind():
            return Column(name, declared)
        case str():
            return Column(name, _named(name, declared))
        case Mapping():
            return _spelled_out(name, declared, stored)
        case tuple() if len(declared) == 2:
            low, high = (_scalar(name, end) for end in declared)
            return _ordered(Column(name, _kind(name, stored, (low, high)), low=low, high=high))
        case list():
            values = tuple(_scalar(name, value) for value in declared)
            return Column(name, _kind(name, stored, values), values=_distinct(name, values))
        case _:
            raise InvalidInput(
                f"column {name!r}", declared, "give a kind, a pair (low, high), or a list of public values"
            )


def _spelled_out(name: str, declared: Mapping[str, Any], stored: frozenset[Kind]) -> Column:
    unknown = set(declared) - {"type", "low", "high", "values", "nullable"}
    if unknown:
        raise InvalidInput(f"column {name!r}", sorted(unknown), "it may have: type, low, high, values, nullable")
    low, high = (None if declared.get(end) is None else _scalar(name, declared[end]) for end in ("low", "high"))
    values = None if declared.get("values") is None else tuple(_scalar(name, value) for value in declared["values"])
    known = [value for value in (low, high, *(values or ())) if value is not None]
    kind = _named(name, declared["type"]) if "type" in declared else _kind(name, stored, known)
    nullable = declared.get("nullable", True)
    if not isinstance(nullable, bool):
        raise InvalidInput(f"column {name!r}", nullable, "nullable is True or False")
    return _ordered(Column(name, kind, low, high, None if values is None else _distinct(name, values), nullable))


def _of_one_kind(column: Column) -> Column:
    """The column, refused if a bound or a public value is not of its kind."""
    bounds = [end for end in (column.low, column.high) if end is not None]
    if bounds and column.kind in (Kind.TEXT, Kind.BOOLEAN):
        remedy = "it has no range; list its public values in brackets: [...]"
        raise InvalidInput(f"column {column.name!r}", tuple(bounds), remedy)
    ends = Kind.NUMBER if column.kind is Kind.INTEGER else column.kind  # integers may be held between halves
    for value, kind in (*((end, ends) for end in bounds), *((each, column.kind) for each in column.values or ())):
        if constant(value, kind) is None:
            raise InvalidInput(f"column {column.name!r}", value, f"declare what is of its kind, {column.kind.value}")
    return column


def _ordered(column: Column) -> Column:
    bounds: list[Any] = [end for end in (column.low, column.high) if end is not None]
    remedy = "give bounds of its kind, with low below high"
    try:
        wrong = len(bounds) == 2 and not bounds[0] < bounds[1]
    except TypeError:
        wrong = True
    if wrong:
        raise InvalidInput(f"column {column.name!r}", tuple(bounds), remedy)
    return column


def _named(name: str, kind: object) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        raise InvalidInput(
            f"column {name!r}", kind, f"its type is one of: {', '.join(each.value for each in Kind)}"
        ) from None


def _kind(name: str, stored: frozenset[Kind], known: Sequence[Scalar]) -> Kind:
    """The kind that a column is stored as; where it may be anything, the kind of what is declared about it."""
    if Kind.INTEGER in stored and Kind.TEXT not in stored:
        return Kind.NUMBER if any(isinstance(value, Fraction) for value in known) else Kind.INTEGER
    if len(stored) == 1:
        return next(iter(stored))
    if Kind.DATE in stored and Kind.TEXT not in stored:
        return Kind.DATE
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
    raise InvalidInput(f"column {name!r}", None, f"say its type: {', '.join(each.value for each in Kind)}")


def _scalar(name: str, value: object) -> Scalar:
    if isinstance(value, float):
        try:
            return Fraction(repr(value))
        except ValueError:
            raise InvalidInput(f"column {name!r}", value, "declare finite numbers") from None
    if isinstance(value, bool | int | Fraction | str | date | datetime):
        return value
    raise InvalidInput(f"column {name!r}", value, "declare numbers, texts, dates or truth values")


def _distinct(name: str, values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if not values or len(set(values)) < len(values):
        raise InvalidInput(f"column {name!r}", values, "list each public value once, and at least one")
    return values
