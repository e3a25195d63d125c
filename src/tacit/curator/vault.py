"""The vault: what people hold.  Every method passes on to the file that does the work, such as `ask_text` for `sql`.

Checked by: tests/unit/curator/test_protect.py, tests/unit/curator/test_open_folder.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace as with_fields
from types import TracebackType
from typing import TYPE_CHECKING, Any, Never, NoReturn, Self, overload

from tacit.curator.answer.column_types import AnswerColumn
from tacit.curator.answer.release import Release
from tacit.curator.ask_text import (
    FreeTables,
    Params,
    answer_plan,
    answer_text,
    classify_text,
    columns_of_text,
    rows_of_text,
    with_remarks,
)
from tacit.curator.describe_tables import Listing, describe_columns
from tacit.curator.log_answers import log_release
from tacit.curator.policy.policy import Policy, Shared
from tacit.curator.question_context import Access, table_named
from tacit.curator.record.found_bounds import FoundBounds, FoundContributions
from tacit.curator.record.measure_clipping import Clipping
from tacit.curator.record.receipt import faults_of, read_stored, receipt_of
from tacit.curator.rehearse_before_payment import remember_rehearsals
from tacit.engines import Engine
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.ledger import Entry, Ledger
from tacit.plan import Plan, spelling_remarks

if TYPE_CHECKING:
    from tacit.curator.answer.answers_from_collected_survey import SurveyTable
    from tacit.curator.answer.explanation import Explanation
    from tacit.curator.budget import Budget
    from tacit.curator.duration_class_of_plan import PlanClass
    from tacit.curator.tables.answer_workload import ExpectedWorkload
    from tacit.curator.tables.linked_synthetic_tables import SyntheticTables
    from tacit.curator.tables.marginals import ExpectedMarginals, Marginals
    from tacit.curator.tables.release_tables import Desk
    from tacit.curator.tables.synthetic_table import SyntheticTable
    from tacit.curator.trial.audit_question import QuestionAudit
    from tacit.curator.vectors.estimator_access_to_sums import Lesson
    from tacit.curator.vectors.vectors_noise import Sampling, Trials
    from tacit.curator.watch_threshold import Watch
    from tacit.ledger import DurableLedger
    from tacit.plan import Frame

__all__ = ["Vault"]


class Vault:
    """Tables that can be asked about, under one limit.  Only noisy answers are ever released.

    Made by `tacit.open` from a directory, or by `tacit.protect` in memory.
    """

    def __init__(
        self,
        policy: Policy,
        engines: Mapping[str, Engine],
        ledger: Ledger,
        *,
        analyst: str | None = None,
        made_up: bool = False,
        followers: Mapping[str, tuple[str, ...]] | None = None,
        formats: Mapping[str, str] | None = None,
        text_tables: frozenset[str] = frozenset(),
        secret: Callable[[], bytes] | None = None,
    ) -> None:
        _check_analyst(policy, analyst)
        rehearse = remember_rehearsals()
        access = Access(
            policy, engines, ledger, rehearse, analyst, made_up, formats or {}, text_tables
        )
        self._access = access if secret is None else with_fields(access, secret=secret)
        self._followers = followers or {}
        self._free = FreeTables()

    def sql(
        self,
        text: str,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
        params: Params = None,
    ) -> Release:
        """The answer to a question in SQL, at a price (`epsilon`) or to an accuracy (`within`).

        Parameters:
            text: one SELECT; or SHOW TABLES, DESCRIBE t, SUMMARIZE t, which list what the policy declares.
            epsilon: the price: this answer alone is epsilon-private, at the limit's delta.
            within: instead of a price, the ± to allow; the smallest price that achieves it is charged.
            confidence: the probability with which each interval, `_low` to `_high`, contains the exact value.
            raw: leave noisy numbers as they are, also counts below zero.
            params: the values of parameters: a list for ? and $1, a dictionary for :name.

        An answer that can show no row (LIMIT 0) or that lists declared keys (SELECT DISTINCT ward) is free; so is one
        about a survey (see `with_survey`), a synthetic table (see `with_synthetic`) or the policy.
        """
        if unnamed or not isinstance(text, str):
            from tacit.curator.how_vaults_are_called import check_named, check_sql

            check_sql(text)
            check_named("sql", unnamed)
        return answer_text(
            self._access,
            self._free,
            text,
            epsilon=epsilon,
            within=within,
            confidence=confidence,
            raw=raw,
            params=params,
        )

    def replay(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
        params: Params = None,
    ) -> Release | None:
        """The answer to a question in SQL if it is free; None if it would have to be charged.

        It takes the same arguments as `sql`, refuses what `sql` refuses, and neither charges nor reads a private row.

        >>> import tacit
        >>> clinic = tacit.protect([{"patient": 1}], unit="patient", contributions=1, columns={}, epsilon=3)
        >>> clinic.replay("SELECT COUNT(*) AS n FROM data", epsilon=1) is None
        True
        >>> answer = clinic.sql("SELECT COUNT(*) AS n FROM data", epsilon=1)
        >>> clinic.replay("SELECT COUNT(*) AS n FROM data", epsilon=1).rows == answer.rows
        True
        """
        from tacit.curator.read_only_ledger import PaymentNeeded, UnpaidLedger

        unpaid = copy(self)
        unpaid._access = with_fields(self._access, ledger=UnpaidLedger(self._access.ledger))  # noqa: SLF001 -- its own
        try:
            return unpaid.sql(
                text, epsilon=epsilon, within=within, confidence=confidence, raw=raw, params=params
            )
        except PaymentNeeded:
            return None

    def classify(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        params: Params = None,
    ) -> PlanClass:
        """The class of a question in SQL, by which a server decides when its answer is sent; no data are read."""
        return classify_text(self._access, text, epsilon=epsilon, within=within, params=params)

    def columns(self, text: str, *, params: Params = None) -> tuple[AnswerColumn, ...]:
        """The columns that the answer to a text would have: their names and SQL types; it is free.

        Every noisy number `n` also has the ends of its interval, `n_low` and `n_high`.

        >>> import tacit
        >>> rows, columns = [{"patient": 1, "ward": "A"}], {"ward": ["A", "B"]}
        >>> clinic = tacit.protect(rows, unit="patient", columns=columns, epsilon=3)
        >>> [(each.name, each.type) for each in clinic.columns("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward")]
        [('ward', 'TEXT'), ('n', 'BIGINT'), ('n_low', 'BIGINT'), ('n_high', 'BIGINT')]
        """
        return columns_of_text(self._access, self._free, text, params)

    def of(self, analyst: str | None) -> Vault:
        """The same vault for another analyst: the same tables and the same ledger, but another analyst is charged.

        None is the curator.  Closing one of them closes all.

        >>> import tacit
        >>> rows, columns = [{"patient": 1, "ward": "A"}], {"ward": ["A", "B"]}
        >>> clinic = tacit.protect(rows, unit="patient", columns=columns, contributions=1, epsilon=3)
        >>> clinic.of("alice").sql("SELECT COUNT(*) AS n FROM data", epsilon=1).receipt["analyst"]
        'alice'
        """
        _check_analyst(self.policy, analyst)
        other = copy(self)
        other._access = with_fields(self._access, analyst=analyst)  # noqa: SLF001 -- of its own kind
        return other

    def with_survey(self, survey: SurveyTable) -> Vault:
        """The same vault, which also answers questions in SQL about a collected survey; they are free.

        `tacit.local` makes such tables: `vault.with_survey(collected.table("dish"))`.
        """
        more = copy(self)
        more._free = self._free.with_survey(survey, self.policy)  # noqa: SLF001 -- of its own kind
        return more

    def with_synthetic(self, made: SyntheticTable, name: str | None = None) -> Vault:
        """The same vault, which also answers questions in SQL about a synthetic table; they are free.

        The table is called `synthetic_patients` if it was made from `patients`, unless a name is given.
        """
        more, called = copy(self), name or f"synthetic_{made.name}"
        more._free = self._free.with_synthetic(made, called, self.policy)  # noqa: SLF001 -- of its own kind
        return more

    def table(self, name: str) -> Frame:
        """A table to ask about with Python expressions; the chain ends in `.ask(epsilon=…)`.

        For a survey it ends in `.ask()`: its answers are free.
        """
        if name in self.surveys:
            from tacit.curator.answer.answers_from_collected_survey import frame_of_survey

            return frame_of_survey(self.surveys[name])
        from tacit.plan import Frame

        shared = table_named(name, self._access.read_tables())
        return Frame(shared.asked_table, asker=self.ask, finding=True, source=self)

    def rows_of(self, text: str) -> Frame:
        """The rows that a question in SQL counts, as a frame: `SELECT COUNT(*) AS n FROM visits WHERE cost > 5`."""
        from tacit.plan import Frame

        table, rows = rows_of_text(self._access, text)
        return Frame(table, asker=self.ask, rows=rows, finding=True, source=self)

    @property
    def surveys(self) -> Mapping[str, SurveyTable]:
        """The collected surveys, by name; questions about them are free."""
        return self._free.surveys

    def ask(
        self,
        plan: Plan,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
    ) -> Release:
        """The answer to a plan, hidden by noise and paid for in full."""
        if unnamed or not isinstance(plan, Plan):
            from tacit.curator.how_vaults_are_called import check_named, check_plan

            check_plan(plan)
            check_named("ask", unnamed)
        return answer_plan(
            self._access, plan, epsilon=epsilon, within=within, confidence=confidence, raw=raw
        )

    def refine(
        self,
        question: str | Frame,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
    ) -> Release:
        """The answer to a question with less noise than before, for the difference of the two prices.

        `epsilon` is the most that all answers to it may have cost together.  With `within`, it is refined until no
        interval reaches further to either side, also of ratios such as AVG, whose error is not known beforehand; where
        that needs more than `epsilon` the last answer says so.  Without a delta it is for tables in memory alone.
        """
        from tacit.curator.refine_answer import refine_question

        if unnamed or not isinstance(question, str):
            from tacit.curator.how_vaults_are_called import check_named, check_question

            check_question(question)
            check_named("refine", unnamed)
        remarks = spelling_remarks(question) if isinstance(question, str) else ()
        finer = refine_question(
            self._access, question, epsilon=epsilon, within=within, confidence=confidence, raw=raw
        )
        return with_remarks(log_release(finer), remarks)

    def explain(
        self,
        question: str | Frame,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        params: Params = None,
    ) -> Explanation:
        """What an answer would contain and cost; this is free, and no data are read."""
        from tacit.curator.explain_question import explain_question

        if unnamed or not isinstance(question, str):
            from tacit.curator.how_vaults_are_called import check_named, check_question

            check_question(question)
            check_named("explain", unnamed)
        return explain_question(
            self._access,
            question,
            epsilon=epsilon,
            within=within,
            confidence=confidence,
            params=params,
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that may be asked about; `describe` says more."""
        return tuple(self.policy.tables)

    def declared(self) -> Mapping[str, Shared]:
        """The tables of the policy by name, with the bounds and contributions that were estimated for this analyst."""
        return self._access.read_tables()

    def describe(self, table: str | None = None) -> Listing:
        """What may be asked: every column of one table, or of all, with its type, its declaration and its use.

        This is free, and uses only the policy.  In SQL it is DESCRIBE t; SHOW TABLES lists the tables.

        >>> import tacit
        >>> rows, columns = [{"patient": 1, "ward": "A"}], {"ward": ["A", "B"]}
        >>> clinic = tacit.protect(rows, unit="patient", columns=columns, epsilon=3)
        >>> clinic.describe("data")["column"]
        ['patient', 'ward']
        """
        return describe_columns(self.policy, self._access.read_tables(), table)

    if not TYPE_CHECKING:  # else a mistyped name of ours would go unnoticed

        def __getattr__(self, name: str) -> Any:
            """Refuse an unknown attribute, and say what was meant: a table, or a method of another library."""
            from tacit.curator.how_vaults_are_called import say_missing

            known = () if name.startswith("_") or "_access" not in vars(self) else self.tables
            raise AttributeError(say_missing(name, known))

    def __getitem__(self, name: object) -> NoReturn:
        """Nothing: a table is `vault.table(name)`."""
        from tacit.curator.how_vaults_are_called import refuse_item

        refuse_item(name)

    def __repr__(self) -> str:
        spent = f"{self.budget.spent:.1%} of the limit is spent"
        return f"<vault of {', '.join(self.tables)}: unit {self.policy.unit!r}, {spent}>"

    @property
    def policy(self) -> Policy:
        """What the curator decided: the limit, the tables, the analysts."""
        return self._access.policy

    @property
    def ledger(self) -> Ledger:
        """The record of charges."""
        return self._access.ledger

    @property
    def budget(self) -> Budget:
        """The limit, what is spent, and what is left."""
        from tacit.curator.budget import budget_of

        return budget_of(self._access)

    def find_bounds(
        self, column: str, *, epsilon: Number, share: Number = 0.98, replace: bool = False
    ) -> FoundBounds:
        """Estimate bounds of a column that declares none, such as "visits.cost": about `share` of its rows lie within.

        They are estimated privately, at a price, and recorded in the ledger.  Estimates of the curator (a vault opened
        without naming an analyst) apply to everybody's later questions; those of an analyst, to this analyst's own.
        Asking for the same estimate again is free; with `replace`, a new one takes its place, and questions that were
        answered under the old bounds are new questions.  Declared bounds take precedence.
        """
        from tacit.curator.find_bounds import find_bounds

        return find_bounds(self._access, column, epsilon=epsilon, share=share, anew=replace)

    def find_contributions(
        self, table: str, *, epsilon: Number, share: Number = 0.95, replace: bool = False
    ) -> FoundContributions:
        """Estimate how many rows of a unit count in full, for a table that does not declare it: about `share` of its
        units have no more.

        It is estimated privately, at a price, and recorded in the ledger; to whom it applies, and what `replace` means,
        is the same as for `find_bounds`.
        """
        from tacit.curator.find_bounds import find_contributions

        return find_contributions(self._access, table, epsilon=epsilon, share=share, anew=replace)

    def clipping(self, table: str, *, epsilon: Number) -> Clipping:
        """The share of units with more rows than count in full, and the share of values outside their bounds.

        It is measured privately, at one price, and recorded in the ledger: later captions report it.
        """
        from tacit.curator.find_bounds import measure_clipping

        return measure_clipping(self._access, table, epsilon=epsilon)

    def watch(
        self,
        *,
        threshold: Number,
        epsilon: Number,
        answers: int = 1,
        monotone: bool | None = None,
        name: str = "",
    ) -> Watch:
        """A watch: `watch.ask(question)` says whether a COUNT or SUM is above the threshold, both with noise.

        The price is charged now, for `answers` times "yes"; "no" is free.  The same call continues the same watch,
        also after a restart; another watch on the same terms needs a `name` of its own.  Under add-or-remove the noise
        suffices for numbers that only grow when somebody is added (counts, sums of values that are not negative);
        `monotone=False` also allows other sums, with more noise.

        >>> import tacit
        >>> visits = [{"patient": n, "ward": "A"} for n in range(2000)]
        >>> clinic = tacit.protect(visits, unit="patient", contributions=1, columns={"ward": ["A", "B"]}, epsilon=3)
        >>> alarm = clinic.watch(threshold=1000, epsilon=1, answers=2)
        >>> [alarm.ask(f"SELECT COUNT(*) FROM data WHERE ward = '{ward}'") for ward in "AB"], alarm.left
        ([True, False], 1)
        """
        from tacit.curator.watch_threshold import begin_watch

        return begin_watch(
            self._access,
            threshold=threshold,
            epsilon=epsilon,
            answers=answers,
            monotone=monotone,
            name=name,
        )

    def refresh(self, table: str) -> int:
        """The new version of a table whose source has changed: earlier answers about it are no longer replayed.

        The limit stays the same: it belongs to the units, not to a version of their rows.
        """
        table_named(table, self.policy.tables)
        for follower in self._followers.get(table, ()):
            self.ledger.refresh(follower)  # whose units are found by way of this table
        return self.ledger.refresh(table)

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """The fields in which a receipt differs from this vault's ledger; an empty list if they agree."""
        return faults_of(receipt, self.ledger)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Read the whole ledger, and refuse it if a record, a sum or an answer was altered.

        Opening compares the ledger with its anchor, and records are checked when they are used; this checks the rest.
        """
        self._kept_ledger().verify(progress)

    def receipt(self, entry: Entry) -> dict[str, Any]:
        """The receipt of an answered entry of the ledger."""
        return receipt_of(entry, read_stored(_payload_of(entry)))

    def look_up(self, entry: Entry) -> dict[str, Any]:
        """What was released for an entry of the ledger, as JSON can hold it."""
        return read_stored(_payload_of(entry)).plain()

    def records(self) -> Iterator[dict[str, Any]]:
        """Every record of a durable ledger, oldest first, with its place in the chain."""
        from tacit.ledger import fields_of

        for record in self._kept_ledger().records():
            yield {"record": record.number, **fields_of(record), "hash": record.hash.hex()}

    def mock(self, *, times: int = 1) -> Vault:
        """A copy of the vault with made-up rows that satisfy the declared schema; it has no limit to spend.

        Its tables have `times` a thousand rows.
        """
        from tacit.curator.trial.mock_vault import twin

        return twin(self._access.policy_with_facts(), times)

    def audit(self, question: str | Frame, *, pairs: int = 400, world: int = 0) -> QuestionAudit:
        """Try to refute the privacy claim of one question, on generated neighbours; free, and no data are read."""
        from tacit.curator.trial.audit_question import audit_asked

        return audit_asked(self._access, question, pairs=pairs, world=world)

    @overload
    def synthesize(
        self,
        table: str,
        *,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
    ) -> SyntheticTable: ...

    @overload
    def synthesize(
        self, table: list[str] | tuple[str, ...], *, epsilon: Number, always: Sequence[str] = ()
    ) -> SyntheticTables: ...

    def synthesize(
        self,
        table: str | list[str] | tuple[str, ...],
        *,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
    ) -> SyntheticTable | SyntheticTables:
        """A synthetic table: rows that look like the table's own and belong to nobody, at one price.

        All columns with declared values or bounds are modelled, or those that are named.  `always`
        are public rules, such as "discharged >= admitted", that all synthetic rows satisfy.  More rows
        of the same table are free, and the same call gives the same rows.

        With several tables that share a unit, such as `["patients", "visits", "labs"]`, the first has
        one row for each unit; the number and values of a unit's rows in the others are modelled, too.
        A rule may then be about columns of one table, or of one table and the first.
        """
        if not isinstance(table, str):
            from tacit.curator.tables.linked_synthetic_tables import synthesize_linked

            return synthesize_linked(self._desk(), table, epsilon=epsilon, always=always)
        from tacit.curator.tables.synthesize import synthesize

        return synthesize(self._desk(), table, epsilon=epsilon, columns=columns, always=always)

    def marginals(
        self,
        table: str,
        *,
        ways: int,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        weights: Mapping[Any, Number] | None = None,
        cells: int = 32,
        confidence: Number = 0.95,
    ) -> Marginals:
        """All tables of counts over at most `ways` columns, at one price: every cell with its interval.

        They have the least possible total variance, and agree wherever they overlap.  `weights` give
        some of them more of the price, such as `{("age", "sex"): 10}`; a number is divided into at
        most `cells` cells.  `explain_marginals` computes the intervals beforehand, for free.
        """
        from tacit.curator.tables.marginals import release_marginals

        return release_marginals(
            self._desk(),
            table,
            ways=ways,
            epsilon=epsilon,
            columns=columns,
            weights=weights,
            cells=cells,
            confidence=confidence,
        )

    def explain_marginals(
        self,
        table: str,
        *,
        ways: int,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        weights: Mapping[Any, Number] | None = None,
        cells: int = 32,
        confidence: Number = 0.95,
    ) -> ExpectedMarginals:
        """The errors that `marginals` would have; this is free, and no data are read."""
        from tacit.curator.tables.marginals import explain_marginals

        return explain_marginals(
            self._desk(),
            table,
            ways=ways,
            epsilon=epsilon,
            columns=columns,
            weights=weights,
            cells=cells,
            confidence=confidence,
        )

    def workload(
        self,
        table: str,
        questions: Sequence[str] = (),
        *,
        epsilon: Number,
        prefixes: Sequence[str | Sequence[str]] = (),
        ranges: Sequence[str | Sequence[str]] = (),
        confidence: Number = 0.95,
    ) -> Release:
        """Answers to many counting questions at one price, each with its interval.

        `questions` are conditions, such as "age < 30 AND sex = 'f'"; `prefixes` and `ranges` name
        columns for which all questions "at most x", or "from x to y", are answered; a pair of columns
        stands for all rectangles.  The measured tables are chosen for the least total variance;
        `explain_workload` compares this with asking one by one, for free.
        """
        from tacit.curator.tables.answer_workload import release_workload

        return release_workload(
            self._desk(),
            table,
            questions,
            epsilon=epsilon,
            prefixes=prefixes,
            ranges=ranges,
            confidence=confidence,
        )

    def explain_workload(
        self,
        table: str,
        questions: Sequence[str] = (),
        *,
        epsilon: Number,
        prefixes: Sequence[str | Sequence[str]] = (),
        ranges: Sequence[str | Sequence[str]] = (),
        confidence: Number = 0.95,
    ) -> ExpectedWorkload:
        """The errors that `workload` would have; this is free, and no data are read."""
        from tacit.curator.tables.answer_workload import explain_workload

        return explain_workload(
            self._desk(),
            table,
            questions,
            epsilon=epsilon,
            prefixes=prefixes,
            ranges=ranges,
            confidence=confidence,
        )

    def lesson(
        self,
        frame: Frame,
        *,
        kind: str,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        classes: bool = False,
        settings: Sequence[str] = (),
        sampling: Sampling | None = None,
        trials: Trials | None = None,
    ) -> Lesson:
        """The rows of a frame as `tacit.learn` may use them: declared features; only noisy sums are released."""
        from tacit.curator.vectors.estimator_access_to_sums import open_lesson

        return open_lesson(
            self._access,
            frame,
            kind=kind,
            target=target,
            columns=columns,
            classes=classes,
            settings=settings,
            sampling=sampling,
            trials=trials,
        )

    def aggregate(
        self,
        function: Callable[[Any], Any],
        *,
        of: str,
        blocks: int,
        low: Number,
        high: Number,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        default: Number | None = None,
        by: str = "median",
        cells: int = 1024,
        seconds: float = 10.0,
        confidence: float = 0.95,
    ) -> Release:
        """The result of a Python function on the rows of the table `of`, by sample-and-aggregate, with an interval.

        The units are divided into `blocks`, and the function gets the columns of one block at a time, as arrays by
        name; the rows are not in the order of the table.  The private median (or mean) of its results is released,
        between `low` and `high`.  If the function fails, takes more than `seconds` or returns no finite number, the
        block counts as `default`, which is the middle of `low` and `high` unless it is given.  Every call is a new
        charge, since a function has no name by which it could be recognised.
        """
        from tacit.curator.aggregate.sample_and_aggregate import aggregate

        released = aggregate(
            self._access,
            function,
            of=of,
            columns=columns,
            blocks=blocks,
            low=low,
            high=high,
            epsilon=epsilon,
            default=default,
            by=by,
            cells=cells,
            seconds=seconds,
            confidence=confidence,
        )
        return log_release(released)

    def _desk(self) -> Desk:
        """What the vault has to offer for many tables at once."""
        from tacit.curator.tables.release_tables import Desk

        return Desk(self._access, self._access.read_tables())

    def close(self) -> None:
        """Close files and connections."""
        if isinstance(self._access.engines, dict):
            for engine in self._access.engines.values():
                engine.close()
        for part in (self._access.engines, self.ledger):
            closing = getattr(part, "close", None)
            if closing is not None:
                closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _kept_ledger(self) -> DurableLedger:
        from tacit.ledger import DurableLedger

        if not isinstance(self.ledger, DurableLedger):
            remedy = "open a vault from a directory: only those keep records"
            raise InvalidInput("ledger", "one in memory", remedy)
        return self.ledger


def _check_analyst(policy: Policy, analyst: str | None) -> None:
    """Refuse an analyst whom the policy does not name, if it names any."""
    if analyst is not None and policy.analysts and analyst not in policy.analysts:
        remedy = f"name one of: {', '.join(sorted(policy.analysts))}"
        raise InvalidInput("analyst", analyst, remedy)


def _payload_of(entry: Entry) -> bytes:
    """What the ledger keeps of an answer."""
    if entry.payload is None:
        raise InvalidInput("entry", entry.number, "it was charged but never answered")
    return entry.payload
