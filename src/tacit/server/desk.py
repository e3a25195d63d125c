"""The desk: the only place of the server that holds a vault.  Doors translate what people send; here it is decided."""

import asyncio
import json
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from tacit.curator import (
    AnswerColumn,
    Budget,
    Explanation,
    Listing,
    Policy,
    Release,
    Unseen,
    Vault,
    limits_agree,
    read_release,
    release_fields,
    rows_for,
)
from tacit.errors import (
    AccessDenied,
    EngineFailed,
    InvalidInput,
    LedgerRefused,
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
from tacit.server.idempotency import Keys
from tacit.server.identities import Identities, Identity
from tacit.server.jobs import Job, Jobs, Question
from tacit.server.ledger_pages import LedgerPages
from tacit.server.limits import Rates, Waiting
from tacit.server.people import People
from tacit.server.policy_pages import PolicyPages
from tacit.server.rights import check_right
from tacit.server.slots import Slots

__all__ = ["Desk", "Standing"]

_READERS = 4

T = TypeVar("T")


@frozen
class Standing:
    """What somebody may do, and what is left: the budget, and of the day's allowance."""

    name: str
    role: str
    budget: Budget
    has_limit: bool
    price: str | None
    allowance: float | None
    spent_today: float


class Desk:
    """One vault, asked by many.

    Claim:      every paid look at rows goes through a slot that was reserved before, as the identity that asked, after
                that identity's rights, rates and allowance were checked; all else reads no private row.
    Because:    `_look` is the one method that calls what charges a vault, and `_start` the one that calls it, within a
                slot; what other methods call, `replay`, `explain`, `mock`, is free by their own claims.
    Checked by: tests/unit/server/test_desk.py and tests/attacks/test_slots.py
    """

    def __init__(
        self,
        vault: Vault,
        identities: Identities,
        *,
        slots: Slots | None = None,
        audit: AuditLog | None = None,
        calibration: Calibration | None = None,
        rates: Rates | None = None,
        waiting: Waiting | None = None,
        shared_limit: bool = False,
        reopen: Callable[[], Vault] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._vault, self._reopen, self._folder = vault, reopen, folder
        self._identities = identities
        self.slots = Slots() if slots is None else slots
        self._audit = AuditLog(lambda _: None) if audit is None else audit
        self._calibration = Calibration() if calibration is None else calibration
        self._rates = Rates() if rates is None else rates
        self._waiting = Waiting() if waiting is None else waiting
        self._keys = Keys(identities)
        self._shared_limit = shared_limit
        self._jobs = Jobs()
        self._running: set[asyncio.Task[None]] = set()
        self._asked: dict[tuple[str, str], Job] = {}
        self._unseen = Unseen()
        self._closing = False
        self._paid: set[int] = set()
        self._outdated: list[Vault] = []
        self._twins: dict[int, Vault] = {}
        self._reloading = threading.Lock()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="tacit-desk")
        self.people = People(identities, self._audit, self._rates)
        self.ledger = LedgerPages(
            lambda: self._vault, self._unseen, identities, self._audit, self._readers
        )
        self.drafts = PolicyPages(lambda: self._vault, self._unseen, identities, folder)

    def standing(self, who: Identity) -> Standing:
        """What somebody may do, and what is left."""
        check_right(who, "look")
        vault = self._vault.of(None) if who.role != "analyst" else self._vault_of(who)
        vault = self._seen(vault)
        return Standing(
            who.name,
            who.role,
            vault.budget,
            who.payer in self.policy.analysts,
            who.price,
            who.allowance,
            self._identities.spent_today(who.name),
        )

    # ---------------------------------------------------------------- what is free

    @property
    def policy(self) -> Policy:
        """What the curator decided; it is public to who is signed in."""
        return self._vault.policy

    def tables(self, who: Identity) -> Mapping[str, Any]:
        """The declared tables by name, with the facts that were found about them for who asks."""
        check_right(who, "look")
        vault = self._vault_of(who) if who.role == "analyst" else self._vault
        return self._seen(vault).declared()

    def describe(self, who: Identity, table: str | None = None) -> Listing:
        """What the policy says of a table, or of all."""
        check_right(who, "look")
        if table is not None and table not in self.policy.tables:
            raise NotFound("table", table)
        return self._seen(self._vault_of(who)).describe(table)

    def columns(
        self, who: Identity, sql: str, params: Sequence[Any] | None = None
    ) -> tuple[AnswerColumn, ...]:
        """The columns that the answer to a question would have: their names and types, from its plan alone."""
        check_right(who, "explain")
        return self._seen(self._vault_of(who)).columns(sql, params=params)

    def declared_columns(self) -> dict[str, list[tuple[str, str, str]]]:
        """The columns of each table as the policy declares them: name, SQL type, what is declared."""
        found = {}
        for table in self.policy.tables:
            quoted = '"' + table.replace('"', '""') + '"'
            columns = self._vault.columns(f"SELECT * FROM {quoted} LIMIT 0")  # noqa: S608 -- a name in quotes
            said = {
                row[0]: f"{row[1]} {row[2]}".strip() for row in self._vault.describe(table).rows
            }
            found[table] = [(each.name, each.type, said.get(each.name, "")) for each in columns]
        return found

    def made_up_rows(
        self, who: Identity, names: Collection[str]
    ) -> dict[str, tuple[list[tuple[str, str]], list[tuple[Any, ...]]]]:
        """The columns and rows of the tables with these names, made up from the policy."""
        check_right(who, "explain")
        declared = self.declared_columns()
        found = {}
        for name in self.policy.tables.keys() & set(names):
            columns = [(column, kind) for column, kind, _ in declared[name]]
            found[name] = (
                columns,
                [
                    tuple(_as_typed(row.get(column), kind) for column, kind in columns)
                    for row in rows_for(self.policy.tables[name])
                ],
            )
        return found

    def sample_values(self, who: Identity) -> dict[str, Any]:
        """A declared value for each column that has some: with it a question can be read before it is bound."""
        columns = [each for shared in self.tables(who).values() for each in shared.table.columns]
        return {each.name: each.values[0] for each in columns if each.values}

    def version(self, table: str) -> int:
        """How often a table was refreshed."""
        return self._vault.ledger.version(table)

    def explain(self, who: Identity, question: Question) -> Explanation:
        """What an answer would be made of and cost."""
        check_right(who, "explain")
        self._rates.take("explanations", who.name)
        terms = {name: value for name, value in question.terms().items() if name != "raw"}
        return self._at_a_price(
            who,
            terms,
            lambda priced: self._seen(self._vault_of(who)).explain(question.sql, **priced),
        )

    def ask_twin(self, who: Identity, question: Question) -> Release:
        """The answer on made-up rows."""
        check_right(who, "ask")
        self._rates.take("questions", who.name)
        return self._at_a_price(
            who, question.terms(), lambda priced: self._twin().sql(question.sql, **priced)
        )

    def budget(self, who: Identity) -> Budget:
        """The budget of everyone and, of an analyst, the own one."""
        return self.standing(who).budget

    def budgets(self, who: Identity) -> dict[str, Budget]:
        """The budget of each analyst who has a limit."""
        check_right(who, "read everyone")
        return {name: self._seen(self._vault.of(name)).budget for name in self.policy.analysts}

    # ---------------------------------------------------------------- what is paid for

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
            versions = self._versions()
            kept = await self._read(
                lambda: self._keys.begin(who.name, key, question.body(), versions)
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
            same = who.name, json.dumps([priced.body(), self._versions()])
            running = self._asked.get(same)
            if running is not None and not running.is_done:
                running.keys += [] if key is None else [key]
                return running
            return await self._start(
                who,
                lambda vault: vault.sql(priced.sql, **priced.terms()),
                share=0.0 if found.free else found.share,
                length=await self._read(lambda: self._length(who, priced)),
                key=key,
                question=priced,
                same=same,
            )
        except TacitError as refusal:
            if key is not None:
                self._keys.end(who.name, key, None)
            self._audit.note("refused", identity=who.name, problem=type(refusal).__name__)
            raise
        except BaseException:
            if key is not None:
                self._keys.leave(who.name, key)
            raise

    async def synthesize(
        self,
        who: Identity,
        table: str,
        epsilon: Number,
        *,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
        rows: int = 100,
    ) -> Job:
        """Rows of a synthetic table, made in a slot of the longest kind; more rows of the same table are free."""
        check_right(who, "ask")

        def make(vault: Vault) -> Release:
            made = vault.synthesize(table, epsilon=epsilon, columns=columns, always=always)
            named = made.columns_of(rows)
            return Listing.of(tuple(named), list(zip(*named.values(), strict=True)))

        return await self._start_long(who, make, epsilon)

    async def find_bounds(self, who: Identity, column: str, epsilon: Number, share: Number) -> Job:
        """Bounds of a column are found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who, lambda vault: vault.find_bounds(column, epsilon=epsilon, share=share), epsilon
        )

    async def find_contributions(
        self, who: Identity, table: str, epsilon: Number, share: Number
    ) -> Job:
        """How many rows of a unit count in full is found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who,
            lambda vault: vault.find_contributions(table, epsilon=epsilon, share=share),
            epsilon,
        )

    def job(self, who: Identity, id: str) -> Job:  # noqa: A002 -- as it is called
        """A job of who asks."""
        check_right(who, "ask")
        found = self._jobs.get(id)
        if found is None or found.owner != who.name:
            raise NotFound("answer", id)
        return found

    def seconds_left(self, job: Job) -> float:
        """How long it takes until the slot of a job ends: public, and told to who waits."""
        return 0.0 if job.slot is None else self.slots.seconds_until(job.slot.ends)

    def length_of(self, job: Job) -> float:
        """How long the slot of a job is."""
        return 0.0 if job.slot is None else job.slot.ends - job.slot.starts

    def leave(self, who: Identity, id: str) -> None:  # noqa: A002 -- as it is called
        """Stop waiting: the question is asked to its end all the same, and its answer is kept."""
        self._audit.note("left", identity=who.name, job=self.job(who, id).id)

    # ---------------------------------------------------------------- what a curator or an auditor does

    def refresh(self, who: Identity, table: str) -> int:
        """Say that the rows of a table have changed."""
        check_right(who, "decide")
        if table not in self.policy.tables:
            raise NotFound("table", table)
        version = self._vault.refresh(table)
        self._audit.note("refreshed", identity=who.name, about=table)
        return version

    def reload(self, who: Identity) -> None:
        """Read the policy again."""
        check_right(who, "decide")
        self._reload(self._vault)
        self._audit.note("reloaded", identity=who.name)

    def policy_text(self, who: Identity) -> tuple[str, Path]:
        """The policy file as it is now, and where it is."""
        check_right(who, "decide")
        if self._folder is None:
            raise NotFound("file", "of a policy")
        file = self._folder / "tacit.toml"
        return file.read_text(encoding="utf-8"), file

    def operations(self, who: Identity) -> dict[str, Any]:
        """How the server does: slots used and missed, questions that wait, what was calibrated."""
        check_right(who, "decide")
        return {
            "workers": self.slots.workers,
            "slots": [
                {
                    "seconds": length,
                    "used": self.slots.used[length],
                    "missed": self.slots.missed[length],
                }
                for length in self.slots.lengths
            ],
            "running": len(self._running),
            "calibrated": self._calibration.told(),
        }

    # ---------------------------------------------------------------- its end

    async def drain(self) -> None:
        """Take no more questions, and let those that run come to their end."""
        self._closing = True
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)

    def close(self) -> None:
        """Let go of threads, files and vaults."""
        self._readers.shutdown(wait=True)
        self.slots.close()
        for twin in self._twins.values():
            twin.close()
        for vault in (*self._outdated, self._vault):
            vault.close()
        self._identities.close()

    @property
    def is_ready(self) -> bool:
        """Whether questions are taken and the ledger can be read."""
        if self._closing:
            return False
        try:
            self._vault.ledger.total_spent()
        except TacitError:
            return False
        return True

    def run(self, work: Callable[[], T]) -> Coroutine[Any, Any, T]:
        """Something that takes a few milliseconds and reads no private row, on a thread of the desk's."""
        return self._read(work)

    # ---------------------------------------------------------------- inside

    def _refuse_if_closing(self) -> None:
        if self._closing:
            raise ServerUnavailable("this address", "is stopping", "ask again in a minute")

    def _vault_of(self, who: Identity) -> Vault:
        """The vault as somebody asks it.

        Claim:      no analyst spends from the limit of everyone without a limit of her own, unless the server was told
                    that this is meant.
        Because:    whoever has none in the policy as it is now is refused here, and every look goes through here.
        Checked by: tests/unit/server/test_desk.py::test_an_analyst_without_a_limit_is_refused
        """
        if (
            who.role == "analyst"
            and not self._shared_limit
            and who.payer not in self.policy.analysts
        ):
            raise AccessDenied(
                f"{who.name!r} has no limit of their own",
                f"the curator can add one to the policy: [analysts.{who.name}]",
                signed_in=True,
            )
        return self._vault.of(who.payer)

    def _at_a_price(
        self, who: Identity, terms: dict[str, Any], work: Callable[[dict[str, Any]], T]
    ) -> T:
        """What the work makes of the terms; where no price is named at all, of the identity's usual one."""
        try:
            return work(terms)
        except InvalidInput as refusal:
            if refusal.name != "a price" or who.price is None or terms["within"] is not None:
                raise
        return work({**terms, "epsilon": Fraction(who.price)})

    def _prepare(self, who: Identity, question: Question) -> tuple[Release | Explanation, Question]:
        """The answer if it is known; else what it costs, or the refusal; and the question with its price."""

        def prepare(priced: dict[str, Any]) -> tuple[Release | Explanation, Question]:
            vault = self._seen(self._vault_of(who))
            known = vault.replay(question.sql, **priced)
            asked = Question(question.sql, **priced)
            if known is not None:
                self._note_release("replayed", who, known)
                return known, asked
            terms = {name: value for name, value in priced.items() if name != "raw"}
            told = vault.explain(question.sql, **terms)
            _refuse_shortage(who, told)
            return told, asked

        return self._at_a_price(who, question.terms(), prepare)

    def _length(self, who: Identity, question: Question) -> float:
        """How long the slot of a question is: by its class, and what was measured on made-up rows."""
        found = self._seen(self._vault_of(who)).classify(
            question.sql,
            epsilon=question.epsilon,
            within=question.within,
            params=question.params,
        )
        return self.slots.length_for(self._calibration.seconds(found))

    async def _start_finding(
        self, who: Identity, find: Callable[[Vault], Any], epsilon: Number
    ) -> Job:
        def work(vault: Vault) -> Release:
            found = find(vault)
            return Listing.of(("found",), [(str(found),)])

        return await self._start_long(who, work, epsilon)

    async def _start_long(
        self, who: Identity, work: Callable[[Vault], Release], epsilon: Number
    ) -> Job:
        """A job whose slot is as long as the longest that was measured: what it takes was not."""
        self._rates.take("questions", who.name)
        self._refuse_if_closing()
        rule = self.policy.limit.filter()
        share = float(rule.share(rule.price_of(epsilon)))
        longest = self._calibration.seconds(None)
        return await self._start(who, work, share=share, length=self.slots.length_for(longest))

    async def _start(
        self,
        who: Identity,
        look: Callable[[Vault], Release],
        *,
        share: float,
        length: float,
        key: str | None = None,
        question: Question | None = None,
        same: tuple[str, str] | None = None,
    ) -> Job:
        """A job in the next slot of this length."""

        def enter() -> None:
            self._identities.spend(who, share)
            try:
                self._unseen.enter(self._vault)
            except BaseException:
                self._identities.give_back(who, share)
                raise

        def leave() -> None:
            self._unseen.leave({})
            self._identities.give_back(who, share)

        self._waiting.enter(who.name)
        try:
            await self._finish(enter, leave)
        except BaseException:
            self._waiting.leave(who.name)
            raise
        job = Job(who.name, self.slots.reserve(length))
        job.keys += [] if key is None else [key]
        if same is not None:
            self._asked[same] = job
        self._jobs.keep(job)
        self._audit.note("asked", identity=who.name, job=job.id, share=share)
        task = asyncio.create_task(self._run(who, job, look, share, question, same))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return job

    async def _run(
        self,
        who: Identity,
        job: Job,
        look: Callable[[Vault], Release],
        share: float,
        question: Question | None,
        same: tuple[str, str] | None,
    ) -> None:
        """Look in the slot, and say what came of it when it has ended: an answer, a refusal, or one sentence."""
        assert job.slot is not None, "a job that runs has a slot"
        result: Release | Exception
        try:
            result = await self.slots.run(lambda: self._look(who, job, look), job.slot)
        except Exception as error:  # noqa: BLE001 -- what leaves of it is decided below
            result = error
        if same is not None and self._asked.get(same) is job:
            del self._asked[same]  # from here on nobody joins it
        try:
            result = await self._read(lambda: self._settle(who, job, result, share, question))
        except Exception as error:  # noqa: BLE001 -- as above
            result = error
            for key in job.keys:
                self._keys.leave(who.name, key)
        self._unseen.leave(job.written)
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
        self._waiting.leave(who.name)

    def _look(self, who: Identity, job: Job, look: Callable[[Vault], Release]) -> Release:
        """Pay and look, within the slot; nothing but the ledger is written, and what was is noted."""

        def noted(vault: Vault) -> Release:
            return look(self._unseen.noted(vault, job.written))

        return self._with_current_policy(who, noted)

    def _settle(
        self,
        who: Identity,
        job: Job,
        result: Release | Exception,
        share: float,
        question: Question | None,
    ) -> Release | Exception:
        """Keep what came of a look, once its slot has ended: before that, nobody could tell whether it has."""
        if isinstance(result, Release):
            result, paid = self._paid_for(job, result)
            if not paid:
                self._identities.give_back(who, share)
            elif not share and self._is_new(result):
                # it seemed to be paid, and was charged anew: its table was refreshed meanwhile
                self._identities.count(who, result.price.share)
            if question is not None:
                self._keep_text(who, result, question)
            for key in job.keys:
                self._keys.end(who.name, key, release_fields(result))
        elif isinstance(result, TacitError) and not isinstance(
            result, EngineFailed | LedgerUncertain
        ):
            self._identities.give_back(who, share)  # it was refused before the charge
            for key in job.keys:
                self._keys.end(who.name, key, None)
        else:
            for key in job.keys:
                self._keys.leave(who.name, key)
        return result

    def _with_current_policy(self, who: Identity, look: Callable[[Vault], Release]) -> Release:
        """Look under the policy as it is; if another process has given the ledger other limits, read it again, once.

        Claim:      nothing is answered under limits that are no longer those of the ledger.
        Because:    the ledger refuses a charge under old limits; the policy is read anew and tried once, and if that
                    fails, too, the refusal stands.  A file here that states other limits than the ledger has by now
                    is an old copy, and is not opened: that would set the new limits back.
        Checked by: tests/unit/server/test_desk.py::test_new_limits_are_read_once_or_refused
        """
        vault = self._vault
        try:
            return look(self._vault_of(who))
        except LedgerRefused:
            if self._reopen is None:
                raise
            if self._folder is not None and not limits_agree(vault, self._folder):
                raise
        self._reload(vault)
        return look(self._vault_of(who))

    def _reload(self, outdated: Vault) -> None:
        """Open the vault again, unless somebody else did so since."""
        if self._reopen is None:
            raise InvalidInput(
                "a vault in memory", "this one", "it has no policy file to read again"
            )
        with self._reloading:
            if self._vault is outdated:
                self._vault = self._reopen()
                self._outdated.append(outdated)

    def _done(self, who: Identity, release: Release) -> Job:
        job = Job(who.name)
        job.end(release)
        self._jobs.keep(job)
        return job

    def _is_first(self, release: Release) -> bool:
        """Whether an entry is answered here for the first time: two who asked at once were charged once."""
        entry = release.receipt.get("entry")
        if not isinstance(entry, int):
            return True
        with self._reloading:
            known = entry in self._paid
            self._paid.add(entry)
        return not known

    def _is_new(self, release: Release) -> bool:
        """Whether an answer was charged in a slot that has not ended."""
        view, entry = self._unseen.view, release.receipt.get("entry")
        return view is not None and isinstance(entry, int) and not view.shows(entry)

    def _paid_for(self, job: Job, release: Release) -> tuple[Release, bool]:
        """The answer, and whether it was paid for.

        If two ask at once for what nobody has seen, who of them was first to charge it, or found it answered, depends
        on how long rows take: the one whose slot ends first has paid, and the other has not.
        """
        view, entry = self._unseen.view, release.receipt.get("entry")
        assert view is not None, "its slot is counted as running"
        if not isinstance(entry, int):  # facts that were found: a listing, which names no entry
            return release, any(not view.shows_answer(number) for number in job.written)
        first = self._is_first(release)
        job.written[entry] = True  # it leaves now, whoever has charged it
        if view.shows_answer(entry):
            return release, first and not release.price.free
        return replace(release, price=replace(release.price, free=not first)), first

    def _keep_text(self, who: Identity, release: Release, question: Question) -> None:
        entry = release.receipt.get("entry")
        if isinstance(entry, int):
            self._identities.keep_text(who.name, entry, question.body())

    def _seen(self, vault: Vault) -> Vault:
        """A vault as free reads see it: without what was written in slots that have not ended."""
        return self._unseen.seen(vault)

    def _twin(self) -> Vault:
        """The twin of the vault as it is now."""
        vault = self._vault
        with self._reloading:
            if id(vault) not in self._twins:
                self._twins[id(vault)] = vault.mock()
            return self._twins[id(vault)]

    def _versions(self) -> str:
        ledger = self._vault.ledger
        return ",".join(str(ledger.version(name)) for name in sorted(self.policy.tables))

    def _note_release(self, event: str, who: Identity, release: Release) -> None:
        entry = release.receipt.get("entry")
        self._audit.note(
            event,
            identity=who.name,
            entry=entry if isinstance(entry, int) else None,
            share=release.price.share,
            free=release.price.free,
        )

    async def _finish(self, work: Callable[[], None], undo: Callable[[], None]) -> None:
        """Something that is done whole; if whoever waits for it leaves meanwhile, it is undone."""
        doing = asyncio.ensure_future(self._read(work))
        try:
            await asyncio.shield(doing)
        except asyncio.CancelledError:
            await asyncio.wait([doing])
            if not doing.cancelled() and doing.exception() is None:
                undo()
            raise

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)


def _as_typed(cell: Any, kind: str) -> Any:
    """A made-up cell as its type has it: names of units may be numbers."""
    return str(cell) if kind == "TEXT" and cell is not None else cell


def _refuse_shortage(who: Identity, told: Explanation) -> None:
    """Refuse what does not fit into what is left: it is known beforehand, and takes no slot.  What is paid fits."""
    if told.affordable or told.free:
        return
    if told.own is not None and told.own[0] > told.own[1]:
        raise LimitExceeded(who.payer, Fraction(told.own[0]), Fraction(told.own[1]))
    raise LimitExceeded(None, Fraction(told.share), Fraction(told.left))
