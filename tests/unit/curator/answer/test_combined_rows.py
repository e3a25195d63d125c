"""The rows that answers make together: how keys meet, and which numbers a row has."""

from dataclasses import replace

import pytest

from tacit.curator.answer.combined_rows import ReleasedPart, Row, combine_rows
from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.rounding_error import count_of_rows
from tacit.mechanisms import Laplace
from tacit.plan import (
    AnswerOf,
    Called,
    Column,
    Counted,
    Field,
    Function,
    JoinedAnswers,
    Key,
    KeyOf,
    Kind,
    Question,
    Scan,
    StackedAnswers,
    Summed,
    Table,
    combine_questions,
    read_asked,
)

WARD = Column("ward", Kind.TEXT)
COST = Column("cost", Kind.NUMBER, 0, 8)
VISITS = Table("visits", (WARD, COST), unit="patient")
KEY = Key(Field(WARD), None, null=True)


def part(*wards):
    """A part whose groups are these, numbered from one."""
    question = Question(Scan(VISITS), (KEY,), (Counted(),), tuple((ward,) for ward in wards))
    return ReleasedPart(question, tuple((number(at),) for at, _ in enumerate(wards, 1)))


def number(value):
    return Noisy(value, Laplace(1), 1)


def values(rows):
    return [
        (*row.keys, *(each if each is None else each.integer for each in row.numbers))
        for row in rows
    ]


LEFT, RIGHT = AnswerOf(0, (0,), (0,)), AnswerOf(1, (0,), (0,))
ON = ((KeyOf(0), KeyOf(0)),)


def test_rows_meet_on_equal_keys():
    found = combine_rows(JoinedAnswers(LEFT, RIGHT, ON), [part("A", "B"), part("B", "C", "A")])
    assert values(found) == [("A", "A", 1, 3), ("B", "B", 2, 1)]


def test_null_meets_nothing():
    found = combine_rows(JoinedAnswers(LEFT, RIGHT, ON), [part("A", None), part(None, "A")])
    assert values(found) == [("A", "A", 1, 2)]


def test_outer_joins_keep_rows_that_meet_none():
    parts = [part("A", "B"), part("B", "C")]
    left = combine_rows(JoinedAnswers(LEFT, RIGHT, ON, keep_left=True), parts)
    assert values(left) == [("A", None, 1, None), ("B", "B", 2, 1)]
    full = combine_rows(JoinedAnswers(LEFT, RIGHT, ON, True, True), parts)
    assert values(full) == [*values(left), (None, "C", None, 2)]


def test_rows_meet_on_what_is_computed_from_keys():
    lower = ((Called(Function.LOWER, (KeyOf(0),)), KeyOf(0)),)
    found = combine_rows(JoinedAnswers(LEFT, RIGHT, lower), [part("A"), part("a", "A")])
    assert values(found) == [("A", "a", 1, 1)]


def test_a_total_stands_beside_every_row():
    total = ReleasedPart(Question(Scan(VISITS), (), (Counted(),)), ((number(9),),))
    found = combine_rows(JoinedAnswers(LEFT, AnswerOf(1, (), (0,))), [part("A", "B"), total])
    assert values(found) == [("A", 1, 9), ("B", 2, 9)]
    assert found[0].numbers[1] is found[1].numbers[1], "it is one draw"


def test_stacked_rows_have_a_branch_and_nothing_of_others():
    found = combine_rows(StackedAnswers((LEFT, RIGHT)), [part("A"), part("B", "C")])
    assert values(found) == [
        (0, "A", None, 1, None),
        (1, None, "B", None, 1),
        (1, None, "C", None, 2),
    ]
    assert found[0] == Row((0, "A", None), (number(1), None))


def test_public_keys_come_in_the_order_in_which_they_are_named():
    sexes, ages = (
        Column("sex", Kind.TEXT, values=("m", "f")),
        Column("age", Kind.INTEGER, values=(1, 2)),
    )
    keys = tuple(Key(Field(column), column.values) for column in (ages, sexes))
    question = Question(Scan(Table("t", (sexes, ages))), keys, (Counted(),))
    numbers = tuple((number(at),) for at in range(4))
    found = combine_rows(AnswerOf(0, (1, 0), (0,)), [ReleasedPart(question, numbers)])
    assert values(found) == [("m", 1, 0), ("m", 2, 2), ("f", 1, 1), ("f", 2, 3)]


def test_a_sum_is_rounded_by_a_count_of_its_own_rows():
    total = Question(Scan(VISITS), (), (Summed(Field(COST), 1, 0, 8), Counted()))
    other = Question(Scan(VISITS), (KEY,), (Counted(),))
    beside = JoinedAnswers(AnswerOf(1, (0,), (0,)), AnswerOf(0, (), (0, 1)))
    assert count_of_rows(combine_questions(beside, [total, other]), 1) == 2
    alone = JoinedAnswers(AnswerOf(1, (0,), (0,)), AnswerOf(0, (), (0,)))
    assert count_of_rows(combine_questions(alone, [total, other]), 1) is None


@pytest.mark.parametrize("delta", [True, False])
def test_a_full_join_shows_the_key_of_the_side_that_has_it(delta):
    by_ward = "SELECT ward, COUNT(*) AS {} FROM visits {} GROUP BY ward"
    table = Table(
        "visits",
        (Column("ward", Kind.TEXT, values=None if delta else ("A", "B")), COST),
        unit="patient",
    )
    text = (
        f"SELECT ward, n, m FROM ({by_ward.format('n', '')}) a FULL JOIN "
        f"({by_ward.format('m', 'WHERE cost > 1')}) b USING (ward)"
    )
    plan = read_asked(text, {"visits": table}, finding=delta)[0]
    shown = plan.plan.view.columns[0].value
    assert shown == Called(Function.COALESCE, (KeyOf(0), KeyOf(1)))


@pytest.mark.parametrize(("is_made_up", "rows"), [(False, 4**6), (True, 64)])
def test_joins_of_made_up_answers_are_short(is_made_up, rows):
    """Several groups of a made-up answer have the same keys; of a real one they differ."""
    same = replace(part("A", "A", "A", "A"), is_made_up=is_made_up)
    answers = AnswerOf(0, (0,), (0,))
    for _ in range(5):
        answers = JoinedAnswers(answers, AnswerOf(0, (0,), (0,)), ON)
    assert len(combine_rows(answers, [same])) == rows
