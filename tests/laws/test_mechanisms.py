"""Laws of all mechanisms: what one claims, its exact output law attains and never exceeds."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.exact import at_least, ball, lower, upper, working
from tacit.mechanisms import Gaussian, Laplace, Mechanism, RandomizedResponse
from tacit.privacy import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    Neighbours,
    Norm,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
)
from tests.laws.every_mechanism import (
    EPSILONS,
    NOISES,
    ORDERS,
    TINY,
    both_relations,
    close,
    constant_noise,
    divergence,
    each,
    every_mechanism,
    every_noise,
    every_norm,
    every_response,
    excess,
    largest_loss,
    step_of,
)
from tests.together import together

F = Fraction
CONFIDENCES = (F(1, 2), 0.9, 0.95, F(999, 1000), 1 - 1e-9)


@pytest.fixture(autouse=True)
def enough_digits():
    """All balls of a test carry 192 bits, but where the source asks for fewer."""
    with working(192):
        yield


# ------------------------------------------------------------------------------- loss


@every_mechanism
def test_delta_is_that_of_the_worst_pair_of_answers(case):
    """At every distance: no pair of answers at most so far apart exceeds the claim, and one attains it."""
    for distance in case.distances:
        loss = case.mechanism.loss(case.sensitivity(distance))
        pairs = list(case.pairs(distance))
        for epsilon in EPSILONS:
            found = max(upper(excess(p, q, epsilon)) for p, q, _ in pairs)
            claimed = loss.delta(epsilon)
            assert found <= upper(claimed) + TINY
            assert found >= lower(claimed) - TINY


@every_mechanism
def test_a_shorter_move_is_never_worse(case):
    pairs = list(case.pairs(max(case.distances)))
    for epsilon in EPSILONS:
        found = {distance: F(0) for distance in range(max(case.distances) + 1)}
        for p, q, distance in pairs:
            found[distance] = max(found[distance], lower(excess(p, q, epsilon)))
        assert all(found[d] <= found[d + 1] + TINY for d in range(max(case.distances)))


@every_mechanism
def test_divergence_is_that_of_the_worst_pair_of_answers(case):
    for distance in case.distances:
        loss = case.mechanism.loss(case.sensitivity(distance))
        for order in ORDERS:
            claimed = loss.renyi(order)
            found = max(upper(divergence(p, q, order)) for p, q, _ in case.pairs(distance))
            assert found <= upper(claimed) + TINY
            assert found <= order * upper(loss.rho()) + TINY
            assert case.bounded or found >= lower(claimed) - TINY


@every_mechanism
def test_pure_epsilon_is_the_largest_ratio_or_there_is_none(case):
    for distance in case.distances:
        claimed = case.mechanism.loss(case.sensitivity(distance)).renyi(inf)
        assert (claimed is None) is isinstance(case.mechanism, Gaussian)
        if claimed is not None:
            found = max(largest_loss(p, q) for p, q, _ in case.pairs(distance))
            assert abs(found - upper(claimed)) < TINY


@together
@every_mechanism
@both_relations
def test_the_relation_is_that_of_the_sensitivity(case, neighbours):
    loss = case.mechanism.loss(case.sensitivity(1, neighbours))
    assert loss.neighbours is neighbours
    assert (loss * 3).neighbours is neighbours
    other = case.mechanism.loss(
        case.sensitivity(1, next(n for n in Neighbours if n is not neighbours))
    )
    assert loss != other
    with pytest.raises(ValueError, match="same relation"):
        loss + other


@together
@every_noise
@every_norm
@both_relations
def test_the_relation_of_a_vector_is_that_of_the_sensitivity(case, norm, neighbours):
    several = Sensitivity(2 * step_of(case.mechanism), norm, neighbours, dimension=3)
    assert case.mechanism.loss(several).neighbours is neighbours


@every_response
@both_relations
def test_the_relation_of_several_reports_is_that_of_the_sensitivity(case, neighbours):
    assert case.mechanism.loss(Sensitivity(3, neighbours=neighbours)).neighbours is neighbours


@every_mechanism
def test_a_bare_number_is_for_the_relation_that_the_docstring_names(case):
    relation = (
        Neighbours.REPLACE
        if isinstance(case.mechanism, RandomizedResponse)
        else Neighbours.ADD_OR_REMOVE
    )
    bare = case.sensitivity(1).bound
    assert case.mechanism.loss(bare) == case.mechanism.loss(Sensitivity(bare, neighbours=relation))


def figures(loss):
    """All figures of a loss that it has, from above."""
    found = [loss.delta(epsilon) for epsilon in EPSILONS] + [
        loss.renyi(order) for order in (*ORDERS, inf)
    ]
    return [None if figure is None else upper(figure) for figure in [*found, loss.rho()]]


@every_mechanism
@settings(max_examples=12)
@given(data=st.data())
def test_a_loss_grows_with_the_sensitivity(case, data):
    step = step_of(case.mechanism)
    norms = [Norm.L1] if isinstance(case.mechanism, RandomizedResponse) else list(Norm)
    norm, dimension = data.draw(st.sampled_from(norms)), data.draw(st.integers(1, 5))
    small, large = sorted(
        data.draw(st.lists(st.fractions(1, 12, max_denominator=6), min_size=2, max_size=2))
    )
    one, other = (
        figures(case.mechanism.loss(Sensitivity(bound * step, norm, dimension=dimension)))
        for bound in (small, large)
    )
    for before, after in zip(one, other, strict=True):
        assert before is None or after is None or before <= after + TINY


@each({name: case for name, case in NOISES.items() if case.mechanism.grid})
@pytest.mark.parametrize("grown", [2, 5])
def test_the_same_noise_in_other_units_costs_the_same(case, grown):
    """A grid, a scale and a sensitivity that are all doubled are the same mechanism."""
    kind, length = type(case.mechanism), getattr(case.mechanism, fields(case.mechanism)[0].name)
    stretched = kind(length * 2**grown, grid=case.mechanism.grid * 2**grown)
    for distance in (1, 3):
        bound = case.sensitivity(distance).bound
        assert stretched.loss(bound * 2**grown) == case.mechanism.loss(bound)


MOVES = tuple(product(range(-3, 4), repeat=2))


def length(move, norm):
    """The square of a move's length."""
    sizes = [abs(part) for part in move]
    return {
        Norm.L1: sum(sizes) ** 2,
        Norm.L2: sum(size**2 for size in sizes),
        Norm.LINF: max(sizes) ** 2,
    }[norm]


@pytest.mark.parametrize("bound", [F(1), F(7, 5), F(2)], ids=str)
@every_norm
@pytest.mark.parametrize("name", ["laplace 1", "laplace 10/3", "gaussian 1", "gaussian 7/2"])
def test_two_numbers_cost_at_least_what_any_move_within_the_norm_tells(name, norm, bound):
    """The joint law of two answers is the product of their laws; every integer move in the norm's ball is tried."""
    mechanism = NOISES[name].mechanism
    loss = mechanism.loss(Sensitivity(bound, norm, dimension=2))
    assert isinstance(loss, PureLoss if isinstance(mechanism, Laplace) else ZeroConcentratedLoss)
    reach = 7 if isinstance(mechanism, Laplace) else int(9 * mechanism.sigma) + 6
    laws = {x: mechanism.distribution(x).clamp_law(-reach, reach) for x in range(-3, 4)}
    moves = [(a, b) for a, b in MOVES if 0 <= a <= b and length((a, b), norm) <= bound**2]
    worst = F(0)
    for move in moves:
        parts = [(laws[0], laws[moved]) for moved in move]
        for order in ORDERS:
            found = sum((divergence(p, q, order) for p, q in parts), ball(0))
            assert upper(found) <= upper(loss.renyi(order)) + TINY
        worst = max(worst, sum((largest_loss(p, q) for p, q in parts), F(0)))
    if isinstance(mechanism, Laplace):
        assert worst <= loss.epsilon + TINY
        if norm is not Norm.LINF or bound.denominator == 1:
            assert worst >= loss.epsilon - TINY, "an integer move attains it"
    widest = max(moves, key=lambda move: length(move, Norm.L2))
    p, q = (
        {
            (a, b): law[0][a] * law[1][b]
            for a, b in product(range(-reach, reach + 1), repeat=2)
            if abs(a) + abs(b) < 9
        }
        for law in ([laws[0], laws[0]], [laws[part] for part in widest])
    )
    for epsilon in EPSILONS:
        assert upper(excess(p, q, epsilon)) <= upper(loss.delta(epsilon)) + TINY


@every_noise
def test_one_number_costs_its_exact_law_and_several_a_bound(case):
    one = case.mechanism.loss(case.sensitivity(2))
    kind = DiscreteLaplaceLoss if isinstance(case.mechanism, Laplace) else DiscreteGaussianLoss
    assert isinstance(one, kind)
    assert one.distance == 2
    for norm in Norm:
        assert case.mechanism.loss(Sensitivity(case.sensitivity(2).bound, norm)) == one


@every_mechanism
def test_releasing_twice_costs_the_loss_twice(case):
    sensitivity = case.sensitivity(1)
    loss = case.mechanism.loss(sensitivity)
    assert (
        loss * 2
        == loss + loss
        == case.mechanism.loss(sensitivity) + case.mechanism.loss(sensitivity)
    )
    p, q, _ = max(case.pairs(1), key=lambda pair: pair[2])
    twice = [{(a, b): law[a] * law[b] for a, b in product(law, repeat=2)} for law in (p, q)]
    for order in ORDERS if len(p) < 40 else ORDERS[:1]:
        found = divergence(*twice, order)
        assert upper(found) <= upper((loss * 2).renyi(order)) + TINY
        assert case.bounded or close(found, (loss * 2).renyi(order))


@every_noise
def test_a_group_is_a_longer_move(case):
    assert case.mechanism.loss(case.sensitivity(1)).group(3) == case.mechanism.loss(
        case.sensitivity(3)
    )


@every_response
def test_several_reports_of_one_unit_are_several_releases(case):
    one = case.mechanism.loss()
    assert case.mechanism.loss(4) == one * 4
    assert case.mechanism.loss(2.9999999999999996) == one * 3, "a float that was meant to be three"
    assert case.mechanism.loss(1) == case.mechanism.loss(F(3, 2)) == one


# ------------------------------------------------------------------------------- error


def kept(mechanism, steps):
    """The probability that noise stays within so many steps, by its masses one by one."""
    return sum((mechanism.law.mass(z) for z in range(-steps, steps + 1)), ball(0))


def steps_of_error(mechanism, *arguments):
    """The error in whole steps; on a grid it has half a step for the rounding of the answer."""
    error = F(mechanism.error(*arguments))
    return error if mechanism.grid is None else error / mechanism.grid - F(1, 2)


@together
@every_noise
@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("answers", [1, 7, 10_000])
def test_the_error_holds_and_no_smaller_one_does(case, confidence, answers):
    steps = steps_of_error(case.mechanism, confidence, answers)
    assert steps.denominator == 1
    wanted = at_least(confidence)
    assert lower(kept(case.mechanism, int(steps)) ** answers) >= wanted
    assert steps == 0 or upper(kept(case.mechanism, int(steps) - 1) ** answers) < wanted


@every_noise
@pytest.mark.parametrize("confidence", [F(1, 2), F(96, 100), F(9999, 10000)], ids=str)
def test_the_error_is_measured_from_the_exact_answer_and_not_from_the_rounded_one(case, confidence):
    mechanism, step = case.mechanism, step_of(case.mechanism)
    shares = [F(0)] if mechanism.grid is None else [F(-1, 2), F(-1, 3), F(0), F(499, 1000)]
    error = F(mechanism.error(confidence))
    for share in shares:
        exact = 5 * step + share * step
        released = mechanism.distribution(exact if mechanism.grid else int(exact))
        near = [k for k in range(-400, 400) if abs(k * step - exact) <= error]
        assert lower(sum((released.probability(k) for k in near), ball(0))) >= confidence


def test_confidence_may_be_as_close_to_zero_as_anybody_likes():
    for mechanism in (Laplace(3), Gaussian(3), Gaussian(100)):
        assert [mechanism.error(F(1, 2**bits)) for bits in (60, 200, 8000)] == [0, 0, 0]


def test_confidence_may_be_as_close_to_one_as_anybody_likes():
    for mechanism in (Laplace(3), Gaussian(3), Gaussian(100)):
        for bits in (60, 200, 1000):
            steps = mechanism.error(1 - F(1, 2**bits))
            with working(4 * bits):
                assert (
                    upper(2 * mechanism.law.tail(steps + 1))
                    <= F(1, 2**bits)
                    < upper(2 * mechanism.law.tail(steps))
                )


@every_response
@pytest.mark.parametrize("confidence", [F(1, 2), 0.95, F(999, 1000)])
@pytest.mark.parametrize("people", [1, 2, 12])
def test_an_estimated_count_stays_within_the_error(case, confidence, people):
    response, error = case.mechanism, F(case.mechanism.error(confidence, answers=people))
    for holders in range(people + 1):
        law = response.reports_law(holders, people - holders)
        estimates = {
            seen: (seen - people * response.lie) / (response.truth - response.lie) for seen in law
        }
        inside = sum(
            chance for seen, chance in law.items() if abs(estimates[seen] - holders) <= error
        )
        assert inside >= at_least(confidence)


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("grid", [None, F(1, 16), F(8)], ids=str)
@pytest.mark.parametrize("answers", [1, 50])
@pytest.mark.parametrize(("error", "confidence"), [(50, 0.95), (200, F(99, 100)), (100.5, 0.5)])
def test_accuracy_first_gives_the_widest_noise(kind, grid, answers, error, confidence):
    mechanism = kind.within(error, confidence, answers, grid=grid)
    assert mechanism.error(confidence, answers) <= error
    name = fields(kind)[0].name
    wider = kind(getattr(mechanism, name) * F(2**30 + 1, 2**30), grid=grid)
    assert wider.error(confidence, answers) > error - step_of(mechanism)
    assert wider.error(confidence, answers) > mechanism.error(confidence, answers)


# ------------------------------------------------------------------------------- calibration


@together
@pytest.mark.parametrize("epsilon", [F(1, 100), 0.1, 1, F(7, 3), 20])
@pytest.mark.parametrize("grid", [None, F(1, 64), F(4)], ids=str)
@pytest.mark.parametrize("dimension", [1, 3])
def test_laplace_is_calibrated_exactly(epsilon, grid, dimension):
    sensitivity = Sensitivity(5, dimension=dimension)
    mechanism = Laplace.calibrate(epsilon, sensitivity, grid=grid)
    # 0.1 stands for two numbers, and the smaller one may be spent
    price = min(F(epsilon), F(str(epsilon)))
    assert mechanism.loss(sensitivity).epsilon == price
    assert Laplace(mechanism.scale * F(99, 100), grid=grid).loss(sensitivity).epsilon > price


# Where epsilon is large and sigma small, delta rises and falls with sigma: the last test of this kind shows it.
GAUSSIANS = [
    (F(1, 10), 1e-6, Sensitivity(1), None),
    (1, 1e-6, Sensitivity(1), None),
    (1, 1e-6, Sensitivity(3, neighbours=Neighbours.REPLACE), None),
    (F(1, 2), 0.05, Sensitivity(1), None),
    (2, 1e-5, Sensitivity(1), None),
    (4, F(1, 1000), Sensitivity(2), None),
    (1, 1e-6, Sensitivity(F(1, 3)), F(1, 16)),
    (1, 1e-9, Sensitivity(1000), F(64)),
    (1, 1e-6, Sensitivity.root(10, dimension=10), None),
    (0.5, 1e-6, Sensitivity(3, dimension=4), None),
    (8, 1e-6, Sensitivity(1, Norm.LINF, dimension=9), F(1, 8)),
    (F(1, 1000), F(2, 5), Sensitivity(F(1, 2**12)), F(1, 2**24)),
]


@pytest.mark.parametrize(("epsilon", "delta", "sensitivity", "grid"), GAUSSIANS)
def test_the_gaussian_keeps_its_promise_and_one_percent_less_noise_breaks_it(
    epsilon, delta, sensitivity, grid
):
    mechanism = Gaussian.calibrate(epsilon, delta, sensitivity, grid=grid)
    price, failure = min(F(epsilon), F(str(epsilon))), min(F(delta), F(str(delta)))
    assert upper(mechanism.loss(sensitivity).delta(price)) <= failure
    for less in (F(99, 100), 1 - F(1, 2**30)):
        assert (
            lower(Gaussian(mechanism.sigma * less, grid=grid).loss(sensitivity).delta(price))
            > failure
        )


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity", "grid"),
    [case for case in GAUSSIANS[1:7] if case[2].dimension == 1],
)
def test_a_calibrated_gaussian_keeps_its_promise_by_the_definition(
    epsilon, delta, sensitivity, grid
):
    """Delta summed over every outcome of both laws, for one number that moves as far as it may."""
    mechanism = Gaussian.calibrate(epsilon, delta, sensitivity, grid=grid)
    moved = -(-sensitivity.bound // step_of(mechanism)) * step_of(mechanism)
    reach = int(12 * mechanism.sigma / step_of(mechanism))
    p, q = (
        mechanism.distribution(exact if grid else int(exact)).clamp_law(-reach, reach)
        for exact in (F(0), F(moved))
    )
    assert upper(excess(p, q, F(epsilon))) <= F(delta)
    assert lower(excess(p, q, F(epsilon))) > F(delta) * F(999, 1000)


def test_delta_of_narrow_noise_rises_and_falls_with_sigma():
    """And the calibrated sigma is the smallest of all edges: 0.559, where a bisection finds 0.659."""
    found = Gaussian.calibrate(8, 1e-6, 1)

    def delta(sigma):
        return upper(Gaussian(sigma).loss(1).delta(F(8)))

    assert delta(found.sigma) <= F(1e-6) < delta(found.sigma * (1 - F(1, 2**30)))
    assert round(float(found.sigma), 3) == 0.559
    assert delta(F(60, 100)) > F(1e-6) >= delta(F(66, 100))


@pytest.mark.parametrize(
    ("epsilon", "delta", "moved"), [(8, 1e-6, 1), (3, 1e-3, 1), (16, 1e-6, 2), (5, 1e-9, 1)]
)
def test_no_smaller_sigma_keeps_the_promise(epsilon, delta, moved):
    found = Gaussian.calibrate(epsilon, delta, moved).sigma
    for share in range(20, 300):
        less = Gaussian(found * F(share, 300)).loss(moved)
        assert upper(less.delta(F(epsilon))) > F(delta)


@together
@pytest.mark.parametrize("epsilon", [F(1, 2**40), 1e-6, 0.1, 1, F(10, 3), 30, 1024])
@pytest.mark.parametrize("categories", [2, 3, 1000, 2**32])
def test_randomized_response_spends_all_but_a_trillionth_of_its_price(epsilon, categories):
    mechanism = RandomizedResponse(epsilon, categories=categories)
    price = min(F(epsilon), F(str(epsilon)))
    with working(4096):
        spent = (ball(mechanism.truth) / ball(mechanism.lie)).log()
        assert price * (1 - F(1, 10**12)) < lower(spent)
        assert upper(spent) <= price
    claimed = mechanism.loss().renyi(inf) if categories > 2 else ball(mechanism.loss().epsilon)
    assert lower(spent) <= upper(claimed)
    assert upper(claimed) <= price * (1 + F(1, 10**12))


def test_the_loss_of_many_categories_is_that_of_its_two_answers_and_all_others_together():
    for categories in (3, 6):
        mechanism = RandomizedResponse.telling(F(4, 5), categories=categories)
        whole = [
            {k: ball(v) for k, v in mechanism.distribution(answer).items()} for answer in (0, 1)
        ]
        for epsilon in EPSILONS:
            assert close(mechanism.loss().delta(epsilon), excess(*whole, epsilon))
        for order in ORDERS:
            assert close(mechanism.loss().renyi(order), divergence(*whole, order))


# ------------------------------------------------------------------------------- estimates


def every_vector_of_reports(mechanism, answers):
    """Each vector of reports with its probability, from the law of one report."""
    laws = [mechanism.distribution(answer) for answer in answers]
    for reports in product(range(mechanism.categories), repeat=len(answers)):
        chance = F(1)
        for law, report in zip(laws, reports, strict=True):
            chance *= law[report]
        yield list(reports), chance


@every_response
def test_the_estimated_counts_are_unbiased_and_their_variance_is_at_most_the_claimed_one(case):
    mechanism = case.mechanism
    people = 6 if mechanism.categories == 2 else 3
    for answers in ([0] * people, [0, 1, 0, 1, 1, 0][:people], [1] + [0] * (people - 1)):
        mean = dict.fromkeys(range(mechanism.categories), F(0))
        square = dict.fromkeys(range(mechanism.categories), F(0))
        for reports, chance in every_vector_of_reports(mechanism, answers):
            for answer, estimate in mechanism.estimate(reports).items():
                mean[answer] += chance * estimate.count
                square[answer] += chance * estimate.count**2
        for answer in mean:
            assert mean[answer] == answers.count(answer)
            spread = square[answer] - mean[answer] ** 2
            assert (
                spread
                <= mechanism.estimate(answers)[answer].variance
                == people * mechanism.variance
            )
            if mechanism.categories == 2:
                assert spread == people * mechanism.variance


def test_counts_of_reports_follow_the_law_of_single_reports():
    for mechanism in (
        RandomizedResponse.two_coin(),
        RandomizedResponse.telling(F(2, 3), categories=3),
    ):
        for answers in ([1, 1, 0, 0, 1], [1], [0, 0], []):
            law = dict.fromkeys(range(len(answers) + 1), F(0))
            for reports, chance in every_vector_of_reports(mechanism, answers):
                law[reports.count(1)] += chance
            assert mechanism.reports_law(answers.count(1), answers.count(0)) == law


# ------------------------------------------------------------------------------- values


@every_mechanism
def test_a_mechanism_is_a_value(case):
    mechanism = case.mechanism
    assert isinstance(mechanism, Mechanism)
    for same in (
        copy.copy(mechanism),
        copy.deepcopy(mechanism),
        pickle.loads(pickle.dumps(mechanism)),
    ):
        assert same == mechanism
        assert hash(same) == hash(mechanism)
        assert same.loss(case.sensitivity(1)) == mechanism.loss(case.sensitivity(1))
        assert repr(same) == repr(mechanism)
    for field in fields(mechanism):
        with pytest.raises(FrozenInstanceError):
            setattr(mechanism, field.name, getattr(mechanism, field.name))
    with pytest.raises((AttributeError, TypeError)):
        mechanism.anything = 1


def test_mechanisms_differ_if_and_only_if_a_parameter_does():
    mechanisms = [case.mechanism for case in NOISES.values()]
    assert len({*mechanisms, *mechanisms}) == len(mechanisms)
    assert Laplace(1) == Laplace(1.0) == Laplace(F(1)) != Laplace(1, grid=1)
    assert Laplace(1) != Gaussian(1)
    assert (
        RandomizedResponse.two_coin()
        == RandomizedResponse.telling(0.75)
        != RandomizedResponse.telling(0.75, 3)
    )


@every_mechanism
def test_losses_are_values_too(case):
    loss = case.mechanism.loss(case.sensitivity(1))
    assert pickle.loads(pickle.dumps(loss)) == loss == case.mechanism.loss(case.sensitivity(1))
    assert {loss: 1}[case.mechanism.loss(case.sensitivity(1))] == 1


# ------------------------------------------------------------------------------- what leaves


@together
@every_mechanism
@pytest.mark.parametrize("size", [0, 1, 4, 1000])
def test_one_draw_is_made_for_each_number_that_leaves(case, size):
    with constant_noise(1) as asked:
        released = case.mechanism.release(np.ones(size, np.int64))
        assert released.shape == (size,)
        assert asked == [size]
        assert case.mechanism.release(1, times=size).shape == (size,)
        assert asked == [size, size]


@every_mechanism
@settings(max_examples=15)
@given(data=st.data())
def test_on_neighbours_only_what_the_sensitivity_allows_can_differ(case, data):
    """With the noise held constant what leaves is the exact answer, moved; its kind and shape are the neighbour's."""
    mechanism, drawn = case.mechanism, data.draw(st.integers(-(10**6), 10**6))
    shape = data.draw(st.sampled_from([(), (3,), (2, 2), (1, 3)]))
    top = mechanism.categories - 1 if isinstance(mechanism, RandomizedResponse) else 10**6
    exact = np.array(data.draw(st.lists(st.integers(0, top), min_size=6, max_size=6)))[
        : int(np.prod(shape))
    ]
    moved, place = exact.copy(), data.draw(st.integers(0, len(exact) - 1))
    moved[place] = data.draw(st.integers(0, top))
    with constant_noise(drawn):
        one, other = (mechanism.release(values.reshape(shape)) for values in (exact, moved))
    assert type(one) is type(other)
    assert np.asarray(one).dtype == np.asarray(other).dtype
    assert np.shape(one) == np.shape(other)
    steps = np.abs(np.asarray(one) - np.asarray(other)) / float(step_of(mechanism))
    assert np.count_nonzero(steps) <= 1
    if not isinstance(mechanism, RandomizedResponse):
        distance = abs(int(moved[place]) - int(exact[place]))
        allowed = F(distance) / step_of(mechanism)
        assert steps.sum() <= -(-allowed // 1)
