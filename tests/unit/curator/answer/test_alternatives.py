"""How sure each figure of an expression must be: by the branch of a CASE that keys choose, not by all of them."""

from tacit.curator.answer.divide_confidence import alternatives_of, confidence_of_each
from tacit.plan import Arithmetic, Case, Compared, KeyOf, Kind, Literal, MeasureOf

ONE, TWO, THREE = (MeasureOf(place) for place in range(3))
BY_KEY = Compared("=", KeyOf(0), Literal(0, Kind.INTEGER))
BY_NOISE = Compared(">", THREE, Literal(0, Kind.INTEGER))


def test_one_branch_is_looked_at_where_keys_choose():
    chosen = Case(((BY_KEY, ONE),), TWO)
    assert alternatives_of(chosen) == [{ONE}, {TWO}]
    assert confidence_of_each(alternatives_of(chosen), 0.95) == confidence_of_each(
        alternatives_of(ONE), 0.95
    )


def test_all_branches_are_looked_at_where_noise_chooses():
    chosen = Case(((BY_NOISE, ONE),), TWO)
    assert alternatives_of(chosen) == [{ONE, TWO, THREE}]
    assert confidence_of_each(alternatives_of(chosen), 0.95) > confidence_of_each(
        alternatives_of(ONE), 0.95
    )


def test_what_stands_beside_a_choice_is_looked_at_in_every_branch():
    both = Arithmetic("+", Case(((BY_KEY, ONE),), TWO), THREE)
    assert alternatives_of(both) == [{ONE, THREE}, {TWO, THREE}]


def test_too_many_branches_are_taken_together():
    chosen = Case(((BY_KEY, ONE),), TWO)
    many = chosen
    for place in range(12):
        each = Case(((BY_KEY, MeasureOf(10 + 2 * place)),), MeasureOf(11 + 2 * place))
        many = Arithmetic("+", many, each)
    assert 1 < len(alternatives_of(many)) <= 256
    assert all(len(each) > 13 for each in alternatives_of(many)), "more than one of each pair"


def test_what_is_looked_at_least_does_not_decide():
    chosen = Case(((BY_KEY, Arithmetic("+", ONE, TWO)),), THREE)
    assert confidence_of_each(alternatives_of(chosen), 0.95) == confidence_of_each(
        alternatives_of(Arithmetic("+", ONE, TWO)), 0.95
    )
