"""Rows as SQL: one common table expression for every node of the plan."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.expressions import (
    quote_name,
    render,
    type_name,
)
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset
from tacit.engines.sql.read_stored_columns import (
    check_units_alike,
    kinds_of,
    read_cell,
    read_unit,
    refuse_own_numbers,
    scan_conditions,
)
from tacit.engines.sql.select_with_parameters import Number, Reader, alias, cte
from tacit.engines.sql.unit_folds import (
    PEERS,
    clamp_fold,
    fold_totals,
    row_place,
    row_term,
    window_columns,
    window_inputs,
)
from tacit.engines.sql.units_with_huge_joins import Side, crowded_sql, size_sql, suspects_sql
from tacit.engines.work_bounds import Bounds
from tacit.errors import EngineFailed
from tacit.plan import (
    Column,
    Compared,
    Computed,
    Defined,
    Expression,
    Field,
    Inner,
    Joined,
    Kept,
    Kind,
    Owner,
    Placed,
    Rows,
    Running,
    Scan,
    Stacked,
    Table,
    Where,
    Windowed,
    columns_of,
    owner_of,
    type_of,
)

__all__ = ["Nest"]


@dataclass(slots=True, eq=False, repr=False)
class Nest:
    """The common table expressions of a WITH clause, each of which gives the rows of a node and their `unit`.

    Constant numbers are written out, or put into a list of parameters.

    Claim:      the rows of each are those that the memory engine yields, and no row can make it fail.
    Because:    every column is read as `read` reads it, every expression is that of `rendered`; totals are integers of
                128 bits that are held before they are made narrower; every order that decides a value is completed by
                all columns, so that neither threads nor the order of rows can be seen.
    Checked by: tests/laws/test_rows.py::test_memory_and_duckdb_yield_the_same_rows
    """

    relations: Mapping[str, Relation]
    bounds: Bounds
    numbers: list[Number] | None = None
    dialect: SqlDialect = DUCKDB
    ctes: list[str] = field(default_factory=list)
    _found: dict[Rows, Relation] = field(default_factory=dict)

    def rowset(self, rows: Rows) -> Rowset:
        """The rows of a node, with the expressions that make them."""
        relation = self.relation(rows)
        return Rowset(
            relation, tuple(self.ctes), None if self.numbers is None else tuple(self.numbers)
        )

    def relation(self, rows: Rows) -> Relation:
        """Where the rows of a node are."""
        if rows not in self._found:
            self._found[rows] = self._make_rows(rows)
        return self._found[rows]

    def _make_rows(self, rows: Rows) -> Relation:
        match rows:
            case Scan(table):
                return self._scan(table)
            case Where(inner, condition):
                found = self.relation(inner)
                select = (
                    f"SELECT * FROM {found.name} WHERE {render(condition, self._reader(found))}"
                )
                return self._add_cte("filtered", select, columns_of(rows), found)
            case Computed(inner, columns):
                found = self.relation(inner)
                cells = self._define_columns(columns, self._reader(found))
                select = f"SELECT {_list_cells(cells, columns_of(rows), found)} FROM {found.name}"
                return self._add_cte("computed", select, columns_of(rows), found)
            case Inner():
                return self._inner(rows)
            case Stacked():
                return self._make_union(rows)
            case Joined():
                return self._make_join(rows)
            case Kept(inner, among, present):
                one, two = self.relation(inner), self.relation(among)
                same = self._same_unit(one, two)
                kept = self.dialect.semi_join_on(one.name, two.name, same, anti=not present)
                select = f"SELECT left_side.* FROM {kept}"
                return self._add_cte("semi_joined", select, columns_of(rows), one)
            case Windowed():
                return self._make_windows(rows)
            case _:
                assert_never(rows)

    def _reader(self, relation: Relation) -> Reader:
        return relation.reader(self.numbers)

    def _add_cte(
        self, node: str, select: str, columns: Sequence[Column], owner: Relation
    ) -> Relation:
        """A common table expression that is named after the node whose rows it gives."""
        name = self._name_cte(node, select)
        found = {
            column.name: (alias(f"c{i}", column.name), type_name(column.kind))
            for i, column in enumerate(columns)
        }
        assert len(found) == len(columns), "no two columns share a name"
        known = owner.unit, None, owner.numbered, owner.names
        return Relation(name, found, *known, dialect=self.dialect)

    def _name_cte(self, node: str, select: str, *, materialized: bool | None = None) -> str:
        name = f"{node}_{len(self.ctes)}"
        self.ctes.append(cte(name, select, materialized=materialized))
        return name

    def _define_columns(self, columns: Sequence[Defined], read_column: Reader) -> list[str]:
        """The cells of a row; NULL for those that nobody looks at."""
        return [
            render(value, read_column)
            if self.bounds.reads(name)
            else self.dialect.literal(None, type_of(value).kind)
            for name, value in ((each.name, each.value) for each in columns)
        ]

    def _scan(self, table: Table) -> Relation:
        relation = self.relations.get(table.name)
        if relation is None or not all(_knows(relation, column) for column in table.columns):
            raise EngineFailed
        read = self._reader(relation)
        cells = self._define_columns(
            [Defined(column.name, Field(column)) for column in table.columns], read
        )
        select, unit = _name_cells(cells, table.columns), None
        conditions = scan_conditions(table.columns, read)
        if owner_of(Scan(table)) is Owner.UNIT:
            if relation.unit is None:
                raise EngineFailed
            who = read_unit(quote_name(relation.unit[0]), relation.unit[1], self.dialect)
            select, unit = [f"{who} AS unit", *select], ("unit", relation.unit[1])
            conditions.insert(0, f"{who} IS NOT NULL")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = (
            f"SELECT {', '.join(select) or '1 AS nothing'} FROM {quote_name(relation.name)}{where}"
        )
        owner = Relation("", {}, unit, None, relation.numbered, relation.names)
        return self._add_cte("scanned", rows, table.columns, owner)

    def _inner(self, rows: Inner) -> Relation:
        found = self.relation(rows.rows)
        read = self._reader(found)
        keys = [f"key_{i}" for i in range(len(rows.keys))]
        values = [
            f"{render(key.value, read)} AS {name}"
            for key, name in zip(rows.keys, keys, strict=True)
        ]
        values += [
            f"{value} AS value_{i}"
            for i, fold in enumerate(rows.folds)
            if (value := row_term(fold, read))
        ]
        who = ["unit"] if found.unit else []  # of public rows, which values there are
        taken = f"SELECT {', '.join([*who, *values])} FROM {found.name}"
        by = ", ".join([*who, *keys])
        totals = [
            total
            for i, fold in enumerate(rows.folds)
            for total in fold_totals(i, fold, self.dialect)
        ]
        grouped = f"SELECT {', '.join([by, *totals])} FROM ({taken}) AS taken GROUP BY {by}"
        cells = [*keys, *(clamp_fold(i, fold, self.dialect) for i, fold in enumerate(rows.folds))]
        select = f"SELECT {_list_cells(cells, columns_of(rows), found)} FROM ({grouped}) AS totals"
        return self._add_cte("folded", select, columns_of(rows), found)

    def _make_union(self, rows: Stacked) -> Relation:
        found = [self.relation(part) for part in rows.parts]
        unit, columns = _one_unit(found), columns_of(rows)
        selects = []
        for one in found:
            cells = [one.columns[column.name][0] for column in columns]
            select = _name_cells(cells, columns)
            if unit and one.unit:
                who = (
                    "unit"
                    if unit[1] == one.unit[1]
                    else self._cast_unit("unit", unit[1]) + " AS unit"
                )
                select = [who, *select]
            selects.append(f"SELECT {', '.join(select) or '1 AS nothing'} FROM {one.name}")
        owner = Relation("", {}, unit, None, found[0].numbered, found[0].names)
        return self._add_cte("stacked", " UNION ALL ".join(selects), columns, owner)

    def _make_join(self, rows: Joined) -> Relation:
        one, two = self.relation(rows.left), self.relation(rows.right)
        columns = columns_of(rows)
        places = {name: f"left_side.{cell}" for name, (cell, _) in one.columns.items()}
        places |= {name: f"right_side.{cell}" for name, (cell, _) in two.columns.items()}
        assert len(places) == len(columns), "no column is on both sides"
        kinds = {column.name: type_name(column.kind) for column in columns}

        def either_side(column: Column) -> str:
            return read_cell(places[column.name], kinds[column.name], column, self.dialect)

        read = Reader(either_side, self.numbers, self.dialect)
        conditions = [render(Compared("=", left, right), read) for left, right in rows.on]
        if owner_of(rows.right) is not Owner.NOBODY:
            conditions.insert(0, self._same_unit(one, two))
        named = _name_cells([places[column.name] for column in columns], columns)
        select = ", ".join([*(["left_side.unit AS unit"] if one.unit else []), *named])
        left = one.name
        if self.bounds.limits(rows):
            crowded = self._list_crowded(rows, one, two)
            left = f"(SELECT * FROM {self.dialect.semi_join(one.name, crowded, anti=True)})"
        join = f"{left} AS left_side {'LEFT ' if rows.outer else ''}JOIN {two.name} AS right_side"
        on = " AND ".join(conditions) or "TRUE"
        return self._add_cte(
            "joined", f"SELECT {select or '1 AS nothing'} FROM {join} ON {on}", columns, one
        )

    def _list_crowded(self, rows: Joined, one: Relation, two: Relation) -> str:
        """The part that lists the units which are left out of a join, for they would have too many pairs in it."""
        ours = _side(rows.left, one, [pair[0] for pair in rows.on], self._reader(one))
        theirs = _side(rows.right, two, [pair[1] for pair in rows.on], self._reader(two))
        public = owner_of(rows.right) is Owner.NOBODY
        same = None if public else self._same_unit(one, two)
        partners = self.bounds.partners(rows) if public else 0
        among = self._name_cte(
            "suspected", suspects_sql(ours, theirs, same, partners), materialized=True
        )
        if not public and not rows.on:
            return among
        return self._name_cte("crowded", crowded_sql(ours, theirs, same, among), materialized=True)

    def _make_windows(self, rows: Windowed) -> Relation:
        """The rows with what windows add.

        Claim:      which rows come out depends on no order in which rows lie.
        Because:    rows that are alike are told apart by several windows, so that all of them must take such rows in
                    the same order: their `row_place` among all rows of the unit, which completes every order.
        Checked by: tests/attacks/test_rows_that_are_alike.py
        """
        found = self.relation(rows.rows)
        cells = [cell for cell, _ in found.columns.values()]
        several = (
            sum(isinstance(each, Placed) and each.place not in PEERS for each in rows.columns) > 1
        )
        read = self._reader(found)
        extra, seen, held = [row_place(cells)] if several else [], [], []
        for i, window in enumerate(rows.columns):
            extra += [
                f"{value} AS {name}" for name, value in window_inputs(i, window, read).items()
            ]
            seen += window_columns(i, window, ["row_place"] if several else cells, self.dialect)
            held.append(
                clamp_fold(i, window.folded, self.dialect)
                if isinstance(window, Running)
                else f"window_{i}"
            )
        taken = f"SELECT {', '.join(['unit', *cells, *extra])} FROM {found.name}"
        looked = f"SELECT {', '.join(['unit', *cells, *seen])} FROM ({taken}) AS taken"
        listed = _list_cells([*cells, *held], columns_of(rows), found)
        select = f"SELECT {listed} FROM ({looked}) AS looked"
        return self._add_cte("windowed", select, columns_of(rows), found)

    def _same_unit(self, one: Relation, two: Relation) -> str:
        """The condition that two rows are of the same unit."""
        unit = _one_unit([one, two])
        assert unit is not None, "both sides have units"
        sides = [
            f"{side}.unit"
            if relation.unit and relation.unit[1] == unit[1]
            else self._cast_unit(f"{side}.unit", unit[1])
            for side, relation in (("left_side", one), ("right_side", two))
        ]
        return " = ".join(sides)

    def _cast_unit(self, unit: str, stored: str) -> str:
        return f"CAST({unit} AS {self.dialect.type(stored)})"


def _knows(relation: Relation, column: Column) -> bool:
    stored = relation.columns.get(column.name)
    return stored is not None and column.kind in kinds_of(stored[1])


def _side(rows: Rows, found: Relation, keys: Sequence[Expression], read: Reader) -> Side:
    """One side of a join, as it is counted."""
    texts = [
        found.columns[column.name][0] for column in columns_of(rows) if column.kind is Kind.TEXT
    ]
    rendered = tuple(render(key, read) for key in keys)
    kinds = tuple(type_of(key).kind for key in keys)
    return Side(found.name, size_sql(texts, read.dialect), rendered, kinds, read.dialect)


def _name_cells(cells: Sequence[str], columns: Sequence[Column]) -> list[str]:
    return [
        f"{cell} AS {alias(f'c{i}', column.name)}"
        for i, (cell, column) in enumerate(zip(cells, columns, strict=True))
    ]


def _list_cells(cells: Sequence[str], columns: Sequence[Column], owner: Relation) -> str:
    named = _name_cells(cells, columns)
    return ", ".join([*(["unit"] if owner.unit else []), *named]) or "1 AS nothing"


# ---------------------------------------------------------------- units of several tables


def _one_unit(relations: Sequence[Relation]) -> tuple[str, str] | None:
    """As what the units of several relations are known from each other: as they are, or as texts.

    Claim:      a unit that two relations have is one unit, whatever they store it as.
    Because:    what is stored alike is compared as it is; integers and texts are compared as texts, of which an integer
                has one; numbers, days and moments have several, and are refused beside others.
    Checked by: tests/attacks/test_units_of_several_types.py
    """
    if len({relation.numbered for relation in relations}) > 1:
        refuse_own_numbers()
    stored = {relation.unit[1] for relation in relations if relation.unit}
    if not stored:
        return None
    if len(stored) == 1:
        return "unit", stored.pop()
    check_units_alike(stored)
    return "unit", "VARCHAR"
