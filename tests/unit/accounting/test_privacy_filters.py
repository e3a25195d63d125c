"""Filters: what they grant, what they refuse, and what their whole units cost."""

from fractions import Fraction
from math import exp, floor, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting import Charge, ConcentratedFilter, Odometer, PureFilter, parallel, total
from tacit.accounting.privacy_filters import DELTA_UNIT, EPSILON_UNIT, RHO_UNIT
from tacit.errors import InvalidInput, NotChargeable
from tacit.exact import ball, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Neighbours,
    PureLoss,
    ZeroConcentratedLoss,
)

F = Fraction
VAULT = ConcentratedFilter(epsilon=3, delta=F(1, 10**6))
PURE = PureFilter(epsilon=3)


def granted(vault, charge):
    """How many equal charges are admitted, one after the other."""
    spent, count = Charge(), 0
    while vault.admits(spent, charge):
        spent, count = spent + charge, count + 1
    return count


def rho_in_real_arithmetic(epsilon, delta):
    """The largest rho over a fine grid of orders, in floats and by a formula of its own."""
    orders = (1 + exp(place / 200) for place in range(-800, 2400))
    return max((epsilon + (log(delta) + a * log(a)) / (a - 1) - log(a - 1)) / a for a in orders)


@pytest.mark.parametrize(("price", "queries"), [(F(3, 10), 74), (F(1, 10), 590), (F(3), 1)])
def test_as_many_queries_are_granted_as_exact_arithmetic_allows(price, queries):
    real = rho_in_real_arithmetic(3.0, 5e-7) / rho_in_real_arithmetic(float(price), 5e-7)
    assert floor(real * (1 + 1e-9)) == queries
    assert granted(VAULT, VAULT.price_of(price)) == queries


def test_whole_units_cost_less_than_one_unit_a_query():
    """74.0966 queries at 0.3 and 590.93 at 0.1: the rounding moves these ratios in the fifteenth digit."""
    for price, real in ((F(3, 10), 74.0966), (F(1, 10), 590.9276)):
        units = VAULT.limit.amount / VAULT.price_of(price).amount
        assert units == pytest.approx(real, abs=5e-4)
        ratio = rho_in_real_arithmetic(3.0, 5e-7) / rho_in_real_arithmetic(float(price), 5e-7)
        assert units == pytest.approx(ratio, rel=1e-6)


def test_a_query_at_the_limit_spends_exactly_everything():
    assert VAULT.price_of(3) == Charge(VAULT.limit.amount)
    assert VAULT.with_keys(VAULT.price_of(3)) == VAULT.limit
    assert VAULT.share(VAULT.with_keys(VAULT.price_of(3))) == 1
    assert PURE.price_of(3) == PURE.limit


def test_the_limit_is_the_largest_that_keeps_the_promise():
    """R is the floor, in whole units, of the largest rho over all orders, found here by thirds with 400 bits."""
    delta = F(1, 2 * 10**6)

    def rho_at(order):
        above = ball(order - 1)
        return (
            3 + (ball(delta).log() + ball(order) * ball(order).log()) / above - above.log()
        ) / ball(order)

    with working(400):
        low, high = F(2), F(200)
        for _ in range(200):
            left, right = (2 * low + high) / 3, (low + 2 * high) / 3
            left, right = (F(round(x * 2**200), 2**200) for x in (left, right))
            low, high = (left, high) if rho_at(left) < rho_at(right) else (low, right)
        assert (
            VAULT.limit.amount
            == floor(lower(rho_at(low)) / RHO_UNIT)
            == floor(upper(rho_at(low)) / RHO_UNIT)
        )
    assert VAULT.limit.failure == floor(delta / DELTA_UNIT)


@given(st.fractions(F(1, 50), F(3)))
@settings(max_examples=40)
def test_a_price_alone_keeps_its_epsilon(epsilon):
    rho = VAULT.amount(VAULT.price_of(epsilon))
    assert total(ZeroConcentratedLoss(rho)).epsilon(VAULT.delta / 2) <= float(epsilon) * (1 + 1e-9)


@given(st.lists(st.fractions(F(1, 1000), F(1)), min_size=1, max_size=40))
@settings(max_examples=40)
def test_what_is_admitted_keeps_the_promise(rhos):
    spent, losses = Charge(), []
    for rho in rhos:
        loss = ZeroConcentratedLoss(rho / 10, F(1, 10**8))
        charge = VAULT.price(loss)
        if VAULT.admits(spent, charge):
            spent, losses = spent + charge, [*losses, loss]
    assert spent.fits(VAULT.limit)
    if losses:
        assert total(losses).epsilon(VAULT.delta) <= 3 * (1 + 1e-9)


LOSSES = [
    GaussianLoss(F(1, 7)),
    DiscreteGaussianLoss(7, 2),
    ZeroConcentratedLoss(F(1, 7), F(1, 3 * 10**8)),
    LaplaceLoss(F(1, 7)),
    PureLoss(F(1, 7)),
    BoundedRangeLoss(F(1, 7)),
    ApproximateLoss(F(1, 7), F(1, 3 * 10**8)),
    GaussianLoss(F(1, 7)) * 3 + PureLoss(F(1, 9)),
    parallel(PureLoss(F(1, 7)), GaussianLoss(F(1, 9))),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_charges_are_rounded_up(loss):
    charge = VAULT.price(loss)
    failure, rest = loss.split_failure()
    with working(300):
        assert charge.amount * RHO_UNIT >= lower(rest.rho())
        assert (charge.amount - 1) * RHO_UNIT < upper(rest.rho())
    assert charge.failure * DELTA_UNIT >= failure > (charge.failure - 1) * DELTA_UNIT


@pytest.mark.parametrize("epsilon", [F(1, 3), F(1, 7), F(2)])
def test_pure_charges_are_rounded_up_and_prices_down(epsilon):
    paid, asked = PURE.price(PureLoss(epsilon)), PURE.price_of(epsilon)
    assert paid.amount * EPSILON_UNIT >= epsilon >= asked.amount * EPSILON_UNIT
    assert paid.amount - asked.amount in {0, 1}
    assert PURE.price(PureLoss(PURE.amount(asked))) == asked


def test_ten_queries_at_a_tenth_of_the_limit_fit_a_pure_vault():
    assert granted(PURE, PURE.price_of(0.3)) == 10
    # a loss of exactly 3/10 is a unit above the price
    assert granted(PURE, PURE.price(PureLoss(F(3, 10)))) == 9


@pytest.mark.parametrize(
    "loss",
    [
        GaussianLoss(1),
        ZeroConcentratedLoss(1),
        ApproximateLoss(1, F(1, 100)),
        parallel(PureLoss(1), GaussianLoss(1)),
    ],
)
def test_a_pure_filter_refuses_what_has_no_pure_epsilon(loss):
    with pytest.raises(NotChargeable, match="pure epsilons"):
        PURE.price(loss)


class Unconcentrated(PureLoss):
    """A loss that knows its deltas only."""

    def rho(self):
        return None


def test_a_concentrated_filter_refuses_what_states_no_rho():
    with pytest.raises(NotChargeable, match="sums rho"):
        VAULT.price(Unconcentrated(1))


def test_a_loss_for_other_neighbours_is_refused():
    for vault in (PURE, VAULT):
        with pytest.raises(NotChargeable, match="replace"):
            vault.price(PureLoss(1, Neighbours.REPLACE))
        with pytest.raises(InvalidInput, match="a loss"):
            vault.price(1)
    replaced = ConcentratedFilter(3, F(1, 10**6), Neighbours.REPLACE)
    assert (
        replaced.price(GaussianLoss(1, Neighbours.REPLACE)).amount
        == VAULT.price(GaussianLoss(1)).amount
    )


def test_nothing_fits_beyond_the_limit_by_a_single_unit():
    limit = VAULT.limit
    assert VAULT.admits(Charge(limit.amount - 1), Charge(1))
    assert not VAULT.admits(Charge(limit.amount), Charge(1))
    assert not VAULT.admits(Charge(0, limit.failure), Charge(0, 1))
    assert VAULT.admits(limit, Charge())


@pytest.mark.parametrize("bad", [0, -1, True, "1", float("nan"), float("inf")])
def test_limits_and_prices_that_are_not_positive_are_refused(bad):
    for call in (PureFilter, PURE.price_of, VAULT.price_of, lambda x: ConcentratedFilter(x, 0.1)):
        with pytest.raises(InvalidInput):
            call(bad)
    with pytest.raises(InvalidInput):
        ConcentratedFilter(1, bad)


@pytest.mark.parametrize("bad", [-1, 1.0, True, "1", None])
def test_charges_are_whole_numbers(bad):
    with pytest.raises(InvalidInput):
        Charge(bad)
    with pytest.raises(InvalidInput):
        Charge(0, bad)


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(3)])
def test_the_way_back_from_a_price_is_its_epsilon(epsilon):
    for vault in (PURE, VAULT):
        back = vault.epsilon_of(vault.price_of(epsilon))
        assert float(back) == pytest.approx(float(epsilon), rel=1e-9)
        assert vault.epsilon_of(Charge()) == 0


def test_a_limit_below_one_unit_is_refused():
    for small in (
        lambda: PureFilter(F(1, 2**50)),
        lambda: ConcentratedFilter(F(1, 10**12), F(1, 10**60)),
    ):
        with pytest.raises(InvalidInput, match="one unit"):
            small()


def test_a_delta_of_one_is_no_limit():
    with pytest.raises(InvalidInput, match="below one"):
        ConcentratedFilter(1, 1)


def test_optimal_composition_would_grant_more_than_a_filter_may():
    """It is no filter: what it says holds only for losses fixed in advance, so the pure vault must not use it."""
    charge = PURE.price_of(F(3, 10))
    fixed = total(PureLoss(PURE.amount(charge)) * 11)
    assert fixed.epsilon(1e-2) < 3  # as if delta could be had later
    assert granted(PURE, charge) == 10


def test_an_odometer_says_what_it_is():
    seen = Odometer()
    assert seen.epsilon(0) == 0
    for _ in range(3):
        seen = seen.with_loss(PureLoss(F(1, 2)))
    assert seen.epsilon(0) == 1.5
    assert seen.epsilon(1e-2) == total(PureLoss(F(1, 2)) * 3).epsilon(1e-2)
    assert "as if fixed in advance" in seen.show(1e-2)
    assert "for display only" in seen.show(1e-2)


@pytest.mark.parametrize("epsilon", [10**7, 10**20, 1e300])
def test_an_epsilon_that_hides_nothing_is_refused(epsilon):
    with pytest.raises(InvalidInput, match="nothing is hidden"):
        ConcentratedFilter(3, 1e-6).price_of(epsilon)


@pytest.mark.parametrize(
    "vault", [PureFilter(3), ConcentratedFilter(3, 1e-6), PureFilter(Fraction(1, 300))]
)
@pytest.mark.parametrize(
    "part", [Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(999, 1000)]
)
def test_the_epsilon_that_is_left_fits_and_a_tenth_more_does_not(vault, part):
    spent = Charge(int(vault.limit.amount * part))
    left = vault.epsilon_left(spent, vault.price_of(vault.epsilon))
    assert vault.admits(spent, vault.price_of(left))
    assert not vault.admits(spent, vault.price_of(left * Fraction(11, 10)))
    assert f"{float(left):g}" == f"{float(left):.2g}"


def test_no_epsilon_is_named_where_nothing_is_left_or_a_failure_does_not_fit():
    vault = ConcentratedFilter(3, 1e-6)
    assert vault.epsilon_left(vault.limit, vault.price_of(1)) is None
    assert vault.epsilon_left(Charge(vault.limit.amount - 1), vault.price_of(1)) is None
    assert vault.epsilon_left(Charge(), Charge(1, vault.limit.failure + 1)) is None
