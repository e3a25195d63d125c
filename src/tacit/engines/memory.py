"""The oracle: rows in a Python list, one row after the other, small enough to be believed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product
from math import floor, fmod
from operator import eq, ge, gt, le, lt, ne
from typing import assert_never

from tacit.engines.engine import Answer, blank, check_fits, conditions_of
from tacit.engines.patterns import matches, tokens_of
from tacit.engines.sources import Owned, Row, rows_of
from tacit.engines.values import Value, cast, constant, held
from tacit.engines.weights import presence_weight, weight
from tacit.errors import EngineFailed
from tacit.plan import (
    Arithmetic,
    Both,
    Case,
    Cast,
    Compared,
    Counted,
    Either,
    Expression,
    Field,
    IsNull,
    KeyOf,
    Kind,
    Like,
    Literal,
    MeanOf,
    Measure,
    MeasureOf,
    Negated,
    Not,
    OneOf,
    Question,
    Summed,
    Table,
    Units,
    Weights,
    table_of,
    type_of,
)

__all__ = ["Memory", "computed"]

Computation = Callable[[Row], Value]
Kept = tuple[Hashable, int, Row]
"""A row that counts: its unit, its group and its cells."""


class Memory:
    """An engine that holds its rows as Python dictionaries.

    >>> from fractions import Fraction
    >>> from tacit.plan import Column, Scan, Weighing
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
    columns = [computed(key.field) for key in question.keys]
    places: dict[tuple[Value, ...], int] = {}
    keys = [[constant(value, key.field.column.kind) for value in key.values] for key in question.keys]
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


def computed(expression: Expression) -> Computation:
    """How an expression is computed from a row: doubles as IEEE says, three-valued logic with None."""
    match expression:
        case Literal(given, kind):
            fixed = constant(given, kind)
            return lambda _row: fixed
        case Field(column):
            return lambda row: held(row[column.name], column)
        case Arithmetic(operator, left, right):
            return _strict(
                _OPERATIONS[operator, type_of(expression).kind], *_alike(type_of(expression).kind, left, right)
            )
        case Negated(operand):
            return _strict(lambda x: -x, computed(operand))
        case Compared(operator, left, right):
            return _strict(_COMPARISONS[operator], *_alike(_common(left, right), left, right))
        case Both(left, right):
            return _logical(False, computed(left), computed(right))
        case Either(left, right):
            return _logical(True, computed(left), computed(right))
        case Not(operand):
            return _strict(lambda x: not x, computed(operand))
        case IsNull(operand):
            value = computed(operand)
            return lambda row: value(row) is None
        case OneOf(operand, options):
            return _one_of(operand, options)
        case Like(operand, pattern):
            tokens = tokens_of(pattern)
            return _strict(lambda text: matches(text, tokens), computed(operand))
        case Case():
            return _chosen(expression)
        case Cast(operand, kind):
            return _cast(operand, kind)
        case KeyOf() | MeasureOf() | MeanOf():
            raise AssertionError("keys and measures exist only after release")
        case _:
            assert_never(expression)


def _remainder(x: int, y: int) -> int:
    """What is left of x, with the sign of x."""
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


_OPERATIONS: dict[tuple[str, Kind], Callable[..., Value]] = {
    ("+", Kind.INTEGER): lambda x, y: x + y,
    ("-", Kind.INTEGER): lambda x, y: x - y,
    ("*", Kind.INTEGER): lambda x, y: x * y,
    ("%", Kind.INTEGER): lambda x, y: None if y == 0 else _remainder(x, y),
    ("+", Kind.NUMBER): lambda x, y: x + y,
    ("-", Kind.NUMBER): lambda x, y: x - y,
    ("*", Kind.NUMBER): lambda x, y: x * y,
    ("/", Kind.NUMBER): lambda x, y: None if y == 0 else x / y,
    ("%", Kind.NUMBER): lambda x, y: None if y == 0 else fmod(x, y),
}
_COMPARISONS: dict[str, Callable[..., Value]] = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def _strict(function: Callable[..., Value], *operands: Computation) -> Computation:
    """The function of its operands; NULL if one of them is."""

    def value(row: Row) -> Value:
        values = [operand(row) for operand in operands]
        return None if any(each is None for each in values) else function(*values)

    return value


def _logical(decisive: bool, *operands: Computation) -> Computation:
    """AND (where false decides) and OR (where true does); NULL if nobody decides and somebody does not know."""

    def value(row: Row) -> Value:
        values = [operand(row) for operand in operands]
        if any(each is decisive for each in values):
            return decisive
        return None if any(each is None for each in values) else not decisive

    return value


def _common(*expressions: Expression) -> Kind:
    """The kind in which values are compared or chosen: doubles if integers meet doubles."""
    kinds = {type_of(each).kind for each in expressions if each != Literal(None, type_of(each).kind)}
    return kinds.pop() if len(kinds) == 1 else Kind.NUMBER if kinds else type_of(expressions[0]).kind


def _alike(kind: Kind, *expressions: Expression) -> list[Computation]:
    return [_cast(each, kind) for each in expressions]


def _one_of(operand: Expression, options: tuple[Literal, ...]) -> Computation:
    value, *others = _alike(_common(operand, *options), operand, *options)
    return _logical(True, *(_strict(eq, value, other) for other in others))


def _cast(operand: Expression, kind: Kind) -> Computation:
    value, since = computed(operand), type_of(operand).kind
    if isinstance(operand, Literal) and operand.value is None:
        return lambda _row: None  # NULL is of every kind
    return lambda row: cast(value(row), since, kind)


def _chosen(case: Case) -> Computation:
    kind = type_of(case).kind
    conditions = [computed(condition) for condition, _ in case.branches]
    *values, otherwise = _alike(kind, *(value for _, value in case.branches), case.otherwise)

    def value(row: Row) -> Value:
        for condition, chosen in zip(conditions, values, strict=True):
            if condition(row) is True:
                return chosen(row)
        return otherwise(row)

    return value
