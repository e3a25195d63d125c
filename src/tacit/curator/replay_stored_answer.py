"""Answers that are known: what was released before and answers a question again, for free."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.curator.pricing.noise_of_measures import shown_as_measured, terms_at
from tacit.curator.record.stored_answer import Stored
from tacit.exact import at_most
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.plan import Plan, derive_plan

if TYPE_CHECKING:
    from tacit.curator.priced_question import Asked
    from tacit.curator.pricing.unknown_key_threshold import Hiding

__all__ = ["Known", "find_known"]

_SMALL = 1 << 14  # bytes


@frozen
class Known:
    """An earlier answer that tells this one: the plan in its measures, their places in it, and its entry."""

    plan: Plan
    places: tuple[int, ...]
    entry: Entry
    stored: Stored

    def errors(self, confidence: float) -> list[Fraction]:
        """The ± of every measure of the plan."""
        return [self.stored.reach(place, confidence) for place in self.places]


def find_known(ledger: Ledger, asked: Asked) -> Known | None:
    """An earlier answer that tells this one as accurately as was asked for: its own first, then another's.

    Claim:      what is told for free is a function of what was released before; the same question has the same
                answer; what is derived is no less accurate than its price would have made it.
    Because:    it is read from answered entries alone, and the plan says nothing that they do not hold; entries
                under the question's own key come first; others count only if each number's reach is as good.
    Checked by: tests/laws/test_replay.py
    """
    for entry in _entries_about(ledger, asked):
        by_price = asked.within is None and entry.key == asked.name.key
        if by_price and not asked.charge.fits(entry.charge):
            continue  # the very same question, at a lower price: not even read
        stored = _read_payload(entry.payload or b"")
        derived = derive_plan(asked.plan, stored.measures)
        if derived is not None:
            known = Known(*derived, entry, stored)
            if by_price or _is_accurate_enough(known, asked):
                return known
    return None


def _read_payload(payload: bytes) -> Stored:
    """What an entry holds; if it is small, remembered: what was asked about the same rows is looked at every time."""
    return _read_small(payload) if len(payload) <= _SMALL else Stored.from_bytes(payload)


_read_small = lru_cache(maxsize=256)(Stored.from_bytes)


def _entries_about(ledger: Ledger, asked: Asked) -> list[Entry]:
    """The answers about the same rows and groups, those to the very same question first."""
    key = asked.name.key
    return sorted(
        ledger.find_answered(asked.name.topic), key=lambda entry: (entry.key != key, entry.number)
    )


def _is_accurate_enough(known: Known, asked: Asked) -> bool:
    """Whether an earlier answer is as accurate as was asked for: by its error, or number by number."""
    if asked.within is not None:
        return _largest_error(known, asked) <= at_most(asked.within, "within")
    return _is_as_accurate_as_paid(known, asked)


def _largest_error(known: Known, asked: Asked) -> Fraction:
    """The largest ± of what is shown as it was measured."""
    errors = known.errors(asked.confidence)
    return max(errors[place] for place in shown_as_measured(asked.plan))


def _is_as_accurate_as_paid(known: Known, asked: Asked) -> bool:
    """Whether no number is less accurate, and no group less shown, than the asked price would make it."""
    own = terms_at(known.plan.question, asked.shared, asked.limit, asked.charge)
    errors = known.errors(asked.confidence)
    if any(error > own.reach(place, asked.confidence) for place, error in enumerate(errors)):
        return False
    return own.finder is None or _hides_no_more(known.stored.hiding, own.finder.hiding)


def _hides_no_more(hiding: Hiding | None, other: Hiding) -> bool:
    """Whether groups that the other would show are shown."""
    return (
        hiding is not None
        and hiding.threshold <= other.threshold
        and hiding.per_bit <= other.per_bit
    )
