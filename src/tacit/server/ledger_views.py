"""What may be read of the ledger: one's own history and receipts, everyone's records for who may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from itertools import islice
from typing import Any

from tacit.curator import Vault
from tacit.errors import InvalidInput, NotFound, TacitError
from tacit.frozen import frozen
from tacit.server.audit_log import AuditLog
from tacit.server.entry_index import EntryIndex
from tacit.server.identities import Identities, Identity
from tacit.server.rights import RIGHTS, check_right
from tacit.server.served_vault import ServedVault

__all__ = ["LedgerPages", "PastQuestion", "Verification"]

_PAGE = 200
_FURTHEST = 2**62  # no ledger has so many records
_SHORTEST_HASH = 8


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
    params: Any = None


class Verification:
    """A check of the whole ledger: how far it is, and what came of it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.done = 0
        self.whole = 0
        self.state = "running"
        self.told = ""
        self.head = ""
        """The hash of the last record that was checked: whoever writes it down can compare it later."""

    def progress(self, done: int, whole: int) -> None:
        """Say how far it is."""
        self.done, self.whole = done, whole


class LedgerPages:
    """The ledger as people may read it.

    Claim:      nobody reads of somebody else's entry unless their role may read everyone's, and nothing that is read
                here changes while a slot runs.
    Because:    each entry is compared with who asks, and `_seen` is the vault without what running slots wrote.
    Checked by: tests/unit/server/test_ledger_views.py, tests/attacks/test_free_reads.py
    """

    def __init__(
        self,
        served: ServedVault,
        identities: Identities,
        audit: AuditLog,
        readers: Executor,
    ) -> None:
        self._served = served
        self._identities = identities
        self._audit = audit
        self._readers = readers
        self._index = EntryIndex()
        self._verifications: list[Verification] = []

    def history(
        self, who: Identity, *, before: int | None = None, most: int = 50, table: str | None = None
    ) -> list[PastQuestion]:
        """What somebody paid for, newest first."""
        check_right(who, "history")
        own = (
            entry
            for entry in self._entries_of(who.payer, before)
            if table is None or self._is_about(entry, table)
        )
        found = list(islice(own, min(most, _PAGE)))
        texts = self._identities.texts(who.name, [entry.number for entry in found])
        return [self._past(entry, texts) for entry in found]

    def spending(self, who: Identity) -> list[tuple[str, float]]:
        """When which share of the limit was spent: by oneself or, for who may see it, by everyone."""
        check_right(who, "look")
        vault = self._served.current
        view = self._served.unseen.view_of(vault)
        everyone = who.role in RIGHTS["read everyone"]
        known = self._index.everyone(vault) if everyone else self._index.of(vault, who.payer)
        return [(each.at, each.share) for each in known if view.shows(each.number)]

    def receipt(self, who: Identity, entry: int) -> dict[str, Any]:
        """The receipt of an answer: one's own, or anybody's for who may read the ledger."""
        return dict(self._served.current.receipt(self._answered(who, entry)))

    def paid_question(self, who: Identity, entry: int) -> PastQuestion:
        """What a receipt is about; the text of a question is shown to who asked it, to others its words alone."""
        found = self._answered(who, entry)
        return self._past(found, self._identities.texts(who.name, [entry]))

    def _answered(self, who: Identity, number: int) -> Any:
        """An entry that was answered: one's own, or anybody's for who may read the ledger."""
        check_right(who, "look")
        found = next(self._seen().ledger.entries(number, number + 1), None)
        hidden = found is not None and not self._may_read(who, found.analyst)
        if found is None or hidden or found.payload is None:
            raise NotFound("receipt", number)
        return found

    def check_receipt(self, who: Identity, receipt: Mapping[str, Any]) -> list[str]:
        """What a receipt says that the ledger does not; of somebody else's entry it is not said."""
        check_right(who, "look")
        number = receipt.get("entry")
        if type(number) is not int or not 0 <= number < _FURTHEST:
            return [f"names entry {number!r}, which is not in the ledger"]
        self.receipt(who, number)
        return self._seen().check_receipt(receipt)

    def records(self, who: Identity, *, first: int = 0, most: int = _PAGE) -> list[dict[str, Any]]:
        """Records of the ledger, from a number on."""
        check_right(who, "read everyone")
        self._audit.note("read ledger", identity=who.name)
        return list(
            islice(self._records(), min(first, _FURTHEST), min(first, _FURTHEST) + min(most, _PAGE))
        )

    def find_records(
        self,
        who: Identity,
        *,
        first: int = 0,
        kind: str | None = None,
        analyst: str | None = None,
        table: str | None = None,
    ) -> list[dict[str, Any]]:
        """A page of records from a number on: of a kind, of an analyst ("" is the curator), about a table."""
        check_right(who, "read everyone")
        self._audit.note("read ledger", identity=who.name)
        entries = {entry.number: entry for entry in self._seen().ledger.entries()}

        def is_wanted(record: Mapping[str, Any]) -> bool:
            entry = entries.get(record.get("entry", -1))
            return (
                record["record"] >= first
                and kind in (None, record["kind"])
                and (analyst is None or (entry is not None and (entry.analyst or "") == analyst))
                and (table is None or self._is_record_about(record, entry, table))
            )

        return list(islice(filter(is_wanted, self._records()), _PAGE))

    def find_hash(self, who: Identity, start: str) -> int | None:
        """The number of the record whose hash begins like this; None if no record has it."""
        check_right(who, "read everyone")
        wanted = start.strip().lower().rstrip("….")
        if len(wanted) < _SHORTEST_HASH:
            raise InvalidInput("head", start, f"write at least {_SHORTEST_HASH} of its characters")
        found = (each["record"] for each in self._records() if each["hash"].startswith(wanted))
        return next(found, None)

    def verify(self, who: Identity) -> Verification:
        """Begin to check the whole ledger; `verification` says how far it is."""
        check_right(who, "read everyone")
        check = Verification(len(self._verifications))
        self._verifications.append(check)
        vault = self._served.current

        def run() -> None:
            try:
                visible = list(self._records())

                def progress(done: int, whole: int) -> None:
                    check.progress(min(done, len(visible)), min(whole, len(visible)))

                vault.verify(progress)
            except TacitError as fault:
                check.state, check.told = "broken", str(fault)
            else:
                check.head = visible[-1]["hash"] if visible else ""
                check.told = f"{check.whole:,} records are intact"
                check.state = "whole"  # last: whoever sees it reads the others

        self._audit.note("verified", identity=who.name)
        self._readers.submit(run)
        return check

    def verification(self, who: Identity, number: int) -> Verification:
        """A check of the ledger that was begun."""
        check_right(who, "read everyone")
        if not 0 <= number < len(self._verifications):
            raise NotFound("verification", number)
        return self._verifications[number]

    def _may_read(self, who: Identity, analyst: str | None) -> bool:
        return who.role in RIGHTS["read everyone"] or analyst == who.payer

    def _seen(self) -> Vault:
        """The vault without what was written in slots that have not ended."""
        return self._served.seen(self._served.current)

    def _entries_of(self, payer: str | None, before: int | None) -> Iterator[Any]:
        """The entries that somebody paid for and may see, newest first."""
        seen = self._seen().ledger
        for each in reversed(self._index.of(self._served.current, payer)):
            if before is None or each.number < before:
                found = next(seen.entries(each.number, each.number + 1), None)
                if found is not None and found.analyst == payer:
                    yield found

    def _records(self) -> Iterator[dict[str, Any]]:
        """The records of the ledger, up to the first that was written in a slot that has not ended."""
        return self._served.unseen.records(self._served.current)

    def _is_about(self, entry: Any, table: str) -> bool:
        if entry.payload is None:
            return False
        return table in str(self._served.current.receipt(entry).get("table", "")).split(", ")

    def _is_record_about(self, record: Mapping[str, Any], entry: Any, table: str) -> bool:
        about = record.get("table") == table  # it was refreshed
        return about or (entry is not None and self._is_about(entry, table))

    def _past(self, entry: Any, texts: Mapping[int, Mapping[str, Any]]) -> PastQuestion:
        text = texts.get(entry.number, {})
        return PastQuestion(
            entry.number,
            entry.at,
            entry.analyst,
            entry.about,
            float(self._served.current.policy.limit.filter().share(entry.charge)),
            entry.is_answered,
            entry.hash.hex(),
            text.get("sql"),
            text.get("epsilon"),
            text.get("within"),
            text.get("params"),
        )
