"""The suite of conformance over Spark: a spread of it here, on one server for the whole run; all of it in soak.

The checks are those of `test_engine_conformance.py`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from tacit.engines import Memory, Spark, SparkTable
from tacit.engines.spark.catalog import scan
from tacit.engines.spark.dialect import SPARK
from tacit.engines.spark.literals import quote
from tacit.plan import Column, Weighing, Weights, read_sql
from tests import spark
from tests.database import storable
from tests.laws import expressions, functions
from tests.laws.sampled import example, sampled
from tests.laws.test_engine_conformance import (
    EDGES,
    ROWS,
    STATEMENTS,
    Place,
    check_agreement,
    check_codes,
    check_doubles,
    check_edges,
    check_expressions,
    check_gathered,
    check_key_texts,
    check_rows,
    every_function,
    poisoned,
)


def select_in_spark(source: SparkTable, cells: Sequence[str]) -> list[tuple[Any, ...]]:
    named = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))
    return list(spark.control().fetch(f"SELECT {named} FROM {scan(source)} AS t").rows)


def quoted_in_spark(column: Column) -> str:
    return f"(t.{quote(column.name)})"


IN_SPARK = Place("Spark", SPARK, spark.store, Spark, select_in_spark, quoted_in_spark)


def said(capsys: Any, what: str, seen: Counter[str]) -> None:
    with capsys.disabled():
        print(f"\n{what} in Spark: {dict(seen)}")


def drawn(check: Callable[[Any], Counter[str]], *numbers: int) -> Counter[str]:
    """What is counted by a check of some examples, in each of which there is something to count."""
    found = Counter[str]()
    for number in numbers:
        with example(number) as data:
            found += check(data)
    return found


def test_every_function_is_the_same_in_spark(capsys):
    """A spread of all cases here, over ordinary rows and poison; all of them in soak."""
    rows = [*storable(functions.rows(6), functions.TABLE), *poisoned(functions.COLUMNS, 12)]
    seen = check_expressions(every_function(9), functions.COLUMNS, rows, IN_SPARK)
    assert seen["cells"] >= 1_000
    said(capsys, "functions", seen)


def test_keys_are_hashed_by_the_same_texts_in_spark():
    check_key_texts(IN_SPARK)


# The statements of the other suite, as few as say the same: each costs a second of the server's.
TOGETHER = [
    (
        "SELECT SUM(wide) AS a, SUM((i - 5) // 2) AS b, AVG(i / 2) AS c, SUM((i - 5) % 2) AS d, "
        "SUM(EXTRACT(hour FROM r)) AS e, SUM(EXTRACT(day FROM s)) AS f, COUNT(CAST(t AS INTEGER)) AS g, "
        "COUNT(CAST(t AS DATE)) AS h, COUNT(CAST(t AS DOUBLE)) AS j FROM edges "
        "WHERE t < 'a' OR LOWER(t) IN ('a', 'é', 'nine') OR SQRT(i - 1) IS NULL"
    ),
    STATEMENTS[4],
    *STATEMENTS[-2:],
]


def test_spark_gets_no_edge_wrong():
    """Statements about one table, weighed in turns; one by one and with all weights in soak."""
    rows = storable(ROWS, EDGES)
    weights = Weights(Weighing.L2, 9, 9, 20), Weights(Weighing.L1, 1, 1, 10)
    with Spark(spark.store({EDGES: rows})) as engine:
        for number, text in enumerate(TOGETHER):
            question = read_sql(text, {"edges": EDGES}).question
            expected = Memory({EDGES: rows}).evaluate(question, weights[number % 2]).tolist()
            assert any(map(any, expected))
            assert engine.evaluate(question, weights[number % 2]).tolist() == expected, text


def test_questions_have_the_same_integers_in_spark(capsys):
    found = drawn(partial(check_agreement, place=IN_SPARK, count=2), 2)
    assert found["more"] == 2
    said(capsys, "questions", found)


def test_rows_of_every_shape_are_the_same_in_spark(capsys):
    found = drawn(partial(check_rows, place=IN_SPARK), 5)
    assert found["more"] == 1
    said(capsys, "rows", found)


def test_unknown_keys_are_the_same_in_spark(capsys):
    found = drawn(partial(check_gathered, place=IN_SPARK, count=1), 0, 2)
    assert found["found"] == 2
    said(capsys, "unknown keys", found)


# ---------------------------------------------------------------- all of it


@pytest.mark.soak
@pytest.mark.parametrize("norm", Weighing)
def test_rows_are_coded_alike_in_spark(norm):
    check_codes(norm, IN_SPARK)


@pytest.mark.soak
def test_every_function_and_every_pair_is_the_same_in_spark():
    rows = [*storable(functions.rows(60), functions.TABLE), *poisoned(functions.COLUMNS, 24)]
    seen = check_expressions(every_function(1), functions.COLUMNS, rows, IN_SPARK)
    assert seen["cells"] >= 50_000
    listed = expressions.listed(functions.COLUMNS, most=20)
    few = storable(expressions.rows(functions.COLUMNS, 18), functions.TABLE)
    assert check_expressions(listed, functions.COLUMNS, few, IN_SPARK)["cells"] >= 20_000


@pytest.mark.soak
@pytest.mark.parametrize("text", STATEMENTS)
def test_spark_gets_no_edge_wrong_with_any_weights(text):
    check_edges(text, IN_SPARK)


@pytest.mark.soak
def test_doubles_are_those_of_the_machine_in_spark():
    check_doubles(IN_SPARK, 1_500)


@pytest.mark.soak
def test_many_questions_have_the_same_integers_in_spark():
    assert sampled(partial(check_agreement, place=IN_SPARK), 60)["more"] >= 70


@pytest.mark.soak
def test_many_rows_of_every_shape_are_the_same_in_spark():
    assert sampled(partial(check_rows, place=IN_SPARK), 60)["more"] >= 30


@pytest.mark.soak
def test_many_unknown_keys_are_the_same_in_spark():
    assert sampled(partial(check_gathered, place=IN_SPARK), 40)["found"] >= 40
