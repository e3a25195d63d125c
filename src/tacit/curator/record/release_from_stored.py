"""A release, rendered from what the ledger keeps of an answer.

Checked by: tests/unit/curator/test_rehearse_before_payment.py
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.record.stored_answer import Stored
from tacit.plan import Plan

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
        seen.notes,
    )
