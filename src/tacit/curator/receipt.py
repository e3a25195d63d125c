"""The machine-readable guarantee of a release: what was protected, what it cost, and where that is written."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from tacit.accounting import Charge
from tacit.curator.policy import Limit
from tacit.curator.stored import Stored
from tacit.exact import float_at_least
from tacit.ledger import DurableLedger, Entry

__all__ = ["faults_of", "receipt_of", "tag"]

_PUBLIC = "the policy, the question, its price, the number of groups, the mechanism and its scales"


def tag(kind: bytes, scope: str | None, version: int, contributions: int, about: bytes) -> bytes:
    """A name for what is asked: of which version of a table, on which terms, and for whom (None: for everyone).

    Claim:      an answer is replayed only where the same question would be asked of the same data on the same terms,
                and to another analyst only if the policy says so.
    Because:    everything that decides the exact answer, or who may see it, is part of the name.
    Checked by: tests/laws/test_replay.py
    """
    parts = json.dumps([scope, version, contributions, about.hex()], separators=(",", ":"))
    return sha256(kind + b"\0" + parts.encode()).digest()


def receipt_of(entry: Entry, stored: Stored, limit: Limit, *, unit: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """The receipt of an answer, as a value that JSON can hold; `tacit ledger verify` checks it against the ledger.

    `about` says what was asked: the fingerprint of the canonical question, the table and its version.
    """
    rule = limit.filter()
    after = entry.before + entry.charge
    return {
        "format": "tacit receipt 1",
        "unit": unit,
        "neighbours": limit.neighbours.value,
        **about,
        "loss": {
            "currency": "zero-concentrated" if limit.delta else "pure",
            "charge": _plain(entry.charge),
            "alone": {
                "epsilon": float_at_least(rule.epsilon_of(entry.charge)),
                "delta": str(limit.delta / 2),
            },
        },
        "limit": {
            "epsilon": str(limit.epsilon),
            "delta": str(limit.delta),
            "most": _plain(rule.limit),
            "before": _plain(entry.before),
            "after": _plain(after),
        },
        "mechanism": stored.mechanism,
        "scales": [str(scale) for scale in stored.scales],
        "worths": [str(worth) for worth in stored.worths],
        "public": _PUBLIC,
        "entry": entry.number,
        "key": entry.key.hex(),
        "hash": entry.hash.hex(),
        "answer": sha256(entry.payload or b"").hexdigest(),
    }


def _plain(charge: Charge) -> dict[str, str]:
    """Whole units as decimal text, which every reader of JSON keeps exact."""
    return {"amount": str(charge.amount), "failure": str(charge.failure)}


def faults_of(receipt: Mapping[str, Any], ledger: DurableLedger) -> list[str]:
    """What a receipt says that the ledger does not, in words that follow "the receipt"; none if they agree.

    Claim:      a receipt without faults states what was charged, what was asked and what was answered.
    Because:    all of it is compared with the entry that it names, or is part of the name under which that was charged.
    Checked by: tests/unit/curator/test_receipt.py
    """
    found = ledger.check_receipt(receipt)
    entry = next((each for each in ledger.entries() if each.number == receipt.get("entry")), None)
    if found or entry is None or entry.payload is None:
        return found
    try:
        return list(_faults(receipt, entry, Stored.read(entry.payload)))
    except (KeyError, TypeError, ValueError):
        return ["does not say what was asked"]


def _faults(receipt: Mapping[str, Any], entry: Entry, stored: Stored) -> Iterator[str]:
    """What is wrong about the question and the noise; the ledger itself knows the rest."""
    kept: dict[str, object] = {
        "analyst": entry.analyst,
        "mechanism": stored.mechanism,
        "scales": [str(scale) for scale in stored.scales],
        "worths": [str(worth) for worth in stored.worths],
    }
    for name, written in kept.items():
        if receipt[name] != written:
            yield f"states other {name} than the ledger"
    asked = bytes.fromhex(receipt["question"])
    terms = int(receipt["version"]), int(receipt["contributions"])
    if entry.key not in {tag(b"question", scope, *terms, asked) for scope in (None, entry.analyst)}:
        yield "states a question, a version or contributions that were not charged"
