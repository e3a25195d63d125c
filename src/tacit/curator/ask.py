"""The corridor: rehearse, pay, look, let go.  The one place where plan, noise, ledger and data meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tacit.curator.answer.release import Release
from tacit.curator.priced_question import Asked, describe, error_at, one_line
from tacit.curator.pricing.answer_size import check_size
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.curator.question_context import Access
from tacit.curator.record.receipt import receipt_of
from tacit.curator.record.release_from_stored import render_release
from tacit.curator.record.stored_answer import Stored, release_exact
from tacit.curator.rehearse_before_payment import rehearsal_of, rehearse_fact
from tacit.curator.replay_stored_answer import Known, find_known
from tacit.engines import Engine
from tacit.errors import EngineFailed, LimitExceeded
from tacit.exact import rekey
from tacit.ledger import Entry
from tacit.plan import KeyValue, group_filter, in_words

__all__ = ["answer", "pay_and_release", "release_part"]


Fact = Callable[[Stored], Stored]
"""What is read from an answer and stored with it."""


def answer(access: Access, asked: Asked, *, raw: bool) -> Release:
    """The answer to a question: one that is known, for free, or a new one that is paid for."""
    known = find_known(access.ledger, asked)
    if known is not None:
        return _render(access, asked, known, free=True, raw=raw)
    if asked.selection is not None:
        from tacit.curator.ask_first_groups import choose_groups

        return choose_groups(access, asked, raw=raw)
    entry, free = pay_and_release(access, asked, raw=raw)
    stored = Stored.from_bytes(entry.payload or b"")
    places = tuple(range(len(asked.plan.question.measures)))
    return _render(access, asked, Known(asked.plan, places, entry, stored), free=free, raw=raw)


def pay_and_release(
    access: Access, asked: Asked, fact: Fact | None = None, *, raw: bool = False
) -> tuple[Entry, bool]:
    """The entry with the answer to a question, and whether it was there before; a `fact` is read from what is released.

    Claim:      the price is recorded before data are read, and nothing leaves that is not released.
    Because:    the order of the lines below.
    Checked by: tests/laws/test_corridor.py
    """
    engine = access.engine_of(asked.tables)
    check_size(asked.terms)
    group_filter(asked.plan.question)
    engine.dry_run(
        asked.plan.question, asked.terms.weights
    )  # what can fail for reasons of the plan fails here,
    description = describe(access, asked, asked.terms)
    _rehearse(access, asked, description, fact, raw=raw)  # or here
    entry = _charge(access, asked)  # pay
    if entry.is_answered:
        return entry, True
    terms = asked.terms_paid(entry.charge)  # it may be an earlier charge, of a higher price
    rekey()
    if terms is not asked.terms:
        description = describe(access, asked, terms)
    found, exact = _evaluate(engine, terms)  # look
    stored = release_exact(terms, exact, description, found)
    kept = stored if fact is None else fact(stored)
    return access.ledger.settle(entry, kept.to_bytes()), False  # let go


def release_part(engine: Engine, terms: Terms, description: Mapping[str, Any]) -> Stored:
    """What is released of one part of a question that was paid for: look, and let go.

    Claim:      the exact answer does not leave this function, and every part has noise of its own.
    Because:    it is passed to the mechanisms of the terms and to nothing else; randomness is rekeyed for each part.
    Checked by: tests/laws/test_combined.py::test_every_part_has_noise_of_its_own
    """
    rekey()
    found, exact = _evaluate(engine, terms)
    return release_exact(terms, exact, description, found)


def _rehearse(
    access: Access, asked: Asked, description: Mapping[str, Any], fact: Fact | None, *, raw: bool
) -> None:
    """Do with made-up answers all that is done with the real one, before it is paid for."""
    rehearsal = rehearsal_of(
        asked.plan,
        asked.terms,
        description,
        Entry(0, b"", access.analyst, asked.charge),
        asked.price,
        asked.confidence,
        asked.left_out,
        raw=raw,
    )
    if fact is None:
        access.rehearse_once(rehearsal)
    else:
        rehearse_fact(rehearsal, fact)


def _charge(access: Access, asked: Asked) -> Entry:
    """The entry that pays for a question."""
    try:
        return access.ledger.charge(
            asked.name.key,
            asked.loss,
            access.analyst,
            topic=asked.name.topic,
            about=one_line(in_words(asked.plan)),
        )
    except LimitExceeded as refusal:
        if asked.within is None or refusal.epsilon is None:
            raise
        raise LimitExceeded(
            refusal.analyst,
            refusal.asked,
            refusal.left,
            refusal.epsilon,
            error_at(access, asked, refusal.epsilon),
        ) from None


def _evaluate(engine: Engine, terms: Terms) -> tuple[tuple[tuple[KeyValue, ...], ...] | None, Any]:
    """The unknown keys that pass, if there are any, and the exact answer, which exists here and nowhere else.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/laws/test_corridor.py
    """
    with suppress(Exception):
        if terms.finder is None:
            return None, engine.evaluate(terms.question, terms.weights)
        with engine.gather(terms.question, terms.finder.secret()) as gathered:
            # let go of what passes, and of nothing else
            places, found = terms.finder.find(gathered)
            question = replace(terms.question, found=found)
            return found, gathered.evaluate(places, question, terms.weights)
    raise EngineFailed


def _render(access: Access, asked: Asked, known: Known, *, free: bool, raw: bool) -> Release:
    """The release, rendered anew from the stored integers."""
    return render_release(
        known.plan,
        known.places,
        known.stored,
        asked.confidence,
        access.price_of(known.entry.charge, free=free),
        receipt_of(known.entry, known.stored),
        asked.left_out,
        raw=raw,
    )
