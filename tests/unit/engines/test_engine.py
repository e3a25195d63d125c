"""What every engine shares: shapes, and what is refused from the plan alone."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.engine import MOST_BITS, blank, check_fits, conditions_of, groups_of
from tacit.errors import EngineFailed, TooLarge
from tacit.plan import (
    Column,
    Counted,
    Field,
    IsNull,
    Key,
    Kind,
    Question,
    Scan,
    Stacked,
    Summed,
    Table,
    Weighing,
    Weights,
    Where,
)
from tests.unit.engines.tables import AGE, BY_WARD, EVERYTHING, LOOSE, ROWS, VISITS, WARD

ENGINES = [Memory, DuckDB]
WIDE = Summed(Field(AGE), Fraction(1), 0, 1 << 62)


def test_groups_are_the_product_of_the_keys():
    two = Key(Field(AGE), (1, 2, 3))
    assert groups_of(Question(Scan(VISITS), (*BY_WARD, two), (Counted(),))) == 6
    assert groups_of(Question(Scan(VISITS), (), (Counted(),))) == 1


def test_conditions_are_found_from_inside_out():
    ages, wards = IsNull(Field(AGE)), IsNull(Field(WARD))
    assert list(conditions_of(Where(Where(Scan(VISITS), ages), wards))) == [ages, wards]


def test_the_type_of_an_answer_depends_on_the_plan_alone():
    counts = Question(Scan(VISITS), BY_WARD, (Counted(),))
    assert blank(counts, replace(LOOSE, bits=20)).dtype == np.int64
    assert blank(counts, replace(LOOSE, bits=30)).dtype == object
    assert blank(replace(counts, measures=(WIDE,)), LOOSE).dtype == object


@pytest.mark.parametrize(
    ("measure", "weights"),
    [
        (WIDE, Weights(Weighing.L2, 1, 1, 25)),
        (Counted(), Weights(Weighing.L2, 1 << 50, 1, 20)),
        (Counted(), Weights(Weighing.L2, 1, 1 << 100, 20)),
        (Counted(), Weights(Weighing.L2, 1, 1, MOST_BITS + 1)),
    ],
)
def test_what_could_overflow_is_refused(measure, weights):
    question = Question(Scan(VISITS), (), (measure,))
    with pytest.raises(TooLarge):
        check_fits(question, weights)
    for kind in ENGINES:
        with pytest.raises(TooLarge):
            kind({VISITS: ROWS}).dry_run(question, weights)


@pytest.mark.parametrize("kind", ENGINES)
def test_engines_answer_alike(kind):
    engine = kind({VISITS: ROWS})
    engine.dry_run(EVERYTHING, LOOSE)
    # ann has a bill of 30, held at 10; bob was in ward C, eve in none, and one row is nobody's.
    assert engine.evaluate(EVERYTHING, LOOSE).tolist() == [[3, 15, 2], [1, 40, 1]]
    tight = Weights(Weighing.L2, 1, 1, 10)
    # ann has 2 and 1 rows: 1024 / sqrt(5) = 457.9; she is in two groups: 1024 / sqrt(2) = 724.07.
    assert engine.evaluate(EVERYTHING, tight).tolist() == [
        [2 * 457 + 1024, 14 * 457 + 1024, 724 + 1024],
        [457, 40 * 457, 724],
    ]
    tight = Weights(Weighing.L1, 1, 1, 10)
    assert engine.evaluate(EVERYTHING, tight).tolist() == [
        [2 * 341 + 1024, 14 * 341 + 1024, 512 + 1024],
        [341, 40 * 341, 512],
    ]
    engine.close()


@pytest.mark.parametrize("kind", ENGINES)
def test_every_row_is_a_unit_if_there_is_none(kind):
    by_row = replace(VISITS, unit=None)
    engine = kind({by_row: ROWS})
    question = replace(EVERYTHING, rows=Scan(by_row))
    assert engine.evaluate(question, Weights(Weighing.L2, 1, 1, 2)).tolist() == [
        [16, 140, 16],
        [4, 160, 4],
    ]


@pytest.mark.parametrize("kind", ENGINES)
def test_a_key_without_values_has_no_groups(kind):
    nothing = replace(EVERYTHING, keys=(Key(Field(WARD), ()),))
    assert kind({VISITS: ROWS}).evaluate(nothing, LOOSE).shape == (0, 3)


@pytest.mark.parametrize("kind", ENGINES)
def test_a_table_that_is_not_held_cannot_be_asked(kind):
    other = replace(EVERYTHING, rows=Scan(replace(VISITS, name="others")))
    with pytest.raises(EngineFailed):
        kind({VISITS: ROWS}).evaluate(other, LOOSE)


def test_what_is_joined_may_be_more_than_any_table_holds():
    table = Table("visits", (Column("x", Kind.INTEGER, 0, 2**40),), unit="who")
    total = Summed(Field(table.columns[0]), Fraction(1), 0, 2**40)
    weights = Weights(Weighing.L1, 1, 1, 25)
    check_fits(Question(Scan(table), (), (total,)), weights)
    with pytest.raises(TooLarge):
        check_fits(Question(Stacked((Scan(table), Scan(table))), (), (total,)), weights)
