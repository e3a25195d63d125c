"""The sections of a policy file that declare tables: their sources, units and references.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.curator.policy.column_sections import read_column
from tacit.curator.policy.public_tables import public_table
from tacit.curator.policy.read_values import read_count, read_names, read_text, read_truth
from tacit.curator.policy.references import TableSection, check_references, check_unit, find_loops
from tacit.curator.policy.source_settings import read_source
from tacit.curator.policy.toml_sections import Refused, Section
from tacit.engines import MOST_ROWS, Source
from tacit.errors import InvalidData, InvalidInput
from tacit.plan import Kind

__all__ = ["read_tables"]
_UNIT = (
    'name the column that identifies a person, as in unit = "patient_id", or write "row" to '
    "protect single rows"
)
_CONTRIBUTIONS = "write how many rows of one unit count in full, as in contributions = 10"
_KEYS = "write how many undeclared keys of one unit count, as in keys = 5"
_ROWS = (
    f"write a whole number from 1 to {MOST_ROWS}: the largest number of rows that the table can "
    "ever have"
)
_REFERENCE = 'write the table and the key to which the column refers, as in visit_id = "visits.id"'
_COLUMN = 'write it as { type = "text", values = ["A", "B"] } or as { type = "number", low = 0, high = 100 }'
_TABLE = (
    "source",
    "table",
    "format",
    "public",
    "unique",
    "unit",
    "contributions",
    "keys",
    "rows",
    "references",
    "columns",
)


def read_tables(section: Section, folder: Path) -> dict[str, TableSection]:
    """All tables by their names, each checked against those that it refers to."""
    tables = {name: _table(inner, folder) for name, inner in section.inners()}
    for name in tables:
        # the ledger could not write it down, and no question would be answered
        if not name.isprintable():
            section.fault(
                name, "the name of this table contains invisible characters", "give it another one"
            )
    loops = find_loops(tables)
    for table in tables.values():
        check_references(table, tables)
        for column in loops.get(table.name, ()):
            table.referring.fault(
                column, "this reference leads back to its own table", "remove one of them"
            )
    if not loops:
        for table in tables.values():
            check_unit(table, tables)
    return tables


def _table(section: Section, folder: Path) -> TableSection:
    section.only(_TABLE)
    source, kinds = read_source(section, folder)
    if section.take("public", read_truth):
        return _public(section, source, kinds)
    if section.has("unique"):
        told = "unique is for public tables only"
        section.fault("unique", told, "remove it, or write public = true if nobody is in the table")
    unit = section.take("unit", read_text(_UNIT), _UNIT)
    contributions = section.take("contributions", read_count(_CONTRIBUTIONS))
    if unit == "row" and contributions not in (None, 1):
        section.fault(
            "contributions",
            "every row is its own unit",
            "remove it, or name the column of the unit",
        )
    keys = section.take("keys", read_count(_KEYS))
    if unit == "row" and keys not in (None, 1):
        section.fault("keys", "every row is its own unit", "remove it: a row has one key")
    columns = [read_column(inner, kinds) for _, inner in section.inner("columns").inners(_COLUMN)]
    references = section.inner("references")
    return TableSection(
        section,
        source,
        kinds,
        unit,
        contributions,
        keys,
        section.take("rows", read_count(_ROWS, MOST_ROWS)),
        tuple(column for column in columns if column is not None),
        references,
        {
            key: found
            for key in references.values
            if (found := references.take(key, _reference)) is not None
        },
    )


_PRIVATE = {
    "unit": "it is public and protects nobody",
    "contributions": "it is public: no unit has rows in it",
    "keys": "it is public: no unit has keys in it",
    "references": "it is public and leads to no unit",
}
_UNIQUE = 'list the columns that contain no value twice, as in unique = ["ward"]'


def _public(
    section: Section, source: Source | None, kinds: Mapping[str, tuple[Kind, ...]] | None
) -> TableSection:
    """A table that protects nobody: what is not declared of it is read from its rows."""
    for key, told in _PRIVATE.items():
        if section.has(key):
            section.fault(key, told, "remove it, or remove public = true")
    before = len(section.faults.found)
    columns = [read_column(inner, kinds) for _, inner in section.inner("columns").inners(_COLUMN)]
    unique = section.take("unique", lambda value: read_names(value, _UNIQUE)) or []
    rows = section.take("rows", read_count(_ROWS, MOST_ROWS))
    found, digest = None, None
    if source is not None and len(section.faults.found) == before:
        declared = [column for column in columns if column is not None]
        try:
            found, digest = public_table(section.place[-1], source, declared, unique)
        except InvalidInput as refusal:
            section.fault("unique", f"there is no column {refusal.given}", refusal.remedy)
        except InvalidData as refusal:
            problem, _, remedy = str(refusal).partition("; ")
            section.fault("unique" if section.has("unique") else "source", problem, remedy)
    return TableSection(
        section=section,
        source=source,
        kinds=kinds,
        unit=None,
        contributions=None,
        keys=None,
        rows=rows,
        columns=(),
        referring=section.inner("references"),
        references={},
        public=found,
        digest=digest,
    )


def _reference(value: Any) -> tuple[str, str]:
    table, point, key = read_text(_REFERENCE)(value).partition(".")
    if not (table and point and key):
        raise Refused(_REFERENCE)
    return table, key
