"""Public rules that rows of a table keep, such as "discharged >= admitted", as pairs of values that
never meet.

Checked by: tests/unit/curator/tables/test_synthesize.py::test_rules_hold_in_every_row
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tacit.curator.tables.column_codes import CodedColumn
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.plan import (
    Expression,
    Field,
    Row,
    Table,
    Value,
    Where,
    compile_expression,
    constant,
    operands,
    read_priced,
)
from tacit.synth import Forbidden

__all__ = ["Rule", "read_condition", "read_rules", "values_of"]


@frozen(eq=False)
class Rule:
    """A condition that no row breaks, by public knowledge; where it is neither true nor false, a
    row keeps it."""

    text: str
    names: tuple[str, ...]
    holds: Callable[[Row], Value]

    def forbid(self, columns: Sequence[CodedColumn]) -> Forbidden:
        """The values of two columns that never meet; of one column, whatever the other is."""
        places = [place for place, each in enumerate(columns) if each.name in self.names]
        if len(places) == 1 and len(columns) > 1:
            places.append(0 if places[0] else 1)
        first, second = places
        one, two = columns[first], columns[second]
        left = [{one.name: value} for value in values_of(one)]
        right = [{two.name: value} for value in values_of(two)]
        cells = [[self.holds({**a, **b}) is False for b in right] for a in left]
        return Forbidden(first, second, np.array(cells, bool))

    def breaks(
        self, columns: Sequence[CodedColumn], values: Mapping[str, list[Any]]
    ) -> np.ndarray[Any, Any]:
        """Which rows break it."""
        kinds = {each.name: each.column.kind for each in columns}
        cells = [[constant(value, kinds[name]) for value in values[name]] for name in self.names]
        rows = (dict(zip(self.names, row, strict=True)) for row in zip(*cells, strict=True))
        return np.array([self.holds(row) is False for row in rows], bool)


def read_rules(
    texts: Sequence[str], table: Table, columns: Sequence[CodedColumn]
) -> tuple[Rule, ...]:
    """Rules from SQL conditions over at most two columns each."""
    return tuple(_read(text, table, columns) for text in texts)


def read_condition(
    text: str, table: Table, columns: Sequence[CodedColumn], what: str = "a question"
) -> Rule:
    """A condition in SQL over coded columns."""
    asked = f'SELECT COUNT(*) AS n FROM "{table.name}" WHERE {text}'  # noqa: S608 -- it is read, never run
    plan, _ = read_priced(asked, {table.name: table})
    rows = plan.question.rows
    if not isinstance(rows, Where) or isinstance(rows.rows, Where):
        raise InvalidInput(what, text, 'give one condition, such as "discharged >= admitted"')
    names = tuple(dict.fromkeys(_fields(rows.condition)))
    unknown = set(names) - {each.name for each in columns}
    if unknown or not names:
        raise InvalidInput(what, text, "it is about columns with declared values or bounds")
    return Rule(text, names, compile_expression(rows.condition))


def _read(text: str, table: Table, columns: Sequence[CodedColumn]) -> Rule:
    rule = read_condition(text, table, columns, "a rule")
    if len(rule.names) > 2 or len(columns) < 2:
        raise InvalidInput(
            "a rule", text, "a rule is about one or two columns of the synthetic table"
        )
    return rule


def _fields(expression: Expression) -> list[str]:
    own = [expression.column.name] if isinstance(expression, Field) else []
    return own + [name for part in operands(expression) for name in _fields(part)]


def values_of(column: CodedColumn) -> list[Value]:
    """The value of every place of a column, as conditions read it."""
    return [constant(value, column.column.kind) for value in column.labels()]
