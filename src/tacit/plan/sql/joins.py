"""Joins: what two sides have in common, and that rows of different units never meet.

Checked by: tests/unit/plan/test_rows_sql.py and tests/laws/test_references.py
"""

from __future__ import annotations

from typing import NoReturn

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.joins_by_foreign_key import find_reference
from tacit.plan.model.nodes import Joined, Rows, Where
from tacit.plan.model.ownership import Owner
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Origin, Scope, Sides, place_side_by_side
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.full_joins_and_is_side_missing import flag_sides, join_full
from tacit.plan.sql.outer_joins_with_public_tables import keeps_groups_alone, with_all_groups
from tacit.plan.sql.reading_context import ROWS, Reader, conjuncts, same_units
from tacit.plan.sql.source_positions import Account

__all__ = ["join_where", "join_scopes"]

_Pairs = list[tuple[e.Expression, e.Expression]]


def join_scopes(reader: Reader, left: Scope, right: Scope, node: exp.Expr) -> Scope:
    """Two scopes as one.

    FROM visits v JOIN labs l ON v.patient = l.patient AND v.day = l.day    Joined(visits, labs, on=((day, day),))
    """
    account = reader.account
    side, kind = (node.args.get("side") or "").upper(), (node.args.get("kind") or "").upper()
    account.take(node)
    if kind == "CROSS":
        reason = "CROSS JOIN would combine rows of different units"
        account.refuse(node, reason, "write JOIN ... ON a.x = b.x")
    if kind not in {"", "INNER", "OUTER"}:
        remedy = "write WHERE unit IN (SELECT unit FROM ...), or NOT IN"
        account.refuse(node, f"{side or kind} JOIN is not supported", remedy)
    if (kind == "INNER" and side) or (kind == "OUTER" and not side):
        account.refuse(
            node, "this kind of join is not supported", "write JOIN, LEFT JOIN or RIGHT JOIN"
        )
    for word in (side, kind):
        account.claim(node, word or "JOIN", 1 if word else 0)
    outer = side in {"LEFT", "RIGHT", "FULL"}
    if side == "FULL" and {left.origin.owner, right.origin.owner} != {Owner.UNIT}:
        reason = "FULL JOIN is supported between private tables on their unit"
        account.refuse(node, reason, "write LEFT JOIN, with the private table on the left")
    if side == "RIGHT":
        left, right = right, left
    if outer and left.origin.owner is Owner.NOBODY and keeps_groups_alone(node):
        return with_all_groups(_join_sides(reader, left, right, node, outer=False))
    return _join_sides(reader, left, right, node, outer=outer)


def _join_sides(reader: Reader, left: Scope, right: Scope, node: exp.Expr, *, outer: bool) -> Scope:
    """Two scopes as one, joined as USING or ON says."""
    account, parts = reader.account, node.args
    left, right = _private_first(account, left, right, node, outer=outer)
    if parts.get("using"):
        return _using(reader, left, right, node, outer=outer)
    if not parts.get("on"):
        account.refuse(node, "this join has no condition", "write JOIN ... ON a.x = b.x")
    account.claim(node, "ON")
    sides = place_side_by_side(left, right, outer=outer)
    if outer:
        sides = flag_sides(sides, node)
    return _on(reader, sides, list(conjuncts(account, node.args["on"])), join=node)


def join_where(
    reader: Reader, left: Scope, right: Scope, node: exp.Expr, on: list[exp.Expr]
) -> Scope:
    """Two scopes as one that stand beside each other, joined on some conditions of WHERE."""
    reader.account.take(node, "Beside")
    left, right = _private_first(reader.account, left, right, node, outer=False)
    return _on(reader, place_side_by_side(left, right, outer=False), on)


def _private_first(
    account: Account, left: Scope, right: Scope, node: exp.Expr, *, outer: bool
) -> tuple[Scope, Scope]:
    """Two scopes, the private one on the left; refused where they have nothing to be joined on."""
    if left.origin.owner is Owner.NOBODY and right.origin.owner is not Owner.NOBODY:
        if outer:
            counted = f"{right.aliases[0]}.{right.origin.table.unit or right.origin.names[0]}"
            remedy = (
                "start with the private table, and LEFT JOIN the public one; or group by public columns, and count "
                f"private rows: COUNT({counted}), not COUNT(*), which counts 1 where there is none"
            )
            account.refuse(
                node,
                "this outer join would keep rows of the public table, which belong to no unit",
                remedy,
            )
        left, right = right, left
    if {left.origin.owner, right.origin.owner} & {
        Owner.ROW
    } and right.origin.owner is not Owner.NOBODY:
        remedy = "join a public table, or ask about each table on its own"
        account.refuse(
            node,
            "two private tables in which every row is a unit cannot be joined",
            remedy,
        )
    return left, right


def _using(reader: Reader, left: Scope, right: Scope, node: exp.Expr, *, outer: bool) -> Scope:
    """A join on columns that are called the same on both sides."""
    listed = node.args["using"]
    reader.account.claim(node, "USING")
    reader.account.claim(node, "COMMA", len(listed) - 1)
    names = [reader.name(each) for each in listed]
    sides = place_side_by_side(left, right, outer=outer, shared=tuple(name.text for name in names))
    if outer:
        sides = flag_sides(sides, node)
    pairs: _Pairs = []
    unit = False
    for name in names:
        if left.is_unit(None, name) and right.is_unit(None, name):
            unit = True
            continue
        one, two = left.finds(None, name), right.finds(None, name)
        if len(one) != 1 or len(two) != 1:
            raise InvalidPlan(
                f"USING needs a column {name.text[:64]!r} on each side", "write ON a.x = b.x"
            )
        called = next(
            seen.called
            for seen in sides.names
            if seen.name == two[0] and seen.alias in right.aliases
        )
        pairs.append((_field(left.origin.rows, one[0]), _field(sides.rows, called)))
    if _is_full(node):
        _check_full(reader, node, is_on_unit=unit and not pairs)
        return join_full(sides, node, is_using=True)
    return _close_join(sides, pairs, [], [], unit=unit)


def _is_full(node: exp.Expr) -> bool:
    return (node.args.get("side") or "").upper() == "FULL"


def _check_full(reader: Reader, node: exp.Expr, *, is_on_unit: bool) -> None:
    """Refuse a FULL JOIN on anything but the unit: which rows of the right then stand alone is not about units."""
    if not is_on_unit:
        reason = "FULL JOIN is supported on the unit alone"
        reader.account.refuse(
            node, reason, "join on the unit alone, and move other conditions to WHERE"
        )


def _on(
    reader: Reader, sides: Sides, conditions: list[exp.Expr], join: exp.Expr | None = None
) -> Scope:
    """A join on conditions: equalities of a left and a right side, and others that are asked before or after it."""
    left, right = sides.left, sides.right
    before_join = Joined(left.origin.rows, sides.rows, (), sides.outer)
    both = Draft(
        Table(f"{left.origin.table.name} and {right.origin.table.name}", columns_of(before_join))
    )
    scope = Scope(Origin(before_join, both.table, ()), sides.names)
    reader = reader.inside().with_scope(scope)
    ours = {column.name for column in columns_of(left.origin.rows)}
    theirs: dict[str, e.Expression] = {
        column.name: e.Field(column) for column in columns_of(sides.rows)
    }
    unit = False
    pairs: _Pairs = []
    before: list[e.Expression] = []
    after: list[e.Expression] = []
    for part in conditions:
        if same_units(reader, part, left, right):
            unit = True
            continue
        condition = read_expression(reader, part, both, ROWS)
        pair = _pair(condition, ours, theirs)
        if pair is not None:
            pairs.append(pair)
        elif sides.outer and e.fields_of(condition) <= set(theirs):
            before.append(e.substitute(condition, theirs))
        elif sides.outer:
            remedy = (
                "move conditions on the left side to WHERE; between both sides only equalities "
                "are allowed"
            )
            reader.account.refuse(
                part, "an outer join needs an equality between columns of both sides", remedy
            )
        else:
            after.append(condition)
    if join is not None and _is_full(join):
        _check_full(reader, join, is_on_unit=unit and not (pairs or before or after))
        return join_full(sides, join, is_using=False)
    return _close_join(sides, pairs, before, after, unit=unit)


def _pair(
    condition: e.Expression, ours: set[str], theirs: dict[str, e.Expression]
) -> tuple[e.Expression, e.Expression] | None:
    """The left and the right side of an equality between them, None if the condition is none."""
    if not isinstance(condition, e.Compared) or condition.operator != "=":
        return None
    type_of(condition)
    for one, two in ((condition.left, condition.right), (condition.right, condition.left)):
        if (
            e.fields_of(one)
            and e.fields_of(two)
            and e.fields_of(one) <= ours
            and e.fields_of(two) <= set(theirs)
        ):
            return one, e.substitute(two, theirs)
    return None


def _close_join(
    sides: Sides,
    pairs: _Pairs,
    before: list[e.Expression],
    after: list[e.Expression],
    *,
    unit: bool,
) -> Scope:
    """The join, refused if rows of different units would meet in it."""
    if sides.right.origin.owner is Owner.NOBODY and not pairs:
        raise InvalidPlan(
            "no join condition connects these tables", "join on an equality: ON a.x = b.x"
        )
    rows = sides.rows if not before else Where(sides.rows, e.chain_conditions(e.Both, before))
    joined = Joined(sides.left.origin.rows, rows, tuple(pairs), sides.outer)
    if sides.right.origin.owner is not Owner.NOBODY and not unit and find_reference(joined) is None:
        _not_on_the_unit(sides.left, sides.right)
    return sides.scope(Where(joined, e.chain_conditions(e.Both, after)) if after else joined)


def _not_on_the_unit(left: Scope, right: Scope) -> NoReturn:
    one, two = left.origin.table.unit, right.origin.table.unit
    reason = (
        "private tables can only be joined on the protected unit: this join would combine rows of "
        "different units"
    )
    if not one or not two:
        raise InvalidPlan(reason, "select the unit in the subquery, and join on it")
    remedy = (
        f"add {left.aliases[0]}.{one} = {right.aliases[0]}.{two} to the join condition, or declare in the policy "
        "to which key the column refers (references)"
    )
    raise InvalidPlan(reason, remedy)


def _field(rows: Rows, name: str) -> e.Field:
    found = [column for column in columns_of(rows) if column.name == name]
    if not found:
        raise InvalidPlan(
            f"{name!r} is the protected unit on one side only", "join on the units of both sides"
        )
    return e.Field(found[0])
