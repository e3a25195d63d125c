"""How a question is asked: for nothing if its answer is known, and else in a slot, as a job that runs by itself."""

from __future__ import annotations

import asyncio
import json
import shlex
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tacit.curator import (
    Explanation,
    Release,
    Vault,
    View,
    merge_released,
    read_release,
    release_fields,
    was_opened,
)
from tacit.errors import (
    EngineFailed,
    InvalidInput,
    LedgerUncertain,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TacitError,
)
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.server.audit_log import AuditLog
from tacit.server.calibration import Calibration
from tacit.server.free_reads import question_key
from tacit.server.idempotency import Keys
from tacit.server.identities import Identities, Identity
from tacit.server.jobs import Job, Jobs, Question
from tacit.server.rate_limits import Rates, Waiting
from tacit.server.rights import check_right
from tacit.server.served_vault import ServedVault
from tacit.server.slots import Slots

__all__ = ["Asking", "Tell", "at_a_price", "tell_price"]

T = TypeVar("T")

_DEPARTURES = 4  # most slots whose ends are dealt with together
_AGAIN = 1.0  # seconds until a slot is taken off the board again that could not be

Tell = Callable[[Release, bool], Release]
"""How an answer says whether it was free, which is known when its slot has ended."""


def tell_price(release: Release, free: bool) -> Release:
    """An answer that was free, or was not."""
    return replace(release, price=replace(release.price, free=free))


@frozen
class _PaidWork:
    """What somebody has asked that is paid for: how it is looked up, and at which share of the limit.

    `same` is what another who asks the same finds it by; `question` is kept as a text, if there is one; `about` is its
    kind and its tables, for the curator.
    """

    who: Identity
    look: Callable[[Vault], Release]
    share: float
    question: Question | None = None
    about: str = "a model or a synthetic table"
    same: tuple[str, str] | None = None
    tell: Tell = tell_price


class Asking:
    """Questions that are paid for.

    Claim:      every paid look at rows goes through a slot that was reserved before, as the identity that asked, after
                that identity's rights, rates and allowance were checked.
    Because:    `_look` is the one method that calls what charges a vault, and `_start` the one that calls it, within a
                slot; `replay` and `explain` are free by their own claims.
    Checked by: tests/unit/server/test_desk.py and tests/attacks/test_slots.py
    """

    def __init__(
        self,
        served: ServedVault,
        identities: Identities,
        *,
        slots: Slots,
        audit: AuditLog,
        calibration: Calibration,
        rates: Rates,
        waiting: Waiting,
        readers: Executor,
        tell_curator: Callable[[str], None],
        folder: Path | None = None,
    ) -> None:
        self._tell_curator = tell_curator
        self._folder_named = "VAULT" if folder is None else shlex.quote(str(folder))
        self._served, self._identities, self.slots = served, identities, slots
        self._audit, self._calibration, self._rates = audit, calibration, rates
        self._waiting, self._readers = waiting, readers
        self._keys = Keys(identities)
        self._jobs = Jobs()
        self._running: set[asyncio.Task[None]] = set()
        self._asked: dict[tuple[str, str], Job] = {}
        self._leaving: dict[str, dict[int, bool]] = {}  # what jobs let out that are still hidden
        self._deciding = threading.Lock()
        self._departures = ThreadPoolExecutor(_DEPARTURES, thread_name_prefix="tacit-leave")
        self.is_closing = False

    @property
    def many_running(self) -> int:
        """How many questions are being asked."""
        return len(self._running)

    async def ask(self, who: Identity, question: Question, key: str | None = None) -> Job:
        """A question is asked: at once, if its answer is known, and else in the next slot of its class.

        Claim:      a question that is sent again, or whose sender has left, is charged once; an idempotency key pins
                    its bytes.
        Because:    the job runs by itself, the ledger knows a question by its plan and price, and the key is written
                    down before the question is asked and its answer before it leaves.
        Checked by: tests/unit/server/test_desk.py::test_a_question_that_is_sent_again_is_charged_once
        """
        check_right(who, "ask")
        self._rates.take("questions", who.name)
        self._refuse_if_closing()
        if key is not None:
            versions = self._served.versions()
            kept = await self._finish(
                lambda: self._keys.begin(who.name, key, question.body(), versions),
                lambda: self._keys.leave(who.name, key),
            )
            if kept is not None:
                self._audit.note("replayed", identity=who.name)
                return self._done(who, read_release(kept))
        try:
            found, priced = await self._read(lambda: self._prepare(who, question))
            if isinstance(found, Release):
                if key is not None:
                    fields = release_fields(found)
                    await self._read(lambda: self._keys.end(who.name, key, fields))
                return self._done(who, found)
            same = who.name, json.dumps([priced.body(), self._served.versions()])
            running = self._asked.get(same)
            if running is not None and not running.is_done:
                running.keys += [] if key is None else [key]
                return running
            length, about = await self._read(lambda: self._length(who, priced))
            work = _PaidWork(
                who,
                lambda vault: vault.sql(priced.sql, **priced.terms()),
                share=0.0 if found.free else found.share,
                question=priced,
                about=about,
                same=same,
            )
            return await self._start(work, length, key)
        except TacitError as refusal:
            if key is not None:
                await self._whole(lambda: self._keys.end(who.name, key, None))
            self._audit.note("refused", identity=who.name, problem=type(refusal).__name__)
            raise
        except BaseException:
            if key is not None:
                self._go_on(self._depart(lambda: self._keys.leave(who.name, key)))
            raise

    def replay(self, who: Identity, question: Question) -> Release | None:
        """The answer to a question if it costs nothing, None if it has to be paid for; it is counted if it is given."""
        check_right(who, "ask")
        self._rates.check("questions", who.name)
        self._refuse_if_closing()
        try:
            found = at_a_price(
                who, question.terms(), lambda priced: self._find_known(who, question.sql, priced)
            )
        except TacitError as refusal:
            self._audit.note("refused", identity=who.name, problem=type(refusal).__name__)
            raise
        if found is not None:
            self._rates.take("questions", who.name)
            self._note_release("replayed", who, found)
        return found

    async def start_long(
        self,
        who: Identity,
        work: Callable[[Vault], Release],
        epsilon: Number,
        *,
        tell: Tell,
        times: float = 1.0,
    ) -> Job:
        """A job whose slot is as long as the longest that was measured, or so many times: what it takes was not."""
        self._rates.take("questions", who.name)
        self._refuse_if_closing()
        rule = self._served.policy.limit.filter()
        share = float(rule.share(rule.price_of(epsilon)))
        longest = times * self._calibration.seconds(None)
        length = self.slots.length_for(longest)
        return await self._start(_PaidWork(who, work, share, tell=tell), length)

    def seen_by(self, who: Identity) -> Vault:
        """The vault as somebody may read it for nothing."""
        return self._served.seen_by(who)

    async def prepare(self, work: Callable[[], T]) -> T:
        """Something that is done before a slot is reserved, and reads no private row."""
        return await self._read(work)

    async def _start(self, work: _PaidWork, length: float, key: str | None = None) -> Job:
        """A job in the next slot of this length."""
        who, share = work.who, work.share
        hidden: list[str] = []
        views: list[View] = []
        days: list[str] = []

        def enter() -> None:
            days.append(self._identities.spend(who, share))
            try:
                hidden.append(self._served.unseen.enter(self._served.current))
                views.append(self._view())
            except BaseException:
                undo()
                raise

        loop = asyncio.get_running_loop()

        def undo() -> None:
            try:
                self._identities.give_back(who, share, days[0])
            except Exception as error:  # noqa: BLE001 -- the allowance stays taken, which harms nobody else; it is logged
                self._audit.note("failed", identity=who.name, problem=type(error).__name__)
            for name in hidden:
                if not self._is_off(name, {}):  # nothing was written in it; it is tried again
                    take_off = partial(self._go_on_taking_off, name)
                    loop.call_soon_threadsafe(take_off)

        self._waiting.enter(who.name)
        try:
            await self._finish(enter, undo)
        except BaseException:
            self._waiting.leave(who.name)
            raise
        job = Job(who.name, self.slots.reserve(length), hidden[0], days[0])
        job.view = views[0]
        job.keys += [] if key is None else [key]
        if work.same is not None:
            self._asked[work.same] = job
        self._jobs.keep(job)
        self._audit.note("asked", identity=who.name, job=job.id, share=share)
        self._go_on(self._run(work, job))
        return job

    def _go_on(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something by itself, to its end."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, work: _PaidWork, job: Job) -> None:
        """Look in the slot, and say what came of it when it has ended: an answer, a refusal, or one sentence."""
        assert job.slot is not None, "a job that runs has a slot"
        result: Release | Exception
        is_off = False
        try:
            try:
                result = await self.slots.run(
                    lambda: self._look(work, job), job.slot, lambda: self._note_late(work, job)
                )
            except Exception as error:  # noqa: BLE001 -- what leaves of it is decided below
                result = error
            if work.same is not None and self._asked.get(work.same) is job:
                del self._asked[work.same]  # from here on nobody joins it
            result, is_off = await self._depart(lambda: self._let_out(work, job, result))
        except Exception as error:  # noqa: BLE001 -- whatever became of it, who waits is told
            result = error
        if not is_off:
            self._go_on(self._take_off(job.hidden, job.written, job.id))
        try:
            self._tell(work.who, job, result)
        finally:
            self._waiting.leave(work.who.name)

    def _let_out(
        self, work: _PaidWork, job: Job, result: Release | Exception
    ) -> tuple[Release | Exception, bool]:
        """What came of a look whose slot has ended, kept; and whether the slot could be taken off the board."""
        try:
            settled = self._settle(work, job, result)
        except Exception as error:  # noqa: BLE001 -- what leaves of it is decided by `_tell`
            settled = error
            for key in job.keys:
                self._keys.leave(work.who.name, key)
        return settled, self._is_off(job.hidden, job.written, job.id)

    def _note_late(self, work: _PaidWork, job: Job) -> None:
        """Tell the curator, who can measure again, that an answer was not ready when its slot ended."""
        length = self.length_of(job)
        self._audit.note("late", identity=work.who.name, job=job.id, about=work.about)
        self._tell_curator(
            f"{work.about}: an answer was not ready when its slot of {length:g} s ended, and is sent at the end of "
            f"one of {self.slots.lengths[-1]:g} s. If this happens again, measure how long questions take, and "
            f"restart: tacit calibrate {self._folder_named} --rows TABLE=ROWS"
        )

    def _tell(self, who: Identity, job: Job, result: Release | Exception) -> None:
        """Say what came of a job, to who waits for it and in the log."""
        if isinstance(result, Release):
            self._note_release("answered", who, result)  # when it leaves, not when it was ready
            job.end(result)
        elif isinstance(result, TacitError):
            self._audit.note(
                "refused", identity=who.name, job=job.id, problem=type(result).__name__
            )
            job.end(result)
        else:  # a mistake of ours: whatever it says may depend on rows
            self._audit.note("failed", identity=who.name, job=job.id)
            job.end(EngineFailed())

    def _is_off(self, hidden: str, written: dict[int, bool], job: str = "") -> bool:
        """Whether a slot that has ended could be taken off the board."""
        try:
            self._served.unseen.leave(hidden, written)
        except Exception as error:  # noqa: BLE001 -- it is tried again, and what it says is logged by name
            self._audit.note("failed", job=job, problem=type(error).__name__)
            return False
        with self._deciding:
            self._leaving.pop(job, None)
        return True

    def _go_on_taking_off(self, hidden: str) -> None:
        self._go_on(self._take_off(hidden, {}))

    async def _take_off(self, hidden: str, written: dict[int, bool], job: str = "") -> None:
        """Take a slot off the board as soon as the database lets it; a server that stops leaves it to the others."""
        while not await self._depart(lambda: self._is_off(hidden, written, job)):
            if self.is_closing:
                return
            await asyncio.sleep(_AGAIN)

    def _look(self, work: _PaidWork, job: Job) -> Release:
        """Pay and look, within the slot; nothing but the ledger is written, and what was is noted."""

        def noted(vault: Vault) -> Release:
            assert job.view is not None, "a job that runs has a view"
            return work.look(self._served.unseen.noted(vault, job.written, job.view))

        return self._served.with_current_policy(work.who, noted)

    def _settle(
        self, work: _PaidWork, job: Job, result: Release | Exception
    ) -> Release | Exception:
        """Keep what came of a look, once its slot has ended: before that, nobody could tell whether it has."""
        who, share = work.who, work.share
        free, charged = self._decide(job)
        if isinstance(result, Release):
            result = work.tell(result, free)
            if not charged:
                self._identities.give_back(who, share, job.day)
            elif not share:
                # it seemed to be paid, and was charged anew: its table was refreshed meanwhile
                self._identities.count(who, result.price.share)
            if work.question is not None:
                self._keep_text(who, result, work.question)
            for key in job.keys:
                self._keys.end(who.name, key, release_fields(result))
        else:
            is_known = isinstance(result, TacitError) and not isinstance(result, LedgerUncertain)
            if is_known and not charged:
                self._identities.give_back(who, share, job.day)
            is_refused = is_known and not isinstance(result, EngineFailed) and not charged
            for key in job.keys:
                if is_refused:
                    self._keys.end(who.name, key, None)
                else:
                    self._keys.leave(who.name, key)
        return result

    def job(self, who: Identity, id: str) -> Job:  # noqa: A002 -- as it is called
        """A job of who asks."""
        check_right(who, "ask")
        found = self._jobs.get(id)
        if found is None or found.owner != who.name:
            raise NotFound("answer", id)
        return found

    def seconds_left(self, job: Job, *, missed: bool = False) -> float:
        """How long it takes until the slot of a job ends: public, and told to who waits.

        If it was missed, until its answer is sent all the same: the longest slot later.
        """
        if job.slot is None:
            return 0.0
        if missed:
            return self.slots.seconds_until_late(job.slot)
        return self.slots.seconds_until(job.slot.ends)

    def length_of(self, job: Job) -> float:
        """How long the slot of a job is."""
        return 0.0 if job.slot is None else job.slot.ends - job.slot.starts

    def leave(self, who: Identity, id: str) -> None:  # noqa: A002 -- as it is called
        """Stop waiting: the question is asked to its end all the same, and its answer is kept."""
        self._audit.note("left", identity=who.name, job=self.job(who, id).id)

    def _refuse_if_closing(self) -> None:
        if self.is_closing:
            raise ServerUnavailable("this address", "is stopping", "ask again in a minute")

    def _prepare(self, who: Identity, question: Question) -> tuple[Release | Explanation, Question]:
        """The answer if it is known; else what it costs, or the refusal; and the question with its price."""

        def prepare(priced: dict[str, Any]) -> tuple[Release | Explanation, Question]:
            known = self._find_known(who, question.sql, priced)
            asked = Question(question.sql, **priced)
            if known is not None:
                self._note_release("replayed", who, known)
                return known, asked
            terms = {name: value for name, value in priced.items() if name != "raw"}
            told = self._served.seen_by(who).explain(question.sql, **terms)
            _refuse_shortage(who, told)
            return told, asked

        try:
            return at_a_price(who, question.terms(), prepare)
        except LimitExceeded:
            if not self._served.catch_up():  # what is left may be more by now, in another process
                raise
        return at_a_price(who, question.terms(), prepare)

    def _find_known(self, who: Identity, sql: str, priced: dict[str, Any]) -> Release | None:
        """The answer to a question if it costs nothing."""
        return self._served.read_free(
            lambda: self._served.of(who),
            ("replay", question_key(who.payer, Question(sql, **priced))),
            lambda vault: vault.replay(sql, **priced),
        )

    def _length(self, who: Identity, question: Question) -> tuple[float, str]:
        """How long the slot of a question is, and what it is about, for the curator.

        Claim:      how long it is depends on public facts alone.
        Because:    it is chosen by the question's class, by what was measured on made-up rows, and by whether its
                    tables were asked about before: who is first to ask about several together has them read together,
                    and is given the next longer slot.
        Checked by: tests/unit/server/test_desk.py::test_who_is_first_to_ask_about_tables_together_has_more_time
        """
        found = self._served.seen_by(who).classify(
            question.sql,
            epsilon=question.epsilon,
            within=question.within,
            params=question.params,
        )
        length = self.slots.length_for(self._calibration.seconds(found))
        alone = [(name,) for name in found.tables if not any(name in each for each in found.joined)]
        if not all(was_opened(self._served.current, each) for each in (*found.joined, *alone)):
            length = self.slots.longer(length)
        return length, f"{found.kind} of {', '.join(found.tables)}"

    def _done(self, who: Identity, release: Release) -> Job:
        job = Job(who.name)
        job.end(release)
        self._jobs.keep(job)
        return job

    def _decide(self, job: Job) -> tuple[bool, bool]:
        """Whether what a job lets out is free, and whether it was charged for it, now that its slot has ended.

        Claim:      neither tells how long the rows of another job took.
        Because:    it is free if every answer that was not shown when the slot was reserved has been shown since, and
                    it is not charged if their charges have: of all who ask at once for what nobody has seen, the one
                    whose slot ends first has paid.  Who of them was first to charge it, or found it answered, which
                    depends on their rows, is not looked at; nor is what a vault says of its price.
        Checked by: tests/attacks/test_free_reads.py::test_what_resembles_a_running_question_tells_nothing
        """
        with self._deciding:  # before the view is read: what has left meanwhile is shown in it
            leaving = list(self._leaving.values())
            self._leaving[job.id] = dict(job.written)
        view = self._served.unseen.view_within()
        for written in leaving:
            view = replace(view, released=merge_released(view.released, written))
        free = all(view.shows_answer(entry) for entry in job.written)
        return free, not all(view.shows(entry) for entry in job.written)

    def _keep_text(self, who: Identity, release: Release, question: Question) -> None:
        entry = release.receipt.get("entry")
        if isinstance(entry, int):
            self._identities.keep_text(who.name, entry, question.body())

    def _view(self) -> View:
        return self._served.unseen.view_of(self._served.current)

    def _note_release(self, event: str, who: Identity, release: Release) -> None:
        entry = release.receipt.get("entry")
        self._audit.note(
            event,
            identity=who.name,
            entry=entry if isinstance(entry, int) else None,
            share=release.price.share,
            free=release.price.free,
        )

    async def _finish(self, work: Callable[[], T], undo: Callable[[], None]) -> T:
        """Something that is done whole; if whoever waits for it leaves meanwhile, it is undone."""
        doing = asyncio.ensure_future(self._read(work))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self._go_on(self._undo(doing, undo))
            raise

    async def _undo(self, doing: asyncio.Future[T], undo: Callable[[], None]) -> None:
        await asyncio.wait([doing])
        if not doing.cancelled() and doing.exception() is None:
            await self._depart(undo)

    async def _whole(self, work: Callable[[], T]) -> T:
        """Something that is done whole, whether or not whoever waits for it leaves meanwhile."""
        return await asyncio.shield(asyncio.ensure_future(self._depart(work)))

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    async def _depart(self, work: Callable[[], T]) -> T:
        """Something that is done when a slot has ended, on threads that no reader keeps busy."""
        return await asyncio.get_running_loop().run_in_executor(self._departures, work)

    async def drain(self) -> None:
        """Take no more questions, and let those that run come to their end."""
        self.is_closing = True
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)

    def close(self) -> None:
        """Let the threads go once they have nothing to do."""
        self._departures.shutdown(wait=True)


def at_a_price(who: Identity, terms: dict[str, Any], work: Callable[[dict[str, Any]], T]) -> T:
    """What the work makes of the terms; where no price is named at all, of the identity's usual one."""
    try:
        return work(terms)
    except InvalidInput as refusal:
        if refusal.name != "a price" or who.price is None or terms["within"] is not None:
            raise
    return work({**terms, "epsilon": Fraction(who.price)})


def _refuse_shortage(who: Identity, told: Explanation) -> None:
    """Refuse what does not fit into what is left: it is known beforehand, and takes no slot.  What is paid fits."""
    if told.affordable or told.free:
        return
    if told.own is not None and told.own[0] > told.own[1]:
        own, left = map(Fraction, told.own)
        raise LimitExceeded(who.payer, own, left, told.fitting)
    raise LimitExceeded(None, Fraction(told.share), Fraction(told.left), told.fitting)
