"""Which values of a unit are counted among the different ones, the same in every engine.

Claim:      which values a unit brings depends on that unit and its own values, on nothing else, and they are no more
            than the bound.
Because:    they are the lowest of hashes of the unit, the group and the value, and whose values are the same as
            another's is not looked at.  The hash needs no secret: who knows it knows which of a unit's values would
            count, and nothing about whether they are there.
Checked by: tests/laws/test_distinct.py
"""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and no literal comes from anywhere

from collections.abc import Hashable, Iterable, Iterator
from hashlib import sha256
from struct import pack

from tacit.plan import Kind, Value

__all__ = ["Pair", "counted_by_unit", "distinct_value", "keep_lowest", "unit_text"]

_WIDE = 1 << 63

Pair = tuple[int, Value]
"""A group and a value in it."""


def unit_text(unit: Hashable) -> str:
    """A unit as tables know it from each other: by its text, so that 7 and "7" are one."""
    match unit:
        case bool():
            return str(unit).lower()
        case float():
            return str(unit + 0.0)
        case _:
            return str(unit)


def keep_lowest(unit: Hashable, pairs: Iterable[Pair], kind: Kind, most: int) -> set[Pair]:
    """The pairs of a group and a value that one unit brings.

    >>> sorted(keep_lowest("ann", {(0, 1), (0, 2), (1, 1)}, Kind.INTEGER, 5))
    [(0, 1), (0, 2), (1, 1)]
    >>> len(keep_lowest("ann", {(0, 1), (0, 2), (1, 1)}, Kind.INTEGER, 2))
    2
    """
    return set(sorted(pairs, key=lambda pair: _hash(unit, pair, kind))[:most])


def _hash(unit: Hashable, pair: Pair, kind: Kind) -> str:
    group, value = pair
    return sha256(f"{_name(unit)} {group} {_text(value, kind)}".encode()).hexdigest()


def _name(unit: Hashable) -> str:
    """By what a unit is hashed: 7.0 is 7, or a fraction among units would change what all others are stored as."""
    whole = isinstance(unit, float) and unit.is_integer() and -_WIDE <= unit < _WIDE
    return unit_text(int(unit)) if isinstance(unit, float) and whole else unit_text(unit)


def _text(value: Value, kind: Kind) -> str:
    """A value as a text of which no two are the same; days and moments are whole numbers already."""
    match kind:
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.NUMBER:
            return "".join(f"{byte:08b}" for byte in pack(">d", float(value or 0) + 0.0))
        case _:
            return str(value)


def distinct_value(value: str, kind: Kind) -> str:
    """The SQL of a value such that what is equal is the same: zero has no sign."""
    return f"({value} + 0e0)" if kind is Kind.NUMBER else value


def _name_sql(stored: str) -> str:
    """The same of a unit u that is stored as some type."""
    text = "CAST(u AS VARCHAR)"
    if stored not in {"DOUBLE", "FLOAT"}:
        return text
    return (
        f"coalesce(CASE WHEN u = floor(u) THEN CAST(TRY_CAST(u AS BIGINT) AS VARCHAR) END, {text})"
    )


def counted_by_unit(
    place: int,
    column: str,
    kind: Kind,
    most: int,
    stored: str,
    names: str | None = None,
    taken: str = "taken",
) -> Iterator[str]:
    """The parts of a statement that end in d{place}: for each group g, how many values m are brought.

    Where units are numbers, which others that come and go change, `names` is a table of what each is hashed by.
    """
    pairs = f"SELECT u, g, {column} AS v FROM {taken} WHERE {column} IS NOT NULL GROUP BY u, g, {column}"
    yield f"owned{place} AS MATERIALIZED ({pairs})"
    yield f"crowd{place} AS (SELECT u FROM owned{place} GROUP BY u HAVING count(*) > {most})"
    who, known = (_name_sql(stored), "") if names is None else ("name", f" JOIN {names} USING (u)")
    hashed = f"sha256(concat({who}, ' ', g, ' ', {_text_sql(kind)}))"
    ranked = f"SELECT g, v, row_number() OVER (PARTITION BY u ORDER BY {hashed}) AS k"
    many = f"SELECT g, v FROM ({ranked} FROM owned{place} SEMI JOIN crowd{place} USING (u){known}) WHERE k <= {most}"
    few = f"SELECT g, v FROM owned{place} ANTI JOIN crowd{place} USING (u)"
    yield f"d{place} AS (SELECT g, count(DISTINCT v) AS m FROM ({few} UNION ALL {many}) GROUP BY g)"


def _text_sql(kind: Kind) -> str:
    match kind:
        case Kind.NUMBER:
            return "CAST(CAST(v AS BIT) AS VARCHAR)"
        case Kind.DATE:
            return "CAST(v - DATE '1970-01-01' AS VARCHAR)"
        case Kind.TIMESTAMP:
            return "CAST(epoch_us(v) AS VARCHAR)"
        case _:
            return "CAST(v AS VARCHAR)"
