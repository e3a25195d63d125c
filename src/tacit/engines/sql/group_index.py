"""Groups in SQL: the place of a row's keys among their public values."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import render, text, whole
from tacit.engines.sql.select_with_parameters import Reader
from tacit.frozen import frozen
from tacit.plan import (
    MOST_CHARACTERS,
    Field,
    Key,
    Kind,
    Question,
    Value,
    constant,
    type_of,
)

__all__ = [
    "Enumeration",
    "Grouping",
    "declared_place",
    "enumeration",
    "equality",
    "found_grouping",
    "grouping",
    "numbered_grouping",
]

Enumeration = Callable[[tuple[str, ...]], str]
"""The SQL of a type whose values are some texts, numbered from zero."""


@frozen
class Grouping:
    """The SQL of a row's group, what has to be joined for it, and when a row has one."""

    place: str
    joins: str
    conditions: tuple[str, ...]


def enumeration(members: tuple[str, ...]) -> str:
    """The type of some texts, spelled out."""
    return f"ENUM({', '.join(text(member) for member in members)})"


def grouping(
    keys: tuple[Key, ...],
    read: Reader,
    enumerated: Enumeration = enumeration,
    *,
    after: Grouping | None = None,
) -> Grouping:
    """The place of a row in the product of the keys' values, the last key fastest.

    Every key's place is the number of the value among those declared; a row with another value has no place.  With
    `after`, the places are those within a group that is known already.
    """
    place, joins, conditions = "0", "", []
    for i, key in enumerate(keys):
        one, join, condition = _place(i, key, _read_key(key, read), enumerated, read.dialect)
        # a place has as few bits as its key needs, and a product of places as many as there are
        place = f"(({place})::BIGINT * {len(key.public_values)} + {one})" if i else one
        joins += join
        conditions.append(condition)
    groups = prod(len(key.public_values) for key in keys)
    if after is not None:
        place, joins, conditions = (
            f"{after.place} * {groups} + {place}",
            after.joins + joins,
            [*after.conditions, *conditions],
        )
    kind = "BIGINT" if after else read.dialect.type_of_codes(groups)
    return Grouping(f"({place})::{kind}", joins, tuple(conditions))


def _read_key(key: Key, read: Reader) -> str:
    """The SQL of a key whose values are declared.

    Claim:      a text that is not cut is found among declared ones exactly if the cut one is.
    Because:    a cut text is as long as texts can be, and the whole one longer: neither is one of shorter texts.
    Checked by: tests/unit/engines/test_text_keys.py
    """
    value, declared = key.value, key.values or ()
    shorter = [isinstance(each, str) and len(each) < MOST_CHARACTERS for each in declared]
    if isinstance(value, Field) and read.uncut is not None and shorter and all(shorter):
        return read.uncut(value.column)
    return render(value, read)


def found_grouping(question: Question, read: Reader, table: str | None = None) -> Grouping:
    """The place of a row among the combinations of unknown keys that were found: in a table of them, or listed here."""
    assert question.found is not None, "something was found"
    kinds = [type_of(key.value).kind for key in question.unknown]
    names = [f"key_{i}" for i in range(len(kinds))]
    if table is None:
        columns = list(zip(*question.found, strict=True)) or [() for _ in kinds]
        listed = [
            (name, [constant(each, kind) for each in column], kind)
            for name, column, kind in zip(names, columns, kinds, strict=True)
        ]
        places = ("group_id", list(range(len(question.found))), Kind.INTEGER)
        table = read.dialect.list_rows([*listed, places])
    pairs = zip(question.unknown, names, strict=True)
    same = [
        equality(render(key.value, read), f"found.{name}", key, read.dialect) for key, name in pairs
    ]
    return Grouping("found.group_id", f" JOIN {table} AS found ON {' AND '.join(same)}", ())


def numbered_grouping(column: str) -> Grouping:
    """The place of a row whose only key is a text with a number: that number."""
    return Grouping(column, "", (f"{column} IS NOT NULL",))


def equality(one: str, other: str, key: Key, dialect: SqlDialect) -> str:
    """Whether two values of a key are the same, as NULL is to itself where it is a value of the key."""
    return dialect.is_same(one, other, type_of(key.value).kind) if key.null else f"{one} = {other}"


def _place(
    i: int, key: Key, value: str, enumerated: Enumeration, dialect: SqlDialect
) -> tuple[str, str, str]:
    """The place of a row's value among those of a key, what is joined for it, and whether it has one.

    Claim:      NULL has the last place of a key that has a group for it, and none of any other key.
    Because:    the places of values are looked up by what NULL never equals; NULL is asked for apart.
    Checked by: tests/laws/test_left_out.py::test_engines_agree_on_null_and_other_groups
    """
    place, join, has_place = declared_place(i, key, value, enumerated, dialect)
    if not key.null:
        return place, join, has_place
    last = whole(len(key.public_values) - 1)
    return (
        f"CASE WHEN {value} IS NULL THEN {last} ELSE {place} END",
        join,
        f"({has_place} OR {value} IS NULL)",
    )


def declared_place(
    i: int, key: Key, value: str, enumerated: Enumeration, dialect: SqlDialect
) -> tuple[str, str, str]:
    """The same, for values that are not NULL."""
    kind, declared = type_of(key.value).kind, key.values or ()
    places: dict[Value, int] = {}
    for place, each in enumerate(declared):
        places.setdefault(constant(each, kind), place)
    if kind is Kind.TEXT and len(places) == len(declared):
        found = dialect.place_of_text(value, lambda: enumerated(tuple(map(str, places))))
        if found is not None:
            return found[0], "", found[1]
    first = next(iter(places))
    if (
        isinstance(first, int)
        and kind is Kind.INTEGER
        and list(places) == list(range(first, first + len(declared)))
    ):
        inside = f"({value} BETWEEN {whole(first)} AND {whole(first + len(declared) - 1)})"
        return f"(CASE WHEN {inside} THEN {value} END - {whole(first)})", "", inside
    name, outer = f"declared_{i}", "LEFT " if key.null else ""
    columns = ("key_value", list(places), kind), ("place", list(places.values()), Kind.INTEGER)
    listed = f"{dialect.list_rows(columns)} AS {name}"
    return (
        f"{name}.place",
        f" {outer}JOIN {listed} ON {value} = {name}.key_value",
        f"{name}.place IS NOT NULL",
    )
