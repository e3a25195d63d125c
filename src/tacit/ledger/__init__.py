"""The record of charges: what was spent, what fits, and what was already answered."""

from tacit.ledger.anchor import Anchor, anchors_folder
from tacit.ledger.durable import DurableLedger
from tacit.ledger.ledger import Entry, Ledger
from tacit.ledger.memory import MemoryLedger
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
