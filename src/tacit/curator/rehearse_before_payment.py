"""A rehearsal of what is done with an answer, on made-up releases, before anything is paid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

from tacit.curator.answer.group_windows import has_windows, parts_shown, roots_of
from tacit.curator.answer.left_out_captions import LeftOut
from tacit.curator.answer.plot import bars_of
from tacit.curator.answer.release import Price, Release
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.curator.record.receipt import receipt_of
from tacit.curator.record.release_from_stored import render_release
from tacit.curator.record.stored_answer import Integers, Stored, stored_answer
from tacit.errors import InvalidInput, InvalidPlan
from tacit.frozen import frozen
from tacit.ledger import Entry
from tacit.mechanisms import Gaussian, RankedCells
from tacit.plan import (
    INT64,
    Key,
    Kind,
    Literal,
    MomentOf,
    Plan,
    Question,
    Scalar,
    Scan,
    Shown,
    Summed,
    Table,
    groups_of,
    many_rows,
    operands,
    table_of,
    type_of,
    walk_expression,
)

__all__ = [
    "Rehearsal",
    "check_sure_of_groups",
    "look_at",
    "made_up_answers",
    "made_up_plan",
    "refuse_unforeseen",
    "rehearsal_of",
    "rehearse_fact",
    "remember_rehearsals",
]

_REHEARSALS = 256
"""How many shapes of questions a vault remembers to have rehearsed."""

_FAR = 2 * 64
"""No noise goes further than 64 of its scales: it would once in exp(64) releases.  Twice that is as much of any scale
that a price of the same magnitude has."""

_SIGNS: tuple[tuple[int, ...], ...] = ((0,), (1,), (-1,), (1, -1))
"""What is made up of the measures of a group, in turn: nothing, the most, the least, and one against the other."""

_NO_ROWS = Scan(Table("nothing", ()))
_NO_QUESTION = Question(_NO_ROWS, (), ())
_NO_VALUE = Literal(None, Kind.INTEGER)

_FINGERPRINT = "0" * 64
"""What stands for the fingerprint of a question: whichever it is, it is so many digits."""

_KEYS: dict[Kind, tuple[Scalar, Scalar]] = {
    Kind.BOOLEAN: (False, True),
    Kind.INTEGER: INT64,
    Kind.NUMBER: (Fraction(-1, 3), Fraction(2) ** 1000),
    Kind.TEXT: ("", "=\x1b\x00\u202e\ufeff\U0010ffff' \""),
    Kind.DATE: (date.min, date.max),
    Kind.TIMESTAMP: (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
}
"""Keys as odd as any that may be found, in the order of their values."""


@frozen
class Rehearsal:
    """All that decides what an answer looks like, but for its numbers: it is computed without data.

    `plan` has few groups, numbers for the `names` of its columns, and no rows: answers are shown without looking at
    them.  `most` is how many rows there can be at most, `description` what is stored about the question, as JSON, and
    `entry` stands for the one that will be charged.  `unpriced` is what `terms` are at any price, and `magnitude` the
    number of bits of the charge.

    Claim:      what is made up at one price goes as far as any answer at another price of the same magnitude.
    Because:    the two prices differ by less than a factor of two, and so do the scales of their noise, which are as
                one over the price or its root; see `_FAR`.
    Checked by: tests/unit/curator/test_rehearse_before_payment.py::test_one_reaches_as_far_as_all_prices_of_a_magnitude
    """

    plan: Plan
    names: tuple[str, ...]
    unpriced: Terms
    magnitude: int
    most: int
    description: str
    analyst: str | None
    terms: Terms = field(compare=False)
    entry: Entry = field(compare=False)
    price: Price = field(compare=False)
    confidence: float
    left_out: tuple[LeftOut, ...]
    raw: bool


def rehearsal_of(
    plan: Plan,
    terms: Terms,
    description: Mapping[str, Any],
    entry: Entry,
    price: Price,
    confidence: float,
    left_out: tuple[LeftOut, ...],
    *,
    raw: bool,
) -> Rehearsal:
    """The rehearsal of a question.

    It is the same for questions that differ in nothing but which rows they ask about, and by less than a factor of two
    in their price.
    """
    return Rehearsal(
        made_up_plan(plan),
        tuple([shown.name for shown in plan.view.columns]),
        replace(terms, question=_NO_QUESTION, sensitivities=(), mechanisms=(), amount=Fraction(0)),
        entry.charge.amount.bit_length(),
        1 << 62 if many_rows(plan.question) else table_of(plan.question.rows).rows,
        json.dumps({**description, "question": _FINGERPRINT}),
        entry.analyst,
        terms,
        entry,
        price,
        confidence,
        left_out,
        raw,
    )


def remember_rehearsals() -> Callable[[Rehearsal], None]:
    """What rehearses a shape that was not rehearsed before; of one that has other names, it only looks at these.

    Claim:      whatever can fail after the charge for reasons of the plan fails here, and what is done depends on
                nothing but the plan, the policy and the price.
    Because:    what is done afterwards is done here; the answers are made up from the terms: no group and some, zero
                and the most that rows and noise can come to, of either sign, and keys of every kind at their ends.  A
                rehearsal is a function of one frozen value, which is what is remembered, and a failure is not; no
                number depends on a name, and no name on a number: all rows are looked at with the first names of a
                shape, and one row with all others.
    Checked by: tests/unit/curator/test_rehearse_before_payment.py
    """
    make_up = lru_cache(maxsize=_REHEARSALS)(_made_up_releases)

    def rehearse(rehearsal: Rehearsal) -> None:
        with refuse_unforeseen():
            releases = make_up(replace(rehearsal, names=()))
            for place, release in enumerate(releases):
                look_at(_with_names(release, rehearsal.names))
                if len(release.rows) > 1:
                    releases[place] = replace(release, rows=release.rows[:1])

    return lru_cache(maxsize=_REHEARSALS)(rehearse)


def rehearse_fact(rehearsal: Rehearsal, fact: Callable[[Stored], Stored]) -> None:
    """Read a fact from made-up answers, and store it with them; what fails is refused, before it is paid for."""
    with refuse_unforeseen():
        for stored in made_up_answers(rehearsal):
            _keep(rehearsal, fact(stored))


def _keep(rehearsal: Rehearsal, stored: Stored) -> tuple[Stored, Mapping[str, Any]]:
    """A made-up answer as it is read from the ledger, and its receipt."""
    payload = stored.to_bytes()
    read = Stored.from_bytes(payload)
    return read, receipt_of(replace(rehearsal.entry, payload=payload), read)


def _made_up_releases(rehearsal: Rehearsal) -> list[Release]:
    """Made-up answers, stored, read again and rendered."""
    places = tuple(range(len(rehearsal.plan.question.measures)))
    found = []
    for made_up in made_up_answers(rehearsal):
        stored, receipt = _keep(rehearsal, made_up)
        release = render_release(
            rehearsal.plan,
            places,
            stored,
            rehearsal.confidence,
            rehearsal.price,
            receipt,
            rehearsal.left_out,
            raw=rehearsal.raw,
        )
        found.append(release)
    return found


_ENDS = ("", "_low", "_high")


def _with_names(release: Release, names: Sequence[str]) -> Release:
    """A release of numbered columns with names in the place of numbers."""
    named = {f"{at}{end}": f"{name}{end}" for at, name in enumerate(names) for end in _ENDS}
    return replace(
        release,
        columns=tuple([named[column] for column in release.columns]),
        measured=tuple([named[column] for column in release.measured]),
    )


@contextmanager
def refuse_unforeseen() -> Iterator[None]:
    """Refuse a question whose made-up answer cannot be computed."""
    try:
        yield
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput | InvalidPlan):
            raise
        raise InvalidPlan(
            "a computation on the released numbers could fail after the charge "
            f"({type(error).__name__})",
            "ask for the aggregates alone and compute the rest from the answer, or declare "
            "narrower bounds",
        ) from error


def look_at(release: Release) -> None:
    """Do all that people do with an answer, as far as it takes no other library: print, draw and hand it on."""
    str(release)
    release._repr_html_()
    release.typed_columns()
    release.to_csv()
    if release.measured and release.rows:
        bars_of(release)


def made_up_plan(plan: Plan) -> Plan:
    """The plan without rows and names, and with few groups: two values of the longest public key, one of the others.

    A key that nobody shows has so many values that there is a group for everything that is made up of one; and all
    groups are shown, whatever LIMIT says.
    """
    question, view = plan.question, plan.view
    longest = max((len(key.values or ()) for key in question.keys), default=0)
    keys: list[Key] = []
    groups = 2 if question.unknown else 1
    for key in question.keys:
        if key.values is None:
            keys.append(key)
            continue
        values = _ends_of(key.values) if len(key.values) == longest else key.values[:1]
        longest = -1 if len(key.values) == longest else longest  # of others, one value is enough
        groups *= len(values) + key.null
        keys.append(replace(key, values=values))
    turns = -(-len(_signs_of(plan)) // max(1, groups))
    if turns > 1:
        keys.append(Key(_NO_VALUE, tuple(range(turns))))
    columns = tuple([Shown(str(at), shown.value) for at, shown in enumerate(view.columns)])
    view = replace(view, columns=columns)
    if view.limit is not None:
        view = replace(view, limit=max(view.limit, turns * groups), offset=0)
    return Plan(replace(question, rows=_NO_ROWS, keys=tuple(keys)), view)


def _signs_of(plan: Plan) -> tuple[tuple[int, ...], ...]:
    """What is made up in turn: of a variance, whose interval takes a millisecond, nothing and the most."""
    return _SIGNS[:2] if MomentOf in map(type, parts_shown(plan.view)) else _SIGNS


def _ends_of(values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The first and the last of some values."""
    return values if len(values) <= 2 else (values[0], values[-1])


def made_up_answers(rehearsal: Rehearsal) -> Iterator[Stored]:
    """Answers that noise could have made, one after the other; each is stored as a real one would be."""
    plan = rehearsal.plan
    terms = replace(rehearsal.terms, question=plan.question)
    places = range(len(terms.mechanisms))
    signs = _signs_of(plan)
    turns = [
        tuple(_made_up(terms, rehearsal.most, place, each) for place in places) for each in signs
    ]
    none = stored_answer(terms, (), json.loads(rehearsal.description), ())
    for found in _possible_findings(plan.question):
        many = groups_of(replace(plan.question, found=found))
        groups = tuple(turns[group % len(turns)] for group in range(many))
        yield replace(none, integers=groups, found=found)


def _possible_findings(question: Question) -> list[tuple[tuple[Scalar, ...], ...] | None]:
    """Which unknown keys may have been found: none of them, or two; nothing, if all are public."""
    if not question.unknown:
        return [None]
    ends = [_KEYS[type_of(key.value).kind] for key in question.unknown]
    return [(), tuple(tuple(end[place] for end in ends) for place in (0, 1))]


def _made_up(terms: Terms, rows: int, place: int, signs: tuple[int, ...]) -> Integers:
    """What could be released of one measure: none, or as much as all rows and the noise together."""
    mechanism, sign = terms.mechanisms[place], signs[place % len(signs)]
    if isinstance(mechanism, RankedCells):  # below the grid, in its middle, or above it
        cell = {0: mechanism.cells // 2, 1: mechanism.cells, -1: -1}[sign]
        return (
            (cell,) * mechanism.draws if len(signs) == 1 else tuple(range(-1, mechanism.draws - 1))
        )
    measure = terms.question.measures[place]
    each = measure.reach if isinstance(measure, Summed) else 1
    most = rows * each << terms.weights.bits
    scale = mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale
    return sign * (most // terms.grids[place] + ceil(_FAR * scale))


def check_sure_of_groups(plan: Plan, confidence: float, rows: int | None = None) -> None:
    """Refuse a confidence that cannot be shared out among all groups at once: floats know none so close to one.

    Windows over released groups hold for all of them together, so that each has to be surer by their number.  `rows`
    is how many there are at most, where answers are combined.
    """
    if not has_windows(plan.view):
        return
    roots = [*roots_of(plan.view), *([] if plan.view.having is None else [plan.view.having])]
    figures = sum(1 for root in roots for part in walk_expression(root) if not operands(part))
    groups = groups_of(plan.question) if rows is None else rows
    if (1 - confidence) / (groups * max(1, figures)) < 1e-15:
        remedy = f"it is too high for {groups:,} groups simultaneously; ask for less, such as 0.999"
        raise InvalidInput("confidence", confidence, remedy)
