"""Every engine gives the same integers, whatever the order of rows, chunks and threads, and no unit weighs too much."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st

from tacit.engines import DuckDB, Memory
from tacit.engines.duckdb import weigh_arrays
from tacit.engines.weights_of_rows import presence_weight, weight
from tacit.errors import TooLarge
from tacit.plan import (
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
)
from tests.laws.plans import as_written, cases, weightings
from tests.laws.sampled import few, sampled


def evaluated(engine, question, weights):
    """The answer as lists, or what refused it from the plan alone."""
    try:
        return engine.evaluate(question, weights).tolist()
    except TooLarge as refusal:
        return str(refusal)


def check_agreement(data):
    """Compare both engines; how many answers were refused, nothing but zeros, or more."""
    case, seen = data.draw(cases(count=4)), Counter()
    memory = Memory({case.table: case.rows})
    with DuckDB({case.table: case.rows}, threads=1) as engine:
        for question, weights in case.questions:
            found = evaluated(memory, question, weights)
            assert evaluated(engine, question, weights) == found
            assert evaluated(as_written(engine), question, weights) == found
            with patch.object(weigh_arrays, "LEAST_ROWS", 0):
                assert evaluated(engine, question, weights) == found
            seen["refused" if isinstance(found, str) else "more" if np.any(found) else "zeros"] += 1
    return seen


@pytest.mark.drawn
def test_memory_and_duckdb_agree():
    found = sampled(check_agreement, few(32, 400))
    assert found["more"] >= found.total() * 66 / 176


@settings(max_examples=10)
@given(cases(count=2, most=25), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, order):
    shuffled = list(case.rows)
    order.shuffle(shuffled)
    with DuckDB({case.table: case.rows}) as one, DuckDB({case.table: shuffled}) as other:
        for question, weights in case.questions:
            assert evaluated(one, question, weights) == evaluated(other, question, weights)


WARD = Column("ward", Kind.TEXT)
COST = Column("cost", Kind.NUMBER, low=-2, high=9)
MANY = Table("many", (WARD, COST), unit="who")
WARDS = tuple(f"w{i}" for i in range(70))  # more than a mask has bits


@pytest.fixture(scope="module")
def many():
    """A table of 130,000 rows, which DuckDB reads in several pieces; some units own thousands."""
    count = 130_000
    drawn = np.random.default_rng(7)
    who = np.where(
        drawn.random(count) < 0.1, drawn.integers(0, 20, count), drawn.integers(20, 30_000, count)
    )
    return pa.table(
        {
            "who": pa.array(who),
            "ward": pa.array([f"w{i}" for i in drawn.integers(0, 75, count)]),
            "cost": pa.array(drawn.normal(3, 5, count)),
        }
    )


@pytest.mark.parametrize("norm", Weighing)
def test_chunks_threads_and_files_do_not_change_the_integers(many, norm, tmp_path):
    cost = Summed(Field(COST), Fraction(1, 1 << 16), -(2 << 16), 9 << 16, 3 << 16)
    question = Question(Scan(MANY), (Key(Field(WARD), WARDS),), (Counted(), cost, Units()))
    weights = Weights(norm, 6, 4, 20)
    backward = many.take(pa.array(np.arange(many.num_rows)[::-1]))
    pq.write_table(many, tmp_path / "many.parquet", row_group_size=9_999)
    pieces = pa.Table.from_batches(backward.to_batches(max_chunksize=777))
    sources = [(many, 1), (backward, 2), (pieces, 4), (tmp_path / "many.parquet", 2)]
    answers = []
    for source, threads in sources:
        with DuckDB({MANY: source}, threads=threads) as engine:
            answers.append(engine.evaluate(question, weights))
    for other in answers[1:]:
        assert (other == answers[0]).all()
    few = many.slice(0, 10_000)
    with DuckDB({MANY: few}) as engine:
        assert (
            engine.evaluate(question, weights) == Memory({MANY: few}).evaluate(question, weights)
        ).all()


@pytest.mark.parametrize("norm", Weighing)
@pytest.mark.parametrize("unit", ["who", None])
def test_rows_in_no_group_are_in_nobodys_vector(norm, unit):
    table = Table("some", (WARD, COST), unit)
    wards = ["w0", "w0", "w1", "elsewhere", "elsewhere", None, "W0"]
    rows = [{"who": who, "ward": ward, "cost": 1.0} for who in ("ann", "bob") for ward in wards]
    question = Question(Scan(table), (Key(Field(WARD), ("nowhere", "w0", "w1")),), (Counted(),))
    with DuckDB({table: rows}) as duck:
        for engine in (Memory({table: rows}), duck, as_written(duck)):
            assert engine.evaluate(question, Weights(norm, 3, 1, 20)).tolist() == [
                [0],
                [4 << 20],
                [2 << 20],
            ]


VECTORS = st.lists(
    st.one_of(st.integers(1, 30), st.sampled_from([10**6, MANY.rows])), min_size=1, max_size=6
)


@given(VECTORS, weightings())
@settings(max_examples=200)
def test_a_weight_is_the_largest_that_keeps_the_bound(vector, weights):
    found, full = weight(vector, weights), 1 << weights.bits

    def keeps(w):
        if weights.norm is Weighing.L1:
            return w * sum(vector) <= weights.bound * full
        return w * w * sum(n * n for n in vector) <= (weights.bound * full) ** 2

    assert keeps(found)
    assert found == full or not keeps(found + 1)


@given(st.integers(1, 10**6), weightings())
def test_a_presence_weighs_the_most_that_keeps_the_bound(groups, weights):
    found, full = presence_weight(groups, weights), 1 << weights.bits

    def keeps(w):
        if weights.norm is Weighing.L1:
            return w * groups <= isqrt(weights.units_squared) * full
        return w * w * groups <= weights.units_squared * full**2

    assert keeps(found)
    assert found == full or not keeps(found + 1)


CROWDED = st.lists(st.integers(0, 25), min_size=1, max_size=70).filter(any)
UNEVEN = st.tuples(st.integers(1, 9), st.integers(0, 69)).map(
    lambda drawn: [drawn[0], *[1] * drawn[1]]
)


@settings(max_examples=20)
@given(st.one_of(CROWDED, UNEVEN), weightings(), st.sampled_from([None, -1, 0]))
def test_no_unit_weighs_more_than_the_bound(vector, weights, near):
    """What DuckDB returns for one unit alone, measured in the norm that its weights are made for."""
    if near is not None:  # at the unit's norm, rounded down, or one below it
        norm = sum(vector) if weights.norm is Weighing.L1 else isqrt(sum(n * n for n in vector))
        weights = replace(weights, bound=max(1, norm + near))
    keys = tuple(f"w{i}" for i in range(len(vector)))
    rows = [
        {"who": 1, "ward": key, "cost": 9.0}
        for key, n in zip(keys, vector, strict=True)
        for _ in range(n)
    ]
    cost = Summed(Field(COST), Fraction(1), -2, 9)
    question = Question(Scan(MANY), (Key(Field(WARD), keys),), (Counted(), cost, Units()))
    with DuckDB({MANY: rows}, threads=1) as engine:
        counts, costs, units = (
            [int(value) for value in column]
            for column in engine.evaluate(question, weights).astype(object).T
        )
    full = 1 << weights.bits
    assert costs == [9 * count for count in counts]
    if weights.norm is Weighing.L1:
        assert sum(counts) <= weights.bound * full
        assert sum(units) ** 2 <= weights.units_squared * full**2
    else:
        assert sum(n * n for n in counts) <= (weights.bound * full) ** 2
        assert sum(n * n for n in units) <= weights.units_squared * full**2
    target(float(Fraction(sum(n * n for n in counts), (weights.bound * full) ** 2)))
    assert counts == [weight([n for n in vector if n], weights) * n for n in vector]
