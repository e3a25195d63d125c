"""What is said with an answer: how sure its numbers are, what it cost, what is left, and its receipt.

Checked by: tests/unit/server/wire/test_notices.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.printing import printable

__all__ = ["describe_answer", "describe_sum"]

_MOST_COLUMNS = 8


def describe_answer(release: Any, budget: Any) -> tuple[str, str | None]:
    """The notice of an answer, and its details; it is made of what was released."""
    parts = [_accuracy(release)] if release.measured and release.rows else []
    if release.receipt.get("made up"):
        parts.append("computed on made-up rows")
    else:
        parts.append(f"cost: {_cost(release.price)}")
        left = (budget.own or budget).left
        parts.append(f"{float(left):.2%} is left")
        parts.append(f"receipt {release.receipt['entry']}:{str(release.receipt['hash'])[:12]}")
    details = [*release.notes, *map(str, release.left_out)]
    if release.hiding is not None:
        few = f"{release.hiding.units_shown(release.confidence):,}"
        details.append(f"groups of fewer than about {few}{release.hiding.of_keys} may be hidden")
    return printable("; ".join(parts)), "\n".join(map(printable, details)) or None


def describe_sum(prices: Sequence[Any]) -> str:
    """What the questions of one statement cost together."""
    paid = [each for each in prices if not each.free]
    if not paid:
        return (
            f"{len(prices)} questions in one statement, together: nothing, they are stored answers"
        )
    epsilon, share = sum(each.epsilon for each in paid), sum(each.share for each in paid)
    return (
        f"{len(prices)} questions in one statement, {len(paid)} of them paid for; together: "
        f"epsilon {epsilon:.3g}, {share:.2%} of the limit"
    )


def _accuracy(release: Any) -> str:
    shown = [f"{name} ±{_reach(release, name):.3g}" for name in release.measured[:_MOST_COLUMNS]]
    if len(release.measured) > _MOST_COLUMNS:
        shown.append("…")
    return f"{', '.join(shown)} at {100 * release.confidence:g}%"


def _reach(release: Any, name: str) -> float:
    """The longest way from a number of a column to an end of its interval, which may be cut off on one side."""
    shown = zip(*(release.column(f"{name}{end}") for end in ("", "_low", "_high")), strict=True)
    lengths = [
        length
        for value, low, high in shown
        if None not in {value, low, high}
        for length in (high - value, value - low)
    ]
    return max(map(_seconds, lengths), default=0.0)


def _cost(price: Any) -> str:
    """A price in words; one that is too small for a float is not told as zero."""
    return (
        str(price) if price.epsilon else str(price).replace("epsilon 0,", "epsilon below 1e-300,")
    )


def _seconds(length: Any) -> float:
    """A length as a number; one of time in days."""
    days = getattr(length, "total_seconds", None)
    return float(length) if days is None else float(days()) / 86_400
