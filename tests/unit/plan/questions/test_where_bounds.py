"""What WHERE keeps bounds what is calculated from it, and changes none of it."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import Column, Kind, Summed, Table, compile_expression, read_sql, type_of
from tacit.plan.model import expressions as e
from tacit.plan.questions.where_bounds import clamp_to_conditions, within_declared_values

PRICE = Column("price", Kind.INTEGER, 0, 20_000)
CARAT = Column("carat", Kind.NUMBER, 0, 6)
DEPTH = Column("depth", Kind.NUMBER)
COUNT = Column("many", Kind.INTEGER)
CODE = Column("code", Kind.TEXT)
TWIN = Column("twin", Kind.NUMBER, 0, 6)
DIED = Column("died", Kind.INTEGER, values=(0, 1))
MONTH = Column("month", Kind.NUMBER, values=tuple(range(1, 13)))
TABLES = {"diamonds": Table("diamonds", (PRICE, CARAT, DEPTH, COUNT, DIED, MONTH, CODE, TWIN))}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT AVG(price / carat) AS a FROM diamonds WHERE carat >= 0.2",
        "SELECT AVG(price / carat) AS a FROM diamonds WHERE 0.2 <= carat AND price > 5",
        "SELECT SUM(depth) AS a FROM diamonds WHERE depth BETWEEN 50 AND 70",
        "SELECT SUM(many) AS a FROM diamonds WHERE many > 0 AND NOT (many >= 10)",
        "SELECT MEDIAN(depth) AS a FROM diamonds WHERE depth >= 50 AND depth < 70",
        "SELECT VARIANCE(depth) AS a FROM diamonds WHERE depth BETWEEN 50 AND 70",
        "SELECT CORR(depth, carat) AS a FROM diamonds WHERE depth BETWEEN 50 AND 70",
        "SELECT SUM(many) AS a FROM diamonds WHERE many = 3",
        "SELECT AVG(price / carat) FILTER (WHERE carat >= 0.2) AS a FROM diamonds",
        "SELECT AVG(CASE WHEN carat >= 0.2 THEN price / carat END) AS a FROM diamonds",
        "SELECT AVG(1 + CASE WHEN carat >= 0.2 AND price > 5 THEN price / carat ELSE 0 END) AS a FROM diamonds",
        "SELECT AVG(price / carat) AS a FROM (SELECT * FROM diamonds WHERE carat >= 0.2)",
        "SELECT AVG(price / c) AS a FROM (SELECT price, carat AS c FROM diamonds WHERE carat >= 0.2)",
        "SELECT AVG(ppc) AS a FROM (SELECT price / carat AS ppc FROM diamonds WHERE carat >= 0.2)",
        "SELECT SUM(d) AS a FROM (SELECT depth AS d FROM diamonds WHERE depth < 70) WHERE d > 50",
        "SELECT AVG(CAST(code AS INT)) AS a FROM diamonds WHERE CAST(code AS INT) BETWEEN 0 AND 5",
    ],
)
def test_where_bounds_what_is_measured(text):
    assert read_sql(text, TABLES).question.measures


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("SELECT AVG(price / carat) AS a FROM diamonds WHERE carat >= 0", InvalidPlan),
        (
            "SELECT AVG(price / carat) AS a FROM diamonds WHERE carat >= 0.2 OR price > 5",
            InvalidPlan,
        ),
        ("SELECT SUM(depth) AS a FROM diamonds WHERE depth >= 50", Unbounded),
        ("SELECT SUM(depth) AS a FROM diamonds WHERE carat < 2", Unbounded),
        ("SELECT SUM(depth) AS a FROM diamonds WHERE depth > 70 AND depth < 50", Unbounded),
        (
            "SELECT AVG(price / carat) AS a FROM (SELECT price, twin AS carat FROM diamonds WHERE carat >= 0.2)",
            InvalidPlan,
        ),
        (
            "SELECT AVG(CASE WHEN carat < 0.2 THEN 0 ELSE price / carat END) AS a FROM diamonds",
            InvalidPlan,
        ),
        (
            "SELECT AVG(price / c) AS a FROM (SELECT price, carat - 1 AS c FROM diamonds WHERE carat >= 0.2)",
            InvalidPlan,
        ),
        (
            "SELECT AVG(price / c) AS a FROM (SELECT price, depth AS c, carat FROM diamonds WHERE carat >= 0.2)",
            InvalidPlan,
        ),
        (
            "SELECT AVG(price / carat) FILTER (WHERE NOT carat >= 0.2) AS a FROM diamonds",
            InvalidPlan,
        ),
    ],
)
def test_where_bounds_nothing_else(text, error):
    with pytest.raises(error) as refusal:
        read_sql(text, TABLES)
    assert refusal.value.text == text


def test_what_was_bounded_already_stays_the_same_question():
    text = "SELECT SUM(carat) AS a FROM diamonds WHERE carat >= 0.2"
    (measure,) = read_sql(text, TABLES).question.measures
    assert measure.value == e.Field(CARAT)


@pytest.mark.parametrize("log", ["LN", "LOG10"])
def test_where_keeps_a_logarithm_away_from_that_of_zero(log):
    near = f"SELECT SUM({log}(carat)) AS a FROM diamonds WHERE carat BETWEEN 0.2 AND 5"
    (measure,) = read_sql(near, TABLES).question.measures
    assert measure.reach * measure.step < 2
    (far,) = read_sql(f"SELECT SUM({log}(carat)) AS a FROM diamonds", TABLES).question.measures
    assert far.reach * far.step > 300
    line = f"SELECT REGR_SLOPE({log}(carat), {log}(twin)) AS a FROM diamonds WHERE carat >= 0.2 AND twin >= 0.2"
    measures = read_sql(line, TABLES).question.measures
    plain = "SELECT REGR_SLOPE(carat, twin) AS a FROM diamonds"
    assert len(measures) == len(read_sql(plain, TABLES).question.measures)
    assert all(each.reach * each.step < 16 for each in measures if isinstance(each, Summed))


CONDITIONS = [
    ("carat >= 0.2", CARAT),
    ("carat > 0.2 AND carat < 0.7", CARAT),
    ("carat BETWEEN 0.1 AND 0.3", CARAT),
    ("many > 1.5 AND many <= 7", COUNT),
    ("NOT (many < 2)", COUNT),
    ("many = 3", COUNT),
]


@pytest.mark.parametrize(("text", "column"), CONDITIONS)
def test_in_rows_that_are_kept_the_value_is_the_same(text, column):
    plan = read_sql(f"SELECT COUNT(*) AS n FROM diamonds WHERE {text}", TABLES)
    condition = plan.question.rows.condition
    clamped = clamp_to_conditions(e.Field(column), [condition])
    assert clamped != e.Field(column)
    holds, value = compile_expression(condition), compile_expression(clamped)
    tried = [None, 0, 1, 2, 3, 7, 8, -5, 10**9]
    if column.kind is Kind.NUMBER:
        tried = [
            None,
            0.0,
            0.2,
            0.1,
            0.1 + 0.2,
            0.3,
            0.7,
            0.19999999999999998,
            0.20000000000000004,
            6.0,
        ]
    kept = 0
    for cell in tried:
        row = {column.name: cell}
        if holds(row) is True:
            kept += 1
            assert value(row) == cell
    assert kept
    found = type_of(clamped)
    assert found.low is None or found.low >= Fraction(-1)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(died) AS a FROM diamonds",
        "SELECT AVG(died * price) AS a FROM diamonds",
        "SELECT SUM(-died) AS a FROM diamonds",
        "SELECT CORR(died, month) AS a FROM diamonds",
        "SELECT MEDIAN(month) AS a FROM diamonds",
        "SELECT COUNT(*) AS a FROM diamonds WHERE month * 2 > 6",
        "SELECT SUM(died + depth) AS a FROM diamonds WHERE depth BETWEEN 50 AND 70",
    ],
)
def test_a_list_of_values_bounds_what_is_measured(text):
    assert read_sql(text, TABLES).question.measures


def test_keys_calculated_from_listed_values_are_public():
    text = "SELECT CEIL(month / 3.0) AS quarter, COUNT(*) AS n FROM diamonds GROUP BY quarter"
    (key,) = read_sql(text, TABLES).question.keys
    assert key.values == (1, 2, 3, 4)


@pytest.mark.parametrize("column", [DIED, MONTH])
def test_a_cell_outside_the_list_is_null(column):
    inside = within_declared_values(e.Field(column))
    value = compile_expression(inside)
    least, greatest = min(column.values), max(column.values)
    for cell in (None, -(10**9), least - 1, least, greatest, greatest + 1, 10**9):
        listed = cell is not None and least <= cell <= greatest
        assert value({column.name: cell}) == (cell if listed else None)
    known = type_of(inside)
    assert (known.low, known.high) == (least, greatest)


@pytest.mark.parametrize("column", [PRICE, DEPTH, COUNT, Column("ward", Kind.TEXT, values=("A",))])
def test_a_column_that_has_bounds_or_no_list_stays_as_it_is(column):
    assert within_declared_values(e.Field(column)) == e.Field(column)


CASES = [
    "CASE WHEN carat >= 0.5 THEN price / carat END",
    "CASE WHEN carat < 0.5 THEN 1 WHEN carat <= 2 THEN carat ELSE carat * 2 END",
    "CASE WHEN many > 3 THEN many WHEN depth >= 1 THEN price / depth ELSE carat END",
]


@pytest.mark.parametrize("text", CASES)
def test_a_branch_is_the_same_wherever_it_is_taken(text):
    """Also where an earlier condition is NULL, and so is what the branch reads."""
    given = e.Case(
        tuple(
            (_read(when), _read(then))
            for when, then in (part.split(" THEN ") for part in _branches(text))
        ),
        _read(text.split(" ELSE ")[1].removesuffix(" END"))
        if " ELSE " in text
        else e.Literal(None, Kind.NUMBER),
    )
    clamped = clamp_to_conditions(given, [])
    assert clamped != given
    one, other = compile_expression(given), compile_expression(clamped)
    cells = [None, 0.125, 0.25, 0.5, 1.0, 2.0, 5.0]
    for carat in cells:
        for depth in cells:
            for many in (None, 0, 4):
                row = {"price": 7, "carat": carat, "depth": depth, "many": many}
                assert one(row) == other(row), row


def _branches(text):
    inside = text.removeprefix("CASE WHEN ").removesuffix(" END").split(" ELSE ")[0]
    return inside.split(" WHEN ")


def _read(text):
    """A part of a row, read as a key or a condition would be, without asking for its bounds."""
    operators = {"/": e.Arithmetic, "*": e.Arithmetic}
    for sign in (">=", "<=", "<", ">", "/", "*"):
        if f" {sign} " in text:
            left, right = map(_read, text.split(f" {sign} "))
            return operators.get(sign, e.Compared)(sign, left, right)
    columns = {
        "price": PRICE,
        "carat": Column("carat", Kind.NUMBER, Fraction(1, 8), 6),
        "depth": Column("depth", Kind.NUMBER, Fraction(1, 8), 70),
        "many": Column("many", Kind.INTEGER, 0, 9),
    }
    if text in columns:
        return e.Field(columns[text])
    return (
        e.Literal(Fraction(text), Kind.NUMBER)
        if "." in text
        else e.Literal(int(text), Kind.INTEGER)
    )


def test_what_is_true_on_the_right_of_an_outer_join_is_not_true_of_its_rows():
    """A row that meets none has NULL there, which no bound may turn into a number."""
    one = Table("one", (PRICE,), unit="who", contributions=1)
    two = Table("two", (CARAT,), unit="who", contributions=1)
    right = "(SELECT who, carat FROM two WHERE carat >= 0.2) AS b"
    text = f"SELECT AVG(price / carat) AS a FROM one AS a {{}} JOIN {right} ON a.who = b.who"
    tables = {"one": one, "two": two}
    assert read_sql(text.format("INNER"), tables)
    with pytest.raises(InvalidPlan):
        read_sql(text.format("LEFT"), tables)
