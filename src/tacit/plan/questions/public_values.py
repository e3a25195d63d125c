"""Which values a key can have, from declarations and the question alone: those are the groups that are answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor, inf, nextafter, prod
from typing import Any

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression, walk_fields
from tacit.plan.model.function_names import FORMATS, INEXACT, PARTS, Function
from tacit.plan.model.schema import Column, KeyValue, Kind, Scalar
from tacit.plan.semantics.case_ranges import MIRRORED, Ends, implied_ends, narrow_branch
from tacit.plan.semantics.evaluate import compile_expression
from tacit.plan.semantics.expression_type import CALENDAR, NUMERIC, Type, leaf
from tacit.plan.semantics.function_meanings import format_moment, later
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.ranges import Range, as_double, hull
from tacit.plan.semantics.text_lengths import length_of
from tacit.plan.semantics.value_kinds import MOST_CHARACTERS, Value, cast, constant

__all__ = [
    "MOST_LISTED_CHARACTERS",
    "MOST_VALUES",
    "key_value",
    "outcomes",
    "possible_values",
    "public_values",
    "scalar",
]

MOST_VALUES = 10_000
"""The most values that are found for one key."""

MOST_LISTED_CHARACTERS = 1 << 21
"""The most characters that the values of one key have together."""

_Values = list[Value]


def public_values(
    value: e.Expression, conditions: Sequence[e.Expression] = ()
) -> tuple[Scalar, ...] | None:
    """The public values of a key, NULL not among them; None if there are none, or too many.

    >>> age = e.Field(Column("age", Kind.INTEGER, low=0, high=39))
    >>> public_values(e.Called(Function.FLOOR, (e.Arithmetic("/", age, e.Literal(10, Kind.INTEGER)),)))
    (Fraction(0, 1), Fraction(1, 1), Fraction(2, 1), Fraction(3, 1))
    """
    found = possible_values(value, conditions)
    return None if found is None else tuple(each for each in found if each is not None)


def possible_values(
    value: e.Expression, conditions: Sequence[e.Expression] = ()
) -> tuple[KeyValue, ...] | None:
    """What a key can be in rows that meet some conditions, NULL last; None if no value is public, or too many are.

    They are what is declared of a column, what a calculation makes of that, the whole numbers, days and months within
    bounds, the constants of a CASE, or false and true.  Bounds come from the policy and from WHERE.

    Claim:      nothing here depends on a row; every value that a row with declared cells can have is listed and, where
                each column stands in one part of the expression that can be listed, no other.
    Because:    only the plan is passed in; the expression is computed for every combination of what its parts can be.
    Checked by: tests/unit/plan/questions/test_public_values.py::test_the_groups_are_the_image_of_the_declared_domain

    >>> ward = e.Field(Column("ward", Kind.TEXT, values=("A", "B")))
    >>> possible_values(ward), possible_values(e.Called(Function.COALESCE, (ward, e.Literal("none", Kind.TEXT))))
    (('A', 'B', None), ('A', 'B', 'none'))
    """
    parts = tuple(part for condition in conditions for part in _conjuncts(condition))
    own = e.fields_of(value)
    # conditions on other columns alone say nothing of this key, which is then the same in many questions
    related = any(own & e.fields_of(part) for part in parts)
    return _search(value, parts if related else ())


@lru_cache(maxsize=256)
def _search(value: e.Expression, parts: tuple[e.Expression, ...]) -> tuple[KeyValue, ...] | None:
    """What a key can be in rows that meet all of some conditions; remembered: most questions group by few keys."""
    declared = value.column.values if isinstance(value, e.Field) else None
    for part in (part for each in (value, *parts) for part in walk_expression(each)):
        _check_length(part)
    found = _Search([_narrow(part, parts) for part in parts]).domain(_narrow(value, parts))
    distinct = (
        [] if found is None else list(dict.fromkeys(each for each in found if each is not None))
    )
    null = (None,) if found is not None and None in found else ()
    if not distinct:  # of a declared column, groups that are empty
        return None if declared is None else (*declared, *null)
    kind = type_of(value).kind
    if declared:  # in the order in which they are declared
        places = {constant(each, kind): place for place, each in enumerate(declared)}
        ordered = sorted(distinct, key=lambda each: places.get(each, len(places)))
    else:
        ordered = distinct if kind is Kind.TEXT else sorted(distinct)
    return (*(scalar(each, kind) for each in ordered), *null)


@dataclass(slots=True, eq=False, repr=False)
class _Search:
    """A search for the values of a key; it ends after so many calculations, and then there are none."""

    conditions: Sequence[e.Expression]
    left: int = 100_000
    known: dict[int, tuple[e.Expression, _Values | None]] = field(default_factory=dict)

    def domain(self, expression: e.Expression) -> _Values | None:
        """The values that an expression may have, NULL too, if there are not too many; each is looked at once."""
        known = self.known.get(id(expression))
        if known is None:
            known = self.known[id(expression)] = expression, self._find_domain(expression)
        return known[1]

    def _find_domain(self, expression: e.Expression) -> _Values | None:
        truth = type_of(expression).kind is Kind.BOOLEAN
        # A row whose text is not declared is in no list; but what is said of it is true or false all the same.
        found = (
            None
            if truth and any(field.column.values for field in walk_fields(expression))
            else self.image(expression)
        )
        if found is None and truth:
            found = _add_null(sorted(outcomes(expression)), expression)
        if found is None:
            attempts = (self.values_of_choice, self.values_of_calculation, _step_values)
            other = next(
                (values for attempt in attempts if (values := attempt(expression)) is not None),
                None,
            )
            found = None if other is None else _add_null(other, expression)
        if found is None:
            found = self.named_values(expression)
        return found if found is None or len(found) <= MOST_VALUES else None

    def named_values(self, expression: e.Expression) -> _Values | None:
        """What the conditions of the question name as the only values of an expression: x IN ('a', 'b'), x = 'a'."""
        for condition in self.conditions:
            found = _named_by(condition, expression)
            if found is not None:
                return list(dict.fromkeys(found))
        return None

    def affords(self, rows: int, each: int) -> bool:
        """Whether so many rows may still be calculated."""
        if rows > MOST_VALUES or rows * each > self.left:
            return False
        self.left -= rows * each
        return True

    def image(self, expression: e.Expression) -> _Values | None:
        """Every value over all combinations of what the parts can be that hold its columns, if those can be listed."""
        atoms = _atoms(expression)
        if atoms is None:
            return None
        places = {atom: _placeholder(atom, number) for number, atom in enumerate(atoms)}
        simple = _replace_parts(expression, places)
        known = set(places.values())
        about = [
            part
            for part in (_replace_parts(part, places) for part in self.conditions)
            if _is_about(part, known)
        ]
        if _is_inexact(simple) or not self.affords(
            prod(map(len, atoms.values())), sum(map(_size, (expression, *about)))
        ):
            return None
        try:
            value, conditions = (
                compile_expression(simple),
                [compile_expression(part) for part in about],
            )
        except InvalidPlan:  # of every part alone less is known than of all together
            return None
        names = [places[atom].column.name for atom in atoms]
        rows = (dict(zip(names, row, strict=True)) for row in product(*atoms.values()))
        return _list_values(
            value(row) for row in rows if all(condition(row) is True for condition in conditions)
        )

    def values_of_choice(self, expression: e.Expression) -> _Values | None:
        """The values of all that an expression may choose from; of a CASE, where the branch may be taken."""
        match expression:
            case e.Case(branches, otherwise):
                return self._branches(expression, branches, otherwise)
            case e.Called(Function.COALESCE | Function.LEAST | Function.GREATEST, many):
                parts = list(many)
            case e.Called(Function.NULLIF, (first, _)):
                parts = [first]
            case _:
                return None
        return self._all(expression, [(part, _NO_ENDS) for part in parts])

    def _branches(
        self,
        expression: e.Expression,
        branches: tuple[tuple[e.Expression, e.Expression], ...],
        otherwise: e.Expression,
    ) -> _Values | None:
        conditions, taken = [when for when, _ in branches], list[tuple[e.Expression, Ends]]()
        named = list[Value]()
        for place, (when, then) in enumerate(branches):
            possible = outcomes(when)
            declared = any(field.column.values for field in walk_fields(then))
            only = None if declared else _named_by(when, then)
            if only is not None:  # CASE WHEN x IN ('a', 'b') THEN x …
                named += [
                    cast(value, type_of(then).kind, type_of(expression).kind) for value in only
                ]
            elif True in possible:
                taken.append((then, narrow_branch(_NO_ENDS, then, conditions, place)))
            if possible == {True} and not type_of(when).nullable:
                break
        else:
            taken.append((otherwise, narrow_branch(_NO_ENDS, otherwise, conditions, len(branches))))
        others = self._all(expression, taken)
        return None if others is None else list(dict.fromkeys([*named, *others]))

    def _all(
        self, expression: e.Expression, parts: Sequence[tuple[e.Expression, Ends]]
    ) -> _Values | None:
        """The values of several parts, each between its ends and as the kind of the whole."""
        whole, found = type_of(expression), list[Value]()
        for part, (low, high) in parts:
            values = self.domain(part)
            if values is None:
                return None
            since = type_of(part).kind
            inside = [
                value
                for value in values
                if value is not None and _is_between(value, since, low, high)
            ]
            found += [cast(value, since, whole.kind) for value in inside]
        # LEAST and GREATEST cut what they choose from
        if whole.kind in NUMERIC and not isinstance(expression, e.Case):
            found = [
                value for value in found if _is_between(value, whole.kind, whole.low, whole.high)
            ]
        return list(dict.fromkeys(found))

    def values_of_calculation(self, expression: e.Expression) -> _Values | None:
        """What an expression makes of every combination of its operands' values."""
        inside = e.operands(expression)
        if not inside or (isinstance(expression, e.Called) and expression.function in INEXACT):
            return None
        places: dict[e.Expression, tuple[e.Field, _Values]] = {}
        for part in inside:
            if isinstance(part, e.Literal) or part in places:
                continue
            known: _Values = [
                value for value in dict.fromkeys(self.domain(part) or []) if value is not None
            ]
            if not known:
                return None
            places[part] = e.Field(_holding(str(len(places)), type_of(part).kind, known)), known
        if not self.affords(prod(len(known) for _, known in places.values()), 1 + len(inside)):
            return None
        simple = e.rebuilt(expression, lambda part: places[part][0] if part in places else part)
        try:
            value = compile_expression(simple)
        except InvalidPlan:  # of every part alone less is known than of all together
            return None
        names = [field.column.name for field, _ in places.values()]
        return _list_values(
            value(dict(zip(names, row, strict=True)))
            for row in product(*(known for _, known in places.values()))
        )


def _named_by(condition: e.Expression, value: e.Expression) -> _Values | None:
    """The values that an expression can have where a condition is true, if the condition names them.

    Claim:      where the condition is true, the expression has one of these values.
    Because:    an equality with a constant, or one of several, is true of no other value, and not of NULL.
    Checked by: tests/unit/plan/questions/test_public_values.py::test_the_groups_are_the_image_of_the_declared_domain

    >>> place = e.Field(Column("place", Kind.TEXT))
    >>> _named_by(e.OneOf(place, (e.Literal("LAX", Kind.TEXT), e.Literal("SFO", Kind.TEXT))), place)
    ['LAX', 'SFO']
    """
    match condition:
        case e.OneOf(operand, options) if operand == value:
            constants: list[e.Literal] = [each for each in options if each.value is not None]
        case e.Compared("=", operand, e.Literal() as one) if operand == value:
            constants = [one]
        case e.Compared("=", e.Literal() as one, operand) if operand == value:
            constants = [one]
        case e.Either(left, right):
            sides = [_named_by(side, value) for side in (left, right)]
            return None if None in sides else [each for side in sides for each in side or []]
        case e.Both(left, right):
            either = (_named_by(side, value) for side in (left, right))
            return next((found for found in either if found is not None), None)
        case _:
            return None
    kind = type_of(value).kind
    if kind is not Kind.TEXT or any(each.kind is not kind for each in constants):
        return None
    return [constant(each.value, kind) for each in constants if each.value is not None]


def _list_values(values: Iterator[Value]) -> _Values | None:
    """The values, if their texts are not too long together."""
    found, characters = list[Value](), 0
    for value in values:
        characters += len(value) if isinstance(value, str) else 0
        if characters > MOST_LISTED_CHARACTERS:
            return None
        found.append(value)
    return found


def _check_length(part: e.Expression) -> None:
    """Refuse a calculation that could make a text of more characters than any has: no engine computes it either."""
    if isinstance(part, e.Called) and (most := length_of(part).characters) > MOST_CHARACTERS:
        reason = (
            f"this text could have {most:,} characters, and at most {MOST_CHARACTERS:,} are allowed"
        )
        raise InvalidPlan(reason, "shorten it first: SUBSTR(x, 1, 100)")


def _size(expression: e.Expression) -> int:
    return 1 + sum(map(_size, e.operands(expression)))


def _holding(name: str, kind: Kind, values: list[Any]) -> Column:
    """A column that has these values."""
    if kind not in NUMERIC and kind not in CALENDAR:
        return Column(name, kind)
    low, high = min(values), max(values)
    return Column(name, kind, scalar(low, kind), scalar(high, kind))


_NO_ENDS: Ends = (None, None)


def _is_between(value: Value, kind: Kind, low: Fraction | None, high: Fraction | None) -> bool:
    if kind not in NUMERIC and kind not in CALENDAR:
        return True
    assert isinstance(value, int | float), "numbers and days are numbers"
    return (low is None or low <= value) and (high is None or value <= high)


def outcomes(condition: e.Expression) -> set[bool]:
    """Whether a condition may be true and may be false, by what is declared alone; that it may be NULL is not said.

    >>> age = e.Field(Column("age", Kind.INTEGER, low=0, high=120))
    >>> outcomes(e.Compared("<", age, e.Literal(200, Kind.INTEGER)))
    {True}
    """
    match condition:
        case e.Literal(bool(value), _):
            return {value}
        case e.Not(operand):
            return {not each for each in outcomes(operand)}
        case e.Both(left, right):
            return {one and other for one in outcomes(left) for other in outcomes(right)}
        case e.Either(left, right):
            return {one or other for one in outcomes(left) for other in outcomes(right)}
        case e.Compared(operator, left, right):
            return _comparison_outcomes(operator, type_of(left), type_of(right))
        case e.OneOf(operand, options) if all(
            _comparison_outcomes("=", type_of(operand), leaf(each)) == {False} for each in options
        ):
            return {False}
        case _:
            return {False, True}


def _comparison_outcomes(operator: str, left: Type, right: Type) -> set[bool]:
    """How two numbers, days or moments may compare that lie in their ranges."""
    one, other = left.range, right.range
    known = left.kind is right.kind or (left.numeric and right.numeric)
    if (
        one is None
        or other is None
        or not known
        or (left.kind not in NUMERIC and left.kind not in CALENDAR)
    ):
        return {False, True}
    if left.kind is not right.kind and max(one.furthest, other.furthest) >= 1 << 53:
        # integers are compared with decimals as doubles, which may round them onto each other
        return {False, True}
    less, more, same = (
        one.high < other.low,
        one.low > other.high,
        one.low == one.high == other.low == other.high,
    )
    match operator:
        case "<" | ">=" if less or one.low >= other.high:
            return {less == (operator == "<")}
        case ">" | "<=" if more or one.high <= other.low:
            return {more == (operator == ">")}
        case "=" | "<>" if less or more or same:
            return {same == (operator == "=")}
        case _:
            return {False, True}


def _add_null(values: Sequence[Value], expression: e.Expression) -> _Values:
    """The values, and NULL if the expression may be NULL."""
    nothing: _Values = [None] if type_of(expression).nullable else []
    return [*(value for value in values if value is not None), *nothing]


def _step_values(expression: e.Expression) -> _Values | None:
    """The values of an expression that can only be on steps between the ends of a range."""
    for attempt in (
        _values_of_rounding,
        _daily_values,
        _whole,
        _values_of_truncation,
        _values_of_format,
    ):
        found = attempt(expression)
        if found is not None:
            return found
    return None


def _atoms(expression: e.Expression) -> dict[e.Expression, _Values] | None:
    """The innermost parts of an expression that can be listed and hold all its columns, and what they can be."""
    if isinstance(expression, e.Field):
        cells = _cells(expression.column)
        return None if cells is None else {expression: cells}
    found: dict[e.Expression, _Values] = {}
    for part in e.operands(expression):
        inside = _atoms(part)
        if inside is None:
            steps = _step_values(expression)
            return None if steps is None else {expression: _add_null(steps, expression)}
        found |= inside
    return found


def _placeholder(atom: e.Expression, number: int) -> e.Field:
    """A column that has the values of a part, which is computed in its place; a column is its own."""
    if isinstance(atom, e.Field):
        return atom
    found = type_of(atom)
    low, high = (
        _end(end, found.kind) if end is not None else None for end in (found.low, found.high)
    )
    return e.Field(Column(f"\0{number}", found.kind, low, high, nullable=found.nullable))


def _replace_parts(
    expression: e.Expression, places: Mapping[e.Expression, e.Field]
) -> e.Expression:
    """The expression with columns in the place of some parts."""
    if expression in places:
        return places[expression]
    return e.rebuilt(expression, lambda part: _replace_parts(part, places))


def _is_about(condition: e.Expression, known: set[e.Field]) -> bool:
    """Whether a condition is about some columns alone, and the same for every engine."""
    named = set(walk_fields(condition))
    return bool(named) and named <= known and not _is_inexact(condition)


def _range(expression: e.Expression) -> Range | None:
    """The range of an expression: where it never turns, exactly from its value at either end of its column.

    Claim:      a value that the expression takes lies in the range.
    Because:    each operation on the way keeps or turns the order of all doubles, and NULL leads to NULL.
    Checked by: tests/unit/plan/questions/test_public_values.py::test_the_groups_are_the_image_of_the_declared_domain
    """
    known = type_of(expression).range
    column = _monotone_column(expression)
    if column is None:
        return known
    ends = leaf(e.Field(column)).range
    if ends is None:
        return known
    cells = [
        float(end) if column.kind is Kind.NUMBER else int(end) for end in (ends.low, ends.high)
    ]
    found = [compile_expression(expression)({column.name: cell}) for cell in cells]
    exact = [Fraction(value) for value in found if isinstance(value, int | float)]
    return hull(exact) if len(exact) == len(found) else known


def _monotone_column(expression: e.Expression) -> Column | None:
    """The column of an expression that only ever grows with it, or only ever falls; None if it is not known to."""
    match expression:
        case e.Field(column):
            return column
        case e.Negated(operand) | e.Cast(operand, Kind.NUMBER | Kind.INTEGER):
            return _monotone_column(operand)
        case e.Arithmetic("+" | "-" | "*", operand, e.Literal()) | e.Arithmetic(
            "+" | "-" | "*", e.Literal(), operand
        ):
            return _monotone_column(operand)
        case e.Arithmetic("/", operand, e.Literal(value, _)) if value:
            return _monotone_column(operand)
        case e.Called(Function.FLOOR | Function.CEIL | Function.TRUNC, (operand,)):
            return _monotone_column(operand)
        case e.Called(Function.ROUND, (operand, e.Literal())):
            return _monotone_column(operand)
        case _:
            return None


def _daily_values(expression: e.Expression) -> _Values | None:
    """What is the same for all moments of a day, or of an hour, over those between the ends of a column."""
    match expression:
        case e.Called(Function.EXTRACT, (e.Literal(str(part), _), e.Field(column))) if (
            part in _DAILY or part == "hour"
        ):
            daily = part != "hour"
        case e.Called(Function.STRFTIME, (e.Field(column), e.Literal(str(text), _))):
            units = {FORMATS[part[0]] for part in text.split("%")[1:]}
            daily = bool(units) and units <= {"year", "month", "day"}
            if not daily and not units <= {"hour"}:
                return None
        case _:
            return None
    step, known = (24 if daily else 1) * 3_600_000_000, leaf(e.Field(column)).range
    if (
        column.kind is not Kind.TIMESTAMP
        or known is None
        or known.high - known.low > MOST_VALUES * step
    ):
        return None
    first, last = int(known.low), int(known.high)
    value = compile_expression(expression)
    moments = [first, *range((first // step + 1) * step, last + 1, step)]
    return sorted({value({column.name: moment}) for moment in moments})  # type: ignore[type-var]


_DAILY = frozenset(PARTS) - {"hour", "minute", "second", "epoch"}


def _whole(expression: e.Expression) -> _Values | None:
    """The whole numbers or days between the ends of a range."""
    if not _is_whole(expression):
        return None
    found = type_of(expression)
    known = _range(expression)
    if known is None or known.high - known.low > MOST_VALUES:
        return None
    numbers = range(ceil(known.low), floor(known.high) + 1)
    return [float(number) for number in numbers] if found.kind is Kind.NUMBER else list(numbers)


def _values_of_rounding(expression: e.Expression) -> _Values | None:
    """The numbers of so many decimals between the ends of a range, as they are rounded."""
    match expression:
        case e.Called(Function.ROUND, (_, e.Literal(int(decimals), _))):
            found, known = type_of(expression), _range(expression)
            if known is None or (known.high - known.low) * Fraction(10) ** decimals > MOST_VALUES:
                return None
            ends = (round(end * Fraction(10) ** decimals) for end in (known.low, known.high))
            steps, scale = range(next(ends), next(ends) + 1), 10 ** abs(decimals)
            if found.kind is Kind.INTEGER:
                return [step * scale for step in steps] if decimals < 0 else None
            return [float(step) * scale if decimals < 0 else float(step) / scale for step in steps]
        case _:
            return None


def _values_of_truncation(expression: e.Expression) -> _Values | None:
    """The first moments of all years, months, … between the ends of a range."""
    match expression:
        case e.Called(Function.DATE_TRUNC, (e.Literal(str(unit), _), _)):
            known = type_of(expression).range
            assert known is not None, "the calendar has ends"
            found: _Values = []
            moment: int | None = int(known.low)
            while moment is not None and moment <= known.high and len(found) <= MOST_VALUES:
                found.append(moment)
                moment = later(moment, 1, unit)
            return found
        case _:
            return None


def _values_of_format(expression: e.Expression) -> _Values | None:
    """What a format without a year makes of all days of 28 years, after which weekdays return, or of all hours."""
    match expression:
        case e.Called(Function.STRFTIME, (_, e.Literal(str(text), _))):
            units = {FORMATS[part[0]] for part in text.split("%")[1:]}
        case _:
            return None
    day = 24 * 3_600_000_000
    moments = None
    if units and units <= {"month", "day"}:
        moments = range(0, (28 * 365 + 7) * day, day)
    elif units and units <= {"hour", "minute"}:
        moments = range(0, day, 60_000_000)
    return (
        None if moments is None else [*sorted({format_moment(moment, text) for moment in moments})]
    )


def _is_whole(expression: e.Expression) -> bool:
    """Whether an expression can only be a whole number or a day."""
    match expression:
        case e.Called(Function.FLOOR | Function.CEIL | Function.TRUNC, _):
            return True
        case e.Called(Function.ROUND, (operand, e.Literal(int(decimals), _))):
            return decimals <= 0 or _is_whole(operand)
        case e.Literal(Fraction(denominator=1), _):
            return True
        case e.Called(Function.ABS, parts):
            return all(map(_is_whole, parts))
        case e.Cast(operand, Kind.NUMBER) | e.Negated(operand):
            return _is_whole(operand)
        case e.Arithmetic("+" | "-" | "*", left, right):
            return _is_whole(left) and _is_whole(right)
        case _:
            return type_of(expression).kind in {Kind.INTEGER, Kind.DATE}


# ---------------------------------------------------------------- columns


def _cells(column: Column) -> _Values | None:
    """What a row may hold in a column, NULL too, if it can be listed."""
    nothing: _Values = [None] if column.nullable else []
    if column.values:
        return [*(constant(value, column.kind) for value in column.values), *nothing]
    if column.kind is Kind.BOOLEAN:
        return [False, True, *nothing]
    found = _whole(e.Field(column))
    return None if found is None else [*found, *nothing]


def _is_inexact(expression: e.Expression) -> bool:
    """Whether a value is not the same for every engine, or not known before a subquery is answered."""
    if isinstance(expression, e.SubqueryValue):
        return True
    if isinstance(expression, e.Called) and expression.function in INEXACT:
        return True
    return any(map(_is_inexact, e.operands(expression)))


def _conjuncts(condition: e.Expression) -> Iterator[e.Expression]:
    if isinstance(condition, e.Both):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _narrow(expression: e.Expression, conditions: Sequence[e.Expression]) -> e.Expression:
    """The expression over columns whose bounds WHERE has narrowed, for as long as its values are looked for."""
    if not isinstance(expression, e.Field):
        return e.rebuilt(expression, lambda part: _narrow(part, conditions))
    column = expression.column
    if column.values or (column.kind not in NUMERIC and column.kind not in CALENDAR):
        return expression
    found = type_of(expression)
    say = _exact_ends if column.kind is Kind.NUMBER else implied_ends
    ends = [(found.low, found.high), *(say(part, expression, holds=True) for part in conditions)]
    low = max((end for end, _ in ends if end is not None), default=None)
    high = min((end for _, end in ends if end is not None), default=None)
    if low is not None and high is not None and low > high:
        return expression
    least, most = (None if end is None else _end(end, column.kind) for end in (low, high))
    return e.Field(replace(column, low=least, high=most))


def _exact_ends(condition: e.Expression, value: e.Field, *, holds: bool) -> Ends:
    """What a condition implies for a column of doubles: the last double that it allows, not one beyond."""
    match condition:
        case e.Compared(operator, e.Literal() as bound, compared) if compared == value:
            operator = MIRRORED[operator]
        case e.Compared(operator, compared, e.Literal() as bound) if compared == value:
            pass
        case _:
            return implied_ends(condition, value, holds=holds)
    if not isinstance(bound.value, int | Fraction) or (at := as_double(bound.value)) is None:
        return implied_ends(condition, value, holds=holds)
    low = {"=": at, ">=": at, ">": Fraction(nextafter(float(at), inf))}.get(operator)
    high = {"=": at, "<=": at, "<": Fraction(nextafter(float(at), -inf))}.get(operator)
    return low, high


def _end(number: Fraction, kind: Kind) -> Scalar:
    return number if kind in NUMERIC else scalar(int(number), kind)


def key_value(value: Value, kind: Kind) -> KeyValue:
    """A value as it is declared, or NULL."""
    return None if value is None else scalar(value, kind)


def scalar(value: Value, kind: Kind) -> Scalar:
    """A value as it is declared."""
    assert value is not None, "NULL is no key"
    match kind:
        case Kind.NUMBER:
            assert isinstance(value, int | float)
            return Fraction(value)
        case Kind.DATE:
            return date(1970, 1, 1) + timedelta(days=int(value))
        case Kind.TIMESTAMP:
            return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(value))).replace(
                tzinfo=None
            )
        case _:
            assert not isinstance(value, float)
            return value
