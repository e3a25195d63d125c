"""UNION ALL and UNION: rows of several questions, one below the other.

Checked by: tests/unit/plan/test_rows_sql.py
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Computed, Defined, Kept, Rows, Stacked
from tacit.plan.model.ownership import Owner
from tacit.plan.model.schema import Kind
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Origin, of_rows
from tacit.plan.questions.unit_membership import deduplicate_rows
from tacit.plan.sql.source_positions import Account

__all__ = ["keep_units", "stack_rows"]


def stack_rows(
    account: Account, node: exp.Expr, found: Sequence[Origin], name: str, *, distinct: bool
) -> Origin:
    """Rows of several questions, one below the other.

    SELECT patient FROM visits UNION ALL SELECT patient FROM labs    Stacked((Computed(visits), Computed(labs)))
    """
    first = found[0]
    for other in found[1:]:
        if other.owner is not first.owner:
            remedy = (
                "combine private tables with private ones only, all with a unit column or all "
                "without"
            )
            account.refuse(
                node, "UNION ALL of these tables would combine rows with different units", remedy
            )
        if len(other.names) != len(first.names):
            reason = (
                f"UNION ALL needs equal columns, but one side has {len(first.names)} and the other "
                f"{len(other.names)}"
            )
            account.refuse(node, reason, "select the same columns on both sides, in the same order")
        for ours, theirs in zip(first.names, other.names, strict=True):
            if (ours == first.table.unit) != (theirs == other.table.unit):
                reason = (
                    f"{ours!r} is the protected unit on one side of UNION ALL and {theirs!r} on "
                    "the other side is not"
                )
                account.refuse(node, reason, "put the unit in the same position on both sides")
    columns = _align_columns(found)
    rows: Rows = Stacked(tuple(_part(origin, place, columns) for place, origin in enumerate(found)))
    if distinct:
        if first.table.unit not in first.names:
            reason = "UNION without the unit would merge equal rows of different units"
            account.refuse(node, reason, "write UNION ALL, or select the unit as well")
        rows = deduplicate_rows(rows, first.table.unit)
    return of_rows(
        rows, name, first.table.unit, first.names, sum(origin.size + 1 for origin in found)
    )


def keep_units(
    account: Account, node: exp.Expr, left: Origin, right: Origin, name: str, *, present: bool
) -> Origin:
    """INTERSECT and EXCEPT of units: each unit of the left once, if it is among those of the right, or if it is not.

    SELECT patient FROM visits INTERSECT SELECT patient FROM labs    Kept(visits, labs), each patient once

    Claim:      whether a unit stays depends on its own rows alone.
    Because:    both sides give the unit and nothing else, and `Kept` looks for a unit among units.
    Checked by: tests/laws/test_statements.py and tests/unit/plan/sql/test_unions.py
    """
    units = [origin.table.unit for origin in (left, right)]
    if any(
        origin.owner is not Owner.UNIT or origin.names != (unit,)
        for origin, unit in zip((left, right), units, strict=True)
    ):
        reason = "INTERSECT and EXCEPT would compare rows of different units"
        account.refuse(node, reason, "write WHERE unit IN (SELECT ...), or NOT IN")
    rows = deduplicate_rows(Kept(left.rows, right.rows, present), units[0])
    return of_rows(rows, name, units[0], left.names, left.size + right.size + 2)


def _align_columns(found: Sequence[Origin]) -> list[list[tuple[str, e.Field, Kind]]]:
    """For every part, its columns under the names of the first, with the kinds that all of them share."""
    by_name = [{column.name: column for column in origin.table.columns} for origin in found]
    kept: list[list[tuple[str, e.Field, Kind]]] = [[] for _ in found]
    for place, name in enumerate(found[0].names):
        columns = [
            known.get(origin.names[place]) for known, origin in zip(by_name, found, strict=True)
        ]
        kinds = {column.kind for column in columns if column is not None}
        if any(column is None for column in columns) or (
            len(kinds) > 1 and name == found[0].table.unit
        ):
            continue  # the unit, which is not a declared column of all, or not of one kind
        if len(kinds) > 1 and not kinds <= {Kind.INTEGER, Kind.NUMBER}:
            listed = " and ".join(sorted(kind.value for kind in kinds))
            raise InvalidPlan(
                f"{name!r} has different types on the two sides: {listed}",
                "cast one of them, or remove the column",
            )
        kind = kinds.pop() if len(kinds) == 1 else Kind.NUMBER
        for part, column in zip(kept, columns, strict=True):
            assert column is not None, "a column that is missing was left out"
            part.append((name, e.Field(column), kind))
    return kept


def _part(
    origin: Origin, place: int, columns: Sequence[Sequence[tuple[str, e.Field, Kind]]]
) -> Rows:
    defined = tuple(
        Defined(name, field if field.column.kind is kind else e.Cast(field, kind))
        for name, field, kind in columns[place]
    )
    same = tuple(Defined(column.name, e.Field(column)) for column in columns_of(origin.rows))
    return origin.rows if defined == same else Computed(origin.rows, defined)
