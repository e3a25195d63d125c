"""Laws of the quantiles: their claims on every pair of neighbours of small universes, their draws, their errors."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import exp
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.audit import neighbouring_pairs, sensitivity_by_search, verify
from tacit.exact import (
    ball,
    drawn_index,
    entropy,
    lower,
    upper,
    weighted_index,
    weighted_law,
    working,
)
from tacit.mechanisms import (
    Cells,
    ClippingBounds,
    Contributions,
    HistogramQuantiles,
    InterquartileRange,
    JointQuantiles,
    Laplace,
    PowersOfTwo,
    Quantile,
    RecursiveQuantiles,
    quantiles_for,
)
from tacit.mechanisms.joint_quantiles import _Chain
from tacit.mechanisms.quantile import rank_errors
from tacit.privacy import BoundedRangeLoss, Neighbours, Norm, Sensitivity
from tests.laws.every_mechanism import both_relations

F = Fraction
EPSILON = F(2)
QUARTERS = (F(1, 4), F(1, 2), F(3, 4))
HALF = (F(1, 2),)
ENDS = (F(1, 5), F(4, 5))

# A way to calibrate, the ranks, how many cells and rows the universe has, and how much the heaviest unit weighs.
DRAWN = {
    "joint ends in parts": (partial(JointQuantiles.calibrate, parts=3), ENDS, 3, 2, 1),
    "recursive ends in parts": (partial(RecursiveQuantiles.calibrate, parts=3), ENDS, 3, 2, 1),
    "median": (Quantile, F(1, 2), 4, 3, 1),
    "upper quartile": (Quantile, F(3, 4), 4, 3, 1),
    "one in ten, of weight two": (Quantile, F(1, 10), 3, 2, 2),
    "joint median": (JointQuantiles, HALF, 4, 3, 1),
    "joint ends": (JointQuantiles, ENDS, 4, 3, 1),
    "joint quartiles of weight two": (JointQuantiles, QUARTERS, 3, 2, 2),
    "recursive median": (RecursiveQuantiles, HALF, 4, 3, 1),
    "recursive ends": (RecursiveQuantiles, ENDS, 4, 3, 1),
    "recursive quartiles of weight two": (RecursiveQuantiles, QUARTERS, 3, 2, 2),
}
every_draw = pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in DRAWN.items()]
)


def made(case, neighbours):
    kind, ranks, _, _, heaviest = case
    sensitivity = Sensitivity(heaviest, neighbours=neighbours)
    if kind is RecursiveQuantiles:
        return kind.calibrate(EPSILON, sensitivity, ranks, parts=1), sensitivity
    calibrated = kind if isinstance(kind, partial) else kind.calibrate
    return calibrated(EPSILON, sensitivity, ranks), sensitivity


def histogram(rows, cells):
    """How much each cell weighs; a row is a cell and a weight."""
    weights = [0] * cells
    for place, weight in rows:
        weights[place] += weight
    return weights


def universe(cells, heaviest):
    return [(place, weight) for place in range(cells) for weight in range(1, heaviest + 1)]


@both_relations
@every_draw
def test_every_pair_of_neighbours_is_as_hard_to_tell_apart_as_claimed(case, neighbours):
    mechanism, sensitivity = made(case, neighbours)
    _, _, cells, size, heaviest = case
    report = verify(
        lambda rows: mechanism.distribution(histogram(rows, cells)),
        universe(cells, heaviest),
        size,
        neighbours,
        ordered=False,
    )
    assert mechanism.loss(sensitivity).pure() <= EPSILON
    assert report.holds(EPSILON)
    assert report.epsilon().low > EPSILON / 10


@both_relations
@every_draw
def test_the_loss_spans_no_more_than_the_claimed_range(case, neighbours):
    mechanism, sensitivity = made(case, neighbours)
    _, _, cells, size, heaviest = case
    laws: dict = {}

    def law(rows):
        if rows not in laws:
            laws[rows] = {
                outcome: p.log()
                for outcome, p in mechanism.distribution(histogram(rows, cells)).items()
            }
        return laws[rows]

    loss = mechanism.loss(sensitivity)
    claimed = sum(part.epsilon * n for part, n in getattr(loss, "parts", ((loss, 1),)))
    with working():
        for x, y in neighbouring_pairs(universe(cells, heaviest), size, neighbours, ordered=False):
            told = [law(x)[outcome] - law(y)[outcome] for outcome in law(x)]
            assert max(map(upper, told)) - min(map(lower, told)) <= claimed + F(1, 2**60)


WIDE = 60


@both_relations
@pytest.mark.parametrize("kind", [Quantile, JointQuantiles, RecursiveQuantiles])
def test_the_claim_for_a_median_is_attained_to_a_twentieth(kind, neighbours):
    """Nearly all cells lie between the middle rows and are misranked together when a row comes from the left."""
    options = {"parts": 1} if kind is RecursiveQuantiles else {}
    ranks = F(1, 2) if kind is Quantile else HALF
    mechanism = kind.calibrate(1, Sensitivity(1, neighbours=neighbours), ranks, **options)
    size = 3 if neighbours is Neighbours.ADD_OR_REMOVE else 4
    report = verify(
        lambda rows: mechanism.distribution(np.bincount(rows, minlength=WIDE)),
        (0, 1, WIDE - 1),
        size,
        neighbours,
        ordered=False,
    )
    assert report.holds(1)
    assert report.epsilon().low >= F(95, 100)


SHAPES = [((3,), 3), ((2, 2), 3), ((2, 2, 2), 6)]


@both_relations
@pytest.mark.parametrize(("shape", "cells"), SHAPES)
def test_the_ranges_of_a_histogram_move_by_exactly_what_is_paid_for(shape, cells, neighbours):
    mechanism = HistogramQuantiles(HALF, shape, cells, scale=5)

    def ranges(rows):
        return np.concatenate(mechanism.ranges(histogram(rows, cells)))

    found = sensitivity_by_search(ranges, universe(cells, 2), 2, neighbours, Norm.L1, ordered=False)
    assert mechanism.loss(Sensitivity(2, neighbours=neighbours)).epsilon == found.bound / 5


@both_relations
def test_the_noise_of_a_histogram_is_laplace_noise_of_its_scale(neighbours):
    mechanism = HistogramQuantiles(HALF, (2,), 2, scale=F(3, 2))
    noise = Laplace(mechanism.scale)

    def law(rows):
        (level,) = mechanism.ranges(histogram(rows, 2))
        one, other = (noise.distribution(int(weight)).clamp_law(-1, 3) for weight in level)
        return {(a, b): p * q for a, p in one.items() for b, q in other.items()}

    report = verify(law, universe(2, 1), 2, neighbours, ordered=False)
    assert mechanism.loss(Sensitivity(1, neighbours=neighbours)).epsilon in report.epsilon()
    with patch(
        "tacit.mechanisms.histogram_quantiles.discrete_laplace",
        lambda scale, size: np.full(size, int(2 * scale)),
    ):
        assert mechanism.noisy([5, 7]).levels[0].tolist() == [8, 10]


def test_what_is_read_off_a_noisy_histogram_depends_on_the_noisy_integers_alone():
    mechanism = HistogramQuantiles(QUARTERS, (3, 4), 12, scale=2)
    with patch("tacit.mechanisms.histogram_quantiles.discrete_laplace") as noise:
        noise.side_effect = lambda scale, size: 10 - exact.pop(0)
        read = []
        for weights in (np.arange(12), np.arange(12)[::-1]):
            exact = list(mechanism.ranges(weights))
            read.append(mechanism.release(weights))
    assert read[0] == read[1]


@given(st.lists(st.integers(0, 9), min_size=12, max_size=12))
def test_without_noise_the_fitted_weights_are_the_exact_ones_and_the_quantiles_too(weights):
    mechanism = HistogramQuantiles(QUARTERS, (3, 4), 12, scale=2)
    with patch(
        "tacit.mechanisms.histogram_quantiles.discrete_laplace",
        lambda scale, size: np.zeros(size, np.int64),
    ):
        noisy = mechanism.noisy(weights)
    assert np.allclose(noisy.fitted, weights)
    # else the float sums may fall on either side of a quantile between two cells
    if sum(weights) % 4 and sum(weights):
        assert all(
            rank_errors(np.array(weights), rank)[place] == 0
            for rank, place in zip(QUARTERS, noisy.quantiles(QUARTERS), strict=True)
        )


# ---------------------------------------------------------------- draws


scores = st.lists(st.integers(-40, 40), min_size=1, max_size=12)


@given(
    scores, st.data(), st.integers(0, 2**64 - 1), st.sampled_from([F(1, 3), F(1), F(7, 2), F(1000)])
)
def test_an_index_is_the_one_in_whose_share_the_uniform_number_lies(
    given_scores, data, word, scale
):
    widths = data.draw(
        st.lists(st.integers(0, 2**40), min_size=len(given_scores), max_size=len(given_scores))
    )
    if not any(widths):
        widths[0] = 1
    assert _index(given_scores, scale, widths, word) == _inverse(given_scores, scale, widths, word)


@given(scores, st.data(), st.sampled_from([F(1, 3), F(1), F(7, 2)]))
def test_a_uniform_number_on_the_border_of_two_shares_is_read_further(given_scores, data, scale):
    """The first 64 bits of a border cannot be decided by floats, nor by those bits at all."""
    with working(512):
        borders = np.cumsum(weighted_law(given_scores, scale))[:-1]
        words = [int(lower(border * 2**64)) for border in borders]
    if words:
        word = data.draw(st.sampled_from(words))
        for tail in (1, 2**64 - 2):  # an endless tail of zeros would lie on the border itself
            assert _index(given_scores, scale, None, word, tail) == _inverse(
                given_scores, scale, None, word, tail
            )


def _index(scores, scale, widths, word, tail=2**63):
    words = iter([word])
    with patch.object(
        entropy, "words", lambda count: np.array([next(words, tail)] * count, np.uint64)
    ):
        return weighted_index(scores, scale, widths)


def _inverse(scores, scale, widths, word, tail=2**63):
    """By summing the exact law, with 1024 bits."""
    uniform = word
    for _ in range(6):
        uniform = uniform << 64 | tail
    with working(1024):
        total = ball(0)
        for index, chance in enumerate(weighted_law(scores, scale, widths)):
            total += chance
            if total > ball(F(uniform, 2**448)):
                return index
    return max(i for i in range(len(scores)) if widths is None or widths[i])


@given(st.lists(st.floats(2**-30, 1), min_size=1, max_size=6), st.integers(0, 2**64 - 1))
@example([1.0, 1.0], 2**63 + 2**59)  # by the wrong floats the border is at 9/16
def test_floats_that_are_a_little_wrong_never_decide_wrongly(weights, word):
    slack = 2.0**-3
    exact = [ball(F(weight)) for weight in weights]
    wrong = np.array([weight * (1 + slack * (-1) ** i) for i, weight in enumerate(weights)])

    def drawn(floats, error):
        words = iter([word])
        with patch.object(
            entropy, "words", lambda count: np.array([next(words, 1)] * count, np.uint64)
        ):
            return drawn_index(floats, error, lambda: exact)

    assert drawn(wrong, slack) == drawn(np.zeros(len(weights)), slack)


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=7),
    st.sampled_from([ENDS, QUARTERS, (F(1, 7), F(1, 3))]),
)
def test_the_chain_of_a_joint_draw_sums_to_the_stated_law_and_its_floats_are_within_their_slack(
    weights, ranks
):
    mechanism = JointQuantiles(ranks, F(7, 2))
    chain = _Chain(mechanism, np.array(weights))
    with working():
        law = mechanism.distribution(weights)
        last = chain._exact(len(ranks) - 1, None)
        outcome = max(law, key=lambda each: upper(law[each]))
        chance = last[outcome[-1]] / sum(last, ball(0))
        for j in range(len(ranks) - 2, -1, -1):
            before = chain._exact(j, outcome[j + 1])
            chance = chance * before[outcome[j]] / sum(before, ball(0))
        assert abs(upper(chance) - upper(law[outcome])) < F(1, 2**90)
    for after, exactly in ((None, last), (outcome[1], chain._exact(0, outcome[1]))):
        floats = chain.weights(0 if after is not None else len(ranks) - 1, after)
        with working():
            total = sum(exactly, ball(0))
            for float_weight, exact in zip(floats / floats.sum(), exactly, strict=True):
                share = upper(exact / total)
                assert abs(F(float(float_weight)) - share) <= share * F(chain.slack) * 3


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.data())
def test_runs_stand_for_as_many_cells_as_they_are_wide(rows, data):
    """The law of a draw over runs, each then cut evenly, is that over cells."""
    grid = Cells(0, 5)
    held, widths = grid.runs(rows)
    mechanism = Quantile(F(1, 3), F(3, 2))
    with working():
        whole = mechanism.distribution(grid.weigh(rows))
        runs = weighted_law(*mechanism._score_cells(held), widths)
        spread = [
            chance / width for chance, width in zip(runs, widths, strict=True) for _ in range(width)
        ]
        assert all(
            abs(upper(whole[cell]) - upper(chance)) < F(1, 2**90)
            for cell, chance in enumerate(spread)
        )


# ---------------------------------------------------------------- errors


histograms = st.lists(st.integers(0, 60), min_size=2, max_size=6)


@given(
    histograms,
    st.sampled_from([F(1, 2), F(1, 10)]),
    st.sampled_from([F(1, 2), F(9, 10), F(99, 100)]),
)
@example([0, 0, 7, 0, 0, 0], F(1, 2), F(9, 10))
def test_a_quantile_is_misranked_by_no_more_than_its_error(weights, rank, confidence):
    mechanism = Quantile(rank, F(3, 2))
    most = F(mechanism.error(confidence, len(weights)))
    apart = rank_errors(np.array(weights), rank)
    with working():
        law = mechanism.distribution(weights)
        beyond = sum((law[i] for i in law if F(int(apart[i]), rank.denominator) > most), ball(0))
        assert upper(beyond) <= 1 - confidence + F(1, 2**60)
    assert most <= mechanism.error_bound(confidence, len(weights))


def test_no_smaller_error_holds_when_all_rows_lie_in_one_cell():
    mechanism, cells = Quantile(F(1, 2), 50), 20
    error = mechanism.error(0.95, cells)
    weights = np.zeros(cells, np.int64)
    weights[3] = 2 * int(error)  # all other cells are misranked by half of it, just below the error
    with working():
        law = mechanism.distribution(weights)
        assert upper(sum((law[i] for i in law if i != 3), ball(0))) > F(1, 20)
    assert error > 0.99 * int(error)


@settings(max_examples=40)
@given(
    histograms,
    st.sampled_from([F(1, 2), F(9, 10)]),
    st.sampled_from([JointQuantiles, RecursiveQuantiles]),
    st.integers(1, 3),
)
def test_all_of_several_quantiles_are_misranked_by_no_more_than_their_error(
    weights, confidence, kind, parts
):
    mechanism = kind(ENDS, 2, parts=parts)
    array = np.array(weights)
    most = F(mechanism.error(confidence, len(weights))) + mechanism_leaves(mechanism, array)
    apart = [rank_errors(array, rank) for rank in ENDS]
    with working():
        beyond = sum(
            (
                chance
                for outcome, chance in mechanism.distribution(weights).items()
                if max(F(int(gaps[i]), 5) for gaps, i in zip(apart, outcome, strict=True)) > most
            ),
            ball(0),
        )
        assert upper(beyond) <= 1 - confidence + F(1, 2**60)


def mechanism_leaves(mechanism, weights) -> Fraction:
    """What heavy cells add: half of what the best tuple is apart, or the heaviest cell at each level."""
    if isinstance(mechanism, RecursiveQuantiles):
        return F(int(weights.max())) * mechanism.levels / mechanism.parts
    upto = [
        F(sums, mechanism.parts)
        for sums in [0, *np.cumsum(np.repeat(weights, mechanism.parts)).tolist()]
    ]
    total = int(weights.sum())
    shares = [b - a for a, b in pairwise((F(0), *ENDS, F(1)))]
    apart = [
        sum(
            abs(b - a - share * total)
            for share, (a, b) in zip(
                shares, pairwise((F(0), upto[i], upto[j], F(total))), strict=True
            )
        )
        for i in range(1, len(upto))
        for j in range(i, len(upto))
    ]
    return F(min(apart)) / 2


@pytest.mark.parametrize("rank", [F(1, 2), F(1, 4)])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_a_histogram_errs_by_no_more_than_its_error(rank, confidence):
    """Two cells: the noise in a rank is (1 - rank) z - rank w, for two Laplace numbers."""
    mechanism, scale = HistogramQuantiles([rank], (2,), 2, scale=3), 3
    places = np.arange(-150, 151)
    mass = np.exp(-np.abs(places) / scale) * (1 - exp(-1 / scale)) / (1 + exp(-1 / scale))
    noise = np.abs(float(1 - rank) * places[:, None] - float(rank) * places)
    beyond = (mass[:, None] * mass)[noise > mechanism.error(confidence)].sum()
    assert beyond <= 1 - confidence
    second = float((mass[:, None] * mass * noise**2).sum())
    if rank == F(1, 2):
        assert mechanism.deviation() == pytest.approx(second**0.5)


# ---------------------------------------------------------------- uses


@both_relations
def test_clipping_bounds_cost_what_they_claim(neighbours):
    grid = PowersOfTwo(0, 2)
    sensitivity = Sensitivity(1, neighbours=neighbours)
    mechanism = ClippingBounds.calibrate(EPSILON, sensitivity, share=0.8, grid=grid)

    def law(rows):
        low, high = (end.distribution(grid.weigh(rows)) for end in (mechanism.low, mechanism.high))
        return {(a, b): p * q for a, p in low.items() for b, q in high.items()}

    report = verify(law, (-3.0, 0.0, 1e300, float("nan")), 2, neighbours, ordered=False)
    assert mechanism.loss(sensitivity).pure() == EPSILON
    assert report.holds(EPSILON)


@both_relations
def test_a_bound_on_contributions_costs_what_it_claims_however_many_rows_a_unit_has(neighbours):
    sensitivity = Sensitivity(1, neighbours=neighbours)
    mechanism = Contributions.calibrate(EPSILON, share=0.9, most=5, sensitivity=sensitivity)
    report = verify(
        lambda rows: mechanism.cut.distribution(mechanism.grid.weigh(rows)),
        (1, 2, 10**9),
        3,
        neighbours,
        ordered=False,
    )
    assert mechanism.loss(sensitivity).pure() == EPSILON
    assert report.holds(EPSILON)


@both_relations
def test_losses_name_their_relation_and_cost_no_more_than_was_asked(neighbours):
    sensitivity = Sensitivity(3, neighbours=neighbours)
    for mechanism in (
        Quantile.calibrate(EPSILON, sensitivity, F(1, 3)),
        JointQuantiles.calibrate(EPSILON, sensitivity, QUARTERS),
        RecursiveQuantiles.calibrate(EPSILON, sensitivity, QUARTERS),
        HistogramQuantiles.calibrate(EPSILON, sensitivity, 30, QUARTERS),
        InterquartileRange.calibrate(EPSILON, sensitivity),
        quantiles_for(EPSILON, sensitivity, 30, QUARTERS),
    ):
        loss = mechanism.loss(sensitivity)
        assert loss.neighbours is neighbours
        assert loss.pure() == EPSILON
    assert isinstance(Quantile(F(1, 2), 1).loss(sensitivity), BoundedRangeLoss)
