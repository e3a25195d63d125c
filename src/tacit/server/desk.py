"""The desk: the only place of the server that holds a vault.  Doors translate what people send; here it is decided."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from tacit.curator import (
    Budget,
    Explanation,
    Listing,
    Policy,
    Release,
    Unseen,
    Vault,
    read_release,
    release_fields,
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
from tacit.server.identities import Identities, Identity, Person, Token
from tacit.server.limits import Rates, Waiting
from tacit.server.passwords import new_secret
from tacit.server.slots import Slot, Slots

__all__ = ["RIGHTS", "Desk", "Job", "PastQuestion", "Question", "Standing", "Verification"]

RIGHTS: Mapping[str, frozenset[str]] = {
    "explain": frozenset({"analyst", "curator"}),
    "ask": frozenset({"analyst", "curator"}),
    "history": frozenset({"analyst", "curator"}),
    "look": frozenset({"analyst", "curator", "auditor"}),
    "read everyone": frozenset({"curator", "auditor"}),
    "decide": frozenset({"curator"}),
}
"""Who may do what: explain and ask; read one's own history; look at tables and budgets; read the ledger; decide."""

_READERS = 4
_JOBS_KEPT = 1_000
_JOBS_EACH = 32  # of one person
_PAGE = 200
_FURTHEST = 2**62  # no ledger has so many records

T = TypeVar("T")


@frozen
class Question:
    """What somebody asks: a text, and a price or an accuracy."""

    sql: str
    epsilon: Number | None = None
    within: Number | None = None
    confidence: float = 0.95
    raw: bool = False

    def terms(self) -> dict[str, Any]:
        """All but the text, as a vault takes it."""
        return {
            "epsilon": self.epsilon,
            "within": self.within,
            "confidence": self.confidence,
            "raw": self.raw,
        }

    def body(self) -> dict[str, Any]:
        """The question as JSON can hold it: the same for the same question."""
        price = {name: None if value is None else str(value) for name, value in self._price()}
        return {"sql": self.sql, **price, "confidence": self.confidence, "raw": self.raw}

    def _price(self) -> list[tuple[str, Number | None]]:
        return [("epsilon", self.epsilon), ("within", self.within)]


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


@frozen
class PastQuestion:
    """A question that was paid for: its entry in the ledger and, if it was asked here, its text and terms."""

    entry: int
    at: str
    analyst: str | None
    words: str
    share: float
    answered: bool
    hash: str
    sql: str | None = None
    epsilon: str | None = None
    within: str | None = None


class Job:
    """A question that is being asked, or was: it has an owner, and ends when its slot does."""

    def __init__(self, owner: str, slot: Slot | None = None) -> None:
        self.id = new_secret()[:22]
        self.owner = owner
        self.slot = slot
        self.keys: list[str] = []  # the idempotency keys under which it was asked
        self.written: dict[int, bool] = {}  # entries of the ledger, and whether they are answered
        self._ended = asyncio.Event()
        self._release: Release | None = None
        self._error: Exception | None = None

    @property
    def is_done(self) -> bool:
        """Whether its slot has ended."""
        return self._ended.is_set()

    def end(self, result: Release | Exception) -> None:
        """Say what came of it."""
        if isinstance(result, Exception):
            self._error = result
        else:
            self._release = result
        self._ended.set()

    async def result(self) -> Release:
        """The answer, once the slot has ended; whoever stops waiting changes nothing."""
        await self._ended.wait()
        return self.outcome()

    def outcome(self) -> Release:
        """The answer of a job that is done, or the refusal that it ended in."""
        if self._error is not None:
            raise self._error
        assert self._release is not None, "a job ends in an answer or a refusal"
        return self._release


class Verification:
    """A check of the whole ledger: how far it is, and what came of it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.done = 0
        self.whole = 0
        self.state = "running"
        self.told = ""

    def progress(self, done: int, whole: int) -> None:
        """Say how far it is."""
        self.done, self.whole = done, whole


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
        self._jobs: dict[str, Job] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._asked: dict[tuple[str, str], Job] = {}
        self._unseen = Unseen()
        self._closing = False
        self._paid: set[int] = set()
        self._outdated: list[Vault] = []
        self._twins: dict[int, Vault] = {}
        self._verifications: list[Verification] = []
        self._reloading = threading.Lock()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="tacit-desk")

    # ---------------------------------------------------------------- who is it

    def sign_in(self, name: str, password: str, address: str) -> Identity:
        """Somebody by name and password, if neither the name nor the address has tried too often."""
        self._rates.take("attempts to sign in from this address", address)
        self._rates.take("attempts to sign in by this name", name)
        found = self._identities.sign_in(name, password)
        if found is None:
            self._audit.note("refused to sign in", door="http")
            raise AccessDenied(
                "the name or the password is wrong",
                "try again, or ask the curator",
                signed_in=False,
            )
        self._audit.note("signed in", identity=found.name, door="http")
        return found

    def of_token(self, token: str) -> Identity:
        """Somebody by a token."""
        found = self._identities.of_token(token)
        if found is None:
            raise AccessDenied(
                "the token is wrong, revoked or has expired", "ask for another", signed_in=False
            )
        return found

    def name_of_link(self, secret: str) -> str:
        """Who may choose a password by a link; one that was used, or is too old, is refused."""
        name = self._identities.of_link(secret)
        if name is None:
            raise NotFound("link", "such as this")
        return name

    def use_link(self, secret: str, password: str) -> Identity:
        """Choose a password by a link, once."""
        found = self._identities.use_link(secret, password)
        self._audit.note("password set", identity=found.name, door="http")
        return found

    def new_token(self, who: Identity, label: str, *, days: float) -> str:
        """A token for who is signed in."""
        token = self._identities.new_token(who.name, label, days=days)
        self._audit.note("token made", identity=who.name)
        return token

    def count_request(self, who: Identity) -> None:
        """Count a request of somebody, or refuse it: one of too many."""
        self._rates.take("requests", who.name)

    def sign_out(self, who: Identity) -> None:
        """Let the sessions of somebody count no more, wherever their cookies are."""
        self._identities.end_sessions(who.name)
        self._audit.note("signed out", identity=who.name, door="http")

    def standing(self, who: Identity) -> Standing:
        """What somebody may do, and what is left."""
        self._check(who, "look")
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
        self._check(who, "look")
        vault = self._vault_of(who) if who.role == "analyst" else self._vault
        return self._seen(vault).declared()

    def describe(self, who: Identity, table: str | None = None) -> Listing:
        """What the policy says of a table, or of all."""
        self._check(who, "look")
        if table is not None and table not in self.policy.tables:
            raise NotFound("table", table)
        return self._seen(self._vault_of(who)).describe(table)

    def version(self, table: str) -> int:
        """How often a table was refreshed."""
        return self._vault.ledger.version(table)

    def explain(self, who: Identity, question: Question) -> Explanation:
        """What an answer would be made of and cost."""
        self._check(who, "explain")
        self._rates.take("explanations", who.name)
        terms = {name: value for name, value in question.terms().items() if name != "raw"}
        return self._at_a_price(
            who,
            terms,
            lambda priced: self._seen(self._vault_of(who)).explain(question.sql, **priced),
        )

    def ask_twin(self, who: Identity, question: Question) -> Release:
        """The answer on made-up rows."""
        self._check(who, "ask")
        self._rates.take("questions", who.name)
        return self._at_a_price(
            who, question.terms(), lambda priced: self._twin().sql(question.sql, **priced)
        )

    def budget(self, who: Identity) -> Budget:
        """The budget of everyone and, of an analyst, the own one."""
        return self.standing(who).budget

    def budgets(self, who: Identity) -> dict[str, Budget]:
        """The budget of each analyst who has a limit."""
        self._check(who, "read everyone")
        return {name: self._seen(self._vault.of(name)).budget for name in self.policy.analysts}

    def history(
        self, who: Identity, *, before: int | None = None, most: int = 50, table: str | None = None
    ) -> list[PastQuestion]:
        """What somebody paid for, newest first."""
        self._check(who, "history")
        own = (
            entry
            for entry in self._entries()
            if entry.analyst == who.payer
            and (before is None or entry.number < before)
            and (table is None or self._is_about(entry, table))
        )
        texts = self._texts(who.name)
        return [self._past(entry, texts) for entry in islice(own, min(most, _PAGE))]

    def spending(self, who: Identity) -> list[tuple[str, float]]:
        """When which share of the limit was spent: by oneself or, for who may see it, by everyone."""
        self._check(who, "look")
        everyone = who.role in RIGHTS["read everyone"]
        rule = self.policy.limit.filter()
        return [
            (entry.at, float(rule.share(entry.charge)))
            for entry in self._seen(self._vault).ledger.entries()
            if everyone or entry.analyst == who.payer
        ]

    def receipt(self, who: Identity, entry: int) -> dict[str, Any]:
        """The receipt of an answer: one's own, or anybody's for who may read the ledger."""
        self._check(who, "look")
        entries = self._seen(self._vault).ledger.entries()
        found = next((each for each in entries if each.number == entry), None)
        hidden = found is not None and not self._may_read(who, found.analyst)
        if found is None or hidden or found.payload is None:
            raise NotFound("receipt", entry)
        return dict(self._vault.receipt(found))

    def check_receipt(self, who: Identity, receipt: Mapping[str, Any]) -> list[str]:
        """What a receipt says that the ledger does not; of somebody else's entry it is not said."""
        self._check(who, "look")
        number = receipt.get("entry")
        if type(number) is not int:
            return [f"names entry {number!r}, which is not in the ledger"]
        self.receipt(who, number)
        return self._seen(self._vault).check_receipt(receipt)

    # ---------------------------------------------------------------- what is paid for

    async def ask(self, who: Identity, question: Question, key: str | None = None) -> Job:
        """A question is asked: at once, if its answer is known, and else in the next slot of its class.

        Claim:      a question that is sent again, or whose sender has left, is charged once; an idempotency key pins
                    its bytes.
        Because:    the job runs by itself, the ledger knows a question by its plan and price, and the key is written
                    down before the question is asked and its answer before it leaves.
        Checked by: tests/unit/server/test_desk.py::test_a_question_that_is_sent_again_is_charged_once
        """
        self._check(who, "ask")
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
                share=found.share,
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

    async def find_bounds(self, who: Identity, column: str, epsilon: Number, share: Number) -> Job:
        """Bounds of a column are found, privately and at a price, in a slot."""
        self._check(who, "decide")
        return await self._start_finding(
            who, lambda vault: vault.find_bounds(column, epsilon=epsilon, share=share), epsilon
        )

    async def find_contributions(
        self, who: Identity, table: str, epsilon: Number, share: Number
    ) -> Job:
        """How many rows of a unit count in full is found, privately and at a price, in a slot."""
        self._check(who, "decide")
        return await self._start_finding(
            who,
            lambda vault: vault.find_contributions(table, epsilon=epsilon, share=share),
            epsilon,
        )

    def job(self, who: Identity, id: str) -> Job:  # noqa: A002 -- as it is called
        """A job of who asks."""
        self._check(who, "ask")
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

    def records(self, who: Identity, *, first: int = 0, most: int = _PAGE) -> list[dict[str, Any]]:
        """Records of the ledger, from a number on."""
        self._check(who, "read everyone")
        self._audit.note("read ledger", identity=who.name)
        return list(
            islice(self._records(), min(first, _FURTHEST), min(first, _FURTHEST) + min(most, _PAGE))
        )

    def verify(self, who: Identity) -> Verification:
        """Begin to check the whole ledger; `verification` says how far it is."""
        self._check(who, "read everyone")
        check = Verification(len(self._verifications))
        self._verifications.append(check)
        vault = self._vault

        def run() -> None:
            try:
                seen = None if self._unseen.view is None else sum(1 for _ in self._records())

                def progress(done: int, whole: int) -> None:
                    most = whole if seen is None else seen
                    check.progress(min(done, most), min(whole, most))

                vault.verify(progress)
            except TacitError as fault:
                check.state, check.told = "broken", str(fault)
            else:
                check.state = "whole"
                check.told = f"{check.whole:,} records are whole"

        self._audit.note("verified", identity=who.name)
        self._readers.submit(run)
        return check

    def verification(self, who: Identity, number: int) -> Verification:
        """A check of the ledger that was begun."""
        self._check(who, "read everyone")
        if not 0 <= number < len(self._verifications):
            raise NotFound("verification", number)
        return self._verifications[number]

    def refresh(self, who: Identity, table: str) -> int:
        """Say that the rows of a table have changed."""
        self._check(who, "decide")
        if table not in self.policy.tables:
            raise NotFound("table", table)
        version = self._vault.refresh(table)
        self._audit.note("refreshed", identity=who.name, about=table)
        return version

    def reload(self, who: Identity) -> None:
        """Read the policy again."""
        self._check(who, "decide")
        self._reload(self._vault)
        self._audit.note("reloaded", identity=who.name)

    def people(self, who: Identity) -> list[Person]:
        """Everybody who may sign in."""
        self._check(who, "decide")
        return self._identities.people()

    def tokens(self, who: Identity) -> list[Token]:
        """Everybody's tokens for a curator, and one's own for everybody else."""
        self._check(who, "look")
        return self._identities.tokens(None if who.role in RIGHTS["decide"] else who.name)

    def revoke_token(self, who: Identity, id: str) -> None:  # noqa: A002 -- as it is called
        """Let a token count no more: any for a curator, and one's own for everybody else."""
        self._check(who, "look")
        self._identities.revoke(id, None if who.role in RIGHTS["decide"] else who.name)
        self._audit.note("token revoked", identity=who.name, about=id)

    def add_person(
        self, who: Identity, name: str, role: str, *, price: str | None, allowance: float | None
    ) -> str:
        """Add somebody; a link by which they choose a password."""
        self._check(who, "decide")
        self._identities.add(name, role, price=price, allowance=allowance)
        self._audit.note("added", identity=who.name, about=name)
        return self._identities.new_link(name)

    def reset_password(self, who: Identity, name: str) -> str:
        """A link by which somebody chooses another password."""
        self._check(who, "decide")
        return self._identities.new_link(name)

    def token_for(self, who: Identity, name: str, label: str, *, days: float) -> str:
        """A token for somebody else, which is shown once."""
        self._check(who, "decide")
        token = self._identities.new_token(name, label, days=days)
        self._audit.note("token made", identity=who.name, about=name)
        return token

    def set_disabled(self, who: Identity, name: str, *, disabled: bool) -> None:
        """Let somebody in no more, or again."""
        self._check(who, "decide")
        if disabled and name == who.name:
            raise InvalidInput("name", name, "nobody disables their own name")
        (self._identities.disable if disabled else self._identities.enable)(name)
        self._audit.note("disabled" if disabled else "enabled", identity=who.name, about=name)

    def policy_text(self, who: Identity) -> tuple[str, Path]:
        """The policy file as it is now, and where it is."""
        self._check(who, "decide")
        if self._folder is None:
            raise NotFound("file", "of a policy")
        file = self._folder / "tacit.toml"
        return file.read_text(encoding="utf-8"), file

    def check_right(self, who: Identity, right: str) -> None:
        """Refuse who may not do this."""
        self._check(who, right)

    def operations(self, who: Identity) -> dict[str, Any]:
        """How the server does: slots used and missed, questions that wait, what was calibrated."""
        self._check(who, "decide")
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

    def _check(self, who: Identity, right: str) -> None:
        if who.role not in RIGHTS[right]:
            raise AccessDenied(
                f"this is not for the role {who.role}",
                "ask somebody whose role allows it",
                signed_in=True,
            )

    def _may_read(self, who: Identity, analyst: str | None) -> bool:
        return who.role in RIGHTS["read everyone"] or analyst == who.payer

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
            question.sql, epsilon=question.epsilon, within=question.within
        )
        return self.slots.length_for(self._calibration.seconds(found))

    async def _start_finding(
        self, who: Identity, find: Callable[[Vault], Any], epsilon: Number
    ) -> Job:
        self._rates.take("questions", who.name)
        self._refuse_if_closing()

        def work(vault: Vault) -> Release:
            found = find(vault)
            return Listing.of(("found",), [(str(found),)])

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
        self._keep(job)
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
                    fails, too, the refusal stands.
        Checked by: tests/unit/server/test_desk.py::test_new_limits_are_read_once_or_refused
        """
        vault = self._vault
        try:
            return look(self._vault_of(who))
        except LedgerRefused:
            if self._reopen is None:
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
        self._keep(job)
        return job

    def _keep(self, job: Job) -> None:
        """Remember a job, and forget the oldest that are done."""
        self._jobs[job.id] = job
        own = [
            name for name, each in self._jobs.items() if each.owner == job.owner and each.is_done
        ]
        for name in own[: max(0, len(own) - _JOBS_EACH)]:
            del self._jobs[name]
        if len(self._jobs) > _JOBS_KEPT:
            done = [name for name, each in self._jobs.items() if each.is_done]
            for name in done[: len(self._jobs) - _JOBS_KEPT]:
                del self._jobs[name]

    def _is_first(self, release: Release) -> bool:
        """Whether an entry is answered here for the first time: two who asked at once were charged once."""
        entry = release.receipt.get("entry")
        if not isinstance(entry, int):
            return True
        with self._reloading:
            known = entry in self._paid
            self._paid.add(entry)
        return not known

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

    def _texts(self, name: str) -> dict[int, dict[str, Any]]:
        return self._identities.texts(name)

    def _entries(self) -> Iterator[Any]:
        """The entries of the ledger, newest first."""
        return reversed(list(self._seen(self._vault).ledger.entries()))

    def _seen(self, vault: Vault) -> Vault:
        """A vault as free reads see it: without what was written in slots that have not ended."""
        return self._unseen.seen(vault)

    def _records(self) -> Iterator[dict[str, Any]]:
        """The records of the ledger, up to the first that was written in a slot that has not ended."""
        return self._unseen.records(self._vault)

    def _is_about(self, entry: Any, table: str) -> bool:
        if entry.payload is None:
            return False
        return table in str(self._vault.receipt(entry).get("table", "")).split(", ")

    def _past(self, entry: Any, texts: Mapping[int, Mapping[str, Any]]) -> PastQuestion:
        text = texts.get(entry.number, {})
        return PastQuestion(
            entry.number,
            entry.at,
            entry.analyst,
            entry.about,
            float(self.policy.limit.filter().share(entry.charge)),
            entry.is_answered,
            entry.hash.hex(),
            text.get("sql"),
            text.get("epsilon"),
            text.get("within"),
        )

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


def _refuse_shortage(who: Identity, told: Explanation) -> None:
    """Refuse what does not fit into what is left: it is known beforehand, and takes no slot."""
    if told.affordable:
        return
    if told.own is not None and told.own[0] > told.own[1]:
        raise LimitExceeded(who.payer, Fraction(told.own[0]), Fraction(told.own[1]))
    raise LimitExceeded(None, Fraction(told.share), Fraction(told.left))
