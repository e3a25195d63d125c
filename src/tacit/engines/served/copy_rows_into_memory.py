"""Rows of a server's table, copied into memory: for what is public, and for the curator's own inspection.

Checked by: tests/unit/engines/postgres/test_copy_rows.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.engines.sources.source_kinds import Listed, Source
from tacit.plan import Table

__all__ = ["copy_tables"]

Place = TypeVar("Place")


def copy_tables(
    source: Source, table: Table, kind: type[Place], copy: Callable[[Place, Sequence[str]], Listed]
) -> Source:
    """A source whose tables of a kind are lists of their rows, with the columns that a table declares; or itself."""
    names = [column.name for column in table.columns]
    match source:
        case Linked(own, steps, unit) if isinstance(own, kind):
            copied = [
                Step(
                    step.column,
                    copy(step.source, [step.key, end])
                    if isinstance(step.source, kind)
                    else step.source,
                    step.key,
                )
                for step, end in source.ends()
            ]
            return Linked(copy(own, _once([*names, steps[0].column])), tuple(copied), unit)
        case _ if isinstance(source, kind):
            return copy(source, _once([*names, *([] if table.unit is None else [table.unit])]))
        case _:
            return source


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
