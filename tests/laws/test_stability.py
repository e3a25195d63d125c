"""The claimed sensitivity is never exceeded by neighbours that chase it, and is attained by some."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st

from tacit.engines.memory.engine import Memory
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
    centred_sum,
    count_measure,
    groups_of,
    read_sql,
    sum_measure,
)
from tacit.privacy import Neighbours, Sensitivity, root_at_least
from tacit.stability import sensitivity_of, weights_for

F = Fraction
WARDS = ("A", "B", "C")
Cells = list[dict[str, Any]]

COLUMNS = {
    "keep": Column("keep", Kind.BOOLEAN),
    "ward": Column("ward", Kind.TEXT, values=WARDS),
    "only": Column("only", Kind.INTEGER, values=(1,)),
    "severe": Column("severe", Kind.BOOLEAN, values=(True, False)),
    "upward": Column("upward", Kind.INTEGER, low=0, high=5000),
    "downward": Column("downward", Kind.INTEGER, low=-5000, high=0),
    "away": Column("away", Kind.INTEGER, low=3000, high=5000),
    "signed": Column("signed", Kind.INTEGER, low=-2000, high=5000),
    "odd": Column("odd", Kind.INTEGER, low=-1, high=4),
    "real": Column("real", Kind.NUMBER, low=F(-3, 2), high=F(5, 2)),
}
PERSONS = Table("visits", tuple(COLUMNS.values()), unit="person")
ROWS = replace(PERSONS, unit=None)
NUMBERS = ("upward", "downward", "away", "signed", "odd", "real")
MEASURES: dict[str, Measure] = {
    "count": Counted(),
    "count of a value": count_measure(Field(COLUMNS["real"])),
    "units": Units(),
    **{f"sum of {name}": sum_measure(Field(COLUMNS[name])) for name in NUMBERS},
    **{f"centred sum of {name}": centred_sum(Field(COLUMNS[name])) for name in NUMBERS},
}
KEYS = {
    1: (),
    "one value": (Key(Field(COLUMNS["only"]), (1,)),),
    3: (Key(Field(COLUMNS["ward"]), WARDS),),
    6: (Key(Field(COLUMNS["ward"]), WARDS), Key(Field(COLUMNS["severe"]), (True, False))),
}

both_relations = pytest.mark.parametrize(
    "neighbours", list(Neighbours), ids=lambda neighbours: neighbours.value
)
both_norms = pytest.mark.parametrize("norm", list(Weighing), ids=lambda norm: norm.value)


def rows_of(table: Table) -> Where:
    """The rows that are kept, so that a unit may be there and add nothing."""
    return Where(Scan(table), Compared("=", Field(COLUMNS["keep"]), Literal(True, Kind.BOOLEAN)))


def question_of(table: Table, groups: Any, *measures: Measure) -> Question:
    return Question(rows_of(table), KEYS[groups], measures)


def length_squared(moves: list[int], norm: Weighing) -> int:
    """The square of how far an answer moved, exactly."""
    return sum(map(abs, moves)) ** 2 if norm is Weighing.L1 else sum(move * move for move in moves)


def row(
    person: Any,
    ward: Any = "A",
    severe: Any = True,
    *,
    keep: Any = True,
    only: Any = 1,
    **numbers: Any,
) -> dict[str, Any]:
    """A row; numbers that are not given are NULL."""
    fixed = {"person": person, "ward": ward, "severe": severe, "keep": keep, "only": only}
    return fixed | dict.fromkeys(NUMBERS) | numbers


def answer_to(table: Table, question: Question, weights: Weights, rows: Cells) -> list[list[int]]:
    """For each measure, its number in every group."""
    found = Memory({table: rows}).evaluate(question, weights)
    return [[int(number) for number in column] for column in found.T]


def squares_between(one: list[list[int]], other: list[list[int]], norm: Weighing) -> list[int]:
    """For each measure, the square of how far two answers are apart."""
    return [
        length_squared([a - b for a, b in zip(first, second, strict=True)], norm)
        for first, second in zip(one, other, strict=True)
    ]


def squares_moved(
    table: Table, question: Question, weights: Weights, one: Cells, other: Cells
) -> list[int]:
    """For each measure, the square of how far the answers of two databases are apart."""
    answers = [answer_to(table, question, weights, rows) for rows in (one, other)]
    return squares_between(answers[0], answers[1], weights.norm)


# ---------------------------------------------------------------- never exceeded


def numbers_at(integer: Any, real: Any) -> dict[str, Any]:
    """A number for every column, each chosen by its column."""
    return {name: (real if name == "real" else integer)(COLUMNS[name]) for name in NUMBERS}


# Every measure looks at one number, so that all numbers of a row may be at the same end.
CELLS = [
    numbers_at(lambda column: column.low, lambda column: float(column.low)),
    numbers_at(lambda column: column.high, lambda column: float(column.high)),
    numbers_at(lambda column: column.low - 10**9, lambda _: float("-inf")),
    numbers_at(lambda column: column.high + 10**9, lambda _: float("inf")),
    numbers_at(lambda column: (column.low + column.high) // 2, lambda _: float("nan")),
    numbers_at(lambda _: None, lambda _: None),
]
PLACES = [
    *({"ward": ward, "severe": severe} for ward in WARDS for severe in (True, False)),
    *(
        {"ward": "elsewhere"},
        {"ward": None},
        {"keep": None},
        {"keep": False},
        {"only": 2},
        {"severe": None},
    ),
]


def blocks(person: Any, most: int = 15) -> Any:
    """Equal rows, as many as one likes, with every number at one of its ends."""
    return st.builds(
        lambda place, cells, times: [row(person, **place, **cells)] * times,
        st.sampled_from(PLACES),
        st.sampled_from(CELLS),
        st.sampled_from([1, 1, 2, 3, 7, most]),
    )


def units(person: Any) -> Any:
    """All rows of one unit: none, in one group, or in many."""
    return st.lists(blocks(person), max_size=4).map(
        lambda found: [each for block in found for each in block]
    )


@dataclass(frozen=True)
class Case:
    """Two neighbours, and what is asked of both."""

    table: Table
    question: Question
    contributions: int
    one: Cells
    other: Cells


@st.composite
def cases(draw: Any, neighbours: Neighbours) -> Case:
    table = draw(st.sampled_from([PERSONS, PERSONS, ROWS]))
    question = question_of(table, draw(st.sampled_from(list(KEYS))), *MEASURES.values())
    rest = [each for person in ("eve", None) for each in draw(units(person))]
    sizes = units("bob") if table.unit else blocks("bob").map(lambda found: found[:1])
    mine = draw(sizes)
    yours = draw(sizes) if neighbours is Neighbours.REPLACE else []
    contributions = draw(st.sampled_from([1, 2, 3, 10, 100]))
    return Case(table, question, contributions, rest + mine, yours + rest)


@both_relations
@both_norms
@settings(max_examples=90)
@given(data=st.data())
def test_no_neighbour_moves_an_answer_further_than_claimed(neighbours, norm, data):
    case = data.draw(cases(neighbours))
    weights = weights_for(case.question, case.contributions, norm)
    claims = sensitivity_of(case.question, weights, neighbours)
    moved = squares_moved(case.table, case.question, weights, case.one, case.other)
    shares = [square / claim.bound**2 for square, claim in zip(moved, claims, strict=True)]
    for name, share in zip(MEASURES, shares, strict=True):
        target(float(share), label=name)
    assert [name for name, share in zip(MEASURES, shares, strict=True) if share > 1] == []


@both_norms
@settings(max_examples=25)
@given(data=st.data())
def test_the_weight_of_a_unit_does_not_depend_on_other_units(norm, data):
    question = question_of(PERSONS, 6, *MEASURES.values())
    weights = weights_for(question, data.draw(st.sampled_from([1, 3, 10])), norm)
    eve, bob = data.draw(units("eve")), data.draw(units("bob"))
    alone = [Memory({PERSONS: rows}).evaluate(question, weights) for rows in (eve, bob)]
    assert (Memory({PERSONS: bob + eve}).evaluate(question, weights) == alone[0] + alone[1]).all()


@both_norms
@pytest.mark.parametrize("contributions", [1, 2, 10])
@settings(max_examples=20)
@given(data=st.data())
def test_a_unit_with_no_more_rows_than_the_bound_counts_in_full(norm, contributions, data):
    rows = data.draw(units("bob"))[:contributions]
    one_each = [each | {"person": number} for number, each in enumerate(rows)]
    for groups in (1, 3, 6):
        measures = [measure for measure in MEASURES.values() if not isinstance(measure, Units)]
        question = question_of(PERSONS, groups, *measures)
        weights = weights_for(question, contributions, norm)
        together, apart = (
            Memory({PERSONS: each}).evaluate(question, weights) for each in (rows, one_each)
        )
        assert (together == apart).all()


# ---------------------------------------------------------------- attained


def value_at(measure: Measure, *, high: bool) -> dict[str, Any]:
    """The number that brings a row to one end of a sum."""
    if not isinstance(measure, Summed):
        return {}
    assert isinstance(measure.value, Field)
    exact = (measure.high if high else measure.low) * measure.step
    return {
        measure.value.column.name: float(exact)
        if measure.value.column.kind is Kind.NUMBER
        else int(exact)
    }


def furthest(bound: int, table: Table) -> list[Cells]:
    """What a unit may be like that goes as far as it can: candidates, of which any two make neighbours."""
    ends = [
        {
            name: cell
            for measure in MEASURES.values()
            for name, cell in value_at(measure, high=high).items()
        }
        for high in (False, True)
    ]
    found: list[Cells] = [[]]
    found += [
        [row("bob", ward, **numbers)] * (bound if table.unit else 1)
        for numbers in ends
        for ward in WARDS
    ]
    if table.unit:
        every = [row("bob", ward, severe) for ward in WARDS for severe in (True, False)]
        found += [every, *([each for each in every if each["ward"] == ward] for ward in WARDS)]
        found += [[each for each in every if each["severe"] is severe] for severe in (True, False)]
        found += [unit for measure in MEASURES.values() for unit in skewed(measure, bound)]
    return found


def skewed(measure: Measure, bound: int) -> list[Cells]:
    """Units that add in one group and take away in another, in the proportion that goes furthest.

    If a row adds from -q to p, the best neighbours hold p and q parts of their norm in either: the old unit adds in A
    and takes away in B, and the new one the other way round.
    """
    if not isinstance(measure, Summed) or not measure.low < measure.centre < measure.high:
        return []
    p, q = measure.high - measure.centre, measure.centre - measure.low
    scale = 5 * bound / min(p, q) if max(p, q) < 6 * min(p, q) else 40 * bound / max(p, q)
    return [
        [row("bob", ward, **value_at(measure, high=True))] * round(scale * p)
        + [row("bob", other, **value_at(measure, high=False))] * round(scale * q)
        for ward, other in (("A", "B"), ("B", "A"))
    ]


def attained(
    table: Table, groups: Any, norm: Weighing, neighbours: Neighbours, bound: int
) -> dict[str, float]:
    """For each measure, the largest move among crafted neighbours over the claim."""
    question = question_of(table, groups, *MEASURES.values())
    weights = weights_for(question, bound, norm)
    claims = sensitivity_of(question, weights, neighbours)
    rest = [row("eve", "B", False, upward=1, odd=1)] * 3
    answers = [answer_to(table, question, weights, mine + rest) for mine in furthest(bound, table)]
    pairs = (
        product(answers, answers)
        if neighbours is Neighbours.REPLACE
        else product(answers, answers[:1])
    )
    most = [
        max(squares)
        for squares in zip(*(squares_between(*pair, norm) for pair in pairs), strict=True)
    ]
    assert all(square <= claim.bound**2 for square, claim in zip(most, claims, strict=True))
    shares = [
        float(root_at_least(F(square)) / claim.bound)
        for square, claim in zip(most, claims, strict=True)
    ]
    return dict(zip(MEASURES, shares, strict=True))


every_grouping = pytest.mark.parametrize("groups", list(KEYS), ids=str)


@both_relations
@both_norms
@every_grouping
@pytest.mark.parametrize("bound", [1, 10])
def test_persons_exist_who_move_an_answer_as_far_as_claimed(neighbours, norm, groups, bound):
    shares = attained(PERSONS, groups, norm, neighbours, bound)
    assert {name: share for name, share in shares.items() if share < 0.99} == {}


# A row is in one group: it cannot share out its two signs over several, as a person's rows can.
LOPSIDED = {"sum of signed", "sum of odd", "centred sum of odd", "sum of real"}


@both_relations
@both_norms
@every_grouping
def test_rows_exist_that_move_an_answer_as_far_as_claimed(neighbours, norm, groups):
    shares = attained(ROWS, groups, norm, neighbours, 1)
    assert {
        name: share for name, share in shares.items() if share < (0.9 if name in LOPSIDED else 0.99)
    } == {}


# ---------------------------------------------------------------- through the door


QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits WHERE keep",
    "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT person) AS p FROM visits WHERE keep GROUP BY ward",
    "SELECT ward, SUM(upward) AS s, AVG(signed) AS m FROM visits WHERE keep GROUP BY ward",
    "SELECT SUM(upward - 2 * signed) AS s, AVG(real * real - real) AS m FROM visits WHERE upward > away OR keep",
    "SELECT SUM(CASE WHEN ward = 'A' THEN odd ELSE -upward END) AS s FROM visits WHERE NOT (keep IS NULL)",
    "SELECT severe, AVG(upward / 2) AS m, SUM(signed % 7) AS r FROM visits WHERE ward LIKE 'A%' GROUP BY severe",
    "SELECT SUM(CAST(real AS INTEGER) * odd) AS s, COUNT(upward / (odd - 1)) AS c FROM visits",
]


@both_relations
@both_norms
@pytest.mark.parametrize("text", QUESTIONS, ids=range(len(QUESTIONS)))
@settings(max_examples=10)
@given(data=st.data())
def test_no_neighbour_moves_the_answer_to_a_text_further_than_claimed(neighbours, norm, text, data):
    table = (
        data.draw(st.sampled_from([PERSONS, PERSONS, ROWS])) if "DISTINCT" not in text else PERSONS
    )
    question = read(text, declared(table))
    case = data.draw(cases(neighbours))
    mine, yours = (case.one, case.other) if table.unit else (case.one, case.one[1:])
    if not table.unit and neighbours is Neighbours.REPLACE:
        yours = [*yours, row("bob", odd=4, real=-1.5)]
    weights = weights_for(question, case.contributions, norm)
    claims = sensitivity_of(question, weights, neighbours)
    moved = squares_moved(declared(table), question, weights, mine, yours)
    for place, (square, claim) in enumerate(zip(moved, claims, strict=True)):
        target(float(square / claim.bound**2), label=str(place))
        assert square <= claim.bound**2


@cache
def read(text: str, table: Table) -> Question:
    """The question that a text asks."""
    return read_sql(text, {"visits": table}).question


def declared(table: Table) -> Table:
    """The table with its unit's column, which a text may name."""
    return replace(table, columns=(*table.columns, Column("person", Kind.TEXT)))


def test_a_claim_is_about_all_groups_at_once():
    for groups in KEYS:
        question = question_of(PERSONS, groups, Counted(), Units())
        for claim in sensitivity_of(
            question, weights_for(question, 3, Weighing.L2), Neighbours.REPLACE
        ):
            assert isinstance(claim, Sensitivity)
            assert claim.dimension == groups_of(question)
