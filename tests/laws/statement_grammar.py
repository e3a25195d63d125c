"""Writes SQL, typed by construction: deep questions over several private tables of one unit, rows that are units, and
public tables.

A statement is the text that an analyst would send; nothing here knows plans.  What is written usually has the bounds
that a question needs, so that most statements are accepted, and says which features it used.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from random import Random

from tacit.plan import Column, Kind, Table

__all__ = ["FEATURES", "TABLES", "Statement", "write_statement"]

WARDS = ("A", "B", "é b")
VISITS = Table(
    "visits",
    (
        Column("person", Kind.TEXT),
        Column("ward", Kind.TEXT, values=WARDS),
        Column("Two Words", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 120),
        Column("cost", Kind.NUMBER, -50, 500),
        Column("big", Kind.INTEGER),
        Column("score", Kind.NUMBER),
        Column("urgent", Kind.BOOLEAN),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        Column("seen", Kind.TIMESTAMP),
    ),
    unit="person",
    contributions=2,
)
DOSES = Table(
    "doses",
    (
        Column("drug", Kind.TEXT),
        Column("mg", Kind.NUMBER, 0, 10),
        Column("times", Kind.INTEGER, -4, 9),
        Column("given", Kind.DATE),
        Column("oral", Kind.BOOLEAN, values=(False, True)),
    ),
    unit="who",
    contributions=3,
)
LABS = Table(
    "labs",
    (
        Column("id", Kind.INTEGER),
        Column("test", Kind.TEXT, values=("hdl", "sbp"), other=True),
        Column("value", Kind.NUMBER, 0, 250),
        Column("taken", Kind.TIMESTAMP, datetime(2023, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)),
        Column("code", Kind.INTEGER, values=(0, 1, 2)),
    ),
    unit="id",
    contributions=1,
)
TRIPS = Table(
    "trips",
    (
        Column("ward", Kind.TEXT, values=WARDS),
        Column("km", Kind.INTEGER, 0, 50),
        Column("fare", Kind.NUMBER, 0, 99),
        Column("note", Kind.TEXT),
        Column("on day", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
        Column("late", Kind.BOOLEAN),
    ),
)
STATIONS = Table(
    "stations",
    (Column("ward", Kind.TEXT, values=WARDS), Column("floor", Kind.INTEGER, 1, 3, values=(1, 2, 3))),
    public=True,
    unique=("ward",),
)
PRICES = Table(
    "prices",
    (Column("drug", Kind.TEXT), Column("price", Kind.NUMBER, 0, 20), Column("class", Kind.TEXT, values=("x", "y"))),
    public=True,
)
TABLES = {table.name: table for table in (VISITS, DOSES, LABS, TRIPS, STATIONS, PRICES)}

BOOLEAN, INTEGER, NUMBER, TEXT, DATE, MOMENT = "bintdm"
LETTERS = dict(zip(Kind, "bintdm", strict=True))
KINDS = "bintdm"
_LARGEST = 2.0**50  # how large a calculated number may become

FEATURES = (
    *("derived table", "deep nesting", "common table", "common table twice", "self join", "join of private tables"),
    *("join of a public table", "outer join", "comma join", "union all", "union", "distinct rows", "per unit"),
    *("per unit and key", "having per unit", "window", "lag", "window sum", "qualify rows", "unit in", "unit not in"),
    *("exists", "not exists", "unit flag", "public in", "row units", "known key", "several keys", "key of null"),
    *("unknown key", "several unknown keys", "cast", "date function", "decimal", "like", "case tower", "between", "in"),
    *("coalesce", "nullif", "greatest", "distinct values", "distinct units", "rank", "moment", "sum", "mean", "filter"),
    *("hostile", "released expression", "window over groups", "having", "order", "limit", "question around a release"),
)
"""What a statement may use; each is found among the accepted ones."""


@dataclass(frozen=True)
class Statement:
    """A text, what it uses, and whether every engine gives its last bits."""

    text: str
    features: frozenset[str]
    exact: bool
    finding: bool


@dataclass(frozen=True)
class Named:
    """A column in scope: how it is written, its kind, about how large it is, and how many public values it has."""

    text: str
    kind: str
    reach: float | None = None
    values: int | None = None


@dataclass(frozen=True)
class Selected:
    """A SELECT of rows: its columns by name, its unit's column, and whose the rows are."""

    text: str
    columns: tuple[Named, ...]
    unit: str | None
    owner: str
    levels: int = 1


@dataclass(frozen=True)
class Source:
    """What stands in FROM: columns and unit as they are written there."""

    text: str
    columns: tuple[Named, ...]
    unit: str | None
    owner: str
    levels: int = 0


def _quoted(name: str) -> str:
    return f'"{name}"' if not name.isidentifier() or name == "Two Words" else name


def _reach(column: Column) -> float | None:
    if column.kind in {Kind.INTEGER, Kind.NUMBER} and column.low is not None and column.high is not None:
        return float(max(abs(column.low), abs(column.high)))  # type: ignore[arg-type]
    return None


_COLUMN = re.compile(r"\b[rp]\d+\.")
_TEXTS = ("''", "'A'", "'é b'", "'it''s'", "'%'", "'7'", "' -3.5e1'", "'2024-02-29'", "'x_y'", "'hdl'", "'NaN'")
_CASTS = {
    **{("i", "n"): "DOUBLE", ("t", "n"): "DOUBLE", ("n", "i"): "BIGINT", ("t", "i"): "BIGINT", ("b", "i"): "BIGINT"},
    **{("i", "t"): "VARCHAR", ("t", "d"): "DATE", ("m", "d"): "DATE", ("d", "m"): "TIMESTAMP"},
}
_PATTERNS = ("'%'", "'_'", "'A%'", "'%7'", r"'50\%'", "'é_%'", "''", r"'\\'", "'%a%b%'")
_DAYS = ("DATE '2024-02-29'", "DATE '2024-12-31'", "DATE '1969-12-31'", "DATE '2023-06-15'")
_MOMENTS = ("TIMESTAMP '2024-02-29 23:59:59'", "TIMESTAMP '1970-01-01 00:00:00'", "TIMESTAMP '2024-07-01 12:00:00'")
_PARTS = ("year", "quarter", "month", "week", "day", "dow", "isodow", "doy")
_UNITS = ("year", "quarter", "month", "week", "day", "hour")
_CLAMPS = (
    "LEAST(GREATEST({x}, {low}), {high})",
    "CASE WHEN {x} > {high} THEN {high} WHEN {x} < {low} THEN {low} ELSE {x} END",
    "GREATEST(LEAST({x}, {high}), {low})",
    "CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} END",
)


@dataclass
class Writer:
    """Writes one statement; all that is random comes from its dice."""

    dice: Random
    finding: bool
    features: set[str] = field(default_factory=set)
    common: list[tuple[str, Selected]] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    exact: bool = True
    number: int = 0
    hostile: bool = False

    def chance(self, of: float) -> bool:
        """Whether something that happens so often happens."""
        return self.dice.random() < of

    def odd(self) -> bool:
        """Whether a hostile statement does something here that should not go through."""
        if self.hostile and self.chance(0.3):
            self.features.add("hostile")
            return True
        return False

    def name(self, prefix: str) -> str:
        """A name that is used nowhere else."""
        self.number += 1
        return f"{prefix}{self.number}"

    # ------------------------------------------------------------ expressions

    def value(self, kind: str, scope: Source, depth: int) -> Named:
        """An expression of a kind, over the columns of a source."""
        if depth > 0 and self.chance(0.65):
            return self.general(kind, scope, depth) if self.chance(0.25) else _BUILT[kind](self, scope, depth)
        return self.leaf(kind, scope)

    def varying(self, made: Callable[[], Named], scope: Source) -> Named:
        """An expression that is not the same in every row: what is made, or a column in its place."""
        for _ in range(3):
            found = made()
            if _COLUMN.search(found.text):
                return found
        return self.dice.choice(scope.columns)

    def leaf(self, kind: str, scope: Source) -> Named:
        """A column, or a constant."""
        columns = [column for column in scope.columns if column.kind == kind]
        if columns and self.chance(0.85):
            return self.dice.choice(columns)
        others = [column for column in scope.columns if (column.kind, kind) in _CASTS]
        if others and self.chance(0.7):
            other = self.dice.choice(others)
            self.features.add("cast")
            return Named(f"CAST({other.text} AS {_CASTS[other.kind, kind]})", kind, other.reach if kind in "in" else None)
        match kind:
            case "b":
                return Named(self.dice.choice(["TRUE", "FALSE", "1 = 1"]), kind)
            case "i":
                constant = self.dice.choice([0, 1, 2, 3, 7, -1, 40, 1000])
                return Named(f"({constant})" if constant < 0 else str(constant), kind, abs(constant))
            case "n":
                constant = self.dice.choice(["0.5", "1.0", "2.25", "100.0", "0.1"])
                return Named(constant, kind, float(constant))
            case "t":
                return Named(self.dice.choice(_TEXTS), kind)
            case "d":
                return Named(self.dice.choice(_DAYS), kind)
            case _:
                return Named(self.dice.choice(_MOMENTS), kind)

    def general(self, kind: str, scope: Source, depth: int) -> Named:
        """An expression that there is of every kind."""
        one, two = self.value(kind, scope, depth - 1), self.value(kind, scope, depth - 1)
        reach = None if one.reach is None or two.reach is None else max(one.reach, two.reach)
        match self.dice.choice(["case", "case", "tower", "coalesce", "nullif", "greatest", "if"]):
            case "case":
                return Named(f"CASE WHEN {self.condition(scope, depth - 1)} THEN {one.text} ELSE {two.text} END", kind, reach)
            case "if":
                return Named(f"IF({self.condition(scope, depth - 1)}, {one.text}, {two.text})", kind, reach)
            case "tower":
                self.features.add("case tower")
                whens = [(self.condition(scope, 0), self.value(kind, scope, depth - 2)) for _ in range(3)]
                reaches = [one.reach, *(value.reach for _, value in whens)]
                told = " ".join(f"WHEN {condition} THEN {value.text}" for condition, value in whens)
                known = None if None in reaches else max(each for each in reaches if each is not None)
                return Named(f"CASE {told} ELSE {one.text} END", kind, known)
            case "coalesce":
                self.features.add("coalesce")
                return Named(f"COALESCE({one.text}, {two.text})", kind, reach)
            case "nullif":
                self.features.add("nullif")
                return Named(f"NULLIF({one.text}, {two.text})", kind, one.reach)
            case _:
                if kind == BOOLEAN:
                    return one
                self.features.add("greatest")
                return Named(f"{self.dice.choice(['GREATEST', 'LEAST'])}({one.text}, {two.text})", kind, reach)

    def summed(self, scope: Source, depth: int) -> str:
        """A number that has bounds and is not the same in every row."""
        for _ in range(4):
            found = self.bounded(self.dice.choice("in"), scope, depth).text
            if _COLUMN.search(found):
                return found
        return f"CASE WHEN {self.dice.choice(scope.columns).text} IS NULL THEN 1 ELSE 2 END"

    def bounded(self, kind: str, scope: Source, depth: int) -> Named:
        """A number that has bounds: one that has none is held between two."""
        found = self.value(kind, scope, depth)
        if found.reach is not None and found.reach <= _LARGEST:
            return found
        high = self.dice.choice([1, 9, 250])
        low = self.dice.choice([-high, 0])
        ends = {"low": f"({low})" if low < 0 else low, "high": high}
        return Named(self.dice.choice(_CLAMPS).format(x=f"({found.text})", **ends), kind, high)

    def condition(self, scope: Source, depth: int) -> str:
        """A condition on a row."""
        if depth <= 0:
            return self.simple(self.dice.choice(scope.columns))
        found = self.varying(lambda: self.value(BOOLEAN, scope, depth), scope)
        return f"({found.text})" if found.kind == BOOLEAN else f"({found.text} IS NOT NULL)"

    def simple(self, column: Named) -> str:
        """A condition on one column, which many rows meet."""
        sign = self.dice.choice(["<", ">=", "<>", ">", "="])
        match column.kind:
            case "b":
                return f"({self.dice.choice(['{}', 'NOT {}', '{} IS NULL', '{} IS NOT FALSE']).format(column.text)})"
            case "i" | "n":
                return f"({column.text} {sign} {self.dice.choice([0, 1, 7, 100])})"
            case "t":
                return f"({column.text} {sign} {self.dice.choice(_TEXTS)})"
            case "d" | "m" as kind:
                return f"({column.text} {sign} {self.dice.choice(_DAYS if kind == 'd' else _MOMENTS)})"
            case _:
                return f"({column.text} IS NOT NULL)"

    def filtered(self, scope: Source, depth: int, *, subqueries: bool = True) -> str:
        """A WHERE clause, or nothing."""
        parts = []
        if self.chance(0.35):
            parts.append(self.condition(scope, self.dice.choice([0, 0, 1, 2])))
        if subqueries and self.chance(0.2):
            parts.append(self.looked_up(scope, depth))
        parts = [part for part in parts if part]
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def looked_up(self, scope: Source, depth: int) -> str:
        """A condition on the unit, or on what a public table holds."""
        if scope.owner == "row" or self.chance(0.15):
            columns = [each for each in scope.columns if each.kind == TEXT and each.values == len(WARDS)]
            if not columns:
                return ""
            self.features.add("public in")
            return f"{self.dice.choice(columns).text} IN (SELECT ward FROM stations WHERE floor < 3)"
        other = self.source(max(0, depth - 1), owner="unit")
        if self.chance(0.5):
            how = self.dice.choice(["IN", "NOT IN"])
            self.features.add("unit in" if how == "IN" else "unit not in")
            if self.odd():
                one, two = self.dice.choice(scope.columns).text, self.dice.choice(other.columns).text
                left, right = self.dice.choice([(one, two), (scope.unit, two), (one, other.unit)])
                return f"{left} {how} (SELECT {right} FROM {other.text})"
            return f"{scope.unit} {how} (SELECT {other.unit} FROM {other.text}{self.filtered(other, 0, subqueries=False)})"
        how = self.dice.choice(["EXISTS", "NOT EXISTS"])
        self.features.add(how.lower())
        more = f" AND {self.condition(other, 0)}" if self.chance(0.5) else ""
        if self.odd():
            one, two = self.dice.choice(scope.columns).text, self.dice.choice(other.columns).text
            more = self.dice.choice([f" AND {one} = {two}", f" OR {one} = {two}", f" OR {other.unit} <> {scope.unit}"])
        return f"{how} (SELECT 1 FROM {other.text} WHERE {other.unit} = {scope.unit}{more})"

    # ------------------------------------------------------------ rows

    def source(self, depth: int, *, owner: str) -> Source:
        """What may stand in FROM, under a name of its own."""
        known = [(name, each) for name, each in self.common if each.owner == owner]
        if known and self.chance(0.35):
            name, selected = self.dice.choice(known)
            self.used[name] = self.used.get(name, 0) + 1
            if self.used[name] > 1:
                self.features.add("common table twice")
            return self.called(name, selected)
        if depth <= 0 or self.chance(0.1):
            return self.scanned(owner)
        selected = self.selected(depth, owner)
        if self.chance(0.3) and len(self.common) < 3:
            name = self.name("w")
            self.common.append((name, selected))
            self.used[name] = 1
            self.features.add("common table")
            return self.called(name, selected)
        self.features.add("derived table")
        return self.called(f"({selected.text})", selected)

    def called(self, text: str, selected: Selected) -> Source:
        """A selection under a name."""
        alias = self.name("r")
        columns = tuple(replace(each, text=f"{alias}.{each.text}") for each in selected.columns)
        unit = None if selected.unit is None else f"{alias}.{selected.unit}"
        return Source(f"{text} AS {alias}", columns, unit, selected.owner, selected.levels)

    def scanned(self, owner: str) -> Source:
        """A table under a name."""
        tables = {"unit": (VISITS, VISITS, VISITS, DOSES, DOSES, LABS), "row": (TRIPS,)}[owner]
        table = self.dice.choice(tables)
        if owner == "row":
            self.features.add("row units")
        alias = self.name("r")
        columns = tuple(
            Named(
                f"{alias}.{_quoted(column.name)}",
                LETTERS[column.kind],
                _reach(column),
                None if column.values is None else len(column.values) + column.other,
            )
            for column in table.columns
            if column.name != table.unit or self.chance(0.3)
        )
        return Source(f"{table.name} AS {alias}", columns, table.unit and f"{alias}.{table.unit}", owner)

    def selected(self, depth: int, owner: str) -> Selected:
        """Rows of rows."""
        shapes = ["project", "project", "union all", "public"]
        if owner == "unit":
            shapes += ["fold", "fold", "window", "window", "distinct", "union", "join", "join", "self join", "flag"]
        shape = self.dice.choice(shapes)
        return {
            "project": self.projected,
            "fold": self.folded,
            "window": self.windowed,
            "distinct": self.distinct,
            "union all": self.stacked,
            "union": self.stacked,
            "join": self.joined,
            "self join": self.joined_with_itself,
            "public": self.joined_with_public,
            "flag": self.flagged,
        }[shape](depth, owner) if shape != "union" else self.stacked(depth, owner, distinct=True)

    def listed(self, scope: Source, depth: int, count: int, kinds: str = "") -> tuple[list[str], tuple[Named, ...]]:
        """Some columns, kept as they are or calculated: what is written, and what they are called."""
        texts, columns = [], []
        for place in range(count):
            kind = kinds[place] if kinds else self.dice.choice("iinnttbdm")
            if not kinds and self.chance(0.6):
                found = self.dice.choice(scope.columns)
            elif kinds:
                found = self.value(kind, scope, depth)
            else:
                found = self.varying(lambda kind=kind: self.value(kind, scope, depth), scope)  # type: ignore[misc]
            name = self.name("c")
            if self.odd():
                name = self.dice.choice(["person", "who", "id", "ward"])
            texts.append(f"{found.text} AS {name}")
            columns.append(replace(found, text=name))
        return texts, tuple(columns)

    def _unit(self, scope: Source) -> tuple[list[str], str | None]:
        """How a source's unit is handed on."""
        if scope.unit is None:
            return [], None
        name, unit = self.name("u"), scope.unit
        if self.odd():
            others = [each.text for each in scope.columns]
            forms = ["LOWER({})", "COALESCE({}, {})", "CAST({} AS VARCHAR)", "CASE WHEN {1} IS NULL THEN {0} END", "{1}"]
            form = self.dice.choice([*forms, "COALESCE({}, {1})", "CONCAT({}, '')", "{0} || {0}", "ABS({})"])
            other = self.dice.choice(others)
            unit = form.replace("{0}", unit).replace("{1}", other).replace("{}", unit)
        if self.odd():
            name = self.dice.choice(["ward", "person", "who", "id", "age", "value"])
        return [f"{unit} AS {name}"], name

    def projected(self, depth: int, owner: str) -> Selected:
        """Calculated columns of filtered rows."""
        scope = self.source(depth - 1, owner=owner)
        texts, columns = self.listed(scope, 2, self.dice.randint(2, 5))
        own, unit = self._unit(scope)
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{self.filtered(scope, depth - 1)}"
        return Selected(text, columns, unit, owner, scope.levels + 1)

    def folded(self, depth: int, owner: str) -> Selected:
        """What a unit's rows add up to, perhaps for each of its keys."""
        scope = self.source(depth - 1, owner=owner)
        own, unit = self._unit(scope)
        keys, named = self.listed(scope, 1, self.dice.choice([0, 0, 1, 2]))
        self.features.add("per unit and key" if keys else "per unit")
        folds = [self.fold(scope) for _ in range(self.dice.randint(1, 3))]
        texts = [f"{fold.text} AS {self.name('c')}" for fold in folds]
        columns = tuple(replace(fold, text=text.rpartition(" ")[2]) for fold, text in zip(folds, texts, strict=True))
        groups = ", ".join([str(scope.unit), *(key.rpartition(" AS ")[0] for key in keys)])
        if self.odd():
            groups = self.dice.choice([f"LOWER({scope.unit})", self.dice.choice(scope.columns).text, groups + ", 1"])
        having = ""
        if self.chance(0.3):
            self.features.add("having per unit")
            having = f" HAVING {self.dice.choice(['COUNT(*) > 1', 'COUNT(*) < 4', f'{folds[0].text} IS NOT NULL'])}"
        where = self.filtered(scope, depth - 1)
        text = f"SELECT {', '.join([*own, *keys, *texts])} FROM {scope.text}{where} GROUP BY {groups}{having}"
        return Selected(text, (*named, *columns), unit, owner, scope.levels + 1)

    def fold(self, scope: Source) -> Named:
        """One number or value of many rows of a unit."""
        match self.dice.choice(["count", "count some", "sum", "sum", "avg", "min", "max", "distinct"]):
            case "count":
                return Named("COUNT(*)", INTEGER, 100.0)
            case "count some":
                return Named(f"COUNT({self.leaf(self.dice.choice(KINDS), scope).text})", INTEGER, 100.0)
            case "distinct":
                return Named(f"COUNT(DISTINCT {self.leaf(self.dice.choice('int'), scope).text})", INTEGER, 100.0)
            case "sum":
                value = self.bounded(self.dice.choice("in"), scope, 1)
                return Named(f"SUM({value.text})", NUMBER, (value.reach or 1) * 100)
            case "avg":
                value = self.bounded(self.dice.choice("in"), scope, 1)
                return Named(f"AVG({value.text})", NUMBER, value.reach)
            case how:
                value = self.value(self.dice.choice("indtm"), scope, 1)
                return Named(f"{how.upper()}({value.text})", value.kind, value.reach)

    def windowed(self, depth: int, owner: str) -> Selected:
        """Rows that look at others of their unit."""
        scope = self.source(depth - 1, owner=owner)
        self.features.add("window")
        own, unit = self._unit(scope)
        texts, columns = self.listed(scope, 1, self.dice.randint(1, 3))
        by = [str(scope.unit)] + ([self.dice.choice(scope.columns).text] if self.chance(0.3) else [])
        if self.odd():
            by = self.dice.choice([by[1:] or [self.dice.choice(scope.columns).text], [f"LOWER({scope.unit})"]])
        direction = self.dice.choice(["", " DESC"])
        ordering = f" ORDER BY {self.dice.choice(scope.columns).text}{direction}" if self.chance(0.85) else ""
        window = f"(PARTITION BY {', '.join(by)}{ordering})"
        added = []
        for _ in range(self.dice.randint(1, 2)):
            match self.dice.choice(["number", "rank", "lag", "sum", "max"]):
                case "number":
                    found = Named(f"ROW_NUMBER() OVER {window}", INTEGER, None)
                case "rank" if ordering:
                    found = Named(f"{self.dice.choice(['RANK', 'DENSE_RANK'])}() OVER {window}", INTEGER, None)
                case "lag" if ordering:
                    self.features.add("lag")
                    value = self.leaf(self.dice.choice(KINDS), scope)
                    offset = self.dice.choice(["", ", 1", ", 2"])
                    how = self.dice.choice(["LAG", "LEAD"])
                    found = replace(value, text=f"{how}({value.text}{offset}) OVER {window}", values=None)
                case "sum":
                    self.features.add("window sum")
                    value = self.bounded(self.dice.choice("in"), scope, 1)
                    how = self.dice.choice(["SUM", "AVG"])
                    found = Named(f"{how}({value.text}) OVER {window}", NUMBER, (value.reach or 1) * 100)
                case _:
                    value = self.value(self.dice.choice("indtm"), scope, 1)
                    how = self.dice.choice(["MIN", "MAX"])
                    found = Named(f"{how}({value.text}) OVER {window}", value.kind, value.reach)
            name = self.name("c")
            texts.append(f"{found.text} AS {name}")
            added.append(replace(found, text=name))
        where = self.filtered(scope, depth - 1)
        kept = ""
        if self.chance(0.3):
            self.features.add("qualify rows")
            kept = f" QUALIFY ROW_NUMBER() OVER {window} <= {self.dice.randint(1, 2)}"
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{where}{kept}"
        return Selected(text, (*columns, *added), unit, owner, scope.levels + 1)

    def distinct(self, depth: int, owner: str) -> Selected:
        """Rows of a unit that are told once."""
        self.features.add("distinct rows")
        scope = self.source(depth - 1, owner=owner)
        own, unit = self._unit(scope)
        texts, columns = self.listed(scope, 1, self.dice.randint(1, 3))
        text = f"SELECT DISTINCT {', '.join([*own, *texts])} FROM {scope.text}{self.filtered(scope, depth - 1)}"
        return Selected(text, columns, unit, owner, scope.levels + 1)

    def stacked(self, depth: int, owner: str, *, distinct: bool = False) -> Selected:
        """Rows below others: of the same rows, filtered otherwise, or of others."""
        self.features.add("union" if distinct else "union all")
        kinds = "".join(self.dice.choice("iinntbd") for _ in range(self.dice.randint(1, 3)))
        same = self.source(depth - 1, owner=owner) if self.chance(0.5) else None
        parts, found = [], []
        for _ in range(self.dice.choice([2, 2, 3])):
            scope = same or self.source(depth - 1, owner=owner)
            own, unit = self._unit(scope)
            texts, columns = self.listed(scope, self.dice.choice([0, 0, 1]), len(kinds), kinds)
            parts.append(f"SELECT {', '.join([*own, *texts])} FROM {scope.text}{self.filtered(scope, 0)}")
            found.append((columns, unit, scope.levels))
        merged = [
            replace(first, reach=None if any(each.reach is None for each in alike) else max(each.reach or 0 for each in alike), values=None)
            for first, *rest in zip(*(columns for columns, _, _ in found), strict=True)
            for alike in [[first, *rest]]
        ]
        text = f" UNION {'' if distinct else 'ALL '}".join(parts)
        return Selected(text, tuple(merged), found[0][1], owner, max(levels for _, _, levels in found) + 1)

    def joined(self, depth: int, owner: str) -> Selected:
        """Rows of two private sources, met within their unit."""
        one, two = self.source(depth - 1, owner=owner), self.source(depth - 1, owner=owner)
        return self.met(one, two, owner, depth)

    def joined_with_itself(self, depth: int, owner: str) -> Selected:
        """Rows of a source, met with others of the same unit."""
        self.features.add("self join")
        one = self.source(0, owner=owner) if not self.common else self.source(depth - 1, owner=owner)
        alias = one.text.rpartition(" ")[2]
        if one.text.startswith("("):
            return self.met(one, self.source(0, owner=owner), owner, depth)
        other = self.name("r")
        two = Source(
            f"{one.text.rpartition(' ')[0]} {other}",
            tuple(replace(each, text=each.text.replace(alias, other, 1)) for each in one.columns),
            str(one.unit).replace(alias, other, 1),
            owner,
            one.levels,
        )
        return self.met(one, two, owner, depth)

    def met(self, one: Source, two: Source, owner: str, depth: int) -> Selected:
        """The join of two private sources on the unit."""
        self.features.add("join of private tables")
        on = [f"{one.unit} = {two.unit}"]
        if self.odd():
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
        if self.chance(0.4):
            kind = self.dice.choice("bint")
            pairs = [[each for each in side.columns if each.kind == kind] for side in (one, two)]
            if all(pairs):
                on.append(f"{self.dice.choice(pairs[0]).text} = {self.dice.choice(pairs[1]).text}")
        how = self.dice.choice(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", ","])
        kept = two.unit if how == "RIGHT JOIN" else one.unit
        if self.chance(0.3) and how in {"JOIN", ","} or self.odd():
            kept = one.unit if kept == two.unit else two.unit  # of an outer join, the side that may be missing
        both = Source("", (*one.columns, *two.columns), kept, owner)
        texts, columns = self.listed(both, 1, self.dice.randint(2, 5))
        own, unit = self._unit(both)
        if how == ",":
            self.features.add("comma join")
            text = f"SELECT {', '.join([*own, *texts])} FROM {one.text}, {two.text} WHERE {' AND '.join(on)}"
        else:
            if how != "JOIN":
                self.features.add("outer join")
            where = f" WHERE {self.condition(both, 1)}" if self.chance(0.4) else ""
            text = f"SELECT {', '.join([*own, *texts])} FROM {one.text} {how} {two.text} ON {' AND '.join(on)}{where}"
        columns = tuple(replace(each, values=None) if how != "JOIN" else each for each in columns)
        return Selected(text, columns, unit, owner, max(one.levels, two.levels) + 1)

    def joined_with_public(self, depth: int, owner: str) -> Selected:
        """Rows with what a public table says of them."""
        scope = self.source(depth - 1, owner=owner)
        wards = [each for each in scope.columns if each.kind == TEXT]
        if not wards:
            return self.projected(depth, owner)
        alias = self.name("p")
        how = self.dice.choice(["JOIN", "LEFT JOIN"])
        if how == "LEFT JOIN":
            self.features.add("outer join")
        if owner == "row" or self.chance(0.5):
            listed = [each for each in wards if each.values] or wards
            table, on = f"stations AS {alias}", f"{self.dice.choice(listed).text} = {alias}.ward"
            more = (Named(f"{alias}.floor", INTEGER, 3.0, 3),)
        else:
            table, on = f"prices AS {alias}", f"{self.dice.choice(wards).text} = {alias}.drug"
            more = (Named(f"{alias}.price", NUMBER, 20.0), Named(f"{alias}.class", TEXT, None, 2))
        self.features.add("join of a public table")
        both = Source("", (*scope.columns, *more), scope.unit, owner)
        texts, columns = self.listed(both, 1, self.dice.randint(1, 3))
        names = [self.name("c") for _ in more]
        texts += [f"{each.text} AS {name}" for each, name in zip(more, names, strict=True)]
        columns += tuple(replace(each, text=name) for each, name in zip(more, names, strict=True))
        own, unit = self._unit(scope)
        where = f" WHERE {self.condition(both, 1)}" if self.chance(0.3) else ""
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text} {how} {table} ON {on}{where}"
        return Selected(text, columns, unit, owner, scope.levels + 1)

    def flagged(self, depth: int, owner: str) -> Selected:
        """Rows with a column that says whether their unit is among others."""
        self.features.add("unit flag")
        scope, other = self.source(depth - 1, owner=owner), self.source(depth - 1, owner=owner)
        own, unit = self._unit(scope)
        texts, columns = self.listed(scope, 1, self.dice.randint(1, 3))
        flag = f"{scope.unit} {self.dice.choice(['IN', 'NOT IN'])} (SELECT {other.unit} FROM {other.text})"
        if self.chance(0.4):
            flag = f"{flag} {self.dice.choice(['OR', 'AND'])} {self.condition(scope, 1)}"
        name = self.name("c")
        texts.append(f"CASE WHEN {flag} THEN 1 ELSE 0 END AS {name}" if self.chance(0.5) else f"({flag}) AS {name}")
        added = Named(name, INTEGER, 1.0, 2) if "CASE WHEN" in texts[-1][:10] else Named(name, BOOLEAN, None, 2)
        text = f"SELECT {', '.join([*own, *texts])} FROM {scope.text}"
        return Selected(text, (*columns, added), unit, owner, max(scope.levels, other.levels) + 1)

    # ------------------------------------------------------------ the question

    def keys(self, scope: Source) -> list[tuple[str, int]]:
        """What is grouped by, and into how many groups each key divides; unknown ones are taken for few."""
        found: list[tuple[str, int]] = []
        for _ in range(self.dice.choice([0, 1, 1, 1, 2, 2, 3])):
            key = self.unknown_key(scope) if self.finding and self.chance(0.45) else self.known_key(scope)
            if key and key[0] not in {text for text, _ in found}:
                found.append(key)
        while len(found) > 1 and _product(size for _, size in found) > 40:
            found.pop()
        if len(found) > 1:
            self.features.add("several keys")
        return found

    def known_key(self, scope: Source) -> tuple[str, int] | None:
        """A key whose values follow from the policy and the text."""
        self.features.add("known key")
        listed = [each for each in scope.columns if each.values is not None]
        days = [each for each in scope.columns if each.kind in "dm"]
        match self.dice.choice(["column", "column", "column", "coalesce", "case", "condition", "bucket", "part", "nullif"]):
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
                return f"CASE WHEN {self.condition(scope, 1)} THEN 'é' WHEN {self.condition(scope, 1)} THEN 'it''s' END", 2
            case "bucket":
                numbers = [each for each in scope.columns if each.kind in "in" and each.reach is not None]
                if not numbers:
                    return self.condition(scope, 1), 2
                value = self.dice.choice(numbers)
                width = max(2, int((value.reach or 1) / 2))
                text = f"({value.text}) // {width}" if value.kind == INTEGER else f"FLOOR(({value.text}) / {width}) * {width}"
                return text, 5
            case "part" if days:
                self.features.add("date function")
                part, size = self.dice.choice([("quarter", 4), ("isodow", 7), ("dow", 7)])
                return f"EXTRACT({part} FROM {self.dice.choice(days).text})", size
            case _:
                return self.condition(scope, 1), 2

    def unknown_key(self, scope: Source) -> tuple[str, int] | None:
        """A key whose values are found."""
        texts = [each for each in scope.columns if each.kind in "tid" and each.values is None]
        if not texts:
            return None
        self.features.add("several unknown keys" if "unknown key" in self.features else "unknown key")
        key = self.dice.choice(texts)
        if key.kind == TEXT and self.chance(0.4):
            return self.dice.choice(["LOWER({})", "SUBSTR({}, 1, 2)", "COALESCE({}, '')", "TRIM({})"]).format(key.text), 2
        return key.text, 2

    def measure(self, scope: Source, groups: int) -> str:
        """What is measured."""
        kinds = ["rows", "rows", "some", "sum", "sum", "sum", "mean", "mean", "units", "distinct", "if", "moment"]
        match self.dice.choice([*kinds, *(["rank"] if groups <= 4 else [])]):
            case "rows":
                text = "COUNT(*)"
            case "some":
                text = f"COUNT({self.varying(lambda: self.value(self.dice.choice(KINDS), scope, 1), scope).text})"
            case "sum":
                self.features.add("sum")
                text = f"SUM({self.summed(scope, self.dice.choice([0, 1, 2]))})"
            case "mean":
                self.features.add("mean")
                text = f"AVG({self.summed(scope, self.dice.choice([0, 1, 2]))})"
            case "units" if scope.unit is not None:
                self.features.add("distinct units")
                text = f"COUNT(DISTINCT {scope.unit})"
            case "distinct" | "units":
                self.features.add("distinct values")
                value = self.varying(lambda: self.value(self.dice.choice(KINDS), scope, 1), scope)
                text = f"COUNT(DISTINCT {value.text})"
            case "if":
                return f"COUNT_IF({self.condition(scope, 1)})"
            case "moment":
                self.features.add("moment")
                one, two = (self.summed(scope, self.dice.choice([0, 0, 1])) for _ in range(2))
                how = self.dice.choice(["VAR_SAMP", "STDDEV", "VAR_POP", "COVAR_POP", "CORR"])
                text = f"{how}({one}, {two})" if how.startswith("CO") else f"{how}({one})"
            case _:
                self.features.add("rank")
                value = self.summed(scope, self.dice.choice([0, 0, 1]))
                how = self.dice.choice(["MEDIAN({})", "QUANTILE({}, 0.25)", "MIN({})", "MAX({})"])
                return how.format(value)
        if self.chance(0.15):
            self.features.add("filter")
            return f"{text} FILTER (WHERE {self.condition(scope, 1)})"
        return text

    def statement(self) -> Statement:
        """The whole."""
        owner = self.dice.choice(["unit"] * 7 + ["row"])
        scope = self.source(self.dice.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]), owner=owner)
        if scope.levels >= 4:
            self.features.add("deep nesting")
        keys = self.keys(scope)
        groups = _product(size for _, size in keys)
        measures = [self.measure(scope, groups) for _ in range(self.dice.choice([1, 1, 2, 2, 3]))]
        shown = [f"{text} AS k{place}" for place, (text, _) in enumerate(keys)]
        shown += [f"{text} AS m{place}" for place, text in enumerate(measures)]
        if self.chance(0.3):
            self.features.add("released expression")
            shown.append(f"{self.released(measures)} AS z")
        if keys and self.chance(0.2):
            self.features.add("window over groups")
            windows = ["RANK() OVER (ORDER BY {} DESC)", "SUM({}) OVER ()", "LAG({}) OVER (ORDER BY {})"]
            shown.append(self.dice.choice(windows).replace("{}", measures[0]) + " AS y")
        text = f"SELECT {', '.join(shown)} FROM {scope.text}{self.filtered(scope, 1)}"
        if keys:
            listed = ["ALL" if self.chance(0.1) else ", ".join(f"k{place}" if self.chance(0.7) else str(place + 1) for place in range(len(keys)))]
            text += f" GROUP BY {listed[0]}"
            if self.chance(0.2):
                self.features.add("having")
                text += f" HAVING m0 > {self.dice.choice([0, 3, 100])}"
        if self.chance(0.2):
            self.features.add("order")
            text += f" ORDER BY {self.dice.choice(['m0', 'm0 DESC', '1'])}"
        if self.chance(0.15):
            self.features.add("limit")
            text += f" LIMIT {self.dice.randint(0, 4)}"
        listed = [f"{name} AS ({selected.text})" for name, selected in self.common]
        if self.chance(0.15) and "limit" not in self.features:
            self.features.add("question around a release")
            listed.append(f"asked AS ({text})")
            text = "SELECT m0, m0 * 2 + 1 AS twice FROM asked WHERE m0 > 1 OR m0 IS NULL ORDER BY m0"
        text = f"WITH {', '.join(listed)} {text}" if listed else text
        return Statement(text, frozenset(self.features), self.exact, self.finding)

    def released(self, measures: list[str]) -> str:
        """A calculation with what is released."""
        one, two = self.dice.choice(measures), self.dice.choice(measures)
        forms = ["{} / NULLIF({}, 0)", "ROUND(100.0 * {} / COUNT(*), 1)", "CASE WHEN {} > 3 THEN {} ELSE -1 END", "{} - {}"]
        return self.dice.choice(forms).format(one, two)


def _product(sizes: Iterable[int]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


# ---------------------------------------------------------------- expressions of one kind


def _boolean(writer: Writer, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    shapes = ["compare", "compare", "compare", "between", "in", "like", "null", "true", "and", "or", "not", "distinct"]
    match dice.choice([*shapes, "starts"]):
        case "compare":
            kind = dice.choice("iinntdm")
            return Named(f"{of(kind)} {dice.choice(['=', '<>', '<', '<=', '>', '>='])} {of(kind)}", BOOLEAN)
        case "between":
            writer.features.add("between")
            kind = dice.choice("ind")
            negated = dice.choice(["", "NOT "])
            return Named(f"{of(kind)} {negated}BETWEEN {of(kind)} AND {of(kind)}", BOOLEAN)
        case "in":
            writer.features.add("in")
            kind, options = dice.choice([("i", "0, 1, -7, 40"), ("t", "'A', '', 'é b', 'it''s'"), ("n", "0.5, 1, NULL")])
            return Named(f"{of(kind)} {dice.choice(['IN', 'NOT IN'])} ({options})", BOOLEAN)
        case "like":
            writer.features.add("like")
            negated = dice.choice(["", "NOT "])
            return Named(f"{of(TEXT)} {negated}{dice.choice(['LIKE', 'ILIKE'])} {dice.choice(_PATTERNS)}", BOOLEAN)
        case "null":
            return Named(f"{of(dice.choice(KINDS))} IS {dice.choice(['', 'NOT '])}NULL", BOOLEAN)
        case "true":
            return Named(f"({of(BOOLEAN)}) IS {dice.choice(['', 'NOT '])}{dice.choice(['TRUE', 'FALSE'])}", BOOLEAN)
        case "and":
            return Named(f"({of(BOOLEAN)}) AND ({of(BOOLEAN)})", BOOLEAN)
        case "or":
            return Named(f"({of(BOOLEAN)}) OR ({of(BOOLEAN)})", BOOLEAN)
        case "not":
            return Named(f"NOT ({of(BOOLEAN)})", BOOLEAN)
        case "distinct":
            kind = dice.choice(KINDS)
            return Named(f"({of(kind)}) IS {dice.choice(['', 'NOT '])}DISTINCT FROM ({of(kind)})", BOOLEAN)
        case _:
            how = dice.choice(["STARTS_WITH", "ENDS_WITH", "CONTAINS"])
            return Named(f"{how}({of(TEXT)}, {dice.choice(_TEXTS)})", BOOLEAN)


def _integer(writer: Writer, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    match dice.choice(["sum", "product", "quotient", "modulo", "abs", "sign", "length", "part", "days", "cast", "cast", "less"]):
        case "sum" | "less" as shape:
            one, two = (writer.bounded(INTEGER, scope, depth - 1) for _ in range(2))
            return Named(f"({one.text} {'+' if shape == 'sum' else '-'} {two.text})", INTEGER, _added(one, two))
        case "product":
            one, two = (writer.bounded(INTEGER, scope, depth - 1) for _ in range(2))
            if (one.reach or 1) * (two.reach or 1) > _LARGEST:
                return one
            return Named(f"({one.text} * {two.text})", INTEGER, (one.reach or 1) * (two.reach or 1))
        case "quotient":
            one = writer.bounded(INTEGER, scope, depth - 1)
            return Named(f"({one.text} // {dice.choice(['2', '7', of(INTEGER)])})", INTEGER, one.reach)
        case "modulo":
            return Named(f"({of(INTEGER)} % {dice.choice([2, 3, 10])})", INTEGER, 10.0)
        case "abs":
            one = writer.bounded(INTEGER, scope, depth - 1)
            return Named(f"ABS({one.text})", INTEGER, one.reach)
        case "sign":
            return Named(f"SIGN({of(dice.choice('in'))})", INTEGER, 1.0)
        case "length":
            return Named(f"LENGTH({of(TEXT)})", INTEGER, None)
        case "part":
            writer.features.add("date function")
            return Named(f"EXTRACT({dice.choice(_PARTS)} FROM {of(dice.choice('dm'))})", INTEGER, 9999.0)
        case "days":
            writer.features.add("date function")
            unit = dice.choice(["year", "month", "day"])
            return Named(f"DATE_DIFF('{unit}', {of(DATE)}, {of(DATE)})", INTEGER, 4e6)
        case _:
            writer.features.add("cast")
            kind = dice.choice("nbt")
            known = writer.bounded(NUMBER, scope, depth - 1) if kind == NUMBER else writer.value(kind, scope, depth - 1)
            return Named(f"CAST({known.text} AS BIGINT)", INTEGER, 1.0 if kind == BOOLEAN else known.reach)


def _added(one: Named, two: Named) -> float | None:
    return None if one.reach is None or two.reach is None else one.reach + two.reach


def _number(writer: Writer, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    shapes = ["sum", "less", "product", "quotient", "guarded", "round", "floor", "sqrt", "cast", "decimal", "negated"]
    match dice.choice([*shapes, "library"]):
        case "sum" | "less" as shape:
            one, two = (writer.bounded(dice.choice("in"), scope, depth - 1) for _ in range(2))
            return _as_number(f"({one.text} {'+' if shape == 'sum' else '-'} {two.text})", _added(one, two))
        case "product":
            one, two = (writer.bounded(NUMBER, scope, depth - 1) for _ in range(2))
            reach = (one.reach or 1) * (two.reach or 1)
            return one if reach > _LARGEST else Named(f"({one.text} * {two.text})", NUMBER, reach)
        case "quotient":
            one = writer.bounded(dice.choice("in"), scope, depth - 1)
            return Named(f"({one.text} / {dice.choice([2, 0.5, 3])})", NUMBER, (one.reach or 1) * 2)
        case "guarded":
            one, two = writer.bounded(NUMBER, scope, depth - 1), of(NUMBER)
            return Named(f"({one.text} / CASE WHEN {two} >= 0.25 THEN {two} END)", NUMBER, (one.reach or 1) * 4)
        case "round":
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"ROUND({one.text}, {dice.choice([0, 1, 2])})", NUMBER, (one.reach or 1) + 1)
        case "floor":
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"{dice.choice(['FLOOR', 'CEIL', 'TRUNC', 'ABS'])}({one.text})", NUMBER, (one.reach or 1) + 1)
        case "sqrt":
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"SQRT({one.text})", NUMBER, (one.reach or 1) ** 0.5)
        case "negated":
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"(-{one.text})", NUMBER, one.reach)
        case "decimal":
            writer.features.add("decimal")
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"CAST({one.text} AS DECIMAL(18, {dice.choice([0, 2])}))", NUMBER, (one.reach or 1) + 1)
        case "library":
            writer.exact = False
            one = writer.bounded(NUMBER, scope, depth - 1)
            return Named(f"LN(1 + ABS({one.text}))", NUMBER, 50.0)
        case _:
            writer.features.add("cast")
            kind = dice.choice("it")
            known = writer.value(kind, scope, depth - 1)
            return Named(f"CAST({known.text} AS DOUBLE)", NUMBER, known.reach if kind == INTEGER else None)


def _as_number(text: str, reach: float | None) -> Named:
    return Named(f"CAST({text} AS DOUBLE)", NUMBER, reach)


def _text(writer: Writer, scope: Source, depth: int) -> Named:
    dice = writer.dice

    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    match dice.choice(["case", "trim", "cut", "end", "replace", "concat", "pipe", "cast", "format"]):
        case "case":
            return Named(f"{dice.choice(['LOWER', 'UPPER'])}({of(TEXT)})", TEXT)
        case "trim":
            return Named(f"{dice.choice(['TRIM', 'LTRIM', 'RTRIM'])}({of(TEXT)})", TEXT)
        case "cut":
            return Named(f"SUBSTR({of(TEXT)}, {dice.choice([1, 2])}, {dice.choice([0, 1, 3])})", TEXT)
        case "end":
            return Named(f"{dice.choice(['LEFT', 'RIGHT'])}({of(TEXT)}, {dice.choice([0, 1, 3])})", TEXT)
        case "replace":
            return Named(f"REPLACE({of(TEXT)}, 'a', {dice.choice(_TEXTS)})", TEXT)
        case "concat":
            return Named(f"CONCAT({of(TEXT)}, {of(dice.choice('ti'))})", TEXT)
        case "pipe":
            return Named(f"({of(TEXT)} || {of(TEXT)})", TEXT)
        case "format":
            writer.features.add("date function")
            return Named(f"STRFTIME({of(dice.choice('dm'))}, {dice.choice(['%Y-%m', '%A %j', '%d.%m.%y %H'])!r})", TEXT)
        case _:
            writer.features.add("cast")
            return Named(f"CAST({of(INTEGER)} AS VARCHAR)", TEXT)


def _date(writer: Writer, scope: Source, depth: int) -> Named:
    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    match writer.dice.choice(["text", "moment", "later"]):
        case "text":
            writer.features.add("cast")
            return Named(f"CAST(({of(TEXT)} || '') AS DATE)", DATE)
        case "moment":
            writer.features.add("cast")
            return Named(f"CAST({of(MOMENT)} AS DATE)", DATE)
        case _:
            writer.features.add("date function")
            return Named(f"({of(DATE)} {writer.dice.choice('+-')} {writer.dice.choice([0, 7, 400])})", DATE)


def _moment(writer: Writer, scope: Source, depth: int) -> Named:
    def of(kind: str) -> str:
        return writer.value(kind, scope, depth - 1).text

    match writer.dice.choice(["day", "trunc", "later"]):
        case "day":
            writer.features.add("cast")
            return Named(f"CAST({of(DATE)} AS TIMESTAMP)", MOMENT)
        case "trunc":
            writer.features.add("date function")
            unit = writer.dice.choice(_UNITS)
            return Named(f"DATE_TRUNC('{unit}', {of(writer.dice.choice('dm'))})", MOMENT)
        case _:
            writer.features.add("date function")
            unit = writer.dice.choice(["YEAR", "MONTH", "DAY", "HOUR"])
            return Named(f"({of(writer.dice.choice('dm'))} + INTERVAL {writer.dice.choice([1, 3, 900])} {unit})", MOMENT)


_BUILT: dict[str, Callable[[Writer, Source, int], Named]] = {
    BOOLEAN: _boolean,
    INTEGER: _integer,
    NUMBER: _number,
    TEXT: _text,
    DATE: _date,
    MOMENT: _moment,
}


def write_statement(seed: int) -> Statement:
    """The statement of a seed; every second one may have keys that are not public."""
    return Writer(Random(seed), finding=bool(seed % 2), hostile=seed % 5 == 0).statement()
