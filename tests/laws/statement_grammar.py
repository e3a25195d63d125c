"""Writes SQL, typed by construction: deep questions over several private tables of one unit, rows that are units, and
public tables.

A statement is the text that an analyst would send; nothing here knows plans.  What is written usually has the bounds
that a question needs, so that most statements are accepted, and says which features it used.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from tacit.plan import NO_PARAMETERS, Column, Kind, Parameters
from tests.laws.statement_expressions import (
    BOOLEAN,
    INTEGER,
    KINDS,
    LETTERS,
    NUMBER,
    TEXT,
    ExpressionWriter,
    Named,
    Source,
)
from tests.laws.statement_tables import DOSES, LABS, TABLES, TRIPS, VISITS, WARDS

__all__ = ["FEATURES", "TABLES", "Statement", "write_statement"]

_FLAT, _DEEP = (0, 0, 1, 1, 1, 1, 1, 2, 2, 4), (0, 1, 2, 2, 3, 3, 4, 5, 6)  # how far questions nest
_WIDEST = 4  # tables that are joined: a unit of many rows has that power of them

FEATURES = (
    *(
        "derived table",
        "deep nesting",
        "common table",
        "common table twice",
        "self join",
        "join of private tables",
    ),
    *(
        "join of a public table",
        "outer join",
        "comma join",
        "union all",
        "union",
        "distinct rows",
        "per unit",
    ),
    *(
        "per unit and key",
        "having per unit",
        "window",
        "lag",
        "window sum",
        "qualify rows",
        "unit in",
        "unit not in",
    ),
    *(
        "exists",
        "not exists",
        "unit flag",
        "public in",
        "row units",
        "known key",
        "several keys",
        "key of null",
    ),
    *(
        "unknown key",
        "several unknown keys",
        "cast",
        "date function",
        "decimal",
        "like",
        "case tower",
        "between",
        "in",
    ),
    *(
        "coalesce",
        "nullif",
        "greatest",
        "distinct values",
        "distinct units",
        "rank",
        "moment",
        "sum",
        "mean",
        "filter",
    ),
    *(
        "named window",
        "join of three",
        "hostile",
        "released expression",
        "window over groups",
        "having",
        "order",
        "limit",
        "question around a release",
    ),
)
"""What a statement may use; each is found among the accepted ones."""


@dataclass(frozen=True)
class Statement:
    """A text, what it uses, whether every engine gives its last bits, and what its parameters are bound to.

    `constant` is the text with constants in the place of parameters, if it has some.  Where `is_pure`, keys that are
    not public are discovered without a delta.
    """

    text: str
    features: frozenset[str]
    exact: bool
    finding: bool
    bound: Parameters = NO_PARAMETERS
    constant: str = ""
    is_pure: bool = False


@dataclass(frozen=True)
class Selected:
    """A SELECT of rows: its columns by name, its unit's column, and whose the rows are."""

    text: str
    columns: tuple[Named, ...]
    unit: str | None
    owner: str
    levels: int = 1
    width: int = 1


def quote(name: str) -> str:
    return f'"{name}"' if not name.isidentifier() or name == "Two Words" else name


def reach_of(column: Column) -> float | None:
    if (
        column.kind in {Kind.INTEGER, Kind.NUMBER}
        and column.low is not None
        and column.high is not None
    ):
        return max(abs(float(end)) for end in (column.low, column.high) if isinstance(end, int))
    return None


@dataclass
class Writer(ExpressionWriter):
    """Writes one statement."""

    finding: bool = False
    deep: bool = False
    common: list[tuple[str, Selected]] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def make_alias(self) -> str:
        """What something in FROM is called."""
        if self.is_hostile():
            return self.dice.choice([*TABLES, "r1", "r2"])
        return self.make_name("r")

    def make_name(self, prefix: str) -> str:
        """A name that is used nowhere else."""
        self.number += 1
        return f"{prefix}{self.number}"

    def write_where(self, scope: Source, depth: int, *, subqueries: bool = True) -> str:
        """A WHERE clause, or nothing."""
        parts = []
        if self.happens(0.35):
            parts.append(self.write_condition(scope, self.dice.choice([0, 0, 1, 2])))
        if subqueries and self.happens(0.2):
            parts.append(self.write_lookup(scope, depth))
        parts = [part for part in parts if part]
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def write_lookup(self, scope: Source, depth: int) -> str:
        """A condition on the unit, or on what a public table holds."""
        if scope.owner == "row" or self.happens(0.15):
            columns = [
                each for each in scope.columns if each.kind == TEXT and each.values == len(WARDS)
            ]
            if not columns:
                return ""
            self.features.add("public in")
            return (
                f"{self.dice.choice(columns).text} IN (SELECT ward FROM stations WHERE floor < 3)"
            )
        other = self.write_source(max(0, depth - 1), owner="unit")
        if self.happens(0.5):
            how = self.dice.choice(["IN", "NOT IN"])
            self.features.add("unit in" if how == "IN" else "unit not in")
            if self.is_hostile():
                one, two = (
                    self.dice.choice(scope.columns).text,
                    self.dice.choice(other.columns).text,
                )
                left, right = self.dice.choice([(one, two), (scope.unit, two), (one, other.unit)])
                return f"{left} {how} (SELECT {right} FROM {other.text})"
            where = self.write_where(other, 0, subqueries=False)
            return f"{scope.unit} {how} (SELECT {other.unit} FROM {other.text}{where})"
        how = self.dice.choice(["EXISTS", "NOT EXISTS"])
        self.features.add(how.lower())
        more = f" AND {self.write_condition(other, 0)}" if self.happens(0.5) else ""
        if self.is_hostile():
            one, two = self.dice.choice(scope.columns).text, self.dice.choice(other.columns).text
            more = self.dice.choice(
                [f" AND {one} = {two}", f" OR {one} = {two}", f" OR {other.unit} <> {scope.unit}"]
            )
        return f"{how} (SELECT 1 FROM {other.text} WHERE {other.unit} = {scope.unit}{more})"

    # ------------------------------------------------------------ rows

    def write_source(self, depth: int, *, owner: str) -> Source:
        """What may stand in FROM, under a name of its own."""
        known = [(name, each) for name, each in self.common if each.owner == owner]
        if known and self.happens(0.35):
            name, selected = self.dice.choice(known)
            self.used[name] = self.used.get(name, 0) + 1
            if self.used[name] > 1:
                self.features.add("common table twice")
            return self.name_source(name, selected)
        if depth <= 0 or self.happens(0.1):
            return self.write_table(owner)
        selected = self.write_selection(depth, owner)
        if self.happens(0.3) and len(self.common) < 3:
            name = self.make_name("w")
            if self.is_hostile() and (free := set(TABLES) - {taken for taken, _ in self.common}):
                # which the rest of the text may mean as a table
                name = self.dice.choice(sorted(free))
            self.common.append((name, selected))
            self.used[name] = 1
            self.features.add("common table")
            return self.name_source(name, selected)
        self.features.add("derived table")
        return self.name_source(f"({selected.text})", selected)

    def name_source(self, text: str, selected: Selected) -> Source:
        """A selection under a name."""
        alias = self.make_alias()
        columns = tuple(replace(each, text=f"{alias}.{each.text}") for each in selected.columns)
        unit = None if selected.unit is None else f"{alias}.{selected.unit}"
        return Source(
            f"{text} AS {alias}", columns, unit, selected.owner, selected.levels, selected.width
        )

    def write_table(self, owner: str) -> Source:
        """A table under a name."""
        tables = {"unit": (VISITS, VISITS, VISITS, DOSES, DOSES, LABS), "row": (TRIPS,)}[owner]
        table = self.dice.choice(tables)
        if owner == "row":
            self.features.add("row units")
        alias = self.make_alias()
        columns = tuple(
            Named(
                f"{alias}.{quote(column.name)}",
                LETTERS[column.kind],
                reach_of(column),
                None if column.values is None else len(column.values) + column.other,
            )
            for column in table.columns
            if column.name != table.unit or self.happens(0.3)
        )
        return Source(
            f"{table.name} AS {alias}", columns, table.unit and f"{alias}.{table.unit}", owner
        )

    def write_selection(self, depth: int, owner: str) -> Selected:
        """Rows of rows."""
        shapes = ["project", "project", "union all", "public"]
        if owner == "row":
            shapes += ["union all", "union all"]
        else:
            shapes += [
                "fold",
                "fold",
                "window",
                "window",
                "distinct",
                "union",
                "join",
                "join",
                "self join",
                "flag",
            ]
        shape = self.dice.choice(shapes)
        return (
            {
                "project": self.write_projection,
                "fold": self.write_totals,
                "window": self.write_windows,
                "distinct": self.write_distinct,
                "union all": self.write_union,
                "union": self.write_union,
                "join": self.write_join,
                "self join": self.write_self_join,
                "public": self.write_public_join,
                "flag": self.write_flag,
            }[shape](depth, owner)
            if shape != "union"
            else self.write_union(depth, owner, distinct=True)
        )

    def write_columns(
        self, scope: Source, depth: int, count: int, kinds: str = ""
    ) -> tuple[list[str], tuple[Named, ...]]:
        """Some columns, kept as they are or calculated: what is written, and what they are called."""
        texts, columns = [], []
        for place in range(count):
            kind = kinds[place] if kinds else self.dice.choice("iinnttbdm")
            if not kinds and self.happens(0.6):
                found = self.dice.choice(scope.columns)
            elif kinds:
                found = self.write_value(kind, scope, depth)
            else:
                found = self.write_varying(
                    lambda kind=kind: self.write_value(kind, scope, depth),  # type: ignore[misc]
                    scope,
                )
            name = self.make_name("c")
            if self.is_hostile():
                name = self.dice.choice(["person", "who", "id", "ward"])
            texts.append(f"{found.text} AS {name}")
            columns.append(replace(found, text=name))
        return texts, tuple(columns)

    def write_unit(self, scope: Source) -> tuple[list[str], str | None]:
        """How a source's unit is handed on."""
        if scope.unit is None:
            return [], None
        name, unit = self.make_name("u"), scope.unit
        if self.is_hostile():
            others = [each.text for each in scope.columns]
            forms = [
                "LOWER({})",
                "COALESCE({}, {})",
                "CAST({} AS VARCHAR)",
                "CASE WHEN {1} IS NULL THEN {0} END",
                "{1}",
            ]
            form = self.dice.choice(
                [*forms, "COALESCE({}, {1})", "CONCAT({}, '')", "{0} || {0}", "ABS({})"]
            )
            other = self.dice.choice(others)
            unit = form.replace("{0}", unit).replace("{1}", other).replace("{}", unit)
        if self.is_hostile():
            name = self.dice.choice(["ward", "person", "who", "id", "age", "value"])
        return [f"{unit} AS {name}"], name

    def write_projection(self, depth: int, owner: str) -> Selected:
        """Calculated columns of filtered rows."""
        scope = self.write_source(depth - 1, owner=owner)
        texts, columns = self.write_columns(
            scope, self.dice.choice([0, 1, 2]), self.dice.randint(2, 4)
        )
        own, unit = self.write_unit(scope)
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{self.write_where(scope, depth - 1)}"
        return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)

    def write_totals(self, depth: int, owner: str) -> Selected:
        """What a unit's rows add up to, perhaps for each of its keys."""
        scope = self.write_source(depth - 1, owner=owner)
        own, unit = self.write_unit(scope)
        keys, named = self.write_columns(scope, 1, self.dice.choice([0, 0, 1, 2]))
        self.features.add("per unit and key" if keys else "per unit")
        folds = [self.write_total(scope) for _ in range(self.dice.randint(1, 3))]
        texts = [f"{fold.text} AS {self.make_name('c')}" for fold in folds]
        columns = tuple(
            replace(fold, text=text.rpartition(" ")[2])
            for fold, text in zip(folds, texts, strict=True)
        )
        groups = ", ".join([str(scope.unit), *(key.rpartition(" AS ")[0] for key in keys)])
        if self.is_hostile():
            groups = self.dice.choice(
                [f"LOWER({scope.unit})", self.dice.choice(scope.columns).text, groups + ", 1"]
            )
        having = ""
        if self.happens(0.3):
            self.features.add("having per unit")
            having = f" HAVING {self.dice.choice(['COUNT(*) > 1', 'COUNT(*) < 4', f'{folds[0].text} IS NOT NULL'])}"
        where = self.write_where(scope, depth - 1)
        text = f"SELECT {', '.join([*own, *keys, *texts])} FROM {scope.text}{where} GROUP BY {groups}{having}"
        return Selected(text, (*named, *columns), unit, owner, scope.levels + 1, scope.width)

    def write_total(self, scope: Source) -> Named:
        """One number or value of many rows of a unit."""
        match self.dice.choice(
            ["count", "count some", "sum", "sum", "avg", "min", "max", "distinct"]
        ):
            case "count":
                return Named("COUNT(*)", INTEGER, 100.0)
            case "count some":
                return Named(
                    f"COUNT({self.write_leaf(self.dice.choice(KINDS), scope).text})", INTEGER, 100.0
                )
            case "distinct":
                return Named(
                    f"COUNT(DISTINCT {self.write_leaf(self.dice.choice('int'), scope).text})",
                    INTEGER,
                    100.0,
                )
            case "sum":
                value = self.write_bounded(self.dice.choice("in"), scope, 1)
                return Named(f"SUM({value.text})", NUMBER, (value.reach or 1) * 100)
            case "avg":
                value = self.write_bounded(self.dice.choice("in"), scope, 1)
                return Named(f"AVG({value.text})", NUMBER, value.reach)
            case how:
                value = self.write_value(self.dice.choice("indtm"), scope, 1)
                return Named(f"{how.upper()}({value.text})", value.kind, value.reach)

    def write_windows(self, depth: int, owner: str) -> Selected:
        """Rows that look at others of their unit."""
        scope = self.write_source(depth - 1, owner=owner)
        self.features.add("window")
        own, unit = self.write_unit(scope)
        texts, columns = self.write_columns(scope, 1, self.dice.randint(1, 3))
        by = [str(scope.unit)] + (
            [self.dice.choice(scope.columns).text] if self.happens(0.3) else []
        )
        if self.is_hostile():
            by = self.dice.choice(
                [by[1:] or [self.dice.choice(scope.columns).text], [f"LOWER({scope.unit})"]]
            )
        direction = self.dice.choice(["", " DESC"])
        ordering = (
            f" ORDER BY {self.dice.choice(scope.columns).text}{direction}"
            if self.happens(0.85)
            else ""
        )
        window = f"(PARTITION BY {', '.join(by)}{ordering})"
        added = []
        for _ in range(self.dice.randint(1, 2)):
            match self.dice.choice(["number", "rank", "lag", "sum", "max"]):
                case "number":
                    found = Named(f"ROW_NUMBER() OVER {window}", INTEGER, None)
                case "rank" if ordering:
                    found = Named(
                        f"{self.dice.choice(['RANK', 'DENSE_RANK'])}() OVER {window}", INTEGER, None
                    )
                case "lag" if ordering:
                    self.features.add("lag")
                    value = self.write_leaf(self.dice.choice(KINDS), scope)
                    offset = self.dice.choice(["", ", 1", ", 2"])
                    how = self.dice.choice(["LAG", "LEAD"])
                    found = replace(
                        value, text=f"{how}({value.text}{offset}) OVER {window}", values=None
                    )
                case "sum":
                    self.features.add("window sum")
                    value = self.write_bounded(self.dice.choice("in"), scope, 1)
                    how = self.dice.choice(["SUM", "AVG"])
                    found = Named(
                        f"{how}({value.text}) OVER {window}", NUMBER, (value.reach or 1) * 100
                    )
                case _:
                    value = self.write_value(self.dice.choice("indtm"), scope, 1)
                    how = self.dice.choice(["MIN", "MAX"])
                    found = Named(f"{how}({value.text}) OVER {window}", value.kind, value.reach)
            name = self.make_name("c")
            texts.append(f"{found.text} AS {name}")
            added.append(replace(found, text=name))
        where = self.write_where(scope, depth - 1)
        kept = ""
        if self.happens(0.3):
            self.features.add("qualify rows")
            kept = f" QUALIFY ROW_NUMBER() OVER {window} <= {self.dice.randint(1, 2)}"
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{where}{kept}"
        if self.happens(0.2):
            self.features.add("named window")
            head, _, tail = text.replace(f"OVER {window}", "OVER w").partition(" QUALIFY ")
            text = f"{head} WINDOW w AS {window}{' QUALIFY ' if tail else ''}{tail}"
        return Selected(text, (*columns, *added), unit, owner, scope.levels + 1, scope.width)

    def write_distinct(self, depth: int, owner: str) -> Selected:
        """Rows of a unit that are told once."""
        self.features.add("distinct rows")
        scope = self.write_source(depth - 1, owner=owner)
        own, unit = self.write_unit(scope)
        texts, columns = self.write_columns(scope, 1, self.dice.randint(1, 3))
        text = f"SELECT DISTINCT {', '.join([*own, *texts])} FROM {scope.text}{self.write_where(scope, depth - 1)}"
        return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)

    def write_union(self, depth: int, owner: str, *, distinct: bool = False) -> Selected:
        """Rows below others: of the same rows, filtered otherwise, or of others."""
        self.features.add("union" if distinct else "union all")
        kinds = "".join(self.dice.choice("iinntbd") for _ in range(self.dice.randint(1, 3)))
        same = self.write_source(depth - 1, owner=owner) if self.happens(0.5) else None
        parts, found = [], []
        for _ in range(self.dice.choice([2, 2, 3])):
            scope = same or self.write_source(depth - 1, owner=owner)
            own, unit = self.write_unit(scope)
            texts, columns = self.write_columns(
                scope, self.dice.choice([0, 0, 1]), len(kinds), kinds
            )
            parts.append(
                f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{self.write_where(scope, 0)}"
            )
            found.append((columns, unit, scope))
        merged = [
            replace(
                first,
                reach=None
                if any(each.reach is None for each in alike)
                else max(each.reach or 0 for each in alike),
                values=None,
            )
            for first, *rest in zip(*(columns for columns, _, _ in found), strict=True)
            for alike in [[first, *rest]]
        ]
        text = f" UNION {'' if distinct else 'ALL '}".join(parts)
        return Selected(
            text,
            tuple(merged),
            found[0][1],
            owner,
            max(scope.levels for *_, scope in found) + 1,
            max(scope.width for *_, scope in found),
        )

    def write_join(self, depth: int, owner: str) -> Selected:
        """Rows of two private sources, met within their unit."""
        one, two = (
            self.write_source(depth - 1, owner=owner),
            self.write_source(depth - 1, owner=owner),
        )
        return self.join_sources(one, two, owner)

    def write_self_join(self, depth: int, owner: str) -> Selected:
        """Rows of a source, met with others of the same unit."""
        self.features.add("self join")
        one = (
            self.write_source(0, owner=owner)
            if not self.common
            else self.write_source(depth - 1, owner=owner)
        )
        alias = one.text.rpartition(" ")[2]
        if one.text.startswith("("):
            return self.join_sources(one, self.write_source(0, owner=owner), owner)
        other = self.make_name("r")
        two = Source(
            f"{one.text.rpartition(' ')[0]} {other}",
            tuple(replace(each, text=each.text.replace(alias, other, 1)) for each in one.columns),
            str(one.unit).replace(alias, other, 1),
            owner,
            one.levels,
            one.width,
        )
        return self.join_sources(one, two, owner)

    def join_sources(self, one: Source, two: Source, owner: str) -> Selected:
        """The join of two private sources on the unit; tables stand for those that are joins of many."""
        one = one if one.width < _WIDEST else self.write_table(owner)
        two = two if one.width + two.width <= _WIDEST else self.write_table(owner)
        self.features.add("join of private tables")
        on = [f"{one.unit} = {two.unit}" if self.happens(0.7) else f"{two.unit} = {one.unit}"]
        if self.is_hostile():
            pair = self.dice.choice(one.columns).text, self.dice.choice(two.columns).text
            on = [
                self.dice.choice(
                    [
                        f"{one.unit} IS NOT DISTINCT FROM {two.unit}",
                        f"({one.unit} = {two.unit} OR {pair[0]} IS NULL)",
                        f"{one.unit} <> {two.unit}",
                        f"LOWER({one.unit}) = LOWER({two.unit})",
                        f"{pair[0]} = {pair[1]}",
                        f"{one.unit} = {pair[1]}",
                        f"{two.unit} = {one.unit} AND {one.unit} >= {two.unit}",
                    ]
                )
            ]
        if self.happens(0.4):
            kind = self.dice.choice("bint")
            pairs = [[each for each in side.columns if each.kind == kind] for side in (one, two)]
            if all(pairs):
                on.append(f"{self.dice.choice(pairs[0]).text} = {self.dice.choice(pairs[1]).text}")
        how = self.dice.choice(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", ","])
        kept = two.unit if how == "RIGHT JOIN" else one.unit
        if (self.happens(0.3) and how in {"JOIN", ","}) or self.is_hostile():
            # of an outer join, the side that may be missing
            kept = one.unit if kept == two.unit else two.unit
        both = Source("", (*one.columns, *two.columns), kept, owner)
        texts, columns = self.write_columns(both, 1, self.dice.randint(2, 4))
        own, unit = self.write_unit(both)
        if how == ",":
            self.features.add("comma join")
            text = f"SELECT {', '.join([*own, *texts])} FROM {one.text}, {two.text} WHERE {' AND '.join(on)}"
        else:
            if how != "JOIN":
                self.features.add("outer join")
            where = f" WHERE {self.write_condition(both, 1)}" if self.happens(0.4) else ""
            text = f"SELECT {', '.join([*own, *texts])} FROM {one.text} {how} {two.text} ON {' AND '.join(on)}{where}"
        columns = tuple(replace(each, values=None) if how != "JOIN" else each for each in columns)
        three = one.width + two.width < _WIDEST and how == "JOIN" and self.happens(0.4)
        if three:
            third = self.write_table(owner)
            self.features.add("join of three")
            joined = f" ON {' AND '.join(on)}"
            text = text.replace(
                joined,
                f"{joined} JOIN {third.text} ON {third.unit} = {self.dice.choice([one, two]).unit}",
                1,
            )
        return Selected(
            text,
            columns,
            unit,
            owner,
            max(one.levels, two.levels) + 1,
            one.width + two.width + three,
        )

    def write_public_join(self, depth: int, owner: str) -> Selected:
        """Rows with what a public table says of them."""
        scope = self.write_source(depth - 1, owner=owner)
        wards = [each for each in scope.columns if each.kind == TEXT]
        if not wards:
            return self.write_projection(depth, owner)
        alias = self.make_name("p")
        how = self.dice.choice(["JOIN", "LEFT JOIN"])
        if how == "LEFT JOIN":
            self.features.add("outer join")
        if owner == "row" or self.happens(0.5):
            listed = [each for each in wards if each.values] or wards
            table, on = f"stations AS {alias}", f"{self.dice.choice(listed).text} = {alias}.ward"
            more: tuple[Named, ...] = (Named(f"{alias}.floor", INTEGER, 3.0, 3),)
        else:
            table, on = f"prices AS {alias}", f"{self.dice.choice(wards).text} = {alias}.drug"
            more = (Named(f"{alias}.price", NUMBER, 20.0), Named(f"{alias}.class", TEXT, None, 2))
        self.features.add("join of a public table")
        both = Source("", (*scope.columns, *more), scope.unit, owner)
        texts, columns = self.write_columns(both, 1, self.dice.randint(1, 3))
        names = [self.make_name("c") for _ in more]
        texts += [f"{each.text} AS {name}" for each, name in zip(more, names, strict=True)]
        columns += tuple(replace(each, text=name) for each, name in zip(more, names, strict=True))
        own, unit = self.write_unit(scope)
        where = f" WHERE {self.write_condition(both, 1)}" if self.happens(0.3) else ""
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text} {how} {table} ON {on}{where}"
        return Selected(text, columns, unit, owner, scope.levels + 1, scope.width)

    def write_flag(self, depth: int, owner: str) -> Selected:
        """Rows with a column that says whether their unit is among others."""
        self.features.add("unit flag")
        scope, other = (
            self.write_source(depth - 1, owner=owner),
            self.write_source(depth - 1, owner=owner),
        )
        own, unit = self.write_unit(scope)
        texts, columns = self.write_columns(scope, 1, self.dice.randint(1, 3))
        flag = f"{scope.unit} {self.dice.choice(['IN', 'NOT IN'])} (SELECT {other.unit} FROM {other.text})"
        if self.happens(0.4):
            flag = f"{flag} {self.dice.choice(['OR', 'AND'])} {self.write_condition(scope, 1)}"
        name = self.make_name("c")
        texts.append(
            f"CASE WHEN {flag} THEN 1 ELSE 0 END AS {name}"
            if self.happens(0.5)
            else f"({flag}) AS {name}"
        )
        added = (
            Named(name, INTEGER, 1.0, 2)
            if "CASE WHEN" in texts[-1][:10]
            else Named(name, BOOLEAN, None, 2)
        )
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}"
        return Selected(
            text, (*columns, added), unit, owner, max(scope.levels, other.levels) + 1, scope.width
        )

    # ------------------------------------------------------------ the question

    def write_keys(self, scope: Source) -> list[tuple[str, int]]:
        """What is grouped by, and into how many groups each key divides; unknown ones are taken for few."""
        found: list[tuple[str, int]] = []
        for _ in range(self.dice.choice([0, 1, 1, 1, 2, 2, 3])):
            key = (
                self.write_unknown_key(scope)
                if self.finding and self.happens(0.45)
                else self.write_known_key(scope)
            )
            if key and key[0] not in {text for text, _ in found}:
                found.append(key)
        while len(found) > 1 and multiply(size for _, size in found) > 40:
            found.pop()
        if len(found) > 1:
            self.features.add("several keys")
        return found

    def write_known_key(self, scope: Source) -> tuple[str, int] | None:
        """A key whose values follow from the policy and the text."""
        self.features.add("known key")
        listed = [each for each in scope.columns if each.values is not None]
        days = [each for each in scope.columns if each.kind in "dm"]
        match self.dice.choice(
            [
                "column",
                "column",
                "column",
                "coalesce",
                "case",
                "condition",
                "bucket",
                "part",
                "nullif",
            ]
        ):
            case "column" if listed:
                key = self.dice.choice(listed)
                return key.text, key.values or 2
            case "coalesce" if any(each.kind == TEXT for each in listed):
                self.features.add("key of null")
                key = self.dice.choice([each for each in listed if each.kind == TEXT])
                return f"COALESCE({key.text}, '?')", (key.values or 2) + 1
            case "nullif" if any(each.kind == TEXT for each in listed):
                self.features.add("key of null")
                key = self.dice.choice([each for each in listed if each.kind == TEXT])
                return f"NULLIF({key.text}, 'A')", key.values or 2
            case "case":
                one, two = self.write_condition(scope, 1), self.write_condition(scope, 1)
                return f"CASE WHEN {one} THEN 'é' WHEN {two} THEN 'it''s' END", 2
            case "bucket":
                numbers = [
                    each for each in scope.columns if each.kind in "in" and each.reach is not None
                ]
                if not numbers:
                    return self.write_condition(scope, 1), 2
                value = self.dice.choice(numbers)
                width = max(2, int((value.reach or 1) / 2))
                text = (
                    f"({value.text}) // {width}"
                    if value.kind == INTEGER
                    else f"FLOOR(({value.text}) / {width}) * {width}"
                )
                return text, 5
            case "part" if days:
                self.features.add("date function")
                part, size = self.dice.choice([("quarter", 4), ("isodow", 7), ("dow", 7)])
                return f"EXTRACT({part} FROM {self.dice.choice(days).text})", size
            case _:
                return self.write_condition(scope, 1), 2

    def write_unknown_key(self, scope: Source) -> tuple[str, int] | None:
        """A key whose values are found."""
        texts = [each for each in scope.columns if each.kind in "ttiiddnmb" and each.values is None]
        if not texts:
            return None
        self.features.add(
            "several unknown keys" if "unknown key" in self.features else "unknown key"
        )
        key = self.dice.choice(texts)
        if key.kind == TEXT and self.happens(0.4):
            return self.dice.choice(
                ["LOWER({})", "SUBSTR({}, 1, 2)", "COALESCE({}, '')", "TRIM({})"]
            ).format(key.text), 2
        return key.text, 2

    def write_measure(self, scope: Source, groups: int) -> str:
        """What is measured."""
        kinds = [
            "rows",
            "rows",
            "some",
            "sum",
            "sum",
            "sum",
            "mean",
            "mean",
            "units",
            "distinct",
            "if",
            "moment",
        ]
        match self.dice.choice([*kinds, *(["rank"] if groups <= 4 else [])]):
            case "rows":
                text = "COUNT(*)"
            case "some":
                value = self.write_varying(
                    lambda: self.write_value(self.dice.choice(KINDS), scope, 1), scope
                )
                text = f"COUNT({value.text})"
            case "sum":
                self.features.add("sum")
                text = f"SUM({self.write_summed(scope, self.dice.choice([0, 1, 2]))})"
            case "mean":
                self.features.add("mean")
                text = f"AVG({self.write_summed(scope, self.dice.choice([0, 1, 2]))})"
            case "units" if scope.unit is not None:
                self.features.add("distinct units")
                text = f"COUNT(DISTINCT {scope.unit})"
            case "distinct" | "units":
                self.features.add("distinct values")
                value = self.write_varying(
                    lambda: self.write_value(self.dice.choice(KINDS), scope, 1), scope
                )
                text = f"COUNT(DISTINCT {value.text})"
            case "if":
                return f"COUNT_IF({self.write_condition(scope, 1)})"
            case "moment":
                self.features.add("moment")
                one, two = (self.write_summed(scope, self.dice.choice([0, 0, 1])) for _ in range(2))
                how = self.dice.choice(["VAR_SAMP", "STDDEV", "VAR_POP", "COVAR_POP", "CORR"])
                text = f"{how}({one}, {two})" if how.startswith("CO") else f"{how}({one})"
            case _:
                self.features.add("rank")
                how = self.dice.choice(["MEDIAN({})", "QUANTILE({}, 0.25)", "MIN({})", "MAX({})"])
                return how.format(self.write_summed(scope, self.dice.choice([0, 0, 1])))
        if self.happens(0.15):
            self.features.add("filter")
            return f"{text} FILTER (WHERE {self.write_condition(scope, 1)})"
        return text

    def write(self) -> Statement:
        """The whole."""
        owner = self.dice.choice(["unit"] * 5 + ["row"])
        scope = self.write_source(self.dice.choice(_DEEP if self.deep else _FLAT), owner=owner)
        if scope.levels >= 4:
            self.features.add("deep nesting")
        keys = self.write_keys(scope)
        groups = multiply(size for _, size in keys)
        measures = [
            self.write_measure(scope, groups) for _ in range(self.dice.choice([1, 1, 2, 2, 3]))
        ]
        shown = [f"{text} AS k{place}" for place, (text, _) in enumerate(keys)]
        shown += [f"{text} AS m{place}" for place, text in enumerate(measures)]
        if self.happens(0.3):
            self.features.add("released expression")
            shown.append(f"{self.write_released(measures)} AS z")
        if keys and self.happens(0.2):
            self.features.add("window over groups")
            windows = [
                "RANK() OVER (ORDER BY {} DESC)",
                "SUM({}) OVER ()",
                "LAG({}) OVER (ORDER BY {})",
                "FIRST_VALUE({}) OVER (ORDER BY {})",
                "MEDIAN({}) OVER ()",
            ]
            shown.append(self.dice.choice(windows).replace("{}", measures[0]) + " AS y")
        text = f"SELECT {', '.join(shown)} FROM {scope.text}{self.write_where(scope, 1)}"
        if keys:
            listed = [
                "ALL"
                if self.happens(0.1)
                else ", ".join(
                    f"k{place}" if self.happens(0.7) else str(place + 1)
                    for place in range(len(keys))
                )
            ]
            text += f" GROUP BY {listed[0]}"
            if self.happens(0.2):
                self.features.add("having")
                text += f" HAVING m0 > {self.dice.choice([0, 3, 100])}"
        if self.happens(0.2):
            self.features.add("order")
            text += f" ORDER BY {self.dice.choice(['m0', 'm0 DESC', '1'])}"
        if self.happens(0.15):
            self.features.add("limit")
            text += f" LIMIT {self.dice.randint(0, 4)}"
        listed = [f"{name} AS ({selected.text})" for name, selected in self.common]
        if self.happens(0.15) and "limit" not in self.features:
            self.features.add("question around a release")
            listed.append(f"asked AS ({text})")
            text = (
                "SELECT m0, m0 * 2 + 1 AS twice FROM asked WHERE m0 > 1 OR m0 IS NULL ORDER BY m0"
            )
        text = f"WITH {', '.join(listed)} {text}" if listed else text
        return Statement(text, frozenset(self.features), self.exact, self.finding)

    def write_released(self, measures: list[str]) -> str:
        """A calculation with what is released."""
        one, two = self.dice.choice(measures), self.dice.choice(measures)
        forms = [
            "{} / NULLIF({}, 0)",
            "ROUND(100.0 * {} / COUNT(*), 1)",
            "CASE WHEN {} > 3 THEN {} ELSE -1 END",
            "{} - {}",
        ]
        return self.dice.choice(forms).format(one, two)


def multiply(sizes: Iterable[int]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


def write_statement(seed: int, *, deep: bool = False) -> Statement:
    """The statement of a seed.

    Every second one may have keys that are not public, and every fifth one tries what must not go through: units in
    disguise, joins and windows that leave them out.
    """
    return Writer(Random(seed), finding=bool(seed % 2), hostile=seed % 5 == 0, deep=deep).write()
