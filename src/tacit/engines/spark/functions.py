"""Functions as SQL for Spark: what it means otherwise than the memory engine is written out.

Checked by: tests/laws/test_engine_conformance.py
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.spark.literals import double_literal, text_literal
from tacit.engines.spark.regex_as_bit_automaton_sql import find_sql
from tacit.engines.spark.share_subexpression import write_once
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
from tacit.plan import ANGLES, LONGEST, UNITS, Called, Function, Kind, may_leave, type_of

__all__ = [
    "call_sql",
    "count_microseconds",
    "floor_double",
    "is_finite",
    "nearest_integer",
]

_FORMATS = {
    "Y": "yyyy",
    "y": "yy",
    "m": "MM",
    "b": "MMM",
    "B": "MMMM",
    "d": "dd",
    "j": "DDD",
    "a": "EEE",
    "A": "EEEE",
    "H": "HH",
    "M": "mm",
    "S": "ss",
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WHOLE = "4503599627370496D"  # from 2**52 on every double is whole
_DAY = 86_400_000_000


def is_finite(number: str) -> str:
    """Whether a double is neither an infinity nor NaN, which is above all numbers."""
    return f"({number} > CAST('-Infinity' AS DOUBLE) AND {number} < CAST('Infinity' AS DOUBLE))"


def floor_double(value: str, name: str = "floor") -> str:
    """The whole number below a double, or above it, as a double: Spark's is an integer, and ends at 64 bits."""
    return write_once(
        value,
        lambda x: f"CASE WHEN abs({x}) < {_WHOLE} THEN CAST({name}({x}) AS DOUBLE) ELSE {x} END",
    )


def nearest_integer(value: str) -> str:
    """A double to the nearest integer of 64 bits, halves to the even one; NULL beyond."""
    low, high = double_literal(-(2.0**63)), double_literal(2.0**63)
    return write_once(
        value,
        lambda x: f"CASE WHEN {x} >= {low} AND {x} < {high} THEN CAST(rint({x}) AS BIGINT) END",
    )


def count_microseconds(moment: str) -> str:
    """How many microseconds after 1970 a moment is; the session's zone is UTC."""
    return f"unix_micros(CAST({moment} AS TIMESTAMP_LTZ))"


def call_sql(expression: Called, operands: Sequence[str]) -> str:
    """The SQL of a call, of operands that are of the kinds that are wanted.

    Claim:      no value raises, and what comes out is what `MEANINGS` says.
    Because:    what Spark would raise on becomes NULL first; what it gives as an integer of 64 bits is made a double
                again; moments are moved in whole numbers; letters are changed one by one.
    Checked by: tests/laws/test_engine_conformance.py
    """
    function, first = expression.function, operands[0]
    kind = type_of(expression.operands[0]).kind
    match function:
        case Function.COALESCE:
            return f"coalesce({', '.join(operands)})"
        case Function.LEAST | Function.GREATEST:
            name = function.value.lower()
            return first if len(operands) == 1 else f"{name}({', '.join(operands)})"
        case Function.NULLIF:
            return write_once(
                first, lambda x: f"CASE WHEN {x} = {operands[1]} THEN NULL ELSE {x} END"
            )
        case Function.DISTINCT:
            return f"(NOT ({first} <=> {operands[1]}))"
        case Function.QUOTIENT:  # the least integer by minus one would overflow
            return write_once(
                operands[1],
                lambda y: (
                    f"CASE WHEN {y} = -1L THEN try_subtract(0L, {first}) "
                    f"ELSE ({first} div nullif({y}, 0L)) END"
                ),
            )
        case Function.ABS:
            least = "CAST(-9223372036854775808 AS BIGINT)"
            return f"abs(nullif({first}, {least}))" if kind is Kind.INTEGER else f"abs({first})"
        case Function.SIGN:
            return f"CAST(sign({first}) AS BIGINT)"
        case Function.ROUND:
            return _round(first, kind, int(setting_of(expression, 1)))
        case Function.FLOOR | Function.CEIL:
            return first if kind is Kind.INTEGER else floor_double(first, function.value.lower())
        case Function.TRUNC:
            return first if kind is Kind.INTEGER else write_once(first, _trunc)
        case Function.SQRT | Function.LN | Function.LOG10 | Function.EXP | Function.POWER:
            return _real(function, operands)
        case _ if function in ANGLES:
            return _angle(function, operands)
        case Function.EXTRACT | Function.DATE_TRUNC | Function.DATE_ADD | Function.DATE_DIFF:
            return _moment(expression, operands)
        case Function.SECONDS_BETWEEN:
            return _seconds_between(*map(count_microseconds, operands))
        case Function.STRFTIME:
            return _format(first, str(setting_of(expression, 1)))
        case _:
            return _text(expression, operands)


# ---------------------------------------------------------------- numbers


def _above(value: str, edge: str) -> str:
    """A value, or NULL if it is at the edge or below it; NULL stays NULL, though GREATEST passes it over."""
    return f"nullif(greatest({value}, {edge}), {edge})"


def _real(function: Function, operands: Sequence[str]) -> str:
    value = operands[0]
    match function:
        case Function.SQRT:
            return f"sqrt({_above(value, '-5e-324D')})"
        case Function.LN | Function.LOG10:
            return f"{function.value.lower()}({_above(value, '0D')})"
        case Function.EXP:
            return f"nullif(exp({value}), CAST('Infinity' AS DOUBLE))"
        case _:
            found = f"power({value}, {operands[1]})"
            for odd in ("NaN", "Infinity", "-Infinity"):
                found = f"nullif({found}, CAST('{odd}' AS DOUBLE))"
            return found


def _angle(function: Function, operands: Sequence[str]) -> str:
    """Sines and their like; an arc beyond 1 is NULL, and the zeros of ATAN2 have no sign."""
    if function is Function.ATAN2:
        operands = [f"(0D - (0D - {each}))" for each in operands]
    found = f"{function.value.lower()}({', '.join(operands)})"
    return (
        f"nullif({found}, CAST('NaN' AS DOUBLE))"
        if function in {Function.ASIN, Function.ACOS}
        else found
    )


def _trunc(value: str) -> str:
    inside = f"CAST(CASE WHEN {value} < 0D THEN ceil({value}) ELSE floor({value}) END AS DOUBLE)"
    return f"CASE WHEN abs({value}) >= {_WHOLE} THEN {value} ELSE {inside} END"


def _round(value: str, kind: Kind, decimals: int) -> str:
    """A number to so many decimals, halves away from zero, by the steps of `round_half_away`."""
    if kind is Kind.INTEGER:
        if decimals <= -20:  # more than twice the largest integer
            return f"CASE WHEN {value} IS NOT NULL THEN 0L END"
        exact = f"round(CAST({value} AS DECIMAL(20,0)), {decimals})"
        return value if decimals >= 0 else f"try_cast({exact} AS BIGINT)"
    scale = 10.0 ** abs(decimals)
    times, most = double_literal(scale), double_literal(largest_factor(scale))

    def whole(number: str) -> str:
        def away(x: str) -> str:
            up = f"abs({x}) - floor(abs({x})) >= 0.5D"
            further = f"sign({x}) * (CAST(floor(abs({x})) AS DOUBLE) + 1D)"
            return (
                f"CASE WHEN abs({x}) >= {_WHOLE} THEN {x} WHEN {up} THEN {further} "
                f"ELSE {_trunc(x)} END"
            )

        return write_once(number, away)

    def left_of_point(x: str) -> str:
        return write_once(
            whole(f"({x} / {times})"),
            lambda found: f"CASE WHEN abs({found}) > {most} THEN 0D ELSE {found} * {times} END",
        )

    def right_of_point(x: str) -> str:
        found = f"{whole(f'({x} * {times})')} / {times}"
        return f"CASE WHEN abs({x}) <= {most} THEN {found} ELSE {x} END"

    return write_once(value, left_of_point if decimals < 0 else right_of_point)


# ---------------------------------------------------------------- texts


def _text(expression: Called, operands: Sequence[str]) -> str:
    function, first = expression.function, operands[0]
    match function:
        case Function.LOWER | Function.UPPER:
            return write_once(first, lambda x: _change_case(function, x))
        case Function.TRIM | Function.LTRIM | Function.RTRIM:
            side = {Function.TRIM: "BOTH", Function.LTRIM: "LEADING"}.get(function, "TRAILING")
            return f"trim({side} {text_literal(SPACES)} FROM {first})"
        case Function.SUBSTR | Function.RIGHT:
            settings = [str(setting_of(expression, i)) for i in range(1, len(operands))]
            return f"{function.value.lower()}({', '.join([first, *settings])})"
        case Function.REPLACE:
            return f"replace(substr({first}, 1, {LONGEST}), {operands[1]}, {operands[2]})"
        case Function.LENGTH:
            return f"CAST(length({first}) AS BIGINT)"
        case Function.STRPOS:
            return f"CAST(locate({operands[1]}, {first}) AS BIGINT)"
        case Function.SPLIT_PART:
            return f"split_part({first}, {operands[1]}, {setting_of(expression, 2)})"
        case Function.LPAD | Function.RPAD:
            name, length = function.value.lower(), setting_of(expression, 1)
            return f"{name}({first}, {length}, {operands[2]})"
        case Function.CONCAT | Function.JOINED:
            parts = [
                text if type_of(part).kind is Kind.INTEGER else f"substr({text}, 1, {LONGEST})"
                for text, part in zip(operands, expression.operands, strict=True)
            ]
            if function is Function.CONCAT:
                parts = [f"coalesce({part}, '')" for part in parts]
            return f"concat({', '.join(parts)})"
        case Function.REGEXP:
            return find_sql(first, str(setting_of(expression, 1)))
        case _:
            raise AssertionError(function)


def _change_case(function: Function, text: str) -> str:
    """A text in lower or upper case: of ASCII by the function, any other letter by letter."""
    name = function.value.lower()
    since, to = case_map(function)
    upper, lower = _LETTERS.upper() + since, _LETTERS + to
    if function is Function.UPPER:
        upper, lower = _LETTERS + since, _LETTERS.upper() + to
    others = f"translate({text}, {text_literal(upper)}, {text_literal(lower)})"
    return f"CASE WHEN octet_length({text}) = length({text}) THEN {name}({text}) ELSE {others} END"


# ---------------------------------------------------------------- days and moments


def _moment(expression: Called, operands: Sequence[str]) -> str:
    match expression.function:
        case Function.EXTRACT:
            return _extract(str(setting_of(expression, 0)), operands[1])
        case Function.DATE_TRUNC:
            zoned = f"CAST({operands[1]} AS TIMESTAMP_LTZ)"
            truncated = f"date_trunc('{setting_of(expression, 0)}', {zoned})"
            return f"CAST({truncated} AS TIMESTAMP_NTZ)"
        case Function.DATE_DIFF:
            unit = str(setting_of(expression, 0))
            return f"({_count(unit, operands[2])} - {_count(unit, operands[1])})"
        case _:
            return _later(expression, operands)


def _extract(part: str, moment: str) -> str:
    if part == "epoch":
        return f"(CAST({count_microseconds(moment)} AS DOUBLE) / 1000000D)"
    day = f"CAST({moment} AS DATE)"
    odd = {
        "week": f"weekofyear({day})",
        "dow": f"dayofweek({day}) - 1",
        "isodow": f"weekday({day}) + 1",
        "doy": f"dayofyear({day})",
    }
    clock = {"hour", "minute", "second"}
    plain = f"{part}({moment if part in clock else day})"
    return f"CAST({odd.get(part, plain)} AS BIGINT)"


def _seconds_between(since: str, until: str) -> str:
    """Whole days in seconds, and the rest of a day; both are cut towards zero."""
    days = "CAST({x} div 86400000000L * 86400L AS DOUBLE)"
    rest = "CAST({x} % 86400000000L AS DOUBLE) / 1000000D"
    return write_once(
        f"try_subtract({until}, {since})", lambda x: f"({days} + {rest})".replace("{x}", x)
    )


def _count(unit: str, moment: str) -> str:
    """How many beginnings of a unit there were up to a moment, from some fixed one on."""
    if unit in SECONDS:
        length = SECONDS[unit] * 1_000_000
        return write_once(
            count_microseconds(moment), lambda m: f"(({m} - pmod({m}, {length}L)) div {length}L)"
        )
    day = f"CAST({moment} AS DATE)"
    return write_once(
        day, lambda d: f"((CAST(year({d}) AS BIGINT) * 12 + month({d}) - 1) div {MONTHS[unit]})"
    )


def _later(expression: Called, operands: Sequence[str]) -> str:
    """A later moment: whether it is within the years is found in whole numbers."""
    moment, number, unit = operands[0], operands[1], str(setting_of(expression, 2))
    leaves = may_leave(type_of(expression.operands[0]), type_of(expression.operands[1]), unit)
    if leaves:  # so many leave the calendar for sure; LEAST and GREATEST pass NULL over
        most = UNITS[unit]
        number = write_once(
            number,
            lambda n: f"CASE WHEN {n} IS NOT NULL THEN least(greatest({n}, {-most}L), {most}L) END",
        )
    if unit in MONTHS:

        def move(m: str) -> str:
            day = f"add_months(CAST({m} AS DATE), CAST(({number}) * {MONTHS[unit]} AS INT))"
            return f"(unix_date({day}) * {_DAY}L + pmod({count_microseconds(m)}, {_DAY}L))"

        found = write_once(moment, move)
    else:
        found = f"({count_microseconds(moment)} + ({number}) * {SECONDS[unit] * 1_000_000}L)"
    if leaves:
        found = write_once(
            found,
            lambda x: f"CASE WHEN {x} BETWEEN {FIRST_MOMENT}L AND {LAST_MOMENT}L THEN {x} END",
        )
    return f"CAST(timestamp_micros({found}) AS TIMESTAMP_NTZ)"


def _format(moment: str, form: str) -> str:
    """A moment, written as a format says; names of days and months are English."""
    first, *rest = form.split("%")

    def quote(plain: str) -> str:
        return "'" + plain.replace("'", "''") + "'" if plain else ""

    shape = quote(first) + "".join(_FORMATS[part[0]] + quote(part[1:]) for part in rest)
    return f"date_format(CAST({moment} AS TIMESTAMP_LTZ), {text_literal(shape)})"
