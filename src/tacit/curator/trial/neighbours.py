"""Made-up neighbouring tables that chase a question's bound: extreme rows, poison, heavy units, many keys.

Checked by: tests/unit/curator/trial/test_audit_question.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from math import inf, nan
from typing import Any

from tacit.curator.policy.policy import Shared
from tacit.curator.trial.mock_vault import rows_for, unit_named
from tacit.frozen import frozen
from tacit.plan import Column, Kind, Literal, Question, Table
from tacit.privacy import Neighbours

__all__ = ["Pair", "Worlds", "World"]

Row = dict[str, Any]
World = Mapping[str, list[Row]]
"""The rows of every table, by its name."""

_UNDECLARED = "a value that nobody declared"
_POISON: dict[Kind, tuple[Any, ...]] = {
    Kind.BOOLEAN: (None,),
    Kind.INTEGER: (None, 0, -1, (1 << 63) - 1, -(1 << 63), (1 << 53) + 1),
    Kind.NUMBER: (None, nan, inf, -inf, -0.0, 5e-324, 1.7e308, -1.7e308),
    Kind.TEXT: (None, "", _UNDECLARED, "%", "é" * 2_000, "9" * 30),
    Kind.DATE: (None, date.min, date.max),
    Kind.TIMESTAMP: (None, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
}
_OTHERS = 5  # units that are in both tables
_PUBLIC_ROWS = 40
_MOST_ROWS = 60  # of the unit that moves, in one table


@frozen
class Pair:
    """Two worlds that differ in what one unit owns: nothing in one of them, or something else."""

    relation: Neighbours
    shared: World
    before: World
    after: World

    @property
    def worlds(self) -> tuple[World, World]:
        """Both of them, whole."""
        first, second = (
            {name: [*rows, *own[name]] for name, rows in self.shared.items()} for own in self._own
        )
        return first, second

    @property
    def _own(self) -> tuple[World, World]:
        return self.before, self.after


class Worlds:
    """Where neighbours of a question come from: its tables as declared, and the constants that it compares with."""

    def __init__(self, question: Question, tables: Iterable[Shared], world: int) -> None:
        self._dice = _Dice(world)
        self._tables = {each.table.name: each for each in tables}
        public = [each for each in self._tables.values() if each.table.public]
        self._public = {each.table.name: rows_for(each)[:_PUBLIC_ROWS] for each in public}
        self._private = [each for each in self._tables.values() if not each.table.public]
        constants = [
            *_constants(question),
            *(cell for rows in self._public.values() for row in rows for cell in row.values()),
        ]
        self._cells = {
            (each.table.name, column.name): _interesting(column, constants)
            for each in self._private
            for column in each.table.columns
        }

    def pairs(self, relation: Neighbours) -> Iterator[Pair]:
        """One pair after the other, without end."""
        while True:
            yield self.draw(relation)

    def draw(self, relation: Neighbours) -> Pair:
        """Neighbours of a relation."""
        others = self._others() if self._dice.below(10) < 8 else self._nobody()
        nothing: dict[str, list[Row]] = {name: [] for name in others}
        if relation is Neighbours.ADD_OR_REMOVE:
            return Pair(relation, others, nothing, self._draw_owned())
        return Pair(relation, others, self._draw_owned(), self._draw_owned())

    def near(self, pair: Pair) -> Pair:
        """Neighbours that differ a little from these."""
        if pair.relation is Neighbours.REPLACE and self._dice.below(2):
            return replace(pair, before=self._change_owned(pair.before))
        return replace(pair, after=self._change_owned(pair.after))

    # ------------------------------------------------------------ what a unit owns

    def _nobody(self) -> dict[str, list[Row]]:
        return {name: list(self._public.get(name, [])) for name in self._tables}

    def _others(self) -> dict[str, list[Row]]:
        found = self._nobody()
        for number in range(1, _OTHERS + 1):
            for each in self._private:
                rows = [self._row(each.table) for _ in range(self._dice.choice((0, 1, 1, 3)))]
                found[each.table.name] += [self._of(each, row, number) for row in rows]
        return found

    def _draw_owned(self) -> dict[str, list[Row]]:
        """What the unit that moves owns: one row many times, many different rows, or both."""
        found: dict[str, list[Row]] = {name: [] for name in self._tables}
        if self._private[0].table.unit is None:
            mover = self._dice.choice(self._private)
            found[mover.table.name] = [self._row(mover.table)]
            return found
        for each in self._private:
            held = each.contributions or _OTHERS
            copies = self._dice.choice((1, 1, held, held + 1, min(4 * held, _MOST_ROWS)))
            different = self._dice.choice((0, 1, 1, 2, held, 12))
            rows = [self._row(each.table) for _ in range(different)]
            found[each.table.name] = [
                self._of(each, row, 0) for row in (rows * copies)[:_MOST_ROWS]
            ]
        return found

    def _change_owned(self, owned: World) -> dict[str, list[Row]]:
        found = {name: list(rows) for name, rows in owned.items()}
        mover = self._dice.choice(
            [each for each in self._private if found[each.table.name]] or self._private
        )
        rows, table = found[mover.table.name], mover.table
        if not rows:
            return self._draw_owned()
        place = self._dice.below(len(rows))
        match self._dice.below(5 if table.unit is not None else 2):
            case 0 | 1 if table.columns:
                column = self._dice.choice(table.columns)
                if column.name != table.unit:
                    rows[place] = rows[place] | {column.name: self._cell(table, column)}
            case 2:
                rows.append(dict(rows[place]))
            case 3:
                rows[:] = [dict(rows[place])] * min(2 * len(rows), _MOST_ROWS)
            case _:
                rows.pop(place)
        found[mover.table.name] = rows[:_MOST_ROWS]
        return found

    def _row(self, table: Table) -> Row:
        return {
            column.name: self._cell(table, column)
            for column in table.columns
            if column.name != table.unit
        }

    def _cell(self, table: Table, column: Column) -> Any:
        """A cell: mostly one at an end of what is declared, or on either side of what the question compares it with."""
        ends, others, poison = self._cells[table.name, column.name]
        kind = self._dice.choice((*[ends] * 5, *[others] * 3, poison))
        return self._dice.choice(kind or ends or others or poison)

    def _of(self, shared: Shared, row: Row, number: int) -> Row:
        unit = shared.table.unit
        return row if unit is None else row | {unit: unit_named(shared, number)}


class _Dice:
    """Numbers that look random and are the same for the same world; nobody is protected by them."""

    def __init__(self, world: int) -> None:
        self._world, self._thrown = world, 0

    def below(self, most: int) -> int:
        """A number from 0 on, below `most`."""
        self._thrown += 1
        return int.from_bytes(sha256(f"{self._world}\0{self._thrown}".encode()).digest()[:8]) % most

    def choice(self, among: Sequence[Any]) -> Any:
        """One of several."""
        return among[self.below(len(among))]


def _constants(part: object) -> Iterator[object]:
    """Every constant of a plan, wherever it stands."""
    if isinstance(part, Literal):
        yield part.value
    elif isinstance(part, tuple):
        for each in part:
            yield from _constants(each)
    elif is_dataclass(part) and not isinstance(part, Table | Column | type):
        for field in fields(part):
            yield from _constants(getattr(part, field.name))


def _interesting(
    column: Column, constants: Sequence[object]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Cells at the ends of what is declared, cells around what is compared, and cells that ought not to be there."""
    declared = [_cell_of(value, column.kind) for value in column.values or ()]
    bounds = [_cell_of(end, column.kind) for end in (column.low, column.high) if end is not None]
    around = [near for value in constants for near in _values_around(value, column.kind)]
    beyond = [near for end in bounds for near in _values_around(end, column.kind)]
    return (
        declared or bounds,
        [*around, *beyond] or declared or bounds,
        [*_POISON[column.kind], *beyond],
    )


def _cell_of(value: Any, kind: Kind) -> Any:
    """A declared value as a row holds it."""
    match kind:
        case Kind.NUMBER:
            return float(value)
        case Kind.INTEGER:
            return int(value)
        case _:
            return value


def _values_around(value: Any, kind: Kind) -> list[Any]:
    """A constant and what lies next to it, if a column of the kind can hold them."""
    match kind, value:
        case Kind.BOOLEAN, bool():
            return [True, False]
        case ((Kind.INTEGER | Kind.NUMBER), bool()):
            return []
        case Kind.INTEGER, int() | Fraction() | float():
            return [int(value) + away for away in (-1, 0, 1) if abs(int(value)) < 1 << 62]
        case Kind.NUMBER, int() | Fraction() | float():
            return [float(value) + away for away in (-1, 0, 1)]
        case Kind.TEXT, str():
            return [value, value.replace("%", "").replace("_", "x"), value.upper(), f"{value} "]
        case Kind.DATE, date() if not isinstance(value, datetime):
            return _days(value)
        case Kind.TIMESTAMP, datetime():
            return _days(value)
        case Kind.TIMESTAMP, date():
            return _days(datetime(value.year, value.month, value.day, tzinfo=UTC))
        case _:
            return []


def _days(value: Any) -> list[Any]:
    return [
        value + timedelta(days=away) for away in (-1, 0, 1) if 1 < value.year < 9999 or away == 0
    ]
