"""Finding what the policy leaves open, privately and at a price: bounds, contributions, and what is clipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.answer.release import Price
from tacit.curator.ask import pay_and_release
from tacit.curator.policy.policy import Shared
from tacit.curator.priced_question import Asked, price_plan
from tacit.curator.question_context import Access, table_named
from tacit.curator.record.found_bounds import (
    FoundBounds,
    FoundContributions,
    bounds_asked,
    bounds_in,
    contributions_asked,
    contributions_in,
    standing_facts,
    topic_of_facts,
)
from tacit.curator.record.measure_clipping import (
    Clipping,
    clipping_topic,
    plan_clipping,
    read_clipping,
)
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.stored_answer import Stored
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger import Ledger
from tacit.plan import Plan, Question, Ranked, View

__all__ = ["find_bounds", "find_contributions", "measure_clipping"]

_SURE = 0.95


def find_bounds(
    access: Access, column: str, *, epsilon: Number, share: Number, anew: bool
) -> FoundBounds:
    """Bounds of a column that declares none: see `Vault.find_bounds`."""
    table, point, name = column.partition(".")
    if not point:
        raise InvalidInput("column", column, "include its table, as in visits.cost")
    shared = table_named(table, access.read_tables())
    declared = table_named(table, access.policy.tables)
    question = bounds_asked(Shared(declared.table, shared.contributions), name, share)
    kind = next(each.kind for each in declared.table.columns if each.name == name)

    def read_fact(stored: Stored) -> dict[str, Any]:
        low, high = bounds_in(stored, kind)
        return {"of": column, "low": str(low), "high": str(high)}

    found = _find_fact(access, question, epsilon, column, read_fact, anew=anew)
    low, high = bounds_in(found.stored, kind)
    return FoundBounds(
        column, low, high, 1 - 2 * _lowest(question), found.reach, found.price, found.receipt
    )


def find_contributions(
    access: Access, table: str, *, epsilon: Number, share: Number, anew: bool
) -> FoundContributions:
    """How many rows of a unit count in full: see `Vault.find_contributions`."""
    question = contributions_asked(table_named(table, access.policy.tables), share)

    def read_fact(stored: Stored) -> dict[str, Any]:
        return {"of": table, "contributions": contributions_in(stored)}

    found = _find_fact(access, question, epsilon, table, read_fact, anew=anew)
    return FoundContributions(
        table,
        contributions_in(found.stored),
        _lowest(question),
        found.reach,
        found.price,
        found.receipt,
    )


def measure_clipping(access: Access, table: str, *, epsilon: Number) -> Clipping:
    """Which share of units and of values is clipped: see `Vault.clipping`.

    Claim:      it is paid for before a row is read, and the same is measured once.
    Because:    it is a question that is asked as any other is.
    Checked by: tests/unit/curator/record/test_measure_clipping.py
    """
    tables = access.read_tables()
    shared = table_named(table, tables)
    plan, places = plan_clipping(shared)
    asked = price_plan(access, plan, epsilon=epsilon, confidence=_SURE, tables=tables)
    own = asked.name
    key = tag(
        b"clipping", access.scope, own.version, shared.contributions, own.question + own.formats
    )
    topic = clipping_topic(shared, access.scope, own.version, own.formats)
    entry, free = pay_and_release(
        access,
        replace(asked, name=replace(own, key=key, topic=topic)),
        lambda stored: stored.saying(clipping=places),
    )
    stored = Stored.from_bytes(entry.payload or b"")
    price = access.price_of(entry.charge, free=free)
    return read_clipping(stored, shared, price, receipt_of(entry, stored))


@frozen
class _Found:
    """A fact as it is stored, its ± in rows, its price and its receipt."""

    stored: Stored
    reach: float
    price: Price
    receipt: Mapping[str, Any]


def _find_fact(
    access: Access,
    question: Question,
    epsilon: Number,
    of: str,
    read_fact: Callable[[Stored], dict[str, Any]],
    *,
    anew: bool,
) -> _Found:
    """Ask a question whose answer is a fact, or read it where it was asked before.

    Claim:      the fact binds nobody but who paid for it, unless the curator did; it takes the place of none that
                stands unless it was asked to.
    Because:    it is kept under the asker's own topic and name; where one stands and `anew` is not asked for, the
                same question is replayed and any other is refused before it is paid for.
    Checked by: tests/unit/curator/record/test_found_bounds.py
    """
    asked = price_plan(access, Plan(question, View(())), epsilon=epsilon, confidence=_SURE)
    own, topic = asked.name, topic_of_facts(access.analyst)
    again = b" after %d" % sum(1 for _ in access.ledger.find_answered(topic)) if anew else b""
    about = own.question + own.formats + again
    key = tag(b"fact", access.analyst, own.version, own.contributions, about)
    asked = replace(asked, name=replace(own, key=key, topic=topic))
    if not anew:
        _refuse_another(access, asked, of)

    def keep_fact(stored: Stored) -> Stored:
        return stored.saying(found={**read_fact(stored), "replaces": anew})

    entry, free = pay_and_release(access, asked, keep_fact)
    stored = Stored.from_bytes(entry.payload or b"")
    reach = float(max(stored.reach(place, _SURE) for place in range(len(stored.measures))))
    price = access.price_of(entry.charge, free=free)
    return _Found(stored, reach, price, receipt_of(entry, stored))


def _refuse_another(access: Access, asked: Asked, of: str) -> None:
    """Refuse to find what was found already, unless it is the same question at a price that is no higher."""
    standing = standing_facts(access.ledger, access.analyst).get(of)
    if standing is not None and not _is_answered_by(access.ledger, asked, standing["entry"]):
        raise InvalidInput("fact", of, _stands(standing, access.analyst))


def _is_answered_by(ledger: Ledger, asked: Asked, number: int) -> bool:
    """Whether the entry of this number answered this very question, at a price that was no lower."""
    return any(
        entry.number == number and entry.key == asked.name.key and asked.charge.fits(entry.charge)
        for entry in ledger.find_answered(asked.name.topic)
    )


def _stands(fact: Mapping[str, Any], analyst: str | None) -> str:
    """That a fact stands, and how another one takes its place."""
    known = fact.get("contributions") or f"{fact['low']} to {fact['high']}"
    whom = "everyone" if analyst is None else "your questions"
    return f"it was estimated before ({known}); to replace it for {whom}, use replace=True"


def _lowest(question: Question) -> Fraction:
    """The lowest rank that is asked for."""
    return min(measure.rank for measure in question.measures if isinstance(measure, Ranked))
