"""The corridor for questions that combine several answers: rehearse, pay once, look at each part, let go of all.

Checked by: tests/laws/test_combined.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.accounting import Charge
from tacit.curator.answer.combined_rows import ReleasedPart, view_parts
from tacit.curator.answer.explanation import Explanation, explain_plan, name_measure, of_the_limit
from tacit.curator.answer.left_out_captions import (
    LeftOut,
    add_measured,
    list_empty_groups,
    list_left_out,
)
from tacit.curator.answer.release import Price, Release, percent
from tacit.curator.answer.subquery_constants import (
    constants_of_rows,
    describe_constants,
    fill_part,
    fill_plan,
    made_up_constants,
    name_subqueries,
)
from tacit.curator.ask import release_part
from tacit.curator.budget import with_earlier_charge, with_own_limit
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.priced_question import (
    Name,
    measured_shares,
    name_question,
    one_line,
    read_confidence,
    shared_of,
)
from tacit.curator.pricing.answer_size import Size, check_size, size_of
from tacit.curator.pricing.price_combined_answers import CombinedTerms, combined_terms, least_amount
from tacit.curator.question_context import Access
from tacit.curator.record.receipt import receipt_of, tag
from tacit.curator.record.stored_answer import Stored
from tacit.curator.record.stored_combined_answer import StoredParts
from tacit.curator.rehearse_before_payment import (
    check_sure_of_groups,
    look_at,
    made_up_answers,
    refuse_unforeseen,
    rehearsal_of,
)
from tacit.errors import InvalidInput
from tacit.exact import Number, at_most
from tacit.frozen import frozen
from tacit.ledger import Entry
from tacit.plan import (
    Answers,
    Case,
    CombinedPlan,
    MeasureOf,
    Plan,
    Ranked,
    Table,
    View,
    group_filter,
    in_words,
    leaves_of,
    most_rows,
    order_parts,
    parts_of_constants,
    prove_combined,
    tables_of,
)

__all__ = ["AskedParts", "answer_parts", "explain_parts", "price_parts"]


@frozen
class AskedParts:
    """A question of several parts that was read, proved, priced and named: all that is known before data are looked at.

    `tables`, `shared` and `names` are those of the parts.  `key` is what all of them together are called in the ledger,
    in whichever order they were written.
    """

    plan: CombinedPlan
    tables: tuple[tuple[Table, ...], ...]
    shared: tuple[Shared, ...]
    limit: Limit
    terms: CombinedTerms
    charge: Charge
    price: Price
    names: tuple[Name, ...]
    key: bytes
    confidence: float
    within: Number | None
    left_out: tuple[LeftOut, ...]

    @property
    def order(self) -> list[int]:
        """The order in which parts are kept: by their names, not by where they stand in the text."""
        return sorted(range(len(self.names)), key=lambda place: self.names[place].key)

    def terms_paid(self, charge: Charge) -> CombinedTerms:
        """The terms that a charge pays for: mostly its own, or those of an earlier and higher one."""
        questions = [part.question for part in self.plan.parts]
        return combined_terms(questions, self.shared, self.limit, charge)

    def shown_as_measured(self) -> list[tuple[int, ...]]:
        """Of every part, the measures that are columns of the answer as they are."""
        return _places_in_parts(self.plan, _shown_as_measured(self.plan.plan))


def price_parts(
    access: Access,
    plan: CombinedPlan,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: Number,
    tables: Mapping[str, Shared],
) -> AskedParts:
    """Prove a plan of several parts, and settle its terms at one price, or at the smallest that is accurate enough.

    Claim:      every part is proved before anything else is done with it; no data are looked at; one price is for all.
    Because:    the order of the lines below, and neither they nor what they call evaluate anything.
    Checked by: tests/laws/test_combined.py
    """
    proved, sure = prove_combined(plan), read_confidence(confidence)
    questions = [part.question for part in proved.parts]
    check_sure_of_groups(proved.plan, sure, most_rows(proved.answers, questions))
    named = tuple(tuple(tables_of(question.rows)) for question in questions)
    shared = tuple(
        shared_of(access, part, tables, each)
        for part, each in zip(proved.parts, named, strict=True)
    )
    limit, rule = access.policy.limit, access.rule
    if (epsilon is None) == (within is None):
        raise InvalidInput(
            "a price", epsilon, "give epsilon, such as 0.3, or within, such as 50, and not both"
        )
    if epsilon is not None:
        price = rule.price_of(epsilon)
    else:
        places = _places_in_parts(proved, _shown_as_measured(proved.plan))
        price = least_amount(questions, shared, limit, places, within or 0, sure)
    terms = combined_terms(questions, shared, limit, price)
    charge = rule.price(terms.loss)
    names = tuple(
        name_question(access, part, each, about)
        for part, each, about in zip(proved.parts, shared, named, strict=True)
    )
    left_out = tuple(
        dict.fromkeys(
            found
            for part, each, about in zip(proved.parts, terms.parts, named, strict=True)
            for found in add_measured(
                list_left_out(part, each, access.policy.unit, access.text_tables),
                measured_shares(access, tables, about),
            )
        )
        | dict.fromkeys(
            found
            for answers, viewed in _answers_with_views(proved)
            for found in list_empty_groups(
                viewed.view, [proved.parts[leaf.part].question for leaf in leaves_of(answers)]
            )
        )
    )
    return AskedParts(
        proved,
        named,
        shared,
        limit,
        terms,
        charge,
        access.price_of(charge, free=False),
        names,
        _key(access, names, proved),
        sure,
        within,
        left_out,
    )


def _answers_with_views(plan: CombinedPlan) -> list[tuple[Answers, Plan]]:
    """The answers that are looked at, each with its view: those of subqueries, and that of the plan."""
    return [
        *[(each.answers, each.plan) for each in plan.subqueries],
        (plan.answers, plan.plan),
    ]


def answer_parts(access: Access, asked: AskedParts, *, raw: bool) -> Release:
    """The answer to a question of several parts: one that is known, for free, or a new one that is paid for once.

    Claim:      the whole price is recorded before data are read, in one entry, and nothing leaves that is not released;
                the same parts at no higher price are answered from what is stored, for free.
    Because:    the order of the lines below; an entry that was charged and not answered is answered at its own terms.
                A part that compares with a subquery is released after it: the amounts of all parts were settled before,
                so that they add up whatever the subquery released.
    Checked by: tests/laws/test_combined.py and tests/laws/test_row_subqueries.py
    """
    known = _find_known(access, asked)
    if known is not None:
        return _render(access, asked, known, free=True, raw=raw)
    engines = [access.engine_of(tables) for tables in asked.tables]
    for engine, terms in zip(engines, asked.terms.parts, strict=True):
        check_size(terms)
        for question in made_up_constants(asked.plan, terms.question):
            group_filter(question)
            engine.dry_run(question, terms.weights)
    _check_size_of_all(asked.terms)
    _rehearse(access, asked, raw=raw)
    entry = access.ledger.charge(  # pay
        asked.key, asked.terms.loss, access.analyst, topic=asked.key, about=_about(asked)
    )
    if entry.is_answered:
        return _render(access, asked, entry, free=True, raw=raw)
    paid = asked.terms_paid(entry.charge)  # it may be an earlier charge, of a higher price
    assert access.rule.price(paid.loss).fits(entry.charge), "no more is released than was paid for"
    released: dict[int, Stored] = {}
    for place in order_parts(asked.plan):  # look, and let go
        terms = fill_part(asked.plan, paid.parts[place], _released_of(asked, released))
        released[place] = release_part(engines[place], terms, _describe(access, asked, place))
    kept = StoredParts(_describe_all(access, asked), tuple(released[at] for at in asked.order))
    return _render(access, asked, access.ledger.settle(entry, kept.to_bytes()), free=False, raw=raw)


def explain_parts(access: Access, asked: AskedParts) -> Explanation:
    """What an answer of several parts would be made of and cost; it is free, and no data are looked at."""
    limit, spent = access.policy.limit, access.ledger.total_spent()
    rule = limit.filter()
    told = [
        explain_plan(part, terms, shared, limit, spent, asked.confidence, access.policy.unit)
        for part, terms, shared in zip(
            asked.plan.parts, asked.terms.parts, asked.shared, strict=True
        )
    ]
    shares = asked.terms.shares
    many = f"{len(told)} questions at one price; what is computed from their answers is free:"
    made_of = parts_of_constants(asked.plan)
    first = {part for at in constants_of_rows(asked.plan) for part in made_of[at]}
    words = [many if len(told) > 1 else "One question; what is computed from its answer is free:"]
    words += [
        f"  {number}. {in_words(_plain(part))} It has {percent(round(float(share), 3))} of the price."
        + (
            " It is released first: rows are compared with its answer."
            if number - 1 in first
            else ""
        )
        for number, (part, share) in enumerate(zip(asked.plan.parts, shares, strict=True), 1)
    ]
    charge = rule.price(asked.terms.loss)
    factor = 4 if limit.delta else 2
    expected = tuple(
        replace(each, measure=_name(asked.plan, number, place))
        for number, part in enumerate(told)
        for place, each in enumerate(part.expected)
    )
    hiding = [each.hiding for each in told if each.hiding is not None]
    whole = replace(
        told[0],
        words="\n".join(words),
        contributions=max(each.contributions for each in told),
        groups=sum(each.groups for each in told),
        expected=expected,
        share=float(rule.share(charge)),
        affordable=rule.admits(spent, charge),
        fitting=None if rule.admits(spent, charge) else rule.epsilon_left(spent, charge),
        halving=f"pay {factor} times as much ({of_the_limit(float(rule.share(charge) * factor), 1)}).",
        free=_find_known(access, asked) is not None,
        hiding=max(hiding, key=lambda each: each.threshold) if hiding else None,
        size=_size_of_all(asked.terms),
        left_out=asked.left_out,
        remarks=tuple(dict.fromkeys(remark for each in told for remark in each.remarks)),
    )
    return with_earlier_charge(access, with_own_limit(access, whole, charge), asked.key, charge)


# ---------------------------------------------------------------- what is known already


def _find_known(access: Access, asked: AskedParts) -> Entry | None:
    """An earlier answer to the same parts, as accurate as was asked for."""
    for entry in access.ledger.find_answered(asked.key):
        if asked.within is None:
            if asked.charge.fits(entry.charge):
                return entry
        elif _largest_error(asked, entry) <= at_most(asked.within, "within"):
            return entry
    return None


def _largest_error(asked: AskedParts, entry: Entry) -> Fraction:
    stored, places = _read(asked, entry), asked.shown_as_measured()
    return max(
        part.reach(place, asked.confidence)
        for part, shown in zip(stored, places, strict=True)
        for place in shown
    )


def _read(asked: AskedParts, entry: Entry) -> list[Stored]:
    """What was released for every part, in the order of the plan."""
    kept = StoredParts.from_bytes(entry.payload or b"").parts
    found = dict(zip(asked.order, kept, strict=True))
    return [found[place] for place in range(len(kept))]


def _key(access: Access, names: Sequence[Name], plan: CombinedPlan) -> bytes:
    """What the parts together are called in the ledger, in whichever order they were written.

    Claim:      two statements have one name only if their parts release the same; constants of rows are among them.
    Because:    with subqueries, how each constant is made of the parts is written out, which have numbers there: their
                places among the sorted names.
    Checked by: tests/laws/test_row_subqueries.py::test_another_constant_is_another_question
    """
    order = sorted(range(len(names)), key=lambda place: names[place].key)
    about = b"".join(names[place].key for place in order)
    if constants_of_rows(plan):
        about += name_subqueries(plan, {place: number for number, place in enumerate(order)})
    return tag(b"answers", access.scope, sum(name.version for name in names), None, about)


# ---------------------------------------------------------------- what is shown


def _render(access: Access, asked: AskedParts, entry: Entry, *, free: bool, raw: bool) -> Release:
    """The release, rendered anew from the stored integers of all parts."""
    stored = StoredParts.from_bytes(entry.payload or b"")
    price = access.price_of(entry.charge, free=free)
    parts = [
        _build_released_part(part, each)
        for part, each in zip(asked.plan.parts, _read(asked, entry), strict=True)
    ]
    return _release(asked, parts, stored, price, receipt_of(entry, stored), raw=raw)


def _release(
    asked: AskedParts,
    parts: Sequence[ReleasedPart],
    stored: StoredParts,
    price: Price,
    receipt: Mapping[str, Any],
    *,
    raw: bool,
) -> Release:
    seen = view_parts(fill_plan(asked.plan, parts), parts, asked.confidence, raw=raw)
    constants = describe_constants(asked.plan, parts)
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        asked.confidence,
        price,
        receipt,
        stored.hiding,
        asked.left_out,
        (*constants, *seen.notes),
    )


def _released_of(asked: AskedParts, stored: Mapping[int, Stored]) -> dict[int, ReleasedPart]:
    """What was released of some parts, by their places."""
    return {
        place: _build_released_part(asked.plan.parts[place], each) for place, each in stored.items()
    }


def _build_released_part(part: Plan, stored: Stored) -> ReleasedPart:
    places = range(len(part.question.measures))
    numbers = tuple(tuple(row) for row in stored.noisy(places))
    return ReleasedPart(replace(part.question, found=stored.found), numbers)


# ---------------------------------------------------------------- before it is paid for


def _rehearse(access: Access, asked: AskedParts, *, raw: bool) -> None:
    """Do with made-up answers of all parts what is to be done with the real ones; what fails is refused.

    Claim:      whatever can fail after the charge for reasons of the plan fails here.
    Because:    what is done afterwards is done here, on answers that noise could have made: rows that meet, and rows
                that are put side by side in turn, whatever their keys are.
    Checked by: tests/laws/test_combined.py::test_what_cannot_be_computed_is_refused_before_it_is_paid_for
    """
    entry = Entry(0, b"", access.analyst, asked.charge)
    made_up: list[list[tuple[ReleasedPart, Stored]]] = []
    for place, (part, terms) in enumerate(zip(asked.plan.parts, asked.terms.parts, strict=True)):
        rehearsal = rehearsal_of(
            part,
            terms,
            _describe(access, asked, place),
            entry,
            asked.price,
            asked.confidence,
            (),
            raw=raw,
        )
        with refuse_unforeseen():
            made_up.append(
                [
                    (replace(_build_released_part(rehearsal.plan, each), is_made_up=True), each)
                    for each in made_up_answers(rehearsal)
                ]
            )
    with refuse_unforeseen():
        for turn in range(max(map(len, made_up))):
            chosen = [each[turn % len(each)] for each in made_up]
            kept = StoredParts(_describe_all(access, asked), tuple(stored for _, stored in chosen))
            payload = kept.to_bytes()
            read = StoredParts.from_bytes(payload)
            receipt = receipt_of(replace(entry, payload=payload), read)
            parts = [part for part, _ in chosen]
            for possible in (parts, _align_keys(parts)):
                for terms in asked.terms.parts:
                    fill_part(asked.plan, terms, dict(enumerate(possible)))
                look_at(_release(asked, possible, read, asked.price, receipt, raw=raw))


def _align_keys(parts: Sequence[ReleasedPart]) -> list[ReleasedPart]:
    """The parts with equal keys where they have keys of one kind, so that rows meet whatever they are joined on."""
    known: dict[type, Any] = {}
    found = []
    for part in parts:
        groups = [
            tuple(
                value if value is None else known.setdefault(type(value), value) for value in keys
            )
            for keys in part.question.groups
        ][:1]
        keys = tuple(replace(key, values=None) for key in part.question.keys)
        question = replace(part.question, keys=keys, found=tuple(groups) if keys else None)
        found.append(ReleasedPart(question, part.groups[: len(groups)], is_made_up=True))
    return found


def _size_of_all(terms: CombinedTerms) -> Size:
    sizes = [size_of(each) for each in terms.parts]
    return Size(sum(each.numbers for each in sizes), sum(each.bytes for each in sizes))


def _check_size_of_all(terms: CombinedTerms) -> None:
    size = _size_of_all(terms)
    if not size.fits:
        raise InvalidInput("answers", size.numbers, f"together they are too large: {size}")


# ---------------------------------------------------------------- what is written down


def _describe(access: Access, asked: AskedParts, place: int) -> dict[str, Any]:
    """What was asked in one part, and under which policy, as it is kept with the answer."""
    limit, name = asked.limit, asked.names[place]
    return {
        "unit": access.policy.unit,
        "neighbours": limit.neighbours.value,
        "question": name.question.hex(),
        "table": ", ".join(table.name for table in asked.tables[place]),
        "version": name.version,
        "contributions": asked.shared[place].contributions,
        "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
        "made up": access.made_up,
    }


def _describe_all(access: Access, asked: AskedParts) -> dict[str, Any]:
    """What was asked in all parts."""
    tables = dict.fromkeys(table.name for tables in asked.tables for table in tables)
    return {
        **_describe(access, asked, 0),
        "question": [asked.names[place].question.hex() for place in asked.order],
        "table": ", ".join(tables),
        "version": sum(name.version for name in asked.names),
        "left out": [str(each) for each in asked.left_out],
    }


def _about(asked: AskedParts) -> str:
    return one_line("; ".join(in_words(_plain(part)) for part in asked.plan.parts))


def _plain(part: Plan) -> Plan:
    """A part without names for what it shows."""
    return Plan(part.question, View(()))


def _places_in_parts(plan: CombinedPlan, places: set[int]) -> list[tuple[int, ...]]:
    """Places of the view's measures as places in each part."""
    found: list[set[int]] = [set() for _ in plan.parts]
    start = 0
    for leaf in leaves_of(plan.answers):
        for at, measure in enumerate(leaf.measures):
            if start + at in places:
                found[leaf.part].add(measure)
        start += len(leaf.measures)
    return [tuple(sorted(each)) for each in found]


def _shown_as_measured(plan: Plan) -> set[int]:
    """The measures that are columns of the answer as they are, or in some of its rows."""
    found: set[int] = set()
    for shown in plan.view.columns:
        value = shown.value
        branches = [then for _, then in value.branches] if isinstance(value, Case) else [value]
        found |= {each.place for each in branches if isinstance(each, MeasureOf)}
    return {place for place in found if not isinstance(plan.question.measures[place], Ranked)}


def _name(plan: CombinedPlan, part: int, place: int) -> str:
    """What a measure of a part is called by the columns of the answer."""
    start = 0
    for leaf in leaves_of(plan.answers):
        if leaf.part == part and place in leaf.measures:
            at = start + leaf.measures.index(place)
            return name_measure(at, plan.plan.question.measures[at], plan.plan)
        start += len(leaf.measures)
    for each in plan.subqueries:
        if part in {leaf.part for leaf in leaves_of(each.answers)}:
            return f"for {each.column.name}"
    return "which groups there are"
