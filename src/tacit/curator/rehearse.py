"""A rehearsal of what is done with an answer, on made-up releases, before anything is paid."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from math import ceil
from typing import Any

from tacit.curator.answer.group_windows import every_part, roots_of
from tacit.curator.answer.plot import bars_of
from tacit.curator.answer.release import Release
from tacit.curator.pricing.terms import Terms
from tacit.curator.record.stored import Integers, Stored, stored_answer
from tacit.errors import InvalidInput, InvalidPlan
from tacit.mechanisms import Gaussian, RankedCells
from tacit.plan import (
    INT64,
    Across,
    Key,
    Kind,
    MomentOf,
    Plan,
    Question,
    Scalar,
    Summed,
    groups_of,
    many_rows,
    operands,
    table_of,
    type_of,
)

__all__ = ["check_sure_of_groups", "look_at", "made_up_answers", "made_up_plan", "rehearse"]

_FAR = 64
"""No noise goes further than so many of its scales: it would once in exp(64) releases."""

_SIGNS: tuple[tuple[int, ...], ...] = ((0,), (1,), (-1,), (1, -1))
"""What is made up of the measures of a group, in turn: nothing, the most, the least, and one against the other."""

_KEYS: dict[Kind, tuple[Scalar, Scalar]] = {
    Kind.BOOLEAN: (False, True),
    Kind.INTEGER: INT64,
    Kind.NUMBER: (Fraction(-1, 3), Fraction(2) ** 1000),
    Kind.TEXT: ("", "=\x1b\x00\u202e\ufeff\U0010ffff' \""),
    Kind.DATE: (date.min, date.max),
    Kind.TIMESTAMP: (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
}
"""Keys as odd as any that may be found, in the order of their values."""


def rehearse(
    plan: Plan, terms: Terms, asked: Mapping[str, Any], use: Callable[[Plan, Stored], object]
) -> None:
    """Do with made-up answers what is to be done with the real one; what fails is refused, before it is paid for.

    Claim:      whatever can fail after the charge for reasons of the plan fails here, and what is done depends on
                nothing but the plan, the policy and the price.
    Because:    `use` is what is done afterwards; the answers are made up from the terms: no group, one and two, zero
                and the most that rows and noise can come to, of either sign, and keys of every kind at their ends.
    Checked by: tests/unit/curator/test_rehearse.py
    """
    try:
        small = made_up_plan(plan)
        for stored in made_up_answers(small, terms, asked):
            use(small, stored)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, InvalidInput | InvalidPlan):
            raise
        raise InvalidPlan(
            f"the answer to this could be paid for and not be shown ({type(error).__name__})",
            "ask for the numbers alone and compute the rest from the answer, or declare narrower bounds",
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
    """The plan with no more than two groups: the first and the last value of one public key, and one of the others."""
    keys: list[Key] = []
    for key in plan.question.keys:
        if key.values is None:
            keys.append(key)
        else:
            two = len(key.values) > 1 and all(len(each.values or ()) < 2 for each in keys)
            keys.append(
                replace(key, values=(key.values[0], key.values[-1]) if two else key.values[:1])
            )
    return replace(plan, question=replace(plan.question, keys=tuple(keys)))


def made_up_answers(plan: Plan, terms: Terms, asked: Mapping[str, Any]) -> Iterator[Stored]:
    """Answers that noise could have made, one after the other; each is stored as a real one would be."""
    slow = any(
        isinstance(part, MomentOf) for root in roots_of(plan.view) for part in every_part(root)
    )
    signs = _SIGNS[:2] if slow else _SIGNS  # a variance takes a millisecond
    places = range(len(terms.mechanisms))
    turns = list(
        dict.fromkeys(tuple(_made_up(terms, place, each) for place in places) for each in signs)
    )
    none = stored_answer(terms, (), asked, ())
    for found in _possible_findings(plan.question):
        many = groups_of(replace(plan.question, found=found))
        for first in range(0, len(turns), many or len(turns)):
            groups = tuple(turns[(first + group) % len(turns)] for group in range(many))
            yield replace(none, integers=groups, found=found)


def _possible_findings(question: Question) -> list[tuple[tuple[Scalar, ...], ...] | None]:
    """Which unknown keys may have been found: none of them, or two; nothing, if all are public."""
    if not question.unknown:
        return [None]
    ends = [_KEYS[type_of(key.value).kind] for key in question.unknown]
    return [(), tuple(tuple(end[place] for end in ends) for place in (0, 1))]


def _made_up(terms: Terms, place: int, signs: tuple[int, ...]) -> Integers:
    """What could be released of one measure: none, or as much as all rows and the noise together."""
    mechanism, sign = terms.mechanisms[place], signs[place % len(signs)]
    if isinstance(mechanism, RankedCells):  # below the grid, in its middle, or above it
        cell = {0: mechanism.cells // 2, 1: mechanism.cells, -1: -1}[sign]
        return (
            (cell,) * mechanism.draws if len(signs) == 1 else tuple(range(-1, mechanism.draws - 1))
        )
    measure = terms.question.measures[place]
    each = measure.reach if isinstance(measure, Summed) else 1
    rows = 1 << 62 if many_rows(terms.question) else table_of(terms.question.rows).rows
    most = rows * each << terms.weights.bits
    scale = mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale
    return sign * (most // terms.grids[place] + ceil(_FAR * scale))


def check_sure_of_groups(plan: Plan, confidence: float) -> None:
    """Refuse a confidence that cannot be shared out among all groups at once: floats know none so close to one.

    Windows over released groups hold for all of them together, so that each has to be surer by their number.
    """
    if not any(
        isinstance(part, Across) for root in roots_of(plan.view) for part in every_part(root)
    ):
        return
    roots = [*roots_of(plan.view), *([] if plan.view.having is None else [plan.view.having])]
    figures = sum(1 for root in roots for part in every_part(root) if not operands(part))
    if (1 - confidence) / (groups_of(plan.question) * max(1, figures)) < 1e-15:
        remedy = f"of {groups_of(plan.question):,} groups at once none can be as sure; ask for less, such as 0.999"
        raise InvalidInput("confidence", confidence, remedy)
