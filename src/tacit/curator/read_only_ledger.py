"""A ledger that can be read and not be charged: what can be answered with it costs nothing and reads no private row."""

from __future__ import annotations

from tacit.curator.forwarding_ledger import PassedLedger
from tacit.ledger import Entry
from tacit.privacy import Loss

__all__ = ["PaymentNeeded", "UnpaidLedger"]


class PaymentNeeded(Exception):
    """A question is not known yet: it would have to be paid for.  Nobody but `Vault.replay` sees it."""


class UnpaidLedger(PassedLedger):
    """Another ledger, of which nothing can be bought.

    Claim:      a question that is answered with it was answered before, or is about public things alone; no private
                row is read.
    Because:    rows are read after a charge, in every corridor of this room, and a charge ends in `PaymentNeeded`.
    Checked by: tests/unit/curator/test_read_only_ledger.py
    """

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
        """No entry, not even an earlier one that was paid for and not answered: its rows would be read now."""
        raise PaymentNeeded

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """Never: nothing was charged."""
        raise PaymentNeeded

    def refresh(self, table: str) -> int:
        """Never: a ledger that cannot be charged is not written."""
        raise PaymentNeeded
