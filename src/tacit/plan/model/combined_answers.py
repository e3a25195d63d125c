"""Several answers read as one table: joined on their keys or stacked, with one view over all of them.

Each part is a question of its own, paid for and released like any other; what is made of the releases is free.

Checked by: tests/unit/plan/rewrite/test_combine_answers.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression, Field, KeyOf, SubqueryValue, walk_expression
from tacit.plan.model.nodes import Key, Measure, Plan, Question, View, groups_of
from tacit.plan.model.schema import Column, KeyValue, Kind
from tacit.plan.model.walk_expressions import list_expressions

__all__ = [
    "AnswerOf",
    "Answers",
    "CombinedPlan",
    "CombinedQuestion",
    "JoinedAnswers",
    "ReadAnswers",
    "StackedAnswers",
    "SubqueryAnswer",
    "answer_of",
    "combine_questions",
    "leaves_of",
    "most_pairs",
    "most_rows",
    "order_parts",
    "parts_of_constants",
    "stack_answers",
    "subqueries_in",
    "subqueries_of_view",
]


@frozen
class AnswerOf:
    """The groups of a part: which of its keys, and which of its measures, in this order."""

    part: int
    keys: tuple[int, ...]
    measures: tuple[int, ...]


@frozen
class JoinedAnswers:
    """Every pair of a row on the left and one on the right for which all of `on` are equal; NULL is equal to nothing.

    Keys and measures are those of the left, then those of the right.  The first of each pair in `on` is about the keys
    of the left, the second about those of the right.  With `keep_left`, a row of the left that meets none is there once
    with NULL for what is on the right, and so for `keep_right`.
    """

    left: Answers
    right: Answers
    on: tuple[tuple[Expression, Expression], ...] = ()
    keep_left: bool = False
    keep_right: bool = False


@frozen
class StackedAnswers:
    """The rows of all branches, one below the other.

    The first key is the number of the branch, from 0.  Keys and measures are those of all branches, one after the
    other; a row has NULL for those of others.
    """

    branches: tuple[Answers, ...]


Answers = AnswerOf | JoinedAnswers | StackedAnswers
"""How the groups of parts become the rows of one table."""


@frozen
class CombinedQuestion(Question):
    """What the rows of several answers look like: keys and measures of all of them, side by side.

    It is never asked: rows are made of what its parts released, and `found` says their keys.  `sizes` are the numbers
    of measures of the answers, in their order; `missing` are the places of measures that a row may not have.
    """

    sizes: tuple[int, ...] = ()
    missing: frozenset[int] = frozenset()

    @property
    def groups(self) -> Iterator[tuple[KeyValue, ...]]:
        """The keys of every row."""
        return iter(((),) if self.found is None else self.found)

    def places_beside(self, place: int) -> range:
        """The places of what was measured of the same rows in the same groups as a measure."""
        start = 0
        for size in self.sizes:
            if place < start + size:
                return range(start, start + size)
            start += size
        raise AssertionError("every measure belongs to an answer")

    def may_be_missing(self, place: int) -> bool:
        """Whether a row may have nothing at the place of a measure."""
        return place in self.missing


@frozen
class SubqueryAnswer:
    """A subquery whose answer is a constant of other parts: how parts become its rows, the view of them, which row.

    The constant is the view's first column, held between the bounds of `column`; it is NULL if there is no such row.
    """

    answers: Answers
    plan: Plan
    column: Column
    row: int = 0


@frozen
class CombinedPlan:
    """Several questions, how their answers become one table, and the view of that table.

    `plan` is the view, over a `CombinedQuestion`.  `subqueries` are constants that some parts or the view compare with,
    each made of what other parts release: those are released before a part that compares with it.
    """

    parts: tuple[Plan, ...]
    answers: Answers
    plan: Plan
    subqueries: tuple[SubqueryAnswer, ...] = ()


@frozen
class ReadAnswers:
    """Answers while a question around them is read, and the questions that they name by their places."""

    answers: Answers
    questions: tuple[Question, ...]

    @property
    def question(self) -> CombinedQuestion:
        """What their rows look like."""
        return combine_questions(self.answers, self.questions)

    def beside(self, question: Question) -> ReadAnswers:
        """These, and the groups of another question: every row of the ones with every row of the others."""
        own = answer_of(question)
        return self.joined(own)

    def joined(
        self,
        other: ReadAnswers,
        on: tuple[tuple[Expression, Expression], ...] = (),
        *,
        keep_left: bool = False,
        keep_right: bool = False,
    ) -> ReadAnswers:
        """These and others, joined on their keys."""
        right = _shift_parts(other.answers, len(self.questions))
        return ReadAnswers(
            JoinedAnswers(self.answers, right, on, keep_left, keep_right),
            (*self.questions, *other.questions),
        )


def subqueries_in(question: Question) -> frozenset[int]:
    """The places of subqueries that a question compares with."""
    return frozenset(
        part.place
        for expression in list_expressions(question)
        for part in walk_expression(expression)
        if isinstance(part, SubqueryValue)
    )


def subqueries_of_view(view: View) -> frozenset[int]:
    """The places of subqueries that a view compares with."""
    ends = [each for each in (view.having, view.qualify) if each is not None]
    roots = [*(each.value for each in view.columns), *(each.value for each in view.order), *ends]
    return frozenset(
        part.place
        for root in roots
        for part in walk_expression(root)
        if isinstance(part, SubqueryValue)
    )


def parts_of_constants(plan: CombinedPlan) -> list[frozenset[int]]:
    """The parts that each constant of a plan is made of, also by way of other constants, which come before it."""
    found: list[frozenset[int]] = []
    for each in plan.subqueries:
        own = frozenset(leaf.part for leaf in leaves_of(each.answers))
        others = [found[place] for place in subqueries_of_view(each.plan.view)]
        found.append(own.union(*others))
    return found


def order_parts(plan: CombinedPlan) -> list[int]:
    """The places of all parts, each after those that its subqueries are made of.

    >>> from tacit.plan import Counted, Scan, Table, View
    >>> visits = Question(Scan(Table("visits", ())), (), (Counted(),))
    >>> order_parts(CombinedPlan((Plan(visits, View(())),), AnswerOf(0, (), (0,)), Plan(visits, View(()))))
    [0]
    """
    needed = [subqueries_in(part.question) for part in plan.parts]
    made_of = parts_of_constants(plan)
    found: list[int] = []
    left = list(range(len(plan.parts)))
    while left:
        ready = [at for at in left if all(made_of[each] <= set(found) for each in needed[at])]
        assert ready, "no subquery is made of itself"
        found += ready
        left = [at for at in left if at not in ready]
    return found


def answer_of(question: Question) -> ReadAnswers:
    """The groups of a question, with all keys and measures in their order."""
    keys, measures = range(len(question.keys)), range(len(question.measures))
    return ReadAnswers(AnswerOf(0, tuple(keys), tuple(measures)), (question,))


def stack_answers(branches: Sequence[ReadAnswers]) -> ReadAnswers:
    """The rows of all of them, one below the other."""
    shifted: list[Answers] = []
    questions: list[Question] = []
    for branch in branches:
        shifted.append(_shift_parts(branch.answers, len(questions)))
        questions += branch.questions
    return ReadAnswers(StackedAnswers(tuple(shifted)), tuple(questions))


def _shift_parts(answers: Answers, by: int) -> Answers:
    match answers:
        case AnswerOf(part, keys, measures):
            return AnswerOf(part + by, keys, measures)
        case JoinedAnswers(left, right, on, keep_left, keep_right):
            return JoinedAnswers(
                _shift_parts(left, by), _shift_parts(right, by), on, keep_left, keep_right
            )
        case StackedAnswers(branches):
            return StackedAnswers(tuple(_shift_parts(branch, by) for branch in branches))
        case _:
            assert_never(answers)


def most_rows(answers: Answers, questions: Sequence[Question]) -> int:
    """The most rows that answers can have, whatever is released.

    >>> from tacit.plan import Counted, Scan, Table
    >>> most_rows(AnswerOf(0, (), (0,)), [Question(Scan(Table("visits", ())), (), (Counted(),))])
    1
    """
    match answers:
        case AnswerOf(part):
            return groups_of(questions[part])
        case JoinedAnswers(left, right, on, keep_left, keep_right):
            one, two = most_rows(left, questions), most_rows(right, questions)
            if _is_unique(right, questions, [value for _, value in on]):
                return one + two * keep_right
            if _is_unique(left, questions, [value for value, _ in on]):
                return two + one * keep_left
            return one * two + one * keep_left + two * keep_right
        case StackedAnswers(branches):
            return sum(most_rows(branch, questions) for branch in branches)
        case _:
            assert_never(answers)


def most_pairs(answers: Answers, questions: Sequence[Question]) -> int:
    """The most pairs of rows of which a join chooses, unless each row of one side meets at most one of the other."""
    match answers:
        case AnswerOf():
            return 1
        case JoinedAnswers(left, right, on):
            inside = max(most_pairs(left, questions), most_pairs(right, questions))
            unique = _is_unique(right, questions, [value for _, value in on]) or _is_unique(
                left, questions, [value for value, _ in on]
            )
            pairs = most_rows(left, questions) * most_rows(right, questions)
            return inside if unique else max(inside, pairs)
        case StackedAnswers(branches):
            return max(most_pairs(branch, questions) for branch in branches)
        case _:
            assert_never(answers)


def _is_unique(answers: Answers, questions: Sequence[Question], on: Sequence[Expression]) -> bool:
    """Whether at most one row has given values of `on`: all its keys are among them, and no two rows share those."""
    if not isinstance(answers, AnswerOf):
        return False
    shown = {answers.keys[value.place] for value in on if isinstance(value, KeyOf)}
    return shown == set(range(len(questions[answers.part].keys)))


def leaves_of(answers: Answers) -> Iterator[AnswerOf]:
    """The answers of parts, from left to right.

    >>> list(leaves_of(JoinedAnswers(AnswerOf(0, (), (0,)), AnswerOf(1, (), ())))) == [
    ...     AnswerOf(0, (), (0,)),
    ...     AnswerOf(1, (), ()),
    ... ]
    True
    """
    match answers:
        case AnswerOf():
            yield answers
        case JoinedAnswers(left, right):
            yield from leaves_of(left)
            yield from leaves_of(right)
        case StackedAnswers(branches):
            for branch in branches:
                yield from leaves_of(branch)
        case _:
            assert_never(answers)


def combine_questions(answers: Answers, questions: Sequence[Question]) -> CombinedQuestion:
    """What the rows look like that answers make of the groups of some questions.

    >>> from tacit.plan import Counted, Scan, Table
    >>> visits = Question(Scan(Table("visits", ())), (), (Counted(),))
    >>> both = JoinedAnswers(AnswerOf(0, (), (0,)), AnswerOf(0, (), (0,)), keep_left=True)
    >>> combine_questions(both, [visits]).missing
    frozenset({1})
    """
    keys, measures, missing = _describe(answers, questions)
    sizes = tuple(len(leaf.measures) for leaf in leaves_of(answers))
    return CombinedQuestion(
        questions[0].rows, tuple(keys), tuple(measures), None, sizes, frozenset(missing)
    )


def _describe(
    answers: Answers, questions: Sequence[Question]
) -> tuple[list[Key], list[Measure], set[int]]:
    """Keys and measures of rows, and the places of measures that one of them may not have."""
    match answers:
        case AnswerOf(part, keys, measures):
            asked = questions[part]
            found = [asked.keys[place] for place in keys]
            return (
                [Key(key.value, None, key.null) for key in found],
                [asked.measures[place] for place in measures],
                set(),
            )
        case JoinedAnswers(left, right, _, keep_left, keep_right):
            one = _describe(left, questions)
            two = _describe(right, questions)
            if keep_right:
                one = _without_some(one)
            if keep_left:
                two = _without_some(two)
            return _side_by_side([one, two])
        case StackedAnswers(branches):
            parts = [_without_some(_describe(branch, questions)) for branch in branches]
            rest, side_by_side, missing = _side_by_side(parts)
            number = Field(Column("branch", Kind.INTEGER, 0, len(branches) - 1))
            return [Key(number, None), *rest], side_by_side, missing
        case _:
            assert_never(answers)


_Described = tuple[list[Key], list[Measure], set[int]]


def _without_some(described: _Described) -> _Described:
    keys, measures, _ = described
    return [Key(key.value, None, True) for key in keys], measures, set(range(len(measures)))


def _side_by_side(parts: Sequence[_Described]) -> _Described:
    keys: list[Key] = []
    measures: list[Measure] = []
    missing: set[int] = set()
    for more_keys, more_measures, more_missing in parts:
        missing |= {place + len(measures) for place in more_missing}
        keys += more_keys
        measures += more_measures
    return keys, measures, missing
