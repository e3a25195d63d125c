"""What rows add up to, once each: measures are sums of a few terms, and measures that share a term share its work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor

from tacit.engines.engine import MOST_ROWS
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.distinct_values_sql import distinct_value
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.expressions import clamp_sql, render, whole
from tacit.engines.sql.select_with_parameters import Reader
from tacit.frozen import frozen
from tacit.plan import Counted, Distinct, Expression, Field, Kind, Summed, Units, bounds_of, type_of

__all__ = ["Plain", "Recipe", "Term", "Terms"]

Recipe = tuple[tuple[str, int], ...]
"""A measure: the names of its terms, and how often it takes each."""

Base = tuple[Expression, object, int, int]
"""A sum but for its centre: expression, step, low and high."""

Plain = Counted | Summed | Units | Distinct
"""A measure that is one number."""

_NARROW = 1 << 31


@frozen
class Term:
    """How many rows there are, in how many a column is not NULL, or what it sums to; and the most a row adds."""

    name: str
    column: str | None = None
    sums: bool = False
    counts: str = ""
    reach: int = 1
    rows: int = MOST_ROWS
    dialect: SqlDialect = DUCKDB

    def scale_row(self, weight: str, bits: int) -> str:
        """What one row adds, times a column of weights; NULL adds nothing."""
        if self.column is None:
            return weight
        return (
            f"{self.widen(weight, bits, rows=1)} * {self.column}"
            if self.sums
            else f"CASE WHEN {self.column} IS NOT NULL THEN {weight} END"
        )

    @property
    def total(self) -> str:
        """What rows add up to."""
        if self.column is None:
            return "count(*)"
        return (
            f"coalesce({self.dialect.total(self.column)}, 0)"
            if self.sums
            else f"count({self.counts}{self.column})"
        )

    def narrow_total(self) -> bool:
        """Whether so many rows as there can be add up to no more than 64 bits."""
        return not self.rows * self.reach >> 63

    def widen(self, weight: str, bits: int, *, rows: int) -> str:
        """A weight of so many rows, wide enough for its product with what they add up to."""
        stored = "HUGEINT" if self.is_wide(bits, rows=rows) else "BIGINT"
        return f"{weight}::{self.dialect.type(stored)}"

    def is_wide(self, bits: int, *, rows: int) -> bool:
        """Whether a weight times what so many rows add up to may need more than 64 bits."""
        return bool(rows * self.reach << bits >> 63)


@dataclass(slots=True, eq=False, repr=False)
class Terms:
    """The terms of some measures, and the columns that they need.

    Sums that differ in their centre alone are one term: the second is the first and so many times its count.
    """

    read: Reader
    rows: int = MOST_ROWS
    columns: dict[str, str] = field(default_factory=dict)
    listed: list[Term] = field(default_factory=list)
    _found: dict[tuple[str | None, bool, str], Term] = field(default_factory=dict)
    _sums: dict[Base, tuple[Term, int]] = field(default_factory=dict)
    _named: dict[Expression, str] = field(default_factory=dict)

    def recipes(
        self, measures: Sequence[Plain], known: Mapping[Plain, Recipe] | None = None
    ) -> tuple[Recipe, ...]:
        """How every measure is put together from terms; what is known already stays as it is."""
        found = dict(known or {})
        # sums come first: then a count finds the column of its sum
        for measure in sorted(measures, key=lambda each: not isinstance(each, Summed)):
            if measure not in found:
                found[measure] = self.recipe(measure)
        return tuple(found[measure] for measure in measures)

    def recipe(self, measure: Plain) -> Recipe:
        """How the measure is put together from terms."""
        match measure:
            case Counted(value=expression) | Units(value=expression) if expression is not None:
                return ((self._count(expression).name, 1),)
            case Distinct(value):
                column = self.value(self._distinct(value))
                return ((self._term(column, counts="DISTINCT ").name, 1),)
            case Counted() | Units():
                return ((self._term(None).name, 1),)
            case Summed(value, step, low, high, centre):
                base = (value, step, low, high)
                known = self._sums.get(base)
                if known is None:
                    known = self._sums[base] = self._sum(measure), centre
                term, taken = known
                if taken == centre:
                    return ((term.name, 1),)
                return (term.name, 1), (self._count(value).name, taken - centre)

    def presence_column(self, measure: Units | Distinct) -> str | None:
        """The column that says which rows of a unit count and, if values are told apart, which value each has."""
        match measure:
            case Units(value):
                return None if value is None else self.value(render(value, self.read))
            case Distinct(value):
                return self.value(self._distinct(value))

    def value(self, sql: str) -> str:
        """The name of a column of every row that is taken."""
        column = f"value_{len(self.columns)}"
        self.columns[column] = sql
        return column

    def _distinct(self, value: Expression) -> str:
        return distinct_value(render(value, self.read), type_of(value).kind, self.read.dialect)

    def _sum(self, measure: Summed) -> Term:
        written = render(measure.value, self.read)
        column = self.value(steps(measure, written, self.read.dialect))
        self._named.setdefault(measure.value, column)  # the steps are NULL where the value is
        return self._term(column, sums=True, reach=max(1, measure.reach))

    def _count(self, expression: Expression) -> Term:
        column = self._named.get(expression)
        if column is None:
            column = self._named[expression] = self.value(render(expression, self.read))
        return self._term(column)

    def _term(
        self, column: str | None, *, sums: bool = False, counts: str = "", reach: int = 1
    ) -> Term:
        """The term of a column, of which there is one sum, one count, and one count of values."""
        key = column, sums, counts
        term = self._found.get(key)
        if term is None:
            name = str(len(self.listed))
            term = Term(name, column, sums, counts, reach, self.rows, self.read.dialect)
            self._found[key] = term
            self.listed.append(term)
        return term


def steps(measure: Summed, value: str, dialect: SqlDialect) -> str:
    """A number in whole steps, held between the ends of its range, less the centre."""
    if type_of(measure.value).kind is Kind.INTEGER and measure.step == 1:
        held = (
            value
            if _is_held(measure)
            else clamp_sql(value, Kind.INTEGER, measure.low, measure.high, dialect)
        )
    else:
        held = dialect.round_steps(value, float(1 / measure.step))
        if not _is_held(measure):
            ends = float(measure.low), float(measure.high)
            held = clamp_sql(held, Kind.NUMBER, *ends, dialect)
        held = dialect.narrow(held, _narrowest(measure))
    return f"({held} - {whole(measure.centre)})" if measure.centre else held


def _narrowest(measure: Summed) -> str:
    """The type of its steps, before and after the centre is taken off: 32 bits are added up sooner than 64.

    Claim:      every number of steps fits.
    Because:    the type is chosen by the ends between which the steps are held, with and without the centre.
    Checked by: tests/unit/engines/sql/test_sums_of_terms.py
    """
    ends = (measure.low, measure.high, measure.low - measure.centre, measure.high - measure.centre)
    return "INTEGER" if all(-_NARROW <= end < _NARROW for end in ends) else "BIGINT"


def _is_held(measure: Summed) -> bool:
    """Whether a column's own bounds hold it between the ends already: rounding to steps keeps the order."""
    if not isinstance(measure.value, Field):
        return False
    match bounds_of(measure.value.column):
        case float(low), float(high):
            scale = float(1 / measure.step)
            return (
                measure.low <= floor(low * scale + 0.5)
                and floor(high * scale + 0.5) <= measure.high
            )
        case int(low), int(high):
            return measure.step == 1 and measure.low <= low and high <= measure.high
        case _:
            return False
