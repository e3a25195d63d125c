"""Laws of what is ranked: how far misrankings move on small universes, what all draws together tell, engines' cells."""

from datetime import UTC, date, datetime
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.engines import DuckDB, Memory
from tacit.exact import ball, lower, upper, working
from tacit.mechanisms.grouped_quantiles import GUARD, SMALL, Aim, RankedCells
from tacit.plan import (
    Column,
    Even,
    Field,
    Key,
    Kind,
    Powers,
    Question,
    Ranked,
    Scan,
    Table,
    Weighing,
    Weights,
    rank_measure,
)
from tacit.privacy import Neighbours, Norm, PureLoss, Sensitivity, ZeroConcentratedLoss
from tacit.stability import misranked_by
from tests.laws.every_mechanism import both_relations
from tests.laws.plans import as_written
from tests.together import together

F = Fraction
RANKS = [F(0), F(1, 10), F(1, 4), F(1, 2), F(3, 4), F(1)]
CELLS, HEAVIEST = 3, 5
OTHERS = [np.array(cells) for cells in product((0, 2, 5), repeat=CELLS)]
every_rank = pytest.mark.parametrize("rank", RANKS, ids=str)


def vectors(weight):
    """Every way to lay so much weight into the cells."""
    return [
        np.array(cells)
        for cells in product(range(weight + 1), repeat=CELLS)
        if sum(cells) == weight
    ]


@lru_cache(maxsize=1)
def placed():
    return [(weight, cells) for weight in range(HEAVIEST + 1) for cells in vectors(weight)]


@lru_cache(maxsize=64)
def furthest(rank):
    """How far a misranking moves at most if a unit of weight a becomes one of weight b, for every a and b.

    Whatever the others hold, and however far beyond the rank a cell is drawn.
    """
    moved = np.zeros((HEAVIEST + 1, HEAVIEST + 1))
    weights = np.array([weight for weight, _ in placed()])
    for others in OTHERS:
        for aim in (
            Aim(rank, -3),
            Aim(rank),
            Aim(rank, 4),
            Aim(rank, -3, guard=2, few=1),
            Aim(rank, 4, guard=2),
        ):
            scores = np.array([aim.rank_errors(others + cells) for _, cells in placed()])
            apart = np.abs(scores[:, None] - scores[None]).max(axis=2) / rank.denominator
            np.maximum.at(moved, (weights[:, None], weights[None]), apart)
    return moved


@both_relations
@every_rank
def test_in_one_group_misrankings_move_as_far_as_claimed_and_no_further(rank, neighbours):
    moved = furthest(rank)
    found = moved.max() if neighbours is Neighbours.REPLACE else moved[0].max()
    claimed = HEAVIEST * misranked_by(rank, 1, Norm.L2, neighbours)
    assert found == pytest.approx(float(claimed), abs=1e-9)


@together
@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
@both_relations
@every_rank
def test_in_several_groups_misrankings_move_no_further_than_claimed(rank, neighbours, norm):
    moved, most = furthest(rank), float(HEAVIEST * misranked_by(rank, 2, norm, neighbours))

    def size(*numbers):
        return sum(numbers) if norm is Norm.L1 else np.hypot(*numbers)

    units = [pair for pair in product(range(HEAVIEST + 1), repeat=2) if size(*pair) <= HEAVIEST]
    before = units if neighbours is Neighbours.REPLACE else [(0, 0)]
    found = max(size(moved[a, c], moved[b, d]) for (a, b), (c, d) in product(before, units))
    assert found <= most + 1e-9
    assert found >= 0.9 * most  # and nearly as far: weights are whole here


@both_relations
@pytest.mark.parametrize("rank", [F(0), F(1, 4), F(1, 2)], ids=str)
@pytest.mark.parametrize("pure", [True, False], ids=["pure", "concentrated"])
def test_all_draws_of_all_groups_together_tell_no_more_than_claimed(rank, neighbours, pure):
    """Two groups: what each draw tells is computed exactly, and added up over draws and groups."""
    norm = Norm.L1 if pure else Norm.L2
    bound = 2 * misranked_by(rank, 2, norm, neighbours)
    moved = Sensitivity(bound, norm, neighbours, 2)
    made = (
        RankedCells.of_epsilon(2, moved, rank, 3)
        if pure
        else RankedCells.of_rho(F(1, 2), moved, rank, 3)
    )
    others = ([1, 0, 2], [0, 3, 0])
    weights = [(2, 0), (0, 2), (1, 1)]
    units = [(a, b) for m, n in weights for a in vectors(m) for b in vectors(n)]
    before = units if neighbours is Neighbours.REPLACE else [(np.zeros(3, int), np.zeros(3, int))]
    claimed = made.loss(moved)
    assert isinstance(claimed, PureLoss | ZeroConcentratedLoss)
    most = claimed.epsilon if isinstance(claimed, PureLoss) else claimed.concentration
    assert most <= (2 if pure else F(1, 2))
    pairs = list(product(before[::3], units))
    for old, new in [*pairs, *((new, old) for old, new in pairs)]:
        epsilon, rho = ball(0), ball(0)
        with working():
            for group, draw in product(range(2), range(len(made.aims))):
                one, two = (
                    list(_law(made, tuple(others[group] + unit[group]), draw))
                    for unit in (old, new)
                )
                epsilon += max(
                    ((p / q).log() for p, q in zip(one, two, strict=True) if not p.is_zero()),
                    key=upper,
                )
                terms = (p * p / q for p, q in zip(one, two, strict=True) if not p.is_zero())
                rho += sum(terms, ball(0)).log() / 2  # order two
        assert lower(epsilon if pure else rho) <= most


@lru_cache(maxsize=4096)
def _law(made, weights, draw):
    return tuple(made.distribution(np.array(weights), draw).values())


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4), st.sampled_from([F(0), F(1)]))
def test_an_extreme_hardly_ever_lies_beyond_all_values(weights, rank):
    made = RankedCells(rank, 2, 4)
    law = made.distribution(np.array(weights))
    held = [cell for cell, weight in enumerate(weights) if weight]
    beyond = [
        cell for cell in range(4) if held and (cell < held[0] if rank == 0 else cell > held[-1])
    ]
    assert upper(sum((law[cell] for cell in beyond), ball(0))) <= F(1, 100)


def test_in_an_empty_group_the_ends_are_those_of_the_range():
    low, middle, high = (
        RankedCells(F(1, 2), 2, 50).distribution([0] * 50, draw) for draw in range(3)
    )
    assert lower(low[-1]) > F(98, 100)
    assert lower(high[50]) > F(98, 100)
    assert middle[-1].is_zero()


def rank_cell(weights, rank):
    """The cell in which the value of a rank lies."""
    upto = np.cumsum(weights)
    return int(np.argmax(upto >= rank * int(upto[-1])))


quantiles = st.sampled_from([F(1, 10), F(1, 4), F(1, 2), F(9, 10), F(99, 100)])
heaps = st.lists(st.sampled_from([0, 0, 0, 1, 2, 7, 30]), min_size=12, max_size=12).filter(any)


@given(heaps, quantiles, st.integers(1, 40))
def test_in_a_small_group_an_end_is_hardly_ever_on_the_wrong_side_whatever_the_rows(
    weights, rank, scale
):
    """Ties, gaps and tails: where little weight lies on its side, an outer cell is wrong once in 40 draws at most."""
    made, true, whole = RankedCells(rank, scale, 12), rank_cell(weights, rank), sum(weights)
    if (1 - rank) * whole <= SMALL * scale:
        law = made.distribution(weights, 0)
        assert upper(sum((law[cell] for cell in range(true + 1, 13)), ball(0))) <= F(1, GUARD + 1)
    if rank * whole <= SMALL * scale:
        law = made.distribution(weights, 2)
        assert upper(sum((law[cell] for cell in range(-1, true)), ball(0))) <= F(1, GUARD + 1)


@given(heaps, quantiles, st.integers(1, 40), st.integers(1, 10**6))
def test_cells_beyond_all_rows_are_hardly_ever_ends_however_many_they_are(
    weights, rank, scale, times
):
    """A long tail, of a small group and of a large one: to draw it below a quantile is to draw the end of the range."""
    weights = [times * weight for weight in weights]
    made, held = (
        RankedCells(rank, scale, 72),
        [cell for cell, weight in enumerate(weights) if weight],
    )
    above, below = (
        made.distribution(weights + [0] * 60, 0),
        made.distribution([0] * 60 + weights, 2),
    )
    assert upper(sum((above[cell] for cell in range(held[-1] + 1, 73)), ball(0))) <= F(1, GUARD + 1)
    assert upper(sum((below[cell] for cell in range(-1, 60 + held[0])), ball(0))) <= F(1, GUARD + 1)


def test_in_a_large_group_with_rows_on_both_sides_the_guards_change_nothing():
    made = RankedCells(F(1, 2), 10, 40)
    even = [50] * 40
    for draw, outside in ((0, -1), (2, 40)):
        assert upper(made.distribution(even, draw)[outside]) < F(1, 10**6)


def test_weights_beyond_64_bits_are_ranked_exactly():
    made = RankedCells(F(1, 3), 1, 3, ends=True)
    huge = np.array([[1 << 70, 1 << 70, 1 << 71]], dtype=object)
    assert made.release(huge) == [(1, 1, 1)]


# ---------------------------------------------------------------- engines

AMOUNT = Column("amount", Kind.NUMBER)
HELD = Column("held", Kind.NUMBER, low=-3, high=50)
WHOLE = Column("whole", Kind.INTEGER)
AGE = Column("age", Kind.INTEGER, low=-7, high=90)
DAY = Column("day", Kind.DATE)
MOMENT = Column("moment", Kind.TIMESTAMP)
WARD = Column("ward", Kind.TEXT)
TABLE = Table("visits", (WARD, AMOUNT, HELD, WHOLE, AGE, DAY, MOMENT), unit="who")
GRIDS: dict[Column, list[Even | Powers]] = {
    AMOUNT: [Powers(-64, 128), Powers(-2, 5), Even(F(1, 4), -8, 12), Even(F(1 << 60), -3, 3)],
    HELD: [Even(F(1, 2), -6, 100), Even(F(8), 0, 6), Powers(0, 5)],
    WHOLE: [Powers(0, 63), Even(F(1), -3, 9), Even(F(1 << 58), -32, 32)],
    AGE: [Even(F(1), -7, 90), Even(F(16), 0, 6)],
    DAY: [Even(F(1), 0, 40), Even(F(64), -10, 400)],
    MOMENT: [Even(F(1 << 40), -3, 3000)],
}
NUMBERS = [
    *(
        sign * 2.0**power * step
        for sign in (1, -1)
        for power in (-64, -2, 0, 5, 62, 128)
        for step in (1, 1 + 2**-52)
    ),
    *(
        float("nan"),
        float("inf"),
        -float("inf"),
        0.0,
        -0.0,
        5e-324,
        1.7e308,
        0.25,
        49.99,
        50.0,
        12.5,
        None,
    ),
]
INTEGERS = [
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    90,
    91,
    -7,
    -8,
    7,
    8,
    24,
    2**53 + 1,
    2**62,
    2**62 + 1,
    2**63 - 1,
    -(2**63),
    None,
]


def cells_of(draw):
    days = [date(1970, 1, 1), date(1970, 2, 10), date(1969, 12, 31), date(2024, 2, 29), None]
    moments = [
        *(
            datetime(*each, tzinfo=UTC)
            for each in ((2024, 2, 29, 12, 0, 0, 1), (1970, 1, 1), (2100, 1, 1))
        ),
        None,
    ]
    return {
        "who": draw(st.sampled_from(["ann", "ann", "bob", "eve", None])),
        "ward": draw(st.sampled_from(["A", "B", "C"])),
        "amount": draw(st.sampled_from(NUMBERS)),
        "held": draw(st.sampled_from(NUMBERS)),
        "whole": draw(st.sampled_from(INTEGERS)),
        "age": draw(st.sampled_from(INTEGERS)),
        "day": draw(st.sampled_from(days)),
        "moment": draw(st.sampled_from(moments)),
    }


MEASURES = [
    Ranked(Field(column), grid, F(1, 2)) for column, grids in GRIDS.items() for grid in grids
]
WEIGHTS = [
    Weights(norm, bound, 1, bits) for norm in Weighing for bound, bits in ((1, 0), (2, 20), (3, 40))
]


@settings(max_examples=40)
@given(st.data())
def test_engines_give_the_same_cells(data):
    rows = [cells_of(data.draw) for _ in range(data.draw(st.integers(0, 25)))]
    keys = data.draw(st.sampled_from([(), (Key(Field(WARD), ("A", "B")),)]))
    measures = data.draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=3))
    question, weights = (
        Question(Scan(TABLE), keys, tuple(measures)),
        data.draw(st.sampled_from(WEIGHTS)),
    )
    with DuckDB({TABLE: rows}, threads=1) as engine:
        one, two = (
            Memory({TABLE: rows}).evaluate(question, weights),
            engine.evaluate(question, weights),
        )
        three = as_written(engine).evaluate(question, weights)
    assert one.dtype == two.dtype == three.dtype
    assert (one == two).all()
    assert (one == three).all()


def test_every_value_lies_in_the_cell_that_says_so():
    rows = [
        {"who": n, "ward": "A", "amount": x, "held": x}
        for n, x in enumerate(NUMBERS)
        if x is not None
    ]
    rows = [{"whole": None, "age": None, "day": None, "moment": None} | row for row in rows]
    table = Table("visits", (WARD, AMOUNT, HELD), unit="who")
    for column, grid in ((AMOUNT, Powers(-64, 128)), (HELD, Even(F(1, 2), -6, 100))):
        question = Question(Scan(table), (), (Ranked(Field(column), grid, F(1, 2)),))
        for row in rows:
            (found,) = (
                Memory({table: [row]}).evaluate(question, Weights(Weighing.L1, 1, 1, 0)).tolist()
            )
            value = row[column.name]
            if isnan(value) or (column is AMOUNT and abs(value) == float("inf")):
                assert sum(found) == 0
                continue
            assert sum(found) == 1
            low, high = grid.ends(found.index(1))
            held = min(max(value, -3.0), 50.0) if column is HELD else value
            outermost = found.index(1) in (0, grid.count - 1)
            assert (
                low <= F(held) <= high or (outermost and column is AMOUNT) or abs(held) <= 2.0**-64
            )


def test_the_greatest_value_lies_in_the_last_cell_and_the_least_in_the_first():
    for column, ends in ((HELD, (-3.0, 50.0)), (AGE, (-7, 90))):
        measure = rank_measure(Field(column), F(1, 2))
        table = Table("visits", (column,), unit=None)
        for end, place in zip(ends, (0, -1), strict=True):
            engine = Memory({table: [{column.name: end}]})
            (found,) = engine.evaluate(
                Question(Scan(table), (), (measure,)), Weights(Weighing.L1, 1, 1, 0)
            ).tolist()
            assert found[place] == 1
            low, high = measure.grid.ends(len(found) - 1 if place else 0)
            assert low <= F(end) <= high
