"""A question as text: its answer, its columns and its class; what costs nothing is answered before anything is priced.

Checked by: tests/laws/test_free.py, tests/laws/test_corridor.py, tests/unit/curator/test_describe_tables.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tacit.curator.answer.column_types import AnswerColumn, columns_of
from tacit.curator.answer.release import Release
from tacit.curator.ask import answer
from tacit.curator.describe_tables import read_listing
from tacit.curator.free_answers import FreeAnswer, find_free, read_text
from tacit.curator.log_answers import log_release
from tacit.curator.policy.policy import Policy
from tacit.curator.priced_question import price_plan
from tacit.curator.question_context import Access
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.plan import (
    NO_PARAMETERS,
    CombinedPlan,
    Parameters,
    Plan,
    Rows,
    Table,
    freeze_parameters,
    prove,
    prove_combined,
    spelling_remarks,
    tables_of,
)

if TYPE_CHECKING:
    from tacit.curator.answer.answers_from_collected_survey import SurveyTable
    from tacit.curator.duration_class_of_plan import PlanClass
    from tacit.curator.tables.ask_synthetic import AskedSynthetic
    from tacit.curator.tables.synthetic_table import SyntheticTable

__all__ = [
    "FreeTables",
    "Params",
    "answer_plan",
    "answer_text",
    "classify_text",
    "columns_of_text",
    "rows_of_text",
    "with_remarks",
]

R = TypeVar("R", bound=Release)

Params = Sequence[Any] | Mapping[str, Any] | None
"""The values of a statement's parameters: by their places, or by their names."""


@frozen
class FreeTables:
    """What a vault answers about for free beside its tables, by name: collected surveys, and synthetic tables."""

    surveys: Mapping[str, SurveyTable] = field(default_factory=dict)
    synthetic: Mapping[str, AskedSynthetic] = field(default_factory=dict)

    def with_survey(self, survey: SurveyTable, policy: Policy) -> FreeTables:
        """These tables and a collected survey."""
        self._check_name("a survey", survey.name, policy)
        return replace(self, surveys={**self.surveys, survey.name: survey})

    def with_synthetic(self, made: SyntheticTable, name: str, policy: Policy) -> FreeTables:
        """These tables and a synthetic one."""
        from tacit.curator.tables.ask_synthetic import AskedSynthetic

        self._check_name("name", name, policy)
        return replace(self, synthetic={**self.synthetic, name: AskedSynthetic(name, made)})

    def answer(
        self,
        text: str,
        tables: Mapping[str, Table],
        bound: Parameters,
        confidence: float,
        *,
        raw: bool,
    ) -> Release | None:
        """The answer to a question about these tables, None if it is about none of them."""
        made = self._read_synthetic(text, tables, bound)
        if made is not None:
            from tacit.curator.tables.ask_synthetic import answer_synthetic

            return answer_synthetic(*made, confidence, raw=raw)
        found = self._read_survey(text, tables, bound)
        if found is None:
            return None
        from tacit.curator.answer.answers_from_collected_survey import answer_survey

        return answer_survey(*found, confidence, raw=raw)

    def read(
        self, text: str, tables: Mapping[str, Table], bound: Parameters
    ) -> Plan | CombinedPlan | None:
        """The plan of a question about these tables, None if it is about none of them."""
        found = self._read_synthetic(text, tables, bound) or self._read_survey(text, tables, bound)
        return None if found is None else found[0]

    def _read_synthetic(
        self, text: str, tables: Mapping[str, Table], bound: Parameters
    ) -> tuple[Plan | CombinedPlan, tuple[AskedSynthetic, ...]] | None:
        if not self.synthetic:
            return None
        from tacit.curator.answer.answers_from_collected_survey import declare_survey
        from tacit.curator.tables.ask_synthetic import read_synthetic

        surveys = {name: declare_survey(each) for name, each in self.surveys.items()}
        return read_synthetic(text, {**tables, **surveys}, self.synthetic, bound)

    def _read_survey(
        self, text: str, tables: Mapping[str, Table], bound: Parameters
    ) -> tuple[Plan, SurveyTable] | None:
        if not self.surveys:
            return None
        from tacit.curator.answer.answers_from_collected_survey import read_survey

        return read_survey(text, tables, self.surveys, finding=True, bound=bound)

    def _check_name(self, what: str, name: str, policy: Policy) -> None:
        """Refuse a name that a table has already."""
        if name in policy.tables or name in self.surveys or name in self.synthetic:
            remedy = "a table of this vault has that name; give it another"
            raise InvalidInput(what, name, remedy)


def answer_text(
    access: Access,
    beside: FreeTables,
    text: str,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    raw: bool,
    params: Params,
) -> Release:
    """The answer to a question in SQL: for free if it needs no private row, and else paid for in full.

    Its notes also say what of the text's spelling means another thing elsewhere, which is no part of the question.
    """
    remarks = spelling_remarks(text)  # before anything is paid
    price = {"epsilon": epsilon, "within": within}
    release = _answer_text(
        access, beside, text, **price, confidence=confidence, raw=raw, params=params
    )
    return with_remarks(release, remarks)


def with_remarks(release: R, remarks: tuple[str, ...]) -> R:
    """An answer whose notes also say what the spelling of a question means here and elsewhere.

    Claim:      two texts that are one question share one answer, whatever is said about their spelling.
    Because:    remarks are a function of the text alone, and are added after the answer was found or made.
    Checked by: tests/unit/curator/test_remarks.py
    """
    return replace(release, notes=(*release.notes, *remarks)) if remarks else release


def _answer_text(
    access: Access,
    beside: FreeTables,
    text: str,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    raw: bool,
    params: Params,
) -> Release:
    tables = access.read_tables()
    listed = read_listing(text, access.policy, tables)
    if listed is not None:
        return listed
    bound = NO_PARAMETERS if params is None else freeze_parameters(params)
    if beside.surveys or beside.synthetic:
        known = {name: shared.asked_table for name, shared in tables.items()}
        free = beside.answer(text, known, bound, confidence, raw=raw)
        if free is not None:
            return free
    plan, price = read_text(access, text, tables, epsilon, within, bound)
    if isinstance(plan, FreeAnswer):
        return plan.release(confidence)
    if isinstance(plan, CombinedPlan):
        from tacit.curator.ask_combined import answer_parts, price_parts

        parts = price_parts(
            access, plan, epsilon=price, within=within, confidence=confidence, tables=tables
        )
        return log_release(answer_parts(access, parts, raw=raw))
    asked = price_plan(
        access, plan, epsilon=price, within=within, confidence=confidence, tables=tables
    )
    return log_release(answer(access, asked, raw=raw))


def answer_plan(
    access: Access,
    plan: Plan,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    raw: bool,
) -> Release:
    """The answer to a plan, whoever made it.

    Claim:      the price is recorded before data are read; what is read depends on nothing but the plan; what
                leaves is a function of noisy integers and the plan; the same question is answered once.
    Because:    `price_plan` proves the plan before it does anything else, and `pay_and_release` pays before it
                looks; whoever made the plan, there is no other way to the data.
    Checked by: tests/laws/test_corridor.py and tests/attacks/test_plans_of_ones_own.py
    """
    tables = access.read_tables()
    free = find_free(access, plan, tables)
    if free is not None:
        return free.release(confidence)
    asked = price_plan(
        access, plan, epsilon=epsilon, within=within, confidence=confidence, tables=tables
    )
    return log_release(answer(access, asked, raw=raw))


def columns_of_text(
    access: Access, beside: FreeTables, text: str, params: Params
) -> tuple[AnswerColumn, ...]:
    """The columns that the answer to a text would have: their names and SQL types; it is free."""
    tables, bound = access.read_tables(), freeze_parameters(params)
    listed = read_listing(text, access.policy, tables)
    if listed is not None:
        return tuple(AnswerColumn(name, "TEXT") for name in listed.columns)
    known = {name: shared.asked_table for name, shared in tables.items()}
    plan: Plan | CombinedPlan | FreeAnswer | None = beside.read(text, known, bound)
    if plan is None:
        plan, _ = read_text(access, text, tables, None, None, bound)
    if isinstance(plan, FreeAnswer):
        return plan.columns
    if isinstance(plan, CombinedPlan):
        return columns_of(prove_combined(plan).plan)
    return columns_of(prove(plan))


def classify_text(
    access: Access, text: str, *, epsilon: Number | None, within: Number | None, params: Params
) -> PlanClass:
    """The class of a question in SQL, by which a server decides when its answer is sent; no data are read."""
    from tacit.curator.duration_class_of_plan import PlanClass, plan_class

    tables, bound = access.read_tables(), freeze_parameters(params)
    plan, _ = read_text(access, text, tables, epsilon, within, bound)
    return PlanClass("sums", ()) if isinstance(plan, FreeAnswer) else plan_class(plan)


def rows_of_text(access: Access, text: str) -> tuple[Table, Rows]:
    """The rows that a question in SQL counts, and the table that they are rows of."""
    tables = access.read_tables()
    plan, _ = read_text(access, text, tables, None, None)
    if not isinstance(plan, Plan) or plan.question.keys:
        raise InvalidPlan(
            "rows are named by a question that counts them",
            "such as SELECT COUNT(*) AS n FROM visits WHERE cost > 5",
        )
    rows = plan.question.rows
    return tables[tables_of(rows)[0].name].asked_table, rows
