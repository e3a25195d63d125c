"""What a learner holds: public features of a table's rows, a price, and released sums; never a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacit.curator.answer.release import Price
from tacit.curator.priced_question import shared_of
from tacit.curator.question_context import Access
from tacit.curator.tables.column_codes import CodedColumn, code_columns, list_uncoded
from tacit.curator.tables.release_tables import Answered, Exchange
from tacit.curator.vectors.describe_features import CATEGORY, NUMBER, Feature, describe_column
from tacit.curator.vectors.pay_for_vector_sums import VectorDesk, VectorsAsked
from tacit.curator.vectors.rows_to_vectors import NO_TARGET
from tacit.curator.vectors.summable_vectors import TARGET
from tacit.curator.vectors.vectors_noise import Sampling, Trials, VectorNoise
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.plan import (
    Frame,
    Plan,
    Scan,
    Table,
    Where,
    count,
    prove,
    tables_of,
)
from tacit.privacy import Neighbours

__all__ = ["Lesson", "open_lesson"]

CELLS = 2_048
"""Into how many cells a feature is divided at most."""

TARGET_CELLS = 1 << 14
"""Into how many cells a target is divided at most that is a number."""

MOST_CLASSES = 100


@frozen(eq=False)
class Lesson:
    """The rows of a frame as a learner may use them: public features, and what is released for a price.

    A learner is a generator: it yields requests (`Sums`, tables), and is sent noisy numbers.
    """

    desk: VectorDesk
    asked: VectorsAsked
    features: tuple[Feature, ...]
    target: Feature | None
    classes: tuple[Any, ...]
    left_out: tuple[str, ...] = ()
    """Columns that say nothing because neither values nor bounds are declared; none where features were named."""

    def noise(self, epsilon: Number) -> VectorNoise:
        """What hides sums at a price; no data are looked at."""
        return self.desk.noise(self.asked, self.desk.price_of(epsilon))

    def price(self, epsilon: Number) -> Price:
        """What a price is, in words and as a share of the limit; nothing is paid."""
        return self.desk.access.price_of(self.desk.price_of(epsilon), free=False)

    @property
    def is_sampled(self) -> bool:
        """Whether steps are taken on samples."""
        return self.asked.sampling is not None

    @property
    def may_sample(self) -> bool:
        """Whether samples of units may be taken: units come and go, and a delta bears what may fail."""
        limit = self.desk.access.policy.limit
        return bool(limit.delta) and limit.neighbours is Neighbours.ADD_OR_REMOVE

    @property
    def is_pure(self) -> bool:
        """Whether the vault's limit has no delta."""
        return not self.desk.access.policy.limit.delta

    @property
    def contributions(self) -> int | None:
        """How many rows of a unit count in full."""
        return self.asked.shared.contributions

    @property
    def unit(self) -> str:
        """Who is protected."""
        return self.desk.access.policy.unit

    def release(self, epsilon: Number, begin: Callable[[VectorNoise], Exchange[bytes]]) -> Answered:
        """Everything that a learner asks for, paid for with one charge; the same lesson is free the next time."""
        return self.desk.answer(self.asked, self.desk.price_of(epsilon), begin)  # type: ignore[arg-type]

    def release_best(
        self, epsilon: Number, begin: Callable[[VectorNoise], Callable[[int], Any]]
    ) -> Answered:
        """The best of a random number of trials, paid for with one charge; see `tacit.learn.tune`.

        `begin` is given the noise of a trial and returns what begins the trial of a candidate, by its place: an
        exchange that ends with a score and a model.
        """
        assert self.asked.trials is not None, "trials are declared beforehand"
        return self.desk.answer(self.asked, self.desk.price_of(epsilon), begin)  # type: ignore[arg-type]


def open_lesson(
    access: Access,
    frame: Frame,
    *,
    kind: str,
    target: str | None,
    columns: Sequence[str] | None,
    classes: bool,
    settings: Sequence[str],
    sampling: Sampling | None,
    trials: Trials | None = None,
) -> Lesson:
    """A lesson about the rows of a frame; see `Vault.lesson`.

    Claim:      features, classes, bounds and cells follow from the policy and from what the caller names.
    Because:    no data are read here; the plan of the frame is proved as every question's is.
    Checked by: tests/laws/test_vectors.py::test_with_constant_noise_a_fit_is_the_same_on_neighbours
    """
    plan = _prove_rows(frame)
    tables = access.read_tables()
    shared = shared_of(access, plan, tables, tables_of(plan.question.rows))
    desk = VectorDesk(access, tables)
    desk.shared(shared.table.name)
    if target is not None:
        _check_target(shared.table, target, classes=classes)
    used = _code_features(shared.table, target, columns)
    found, labels, goal = None, tuple[Any, ...](), tuple[int, ...]()
    if target is not None:
        (column,) = code_columns(shared.table, [target], TARGET_CELLS, TARGET_CELLS)
        found = describe_column(column)
        labels, goal = _targets(found, classes=classes)
        used = (*used, column)
    asked = VectorsAsked(
        kind,
        shared,
        used,
        f"{kind} of {shared.table.name}",
        (str(target), str(classes), *settings),
        plan.question.rows,
        goal,
        _checked_sampling(sampling),
        trials,
    )
    silent = () if columns is not None else list_uncoded(shared.table)
    left_out = tuple(name for name in silent if name != shared.table.unit)
    lesson = Lesson(desk, asked, _describe(used, found), found, labels, left_out)
    if sampling is not None and not lesson.may_sample:
        raise InvalidInput(
            "sampling",
            sampling,
            "leave it out: samples need a delta and add-or-remove",
        )
    return lesson


def _code_features(
    table: Table, target: str | None, columns: Sequence[str] | None
) -> tuple[CodedColumn, ...]:
    """The columns that features are made of: those that are named, or all that are declared; not the target."""
    known = [column.name for column in table.columns]
    wanted = [name for name in (known if columns is None else columns) if name != target]
    if columns is not None and not wanted:
        raise InvalidInput("columns", list(columns), "name at least one besides the target")
    if columns is None and set(known) <= {target, *list_uncoded(table)}:
        raise InvalidInput(
            "the features of",
            table.name,
            "no other column has declared values or bounds; declare some in the policy, as in "
            'age = { type = "integer", low = 0, high = 120 }',
        )
    coded = code_columns(table, None if columns is None else wanted, CELLS, CELLS)
    return tuple(each for each in coded if each.name != target)


def _check_target(table: Table, target: str, *, classes: bool) -> None:
    """Refuse a target that is no column, or of which nothing is declared that could be predicted."""
    known = [column.name for column in table.columns if column.name != table.unit]
    if target not in known:
        raise InvalidInput("target", target, f"name one of: {', '.join(sorted(known))}")
    if target in list_uncoded(table):
        classes_or_bounds = (
            f'its classes, as in {target} = {{ type = "text", values = ["yes", "no"] }}'
            if classes
            else f'its bounds, as in {target} = {{ type = "number", low = 0, high = 100 }}'
        )
        raise InvalidInput("target", target, f"declare in the policy {classes_or_bounds}")


def _describe(columns: Sequence[CodedColumn], target: Feature | None) -> tuple[Feature, ...]:
    return tuple(
        describe_column(each) for each in columns if target is None or each.name != target.name
    )


def _targets(target: Feature, *, classes: bool) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The classes in their order, and for each place of the target its class, or its number in whole steps."""
    if not classes:
        if target.kind != NUMBER:
            raise InvalidInput(
                "target", target.name, "declare bounds for it: a number is predicted"
            )
        scaled = target.standardize(target.numbers)
        steps = np.rint(scaled * TARGET).astype(np.int64)
        return (), tuple(np.where(np.isnan(target.numbers), NO_TARGET, steps).tolist())
    if target.kind == CATEGORY:
        labels = tuple(value for value in target.values if value is not None)
        places = [NO_TARGET if value is None else labels.index(value) for value in target.values]
    else:
        numbers = target.numbers
        labels = tuple(sorted({_label(each) for each in numbers[~np.isnan(numbers)].tolist()}))
        if len(labels) > MOST_CLASSES:
            raise InvalidInput("target", target.name, "declare its classes as values")
        places = [NO_TARGET if np.isnan(each) else labels.index(_label(each)) for each in numbers]
    if not 2 <= len(labels) <= MOST_CLASSES:
        raise InvalidInput(
            "target", target.name, f"declare between 2 and {MOST_CLASSES} values: the classes"
        )
    return labels, tuple(places)


def _label(number: float) -> Any:
    return int(number) if number == int(number) else number


def _prove_rows(frame: Frame) -> Plan:
    """The plan of a frame's rows: those of one table, under conditions."""
    if not isinstance(frame, Frame) or frame.keys or frame.columns:
        raise InvalidPlan(
            "a model is fitted to rows, not to groups or aggregates",
            'give a table and conditions, such as vault.table("visits").where(...)',
        )
    plan = prove(frame.agg(n=count()).plan())
    rows = plan.question.rows
    while isinstance(rows, Where):
        rows = rows.rows
    if not isinstance(rows, Scan):
        raise InvalidPlan(
            "a model is fitted to the rows of one table, and these are combined",
            'give a table and conditions, such as vault.table("visits").where(...)',
        )
    return plan


def _checked_sampling(sampling: Sampling | None) -> Sampling | None:
    if sampling is not None and not (
        0 < sampling.rate < 1 << 16 and sampling.steps >= 1 and 0 < sampling.share < 1
    ):
        raise InvalidInput("sampling", sampling, "give a rate and a share between 0 and 1")
    return sampling
