"""The corridor for questions that show only which groups come first: rehearse, pay, look, let go of the choice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.priced_question import Asked, describe, one_line
from tacit.curator.pricing.selection_price import SelectionTerms, kinds
from tacit.curator.question_context import Access
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.stored_answer import Stored
from tacit.curator.rehearse_before_payment import look_at
from tacit.engines import Engine
from tacit.errors import EngineFailed
from tacit.exact import rekey
from tacit.ledger import Entry
from tacit.mechanisms import NoisyTopK
from tacit.plan import KeyValue, group_filter, in_words, show_chosen

__all__ = ["choose_groups", "find_choice", "selection_key"]


def choose_groups(access: Access, asked: Asked, *, raw: bool) -> Release:
    """The first groups, chosen once: the same question, at no higher price, gets the same choice for free.

    Claim:      the price is recorded before data are read, and what leaves is the choice of the mechanism alone.
    Because:    the order of the lines below; scores exist in `_choose` and nowhere else.
    Checked by: tests/laws/test_top_k.py::test_a_choice_is_paid_for_before_rows_are_looked_at
    """
    terms, key = asked.selection, selection_key(access, asked)
    assert terms is not None, "groups are chosen where a selection has terms"
    earlier = find_choice(access, asked)
    if earlier is not None:
        return _render(access, asked, earlier, free=True, raw=raw)
    engine = access.engine_of(asked.tables)
    engine.dry_run(
        terms.top.question, terms.weights
    )  # what can fail for reasons of the plan fails here,
    _rehearse(access, asked, terms, raw=raw)  # or here
    about = one_line(in_words(asked.plan))
    entry = access.ledger.charge(  # pay
        key, terms.loss, access.analyst, topic=key, about=about
    )
    if not entry.is_answered:
        rekey()
        chosen = _choose(engine, terms)  # look, and let go of the choice
        stored = _build_stored(access, asked, terms, chosen)
        entry = access.ledger.settle(entry, stored.to_bytes())
        return _render(access, asked, entry, free=False, raw=raw)
    return _render(access, asked, entry, free=True, raw=raw)


def find_choice(access: Access, asked: Asked) -> Entry | None:
    """An earlier choice for the same question, at a price that was no lower."""
    entries = access.ledger.find_answered(selection_key(access, asked))
    return next((entry for entry in entries if asked.charge.fits(entry.charge)), None)


def selection_key(access: Access, asked: Asked) -> bytes:
    """What a choice is called in the ledger: by its question, how many are chosen, and from which end."""
    terms, name = asked.selection, asked.name
    assert terms is not None, "groups are chosen where a selection has terms"
    which = f"\0{terms.top.k} {'smallest' if terms.top.smallest else 'greatest'}\0".encode()
    about = name.question + which + name.formats
    return tag(b"selection", access.scope, name.version, name.contributions, about)


def _choose(engine: Engine, terms: SelectionTerms) -> tuple[tuple[KeyValue, ...], ...]:
    """The chosen groups, best first.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/laws/test_top_k.py::test_a_failing_engine_tells_nothing
    """
    top, exact = terms.top, None
    with suppress(Exception):
        exact = engine.evaluate(top.question, terms.weights)
    if exact is None:
        raise EngineFailed
    candidates = _list_candidates(terms)
    scores = np.array([int(exact[place, 0]) for place, _ in candidates], dtype=object)
    places = terms.mechanism.release(scores, smallest=top.smallest)
    return tuple(candidates[place][1] for place in places.tolist())


def _list_candidates(terms: SelectionTerms) -> list[tuple[int, tuple[KeyValue, ...]]]:
    """The groups that are chosen from, with their places among all: those that can have rows.

    Claim:      which groups these are depends on the plan and on public tables alone.
    Because:    nothing else is passed in.
    Checked by: tests/laws/test_top_k.py::test_no_group_is_chosen_that_can_have_no_row
    """
    can_have_rows = group_filter(terms.top.question)
    return [
        (place, group)
        for place, group in enumerate(terms.top.question.groups)
        if can_have_rows is None or can_have_rows(group)
    ]


def _build_stored(
    access: Access,
    asked: Asked,
    terms: SelectionTerms,
    chosen: tuple[tuple[KeyValue, ...], ...],
) -> Stored:
    """The choice as the ledger keeps it."""
    each = terms.mechanism.each
    how: dict[str, Any] = {
        "k": terms.top.k,
        "candidates": terms.candidates,
        "by": type(each).__name__,
        "monotone": each.monotone,
        "smallest": terms.top.smallest,
    }
    said = {**describe(access, asked, asked.terms), "selection": how}
    return Stored(said, "NoisyTopK", (), (each.scale,), (terms.worth,), (), (), chosen)


def _rehearse(access: Access, asked: Asked, terms: SelectionTerms, *, raw: bool) -> None:
    """Do with made-up choices, the first and the last groups, all that is done with the real one."""
    groups = [group for _, group in _list_candidates(terms)]
    for chosen in (groups[: terms.top.k], groups[-terms.top.k :]):
        stored = _build_stored(access, asked, terms, tuple(chosen))
        entry = Entry(0, b"", access.analyst, asked.charge, stored.to_bytes())
        look_at(_render(access, asked, entry, free=False, raw=raw))


def _render(access: Access, asked: Asked, entry: Entry, *, free: bool, raw: bool) -> Release:
    """The release of a choice, from what the ledger keeps of it."""
    stored = Stored.from_bytes(entry.payload or b"")
    plan, found = show_chosen(asked.plan), stored.found or ()
    shown = replace(plan, question=replace(plan.question, found=found))
    seen = view_answer(shown, [[] for _ in found], asked.confidence, raw=raw)
    price: Price = access.price_of(entry.charge, free=free)
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        asked.confidence,
        price,
        receipt_of(entry, stored),
        None,
        asked.left_out,
        (*seen.notes, _note(stored, asked.confidence)),
    )


def _note(stored: Stored, confidence: float) -> str:
    """What a choice promises, from what is public about it."""
    how = stored.asked["selection"]
    each = kinds[how["by"]](stored.scales[0], monotone=how["monotone"])
    behind = NoisyTopK(how["k"], each).error(confidence, how["candidates"]) * stored.worths[0]
    which = "smallest" if how["smallest"] else "greatest"
    return (
        f"Chosen by private selection: the {which} {how['k']} of {how['candidates']:,} groups; each is within "
        f"{float(behind):.3g} of the best one left, all at {confidence:.0%}."
    )
