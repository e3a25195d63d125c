"""What holds for totals of every loss. Add a loss to `LOSSES`, not a test."""

from fractions import Fraction
from itertools import pairwise
from math import inf

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.accounting import BOUNDS, parallel, total
from tacit.errors import InvalidInput, NotPrivate
from tacit.exact import ball, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Composed,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Neighbours,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
)
from tests.laws import enumerated as exact
from tests.together import together

F = Fraction
REPLACE = Neighbours.REPLACE
ASYMMETRIC = FiniteLoss([F(1, 2), F(1, 3), F(1, 6)], [F(2, 3), F(1, 4), F(1, 12)])
TORN = FiniteLoss([F(98, 100), F(2, 100), F(0)], [F(97, 100), F(0), F(3, 100)])

LOSSES = [
    PureLoss(F(1, 10)),
    PureLoss(3),
    BoundedRangeLoss(F(1, 2)),
    ApproximateLoss(F(1, 2), F(1, 10**8)),
    ZeroConcentratedLoss(F(1, 50)),
    ZeroConcentratedLoss(F(1, 50), F(1, 10**8)),
    LaplaceLoss(F(1, 3)),
    DiscreteLaplaceLoss(3, 2),
    GaussianLoss(F(1, 16)),
    DiscreteGaussianLoss(9, 2),
    ASYMMETRIC,
    TORN,
    PureLoss(1).subsample(F(1, 10)),
    LaplaceLoss(1).subsample(F(1, 10)),
    GaussianLoss(1).subsample(F(1, 10)),
    DiscreteGaussianLoss(4, 1).subsample(F(1, 10)),
    ApproximateLoss(1, F(1, 10**7)).subsample(F(1, 10)),
    (GaussianLoss(F(1, 4)) + PureLoss(F(1, 4))).subsample(F(1, 4)),
    parallel(PureLoss(F(1, 2)), GaussianLoss(F(1, 9))),
    parallel(PureLoss(F(1, 2)), ApproximateLoss(F(1, 3), F(1, 10**8))),
]
UNSAMPLED = [ZeroConcentratedLoss(F(1, 50), F(1, 10**8))]  # of what no bound is proved
UNGROUPED = [
    *UNSAMPLED,
    GaussianLoss(1).subsample(F(1, 10)),
    DiscreteGaussianLoss(4, 1).subsample(F(1, 10)),
    ApproximateLoss(1, F(1, 10**7)).subsample(F(1, 10)),
    (GaussianLoss(F(1, 4)) + PureLoss(F(1, 4))).subsample(F(1, 4)),
]
MIXED = PureLoss(F(1, 5)) + GaussianLoss(F(1, 25)) * 3
EPSILONS = [F(0), F(1, 10), F(1, 2), F(1), F(2), F(5)]
HAIR = 1 + 1e-5  # by so much a search for the best order may miss

every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
losses = st.sampled_from(LOSSES)
counts = st.integers(0, 5)


@together
@every_loss
@pytest.mark.parametrize("times", [1, 2, 7])
def test_a_list_costs_what_its_multiple_costs(loss, times):
    assert (
        total([loss] * times)
        == total([loss * times])
        == total(loss * times)
        == total(*[loss] * times)
    )
    assert total([loss] * times).delta(1) == total(loss * times).delta(1)


@given(losses, losses, counts, counts)
def test_order_does_not_matter(one, other, n, m):
    assert (
        total(one * n + other * m)
        == total(other * m, one * n)
        == total([other] * m + [one] * n, one * 0)
    )


@given(losses, losses, losses)
def test_grouping_does_not_matter(a, b, c):
    assert total((a + b) + c) == total(a + (b + c)) == total([a, b], c)


@every_loss
def test_delta_falls_with_epsilon(loss):
    for one in (total(loss), total(loss * 4), total(loss + MIXED)):
        figures = [one.delta(epsilon) for epsilon in EPSILONS]
        assert all(before * HAIR >= after for before, after in pairwise(figures))
        assert all(0 <= figure <= 1 for figure in figures)


@every_loss
def test_epsilon_and_delta_are_inverse(loss):
    for one in (total(loss), total(loss * 4), total(loss + MIXED)):
        delta = one.failure.certified + F(1, 10**5)
        epsilon = one.epsilon(delta)
        assert one.delta(epsilon) <= float(delta) * HAIR
        assert epsilon == 0 or one.delta(epsilon * 0.99) >= float(delta) / HAIR


@every_loss
def test_another_release_never_costs_less(loss):
    for epsilon in EPSILONS:
        assert total(loss).delta(epsilon) <= total(loss * 2).delta(epsilon) * HAIR
        assert total(loss * 2).delta(epsilon) <= total(loss * 2 + MIXED).delta(epsilon) * HAIR


@every_loss
def test_no_bound_undercuts_the_law_of_a_single_release(loss):
    rest = total(loss).losses.split_failure()[1]
    with working():
        for epsilon in EPSILONS:
            own = rest.parts[0][0].delta(epsilon)
            for bound in BOUNDS:
                profile = bound.profile(rest)
                if own is not None and profile is not None:
                    assert lower(own) <= upper(profile(epsilon)) * F(1 + 10**9, 10**9), bound.name


MORE_SENSITIVE = {
    "Laplace": lambda d: LaplaceLoss(F(d, 4)),
    "discrete Laplace": lambda d: DiscreteLaplaceLoss(4, d),
    "Gaussian": lambda d: GaussianLoss(F(d, 4) ** 2),
    "discrete Gaussian": lambda d: DiscreteGaussianLoss(16, d),
    "discrete Gaussian vector": lambda d: ZeroConcentratedLoss(F(d, 4) ** 2 / 2),
    "sampled Gaussian": lambda d: GaussianLoss(F(d, 4) ** 2).subsample(F(1, 5)),
}


@pytest.mark.parametrize("kind", MORE_SENSITIVE)
def test_more_sensitivity_never_costs_less(kind):
    for times in (1, 5):
        totals = [total(MORE_SENSITIVE[kind](d) * times) for d in (1, 2, 5)]
        for less, more in pairwise(totals):
            assert less.epsilon(1e-6) <= more.epsilon(1e-6) * HAIR
            assert all(less.delta(epsilon) <= more.delta(epsilon) * HAIR for epsilon in EPSILONS)
            assert less.renyi(2) <= more.renyi(2)
            assert (less.rho or 0) <= (more.rho or 0)


@every_loss
def test_a_group_never_costs_less(loss):
    if loss in UNGROUPED:
        with pytest.raises(InvalidInput, match="group"):
            loss.group(3)
        return
    grouped = total(loss.group(3))
    for epsilon in EPSILONS:
        assert total(loss).delta(epsilon) <= grouped.delta(epsilon) * HAIR


@every_loss
@pytest.mark.parametrize("rate", [F(0), F(1, 100), F(1, 2), F(1)])
def test_a_sample_never_costs_more_than_the_whole(loss, rate):
    if loss in UNSAMPLED:
        with pytest.raises(InvalidInput, match="sample"):
            loss.subsample(rate)
        return
    sample = total(loss.subsample(rate))
    for epsilon in EPSILONS:
        assert sample.delta(epsilon) <= total(loss).delta(epsilon) * HAIR + 1e-300
    whole, part = total(loss).renyi(3), sample.renyi(3)
    assert whole is None or part <= whole * HAIR


# ---------------------------------------------------------------- three cases in which an accountant in use is wrong


@given(st.integers(1, 12), st.fractions(F(1, 10), F(3)))
def test_five_randomized_responses_cost_five(times, epsilon):
    assert total([PureLoss(epsilon)] * times).epsilon(0) == pytest.approx(float(times * epsilon))
    assert total([PureLoss(1)] * 5).epsilon(0) == 5


@given(st.integers(1, 12), st.fractions(F(1, 10), F(3)))
def test_five_exponential_type_losses_cost_five(times, epsilon):
    five = total([BoundedRangeLoss(epsilon)] * times)
    assert five.epsilon(0) == pytest.approx(float(times * epsilon))
    assert five.rho == pytest.approx(float(times * epsilon**2 / 8))


@pytest.mark.parametrize("norm", [F(1), F(5, 2)])
def test_a_gaussian_under_replace_costs_as_twice_the_sensitivity(norm):
    """Two signed vectors of norm at most C are up to 2C apart, so replacing a unit costs what a group of two does."""
    sigma = F(10)
    moved = Sensitivity(2 * norm, neighbours=REPLACE)
    replaced = GaussianLoss((moved.bound / sigma) ** 2, REPLACE)
    added = GaussianLoss((norm / sigma) ** 2)
    assert total(replaced).mu == pytest.approx(2 * total(added).mu)
    assert total(replaced * 5).epsilon(1e-6) == total(added.group(2) * 5).epsilon(1e-6)
    assert total(replaced).epsilon(1e-6) > 1.9 * total(added).epsilon(1e-6)


# ---------------------------------------------------------------- parallel


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_parts_cost_the_largest_when_units_come_and_go(tenths):
    assert total(parallel(PureLoss(F(n, 10)) for n in tenths)).epsilon(0) == pytest.approx(
        max(tenths) / 10
    )


@given(st.lists(st.integers(1, 30), min_size=2, max_size=5))
def test_parts_cost_the_two_largest_when_a_unit_is_replaced(tenths):
    costs = total(parallel(PureLoss(F(n, 10), REPLACE) for n in tenths))
    assert costs.epsilon(0) == pytest.approx(sum(sorted(tenths)[-2:]) / 10)


def test_parallel_figures_are_the_largest_figure_by_figure():
    one, other = PureLoss(F(1, 2)), GaussianLoss(F(1, 9))
    both = total(parallel(one, other))
    for epsilon in EPSILONS:
        assert both.delta(epsilon) == max(total(one).delta(epsilon), total(other).delta(epsilon))
    assert both.rho == max(total(one).rho, total(other).rho)
    assert both.renyi(2) == max(total(one).renyi(2), total(other).renyi(2))
    assert both.renyi(inf) is None


@given(st.integers(1, 4))
def test_a_group_over_parts_costs_at_most_the_group_in_one_part(size):
    spread = total(parallel(GaussianLoss(F(1, 4)), GaussianLoss(F(1, 9))).group(size))
    assert spread.rho == total(GaussianLoss(F(1, 4)).group(size)).rho


def test_a_replaced_group_touches_each_part_at_most_once_a_unit():
    parts = parallel([PureLoss(1, REPLACE)] * 5)
    assert total(parts.group(3)).epsilon(0) == 6
    assert total(parallel(PureLoss(1, REPLACE)).group(3)).epsilon(0) == 3


# ---------------------------------------------------------------- failures and samples


@given(st.fractions(F(1, 20), F(1)), st.fractions(F(0), F(1, 5)), st.integers(1, 3))
@settings(max_examples=25)
def test_failures_are_split_off_as_the_optimal_theorem_has_it(epsilon, failure, times):
    """1 - (1 - delta)**k (1 - delta_i), at the epsilons (k - 2i) epsilon of Kairouz, Oh, Viswanath."""
    one = total(ApproximateLoss(epsilon, failure) * times)
    pure = total(PureLoss(epsilon) * times)
    for i in range(times // 2 + 1):
        at = (times - 2 * i) * epsilon
        expected = 1 - (1 - failure) ** times * (1 - F(pure.delta(at)))
        assert one.delta(at) == pytest.approx(float(expected), abs=1e-12)


@given(st.fractions(F(1, 10), F(3)), st.fractions(F(1, 100), F(1)), st.fractions(F(101, 100), F(8)))
@settings(max_examples=50)
def test_of_a_mirrored_pair_the_mixture_is_the_worse_direction(epsilon, rate, order):
    with working(200):
        pair = exact.sampled(exact.responses(epsilon, 2), rate)
        assert pair.swapped().one_way_renyi(order) <= pair.one_way_renyi(order)


@given(st.fractions(F(1, 10), F(2)), st.fractions(F(1, 100), F(1)), st.integers(2, 3))
@example(F(1, 10), F(1), 2)
@settings(max_examples=25)
def test_a_sampled_group_is_bounded(epsilon, rate, size):
    """Units are drawn one by one: the number drawn is binomial, and each draw moves randomized response once more."""
    grouped = PureLoss(epsilon).subsample(rate).group(size)
    with working(200):
        drawn = [
            exact.comb(size, j) * ball(rate) ** j * ball(1 - rate) ** (size - j)
            for j in range(size + 1)
        ]
        moved = [exact.response(j * epsilon).p for j in range(size + 1)]
        p = tuple(
            sum((w * law[side] for w, law in zip(drawn, moved, strict=True)), ball(0))
            for side in (0, 1)
        )
        pair = exact.Listed(p, moved[0])
        for at in EPSILONS:
            assert lower(pair.delta(at)) <= F(total(grouped).delta(at))
        assert lower(pair.renyi(F(3))) <= F(total(grouped).renyi(3))


def test_a_sample_of_a_sample_is_a_sample():
    assert GaussianLoss(1).subsample(F(1, 2)).subsample(F(1, 3)) == GaussianLoss(1).subsample(
        F(1, 6)
    )


@every_loss
def test_a_sample_of_all_is_the_whole(loss):
    if total(loss).failure:
        return
    whole, sample = total(loss), total(loss.subsample(1))
    assert sample.epsilon(1e-6) <= whole.epsilon(1e-6) * HAIR


# ---------------------------------------------------------------- refusals


@every_loss
def test_losses_of_two_relations_are_not_added(loss):
    with pytest.raises(InvalidInput, match="relation"):
        total(loss, PureLoss(1, REPLACE))


@every_loss
def test_every_total_can_be_explained(loss):
    for one in (total(loss), total(loss * 3 + MIXED)):
        text = one.explain()
        assert "DP between neighbours by add-or-remove" in text
        assert "Role of delta:" in text
        assert one.by


@every_loss
def test_a_delta_below_the_failure_is_refused(loss):
    one = total(loss)
    if one.failure:
        with pytest.raises(NotPrivate, match="fail"):
            one.epsilon(one.failure.certified / 2)


def test_nothing_costs_nothing():
    nothing = total()
    assert nothing.losses == Composed.of()
    assert (nothing.epsilon(0), nothing.delta(0), nothing.rho, nothing.renyi(2)) == (0, 0, 0, 0)
    assert nothing.tradeoff(F(1, 4)) == 0.75
