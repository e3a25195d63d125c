"""Functions that the parser knows by name alone: those of other dialects, written as what is read here.

Checked by: tests/unit/plan/sql/test_other_dialect_functions.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from sqlglot import exp

from tacit.plan.model.expressions import Either, Expression, IsNull, Literal, Not
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL, literal, read_moment
from tacit.plan.questions.time_spans import complete_units, time_bucket
from tacit.plan.questions.time_zones import local_time
from tacit.plan.sql.time_formats import from_java, write_time
from tacit.plan.sql.units_of_time import UNIT_NAMES, is_unit, name_of_unit

if TYPE_CHECKING:
    from tacit.plan.sql.functions import Calls

__all__ = ["NAMED"]

_FIRST = read_moment("1970-01-01")


def _read_unit(calls: Calls, node: exp.Expr) -> str:
    """The unit of time that an argument names."""
    if not is_unit(node):
        remedy = f"write one of {', '.join(UNIT_NAMES)}"
        calls.account.refuse(node, "a unit of time is needed here", remedy)
    calls.account.places.add((node.this if isinstance(node, exp.Column) else node).meta["start"])
    return name_of_unit(node.name)


def _whole_number(calls: Calls, node: exp.Expr) -> int:
    """A constant whole number, which may be negative."""
    sign, digits = (-1, node.this) if isinstance(node, exp.Neg) else (1, node)
    if not isinstance(digits, exp.Literal) or not digits.name.isdecimal() or len(digits.name) > 18:
        remedy = "write it out, as in DATEADD(day, 30, x); to add a number of days, write day + x"
        calls.account.refuse(node, "a constant whole number is needed here", remedy)
    calls.read(node)  # which accounts for it
    return sign * int(digits.name)


def _is_number_written_out(node: exp.Expr) -> bool:
    return isinstance(node.this if isinstance(node, exp.Neg) else node, exp.Literal)


def _text(calls: Calls, node: exp.Expr) -> str:
    if not isinstance(node, exp.Literal) or not node.is_string:
        calls.account.refuse(node, "a constant text is needed here", "write it in quotes")
    calls.account.places.add(node.meta["start"])
    return str(node.name)


# ---------------------------------------------------------------- choices and numbers


def _decode(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DECODE(x, 'a', 1, 'b', 2, 0): what stands after the first value that x is."""
    operand, *rest = (calls.read(part) for part in parts)
    branches = [
        (
            IsNull(operand) if when == NULL else calls.forms.compare("=", operand, when),
            then,
        )
        for when, then in zip(rest[::2], rest[1::2], strict=False)
    ]
    return calls.forms.case(branches, rest[-1] if len(rest) % 2 else NULL)


def _divide_or_zero(calls: Calls, parts: Sequence[exp.Expr], *, null: bool) -> Expression:
    """DIV0(a, b): zero where b is zero; of DIV0NULL, also where b is NULL."""
    top, bottom = (calls.read(part) for part in parts)
    missing: Expression = calls.forms.compare("=", bottom, literal(0))
    if null:
        missing = Either(IsNull(bottom), missing)
    return calls.forms.case([(missing, literal(0))], calls.forms.arithmetic("/", top, bottom))


def _quotient(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DIV(a, b): the whole part of a quotient."""
    return calls.forms.call(Function.QUOTIENT, [calls.read(part) for part in parts])


def _square(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    (operand,) = (calls.read(part) for part in parts)
    return calls.forms.arithmetic("*", operand, operand)


def _with_one(calls: Calls, parts: Sequence[exp.Expr], *, logarithm: bool) -> Expression:
    """LOG1P(x), which is LN(1 + x), and EXPM1(x), which is EXP(x) - 1."""
    (operand,) = (calls.read(part) for part in parts)
    forms = calls.forms
    if logarithm:
        return forms.call(Function.LN, [forms.arithmetic("+", literal(1), operand)])
    return forms.arithmetic("-", forms.call(Function.EXP, [operand]), literal(1))


def _choice_of_null(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """NVL2(x, a, b): a where x is not NULL, else b."""
    given, then, otherwise = (calls.read(part) for part in parts)
    return calls.forms.case([(Not(IsNull(given)), then)], otherwise)


def _fill(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """ZEROIFNULL(x)."""
    return calls.forms.call(Function.COALESCE, [calls.read(parts[0]), literal(0)])


def _null_if_zero(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """NULLIFZERO(x)."""
    return calls.forms.call(Function.NULLIF, [calls.read(parts[0]), literal(0)])


def _choose(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """CHOOSE(n, 'a', 'b') and ELT(n, 'a', 'b'): the n-th of what follows."""
    which, *rest = (calls.read(part) for part in parts)
    branches = [
        (calls.forms.compare("=", which, literal(place)), then)
        for place, then in enumerate(rest, start=1)
    ]
    return calls.forms.case(branches, NULL)


def _place_in_list(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """FIELD(x, 'a', 'b'): the place of x among what follows, 0 if it is not there."""
    operand, *rest = (calls.read(part) for part in parts)
    branches = [
        (calls.forms.compare("=", operand, other), literal(place))
        for place, other in enumerate(rest, start=1)
    ]
    return calls.forms.case(branches, literal(0))


def _is_same(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """EQUAL_NULL(a, b): a IS NOT DISTINCT FROM b."""
    return Not(calls.forms.call(Function.DISTINCT, [calls.read(part) for part in parts]))


def _cast_to(kind: Kind) -> _Reader:
    """TO_DOUBLE(x), TO_VARCHAR(x), DATETIME(x) and TIMESTAMP(x): a cast."""

    def read(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
        return calls.forms.cast(calls.read(parts[0]), kind)

    return read


# ---------------------------------------------------------------- days and moments


def _later(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATEADD(day, 30, x) and TIMESTAMPADD(day, 30, x); and DATEADD(day, y, x), by a number of the row."""
    unit = _read_unit(calls, parts[0])
    if _is_number_written_out(parts[1]):
        count = _whole_number(calls, parts[1])
        return calls.forms.later(calls.read(parts[2]), count, unit)
    many = calls.read(parts[1])
    return calls.later_by(calls.read(parts[2]), many, unit)


def _months_later(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """ADD_MONTHS(x, 3)."""
    operand, count = calls.read(parts[0]), _whole_number(calls, parts[1])
    return calls.forms.later(operand, count, "month")


def _days_apart(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATEDIFF(a, b), without a unit: how many days a is after b."""
    until, since = (calls.read(part) for part in parts)
    return calls.forms.in_units(Function.DATE_DIFF, "day", since, until)


def _bucket(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """TIME_SLICE(x, 15, 'MINUTE')."""
    operand, count = calls.read(parts[0]), _whole_number(calls, parts[1])
    return time_bucket(calls.forms, count, _read_unit(calls, parts[2]), operand)


def _complete(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """TIMESTAMPDIFF(MINUTE, a, b): how many whole minutes b is after a."""
    unit = _read_unit(calls, parts[0])
    since, until = (calls.read(part) for part in parts[1:])
    return complete_units(calls.forms, unit, since, until)


def _complete_backwards(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """TIMESTAMP_DIFF(b, a, MINUTE): how many whole minutes b is after a."""
    until, since = (calls.read(part) for part in parts[:2])
    return complete_units(calls.forms, _read_unit(calls, parts[2]), since, until)


def _part(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATEPART(hour, x) and DATE_PART('hour', x)."""
    first = parts[0]
    word = isinstance(first, exp.Column) and len(first.parts) == 1
    if not word and not (isinstance(first, exp.Literal) and first.is_string):
        calls.account.refuse(first, "a part of a date is needed here", "write DATE_PART('year', x)")
    calls.account.places.add((first.this if word else first).meta["start"])
    return calls.part_of(first.name, parts[1])


def _seconds(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """UNIX_TIMESTAMP(x) and UNIX_SECONDS(x): the whole seconds since 1970 began, in UTC."""
    return calls.forms.in_units(Function.DATE_DIFF, "second", _FIRST, calls.read(parts[0]))


def _week_day(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DAYOFWEEKISO(x): Monday is 1."""
    return calls.forms.moment_part("isodow", calls.read(parts[0]))


def _last_day(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """EOMONTH(x), and EOMONTH(x, -1): the last day of a month, or of one so many months later."""
    operand = calls.read(parts[0])
    if len(parts) == 2:
        operand = calls.forms.later(operand, _whole_number(calls, parts[1]), "month")
    return calls.forms.last_day(operand)


def _zone(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """FROM_UTC_TIMESTAMP(x, 'Europe/Berlin')."""
    return local_time(calls.forms, calls.read(parts[0]), _text(calls, parts[1]))


def _other_zone(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """CONVERT_TIMEZONE('UTC', 'Europe/Berlin', x): moments are in UTC."""
    if len(parts) == 3 and _text(calls, parts[0]).upper() not in {"UTC", "ETC/UTC", "GMT"}:
        reason = "moments are in UTC here"
        calls.account.refuse(parts[0], reason, "write CONVERT_TIMEZONE('UTC', 'Europe/Berlin', x)")
    zone = _text(calls, parts[-2])
    return local_time(calls.forms, calls.read(parts[-1]), zone)


def _truncate(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATETRUNC(month, x)."""
    unit = _read_unit(calls, parts[0])
    return calls.truncate_time(unit, calls.read(parts[1]))


def _day_of(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """TO_DATE(x), TO_DATE('2024-01-31', 'YYYY-MM-DD') and STR_TO_DATE(x, '%d/%m/%Y')."""
    if len(parts) == 1:
        return calls.forms.cast(calls.read(parts[0]), Kind.DATE)
    return calls.parse_time(parts[0], parts[1], Kind.DATE)


def _moment_of(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """STRPTIME(x, '%d/%m/%Y %H:%M'), and TO_TIMESTAMP(x): so many seconds after 1970 began, in UTC."""
    if len(parts) == 1:
        unit = Literal("second", Kind.TEXT)
        return calls.forms.call(Function.DATE_ADD, [_FIRST, calls.read(parts[0]), unit])
    return calls.parse_time(parts[0], parts[1], Kind.TIMESTAMP)


def _parse_backwards(calls: Calls, parts: Sequence[exp.Expr], kind: Kind) -> Expression:
    """PARSE_DATE('%Y-%m-%d', x)."""
    return calls.parse_time(parts[1], parts[0], kind)


def _format(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATE_FORMAT(x, '%Y-%m') and DATE_FORMAT(x, 'yyyy-MM')."""
    return calls.write_time(parts[0], parts[1])


def _format_net(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """FORMAT(x, 'yyyy-MM') of T-SQL, where ddd and dddd are names of days."""
    given = parts[1]
    text = given.name if isinstance(given, exp.Literal) and given.is_string else ""
    if len(text) < 2:
        remedy = "write FORMAT(x, 'yyyy-MM'), or ROUND(x, 2) for a number"
        calls.account.refuse(given, "FORMAT takes a date and a format", remedy)
    calls.account.places.add(given.meta["start"])
    spelled = re.sub("d{3,4}", lambda found: "E" * len(found[0]), text)
    return write_time(calls.forms, calls.read(parts[0]), from_java(spelled))


def _format_backwards(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """FORMAT_DATE('%Y-%m', x)."""
    text = _text(calls, parts[0])
    return calls.forms.format_time(calls.read(parts[1]), text)


def _name_of_part(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """DATENAME(month, x) and DATENAME(weekday, x)."""
    first = parts[0]
    form = {"month": "%B", "mm": "%B", "weekday": "%A", "dw": "%A"}.get(first.name.lower())
    if form is None or not isinstance(first, exp.Column):
        _refuse_name(calls, first)
    calls.account.places.add(first.this.meta["start"])
    return calls.forms.format_time(calls.read(parts[1]), form)


def _refuse_name(calls: Calls, node: exp.Expr) -> NoReturn:
    calls.account.refuse(node, "DATENAME takes month or weekday", "write EXTRACT(year FROM x)")


# ---------------------------------------------------------------- texts


def _ends_with(before: str, after: str) -> _Reader:
    def read(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
        text, part = (calls.read(each) for each in parts)
        return calls.forms.holds(text, part, before, after)

    return read


def _is_number(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """ISNUMERIC(x): 1 if a text is a number, else 0."""
    number = calls.forms.cast(calls.read(parts[0]), Kind.NUMBER)
    return calls.forms.case([(Not(IsNull(number)), literal(1))], literal(0))


def _part_by_separator(calls: Calls, parts: Sequence[exp.Expr]) -> Expression:
    """SUBSTRING_INDEX(x, '@', 1), which is before the first, and SUBSTRING_INDEX(x, '@', -1), after the last."""
    if _whole_number(calls, parts[2]) not in {1, -1}:
        remedy = "write SUBSTRING_INDEX(x, '@', 1), or SPLIT_PART(x, '@', 2) for the second part"
        calls.account.refuse(parts[2], "SUBSTRING_INDEX takes 1 or -1", remedy)
    return calls.forms.call(Function.SPLIT_PART, [calls.read(part) for part in parts])


_Reader = Callable[["Calls", Sequence[exp.Expr]], Expression]

NAMED: Mapping[str, tuple[int, int, _Reader]] = {
    "DECODE": (3, 65, _decode),
    "DIV0": (2, 2, lambda calls, parts: _divide_or_zero(calls, parts, null=False)),
    "DIV0NULL": (2, 2, lambda calls, parts: _divide_or_zero(calls, parts, null=True)),
    "DIV": (2, 2, _quotient),
    "SQUARE": (1, 1, _square),
    "LOG1P": (1, 1, lambda calls, parts: _with_one(calls, parts, logarithm=True)),
    "EXPM1": (1, 1, lambda calls, parts: _with_one(calls, parts, logarithm=False)),
    "ZEROIFNULL": (1, 1, _fill),
    "NULLIFZERO": (1, 1, _null_if_zero),
    "DATEADD": (3, 3, _later),
    "TIMESTAMPADD": (3, 3, _later),
    "TIMESTAMPDIFF": (3, 3, _complete),
    "TIMESTAMP_DIFF": (3, 3, _complete_backwards),
    "DATE_PART": (2, 2, _part),
    "DATEPART": (2, 2, _part),
    "UNIX_TIMESTAMP": (1, 1, _seconds),
    "UNIX_SECONDS": (1, 1, _seconds),
    "DAYOFWEEKISO": (1, 1, _week_day),
    "ADD_MONTHS": (2, 2, _months_later),
    "DATEDIFF_IN_DAYS": (2, 2, _days_apart),
    "TIME_SLICE": (3, 3, _bucket),
    "NVL2": (3, 3, _choice_of_null),
    "SUBSTRING_INDEX": (3, 3, _part_by_separator),
    "CONVERT_TIMEZONE": (2, 3, _other_zone),
    "TO_TIMESTAMP": (1, 2, _moment_of),
    "EOMONTH": (1, 2, _last_day),
    "FROM_UTC_TIMESTAMP": (2, 2, _zone),
    "DATETRUNC": (2, 2, _truncate),
    "TO_DATE": (1, 2, _day_of),
    "STR_TO_DATE": (2, 2, _day_of),
    "STRPTIME": (2, 2, _moment_of),
    "PARSE_DATE": (2, 2, lambda calls, parts: _parse_backwards(calls, parts, Kind.DATE)),
    "PARSE_TIMESTAMP": (2, 2, lambda calls, parts: _parse_backwards(calls, parts, Kind.TIMESTAMP)),
    "PARSE_DATETIME": (2, 2, lambda calls, parts: _parse_backwards(calls, parts, Kind.TIMESTAMP)),
    "DATE_FORMAT": (2, 2, _format),
    "FORMAT": (2, 2, _format_net),
    "FORMAT_DATE": (2, 2, _format_backwards),
    "FORMAT_TIMESTAMP": (2, 2, _format_backwards),
    "FORMAT_DATETIME": (2, 2, _format_backwards),
    "DATENAME": (2, 2, _name_of_part),
    "PREFIX": (2, 2, _ends_with("", "%")),
    "SUFFIX": (2, 2, _ends_with("%", "")),
    "ISNUMERIC": (1, 1, _is_number),
    "CHOOSE": (2, 65, _choose),
    "ELT": (2, 65, _choose),
    "FIELD": (2, 65, _place_in_list),
    "EQUAL_NULL": (2, 2, _is_same),
    "TO_DOUBLE": (1, 1, _cast_to(Kind.NUMBER)),
    "TRY_TO_DOUBLE": (1, 1, _cast_to(Kind.NUMBER)),
    "TRY_TO_DATE": (1, 2, _day_of),
    "TIMESTAMP": (1, 1, _cast_to(Kind.TIMESTAMP)),
    "DATETIME": (1, 1, _cast_to(Kind.TIMESTAMP)),
}
"""How many arguments each function takes, the fewest and the most, and how it is read."""
