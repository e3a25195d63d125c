"""Noise reduction: what was answered is answered again with less noise, for the difference of the two prices."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.accounting import Charge
from tacit.curator.answer.release import Release
from tacit.curator.ask import answer
from tacit.curator.priced_question import Asked, describe, one_line, price_plan, read_question
from tacit.curator.pricing.noise_of_measures import Terms, terms_at, worth_of
from tacit.curator.question_context import Access
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.release_from_stored import render_release
from tacit.curator.record.stored_answer import Stored, release_exact
from tacit.curator.rehearse_before_payment import rehearsal_of
from tacit.engines import Engine
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan, LimitExceeded
from tacit.exact import Number, at_most, rekey
from tacit.frozen import frozen
from tacit.ledger import Entry, MemoryLedger
from tacit.mechanisms import Gaussian, GradualLaplace, Laplace
from tacit.plan import Frame, Plan, in_words
from tacit.privacy import Loss, PureLoss, ZeroConcentratedLoss, root_at_least

__all__ = ["refine", "refine_question", "refine_until"]

_FIRST = 256  # the first try at an accuracy costs this part of the limit


@frozen(eq=False)
class _Chain:
    """An answer to a question (`base`) and those that refine it, up to the last: what all of them cost together.

    `begun` is the next one, if it was paid for and not answered yet.
    """

    base: Entry
    entry: Entry
    total: Charge
    begun: Entry | None


def refine_question(
    access: Access,
    question: str | Frame,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    raw: bool,
) -> Release:
    """The answer to a question as text or as a frame, refined to a price or to an accuracy."""
    if isinstance(question, str):
        tables = access.read_tables()
        plan, epsilon = read_question(access, question, tables, epsilon, None)
        if not isinstance(plan, Plan):
            raise InvalidInput("a question", question, "only one answer can be refined at a time")
    else:
        plan = question.plan()
    if epsilon is None:
        remedy = "give the most that all answers to the question may cost together, such as 0.5"
        raise InvalidInput("epsilon", None, remedy)
    if within is None:
        return refine(access, plan, epsilon=epsilon, confidence=confidence, raw=raw)
    return refine_until(
        access, plan, within=within, epsilon=epsilon, confidence=confidence, raw=raw
    )


def refine(
    access: Access, plan: Plan, *, epsilon: Number, confidence: Number, raw: bool
) -> Release:
    """The answer at a price of which what an earlier answer to the same question has cost is already paid.

    Claim:      all answers to the question in one chain together cost no more than the last total, and only the
                difference is charged; also where the rows have changed in between.
    Because:    with Laplace noise the coarser answers could be made from the finest without the data
                (`GradualLaplace`), which bounds their joint loss whatever else was asked in between; that holds of
                the same rows only, and it is refused where they may have changed.  Each answer has one successor,
                since two would be independent given it.  With Gaussian noise the difference buys an independent
                release, of whatever rows, and both are averaged by their precisions, which is free.
    Checked by: tests/laws/test_refine.py
    """
    asked = price_plan(access, plan, epsilon=epsilon, confidence=confidence)
    _check_refinable(asked)
    _check_rows_are_fixed(access, asked)
    chain = _find_chain(access, asked)
    if chain is None:
        return answer(access, asked, raw=raw)
    before = chain.entry.number
    while not asked.charge.fits(chain.total):
        if chain.begun is None:
            _pay(access, asked, chain, raw=raw)
        else:
            _answer(access, asked, chain)
        following = _find_chain(access, asked)
        assert following is not None, "a chain does not become shorter"
        chain = following
    return _render(access, asked, chain, free=chain.entry.number == before, raw=raw)


def refine_until(
    access: Access,
    plan: Plan,
    *,
    within: Number,
    epsilon: Number,
    confidence: Number,
    raw: bool,
) -> Release:
    """The first answer of which every interval reaches at most so far to either side, or else the one at `epsilon`.

    Claim:      when it stops depends on released numbers alone; what it charges comes to at most `epsilon`, together
                with what was paid before, and to less than twice what the last answer needed.
    Because:    every try has at most twice the price of the one before, of which only the difference is paid, and
                none a higher one than `epsilon`; where some group has no interval the tries end there.
    Checked by: tests/laws/test_refine.py::test_a_ratio_is_refined_until_it_is_accurate and
                tests/laws/test_refine.py::test_what_cannot_become_accurate_stops_at_its_price
    """
    allowed = at_most(within, "within")
    if allowed <= 0:
        raise InvalidInput("within", within, "give the error to allow, a number above zero")
    rule, most = access.rule, at_most(epsilon, "epsilon")
    last = rule.price_of(most).amount
    amount = max(1, rule.limit.amount // _FIRST)
    found: Release | None = None
    while True:
        price = most if amount >= last else min(most, rule.epsilon_of(Charge(amount)))
        try:
            found = refine(access, plan, epsilon=price, confidence=confidence, raw=raw)
        except LimitExceeded:
            if found is None:
                raise
            return _with_note(found, allowed)
        if _widest(found) <= allowed:
            return found
        if amount >= last:
            return _with_note(found, allowed)
        amount *= 2


def _with_note(found: Release, allowed: Fraction) -> Release:
    """The answer, which says that it is not as accurate as was asked for."""
    note = f"Not within ±{float(allowed):g}, as was asked for: at this price some interval is wider, or has no ends."
    return replace(found, notes=(*found.notes, note))


def _widest(found: Release) -> float:
    """The largest reach of an interval to either side; infinite where a number has no interval."""
    reaches = [0.0]
    for row in found:
        for name in found.measured:
            low, value, high = row[f"{name}_low"], row[name], row[f"{name}_high"]
            if low is None or value is None or high is None:
                return float("inf")
            reaches.append(max(float(high) - float(value), float(value) - float(low)))
    return max(reaches)


def _check_refinable(asked: Asked) -> None:
    """Refuse what is not made of counts and sums of known groups, by the plan alone."""
    additive = all(isinstance(each, Laplace | Gaussian) for each in asked.terms.mechanisms)
    if asked.selection is not None or asked.terms.finder is not None or not additive:
        raise InvalidPlan(
            "only counts and sums, and expressions of them, can be refined",
            "ask without quantiles and over declared groups, or ask again at a higher price",
        )


def _check_rows_are_fixed(access: Access, asked: Asked) -> None:
    """Refuse to refine Laplace noise where rows may have changed since it was drawn, before anything is paid.

    Claim:      finer Laplace noise is drawn only for the rows of the coarser.
    Because:    it is drawn given the coarser noise, which is told from the rows as they are now: of other rows it
                would depend on how they differ, which nobody paid for.  An engine that holds a copy has the same rows
                as long as it lives, and a ledger in memory does not outlive it.
    Checked by: tests/laws/test_refine.py::test_laplace_noise_is_refined_on_rows_that_cannot_change_alone
    """
    if asked.terms.concentrated or access.made_up:
        return
    fixed = access.engine_of(asked.tables).has_fixed_rows
    if not (fixed and isinstance(access.ledger, MemoryLedger)):
        raise InvalidPlan(
            "without a delta, an answer can be refined only if its rows cannot have changed, that is, in memory",
            "ask again at a higher price, or give the vault's limit a delta",
        )


def _find_chain(access: Access, asked: Asked) -> _Chain | None:
    """Of the answers to the same question and what refined each of them, the chain that has cost most."""
    chains = [
        _follow(access, asked, entry)
        for entry in access.ledger.find_answered(asked.name.topic)
        if entry.key == asked.name.key
    ]
    return max(chains, key=lambda each: (each.total.amount, -each.base.number), default=None)


def _follow(access: Access, asked: Asked, base: Entry) -> _Chain:
    """An answer and all that refine it: in the order of their charges, each the one before it."""
    topic = _name(access, asked, f"from {base.number}")
    entry, total = base, base.charge
    for each in access.ledger.entries():
        if each.topic != topic:
            continue
        if not each.is_answered:
            return _Chain(base, entry, total, each)
        entry, total = each, total + each.charge
    return _Chain(base, entry, total, None)


def _name(access: Access, asked: Asked, which: str) -> bytes:
    name = asked.name
    about = name.question + name.formats + f" {which}".encode()
    return tag(b"refinement", access.scope, name.version, name.contributions, about)


def _pay(access: Access, asked: Asked, chain: _Chain, *, raw: bool) -> Entry:
    """The entry that pays for the difference, once everything was rehearsed.

    Claim:      of all who refine the same answer at the same moment one pays, and the others find that one's entry.
    Because:    the key names the answer that is refined, and the ledger charges it once, in one indivisible step.  Who
                needs more pays the rest at the next place of the chain.
    Checked by: tests/laws/test_refine.py::test_all_who_refine_at_one_moment_pay_no_more_than_the_dearest
    """
    engine = access.engine_of(asked.tables)
    engine.dry_run(asked.plan.question, asked.terms.weights)
    access.rehearse_once(
        rehearsal_of(
            asked.plan,
            asked.terms,
            describe(access, asked, asked.terms),
            Entry(0, b"", access.analyst, asked.charge),
            asked.price,
            asked.confidence,
            asked.left_out,
            raw=raw,
        )
    )
    key = _name(access, asked, f"after {chain.entry.number}")
    topic = _name(access, asked, f"from {chain.base.number}")
    about = one_line(f"less noise: {in_words(asked.plan)}")
    return access.ledger.charge(
        key, _difference(access, asked, chain), access.analyst, topic=topic, about=about, once=True
    )


def _difference(access: Access, asked: Asked, chain: _Chain) -> Loss:
    """The loss that is left to be paid."""
    amount = access.rule.amount(Charge(asked.charge.amount - chain.total.amount))
    neighbours = asked.limit.neighbours
    if asked.limit.delta:
        return ZeroConcentratedLoss(amount, 0, neighbours)
    return PureLoss(amount, neighbours)


def _answer(access: Access, asked: Asked, chain: _Chain) -> None:
    """Look, and let go of a finer answer: of the first in the chain that was paid for and not answered.

    Claim:      no answer is refined twice, and whatever was paid for is answered.
    Because:    entries are numbered one after the other, and each refines the one before it, with the total of all up
                to it; where two answer the same one, the ledger keeps the first.
    Checked by: tests/laws/test_refine.py::test_an_answer_is_refined_once
    """
    entry = chain.begun
    assert entry is not None, "something was paid for"
    earlier = Stored.from_bytes(chain.entry.payload or b"")
    total = chain.total + entry.charge
    rekey()
    terms = terms_at(asked.plan.question, asked.shared, asked.limit, total)
    exact = _evaluate(access.engine_of(asked.tables), terms)
    said = {
        **describe(access, asked, terms),
        "refined": {"after": chain.entry.number, "total": total.amount},
    }
    if terms.concentrated:
        more = terms_at(asked.plan.question, asked.shared, asked.limit, entry.charge)
        stored = _average(terms, earlier, release_exact(more, exact, said))
    else:
        stored = _reduce_noise(terms, earlier, exact, said)
    access.ledger.settle(entry, stored.to_bytes())


def _evaluate(engine: Engine, terms: Terms) -> Any:
    """The exact answer; a failure says nothing."""
    with suppress(Exception):
        return engine.evaluate(terms.question, terms.weights)
    raise EngineFailed


def _reduce_noise(terms: Terms, earlier: Stored, exact: Any, said: dict[str, Any]) -> Stored:
    """Laplace noise, refined number by number."""
    columns, scales = [], []
    for place, where in enumerate(terms.columns):
        mechanism, before = terms.mechanisms[place], earlier.scales[place]
        assert isinstance(mechanism, Laplace), "a pure vault has Laplace noise"
        step = GradualLaplace(before, mechanism.scale)
        numbers = terms.round_to_grid(place, [int(each) for each in exact[:, where.start]])
        old = _column(earlier, place)
        columns.append([step.release(n, released=o) for n, o in zip(numbers, old, strict=True)])
        scales.append(mechanism.scale)
    return replace(
        earlier, asked=said, integers=tuple(zip(*columns, strict=True)), scales=tuple(scales)
    )


def _average(terms: Terms, earlier: Stored, fresh: Stored) -> Stored:
    """Two independent releases as one, by their precisions, in the finest steps there are."""
    columns, scales, worths = [], [], []
    for place, measure in enumerate(terms.question.measures):
        worth = worth_of(measure, terms.weights)
        old, new = (_in_steps(each, place, worth) for each in (earlier, fresh))
        precisions = [1 / old[1], 1 / new[1]]
        whole = sum(precisions, Fraction(0))
        columns.append(
            [
                round((a * precisions[0] + b * precisions[1]) / whole)
                for a, b in zip(old[0], new[0], strict=True)
            ]
        )
        scales.append(root_at_least(1 / whole + Fraction(1, 4)))  # and half a step of rounding
        worths.append(worth)
    return replace(
        fresh,
        integers=tuple(zip(*columns, strict=True)),
        scales=tuple(scales),
        worths=tuple(worths),
    )


def _in_steps(stored: Stored, place: int, worth: Fraction) -> tuple[list[Fraction], Fraction]:
    """The numbers of a measure in steps of this worth, and the variance of their noise."""
    factor = stored.worths[place] / worth
    return [factor * number for number in _column(stored, place)], (
        stored.scales[place] * factor
    ) ** 2


def _column(stored: Stored, place: int) -> Sequence[int]:
    found = [row[place] for row in stored.integers]
    return [each for each in found if isinstance(each, int)]


def _render(access: Access, asked: Asked, chain: _Chain, *, free: bool, raw: bool) -> Release:
    """The release of the last answer of a chain."""
    places = tuple(range(len(asked.plan.question.measures)))
    price = access.price_of(chain.entry.charge, free=free)
    stored = Stored.from_bytes(chain.entry.payload or b"")
    receipt = receipt_of(chain.entry, stored)
    return render_release(
        asked.plan,
        places,
        stored,
        asked.confidence,
        price,
        receipt,
        asked.left_out,
        raw=raw,
    )
