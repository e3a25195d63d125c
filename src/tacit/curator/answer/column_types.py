"""The columns of an answer before it is asked for: their names and SQL types, from the plan alone."""

from __future__ import annotations

from tacit.curator.answer.view_rows import list_columns
from tacit.frozen import frozen
from tacit.plan import Kind, Plan

__all__ = ["AnswerColumn", "columns_of", "type_name"]

_TYPES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


@frozen
class AnswerColumn:
    """A column of an answer: its name and its SQL type; `interval_of` names the column whose end of interval it is."""

    name: str
    type: str
    interval_of: str | None = None


def type_name(kind: Kind) -> str:
    """What a kind is called in SQL.

    >>> type_name(Kind.NUMBER)
    'DOUBLE'
    """
    return _TYPES[kind]


def columns_of(plan: Plan, *, raw: bool = False) -> tuple[AnswerColumn, ...]:
    """The columns of the answer to a plan, from left to right.

    Claim:      every value in the answer is of the type that is named here, or NULL.
    Because:    the type is that by which the view shows a value; numbers that the view rounds are whole.
    Checked by: tests/laws/test_free.py::test_columns_are_those_of_the_answer
    """
    found = []
    for names, kind, whole in list_columns(plan, raw=raw):
        named = type_name(Kind.INTEGER if whole and kind is Kind.NUMBER else kind)
        first = names[0]
        found += [AnswerColumn(name, named, None if name == first else first) for name in names]
    return tuple(found)
