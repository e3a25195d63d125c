"""What holds for every loss. Add a loss to `CASES`, not a test.

A case sets a loss beside an explicit pair of distributions (tests/laws/pairs.py) that it must bound, and says which of
its figures are not only bounds but the pair's own. Figures have 128 bits, sums and integrals 55 digits.
"""

import copy
import dataclasses
import pickle
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit.privacy
from tacit.errors import InvalidInput
from tacit.exact import Ball, ball, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Composed,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Neighbours,
    PureLoss,
    SampledUnderReplace,
    Shuffled,
    Subsampled,
    ZeroConcentratedLoss,
    renyi_delta,
)
from tests.laws import pairs
from tests.laws.pairs import ERROR, INFINITY, Listed, Pair, decimally
from tests.together import together

F = Fraction
REPLACE = Neighbours.REPLACE
EPSILONS = [F(0), F(1, 100), F(1, 10), F(1, 2), F(1), F(3, 2), F(2), F(3), F(5), F(8), F(20)]
ORDERS = [
    F(10001, 10000),
    F(101, 100),
    F(11, 10),
    F(3, 2),
    F(2),
    F(3),
    F(11, 2),
    F(10),
    F(32),
    F(100),
    F(1000),
]
# from 1.0001 to about 1000
MANY_ORDERS = [1 + F(1, 10000) * F(round(1.29**i * 1000), 1000) for i in range(64)]


@dataclass(frozen=True)
class Case:
    """A loss, a pair of distributions that it bounds, and the figures of it that are the pair's own."""

    loss: Loss
    pair: Pair
    exact: str = ""  # among delta, renyi, rho, moments
    unknown: str = ""  # among delta, renyi, pure, rho, group: those it has no bound for
    group: Callable[[int], Pair] | None = None  # the pair for neighbours of neighbours
    bits: int = 80  # to which figures are known; fewer where doubles are summed


def truncated(steps: int) -> Listed:
    """Geometric noise on 0..3, held inside, as seen from 0 and from `steps`: each step doubles or halves, at most."""
    rows = [[F(2, 3), F(1, 6), F(1, 12), F(1, 12)], [F(1, 3), F(1, 3), F(1, 6), F(1, 6)]]
    rows += [row[::-1] for row in reversed(rows)]
    return pairs.finite(rows[0], rows[steps])


def pure(epsilon: Fraction, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Case:
    return Case(
        PureLoss(epsilon, neighbours),
        pairs.response(epsilon),
        "delta renyi rho",
        group=lambda k: pairs.response(k * epsilon),
    )


def laplace(epsilon: Fraction) -> Case:
    pair = pairs.laplace(epsilon)
    return Case(
        LaplaceLoss(epsilon),
        pair,
        "delta renyi rho moments",
        group=lambda k: pairs.laplace(k * epsilon),
    )


def gaussian(squared: Fraction) -> Case:
    return Case(
        GaussianLoss(squared),
        pairs.gaussian(squared),
        "delta renyi rho moments",
        "pure" if squared else "",
        lambda k: pairs.gaussian(k * k * squared),
    )


def discrete_laplace(scale: Fraction, distance: int) -> Case:
    return Case(
        DiscreteLaplaceLoss(scale, distance),
        pairs.discrete_laplace(scale, distance),
        "delta renyi moments",
        group=lambda k: pairs.discrete_laplace(scale, k * distance),
    )


def discrete_gaussian(variance: Fraction, distance: int) -> Case:
    return Case(
        DiscreteGaussianLoss(variance, distance),
        pairs.discrete_gaussian(variance, distance),
        "delta rho moments",
        "pure" if distance else "",
        lambda k: pairs.discrete_gaussian(variance, k * distance),
    )


def finite(p: list[Fraction], q: list[Fraction]) -> Case:
    apart = any((not a) != (not b) for a, b in zip(p, q, strict=True))
    return Case(
        FiniteLoss(p, q),
        pairs.finite(p, q),
        "delta renyi moments",
        "renyi pure rho" if apart else "",
    )


def bounded_range(span: Fraction) -> Case:
    pair = pairs.TwoValued(span)
    return Case(
        BoundedRangeLoss(span), pair, "delta renyi", group=lambda k: pairs.TwoValued(k * span)
    )


def approximate(epsilon: Fraction, failure: Fraction) -> Case:
    pair = pairs.telling(epsilon, failure)
    return Case(
        ApproximateLoss(epsilon, failure), pair, "delta renyi", "renyi pure rho" if failure else ""
    )


def concentrated(rho: Fraction) -> Case:
    pair = pairs.gaussian(2 * rho)
    return Case(
        ZeroConcentratedLoss(rho),
        pair,
        "renyi rho",
        "pure",
        lambda k: pairs.gaussian(2 * rho * k * k),
    )


HERE, THERE = [F(1, 2), F(1, 3), F(1, 6)], [F(7, 8), F(1, 12), F(1, 24)]
CASES = [
    pure(F(1, 100)),
    pure(F(1)),
    pure(F(8)),
    pure(F(1), REPLACE),
    laplace(F(1, 2)),
    laplace(F(3)),
    gaussian(F(1, 4)),
    gaussian(F(9)),
    discrete_laplace(F(1, 2), 1),
    discrete_laplace(F(2), 3),
    discrete_laplace(F(10, 3), 8),
    discrete_laplace(F(2), 0),
    discrete_gaussian(F(1, 4), 1),
    discrete_gaussian(F(9, 4), 1),
    discrete_gaussian(F(7, 2), 3),
    discrete_gaussian(F(1100), 20),  # summed as an integral with corrections
    discrete_gaussian(F(2), 0),
    finite([F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]),
    finite([F(1, 2), F(1, 3), F(1, 6), F(0)], [F(2, 3), F(1, 4), F(1, 12), F(0)]),
    finite([F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 4), F(1, 4)]),
    finite([F(1), F(0)], [F(0), F(1)]),
    finite([F(1, 3), F(2, 3)], [F(1, 3), F(2, 3)]),
    Case(FiniteLoss(*([F(2, 3), F(1, 6), F(1, 12), F(1, 12)], [F(1, 3), F(1, 3), F(1, 6), F(1, 6)])),
         truncated(1), "delta renyi", group=truncated),
    bounded_range(F(1, 2)),
    bounded_range(F(4)),
    bounded_range(F(12)),  # more concentrated as a pure loss
    approximate(F(1), F(1, 1000)),
    approximate(F(1), F(0)),
    approximate(F(0), F(1, 10)),
    approximate(F(2), F(1)),
    concentrated(F(1, 8)),
    concentrated(F(2)),
    Case(ZeroConcentratedLoss(F(1, 8), F(1, 1000)), pairs.Failing(F(1, 1000), pairs.gaussian(F(1, 4))),
         "", "renyi pure rho group"),
    Case(Subsampled(PureLoss(1), F(1, 4)), pairs.sampled(pairs.response(F(1)), F(1, 4)), "delta renyi"),
    Case(Subsampled(DiscreteLaplaceLoss(2, 1), F(1, 8)), pairs.drawn(F(2), F(1, 8), 1), "delta renyi",
         group=lambda k: pairs.drawn(F(2), F(1, 8), k)),
    Case(Subsampled(DiscreteLaplaceLoss(2, 3), F(1, 8)),
         pairs.sampled(pairs.discrete_laplace(F(2), 3).around(F(1)), F(1, 8)), "delta"),
    Case(Subsampled(DiscreteGaussianLoss(F(9, 4), 1), F(1, 8)),
         pairs.sampled(pairs.discrete_gaussian(F(9, 4), 1).around(F(1)), F(1, 8)), "delta", "pure group"),
    Case(Subsampled(FiniteLoss(HERE, THERE), F(1, 4)), pairs.sampled(pairs.finite(HERE, THERE), F(1, 4))),
    Case(Subsampled(FiniteLoss(HERE, THERE), F(3, 4)), pairs.sampled(pairs.finite(THERE, HERE), F(3, 4))),
    Case(PureLoss(1) + FiniteLoss([F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)]) * 2,
         pairs.both(pairs.response(F(1)), pairs.both(*[pairs.finite([F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)])] * 2)),
         "renyi", "delta"),
    Case(Shuffled(1, 4), pairs.shuffled(F(1), 4), bits=20),
    Case(Shuffled(F(3, 2), 3, response=True), pairs.shuffled(F(3, 2), 3), bits=20),
    Case(SampledUnderReplace.fixed_size(PureLoss(1, REPLACE), 1, 4), pairs.sampled(pairs.response(F(1)), F(1, 4)),
         "delta"),
    Case(SampledUnderReplace.poisson(DiscreteGaussianLoss(F(9, 4), 2, REPLACE), DiscreteGaussianLoss(F(9, 4), 1),
                                     F(1, 8)),
         pairs.sampled(pairs.discrete_gaussian(F(9, 4), 1).around(F(1)), F(1, 8)), "", "pure"),
    Case(PureLoss(1) * 0, pairs.response(F(0)), "renyi rho", "delta"),
    Case(PureLoss(1) + ApproximateLoss(1, F(1, 10)), pairs.both(pairs.response(F(1)), pairs.telling(F(1), F(1, 10))),
         "", "delta renyi pure rho"),
]  # fmt: skip


def shown(case: Case) -> str:
    """A loss as a short text: `PureLoss(1)`."""
    text = re.sub(
        r"Fraction\((\d+), (\d+)\)",
        lambda m: m[1] if m[2] == "1" else f"{m[1]}/{m[2]}",
        repr(case.loss),
    )
    return re.sub(
        r"\w+=|, neighbours=<Neighbours.ADD_OR_REMOVE: 'add-or-remove'>|<Neighbours.|: 'replace'>",
        "",
        text,
    )


every_loss = pytest.mark.parametrize("case", CASES, ids=shown)
LOSSES = [case.loss for case in CASES if case.loss.neighbours is not REPLACE]


def having(*figures: str) -> pytest.MarkDecorator:
    """The losses that have these figures."""
    known = [case for case in CASES if not set(figures) & set(case.unknown.split())]
    return pytest.mark.parametrize("case", known, ids=shown)


def exactly(figure: str) -> pytest.MarkDecorator:
    """The losses that have this figure, and whose figure is the pair's own."""
    known = [
        case for case in CASES if figure in set(case.exact.split()) - set(case.unknown.split())
    ]
    return pytest.mark.parametrize("case", known, ids=shown)


@pytest.fixture(autouse=True)
def _certified():
    with working(128):
        yield


@cache
def true_delta(pair: Pair, epsilon: Fraction) -> Decimal:
    return pair.delta(epsilon)


@cache
def true_renyi(pair: Pair, order: Fraction) -> Decimal:
    return pair.renyi(order)


def encloses(enclosure: Ball, figure: Decimal) -> bool:
    """Whether the ball holds the figure, within the figure's own error, and is not much wider than its precision."""
    true = F(figure)
    slack = ERROR * max(F(1), abs(true))
    return lower(enclosure) - slack <= true <= upper(enclosure) + slack and upper(
        enclosure
    ) - lower(enclosure) < F(1, 2**90)


def bounds(enclosure: Ball, figure: Decimal) -> bool:
    """Whether the upper end of the ball is at least the figure, within the figure's own error."""
    return figure != INFINITY and upper(enclosure) >= F(figure) - ERROR * max(F(1), abs(F(figure)))


# ---------------------------------------------------------------- delta


@exactly("delta")
def test_delta_is_the_hockey_stick_divergence_of_the_two_distributions(case):
    for epsilon in EPSILONS:
        assert encloses(case.loss.delta(epsilon), true_delta(case.pair, epsilon)), epsilon


@having("delta")
def test_delta_bounds_the_hockey_stick_divergence(case):
    for epsilon in EPSILONS:
        assert bounds(case.loss.delta(epsilon), true_delta(case.pair, epsilon)), epsilon


@together
@having("delta")
def test_delta_is_a_probability_that_never_rises_with_epsilon(case):
    deltas = [case.loss.delta(epsilon) for epsilon in EPSILONS]
    assert all(not delta < 0 and not delta > 1 for delta in deltas)
    assert all(not later > earlier for earlier, later in pairwise(deltas))


@together
@exactly("delta")
def test_delta_is_convex_in_e_to_the_epsilon(case):
    points = [(ball(epsilon).exp(), case.loss.delta(epsilon)) for epsilon in EPSILONS]
    for (x, at_x), (y, at_y), (z, at_z) in zip(points, points[1:], points[2:], strict=False):
        chord = at_x + (at_z - at_x) * (y - x) / (z - x)
        assert not at_y > chord


@together
@exactly("delta")
def test_delta_at_zero_is_the_total_variation(case):
    assert encloses(case.loss.delta(F(0)), case.pair.variation())


@together
@having("pure", "delta")
def test_delta_vanishes_at_the_pure_epsilon_and_beyond(case):
    at = case.loss.pure()
    for epsilon in (at, at + F(1, 1000), at + 1, 10 * at + 10):
        assert abs(upper(case.loss.delta(epsilon))) < F(1, 2**100)


# ---------------------------------------------------------------- Renyi divergence and rho


@exactly("renyi")
def test_renyi_is_the_divergence_of_the_two_distributions(case):
    for order in ORDERS:
        assert encloses(case.loss.renyi(order), true_renyi(case.pair, order)), order


@having("renyi")
def test_renyi_bounds_the_divergence_of_the_two_distributions(case):
    for order in ORDERS:
        assert bounds(case.loss.renyi(order), true_renyi(case.pair, order)), order


@having("renyi")
def test_renyi_never_falls_with_the_order(case):
    figures = [case.loss.renyi(order) for order in MANY_ORDERS]
    assert all(not earlier > later for earlier, later in pairwise(figures))


@together
@having("pure")
def test_renyi_of_order_infinity_is_the_largest_privacy_loss(case):
    largest, pure = case.pair.largest(), case.loss.renyi(inf)
    assert bounds(pure, largest)
    assert bounds(ball(case.loss.pure()), largest)
    assert 0 <= case.loss.pure() <= upper(pure) + F(1, 2**100)
    assert upper(pure) - F(largest) < F(1, 2**100) or "delta" not in case.exact
    assert all(not case.loss.renyi(order) > pure for order in MANY_ORDERS)


@having("rho")
def test_rho_times_the_order_bounds_every_divergence(case):
    rho = case.loss.rho()
    assert all(bounds(rho * ball(order), true_renyi(case.pair, order)) for order in ORDERS)
    assert all(not case.loss.renyi(order) > rho * ball(order) for order in MANY_ORDERS)


@exactly("rho")
def test_no_smaller_rho_would_do(case):
    nearly_one = 1 + F(1, 10**12)
    best = max(F(true_renyi(case.pair, order)) / order for order in (nearly_one, F(2)))
    assert upper(case.loss.rho()) <= best * (1 + F(1, 10**9)) + F(1, 10**30)


@pytest.mark.parametrize("case", [case for case in CASES if case.loss.is_mirrored], ids=shown)
@decimally
def test_a_mirrored_loss_is_that_of_a_pair_that_looks_the_same_from_both_sides(case):
    pair = case.pair.around(F(1)) if isinstance(case.pair, pairs.Integers) else case.pair
    if isinstance(pair, Listed):  # continuous noise is symmetric by how it is written
        forth, back = Counter(), Counter()
        for p, q in pair.both:
            forth[round(p, 40), round(q, 40)] += 1
            back[round(q, 40), round(p, 40)] += 1
        assert forth == back
    else:
        assert isinstance(pair, pairs.Density)


def test_a_pair_that_looks_different_from_the_other_side_is_not_called_mirrored():
    crooked = FiniteLoss(HERE, THERE)
    assert not crooked.is_mirrored
    assert not (PureLoss(1) + crooked).is_mirrored
    assert not Subsampled(PureLoss(1), F(1, 2)).is_mirrored
    assert not BoundedRangeLoss(1).is_mirrored


@pytest.mark.parametrize("case", [case for case in CASES if case.loss.moments(1)], ids=shown)
def test_moments_are_those_of_the_privacy_loss_or_bound_them(case):
    moments = case.loss.moments(5)
    assert len(moments) == 6
    for power, moment in enumerate(moments):
        true = case.pair.moment(power)
        assert encloses(moment, true) if "moments" in case.exact else bounds(moment, true)


@together
@every_loss
def test_a_loss_says_of_which_figures_it_has_no_bound(case):
    figures = {
        "delta": case.loss.delta(F(1)),
        "renyi": case.loss.renyi(F(2)),
        "pure": case.loss.renyi(inf),
        "rho": case.loss.rho(),
    }
    assert (case.loss.pure() is None) == (figures["pure"] is None)
    assert {name for name, figure in figures.items() if figure is None} == set(
        case.unknown.split()
    ) - {"group"}


@settings(max_examples=80)
@given(st.fractions(F(1, 1000), 60), st.fractions(F(10001, 10000), 1000))
def test_randomized_response_and_laplace_noise_are_as_concentrated_as_they_say(epsilon, order):
    for loss in (PureLoss(epsilon), LaplaceLoss(epsilon), DiscreteLaplaceLoss(3 / epsilon, 3)):
        with working(400):
            assert loss.renyi(order) < loss.rho() * ball(order)


@settings(max_examples=60)
@given(
    st.fractions(F(1, 100), 20),
    st.fractions(F(1, 50), F(49, 50)),
    st.fractions(F(10001, 10000), 300),
)
def test_no_two_valued_loss_exceeds_the_figures_of_bounded_range(span, share, order):
    worst = pairs.TwoValued(span).at(pairs.decimal(span * share))
    loss = BoundedRangeLoss(span)
    assert bounds(loss.renyi(order), worst.renyi(order))
    assert bounds(loss.rho() * ball(order), worst.renyi(order))
    assert all(bounds(loss.delta(epsilon), worst.delta(epsilon)) for epsilon in (F(0), span / 3))


@settings(max_examples=60)
@given(
    st.fractions(F(1, 10), 6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=2, max_size=5),
)
@decimally
def test_the_exponential_mechanism_with_monotone_scores_has_a_bounded_range(epsilon, scores):
    first = [pairs.exp(epsilon * score) for score, _ in scores]
    second = [pairs.exp(epsilon * (score + F(moved, 4))) for score, moved in scores]
    pair = pairs.finite([a / sum(first) for a in first], [b / sum(second) for b in second])
    loss = BoundedRangeLoss(epsilon)
    assert all(bounds(loss.delta(e), pair.delta(e)) for e in (F(0), epsilon / 4, epsilon))
    assert all(bounds(loss.renyi(order), pair.renyi(order)) for order in (F(11, 10), F(2), F(20)))


@together
@having("delta")
def test_setting_failure_apart_leaves_a_delta_that_holds(case):
    failure, rest = case.loss.split_failure()
    assert rest.neighbours is case.loss.neighbours
    for epsilon in EPSILONS:
        assert bounds(
            ball(failure) + ball(1 - failure) * rest.delta(epsilon), true_delta(case.pair, epsilon)
        )


@together
@having("renyi")
def test_a_divergence_converts_into_a_delta_that_holds(case):
    for order in (F(3, 2), F(2), F(10), F(100)):
        for epsilon in (F(0), F(1, 2), F(2), F(8)):
            converted = renyi_delta(case.loss.renyi(order), order, epsilon)
            assert bounds(converted, true_delta(case.pair, epsilon))
            assert not converted > 1


# ---------------------------------------------------------------- distances and groups


@pytest.mark.parametrize(
    ("loss", "pair"),
    [
        (DiscreteLaplaceLoss(F(3, 2), 6), pairs.discrete_laplace),
        (DiscreteLaplaceLoss(F(1, 3), 4), pairs.discrete_laplace),
        (DiscreteGaussianLoss(F(3, 2), 6), pairs.discrete_gaussian),
        (DiscreteGaussianLoss(F(9), 5), pairs.discrete_gaussian),
    ],
    ids=["Laplace 3/2", "Laplace 1/3", "Gaussian 3/2", "Gaussian 9"],
)
def test_moving_less_never_costs_more(loss, pair):
    noise = loss.scale if isinstance(loss, DiscreteLaplaceLoss) else loss.variance
    for distance in range(loss.distance + 1):
        nearer = pair(noise, distance)
        assert all(bounds(loss.delta(epsilon), nearer.delta(epsilon)) for epsilon in EPSILONS[:8])
        assert all(bounds(loss.renyi(order), nearer.renyi(order)) for order in ORDERS[3:9:2])
        smaller = type(loss)(noise, distance)
        assert all(not smaller.delta(epsilon) > loss.delta(epsilon) for epsilon in EPSILONS)
        assert all(not smaller.renyi(order) > loss.renyi(order) for order in ORDERS)


@pytest.mark.parametrize("case", [case for case in CASES if case.group], ids=shown)
def test_the_loss_of_a_group_bounds_neighbours_of_neighbours(case):
    for size in (2, 3):
        grouped, apart = case.loss.group(size), case.group(size)
        for epsilon in (F(0), F(1, 2), F(5)):
            assert bounds(grouped.delta(epsilon), apart.delta(epsilon)), (size, epsilon)
        for order in (F(101, 100), F(11, 2)):
            assert bounds(grouped.renyi(order), apart.renyi(order)), (size, order)
        assert grouped.neighbours is case.loss.neighbours


@together
@having("group")
def test_a_group_of_one_costs_no_less_and_one_of_two_no_less_than_that(case):
    one, two = case.loss.group(1), case.loss.group(2)
    for figure in (lambda loss: loss.renyi(F(2)), lambda loss: loss.delta(F(1, 2))):
        figures = [figure(loss) for loss in (case.loss, one, two)]
        if None not in figures:
            assert not figures[0] > figures[1]
            assert not figures[1] > figures[2]


@having("delta")
def test_delta_is_asked_at_an_exact_epsilon_of_at_least_zero(case):
    for epsilon in (F(-1), -1, 0.5, float("nan"), True, "1", None):
        with pytest.raises(InvalidInput, match="epsilon"):
            case.loss.delta(epsilon)


@together
@having("renyi")
def test_renyi_is_asked_at_an_order_above_one(case):
    for order in (F(1), 1, F(1, 2), 0.5, -2, float("nan"), True, "2", None):
        with pytest.raises(InvalidInput, match="order"):
            case.loss.renyi(order)


@together
@every_loss
def test_the_size_of_a_group_is_a_whole_number_above_zero(case):
    for size in (0, -1, True, 1.5, "2", None, 2**62, float("nan")):
        with pytest.raises(InvalidInput, match=r"the size of a group (cannot be|is missing)"):
            case.loss.group(size)


@pytest.mark.parametrize("epsilon", [F(1, 4), F(1)])
@pytest.mark.parametrize("failure", [F(1, 100), F(1, 10**9)])
@decimally
def test_group_privacy_of_an_approximate_loss_is_reached_by_a_chain(epsilon, failure):
    # P(yes) grows from one neighbour to the next as fast as it may, beginning at zero.
    chain = [Decimal(0)]
    for _ in range(4):
        chain.append(pairs.exp(epsilon) * chain[-1] + pairs.decimal(failure))
    ends = [pairs.finite([yes, 1 - yes], [chain[0], 1 - chain[0]]) for yes in chain]
    steps = [pairs.finite([yes, 1 - yes], [before, 1 - before]) for before, yes in pairwise(chain)]
    assert all(F(step.delta(epsilon)) <= failure + ERROR for step in steps), (
        "the chain keeps the promise"
    )
    for size in range(1, 5):
        grouped = ApproximateLoss(epsilon, failure).group(size)
        assert grouped.epsilon == size * epsilon
        assert -ERROR < grouped.failure - F(ends[size].delta(grouped.epsilon)) < F(1, 2**100)


@decimally
def shaming(bits, epsilon, failure):
    """The outcomes of publishing each row with a probability, and always the count with noise, held inside 0..n."""
    n, count = len(bits), sum(bits)
    falls = pairs.exp(-epsilon)
    noise = {
        z: falls ** abs(z - count) * (1 if z in {0, n} else 1 - falls) / (1 + falls)
        for z in range(n + 1)
    }
    told, outcomes = pairs.decimal(failure), {}
    for published in product((True, False), repeat=n):
        seen = tuple(bit if shown else None for bit, shown in zip(bits, published, strict=True))
        chance = told ** sum(published) * (1 - told) ** (n - sum(published))
        outcomes |= {(seen, z): chance * weight for z, weight in noise.items()}
    assert abs(sum(outcomes.values()) - 1) < Decimal("1e-50")
    return outcomes


@pytest.mark.parametrize("epsilon", [F(1, 4), F(1)])
def test_group_privacy_bounds_name_and_shame_beside_a_noisy_count(epsilon):
    failure = F(1, 50)
    databases = [
        shaming(bits, epsilon, failure) for bits in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1))
    ]

    def apart(one, other):
        keys = sorted(one | other, key=repr)
        return pairs.finite(
            *([outcomes.get(key, Decimal(0)) for key in keys] for outcomes in (one, other))
        )

    promised = max(F(apart(*two).delta(epsilon)) for two in pairwise(databases))
    assert failure <= promised + ERROR, "the row that differs is published with this probability"
    for size in (1, 2, 3):
        grouped = ApproximateLoss(epsilon, promised).group(size)
        worst = max(
            F(apart(*two).delta(grouped.epsilon))
            for two in zip(databases, databases[size:], strict=False)
        )
        assert failure <= worst + ERROR
        assert worst <= grouped.failure + ERROR


# ---------------------------------------------------------------- precision


@every_loss
def test_figures_are_upper_bounds_at_any_precision_and_tighten_with_it(case):
    def figures(bits):
        with working(bits):
            found = [case.loss.delta(epsilon) for epsilon in EPSILONS]
            found += [case.loss.renyi(order) for order in (*ORDERS, inf)] + [case.loss.rho()]
            return [figure for figure in found if figure is not None]

    # A ball at 30 bits may have no finite end: then nothing is claimed.
    rough, fine, finest = figures(30), figures(128), figures(500)
    for wide, narrow, point in zip(rough, fine, finest, strict=True):
        assert not wide.is_finite() or upper(wide) >= lower(point)
        assert upper(narrow) >= lower(point)
        assert (
            upper(point) - lower(point)
            <= upper(narrow) - lower(narrow)
            < F(1, 2**case.bits) * max(1, upper(narrow))
        )
        assert not wide.is_finite() or upper(narrow) - lower(narrow) <= upper(wide) - lower(wide)
    assert sum(figure.is_finite() for figure in rough) >= len(rough) - 2


# ---------------------------------------------------------------- adding up


losses = st.sampled_from(LOSSES)
times = st.integers(0, 5)


@given(losses, losses, losses)
def test_adding_is_commutative_and_associative(one, other, third):
    assert one + other == other + one
    assert (one + other) + third == one + (other + third)
    assert hash(one + other) == hash(other + one)


@given(losses, times, times)
def test_repeating_is_adding(loss, often, more):
    added = loss * 0
    for _ in range(often):
        added = added + loss
    assert loss * often == often * loss == added
    assert loss * often + loss * more == loss * (often + more)
    assert (loss * often) * more == loss * (often * more)


@given(st.lists(st.tuples(losses, times), max_size=6))
def test_a_sum_counts_every_loss_it_was_made_of(counted):
    expected = Counter()
    for loss, often in counted:
        for part, inner in loss.parts if isinstance(loss, Composed) else ((loss, 1),):
            expected[part] += often * inner
    assert dict(Composed.of(*counted).parts) == {
        part: often for part, often in expected.items() if often
    }


@given(losses, losses, times)
def test_divergences_and_rho_of_a_sum_are_sums(one, other, often):
    whole = one * often + other
    for figure in (
        lambda loss: loss.renyi(F(5, 2)),
        lambda loss: loss.renyi(inf),
        lambda loss: loss.rho(),
    ):
        first, second = figure(one), figure(other)
        if second is None or (first is None and often):
            assert figure(whole) is None
        else:
            assert figure(whole).overlaps((first * often if often else ball(0)) + second)


@every_loss
def test_losses_for_different_relations_do_not_add_up(case):
    strange = PureLoss(1, Neighbours.ADD_OR_REMOVE if case.loss.neighbours is REPLACE else REPLACE)
    for add in (
        lambda: case.loss + strange,
        lambda: strange + case.loss,
        lambda: (strange * 0) + case.loss,
    ):
        with pytest.raises(InvalidInput, match=r"neighbours cannot be .*same relation"):
            add()


@together
@every_loss
def test_a_loss_is_repeated_a_whole_number_of_times(case):
    for often in (-1, True, 1.5, 1.0, "2", None, 2**62, float("nan")):
        with pytest.raises(
            InvalidInput, match=r"how often a loss is repeated (cannot be|is missing)"
        ):
            case.loss * often


@together
@every_loss
def test_no_times_is_nothing_and_very_many_times_is_very_much(case):
    assert (case.loss * 0).parts == ()
    assert (case.loss * 0).neighbours is case.loss.neighbours
    assert upper((case.loss * 0).rho()) == upper((case.loss * 0).renyi(inf)) == 0
    often = 10**18
    if case.loss.rho() is not None:
        assert (case.loss * often).rho().overlaps(case.loss.rho() * often)


@together
@every_loss
def test_only_losses_add_up(case):
    for stranger in (0, 1.0, None, "loss", object()):
        with pytest.raises(InvalidInput, match=r"a loss (cannot be|is missing)"):
            case.loss + stranger


# ---------------------------------------------------------------- values


@together
@every_loss
def test_a_loss_survives_pickling_and_copying(case):
    for copied in (
        pickle.loads(pickle.dumps(case.loss)),
        copy.copy(case.loss),
        copy.deepcopy(case.loss),
    ):
        assert copied == case.loss
        assert hash(copied) == hash(case.loss)
        assert repr(copied) == repr(case.loss)
        assert copied.neighbours is case.loss.neighbours


@together
@every_loss
def test_a_loss_can_be_read_back_from_its_text(case):
    text = re.sub(r"<(Neighbours\.\w+): '[\w-]+'>", r"\1", repr(case.loss))
    names = {name: getattr(tacit.privacy, name) for name in tacit.privacy.__all__} | {
        "Fraction": Fraction
    }
    assert eval(text, {"__builtins__": {}}, names) == case.loss


@together
@every_loss
def test_a_loss_is_frozen(case):
    for field in dataclasses.fields(case.loss):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(case.loss, field.name, getattr(case.loss, field.name))
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(case.loss, field.name)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        case.loss.stranger = 1


def test_equal_losses_have_equal_texts_and_no_others_do():
    losses = [case.loss for case in CASES]
    assert len({repr(loss) for loss in losses}) == len(set(losses)) == len(losses)
    assert PureLoss(1) != LaplaceLoss(1)
    assert PureLoss(1) != PureLoss(1, REPLACE)
    assert PureLoss(1) == PureLoss(1.0) == PureLoss(F(1))


@together
@every_loss
def test_every_loss_keeps_the_protocol(case):
    assert isinstance(case.loss, Loss)
    assert case.loss.neighbours in Neighbours


def test_every_kind_of_loss_is_in_the_list():
    public = [getattr(tacit.privacy, name) for name in tacit.privacy.__all__]
    kinds = {kind for kind in public if isinstance(kind, type) and Loss in kind.__mro__[1:]}
    assert {type(case.loss) for case in CASES} == kinds
