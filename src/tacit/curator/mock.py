"""A vault's twin: made-up rows that satisfy the declared schema and nothing else, to write and try questions on."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from math import ceil, floor
from typing import Any, assert_never

from tacit.accounting import Charge
from tacit.curator.policy import Limit, Policy, Shared
from tacit.curator.vault import Vault
from tacit.engines import DuckDB
from tacit.ledger import Entry, Ledger
from tacit.plan import Column, Kind
from tacit.privacy import Loss

__all__ = ["ROWS", "rows_for", "twin"]

ROWS = 1_000
"""How many rows every made-up table has, whatever the real one has."""

_EACH = 4  # rows of one made-up unit
_NULL_EVERY = 20
_WORDS = ("amber", "birch", "cedar", "dune", "ember", "fern", "gorse", "heath", "iris", "jade")


def twin(policy: Policy) -> Vault:
    """A vault with the same tables, made up; nothing that it answers costs anything.

    Claim:      what the twin answers tells nothing about anyone.
    Because:    it is made from the policy alone: neither the sources nor the ledger are passed in.
    Checked by: tests/unit/curator/test_mock.py::test_a_twin_is_made_from_the_policy_alone
    """
    engines = {name: DuckDB({shared.table: rows_for(shared)}) for name, shared in policy.tables.items()}
    return Vault(policy, engines, _Unlimited(policy.limit), made_up=True)


def rows_for(shared: Shared) -> list[dict[str, Any]]:
    """The made-up rows of a table, the same at every call.

    >>> from tacit.plan import Table
    >>> rows = rows_for(Shared(Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),), unit="patient"), 5))
    >>> len(rows), all(row["age"] is None or 0 <= row["age"] <= 120 for row in rows)
    (1000, True)
    """
    table = shared.table
    columns = [column for column in table.columns if column.name != table.unit]
    rows: list[dict[str, Any]] = [
        {column.name: _cell(column, _drawn(table.name, column.name, row)) for column in columns} for row in range(ROWS)
    ]
    for number, row in enumerate(rows):
        if table.unit is not None:
            row[table.unit] = _unit(shared, number // _EACH)
    return rows


def _unit(shared: Shared, number: int) -> Any:
    """A unit's name, of the kind that its column is declared as, if it is."""
    declared = next((column for column in shared.table.columns if column.name == shared.table.unit), None)
    return number if declared is None else _value(declared, number)


def _drawn(table: str, column: str, row: int) -> int:
    """A number that looks random and is always the same."""
    return int.from_bytes(sha256(f"{table}\0{column}\0{row}".encode()).digest()[:8])


def _cell(column: Column, number: int) -> Any:
    return None if column.nullable and number % _NULL_EVERY == 0 else _value(column, number // _NULL_EVERY)


def _value(column: Column, number: int) -> Any:
    """A value that the column may hold."""
    if column.values is not None:
        chosen = column.values[number % len(column.values)]
        return float(chosen) if isinstance(chosen, Fraction) else chosen
    low, high = column.low, column.high
    match column.kind:
        case Kind.BOOLEAN:
            return number % 2 == 0
        case Kind.TEXT:
            return _WORDS[number % len(_WORDS)]
        case Kind.INTEGER:
            least, most = (0 if low is None else ceil(_number(low))), (99 if high is None else floor(_number(high)))
            return min(least, most) + number % (abs(most - least) + 1)
        case Kind.NUMBER:
            least_real, most_real = (0.0 if low is None else _number(low)), (99.0 if high is None else _number(high))
            return float(least_real + (most_real - least_real) * Fraction(number % 1025, 1024))
        case Kind.DATE:
            first = low if isinstance(low, date) else date(2025, 1, 1)
            last = high if isinstance(high, date) else first + timedelta(days=364)
            return first + timedelta(days=number % ((last - first).days + 1))
        case Kind.TIMESTAMP:
            begun = low if isinstance(low, datetime) else datetime(2025, 1, 1, tzinfo=UTC)
            ended = high if isinstance(high, datetime) else begun + timedelta(days=365)
            return begun + (ended - begun) * (number % 1025) / 1024
        case _:
            assert_never(column.kind)


def _number(bound: Any) -> Fraction:
    return Fraction(bound)


class _Unlimited(Ledger):
    """A ledger for made-up rows: everything is granted and nothing is remembered."""

    def __init__(self, limit: Limit) -> None:
        self._rule = limit.filter()

    def charge(
        self, key: bytes, loss: Loss, analyst: str | None = None, *, topic: bytes = b"", about: str = ""
    ) -> Entry:
        """An entry that nobody keeps."""
        return Entry(0, key, analyst, self._rule.price(loss), topic=topic, about=about)

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer."""
        return replace(entry, payload=payload)

    def spent(self, analyst: str | None = None) -> Charge:
        """Nothing."""
        return Charge()

    def entries(self) -> Iterator[Entry]:
        """None."""
        return iter(())

    def answered(self, topic: bytes) -> Iterator[Entry]:
        """None."""
        return iter(())

    def version(self, table: str) -> int:
        """The first and only one."""
        return 0

    def refresh(self, table: str) -> int:
        """The first and only one."""
        return 0
