"""A vault's twin: made-up rows that satisfy the declared schema and nothing else, to write and try questions on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from math import ceil, floor
from sys import float_info
from typing import Any, assert_never

from tacit.accounting import Charge
from tacit.curator.policy.policy import Limit, Policy, Shared
from tacit.curator.vault import Vault
from tacit.engines import DuckDB
from tacit.ledger import Entry, Ledger
from tacit.plan import Column, Kind, Scalar, constant
from tacit.privacy import Loss

__all__ = ["ROWS", "rows_for", "twin", "unit_named"]

ROWS = 1_000
"""How many rows every made-up table has, whatever the real one has."""

_EACH = 4  # rows of one made-up unit
_NULL_EVERY = 20
_STEPS = 1_025  # how many numbers or moments are made up between two ends
_WORDS = ("amber", "birch", "cedar", "dune", "ember", "fern", "gorse", "heath", "iris", "jade")

_FIRST_DAY = date(1970, 1, 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USUAL: dict[Kind, tuple[Any, Any]] = {
    Kind.INTEGER: (0, 99),
    Kind.NUMBER: (0, 99),
    Kind.DATE: (constant(date(2025, 1, 1), Kind.DATE), constant(date(2025, 12, 31), Kind.DATE)),
    Kind.TIMESTAMP: (
        constant(date(2025, 1, 1), Kind.TIMESTAMP),
        constant(date(2026, 1, 1), Kind.TIMESTAMP),
    ),
}  # as engines see them: dates are days, and timestamps microseconds, since 1970
_POSSIBLE: dict[Kind, tuple[Any, Any]] = {
    Kind.INTEGER: (-(1 << 63), (1 << 63) - 1),
    Kind.NUMBER: (-float_info.max, float_info.max),
    Kind.DATE: (constant(date.min, Kind.DATE), constant(date.max, Kind.DATE)),
    Kind.TIMESTAMP: (
        constant(datetime.min.replace(tzinfo=UTC), Kind.TIMESTAMP),
        constant(datetime.max.replace(tzinfo=UTC), Kind.TIMESTAMP),
    ),
}


def twin(policy: Policy, times: int = 1) -> Vault:
    """A vault with the same tables, made up; nothing that it answers costs anything.

    Claim:      what the twin answers tells nothing about anyone.
    Because:    it is made from the policy alone: neither the sources nor the ledger are passed in.
    Checked by: tests/unit/curator/trial/test_mock_vault.py::test_a_twin_is_made_from_the_policy_alone
    """
    engine = DuckDB({shared.table: rows_for(shared, times) for shared in policy.tables.values()})
    return Vault(
        policy, dict.fromkeys(policy.tables, engine), _Unlimited(policy.limit), made_up=True
    )


def rows_for(shared: Shared, times: int = 1) -> list[dict[str, Any]]:
    """The made-up rows of a table, the same at every call: a thousand, or so many `times` a thousand.

    >>> from tacit.plan import Table
    >>> rows = rows_for(Shared(Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),), unit="patient"), 5))
    >>> len(rows), all(row["age"] is None or 0 <= row["age"] <= 120 for row in rows)
    (1000, True)
    """
    table = shared.table
    columns = [column for column in table.columns if column.name != table.unit]
    rows: list[dict[str, Any]] = [
        {
            column.name: _cell(column, _made_up_number(table.name, column.name, row))
            for column in columns
        }
        for row in range(ROWS * times)
    ]
    for number, row in enumerate(rows):
        if table.unit is not None:
            row[table.unit] = unit_named(shared, number // _EACH)
    for name in table.unique:
        first = {row[name]: number for number, row in reversed(list(enumerate(rows)))}
        rows = [
            row
            for number, row in enumerate(rows)
            if row[name] is None or first[row[name]] == number
        ]
    return rows


def unit_named(shared: Shared, number: int) -> Any:
    """A unit's name, of the kind that its column is declared as, if it is."""
    declared = next(
        (column for column in shared.table.columns if column.name == shared.table.unit), None
    )
    return number if declared is None else _value(declared, number)


def _made_up_number(table: str, column: str, row: int) -> int:
    """A number that looks random and is always the same."""
    return int.from_bytes(sha256(f"{table}\0{column}\0{row}".encode()).digest()[:8])


def _cell(column: Column, number: int) -> Any:
    return (
        None
        if column.nullable and number % _NULL_EVERY == 0
        else _value(column, number // _NULL_EVERY)
    )


def _value(column: Column, number: int) -> Any:
    """A value that the column may hold."""
    if column.values is not None:
        chosen = column.values[number % len(column.values)]
        return constant(chosen, Kind.NUMBER) if isinstance(chosen, Fraction) else chosen
    match column.kind:
        case Kind.BOOLEAN:
            return number % 2 == 0
        case Kind.TEXT:
            return _WORDS[number % len(_WORDS)]
        case Kind.INTEGER:
            return _whole(column, number)
        case Kind.NUMBER:
            least, most = map(Fraction, _range(column))  # which, unlike doubles, do not overflow
            return float(least + (most - least) * Fraction(number % _STEPS, _STEPS - 1))
        case Kind.DATE:
            return _FIRST_DAY + timedelta(days=_whole(column, number))
        case Kind.TIMESTAMP:
            begun, ended = _range(column)
            passed = begun + (ended - begun) * (number % _STEPS) // (_STEPS - 1)
            return _EPOCH + timedelta(microseconds=passed)
        case _:
            assert_never(column.kind)


def _whole(column: Column, number: int) -> int:
    """A whole number in the column's range."""
    least, most = _range(column)
    # between 0.2 and 0.8 there is none: the next one
    return int(least + number % (max(0, most - least) + 1))


def _range(column: Column) -> tuple[Any, Any]:
    """The ends between which values are made up, as engines see them, and both of them possible values.

    They are the declared ones.  Where one is missing, it is as far from the other as it usually is.
    """
    low, high = _end(column.low, column.kind, ceil), _end(column.high, column.kind, floor)
    first, last = _USUAL[column.kind]
    least, most = _POSSIBLE[column.kind]
    if low is None:
        low = first if high is None else high - (last - first)
    if high is None:
        high = low + (last - first)
    return max(least, min(most, low)), max(least, min(most, high))


def _end(bound: Scalar | None, kind: Kind, inward: Callable[[Fraction], int]) -> Any:
    """A bound as engines see it: those of integers are rounded inward."""
    if bound is None or kind is not Kind.INTEGER:
        return constant(bound, kind)
    assert isinstance(bound, int | Fraction), "the bounds of an integer column are numbers"
    return inward(Fraction(bound))


class _Unlimited(Ledger):
    """A ledger for made-up rows: everything is granted and nothing is remembered."""

    def __init__(self, limit: Limit) -> None:
        self._rule = limit.filter()

    def charge(
        self,
        key: bytes,
        loss: Loss,
        analyst: str | None = None,
        *,
        topic: bytes = b"",
        about: str = "",
        once: bool = False,
    ) -> Entry:
        """An entry that nobody keeps."""
        return Entry(0, key, analyst, self._rule.price(loss), topic=topic, about=about)

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer."""
        return replace(entry, payload=payload)

    def total_spent(self, analyst: str | None = None) -> Charge:
        """Nothing."""
        return Charge()

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """None."""
        return iter(())

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """None."""
        return iter(())

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """None."""
        return iter(())

    def version(self, table: str) -> int:
        """The first and only one."""
        return 0

    def refresh(self, table: str) -> int:
        """The first and only one."""
        return 0
