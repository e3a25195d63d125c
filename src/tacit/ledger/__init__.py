"""The record of charges: what was spent, what fits, and what was already answered."""

from tacit.ledger.ledger import Entry, Ledger
from tacit.ledger.memory import MemoryLedger

__all__ = ["Entry", "Ledger", "MemoryLedger"]
