"""Laws of the sparse vector: the correct forms keep their claim on all neighbours, the four broken ones do not.

The numbers are those of Lyu, Su and Li (2017), Figure 1: algorithms 1 and 2 are private, 3 to 6 are not.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.audit import verify
from tacit.exact import Ball, ball, hull, lower, upper, working
from tacit.mechanisms import AboveThreshold, LaplaceLaw
from tacit.privacy import Neighbours, Sensitivity
from tests.laws.every_mechanism import both_relations

F = Fraction
EPSILON = F(2)
FAR = 70  # e**-70 is 4e-31
QUESTIONS = 4
# What one row adds to each of the questions that are asked, one after the other; values all move by at most one.
EITHER_WAY = ((1, 1, -1, -1), (-1, -1, 1, 1), (0, 0, 0, 0))
ONE_WAY = ((1, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1))


def values(rows) -> list[int]:
    """The answers to all questions."""
    return [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * QUESTIONS


def noise(scale: Fraction) -> Iterator[tuple[int, Ball]]:
    """Laplace noise from its definition, as far as it matters."""
    reach = int(FAR * scale) + 1
    return ((place, LaplaceLaw(scale).mass(place)) for place in range(-reach, reach + 1))


def law(asked, threshold_scale, value_scale, count, *, refresh=False, told=None):
    """The law of the answers, straight from the pseudocode of the paper.

    `value_scale` None is no noise at all; with `refresh` the threshold gets new noise after each yes; with `told`, two
    numbers, the compared value itself is told, clamped to them.
    """

    no = False if told is None else None  # a number may equal False
    tail = cache(lambda start: LaplaceLaw(value_scale).tail(start))

    def above(value: int, line: int) -> dict[object, Ball]:
        if value_scale is None:
            return {True: ball(1)} if value >= line else {}
        if told is None:
            return {True: tail(line - value)}
        low, high = told
        least = max(low, line)
        if least >= high:
            return {high: tail(line - value)}
        chances = {
            number: LaplaceLaw(value_scale).mass(number - value)
            for number in range(least + 1, high)
        }
        return chances | {
            least: tail(line - value) - tail(least + 1 - value),
            high: tail(high - value),
        }

    def answers(place: int, left: int, line: int) -> dict[tuple[object, ...], Ball]:
        if place == len(asked) or not left:
            return {(): ball(1)}
        yes = above(asked[place], line)
        found = {
            (no, *rest): (1 - sum(yes.values(), ball(0))) * p
            for rest, p in answers(place + 1, left, line).items()
        }
        after = fresh(place + 1, left - 1) if refresh else answers(place + 1, left - 1, line)
        return found | {(one, *rest): p * q for one, p in yes.items() for rest, q in after.items()}

    def fresh(place: int, left: int) -> dict[tuple[object, ...], Ball]:
        if (place, left) not in known:
            sums: dict[tuple[object, ...], Ball] = {}
            for line, chance in noise(threshold_scale):
                for outcome, p in answers(place, left, line).items():
                    sums[outcome] = sums.get(outcome, ball(0)) + chance * p
            known[place, left] = sums
        return known[place, left]

    known: dict[tuple[int, int], dict[tuple[object, ...], Ball]] = {}
    left_out = hull(ball(0), ball(F(1, 2**98)))
    return {outcome: p + left_out for outcome, p in fresh(0, count).items() if not p.is_zero()}


@both_relations
@pytest.mark.parametrize("count", [1, 2])
def test_the_mechanism_keeps_its_claim_on_every_pair_of_neighbours(count, neighbours):
    sensitivity = Sensitivity(
        1 if neighbours is Neighbours.ADD_OR_REMOVE else 2, neighbours=neighbours
    )
    mechanism = AboveThreshold.calibrate(EPSILON, sensitivity, count)
    report = verify(lambda rows: mechanism.distribution(values(rows), 1), EITHER_WAY, 1, neighbours)
    assert mechanism.loss(sensitivity).epsilon == EPSILON
    assert report.holds(EPSILON)


@pytest.mark.parametrize("count", [1, 2])
def test_monotone_values_cost_half_as_much_each(count):
    mechanism = AboveThreshold.calibrate(EPSILON, 1, count, monotone=True)
    report = verify(
        lambda rows: mechanism.distribution(values(rows), 1),
        ONE_WAY,
        2,
        Neighbours.ADD_OR_REMOVE,
        ordered=False,
    )
    general = AboveThreshold.calibrate(EPSILON, 1, count)
    assert report.holds(EPSILON)
    assert mechanism.value_scale < general.value_scale


def test_monotone_noise_does_not_do_for_values_that_move_both_ways():
    mechanism = AboveThreshold(2, F(1), count=2, monotone=True)
    report = verify(
        lambda rows: mechanism.distribution(values(rows), 1),
        EITHER_WAY,
        1,
        Neighbours.ADD_OR_REMOVE,
    )
    assert not report.holds(mechanism.loss(1).epsilon)


def test_the_claim_is_attained_to_a_hundredth_by_many_noes_before_a_yes():
    mechanism = AboveThreshold(1, 4)
    asked = {1: [0] * 11 + [1], 0: [1] * 11 + [0]}
    report = verify(
        lambda rows: mechanism.distribution(asked[rows[0]], -20), (0, 1), 1, Neighbours.REPLACE
    )
    claimed = mechanism.loss(1).epsilon
    assert report.holds(claimed)
    assert report.epsilon().low >= F(99, 100) * claimed


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_numbers_are_paid_for_and_never_those_that_were_compared(neighbours):
    sensitivity = Sensitivity(
        1 if neighbours is Neighbours.ADD_OR_REMOVE else 2, neighbours=neighbours
    )
    mechanism = AboveThreshold.calibrate(EPSILON, sensitivity, count=2, numeric=True)
    few = tuple(row[1:3] for row in EITHER_WAY)

    def told(rows):
        asked = [sum(column) for column in zip(*rows, strict=True)] if rows else [0, 0]
        return mechanism.distribution(asked, 1, low=-3, high=3)

    assert verify(told, few, 1, neighbours).holds(EPSILON)


def test_the_second_correct_form_passes():
    """Algorithm 2: new noise on the threshold after each yes, paid for each time."""
    count, half = 2, EPSILON / 2
    report = verify(
        lambda rows: law(values(rows)[1:], count / half, 2 * count / half, count, refresh=True),
        EITHER_WAY,
        1,
        Neighbours.ADD_OR_REMOVE,
    )
    assert report.holds(EPSILON)


def test_telling_the_compared_value_is_refuted():
    """Algorithm 3: the noisy value that was found above is told; it bounds the noisy threshold from above."""
    lows, alike = ((1, 1, 1, 1, -1), (-1, -1, -1, -1, 1)), (0, 0, 0, 0, 0)

    def told(rows):
        asked = [sum(column) for column in zip(*rows, strict=True)]
        return law(asked, 2 / EPSILON, 2 * 2 / EPSILON, 1, told=(-8, 2))

    # by replace a value moves by two
    assert not verify(told, (*lows, alike), 1, Neighbours.REPLACE).holds(2 * EPSILON)


def test_noise_that_forgets_the_count_is_refuted():
    """Algorithm 4: noise of one yes for two of them."""
    mechanism = AboveThreshold(4 / EPSILON, 4 / (3 * EPSILON), count=2)
    report = verify(
        lambda rows: mechanism.distribution(values(rows), 1),
        EITHER_WAY,
        1,
        Neighbours.ADD_OR_REMOVE,
    )
    assert not report.holds(EPSILON)


def test_values_without_noise_are_refuted():
    """Algorithm 5: noise on the threshold alone."""
    report = verify(
        lambda rows: law(values(rows)[1:3], 1 / EPSILON, None, 2),
        EITHER_WAY,
        1,
        Neighbours.ADD_OR_REMOVE,
    )
    assert not report.holds(100 * EPSILON, F(1, 1000))


def test_never_stopping_is_refuted():
    """Algorithm 6: any number of yeses for the price of one."""
    mechanism = AboveThreshold(2 / EPSILON, 2 / EPSILON, count=4)
    report = verify(
        lambda rows: mechanism.distribution(values(rows), 1),
        EITHER_WAY,
        1,
        Neighbours.ADD_OR_REMOVE,
    )
    assert not report.holds(EPSILON)


@pytest.mark.parametrize("count", [1, 2])
def test_the_stated_law_is_that_of_the_pseudocode(count):
    mechanism = AboveThreshold(F(3, 2), 2, count=count)
    with working():
        stated = mechanism.distribution([0, 2, 1], 1)
        moved = law([-1, 1, 0], F(3, 2), F(2), count)
    assert set(stated) == set(moved)
    for outcome, p in stated.items():  # the pseudocode's threshold is zero
        assert abs(upper(p) - upper(moved[outcome])) < F(1, 2**90)


@given(
    count=st.integers(1, 5), answers=st.integers(1, 50), price=st.fractions(F(1, 4), 4, max_denominator=8),
    confidence=st.sampled_from([F(1, 2), F(19, 20), F(999, 1000)]),
)  # fmt: skip
def test_the_error_is_below_the_theorem_and_falls_with_the_price(count, answers, price, confidence):
    mechanism = AboveThreshold.calibrate(price, 1, count)
    error = mechanism.error(confidence, answers)
    assert error <= mechanism.error_bound(confidence, answers) + 1
    assert AboveThreshold.calibrate(2 * price, 1, count).error(confidence, answers) <= error


@pytest.mark.parametrize(("answers", "confidence"), [(1, F(9, 10)), (3, F(9, 10)), (3, F(1, 2))])
def test_the_error_holds_for_values_just_beyond_it(answers, confidence):
    """All values just far enough above, or below, or in turns: they are called rightly as often as is claimed."""
    mechanism = AboveThreshold(F(3, 2), 2, count=answers)
    error = mechanism.error(confidence, answers)
    rightly = []
    for signs in product((1, -1), repeat=answers):
        asked = [sign * (error + 1) for sign in signs]
        with working():
            rightly.append(
                lower(mechanism.distribution(asked, 0)[tuple(sign > 0 for sign in signs)])
            )
    assert min(rightly) >= confidence


def test_a_larger_price_or_a_smaller_count_never_means_more_noise():
    made = [AboveThreshold.calibrate(price, 1, 3) for price in (F(1, 2), 1, 2, 4)]
    assert all(
        a.value_scale > b.value_scale and a.threshold_scale > b.threshold_scale
        for a, b in pairwise(made)
    )
