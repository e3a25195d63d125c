"""Regular expressions in Spark are automata of bits: they mean what they mean in memory."""

from random import Random

import pytest

from tacit.engines.spark.regex_as_bit_automaton_sql import find_sql
from tacit.errors import InvalidPlan
from tacit.plan.semantics.regular_expressions import find_pattern, is_pattern
from tests import spark
from tests.unit.plan.semantics.test_regular_expressions import READ

TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "ba",
    "aab",
    "aaab",
    "a|b",
    "x\ny",
    "é9",
    "😀",
    "12 A",
    "abab c",
    "a" * 400,
]


def test_spark_finds_what_memory_finds():
    """All patterns of the other suite over texts of every shape, in one statement."""
    dice = Random(7)
    texts = [*TEXTS, *("".join(dice.choices("ab c1\n", k=6)) for _ in range(12))]
    listed = ", ".join(f"({spark.literal(text)})" for text in texts)
    cells = ", ".join(f"{find_sql('t', pattern)} AS c{i}" for i, pattern in enumerate(READ))
    rows = spark.control().fetch(f"SELECT {cells} FROM VALUES {listed} AS listed(t)").rows
    for text, row in zip(texts, rows, strict=True):
        expected = [find_pattern(text, pattern) for pattern in READ]
        assert list(row) == expected, text


def test_a_pattern_of_many_letters_is_refused():
    assert is_pattern("a{62}")
    with pytest.raises(InvalidPlan, match="at most 61"):
        find_sql("t", "a{62}")
