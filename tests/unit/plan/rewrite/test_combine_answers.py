"""Several answers as one plan: places of keys and measures stay with what they mean."""

from fractions import Fraction

from tacit.plan import (
    AnswerOf,
    Column,
    Counted,
    Field,
    JoinedAnswers,
    Key,
    KeyOf,
    Kind,
    MeanOf,
    MeasureOf,
    Question,
    Ranked,
    Scan,
    Shown,
    StackedAnswers,
    Summed,
    Table,
    View,
    combine_questions,
    read_asked,
)
from tacit.plan.model.combined_answers import most_pairs, most_rows
from tacit.plan.rewrite.combine_answers import merge_parts
from tests.unit.plan.cases import TABLES

WARD = Column("ward", Kind.TEXT, values=("A", "B", "C"))
AGE = Column("age", Kind.INTEGER, 0, 1)
VISITS = Scan(Table("visits", (WARD, AGE), unit="patient"))
KEYS = Key(Field(WARD), WARD.values), Key(Field(AGE), (0, 1))
AGES = Summed(Field(AGE), Fraction(1), 0, 1)
TOTAL = Question(VISITS, (), (Counted(), AGES))
BY_BOTH = Question(VISITS, KEYS, (AGES, Counted()))


def test_measures_that_are_left_out_move_the_places_of_others():
    answers = JoinedAnswers(AnswerOf(0, (), (0, 1)), AnswerOf(1, (1, 0), (0, 1)))
    view = View((Shown("age", KeyOf(0)), Shown("s", MeasureOf(1)), Shown("n", MeasureOf(3))))
    plan = merge_parts(answers, [TOTAL, BY_BOTH], view)
    total, both = plan.answers.left, plan.answers.right
    assert plan.parts[total.part].question.measures == (AGES,)
    assert plan.parts[both.part].question.measures == (Counted(),)
    assert [shown.value for shown in plan.plan.view.columns] == [
        KeyOf(0),
        MeasureOf(0),
        MeasureOf(1),
    ]
    keys = plan.parts[both.part].question.keys
    assert [keys[place].value.column.name for place in both.keys] == ["age", "ward"]
    assert plan.plan.question.measures == (AGES, Counted())


def test_parts_about_the_same_groups_are_one():
    turned = Question(VISITS, KEYS[::-1], (Counted(), AGES))
    answers = JoinedAnswers(AnswerOf(0, (0, 1), (1,)), AnswerOf(1, (0, 1), (1,)))
    view = View((Shown("n", MeasureOf(0)), Shown("m", MeanOf(1, 0))))
    plan = merge_parts(answers, [BY_BOTH, turned], view)
    assert len(plan.parts) == 1
    assert len(plan.parts[0].question.measures) == 2
    assert plan.plan.question.measures == (Counted(), AGES)
    assert plan.plan.view == view


def test_a_part_that_is_there_for_its_keys_counts():
    answers = JoinedAnswers(AnswerOf(0, (0, 1), (0, 1)), AnswerOf(1, (), (0,)))
    plan = merge_parts(answers, [BY_BOTH, TOTAL], View((Shown("n", MeasureOf(2)),)))
    assert plan.answers.left.measures == ()
    assert plan.parts[plan.answers.left.part].question.measures == (Counted(),)


def test_measures_know_which_others_are_of_the_same_rows():
    """A count of one answer says nothing about how many rows a sum of another added up."""
    answers = JoinedAnswers(AnswerOf(0, (), (0,)), AnswerOf(1, (0, 1), (0, 1)))
    found = combine_questions(answers, [TOTAL, BY_BOTH])
    assert list(found.places_beside(0)) == [0]
    assert list(found.places_beside(1)) == list(found.places_beside(2)) == [1, 2]


def test_outer_joins_and_branches_may_miss_numbers():
    one, two = AnswerOf(0, (), (0,)), AnswerOf(1, (0,), (1,))
    inner = combine_questions(JoinedAnswers(one, two), [TOTAL, BY_BOTH])
    left = combine_questions(JoinedAnswers(one, two, keep_left=True), [TOTAL, BY_BOTH])
    full = combine_questions(JoinedAnswers(one, two, (), True, True), [TOTAL, BY_BOTH])
    stacked = combine_questions(StackedAnswers((one, two)), [TOTAL, BY_BOTH])
    assert [each.missing for each in (inner, left, full, stacked)] == [
        frozenset(),
        {1},
        {0, 1},
        {0, 1},
    ]
    assert [key.null for key in left.keys] == [True]
    assert [key.null for key in stacked.keys] == [False, True]
    assert not inner.may_be_missing(1)


def test_how_many_rows_answers_have_is_known_beforehand():
    questions = [TOTAL, BY_BOTH]
    both, total = AnswerOf(1, (0, 1), (0,)), AnswerOf(0, (), (0,))
    all_keys = ((KeyOf(0), KeyOf(0)), (KeyOf(1), KeyOf(1)))
    assert most_rows(JoinedAnswers(both, total), questions) == 6
    assert most_rows(JoinedAnswers(both, both, all_keys), questions) == 6
    assert most_rows(JoinedAnswers(both, both, all_keys, True, True), questions) == 12
    assert most_rows(JoinedAnswers(both, both, all_keys[:1]), questions) == 36
    assert most_rows(StackedAnswers((both, total)), questions) == 7
    assert most_pairs(JoinedAnswers(both, both, all_keys), questions) == 1
    assert most_pairs(JoinedAnswers(both, both, all_keys[:1]), questions) == 36


def test_quantiles_are_parts_like_others():
    text = "SELECT MEDIAN(age) AS m, (SELECT COUNT(*) FROM visits WHERE age > 3) AS n FROM visits"
    plan = read_asked(text, TABLES)[0]
    kinds = {type(measure) for part in plan.parts for measure in part.question.measures}
    assert kinds == {Ranked, Counted}
