"""Laws of all mechanisms that choose: what one claims, its exact law attains and never exceeds, on every neighbour."""

import copy
import pickle
import random
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from functools import cache
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.audit import verify
from tacit.errors import InvalidInput
from tacit.exact import ball, entropy, lower, upper, working
from tacit.mechanisms import Exponential, Mechanism, NoisyMax, NoisyTopK, PermuteAndFlip, Selection
from tacit.mechanisms.noise_law import LaplaceLaw
from tacit.mechanisms.scores import scores_of, steps_apart
from tacit.privacy import BoundedRangeLoss, Neighbours, Norm, PureLoss, Sensitivity
from tests.laws.every_mechanism import both_relations, divergence, excess, largest_loss
from tests.laws.every_selection import (
    ADD,
    REPLACE,
    WORLDS,
    every_kind,
    every_world,
    flipped_by_definition,
    noisy_by_definition,
)
from tests.together import together

F = Fraction
TINY = F(1, 2**90)
PRICE = F(2)
ORDERS = (F(11, 10), F(12))
CONFIDENCES = (F(1, 2), 0.95, F(999, 1000), 1 - F(1, 2**200))


@pytest.fixture(autouse=True)
def enough_digits():
    """All balls of a test carry 192 bits, but where the source asks for fewer."""
    with working(192):
        yield


def made_for(world, kind, options, epsilon=PRICE):
    return kind.calibrate(epsilon, world.sensitivity, monotone=world.monotone, **options)


def laws_of(mechanism, world, size=2):
    """Both laws of every pair of neighbours, in both directions."""
    for pair in world.pairs(size):
        p, q = (law_of(mechanism, tuple(scores)) for scores in pair)
        yield p, q
        yield q, p


@cache
def law_of(mechanism, scores):
    """The exact law, with 192 bits."""
    with working(192):
        return mechanism.distribution(list(scores))


# ------------------------------------------------------------------------------- loss


@every_kind
@every_world
def test_no_pair_of_neighbours_exceeds_the_claimed_epsilon_and_one_attains_nearly_all_of_it(
    world, kind, options
):
    mechanism = made_for(world, kind, options)
    claimed = mechanism.loss(world.sensitivity).pure()
    assert claimed == PRICE
    found = [largest_loss(p, q) for p, q in laws_of(mechanism, world)]
    assert max(found) <= claimed + TINY
    assert max(found) >= claimed * F(95, 100)


@every_kind
@every_world
def test_delta_divergence_and_rho_bound_those_of_every_pair_of_neighbours(world, kind, options):
    mechanism = made_for(world, kind, options)
    loss = mechanism.loss(world.sensitivity)
    deltas = {epsilon: upper(loss.delta(epsilon)) for epsilon in (F(0), F(1))}
    divergences = {order: upper(loss.renyi(order)) for order in ORDERS}
    rho = upper(loss.rho())
    for p, q in laws_of(mechanism, world):
        assert all(
            upper(excess(p, q, epsilon)) <= delta + TINY for epsilon, delta in deltas.items()
        )
        for order, claimed in divergences.items():
            found = upper(divergence(p, q, order))
            assert found <= claimed + TINY
            assert found <= rho * order + TINY


@every_kind
@pytest.mark.parametrize("name", ["votes by add-or-remove", "votes by replace"])
def test_the_exact_verifier_agrees(name, kind, options):
    """Through the public calls alone, with every order of the rows."""
    world = WORLDS[name]
    mechanism, relation = made_for(world, kind, options), world.sensitivity.neighbours
    report = verify(
        lambda rows: mechanism.distribution(world.scores(rows, world.lead)), world.rows, 2, relation
    )
    assert report.holds(PRICE + TINY)
    assert F(95, 100) * PRICE <= report.epsilon().low <= PRICE
    louder = kind(mechanism.scale * F(9, 10), monotone=world.monotone, **options)
    broken = verify(
        lambda rows: louder.distribution(world.scores(rows, world.lead)), world.rows, 2, relation
    )
    assert not broken.holds(PRICE)


@every_world
def test_the_loss_of_the_exponential_mechanism_spans_no_more_than_epsilon(world):
    mechanism = made_for(world, Exponential, {})
    assert isinstance(mechanism.loss(world.sensitivity), BoundedRangeLoss)
    spans = []
    for p, q in laws_of(mechanism, world):
        losses = [(p[place] / q[place]).log() for place in p]
        spans.append(max(map(upper, losses)) - min(map(lower, losses)))
    assert PRICE - TINY <= max(spans) <= PRICE + TINY


@every_kind
def test_all_others_have_losses_that_span_more_and_are_priced_as_pure(kind, options):
    world = WORLDS["votes by replace"]
    mechanism = made_for(world, kind, options)
    spans = []
    for p, q in laws_of(mechanism, world):
        losses = [(p[place] / q[place]).log() for place in p]
        spans.append(max(map(lower, losses)) - min(map(upper, losses)))
    ranged = kind is Exponential
    assert (max(spans) > PRICE * F(11, 10)) is not ranged
    assert isinstance(mechanism.loss(world.sensitivity), BoundedRangeLoss if ranged else PureLoss)


@every_kind
def test_half_the_scale_is_for_monotone_scores_and_breaks_the_promise_for_others(kind, options):
    for name in ("votes by replace", "approvals by replace", "duels by add-or-remove"):
        world = WORLDS[name]
        half = kind(made_for(world, kind, options).scale / 2, **options)
        assert half == kind(kind.calibrate(PRICE, 1, monotone=True, **options).scale, **options)
        assert max(largest_loss(p, q) for p, q in laws_of(half, world)) > PRICE * F(3, 2)


@every_kind
@both_relations
def test_the_relation_is_that_of_the_sensitivity(kind, options, neighbours):
    sensitivity = Sensitivity(3, neighbours=neighbours)
    assert kind(7, **options).loss(sensitivity).neighbours is neighbours
    assert kind(7, **options).loss(sensitivity).pure() == F(6, 7)
    assert NoisyTopK(2, kind(7, **options)).loss(sensitivity).neighbours is neighbours


@every_kind
def test_scores_are_never_monotone_by_replace(kind, options):
    with pytest.raises(InvalidInput, match="monotone"):
        kind.calibrate(1, Sensitivity(1, neighbours=REPLACE), monotone=True, **options)
    with pytest.raises(InvalidInput, match="monotone"):
        kind(1, monotone=True, **options).loss(Sensitivity(1, neighbours=REPLACE))
    assert kind(1, monotone=True, **options).loss(1).pure() == 1


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("grid", [None, F(1, 4)], ids=str)
@pytest.mark.parametrize("norm", list(Norm), ids=lambda norm: norm.value)
@settings(max_examples=25)
@given(data=st.data())
def test_two_scores_move_apart_by_no_more_than_is_charged(norm, grid, monotone, data):
    """Moves of three scores, as long as the norm allows; read as integers, or rounded to a grid."""
    step = 1 if grid is None else F(1, 16)
    moves = [
        step * move
        for move in data.draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3).filter(any))
    ]
    if monotone:
        moves = [abs(move) for move in moves]
    length = {Norm.L1: sum(map(abs, moves)), Norm.LINF: max(map(abs, moves))}
    sensitivity = (
        Sensitivity.root(sum(move**2 for move in moves), dimension=3)
        if norm is Norm.L2
        else Sensitivity(length[norm], norm, dimension=3)
    )
    exact = [
        step * place for place in data.draw(st.lists(st.integers(-40, 40), min_size=3, max_size=3))
    ]
    before, after = (
        scores_of(list(scores), grid).tolist()
        for scores in (exact, [a + b for a, b in zip(exact, moves, strict=True)])
    )
    moved = [b - a for a, b in zip(before, after, strict=True)]
    assert max(moved) - min(moved) <= steps_apart(sensitivity, grid, monotone=monotone)


def test_scores_that_are_bounded_one_by_one_may_move_apart_by_twice_as_much():
    assert steps_apart(1, None, monotone=False) == 2
    assert steps_apart(Sensitivity(3, Norm.LINF, dimension=9), None, monotone=False) == 6
    assert steps_apart(Sensitivity(3, Norm.L1, dimension=9), None, monotone=False) == 3
    assert steps_apart(Sensitivity(2, Norm.L1, REPLACE, dimension=9), None, monotone=False) == 2
    # floor of 3 sqrt 2
    assert steps_apart(Sensitivity(3, Norm.L2, dimension=9), None, monotone=False) == 4
    assert steps_apart(Sensitivity(F(3, 10)), F(1, 4), monotone=False) == 4
    assert steps_apart(Sensitivity(F(3, 10)), F(1, 4), monotone=True) == 2


# ------------------------------------------------------------------------------- law


small_scores = st.lists(st.integers(-6, 6), min_size=1, max_size=4)
scales = st.sampled_from([F(1, 3), F(1), F(2), F(10, 3)])


def same(found, expected):
    """Whether two laws are equal but for the width of their balls."""
    values = expected.values() if isinstance(expected, dict) else expected
    return all(upper(abs(a - b)) < TINY for a, b in zip(found.values(), values, strict=True))


@settings(max_examples=30)
@given(small_scores, scales)
def test_permute_and_flip_has_the_law_of_its_definition(scores, scale):
    coins = [(-ball((max(scores) - score) / scale)).exp() for score in scores]
    assert same(PermuteAndFlip(scale).distribution(scores), flipped_by_definition(coins))


@settings(max_examples=30)
@given(small_scores, scales)
def test_the_exponential_mechanism_has_the_law_of_its_definition(scores, scale):
    weights = [ball(score / scale).exp() for score in scores]
    assert same(
        Exponential(scale).distribution(scores),
        [weight / sum(weights, ball(0)) for weight in weights],
    )


@pytest.mark.parametrize("scores", [[0, 0], [3, 0, 1], [2, 2, -1], [0, 4, 4]], ids=str)
@pytest.mark.parametrize("scale", [F(1, 2), F(3, 2)], ids=str)
def test_noisy_max_has_the_law_of_its_definition(scores, scale):
    reach = int(70 * scale)  # what is left out is less than e**-70, or 2**-100
    laplace = noisy_by_definition(scores, LaplaceLaw(scale).mass, reach)
    falls = -(-ball(1 / scale)).expm1()
    geometric = noisy_by_definition(
        scores, lambda z: (-ball(z / scale)).exp() * falls if z >= 0 else ball(0), reach
    )
    assert same(NoisyMax(scale).distribution(scores), laplace)
    assert same(NoisyMax(scale, noise="exponential").distribution(scores), geometric)
    assert same(PermuteAndFlip(scale).distribution(scores), geometric), (
        "exponential noise is permute-and-flip"
    )


@every_kind
@settings(max_examples=15)
@given(scores=small_scores, scale=scales, shift=st.integers(-(2**70), 2**70))
def test_a_law_sums_to_one_and_depends_on_differences_alone(kind, options, scores, scale, shift):
    law = kind(scale, **options).distribution(scores)
    total = sum(law.values(), ball(0))
    assert lower(total) <= 1 <= upper(total)
    assert upper(total) - lower(total) < TINY
    assert same(law, kind(scale, **options).distribution([score + shift for score in scores]))
    if options.get("noise") != "laplace":  # whose sums tie less often on a finer grid
        assert same(law, kind(50 * scale, **options).distribution([50 * score for score in scores]))
    assert same(
        law, kind(scale, **options).distribution([-score for score in scores], smallest=True)
    )


@every_kind
@settings(max_examples=15)
@given(scores=small_scores, scale=scales)
def test_a_better_score_is_a_better_chance_and_equal_scores_are_equal_chances(
    kind, options, scores, scale
):
    law = kind(scale, **options).distribution(scores)
    for one, other in ((i, j) for i in law for j in law):
        if scores[one] > scores[other]:
            assert law[one] > law[other]
        if scores[one] == scores[other]:
            assert law[one].overlaps(law[other])


@every_kind
def test_a_grid_counts_scores_in_steps(kind, options):
    coarse = kind(F(3, 4), grid=F(1, 4), **options)
    assert same(coarse.distribution([0.5, 0.3, -0.25]), kind(3, **options).distribution([2, 1, -1]))
    assert coarse.loss(F(1, 2)).pure() == kind(3, **options).loss(2).pure() == F(4, 3)
    assert coarse.error(0.95, 10) == (kind(3, **options).error(0.95, 10) + 1) / 4
    assert upper(coarse.tail([1.0, 0.0], 1)) == upper(kind(3, **options).tail([4, 0], 4))


def test_permute_and_flip_is_never_worse_on_average_than_the_exponential_mechanism():
    """A thousand vectors of scores: close ones, far ones, ties, and one candidate far ahead."""
    rng = random.Random(20)
    better = 0
    for turn in range(1000):
        width = rng.choice((1, 3, 12, 60))
        scores = [rng.randint(0, width) for _ in range(rng.randint(2, 7))]
        if turn % 10 == 0:
            scores[0] += 2**62
        scale = rng.choice((F(1, 2), F(2), F(9)))
        flipped, exponential = (
            sum(
                (
                    chance * (max(scores) - scores[place])
                    for place, chance in kind(scale).distribution(scores).items()
                ),
                ball(0),
            )
            for kind in (PermuteAndFlip, Exponential)
        )
        assert upper(flipped - exponential) <= TINY
        better += upper(flipped) < lower(exponential) * F(99, 100)
    assert better > 500, "and often it is better by more than a hundredth"


# ------------------------------------------------------------------------------- error


@every_kind
@settings(max_examples=15)
@given(
    scores=st.lists(st.integers(-8, 8), min_size=2, max_size=5),
    scale=scales,
    distance=st.integers(1, 12),
)
def test_no_scores_are_missed_by_more_than_is_said(kind, options, scores, scale, distance):
    mechanism = kind(scale, **options)
    tail = mechanism.tail(scores, distance)
    expected = sum(
        (
            chance
            for place, chance in mechanism.distribution(scores).items()
            if max(scores) - scores[place] >= distance
        ),
        ball(0),
    )
    assert upper(abs(tail - expected)) < TINY
    assert upper(tail) <= upper(mechanism.misses(len(scores), distance)) + TINY


@every_kind
@pytest.mark.parametrize("candidates", [2, 3, 30])
@pytest.mark.parametrize("scale", [F(1, 2), F(4)], ids=str)
def test_the_worst_scores_have_one_best_and_all_others_at_the_distance(
    kind, options, candidates, scale
):
    mechanism = kind(scale, **options)
    for distance in (1, 6):
        worst = mechanism.tail([0] + [-distance] * (candidates - 1), distance)
        claimed = mechanism.misses(candidates, distance)
        assert upper(worst) <= upper(claimed) + TINY
        if options.get("noise") != "laplace":
            assert upper(abs(worst - claimed)) < TINY
        elif candidates == 2:  # of two that tie the better one still wins every other time
            assert upper(claimed) < 2 * upper(worst)


@together
@every_kind
@pytest.mark.parametrize("candidates", [1, 2, 1000, 10**6])
@pytest.mark.parametrize("scale", [F(1, 1000), F(2), F(10**9)], ids=str)
def test_the_error_holds_and_no_smaller_one_does(kind, options, candidates, scale):
    mechanism = kind(scale, **options)
    for confidence in CONFIDENCES:
        error, failure = (
            mechanism.error(confidence, candidates),
            1 - max(F(confidence), F(str(confidence))),
        )
        if candidates == 1:
            assert error == 0
            continue
        with working(900):
            assert upper(mechanism.misses(candidates, error + 1)) <= failure
            assert error == 0 or lower(mechanism.misses(candidates, error)) > failure


@together
@every_kind
@pytest.mark.parametrize("grid", [None, F(1, 16)], ids=str)
@pytest.mark.parametrize(
    ("error", "confidence"), [(20, 0.95), (3, F(1, 2)), (1000.5, F(999, 1000))]
)
def test_accuracy_first_gives_the_largest_scale(kind, options, grid, error, confidence):
    mechanism = kind.within(error, confidence, 1000, grid, **options)
    assert mechanism.error(confidence, 1000) <= error
    wider = kind(mechanism.scale * F(2**30 + 1, 2**30), grid, **options)
    assert wider.error(confidence, 1000) > mechanism.error(confidence, 1000)


# ------------------------------------------------------------------------------- calibration


@together
@every_kind
@pytest.mark.parametrize("epsilon", [F(1, 100), 0.1, 1, 20])
@pytest.mark.parametrize("grid", [None, F(1, 8)], ids=str)
@pytest.mark.parametrize("monotone", [False, True])
def test_calibration_spends_exactly_its_price(kind, options, epsilon, grid, monotone):
    mechanism = kind.calibrate(epsilon, 5, grid, monotone=monotone, **options)
    price = min(F(epsilon), F(str(epsilon)))
    assert mechanism.loss(5).pure() == price
    assert mechanism.monotone is monotone
    assert mechanism.scale == (1 if monotone else 2) * 5 / price


@every_kind
@pytest.mark.parametrize("rho", [F(1, 1000), 0.1, F(2)])
def test_calibration_to_rho_keeps_it_and_a_hair_less_does_not(kind, options, rho):
    mechanism = kind.calibrate_rho(rho, Sensitivity(3, neighbours=REPLACE), **options)
    price, sensitivity = min(F(rho), F(str(rho))), Sensitivity(3, neighbours=REPLACE)
    assert upper(mechanism.loss(sensitivity).rho()) <= price
    narrower = kind(mechanism.scale * (1 - F(1, 2**30)), **options)
    assert lower(narrower.loss(sensitivity).rho()) > price


def test_for_the_same_rho_the_exponential_mechanism_is_allowed_half_the_scale():
    exponential, flipped = (
        kind.calibrate_rho(F(1, 1000), 1) for kind in (Exponential, PermuteAndFlip)
    )
    assert 1.99 < flipped.scale / exponential.scale < 2
    assert Exponential.calibrate_rho(F(1, 8), 1).loss(1).pure() == pytest.approx(1, rel=1e-10)


# ------------------------------------------------------------------------------- the best few


@every_kind
def test_the_best_few_are_chosen_one_by_one_among_those_left(kind, options):
    one, scores = kind(2, **options), [3, 0, 1, 1]
    law = NoisyTopK(2, one).distribution(scores)
    assert len(law) == 12
    for (first, second), chance in law.items():
        left = [place for place in range(4) if place != first]
        then = one.distribution([scores[place] for place in left])[left.index(second)]
        assert chance.overlaps(one.distribution(scores)[first] * then)
    assert lower(sum(law.values(), ball(0))) <= 1 <= upper(sum(law.values(), ball(0)))


@every_kind
@pytest.mark.parametrize("name", ["votes by add-or-remove", "votes by replace"])
def test_the_best_few_cost_one_choice_each(kind, options, name):
    world = WORLDS[name]
    top = NoisyTopK.calibrate(
        2, PRICE, world.sensitivity, kind=kind, monotone=world.monotone, **options
    )
    loss = top.loss(world.sensitivity)
    assert loss == top.each.loss(world.sensitivity) * 2
    assert loss.pure() == PRICE
    for p, q in laws_of(top, world, size=1):
        assert largest_loss(p, q) <= PRICE + TINY
        for order in ORDERS:
            assert upper(divergence(p, q, order)) <= upper(loss.renyi(order)) + TINY
            assert upper(divergence(p, q, order)) <= order * upper(loss.rho()) + TINY
    # Two leaders and a straggler: the straggler, and then the other, are each a whole choice's loss.
    sums = (
        ([41, 40, 0], [40, 40, 1])
        if world.sensitivity.neighbours is REPLACE
        else ([40, 40, 0], [40, 40, 1])
    )
    p, q = (top.distribution(scores) for scores in sums)
    assert max(largest_loss(p, q), largest_loss(q, p)) > PRICE * F(45, 100)


def test_the_best_few_calibrated_to_rho_share_it():
    top = NoisyTopK.calibrate_rho(4, F(1, 2), 1)
    assert upper(top.loss(1).rho()) <= F(1, 2)
    assert top.each.scale == pytest.approx(2, rel=1e-10)
    assert top.error(0.95, 100) == top.each.error(1 - (1 - max(F(0.95), F("0.95"))) / 4, 100)


# ------------------------------------------------------------------------------- what leaves


@every_kind
@pytest.mark.parametrize("candidates", [1, 2, 50])
def test_the_same_words_are_drawn_whatever_the_scores(kind, options, candidates, monkeypatch):
    asked, draw = [], entropy.words
    monkeypatch.setattr(entropy, "words", lambda count: asked.append(count) or draw(count))
    rng = random.Random(7)
    patterns = set()
    for scores in (
        np.zeros(candidates, np.int64),
        np.arange(candidates),
        np.array([rng.randint(-(2**62), 2**62) for _ in range(candidates)]),
        np.array([2**63 - 1] + [-(2**63)] * (candidates - 1)),
    ):
        for mechanism in (kind(3, **options), NoisyTopK(1, kind(3, **options))):
            asked.clear()
            mechanism.release(scores)
            patterns.add(tuple(asked))
    assert len(patterns) == 1


@every_kind
def test_the_best_of_scores_as_far_apart_as_may_be_is_chosen(kind, options):
    wide = [-(2**62), 2**62, 2**62 - 1000, -(2**62)]
    mechanism = kind(2, **options)
    assert mechanism.release(wide) == 1
    assert mechanism.release(np.array(wide), times=50).tolist() == [1] * 50
    assert mechanism.release([score << 64 for score in wide]) == 1
    assert mechanism.release(wide, smallest=True) in {0, 3}
    assert mechanism.release(np.array([2**63 - 1, -(2**63)])) == 0
    assert mechanism.release(np.array([2**63 - 1, -(2**63)]), smallest=True) == 1
    assert mechanism.release(np.array([2**64 - 1, 0], np.uint64)) == 0
    law = mechanism.distribution(wide) if options.get("noise") != "laplace" else {1: ball(1)}
    assert upper(1 - law[1]) < TINY


@every_kind
def test_a_mechanism_is_a_value(kind, options):
    mechanism = kind(F(3, 4), grid=F(1, 4), monotone=True, **options)
    assert isinstance(mechanism, Mechanism)
    assert Selection in type(mechanism).__mro__
    for value in (mechanism, NoisyTopK(3, mechanism)):
        for same_value in (
            copy.copy(value),
            copy.deepcopy(value),
            pickle.loads(pickle.dumps(value)),
        ):
            assert same_value == value
            assert hash(same_value) == hash(value)
            assert repr(same_value) == repr(value)
        for field in fields(value):
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, getattr(value, field.name))
        with pytest.raises((AttributeError, TypeError)):
            value.anything = 1
    others = {
        kind(1, **options),
        kind(2, **options),
        kind(1, grid=1, **options),
        kind(1, monotone=True, **options),
    }
    assert len(others | {kind(1.0, **options)}) == 4


def test_mechanisms_that_choose_differently_are_not_equal():
    assert (
        len({Exponential(1), PermuteAndFlip(1), NoisyMax(1), NoisyMax(1, noise="exponential")}) == 4
    )
    assert Exponential(1).loss(1).renyi(inf) is not None
    assert ADD is Neighbours.ADD_OR_REMOVE
