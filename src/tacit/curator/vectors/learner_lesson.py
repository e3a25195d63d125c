"""What a learner holds: public features of a table's rows, a price, and released sums; never a row."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import Charge, ConcentratedFilter
from tacit.curator.answer.release import Price
from tacit.curator.priced_question import shared_of
from tacit.curator.question_context import Access
from tacit.curator.record.stored_tables import Released, StoredTables
from tacit.curator.tables.column_codes import CodedColumn, code_columns, list_uncoded
from tacit.curator.tables.release_tables import Answered, Desk, Exchange, Order, TablesAsked
from tacit.curator.tables.tables_noise import Draw, Request, TableNoise, hide
from tacit.curator.vectors.features import CATEGORY, NUMBER, Feature, describe_column
from tacit.curator.vectors.rows_to_vectors import NO_TARGET, EncodedRows, sum_vectors
from tacit.curator.vectors.summable_vectors import TARGET
from tacit.curator.vectors.vectors_noise import Sampling, Sums, TrialNoise, Trials, VectorNoise
from tacit.engines import CodedRows
from tacit.errors import InvalidInput, InvalidPlan
from tacit.exact import Number, below
from tacit.frozen import frozen
from tacit.mechanisms import draw_trials
from tacit.plan import (
    Frame,
    Owner,
    Plan,
    Scan,
    Table,
    Where,
    count,
    fingerprint,
    owner_of,
    prove,
    tables_of,
)
from tacit.plan import Weights as UnitWeights
from tacit.privacy import Neighbours
from tacit.stability import weights_for_vectors

__all__ = ["Lesson", "open_lesson"]

CELLS = 2_048
"""Into how many cells a feature is divided at most."""

TARGET_CELLS = 1 << 14
"""Into how many cells a target is divided at most that is a number."""

MOST_CLASSES = 100
MOST_NUMBERS = 1 << 24
"""The most numbers that one request may release."""


@frozen
class VectorsAsked(TablesAsked):
    """What is asked: rows that meet conditions, the columns that are coded, and what is learnt of them."""

    targets: tuple[int, ...] = ()
    sampling: Sampling | None = None
    trials: Trials | None = None

    @property
    def needs_units(self) -> bool:
        """Where samples are taken, they are of units."""
        return self.sampling is not None

    @property
    def weights(self) -> UnitWeights:
        """What every unit's rows weigh."""
        return weights_for_vectors(self.coding.rows, self.shared.contributions)

    @property
    def fingerprint(self) -> bytes:
        """The same for everything that asks for the same, and another one for all else."""
        plan = self.sampling
        steps = () if plan is None else (f"{plan.rate} {plan.steps} {plan.share}",)
        if self.trials is not None:
            steps = (*steps, f"best of {self.trials.mean} of {self.trials.candidates}")
        said = "\0".join((self.kind, fingerprint(self.coding.question).hex(), *self.more, *steps))
        return sha256(said.encode()).digest()


@frozen(eq=False)
class VectorDesk(Desk):
    """Where sums of vectors are paid for, computed and let go."""

    def noise(self, asked: TablesAsked, charge: Charge) -> VectorNoise:
        """What hides sums at a charge."""
        assert isinstance(asked, VectorsAsked), "vectors are asked for"
        plain, failure = Desk.noise(self, asked, charge), Fraction(0)
        rule = self.access.rule
        if (asked.sampling or asked.trials) and isinstance(rule, ConcentratedFilter):
            failure = rule.failure(rule.with_keys(Charge(charge.amount)))
        found = VectorNoise(
            plain.weights,
            plain.neighbours,
            plain.amount,
            plain.concentrated,
            asked.sampling,
            failure,
        )
        return found if asked.trials is None else TrialNoise.fit(found, asked.trials, failure)

    def rehearse(self, order: Order, noise: TableNoise) -> None:
        """Run an exchange on no rows; of trials, that of every candidate."""
        asked = order.asked
        assert isinstance(asked, VectorsAsked), "vectors are asked for"
        if asked.trials is None:
            return Desk.rehearse(self, order, noise)
        engine = self.access.engine_of(asked.tables)
        nobody = engine.code(asked.coding, asked.weights, rehearsing=True)
        trial: Any = order.begin(noise)
        for candidate in range(asked.trials.candidates):
            self._run_trial(asked, trial(candidate), self._encode(asked, nobody), noise)
        return None

    def run(
        self, asked: TablesAsked, exchange: "Exchange[bytes]", rows: CodedRows, noise: TableNoise
    ) -> StoredTables:
        """Answer an exchange to its end; no more sampled steps than were declared."""
        assert isinstance(asked, VectorsAsked), "vectors are asked for"
        both = self._encode(asked, rows)
        if asked.trials is not None:
            return self._run_trials(asked, asked.trials, exchange, both, noise)
        stored = Desk.run(self, asked, _limit_samples(exchange, asked.sampling), both, noise)
        kept = tuple(each if each.columns else _without_numbers(each) for each in stored.released)
        return replace(stored, released=kept)

    def _encode(self, asked: VectorsAsked, rows: CodedRows) -> Any:
        """Rows as both kinds of requests read them.

        Claim:      where samples are taken of rows that units own, it is known which unit owns each.
        Because:    an engine that did not say so is not believed: rows without it are refused.
        Checked by: tests/laws/test_vectors.py::test_samples_are_of_units_with_all_of_their_rows
        """
        is_owned = owner_of(asked.coding.rows) is Owner.UNIT
        if asked.needs_units and is_owned and rows.units is None and any(map(len, rows.codes)):
            raise AssertionError("samples are of units, and rows have no names of theirs")
        orders = [np.array(each.order, np.int64) for each in asked.columns]
        encoded = EncodedRows.from_codes(rows, orders, np.array(asked.targets, np.int64))
        return _Both(rows, encoded)

    def _run_trials(
        self, asked: VectorsAsked, trials: Trials, begin: Any, rows: Any, noise: TableNoise
    ) -> StoredTables:
        """The trial with the highest score among a random number of them, each of a random candidate.

        Claim:      nothing of the other trials leaves, nor how many there were; each trial is independent of the others
                    and asks for no more than its price.
        Because:    a trial is begun anew with a candidate that secure randomness chooses, `Desk.run` adds up what it
                    asks for, and the best is kept alone, the first of equals.
        Checked by: tests/laws/test_tune.py::test_only_the_best_of_independent_trials_leaves
        """
        best, highest = None, float("-inf")
        for _ in range(draw_trials(trials.stop)):
            stored, score = self._run_trial(asked, begin(below(trials.candidates)), rows, noise)
            if best is None or score > highest:
                best, highest = stored, score
        assert best is not None, "there is at least one trial"
        return best

    def _run_trial(
        self, asked: VectorsAsked, trial: Any, rows: Any, noise: TableNoise
    ) -> tuple[StoredTables, float]:
        """What one trial makes, and its score, both from its own noisy numbers."""
        scores: list[float] = []
        exchange = _limit_samples(_take_score(trial, scores), None)
        stored = Desk.run(self, asked, exchange, rows, noise)
        kept = tuple(each if each.columns else _without_numbers(each) for each in stored.released)
        return replace(stored, released=kept), scores[0]

    def answer_request(
        self, asked: TablesAsked, request: Request | Sums, rows: Any, noise: TableNoise
    ) -> Released:
        """What is released for one request: tables, or sums of vectors.

        Claim:      every integer is an exact one plus fresh noise of its array's mechanism, modulo 2**64.
        Because:    each array is released once; exact sums exist here and nowhere else.
        Checked by: tests/laws/test_vectors.py::test_with_constant_noise_a_fit_is_the_same_on_neighbours
        """
        if not isinstance(request, Sums):
            return Desk.answer_request(self, asked, request, rows.coded, noise)
        assert isinstance(noise, VectorNoise), "sums have noise of their own"
        draws = noise.sum_draws(request)
        if sum(each.sensitivity.dimension for each in draws) > MOST_NUMBERS:
            raise InvalidPlan(
                f"more than {MOST_NUMBERS:,} numbers would be released at once",
                "use fewer columns, or fewer neurons",
            )
        sums = sum_vectors(request.kernel, rows.encoded, noise.weights.bits, noise.norm)
        arrays = tuple(hide(draw, exact) for draw, exact in zip(draws, sums, strict=True))
        return _keep_sums(request, arrays, draws, noise.worth)


@frozen(eq=False)
class _Both:
    """Rows as tables are counted of them, and as vectors are summed of them."""

    coded: CodedRows
    encoded: EncodedRows


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

    def release(
        self, epsilon: Number, begin: Callable[[VectorNoise], "Exchange[bytes]"]
    ) -> Answered:
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
    known = [column.name for column in shared.table.columns]
    wanted = [name for name in (known if columns is None else columns) if name != target]
    if target is not None:
        _check_target(shared.table, target, classes=classes)
    if columns is not None and not wanted:
        raise InvalidInput("columns", list(columns), "name at least one besides the target")
    if columns is None and set(known) <= {target, *list_uncoded(shared.table)}:
        raise InvalidInput(
            "the features of",
            shared.table.name,
            "no other column has declared values or bounds; declare some in the policy, as in "
            'age = { type = "integer", low = 0, high = 120 }',
        )
    coded = code_columns(shared.table, None if columns is None else wanted, CELLS, CELLS)
    used = tuple(each for each in coded if each.name != target)
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


def _take_score(trial: Any, scores: list[float]) -> "Exchange[bytes]":
    """The exchange of a trial, which ends with its model; its score is put aside."""
    score, model = yield from trial
    scores.append(float(score))
    return bytes(model)


def _limit_samples(exchange: "Exchange[bytes]", sampling: Sampling | None) -> "Exchange[bytes]":
    """The same exchange, stopped where it takes more sampled steps than were declared, or asks less for one.

    Claim:      sampled steps are at most as many as were declared, and each is counted with its share.
    Because:    they are counted here, whoever asks.
    Checked by: tests/laws/test_vectors.py::test_no_more_is_sampled_than_was_declared
    """
    taken, reply = 0, None
    while True:
        try:
            request = exchange.send(reply) if reply is not None else next(exchange)
        except StopIteration as end:
            return bytes(end.value)
        if isinstance(request, Sums) and getattr(request.kernel, "rate", None) is not None:
            taken += 1
            if sampling is None or taken > sampling.steps:
                raise AssertionError("more is sampled than was declared")
            if request.share < sampling.share / sampling.steps:
                raise AssertionError("more is asked for than is paid")
        reply = yield request


def _without_numbers(released: Released) -> Released:
    """What was released without its numbers: what was made of them is kept as the model, which is smaller."""
    return replace(released, arrays=(), shifts=())


def _keep_sums(
    request: Sums, arrays: Sequence[NDArray[np.int64]], draws: Sequence[Draw], worth: Fraction
) -> Released:
    """What was released for a request, as it is kept: rounded where noise hides what is rounded off."""
    shifts = tuple(max(0, int(draw.deviation / 64).bit_length() - 1) for draw in draws)
    return Released(
        type(request.kernel).__name__.lower(),
        (),
        (),
        tuple(
            (array + (1 << shift >> 1)) >> shift
            for array, shift in zip(arrays, shifts, strict=True)
        ),
        shifts,
        tuple(draw.scale for draw in draws),
        tuple(draw.deviation * float(worth) for draw in draws),
    )
