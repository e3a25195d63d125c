"""A question as one SQL statement for DuckDB: integers only, the same whatever the order of rows and threads.

Weights are needed for few units: one with at most `bound` rows is never scaled, in either norm.  So everybody is added
up without weights, and what the units beyond the bound weigh too much is taken off again.
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, isqrt

from tacit.engines.engine import MOST_ROWS, conditions_of, groups_of, reach_of
from tacit.engines.keys import Grouping, grouping
from tacit.engines.reading import read, read_unit
from tacit.engines.rendering import clamped, double, quoted, rendered, whole
from tacit.engines.values import bounds_of
from tacit.plan import Column, Counted, Field, Kind, Question, Summed, Units, Weighing, Weights, type_of

__all__ = ["Relation", "statement"]

_MASK = 64


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view of the connection: its name, and for each declared column where and as what it is stored."""

    name: str
    columns: Mapping[str, tuple[str, str]]
    unit: tuple[str, str] | None
    unit_rows: str | None = None
    """A column that says how many rows the row's unit has in the whole table, if there is one."""


def statement(question: Question, weights: Weights, relation: Relation) -> str:
    """One SELECT with a row for every group that is not empty: its place, and two integers for every measure.

    The first is what everybody adds up to without weights, to be multiplied by 2**bits; the second, which may be NULL,
    is to be added to it.

    Claim:      together they are the measures of the memory engine, bit for bit, and no row can make the SELECT fail.
    Because:    a unit's weight is 2**bits exactly if its norm is within the bound; the units that are left out of
                `heavy` have at most `bound` rows, or a sum of squares that cannot exceed bound**2 with so many rows in
                so many groups.  Products are of 64 bits where the plan proves that they fit, else of 128.
    Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree
    """
    groups = grouping(question.keys, lambda column: _column(relation, column))
    by_unit = relation.unit is not None
    parts = [f"taken AS NOT MATERIALIZED ({_taken(question, relation, groups)})"]
    of_units = {j for j, measure in enumerate(question.measures) if by_unit and isinstance(measure, Units)}
    measures = [_Measure(j, question, weights) for j in range(len(question.measures)) if j not in of_units]
    columns, tables = dict.fromkeys(of_units, "0, m"), []
    if measures:
        sums = ", ".join(f"{measure.summed} AS m{measure.place}" for measure in measures)
        parts.append(f"everyone AS (SELECT g, {sums} FROM taken GROUP BY g)")
        columns |= {m.place: f"m{m.place}, NULL" for m in measures}
        tables.append("everyone")
    if measures and by_unit:
        parts += _held(weights, measures, groups_of(question), relation)
        columns |= {m.place: f"m{m.place}, h{m.place}" for m in measures}
        tables.append("LEFT JOIN held USING (g)")
    if of_units:
        parts += _units(weights, groups_of(question))
        tables.append("JOIN present USING (g)" if tables else "present")
    listed = ", ".join(["g", *(columns[j] for j in range(len(question.measures)))])
    return f"WITH {', '.join(parts)} SELECT {listed} FROM {' '.join(tables)}"


class _Measure:
    """One measure of rows: how it is added up, and how many bits its parts need."""

    def __init__(self, place: int, question: Question, weights: Weights) -> None:
        self.place = place
        match question.measures[place]:
            case Counted(None) | Units():
                self.value, self.summed = "1", "count(*)"
            case Counted(_):
                self.value, self.summed = f"(v{place} IS NOT NULL)::BIGINT", f"count(v{place})"
            case Summed():
                self.value, self.summed = f"v{place}", f"coalesce(sum(v{place}), 0)"
        reach = reach_of(question.measures[place])
        self.row_factor = "d" if not reach << weights.bits >> 63 else "d::HUGEINT"
        self.pair_factor = "d" if not MOST_ROWS * reach << weights.bits >> 63 else "d::HUGEINT"
        self.narrow = not MOST_ROWS * reach >> 63


def _column(relation: Relation, column: Column) -> str:
    name, stored = relation.columns[column.name]
    return read(quoted(name), stored, column)


def _taken(question: Question, relation: Relation, groups: Grouping) -> str:
    """The rows that count: unit, group and what is measured of them."""

    def sql(column: Column) -> str:
        return _column(relation, column)

    columns, conditions = [f"{groups.place} AS g"], list(groups.conditions)
    if relation.unit is not None:
        unit = read_unit(quoted(relation.unit[0]), relation.unit[1])
        columns.append(f"{unit} AS u")
        conditions.append(f"{unit} IS NOT NULL")
    if relation.unit_rows is not None:
        columns.append(f"{quoted(relation.unit_rows)} AS r")
    for j, measure in enumerate(question.measures):
        match measure:
            case Counted(None) | Units():
                pass
            case Counted(value=expression) if expression is not None:
                columns.append(f"{rendered(expression, sql)} AS v{j}")
            case Summed():
                columns.append(f"{_steps(measure, rendered(measure.value, sql))} AS v{j}")
    conditions += [rendered(condition, sql) for condition in conditions_of(question.rows)]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {', '.join(columns)} FROM {quoted(relation.name)}{groups.joins}{where}"


def _steps(measure: Summed, value: str) -> str:
    """A number in whole steps, held between the ends of its range, less the centre."""
    if type_of(measure.value).kind is Kind.INTEGER and measure.step == 1:
        steps, low, high = value, measure.low, measure.high
        held = clamped(steps, Kind.INTEGER, low, high) if not _is_held(measure) else steps
    else:
        steps = f"floor({value}::DOUBLE * {double(float(1 / measure.step))} + 0.5e0)"
        held = steps if _is_held(measure) else clamped(steps, Kind.NUMBER, float(measure.low), float(measure.high))
        held = f"TRY_CAST({held} AS BIGINT)"
    return f"({held} - {whole(measure.centre)})" if measure.centre else held


def _is_held(measure: Summed) -> bool:
    """Whether a column's own bounds hold it between the ends already: rounding to steps keeps the order."""
    if not isinstance(measure.value, Field):
        return False
    low, high = bounds_of(measure.value.column)
    match low, high:
        case float(), float():
            scale = float(1 / measure.step)
            return measure.low <= floor(low * scale + 0.5) and floor(high * scale + 0.5) <= measure.high
        case int(), int():
            return measure.step == 1 and measure.low <= low and high <= measure.high
        case _:
            return False


def _held(weights: Weights, measures: list[_Measure], groups: int, relation: Relation) -> Iterator[str]:
    """What the rows of heavy units weigh less than 2**bits, added up: d is negative or zero."""
    bound, bits = weights.bound, weights.bits
    seen = f" WHERE r > {bound}" if relation.unit_rows else ""
    if weights.norm is Weighing.L1 or groups == 1:  # one number: both norms are its size
        rows = f"SELECT u, count(*) AS n FROM taken{seen} GROUP BY u"
        yield f"heavy AS (SELECT u, ({_shared(bound, bits, 'n')})::BIGINT AS d FROM ({rows}) WHERE n > {bound})"
        sums = ", ".join(f"sum({m.row_factor} * {m.value}) AS h{m.place}" for m in measures)
        yield f"held AS (SELECT g, {sums} FROM taken JOIN heavy USING (u) GROUP BY g)"
        return
    # With n rows in at least k groups, no sum of squares exceeds (n - k + 1)**2 + k - 1.
    mask = f"bit_count(bit_or(1::UBIGINT << (g % {_MASK})::UBIGINT))"
    rows = f"SELECT u, count(*) AS n, {mask} AS k FROM taken{seen} GROUP BY u"
    most = "(n - k + 1)::HUGEINT * (n - k + 1) + k - 1"
    yield f"heavy AS (SELECT u FROM ({rows}) WHERE n > {bound} AND {most} > {bound**2}::HUGEINT)"
    sums = ", ".join(f"({m.summed}){'::BIGINT' if m.narrow else ''} AS s{m.place}" for m in measures)
    pairs = f"SELECT u, g, count(*) AS n, {sums} FROM taken SEMI JOIN heavy USING (u) GROUP BY u, g"
    yield f"pairs AS MATERIALIZED ({pairs})"
    squares = "SELECT u, sum(n::HUGEINT * n) AS x FROM pairs GROUP BY u"
    yield f"light AS ({_rooted(squares, bound**2, bits)})"
    sums = ", ".join(f"sum({m.pair_factor} * s{m.place}) AS h{m.place}" for m in measures)
    yield f"held AS (SELECT g, {sums} FROM pairs JOIN light USING (u) GROUP BY g)"


def _shared(most: int, bits: int, norm: str) -> str:
    """The weight of a unit in the norm L1, less 2**bits."""
    return f"{most << bits}::HUGEINT // {norm} - {1 << bits}"


def _rooted(squares: str, most: int, bits: int) -> str:
    """For every unit and its square x, the largest w <= 2**bits with w**2 x <= 4**bits most; less 2**bits.

    Claim:      w is the lesser of 2**bits and isqrt(4**bits most // x), exactly.
    Because:    beyond `most` the quotient q is below 4**40; its root in doubles is off by less than one, and one
                comparison of integers on either side sets it right.
    Checked by: tests/unit/engines/test_statement.py::test_roots_are_exact
    """
    quotient = f"SELECT u, x, {most << 2 * bits}::HUGEINT // x AS q FROM ({squares})"
    guess = f"SELECT u, x, q, floor(sqrt(q::DOUBLE))::HUGEINT AS w FROM ({quotient})"
    right = "CASE WHEN w * w > q THEN w - 1 WHEN (w + 1) * (w + 1) <= q THEN w + 1 ELSE w END"
    return (
        f"SELECT u, (CASE WHEN x <= {most}::HUGEINT THEN 0 ELSE {right} - {1 << bits} END)::BIGINT AS d FROM ({guess})"
    )


def _units(weights: Weights, groups: int) -> Iterator[str]:
    """How many units are present in each group, each with the weight of its presences."""
    most = isqrt(weights.units_squared) if weights.norm is Weighing.L1 else weights.units_squared
    full = 1 << weights.bits
    yield "met AS MATERIALIZED (SELECT u, g FROM taken GROUP BY u, g)"
    if groups <= most:  # nobody is in more groups than there are
        yield f"present AS (SELECT g, {full}::HUGEINT * count(*) AS m FROM met GROUP BY g)"
        return
    spread = f"SELECT u, count(*)::HUGEINT AS x FROM met GROUP BY u HAVING count(*) > {most}"
    if weights.norm is Weighing.L1:
        yield f"spread AS (SELECT u, ({_shared(most, weights.bits, 'x')})::BIGINT AS d FROM ({spread}))"
    else:
        yield f"spread AS ({_rooted(spread, most, weights.bits)})"
    yield f"present AS (SELECT g, sum({full} + coalesce(d, 0)) AS m FROM met LEFT JOIN spread USING (u) GROUP BY g)"
