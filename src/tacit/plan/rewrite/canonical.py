"""One form for all ways to ask the same: equal questions have equal canonical plans and equal fingerprints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    Counted,
    Distinct,
    Key,
    Measure,
    Ordering,
    Plan,
    Question,
    Ranked,
    Shown,
    Summed,
    Units,
    View,
)
from tacit.plan.model.schema import Kind
from tacit.plan.model.serialize import serial, serial_about
from tacit.plan.model.walk_expressions import list_group_expressions
from tacit.plan.questions.measures import count_measure
from tacit.plan.rewrite.canonical_rows import drop_unused_folds, settle_rows
from tacit.plan.semantics.case_ranges import MIRRORED, OPPOSITE
from tacit.plan.semantics.function_types import MOST_OPERANDS
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = ["canonical", "fingerprint", "fingerprint_and_subject"]

_VERSION = "tacit question 1"
_SUBJECT = "tacit subject 1"


def canonical(plan: Plan) -> Plan:
    """The plan in the form that all plans with the same meaning share, as far as cheap rules can tell.

    Conditions are flattened, sorted and freed of repetitions, negations are pushed inward, operands that commute are
    sorted, keys are sorted by name, measures are sorted, and what is measured twice is measured once.

    Claim:      the canonical question has the same answer on every table, and so has the view of it.
    Because:    each rule is an identity of three-valued logic or of commuting sums and products of doubles; nothing is
                reassociated, and without NaN the opposite of < is >=.
    Checked by: tests/unit/plan/rewrite/test_canonical.py::test_the_canonical_question_means_the_same
    """
    question, view = _settle_question(plan.question), plan.view
    normal = [Key(_normal(key.value), key.values, key.null) for key in question.keys]
    keys = sorted(dict.fromkeys(normal), key=_place) if len(normal) > 1 else normal
    measured = [_measure(measure) for measure in question.measures]
    texts = [serial(measure) for measure in measured]
    measures = dict(zip(texts, measured, strict=True))
    places = sorted(measures)
    found = Question(question.rows, tuple(keys), tuple([measures[place] for place in places]))
    key_places = [keys.index(key) for key in normal]
    measure_places = [places.index(text) for text in texts]

    def move(expression: e.Expression) -> e.Expression:
        return _normal(_renumber(expression, key_places, measure_places), found)

    columns = tuple([Shown(shown.name, move(shown.value)) for shown in view.columns])
    order = tuple([Ordering(move(by.value), by.descending) for by in view.order])
    having = None if view.having is None else move(view.having)
    qualify = None if view.qualify is None else move(view.qualify)
    return Plan(found, View(columns, having, order, view.limit, view.offset, qualify))


def fingerprint(question: Question) -> bytes:
    """The SHA-256 of a question's canonical form: equal for all ways to ask it, on any machine and in any version.

    >>> from tacit.plan import Column, Scan, Table
    >>> visits = Table("visits", (Column("age", Kind.INTEGER),))
    >>> len(fingerprint(Question(Scan(visits), (), (Counted(),))))
    32
    """
    return fingerprint_and_subject(canonical(Plan(question, View(()))).question)[0]


def fingerprint_and_subject(question: Question) -> tuple[bytes, bytes]:
    """The fingerprint of a question in its canonical form, and that of its rows and groups, whatever it measures.

    Claim:      the first is the fingerprint of every question with this canonical form.
    Because:    the canonical form of a canonical question is itself.
    Checked by: tests/unit/plan/test_fuzz.py and tests/laws/test_rows_like_duckdb.py
    """
    whole, about = serial_about(question)
    return (
        sha256(f"{_VERSION}\n{whole}".encode()).digest(),
        sha256(f"{_SUBJECT}\0{about}".encode()).digest(),
    )


def _place(key: Key) -> tuple[bool, str]:
    """What keys are sorted by: columns come first, by their names."""
    match key.value:
        case e.Field(column):
            return False, column.name
        case value:
            return True, serial(value)


def _settle_question(question: Question) -> Question:
    """The question over rows in their canonical form, with what was calculated on the way put in its place."""
    rows, names = settle_rows(question.rows, _normal)
    keys, measures = question.keys, question.measures
    if names:
        keys = tuple([replace(key, value=e.substitute(key.value, names)) for key in keys])
        measures = tuple([_measure_over(measure, names) for measure in measures])
    asked = list_group_expressions(Question(rows, keys, measures))
    return Question(drop_unused_folds(rows, asked), keys, measures)


def _measure_over(measure: Measure, names: dict[str, e.Expression]) -> Measure:
    match measure:
        case Counted(value):
            return measure if value is None else Counted(e.substitute(value, names))
        case Summed(value, step, low, high, centre):
            return Summed(e.substitute(value, names), step, low, high, centre)
        case Ranked(value):
            return replace(measure, value=e.substitute(value, names))
        case Units(value):
            return measure if value is None else Units(e.substitute(value, names))
        case Distinct(value):
            return Distinct(e.substitute(value, names))
        case _:
            assert_never(measure)


def _measure(measure: Measure) -> Measure:
    match measure:
        case Counted(value):
            return measure if value is None else count_measure(_normal(value))
        case Summed(value, step, low, high, centre):
            return Summed(_normal(value), step, low, high, centre)
        case Ranked(value):
            return replace(measure, value=_normal(value))
        case Units(value):
            return measure if value is None else Units(count_measure(_normal(value)).value)
        case Distinct(value):
            return Distinct(_normal(value))
        case _:
            assert_never(measure)


def _renumber(expression: e.Expression, keys: list[int], measures: list[int]) -> e.Expression:
    """An expression of the view, with the new places of keys and measures."""

    def move(part: e.Expression) -> e.Expression:
        match part:
            case e.KeyOf(place):
                return e.KeyOf(keys[place])
            case e.MeasureOf(place):
                return e.MeasureOf(measures[place])
            case e.MeanOf(sum_place, count_place):
                return e.MeanOf(measures[sum_place], measures[count_place])
            case e.MomentOf(moment, places):
                return e.MomentOf(moment, tuple(measures[place] for place in places))
            case _:
                return e.rebuilt(part, move)

    return move(expression)


def _normal(expression: e.Expression, question: Question | None = None) -> e.Expression:
    """The normal form of an expression, from its operands' upward."""

    def normal(part: e.Expression) -> e.Expression:
        return _normal(part, question)

    match expression:
        case e.Both() | e.Either():
            join = type(expression)
            parts = [normal(part) for part in _chain_parts(expression, join)]
            return _sorted_chain(
                join, [deeper for part in parts for deeper in _chain_parts(part, join)]
            )
        case e.Not(operand):
            return _not(operand, question)
        case _:
            return _simplify(e.rebuilt(expression, normal), question)


def _not(operand: e.Expression, question: Question | None) -> e.Expression:
    match operand:
        case e.Not(inner):
            return _normal(inner, question)
        case e.Both(left, right):
            return _normal(e.Either(e.Not(left), e.Not(right)), question)
        case e.Either(left, right):
            return _normal(e.Both(e.Not(left), e.Not(right)), question)
        case e.Compared(operator, left, right):
            return _normal(e.Compared(OPPOSITE[operator], left, right), question)
        case _:
            inside = _normal(operand, question)
            # what a simplification has left
            again = isinstance(inside, e.Compared | e.Not | e.Both | e.Either)
            return _not(inside, question) if again else e.Not(inside)


def _chain_parts(expression: e.Expression, join: type[e.Both | e.Either]) -> Iterator[e.Expression]:
    """The operands of a chain of AND or OR, also of those that a negation turns into one."""
    if isinstance(expression, e.Both | e.Either) and isinstance(expression, join):
        yield from _chain_parts(expression.left, join)
        yield from _chain_parts(expression.right, join)
    elif isinstance(expression, e.Not) and isinstance(expression.operand, e.Not):
        yield from _chain_parts(expression.operand.operand, join)
    elif isinstance(expression, e.Not) and isinstance(
        expression.operand, e.Either if join is e.Both else e.Both
    ):
        yield from _chain_parts(e.Not(expression.operand.left), join)
        yield from _chain_parts(e.Not(expression.operand.right), join)
    else:
        yield expression


def _sorted_chain(join: type[e.Both | e.Either], parts: list[e.Expression]) -> e.Expression:
    distinct = {serial(part): part for part in parts}
    return e.chain_conditions(join, [distinct[text] for text in sorted(distinct)])


def _simplify(expression: e.Expression, question: Question | None) -> e.Expression:
    """An expression whose operands are normal."""
    match expression:
        case e.Compared(operator, left, right):
            one, two = _whole(left), _whole(right)
            if serial(one) > serial(two):
                return e.Compared(MIRRORED[operator], two, one)
            same = one is left and two is right
            return expression if same else e.Compared(operator, one, two)
        case e.OneOf(operand, options):
            distinct = {serial(option): option for option in map(_whole_literal, options)}
            listed = tuple(distinct[text] for text in sorted(distinct))
            if len(listed) == 1 and listed[0].value is not None:
                return _simplify(e.Compared("=", operand, listed[0]), question)
            return e.OneOf(operand, listed)
        case e.Arithmetic(operator, left, right):
            return _sort_operands(operator, left, right, question)
        case e.Negated(e.Negated(operand)):
            return operand
        case e.Negated(operand):
            return e.negate(operand)
        case e.Cast(operand, kind) if type_of(operand, question).kind is kind:
            return operand
        case e.Called():
            return _simplify_call(expression, question)
        case _:
            return expression


def _sort_operands(
    operator: str, left: e.Expression, right: e.Expression, question: Question | None
) -> e.Expression:
    """A calculation with the operands of + and * sorted, and 1.0 written as 1 where the result is a double anyway."""
    kinds = type_of(left, question).kind, type_of(right, question).kind
    if operator == "/" or (kinds[1] is Kind.NUMBER and not _is_whole(right)):
        left = _whole(left)
    if operator == "/" or (kinds[0] is Kind.NUMBER and not _is_whole(left)):
        right = _whole(right)
    if operator in {"+", "*"} and serial(left) > serial(right):
        left, right = right, left
    return e.Arithmetic(operator, left, right)


def _simplify_call(expression: e.Called, question: Question | None) -> e.Expression:
    """A call in which nothing stands that changes nothing, with operands sorted where their order does not matter."""
    function, parts = expression.function, expression.operands
    match function:
        case Function.COALESCE | Function.LEAST | Function.GREATEST:
            kind = type_of(expression, question).kind
            flat = [
                deeper for part in parts for deeper in _flatten_call(part, function, kind, question)
            ]
            if function is Function.COALESCE:
                sure = [i for i, part in enumerate(flat) if not type_of(part, question).nullable]
                flat = flat[: sure[0] + 1] if sure else flat
            distinct = {serial(part): part for part in flat}
            order = distinct if function is Function.COALESCE else sorted(distinct)
            found = _call_of_many(function, [distinct[text] for text in order])
            # what is gone was a double
            return found if type_of(found, question).kind is kind else e.Cast(found, kind)
        case Function.DISTINCT:
            return e.Called(function, tuple(sorted(map(_whole, parts), key=serial)))
        case Function.ROUND | Function.FLOOR | Function.CEIL | Function.TRUNC if (
            type_of(parts[0], question).kind is Kind.INTEGER
        ):
            return parts[0] if function is not Function.ROUND or not _cuts(parts[1]) else expression
        case _:
            return expression


def _flatten_call(
    part: e.Expression, function: Function, kind: Kind, question: Question | None
) -> tuple[e.Expression, ...]:
    """The operands of a call that is an operand of the same function, if they are of the same kind."""
    if (
        isinstance(part, e.Called)
        and part.function is function
        and type_of(part, question).kind is kind
    ):
        return tuple(
            deeper
            for inner in part.operands
            for deeper in _flatten_call(inner, function, kind, question)
        )
    return (part,)


def _call_of_many(function: Function, parts: Sequence[e.Expression]) -> e.Expression:
    """A call of any number of operands: of more than a call may have, a call of calls."""
    while len(parts) > MOST_OPERANDS:
        starts = range(0, len(parts), MOST_OPERANDS)
        parts = [_call_of_many(function, parts[at : at + MOST_OPERANDS]) for at in starts]
    return parts[0] if len(parts) == 1 else e.Called(function, tuple(parts))


def _cuts(decimals: e.Expression) -> bool:
    return (
        isinstance(decimals, e.Literal) and isinstance(decimals.value, int) and decimals.value < 0
    )


def _is_whole(expression: e.Expression) -> bool:
    match expression:
        case e.Literal(Fraction(denominator=1) as value, Kind.NUMBER):
            return abs(value) < 1 << 53
        case _:
            return False


def _whole(expression: e.Expression) -> e.Expression:
    """A literal like 1.0 as the integer 1, which a comparison cannot tell from it."""
    return _whole_literal(expression) if isinstance(expression, e.Literal) else expression


def _whole_literal(constant: e.Literal) -> e.Literal:
    value = constant.value
    return (
        e.Literal(int(value), Kind.INTEGER)
        if _is_whole(constant) and isinstance(value, Fraction)
        else constant
    )
