"""Questions in SQL about a synthetic table: its rows are nobody's, so that answers are exact and cost nothing."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.curator.answer.intervals import Drawn, Noisy
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view import view_answer
from tacit.curator.policy.values import Limit, Shared
from tacit.curator.pricing.terms import Terms, terms_of
from tacit.curator.tables.synthetic import SyntheticTable
from tacit.engines import DuckDB
from tacit.errors import InvalidInput, InvalidPlan
from tacit.mechanisms import Gaussian, RankedCells
from tacit.plan import Plan, Table, prove, read_priced, tables_of
from tacit.printing import printable

__all__ = ["AskedSynthetic", "answer_synthetic", "read_synthetic"]

_LIMIT = Limit(1, Fraction(1, 10**6))  # by which a question is put into steps; nothing is spent
_LEAST = Fraction(
    1, 1000
)  # the narrowest noise there is: a draw that is not zero is less likely than 2**-70000


class AskedSynthetic:
    """A synthetic table that can be asked about by a name."""

    def __init__(self, name: str, made: SyntheticTable) -> None:
        self.name, self.made = name, made
        self.table = Table(name, made.declared)

    @cached_property
    def engine(self) -> DuckDB:
        """An engine that holds the rows, which are drawn when they are first asked about."""
        return DuckDB({self.table: list(self.made)})


def read_synthetic(
    text: str, tables: Mapping[str, Table], made: Mapping[str, AskedSynthetic]
) -> tuple[Plan, AskedSynthetic] | None:
    """The plan of a question about a synthetic table, and the table; None if it is about others only."""
    declared = {name: each.table for name, each in made.items()}
    plan, _ = read_priced(text, {**tables, **declared}, finding=True)
    named = [table.name for table in tables_of(plan.question.rows)]
    if not set(named) & set(made):
        return None
    if len(named) > 1:
        raise InvalidPlan(
            "a synthetic table cannot be asked about together with another table",
            "its rows belong to no unit that another table knows: ask about each alone",
        )
    return plan, made[named[0]]


def answer_synthetic(
    plan: Plan, made: AskedSynthetic, confidence: float, *, raw: bool = False
) -> Release:
    """The exact answer of a question about synthetic rows.

    Claim:      it costs nothing and needs no charge.
    Because:    the rows are a function of what was released and paid for: post-processing.
    Checked by: tests/unit/curator/tables/test_ask_synthetic.py::test_questions_about_synthetic_rows_are_exact_and_free
    """
    plan = prove(plan)
    if plan.question.unknown:
        raise InvalidInput(
            "GROUP BY", made.name, "group by columns with declared values, or by cases of them"
        )
    shared = Shared(made.table, 1)
    terms = terms_of(plan.question, shared, _LIMIT, _LIMIT.filter().amount(_LIMIT.filter().limit))
    exact = made.engine.evaluate(terms.question, terms.weights)
    columns = [_column(terms, place, exact[:, at]) for place, at in enumerate(terms.columns)]
    rows = [tuple(column[group] for column in columns) for group in range(len(exact))]
    seen = view_answer(plan, rows, confidence, raw=raw)
    receipt = {
        "format": "tacit synthetic receipt 1",
        "table": made.name,
        "made of": made.made.receipt,
        "charge": "nothing",
    }
    note = f"exact for the synthetic rows of {printable(made.made.name)}; their errors are told by report()"
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        confidence,
        Price(0.0, 0.0),
        receipt,
        notes=(*seen.notes, note),
    )


def _column(terms: Terms, place: int, exact: Any) -> list[Noisy | Drawn]:
    """One measure as it is, group by group: numbers without noise, and cells at their rank."""
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        sharp = RankedCells(mechanism.rank, _LEAST, mechanism.cells, ends=mechanism.ends)
        return [Drawn(cells) for cells in sharp.release(exact)]
    worth = terms.worth(place) / terms.grids[place]
    return [Noisy(int(number), Gaussian(_LEAST), worth) for number in exact[:, 0].tolist()]
