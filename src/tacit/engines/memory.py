"""The oracle: rows in a Python list, one row after the other, small enough to be believed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product
from math import floor

from tacit.engines.engine import Answer, blank, check_fits, conditions_of
from tacit.engines.sources import Owned, rows_of
from tacit.engines.weights import presence_weight, weight
from tacit.errors import EngineFailed
from tacit.plan import (
    Counted,
    Measure,
    Question,
    Row,
    Summed,
    Table,
    Units,
    Value,
    Weights,
    computed,
    constant,
    table_of,
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

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits."""
        name = table_of(question.rows).name
        if name not in self._rows:
            raise EngineFailed
        return _evaluated(self._rows[name], question, weights)

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Evaluate on no rows."""
        _evaluated([], question, weights)

    def close(self) -> None:
        """Let go of the rows."""
        self._rows = {}


def _evaluated(rows: list[Owned], question: Question, weights: Weights) -> Answer:
    check_fits(question, weights)
    kept = list(_kept(rows, question))
    vectors: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for unit, group, _ in kept:
        vectors[unit][group] += 1
    full = 1 << weights.bits
    whole = table_of(question.rows).unit is None
    row_weights = {unit: full if whole else weight(vector.values(), weights) for unit, vector in vectors.items()}
    answer = blank(question, weights)
    for j, measure in enumerate(question.measures):
        if isinstance(measure, Units) and not whole:
            for vector in vectors.values():
                for group in vector:
                    answer[group, j] += presence_weight(len(vector), weights)
            continue
        added = _added(measure)
        for unit, group, row in kept:
            answer[group, j] += row_weights[unit] * added(row)
    return answer


def _kept(rows: list[Owned], question: Question) -> Iterator[Kept]:
    """The rows that meet every condition, have a unit and belong to a group."""
    unit = table_of(question.rows).unit
    conditions = [computed(condition) for condition in conditions_of(question.rows)]
    columns = [computed(key.value) for key in question.keys]
    places: dict[tuple[Value, ...], int] = {}
    kinds = [type_of(key.value).kind for key in question.keys]
    pairs = zip(question.keys, kinds, strict=True)
    keys = [[constant(value, kind) for value in key.listed] for key, kind in pairs]
    for place, values in enumerate(product(*keys)):
        places.setdefault(values, place)
    for row in rows:
        if unit is not None and row.unit is None:
            continue
        group = places.get(tuple(column(row.cells) for column in columns))
        if group is not None and all(condition(row.cells) is True for condition in conditions):
            yield row.unit, group, row.cells


def _added(measure: Measure) -> Callable[[Row], int]:
    """What a row adds to a measure, before it is weighed."""
    match measure:
        case Counted(expression) if expression is not None:
            value = computed(expression)
            return lambda row: int(value(row) is not None)
        case Counted() | Units():
            return lambda _row: 1
        case Summed():
            return _steps(measure)


def _steps(measure: Summed) -> Callable[[Row], int]:
    value = computed(measure.value)
    scale = float(1 / measure.step)  # a power of two: multiplying by it is exact

    def steps(row: Row) -> int:
        match value(row):
            case None:
                return 0
            case float(x):
                whole = floor(x * scale + 0.5)
            case x:
                whole = int(x) if measure.step == 1 else floor(float(x) * scale + 0.5)
        return min(max(whole, measure.low), measure.high) - measure.centre

    return steps
