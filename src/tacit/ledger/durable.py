"""The ledger that outlives its process: one set of rules over any store."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from tacit.accounting import Charge, Filter
from tacit.errors import InvalidInput, LedgerBusy, LedgerRefused, LedgerUnavailable, LedgerUncertain, LimitExceeded
from tacit.ledger.anchor import Anchor
from tacit.ledger.forks import survives_forks
from tacit.ledger.ledger import Entry, Ledger, check_limits, check_question, check_table, now
from tacit.ledger.page import Page, entry_at, paid, spent_by, version_of
from tacit.ledger.records import Founding, adopted, entry_of, fields_of, founded, limited
from tacit.ledger.store import EMPTY, Head, Record, Session, Store
from tacit.ledger.turns import Ticket, Turns
from tacit.ledger.verification import RESTORE, Progress, disagreement, verified
from tacit.privacy import Loss

__all__ = ["DurableLedger"]

MANY = 200  # what is read at a time


class DurableLedger(Ledger):
    """A ledger kept in a store, opened by `sqlite_ledger` or `postgres_ledger`.

    Claim:      what `charge` or `settle` returned is on the disk and remembered by the anchor; what was refused was not
                charged, and what failed was not charged or is found again under its key; an older or altered ledger
                is not used.
    Because:    within one exclusive transaction: compare with the anchor, look for the key, check the limit of
                everyone and the analyst's, append; then commit, advance the anchor, and only then return.
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
        adopting: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Opens the ledger and verifies all of it; founds it if there is none.

        `adopting` says why a ledger that differs from its anchor is to be taken as it is.
        """
        if Founding.of(founding.unit, limit) != founding:
            raise InvalidInput("founding", founding, "state the neighbours and the currency of the limit")
        self._limit = limit
        self._analysts = check_limits(limit, analysts)
        self._store = store
        self._anchor = anchor
        self._limits = 0  # the number of the record that set the limits
        self._looking = threading.Lock()
        self._turns: Turns[Page] = Turns(self._together)
        survives_forks(self)
        try:
            self._open(founding, adopting, progress)
        except BaseException:
            store.close()
            raise

    # ------------------------------------------------------------ the protocol

    def charge(
        self, key: bytes, loss: Loss, analyst: str | None = None, *, topic: bytes = b"", about: str = ""
    ) -> Entry:
        """The entry that pays for this; see `Ledger.charge`."""
        check_question(key, analyst, self._analysts, topic, about)
        asked = Entry(0, key, analyst, self._limit.price(loss), topic=topic, about=about, at=now())
        try:
            return self._done(lambda page: self._charged(page, asked))
        except (LedgerBusy, LedgerUnavailable):
            known = self._paid(asked)  # which is found even where nothing can be written
            if known is None:
                raise
            return known

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored; see `Ledger.settle`."""
        if not isinstance(payload, bytes):
            raise InvalidInput("payload", type(payload).__name__, "store the answer as bytes")
        return self._done(lambda page: page.settle(entry, payload))

    def spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""
        with self._reading() as session:
            return spent_by(session, analyst)

    def entries(self) -> Iterator[Entry]:
        """All entries that there are now, oldest first."""
        with self._reading() as session:
            count = int(session.tally("entries") or 0)
        return self._entries(count)

    def answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic, newest first."""
        below = 2**62
        while below:
            with self._reading() as session:
                found = [entry_at(session, line) for line in session.by_topic(topic, below, MANY)]
            yield from found
            below = found[-1].number if found else 0

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

    def records(self) -> Iterator[Record]:
        """All records that there are now, oldest first; `fields_of(record)` says what is in one."""
        with self._reading() as session:
            count = session.head().records
        for start in range(0, count, MANY):
            with self._reading() as session:
                found = session.records(start, min(MANY, count - start))
            yield from found

    def verify(self, progress: Progress | None = None) -> Head:
        """The head of the chain, after everything was read and found sound; see verification.py."""
        return self._sound(self._anchor, progress)

    def close(self) -> None:
        """Let go of the store; whoever uses the ledger again connects again."""
        with self._turns.alone(), self._looking:
            self._store.close()

    def before_fork(self) -> None:
        """Wait until nobody writes or reads, and let go of the store; see forks.py."""
        self._turns.take()
        self._looking.acquire()
        self._store.close()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; what threads of the parent were waiting for is the parent's to do."""
        self._looking.release()
        (self._turns.forget if in_child else self._turns.leave)()

    # ------------------------------------------------------------ writing

    def _done(self, task: Callable[[Page], Entry]) -> Entry:
        entry: Entry = self._turns.do(task)
        return entry

    def _together(self, batch: Sequence[Ticket[Page]]) -> None:
        """One transaction for all who wait; only then does anybody learn what came of it."""
        with self._store.writing() as session:
            page = Page(session)
            self._compare(session)
            self._check_limits(page)
            for ticket in batch:
                ticket.attempt(page)
            page.close()
        self._remember(page.head)

    def _compare(self, session: Session) -> None:
        """Refuse to write into a ledger that is not the anchor's any more."""
        differs = disagreement(session, self._anchor.read())
        if differs is not None:
            raise LedgerRefused(self.place, *differs)

    def _check_limits(self, page: Page) -> None:
        if page.number("limits") != self._limits:
            raise LedgerRefused(self.place, "was given other limits by another process", "open the vault again")

    def _remember(self, head: Head) -> None:
        """Advance the anchor; if it cannot be, what was committed is not acknowledged."""
        try:
            self._anchor.advance(head)
        except LedgerUnavailable as failure:
            raise LedgerUncertain(self.place, failure.reason, failure.remedy) from None

    def _charged(self, page: Page, asked: Entry) -> Entry:
        known = paid(page.session, asked.key, asked.charge)
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

    def _paid(self, asked: Entry) -> Entry | None:
        """What paid for this before, as far as the anchor remembers."""
        with self._reading() as session:
            known, head = paid(session, asked.key, asked.charge), session.head()
        if known is not None:
            self._remember(head)
        return known

    def _entries(self, count: int) -> Iterator[Entry]:
        for start in range(0, count, MANY):
            with self._reading() as session:
                lines = session.lines(start, min(MANY, count - start))
                first = lines[0].record
                records = session.records(first, lines[-1].record - first + 1)
            yield from (entry_of(records[line.record - first], line.payload) for line in lines)

    # ------------------------------------------------------------ opening

    def _open(self, founding: Founding, adopting: str | None, progress: Progress | None) -> None:
        if adopting is not None:
            self._sound(None, progress)
            self._write_opening(founding, adopting)
        elif not self._sound(self._anchor, progress).records:
            self._anchor.begin()
            self._write_opening(founding, None)
        elif not self._agreed(founding):
            self._write_opening(founding, None)

    def _write_opening(self, founding: Founding, adopting: str | None) -> None:
        with self._turns.alone():
            self._store.lay_out()
            with self._store.writing() as session:
                page = Page(session)
                if adopting is None:
                    self._compare(session)
                self._opened(page, founding, adopting)
                page.close()
            if adopting is not None:
                self._anchor.replace(page.head)
            self._remember(page.head)

    def _opened(self, page: Page, founding: Founding, adopting: str | None) -> None:
        """What opening writes: the first record of a new ledger, that it was adopted, limits that are new."""
        found = page.head
        if not found.records:
            page.append(founded(founding))
            page.set("entries", 0)
            page.spend(None, Charge())
        self._check_founding(page.session, founding)
        if adopting is not None:
            page.append(adopted(adopting, self._remembered(), found))
        if not found.records or not self._limits_agree(page.session):
            self._limits = page.append(limited(self._limit, self._analysts)).number
            page.set("limits", self._limits)

    def _sound(self, anchor: Anchor | None, progress: Progress | None) -> Head:
        """The head of the chain, verified, and compared with its anchor if one is given.

        The anchor is read first: others may charge meanwhile, and then the ledger is ahead.  If they differ all the
        same and the anchor has changed since, a ledger was being founded: look again.
        """
        while True:
            remembered = anchor.read() if anchor is not None else None
            head, differs = self._read_all(remembered, progress)
            if anchor is None or differs is None:
                return head
            if anchor.read() == remembered:
                raise LedgerRefused(self.place, *differs)

    def _read_all(self, remembered: Head | None, progress: Progress | None) -> tuple[Head, tuple[str, str] | None]:
        with self._looking:
            if not self._store.ready():
                return EMPTY, disagreement(None, remembered)
            for fault in self._store.faults():
                raise LedgerRefused(self.place, fault, RESTORE)
            with self._store.reading() as session:
                return verified(self.place, session, progress), disagreement(session, remembered)

    def _agreed(self, founding: Founding) -> bool:
        """Whether opening has nothing to write."""
        with self._reading() as session:
            self._check_founding(session, founding)
            return self._limits_agree(session)

    def _check_founding(self, session: Session, founding: Founding) -> None:
        was, wanted = _said(session, 0), founded(founding)
        for name in ("unit", "neighbours", "currency"):
            if was[name] != wanted[name]:
                raise LedgerRefused(
                    self.place,
                    f"was founded with {name} {was[name]!r}, and the policy says {wanted[name]!r}",
                    "unit, neighbours and currency never change: put the policy back, or make a new vault",
                )

    def _limits_agree(self, session: Session) -> bool:
        self._limits = int(session.tally("limits") or 0)
        was, wanted = _said(session, self._limits), limited(self._limit, self._analysts)
        return all(was[name] == wanted[name] for name in ("everyone", "analysts"))

    def _remembered(self) -> Head | None:
        """What the anchor held when the ledger was adopted; a damaged anchor holds nothing."""
        try:
            return self._anchor.read()
        except LedgerRefused:
            return None


def _check(page: Page, price: Charge, payer: str | None, limit: Filter) -> None:
    spent = page.spent(payer)
    if not limit.admits(spent, price):
        raise LimitExceeded(payer, limit.share(price), max(1 - limit.share(spent), Fraction(0)))


def _said(session: Session, number: int) -> dict[str, Any]:
    record = session.record(number)
    assert record is not None, "records are never removed"
    return fields_of(record)
