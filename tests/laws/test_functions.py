"""Every function means what DuckDB means by it, in every engine and at every place; its range holds; no row raises."""

import random
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cache
from inspect import Parameter, Signature, signature
from itertools import groupby, islice
from math import inf, isfinite, nan

import duckdb
import pyarrow as pa
import pytest

from tacit.curator import Limit, terms_of
from tacit.curator.policy.policy import Shared
from tacit.engines import DuckDB, Memory
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.sql.expressions import quote_name, render
from tacit.engines.sql.read_stored_columns import read_cell
from tacit.engines.sql.select_with_parameters import Reader
from tacit.errors import InvalidPlan
from tacit.plan import (
    Called,
    Function,
    Kind,
    Weighing,
    Weights,
    compile_expression,
    constant,
    operands,
    plain,
    public_values,
    read_sql,
    type_of,
)
from tests.laws.functions import CASES, COLUMNS, TABLE, TABLES, TYPES, rows
from tests.laws.test_corridor import constant_release, left_by
from tests.laws.test_corridor import opened as opened_vault
from tests.together import together

LOOSE = Weights(Weighing.L2, 10**6, 10**6, 0)


def for_each(cases):
    """A test of one case, run for all cases of a function at a time; a failure names its case.

    Thousands of tests of a millisecond take longer to report than to run.
    """
    groups = {}
    for case in cases:
        groups.setdefault(re.match(r"\w*", case.text)[0] or "others", []).append(case)

    def decorate(test):
        def run(group, **fixtures):
            for case in group:
                try:
                    test(case, **fixtures)
                except BaseException as fault:
                    fault.add_note(f"the case is {case.text}")
                    raise

        names = ["group", *list(signature(test).parameters)[1:]]
        run.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return pytest.mark.parametrize("group", list(groups.values()), ids=list(groups))(run)

    return decorate


every_case = for_each(CASES)


def first_of_each(cases):
    """One case of every function; all their values are compared, and test_matrix.py has keys and sums of all kinds."""
    return list(
        {re.match(r"\w*", case.text)[0] or case.text: case for case in reversed(cases)}.values()
    )


@cache
def expression_of(text):
    """An expression of a row, as the SQL door reads it."""
    condition = read_sql(
        f"SELECT COUNT(*) AS n FROM rows WHERE ({text}) IS NOT NULL", TABLES
    ).question.rows.condition
    return condition.operand.operand


def value_of(cell, kind):
    """A cell that DuckDB gives, as engines know it; what is no number is NULL here."""
    if cell is None or (isinstance(cell, float) and not isfinite(cell)):
        return None
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    return constant(cell, kind)


ARROW = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
}


def filled(connection, given):
    """The connection with the rows as a table of it."""
    arrays = {c.name: pa.array([row[c.name] for row in given], ARROW[c.kind]) for c in COLUMNS}
    connection.register("given", pa.table(arrays))
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    connection.unregister("given")
    return connection


@pytest.fixture(scope="module")
def peer():
    """DuckDB as anybody uses it, but that a division by zero is NULL."""
    with duckdb.connect() as connection:
        connection.execute("SET error_on_division_by_zero = false")
        yield filled(connection, rows())


@pytest.fixture(scope="module")
def locked():
    """DuckDB as the engine sets it up."""
    with open_connection(threads=1) as connection:
        yield filled(connection, rows())


@pytest.fixture(scope="module")
def engines():
    given = rows()
    with DuckDB({TABLE: given}, threads=1) as engine:
        yield Memory({TABLE: given}), engine


def agree(case, one, other):
    if one == other or case.exact or None in {one, other}:
        return one == other
    return abs(one - other) <= 1e-15 * max(abs(one), abs(other))


def cells_of(row):
    return {column.name: plain(row[column.name], column.kind) for column in COLUMNS}


@cache
def all_cells():
    return [cells_of(row) for row in rows()]


def sql_of(expression):
    return render(
        expression,
        Reader(lambda column: read_cell(quote_name(column.name), TYPES[column.kind], column)),
    )


def number_of(expression):
    """The SQL of an expression; of a day or a moment, that of its number: Python has no years beyond 9999."""
    value = sql_of(expression)
    numbers = {Kind.DATE: f"({value}) - DATE '1970-01-01'", Kind.TIMESTAMP: f"epoch_us({value})"}
    return numbers.get(type_of(expression).kind, value)


@every_case
def test_a_function_means_what_duckdb_means_by_it(case, peer, locked):
    expression = expression_of(case.text)
    kind = type_of(expression).kind
    assert kind is case.kind
    value = compile_expression(expression)
    found = [value(cells) for cells in all_cells()]
    ours = [
        value_of(cell, kind)
        for (cell,) in locked.execute(f"SELECT {number_of(expression)} FROM rows").fetchall()
    ]
    theirs = [
        value_of(cell, kind)
        for (cell,) in peer.execute(f"SELECT {case.plain or case.text} FROM rows").fetchall()
    ]
    for row, each, our, their in zip(all_cells(), found, ours, theirs, strict=True):
        assert agree(case, each, our), row
        # Where DuckDB leaves the years 1 to 9999, or has a number that is none, there is NULL.
        beyond = each is None and kind in {Kind.DATE, Kind.TIMESTAMP}
        assert agree(case, each, their) or beyond, row


def asked(engines, text):
    question = read_sql(text, TABLES).question
    answers = [engine.evaluate(question, LOOSE).tolist() for engine in engines]
    return question, answers


def check_counted(case, engines, peer):
    """In the SELECT, with a key beside it, and in the WHERE."""
    text = case.plain or case.text
    question, answers = asked(engines, f"SELECT w, COUNT({case.text}) AS n FROM rows GROUP BY w")
    beyond = f"CASE WHEN isfinite({text}) THEN 1 END" if case.kind is Kind.NUMBER else text
    if case.kind in {Kind.DATE, Kind.TIMESTAMP}:
        beyond = f"CASE WHEN {text} BETWEEN DATE '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN 1 END"
    theirs = dict(peer.execute(f"SELECT w, COUNT({beyond}) FROM rows GROUP BY w").fetchall())
    assert answers[0] == answers[1] == [[theirs[value]] for value in question.keys[0].values]
    if case.kind is Kind.BOOLEAN:
        _, answers = asked(engines, f"SELECT COUNT(*) AS n FROM rows WHERE {case.text}")
        (there,) = peer.execute(f"SELECT COUNT(*) FROM rows WHERE {text}").fetchone()
        assert answers[0] == answers[1] == [[there]]


@for_each(first_of_each(CASES))
def test_a_function_is_counted_in_every_group_as_in_duckdb(case, engines, peer):
    check_counted(case, engines, peer)


@pytest.mark.soak
@every_case
def test_every_case_is_counted_in_every_group_as_in_duckdb(case, engines, peer):
    check_counted(case, engines, peer)


SUMMABLE = [case for case in CASES if case.kind in {Kind.INTEGER, Kind.NUMBER}]


@for_each(first_of_each(SUMMABLE))
def test_a_function_is_summed_as_in_duckdb(case, engines, peer):
    known = type_of(expression_of(case.text)).range
    if known is None or not known.furthest:  # without bounds, or always 0
        with pytest.raises(InvalidPlan):
            read_sql(f"SELECT SUM({case.text}) AS s FROM rows", TABLES)
        return
    question, answers = asked(engines, f"SELECT SUM({case.text}) AS s FROM rows")
    step = float(question.measures[0].step)
    text = case.plain or case.text
    finite = f"CASE WHEN isfinite(CAST({text} AS DOUBLE)) THEN {text} END"
    (count,) = peer.execute(f"SELECT COUNT({finite}) FROM rows").fetchone()
    (there,) = peer.execute(f"SELECT SUM(CAST({finite} AS DOUBLE)) FROM rows").fetchone()
    ours = [answer[0][0] * step for answer in answers]
    if case.exact:
        assert ours[0] == ours[1]
    for each in ours:
        assert abs(each - there) <= count * step / 2 + 1e-9 * max(1, abs(there))


EXACT = [case for case in CASES if case.exact]


def test_most_functions_can_be_keys():
    listed = (case for case in EXACT if public_values(expression_of(case.text)) is not None)
    assert len(list(islice(listed, 201))) > 200


@for_each(first_of_each(EXACT))
def test_a_function_is_a_key_as_in_duckdb(case, engines, peer):
    text = f"SELECT {case.text} AS key, COUNT(*) AS n FROM rows GROUP BY key"
    if public_values(expression_of(case.text)) is None:
        with pytest.raises(InvalidPlan):
            read_sql(text, TABLES)
        return
    question, answers = asked(engines, text)
    (key,) = question.keys
    theirs = Counter()
    for cell, count in peer.execute(
        f"SELECT {case.plain or case.text} AS key, COUNT(*) FROM rows GROUP BY key"
    ).fetchall():
        theirs[value_of(cell, case.kind)] += count
    assert answers[0] == answers[1]
    found = {
        constant(value, case.kind): n for value, (n,) in zip(key.values, answers[0], strict=True)
    }
    declared = {"w", "t"} & set(case.text)
    for value, count in theirs.items():
        # A row whose column is not declared may have a key that is none of those.
        assert found.get(value, 0) == count or value is None or (declared and value not in found), (
            value
        )
    assert sum(found.values()) <= sum(theirs.values())


# ---------------------------------------------------------------- ranges


def wild(column, dice):
    """A cell of a column: near its bounds, beyond them, NULL, NaN, or anything between."""
    if dice.random() < 0.1:
        return None
    match column.kind:
        case Kind.BOOLEAN:
            return dice.random() < 0.5
        case Kind.INTEGER:
            return dice.choice(
                [dice.randint(-120, 120), 0, 1, -1, 2**63 - 1, -(2**63), dice.randint(-9, 9)]
            )
        case Kind.NUMBER:
            ends = [nan, inf, -inf, -0.0, 5e-324, -5e-324, 1e308, -1e308, 2.0**53 + 2, 1e-12]
            return dice.choice(
                [
                    dice.uniform(-120, 1100),
                    dice.uniform(0, 6),
                    dice.choice(ends),
                    dice.randint(-5, 5) / 2,
                ]
            )
        case Kind.TEXT:
            return "".join(
                dice.choice("aAbB éÉßİıΣσς_%\0\u3000\N{GRINNING FACE}7")
                for _ in range(dice.randint(0, 6))
            )
        case Kind.DATE:
            return dice.choice(
                [
                    date.fromordinal(dice.randint(1, date.max.toordinal())),
                    date(2024, 1, 1) + timedelta(dice.randint(-60, 500)),
                ]
            )
        case Kind.TIMESTAMP:
            near = datetime(2024, 2, 1) + timedelta(microseconds=dice.randint(-(10**13), 10**13))  # noqa: DTZ001
            far = datetime(1, 1, 1) + timedelta(seconds=dice.randint(0, 315_537_897_599))  # noqa: DTZ001
            return dice.choice([near, far])


@pytest.fixture(scope="module")
def many():
    dice = random.Random(11)
    found = [{column.name: wild(column, dice) for column in COLUMNS} for _ in range(10_000)]
    for row in found:
        row["p"] = dice.randint(0, 12)  # which is promised never to be NULL
    return found


@pytest.fixture(scope="module")
def some_cells(many):
    return [cells_of(row) for row in many[:400]]


@pytest.fixture(scope="module")
def crowded(many):
    with open_connection(threads=1) as connection:
        yield filled(connection, many)


@every_case
def test_values_lie_in_the_inferred_range(case, crowded):
    """Ten thousand rows, through the engine's own SQL: kind, range and nullability are as the planner says."""
    expression = expression_of(case.text)
    found = type_of(expression)
    value, number = sql_of(expression), number_of(expression)
    if found.kind in {Kind.TEXT, Kind.BOOLEAN}:
        number = "NULL::DOUBLE"
    nulls, low, high = crowded.execute(
        f"SELECT COUNT(*) - COUNT(x), MIN(n), MAX(n) FROM (SELECT {value} AS x, {number} AS n FROM rows)"
    ).fetchone()
    assert found.nullable or nulls == 0
    assert low is None or isfinite(low)
    assert found.low is None or low is None or found.low <= Fraction(low)
    assert found.high is None or high is None or Fraction(high) <= found.high


@every_case
def test_engines_agree_on_wild_rows(case, crowded, some_cells):
    expression = expression_of(case.text)
    value, kind = compile_expression(expression), type_of(expression).kind
    cells = crowded.execute(f"SELECT {number_of(expression)} FROM rows LIMIT 400").fetchall()
    for row, (cell,) in zip(some_cells, cells, strict=True):
        assert agree(case, value(row), value_of(cell, kind)), row


# ---------------------------------------------------------------- poison

POISON = {
    Kind.BOOLEAN: [None, True],
    Kind.INTEGER: [None, 0, -1, 2**63 - 1, -(2**63), 2**53 + 1],
    Kind.NUMBER: [None, nan, -nan, inf, -inf, -0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308],
    Kind.TEXT: [None, "", "\0", "x" * 100_000, "\N{GRINNING FACE}" * 3, "İ" * 2000, "'"],
    Kind.DATE: [None, date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31)],
    Kind.TIMESTAMP: [
        None,
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
}
PLAIN_ROW = {"i": 1, "k": 1, "p": 1, "x": 1.0, "y": 1.0, "z": 1.0, "t": "a", "w": "A", "b": True}
PLAIN_ROW |= {"d": date(2024, 1, 1), "e": date(2024, 1, 1)}
PLAIN_ROW |= {"s": datetime(2024, 2, 1, tzinfo=UTC), "r": datetime(2024, 2, 1, tzinfo=UTC)}


def columns_of(expression):
    if not operands(expression):
        return {expression.column.name} if hasattr(expression, "column") else set()
    return set().union(*map(columns_of, operands(expression)))


def poisoned():
    """Every (function, cell) that a row can poison."""
    for case in CASES:
        for name in sorted(columns_of(expression_of(case.text))):
            column = next(column for column in COLUMNS if column.name == name)
            cells = [cell for cell in POISON[column.kind] if cell is not None or column.nullable]
            yield from ((case, name, cell) for cell in cells)


def test_poison_is_computed_alike_and_raises_nowhere():
    """At least 1,000 cells, each through the engine's own SQL and in memory."""
    cells = list(poisoned())
    assert len(cells) >= 1_000
    assert {
        function for case, _, _ in cells for function in functions_of(expression_of(case.text))
    } == set(Function)
    table = [PLAIN_ROW | {name: cell} for _, name, cell in cells]
    with open_connection(threads=1) as connection:
        filled(connection, table)
        for case, group in groupby(enumerate(cells), key=lambda numbered: numbered[1][0]):
            places = [place for place, _ in group]
            expression = expression_of(case.text)
            inside = f"rowid BETWEEN {places[0]} AND {places[-1]}"
            answers = connection.execute(
                f"SELECT {number_of(expression)} FROM rows WHERE {inside} ORDER BY rowid"
            ).fetchall()
            for place, (found,) in zip(places, answers, strict=True):
                expected = compile_expression(expression)(cells_of(table[place]))
                assert agree(case, expected, value_of(found, case.kind)), (case.text, table[place])
                assert not isinstance(found, float) or isfinite(found), case.text


BATCH = 24
OWNED = replace(TABLE, unit="who")
KEPT = [row | {"who": f"unit {place % 7}"} for place, row in enumerate(rows(30))]


def plan_of(batch):
    """One question about many functions: each is counted."""
    columns = [f"COUNT({case.text}) AS n{place}" for place, case in enumerate(batch)]
    return read_sql(f"SELECT {', '.join(columns)} FROM rows", {"rows": OWNED})


# tests/laws/test_poison_matrix.py tries every function over every poison, many at once
@pytest.mark.soak
@pytest.mark.parametrize(
    "engine", [Memory, lambda given: DuckDB(given, threads=1)], ids=["memory", "duckdb"]
)
def test_no_poison_can_be_told_from_an_ordinary_row(engine, monkeypatch):
    """At least 1,000 cells: with a constant release, all that leaves is the same as for the row without poison."""
    # when it is asked is written down
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")
    told = 0
    base = engine({OWNED: [*KEPT, PLAIN_ROW | {"who": "poisoned"}]})
    batches = [CASES[place : place + BATCH] for place in range(0, len(CASES), BATCH)]
    plans = [plan_of(batch) for batch in batches]
    names = {case.text: columns_of(expression_of(case.text)) for case in CASES}
    pairs = list({(name, repr(cell)): (name, cell) for _, name, cell in poisoned()}.values())
    pairs = pairs if engine is Memory else pairs[::3]
    with constant_release():
        expected = [left_by(opened_vault(base, table=OWNED), plan, epsilon=1) for plan in plans]
        for name, cell in pairs:
            other = engine({OWNED: [*KEPT, PLAIN_ROW | {"who": "poisoned", name: cell}]})
            for batch, plan, without in zip(batches, plans, expected, strict=True):
                about = [case for case in batch if name in names[case.text]]
                if about:
                    left = left_by(opened_vault(other, table=OWNED), plan, epsilon=1)
                    assert isinstance(left[0][1], tuple), left[0]
                    assert left == without, (name, cell)
                    told += len(about)
            other.close()
    base.close()
    assert told >= 1_000


def functions_of(expression):
    found = {expression.function} if isinstance(expression, Called) else set()
    return found.union(*map(functions_of, operands(expression)))


@together
@pytest.mark.parametrize("case", CASES[::7], ids=[case.text for case in CASES[::7]])
def test_terms_do_not_depend_on_what_rows_hold(case):
    """The price, the noise and the shape of an answer follow from the plan alone, for both limits."""
    question = read_sql(f"SELECT COUNT({case.text}) AS n FROM rows", TABLES).question
    for limit in (Limit(3), Limit(3, 1e-6)):
        terms = [terms_of(question, Shared(TABLE, 1), limit, Fraction(1)) for _ in range(2)]
        assert terms[0] == terms[1]
