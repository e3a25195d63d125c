"""Functions as SQL for DuckDB: each operand is written once, and nothing that a row holds can raise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import reduce

from tacit.plan import (
    LONGEST,
    UNITS,
    Called,
    Expression,
    Function,
    Kind,
    Literal,
    can_raise,
    constant,
    may_leave,
    operand_kind,
    type_of,
)

__all__ = ["caught", "function_sql"]

_BEYOND = (
    constant(datetime.min.replace(tzinfo=UTC), Kind.TIMESTAMP),
    constant(datetime.max.replace(tzinfo=UTC), Kind.TIMESTAMP),
)
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_LENGTHS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
}
_Writer = Callable[[Called, Sequence[str]], str]


def function_sql(expression: Called, operands: Sequence[str]) -> str:
    """The SQL of a call, of operands that are of the kinds that are wanted.

    Claim:      no value raises or gives NaN or an infinity, and where `MEANINGS` says NULL there is NULL.
    Because:    what DuckDB would raise on becomes NULL first, by `_kept_above`; overflow is refused by the plan; and
                what the table of partial cases says that it raises on stands within TRY.
    Checked by: tests/laws/test_poison_matrix.py and tests/laws/test_partial.py
    """
    function = expression.function
    writer = _WRITERS.get(function)
    found = (
        f"{function.value.lower()}({', '.join(operands)})"
        if writer is None
        else writer(expression, operands)
    )
    outside = function not in _CAUGHT_INSIDE and can_raise(function, operand_kind(expression))
    return caught(found) if outside else found


_CAUGHT_INSIDE = {Function.POWER, Function.DATE_ADD}


def caught(value: str) -> str:
    """The SQL of one operation that is NULL where it would raise.

    Nothing else that could raise may stand inside: what is written twice in a statement the optimiser computes once,
    and takes it out of TRY to do so.  Of an operation that always stands in its own TRY, it takes out both.

    >>> caught("(a % b)")
    'TRY((a % b))'
    """
    return f"TRY({value})"


def _operator(sign: str) -> _Writer:
    return lambda _, operands: f"({operands[0]} {sign} {operands[1]})"


def _kept_above(value: str, edge: str) -> str:
    """A value, or NULL if it is at the edge or below it; NULL stays NULL, though GREATEST passes it over."""
    return f"nullif(greatest({value}, {edge}), {edge})"


def _sqrt(expression: Called, operands: Sequence[str]) -> str:
    low = type_of(expression.operands[0]).low
    safe = low is not None and low >= 0
    # the first double below zero
    return f"sqrt({operands[0] if safe else _kept_above(operands[0], '-5e-324')})"


def _log(name: str) -> _Writer:
    def write(expression: Called, operands: Sequence[str]) -> str:
        low = type_of(expression.operands[0]).low
        return f"{name}({operands[0] if low is not None and low > 0 else _kept_above(operands[0], '0e0')})"

    return write


def _arc(expression: Called, operands: Sequence[str]) -> str:
    """ASIN and ACOS: NULL beyond 1 and below -1."""
    value, known = operands[0], type_of(expression.operands[0]).range
    if known is None or known.furthest > 1:
        # the first doubles beyond both; NULL stays NULL, though LEAST passes it over
        above = "1.0000000000000002e0"
        value = f"nullif(least({_kept_above(value, f'-{above}')}, {above}), {above})"
    return f"{expression.function.value.lower()}({value})"


def _wave(expression: Called, operands: Sequence[str]) -> str:
    """SIN, COS and TAN, which raise where a proof that is wrong lets an infinity through."""
    return caught(f"{expression.function.value.lower()}({operands[0]})")


def _angle(_: Called, operands: Sequence[str]) -> str:
    """ATAN2 of numbers whose zeros have no sign."""
    y, x = (f"(0e0 - (0e0 - {operand}))" for operand in operands)
    return f"atan2({y}, {x})"


def _power(expression: Called, operands: Sequence[str]) -> str:
    base, exponent = (type_of(part) for part in expression.operands)
    value = operands[0]
    if base.range is not None and 0 in base.range and exponent.low is not None and exponent.low < 0:
        value = f"nullif({value}, 0e0)"  # whole numbers to negative powers: zero would raise
    found = caught(f"power({value}, {operands[1]})")
    if base.low is not None and base.low < 0:
        return f"nullif({found}, CAST('nan' AS DOUBLE))"  # to DuckDB, NaN equals NaN
    return found


def _round(expression: Called, operands: Sequence[str]) -> str:
    value, decimals = expression.operands[0], expression.operands[1]
    assert isinstance(decimals, Literal)
    assert isinstance(decimals.value, int)
    if type_of(value).kind is Kind.INTEGER and decimals.value >= 0:
        return operands[0]
    return f"round({operands[0]}, {decimals.value:d})"


def _whole(name: str) -> _Writer:
    def write(expression: Called, operands: Sequence[str]) -> str:
        return (
            operands[0]
            if type_of(expression.operands[0]).kind is Kind.INTEGER
            else f"{name}({operands[0]})"
        )

    return write


def _by_twos(name: str) -> _Writer:
    """A function of many operands, two at a time: DuckDB 2.0 cannot copy a plan that names the third like the first."""
    return lambda _, operands: reduce(
        lambda found, operand: f"{name}({found}, {operand})", operands
    )


def _concat(expression: Called, operands: Sequence[str]) -> str:
    first, *rest = map(_cut_text, expression.operands, operands)
    return reduce(lambda found, operand: f"concat({found}, {operand})", rest, f"concat({first})")


def _render_concatenation(expression: Called, operands: Sequence[str]) -> str:
    return f"({' || '.join(map(_cut_text, expression.operands, operands))})"


def _cut_text(part: Expression, text: str) -> str:
    """A text that is not too long to be joined."""
    return text if type_of(part).kind is Kind.INTEGER else f"substr({text}, 1, {LONGEST})"


def _substr(expression: Called, operands: Sequence[str]) -> str:
    settings = [part.value for part in expression.operands[1:] if isinstance(part, Literal)]
    return f"substr({', '.join([operands[0], *map(str, settings)])})"


def _count(expression: Called, place: int = 1) -> int:
    part = expression.operands[place]
    assert isinstance(part, Literal)
    assert isinstance(part.value, int)
    return part.value


def _unit(expression: Called, place: int) -> str:
    part = expression.operands[place]
    assert isinstance(part, Literal)
    assert isinstance(part.value, str)
    assert part.value.isascii()
    assert part.value.isalpha()
    return part.value


def _extract(expression: Called, operands: Sequence[str]) -> str:
    return f"date_part('{_unit(expression, 0)}', {operands[1]})"


def _date_trunc(expression: Called, operands: Sequence[str]) -> str:
    return f"date_trunc('{_unit(expression, 0)}', {operands[1]})"


def _date_diff(expression: Called, operands: Sequence[str]) -> str:
    return f"date_diff('{_unit(expression, 0)}', {operands[1]}, {operands[2]})"


def _date_add(expression: Called, operands: Sequence[str]) -> str:
    """A later moment; beyond the calendar it is NULL, and so is one that is NULL units later."""
    unit, moment, count = _unit(expression, 2), operands[0], operands[1]
    leaves = may_leave(type_of(expression.operands[0]), type_of(expression.operands[1]), unit)
    if leaves:
        # so many leave the calendar for sure
        count = f"least(greatest({count}, {-UNITS[unit]:d}), {UNITS[unit]:d})"
    times = caught(f"({count} * {_MONTHS.get(unit) or _LENGTHS[unit]})")
    interval = (
        f"to_months(TRY_CAST({times} AS INTEGER))"
        if unit in _MONTHS
        else f"to_microseconds({times})"
    )
    found = caught(f"({moment} + {interval})")
    if not leaves:
        return found
    first, last = (int(end) for end in _BEYOND if isinstance(end, int))
    above = f"nullif(least({found}, make_timestamp({last + 1})), make_timestamp({last + 1}))"
    return _kept_above(above, f"make_timestamp({first - 1})")


_WRITERS: dict[Function, _Writer] = {
    Function.DISTINCT: _operator("IS DISTINCT FROM"),
    Function.QUOTIENT: _operator("//"),
    Function.LEAST: _by_twos("least"),
    Function.GREATEST: _by_twos("greatest"),
    Function.SIGN: lambda _, operands: f"CAST(sign({operands[0]}) AS BIGINT)",
    Function.ROUND: _round,
    Function.FLOOR: _whole("floor"),
    Function.CEIL: _whole("ceil"),
    Function.TRUNC: _whole("trunc"),
    Function.SQRT: _sqrt,
    Function.LN: _log("ln"),
    Function.LOG10: _log("log10"),
    Function.POWER: _power,
    Function.SIN: _wave,
    Function.COS: _wave,
    Function.TAN: _wave,
    Function.ASIN: _arc,
    Function.ACOS: _arc,
    Function.ATAN2: _angle,
    Function.SUBSTR: _substr,
    Function.RIGHT: lambda part, operands: f"right({operands[0]}, {_count(part):d})",
    Function.REPLACE: lambda _, operands: (
        f"replace(substr({operands[0]}, 1, {LONGEST}), {operands[1]}, {operands[2]})"
    ),
    Function.SPLIT_PART: lambda part, operands: (
        f"split_part({operands[0]}, {operands[1]}, {_count(part, 2):d})"
    ),
    Function.LPAD: lambda part, operands: f"lpad({operands[0]}, {_count(part):d}, {operands[2]})",
    Function.RPAD: lambda part, operands: f"rpad({operands[0]}, {_count(part):d}, {operands[2]})",
    Function.CONCAT: _concat,
    Function.JOINED: _render_concatenation,
    Function.EXTRACT: _extract,
    Function.DATE_TRUNC: _date_trunc,
    Function.DATE_ADD: _date_add,
    Function.DATE_DIFF: _date_diff,
    Function.SECONDS_BETWEEN: lambda _, operands: (
        f"date_part('epoch', ({operands[1]} - {operands[0]}))"
    ),
}
