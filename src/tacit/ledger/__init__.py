"""The record of charges: what was spent, what fits, and what was already answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later
from tacit.ledger.ledger import Entry, Ledger
from tacit.ledger.memory import MemoryLedger

if TYPE_CHECKING:
    from tacit.ledger.anchor import Anchor, anchors_folder
    from tacit.ledger.durable import DurableLedger
    from tacit.ledger.postgres import PostgresStore, postgres_ledger
    from tacit.ledger.records import Founding, fields_of
    from tacit.ledger.sqlite import SqliteStore, sqlite_ledger
    from tacit.ledger.store import Head, Record

__all__ = [
    "Anchor",
    "DurableLedger",
    "Entry",
    "Founding",
    "Head",
    "Ledger",
    "MemoryLedger",
    "PostgresStore",
    "Record",
    "SqliteStore",
    "anchors_folder",
    "fields_of",
    "postgres_ledger",
    "sqlite_ledger",
]

_LATER = {
    "Anchor": "anchor",
    "anchors_folder": "anchor",
    "DurableLedger": "durable",
    "PostgresStore": "postgres",
    "postgres_ledger": "postgres",
    "Founding": "records",
    "fields_of": "records",
    "SqliteStore": "sqlite",
    "sqlite_ledger": "sqlite",
    "Head": "store",
    "Record": "store",
}

__getattr__ = later(__name__, _LATER)
