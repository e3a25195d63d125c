"""Random rows of every kind of node, over private tables of one unit, over rows that are units, and public tables."""

from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from math import inf, nan
from random import Random

from hypothesis import strategies as st

from tacit.errors import InvalidPlan
from tacit.plan import (
    Cast,
    Column,
    Compared,
    Computed,
    Counted,
    Defined,
    Either,
    Field,
    Folding,
    Inner,
    IsNull,
    Joined,
    Kept,
    Key,
    Kind,
    Literal,
    Not,
    Ordering,
    Place,
    Placed,
    Question,
    Running,
    Scan,
    Stacked,
    Table,
    Units,
    Where,
    Windowed,
    column_of,
    columns_of,
    fold_rows,
    type_of,
)
from tests.laws import plans

ONE = Table(
    "one",
    (
        Column("n", Kind.INTEGER, -3, 5),
        Column("free", Kind.INTEGER),
        Column("x", Kind.NUMBER, 0, 7),
        Column("t", Kind.TEXT, values=("A", "B")),
        Column("b", Kind.BOOLEAN),
        Column("d", Kind.DATE),
    ),
    unit="who",
    contributions=3,
)
TWO = Table(
    "two",
    (
        Column("m", Kind.INTEGER, 0, 3),
        Column("y", Kind.NUMBER),
        Column("s", Kind.TEXT),
        Column("w", Kind.TIMESTAMP),
    ),
    unit="whom",
    contributions=2,
)
PUBLIC = Table("public", (Column("p", Kind.INTEGER, 0, 3), Column("q", Kind.TEXT)), public=True)
SURE = Table(
    "sure", (Column("p", Kind.INTEGER, -9, 9), Column("q", Kind.TEXT)), public=True, unique=("p",)
)
ROW = Table("row", ONE.columns, contributions=1)
UNITS = ("ann", "ann", "bob", "bob", "eve", None)
# Few values, so that rows of different units meet wherever something lets them; and some that poison.
CELLS = plans.CELLS | {
    Kind.INTEGER: st.sampled_from([0, 1, 1, 2, 3, None, -(2**63), 2**53 + 1]),
    Kind.NUMBER: st.sampled_from([0.0, 1.0, 1.0, 2.5, None, nan, inf, -inf, 1e308]),
    Kind.TEXT: st.sampled_from(["A", "A", "B", None, ""]),
    Kind.DATE: st.sampled_from([date(2024, 2, 29), date(2025, 1, 1), None]),
    Kind.TIMESTAMP: st.sampled_from([plans.MOMENTS[2], plans.MOMENTS[3], None]),
}
SHAPES = ("where", "computed", "inner", "stacked", "joined", "joined", "public", "kept", "windowed")


@dataclass(frozen=True)
class World:
    """Tables and their rows."""

    rows: dict[Table, list[dict[str, object]]]

    def without(self, unit: object) -> "World":
        """The world without a unit's rows."""
        return World(
            {
                table: [row for row in rows if table.unit is None or row[table.unit] != unit]
                for table, rows in self.rows.items()
            }
        )


@st.composite
def worlds(draw, most=7):
    """Rows for every table: few values, so that they meet, and some units that own nothing in one of them."""
    found, random = {}, Random(draw(st.integers(0, 2**64 - 1)))
    for table in (ONE, TWO, PUBLIC, ROW):
        cells = {column.name: CELLS[column.kind] for column in table.columns}
        pool = draw(st.lists(st.fixed_dictionaries(cells), min_size=2, max_size=4))
        rows = random.choices(pool, k=random.choice([0, 1, most // 2, *[most] * 5]))
        found[table] = [
            dict(row) | ({table.unit: random.choice(UNITS)} if table.unit else {}) for row in rows
        ]
    found[SURE] = [{"p": p, "q": draw(st.sampled_from(["A", "B", None]))} for p in range(-3, 4)] + [
        {"p": None, "q": "A"}
    ]
    return World(found)


def seen(rows):
    """Rows as a table that expressions can be written about."""
    return Table("rows", columns_of(rows), "who")


class _Names:
    def __init__(self):
        self.numbers = count()

    def __call__(self):
        return f"c{next(self.numbers)}"


@st.composite
def values(draw, rows, kind=None, depth=1):
    """An expression over rows."""
    kinds = sorted({column.kind for column in columns_of(rows)}, key=lambda kind: kind.value)
    wanted = kind or draw(st.sampled_from(kinds or [Kind.INTEGER]))
    found = draw(plans.expressions(seen(rows), wanted, depth))
    return found if type_of(found).kind is wanted else Cast(found, wanted)


@st.composite
def conditions(draw, rows):
    """A condition over rows: any, or one that most rows meet, so that something is left of them."""
    if not columns_of(rows) or draw(st.integers(0, 2)) == 0:
        return draw(values(rows, Kind.BOOLEAN))
    field = draw(fields(rows))
    other = Literal(draw(st.sampled_from(plans.KEYS[field.column.kind])), field.column.kind)
    return (
        Either(Compared("<>", field, other), IsNull(field))
        if draw(st.booleans())
        else Not(IsNull(field))
    )


def fields(rows):
    return st.sampled_from([Field(column) for column in columns_of(rows)])


@st.composite
def _computed(draw, rows, name):
    listed = [
        Defined(name(), draw(fields(rows) if draw(st.booleans()) else values(rows)))
        for _ in range(draw(st.integers(1, 3)))
    ]
    return Computed(rows, tuple(listed))


@st.composite
def _folds(draw, rows, name):
    fold = draw(st.sampled_from(Folding))
    value = draw(
        values(
            rows,
            draw(st.sampled_from([Kind.INTEGER, Kind.NUMBER]))
            if fold in {Folding.SUM, Folding.MEAN}
            else None,
        )
    )
    if fold is Folding.COUNT and draw(st.booleans()):
        value = None
    try:
        made = fold_rows(fold, value, draw(st.integers(1, 4)))
    except InvalidPlan:
        made = fold_rows(Folding.COUNT, None, 3)
    return replace(made, column=replace(made.column, name=name()))


@st.composite
def _inner(draw, rows, name):
    keys = [Defined(name(), draw(values(rows))) for _ in range(draw(st.integers(0, 2)))]
    return Inner(
        rows,
        tuple(keys),
        tuple(draw(_folds(rows, name)) for _ in range(draw(st.integers(0 if keys else 1, 2)))),
    )


def renamed(rows, name):
    """The rows with names that nobody else has."""
    return Computed(rows, tuple(Defined(name(), Field(column)) for column in columns_of(rows)))


@st.composite
def _joined(draw, left, right, name, *, least=0):
    right = renamed(right, name)
    pairs = [
        (Field(one), Field(two))
        for one in columns_of(left)
        for two in columns_of(right)
        if one.kind is two.kind or {one.kind, two.kind} == {Kind.INTEGER, Kind.NUMBER}
    ]
    on = draw(st.lists(st.sampled_from(pairs), max_size=1, min_size=least)) if pairs else []
    return Joined(left, right, tuple(on), draw(st.booleans()))


@st.composite
def _stacked(draw, parts, name):
    kinds = draw(st.lists(st.sampled_from(Kind), min_size=1, max_size=3))
    names = [name() for _ in kinds]
    return Stacked(
        tuple(
            Computed(
                part,
                tuple(
                    Defined(each, draw(values(part, kind)))
                    for each, kind in zip(names, kinds, strict=True)
                ),
            )
            for part in parts
        )
    )


@st.composite
def _windowed(draw, rows, name):
    windows = []
    for _ in range(draw(st.integers(1, 2))):
        order = tuple(
            Ordering(draw(values(rows)), draw(st.booleans()))
            for _ in range(draw(st.integers(0, 2)))
        )
        by = tuple(draw(values(rows)) for _ in range(draw(st.integers(0, 1))))
        place = draw(st.sampled_from([None, *Place]))
        if place is None:
            fold = draw(_folds(rows, name).filter(lambda fold: fold.fold is not Folding.DISTINCT))
            windows.append(Running(fold, order, by))
        elif place in {Place.NUMBER, Place.RANK, Place.DENSE}:
            windows.append(
                Placed(Column(name(), Kind.INTEGER, 1, nullable=False), place, order, by)
            )
        else:
            value = draw(values(rows))
            given = column_of(Defined(name(), value))
            column = Column(given.name, given.kind, given.low, given.high)
            windows.append(Placed(column, place, order, by, value, draw(st.integers(0, 3))))
    return Windowed(rows, tuple(windows))


@st.composite
def unit_rows(draw, depth=3, name=None, shapes=SHAPES):
    """Rows that belong to units, the last step being one of some shapes."""
    name = name or _Names()
    if depth == 0:
        return Scan(draw(st.sampled_from([ONE, ONE, TWO])))
    rows = draw(unit_rows(depth - 1, name))
    match draw(st.sampled_from(shapes)):
        case "where":
            return Where(rows, draw(conditions(rows)))
        case "computed":
            return draw(_computed(rows, name))
        case "inner":
            return draw(_inner(rows, name))
        case "stacked":
            return draw(
                _stacked([rows, draw(unit_rows(draw(st.integers(0, depth - 1)), name))], name)
            )
        case "joined":
            return draw(_joined(rows, draw(unit_rows(draw(st.integers(0, depth - 1)), name)), name))
        case "public":
            return draw(_joined(rows, Scan(PUBLIC), name))
        case "kept":
            return Kept(
                rows, draw(unit_rows(draw(st.integers(0, depth - 1)), name)), draw(st.booleans())
            )
        case _:
            return draw(_windowed(rows, name))


@st.composite
def single_rows(draw, depth=3, name=None):
    """Rows each of which is a unit."""
    name = name or _Names()
    if depth == 0:
        return Scan(ROW)
    rows = draw(single_rows(depth - 1, name))
    match draw(st.sampled_from(["where", "computed", "stacked", "public"])):
        case "where":
            return Where(rows, draw(conditions(rows)))
        case "computed":
            return draw(_computed(rows, name))
        case "stacked":
            return draw(
                _stacked([rows, draw(single_rows(draw(st.integers(0, depth - 1)), name))], name)
            )
        case _:
            right = renamed(Scan(SURE), name)
            whole = [Field(column) for column in columns_of(rows) if column.kind is Kind.INTEGER]
            if not whole:
                return rows
            on = ((draw(st.sampled_from(whole)), Field(columns_of(right)[0])),)
            return Joined(rows, right, on, draw(st.booleans()))


@st.composite
def row_questions(draw, rows, depth=1):
    """A question about rows."""
    table = seen(rows)
    if draw(st.integers(0, 3)) == 0:
        rows = Where(rows, draw(conditions(rows)))
    keys = []
    if table.columns and draw(st.booleans()):
        column = draw(st.sampled_from(table.columns))
        listed = draw(
            st.lists(
                st.sampled_from(plans.KEYS[column.kind][:4]), unique=True, min_size=1, max_size=4
            )
        )
        keys = [Key(Field(column), tuple(listed))]
    measures = [draw(plans._measures(table, depth)) for _ in range(draw(st.integers(1, 3)))]
    return Question(rows, tuple(keys), tuple(measures) or (Counted(), Units()))
