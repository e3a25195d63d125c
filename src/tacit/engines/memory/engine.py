"""The oracle: rows in a Python list, one row after the other, small enough to be believed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from tacit.engines.distinct_values_per_unit import Pair, keep_lowest
from tacit.engines.engine import Answer, blank, check_fits, conditions_of, needed_columns
from tacit.engines.grid_cells import cell_in
from tacit.engines.memory.codes import code_rows
from tacit.engines.memory.rows import scan_rows, steps, yield_rows
from tacit.engines.rows_as_codes import CodedRows, check_coding
from tacit.engines.sources.rows import Owned, check_unique, rows_of
from tacit.engines.unknown_keys_per_unit import Gathering, hash_of, key_weight, rehearsal_of
from tacit.engines.weights_of_rows import presence_weight, weight
from tacit.engines.work_bounds import bounds_of_question, check_work
from tacit.errors import EngineFailed
from tacit.frozen import frozen
from tacit.plan import (
    Coding,
    Column,
    Counted,
    Distinct,
    Keeping,
    Key,
    KeyValue,
    Owner,
    Question,
    Ranked,
    Row,
    Scan,
    Summed,
    Table,
    Units,
    Value,
    Weights,
    base_of,
    clamp_cell,
    columns_of_answer,
    compile_expression,
    constant,
    key_value,
    owner_of,
    tables_of,
    type_of,
)

__all__ = ["Memory"]

Kept = tuple[Hashable, int, Row]
"""A row that counts: its unit, its group and its cells."""


class Memory:
    """An engine that holds its rows as Python dictionaries.

    >>> from fractions import Fraction
    >>> from tacit.plan import Column, Field, Kind, Scan, Weighing
    >>> visits = Table("visits", (Column("cost", Kind.INTEGER, low=0, high=9),))
    >>> engine = Memory({visits: [{"cost": 5}, {"cost": 700}]})
    >>> total = Summed(Field(visits.columns[0]), Fraction(1), 0, 9)
    >>> engine.evaluate(Question(Scan(visits), (), (Counted(), total)), Weights(Weighing.L1, 1, 1, 0)).tolist()
    [[2, 14]]
    """

    def __init__(self, tables: Mapping[Table, object]) -> None:
        self._rows = {table.name: rows_of(source, table) for table, source in tables.items()}
        for table in tables:
            check_unique(self._rows[table.name], table)

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits."""
        return _evaluate_rows(self._base_rows(question, self._rows), question, weights)

    def gather(self, question: Question, keeping: Keeping) -> Gathering:
        """What units keep of the unknown keys of a question."""
        return nullcontext(_gather_rows(self._base_rows(question, self._rows), question, keeping))

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Gather and evaluate on no rows."""
        check_work(question, self._sharing)
        nothing: dict[str, list[Owned]] = {table.name: [] for table in tables_of(question.rows)}
        _evaluate_rows(self._base_rows(question, nothing), rehearsal_of(question), weights)

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of all rows that count; if rehearsing, of no rows."""
        check_coding(coding, weights)
        question = coding.question
        nothing: dict[str, list[Owned]] = {table.name: [] for table in tables_of(question.rows)}
        rows = self._base_rows(question, nothing if rehearsing else self._rows)
        return code_rows(rows, coding, weights)

    def close(self) -> None:
        """Let go of the rows."""
        self._rows = {}

    @property
    def has_fixed_rows(self) -> bool:
        """True: every cell was copied."""
        return True

    def _base_rows(self, question: Question, stored: Mapping[str, list[Owned]]) -> list[Owned]:
        """The rows before the last conditions; those of a table are held by the fields that read them."""
        base = base_of(question.rows)
        if isinstance(base, Scan):
            return scan_rows(base.table, stored, needed_columns(question))
        return yield_rows(base, stored, bounds_of_question(question, self._sharing))

    def _sharing(self, table: Table, column: Column | None) -> int:
        """How many rows of a public table have the same value in a column, or how many there are."""
        if table.name not in self._rows:
            raise EngineFailed
        rows = self._rows[table.name]
        if column is None:
            return len(rows)
        cells = (clamp_cell(row.cells[column.name], column) for row in rows)
        return max(Counter(cell for cell in cells if cell is not None).values(), default=0)


def _evaluate_rows(rows: list[Owned], question: Question, weights: Weights) -> Answer:
    check_fits(question, weights)
    kept = list(_keep_rows(rows, question))
    vectors: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for unit, group, _ in kept:
        vectors[unit][group] += 1
    full = 1 << weights.bits
    whole = owner_of(question.rows) is Owner.ROW
    row_weights = {
        unit: full if whole else weight(vector.values(), weights)
        for unit, vector in vectors.items()
    }
    answer = blank(question, weights)
    for measure, columns in zip(question.measures, columns_of_answer(question), strict=True):
        j = columns.start
        if isinstance(measure, Ranked):
            place = cell_in(measure)
            for unit, group, row in kept:
                cell = place(row)
                if cell is not None:
                    answer[group, j + cell] += row_weights[unit]
            continue
        if isinstance(measure, Units) and not whole:
            for groups in _present(measure, kept).values():
                for group in groups:
                    answer[group, j] += presence_weight(len(groups), weights)
            continue
        if isinstance(measure, Distinct):
            for group, _ in _distinct_pairs(measure, kept, None if whole else weights.bound):
                answer[group, j] += full
            continue
        added = _row_addend(measure)
        for unit, group, row in kept:
            answer[group, j] += row_weights[unit] * added(row)
    return answer


@frozen
class _Gathered:
    """What is gathered, key by key, and the rows that it is gathered from."""

    rows: list[Owned]
    found: dict[tuple[KeyValue, ...], int]

    @property
    def weights(self) -> Answer:
        return np.array(list(self.found.values()), np.int64)

    def keys(self, places: Sequence[int]) -> list[tuple[KeyValue, ...]]:
        named = list(self.found)
        return [named[place] for place in places]

    def evaluate(
        self, places: Sequence[int | None], question: Question, weights: Weights
    ) -> Answer:
        named, pairs = list(self.found), zip(places, question.found or (), strict=True)
        assert all(place is None or named[place] == values for place, values in pairs), (
            "these are the keys that were found"
        )
        return _evaluate_rows(self.rows, question, weights)


def _gather_rows(rows: list[Owned], question: Question, keeping: Keeping) -> _Gathered:
    public, kinds = question.public, [type_of(key.value).kind for key in question.unknown]
    places = _places(replace(question, keys=public))
    known, named = _values(public), _values(question.unknown)
    owned: defaultdict[Hashable, set[tuple[Value, ...]]] = defaultdict(set)
    nulls, whole = [key.null for key in question.unknown], owner_of(question.rows) is Owner.ROW
    for number, row in enumerate(_filter_rows(rows, question)):
        values = tuple(named(row.cells))
        named_by = all(value is not None or null for value, null in zip(values, nulls, strict=True))
        if named_by and tuple(known(row.cells)) in places:
            owned[number if whole else row.unit].add(values)
    order = {
        values: (
            hash_of(values, kinds, keeping.secret),
            [(value is None, 0 if value is None else value) for value in values],
        )
        for keys in owned.values()
        for values in keys
    }
    found: Counter[tuple[Value, ...]] = Counter()
    for keys in owned.values():
        kept = sorted(keys, key=order.__getitem__)[: keeping.most]
        for values in kept:
            found[values] += key_weight(len(kept), keeping)
    weighing = [values for values in sorted(found, key=order.__getitem__) if found[values]]
    return _Gathered(rows, {tuple(map(key_value, each, kinds)): found[each] for each in weighing})


def _keep_rows(rows: list[Owned], question: Question) -> Iterator[Kept]:
    """The rows that meet every condition and belong to a group."""
    places, values = _places(question), _values(question.keys)
    for row in _filter_rows(rows, question):
        group = places.get(tuple(values(row.cells)))
        if group is not None:
            yield row.unit, group, row.cells


def _filter_rows(rows: list[Owned], question: Question) -> Iterator[Owned]:
    """The rows that meet every condition."""
    conditions = [compile_expression(condition) for condition in conditions_of(question.rows)]
    return (row for row in rows if all(condition(row.cells) is True for condition in conditions))


def _values(keys: Sequence[Key]) -> Callable[[Row], Iterator[Value]]:
    """The values of some keys in a row."""
    columns = [compile_expression(key.value) for key in keys]
    return lambda row: (column(row) for column in columns)


def _places(question: Question) -> dict[tuple[Value, ...], int]:
    """The place of every group, by the values of its keys; a row of NULL has none where NULL is no value of a key."""
    places: dict[tuple[Value, ...], int] = {}
    kinds = [type_of(key.value).kind for key in question.keys]
    nulls = [key.null for key in question.keys]
    for place, values in enumerate(question.groups):
        if all(null or value is not None for value, null in zip(values, nulls, strict=True)):
            places.setdefault(tuple(map(constant, values, kinds)), place)
    return places


def _present(measure: Units, rows: list[Kept]) -> dict[Hashable, set[int]]:
    """The groups in which each unit has a row that counts."""
    counts, found = _row_addend(Counted(measure.value)), defaultdict[Hashable, set[int]](set)
    for unit, group, row in rows:
        if counts(row):
            found[unit].add(group)
    return found


def _distinct_pairs(measure: Distinct, rows: list[Kept], most: int | None) -> set[Pair]:
    """The groups and values that units bring, each at most so many."""
    value, kind = compile_expression(measure.value), type_of(measure.value).kind
    owned: defaultdict[Hashable, set[Pair]] = defaultdict(set)
    for unit, group, row in rows:
        found = value(row)
        if found is not None:
            owned[None if most is None else unit].add((group, found))
    if most is None:
        return owned[None]
    return {pair for unit, pairs in owned.items() for pair in keep_lowest(unit, pairs, kind, most)}


def _row_addend(measure: Counted | Summed | Units) -> Callable[[Row], int]:
    """What a row adds to a measure, before it is weighed."""
    match measure:
        case Counted(expression) | Units(expression) if expression is not None:
            value = compile_expression(expression)
            return lambda row: int(value(row) is not None)
        case Counted() | Units():
            return lambda _row: 1
        case Distinct():
            raise AssertionError("what a row adds to it depends on others")
        case Summed():
            found = steps(measure)
            return lambda row: found(row) or 0
