"""The types of a statement's parameters, from what they are cast to or compared with.

Checked by: tests/unit/catalogue/test_catalogue.py
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacit.catalogue.built_in import relations
from tacit.catalogue.rewrite.names import type_name, whole_number
from tacit.catalogue.rewrite.session_values import TYPE_NAMES
from tacit.catalogue.rewrite.walk import peel

__all__ = ["parameter_types"]

TEXT, INT8 = 25, 20
OIDS = {name: oid for oid, name in TYPE_NAMES.items()} | {"_varchar": 1009, "varchar": 1043}
SHOWN_AS_TEXT = {"name", "char", "pg_node_tree", "bpchar"}


def parameter_types(tree: exp.Expr, given: Sequence[int] = ()) -> tuple[int, ...]:
    """The oid of each parameter's type; what is given is kept.

    >>> from tacit.catalogue.rewrite.parse import parse
    >>> parameter_types(parse("SELECT 1 FROM pg_class WHERE relname = $1 AND oid = $2 AND relkind = ANY($3)"))
    (25, 26, 1009)
    """
    found: dict[int, int] = {}
    for node in tree.find_all(exp.Parameter):
        number = whole_number(node.name)
        if number is not None:
            kind = _kind(node)
            if kind is not None or number not in found:
                found[number] = TEXT if kind is None else kind
    count = max([len(given), *found])
    return tuple(
        (given[number - 1] if number <= len(given) else 0) or found.get(number, TEXT)
        for number in range(1, count + 1)
    )


def _kind(node: exp.Expr) -> int | None:
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    match above:
        case exp.Cast():
            return OIDS.get(type_name(above.to), TEXT)
        case exp.Limit() | exp.Offset() | exp.Fetch():
            return INT8
        case exp.Any():
            return _array_of(_kind_of_other_side(above))
        case exp.In():
            return _column_kind(above.this)
        case exp.Binary():
            return _kind_of_other_side(node)
        case _:
            return None


def _kind_of_other_side(node: exp.Expr) -> int | None:
    """The type of what stands on the other side."""
    above = node.parent
    if not isinstance(above, exp.Binary):
        return None
    other = above.expression if peel(above.this) is node else above.this
    return _column_kind(other)


def _column_kind(node: exp.Expr) -> int | None:
    inner = peel(node)
    if isinstance(inner, exp.Cast):
        return OIDS.get(type_name(inner.to), TEXT)
    if not isinstance(inner, exp.Column):
        return None
    name = inner.name.lower()
    kinds = {
        kind for each in relations().values() for column, kind in each.columns if column == name
    }
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    return TEXT if kind in SHOWN_AS_TEXT else OIDS.get(kind, TEXT)


def _array_of(kind: int | None) -> int | None:
    return {20: 1016, 21: 1005, 23: 1007, 26: 1028}.get(kind or TEXT, 1009)
