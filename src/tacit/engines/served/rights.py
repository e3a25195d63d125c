"""What somebody may do on the server that holds a table: what is lacking, and what need not be allowed.

Checked by: tests/unit/engines/test_choose_engine.py and tests/unit/engines/postgres/test_rights.py
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.source_kinds import Source
from tacit.frozen import frozen
from tacit.plan import Table

__all__ = ["Rights", "columns_needed"]


@frozen
class Rights:
    """Sentences about a role: what it may not do and has to, and what it may do and need not."""

    missing: tuple[str, ...] = ()
    excess: tuple[str, ...] = ()

    def __add__(self, other: Rights) -> Rights:
        """What holds of two roles together."""
        return Rights(
            tuple(dict.fromkeys([*self.missing, *other.missing])),
            tuple(dict.fromkeys([*self.excess, *other.excess])),
        )


def columns_needed(tables: Mapping[Table, Source], kind: type[object]) -> dict[object, list[str]]:
    """The tables of a kind of server that are read, and the columns of each that somebody needs.

    >>> columns_needed({}, object)
    {}
    """
    found: dict[object, dict[str, None]] = {}
    for table, source in tables.items():
        own = source.source if isinstance(source, Linked) else source
        if not isinstance(own, kind):
            continue
        needed = [column.name for column in table.columns]
        if isinstance(source, Linked):
            needed.append(source.steps[0].column)
            for step, end in source.ends():
                found.setdefault(step.source, {}).update(dict.fromkeys([step.key, end]))
        elif table.unit is not None:
            needed.append(table.unit)
        found.setdefault(own, {}).update(dict.fromkeys(needed))
    return {source: list(names) for source, names in found.items()}
