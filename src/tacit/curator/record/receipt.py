"""The machine-readable guarantee of a release: what was protected, what it cost, and where that is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tacit.accounting import Charge, ConcentratedFilter, Filter
from tacit.curator.policy.policy import Limit
from tacit.curator.record.stored_answer import Stored
from tacit.exact import float_at_least
from tacit.ledger import Entry, Ledger

if TYPE_CHECKING:
    from tacit.curator.record.stored_combined_answer import StoredParts
    from tacit.curator.record.stored_tables import StoredTables


__all__ = ["SEALED", "faults_of", "read_stored", "receipt_of", "tag"]

SEALED = b"tacit sealed 1"
"""What begins a payload of which one line is sealed; the rest is what is kept of any answer."""

_PUBLIC = "the policy, the question, its price, the number of groups, the mechanism and its scales"


_FURTHEST = 2**62  # no ledger has so many entries


def tag(
    kind: bytes, scope: str | None, version: int, contributions: int | None, about: bytes
) -> bytes:
    """A name for what is asked: of which version of a table, on which terms, and for whom (None: for everyone).

    Claim:      an answer is replayed only where the same question would be asked of the same data on the same terms,
                and to another analyst only if the policy says so.
    Because:    everything that decides the exact answer, or who may see it, is part of the name.
    Checked by: tests/laws/test_replay.py
    """
    parts = json.dumps([scope, version, contributions, about.hex()], separators=(",", ":"))
    return sha256(kind + b"\0" + parts.encode()).digest()


def receipt_of(entry: Entry, stored: Stored | StoredTables | StoredParts) -> dict[str, Any]:
    """The receipt of an answer, as a value that JSON can hold; `tacit ledger verify` checks it against the ledger.

    It is a function of what the ledger keeps, and of nothing else.
    """
    asked = stored.asked
    limit = _limit_of(asked["limit"]["epsilon"], asked["limit"]["delta"], asked["neighbours"])
    rule = limit.filter()
    return {
        "format": "tacit receipt 1",
        **{name: value for name, value in asked.items() if name != "limit"},
        "analyst": entry.analyst,
        "loss": {
            "currency": "zero-concentrated" if limit.delta else "pure",
            "charge": _plain(entry.charge),
            "alone": {
                "epsilon": float_at_least(rule.epsilon_of(entry.charge)),
                "delta": str(limit.delta / 2 + _failure(entry, rule)),
            },
        },
        "limit": {
            **asked["limit"],
            "most": _plain(rule.limit),
            "before": _plain(entry.before),
            "after": _plain(entry.before + entry.charge),
        },
        "mechanism": stored.mechanism,
        "scales": [str(scale) for scale in stored.scales],
        "worths": [str(worth) for worth in stored.worths],
        **({} if stored.hiding is None else {"unknown keys": _finding(stored)}),
        "public": _PUBLIC,
        "entry": entry.number,
        "key": entry.key.hex(),
        "hash": entry.hash.hex(),
        "answer": sha256(entry.payload or b"").hexdigest(),
    }


# Remembered: all answers of a vault are given under the same few limits.
@lru_cache(maxsize=64)
def _limit_of(epsilon: str, delta: str, neighbours: str) -> Limit:
    """The limit that is written in an answer."""
    return Limit(Fraction(epsilon), Fraction(delta), neighbours)


def read_stored(payload: bytes) -> Stored | StoredTables | StoredParts:
    """What the ledger keeps of an answer: groups and their measures, of one question or of several, or many tables.

    Of a watch it is what is not sealed.
    """
    from tacit.curator.record.stored_combined_answer import PARTS_FORMAT, StoredParts
    from tacit.curator.record.stored_tables import FORMAT, StoredTables

    if payload.startswith(SEALED + b"\n"):
        payload = payload.split(b"\n", 2)[2]
    if payload.startswith(PARTS_FORMAT + b"\n"):
        return StoredParts.from_bytes(payload)
    is_tables = payload.startswith(FORMAT + b"\n")
    return StoredTables.from_bytes(payload) if is_tables else Stored.from_bytes(payload)


def _failure(entry: Entry, rule: Filter) -> Fraction:
    """The probability with which the answer may tell more, beyond what its rho converts to."""
    return rule.failure(entry.charge) if isinstance(rule, ConcentratedFilter) else Fraction(0)


def _finding(stored: Stored | StoredTables | StoredParts) -> dict[str, Any]:
    """How unknown keys were found, and how many were."""
    assert stored.hiding is not None, "how they were found is stored"
    return {**stored.hiding.to_fields(), "found": len(stored.found or ())}


def faults_of(receipt: Mapping[str, Any], ledger: Ledger) -> list[str]:
    """What a receipt says that the ledger does not, in words that follow "the receipt"; none if they agree.

    Claim:      a receipt without faults says, word for word, what follows from the ledger.
    Because:    it is written again from the entry that it names, and compared in full.
    Checked by: tests/unit/curator/record/test_receipt.py
    """
    number = receipt.get("entry")
    entry = None
    if isinstance(number, int) and type(number) is int and 0 <= number < _FURTHEST:
        entry = next(ledger.entries(number, number + 1), None)
    if entry is None:
        return [f"names entry {number!r}, which is not in the ledger"]
    if entry.payload is None:
        return [f"is for entry {number}, which was never answered"]
    said, kept = _flat(receipt), _flat(receipt_of(entry, read_stored(entry.payload)))
    return [
        f"says {name} is {_value_of(said, name)}, but the ledger says {_value_of(kept, name)}"
        for name in _differing(said, kept)
    ]


def _differing(said: Mapping[str, str], kept: Mapping[str, str]) -> list[str]:
    return [name for name in {**kept, **said} if said.get(name) != kept.get(name)]


def _value_of(values: Mapping[str, str], name: str) -> str:
    return values.get(name, "nothing")


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Every value in a receipt by its path, as JSON."""
    if not isinstance(value, Mapping):
        return {name: json.dumps(value, sort_keys=True, default=str)}
    return {
        path: found
        for key, inner in value.items()
        for path, found in _flat(inner, f"{name}.{key}" if name else str(key)).items()
    }


def _plain(charge: Charge) -> dict[str, str]:
    """Whole units as decimal text, which every reader of JSON keeps exact."""
    return {"amount": str(charge.amount), "failure": str(charge.failure)}
