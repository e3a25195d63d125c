"""Whether a ledger is what was written: all of it, read again, or its totals and what is new since the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from tacit.accounting import Charge
from tacit.errors import LedgerRefused
from tacit.ledger.chain import RESTORE, Chain
from tacit.ledger.ledger import NOTHING
from tacit.ledger.records import FORMAT, chain_record, charge_in, encode_fields, fields_of, units_of
from tacit.ledger.store import EMPTY, Head, Line, Record, Session

__all__ = ["Progress", "check_since", "digest_totals", "disagreement", "verify_chain"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many records were read, and of how many."""

PAGE = 1000


def verify_chain(place: str, session: Session, progress: Progress | None = None) -> Head:
    """The head of the chain, if everything that the store keeps follows from its records.

    Claim:      a byte of a record, an amount, a limit, a total, an answer or an index cannot be changed without notice,
                nor a record removed, moved or put in between; records missing at the end are the anchor's to notice.
                No charge is above the limits that held when it was recorded.
    Because:    each record is hashed again with the one before it, and all else is computed again from records.
    Checked by: tests/unit/ledger/test_tampering.py
    """
    books = _Books(_lines(session))
    try:
        for record in _records(session, session.head().records, progress):
            books.read(record)
        books.close(session)
    except _Fault as fault:
        raise LedgerRefused(place, f"is damaged: {fault}", RESTORE) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LedgerRefused(
            place, f"is damaged: record {books.head.records} cannot be read", RESTORE
        ) from None
    return books.head


def disagreement(session: Session | None, remembered: Head | None) -> tuple[str, str] | None:
    """How a ledger differs from what its anchor remembers, and what to do; None if it is that one or continues it."""
    head = EMPTY if session is None else session.head()
    if remembered is None:
        if not head.records:
            return None
        return (
            "has no anchor on this machine",
            "if it was moved here and is the newest copy, accept it with `tacit ledger adopt`",
        )
    if remembered.records > head.records:
        state = f"has {head.records} records" if head.records else "is gone"
        return (
            f"{state}, and its anchor remembers {remembered.records}: what was spent since would be forgotten",
            "restore the newest copy, or accept this one with `tacit ledger adopt`",
        )
    last = (
        session.record(remembered.records - 1)
        if session is not None and remembered.records
        else None
    )
    if remembered.records and (last is None or last.hash != remembered.hash):
        return (
            "is not the one that its anchor remembers",
            "restore the right one, or accept this one with `tacit ledger adopt`",
        )
    return None


def digest_totals(session: Session, tallies: Mapping[str, str]) -> bytes:
    """A digest of running totals, and of the records that say what was founded and which limits hold.

    What nobody has spent and what was never refreshed is left out, as if it had not been counted.
    """
    counted = {
        name: value
        for name, value in tallies.items()
        if name in _ALWAYS or value not in ("0", "0 0")
    }
    records = [session.record(number) for number in (0, int(tallies.get("limits", 0)))]
    return sha256(
        b"".join(record.hash for record in records if record is not None) + encode_fields(counted)
    ).digest()


def _fitting(session: Session, number: int) -> Record:
    """A record that fits the hash before it: who knows its own hash knows that it is the one that was written."""
    record = session.record(number)
    before = session.record(number - 1) if number else None
    head = EMPTY if before is None else Head(number, before.hash)
    if record is None or record != chain_record(head, record.body):
        raise _Fault(f"record {number} has been changed")
    return record


_ALWAYS = ("entries", "limits", "spent")


def check_since(
    place: str, session: Session, remembered: Head, limits: Mapping[str, Any]
) -> tuple[Chain, bytes] | None:
    """The chain from a remembered head to the newest record, and the ledger's identity; None if all has to be read.

    Claim:      the first record, the limits and all totals are what they were when the head was remembered, changed by
                the records since and by nothing else; those records are chained to it, and none of them charges more
                than the limits allow that the anchor knows, or those of the policy (`limits`).  Other records are not
                read: whoever uses one reads it through the chain (chain.py), and `verify` reads all.
    Because:    the anchor's digest covers the totals at its head, and they follow from those of now by taking back what
                the records since have added, each of which is hashed; it covers the hashes of the two other records.
    Checked by: tests/unit/ledger/test_tampering.py and tests/unit/ledger/test_opening.py
    """
    if not remembered.totals or not remembered.records:
        return None
    try:
        chain = Chain(place, remembered)
        since = list(chain.records(session, remembered.records, session.head().records))
        before = _take_back(session.tallies(), since)
        if before is None:
            return None
        _fitting(session, int(session.tally("limits") or 0))
        if digest_totals(session, before) == remembered.totals:
            _check_new_charges(session, before, since, limits)
            return chain, _fitting(session, 0).hash
        fault = "its totals are not the sums of its charges"
    except _Fault as found:
        fault = str(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        fault = "its newest records cannot be read"
    raise LedgerRefused(place, f"is damaged: {fault}", RESTORE)


def _take_back(tallies: dict[str, str], since: Sequence[Record]) -> dict[str, str] | None:
    """Running totals as they were before some records; None if those do not say."""
    for record in reversed(since):
        fields = fields_of(record)
        match fields["kind"]:
            case "charged":
                tallies["entries"] = str(int(tallies["entries"]) - 1)
                if tallies["entries"] != str(fields["entry"]):
                    raise _Fault(f"record {record.number} does not follow from those before it")
                for payer in {None, fields["analyst"]}:
                    amount, failure = map(int, tallies[f"spent{_of(payer)}"].split())
                    charge = charge_in(fields["charge"])
                    tallies[f"spent{_of(payer)}"] = (
                        f"{amount - charge.amount} {failure - charge.failure}"
                    )
                if tallies["spent"] != " ".join(
                    (fields["before"]["amount"], fields["before"]["failure"])
                ):
                    raise _Fault(f"record {record.number} does not follow from those before it")
            case "refreshed":
                name = f"version of {fields['table']}"
                if tallies[name] != str(fields["version"]):
                    raise _Fault(f"record {record.number} does not follow from those before it")
                tallies[name] = str(fields["version"] - 1)
            case "limited":
                if tallies["limits"] != str(record.number):
                    raise _Fault(f"record {record.number} does not follow from those before it")
                if not fields.get("previous"):
                    return None
                tallies["limits"] = str(fields["previous"])
            case "answered" | "adopted":
                pass
            case _:
                return None
    return tallies


def _check_new_charges(
    session: Session,
    before: Mapping[str, str],
    since: Sequence[Record],
    policy: Mapping[str, Any],
) -> None:
    """Refuse records since the anchor's that charge more than was allowed: no crash leaves those.

    Limits that were set since then count only as far as they are those of the policy: who can write the ledger, but
    neither its anchor nor the policy, can raise none.
    """
    if not since:
        return
    limits: list[Mapping[str, Any]] = [fields_of(_fitting(session, int(before["limits"])))]
    spent = {
        name: Charge(*map(int, before.get(name, "0 0").split()))
        for name in {"spent", *(name for name in before if name.startswith("spent of "))}
    }
    for record in since:
        fields = fields_of(record)
        if fields["kind"] == "limited":
            limits = [fields, policy]
        elif fields["kind"] == "charged":
            charge = charge_in(fields["charge"])
            for payer in {None, fields["analyst"]}:
                name = f"spent{_of(payer)}"
                spent[name] = spent.get(name, NOTHING) + charge
                _check_within(record, payer, spent[name], limits)


def _check_within(
    record: Record, payer: str | None, spent: Charge, limits: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse a record after which somebody, or everyone (None), has spent more than one of some limits."""
    for fields in limits:
        most = fields["everyone"] if payer is None else fields["analysts"].get(payer)
        if most is not None and not spent.fits(charge_in(most)):
            raise _Fault(f"record {record.number} charges more than its limit allows")


class _Fault(Exception):
    """Something does not follow from the records."""


class _Books:
    """What the records read so far add up to, and the lines that the store keeps beside them."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self.head = EMPTY
        self._lines = lines
        self._spent: dict[str | None, Charge] = {None: NOTHING}
        self._versions: dict[str, int] = {}
        self._entries = 0
        self._limits = 0
        self._limited: dict[str, Any] = {"everyone": None, "analysts": {}}
        # What the store holds as the answers of entries whose answering record has not been read yet.
        self._unread: dict[int, tuple[int | None, str]] = {}

    def read(self, record: Record) -> None:
        if record != chain_record(self.head, record.body):
            raise _Fault(f"record {self.head.records} has been changed")
        fields = fields_of(record)
        if (fields["kind"] == "founded") != (record.number == 0):
            raise _Fault(f"record {record.number} cannot stand there")
        self._understand(record, fields)
        self.head = Head(record.number + 1, record.hash)

    def _understand(self, record: Record, fields: dict[str, Any]) -> None:
        match fields["kind"]:
            case "charged":
                self._check_charge(record, fields)
            case "answered":
                self._check_answer(record, fields)
            case "refreshed":
                self._check_refresh(record, fields)
            case "limited":
                self._limits, self._limited = record.number, fields
            case "adopted":
                pass
            case "founded" if fields["format"] == FORMAT:
                pass
            case kind:
                raise _Fault(
                    f"this program cannot read its record {record.number}, {kind!r}: use a newer one"
                )

    def close(self, session: Session) -> None:
        if next(self._lines, None) is not None:
            raise _Fault("its index has a charge that was never recorded")
        if self._unread:
            raise _Fault(f"the answer of entry {min(self._unread)} was never recorded")
        if session.head() != self.head:
            raise _Fault("records are missing")
        if session.tallies() != self._tallies():
            raise _Fault("its totals are not the sums of its charges")

    def _tallies(self) -> dict[str, str]:
        if not self.head.records:
            return {}
        return {
            "entries": str(self._entries),
            "limits": str(self._limits),
            **{
                f"spent{_of(name)}": f"{spent.amount} {spent.failure}"
                for name, spent in self._spent.items()
            },
            **{f"version of {table}": str(version) for table, version in self._versions.items()},
        }

    def _check_charge(self, record: Record, fields: dict[str, Any]) -> None:
        number, before = fields["entry"], units_of(self._spent[None])
        if (number, fields["before"], fields["limits"]) != (self._entries, before, self._limits):
            raise _Fault(f"record {record.number} does not follow from those before it")
        self._find(
            (number, record.number, bytes.fromhex(fields["key"]), bytes.fromhex(fields["topic"]))
        )
        self._entries += 1
        charge = charge_in(fields["charge"])
        for payer in {None, fields["analyst"]}:
            self._spent[payer] = self._spent.get(payer, NOTHING) + charge
            _check_within(record, payer, self._spent[payer], [self._limited])

    def _find(self, wanted: tuple[int, int, bytes, bytes]) -> None:
        """The next line must say this; its answer is checked when the record of it comes."""
        line = next(self._lines, None)
        if line is None or (line.entry, line.record, line.key, line.topic) != wanted:
            raise _Fault(f"the index row of entry {wanted[0]} disagrees with its record")
        if line.answer is not None or line.payload is not None:
            self._unread[line.entry] = (line.answer, sha256(line.payload or b"").hexdigest())

    def _check_answer(self, record: Record, fields: dict[str, Any]) -> None:
        if self._unread.pop(fields["entry"], None) != (record.number, fields["digest"]):
            raise _Fault(f"the answer of entry {fields['entry']} is not the one that was recorded")

    def _check_refresh(self, record: Record, fields: dict[str, Any]) -> None:
        version = self._versions.get(fields["table"], 0) + 1
        if fields["version"] != version:
            raise _Fault(f"record {record.number} does not follow from those before it")
        self._versions[fields["table"]] = version


def _of(name: str | None) -> str:
    return "" if name is None else f" of {name}"


def _records(session: Session, count: int, progress: Progress | None) -> Iterator[Record]:
    start = 0
    while page := session.records(start, PAGE):
        yield from page
        start += len(page)
        if progress is not None:
            progress(start, count)


def _lines(session: Session) -> Iterator[Line]:
    start = 0
    while page := session.lines(start, PAGE):
        yield from page
        start = page[-1].entry + 1
