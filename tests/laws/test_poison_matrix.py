"""Every function and every aggregate over every poison: with a constant release nothing tells a poisoned row apart.

Status, bytes and price of an answer are those of an answer about an ordinary row; many functions share one question.
"""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from math import inf, nan
from typing import Any

import pytest

from tacit.curator import Limit
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidPlan
from tacit.plan import Kind, Plan, read_sql
from tests.laws import functions
from tests.laws.test_corridor import constant_release, left_by, opened

REFERENCES = (("i", "rows", "p"), ("x", "rows", "z"), ("t", "rows", "w"))
TABLE = replace(functions.TABLE, unit="who", contributions=3, references=REFERENCES)
TABLES = {"rows": TABLE}
ORDINARY = [{"who": f"unit {n}", **row} for n, row in enumerate(functions.rows(3))]
HUGE = 1 << 63
POISON: dict[Kind, list[Any]] = {
    Kind.BOOLEAN: [None, True, False],
    Kind.INTEGER: [None, HUGE - 1, -HUGE, HUGE, -HUGE - 1, 2**53 + 1, 0],
    Kind.NUMBER: [
        nan,
        inf,
        -inf,
        None,
        -0.0,
        5e-324,
        1e308,
        -1e308,
        float(HUGE),
        -float(HUGE),
        -nan,
        -5e-324,
    ],
    Kind.TEXT: [
        *(
            "",
            None,
            "x" * 30_000,
            "a\0b",
            "NaN",
            "\N{GRINNING FACE}" * 400,
            "'; --",
            "%_\\",
            "İΣςß",
            "9" * 400,
        ),
        *("2024-02-30", "-9223372036854775809"),
    ],
    Kind.DATE: [date(1, 1, 1), date(9999, 12, 31), None, date(1969, 12, 31), date(2024, 2, 29)],
    Kind.TIMESTAMP: [
        datetime(9999, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001 -- columns without a zone hold UTC
        datetime(1, 1, 1),  # noqa: DTZ001
        datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
        None,
    ],
}
POISONED = [
    {"who": "poisoned"}
    | {column.name: POISON[column.kind][n % len(POISON[column.kind])] for column in TABLE.columns}
    for n in range(max(map(len, POISON.values())))
]
ENGINES = {"memory": Memory, "duckdb": lambda rows: DuckDB(rows, threads=1)}


def measured(case: functions.Case) -> str:
    """What is asked about a function's values: their sum if it has bounds, else how many there are."""
    if case.kind is Kind.BOOLEAN:
        return f"SUM(CASE WHEN {case.text} THEN 1 ELSE 0 END)"
    if case.kind in {Kind.INTEGER, Kind.NUMBER}:
        with suppress(InvalidPlan):
            read_sql(f"SELECT SUM({case.text}) AS m FROM rows", TABLES)
            return f"SUM({case.text})"
    return f"COUNT({case.text})"


def folds() -> Iterator[tuple[int, str]]:
    """Aggregates over every column, of everybody, of each unit, and in a window of a unit's rows."""
    for column in TABLE.columns:
        name = column.name if column.kind is not Kind.BOOLEAN else f"CAST({column.name} AS INTEGER)"
        yield (
            2,
            f"SELECT COUNT({name}) AS a, COUNT(DISTINCT who) AS b FROM rows WHERE {name} IS NOT NULL",
        )
        each = (
            f"MIN({name}) AS a, MAX({name}) AS b, COUNT({name}) AS c, COUNT(DISTINCT {name}) AS d"
        )
        counts = "COUNT(a) AS a, COUNT(b) AS b, SUM(c) AS c, SUM(d) AS d"
        yield 4, f"SELECT {counts} FROM (SELECT who, {each} FROM rows GROUP BY who) t"
        window = f"OVER (PARTITION BY who ORDER BY {name})"
        each = f"LAG({name}) {window} AS a, ROW_NUMBER() {window} AS b, MAX({name}) {window} AS c, RANK() {window} AS d"
        each += f", DENSE_RANK() {window} AS e"
        counts = "COUNT(a) AS a, COUNT(b) AS b, COUNT(c) AS c, COUNT(d) AS d, COUNT(e) AS e"
        yield 5, f"SELECT {counts} FROM (SELECT who, {each} FROM rows) t"
        if column.low is not None and column.kind in {Kind.INTEGER, Kind.NUMBER}:
            yield (
                3,
                f"SELECT SUM({name}) AS a, AVG({name}) AS b, AVG({name} * {name}) AS c FROM rows",
            )
            inside = f"SELECT who, SUM({name}) AS a, AVG({name}) AS b FROM rows GROUP BY who"
            yield 2, f"SELECT AVG(a) AS a, SUM(b) AS b FROM ({inside}) t"
            inside = f"SELECT SUM({name}) OVER (PARTITION BY who) AS a, AVG({name}) {window} AS b FROM rows"
            yield 2, f"SELECT AVG(a) AS a, SUM(b) AS b FROM ({inside}) t"


def joins() -> Iterator[tuple[int, str]]:
    """Rows that meet along foreign keys that may be poisoned, and all rows of a unit beside others of it."""
    for own, _, key in REFERENCES:
        counts = "COUNT(*) AS a, COUNT(r.x) AS b, COUNT(l.d) AS c"
        yield 3, f"SELECT {counts} FROM rows l LEFT JOIN rows r ON l.{own} = r.{key}"
    sides = (
        "(SELECT who, z FROM rows WHERE i > 3) l FULL JOIN (SELECT who, s FROM rows) r USING (who)"
    )
    yield 3, f"SELECT COUNT(*) AS a, COUNT(z) AS b, COUNT(s) AS c FROM {sides}"


def keys() -> Iterator[str]:
    """Keys that are calculated from what may be poisoned."""
    for key in (
        "w",
        "b",
        "k",
        "i // 50",
        "FLOOR(x / 100)",
        "YEAR(d)",
        "DATE_TRUNC('month', s)",
        "COALESCE(w, '?')",
    ):
        yield f"SELECT {key} AS key, COUNT(*) AS a, COUNT(z) AS b FROM rows GROUP BY key"
    yield "SELECT STRFTIME(s, '%Y-%m') AS key, COUNT(*) AS a FROM rows GROUP BY ALL"
    yield "SELECT who IN (SELECT who FROM rows WHERE z > 0 OR t LIKE '%a%') AS key, COUNT(*) AS a FROM rows GROUP BY 1"
    yield "SELECT w AS key, COUNT(*) AS a FROM (SELECT DISTINCT who, w, x, t, s FROM rows) GROUP BY key"
    yield "SELECT w AS key, SUM(COUNT(*)) OVER () AS a, RANK() OVER (ORDER BY COUNT(z)) AS b FROM rows GROUP BY key"
    yield "SELECT * FROM (SELECT w AS key, COUNT(*) AS a FROM rows GROUP BY key) WHERE a > 10 ORDER BY a"
    yield "SELECT w AS key, SUM(z > 0) AS a, AVG(t LIKE '%a%') AS b, COUNT(who) AS c FROM rows GROUP BY key"
    yield "SELECT w AS key, COUNT(*) AS a FROM rows WHERE s - TIMESTAMP '2024-01-01' < INTERVAL 9 DAY GROUP BY key"
    last = "SELECT who, ARG_MAX(w, x) AS key FROM rows GROUP BY who"
    yield f"SELECT key, COUNT(*) AS a FROM ({last}) GROUP BY key"
    first = "SELECT b FROM rows QUALIFY DENSE_RANK() OVER (PARTITION BY who ORDER BY x) = 1"
    yield f"SELECT b AS key, COUNT(*) AS a FROM ({first}) GROUP BY b"
    yield "SELECT CASE WHEN z > 0 THEN 'p' WHEN t LIKE '%a%' THEN 'a' END AS key, COUNT(*) AS a FROM rows GROUP BY key"


def batches() -> Iterator[tuple[int, str]]:
    """Questions, and how many functions each of them holds."""
    cases = iter(functions.CASES)
    while some := list(islice(cases, 32)):
        listed = ", ".join(f"{measured(case)} AS m{place}" for place, case in enumerate(some))
        yield len(some), f"SELECT {listed} FROM rows"
    yield from folds()
    yield from joins()
    yield from ((1, text) for text in keys())


@pytest.fixture(scope="module")
def asked() -> list[tuple[int, str]]:
    return list(batches())


@pytest.fixture(scope="module")
def plans(asked: list[tuple[int, str]]) -> list[Plan]:
    return [read_sql(text, TABLES) for _, text in asked]


def left_about(
    plans: list[Plan], engine: Any, rows: list[dict[str, Any]], limit: Limit
) -> list[Any]:
    """What leaves when every plan is asked about ordinary rows and these."""
    with constant_release(), closing(engine({TABLE: [*ORDINARY, *rows]})) as held:
        left = [left_by(opened(held, limit, TABLE, 3), plan, epsilon=1) for plan in plans]
    assert all(isinstance(found[1], tuple) for found, *_ in left), "there is an answer"
    return left


@pytest.fixture(autouse=True)
def _the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")


@pytest.mark.parametrize("limit", [Limit(3), Limit(3, 1e-6)], ids=["pure", "concentrated"])
def test_a_poisoned_unit_changes_neither_status_nor_bytes_nor_price(limit, plans):
    # Every plan under one limit in both engines; under the other, which `make soak` takes, every third in one.
    asked, engines = (plans, ["memory", "duckdb"]) if limit.delta else (plans[::3], ["memory"])
    wanted = left_about(asked, Memory, [{**ORDINARY[0], "who": "poisoned"}], limit)
    for engine in engines:
        assert left_about(asked, ENGINES[engine], POISONED, limit) == wanted


@pytest.mark.soak
@pytest.mark.parametrize("engine", list(ENGINES))
def test_every_poison_by_itself_changes_nothing(engine, plans):
    limit = Limit(3)
    wanted = left_about(plans, Memory, [{**ORDINARY[0], "who": "poisoned"}], limit)
    for row in POISONED:
        assert left_about(plans, ENGINES[engine], [row], limit) == wanted


def test_there_are_more_than_a_thousand_cells(asked: list[tuple[int, str]]) -> None:
    assert sum(number for number, _ in asked) * len(POISONED) > 5000
