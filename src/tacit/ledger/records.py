"""What a durable ledger writes down: records as canonical JSON, each bound to all before it by a hash."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tacit.accounting import Charge, ConcentratedFilter, Filter, PureFilter
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.ledger.ledger import Entry, now
from tacit.ledger.store import Head, Record
from tacit.privacy import Neighbours

__all__ = [
    "FORMAT",
    "Founding",
    "adoption_fields",
    "answer_fields",
    "chain_record",
    "charge_in",
    "charge_fields",
    "entry_of",
    "fields_of",
    "founding_fields",
    "limit_fields",
    "refresh_fields",
    "terms_in",
    "units_of",
    "encode_fields",
]

FORMAT = "tacit ledger 1"
"""What the first record says of how the others are to be read."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


@frozen
class Founding:
    """What never changes while a ledger lives: the entity whose rows are protected together, the relation of
    neighbours, and the currency, "pure" or "zero-concentrated".

    >>> Founding.of("patient", PureFilter(1)).currency
    'pure'
    """

    unit: str
    neighbours: Neighbours
    currency: str

    @staticmethod
    def of(unit: str, limit: Filter) -> Founding:
        """The founding terms of a ledger for this unit under this limit."""
        match limit:
            case PureFilter(neighbours=neighbours):
                return Founding(unit, neighbours, "pure")
            case ConcentratedFilter(neighbours=neighbours):
                return Founding(unit, neighbours, "zero-concentrated")
            case _:
                raise InvalidInput(
                    "limit",
                    limit,
                    "a ledger is kept in pure epsilon or in rho: use one of its filters",
                )


def encode_fields(fields: Mapping[str, Any]) -> bytes:
    """What a record says, as canonical JSON.

    >>> encode_fields({"kind": "refreshed", "at": "now"})
    b'{"at":"now","kind":"refreshed"}'
    """
    return _CANONICAL.encode(fields).encode()


def chain_record(head: Head, body: bytes) -> Record:
    """The record that comes after a head.

    Claim:      whoever knows the hash of a record knows every byte of it and of all records before it.
    Because:    the hash is SHA-256 of the hash before it, the number (both of fixed length) and the body.
    Checked by: tests/unit/ledger/test_records.py
    """
    return Record(head.records, body, sha256(head.hash + head.records.to_bytes(8) + body).digest())


def fields_of(record: Record) -> dict[str, Any]:
    """What a record says, by name."""
    fields: dict[str, Any] = json.loads(record.body.decode())
    return fields


def founding_fields(terms: Founding) -> dict[str, Any]:
    """The first record: what never changes, and a number by which no two ledgers of a machine are alike."""
    return {
        "kind": "founded",
        "number": f"{time.time_ns()}-{os.getpid()}",
        "at": now(),
        "format": FORMAT,
        "unit": terms.unit,
        "neighbours": terms.neighbours.value,
        "currency": terms.currency,
    }


def terms_in(fields: Mapping[str, Any]) -> Founding:
    """The founding terms, from the first record."""
    return Founding(fields["unit"], Neighbours(fields["neighbours"]), fields["currency"])


def limit_fields(
    limit: Filter, analysts: Mapping[str, Filter], previous: int = 0
) -> dict[str, Any]:
    """The limits from here on, and the number of the record that set those before them; 0 if there was none."""
    return {
        "kind": "limited",
        "previous": previous,
        "at": now(),
        "everyone": _limit(limit),
        "analysts": {name: _limit(own) for name, own in analysts.items()},
    }


def charge_fields(entry: Entry, limits: int) -> dict[str, Any]:
    """A charge, and the number of the record whose limits it was held to."""
    return {
        "kind": "charged",
        "at": entry.at,
        "entry": entry.number,
        "key": entry.key.hex(),
        "analyst": entry.analyst,
        "charge": units_of(entry.charge),
        "before": units_of(entry.before),
        "topic": entry.topic.hex(),
        "about": entry.about,
        "limits": limits,
    }


def answer_fields(number: int, payload: bytes) -> dict[str, Any]:
    """That an entry was answered, and the digest of what was stored.

    It has no time: how long an answer took depends on the rows.
    """
    return {"kind": "answered", "entry": number, "digest": sha256(payload).hexdigest()}


def refresh_fields(table: str, version: int) -> dict[str, Any]:
    """That the curator gave a table new rows."""
    return {"kind": "refreshed", "at": now(), "table": table, "version": version}


def adoption_fields(why: str, remembered: Head | None, found: Head) -> dict[str, Any]:
    """That the curator took the ledger as it lies, whatever its anchor remembers."""
    return {
        "kind": "adopted",
        "at": now(),
        "why": why,
        "remembered": _head(remembered),
        "found": _head(found),
    }


def entry_of(record: Record, payload: bytes | None) -> Entry:
    """The entry that a record charged."""
    fields = fields_of(record)
    return Entry(
        number=fields["entry"],
        key=bytes.fromhex(fields["key"]),
        analyst=fields["analyst"],
        charge=charge_in(fields["charge"]),
        payload=payload,
        before=charge_in(fields["before"]),
        topic=bytes.fromhex(fields["topic"]),
        about=fields["about"],
        hash=record.hash,
        at=fields["at"],
    )


def charge_in(units: Mapping[str, str]) -> Charge:
    """A charge from decimal text, in which it is written since it may exceed 64 bits."""
    return Charge(int(units["amount"]), int(units["failure"]))


def units_of(charge: Charge) -> dict[str, str]:
    """A charge as decimal text."""
    return {"amount": str(charge.amount), "failure": str(charge.failure)}


def _limit(limit: Filter) -> dict[str, str]:
    delta = limit.delta if isinstance(limit, ConcentratedFilter) else 0
    return {
        **units_of(limit.limit),
        "epsilon": str(getattr(limit, "epsilon", "")),
        "delta": str(delta),
    }


def _head(head: Head | None) -> dict[str, Any] | None:
    return None if head is None else {"records": head.records, "hash": head.hash.hex()}
