"""A plan as SQL: the text that reads as the same plan, so that a question written in Python can be sent as text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import NoReturn, assert_never

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    Counted,
    Distinct,
    Kept,
    Key,
    Measure,
    Ordering,
    Plan,
    Question,
    Ranked,
    Rows,
    Scan,
    Summed,
    Units,
    Where,
)
from tacit.plan.model.ownership import tables_of
from tacit.plan.model.schema import Kind
from tacit.plan.rewrite.canonical import canonical
from tacit.plan.sql.statement import read_sql

__all__ = ["write_sql"]

_TYPES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
_BETWEEN = {Function.DISTINCT, Function.QUOTIENT, Function.JOINED}
"""The functions that are written between their operands."""


def write_sql(plan: Plan, *, finding: bool = False) -> str:
    """The text of a plan, refused if there is none that reads as the same plan.

    >>> from tacit.plan import Column, Frame, Table, col, count
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
    >>> write_sql(Frame(visits).where(col("age") >= 65).agg(n=count()).plan())
    'SELECT COUNT(*) AS "n" FROM "visits" WHERE ("age" >= 65)'

    Claim:      reading the text gives the plan, or another one of the same canonical form, which is the same question;
                nobody answers another question than was written.
    Because:    the text is read again before it is given back, and refused unless the plans are equal.
    Checked by: tests/laws/test_written_sql.py::test_what_is_written_reads_as_the_same_plan
    """
    text = _Writer(plan.question).statement(plan)
    known = {table.name: table for table in tables_of(plan.question.rows)}
    try:
        read = read_sql(text, known, finding=finding)
    except InvalidPlan:
        _refuse()
    if read != plan and canonical(read) != canonical(plan):
        _refuse()
    return text


def _refuse() -> NoReturn:
    raise InvalidPlan(
        "this question has no text in SQL that reads as the same question",
        "ask it where the vault is: frame.ask(epsilon=…)",
    )


class _Writer:
    """Writes what is asked of one question."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def statement(self, plan: Plan) -> str:
        """SELECT … FROM … WHERE … GROUP BY … HAVING … QUALIFY … ORDER BY … LIMIT … OFFSET …"""
        view = plan.view
        columns = [f"{self.write(each.value)} AS {_name(each.name)}" for each in view.columns]
        parts = [f"SELECT {', '.join(columns)}", self.source(plan.question.rows)]
        if plan.question.keys:
            parts.append(f"GROUP BY {', '.join(map(self.key, plan.question.keys))}")
        for word, condition in (("HAVING", view.having), ("QUALIFY", view.qualify)):
            if condition is not None:
                parts.append(f"{word} {self.write(condition)}")
        if view.order:
            parts.append(f"ORDER BY {', '.join(map(self.ordering, view.order))}")
        if view.limit is not None:
            parts.append(f"LIMIT {view.limit}")
        if view.offset:
            parts.append(f"OFFSET {view.offset}")
        return " ".join(parts)

    def source(self, rows: Rows) -> str:
        """FROM and WHERE."""
        conditions: list[str] = []
        while not isinstance(rows, Scan):
            match rows:
                case Where(inner, condition):
                    conditions.insert(0, self.write(condition))
                    rows = inner
                case Kept(inner, among, present):
                    unit = _name(_unit_of(inner))
                    word = "IN" if present else "NOT IN"
                    inside = f"SELECT {_name(_unit_of(among))} {self.source(among)}"
                    conditions.insert(0, f"{unit} {word} ({inside})")
                    rows = inner
                case _:
                    _refuse()
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"FROM {_name(rows.table.name)}{where}"

    def key(self, key: Key) -> str:
        """What is grouped by; the group of all undeclared values is made by the column itself."""
        fields = [part for part in walk_expression(key.value) if isinstance(part, e.Field)]
        if isinstance(key.value, e.Case) and fields and fields[0].column.other:
            return self.write(fields[0])
        return self.write(key.value)

    def ordering(self, order: Ordering) -> str:
        """An element of ORDER BY."""
        return f"{self.write(order.value)}{' DESC' if order.descending else ''}"

    def measure(self, measure: Measure) -> str:
        """An aggregate."""
        match measure:
            case Counted(None):
                return "COUNT(*)"
            case Counted(value):
                return f"COUNT({self.write(value)})" if value is not None else "COUNT(*)"
            case Summed(value, _, _, _, 0):
                return f"SUM({self.write(value)})"
            case Units(None):
                return f"COUNT(DISTINCT {_name(_unit_of(self.question.rows))})"
            case Units(e.Case(((condition, _),), _)):
                counted = f"COUNT(DISTINCT {_name(_unit_of(self.question.rows))})"
                return f"{counted} FILTER (WHERE {self.write(condition)})"
            case Ranked(value, _, rank):
                ends = {0: "MIN", 1: "MAX", Fraction(1, 2): "MEDIAN"}
                if rank in ends:
                    return f"{ends[rank]}({self.write(value)})"
                return f"QUANTILE_CONT({self.write(value)}, {_number(rank)})"
            case Distinct(value):
                return f"COUNT(DISTINCT {self.write(value)})"
            case _:
                _refuse()

    def write(self, expression: e.Expression) -> str:
        """An expression, in parentheses where it has several parts."""
        match expression:
            case e.Literal(value, _):
                return _constant(value)
            case e.Field(column):
                return _name(column.name)
            case e.KeyOf(place):
                return self.key(self.question.keys[place])
            case e.MeasureOf(place):
                return self.measure(self.question.measures[place])
            case e.MeanOf(total, _):
                return f"AVG({self.of_summed(total)})"
            case e.MomentOf(moment, places):
                return self.moment(moment, places)
            case e.Arithmetic(operator, left, right) | e.Compared(operator, left, right):
                return f"({self.write(left)} {operator} {self.write(right)})"
            case e.Both(left, right):
                return f"({self.write(left)} AND {self.write(right)})"
            case e.Either(left, right):
                return f"({self.write(left)} OR {self.write(right)})"
            case e.Negated(operand):
                return f"(-{self.write(operand)})"
            case e.Not(operand):
                return f"(NOT {self.write(operand)})"
            case e.IsNull(operand):
                return f"({self.write(operand)} IS NULL)"
            case e.OneOf(operand, options):
                listed = ", ".join(map(self.write, options))
                return f"({self.write(operand)} IN ({listed}))"
            case e.Like(operand, pattern):
                return f"({self.write(operand)} LIKE {_constant(pattern)})"
            case e.Case(branches, otherwise):
                chosen = [f"WHEN {self.write(c)} THEN {self.write(v)}" for c, v in branches]
                return f"CASE {' '.join(chosen)} ELSE {self.write(otherwise)} END"
            case e.Cast(operand, kind):
                return f"CAST({self.write(operand)} AS {_TYPES[kind]})"
            case e.Called(function, parts):
                return self.call(function, parts)
            case e.SubqueryValue(_, column, _):
                reason = f"{column.name} is a subquery, and a frame has none"
                raise InvalidPlan(reason, "ask for it first, and compare with its answer")
            case e.Across(look, operand, by, order, offset):
                return self.window(look, operand, by, order, offset)
            case _:
                assert_never(expression)

    def of_summed(self, place: int) -> str:
        """What a sum adds up."""
        measure = self.question.measures[place]
        if not isinstance(measure, Summed):
            _refuse()
        return self.write(_unpaired(measure.value))

    def moment(self, moment: e.Moment, places: Sequence[int]) -> str:
        """VAR_SAMP(x), CORR(x, y)."""
        single = moment in {e.Moment.VARIANCE, e.Moment.POPULATION_VARIANCE}
        return f"{moment.value}({', '.join(map(self.of_summed, places[1 : 2 if single else 3]))})"

    def call(self, function: Function, parts: Sequence[e.Expression]) -> str:
        """A function, in its own syntax."""
        if function in _BETWEEN and len(parts) == 2:
            return f"({self.write(parts[0])} {function.value} {self.write(parts[1])})"
        match function, parts:
            case Function.EXTRACT, (e.Literal(str(part)), moment):
                return f"EXTRACT({part} FROM {self.write(moment)})"
            case Function.SECONDS_BETWEEN, (since, until):
                return f"EXTRACT(epoch FROM ({self.write(until)} - {self.write(since)}))"
            case Function.DATE_ADD, (moment, e.Literal(int(count)), e.Literal(str(unit))):
                sign = "-" if count < 0 else "+"
                return f"({self.write(moment)} {sign} INTERVAL {abs(count)} {unit.upper()})"
            case _:
                return f"{function.value}({', '.join(map(self.write, parts))})"

    def window(
        self,
        look: e.Look,
        operand: e.Expression | None,
        by: Sequence[e.Expression],
        order: Sequence[tuple[e.Expression, bool]],
        offset: int,
    ) -> str:
        """RANK() OVER (PARTITION BY … ORDER BY …)."""
        inside = [] if operand is None else [self.write(operand)]
        if offset != 1:
            inside.append(str(offset))
        if look is e.Look.COUNT and not inside:
            inside = ["*"]
        parts = [f"PARTITION BY {', '.join(map(self.write, by))}"] if by else []
        if order:
            listed = [f"{self.write(value)}{' DESC' if down else ''}" for value, down in order]
            parts.append(f"ORDER BY {', '.join(listed)}")
        if look is e.Look.LAST:
            parts.append("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
        return f"{look.value}({', '.join(inside)}) OVER ({' '.join(parts)})"


def _unpaired(value: e.Expression) -> e.Expression:
    """What is summed of a pair: itself, without the condition that the other is there, which reading adds again."""
    match value:
        case e.Case(((e.Not(e.IsNull(_)), first),), e.Literal(None, _)):
            return first
        case _:
            return value


def _unit_of(rows: Rows) -> str:
    """What the unit of rows is called."""
    while not isinstance(rows, Scan):
        if not isinstance(rows, Where | Kept):
            _refuse()
        rows = rows.rows
    if rows.table.unit is None:
        _refuse()
    return rows.table.unit


def _name(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def _constant(value: object) -> str:
    """A constant as SQL writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value) if value >= 0 else f"(-{-value})"
        case Fraction():
            return _number(value) if value >= 0 else f"(-{_number(-value)})"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            return f"TIMESTAMP '{value}'"
        case date():
            return f"DATE '{value}'"
        case _:
            _refuse()


def _number(value: Fraction) -> str:
    """A number with a point: exactly, or not at all."""
    digits = 0
    while value.denominator != 1 and digits < 50:
        value, digits = value * 10, digits + 1
    if value.denominator != 1:
        _refuse()
    whole = str(value.numerator).rjust(digits + 1, "0")
    return f"{whole[: len(whole) - digits]}.{whole[len(whole) - digits :] or '0'}"
