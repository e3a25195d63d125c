"""The table of partial cases: every case is one, ranges know of it, and both engines have NULL there."""

from datetime import datetime
from fractions import Fraction
from itertools import product

import duckdb
import pytest

from tacit.engines.sql.expressions import literal, render
from tacit.engines.sql.select_with_parameters import Reader
from tacit.errors import InvalidPlan
from tacit.plan import (
    NEGATION,
    PARTIAL,
    SETTINGS,
    Arithmetic,
    Called,
    Cast,
    Column,
    Field,
    Function,
    Kind,
    Literal,
    Negated,
    Type,
    compile_expression,
    type_of,
)
from tacit.plan.semantics.cases_without_value import cases_of, has_value
from tests.scratch import scratch
from tests.together import together

LEAST, MOST = -(1 << 63), (1 << 63) - 1
every_case = pytest.mark.parametrize(
    "case", PARTIAL, ids=[f"{case.operation} {case.name}" for case in PARTIAL]
)
KINDS = {int: Kind.INTEGER, float: Kind.NUMBER, str: Kind.TEXT}
NOW = datetime(2024, 1, 1)  # noqa: DTZ001 -- in UTC
PROVED = {Kind.INTEGER: (1, 1), Kind.NUMBER: (1, 1), Kind.TIMESTAMP: (NOW, NOW)}


def kinds_of(case):
    """The kinds of a case's operands: days and moments are integers in the example."""
    moments = {Function.EXTRACT: [1], Function.DATE_TRUNC: [1], Function.DATE_DIFF: [1, 2]}
    moments |= {Function.STRFTIME: [0], Function.DATE_ADD: [0], Function.SECONDS_BETWEEN: [0, 1]}
    kinds = [KINDS[type(value)] for value in case.example]
    for place in moments.get(case.operation, []):
        kinds[place] = Kind.TIMESTAMP
    return [case.kind] if isinstance(case.operation, tuple) else kinds


def written(case):
    """The operation of a case over columns of which far too little is declared, so that the proof accepts it."""
    parts = []
    for place, (value, kind) in enumerate(zip(case.example, kinds_of(case), strict=True)):
        told = {setting.place for setting in SETTINGS.get(case.operation, ())}
        column = Column(f"c{place}", kind, *PROVED.get(kind, (None, None)))
        parts.append(Literal(value, kind) if place in told else Field(column))
    match case.operation:
        case "minus":
            return Negated(*parts)
        case str(sign):
            return Arithmetic(sign, *parts)
        case Function() as function:
            return Called(function, tuple(parts))
        case (_, kind):
            return Cast(parts[0], kind)


def stored(value, kind):
    return (
        f"(SELECT {literal(value, kind)})"
        if kind is not Kind.TIMESTAMP
        else f"(SELECT make_timestamp({value}))"
    )


def run(case, expression):
    """What DuckDB, as the engine sets it up, makes of an example that is stored in a table."""
    with scratch() as connection:
        cells = [
            stored(value, kind) for value, kind in zip(case.example, kinds_of(case), strict=True)
        ]
        names = [f"c{place}" for place in range(len(cells))]
        select = ", ".join(f"{cell} AS {name}" for cell, name in zip(cells, names, strict=True))
        connection.execute(f"CREATE TABLE rows AS SELECT {select}")
        # which IS NULL would make DuckDB pass over
        value = render(expression, Reader(lambda column: column.name))
        ((found,),) = connection.execute(
            f"SELECT CAST(v AS VARCHAR) FROM (SELECT {value} AS v FROM rows)"
        ).fetchall()
        return found is None


@together
@every_case
def test_an_example_meets_its_case(case):
    assert case.is_met(*case.example)
    assert not has_value(case.operation, case.kind, *case.example)


@every_case
def test_memory_has_null_where_a_case_is_met(case, monkeypatch):
    monkeypatch.setattr("tacit.plan.semantics.evaluate.bounds_of", lambda _: (None, None))
    row = {f"c{place}": value for place, value in enumerate(case.example)}
    calendar_cast = isinstance(case.operation, tuple) and case.kind in {Kind.DATE, Kind.TIMESTAMP}
    assert calendar_cast or compile_expression(written(case))(row) is None


@every_case
def test_duckdb_raises_exactly_where_the_table_says_so_and_not_within_try(case, monkeypatch):
    expression = written(case)
    run(case, expression)  # which does not raise
    assert run(case, expression) or not case.raises
    for file in ("sql.duckdb_functions", "sql.duckdb_dialect"):
        monkeypatch.setattr(f"tacit.engines.{file}.caught", lambda value: value)
    raised = False
    try:
        run(case, expression)
    except duckdb.Error:
        raised = True
    assert raised is case.raises


POOLS = {
    Kind.INTEGER: [LEAST, LEAST + 1, -1000, -1, 0, 1, 7, 1 << 53, MOST],
    Kind.NUMBER: [
        -1.7e308,
        -800.0,
        -1.5,
        -1.0,
        0.0,
        5e-324,
        1e-300,
        0.5,
        2.0,
        800.0,
        9.3e18,
        1.7e308,
    ],
}


def ranges_about(value, pool):
    """Some ranges that hold a value: itself alone, up to the others of its pool on either side, and none at all."""
    exact = [Fraction(each) for each in (min(pool), value, max(pool))]
    yield Fraction(value), Fraction(value)
    yield exact[0], Fraction(value)
    yield Fraction(value), exact[2]
    yield None, None


@pytest.mark.parametrize(
    "case",
    [c for c in PARTIAL if c.kind in POOLS],
    ids=lambda case: f"{case.operation} {case.name}",
)
def test_a_case_that_operands_meet_is_one_that_their_ranges_may_meet(case):
    """What a row can meet, the proof knows of: no ranges that hold such operands are said to be safe from all cases."""
    number = (
        2 if isinstance(case.operation, str) and case.operation != NEGATION else len(case.example)
    )
    pools = [POOLS[case.kind]] * number
    if case.operation is Function.ROUND:
        pools = [POOLS[Kind.INTEGER], [-15, -3, -1, 0, 2]]
    others = [each for each in cases_of(case.operation, case.kind) if each.refused == case.refused]
    met = 0
    for values in product(*pools):
        if not case.is_met(*values):
            continue
        for ends in product(
            *(ranges_about(value, pool) for value, pool in zip(values, pools, strict=True))
        ):
            known = [Type(case.kind, low, high, nullable=False) for low, high in ends]
            if case.operation is Function.ROUND and known[1].low is None:
                continue  # decimals are constants
            met += 1
            safe = not any(each.may_be_met(*known) for each in others)
            refused = any(
                each.may_be_met(*known)
                for each in cases_of(case.operation, case.kind)
                if each.refused
            )
            assert not safe or refused, (values, known)
    assert met


@pytest.mark.parametrize(
    ("function", "setting", "given"),
    [
        pytest.param(f, s, given, id=f"{f.name}-{s.place}-{given}")
        for f, listed in SETTINGS.items()
        for s in listed
        for given in s.bad
    ],
)
def test_a_setting_that_is_not_allowed_is_refused(function, setting, given):
    kinds = {str: Kind.TEXT, int: Kind.INTEGER}
    told = {s.place: Literal(s.good[0], kinds[type(s.good[0])]) for s in SETTINGS[function]}
    told[setting.place] = Literal(given, kinds[type(given)])
    moment, text = Field(Column("m", Kind.TIMESTAMP)), Field(Column("t", Kind.TEXT))
    whole = Field(Column("i", Kind.INTEGER, 0, 9))
    free = {
        Function.ROUND: [whole],
        Function.DATE_ADD: [moment, whole],
        Function.DATE_DIFF: [moment, moment],
    }
    rest = iter(
        free.get(
            function, [moment if function.value in {"EXTRACT", "DATE_TRUNC", "STRFTIME"} else text]
        )
    )
    places = range(len(told) + len(free.get(function, [0])))
    with pytest.raises(InvalidPlan):
        type_of(
            Called(
                function, tuple(told[place] if place in told else next(rest) for place in places)
            )
        )


# ---------------------------------------------------------------- what nobody may rely on

SURE, FREE = Column("age", Kind.INTEGER, 0, 120, nullable=False), Column("free", Kind.INTEGER)


def whole(value):
    return Literal(value, Kind.INTEGER)


def test_the_least_integer_has_no_quotient_by_minus_one_and_a_remainder_of_zero():
    wide = Field(Column("wide", Kind.INTEGER, LEAST, 5))
    for value in (wide, Field(Column("least", Kind.INTEGER, LEAST, LEAST)), Field(FREE)):
        for divisor in (whole(-1), Field(Column("k", Kind.INTEGER, -5, 7))):
            with pytest.raises(InvalidPlan):
                type_of(Called(Function.QUOTIENT, (value, divisor)))
            row = {"wide": LEAST, "least": LEAST, "free": LEAST, "k": -1}
            assert compile_expression(Arithmetic("%", value, divisor))(row) == 0
    assert type_of(Arithmetic("%", wide, whole(7))).range.is_within(
        type_of(Field(Column("r", Kind.INTEGER, -6, 6))).range
    )


@pytest.mark.parametrize("function", [Function.COALESCE, Function.LEAST, Function.GREATEST])
def test_no_range_relies_on_a_promise_that_a_column_is_never_null(function):
    """Each is one of its operands if the others are NULL, and the range holds all of them."""
    for other in (LEAST + 1, MOST):
        found = type_of(
            Called(function, (Field(SURE), Field(Column("far", Kind.INTEGER, other, other))))
        )
        assert other in found.range
        assert 0 in found.range
        assert 120 in found.range


# ---------------------------------------------------------------- what the table must say

WIDE = Field(Column("wide", Kind.INTEGER, LEAST, MOST, nullable=False))
K = Field(Column("k", Kind.INTEGER, -5, 7, nullable=False))
HUGE = Field(
    Column("huge", Kind.NUMBER, -(Fraction(10) ** 200), Fraction(10) ** 200, nullable=False)
)
X = Field(Column("x", Kind.NUMBER, -100, 1000, nullable=False))
SMALL = Field(Column("small", Kind.INTEGER, 2, 9, nullable=False))
DAY = Field(Column("day", Kind.DATE, nullable=False))


def number(value):
    return Literal(Fraction(value), Kind.NUMBER)


REFUSED = [
    *(Arithmetic(sign, WIDE, K) for sign in "+-*"),
    *(Arithmetic(sign, HUGE, number(10**150)) for sign in "*"),
    *(Arithmetic(sign, Literal(Fraction(2) ** 1000, Kind.NUMBER), HUGE) for sign in "+-"),
    Arithmetic("/", X, X),
    Arithmetic("/", HUGE, number(Fraction(1, 10**200))),
    Negated(WIDE),
    Called(Function.ABS, (WIDE,)),
    Called(Function.QUOTIENT, (WIDE, K)),
    Called(Function.ROUND, (WIDE, whole(-3))),
    Called(Function.EXP, (X,)),
    Called(Function.POWER, (X, number(-1))),
    Called(Function.POWER, (HUGE, number(3))),
]
MAY_BE_NULL = [
    Arithmetic("%", K, K),
    Arithmetic("%", WIDE, K),
    Arithmetic("%", X, X),
    Arithmetic("/", X, K),
    Called(Function.QUOTIENT, (SMALL, K)),
    Called(Function.SQRT, (X,)),
    Called(Function.LN, (X,)),
    Called(Function.LOG10, (X,)),
    Called(Function.POWER, (K, whole(-1))),
    Called(Function.POWER, (K, number(Fraction(1, 2)))),
    Called(Function.ASIN, (K,)),
    Called(Function.ACOS, (K,)),
    Called(Function.DATE_ADD, (DAY, K, Literal("year", Kind.TEXT))),
    Cast(HUGE, Kind.INTEGER),
]
SAFE = [
    Arithmetic("+", K, SMALL),
    Arithmetic("/", X, SMALL),
    Negated(K),
    Called(Function.QUOTIENT, (WIDE, SMALL)),
    Called(Function.ROUND, (K, whole(-3))),
    Called(Function.SQRT, (SMALL,)),
    Called(Function.LN, (SMALL,)),
    Called(Function.POWER, (SMALL, K)),
    Cast(X, Kind.INTEGER),
]


@pytest.mark.parametrize("expression", REFUSED, ids=str)
def test_what_could_fail_is_refused(expression):
    with pytest.raises(InvalidPlan) as refusal:
        type_of(expression)
    assert refusal.value.remedy


@pytest.mark.parametrize("expression", MAY_BE_NULL, ids=str)
def test_what_has_no_value_in_some_rows_may_be_null(expression):
    assert type_of(expression).nullable
    assert expression != Cast(HUGE, Kind.INTEGER) or type_of(expression).range is None


@pytest.mark.parametrize("expression", SAFE, ids=str)
def test_what_has_a_value_in_every_row_is_taken_and_never_null(expression):
    assert not type_of(expression).nullable


# ---------------------------------------------------------------- what engines must do with it

FAR = 1 << 62
MOMENT = Field(Column("moment", Kind.TIMESTAMP))
FAR_AWAY = [
    Called(Function.EXTRACT, (Literal("week", Kind.TEXT), MOMENT)),
    Called(Function.DATE_TRUNC, (Literal("quarter", Kind.TEXT), MOMENT)),
    Called(Function.DATE_DIFF, (Literal("month", Kind.TEXT), MOMENT, MOMENT)),
    Called(Function.SECONDS_BETWEEN, (MOMENT, MOMENT)),
    Called(Function.STRFTIME, (MOMENT, Literal("%Y", Kind.TEXT))),
    Called(Function.DATE_ADD, (MOMENT, K, Literal("year", Kind.TEXT))),
]


@pytest.mark.parametrize("expression", FAR_AWAY, ids=str)
def test_a_moment_that_should_not_be_has_nothing(expression, monkeypatch):
    monkeypatch.setattr("tacit.plan.semantics.evaluate.bounds_of", lambda _: (None, None))
    for moment in (FAR, -FAR):
        assert compile_expression(expression)({"moment": moment, "k": 1}) is None


def cells_of(table, *expressions):
    """Every expression over a table, in one statement, as the optimiser makes it."""
    with scratch() as connection:
        connection.execute(f"CREATE TABLE rows AS {table}")
        listed = ", ".join(render(each, Reader(lambda column: column.name)) for each in expressions)
        return connection.execute(f"SELECT {listed} FROM rows").fetchall()


def test_the_first_quarter_of_all_has_no_beginning():
    moments = "SELECT make_timestamp(-9223372022400000000) AS moment FROM range(3)"
    assert cells_of(moments, FAR_AWAY[1]) == [(None,)] * 3


def test_a_divisor_that_should_not_be_minus_one_does_not_fail():
    divisor = Field(Column("divisor", Kind.INTEGER, 2, 9))
    rows = f"SELECT CAST('{LEAST}' AS BIGINT) AS wide, -1::BIGINT AS divisor FROM range(3)"
    assert cells_of(rows, Arithmetic("%", WIDE, divisor)) == [(None,)] * 3


def test_what_is_computed_once_for_two_is_not_taken_out_of_try():
    """The optimiser looks for what two expressions share, and computes it before either."""
    near = Field(Column("near", Kind.INTEGER, 0, 1))
    product = Arithmetic("*", near, near)
    twice = [Arithmetic("+", product, near), Arithmetic("-", product, near), Negated(product)]
    rows = f"SELECT {MOST} AS near, make_timestamp(0) AS moment FROM range(3)"
    later = [
        Called(Function.DATE_ADD, (MOMENT, product, Literal(unit, Kind.TEXT)))
        for unit in ("day", "month", "day")
    ]
    assert cells_of(rows, *twice, *later, *later) == [(None,) * 9] * 3


def test_a_root_of_a_negative_number_is_no_number_whatever_its_sign():
    power = Called(Function.POWER, (K, number(Fraction(-3, 2))))
    assert cells_of("SELECT unnest([-4, 0, 1])::BIGINT AS k", power) == [(None,), (None,), (1.0,)]


def test_what_is_null_in_some_rows_needs_no_try_to_be_so(monkeypatch):
    """Where a plan may meet a case, the SQL says NULL by itself: TRY is for what a plan may not meet."""
    for file in ("sql.duckdb_functions", "sql.duckdb_dialect"):
        monkeypatch.setattr(f"tacit.engines.{file}.caught", lambda value: value)
    cells = "unnest([-100, -1, 0, 1])::DOUBLE AS x, unnest([-5, 0, -1, 7])::BIGINT AS k, 2::BIGINT AS small"
    ends = f"CAST('{LEAST}' AS BIGINT) AS wide, 1e200 AS huge"
    days = "unnest([DATE '0001-01-01', DATE '9999-12-31', DATE '2024-02-29', DATE '1970-01-01']) AS day"
    rows = cells_of(f"SELECT {cells}, {ends}, {days}", *MAY_BE_NULL)
    assert len(rows) == 4
    assert all(None in column for column in zip(*rows, strict=True))
    zero = Field(Column("zero", Kind.NUMBER, 0, 1))
    logarithms = [Called(function, (zero,)) for function in (Function.LN, Function.LOG10)]
    assert cells_of("SELECT 0e0 AS zero FROM range(3)", *logarithms) == [(None, None)] * 3
