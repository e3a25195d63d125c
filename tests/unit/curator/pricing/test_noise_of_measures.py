"""Terms: the noise keeps the price, the price is the whole limit where it should be, and parts are equal."""

from fractions import Fraction
from math import ceil, isqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.accounting import Charge
from tacit.curator import Limit, Shared, terms_of
from tacit.curator.pricing.noise_of_measures import _relative_error, amount_within
from tacit.errors import InvalidInput
from tacit.exact import upper, working
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Counted, Field, Kind, Question, Scan, Table, centred_sum, sum_measure
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of, weights_for
from tests.together import together
from tests.unit.curator.asked import CONCENTRATED, PURE, ROWS, VISITS, plan_of, shared

F = Fraction
TEXTS = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS m, SUM(gain) AS s FROM visits GROUP BY ward",
    "SELECT SUM(cost) AS s, COUNT(DISTINCT person) AS p, AVG(age * age) AS a FROM visits",
]
both_limits = pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])


def spent_of(terms, limit):
    """What the noise costs by the mechanisms' own certificates, in the currency of the limit."""
    if not limit.delta:
        return terms.spent.pure()
    with working():
        return upper(terms.spent.rho())


def moderate(text, table=VISITS):
    return plan_of(text, table).question


@both_limits
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("neighbours", list(Neighbours))
@settings(max_examples=12)
@given(
    epsilon=st.one_of(st.sampled_from([F(1, 1000), 0.3, 1, 3, 50]), st.fractions(F(1, 100), 10)),
    contributions=st.sampled_from([1, 3, 10, 1000]),
    rows=st.booleans(),
)
def test_the_noise_never_costs_more_than_the_price(
    limit, text, neighbours, epsilon, contributions, rows
):
    assume(not (rows and "DISTINCT" in text))
    table = ROWS if rows else VISITS
    rule = Limit(limit.epsilon, limit.delta, neighbours)
    amount = rule.filter().amount(rule.filter().price_of(epsilon))
    terms = terms_of(moderate(text, table), shared(contributions, table), rule, amount)
    assert spent_of(terms, rule) <= amount
    assert terms.spent.neighbours is terms.loss.neighbours is neighbours


@both_limits
@pytest.mark.parametrize("reach", [2**20, 2**35, 2**39])
def test_a_sum_with_an_enormous_reach_keeps_its_price_too(limit, reach):
    wide = Field(Column("wide", Kind.INTEGER, low=-3, high=reach))
    table = Table("wide", (wide.column,), unit="person")
    question = Question(Scan(table), (), (Counted(), sum_measure(wide), centred_sum(wide)))
    for contributions in (1, 5):
        terms = terms_of(question, Shared(table, contributions), limit, F(1, 3))
        assert spent_of(terms, limit) <= F(1, 3)


@together
@both_limits
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("epsilon", [0.3, 1, 2.5, 3])
def test_the_charge_is_the_price_asked_for_and_the_whole_limit_at_its_epsilon(limit, text, epsilon):
    rule = limit.filter()
    price = rule.price_of(epsilon)
    terms = terms_of(moderate(text), shared(), limit, rule.amount(price))
    assert rule.price(terms.loss) == price
    if epsilon == 3:
        assert rule.price(terms.loss).amount == rule.limit.amount


@both_limits
@pytest.mark.parametrize("text", TEXTS)
def test_next_to_nothing_of_the_price_is_wasted(limit, text):
    terms = terms_of(moderate(text), shared(), limit, F(1, 10))
    assert spent_of(terms, limit) > F(1, 10) * (1 - F(1, 1000))


@both_limits
def test_every_measure_gets_an_equal_part(limit):
    question = moderate(TEXTS[2])
    terms = terms_of(question, shared(), limit, F(1, 10))
    for mechanism, moved in zip(terms.mechanisms, terms.sensitivities, strict=True):
        loss = mechanism.loss(moved)
        with working():
            part = upper(loss.rho()) if limit.delta else loss.pure()
        assert part <= F(1, 10) / len(question.measures)
        assert part > F(1, 10) / len(question.measures) * F(999, 1000)


@both_limits
def test_noise_is_laplace_where_nothing_may_fail_and_gaussian_elsewhere(limit):
    terms = terms_of(moderate(TEXTS[2]), shared(), limit, F(1, 10))
    assert {type(mechanism) for mechanism in terms.mechanisms} == {
        Gaussian if limit.delta else Laplace
    }


@both_limits
@settings(max_examples=40)
@given(numbers=st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=4), moves=st.data())
def test_rounding_to_the_grid_keeps_the_claimed_sensitivity(limit, numbers, moves):
    terms = terms_of(moderate(TEXTS[0]), shared(), limit, F(1, 10**4))
    weights = weights_for(terms.question, 5, limit.weighing)
    (exact,) = sensitivity_of(terms.question, weights, limit.neighbours)
    for number in numbers:
        move = moves.draw(st.integers(-int(exact.bound), int(exact.bound)))
        one, other = terms.round_to_grid(0, [number, number + move])
        assert abs(one - other) <= terms.sensitivities[0].bound
        assert abs(one * terms.grids[0] - number) <= terms.grids[0] // 2


@pytest.mark.parametrize("amount", [F(1, 10**7), F(1, 10**4), F(1, 100)])
def test_rounding_many_groups_that_barely_move_keeps_the_claimed_sensitivity(amount):
    terms = terms_of(moderate(TEXTS[1]), shared(), CONCENTRATED, amount)
    weights = weights_for(terms.question, 5, CONCENTRATED.weighing)
    (exact,) = sensitivity_of(terms.question, weights, CONCENTRATED.neighbours)
    (grid,) = terms.grids
    assert grid > 1
    moves = [isqrt(int(exact.bound) ** 2 - 2), 1, 1]
    before = [grid // 2 - 1] * 3  # one more, and it is rounded up
    after = [number + move for number, move in zip(before, moves, strict=True)]
    steps = [
        b - a
        for a, b in zip(terms.round_to_grid(0, before), terms.round_to_grid(0, after), strict=True)
    ]
    assert steps[1:] == [1, 1]
    assert sum(step**2 for step in steps) <= terms.sensitivities[0].bound ** 2


def test_a_grid_is_far_finer_than_the_noise():
    for amount in (F(1, 10**6), F(1, 10), F(5)):
        terms = terms_of(moderate(TEXTS[2]), shared(), CONCENTRATED, amount)
        for grid, mechanism in zip(terms.grids, terms.mechanisms, strict=True):
            assert grid == 1 or mechanism.sigma > 2**20


@both_limits
def test_a_step_is_worth_what_the_engine_counted_it_as(limit):
    terms = terms_of(moderate(TEXTS[2]), shared(), limit, F(1, 10))
    for place, measure in enumerate(terms.question.measures):
        step = getattr(measure, "step", 1)
        assert terms.worth(place) == F(step) * terms.grids[place] / 2**20


@both_limits
@pytest.mark.parametrize("within", [F(1), 5, 50.0, 10**4])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_price_of_an_accuracy_buys_that_accuracy_and_hardly_more(limit, within, confidence):
    question = moderate(TEXTS[1])
    amount = amount_within(question, shared(), limit, (0,), within, confidence)
    unit = limit.filter().amount(Charge(1))
    for paid in (amount, ceil(amount / unit) * unit):
        terms = terms_of(question, shared(), limit, paid)
        assert terms.reach(0, confidence) <= within
    assert terms.reach(0, confidence) > F(within) * F(99, 100)


@both_limits
def test_the_price_of_an_accuracy_is_that_of_the_neediest_measure(limit):
    question = moderate(TEXTS[2])
    places = tuple(range(len(question.measures)))
    amount = amount_within(question, shared(), limit, places, 1000, 0.95)
    reached = [terms_of(question, shared(), limit, amount).reach(place, 0.95) for place in places]
    assert 990 < max(reached) <= 1000


@both_limits
@pytest.mark.parametrize("within", [0, -0.0, -1, float("nan"), True, "5"])
def test_an_accuracy_that_no_noise_has_is_refused(limit, within):
    with pytest.raises(InvalidInput):
        amount_within(moderate(TEXTS[0]), shared(), limit, (0,), within, 0.95)


@both_limits
def test_an_accuracy_needs_a_count_or_a_sum(limit):
    with pytest.raises(InvalidInput, match="give epsilon"):
        amount_within(moderate(TEXTS[0]), shared(), limit, (), 5, 0.95)


@both_limits
@pytest.mark.parametrize("amount", [F(0), F(-1)])
def test_nothing_is_answered_for_nothing(limit, amount):
    with pytest.raises(InvalidInput):
        terms_of(moderate(TEXTS[0]), shared(), limit, amount)


@pytest.mark.parametrize("limit", [PURE, CONCENTRATED], ids=["pure", "concentrated"])
def test_an_error_is_reached_in_a_few_steps(limit, monkeypatch):
    """Errors are whole steps: one that is a little too large has to become a step smaller, not ever less too large."""
    question, looked = plan_of("SELECT COUNT(*) AS n FROM visits").question, []

    def counted(*given):
        looked.append(given)
        assert len(looked) <= 4
        return _relative_error(*given)

    monkeypatch.setattr("tacit.curator.pricing.noise_of_measures._relative_error", counted)
    for tenths in range(3, 3000, 61):
        looked.clear()
        allowed = Fraction(tenths, 10) + Fraction(1, 3)
        amount = amount_within(question, shared(), limit, (0,), allowed, 0.95)
        assert terms_of(question, shared(), limit, amount).reach(0, 0.95) <= allowed
