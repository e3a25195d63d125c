"""A release, rendered from what the ledger keeps of an answer.

Checked by: tests/unit/curator/test_rehearse_before_payment.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.record.stored_answer import Stored
from tacit.plan import Field, Kind, Plan, walk_expression

__all__ = ["render_release"]


def render_release(
    plan: Plan,
    places: tuple[int, ...],
    stored: Stored,
    confidence: float,
    price: Price,
    receipt: Mapping[str, Any],
    left_out: tuple[LeftOut, ...],
    *,
    raw: bool,
) -> Release:
    """The release of what is stored, its measures at these places."""
    shown = replace(plan, question=replace(plan.question, found=stored.found))
    seen = view_answer(shown, stored.noisy(places), confidence, raw=raw)
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        confidence,
        price,
        receipt,
        stored.hiding,
        left_out,
        (*seen.notes, *_why_empty(plan, stored)),
    )


def _why_empty(plan: Plan, stored: Stored) -> Iterator[str]:
    """That no unknown key reached its threshold, and what would show every group."""
    if stored.found is None or stored.found:
        return
    columns = dict.fromkeys(
        part.column
        for key in plan.question.unknown
        for part in walk_expression(key.value)
        if isinstance(part, Field)
    )
    said = " and ".join(
        f"{'values = [...]' if column.kind is Kind.TEXT else 'low = ... and high = ...'} of {column.name}"
        for column in columns
    )
    yield (
        "no group was large enough to be shown; to be shown every group, whatever its size, declare "
        f"{said or 'its values'} in the policy"
    )
