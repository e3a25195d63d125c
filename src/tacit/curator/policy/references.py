"""What a policy file says of a table, where its references to other tables lead, and whose rows they are.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tacit.curator.policy.column_sections import list_columns
from tacit.curator.policy.policy import Shared
from tacit.curator.policy.read_values import read_text
from tacit.curator.policy.toml_sections import Section, suggest
from tacit.engines import (
    Linked,
    Source,
    Step,
)
from tacit.frozen import frozen
from tacit.plan import Column, Kind, Table

__all__ = ["TableSection", "check_references", "check_unit", "find_loops", "read_entity"]


@frozen
class TableSection:
    """What a section says about a table; None is what is missing or has a fault."""

    section: Section
    source: Source | None
    kinds: Mapping[str, tuple[Kind, ...]] | None
    unit: str | None
    contributions: int | None
    keys: int | None
    rows: int | None
    columns: tuple[Column, ...]
    referring: Section
    references: Mapping[str, tuple[str, str]]
    public: Table | None = None
    digest: str | None = None

    @property
    def name(self) -> str:
        return self.section.place[-1]

    @property
    def is_path(self) -> bool:
        """Whether the unit stands in another table; a column may have a point in its name."""
        return self.unit is not None and "." in self.unit and self.unit not in (self.kinds or ())

    def to_shared(self) -> Shared:
        """The table as the policy has it, once nothing is wrong with it."""
        if self.public is not None:
            held = self.public if self.rows is None else replace(self.public, rows=self.rows)
            return Shared(held, 1)
        references = tuple((column, *target) for column, target in self.references.items())
        unit = None if self.unit == "row" else self.unit
        table = Table(self.name, self.columns, unit, references=references)
        held = table if self.rows is None else replace(table, rows=self.rows)
        return Shared(held, 1 if self.unit == "row" else self.contributions, self.keys)

    def to_source(self, tables: Mapping[str, TableSection]) -> Source:
        """The source of the table with the steps that lead to its units, once nothing is wrong with them."""
        assert self.source is not None, "where something is missing there is a fault"
        steps, table = [], self
        while table.is_path and table.unit is not None:
            column = table.unit.partition(".")[0]
            name, key = table.references[column]
            table = tables[name]
            steps.append(Step(column, table.source, key))
        return Linked(self.source, tuple(steps), table.unit or "") if steps else self.source


def check_references(table: TableSection, tables: Mapping[str, TableSection]) -> None:
    """Remember what is wrong with the places to which a table refers."""
    section = table.referring
    for column, (name, key) in table.references.items():
        _check_key(section, column, table, column)
        if name not in tables:
            listed = ", ".join(sorted(tables))
            section.fault(
                column,
                f"there is no table {name!r}",
                f"{suggest(name, tables)}the tables are: {listed}",
            )
        elif tables[name].section.values.get("public") is True:
            told = f"{name!r} is public: it leads to no unit"
            section.fault(column, told, "remove it: a public table is joined without a reference")
        else:
            _check_key(section, column, tables[name], key)


def _check_key(section: Section, at: str, table: TableSection, column: str) -> None:
    """Remember that a key is not there, or is of a kind that is not compared exactly."""
    if table.kinds is None or not _is_there(section, at, table, column):
        return
    kinds = table.kinds[column]
    if kinds and len(kinds) < len(Kind) and kinds[0] not in {Kind.INTEGER, Kind.TEXT}:
        problem = f"{column!r} of {table.name} is stored as {kinds[0].value}"
        section.fault(at, problem, "store keys as integers or texts")


def _is_there(section: Section, at: str, table: TableSection, column: str) -> bool:
    if table.kinds is None or column in table.kinds:
        return True
    section.fault(
        at,
        f"the source of {table.name} has no column {column!r}",
        list_columns(column, table.kinds),
    )
    return False


def find_loops(tables: Mapping[str, TableSection]) -> dict[str, list[str]]:
    """The columns of each table through which references come back to it."""

    def tables_reached(name: str) -> set[str]:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            for other, _ in tables[ahead.pop()].references.values():
                if other in tables and other not in seen:
                    seen.add(other)
                    ahead.append(other)
        return seen

    back = {
        name: [
            column
            for column, (other, _) in table.references.items()
            if other == name or (other in tables and name in tables_reached(other))
        ]
        for name, table in tables.items()
    }
    return {name: columns for name, columns in back.items() if columns}


def check_unit(table: TableSection, tables: Mapping[str, TableSection]) -> None:
    """Remember what is wrong with the unit of a table.

    Claim:      a row comes and goes with its unit, and with no other.
    Because:    a path goes on as the unit of the table it enters: every row on it belongs to the unit at its end.  Were
                it to end elsewhere, removing the unit of a row on the way would take another unit's rows along.
    Checked by: tests/unit/curator/policy/test_policy_file.py::test_a_path_goes_along_the_units_of_the_tables_it_enters
    """
    section, unit = table.section, table.unit
    if unit is None or unit == "row":
        return
    if not table.is_path or (
        table.kinds is None and unit.partition(".")[0] not in table.references
    ):
        _is_there(section, "unit", table, unit)
        return
    column, _, rest = unit.partition(".")
    if column not in table.references:
        if _is_there(section, "unit", table, column) and not table.referring.has(column):
            where = f'[tables.{table.name}.references] {column} = "table.key"'
            section.fault(
                "unit",
                f"{column!r} refers to no table",
                f"write which table and key it refers to: {where}",
            )
        return
    other = tables.get(table.references[column][0])
    if other is not None and other.unit is not None and other.unit != rest:
        problem = f"the unit of {other.name} is {other.unit!r}, not {rest!r}"
        remedy = (
            f'write unit = "{column}.{other.unit}"'
            if other.unit != "row"
            else f"give {other.name} a unit"
        )
        section.fault("unit", problem, remedy)


def read_entity(section: Section, tables: Mapping[str, TableSection]) -> str | None:
    """What is protected: the entity that is named, or the column that names it in every table."""
    remedy = 'name who is protected, as in unit = "patient"'
    named = section.take("unit", read_text(remedy))
    units = {table.unit for table in tables.values() if table.unit is not None}
    if "row" in units and len(units) > 1:
        for table in tables.values():
            if table.unit == "row":
                told = (
                    "name the unit's column here, too; if each row belongs to another unit, with "
                    "contributions = 1"
                )
                table.section.fault(
                    "unit", "other tables have a unit, but this one protects single rows", told
                )
        return named
    if units == {"row"} and named not in (None, "row"):
        told = f"the tables protect single rows, but this says that a {named} is protected"
        section.fault(
            "unit", told, 'name the unit\'s column in every table, or write unit = "row" here'
        )
        return named
    ends = {_end(table) for table in tables.values() if table.unit is not None}
    if section.has("unit"):
        return named
    if len(ends) > 1 and section.values:
        listed = ", ".join(sorted(ends))
        section.fault("unit", f"the tables have different unit columns: {listed}", remedy)
    return next(iter(ends), None)


def _end(table: TableSection) -> str:
    """The column at the end of a path of units."""
    unit = table.unit or ""
    return unit.rpartition(".")[2] if table.is_path else unit
