"""What every engine does: it evaluates a question on rows, exactly, in integers, and knows no privacy."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.engines.rows_as_codes import CodedRows
from tacit.engines.unknown_keys_per_unit import Gathering
from tacit.errors import TooLarge
from tacit.plan import (
    Coding,
    Column,
    Counted,
    Distinct,
    Expression,
    Field,
    Keeping,
    Measure,
    Question,
    Ranked,
    Rows,
    Scan,
    Summed,
    Units,
    Weights,
    Where,
    base_of,
    groups_of,
    list_group_expressions,
    many_rows,
    walk_expression,
    width_of,
)

__all__ = [
    "MOST_BITS",
    "MOST_ROWS",
    "Answer",
    "Engine",
    "blank",
    "check_fits",
    "conditions_of",
    "groups_of",
    "most_rows",
    "reach_of",
]

Answer = NDArray[Any]
"""One row a group, one column a measure, or one a cell of what is ranked.

They are int64 where the plan proves that it fits, else Python integers."""

MOST_ROWS = (1 << 40) - 1
"""No table holds more rows than this, whatever it declares: every overflow proof of an engine starts here."""

MOST_BITS = 40
"""A weight has at most so many bits: its square root is found from a double and set right by one at most."""

_ENGINE_BITS = 126


class Engine(Protocol):
    """Where rows live.  All engines give the same integers, bit for bit."""

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits.

        Groups are in the order of the product of the keys' values, the last key fastest; without keys there is one.
        """
        ...

    def gather(self, question: Question, keeping: Keeping) -> Gathering:
        """What units keep of the keys of a question whose values are unknown."""
        ...

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Gather and evaluate on no rows: what fails here fails on any data, and may be told before it is paid for."""
        ...

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of all rows that count, of which tables are counted; if rehearsing, of no rows."""
        ...

    def close(self) -> None:
        """Let go of the rows; whatever is still running fails."""
        ...

    @property
    def has_fixed_rows(self) -> bool:
        """Whether rows cannot change while the engine lives, since it holds a copy; not unless it says so."""
        return False


def conditions_of(rows: Rows) -> list[Expression]:
    """The last conditions that a row has to meet, innermost first."""
    found: list[Expression] = []
    while isinstance(rows, Where):
        found.append(rows.condition)
        rows = rows.rows
    return found[::-1]


def needed_columns(question: Question) -> list[Column]:
    """The columns of a question about one table without which a row is not there: those that are never NULL.

    A column that the question itself declares never to be NULL counts, too, whatever its table says.
    """
    base = base_of(question.rows)
    found = [*base.table.columns, *columns_read(question)] if isinstance(base, Scan) else []
    return list(dict.fromkeys([column for column in found if not column.nullable]))


def columns_read(question: Question) -> list[Column]:
    """The columns that the last conditions, the keys and the measures of a question read."""
    parts = walk_expression(*conditions_of(question.rows), *list_group_expressions(question))
    return [part.column for part in parts if isinstance(part, Field)]


def most_rows(question: Question) -> int:
    """More rows than this are never added up: tables declare it, and of rows that are joined no engine can count more.

    >>> from tacit.plan import Scan, Table
    >>> most_rows(Question(Scan(Table("visits", ())), (), (Counted(),))) == MOST_ROWS
    True
    """
    return 1 << 62 if many_rows(question) else MOST_ROWS


def reach_of(measure: Measure) -> int:
    """The most that one row can add to a measure, in either direction."""
    match measure:
        case Counted() | Units() | Distinct() | Ranked():
            return 1
        case Summed():
            return measure.reach


def check_fits(question: Question, weights: Weights) -> None:
    """Refuse what could overflow 128 bits, from the plan alone.

    Claim:      after this check no integer that an engine forms exceeds 2**126, whatever the rows hold.
    Because:    a sum has at most `most_rows` terms of at most `reach` times 2**bits; a weight comes from a quotient of
                4**bits bound**2.
    Checked by: tests/unit/engines/test_engine.py::test_what_could_overflow_is_refused
    """
    if not 0 <= weights.bits <= MOST_BITS:
        raise TooLarge(
            f"weights of {weights.bits} bits cannot be computed exactly; use 0 to {MOST_BITS} bits"
        )
    largest = max(map(reach_of, question.measures), default=1)
    if (
        max(most_rows(question) * largest << weights.bits, weights.bound**2 << 2 * weights.bits)
        >> _ENGINE_BITS
    ):
        raise TooLarge("this sum could exceed 128 bits; declare narrower bounds")
    if max(weights.units_squared, 1) << 2 * weights.bits >> _ENGINE_BITS:
        raise TooLarge("these weights could exceed 128 bits; use fewer bits or a smaller bound")


def blank(question: Question, weights: Weights) -> Answer:
    """An answer of zeros; whether its integers are int64 depends on the plan alone, never on the rows."""
    largest = max(map(reach_of, question.measures), default=1)
    narrow = not most_rows(question) * largest << weights.bits >> 63
    columns = sum(map(width_of, question.measures))
    return np.zeros((groups_of(question), columns), np.int64 if narrow else object)
