"""Laws of the exact verifier, over random finite mechanisms and over Tacit's own."""

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from math import inf
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.audit import (
    Truncated,
    compare,
    neighbouring_pairs,
    posterior_shift,
    sensitivity_by_search,
    truncate,
    verify,
)
from tacit.audit.enclosure import enclose
from tacit.errors import NotPrivate
from tacit.exact import ball, upper, working
from tacit.mechanisms import Gaussian, Laplace, RandomizedResponse, analytic_gaussian_sigma
from tacit.privacy import Neighbours, Sensitivity

F = Fraction
OUTCOMES = "abcdef"

ratios = st.fractions(1, 20, max_denominator=50)
probabilities = st.fractions(0, 1, max_denominator=60)


@st.composite
def distributions(draw, outcomes=OUTCOMES):
    """A random distribution; outcomes of probability zero and one are common."""
    weights = draw(
        st.lists(st.integers(0, 9), min_size=len(outcomes), max_size=len(outcomes)).filter(any)
    )
    return {
        outcome: F(weight, sum(weights)) for outcome, weight in zip(outcomes, weights, strict=True)
    }


@st.composite
def mechanisms(draw, universe="AB", size=2, least=0):
    """A random mechanism on small databases, looked up in a table."""
    weight = st.integers(least, 5)
    table = {}

    def mechanism(rows):
        if rows not in table:
            weights = draw(st.lists(weight, min_size=3, max_size=3).filter(any))
            table[rows] = {
                outcome: F(w, sum(weights)) for outcome, w in zip("xyz", weights, strict=True)
            }
        return table[rows]

    return mechanism


def events(outcomes=OUTCOMES):
    return chain.from_iterable(combinations(outcomes, k) for k in range(len(outcomes) + 1))


def mass(distribution, event):
    return sum((distribution.get(outcome, F(0)) for outcome in event), F(0))


def excess(p, q, ratio):
    """The definition itself: the largest P(S) - ratio Q(S) over all events, both ways round."""
    return max(
        mass(a, s) - ratio * mass(b, s) for a, b in ((p, q), (q, p)) for s in events({*p, *q})
    )


@given(distributions(), distributions(), ratios)
def test_delta_is_the_largest_excess_of_any_event(p, q, ratio):
    report = compare(p, q)
    assert report.exact
    assert report.delta_at_ratio(ratio) == excess(p, q, ratio)
    witness = report.worst_at_ratio(ratio)
    here, there = (p, q) if witness.pair[0] == ("p",) else (q, p)
    assert mass(here, witness.event) - ratio * mass(there, witness.event) == report.delta_at_ratio(
        ratio
    )


@given(distributions(), distributions(), probabilities)
def test_epsilon_is_the_smallest_that_covers_every_event(p, q, delta):
    report = compare(p, q)
    pairs = [(mass(a, s), mass(b, s)) for a, b in ((p, q), (q, p)) for s in events()]
    if any(x > delta and not y for x, y in pairs):
        with pytest.raises(NotPrivate):
            report.ratio(delta)
        return
    assert report.ratio(delta) == max([F(1), *((x - delta) / y for x, y in pairs if x > delta)])
    assert report.holds_at_ratio(report.ratio(delta), delta)
    if report.ratio(delta) > 1:
        assert not report.holds_at_ratio(max(F(1), report.ratio(delta) - F(1, 10**9)), delta)


@given(distributions(), distributions())
def test_the_frontier_is_falling_and_convex_and_linear_between_its_corners(p, q):
    report = compare(p, q)
    corners = report.frontier()
    assert corners[0].ratio == 1
    slopes = [(b.delta - a.delta) / (b.ratio - a.ratio) for a, b in pairwise(corners)]
    assert all(slope < 0 for slope in slopes)
    assert all(a < b for a, b in pairwise(slopes)), "a corner that is none"
    for corner in corners:
        assert report.delta_at_ratio(corner.ratio) == corner.delta
    for a, b in pairwise(corners):
        assert report.delta_at_ratio((a.ratio + b.ratio) / 2) == (a.delta + b.delta) / 2
    assert report.delta_at_ratio(corners[-1].ratio * 10) == corners[-1].delta


@given(distributions(), distributions())
def test_order_and_names_do_not_matter(p, q):
    renamed = [{outcome.upper(): chance for outcome, chance in reversed(d.items())} for d in (p, q)]
    assert compare(p, q).frontier() == compare(q, p).frontier() == compare(*renamed).frontier()
    assert compare(p, q).roc() == compare(*renamed).roc()


@given(distributions(), distributions(), st.data(), ratios)
def test_processing_a_release_never_costs_privacy(p, q, data, ratio):
    channel = {outcome: data.draw(distributions("uvw")) for outcome in OUTCOMES}

    def processed(d):
        return {end: sum((d[o] * channel[o][end] for o in OUTCOMES), F(0)) for end in "uvw"}

    assert compare(processed(p), processed(q)).delta_at_ratio(ratio) <= compare(
        p, q
    ).delta_at_ratio(ratio)


@given(st.lists(distributions("abc"), min_size=3, max_size=5), ratios)
def test_a_group_pays_no_more_than_group_privacy_says(steps, ratio):
    k = len(steps) - 1
    delta = max(compare(p, q).delta_at_ratio(ratio) for p, q in pairwise(steps))
    bound = delta * sum(ratio**i for i in range(k))  # (e^(k epsilon) - 1)/(e^epsilon - 1) delta
    assert compare(steps[0], steps[-1]).delta_at_ratio(ratio**k) <= bound


@given(distributions(), distributions(), st.lists(probabilities, min_size=6, max_size=6))
def test_no_attacker_beats_the_trade_off_curve(p, q, test):
    report = compare(p, q)
    hits = sum(chance * p[outcome] for chance, outcome in zip(test, OUTCOMES, strict=True))
    false_alarms = sum(chance * q[outcome] for chance, outcome in zip(test, OUTCOMES, strict=True))
    assert 1 - hits >= report.tradeoff(false_alarms)
    for ratio, delta in report.frontier():
        assert hits <= ratio * false_alarms + delta
        assert 1 - false_alarms <= ratio * (1 - hits) + delta


@given(distributions(), distributions(), ratios)
def test_a_loss_that_is_rarely_large_gives_delta_but_delta_is_smaller(p, q, ratio):
    """P(|L| > epsilon) bounds delta; the exact delta is E[max(0, 1 - e^(epsilon - L))]."""
    delta = compare(p, q).delta_at_ratio(ratio)
    tails = [mass(a, [o for o in OUTCOMES if a[o] > ratio * b[o]]) for a, b in ((p, q), (q, p))]
    expected = [
        sum((a[o] * max(F(0), 1 - ratio * b[o] / a[o]) for o in OUTCOMES if a[o]), F(0))
        for a, b in ((p, q), (q, p))
    ]
    assert delta == max(expected) <= max(tails)


def test_a_loss_that_is_often_large_may_still_have_a_small_delta():
    p, q = {"a": F(11, 20), "b": F(9, 20)}, {"a": F(1, 2), "b": F(1, 2)}
    assert compare(p, q).delta_at_ratio(F(21, 20)) == F(11, 400)
    assert p["a"] / q["a"] > F(21, 20), "with probability 11/20 the loss exceeds epsilon"


@given(distributions(), distributions(), st.data(), ratios)
def test_enclosures_hold_the_exact_answer(p, q, data, ratio):
    def blurred(d):
        hidden = data.draw(st.sets(st.sampled_from(OUTCOMES), max_size=3))
        with working(data.draw(st.sampled_from([8, 16, 53]))):
            listed = {
                o: ball(c) if data.draw(st.booleans()) else c
                for o, c in d.items()
                if o not in hidden
            }
        return Truncated(listed, mass(d, hidden) + data.draw(st.sampled_from([F(0), F(1, 100)])))

    exact, report = compare(p, q), compare(blurred(p), blurred(q))
    assert (
        report.attained.delta_at_ratio(ratio)
        <= exact.delta_at_ratio(ratio)
        <= report.guaranteed.delta_at_ratio(ratio)
    )
    assert report.tradeoff(F(1, 7)) <= exact.tradeoff(F(1, 7))
    corners = report.guaranteed.breakpoints()
    delta = min(corners[-1].delta, F(1))
    assert report.guaranteed.ratio(delta) >= (exact.ratio(delta) if delta else 1)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@given(data=st.data(), ratio=ratios)
def test_a_report_is_the_worst_of_all_pairs(neighbours, data, ratio):
    mechanism = data.draw(mechanisms())
    report = verify(mechanism, "AB", 2, neighbours)
    pairs = list(neighbouring_pairs("AB", 2, neighbours))
    assert report.pairs == len(pairs)
    assert report.delta_at_ratio(ratio) == max(
        excess(mechanism(x), mechanism(y), ratio) for x, y in pairs
    )
    witness = report.worst_at_ratio(ratio)
    assert witness.pair in {*pairs, *((y, x) for x, y in pairs)}
    x, y = (mechanism(database) for database in witness.pair)
    assert mass(x, witness.event) - ratio * mass(y, witness.event) == report.delta_at_ratio(ratio)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@given(data=st.data())
def test_a_belief_shifts_by_at_most_the_hyperbolic_tangent_of_half_epsilon(neighbours, data):
    mechanism = data.draw(mechanisms(least=1))
    ratio = verify(mechanism, "AB", 2, neighbours).ratio()
    worlds = ["AA", "AB", "BA", "BB"]
    prior = {tuple(world): chance for world, chance in data.draw(distributions(worlds)).items()}
    outcome = data.draw(st.sampled_from("xyz"))
    step = (ratio - 1) / (ratio + 1)
    replaced = posterior_shift(prior, mechanism, outcome, lambda rows: ("A", rows[1]))
    if neighbours is Neighbours.REPLACE:
        assert replaced <= step
    else:
        assert posterior_shift(prior, mechanism, outcome, lambda rows: rows[1:]) <= step
        assert replaced <= (ratio**2 - 1) / (ratio**2 + 1)


@given(st.dictionaries(st.text("AB", max_size=3).map(tuple), st.integers(-9, 9)))
def test_replacing_moves_an_answer_at_most_twice_as_far_as_adding_or_removing(table):
    def answer(rows):
        return table.get(rows, 0)

    replace = sensitivity_by_search(answer, "AB", 3, Neighbours.REPLACE)
    add = sensitivity_by_search(answer, "AB", 3, Neighbours.ADD_OR_REMOVE)
    gaps = [abs(answer(x) - answer(y)) for x, y in neighbouring_pairs("AB", 3, Neighbours.REPLACE)]
    assert replace.bound == max(gaps) <= 2 * add.bound
    assert abs(answer(add.pair[0]) - answer(add.pair[1])) == add.bound


# Tacit's own mechanisms: on all neighbours of a small universe each attains what it claims, and never exceeds it.

TINY = F(1, 2**90)  # what is found and what is claimed are both enclosed more narrowly than this
NEAR = F(1, 2**60)  # a claim may have been rounded up by as much


class Case(NamedTuple):
    """A mechanism that answers a question about rows, and the law of what it releases."""

    mechanism: Any
    universe: tuple[int, ...]
    question: Callable[[tuple[int, ...]], Any]
    law: Callable[[Any, Any], object]  # of the mechanism and the exact answer

    def verified(self, neighbours):
        return verify(
            lambda rows: self.law(self.mechanism, self.question(rows)), self.universe, 3, neighbours
        )

    def loss(self, neighbours):
        if isinstance(self.mechanism, RandomizedResponse):
            # one report may change
            return self.mechanism.loss(Sensitivity(1, neighbours=neighbours))
        found = sensitivity_by_search(self.question, self.universe, 3, neighbours)
        return self.mechanism.loss(found.sensitivity)


def largest(rows):
    return max(rows, default=0)


def histogram(rows):
    return rows.count(0), rows.count(1)


def told(mechanism, answer):
    return mechanism.distribution(answer)


def clamped(mechanism, answer):
    """Clamped to the range of the answers: beyond it Laplace's ratios are constant, so nothing is lost."""
    return mechanism.distribution(answer).clamp_law(0, 6)


def clamped_each(mechanism, answers):
    parts = [mechanism.distribution(answer).clamp_law(0, 3) for answer in answers]
    return {(a, b): parts[0][a] * parts[1][b] for a, b in product(*parts)}


def cut_off(mechanism, answer):
    reach = int(14 * mechanism.sigma) + 8
    return truncate(mechanism.distribution(answer).probability, -reach, 6 + reach)


RESPONSES = {
    "two coins": Case(RandomizedResponse.two_coin(), (0, 1), largest, told),
    "one half and a tenth": Case(RandomizedResponse.half_plus(F(1, 10)), (0, 1), largest, told),
    "three kinds": Case(
        RandomizedResponse(epsilon=F(3, 2), categories=3), (0, 1, 2), largest, told
    ),
}
LAPLACE = {
    f"Laplace {scale} on {universe}": Case(Laplace(scale), universe, sum, clamped)
    for scale in (F(1, 2), F(1), F(7, 2))
    for universe in ((0, 1), (0, 2), (0, 1, 2))
}
HISTOGRAMS = {"Laplace histogram": Case(Laplace(F(2)), (0, 1), histogram, clamped_each)}
GAUSSIANS = {
    f"Gaussian {sigma} on {universe}": Case(Gaussian(sigma), universe, sum, cut_off)
    for sigma in (F(1, 2), F(1), F(7, 2))
    for universe in ((0, 1), (0, 2))
}

both_relations = pytest.mark.parametrize("neighbours", list(Neighbours))


def each(*cases):
    return pytest.mark.parametrize(
        "case", [pytest.param(c, id=name) for kind in cases for name, c in kind.items()]
    )


@each(RESPONSES)
@both_relations
def test_randomized_response_attains_its_epsilon_exactly(case, neighbours):
    report = case.verified(neighbours)
    assert report.exact
    assert report.ratio() == case.mechanism.truth / case.mechanism.lie
    assert report.epsilon().high <= F(case.mechanism.epsilon)


@each(RESPONSES, LAPLACE, HISTOGRAMS)
@both_relations
def test_pure_mechanisms_attain_the_epsilon_they_claim_and_never_exceed_it(case, neighbours):
    with working():
        claimed = enclose(case.loss(neighbours).renyi(inf))
    found = case.verified(neighbours).epsilon()
    assert found.low <= claimed.high, "a breach is certain"
    assert found.high <= claimed.high + TINY
    assert found.low >= claimed.low - NEAR


@each(RESPONSES, LAPLACE, GAUSSIANS)
@both_relations
def test_every_mechanism_attains_the_delta_it_claims_and_never_exceeds_it(case, neighbours):
    report, loss = case.verified(neighbours), case.loss(neighbours)
    for epsilon in (F(0), F(1, 10), F(1), F(2), F(4)):
        with working():
            claimed = enclose(loss.delta(epsilon))
        found = report.delta(epsilon)
        assert found.low <= claimed.high, "a breach is certain"
        assert found.high <= claimed.high + TINY
        assert found.low >= claimed.low - NEAR


@both_relations
def test_several_numbers_never_exceed_the_delta_they_claim(neighbours):
    case = HISTOGRAMS["Laplace histogram"]
    report, loss = case.verified(neighbours), case.loss(neighbours)
    for epsilon in (F(0), F(1, 10), F(1, 2), F(1)):
        with working():
            assert report.delta(epsilon).high <= upper(loss.delta(epsilon)) + TINY


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(F(1), F(1, 10**6)), (F(2), F(1, 10**5)), (F(8), F(1, 10**6))]
)
def test_a_calibrated_gaussian_keeps_its_promise_and_wastes_next_to_nothing(epsilon, delta):
    case = Case(Gaussian.calibrate(epsilon, delta, sensitivity=1), (0, 1), sum, cut_off)
    for neighbours in Neighbours:
        report = case.verified(neighbours)
        assert report.holds(epsilon, delta)
        assert not report.holds(epsilon, delta * (1 - F(1, 10**9)))


def test_the_sigma_of_continuous_noise_is_caught_on_the_integers():
    """Discrete noise of that sigma has 1.1 times the claimed delta at (2, 1e-5), and 3 times at (8, 1e-6)."""
    for epsilon, delta, times in ((2, F(1, 10**5), F(11, 10)), (8, F(1, 10**6), F(3))):
        case = Case(Gaussian(analytic_gaussian_sigma(epsilon, delta, 1)), (0, 1), sum, cut_off)
        report = case.verified(Neighbours.REPLACE)
        assert not report.holds(epsilon, delta)
        assert round(float(report.delta(epsilon)) / float(delta), 1) == pytest.approx(
            float(times), abs=0.15
        )
