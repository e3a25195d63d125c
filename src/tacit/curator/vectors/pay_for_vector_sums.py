"""Where sums of vectors are paid for, computed and let go: what a lesson asks, request by request.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.accounting import Charge, ConcentratedFilter
from tacit.curator.record.stored_tables import Released, StoredTables
from tacit.curator.tables.release_tables import Desk, Exchange, Order, TablesAsked
from tacit.curator.tables.tables_noise import Draw, Request, TableNoise, hide
from tacit.curator.vectors.rows_to_vectors import EncodedRows, sum_vectors
from tacit.curator.vectors.vectors_noise import Sampling, Sums, TrialNoise, Trials, VectorNoise
from tacit.engines import CodedRows
from tacit.errors import InvalidPlan
from tacit.exact import below
from tacit.frozen import frozen
from tacit.mechanisms import draw_trials
from tacit.plan import (
    Owner,
    fingerprint,
    owner_of,
)
from tacit.plan import Weights as UnitWeights
from tacit.stability import weights_for_vectors

__all__ = ["VectorDesk", "VectorsAsked"]

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
        self, asked: TablesAsked, exchange: Exchange[bytes], rows: CodedRows, noise: TableNoise
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


def _take_score(trial: Any, scores: list[float]) -> Exchange[bytes]:
    """The exchange of a trial, which ends with its model; its score is put aside."""
    score, model = yield from trial
    scores.append(float(score))
    return bytes(model)


def _limit_samples(exchange: Exchange[bytes], sampling: Sampling | None) -> Exchange[bytes]:
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
