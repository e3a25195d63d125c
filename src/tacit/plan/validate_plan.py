"""The one gate: what is asked is proved from the plan alone, whoever made it, before anything is priced or run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NoReturn, assert_never, get_args

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import (
    AnswerOf,
    Answers,
    CombinedPlan,
    CombinedQuestion,
    JoinedAnswers,
    StackedAnswers,
    SubqueryAnswer,
    combine_questions,
    most_pairs,
    most_rows,
    order_parts,
    subqueries_in,
)
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    MOST_NUMBERS,
    Computed,
    Counted,
    Defined,
    Distinct,
    Folded,
    Folding,
    Inner,
    Joined,
    Kept,
    Key,
    Measure,
    Ordering,
    Place,
    Placed,
    Plan,
    Question,
    Ranked,
    Rows,
    Running,
    Scan,
    Stacked,
    Summed,
    Units,
    View,
    Where,
    Window,
    Windowed,
    groups_of,
)
from tacit.plan.model.ownership import base_of, owner_of, parts_of
from tacit.plan.model.rank_grids import Even, Powers
from tacit.plan.model.schema import Column, Kind
from tacit.plan.model.walk_expressions import list_expressions
from tacit.plan.questions.aggregate_per_unit import column_of
from tacit.plan.questions.draft import DEEPEST
from tacit.plan.questions.quantile_grids import check_cells
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.rewrite.canonical import canonical
from tacit.plan.semantics.case_ranges import OPPOSITE
from tacit.plan.semantics.expression_type import NUMERIC, Type, leaf
from tacit.plan.semantics.function_types import ARITY
from tacit.plan.semantics.infer_expression_types import condition_type, type_of
from tacit.plan.semantics.ranges import INT64, LARGEST, Range
from tacit.plan.semantics.value_kinds import constant
from tacit.plan.semantics.widen_to_type_bounds import widen

__all__ = ["check_plan", "prove", "prove_combined", "prove_keys"]

_SIGNS = {"+", "-", "*", "/", "%"}
_OVER_ROWS = (
    "this plan cannot come from SQL or from a frame",
    "use vault.sql(...) or vault.table(...)",
)
_MOST_PARTS = 200_000
_DEEPEST_ROWS = 2 * DEEPEST
_WHOLE, _DOUBLES = 1 << 62, 1 << 53
_FINEST, _COARSEST = Fraction(1, 1 << 900), Fraction(1 << 960)
_FARTHEST = 1_000_000
_FINEST_RANK = 10**6
_LOWEST_POWER, _HIGHEST_POWER = -1022, 1023
_PLACES = {
    e.Moment.VARIANCE: 3,
    e.Moment.POPULATION_VARIANCE: 3,
    e.Moment.COVARIANCE: 4,
    e.Moment.POPULATION_COVARIANCE: 4,
    e.Moment.CORRELATION: 6,
}
_COUNTS = {Folding.COUNT, Folding.DISTINCT}
# the nodes themselves, and no class that somebody has made of one
_ROWS = frozenset(get_args(Rows))
_EXPRESSIONS = frozenset(get_args(e.Expression))

Columns = Mapping[str, Column]
"""The columns of rows, by their names."""


def prove(plan: Plan) -> Plan:
    """The canonical form of a plan, both of which are proved.

    Claim:      no row can make an engine fail on the plan that is given back, and whatever its columns claim is so.
    Because:    kinds and ranges of all expressions are derived anew from the declared tables, in the plan that is given
                and in the one that is run; a column of which a plan claims less than can be derived, and a node that no
                door makes, are refused.  Nothing but the plan is looked at.
    Checked by: tests/unit/plan/test_validate_plan.py and tests/attacks/test_plans_of_ones_own.py

    >>> from tacit.plan import Table
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, 0, 120),))
    >>> prove(Plan(Question(Scan(visits), (), (Counted(),)), View(()))).question.measures
    (Counted(value=None),)
    """
    check_plan(plan)
    found = canonical(plan)
    if found != plan:
        check_plan(found)
    return found


def prove_combined(plan: CombinedPlan) -> CombinedPlan:
    """Several questions whose answers are combined, all of which are proved, and the view of them.

    Claim:      each part is a proved plan, and the view reads nothing but what the parts release.
    Because:    each part passes the same gate as a plan of its own, and has to be in the form that it gives; what rows
                look like is derived anew from the parts; places of keys and measures that are not there are refused,
                and rows are joined on keys alone.
    Checked by: tests/unit/plan/test_prove_combined.py
    """
    if not isinstance(plan, CombinedPlan) or not plan.parts:
        _refuse("this is not a plan")
    questions = [part.question for part in plan.parts]
    _check_subqueries(plan, questions)
    for part in plan.parts:
        check_plan(part, subqueries=plan.subqueries)
        if canonical(part).question != part.question:
            _refuse_malformed()
    _check_answers(plan.answers, questions)
    found = combine_questions(plan.answers, questions)
    if not isinstance(plan.plan, Plan) or plan.plan.question != found:
        _refuse_malformed()
    pairs = most_pairs(plan.answers, questions)
    _check_parts(found, len(plan.parts), pairs)
    _check_view(plan.plan.view, found, plan.subqueries)
    rows = max(pairs, most_rows(plan.answers, questions))
    _check_view_work(plan.plan.view, rows, any(question.unknown for question in questions))
    return plan


def _check_subqueries(plan: CombinedPlan, questions: Sequence[Question]) -> None:
    """Refuse subqueries that read what no part releases, or that wait for each other.

    Claim:      each part can be released after those that its constants are made of, and a constant is a function of
                released numbers, held between the bounds that the proof of the part uses.
    Because:    places are checked, the order exists, and a constant's kind is derived anew from its view.
    Checked by: tests/unit/plan/test_prove_subqueries.py
    """
    if not isinstance(plan.subqueries, tuple) or len(plan.subqueries) > _MOST_SUBQUERIES:
        reason = f"this compares with more than {_MOST_SUBQUERIES} released values"
        raise InvalidPlan(
            reason, "compare with fewer: a smaller LIMIT in the subquery, or fewer keys"
        )
    for place, each in enumerate(plan.subqueries):
        if not isinstance(each, SubqueryAnswer) or not _is_count(each.row, MOST_NUMBERS):
            _refuse_malformed()
        _check_answers(each.answers, questions)
        found = combine_questions(each.answers, questions)
        if not isinstance(each.plan, Plan) or each.plan.question != found:
            _refuse_malformed()
        pairs = most_pairs(each.answers, questions)
        _check_parts(found, len(questions), pairs)
        _check_view(each.plan.view, found, plan.subqueries[:place])
        rows = max(pairs, most_rows(each.answers, questions))
        _check_view_work(each.plan.view, rows, any(part.unknown for part in questions))
        _check_column(each.column)
        shown = each.plan.view.columns
        if len(shown) != 1 or type_of(shown[0].value, found).kind is not each.column.kind:
            _refuse_malformed()
        bounded = each.column.low is not None and each.column.high is not None
        if each.column.kind in NUMERIC and not bounded:
            _refuse_malformed()
        if not each.column.nullable:
            _refuse_malformed()
    known = range(len(plan.subqueries))
    if any(place not in known for question in questions for place in subqueries_in(question)):
        _refuse_malformed()
    try:
        order_parts(plan)
    except AssertionError:
        _refuse_malformed()


_MOST_SUBQUERIES = 200

MOST_PARTS = 64
"""The most questions whose answers one statement may combine."""


def _check_parts(question: CombinedQuestion, parts: int, pairs: int) -> None:
    """Refuse more answers, or more rows of them, than one statement may combine."""
    if pairs > MOST_NUMBERS:
        reason = "the join of these answers would have too many rows"
        raise InvalidPlan(reason, "join on all keys of one of them")
    if parts > MOST_PARTS or len(question.sizes) > 2 * MOST_PARTS:
        raise InvalidPlan(
            f"this combines more than {MOST_PARTS} answers", "ask for fewer in one question"
        )


def _check_answers(answers: Answers, questions: Sequence[Question]) -> None:
    match answers:
        case AnswerOf(part, keys, measures):
            sound = _is_place(part, questions)
            sound = sound and all(_is_place(place, questions[part].keys) for place in keys)
            sound = sound and all(_is_place(place, questions[part].measures) for place in measures)
            if not sound:
                _refuse_malformed()
        case JoinedAnswers(left, right, on):
            for side, places in ((left, [one for one, _ in on]), (right, [two for _, two in on])):
                _check_answers(side, questions)
                known = combine_questions(side, questions)
                for value in places:
                    if any(
                        isinstance(part, e.MeasureOf | e.MeanOf | e.MomentOf | e.Across)
                        for part in _walk_shallow(value)
                    ):
                        _refuse("answers are joined on their keys", "compare numbers in WHERE")
                    _check_released(value, known)
        case StackedAnswers(branches):
            for branch in branches:
                _check_answers(branch, questions)
        case _:
            _refuse_malformed()


def prove_keys(plan: Plan) -> Plan:
    """A plan that shows public keys and measures nothing, proved to be well formed; no row is needed for it.

    Claim:      its keys are public, and its view reads them alone.
    Because:    it passes the same gate as all plans, but that it has no measure, of which its view could read one.
    Checked by: tests/unit/plan/test_prove_keys.py
    """
    check_plan(plan, listed=True)
    return plan


def check_plan(
    plan: Plan, *, listed: bool = False, subqueries: Sequence[SubqueryAnswer] = ()
) -> None:
    """Refuse a plan that is not well formed, or in which a row could make an engine fail.

    One that is `listed` shows public keys, and has no measure; every other one has.  `subqueries` are the constants
    that it may compare with, where it is a part of several.
    """
    if (
        not isinstance(plan, Plan)
        or not isinstance(plan.question, Question)
        or not isinstance(plan.view, View)
    ):
        _refuse("this is not a plan")
    question = plan.question
    _check_size(plan)
    columns = _columns(question.rows)
    owner_of(question.rows)
    if question.found is not None:
        _refuse(
            "unknown keys are discovered when the question is answered",
            "leave out `found`",
        )
    _check_width(question)
    base = base_of(question.rows)
    unit = base.table.unit if isinstance(base, Scan) else None
    for key in question.keys:
        _check_key(key, columns, unit)
    if listed and (question.measures or question.unknown):
        _refuse("this lists keys that are not public, or measures something")
    if not question.measures and not listed:
        _refuse(
            "this contains no aggregate", "use an aggregate: COUNT(*), COUNT(x), SUM(x) or AVG(x)"
        )
    for measure in question.measures:
        _check_measure(measure, columns)
    check_cells(question.measures, question.keys)
    _check_constants(question, subqueries)
    _check_view(plan.view, question)
    _check_view_work(plan.view, groups_of(question), bool(question.unknown))


def _check_constants(question: Question, subqueries: Sequence[SubqueryAnswer]) -> None:
    """Refuse a constant of a subquery that the statement does not have, or of which it claims other bounds.

    All expressions were walked when they were checked, and what was found then is known.
    """
    for root in list_expressions(question):
        known = _CHECKED.get(id(root))
        found = known[2] if known is not None and known[0] is root else _constants_in(root)
        for part in found:
            if not _is_constant(part, subqueries):
                _refuse_malformed()


def _is_constant(part: e.SubqueryValue, subqueries: Sequence[SubqueryAnswer]) -> bool:
    """Whether a constant is that of a subquery of the statement, as its column says it, and not filled in."""
    return (
        part.value is None
        and _is_place(part.place, subqueries)
        and subqueries[part.place].column == part.column
    )


def _constants_in(root: e.Expression) -> list[e.SubqueryValue]:
    return [part for part in _walk_shallow(root) if isinstance(part, e.SubqueryValue)]


def _refuse(reason: str, remedy: str = "use vault.sql(...) or vault.table(...)") -> NoReturn:
    raise InvalidPlan(reason, remedy)


def _refuse_malformed() -> NoReturn:
    raise InvalidPlan(*_OVER_ROWS)


# ---------------------------------------------------------------- size


def _check_size(plan: Plan) -> None:
    """Refuse a plan so deep or so large that those who read it might not come to its end."""
    levels: list[tuple[Any, int]] = [(plan.question.rows, 1)]
    parts = 0
    while levels:
        rows, depth = levels.pop()
        parts += 1
        if type(rows) not in _ROWS:
            _refuse_malformed()
        if depth > _DEEPEST_ROWS or parts > _MOST_PARTS:
            raise InvalidPlan(
                f"subqueries are nested more than {_DEEPEST_ROWS} levels deep",
                "ask a simpler question",
            )
        levels += [(part, depth + 1) for part in parts_of(rows)]


# ---------------------------------------------------------------- rows


def _columns(rows: Rows) -> Columns:
    """The columns of rows, each derived; refused if one is claimed to be less than it is."""
    match rows:
        case Scan(table):
            for column in table.columns:
                _check_column(column)
        case Where(inner, condition):
            _check_condition(condition, _columns(inner))
        case Computed(inner, defined):
            _check_defined(defined, _columns(inner))
        case Inner(inner, keys, folds):
            known = _columns(inner)
            _check_defined(keys, known)
            for fold in folds:
                _check_fold(fold, known)
        case Stacked(parts):
            _check_stacked([_columns(part) for part in parts])
        case Joined(left, right, on, _):
            _check_joined(_columns(left), _columns(right), on)
        case Kept(inner, among, _):
            _columns(inner)
            _columns(among)
        case Windowed(inner, windows):
            known = _columns(inner)
            for window in windows:
                _check_window(window, known)
        case _:
            assert_never(rows)
    found = columns_of(rows)
    named = {column.name: column for column in found}
    if len(named) != len(found):
        _refuse("two columns have the same name", "give one of them another name")
    return named


def _check_column(column: Column) -> None:
    """Refuse bounds that no value of the kind can have, or that are the wrong way round."""
    ends = [end for end in (column.low, column.high) if end is not None]
    if column.kind not in NUMERIC:
        return
    if not all(isinstance(end, int | Fraction) for end in ends):
        _refuse_malformed()
    if len(ends) == 2 and ends[0] > ends[1]:  # type: ignore[operator]
        _refuse(
            f"the bounds of {column.name!r} are in the wrong order", "write the lower one first"
        )


def _check_defined(defined: Sequence[Defined], columns: Columns) -> None:
    for each in defined:
        if not isinstance(each, Defined) or not each.name.strip():
            _refuse_malformed()
        _check_expression(each.value, columns)


def _check_stacked(parts: Sequence[Columns]) -> None:
    kinds = [{name: column.kind for name, column in part.items()} for part in parts]
    if not kinds or any(each != kinds[0] for each in kinds):
        _refuse(
            "UNION ALL needs the same columns on both sides",
            "give both sides the same names and types",
        )


def _check_joined(
    left: Columns, right: Columns, on: Iterable[tuple[e.Expression, e.Expression]]
) -> None:
    if not left.keys().isdisjoint(right):
        _refuse("a column name occurs on both sides of a join", "give it another name on one side")
    for one, two in on:
        _check_expression(one, left)
        _check_expression(two, right)
        type_of(e.Compared("=", one, two))


def _check_fold(fold: Folded, columns: Columns) -> None:
    """Refuse a fold whose column claims less than its rows can add up to, or more than can be held."""
    if not isinstance(fold, Folded) or (fold.value is None and fold.fold is not Folding.COUNT):
        _refuse_malformed()
    if fold.value is not None:
        _check_expression(fold.value, columns)
    column, value = fold.column, fold.value
    _check_column(column)
    if fold.fold in _COUNTS:
        low, high = _ends(column, Kind.INTEGER)
        if not 0 <= low <= 1 <= high <= _WHOLE or fold.step != 1:
            _claims(column)
        return
    assert value is not None, "something is folded"
    if fold.fold in {Folding.LEAST, Folding.GREATEST}:
        derived = column_of(Defined(column.name, value))
        if derived.kind is Kind.BOOLEAN:
            _refuse(
                "true and false cannot be ordered",
                "write MAX(CASE WHEN condition THEN 1 ELSE 0 END)",
            )
        _check_claim(column, derived)
        return
    found = type_of(value)
    if not found.numeric or found.range is None or (found.nullable and not column.nullable):
        _claims(column)
    whole = fold.fold is Folding.SUM and found.kind is Kind.INTEGER
    ends = Range(*_ends(column, Kind.INTEGER if whole else Kind.NUMBER))
    if whole:
        sound = fold.step == 1 and ends.is_within(INT64) and found.range.is_within(ends)
    else:
        _check_step(fold.step)
        steps = [end / fold.step for end in (ends.low, ends.high)]
        near = Range(ends.low - fold.step, ends.high + fold.step)  # ends are rounded to whole steps
        sound = all(
            end.denominator == 1 and abs(end) <= _DOUBLES for end in steps
        ) and found.range.is_within(near)
    if not sound:
        _claims(column)


def _check_window(window: Window, columns: Columns) -> None:
    for part in window.by:
        _check_expression(part, columns)
    for by in window.order:
        _check_order(by)
        _check_expression(by.value, columns)
    if isinstance(window, Running):
        _check_fold(window.folded, columns)
        return
    if not isinstance(window, Placed):
        _refuse_malformed()
    column = window.column
    if window.place in {Place.BEFORE, Place.AFTER}:
        if window.value is None or not _is_count(window.offset, _FARTHEST):
            _refuse_malformed()
        _check_expression(window.value, columns)
        _check_claim(column, replace(column_of(Defined(column.name, window.value)), nullable=True))
    elif window.value is not None or (window.place is not Place.NUMBER and not window.order):
        _refuse_malformed()
    else:
        _check_claim(column, Column(column.name, Kind.INTEGER, 1, nullable=False))


def _check_claim(claimed: Column, derived: Column) -> None:
    """Refuse a column that claims to be narrower than it is derived to be."""
    if claimed != derived and not _covers(claimed, derived):
        _claims(claimed)


def _covers(claimed: Column, derived: Column) -> bool:
    """Whether all that a column is derived to hold is what is claimed of it.

    A column without bounds is held between those of its type where it is read: these may be claimed of it.
    """
    if (
        claimed.name != derived.name
        or claimed.kind is not derived.kind
        or (derived.nullable and not claimed.nullable)
    ):
        return False
    one, other = _type(claimed), _type(derived)
    if claimed.kind in NUMERIC:
        full = widen(e.Field(derived))
        assert isinstance(full, e.Field), "a column stays one"
        other = _type(full.column)
    low = one.low is None or (other.low is not None and one.low <= other.low)
    return low and (one.high is None or (other.high is not None and other.high <= one.high))


def _type(column: Column) -> Type:
    _check_column(column)
    return leaf(e.Field(column))


def _claims(column: Column) -> NoReturn:
    _refuse(f"the column {column.name!r} declares a range that its values may leave")


def _ends(column: Column, kind: Kind) -> tuple[Fraction, Fraction]:
    low, high = column.low, column.high
    if (
        column.kind is not kind
        or not isinstance(low, int | Fraction)
        or not isinstance(high, int | Fraction)
    ):
        _claims(column)
    return Fraction(low), Fraction(high)


# ---------------------------------------------------------------- expressions


def _check_condition(condition: e.Expression, columns: Columns) -> None:
    _check_expression(condition, columns)
    condition_type(condition)


# The expressions that were checked of late, each over its columns: the canonical form of a plan has most of them, too.
# An expression that is kept here lives, so that no other one has its id; what is refused is not kept.
# Beside it are the constants of subqueries that stand in it.
_CHECKED: dict[int, tuple[e.Expression, Columns, list[e.SubqueryValue]]] = {}
_MOST_CHECKED = 4_000


def _check_expression(expression: e.Expression, columns: Columns) -> None:
    """Refuse an expression that is not over these columns, or that has no type."""
    known = _CHECKED.get(id(expression))
    if known is not None and known[0] is expression and known[1] == columns:
        return
    constants: list[e.SubqueryValue] = []
    for part in _walk_shallow(expression):
        match part:
            case e.SubqueryValue():
                constants.append(part)
            case e.Field(column):
                derived = columns.get(column.name)
                if derived is None:
                    _refuse(
                        f"there is no column {column.name!r} here",
                        "use a declared column",
                    )
                _check_claim(column, derived)
            case e.KeyOf() | e.MeasureOf() | e.MeanOf() | e.MomentOf() | e.Across():
                _refuse_malformed()
            case _:
                _check_part(part)
    type_of(expression)
    if len(_CHECKED) >= _MOST_CHECKED:
        _CHECKED.clear()
    _CHECKED[id(expression)] = expression, columns, constants


def _walk_shallow(expression: e.Expression) -> list[e.Expression]:
    """An expression and all below it; refused if those who read it might not come to its end."""
    found: list[e.Expression] = []
    left: list[tuple[e.Expression, int]] = [(expression, 1)]
    while left:
        part, depth = left.pop()
        found.append(part)
        if type(part) not in _EXPRESSIONS:
            _refuse_malformed()
        if depth > 2 * DEEPEST or len(found) > _MOST_PARTS:
            raise InvalidPlan(
                f"expressions are nested more than {DEEPEST} levels deep", "ask a simpler question"
            )
        if type(part) not in e.LEAVES:
            left += [(operand, depth + 1) for operand in e.operands(part)]
    return found


def _check_part(part: e.Expression) -> None:
    """Refuse what is no calculation: a sign, a constant or a number of operands that do not exist."""
    match part:
        case e.Literal(value, kind):
            known = isinstance(kind, Kind) and (value is None or constant(value, kind) is not None)
        case e.Arithmetic(operator):
            known = operator in _SIGNS
        case e.Compared(operator):
            known = operator in OPPOSITE
        case e.OneOf(_, options):
            known = all(isinstance(option, e.Literal) for option in options)
        case e.Like(_, pattern):
            known = isinstance(pattern, str)
        case e.Case(branches):
            known = bool(branches)
        case e.Called(function, parts):
            known = (
                isinstance(function, Function)
                and ARITY[function][0] <= len(parts) <= ARITY[function][1]
            )
        case _:
            known = True
    if not known:
        _refuse_malformed()


# ---------------------------------------------------------------- keys and measures


def _check_key(key: Key, columns: Columns, unit: str | None) -> None:
    _check_expression(key.value, columns)
    if isinstance(key.value, e.Field) and key.value.column.name == unit:
        _refuse(f"{unit!r} is the protected unit", "group by a column that many units share")
    if key.values is None:
        return
    kind = type_of(key.value).kind
    if not key.values or any(
        value is None or constant(value, kind) is None for value in key.values
    ):
        _refuse("the values of a key do not have its type", "list values of the key's type")


def _check_measure(measure: Measure, columns: Columns) -> None:
    match measure:
        case Counted(value) | Units(value):
            if value is not None:
                _check_expression(value, columns)
        case Distinct(value):
            _check_expression(value, columns)
        case Summed(value):
            _check_expression(value, columns)
            _check_sum(measure)
        case Ranked(value):
            _check_expression(value, columns)
            _check_ranks(measure)
        case _:
            _refuse_malformed()


def _check_sum(measure: Summed) -> None:
    """Refuse a sum of what has no range, or in steps that could not be held.

    How far a row moves it is not derived: engines hold each row between the ends that are claimed, whatever it has.
    """
    found, ends = type_of(measure.value), (measure.low, measure.centre, measure.high)
    _check_step(measure.step)
    whole = found.kind is Kind.INTEGER and measure.step == 1
    most = _WHOLE if whole else _DOUBLES
    sound = found.numeric and found.range is not None and all(isinstance(end, int) for end in ends)
    if not sound or not -most <= measure.low <= measure.high <= most or abs(measure.centre) > most:
        _refuse_malformed()
    if found.range is not None and found.range.furthest / measure.step > LARGEST:
        _refuse_malformed()  # more steps than a double could count


def _check_ranks(measure: Ranked) -> None:
    kind, rank = type_of(measure.value).kind, measure.rank
    if kind in {Kind.TEXT, Kind.BOOLEAN} or not isinstance(rank, int | Fraction):
        _refuse_malformed()
    if not 0 <= rank <= 1 or Fraction(rank).denominator > _FINEST_RANK:
        _refuse_malformed()
    match measure.grid:
        case Even(step, low, high):
            _check_step(step)
            most = _WHOLE if kind is not Kind.NUMBER and step == 1 else _DOUBLES
            sound = isinstance(low, int) and isinstance(high, int) and -most <= low < high <= most
        case Powers(least, most):
            sound = kind in NUMERIC and _LOWEST_POWER <= least < most <= _HIGHEST_POWER
        case _:
            sound = False
    if not sound:
        _refuse_malformed()


def _check_step(step: Fraction) -> None:
    """Refuse a step that is no power of two, by which doubles are multiplied exactly."""
    exact = isinstance(step, int | Fraction) and step > 0
    if exact and step > _COARSEST:
        _refuse(
            "the sum could exceed the range of doubles",
            "declare narrower bounds",
        )
    if (
        not exact
        or step < _FINEST
        or any(end & (end - 1) for end in (step.numerator, step.denominator))
    ):
        _refuse("values are measured in steps of a power of two", "write 1, 1/2, 1/4 and so on")


def _check_width(question: Question) -> None:
    shown = max(1, len(question.measures))
    numbers = shown * prod(len(key.public_values) for key in question.public)
    if numbers > MOST_NUMBERS:
        reason = f"the group keys have too many combinations: {numbers:,} numbers would be released"
        raise InvalidPlan(
            reason, f"group by fewer columns; at most {MOST_NUMBERS:,} numbers can be released"
        )


# ---------------------------------------------------------------- the view


def _check_view(view: View, question: Question, subqueries: Sequence[SubqueryAnswer] = ()) -> None:
    """Refuse a view of what is not released, or with constants of other subqueries than these."""
    names = {shown.name.casefold() for shown in view.columns if shown.name.strip()}
    if len(names) != len(view.columns):
        _refuse("a column of the answer has no name of its own", "give it one: ... AS name")
    for shown in view.columns:
        _check_released(shown.value, question, subqueries)
    for by in view.order:
        _check_order(by)
        _check_released(by.value, question, subqueries)
    for condition in (view.having, view.qualify):
        if condition is not None:
            _check_released(condition, question, subqueries)
            condition_type(condition, question)
    if (view.limit is not None and not _is_count(view.limit)) or not _is_count(view.offset):
        _refuse("LIMIT and OFFSET must be whole numbers", "write a number that is not negative")


_MOST_VIEW_WORK = 5_000_000
"""How many parts of expressions are computed for all groups of an answer together, at most: about a minute."""

_MANY_KEYS = 10_000
"""How many keys are reckoned with where they are unknown: there may be a million, and hardly ever are."""


def _check_view_work(view: View, rows: int, unknown: bool) -> None:
    """Refuse a view that takes too long to compute, once the answer is paid for and whenever it is asked for again.

    Claim:      what is computed of released numbers is bounded by the plan alone.
    Because:    no part of an expression is computed twice for a group, and groups and parts are counted here.
    Checked by: tests/unit/plan/test_validate_plan.py::test_what_is_computed_of_an_answer_is_bounded
    """
    rows = min(rows, _MANY_KEYS) if unknown else rows
    if rows <= _MOST_VIEW_WORK // _MOST_PARTS:
        return
    roots = [shown.value for shown in view.columns] + [by.value for by in view.order]
    roots += [each for each in (view.having, view.qualify) if each is not None]
    parts = sum(len(_walk_shallow(root)) for root in roots)
    if rows * parts > _MOST_VIEW_WORK:
        reason = f"{parts:,} parts of what is shown would be computed for each of {rows:,} groups"
        raise InvalidPlan(reason, "show fewer columns or groups, or compute it from the answer")


def _check_released(
    expression: e.Expression, question: Question, subqueries: Sequence[SubqueryAnswer] = ()
) -> None:
    for part in _walk_shallow(expression):
        match part:
            case e.Field():
                _refuse(
                    "this would show single rows, and single rows are never released",
                    "use an aggregate: COUNT(*), AVG(x)",
                )
            case e.SubqueryValue():
                sound = _is_constant(part, subqueries)
            case e.KeyOf(place):
                sound = _is_place(place, question.keys)
            case e.MeasureOf(place):
                sound = _is_place(place, question.measures)
            case e.MeanOf(total, count):
                sound = _are_places((total, count), question) and _is_sum(question, total)
            case e.MomentOf(moment, places):
                sound = len(places) == _PLACES[moment] and _are_places(places, question)
                sound = sound and all(_is_sum(question, place) for place in places[1:])
            case e.Across(look, operand):
                sound = isinstance(look, e.Look) and _is_count(part.offset, _FARTHEST)
                sound = sound and (operand is not None or look in _OF_GROUPS)
            case _:
                _check_part(part)
                sound = True
        if not sound:
            _refuse_malformed()
    type_of(expression, question)


_OF_GROUPS = {e.Look.NUMBER, e.Look.RANK, e.Look.DENSE, e.Look.COUNT}


def _check_order(by: Ordering) -> None:
    if not isinstance(by, Ordering) or not isinstance(by.descending, bool):
        _refuse_malformed()


def _is_place(place: object, among: Sequence[object]) -> bool:
    return isinstance(place, int) and 0 <= place < len(among)


def _are_places(places: Iterable[int], question: Question) -> bool:
    return all(_is_place(place, question.measures) for place in places)


def _is_sum(question: Question, place: int) -> bool:
    return isinstance(question.measures[place], Summed)


def _is_count(given: object, most: int = _WHOLE) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= most
