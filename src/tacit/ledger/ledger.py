"""The protocol of every ledger: charges first, answers after, and the same question once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tacit.accounting import Charge
from tacit.privacy import Loss

__all__ = ["Entry", "Ledger"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One charge: who asked what (`key`), what it cost, and the answer once there is one."""

    number: int
    key: bytes
    analyst: str | None
    charge: Charge
    payload: bytes | None = None

    @property
    def answered(self) -> bool:
        """Whether an answer was stored; until then the question may be run again under the same charge."""
        return self.payload is not None


class Ledger(Protocol):
    """The record of what was spent.  It decides from charges alone; it never sees data or answers in the clear.

    Claim:      the sum of all charges never exceeds the limit, nor an analyst's the analyst's own, under any
                interleaving; a key is charged again only for a higher price; what was settled is what is replayed.
    Because:    check and entry are one indivisible step, and an entry is never changed but for its answer, which is
                written once.
    Checked by: tests/laws/test_ledgers.py
    """

    def charge(self, key: bytes, loss: Loss, analyst: str | None = None) -> Entry:
        """The entry that pays for this: an earlier one under the key whose price was no lower, else a new one.

        Raises `LimitExceeded` if it does not fit, and records nothing then.
        """

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored; if it has one already, that one stays and is returned."""

    def spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""

    def entries(self) -> Iterator[Entry]:
        """All entries, oldest first."""
