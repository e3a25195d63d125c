"""Moments on the clocks of a zone: UTC plus an offset that changes at known moments, from the IANA table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = ["MOST_CHANGES", "changes_of", "local_time"]

MOST_CHANGES = 200
"""The most changes of an offset that a question writes out: a hundred years of summer time."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400
_ZONES = "write a name of the IANA table, such as 'Europe/Berlin' or 'UTC'"
# Beyond these years nobody knows what clocks will say, and before them none were alike.
_FIRST, _LAST = (
    int((datetime(year, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()) for year in (1880, 2100)
)


def local_time(forms: Forms, operand: e.Expression, zone: str) -> e.Expression:
    """operand AT TIME ZONE zone: what clocks there show at a moment, which is in UTC.

    Claim:      engines agree on it to the microsecond, whatever tables of zones they have.
    Because:    the changes of the offset between the bounds of the moment are written into the question, and what is
                left to engines is to compare moments and to add whole seconds.
    Checked by: tests/laws/test_functions.py and
                tests/unit/plan/questions/test_time_zones.py::test_clocks_show_what_the_zone_says
    """
    is_day = type_of(operand, forms.question).kind is Kind.DATE
    moment = forms.cast(operand, Kind.TIMESTAMP) if is_day else operand
    found = type_of(moment, forms.question)
    if found.kind is not Kind.TIMESTAMP:
        raise InvalidPlan(
            f"AT TIME ZONE takes a timestamp, but this is of type {found.kind.value}",
            "use it for a column of timestamps",
        )
    known = found.range
    if known is None or not _FIRST <= int(known.low) // 10**6 <= int(known.high) // 10**6 <= _LAST:
        if _is_fixed(zone):
            return _later(forms, moment, _offset(_zone(zone), 0))
        raise InvalidPlan(
            "the clock changes between the bounds of this timestamp are not known",
            "declare low and high of the column in the policy, between the years 1880 and 2100",
        )
    first, changes = changes_of(zone, int(known.low) // 10**6, int(known.high) // 10**6)
    if len(changes) > MOST_CHANGES:
        raise InvalidPlan(
            f"clocks change more than {MOST_CHANGES} times between the bounds of this timestamp",
            "declare narrower bounds in the policy",
        )
    branches, offset = [], first
    for second, after in changes:
        begins = e.Literal(datetime(1970, 1, 1) + timedelta(seconds=second), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC
        branches.append((forms.compare("<", moment, begins), _later(forms, moment, offset)))
        offset = after
    last = _later(forms, moment, offset)
    return forms.case(branches, last) if branches else last


def _later(forms: Forms, moment: e.Expression, seconds: int) -> e.Expression:
    return moment if seconds == 0 else forms.later(moment, seconds, "second")


@lru_cache(maxsize=64)
def changes_of(zone: str, since: int, until: int) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The offset of a zone at a second, and each second up to another at which it changes, with what it is then.

    >>> changes_of("Europe/Berlin", 1704067200, 1735603200)  # the year 2024
    (3600, ((1711846800, 7200), (1729990800, 3600)))
    """
    table = _zone(zone)
    first = offset = _offset(table, since)
    found = []
    place = since
    while place < until:
        after = min(place + _DAY, until)
        if _offset(table, after) == offset:
            place = after
            continue
        low, high = place, after  # the offset is another one at high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset(table, middle) == offset else (low, middle)
        offset = _offset(table, high)
        found.append((high, offset))
        place = high
    return first, tuple(found)


def _zone(name: str) -> tzinfo:
    if name.upper() in {"UTC", "GMT", "Z"}:
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidPlan(f"there is no time zone {name[:64]!r}", _ZONES) from None


def _is_fixed(name: str) -> bool:
    """Whether a zone has one offset for ever."""
    return isinstance(_zone(name), timezone)


def _offset(table: tzinfo, second: int) -> int:
    """How many seconds clocks are ahead of UTC at a second since 1970."""
    found = (_EPOCH + timedelta(seconds=second)).astimezone(table).utcoffset()
    assert found is not None, "a zone has an offset"
    return int(found.total_seconds())
