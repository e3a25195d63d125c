"""Questions in SQL about a synthetic table: its rows are nobody's, so that answers are exact and cost nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.curator.answer.combined_rows import ReleasedPart, view_parts
from tacit.curator.answer.intervals import Drawn, Noisy
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.subquery_constants import fill_plan, fill_question
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.noise_of_measures import Terms, terms_of
from tacit.curator.tables.synthetic_table import SyntheticTable
from tacit.engines import DuckDB
from tacit.errors import InvalidInput, InvalidPlan
from tacit.mechanisms import Gaussian, RankedCells
from tacit.plan import (
    NO_PARAMETERS,
    CombinedPlan,
    Parameters,
    Plan,
    Table,
    order_parts,
    prove,
    prove_combined,
    read_asked,
    tables_of,
)
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
    text: str,
    tables: Mapping[str, Table],
    made: Mapping[str, AskedSynthetic],
    bound: Parameters = NO_PARAMETERS,
) -> tuple[Plan | CombinedPlan, tuple[AskedSynthetic, ...]] | None:
    """The plan of a question about synthetic tables, and that of each of its parts; None if it is about others only.

    `tables` are all others that a statement may name.
    """
    declared = {name: each.table for name, each in made.items()}
    plan, _ = read_asked(text, {**tables, **declared}, finding=True, bound=bound)
    named = [[table.name for table in tables_of(each.question.rows)] for each in _parts(plan)]
    if not {name for each in named for name in each} & set(made):
        return None
    if any(len(each) != 1 or each[0] not in made for each in named):
        raise InvalidPlan(
            "a synthetic table cannot be asked about together with another table",
            "its rows belong to no unit of another table: ask about each table separately",
        )
    return plan, tuple(made[each[0]] for each in named)


def answer_synthetic(
    plan: Plan | CombinedPlan,
    made: Sequence[AskedSynthetic],
    confidence: float,
    *,
    raw: bool = False,
) -> Release:
    """The exact answer of a question about synthetic rows, or of several that are combined.

    Claim:      it costs nothing and needs no charge.
    Because:    the rows are a function of what was released and paid for: post-processing.
    Checked by: tests/unit/curator/tables/test_ask_synthetic.py::test_questions_about_synthetic_rows_are_exact_and_free
    """
    plan = prove_combined(plan) if isinstance(plan, CombinedPlan) else prove(plan)
    parts = _evaluate_parts(plan, made)
    if isinstance(plan, CombinedPlan):
        seen = view_parts(fill_plan(plan, parts), parts, confidence, raw=raw)
    else:
        seen = view_answer(plan, parts[0].groups, confidence, raw=raw)
    tables = list(dict.fromkeys(made))
    receipts = [each.made.receipt for each in tables]
    receipt = {
        "format": "tacit synthetic receipt 1",
        "table": ", ".join(each.name for each in tables),
        "made of": receipts[0] if len(receipts) == 1 else receipts,
        "charge": "nothing",
    }
    real = " and ".join(dict.fromkeys(printable(each.made.name) for each in tables))
    note = f"exact for the synthetic rows of {real}; report() states their errors"
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        confidence,
        Price(0.0, 0.0),
        receipt,
        notes=(*seen.notes, note),
    )


def _evaluate_parts(
    plan: Plan | CombinedPlan, made: Sequence[AskedSynthetic]
) -> list[ReleasedPart]:
    """The exact numbers of every part, each after the subqueries that its rows are compared with."""
    if isinstance(plan, Plan):
        return [_evaluate(plan, made[0])]
    found: dict[int, ReleasedPart] = {}
    for place in order_parts(plan):
        part = plan.parts[place]
        question = fill_question(plan, part.question, found)
        answered = _evaluate(replace(part, question=question), made[place])
        found[place] = replace(answered, question=part.question)
    return [found[place] for place in range(len(plan.parts))]


def _parts(plan: Plan | CombinedPlan) -> tuple[Plan, ...]:
    return plan.parts if isinstance(plan, CombinedPlan) else (plan,)


def _evaluate(part: Plan, made: AskedSynthetic) -> ReleasedPart:
    """The exact numbers of one question, as if they were released."""
    if part.question.unknown:
        raise InvalidInput(
            "GROUP BY", made.name, "group by columns with declared values, or by cases of them"
        )
    shared = Shared(made.table, 1)
    terms = terms_of(part.question, shared, _LIMIT, _LIMIT.filter().amount(_LIMIT.filter().limit))
    exact = made.engine.evaluate(terms.question, terms.weights)
    columns = [_column(terms, place, exact[:, at]) for place, at in enumerate(terms.columns)]
    rows = tuple(tuple(column[group] for column in columns) for group in range(len(exact)))
    return ReleasedPart(part.question, rows)


def _column(terms: Terms, place: int, exact: Any) -> list[Noisy | Drawn]:
    """One measure as it is, group by group: numbers without noise, and cells at their rank."""
    mechanism = terms.mechanisms[place]
    if isinstance(mechanism, RankedCells):
        sharp = RankedCells(mechanism.rank, _LEAST, mechanism.cells, ends=mechanism.ends)
        return [Drawn(cells) for cells in sharp.release(exact)]
    worth = terms.worth(place) / terms.grids[place]
    return [Noisy(int(number), Gaussian(_LEAST), worth) for number in exact[:, 0].tolist()]
