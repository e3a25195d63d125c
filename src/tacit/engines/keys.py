"""Groups in SQL: the place of a row's keys among their public values."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from tacit.engines.rendering import Reader, literal, text, whole
from tacit.engines.values import Value, constant
from tacit.plan import Key, Kind

__all__ = ["Enumeration", "Grouping", "enumeration", "grouping"]

Enumeration = Callable[[tuple[str, ...]], str]
"""The SQL of a type whose values are some texts, numbered from zero."""

_PLACES = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 62: "BIGINT"}


@dataclass(frozen=True, slots=True)
class Grouping:
    """The SQL of a row's group, what has to be joined for it, and when a row has one."""

    place: str
    joins: str
    conditions: tuple[str, ...]


def enumeration(members: tuple[str, ...]) -> str:
    """The type of some texts, spelled out."""
    return f"ENUM({', '.join(text(member) for member in members)})"


def grouping(keys: tuple[Key, ...], read: Reader, enumerated: Enumeration = enumeration) -> Grouping:
    """The place of a row in the product of the keys' values, the last key fastest.

    Every key's place is the number of the value among those declared; a row with another value has no place.
    """
    place, joins, conditions = "0", "", []
    for i, key in enumerate(keys):
        one, join, condition = _place(i, key, read(key.field.column), enumerated)
        place = f"({place} * {len(key.values)} + {one})" if i else one
        joins += join
        conditions.append(condition)
    groups = prod(len(key.values) for key in keys)
    kind = next(name for bits, name in _PLACES.items() if groups <= 1 << bits)
    return Grouping(f"({place})::{kind}", joins, tuple(conditions))


def _place(i: int, key: Key, value: str, enumerated: Enumeration) -> tuple[str, str, str]:
    kind = key.field.column.kind
    places: dict[Value, int] = {}
    for place, declared in enumerate(key.values):
        places.setdefault(constant(declared, kind), place)
    if kind is Kind.TEXT and len(places) == len(key.values):
        found = f"TRY_CAST({value} AS {enumerated(tuple(map(str, places)))})"
        return f"enum_code({found})::BIGINT", "", f"{found} IS NOT NULL"
    first = next(iter(places))
    if isinstance(first, int) and kind is Kind.INTEGER and list(places) == list(range(first, first + len(key.values))):
        inside = f"({value} BETWEEN {whole(first)} AND {whole(first + len(key.values) - 1)})"
        return f"(CASE WHEN {inside} THEN {value} END - {whole(first)})", "", inside
    listed = ", ".join(f"({literal(declared, kind)}, {whole(place)})" for declared, place in places.items())
    name = f"k{i}"
    return f"{name}.p", f" JOIN (VALUES {listed}) AS {name}(v, p) ON {value} = {name}.v", f"{name}.p IS NOT NULL"
