"""Different values are counted so that no unit moves the count further than claimed, the same in every engine."""

from datetime import date, datetime
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from tacit.engines import DuckDB, Memory
from tacit.plan import (
    Case,
    Column,
    Compared,
    Distinct,
    Field,
    Key,
    Kind,
    Literal,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
)
from tacit.privacy import Neighbours, root_at_least
from tacit.stability import sensitivity_of, weights_for

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
TEST = Column("test", Kind.INTEGER)
TESTS = Table("tests", (WARD, TEST), unit="person")
ROWS = Table("tests", (WARD, TEST))
BY_WARD = (Key(Field(WARD), ("A", "B")),)
PAIRS = [(ward, test) for ward in "AB" for test in (1, 2, 3)]
EVERY_UNIT = [
    list(chosen) for size in range(len(PAIRS) + 1) for chosen in combinations(PAIRS, size)
]
OTHERS = [[], [("A", 1)], [("A", 1), ("A", 2), ("B", 3)], PAIRS]

both_relations = pytest.mark.parametrize(
    "neighbours", list(Neighbours), ids=lambda neighbours: neighbours.value
)
both_norms = pytest.mark.parametrize("norm", list(Weighing), ids=lambda norm: norm.value)


def rows_of(person: str, pairs: list[tuple[str, int]]) -> list[dict[str, Any]]:
    return [{"person": person, "ward": ward, "test": test} for ward, test in pairs]


def length(one: tuple[int, ...], other: tuple[int, ...], norm: Weighing) -> Fraction:
    moves = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return (
        Fraction(sum(moves))
        if norm is Weighing.L1
        else root_at_least(Fraction(sum(move**2 for move in moves)))
    )


@both_relations
@both_norms
@pytest.mark.parametrize("keys", [(), BY_WARD], ids=["one group", "two groups"])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_among_all_units_none_moves_the_count_further_than_claimed_and_some_do_as_far(
    neighbours, norm, keys, most
):
    question = Question(Scan(TESTS), keys, (Distinct(Field(TEST)),))
    weights = weights_for(question, most, norm)
    (claim,) = sensitivity_of(question, weights, neighbours)
    furthest = Fraction(0)
    for others in OTHERS:
        rest = rows_of("eve", others)
        found = {
            tuple(
                Memory({TESTS: rest + rows_of("bob", own)})
                .evaluate(question, weights)[:, 0]
                .tolist()
            )
            for own in EVERY_UNIT
        }
        without = tuple(Memory({TESTS: rest}).evaluate(question, weights)[:, 0].tolist())
        pairs = (
            product(found, found) if neighbours is Neighbours.REPLACE else product(found, [without])
        )
        furthest = max(furthest, *(length(one, other, norm) for one, other in pairs))
    assert furthest <= claim.bound
    assert furthest >= claim.bound * Fraction(99, 100)


@both_relations
@both_norms
def test_a_row_that_is_a_unit_moves_the_count_by_one(neighbours, norm):
    question = Question(Scan(ROWS), BY_WARD, (Distinct(Field(TEST)),))
    weights = weights_for(question, 1, norm)
    (claim,) = sensitivity_of(question, weights, neighbours)
    one = [{"ward": ward, "test": test} for ward, test in PAIRS]
    found = {
        tuple(Memory({ROWS: rows}).evaluate(question, weights)[:, 0].tolist())
        for rows in (one, one[1:])
    }
    assert found == {(3, 3), (2, 3)}
    swapped = [*one[1:], {"ward": "B", "test": 9}]
    other = tuple(Memory({ROWS: swapped}).evaluate(question, weights)[:, 0].tolist())
    assert length((3, 3), other, norm) == (2 if norm is Weighing.L1 else root_at_least(Fraction(2)))
    assert (neighbours is Neighbours.REPLACE) == (claim.bound >= length((3, 3), other, norm))


KINDS: dict[Kind, list[Any]] = {
    Kind.BOOLEAN: [True, False, None],
    Kind.INTEGER: [0, -1, 7, 2**40, None, -(2**63)],
    Kind.NUMBER: [0.0, -0.0, 0.1, 1e22, -1e-300, 3.0, None, float("nan"), 123456789.123],
    Kind.TEXT: ["", "a", "it's", "é", "7", None, "a b"],
    Kind.DATE: [date(1969, 12, 31), date(2024, 2, 29), None, date(1, 1, 1)],
    Kind.TIMESTAMP: [datetime(2024, 2, 29, 1, 2, 3, 4), datetime(1969, 12, 31), None],  # noqa: DTZ001
}


@pytest.mark.parametrize("kind", list(KINDS), ids=lambda kind: kind.value)
def test_engines_choose_the_same_values_of_every_kind(kind):
    value = Column("value", kind)
    table = Table("things", (WARD, value), unit="who")
    some = Case(
        ((Compared("=", Field(WARD), Literal("A", Kind.TEXT)), Literal(1, Kind.INTEGER)),),
        Literal(None, Kind.INTEGER),
    )
    measures = (Distinct(Field(value)), Units(some), Units(), Distinct(Field(WARD)))
    units = [0, 1, 2, 30, 31] if kind is Kind.DATE else ["ann", "bob", "é", "7", None]
    rows = [
        {"who": unit, "ward": "ABC"[(place + number) % 3], "value": cell}
        for number, unit in enumerate(units)
        for place, cell in enumerate(KINDS[kind] * 2)
        if (place + number) % 4
    ]
    for bound, keys in product([1, 2, 3, 9], [(), BY_WARD]):
        question = Question(Scan(table), keys, measures)
        weights = weights_for(question, bound, Weighing.L2)
        with DuckDB({table: rows}, threads=1) as engine:
            assert (
                engine.evaluate(question, weights).tolist()
                == Memory({table: rows}).evaluate(question, weights).tolist()
            )
            alone = Question(Scan(table), keys, measures[1:2])
            assert (
                engine.evaluate(alone, weights).tolist()
                == Memory({table: rows}).evaluate(alone, weights).tolist()
            )


def counted(table: Table, rows: list[dict[str, Any]], most: int) -> int:
    question = Question(Scan(table), (), (Distinct(Field(TEST)),))
    weights = weights_for(question, most, Weighing.L2)
    return int(Memory({table: rows}).evaluate(question, weights)[0, 0]) >> weights.bits


def test_nothing_is_lost_of_units_that_have_few_values_and_rows_that_repeat_them_change_nothing():
    rows = [row for person in "abcdef" for row in rows_of(person, [("A", ord(person)), ("B", 0)])]
    assert counted(TESTS, rows, 2) == 7
    assert counted(TESTS, rows * 5, 2) == 7
    assert counted(TESTS, rows, 1) == counted(TESTS, rows * 5, 1) < 7


def test_what_a_unit_brings_does_not_depend_on_others():
    many = [
        rows_of(person, [("A", 100 * number + test) for test in range(20)])
        for number, person in enumerate("abc")
    ]
    assert counted(TESTS, [row for rows in many for row in rows], 4) == 12
    with DuckDB({TESTS: [row for rows in many for row in reversed(rows)]}, threads=1) as engine:
        question = Question(Scan(TESTS), (), (Distinct(Field(TEST)),))
        assert engine.evaluate(question, weights_for(question, 4, Weighing.L1))[0, 0] >> 20 == 12


def test_units_with_the_same_values_bring_different_ones():
    rows = [
        row
        for person in range(40)
        for row in rows_of(f"p{person}", [("A", day) for day in range(7)])
    ]
    assert counted(TESTS, rows, 2) == 7  # which it misses with a probability below 7 (5/7)**40
