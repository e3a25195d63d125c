"""One suite for every SQL engine: PostgreSQL and Spark give the integers of memory and of DuckDB, bit for bit.

Every function over every kind, NULL and poison; random questions about random tables; rows of joins, windows, unions
and sub-queries; unknown keys, different values, histograms.  A new engine is a dialect and a place in these tests.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from math import isclose
from random import Random
from typing import Any

import numpy as np
import psycopg
import pytest

from tacit.engines import CodedRows, DuckDB, Memory, Postgres, PostgresTable
from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.read_stored_columns import read_cell
from tacit.engines.sql.select_with_parameters import Reader
from tacit.engines.unknown_keys_per_unit import write_key_value
from tacit.errors import InvalidPlan, TooLarge
from tacit.plan import (
    INEXACT,
    Arithmetic,
    Axis,
    Called,
    Coding,
    Column,
    Even,
    Field,
    Function,
    Kind,
    Literal,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
    clamp_cell,
    compile_expression,
    operands,
    plain,
    read_sql,
    type_of,
)
from tests.database import knows_password, storable, store
from tests.laws import expressions, functions, plans
from tests.laws.row_plans import row_questions, single_rows, unit_rows, worlds
from tests.laws.sampled import sampled
from tests.laws.test_functions import expression_of
from tests.laws.test_keys import keepings, unknown_questions
from tests.laws.test_poison_matrix import POISON
from tests.postgres import running

TYPES = functions.TYPES
BATCH = 60


@pytest.fixture(autouse=True, scope="module")
def _password():
    with knows_password():
        yield


def evaluated(engine: Any, question: Question, weights: Weights) -> Any:
    """The answer as lists; or that it was refused, from the plan alone."""
    try:
        return engine.evaluate(question, weights).tolist()
    except TooLarge:
        return "too large"
    except InvalidPlan:
        return "cannot be said"


# ---------------------------------------------------------------- every function


@dataclass(frozen=True)
class Place:
    """Where tables are kept that an engine reads: how they are stored, opened, and read by a statement of a test."""

    name: str
    dialect: SqlDialect
    store: Callable[[Mapping[Table, Any]], Mapping[Table, Any]]
    engine: Callable[[Any], Any]
    select: Callable[[Any, Sequence[str]], list[tuple[Any, ...]]]
    quote: Callable[[Column], str]


def select_in_postgres(source: PostgresTable, cells: Sequence[str]) -> list[tuple[Any, ...]]:
    with psycopg.connect(running().address(), prepare_threshold=None) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET search_path = pg_catalog")
        select = f"SELECT {', '.join(cells)} FROM {source.schema}.{quote_name(source.table)} AS t"
        return connection.execute(select.encode()).fetchall()


def quoted_in_postgres(column: Column) -> str:
    raw = f"(t.{quote_name(column.name)})"
    return f'({raw} COLLATE "C")' if column.kind is Kind.TEXT else raw


IN_POSTGRES = Place("PostgreSQL", POSTGRES, store, Postgres, select_in_postgres, quoted_in_postgres)


def numbered(sql: str, kind: Kind, dialect: SqlDialect) -> str:
    """A day or a moment as its number, and a double as its bits."""
    match kind:
        case Kind.DATE:
            return dialect.days(sql)
        case Kind.TIMESTAMP:
            return dialect.microseconds(sql)
        case _:
            return sql


def in_place(
    place: Place, listed: list[Any], columns: Any, rows: list[dict[str, Any]]
) -> list[Any]:
    """The cells of every expression, or None where the dialect refuses it; one that raises is named."""
    table = replace(functions.TABLE, columns=columns)
    source = place.store({table: rows})[table]

    def read(column: Any) -> str:
        return read_cell(place.quote(column), TYPES[column.kind], column, place.dialect)

    texts: list[str | None] = []
    for each in listed:
        try:
            written = render(each, Reader(read, None, place.dialect))
            texts.append(numbered(written, type_of(each).kind, place.dialect))
        except InvalidPlan:
            texts.append(None)
    found: dict[int, list[Any]] = {}
    said = [number for number, text in enumerate(texts) if text is not None]
    for start in range(0, len(said), BATCH):
        some = said[start : start + BATCH]
        try:
            answer = place.select(source, [str(texts[number]) for number in some])
        except Exception as error:  # noqa: BLE001 -- of whichever library
            pytest.fail(f"one of {[str(listed[number]) for number in some]} raises: {error}")
        for number, cells_of in zip(some, zip(*answer, strict=True), strict=True):
            found[number] = [_number(cell) for cell in cells_of]
    return [found.get(number) for number in range(len(listed))]


def _number(cell: Any) -> Any:
    return int(cell) if type(cell).__name__ == "Decimal" else cell


def is_inexact(expression: Any) -> bool:
    return (isinstance(expression, Called) and expression.function in INEXACT) or any(
        map(is_inexact, operands(expression))
    )


ARCS = {Function.ASIN, Function.ACOS, Function.ATAN, Function.ATAN2}


def is_angle_of_an_arc(expression: Any) -> bool:
    """COS(ATAN2(y, x)), for instance: near a right angle its value is made of the last bit of the angle."""
    if not isinstance(expression, Called):
        return False
    inner = expression.operands[0]
    return (
        expression.function in {Function.SIN, Function.COS, Function.TAN}
        and isinstance(inner, Called)
        and inner.function in ARCS
    )


def _differ_by_the_angle(expression: Any, one: float, other: float) -> bool:
    """Whether two steps between doubles of the angle, which is at most pi, explain a difference."""
    if expression.function is Function.TAN and abs(one) > 1:
        one, other = 1 / one, (1 / other if other else 1e300)
    return abs(one - other) <= 1e-15


def same(expression: Any, one: Any, other: Any) -> bool:
    if is_inexact(expression):
        if one is None or other is None or not isinstance(one, float):
            return True
        # of the least doubles, the last bit is all there is
        if isclose(one, other, rel_tol=1e-12, abs_tol=1e-307):
            return True
        return is_angle_of_an_arc(expression) and _differ_by_the_angle(expression, one, other)
    return one == other and type(one) is type(other)  # the sign of zero is seen nowhere


def check_expressions(
    listed: list[Any], columns: Any, rows: list[dict[str, Any]], place: Place = IN_POSTGRES
) -> Counter[str]:
    """Compare every expression over every row with the memory engine's; how many cells were the same."""
    found = in_place(place, listed, columns, rows)
    values = [
        {column.name: plain(row[column.name], column.kind) for column in columns} for row in rows
    ]
    seen, faults = Counter[str](), list[str]()
    for expression, cells in zip(listed, found, strict=True):
        if cells is None:
            seen["cannot be said"] += 1
            continue
        compute = compile_expression(expression)
        for row, cell in zip(values, cells, strict=True):
            held = {c.name: clamp_cell(row[c.name], c) for c in columns}
            expected = compute(held)
            seen["cells"] += 1
            if not same(expression, expected, cell):
                faults.append(f"{expression} of {row}: {expected} / {cell}")
    assert not faults, f"{len(faults)}: {faults[:3]}"
    return seen


def poisoned(columns: Any, count: int) -> list[dict[str, Any]]:
    rows = [
        {c.name: POISON[c.kind][(n + k) % len(POISON[c.kind])] for k, c in enumerate(columns)}
        for n in range(count)
    ]
    return storable(rows, replace(functions.TABLE, columns=columns))


def every_function(least: int) -> list[Any]:
    return [expression_of(case.text) for case in functions.CASES[::least]]


def test_every_function_is_the_same_in_postgres(capsys):
    """A spread of all cases here, over ordinary rows and poison; all of them in soak."""
    rows = [*storable(functions.rows(6), functions.TABLE), *poisoned(functions.COLUMNS, 12)]
    seen = check_expressions(every_function(2), functions.COLUMNS, rows)
    assert seen["cells"] >= 5_000
    with capsys.disabled():
        print(f"\nfunctions in PostgreSQL: {dict(seen)}")


@pytest.mark.soak
def test_every_function_and_every_pair_is_the_same_in_postgres():
    rows = [*storable(functions.rows(60), functions.TABLE), *poisoned(functions.COLUMNS, 24)]
    assert check_expressions(every_function(1), functions.COLUMNS, rows)["cells"] >= 50_000
    listed, few = (
        expressions.listed(functions.COLUMNS, most=20),
        expressions.rows(functions.COLUMNS, 18),
    )
    found = check_expressions(listed, functions.COLUMNS, storable(few, functions.TABLE))
    assert found["cells"] >= 20_000


def test_doubles_are_those_of_the_machine():
    check_doubles(IN_POSTGRES, 1_500)


def check_doubles(place: Place, count: int) -> None:
    """Products, quotients, remainders, rounding: at random, near zero and near the ends."""
    dice = Random(3)
    odd = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-160, 1e-200, 1.0, -1.0, 0.5, 0.3, 1e-99]
    columns = tuple(replace(column, low=-1, high=1) for column in functions.COLUMNS[3:5])
    x, y = (Field(column) for column in columns)
    listed: list[Any] = [Arithmetic(sign, x, y) for sign in ("*", "%", "+", "-")]
    listed += [Called(Function.ROUND, (x, Literal(places, Kind.INTEGER))) for places in (3, -1)]

    def drawn() -> Any:
        tiny = dice.uniform(-1, 1) * 2.0 ** -dice.randrange(1074)
        return dice.choice([*odd, dice.uniform(-1, 1), tiny])

    rows = [{column.name: drawn() for column in columns} for _ in range(count)]
    found = in_place(place, listed, columns, rows)
    for expression, cells in zip(listed, found, strict=True):
        compute = compile_expression(expression)
        for row, cell in zip(rows, cells, strict=True):
            assert compute(row) == cell, f"{expression}: {row}"


def check_key_texts(place: Place) -> None:
    """By what keys are hashed: of each value the text that memory writes, and none of NULL, which is no zero."""
    odd = [None, 0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.5, -1.5, 1e300, float("nan"), float("inf")]
    rows = [*storable(functions.rows(6), functions.TABLE), *poisoned(functions.COLUMNS, 12)]
    rows += [{**rows[0], "z": number} for number in odd]
    source = place.store({functions.TABLE: rows})[functions.TABLE]
    dialect = place.dialect

    def key_text(column: Column) -> str:
        cell = read_cell(place.quote(column), TYPES[column.kind], column, dialect)
        unsigned = f"({cell} + {dialect.double(0)})" if column.kind is Kind.NUMBER else cell
        return dialect.text_of(unsigned, column.kind)

    written = [key_text(column) for column in functions.COLUMNS]
    columns = zip(*place.select(source, written), strict=True)
    for column, texts in zip(functions.COLUMNS, columns, strict=True):
        values = [clamp_cell(plain(row[column.name], column.kind), column) for row in rows]
        expected = [
            None if value is None else write_key_value(value, column.kind) for value in values
        ]
        assert list(texts) == expected, column
        assert {*values[len(rows) - len(odd) :]} >= {None, 0.0} or column.name != "z"


def test_keys_are_hashed_by_the_same_texts_in_postgres():
    check_key_texts(IN_POSTGRES)


# ---------------------------------------------------------------- random questions


def check_agreement(data: Any, place: Place = IN_POSTGRES, count: int = 4) -> Counter[str]:
    """Compare all engines on random questions about one random table."""
    case, seen = data.draw(plans.cases(count=count)), Counter[str]()
    rows = storable(case.rows, case.table)
    memory = Memory({case.table: rows})
    with place.engine(place.store({case.table: rows})) as engine:
        for question, weights in case.questions:
            engine_found = evaluated(engine, question, weights)
            if engine_found == "cannot be said":
                seen[engine_found] += 1
                continue
            found = evaluated(memory, question, weights)
            assert engine_found == found
            if isinstance(found, str):
                seen["too large"] += 1
                continue
            engine.dry_run(question, weights)
            seen["more" if any(map(any, found)) else "zeros"] += 1
    return seen


def test_questions_have_the_same_integers_in_postgres(capsys):
    found = sampled(check_agreement, 24)
    assert found["more"] >= 30  # of 96
    with capsys.disabled():
        print(f"\nquestions in PostgreSQL: {dict(found)}")


@pytest.mark.soak
def test_many_questions_have_the_same_integers_in_postgres():
    assert sampled(check_agreement, 400)["more"] >= 500


def check_rows(data: Any, place: Place = IN_POSTGRES) -> Counter[str]:
    """Joins, windows, unions, sub-queries and semi-joins."""
    world, seen = data.draw(worlds()), Counter[str]()
    rows = {table: storable(given, table) for table, given in world.rows.items()}
    memory = Memory(rows)
    with place.engine(place.store(rows)) as engine, DuckDB(rows, threads=1) as other:
        for shape in (data.draw(unit_rows()), data.draw(single_rows(depth=2))):
            question, weights = data.draw(row_questions(shape)), data.draw(plans.weightings())
            found = evaluated(engine, question, weights)
            if found == "cannot be said":
                seen[found] += 1
                continue
            assert found == evaluated(memory, question, weights)
            assert found == evaluated(other, question, weights)
            seen["more" if not isinstance(found, str) and any(map(any, found)) else "zeros"] += 1
    return seen


def test_rows_of_every_shape_are_the_same_in_postgres(capsys):
    found = sampled(check_rows, 22)
    assert found["more"] >= 12  # of 44
    with capsys.disabled():
        print(f"\nrows in PostgreSQL: {dict(found)}")


@pytest.mark.soak
def test_many_rows_of_every_shape_are_the_same_in_postgres():
    assert sampled(check_rows, 300)["more"] >= 150


def check_gathered(data: Any, place: Place = IN_POSTGRES, count: int = 3) -> Counter[str]:
    """What units keep of unknown keys, and what is asked about those that were found."""
    seen, table = Counter[str](), data.draw(plans.tables())
    rows = storable(data.draw(plans.rows_of(table, most=25)), table)
    memory = Memory({table: rows})
    with place.engine(place.store({table: rows})) as engine:
        for _ in range(count):
            question, keeping = data.draw(unknown_questions(table)), data.draw(keepings)
            weights = data.draw(plans.weightings())
            try:
                engine.dry_run(question, weights)
            except (InvalidPlan, TooLarge):
                seen["refused"] += 1
                continue
            with memory.gather(question, keeping) as one, engine.gather(question, keeping) as two:
                names = one.keys(range(len(one.weights)))
                assert two.keys(range(len(two.weights))) == names
                assert two.weights.tolist() == one.weights.tolist()
                chosen = list(range(0, len(names), 2))[::-1]
                found = replace(question, found=tuple(names[place] for place in chosen))
                expected = one.evaluate(chosen, found, weights).tolist()
                assert two.evaluate(chosen, found, weights).tolist() == expected
                seen["found" if names else "nothing"] += 1
    return seen


def test_unknown_keys_are_the_same_in_postgres(capsys):
    found = sampled(check_gathered, 12)
    assert found["found"] >= 12
    with capsys.disabled():
        print(f"\nunknown keys in PostgreSQL: {dict(found)}")


@pytest.mark.soak
def test_many_unknown_keys_are_the_same_in_postgres():
    assert sampled(check_gathered, 150)["found"] >= 150


def owners(rows: CodedRows) -> Counter[tuple[Any, ...]]:
    """The unit of every row beside its codes and what it weighs: samples are of units, with all of their rows."""
    assert rows.units is not None
    assert rows.weights is not None
    columns = (rows.units, *rows.codes, rows.weights)
    return Counter(zip(*(each.tolist() for each in columns), strict=True))


def check_codes(norm: Weighing, place: Place = IN_POSTGRES) -> None:
    """Rows as codes: declared values, grids, NULL, what a row weighs, and whose it is."""
    rows = storable(
        [{"who": f"u{n % 4}", "wide": n, **row} for n, row in enumerate(functions.rows(40))], EDGES
    )
    columns = {column.name: Field(column) for column in EDGES.columns}
    coding = Coding(
        Scan(EDGES),
        (
            Axis(columns["w"], ("A", "b", "é"), null=True),
            Axis(columns["i"], grid=Even(Fraction(1), -100, 100), null=True),
            Axis(columns["x"], grid=Even(Fraction(1, 2), -200, 2000), null=True),
            Axis(columns["b"], (False, True), null=True),
        ),
    )
    weights = Weights(norm, 3, 9, 10)
    groups = [np.arange(axis.size) for axis in coding.axes]
    memory, owned = Memory({EDGES: rows}), replace(coding, units=True)
    with place.engine(place.store({EDGES: rows})) as engine:
        engine.code(coding, weights, rehearsing=True)
        found, expected = engine.code(coding, weights), memory.code(coding, weights)
        assert owners(engine.code(owned, weights)) == owners(memory.code(owned, weights))
    for axes in ([0, 1], [2], [0, 3]):
        some = [groups[axis] for axis in axes]
        assert expected.count(axes, some).any()
        assert (found.count(axes, some) == expected.count(axes, some)).all()


@pytest.mark.parametrize("norm", Weighing)
def test_rows_are_coded_alike_in_postgres(norm):
    check_codes(norm)


# ---------------------------------------------------------------- what a dialect may get wrong

EDGES = replace(
    functions.TABLE,
    name="edges",
    columns=(
        *functions.COLUMNS,
        replace(functions.COLUMNS[0], name="wide", low=-(2**61), high=2**61),
    ),
    unit="who",
    contributions=3,
)
ROWS = [
    {
        **{column.name: None for column in EDGES.columns},
        "who": f"unit {n % 3}",
        "i": n,
        "p": 2,
        "x": 7.0,
        "y": 2.0,
        "t": text,
        "w": "A",
        "b": True,
        "d": date(2024, 1, 31),
        "e": date(1969, 12, 20 + n),
        "s": datetime(2024, 2, 1, 0, 30),  # noqa: DTZ001 -- in UTC
        "r": datetime(2024, 3, 31, 1, 30),  # noqa: DTZ001 -- an hour that some zones leave out
        "wide": 2**61,
    }
    for n, text in enumerate(
        ["a", "B", "É", "Z", "_", "12", "nine", "2024-02-30", "-9223372036854775809"]
    )
]
STATEMENTS = [
    "SELECT SUM(wide) AS s FROM edges",
    "SELECT SUM((i - 5) // 2) AS q, AVG(i / 2) AS h, SUM((i - 5) % 2) AS r FROM edges",
    "SELECT COUNT(*) AS n, SUM(DATE_DIFF('month', e, d)) AS w FROM edges WHERE LOWER(t) IN ('b', 'é')",
    "SELECT COUNT(*) AS n FROM edges WHERE t < 'a'",
    (
        "SELECT COUNT(*) AS n FROM (SELECT who, MIN(t) AS least, MAX(t) AS most FROM edges "
        "GROUP BY who) AS q WHERE least < 'A' OR most > 'z'"
    ),
    "SELECT SUM(EXTRACT(hour FROM r)) AS h, SUM(EXTRACT(day FROM s)) AS d FROM edges",
    "SELECT COUNT(CAST(t AS INTEGER)) AS a, COUNT(CAST(t AS DATE)) AS b, COUNT(CAST(t AS DOUBLE)) AS c FROM edges",
    "SELECT COUNT(*) AS n FROM edges WHERE LN(i) IS NULL OR SQRT(i - 1) IS NULL OR i % (i - 1) IS NULL",
    "SELECT COUNT(DISTINCT t) AS n, MEDIAN(i) AS m FROM edges",
    "SELECT SUM(m) AS s FROM (SELECT who, AVG(i) AS m FROM edges WHERE i <> 3 GROUP BY who) AS q",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_no_dialect_gets_the_edges_wrong(text):
    check_edges(text, IN_POSTGRES)


def check_edges(text: str, place: Place) -> None:
    """Sums beyond 64 bits, whole and real division, order of texts, time zones, casts of what is no value."""
    rows = storable(ROWS, EDGES)
    question = read_sql(text, {"edges": EDGES}).question
    stored = place.store({EDGES: rows})
    with place.engine(stored) as engine, DuckDB({EDGES: rows}, threads=1) as other:
        for weights in (Weights(Weighing.L2, 9, 9, 20), Weights(Weighing.L1, 1, 1, 10)):
            expected = Memory({EDGES: rows}).evaluate(question, weights).tolist()
            assert any(map(any, expected))
            assert other.evaluate(question, weights).tolist() == expected
            assert engine.evaluate(question, weights).tolist() == expected


def test_an_angle_of_an_arc_may_differ_by_the_last_bit_of_the_arc_and_nothing_else():
    x = Field(Column("x", Kind.NUMBER, -5, 5))
    arc = Called(Function.ATAN2, (x, x))
    cosine, tangent = Called(Function.COS, (arc,)), Called(Function.TAN, (arc,))
    assert same(cosine, 6.1e-17, -1.6e-16)
    assert same(tangent, 1.6e16, -6.2e15)
    assert not same(cosine, 0.5, 0.50001)
    assert not same(tangent, 2.0, 2.00001)
    assert not same(tangent, 1e6, -1e6)
    assert not same(Called(Function.COS, (x,)), 6.1e-17, -1.6e-16)
    assert not same(arc, 1.5707963, 1.5707964)
