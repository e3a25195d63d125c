"""The oracle: rows in a Python list, one row after the other, small enough to be believed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product

from tacit.engines.distinct import Pair
from tacit.engines.distinct import kept as kept_of
from tacit.engines.engine import Answer, blank, check_fits, conditions_of
from tacit.engines.sources import Owned, check_unique, rows_of
from tacit.engines.weights import presence_weight, weight
from tacit.engines.yielding import scanned, steps, yielded
from tacit.plan import (
    Counted,
    Distinct,
    Measure,
    Owner,
    Question,
    Row,
    Scan,
    Summed,
    Table,
    Units,
    Value,
    Weights,
    base_of,
    computed,
    constant,
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
        return _evaluated(_based(question, self._rows), question, weights)

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Evaluate on no rows."""
        nothing: dict[str, list[Owned]] = {table.name: [] for table in tables_of(question.rows)}
        _evaluated(_based(question, nothing), question, weights)

    def close(self) -> None:
        """Let go of the rows."""
        self._rows = {}


def _based(question: Question, stored: Mapping[str, list[Owned]]) -> list[Owned]:
    """The rows before the last conditions; those of a table are held by the fields that read them."""
    base = base_of(question.rows)
    return scanned(base.table, stored) if isinstance(base, Scan) else yielded(base, stored)


def _evaluated(rows: list[Owned], question: Question, weights: Weights) -> Answer:
    check_fits(question, weights)
    kept = list(_kept(rows, question))
    vectors: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for unit, group, _ in kept:
        vectors[unit][group] += 1
    full = 1 << weights.bits
    whole = owner_of(question.rows) is Owner.ROW
    row_weights = {unit: full if whole else weight(vector.values(), weights) for unit, vector in vectors.items()}
    answer = blank(question, weights)
    for j, measure in enumerate(question.measures):
        if isinstance(measure, Units) and not whole:
            for groups in _present(measure, kept).values():
                for group in groups:
                    answer[group, j] += presence_weight(len(groups), weights)
            continue
        if isinstance(measure, Distinct):
            for group, _ in _brought(measure, kept, None if whole else weights.bound):
                answer[group, j] += full
            continue
        added = _added(measure)
        for unit, group, row in kept:
            answer[group, j] += row_weights[unit] * added(row)
    return answer


def _kept(rows: list[Owned], question: Question) -> Iterator[Kept]:
    """The rows that meet every condition and belong to a group."""
    conditions = [computed(condition) for condition in conditions_of(question.rows)]
    columns = [computed(key.value) for key in question.keys]
    places: dict[tuple[Value, ...], int] = {}
    kinds = [type_of(key.value).kind for key in question.keys]
    pairs = zip(question.keys, kinds, strict=True)
    keys = [[constant(value, kind) for value in key.listed] for key, kind in pairs]
    for place, values in enumerate(product(*keys)):
        places.setdefault(values, place)
    for row in rows:
        group = places.get(tuple(column(row.cells) for column in columns))
        if group is not None and all(condition(row.cells) is True for condition in conditions):
            yield row.unit, group, row.cells


def _present(measure: Units, rows: list[Kept]) -> dict[Hashable, set[int]]:
    """The groups in which each unit has a row that counts."""
    counts, found = _added(Counted(measure.value)), defaultdict[Hashable, set[int]](set)
    for unit, group, row in rows:
        if counts(row):
            found[unit].add(group)
    return found


def _brought(measure: Distinct, rows: list[Kept], most: int | None) -> set[Pair]:
    """The groups and values that units bring, each at most so many."""
    value, kind = computed(measure.value), type_of(measure.value).kind
    owned: defaultdict[Hashable, set[Pair]] = defaultdict(set)
    for unit, group, row in rows:
        found = value(row)
        if found is not None:
            owned[None if most is None else unit].add((group, found))
    if most is None:
        return owned[None]
    return {pair for unit, pairs in owned.items() for pair in kept_of(unit, pairs, kind, most)}


def _added(measure: Measure) -> Callable[[Row], int]:
    """What a row adds to a measure, before it is weighed."""
    match measure:
        case Counted(expression) | Units(expression) if expression is not None:
            value = computed(expression)
            return lambda row: int(value(row) is not None)
        case Counted() | Units():
            return lambda _row: 1
        case Distinct():
            raise AssertionError("what a row adds to it depends on others")
        case Summed():
            found = steps(measure)
            return lambda row: found(row) or 0
