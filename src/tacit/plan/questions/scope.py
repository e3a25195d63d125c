"""What stands in FROM: tables, questions inside the question, and joins; and what names mean among them.

Checked by: tests/unit/plan/test_rows_sql.py
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model.expressions import Field
from tacit.plan.model.nodes import Computed, Defined, Rows, Scan
from tacit.plan.model.ownership import Owner, multiplicity, owner_of
from tacit.plan.model.schema import Table
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.draft import Name, close_to
from tacit.plan.questions.row_columns import columns_of

__all__ = [
    "HIDDEN",
    "MOST_NODES",
    "Origin",
    "Scope",
    "Seen",
    "Sides",
    "place_side_by_side",
    "of_rows",
    "of_table",
]

HIDDEN = ""
"""What the unit is called where a question inside the question does not show it."""

MOST_NODES = 60
"""The most tables and steps that a question may be made of: one that is named once may be used often."""


@frozen
class Origin:
    """Rows, and the table that they look like from outside: its columns, and what its unit is called.

    `names` are all of them in the order in which they stand, the unit too; `size` is of how many steps they are made.
    """

    rows: Rows
    table: Table
    names: tuple[str, ...]
    size: int = 1

    @property
    def owner(self) -> Owner:
        """Whose the rows are."""
        return owner_of(self.rows)


def of_table(table: Table) -> Origin:
    """The rows of a table."""
    names = [column.name for column in table.columns]
    if table.unit is not None and table.unit not in names:
        names.append(table.unit)
    return Origin(Scan(table), table, tuple(names))


def of_rows(rows: Rows, name: str, unit: str | None, names: tuple[str, ...], size: int) -> Origin:
    """Rows that look like a table of this name.

    Rows that no rule allows are refused here, before anything is asked of them.
    """
    if size > MOST_NODES:
        raise InvalidPlan(
            f"the question has more than {MOST_NODES} steps", "ask a simpler question"
        )
    owner = owner_of(rows)
    if owner is Owner.ROW:
        multiplicity(rows)
    called = unit if owner is Owner.UNIT else None
    return Origin(
        rows, Table(name, columns_of(rows), called, public=owner is Owner.NOBODY), names, size
    )


@frozen
class Seen:
    """A name: the table that it stands in, how it is written there, and what it is called among all of them.

    One that is not `open` is meant only if the table is said.  The unit of a side that an outer join may leave out can
    be looked for alone, in IS NULL and COUNT: `called` is then a flag that is NULL where the side is left out.
    """

    alias: str
    name: str
    called: str
    open: bool = True
    is_flag: bool = False


@frozen
class Scope:
    """What names mean: those of one origin, or of several that were joined into one."""

    origin: Origin
    names: tuple[Seen, ...]

    @staticmethod
    def of(alias: str, origin: Origin) -> Scope:
        """The names of one origin."""
        return Scope(origin, tuple(Seen(alias, name, name) for name in origin.names))

    @property
    def aliases(self) -> list[str]:
        """What the tables are called, in their order."""
        return list(dict.fromkeys([seen.alias for seen in self.names]))

    def finds(self, table: Name | None, name: Name) -> list[str]:
        """What a name may mean here."""
        found = [
            seen.called
            for seen in self.names
            if name.means(seen.name)
            and (seen.open if table is None else table.means(seen.alias))
            and not seen.is_flag
        ]
        return list(dict.fromkeys(found))

    def find_flag(self, table: Name | None, name: Name) -> str | None:
        """The flag that says whether a side of an outer join is there, if the name is that of its unit alone."""
        found = [
            seen.called
            for seen in self.names
            if seen.is_flag and name.means(seen.name) and (table is None or table.means(seen.alias))
        ]
        if len(found) != 1 or (table is None and self.finds(None, name)):
            return None
        return found[0]

    def is_unit(self, table: Name | None, name: Name) -> bool:
        """Whether a name means the unit."""
        return bool(self.origin.table.unit) and self.finds(table, name) == [self.origin.table.unit]

    def resolve_name(self, table: Name | None, name: Name) -> Name:
        """A name as the table calls it that all origins together look like."""
        if len(self.aliases) <= 1:
            return name
        found = self.finds(table, name)
        if len(found) > 1:
            where = [seen.alias for seen in self.names if name.means(seen.name)]
            raise InvalidPlan(
                f"{name.text[:64]!r} is ambiguous: it is a column of "
                f"{' and of '.join(dict.fromkeys(where))}",
                f"write {where[0]}.{name.text[:64]}",
            )
        if not found and self.find_flag(table, name) is not None:
            raise InvalidPlan(
                f"{name.text[:64]!r} is the protected unit of the optional side of an outer join, which can only "
                "be tested for NULL or counted",
                "write IS NULL, IS NOT NULL, COUNT(...) or COUNT(DISTINCT ...) of it",
            )
        if not found and table is not None:
            known = [seen.name for seen in self.names if table.means(seen.alias)]
            raise InvalidPlan(
                f"the table {table.text[:64]!r} has no column {name.text[:64]!r}",
                close_to(name, known, "column"),
            )
        return Name(found[0], exact=True) if found else name


# ---------------------------------------------------------------- joins


@frozen
class Sides:
    """Two scopes that are about to be joined, and the names of both together."""

    left: Scope
    right: Scope
    rows: Rows
    names: tuple[Seen, ...]
    outer: bool

    @property
    def unit(self) -> str | None:
        return self.left.origin.table.unit

    def scope(self, rows: Rows) -> Scope:
        """The scope of what was joined."""
        table = f"{self.left.origin.table.name} and {self.right.origin.table.name}"
        called = tuple(dict.fromkeys(seen.called for seen in self.names if not seen.is_flag))
        size = self.left.origin.size + self.right.origin.size + 1
        return Scope(of_rows(rows, table, self.unit, called, size), self.names)


def place_side_by_side(
    left: Scope, right: Scope, *, outer: bool, shared: tuple[str, ...] = ()
) -> Sides:
    """Two scopes side by side: what is on the right and has a name of the left is called by its table, too.

    `shared` are the columns that USING names: on the right they are meant only if the table is said.

    visits(patient, ward, day) and labs(patient, day, value), both of patients:
    patient, ward, day, and on the right day as "labs.day", value; labs.patient is the left one, which it equals
    """
    _refuse_equal_aliases(left, right)
    equal = {} if outer else _equal_units(left, right)
    renamed = _rename_columns(left, right, without=equal)
    names = _name_right_columns(right, {**renamed, **equal}, hidden=shared)
    return Sides(left, right, _select_renamed(right, renamed), (*left.names, *names), outer)


def _refuse_equal_aliases(left: Scope, right: Scope) -> None:
    known = {alias.casefold() for alias in left.aliases}
    same = next((alias for alias in right.aliases if alias.casefold() in known), None)
    if same is not None:
        raise InvalidPlan(
            f"two tables have the name {same!r} here", "give one of them another name: ... AS other"
        )


def _equal_units(left: Scope, right: Scope) -> dict[str, str]:
    """The unit of the right side as that of the left, which an inner join makes equal, unless only it is shown."""
    if left.origin.owner is not Owner.UNIT or right.origin.owner is not Owner.UNIT:
        return {}
    unit, other = left.origin.table.unit, right.origin.table.unit
    ours, theirs = ({column.name for column in side.origin.table.columns} for side in (left, right))
    if not other or (other in theirs and unit not in ours):
        return {}
    return {other: unit or HIDDEN}


def _rename_columns(left: Scope, right: Scope, *, without: Collection[str]) -> dict[str, str]:
    """What each column of the right side is called beside those of the left."""
    used = {name.casefold() for name in left.origin.names}
    renamed: dict[str, str] = {}
    for column in right.origin.table.columns:
        if column.name in without:
            continue
        name = column.name
        if name.casefold() in used:
            alias = next(seen.alias for seen in right.names if seen.called == column.name)
            name = unused_name(f"{alias}.{column.name}", used)
        used.add(name.casefold())
        renamed[column.name] = name
    return renamed


def _select_renamed(right: Scope, renamed: Mapping[str, str]) -> Rows:
    """The rows of the right side with the columns that are left, by their new names."""
    rows = right.origin.rows
    if list(renamed.items()) == [(column.name, column.name) for column in columns_of(rows)]:
        return rows
    columns = {column.name: column for column in right.origin.table.columns}
    return Computed(
        rows, tuple(Defined(new, Field(columns[name])) for name, new in renamed.items())
    )


def _name_right_columns(
    right: Scope, called: Mapping[str, str], *, hidden: Sequence[str]
) -> Iterator[Seen]:
    """What names of the right side mean in both together."""
    shut = {name.casefold() for name in hidden}
    for seen in right.names:
        if seen.called in called:
            is_open = seen.open and seen.name.casefold() not in shut
            yield Seen(seen.alias, seen.name, called[seen.called], is_open)
