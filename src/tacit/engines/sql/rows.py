"""Rows as SQL for DuckDB: one common table expression for every node of the plan."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from tacit.engines.sql.casts import (
    check_units_alike,
    kinds_of,
    read_cell,
    read_unit,
    refuse_own_numbers,
    scan_conditions,
)
from tacit.engines.sql.expressions import (
    Reader,
    clamp_sql,
    double,
    literal,
    quote_name,
    render,
    type_name,
    whole,
)
from tacit.engines.sql.join_pairs import Side, crowded_sql, size_sql, suspects_sql
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.sums import steps
from tacit.engines.work_bounds import Bounds
from tacit.errors import EngineFailed
from tacit.plan import (
    Column,
    Compared,
    Computed,
    Defined,
    Expression,
    Field,
    Folded,
    Folding,
    Inner,
    Joined,
    Kept,
    Kind,
    Owner,
    Place,
    Placed,
    Rows,
    Running,
    Scan,
    Stacked,
    Table,
    Where,
    Window,
    Windowed,
    columns_of,
    owner_of,
    steps_of,
    type_of,
)

__all__ = ["Nest"]

_PEERS = {Place.RANK, Place.DENSE}  # which treat rows alike that their order does not tell apart


@dataclass(slots=True)
class Nest:
    """The parts of a WITH clause, each of which gives the rows of a node: columns c0, c1, … and their unit u.

    Claim:      the rows of a part are those that the memory engine yields, and no row can make it fail.
    Because:    every column is read as `read` reads it, every expression is that of `rendered`; totals are integers of
                128 bits that are held before they are made narrower; every order that decides a value is completed by
                all columns, so that neither threads nor the order of rows can be seen.
    Checked by: tests/laws/test_rows.py::test_memory_and_duckdb_yield_the_same_rows
    """

    relations: Mapping[str, Relation]
    bounds: Bounds
    parts: list[str] = field(default_factory=list)
    _found: dict[Rows, Relation] = field(default_factory=dict)

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
                select = f"SELECT * FROM {found.name} WHERE {render(condition, reader(found))}"
                return self._part(select, columns_of(rows), found)
            case Computed(inner, columns):
                found = self.relation(inner)
                select = f"SELECT {_list_cells(self._define_columns(columns, reader(found)), found)} FROM {found.name}"
                return self._part(select, columns_of(rows), found)
            case Inner():
                return self._inner(rows)
            case Stacked():
                return self._make_union(rows)
            case Joined():
                return self._make_join(rows)
            case Kept(inner, among, present):
                one, two = self.relation(inner), self.relation(among)
                same, _ = _same_unit(one, two)
                join = "SEMI" if present else "ANTI"
                select = f"SELECT l.* FROM {one.name} AS l {join} JOIN {two.name} AS r ON {same}"
                return self._part(select, columns_of(rows), one)
            case Windowed():
                return self._make_windows(rows)
            case _:
                assert_never(rows)

    def _part(self, select: str, columns: Sequence[Column], owner: Relation) -> Relation:
        """A part of the WITH clause whose columns are c0, c1, … in their order."""
        name = self._name_part(select)
        found = {column.name: (f"c{i}", type_name(column.kind)) for i, column in enumerate(columns)}
        assert len(found) == len(columns), "no two columns share a name"
        return Relation(name, found, owner.unit, None, owner.numbered, owner.names)

    def _name_part(self, select: str, kept: str = "") -> str:
        """The name of a part of the WITH clause."""
        name = f"r{len(self.parts)}"
        self.parts.append(f"{name} AS {kept}({select})")
        return name

    def _define_columns(self, columns: Sequence[Defined], read_column: Reader) -> list[str]:
        """The cells of a row; NULL for those that nobody looks at."""
        return [
            render(value, read_column)
            if self.bounds.reads(name)
            else literal(None, type_of(value).kind)
            for name, value in ((each.name, each.value) for each in columns)
        ]

    def _scan(self, table: Table) -> Relation:
        relation = self.relations.get(table.name)
        if relation is None or not all(_knows(relation, column) for column in table.columns):
            raise EngineFailed
        cells = self._define_columns(
            [Defined(column.name, Field(column)) for column in table.columns], reader(relation)
        )
        select, unit = [f"{cell} AS c{i}" for i, cell in enumerate(cells)], None
        conditions = scan_conditions(table.columns, reader(relation))
        if owner_of(Scan(table)) is Owner.UNIT:
            if relation.unit is None:
                raise EngineFailed
            who = read_unit(quote_name(relation.unit[0]), relation.unit[1])
            select, unit = [f"{who} AS u", *select], ("u", relation.unit[1])
            conditions.insert(0, f"{who} IS NOT NULL")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = (
            f"SELECT {', '.join(select) or '1 AS nothing'} FROM {quote_name(relation.name)}{where}"
        )
        return self._part(
            rows, table.columns, Relation("", {}, unit, None, relation.numbered, relation.names)
        )

    def _inner(self, rows: Inner) -> Relation:
        found = self.relation(rows.rows)
        values = [f"{render(key.value, reader(found))} AS k{i}" for i, key in enumerate(rows.keys)]
        values += [
            f"{value} AS v{i}"
            for i, fold in enumerate(rows.folds)
            if (value := _term(fold, reader(found)))
        ]
        taken = f"SELECT {', '.join(['u', *values])} FROM {found.name}"
        keys = ["u", *(f"k{i}" for i in range(len(rows.keys)))]
        totals = [total for i, fold in enumerate(rows.folds) for total in _totals(i, fold)]
        grouped = f"SELECT {', '.join([*keys, *totals])} FROM ({taken}) GROUP BY {', '.join(keys)}"
        cells = [*keys[1:], *(_clamp_fold(i, fold) for i, fold in enumerate(rows.folds))]
        return self._part(
            f"SELECT {_list_cells(cells, found)} FROM ({grouped})", columns_of(rows), found
        )

    def _make_union(self, rows: Stacked) -> Relation:
        found = [self.relation(part) for part in rows.parts]
        unit, columns = _one_unit(found), columns_of(rows)
        selects = []
        for one in found:
            cells = [one.columns[column.name][0] for column in columns]
            who = (
                f"CAST(u AS {unit[1]}) AS u, "
                if unit and one.unit and unit[1] != one.unit[1]
                else "u, "
                if unit
                else ""
            )
            named = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))
            selects.append(f"SELECT {who}{named or '1 AS nothing'} FROM {one.name}")
        owner = Relation("", {}, unit, None, found[0].numbered, found[0].names)
        return self._part(" UNION ALL ".join(selects), columns, owner)

    def _make_join(self, rows: Joined) -> Relation:
        one, two = self.relation(rows.left), self.relation(rows.right)
        columns = columns_of(rows)
        places = {name: f"l.{cell}" for name, (cell, _) in one.columns.items()}
        places |= {name: f"r.{cell}" for name, (cell, _) in two.columns.items()}
        assert len(places) == len(columns), "no column is on both sides"
        kinds = {column.name: type_name(column.kind) for column in columns}

        def either(column: Column) -> str:
            return read_cell(places[column.name], kinds[column.name], column)

        conditions = [render(Compared("=", left, right), either) for left, right in rows.on]
        if owner_of(rows.right) is not Owner.NOBODY:
            conditions.insert(0, _same_unit(one, two)[0])
        named = [f"{places[column.name]} AS c{i}" for i, column in enumerate(columns)]
        select = ", ".join([*(["l.u AS u"] if one.unit else []), *named]) or "1 AS nothing"
        left = one.name
        if self.bounds.limits(rows):
            left = f"(SELECT * FROM {one.name} ANTI JOIN {self._list_crowded(rows, one, two)} USING (u))"
        join = f"{left} AS l {'LEFT ' if rows.outer else ''}JOIN {two.name} AS r"
        return self._part(
            f"SELECT {select} FROM {join} ON {' AND '.join(conditions) or 'TRUE'}", columns, one
        )

    def _list_crowded(self, rows: Joined, one: Relation, two: Relation) -> str:
        """The part that lists the units which are left out of a join, for they would have too many pairs in it."""
        ours = _side(rows.left, one, [pair[0] for pair in rows.on])
        theirs = _side(rows.right, two, [pair[1] for pair in rows.on])
        public = owner_of(rows.right) is Owner.NOBODY
        same = None if public else _same_unit(one, two)[0]
        partners = self.bounds.partners(rows) if public else 0
        among = self._name_part(suspects_sql(ours, theirs, same, partners), "MATERIALIZED ")
        return (
            self._name_part(crowded_sql(ours, theirs, same, among), "MATERIALIZED ")
            if public or rows.on
            else among
        )

    def _make_windows(self, rows: Windowed) -> Relation:
        """The rows with what windows add.

        Claim:      which rows come out depends on no order in which rows lie.
        Because:    rows that are alike are told apart by several windows, so that all of them must take such rows in
                    the same order: their places `z` among all rows of the unit, which complete every order.
        Checked by: tests/attacks/test_rows_that_are_alike.py
        """
        found = self.relation(rows.rows)
        cells = [cell for cell, _ in found.columns.values()]
        several = (
            sum(isinstance(each, Placed) and each.place not in _PEERS for each in rows.columns) > 1
        )
        extra, seen, held = [_row_number(cells)] if several else [], [], []
        for i, window in enumerate(rows.columns):
            extra += [
                f"{value} AS {name}" for name, value in _looked_at(i, window, reader(found)).items()
            ]
            seen += _window_columns(i, window, ["z"] if several else cells)
            held.append(_clamp_fold(i, window.folded) if isinstance(window, Running) else f"a{i}")
        taken = f"SELECT {', '.join(['u', *cells, *extra])} FROM {found.name}"
        looked = f"SELECT {', '.join(['u', *cells, *seen])} FROM ({taken})"
        return self._part(
            f"SELECT {_list_cells([*cells, *held], found)} FROM ({looked})", columns_of(rows), found
        )


def reader(relation: Relation) -> Reader:
    """How the columns of a relation are read."""

    def column_read(column: Column) -> str:
        name, stored = relation.columns[column.name]
        return read_cell(quote_name(name), stored, column)

    return column_read


def _knows(relation: Relation, column: Column) -> bool:
    stored = relation.columns.get(column.name)
    return stored is not None and column.kind in kinds_of(stored[1])


def _side(rows: Rows, found: Relation, keys: Sequence[Expression]) -> Side:
    """One side of a join, as it is counted."""
    texts = [
        found.columns[column.name][0] for column in columns_of(rows) if column.kind is Kind.TEXT
    ]
    rendered_keys = tuple(render(key, reader(found)) for key in keys)
    return Side(
        found.name, size_sql(texts), rendered_keys, tuple(type_of(key).kind for key in keys)
    )


def _list_cells(cells: Sequence[str], owner: Relation) -> str:
    named = [f"{cell} AS c{i}" for i, cell in enumerate(cells)]
    return ", ".join([*(["u"] if owner.unit else []), *named]) or "1 AS nothing"


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
        return "u", stored.pop()
    check_units_alike(stored)
    return "u", "VARCHAR"


def _same_unit(one: Relation, two: Relation) -> tuple[str, str]:
    """The condition that two rows are of the same unit, and as what units are compared."""
    unit = _one_unit([one, two])
    assert unit is not None, "both sides have units"
    sides = [
        f"{side}.u"
        if relation.unit and relation.unit[1] == unit[1]
        else f"CAST({side}.u AS {unit[1]})"
        for side, relation in (("l", one), ("r", two))
    ]
    return " = ".join(sides), unit[1]


# ---------------------------------------------------------------- what rows of one unit become


def _term(fold: Folded, read_column: Reader) -> str | None:
    """What one row adds to what is folded."""
    if fold.value is None:
        return None
    value = render(fold.value, read_column)
    return steps(steps_of(fold), value) if fold.fold in {Folding.SUM, Folding.MEAN} else value


def _totals(i: int, fold: Folded, over: str = "") -> list[str]:
    """The totals from which what is folded is made; `over` is the window that they are taken in."""
    match fold.fold:
        case Folding.COUNT:
            return [f"count({'*' if fold.value is None else f'v{i}'}){over} AS n{i}"]
        case Folding.DISTINCT:
            return [f"count(DISTINCT v{i}){over} AS n{i}"]
        case Folding.SUM:
            return [f"sum(v{i}){over} AS a{i}"]
        case Folding.MEAN:
            return [f"sum(v{i}){over} AS a{i}", f"count(v{i}){over} AS n{i}"]
        case Folding.LEAST:
            return [f"min(v{i}){over} AS a{i}"]
        case Folding.GREATEST:
            return [f"max(v{i}){over} AS a{i}"]
        case _:
            assert_never(fold.fold)


def _clamp_fold(i: int, fold: Folded) -> str:
    """What is folded, from its totals, held between its bounds."""
    match fold.fold:
        case Folding.COUNT | Folding.DISTINCT:
            low, high = fold.column.low, fold.column.high
            return clamp_sql(f"n{i}", Kind.INTEGER, int(Fraction(low)), int(Fraction(high)))  # type: ignore[arg-type]
        case Folding.LEAST | Folding.GREATEST:
            return f"a{i}"
        case Folding.SUM:
            low, high = (
                int(Fraction(end) / fold.step)  # type: ignore[arg-type]
                for end in (fold.column.low, fold.column.high)
            )
            total = f"TRY_CAST({clamp_sql(f'a{i}', Kind.INTEGER, low, high)} AS BIGINT)"
        case Folding.MEAN:
            least = whole(steps_of(fold).low)
            above = f"(2 * (a{i} - {least}::HUGEINT * n{i}) + n{i})"
            total = f"TRY_CAST(CASE WHEN n{i} > 0 THEN {least} + {above} // (2 * n{i}::HUGEINT) END AS BIGINT)"
        case _:
            assert_never(fold.fold)
    return (
        total
        if fold.column.kind is Kind.INTEGER
        else f"(CAST({total} AS DOUBLE) * {double(float(fold.step))})"
    )


def _looked_at(i: int, window: Window, read_column: Reader) -> dict[str, str]:
    """What a window needs of every row: by what it is divided and ordered, and the value that is looked at."""
    found = {f"b{i}_{j}": render(part, read_column) for j, part in enumerate(window.by)}
    found |= {f"o{i}_{j}": render(by.value, read_column) for j, by in enumerate(window.order)}
    value = window.folded.value if isinstance(window, Running) else window.value
    if isinstance(window, Running) and (term := _term(window.folded, read_column)):
        found[f"v{i}"] = term
    elif value is not None:
        found[f"v{i}"] = render(value, read_column)
    return found


def _row_number(cells: Sequence[str]) -> str:
    """The place of every row among those of its unit, in the order of all columns."""
    order = ", ".join(f"{cell} ASC NULLS LAST" for cell in cells) or "1"
    return f"row_number() OVER (PARTITION BY u ORDER BY {order}) AS z"


def _window_columns(i: int, window: Window, cells: Sequence[str]) -> list[str]:
    """What a window sees, as columns a0, a1, … and n0, n1, …; `cells` complete its order."""
    within = ", ".join(["u", *(f"b{i}_{j}" for j in range(len(window.by)))])
    order = [
        f"o{i}_{j} {'DESC' if by.descending else 'ASC'} NULLS LAST"
        for j, by in enumerate(window.order)
    ]
    if isinstance(window, Running):
        by = f" ORDER BY {', '.join(order)}" if order else ""
        return _totals(i, window.folded, f" OVER (PARTITION BY {within}{by})")
    if window.place not in _PEERS:
        order += [f"{cell} ASC NULLS LAST" for cell in cells]
    over = f"OVER (PARTITION BY {within} ORDER BY {', '.join(order) or '1'})"
    match window.place:
        case Place.NUMBER:
            return [f"row_number() {over} AS a{i}"]
        case Place.RANK:
            return [f"rank() {over} AS a{i}"]
        case Place.DENSE:
            return [f"dense_rank() {over} AS a{i}"]
        case Place.BEFORE:
            return [f"lag(v{i}, {window.offset:d}) {over} AS a{i}"]
        case Place.AFTER:
            return [f"lead(v{i}, {window.offset:d}) {over} AS a{i}"]
        case _:
            assert_never(window.place)
