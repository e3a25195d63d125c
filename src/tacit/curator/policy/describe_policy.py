"""A policy in words: every table and column, what is declared of it, and what it is good for.

Checked by: tests/unit/curator/test_describe_tables.py
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tacit.curator.policy.policy import Policy, Shared
from tacit.plan import Column, Kind
from tacit.printing import printable

__all__ = ["column_rows", "contributions_word", "limit_words", "policy_words", "protected_words"]

_WIDEST = 44  # characters of what is declared, so that a table fits into 80 columns
_NUMBERS = (Kind.INTEGER, Kind.NUMBER)


def policy_words(policy: Policy) -> str:
    """A policy in words: its limit, its analysts, and every table with its columns."""
    lines = [limit_words(policy)]
    for name, own in policy.analysts.items():
        lines.append(f"{printable(name)} may spend epsilon {float(own.epsilon):g} of it")
    if policy.replay == "everyone":
        lines.append("earlier answers are repeated for everyone")
    for name, shared in policy.tables.items():
        lines.append(f"{printable(name)}: {protected_words(policy, shared)}{_in_full(shared)}")
        rows = list(column_rows(shared))
        width = max((len(row[0]) for row in rows), default=0)
        kinds = max((len(row[1]) for row in rows), default=0)
        lines += [
            f"  {printable(row[0]):{width}}  {row[1]:{kinds}}  {row[2]}".rstrip() for row in rows
        ]
    return "\n".join(lines)


def column_rows(shared: Shared) -> Iterator[tuple[str, str, str, str]]:
    """The columns of a table, its unit first."""
    table = shared.table
    if table.unit is not None and all(column.name != table.unit for column in table.columns):
        yield table.unit, "unit", "who is protected", "COUNT(DISTINCT …), joins"
    for column in table.columns:
        use = "COUNT(DISTINCT …), joins" if column.name == table.unit else _use(column)
        yield column.name, column.kind.value, _describe_column(column), use


def _describe_column(column: Column) -> str:
    """What the policy says of a column: its keys, its bounds, what becomes of NULL."""
    said = []
    if column.values is not None:
        said.append(_shorten([_plain(value) for value in column.values]))
    elif column.low is not None or column.high is not None:
        said.append(f"{_plain(column.low)} to {_plain(column.high)}")
    if column.other:
        said.append("others in a group of their own")
    if column.null_group:
        said.append("NULL is a group")
    if not column.nullable:
        said.append("rows without it are left out")
    return "; ".join(said)


def _shorten(values: list[str]) -> str:
    """As many of some values as have room, and how many there are."""
    whole = ", ".join(values)
    if len(whole) <= _WIDEST:
        return whole
    shown: list[str] = []
    while len(", ".join([*shown, values[len(shown)]])) <= _WIDEST - 16:
        shown.append(values[len(shown)])
    return f"{', '.join([*shown, '…'])} ({len(values):,} values)"


def _use(column: Column) -> str:
    """What a column is good for, and what is missing for more."""
    bounded = column.low is not None and column.high is not None
    if column.values is not None:
        more = ", SUM, AVG" if bounded and column.kind in _NUMBERS else ""
        return f"GROUP BY, WHERE{more}"
    if bounded:
        return "SUM, AVG, MEDIAN, WHERE" if column.kind in _NUMBERS else "MEDIAN, MIN, MAX, WHERE"
    if column.kind is Kind.TEXT:
        return "GROUP BY (keys are discovered)"
    if column.kind is Kind.BOOLEAN:
        return "GROUP BY, SUM, AVG, WHERE"
    missing = "SUM and AVG" if column.kind in _NUMBERS else "MEDIAN, MIN and MAX"
    return f"WHERE, GROUP BY (keys are discovered); {missing} need low and high"


def protected_words(policy: Policy, shared: Shared) -> str:
    """Who is protected in a table."""
    if shared.table.public:
        return "nobody (public)"
    return f"all rows of one {policy.unit}" if shared.table.unit else "single rows"


def contributions_word(shared: Shared) -> object:
    """How many rows of a unit count in full, or why that is not said."""
    if shared.table.public or shared.table.unit is None:
        return "—"
    return "to be found" if shared.contributions is None else shared.contributions


def _in_full(shared: Shared) -> str:
    if shared.table.public or shared.table.unit is None:
        return ""
    count = shared.contributions
    return f", {'rows in full to be found' if count is None else f'{count} rows count in full'}"


def limit_words(policy: Policy) -> str:
    """The limit, and the relation of neighbours."""
    limit = policy.limit
    return (
        f"limit: epsilon {float(limit.epsilon):g}, delta {float(limit.delta):g}, "
        f"neighbours by {limit.neighbours.value}"
    )


def _plain(value: object) -> str:
    """A declared value as people write it."""
    if value is None:
        return "…"
    if isinstance(value, Fraction):
        return f"{value.numerator}" if value.denominator == 1 else f"{float(value):g}"
    return printable(str(value))
