"""Compares receipts with the ledger that they speak of."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from tacit.ledger.ledger import Entry
from tacit.ledger.records import Founding, units_of

__all__ = ["receipt_faults"]


def receipt_faults(
    receipt: Mapping[str, Any], entry: Entry | None, founding: Founding, limits: Iterable[Mapping[str, str]]
) -> list[str]:
    """What a receipt says and the ledger does not, in words that follow "the receipt"; none if they agree.

    `entry` is the one that the receipt names, `limits` are all that the ledger has ever had for everyone.
    """
    if entry is None:
        return [f"names entry {receipt.get('entry')!r}, which the ledger does not have"]
    if not entry.answered:
        return [f"is for entry {entry.number}, which was never answered"]
    found = [
        f"says {'.'.join(path)} is {_at(receipt, path)!r}, and the ledger says {known!r}"
        for path, known in _known(entry, founding).items()
        if _at(receipt, path) != known
    ]
    if not any(all(_at(receipt, ("limit", "most", unit)) == limit[unit] for unit in _UNITS) for limit in limits):
        found.append("states a limit that the ledger never had")
    return found


_UNITS = ("amount", "failure")


def _known(entry: Entry, founding: Founding) -> dict[tuple[str, ...], Any]:
    """Where in a receipt what the ledger knows is said."""
    return {
        ("unit",): founding.unit,
        ("neighbours",): founding.neighbours.value,
        ("loss", "currency"): founding.currency,
        ("loss", "charge"): units_of(entry.charge),
        ("limit", "before"): units_of(entry.before),
        ("limit", "after"): units_of(entry.before + entry.charge),
        ("key",): entry.key.hex(),
        ("hash",): entry.hash.hex(),
        ("answer",): sha256(entry.payload or b"").hexdigest(),
    }


def _at(receipt: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = receipt
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
