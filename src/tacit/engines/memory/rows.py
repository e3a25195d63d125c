"""The rows of a plan in Python, one node after the other: what every engine has to give.

Checked by: tests/unit/engines/test_rows.py
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any, assert_never

from tacit.engines.distinct_values_per_unit import unit_text
from tacit.engines.sources.rows import Owned
from tacit.engines.sql.units_with_huge_joins import bytes_of
from tacit.engines.work_bounds import MOST_BYTES, Bounds
from tacit.errors import EngineFailed
from tacit.plan import (
    ROW_BYTES,
    Column,
    Compared,
    Computed,
    Defined,
    Field,
    Folded,
    Folding,
    Inner,
    Joined,
    Kept,
    Kind,
    Literal,
    Ordering,
    Owner,
    Place,
    Placed,
    Row,
    Rows,
    Running,
    Scan,
    Stacked,
    Summed,
    Table,
    Value,
    Where,
    Window,
    Windowed,
    clamp_cell,
    columns_of,
    compile_expression,
    owner_of,
    steps_of,
    type_of,
    window_column,
)

__all__ = ["scan_rows", "steps", "yield_rows"]


def yield_rows(rows: Rows, stored: Mapping[str, list[Owned]], bounds: Bounds) -> list[Owned]:
    """The rows that a node gives, each with its unit; None is nobody, or the row itself."""

    def below(inner: Rows) -> list[Owned]:
        return yield_rows(inner, stored, bounds)

    match rows:
        case Scan(table):
            cells = _each(
                _blank_unread([Defined(each.name, Field(each)) for each in table.columns], bounds)
            )
            return [Owned(row.unit, cells(row.cells)) for row in scan_rows(table, stored)]
        case Where(inner, condition):
            test = compile_expression(condition)
            return [row for row in below(inner) if test(row.cells) is True]
        case Computed(inner, columns):
            values = _each(_blank_unread(columns, bounds))
            return [Owned(row.unit, values(row.cells)) for row in below(inner)]
        case Inner(inner, keys, folds):
            return _fold_rows(below(inner), keys, folds)
        case Stacked(parts):
            rows_of_all = [row for part in parts for row in below(part)]
            alike = len({type(row.unit) for row in rows_of_all}) == 1
            return (
                rows_of_all
                if alike
                else [Owned(_unit_identity(row.unit), row.cells) for row in rows_of_all]
            )
        case Joined():
            return _join_rows(
                rows, below(rows.left), below(rows.right), limited=bounds.limits(rows)
            )
        case Kept(inner, among, present):
            units = {_unit_identity(row.unit) for row in below(among)}
            return [row for row in below(inner) if (_unit_identity(row.unit) in units) is present]
        case Windowed(inner, windows):
            names = [column.name for column in columns_of(inner)]
            return _add_windows(below(inner), windows, names)
        case _:
            assert_never(rows)


def _blank_unread(columns: Sequence[Defined], bounds: Bounds) -> list[Defined]:
    """Columns as they are computed: NULL if the question does not look at them."""
    return [
        each
        if bounds.reads(each.name)
        else Defined(each.name, Literal(None, type_of(each.value).kind))
        for each in columns
    ]


def _unit_identity(unit: Hashable) -> Hashable:
    """A unit as tables know it from each other: "7", 7 and 7.0 are one."""
    match unit:
        case None:
            return None
        case float() | Decimal() if unit == int(unit):
            return unit_text(int(unit))
        case _:
            return unit_text(unit)


def scan_rows(
    table: Table, stored: Mapping[str, list[Owned]], needed: Sequence[Column] = ()
) -> list[Owned]:
    """The rows of a table that are somebody's, as they are stored.

    A row that has nothing in a column that is declared, or `needed`, never to be NULL is not there.
    """
    if table.name not in stored:
        raise EngineFailed
    anyone = owner_of(Scan(table)) is not Owner.UNIT
    rows = [row for row in stored[table.name] if anyone or row.unit is not None]
    for column in dict.fromkeys([*(each for each in table.columns if not each.nullable), *needed]):
        rows = [row for row in rows if clamp_cell(row.cells.get(column.name), column) is not None]
    return rows


def _each(columns: Sequence[Defined]) -> Callable[[Row], dict[str, Value]]:
    values = [(each.name, compile_expression(each.value)) for each in columns]
    return lambda row: {name: value(row) for name, value in values}


def _fold_rows(
    rows: Iterable[Owned], keys: Sequence[Defined], folds: Sequence[Folded]
) -> list[Owned]:
    values = _each(keys)
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.unit, tuple(values(row.cells).values())].append(row.cells)
    names, totals = [key.name for key in keys], [(fold.column.name, _fold(fold)) for fold in folds]
    return [
        Owned(
            unit,
            dict(zip(names, place, strict=True)) | {name: total(cells) for name, total in totals},
        )
        for (unit, place), cells in groups.items()
    ]


def _join_rows(
    rows: Joined, left: Iterable[Owned], right: Sequence[Owned], *, limited: bool
) -> list[Owned]:
    tests = [compile_expression(Compared("=", one, two)) for one, two in rows.on]
    public = owner_of(rows.right) is Owner.NOBODY
    nothing = {column.name: None for column in columns_of(rows.right)}

    def owner(unit: Hashable) -> Hashable:
        return None if public else _unit_identity(unit)

    owned: defaultdict[Hashable, list[Row]] = defaultdict(list)
    for row in right:
        owned[owner(row.unit)].append(row.cells)
    found, taken = list[Owned](), Counter[Hashable]()
    for row in left:
        pairs = [{**row.cells, **each} for each in owned[owner(row.unit)]]
        met = [pair for pair in pairs if all(test(pair) is True for test in tests)]
        if limited:
            taken[row.unit] += sum(ROW_BYTES + bytes_of(list(pair.values())) for pair in met)
        found += [
            Owned(row.unit, pair)
            for pair in met or ([{**row.cells, **nothing}] if rows.outer else [])
        ]
    return [row for row in found if taken[row.unit] <= MOST_BYTES]


def _add_windows(
    rows: Iterable[Owned], windows: Sequence[Window], names: Sequence[str]
) -> list[Owned]:
    """The rows of each unit, with every window added; names are those of all columns, which complete an order."""
    units: defaultdict[Hashable, list[dict[str, Value]]] = defaultdict(list)
    for row in rows:
        units[row.unit].append(dict(row.cells))
    for mine in units.values():
        added: list[list[Value]] = [_window_values(mine, window, names) for window in windows]
        for place, cells in enumerate(mine):
            cells.update(
                {
                    window_column(each).name: column[place]
                    for each, column in zip(windows, added, strict=True)
                }
            )
    return [Owned(unit, row) for unit, mine in units.items() for row in mine]


def _window_values(rows: Sequence[Row], window: Window, names: Sequence[str]) -> list[Value]:
    """What a window sees from every row of a unit."""
    values = [compile_expression(part) for part in window.by]
    pieces: defaultdict[Any, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        pieces[tuple(value(row) for value in values)].append(place)
    found: list[Value] = [None] * len(rows)
    for places in pieces.values():
        mine = [rows[place] for place in places]
        seen = (
            _running_values(mine, window)
            if isinstance(window, Running)
            else _placed_values(mine, window, names)
        )
        for place, value in zip(places, seen, strict=True):
            found[place] = value
    return found


def _running_values(rows: Sequence[Row], window: Running) -> list[Value]:
    total = _fold(window.folded)
    if not window.order:
        return [total(rows)] * len(rows)
    ranks = _ranks(rows, window.order)
    return [
        total([other for other, theirs in zip(rows, ranks, strict=True) if theirs <= rank])
        for rank in ranks
    ]


def _placed_values(rows: Sequence[Row], window: Placed, names: Sequence[str]) -> list[Value]:
    if window.place is Place.DENSE:
        ranks = _ranks(rows, window.order)
        return [len({theirs for theirs in ranks if theirs <= rank}) for rank in ranks]
    if window.place is Place.RANK:
        ranks = _ranks(rows, window.order)
        return [1 + sum(theirs < rank for theirs in ranks) for rank in ranks]
    cells = [lambda row, name=name: row[name] for name in names]
    places = _sort_places(
        rows,
        [
            *((compile_expression(by.value), by.descending) for by in window.order),
            *((c, False) for c in cells),
        ],
    )
    if window.place is Place.NUMBER:
        return [1 + places.index(place) for place in range(len(rows))]
    assert window.value is not None, "a value is looked up"
    value, away = (
        compile_expression(window.value),
        window.offset if window.place is Place.AFTER else -window.offset,
    )
    found: list[Value] = [None] * len(rows)
    for number, place in enumerate(places):
        other = number + away
        found[place] = value(rows[places[other]]) if 0 <= other < len(places) else None
    return found


def _ranks(rows: Sequence[Row], order: Sequence[Ordering]) -> list[int]:
    """The place of every row among the distinct ones of an order: peers share it."""
    keys = [(compile_expression(by.value), by.descending) for by in order]
    told = [tuple(value(row) for value, _ in keys) for row in rows]
    ranks, rank, before = [0] * len(rows), 0, None
    for place in _sort_places(rows, keys):
        rank, before = rank + (told[place] != before), told[place]
        ranks[place] = rank
    return ranks


def _sort_places(
    rows: Sequence[Row], keys: Sequence[tuple[Callable[[Row], Any], bool]]
) -> list[int]:
    """The places of rows in an order, the first key the most important, NULLs last in either direction."""
    places = list(range(len(rows)))
    for value, descending in reversed(keys):
        cells = {place: value(rows[place]) for place in places}
        present = [place for place in places if cells[place] is not None]
        missing = [place for place in places if cells[place] is None]
        places = sorted(present, key=cells.__getitem__, reverse=descending) + missing
    return places


def _fold(fold: Folded) -> Callable[[Sequence[Row]], Value]:
    """What rows of one unit become."""
    if fold.fold in {Folding.SUM, Folding.MEAN}:
        return _total(fold)
    if fold.value is None:
        return lambda rows: clamp_cell(len(rows), fold.column)
    value = compile_expression(fold.value)

    def become(rows: Sequence[Row]) -> Value:
        found: list[Any] = [each for each in map(value, rows) if each is not None]
        match fold.fold:
            case Folding.COUNT:
                return clamp_cell(len(found), fold.column)
            case Folding.DISTINCT:
                return clamp_cell(len(set(found)), fold.column)
            case Folding.LEAST:
                return min(found, default=None)
            case _:
                return max(found, default=None)

    return become


def _total(fold: Folded) -> Callable[[Sequence[Row]], Value]:
    """The sum or the mean of rows, in whole steps, as a double or an integer."""
    terms, least = steps(steps_of(fold)), steps_of(fold).low

    def become(rows: Sequence[Row]) -> Value:
        found = [each for each in map(terms, rows) if each is not None]
        if not found:
            return None
        # from the lowest up, so that what is divided is never negative
        if fold.fold is Folding.MEAN:
            above, number = sum(found) - least * len(found), len(found)
            total = least + (2 * above + number) // (2 * number)
        else:
            low, high = (
                int(Fraction(end) / fold.step)  # type: ignore[arg-type]
                for end in (fold.column.low, fold.column.high)
            )
            total = min(max(sum(found), low), high)
        return total if fold.column.kind is Kind.INTEGER else total * float(fold.step)

    return become


def steps(measure: Summed) -> Callable[[Row], int | None]:
    """What a row adds to a sum, in whole steps; NULL adds nothing."""
    value = compile_expression(measure.value)
    scale = float(1 / measure.step)  # a power of two: multiplying by it is exact

    def found(row: Row) -> int | None:
        match value(row):
            case None:
                return None
            case float(x):
                whole = floor(x * scale + 0.5)
            case x:
                whole = int(x) if measure.step == 1 else floor(float(x) * scale + 0.5)
        return min(max(whole, measure.low), measure.high) - measure.centre

    return found
