"""The ledger that outlives its process: one set of rules over any store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.accounting import Charge, Filter
from tacit.errors import (
    InvalidInput,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LedgerUncertain,
    LimitExceeded,
)
from tacit.ledger.anchor import Anchor
from tacit.ledger.chain import RESTORE, Chain
from tacit.ledger.fork_safety import survives_forks
from tacit.ledger.group_commit import Ticket, Turns
from tacit.ledger.ledger import Entry, Ledger, check_limits, check_question, check_table, now
from tacit.ledger.places import Note, Whereabouts
from tacit.ledger.records import Founding, adoption_fields, fields_of, founding_fields, limit_fields
from tacit.ledger.store import EMPTY, Head, Record, Session, Store
from tacit.ledger.transaction import Page, entry_at, paid, spent_by, version_of
from tacit.ledger.verification import (
    Progress,
    check_since,
    digest_totals,
    disagreement,
    verify_chain,
)
from tacit.privacy import Loss

__all__ = ["DurableLedger"]

MANY = 200  # what is read at a time


class DurableLedger(Ledger):
    """A ledger kept in a store, opened by `sqlite_ledger` or `postgres_ledger`.

    Claim:      what `charge` or `settle` returned is on the disk and remembered by the anchor; what was refused was not
                charged, and what failed was not charged or is found again under its key; an older ledger, or one
                that belongs to another place, is not opened; nothing altered is used.
    Because:    within one exclusive transaction: compare with the anchor, look for the key, check the limit of
                everyone and the analyst's, append; then commit, advance the anchor, and only then return.  Opening
                checks names, the anchor's record, all totals, the first record and what is new since the anchor was
                written; any older record is hashed up to there when it is used, and `verify` reads all of them.
    Checked by: tests/unit/ledger/test_durable.py, tests/unit/ledger/test_tampering.py and tests/laws/test_ledgers.py
    """

    def __init__(
        self,
        store: Store,
        anchor: Anchor,
        founding: Founding,
        limit: Filter,
        analysts: Mapping[str, Filter] | None = None,
        *,
        names: Sequence[str] = (),
        adopting: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Opens the ledger and compares it with its anchor; founds it if there is none.

        `names` are what the vault and its ledger are asked for by; `adopting` says why a ledger that differs from its
        anchor, or lies elsewhere than before, is to be taken as it is.  `progress` is told if all has to be read.
        """
        if Founding.of(founding.unit, limit) != founding:
            raise InvalidInput(
                "founding", founding, "state the neighbours and the currency of the limit"
            )
        self._limit = limit
        self._analysts = check_limits(limit, analysts)
        self._policy = limit_fields(limit, self._analysts)
        self._store = store
        self._anchor = anchor
        self._whereabouts = Whereabouts(store.place, names, anchor.file.parent)
        self._limits = 0  # the number of the record that set the limits
        self._identity = b""  # the hash of the first record
        # What earlier records are read through: one for who writes, and sees what is not committed; one for readers.
        self._written = self._read = Chain(store.place, EMPTY)
        self._looking = threading.Lock()
        self._turns: Turns[Page] = Turns(self._commit_batch)
        survives_forks(self)
        try:
            self._open(founding, adopting, progress)
        except BaseException:
            store.close()
            raise

    # ------------------------------------------------------------ the protocol

    def charge(
        self,
        key: bytes,
        loss: Loss,
        analyst: str | None = None,
        *,
        topic: bytes = b"",
        about: str = "",
        once: bool = False,
    ) -> Entry:
        """The entry that pays for this; see `Ledger.charge`."""
        check_question(key, analyst, self._analysts, topic, about)
        asked = Entry(0, key, analyst, self._limit.price(loss), topic=topic, about=about, at=now())
        least = Charge() if once else asked.charge
        try:
            return self._run_in_turn(lambda page: self._write_charge(page, asked, least))
        except (LedgerBusy, LedgerUnavailable):
            known = self._find_paid(key, least)  # which is found even where nothing can be written
            if known is None:
                raise
            return known

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored; see `Ledger.settle`."""
        if not isinstance(payload, bytes):
            raise InvalidInput("payload", type(payload).__name__, "store the answer as bytes")
        return self._run_in_turn(lambda page: page.settle(entry, payload))

    def total_spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""
        with self._reading() as session:
            return spent_by(session, analyst)

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """All entries that there are now, or some of them, oldest first."""
        with self._reading() as session:
            count = int(session.tally("entries") or 0)
        return self._entries(max(first, 0), count if below is None else min(below, count))

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic, newest first."""
        below = 2**62
        while below:
            with self._reading() as session:
                chain = self._chain_of(session)
                lines = session.by_topic(topic, below, MANY)
                found = [entry_at(self.place, session, chain, line) for line in lines]
            yield from found
            lowest = found[-1].number if found else 0
            if lowest >= below:  # a broken index leads round in a circle
                raise LedgerRefused(self.place, "is damaged: its indexes are broken", RESTORE)
            below = lowest

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key, answered or not, oldest first."""
        with self._reading() as session:
            chain = self._chain_of(session)
            lines = session.by_key(key)
            return iter([entry_at(self.place, session, chain, line) for line in lines])

    def version(self, table: str) -> int:
        """How often the curator has refreshed a table."""
        with self._reading() as session:
            return version_of(session, check_table(table))

    def refresh(self, table: str) -> int:
        """The next version of a table; see `Ledger.refresh`."""
        name = check_table(table)
        version: int = self._turns.do(lambda page: page.refresh(name))
        return version

    # ------------------------------------------------------------ for those who look after it

    @property
    def place(self) -> str:
        """Where the ledger lies."""
        return self._store.place

    def note(self, about: str) -> Note:
        """What is noted outside of it, beside its anchor, about something of this very ledger."""
        return Note(f"{about} of ledger {self._identity.hex()}", self._anchor.file.parent)

    def has_limits(self, limit: Filter, analysts: Mapping[str, Filter]) -> bool:
        """Whether these are the limits by now, which another process may have set."""
        with self._reading() as session:
            was = _record_fields(session, int(session.tally("limits") or 0))
        wanted, parts = limit_fields(limit, check_limits(limit, analysts)), ("everyone", "analysts")
        return [was[part] for part in parts] == [wanted[part] for part in parts]

    def records(self) -> Iterator[Record]:
        """All records that there are now, oldest first; `fields_of(record)` says what is in one."""
        with self._reading() as session:
            count = session.head().records
        for start in range(0, count, MANY):
            with self._reading() as session:
                found = list(
                    self._chain_of(session).records(session, start, min(start + MANY, count))
                )
            yield from found

    def verify(self, progress: Progress | None = None) -> Head:
        """The head of the chain, after everything was read and found sound; see verification.py."""
        return self._sound(self._anchor, progress, whole=True)

    def close(self) -> None:
        """Let go of the store; whoever uses the ledger again connects again."""
        with self._turns.take_turn(), self._looking:
            self._store.close()

    def before_fork(self) -> None:
        """Wait until nobody writes or reads, and let go of the store; see fork_safety.py."""
        self._turns.take()
        self._looking.acquire()
        self._store.close()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; what threads of the parent were waiting for is the parent's to do."""
        self._looking.release()
        (self._turns.forget if in_child else self._turns.leave)()

    # ------------------------------------------------------------ writing

    def _run_in_turn(self, task: Callable[[Page], Entry]) -> Entry:
        entry: Entry = self._turns.do(task)
        return entry

    def _commit_batch(self, batch: Sequence[Ticket[Page]]) -> None:
        """One transaction for all who wait; only then does anybody learn what came of it."""
        with self._store.writing() as session:
            self._compare(session)
            page = Page(session, self.place, self._written, self._identity)
            self._check_limits(page)
            for ticket in batch:
                ticket.attempt(page)
            page.close()
        self._remember(page.head)

    def _compare(self, session: Session) -> None:
        """Refuse to write into a ledger that is not the anchor's any more, or whose totals are not."""
        remembered = self._anchor.read()
        differs = disagreement(session, remembered) or self._other_home(self._identity)
        if differs is not None:
            raise LedgerRefused(self.place, *differs)
        found = check_since(self.place, session, remembered or EMPTY, self._policy)
        self._identity = _identity_in(session) if found is None else found[1]
        if not self._written.follows(session):
            self._written = Chain(self.place, remembered or EMPTY)

    def _other_home(self, identity: bytes) -> tuple[str, str] | None:
        """That this ledger was taken over elsewhere since, if it was, and what to do."""
        home = self._whereabouts.find_other_home(identity) if identity else None
        if home is None:
            return None
        return (
            (
                f"is a copy; the ledger in use is at {home}, and what was spent there would be "
                "forgotten"
            ),
            (
                "use the vault there; if it was moved here and is the newest copy, accept it with "
                "`tacit ledger adopt`"
            ),
        )

    def _check_limits(self, page: Page) -> None:
        if page.number("limits") != self._limits:
            raise LedgerRefused(
                self.place, "has new limits, set by another process", "open the vault again"
            )

    def _remember(self, head: Head) -> None:
        """Advance the anchor; if it cannot be, what was committed is not acknowledged."""
        try:
            self._anchor.advance(head)
        except LedgerUnavailable as failure:
            raise LedgerUncertain(self.place, failure.reason, failure.remedy) from None

    def _write_charge(self, page: Page, asked: Entry, least: Charge) -> Entry:
        known = page.find_paid(asked.key, least)
        if known is not None:
            return known
        _check(page, asked.charge, None, self._limit)
        if asked.analyst in self._analysts:
            _check(page, asked.charge, asked.analyst, self._analysts[asked.analyst])
        return page.enter(asked, self._limits)

    # ------------------------------------------------------------ reading

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with self._looking, self._store.reading() as session:
            yield session

    def _find_paid(self, key: bytes, least: Charge) -> Entry | None:
        """What paid for this before, as far as the anchor remembers."""
        with self._reading() as session:
            known = paid(self.place, session, self._chain_of(session), key, least)
            head = replace(session.head(), totals=digest_totals(session, session.tallies()))
        if known is not None:
            self._remember(head)
        return known

    def _chain_of(self, session: Session) -> Chain:
        """The chain that records are read through, begun anew if another process adopted another copy meanwhile."""
        if not self._read.follows(session):
            remembered = self._anchor.read()
            differs = disagreement(session, remembered)
            if differs is not None:
                raise LedgerRefused(self.place, *differs)
            self._read = Chain(self.place, remembered or EMPTY)
        return self._read

    def _entries(self, first: int, count: int) -> Iterator[Entry]:
        for start in range(first, count, MANY):
            with self._reading() as session:
                chain = self._chain_of(session)
                lines = session.lines(start, min(MANY, count - start))
                found = [entry_at(self.place, session, chain, line) for line in lines]
            yield from found

    # ------------------------------------------------------------ opening

    def _open(self, founding: Founding, adopting: str | None, progress: Progress | None) -> None:
        if adopting is not None:
            self._sound(None, progress, whole=True)
            self._write_opening(founding, adopting)
            return
        differs = self._whereabouts.find_contradiction()
        if differs is not None:
            raise LedgerRefused(self.place, *differs)
        head = self._sound(self._anchor, progress)
        if not head.records:
            self._anchor.begin()
            self._whereabouts.remember(None)
            self._write_opening(founding, None)
        elif not self._is_current(founding):
            self._write_opening(founding, None)
        else:
            # where nothing can be written, nothing is charged either
            with suppress(LedgerUnavailable):
                self._anchor.advance(head)
                self._whereabouts.remember(self._identity)

    def _write_opening(self, founding: Founding, adopting: str | None) -> None:
        with self._turns.take_turn():
            self._store.lay_out()
            with self._store.writing() as session:
                if adopting is None:
                    self._compare(session)
                page = Page(
                    session, self.place, self._written, self._identity or _identity_in(session)
                )
                self._write_founding(page, founding, adopting)
                page.close()
            if adopting is not None:
                self._anchor.replace(page.head)
            self._identity = page.identity
            self._written, self._read = Chain(self.place, page.head), Chain(self.place, page.head)
            self._remember(page.head)
            self._whereabouts.remember(self._identity)

    def _write_founding(self, page: Page, founding: Founding, adopting: str | None) -> None:
        """What opening writes: the first record of a new ledger, that it was adopted, limits that are new."""
        found = page.head
        if not found.records:
            page.append(founding_fields(founding))
            page.set("entries", 0)
            page.spend(None, Charge())
        self._check_founding(page.session, founding)
        if adopting is not None:
            page.append(adoption_fields(adopting, self._anchored_head(), found))
        if not found.records or not self._limits_agree(page.session):
            self._limits = page.append(
                limit_fields(self._limit, self._analysts, page.number("limits"))
            ).number
            page.set("limits", self._limits)

    def _sound(
        self, anchor: Anchor | None, progress: Progress | None, *, whole: bool = False
    ) -> Head:
        """The head of the chain, compared with its anchor if one is given; with `whole`, after all of it was read.

        The anchor is read first: others may charge meanwhile, and then the ledger is ahead.  If they differ all the
        same and the anchor has changed since, a ledger was being founded: look again.
        """
        while True:
            remembered = anchor.read() if anchor is not None else None
            head, differs = self._compare_head(remembered, progress, whole=whole)
            if anchor is None or differs is None:
                return head
            if anchor.read() == remembered:
                raise LedgerRefused(self.place, *differs)

    def _compare_head(
        self, remembered: Head | None, progress: Progress | None, *, whole: bool
    ) -> tuple[Head, tuple[str, str] | None]:
        """The head of the chain, with a digest of its totals, and how it differs from what is remembered."""
        with self._looking:
            if not self._store.ready():
                return EMPTY, disagreement(None, remembered)
            for fault in self._store.faults():
                raise LedgerRefused(self.place, fault, RESTORE)
            with self._store.reading() as session:
                found = self._since(session, remembered) if not whole else None
                if found is None:
                    for fault in self._store.read_pages():
                        raise LedgerRefused(self.place, fault, RESTORE)
                    head = verify_chain(self.place, session, progress)
                    found = Chain(self.place, head), _identity_in(session)
                head, (chain, identity) = session.head(), found
                differs = disagreement(session, remembered)
                if remembered is None or differs is None:
                    differs = self._other_home(identity) or differs
                self._identity, self._written, self._read = identity, Chain(self.place, head), chain
                return replace(head, totals=digest_totals(session, session.tallies())), differs

    def _since(self, session: Session, remembered: Head | None) -> tuple[Chain, bytes] | None:
        """The chain since what is remembered, if the ledger is that one; None if all has to be read."""
        if remembered is None or disagreement(session, remembered) is not None:
            return None
        return check_since(self.place, session, remembered, self._policy)

    def _is_current(self, founding: Founding) -> bool:
        """Whether opening has nothing to write."""
        with self._reading() as session:
            self._check_founding(session, founding)
            return self._limits_agree(session)

    def _check_founding(self, session: Session, founding: Founding) -> None:
        was, wanted = _record_fields(session, 0), founding_fields(founding)
        for name in ("unit", "neighbours", "currency"):
            if was[name] != wanted[name]:
                raise LedgerRefused(
                    self.place,
                    f"was created with {name} {was[name]!r}, but the policy says {wanted[name]!r}",
                    "unit, neighbours and whether delta is 0 cannot change: restore the "
                    "policy, or create a new vault",
                )

    def _limits_agree(self, session: Session) -> bool:
        self._limits = int(session.tally("limits") or 0)
        was, wanted = (
            _record_fields(session, self._limits),
            limit_fields(self._limit, self._analysts),
        )
        return all(was[name] == wanted[name] for name in ("everyone", "analysts"))

    def _anchored_head(self) -> Head | None:
        """What the anchor held when the ledger was adopted; a damaged anchor holds nothing."""
        try:
            return self._anchor.read()
        except LedgerRefused:
            return None


def _check(page: Page, price: Charge, payer: str | None, limit: Filter) -> None:
    spent = page.total_spent(payer)
    if not limit.admits(spent, price):
        left = max(1 - limit.share(spent), Fraction(0))
        raise LimitExceeded(payer, limit.share(price), left, limit.epsilon_left(spent, price))


def _identity_in(session: Session) -> bytes:
    """The hash of the first record, by which a ledger is told from all others; nothing if there is none."""
    first = session.record(0)
    return b"" if first is None else first.hash


def _record_fields(session: Session, number: int) -> dict[str, Any]:
    record = session.record(number)
    assert record is not None, "records are never removed"
    return fields_of(record)
