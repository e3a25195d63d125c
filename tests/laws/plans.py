"""Random tables, rows and questions for the laws of engines: every node, poisoned cells, heavy units, foreign keys."""

from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction
from math import floor, inf, nan
from random import Random
from typing import Any

from hypothesis import strategies as st

from tacit.errors import InvalidPlan
from tacit.plan import (
    CASTS,
    PARTS,
    TRUNCATED,
    UNITS,
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Column,
    Compared,
    Counted,
    Distinct,
    Either,
    Even,
    Field,
    Function,
    IsNull,
    Key,
    Kind,
    Like,
    Literal,
    Negated,
    Not,
    OneOf,
    Powers,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
    Weights,
    Where,
    centred_sum,
    product_sum,
    public_values,
    rank_measure,
    sum_measure,
    type_of,
)

HUGE = 1 << 63
RANKS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
TEXTS = (
    "A",
    "B",
    "",
    "a_b",
    "50%",
    "é\N{GRINNING FACE}",
    "ward 7",
    "12",
    "-3.5",
    "2024-02-29",
    "it's",
    'say "x"',
    "\\",
    "a\0b",
)
NUMBERS = (0.0, 1.0, -1.5, 0.1, 2.5, 3.5, 1e-300, 7.0)
DATES = (date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(2025, 1, 1), date(9999, 12, 31))
MOMENTS = (
    datetime(1, 1, 1),  # noqa: DTZ001 -- columns without a zone hold UTC
    datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
    datetime(2024, 2, 29, 12),  # noqa: DTZ001
    datetime(2025, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
)

CELLS = {
    Kind.BOOLEAN: st.sampled_from([True, False, None]),
    Kind.INTEGER: st.one_of(
        st.integers(-9, 9),
        st.sampled_from(
            [None, 0, 10**9, 2**53 + 1, -(2**53) - 1, HUGE - 1, -HUGE, HUGE, -HUGE - 1]
        ),
    ),
    Kind.NUMBER: st.one_of(
        st.sampled_from(
            [None, nan, -nan, inf, -inf, -0.0, 5e-324, -5e-324, 1e308, -1e308, *NUMBERS]
        ),
        st.floats(-20, 20),
        st.integers(-9, 9),
    ),
    Kind.TEXT: st.one_of(st.sampled_from([None, "Z" * 5000, *TEXTS]), st.text(max_size=4)),
    Kind.DATE: st.one_of(
        st.sampled_from([None, *DATES]), st.dates(date(2024, 1, 1), date(2025, 12, 31))
    ),
    Kind.TIMESTAMP: st.sampled_from([None, *MOMENTS]),
}
LITERALS = {
    Kind.BOOLEAN: st.booleans(),
    Kind.INTEGER: st.one_of(st.integers(-9, 9), st.sampled_from([2**53 + 1, HUGE - 1, -HUGE])),
    Kind.NUMBER: st.sampled_from(
        [Fraction(x) for x in NUMBERS] + [Fraction(1, 10), Fraction(2**53 + 1), 3, -2]
    ),
    Kind.TEXT: st.sampled_from(TEXTS),
    Kind.DATE: st.sampled_from(DATES),
    Kind.TIMESTAMP: st.sampled_from(MOMENTS),
}
KEYS: dict[Kind, list[Any]] = {
    Kind.BOOLEAN: [True, False],
    Kind.INTEGER: [0, 1, 2, 3, -7, 10**9],
    Kind.NUMBER: [Fraction(0), Fraction(1), Fraction(-3, 2), Fraction(1, 10)],
    Kind.TEXT: list(TEXTS),
    Kind.DATE: list(DATES),
    Kind.TIMESTAMP: list(MOMENTS),
}
# What most cells hold, so that rows meet in the groups of a question.
USUAL = {kind: values[:4] for kind, values in KEYS.items()} | {Kind.NUMBER: [*NUMBERS[:5], 7.0]}
PATTERNS = ("%", "_", "A%", "%7", "%a\\_%", "50\\%", "", "a\\", "é_", "%_%_%", "\\\\", "a_b", "\\A")
BOUNDS = {
    Kind.INTEGER: [
        (None, None),
        (0, 5),
        (-3, 100),
        (-(2**40), 2**40),
        (0, None),
        (None, 4),
        (Fraction(-5, 2), Fraction(9, 2)),
    ],
    Kind.NUMBER: [
        (None, None),
        (0, 5),
        (Fraction(-1, 10), Fraction(1, 3)),
        (-100, 1000),
        (None, 2),
        (-(10**6), None),
    ],
    Kind.DATE: [(None, None), (date(2024, 1, 1), date(2024, 12, 31))],
    Kind.TIMESTAMP: [(None, None), (MOMENTS[1], MOMENTS[2])],
}


@dataclass(frozen=True)
class Situation:
    """A table, its rows, and questions about them."""

    table: Table
    rows: list[dict[str, object]]
    questions: list[tuple[Question, Weights]]


@st.composite
def tables(draw):
    """A table with one or two columns of every kind, and a unit that is declared, undeclared or every row."""
    columns = []
    for kind in Kind:
        for i in range(draw(st.integers(1, 2))):
            low, high = draw(st.sampled_from(BOUNDS.get(kind, [(None, None)])))
            columns.append(Column(f"{kind.value} {i}", kind, low, high))
    unit = draw(st.sampled_from([None, "who", "who", "integer 0", "text 0"]))
    return Table("rows", tuple(columns), unit)


@st.composite
def rows_of(draw, table, most=40):
    """Rows of which a few units own many; some units are NULL.

    They are shuffled together by a seed: drawn one by one, most tables would be all but empty.
    """
    cells = {column.name: CELLS[column.kind] for column in table.columns}
    strange = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=6))
    random = Random(draw(st.integers(0, 2**64 - 1)))
    found = []
    for _ in range(random.choice([0, 1, most // 4, most // 2, most, most])):
        row = {c.name: random.choice(USUAL[c.kind]) for c in table.columns}
        row |= {
            c.name: random.choice(strange)[c.name] for c in table.columns if random.random() < 1 / 3
        }
        if table.unit == "who":
            row["who"] = random.choice(["ann", "ann", "ann", "bob", "eve", None, "ann ", "é"])
        found.append(row)
    return found


def tried(build, *arguments):
    """What is built, or None if the plan refuses it."""
    try:
        built = build(*arguments)
        type_of(getattr(built, "value", built))
    except InvalidPlan:
        return None
    return built


@st.composite
def expressions(draw, table, kind, depth=3):
    """A well-typed expression of a kind."""
    made = tried(draw(_node(table, kind, depth)).__call__) if depth else None
    if made is not None:
        return made
    fields = [Field(column) for column in table.columns if column.kind is kind]
    if fields and draw(st.integers(0, 3)):
        return draw(st.sampled_from(fields))
    value = draw(LITERALS[kind]) if draw(st.integers(0, 9)) else None
    return Literal(value, kind)


@st.composite
def _node(draw, table, kind, depth):
    """How an expression of a kind may be built, not yet known to be well typed."""

    def of(other):
        return draw(expressions(table, other, draw(st.integers(0, depth - 1))))

    numeric = st.sampled_from([Kind.INTEGER, Kind.NUMBER])
    shapes = ["case", "cast", "called", "called"]
    if kind in {Kind.INTEGER, Kind.NUMBER}:
        shapes += ["arithmetic", "arithmetic", "negated", "clamp"]
    if kind is Kind.BOOLEAN:
        shapes = [
            "compared",
            "compared",
            "both",
            "either",
            "not",
            "is null",
            "one of",
            "like",
            "case",
            "called",
        ]
    match draw(st.sampled_from(shapes)):
        case "case":
            count = draw(st.integers(1, 2))
            kinds = [draw(numeric) if kind is Kind.NUMBER else kind for _ in range(count + 1)]
            built = Case(tuple((of(Kind.BOOLEAN), of(each)) for each in kinds[1:]), of(kinds[0]))
        case "cast":
            since = draw(
                st.sampled_from(sorted({a.value for a, b in CASTS if b is kind} | {kind.value}))
            )
            built = Cast(of(Kind(since)), kind)
        case "arithmetic":
            operator = draw(st.sampled_from("+-*%" if kind is Kind.INTEGER else "+-*/%"))
            sides = (kind, kind) if kind is Kind.INTEGER else (draw(numeric), draw(numeric))
            left, right = of(sides[0]), of(sides[1])
            if operator in "/%" and draw(st.booleans()):  # whole divisors, zero among them
                whole = [Field(c) for c in table.columns if c.kind is Kind.INTEGER]
                right = draw(st.sampled_from(whole or [Literal(0, Kind.INTEGER)]))
            built = Arithmetic(operator, left, right)
        case "called":
            built = draw(_calls(table, kind, of))
        case "negated":
            built = Negated(of(kind))
        case "clamp":
            value, low, high = of(kind), Literal(-3, Kind.INTEGER), Literal(40, Kind.INTEGER)
            built = Case(
                ((Compared(">", value, high), high), (Compared("<", value, low), low)), value
            )
        case "compared":
            one = draw(st.sampled_from(Kind))
            other = draw(numeric) if one in {Kind.INTEGER, Kind.NUMBER} else one
            signs = ["=", "<>"] if one is Kind.BOOLEAN else ["=", "<>", "<", "<=", ">", ">="]
            built = Compared(draw(st.sampled_from(signs)), of(one), of(other))
        case "both":
            built = Both(of(Kind.BOOLEAN), of(Kind.BOOLEAN))
        case "either":
            built = Either(of(Kind.BOOLEAN), of(Kind.BOOLEAN))
        case "not":
            built = Not(of(Kind.BOOLEAN))
        case "is null":
            built = IsNull(of(draw(st.sampled_from(Kind))))
        case "one of":
            one = draw(st.sampled_from(Kind))
            kinds = [one, *([Kind.NUMBER] if one is Kind.INTEGER else [])]
            count = draw(st.integers(1, 4))
            listed = [
                (draw(LITERALS[each]), each)
                for each in (draw(st.sampled_from(kinds)) for _ in range(count))
            ]
            listed += [(None, one)] if draw(st.integers(0, 4)) == 0 else []
            built = OneOf(of(one), tuple(Literal(value, each) for value, each in listed))
        case _:
            built = Like(of(Kind.TEXT), draw(st.sampled_from(PATTERNS)))
    return lambda: built


@st.composite
def _calls(draw, table, kind, of):
    """A call of some function that gives a kind; engines agree on all of them bit for bit."""
    text = draw(st.sampled_from(sorted(PARTS)))
    moment = draw(st.sampled_from([Kind.DATE, Kind.TIMESTAMP]))
    whole = st.integers(0, 4).map(lambda n: Literal(n, Kind.INTEGER))
    choices = [Function.COALESCE, Function.NULLIF, Function.LEAST, Function.GREATEST]
    own = [Function.ABS, Function.FLOOR, Function.CEIL, Function.TRUNC, Function.ROUND]
    possible = {
        Kind.BOOLEAN: [Function.COALESCE, Function.NULLIF, Function.DISTINCT, Function.REGEXP],
        Kind.INTEGER: [
            *choices,
            *own,
            Function.QUOTIENT,
            Function.SIGN,
            Function.LENGTH,
            Function.STRPOS,
            Function.EXTRACT,
        ],
        Kind.NUMBER: [*choices, *own, Function.SQRT, Function.EXTRACT],
        Kind.TEXT: [*choices, *TEXTUAL, *CUTS, Function.CONCAT, Function.JOINED],
        Kind.DATE: choices,
        Kind.TIMESTAMP: [*choices, Function.DATE_TRUNC, Function.DATE_ADD],
    }
    possible[Kind.INTEGER].append(Function.DATE_DIFF)
    match draw(st.sampled_from(possible[kind])):
        case Function.NULLIF:
            return Called(Function.NULLIF, (of(kind), of(kind)))
        case Function.COALESCE | Function.LEAST | Function.GREATEST as function:
            numeric = [Kind.INTEGER, Kind.NUMBER] if kind is Kind.NUMBER else [kind]
            first = of(kind)
            parts = (
                first,
                *(of(draw(st.sampled_from(numeric))) for _ in range(draw(st.integers(0, 2)))),
            )
            return Called(function, parts)
        case Function.DISTINCT:
            one = draw(st.sampled_from(Kind))
            return Called(Function.DISTINCT, (of(one), of(one)))
        case Function.ROUND:
            return Called(
                Function.ROUND, (of(kind), Literal(draw(st.integers(-3, 6)), Kind.INTEGER))
            )
        case Function.SUBSTR:
            places = [
                Literal(draw(st.integers(1, 4)), Kind.INTEGER),
                *draw(st.lists(whole, max_size=1)),
            ]
            return Called(Function.SUBSTR, (of(Kind.TEXT), *places))
        case Function.RIGHT:
            return Called(Function.RIGHT, (of(Kind.TEXT), draw(whole)))
        case Function.REPLACE:
            texts = [
                Literal(draw(st.sampled_from(each)), Kind.TEXT)
                for each in ("aA1 ", ("", "b", "é-"))
            ]
            return Called(Function.REPLACE, (of(Kind.TEXT), *texts))
        case Function.REGEXP:
            pattern = draw(st.sampled_from(["a", "^[A-Z]", "(a|1)+$", "[^a]b?"]))
            return Called(Function.REGEXP, (of(Kind.TEXT), Literal(pattern, Kind.TEXT)))
        case Function.STRPOS:
            part = Literal(draw(st.sampled_from("aA1 ")), Kind.TEXT)
            return Called(Function.STRPOS, (of(Kind.TEXT), part))
        case Function.SPLIT_PART:
            between = Literal(draw(st.sampled_from("aA1 ")), Kind.TEXT)
            place = Literal(draw(st.integers(1, 3)), Kind.INTEGER)
            return Called(Function.SPLIT_PART, (of(Kind.TEXT), between, place))
        case Function.LPAD | Function.RPAD as function:
            fill = Literal(draw(st.sampled_from(["0", "é-"])), Kind.TEXT)
            return Called(function, (of(Kind.TEXT), draw(whole), fill))
        case Function.STRFTIME:
            return Called(
                Function.STRFTIME,
                (of(moment), Literal(draw(st.sampled_from(FORMATTED)), Kind.TEXT)),
            )
        case Function.CONCAT | Function.JOINED as function:
            kinds = [draw(st.sampled_from([Kind.TEXT, Kind.TEXT, Kind.INTEGER])) for _ in range(2)]
            return Called(function, tuple(map(of, kinds)))
        case Function.SIGN:
            return Called(Function.SIGN, (of(draw(st.sampled_from([Kind.INTEGER, Kind.NUMBER]))),))
        case Function.QUOTIENT:
            return Called(Function.QUOTIENT, (of(Kind.INTEGER), of(Kind.INTEGER)))
        case Function.LENGTH:
            return Called(Function.LENGTH, (of(Kind.TEXT),))
        case Function.EXTRACT if kind is Kind.NUMBER and draw(st.booleans()):
            return Called(Function.SECONDS_BETWEEN, (of(moment), of(Kind.TIMESTAMP)))
        case Function.EXTRACT:
            part = "epoch" if kind is Kind.NUMBER else text if text != "epoch" else "dow"
            return Called(Function.EXTRACT, (Literal(part, Kind.TEXT), of(moment)))
        case Function.DATE_TRUNC:
            return Called(
                Function.DATE_TRUNC,
                (Literal(draw(st.sampled_from(TRUNCATED)), Kind.TEXT), of(moment)),
            )
        case Function.DATE_ADD:
            unit = Literal(draw(st.sampled_from(sorted(UNITS))), Kind.TEXT)
            return Called(Function.DATE_ADD, (of(moment), of(Kind.INTEGER), unit))
        case Function.DATE_DIFF:
            unit = Literal(draw(st.sampled_from(sorted(UNITS.keys() - {"week"}))), Kind.TEXT)
            return Called(Function.DATE_DIFF, (unit, of(moment), of(Kind.TIMESTAMP)))
        case function:
            return Called(function, (of(kind),))


CUTS = [
    *(Function.SUBSTR, Function.RIGHT, Function.REPLACE, Function.STRFTIME),
    *(Function.SPLIT_PART, Function.LPAD, Function.RPAD),
]
FORMATTED = ["%Y-%m", "%d.%m.%y, %H:%M:%S", "%A %a", "it's %B (%b), day %j"]
TEXTUAL = [Function.LOWER, Function.UPPER, Function.TRIM, Function.LTRIM, Function.RTRIM]


NULL_GROUPS = st.sampled_from([False, False, True])  # whether NULL is a value of a key


@st.composite
def _keys(draw, table, depth):
    """A key that is calculated, with the values that are found for it or, where none are, with some."""
    value = draw(expressions(table, draw(st.sampled_from(Kind)), draw(st.integers(1, depth))))
    found = public_values(value)
    if found is not None and len(found) <= 60:
        return Key(value, found, draw(NULL_GROUPS))
    kind = type_of(value).kind
    return Key(
        value,
        tuple(draw(st.lists(st.sampled_from(KEYS[kind]), unique=True, min_size=1, max_size=5))),
    )


@st.composite
def questions(draw, table, depth=3):
    """A question about a table."""
    rows = Scan(table)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        rows = Where(rows, draw(expressions(table, Kind.BOOLEAN, depth)))
    columns = draw(
        st.lists(
            st.sampled_from(table.columns), unique=True, max_size=draw(st.sampled_from([1, 2, 3]))
        )
    )
    keys = []
    for column in columns:
        listed = draw(st.sampled_from([KEYS[column.kind], KEYS[column.kind][:4]]))
        values = draw(st.lists(st.sampled_from(listed), unique=True, min_size=1, max_size=5))
        if column.kind is Kind.INTEGER and draw(st.booleans()):
            values = [0, 1, 2, 3]
        keys.append(Key(Field(column), tuple(values), draw(NULL_GROUPS)))
    if draw(st.integers(0, 2)) == 0:
        keys = [*keys[:1], draw(_keys(table, depth))]
    measures = [draw(_measures(table, depth)) for _ in range(draw(st.integers(1, 3)))]
    return Question(rows, tuple(keys), tuple(measures))


@st.composite
def _measures(draw, table, depth):
    kinds = [
        "all",
        "some",
        "sum",
        "sum",
        "mean",
        "squares",
        "units",
        "some units",
        "distinct",
        "rank",
    ]
    match draw(st.sampled_from(kinds)):
        case "rank":
            kind = draw(st.sampled_from([Kind.INTEGER, Kind.NUMBER]))
            made = tried(
                rank_measure, draw(expressions(table, kind, depth)), draw(st.sampled_from(RANKS))
            )
            return (
                Counted()
                if made is None
                else replace(made, grid=draw(_grids(made.grid)), ends=draw(st.booleans()))
            )
        case "all":
            return Counted()
        case "units":
            return Units()
        case "some units":
            return Units(draw(expressions(table, draw(st.sampled_from(Kind)), depth)))
        case "distinct":
            return Distinct(draw(expressions(table, draw(st.sampled_from(Kind)), depth)))
        case "squares":
            total = tried(centred_sum, draw(expressions(table, Kind.NUMBER, depth)))
            return (total and tried(product_sum, total, total)) or Counted()
        case "some":
            return Counted(draw(expressions(table, draw(st.sampled_from(Kind)), depth)))
        case what:
            kind = draw(st.sampled_from([Kind.INTEGER, Kind.NUMBER]))
            build = sum_measure if what == "sum" else centred_sum
            return tried(build, draw(expressions(table, kind, depth))) or Counted()


@st.composite
def _grids(draw, grid):
    """A grid of few cells for what has one of many: wider, a part of it, or one that needs no bounds."""
    if draw(st.booleans()):
        return Powers(draw(st.integers(-3, 0)), draw(st.sampled_from([1, 4, 11])))
    wide = 1 << max(0, grid.count.bit_length() - draw(st.integers(2, 5)))
    low, high = (floor(Fraction(end, wide) + Fraction(1, 2)) for end in (grid.low, grid.high))
    return Even(grid.step * wide, low, max(low + 1, high - draw(st.integers(0, 1))))


@st.composite
def weightings(draw):
    """Weights in either norm; the square for units is a perfect one in the norm L1."""
    norm = draw(st.sampled_from(Weighing))
    root = draw(st.integers(1, 4))
    return Weights(
        norm,
        draw(st.one_of(st.integers(1, 6), st.sampled_from([50, 10**6]))),
        root * root if norm is Weighing.L1 else draw(st.integers(1, 9)),
        draw(st.sampled_from([0, 1, 10, 20, 31, 40])),
    )


@st.composite
def cases(draw, count=3, most=40, depth=3):
    """A table, its rows and some questions with their weights."""
    table = draw(tables())
    rows = draw(rows_of(table, most))
    return Situation(
        table, rows, [(draw(questions(table, depth)), draw(weightings())) for _ in range(count)]
    )


def as_written(engine):
    """A DuckDB engine as it is with few rows: statements are not optimised before they run."""
    brief = copy(engine)
    brief._few = set(engine._full)
    return brief
