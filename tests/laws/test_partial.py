"""An error is an answer: no expression raises, whatever cells hold; by the proof alone, and by the engine alone.

All expressions, two deep, over a table of poison, many in one statement, with the optimiser and without it.  First with
nothing that holds an engine back, for what the proof accepts; then with a proof that is wrong, and TRY in its place.
"""

from dataclasses import replace
from fractions import Fraction
from math import isclose, isfinite

import duckdb
import pyarrow as pa
import pytest

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.read_stored_columns import read_cell
from tacit.engines.sql.select_with_parameters import Reader
from tacit.plan import (
    INEXACT,
    NEGATION,
    PARTIAL,
    Arithmetic,
    Called,
    Cast,
    Function,
    Kind,
    Negated,
    compile_expression,
    operands,
    plain,
    type_of,
)
from tests.laws import expressions
from tests.laws.functions import TYPES
from tests.laws.test_functions import ARROW

ROWS = 18
BATCH = 150
FAR = 200_000 * 366 * 86_400_000_000
DAYS, MOMENTS = (
    (FAR // 86_400_000_000, -FAR // 86_400_000_000),
    (FAR, -FAR, -9_223_372_022_400_000_000),
)


def filled(columns, given):
    """DuckDB as the engine sets it up, with the rows as a table of it."""
    connection = open_connection(threads=1)
    arrays = {c.name: pa.array([row[c.name] for row in given], ARROW[c.kind]) for c in columns}
    connection.register("given", pa.table(arrays))
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    connection.unregister("given")
    return connection


def number_of(sql, kind):
    """A day or a moment as its number: Python has no years beyond 9999."""
    return {Kind.DATE: f"({sql}) - DATE '1970-01-01'", Kind.TIMESTAMP: f"epoch_us({sql})"}.get(
        kind, sql
    )


def evaluated(connection, listed, reader):
    """The cells of every expression, in big batches; if one raises, it is named."""
    texts = [number_of(render(each, Reader(reader)), type_of(each).kind) for each in listed]
    found = []
    for start in range(0, len(texts), BATCH):
        some = texts[start : start + BATCH]
        try:
            answer = connection.execute(f"SELECT {', '.join(some)} FROM rows").fetchall()
        except duckdb.Error:
            for expression, text in zip(listed[start:], some, strict=False):
                try:
                    connection.execute(f"SELECT {text} FROM rows").fetchall()
                except duckdb.Error as error:
                    pytest.fail(f"{expression} raises: {error}")
            raise
        found += map(list, zip(*answer, strict=True))
    return found


def in_memory(listed, cells):
    return [[value(row) for row in cells] for value in map(compile_expression, listed)]


def functions_in(expression):
    found = {expression.function} if isinstance(expression, Called) else set()
    return found.union(*map(functions_in, operands(expression)))


def is_inexact(expression):
    return bool(functions_in(expression) & INEXACT)


def agree(expression, one, other):
    if one is None or other is None or not is_inexact(expression):
        return one == other
    nested = any(is_inexact(part) for part in operands(expression)) or not isinstance(one, float)
    return nested or isclose(one, other, rel_tol=1e-13)


def catch_nothing(monkeypatch):
    for file in ("sql.duckdb_functions", "sql.duckdb_dialect"):
        monkeypatch.setattr(f"tacit.engines.{file}.caught", lambda value: value)


def read_honestly(column):
    return read_cell(quote_name(column.name), TYPES[column.kind], column)


@pytest.fixture(scope="module")
def honest():
    return expressions.listed(expressions.HONEST)


def test_every_operation_is_among_the_expressions(honest):
    used = set()
    for expression in honest:
        match expression:
            case Arithmetic(sign):
                used.add(sign)
            case Negated():
                used.add(NEGATION)
            case Called(function):
                used.add(function)
            case Cast(operand, kind):
                used.add((type_of(operand).kind, kind))
    assert used >= {each for each in expressions.operations() if not isinstance(each, str)} | {
        NEGATION,
        *expressions.SIGNS,
    }
    assert {case.operation for case in PARTIAL} <= used
    assert set(Function) <= used


def check_proved(listed, connection, given):
    """Nothing raises, engines agree, and values are as they were proved to be."""
    found = evaluated(connection, listed, read_honestly)
    cells = [
        {column.name: plain(row[column.name], column.kind) for column in expressions.HONEST}
        for row in given
    ]
    for expression, ours, theirs in zip(listed, in_memory(listed, cells), found, strict=True):
        kind, low, high = (
            type_of(expression).kind,
            type_of(expression).low,
            type_of(expression).high,
        )
        for row, one, other in zip(given, ours, theirs, strict=True):
            assert agree(expression, one, other), (expression, row, one, other)
            if other is None or kind in {Kind.TEXT, Kind.BOOLEAN}:
                continue
            assert isfinite(other), (expression, row)
            assert low is None or low <= Fraction(other), (expression, row, other)
            assert high is None or Fraction(other) <= high, (expression, row, other)


def test_what_a_plan_may_hold_raises_nowhere(honest, monkeypatch):
    """The first net, alone: nothing that is accepted raises, and values are as they were proved to be."""
    catch_nothing(monkeypatch)
    assert len(honest) * ROWS >= 50_000
    given = expressions.rows(expressions.HONEST, ROWS)
    with filled(expressions.HONEST, given) as connection:
        check_proved(honest, connection, given)
        connection.execute("PRAGMA disable_optimizer")
        evaluated(connection, honest[::4], read_honestly)


@pytest.mark.soak
def test_many_more_expressions_raise_nowhere(monkeypatch):
    """Both nets, with four times the expressions and the rows."""
    given = expressions.rows(expressions.FALSE, 4 * ROWS)
    with filled(expressions.FALSE, given) as connection:
        far_away(connection, [dict.fromkeys(row) for row in given])
        evaluated(
            connection, expressions.listed(expressions.FALSE, most=60, nested=4), read_as_stored
        )
    catch_nothing(monkeypatch)
    given = expressions.rows(expressions.HONEST, 4 * ROWS)
    with filled(expressions.HONEST, given) as connection:
        check_proved(expressions.listed(expressions.HONEST, most=60, nested=4), connection, given)


def test_what_is_never_null_is_so_in_rows_that_keep_their_promise(honest):
    """Rows in which columns that are declared never to be NULL are not."""
    given = expressions.rows(expressions.HONEST, ROWS)
    kept = [
        row | {c.name: row[c.name] or 1 for c in expressions.HONEST if not c.nullable}
        for row in given
    ]
    cells = [
        {column.name: plain(row[column.name], column.kind) for column in expressions.HONEST}
        for row in kept
    ]
    cells = [row | {"n2": 1.0} if row["n2"] != row["n2"] else row for row in cells]
    sure = [each for each in honest if not type_of(each).nullable]
    assert len(sure) > 300
    for expression, values in zip(sure, in_memory(sure, cells), strict=True):
        assert None not in values, expression


# ---------------------------------------------------------------- the second net


@pytest.fixture(scope="module")
def unproved():
    return expressions.listed(expressions.FALSE)


LOOSE = {
    case.operation
    for case in PARTIAL
    if (case.refused and not case.raises) or "calendar" in case.name
}
"""Where memory has NULL, and DuckDB an infinity or a year beyond 9999: both are held where they enter a measure."""


def is_loose(expression):
    match expression:
        case Arithmetic(sign):
            number = type_of(expression).kind is Kind.NUMBER
            # of the least integer by minus one, where none was proved
            own = sign in LOOSE if number else sign == "%"
        case Called(function):
            own = function in LOOSE
        case _:
            own = False
    moments = type_of(expression).kind in {Kind.DATE, Kind.TIMESTAMP}
    return own or moments or any(map(is_loose, operands(expression)))


@pytest.fixture(scope="module")
def false_rows():
    given = expressions.rows(expressions.FALSE, ROWS)
    return given, [{c.name: plain(row[c.name], c.kind) for c in expressions.FALSE} for row in given]


def far_away(connection, cells):
    """Days and moments beyond the calendar, in some rows of DuckDB and of memory; and infinite ones, in DuckDB's."""
    for place, day in enumerate(DAYS):
        connection.execute(f"UPDATE rows SET d0 = DATE '1970-01-01' + {day} WHERE rowid = {place}")
        cells[place]["d0"] = day
    for place, moment in enumerate(MOMENTS):
        connection.execute(
            f"UPDATE rows SET m0 = make_timestamp({moment}::BIGINT) WHERE rowid = {place}"
        )
        cells[place]["m0"] = moment
    connection.execute("UPDATE rows SET m0 = 'infinity', d0 = '-infinity' WHERE rowid = 5")
    connection.execute("UPDATE rows SET m0 = '-infinity', d0 = 'infinity' WHERE rowid = 6")
    return cells


def read_as_stored(column):
    if column.kind in {Kind.INTEGER, Kind.NUMBER}:
        return read_cell(
            quote_name(column.name), TYPES[column.kind], replace(column, low=None, high=None)
        )
    return quote_name(column.name)


def test_what_was_proved_wrongly_raises_nowhere(unproved, false_rows, monkeypatch):
    """The second net, alone: few cells are within the bounds from which everything was proved."""
    monkeypatch.setattr("tacit.plan.semantics.evaluate.bounds_of", lambda _: (None, None))
    assert len(unproved) * ROWS >= 50_000
    given, cells = false_rows
    with filled(expressions.FALSE, given) as connection:
        cells = far_away(connection, [dict(row) for row in cells])
        found = evaluated(connection, unproved, read_as_stored)
        connection.execute("PRAGMA disable_optimizer")
        evaluated(connection, unproved[::4], read_as_stored)
    compared = 0
    for expression, ours, theirs in zip(unproved, in_memory(unproved, cells), found, strict=True):
        if is_loose(expression):
            continue
        for row, one, other in zip(cells, ours, theirs, strict=True):
            compared += 1
            finite = None if isinstance(other, float) and not isfinite(other) else other
            assert agree(expression, one, finite), (expression, row, one, other)
    assert compared >= 20_000


def test_the_first_net_has_something_to_catch(unproved, false_rows, monkeypatch):
    """Without either net a row decides whether a question fails: the expressions above are worth something."""
    catch_nothing(monkeypatch)
    given, _ = false_rows
    raised = set()
    with filled(expressions.FALSE, given) as connection:
        for expression in unproved[:: len(unproved) // 300]:
            text = number_of(render(expression, Reader(read_as_stored)), type_of(expression).kind)
            try:
                connection.execute(f"SELECT {text} FROM rows").fetchall()
            except duckdb.Error:
                raised.add(type(expression))
    assert {Arithmetic, Called} <= raised
