"""What is said with an answer: how sure its numbers are, what it cost, what is left, and its receipt.

Checked by: tests/unit/server/wire/test_notices.py
"""

from typing import Any

from tacit.printing import printable

__all__ = ["describe_answer"]

_MOST_COLUMNS = 8


def describe_answer(release: Any, budget: Any) -> tuple[str, str | None]:
    """The notice of an answer, and its details; it is made of what was released."""
    parts = [_accuracy(release)] if release.measured and release.rows else []
    if release.receipt.get("made up"):
        parts.append("computed on made-up rows")
    else:
        parts.append(f"cost: {release.price}")
        left = (budget.own or budget).left
        parts.append(f"{float(left):.2%} is left")
        parts.append(f"receipt {release.receipt['entry']}:{str(release.receipt['hash'])[:12]}")
    details = [*release.notes, *map(str, release.left_out)]
    if release.hiding is not None:
        few = f"{release.hiding.units_shown(release.confidence):,}"
        details.append(f"groups of fewer than about {few} may be hidden")
    return printable("; ".join(parts)), "\n".join(map(printable, details)) or None


def _accuracy(release: Any) -> str:
    shown = [f"{name} ±{_reach(release, name):.3g}" for name in release.measured[:_MOST_COLUMNS]]
    if len(release.measured) > _MOST_COLUMNS:
        shown.append("…")
    return f"{', '.join(shown)} at {100 * release.confidence:g}%"


def _reach(release: Any, name: str) -> float:
    """Half of the longest interval of a column."""
    lows, highs = release.column(f"{name}_low"), release.column(f"{name}_high")
    lengths = [high - low for low, high in zip(lows, highs, strict=True) if None not in {low, high}]
    return max((_seconds(length) for length in lengths), default=0.0) / 2


def _seconds(length: Any) -> float:
    """A length as a number; one of time in days."""
    days = getattr(length, "total_seconds", None)
    return float(length) if days is None else float(days()) / 86_400
