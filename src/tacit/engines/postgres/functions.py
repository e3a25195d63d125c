"""Functions as SQL for PostgreSQL: what it means otherwise than the memory engine is written out.

Checked by: tests/laws/test_engine_conformance.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.engines.postgres.numbers import arithmetic, double_literal, integer_or_null
from tacit.engines.postgres.share_subexpression import write_once
from tacit.engines.sql.function_sql_helpers import (
    FIRST_MOMENT,
    LAST_MOMENT,
    MONTHS,
    SECONDS,
    SPACES,
    case_map,
    largest_factor,
    setting_of,
)
from tacit.errors import InvalidPlan
from tacit.plan import (
    ANGLES,
    LONGEST,
    UNITS,
    Called,
    Function,
    Kind,
    Literal,
    may_leave,
    spell_out,
    type_of,
)

__all__ = ["call_sql", "text_literal"]

_C = 'COLLATE "C"'
_FORMATS = {
    "Y": "YYYY",
    "y": "YY",
    "m": "MM",
    "b": "Mon",
    "B": "FMMonth",
    "d": "DD",
    "j": "DDD",
    "a": "Dy",
    "A": "FMDay",
    "H": "HH24",
    "M": "MI",
    "S": "SS",
}

Moments = Callable[[str], str]
"""How many microseconds after 1970 a moment is, as SQL."""


def text_literal(value: str) -> str:
    """A text in quotes.

    >>> text_literal("it's")
    "'it''s'"
    """
    if "\0" in value:
        raise InvalidPlan(
            "PostgreSQL has no text with the character NUL", "remove it from the text"
        )
    return "'" + value.replace("'", "''") + "'"


def call_sql(expression: Called, operands: Sequence[str], microseconds: Moments) -> str:
    """The SQL of a call, of operands that are of the kinds that are wanted.

    Claim:      no value raises, and what comes out is what `MEANINGS` says.
    Because:    what PostgreSQL would raise on becomes NULL or zero first; moments are moved in whole numbers before
                they are made, since it raises beyond its calendar; letters are changed one by one.
    Checked by: tests/laws/test_engine_conformance.py::test_every_function_is_the_same_in_postgres
    """
    function = expression.function
    kinds = [type_of(part).kind for part in expression.operands]
    first = operands[0]
    match function:
        case Function.ABS if kinds[0] is Kind.INTEGER:
            return integer_or_null(f"abs(({first})::numeric)")
        case Function.COALESCE | Function.LEAST | Function.GREATEST | Function.ABS:
            return f"{function.value.lower()}({', '.join(operands)})"
        case Function.NULLIF:  # of PostgreSQL's own, an integer would become a double
            return write_once(
                first, lambda x: f"CASE WHEN {x} = {operands[1]} THEN NULL ELSE {x} END"
            )
        case Function.DISTINCT:
            return f"({first} IS DISTINCT FROM {operands[1]})"
        case Function.QUOTIENT:
            return integer_or_null(f"div(({first})::numeric, nullif({operands[1]}, 0)::numeric)")
        case Function.SIGN:
            return f"sign({first})::bigint"
        case Function.ROUND:
            return _round(first, kinds[0], int(setting_of(expression, 1)))
        case Function.FLOOR | Function.CEIL | Function.TRUNC:
            return first if kinds[0] is Kind.INTEGER else f"{function.value.lower()}({first})"
        case Function.SQRT | Function.LN | Function.LOG10 | Function.EXP | Function.POWER:
            return _real(function, operands)
        case _ if function in ANGLES:
            return _angle(function, operands)
        case Function.EXTRACT | Function.DATE_TRUNC | Function.DATE_ADD | Function.DATE_DIFF:
            return _moment(expression, operands, microseconds)
        case Function.SECONDS_BETWEEN:
            return _seconds_between(*map(microseconds, operands))
        case Function.STRFTIME:
            return _format(first, str(setting_of(expression, 1)))
        case _:
            return _text(expression, operands, kinds)


# ---------------------------------------------------------------- numbers


def _above(value: str, edge: str) -> str:
    """A value, or NULL if it is at the edge or below it; NULL stays NULL, though GREATEST passes it over."""
    return f"nullif(greatest({value}, '{edge}'::float8), '{edge}'::float8)"


def _real(function: Function, operands: Sequence[str]) -> str:
    value = operands[0]
    match function:
        case Function.SQRT:
            return f"sqrt({_above(value, '-5e-324')})"
        case Function.LN:
            return f"ln({_above(value, '0')})"
        case Function.LOG10:
            return f"log({_above(value, '0')})"
        case Function.EXP:
            return write_once(value, lambda x: f"CASE WHEN {x} < -745.13 THEN 0 ELSE exp({x}) END")
        case _:
            return write_once(value, lambda x: write_once(operands[1], lambda y: _power(x, y)))


def _angle(function: Function, operands: Sequence[str]) -> str:
    """Sines and their like; an arc beyond 1 is NULL, and the zeros of ATAN2 have no sign."""
    value, name = operands[0], function.value.lower()
    match function:
        case Function.ASIN | Function.ACOS:
            above = "'1.0000000000000002'::float8"
            inside = _above(value, "-1.0000000000000002")
            return f"{name}(nullif(least({inside}, {above}), {above}))"
        case Function.ATAN2:
            zero = double_literal(0)
            return f"atan2({', '.join(f'({zero} - ({zero} - {each}))' for each in operands)})"
        case _:
            return f"{name}({value})"


def _power(base: str, exponent: str) -> str:
    size = arithmetic("*", exponent, f"ln(abs({base}))")
    at_zero = f"CASE WHEN {exponent} > 0 THEN 0 WHEN {exponent} = 0 THEN 1 END"
    return (
        f"CASE WHEN {base} = 0 THEN {at_zero} "
        f"WHEN {base} < 0 AND {exponent} <> floor({exponent}) THEN NULL "
        f"WHEN {size} < -744 THEN 0 ELSE power({base}, {exponent}) END"
    )


def _round(value: str, kind: Kind, decimals: int) -> str:
    """A number to so many decimals, halves away from zero, by the steps of `round_half_away`."""
    if kind is Kind.INTEGER:
        return value if decimals >= 0 else f"round(({value})::numeric, {decimals})::bigint"
    scale = 10.0 ** abs(decimals)
    times, most = double_literal(scale), double_literal(largest_factor(scale))

    def whole(number: str) -> str:
        def away(x: str) -> str:
            up = f"abs({x}) - floor(abs({x})) >= 0.5"
            return f"CASE WHEN {up} THEN sign({x}) * (floor(abs({x})) + 1) ELSE trunc({x}) END"

        return write_once(number, away)

    def left_of_point(x: str) -> str:
        back = write_once(
            whole(f"({x} / {times})"),
            lambda found: f"CASE WHEN abs({found}) > {most} THEN 0 ELSE {found} * {times} END",
        )
        return f"CASE WHEN abs({x}) < 1 THEN 0 ELSE {back} END"

    def right_of_point(x: str) -> str:
        found = f"{whole(f'({x} * {times})')} / {times}"
        return f"CASE WHEN abs({x}) <= {most} THEN {found} ELSE {x} END"

    return write_once(value, left_of_point if decimals < 0 else right_of_point)


# ---------------------------------------------------------------- texts


def _text(expression: Called, operands: Sequence[str], kinds: Sequence[Kind]) -> str:
    function, first = expression.function, operands[0]
    settings = [
        str(part.value)
        for part in expression.operands[1:]
        if isinstance(part, Literal) and part.kind is Kind.INTEGER
    ]
    match function:
        case Function.LOWER | Function.UPPER:
            return _change_case(function, first)
        case Function.TRIM | Function.LTRIM | Function.RTRIM:
            name = "btrim" if function is Function.TRIM else function.value.lower()
            return f"{name}({first}, {text_literal(SPACES)})"
        case Function.SUBSTR | Function.RIGHT:
            return f"{function.value.lower()}({', '.join([first, *settings])})"
        case Function.REPLACE:
            return f"replace(substr({first}, 1, {LONGEST}), {operands[1]}, {operands[2]})"
        case Function.LENGTH:
            return f"length({first})::bigint"
        case Function.STRPOS:
            return f"strpos({first}, {operands[1]})::bigint"
        case Function.SPLIT_PART:
            return f"split_part({first}, {operands[1]}, {settings[-1]})"
        case Function.LPAD | Function.RPAD:
            return f"{function.value.lower()}({first}, {settings[0]}, {operands[2]})"
        case Function.CONCAT | Function.JOINED:
            parts = [
                part if kind is Kind.INTEGER else f"substr({part}, 1, {LONGEST})"
                for part, kind in zip(operands, kinds, strict=True)
            ]
            if function is Function.JOINED:
                return f"({' || '.join(parts)})"
            return f"(concat({', '.join(parts)}) {_C})"
        case Function.REGEXP:
            pattern = spell_out(str(setting_of(expression, 1)))
            return f"({first} ~ {text_literal(pattern)})"
        case _:
            raise AssertionError(function)


def _change_case(function: Function, text: str) -> str:
    """A text in lower or upper case: letters of ASCII by the function, all others one by one."""
    name = function.value.lower()
    since, to = case_map(function)
    plain = f"{name}({{x}} {_C})"
    others = f"translate({plain}, {text_literal(since)}, {text_literal(to)})"
    body = f"CASE WHEN octet_length({{x}}) = length({{x}}) THEN {plain} ELSE {others} END"
    return write_once(text, lambda x: body.replace("{x}", x))


# ---------------------------------------------------------------- days and moments


def _moment(expression: Called, operands: Sequence[str], microseconds: Moments) -> str:
    match expression.function:
        case Function.EXTRACT:
            part = str(setting_of(expression, 0))
            if part == "epoch":
                return f"({microseconds(operands[1])}::float8 / '1000000'::float8)"
            return f"floor(extract({part} FROM {operands[1]}))::bigint"
        case Function.DATE_TRUNC:
            return f"date_trunc('{setting_of(expression, 0)}', {operands[1]})"
        case Function.DATE_DIFF:
            unit = str(setting_of(expression, 0))
            return f"({_count(unit, operands[2])} - {_count(unit, operands[1])})"
        case _:
            return _later(expression, operands, microseconds)


def _seconds_between(since: str, until: str) -> str:
    """Whole days in seconds, and the rest of a day; both are cut towards zero."""
    apart = integer_or_null(f"({until})::numeric - ({since})::numeric")
    days = "({x} / 86400000000 * 86400)::float8"
    rest = "({x} % 86400000000)::float8 / '1000000'::float8"
    return write_once(apart, lambda x: f"({days} + {rest})".replace("{x}", x))


def _count(unit: str, moment: str) -> str:
    """How many beginnings of a unit there were up to a moment, from some fixed one on."""
    assert unit != "week", "plans have no differences in weeks"
    if unit in SECONDS:  # no remainder is left
        seconds = f"(extract(epoch FROM date_trunc('{unit}', {moment})))::bigint"
        return f"({seconds} / {SECONDS[unit]})"
    months = write_once(moment, lambda m: f"({_months(m)})::bigint")
    return f"({months} / {MONTHS[unit]})"


def _months(moment: str) -> str:
    return f"extract(year FROM {moment}) * 12 + extract(month FROM {moment}) - 1"


def _later(expression: Called, operands: Sequence[str], microseconds: Moments) -> str:
    """A later moment: whether it is within the years is found in whole numbers first."""
    moment, number, unit = operands[0], operands[1], str(setting_of(expression, 2))
    leaves = may_leave(type_of(expression.operands[0]), type_of(expression.operands[1]), unit)
    if leaves:  # so many leave the calendar for sure; LEAST and GREATEST pass NULL over
        most = UNITS[unit]
        held = write_once(
            number,
            lambda n: f"CASE WHEN {n} IS NOT NULL THEN least(greatest({n}, {-most}), {most}) END",
        )
    else:
        held = number

    def body(m: str, n: str) -> str:
        if unit in MONTHS:
            months = f"({n}) * {MONTHS[unit]}"
            step = f"make_interval(months => ({months})::integer)"
            inside = f"({_months(m)} + {months}) BETWEEN 12 AND 119999"
        else:
            step = _interval(n, SECONDS[unit])
            moved = f"{microseconds(m)} + ({n}) * {SECONDS[unit] * 1_000_000}"
            inside = f"({moved}) BETWEEN {FIRST_MOMENT} AND {LAST_MOMENT}"
        return f"CASE WHEN {inside} THEN {m} + {step} END" if leaves else f"({m} + {step})"

    return write_once(moment, lambda m: write_once(held, lambda n: body(m, n)))


def _interval(number: str, seconds: int) -> str:
    """So many times some seconds as an interval."""
    if seconds >= 86_400:
        return f"make_interval(days => (({number}) * {seconds // 86_400})::integer)"
    hour = 3_600 // seconds
    hours, rest = f"(({number}) / {hour})::integer", f"((({number}) % {hour}) * {seconds})::integer"
    return f"make_interval(hours => {hours}, secs => {rest})"


def _format(moment: str, form: str) -> str:
    """A moment, written as a format says; names of days and months are English."""
    first, *rest = form.split("%")

    def quote(plain: str) -> str:
        escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"' if plain else ""

    shape = quote(first) + "".join(_FORMATS[part[0]] + quote(part[1:]) for part in rest)
    return f"(to_char({moment}, {text_literal(shape)}) {_C})"
