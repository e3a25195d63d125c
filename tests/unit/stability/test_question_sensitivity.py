"""The unit-vector rule on examples small enough to be done by hand."""

from fractions import Fraction

import pytest

from tacit.plan import (
    Column,
    Compared,
    Counted,
    Field,
    Key,
    Kind,
    Literal,
    Measure,
    Question,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
    Where,
    groups_of,
)
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least
from tacit.stability import sensitivity_of, weights_for

WARD = Field(Column("ward", Kind.TEXT, values=("A", "B", "C")))
COST = Field(Column("cost", Kind.INTEGER, low=-2, high=10))
PERSONS = Table("visits", (WARD.column, COST.column), unit="person")
ROWS = Table("visits", (WARD.column, COST.column))
BY_WARD = (Key(WARD, ("A", "B", "C")),)
WHOLE = 2**20
ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE


def moved(
    measure: Measure,
    neighbours: Neighbours,
    *,
    norm=Weighing.L2,
    keys=(),
    table=PERSONS,
    contributions=5,
):
    question = Question(Scan(table), keys, (measure,))
    (claim,) = sensitivity_of(question, weights_for(question, contributions, norm), neighbours)
    return claim.bound


def test_groups_are_the_product_of_the_keys_values_and_one_without_keys():
    two = Key(COST, (1, 2))
    asked = [Question(Scan(PERSONS), keys, (Counted(),)) for keys in ((), BY_WARD, (*BY_WARD, two))]
    assert [groups_of(question) for question in asked] == [1, 3, 6]


def test_conditions_change_nothing():
    condition = Compared(">", COST, Literal(3, Kind.INTEGER))
    plain = Question(Scan(PERSONS), BY_WARD, (Counted(),))
    narrowed = Question(Where(Where(Scan(PERSONS), condition), condition), BY_WARD, (Counted(),))
    assert weights_for(plain, 3, Weighing.L1) == weights_for(narrowed, 3, Weighing.L1)


@pytest.mark.parametrize("norm", list(Weighing))
def test_where_every_row_is_a_unit_nothing_is_weighed(norm):
    question = Question(Scan(ROWS), BY_WARD, (Counted(),))
    assert weights_for(question, 7, norm) == Weights(norm, bound=1, units_squared=1, bits=0)


@pytest.mark.parametrize(
    ("norm", "keys", "contributions", "squared"),
    [
        (Weighing.L2, (), 5, 1),
        (Weighing.L1, (), 5, 1),
        (Weighing.L2, BY_WARD, 1, 1),
        (Weighing.L1, BY_WARD, 1, 1),
        (Weighing.L2, BY_WARD, 2, 3),
        (Weighing.L1, BY_WARD, 2, 4),
        (Weighing.L1, BY_WARD, 5, 9),
    ],
)
def test_presence_is_held_at_the_contributions_or_at_the_groups(norm, keys, contributions, squared):
    weights = weights_for(Question(Scan(PERSONS), keys, (Units(),)), contributions, norm)
    assert (weights.bound, weights.units_squared, weights.bits) == (contributions, squared, 20)


@pytest.mark.parametrize(
    ("measure", "add", "replaced_one", "replaced_l1", "replaced_l2_squared"),
    [
        (Counted(), 5, 5, 10, 50),
        (Summed(COST, Fraction(1), 0, 10), 50, 50, 100, 5000),
        (Summed(COST, Fraction(1), -10, 0), 50, 50, 100, 5000),
        (Summed(COST, Fraction(1), -10, 10), 50, 100, 100, 10000),
        (Summed(COST, Fraction(1), -2, 10), 50, 60, 100, 2 * 25 * 104),
        (Summed(COST, Fraction(1), 6, 10), 50, 50, 100, 5000),
        (Summed(COST, Fraction(1), -2, 10, centre=4), 30, 60, 60, 3600),
        (Summed(COST, Fraction(1), 0, 9, centre=4), 25, 45, 50, 2 * 25 * 41),
        (Summed(COST, Fraction(1), 6, 10, centre=2), 40, 40, 80, 3200),
    ],
)
def test_rows_move_an_answer_by_the_bound_times_what_one_adds(
    measure, add, replaced_one, replaced_l1, replaced_l2_squared
):
    for norm in Weighing:
        for keys in ((), BY_WARD):
            assert moved(measure, ADD, norm=norm, keys=keys) == WHOLE * add
        assert moved(measure, REPLACE, norm=norm) == WHOLE * replaced_one
    assert moved(measure, REPLACE, norm=Weighing.L1, keys=BY_WARD) == WHOLE * replaced_l1
    bound = moved(measure, REPLACE, norm=Weighing.L2, keys=BY_WARD)
    assert 0 <= bound - WHOLE * root_at_least(Fraction(replaced_l2_squared)) < Fraction(1, 2**60)


@pytest.mark.parametrize(
    ("norm", "keys", "contributions", "add", "replaced"),
    [
        (Weighing.L1, (), 5, 1, 1),
        (Weighing.L2, (), 5, 1, 1),
        (Weighing.L1, BY_WARD, 1, 1, 4),
        (Weighing.L1, BY_WARD, 2, 4, 9),
        (Weighing.L1, BY_WARD, 5, 9, 9),
        (Weighing.L2, BY_WARD, 1, 1, 2),
        (Weighing.L2, BY_WARD, 5, 3, 3),
    ],
)
def test_a_unit_counts_once_in_a_group_whoever_replaces_it(
    norm, keys, contributions, add, replaced
):
    for neighbours, squared in ((ADD, add), (REPLACE, replaced)):
        bound = moved(Units(), neighbours, norm=norm, keys=keys, contributions=contributions)
        assert bound == WHOLE * root_at_least(Fraction(squared))


@pytest.mark.parametrize("norm", list(Weighing))
def test_a_row_moves_an_answer_by_what_it_adds(norm):
    total = Summed(COST, Fraction(1), -2, 10)
    assert moved(Counted(), ADD, norm=norm, table=ROWS) == 1
    assert moved(total, ADD, norm=norm, table=ROWS) == 10
    assert moved(total, REPLACE, norm=norm, table=ROWS) == 12
    twice = moved(Counted(), REPLACE, norm=norm, table=ROWS, keys=BY_WARD)
    assert twice == (2 if norm is Weighing.L1 else root_at_least(Fraction(2)))


def test_each_measure_has_its_claim_for_the_relation_and_the_norm_of_the_weights():
    question = Question(Scan(PERSONS), BY_WARD, (Counted(), Units()))
    for weighing, norm in ((Weighing.L1, Norm.L1), (Weighing.L2, Norm.L2)):
        for neighbours in Neighbours:
            claims = sensitivity_of(question, weights_for(question, 5, weighing), neighbours)
            assert len(claims) == 2
            for claim in claims:
                assert claim == Sensitivity(claim.bound, norm, neighbours, 3)


def test_a_sum_that_never_moves_still_has_a_claim():
    still = Summed(COST, Fraction(1), 4, 4, centre=4)
    for neighbours in Neighbours:
        for keys in ((), BY_WARD):
            assert moved(still, neighbours, keys=keys) > 0
