"""Rows that are weighed in arrays: the integers of the memory engine, and no unit that weighs too much."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.duckdb import engine as running
from tacit.engines.duckdb import weigh_arrays
from tacit.engines.duckdb.weigh_arrays import MOST_ROWS, add_up, can_add_up
from tacit.engines.sql.sums_of_terms import Term
from tacit.engines.weights_of_rows import weight
from tacit.plan import Column, Kind, Scan, Summed, Table, Weighing, Weights, read_sql

TERMS = (Term("0"), Term("1", "value_0", sums=True, reach=9), Term("2", "value_0"))
RECIPES = ((("0", 1),), (("1", 1), ("2", -4)))
"""How many rows, and the sum of their values less four each."""


def unit_rows(dice, groups):
    """Groups of the rows of units that are near every edge: counters of 8 bits, squares near the bound, one group."""
    sizes = [1, 2, 5, 6, 7, 30, 254, 255, 256, 257, 300, 511, 512, 1025]
    found = [[dice.randrange(groups)] * size for size in sizes]
    found += [[dice.randrange(groups) for _ in range(size)] for size in sizes]
    found += [[(4 * at) % groups for at in range(size)] for size in sizes]
    return found


def columns_of(owned, first, dice):
    rows = [(first + unit, group) for unit, groups in enumerate(owned) for group in groups]
    dice.shuffle(rows)
    unit, group = zip(*rows, strict=True)
    return {
        "unit": np.array(unit, np.int64),
        "group_id": np.array(group, np.uint8),
        "term_1": np.array([dice.randrange(-9, 10) for _ in rows], np.int32),
        "term_2": np.array([dice.randrange(2) for _ in rows], np.uint8),
    }


@pytest.mark.parametrize("first", [0, -20, 1 << 60])
@pytest.mark.parametrize("groups", [1, 3, 70])
@pytest.mark.parametrize("norm", Weighing)
def test_arrays_weigh_as_memory_does(norm, groups, first):
    dice, weights = Random(7), Weights(norm, 6, 4, 20)
    owned = unit_rows(dice, groups)
    columns = columns_of(owned, first, dice)
    expected = np.zeros((groups, 2), object)
    weighs = {
        first + unit: weight(Counter(theirs).values(), weights) for unit, theirs in enumerate(owned)
    }
    for unit, group, one, two in zip(*(each.tolist() for each in columns.values()), strict=True):
        expected[group] += [weighs[unit], weighs[unit] * (one - 4 * two)]
    for piece in (1 << 15, 100):
        with patch.object(weigh_arrays, "_PIECE", piece):
            found = add_up(columns, TERMS, RECIPES, groups, weights)
        assert found is not None
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("groups", [2, 5, 70])
@pytest.mark.parametrize("bound", [1, 6, 16, 300])
def test_nobody_who_is_heavy_is_overlooked(bound, groups):
    owned = unit_rows(Random(bound), groups)
    columns = columns_of(owned, 0, Random(8))
    suspects = weigh_arrays._find_suspects(
        columns["unit"], columns["group_id"], len(owned), groups, bound
    )
    for suspect, theirs in zip(suspects.tolist(), owned, strict=True):
        assert suspect or sum(n * n for n in Counter(theirs).values()) <= bound**2


def test_units_that_lie_far_apart_are_not_weighed_in_arrays():
    columns = columns_of([[0], [1]], 0, Random(1))
    far = {**columns, "unit": np.array([-(1 << 63), (1 << 63) - 1])}
    weights = Weights(Weighing.L1, 6, 4, 20)
    assert add_up(far, TERMS, RECIPES, 2, weights) is None
    nobody = {name: each[:0] for name, each in columns.items()}
    found = add_up(nobody, TERMS, RECIPES, 2, weights)
    assert found is not None
    assert not found.any()


def test_sums_that_doubles_do_not_hold_are_left_to_sql():
    weights, rows = Weights(Weighing.L2, 6, 4, 20), 1 << 20
    assert can_add_up(rows, TERMS, weights, 5)
    assert can_add_up(rows, [replace(TERMS[1], reach=(1 << 33) - 1)], weights, 5)
    assert not can_add_up(rows, [replace(TERMS[1], reach=1 << 33)], weights, 5)
    assert not can_add_up(MOST_ROWS + 1, TERMS, weights, 5)
    assert not can_add_up(rows, TERMS, Weights(Weighing.L2, 1 << 20, 4, 20), 5)
    assert can_add_up(rows, TERMS, Weights(Weighing.L1, 1 << 20, 4, 20), 5)


WARD = Column("ward", Kind.TEXT, values=("A", "B", "C"))
COST = Column("cost", Kind.NUMBER, low=-1, high=9)
VISITS = Table("visits", (WARD, COST), unit="who", contributions=3)
QUESTIONS = [
    "SELECT ward, COUNT(*) AS n, SUM(cost) AS s, COUNT(cost) AS c FROM visits GROUP BY ward",
    "SELECT AVG(cost) AS m FROM visits WHERE cost < 8 AND ward <> 'B'",
    "SELECT ward, SUM(cost * 2) AS s FROM visits WHERE ward IN ('A', 'C') GROUP BY ward",
]


def visits(dice, far=0):
    wards, costs = ["A", "A", "A", "B", "C", "D", None], [None, float("nan"), 0.5, 3.25, 1e300, -7]
    return [
        {
            "who": dice.choice([None, -3, 0, 0, 0, 5, 5, 6, 1000 + far]),
            "ward": dice.choice(wards),
            "cost": dice.choice(costs),
        }
        for _ in range(120)
    ]


@pytest.mark.parametrize("norm", Weighing)
@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_the_same_in_arrays(text, norm, monkeypatch):
    rows, answers = visits(Random(3)), []
    question = read_sql(text, {"visits": VISITS}).question
    weights = Weights(norm, 3, 9, 20)
    expected = Memory({VISITS: rows}).evaluate(question, weights).tolist()

    def noted(*given):
        answers.append(add_up(*given))
        return answers[-1]

    monkeypatch.setattr(running, "FEW", -1)
    monkeypatch.setattr(running, "add_up", noted)
    with DuckDB({VISITS: rows}) as engine:
        assert engine.evaluate(question, weights).tolist() == expected
        assert not answers  # of so few rows
        monkeypatch.setattr(weigh_arrays, "LEAST_ROWS", 0)
        engine.dry_run(question, weights)
        assert not answers
        assert engine.evaluate(question, weights).tolist() == expected
        assert len(answers) == 1
        assert answers[0] is not None


def test_where_arrays_cannot_weigh_sql_does_and_is_remembered(monkeypatch):
    rows, asked = visits(Random(4), far=1 << 40), []
    question = read_sql(QUESTIONS[0], {"visits": VISITS}).question
    weights = Weights(Weighing.L2, 3, 9, 20)
    monkeypatch.setattr(running, "FEW", -1)
    monkeypatch.setattr(weigh_arrays, "LEAST_ROWS", 0)
    monkeypatch.setattr(running, "add_up", lambda *given: asked.append(given) or add_up(*given))
    with DuckDB({VISITS: rows}) as engine:
        for price in (9, 10):
            known = replace(weights, units_squared=price)
            expected = Memory({VISITS: rows}).evaluate(question, known).tolist()
            assert engine.evaluate(question, known).tolist() == expected
    assert len(asked) == 1


def test_wide_sums_of_few_rows_are_exact_in_arrays(monkeypatch):
    wide = Column("wide", Kind.INTEGER, low=-(1 << 44), high=1 << 44)
    table = Table("wide", (wide,), unit="who")
    rows = [{"who": n % 3, "wide": (1 << 44) - n} for n in range(200)]
    question = read_sql("SELECT SUM(wide) AS s FROM wide", {"wide": table}).question
    (measure,) = question.measures
    assert isinstance(measure, Summed)
    assert (measure.step, question.rows) == (Fraction(1), Scan(table))
    monkeypatch.setattr(running, "FEW", -1)
    monkeypatch.setattr(weigh_arrays, "LEAST_ROWS", 0)
    weights = Weights(Weighing.L1, 3, 9, 40)
    with DuckDB({table: rows}) as engine:
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory({table: rows}).evaluate(question, weights).tolist()
