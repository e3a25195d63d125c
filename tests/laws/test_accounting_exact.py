"""At 2,000 random points, every view of a total is at least the exact value, computed with 200 bits.

Where it should be exact, it is also hardly above it. A kind of case makes losses from random parameters and sets them
beside pairs whose exact figures are enumerated or known in closed form (tests/laws/enumerated.py). Add a kind to
`KINDS`, not a test.

"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial
from random import Random

import pytest

from tacit.accounting import Total, total
from tacit.exact import Ball, ball, gaussian_tail, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    ZeroConcentratedLoss,
)
from tests.laws import enumerated as exact
from tests.laws.enumerated import BITS, Listed

F = Fraction
POINTS = 2_000
CLOSE = F(1, 10**9)


@dataclass
class Truth:
    """The exact figures of some releases, as far as they are known; `tight` names those that a view must meet."""

    delta: Callable[[Fraction], Ball]
    renyi: Callable[[Fraction], Ball] | None = None
    misses: Callable[[Fraction], Ball] | None = None
    moment: Callable[[int], Ball] | None = None
    tight: str = ""


def between(random: Random, low: Fraction, high: Fraction) -> Fraction:
    return low + (high - low) * F(random.randrange(1, 1000), 1000)


def of_ways(ways: list[Listed], tight: str = "") -> Truth:
    """The figures of the worst of several pairs."""

    def worst(figure: Callable[[Listed], Ball]) -> Ball:
        return max((figure(way) for way in ways), key=float)

    return Truth(
        lambda e: worst(lambda way: way.one_way_delta(ball(e))),
        lambda a: worst(lambda way: way.one_way_renyi(a)),
        lambda s: min((way.one_way_misses(s) for way in ways), key=float),
        lambda k: worst(lambda way: way.one_way_moment(k)),
        tight,
    )


def one_laplace(random: Random) -> tuple[Loss, Truth]:
    told = between(random, F(1, 100), F(4))

    def renyi(order: Fraction) -> Ball:
        a, e = ball(order), ball(told)
        rising, falling = (
            a / (2 * a - 1) * ((a - 1) * e).exp(),
            (a - 1) / (2 * a - 1) * (-a * e).exp(),
        )
        return (rising + falling).log() / (a - 1)

    def moment(power: int) -> Ball:
        e, fall = ball(told), (-ball(told)).exp()
        # The integrals of x**j exp(-x) from 0 to e are incomplete gamma functions.
        gammas = [
            factorial(j) * (1 - fall * sum((e**i / factorial(i) for i in range(j + 1)), ball(0)))
            for j in range(4)
        ]
        inner = sum(
            (comb(power, j) * e ** (power - j) * (-2) ** j * gammas[j] for j in range(power + 1)),
            ball(0),
        )
        return (e**power + (-e) ** power * fall + inner) / 2

    truth = Truth(
        lambda e: exact.laplace_delta(told, e),
        renyi,
        lambda s: exact.laplace_misses(told, s),
        moment,
        "delta renyi misses moment",
    )
    return LaplaceLoss(told), truth


def one_gaussian(random: Random) -> tuple[Loss, Truth]:
    squared = between(random, F(1, 100), F(9))
    return GaussianLoss(squared), of_gaussian(squared)


def many_gaussians(random: Random) -> tuple[Loss, Truth]:
    parts = [
        (between(random, F(1, 1000), F(1)), random.randrange(1, 9))
        for _ in range(random.randrange(2, 5))
    ]
    losses = [GaussianLoss(squared) * times for squared, times in parts]
    return sum(losses[1:], losses[0]), of_gaussian(sum((s * n for s, n in parts), F(0)))


def of_gaussian(squared: Fraction) -> Truth:
    def moment(power: int) -> Ball:
        mean, variance = ball(squared) / 2, ball(squared)
        return {1: mean, 2: variance + mean**2, 3: mean**3 + 3 * mean * variance}[power]

    return Truth(
        lambda e: exact.gaussian_delta(squared, e),
        lambda a: ball(a * squared / 2),
        lambda s: exact.gaussian_misses(squared, s),
        moment,
        "delta renyi misses moment",
    )


def many_responses(random: Random) -> tuple[Loss, Truth]:
    epsilon, times = between(random, F(1, 50), F(2)), random.randrange(1, 40)
    ways = [exact.responses(epsilon, times)]
    return PureLoss(epsilon) * times, of_ways(ways, "delta renyi misses")


def unlike_responses(random: Random) -> tuple[Loss, Truth]:
    one, other = between(random, F(1, 20), F(1)), between(random, F(1, 20), F(2))
    times, again = random.randrange(1, 6), random.randrange(1, 4)
    pair = exact.responses(one, times).beside(exact.responses(other, again))
    return PureLoss(one) * times + PureLoss(other) * again, of_ways([pair], "delta renyi misses")


def failing_responses(random: Random) -> tuple[Loss, Truth]:
    epsilon, failure, times = (
        between(random, F(1, 20), F(1)),
        between(random, F(0), F(1, 10)),
        random.randrange(1, 4),
    )
    truth = of_ways(exact.product_of([exact.telling(epsilon, failure)] * times), "delta misses")
    return ApproximateLoss(epsilon, failure) * times, Truth(
        truth.delta, None, truth.misses, None, "delta misses"
    )


def random_law(random: Random, outcomes: int) -> list[Fraction]:
    weights = [random.randrange(1, 50) for _ in range(outcomes)]
    return [F(weight, sum(weights)) for weight in weights]


def one_finite(random: Random) -> tuple[Loss, Truth]:
    p, q = random_law(random, 4), random_law(random, 4)
    pair = listed(p, q)
    return FiniteLoss(p, q), of_ways([pair, pair.swapped()], "delta renyi moment")


def torn_finite(random: Random) -> tuple[Loss, Truth]:
    """Some outcomes are possible on one side only, and there are two such releases."""
    pairs = []
    for _ in range(2):
        p, q = random_law(random, 3), random_law(random, 3)
        rare = F(1, random.randrange(20, 200))
        pairs.append(
            (
                [x * (1 - rare) for x in p] + [rare, F(0)],
                [x * (1 - 2 * rare) for x in q] + [F(0), 2 * rare],
            )
        )
    loss = FiniteLoss(*pairs[0]) + FiniteLoss(*pairs[1])
    truth = of_ways(exact.product_of([listed(p, q) for p, q in pairs]))
    return loss, Truth(truth.delta, None, truth.misses)


def many_finite(random: Random) -> tuple[Loss, Truth]:
    pairs = [(random_law(random, 3), random_law(random, 3)) for _ in range(3)]
    losses = [FiniteLoss(p, q) for p, q in pairs]
    return losses[0] + losses[1] + losses[2], of_ways(
        exact.product_of([listed(p, q) for p, q in pairs])
    )


def listed(p: list[Fraction], q: list[Fraction]) -> Listed:
    return Listed(tuple(map(ball, p)), tuple(map(ball, q)))


def sampled_responses(random: Random) -> tuple[Loss, Truth]:
    epsilon, rate, times = (
        between(random, F(1, 10), F(3)),
        between(random, F(1, 100), F(1)),
        random.randrange(1, 4),
    )
    pair = exact.sampled(exact.response(epsilon), rate)
    tight = "delta" if times == 1 else ""  # misses are bounded for both directions at once
    return PureLoss(epsilon).subsample(rate) * times, without_moments(
        of_ways(exact.product_of([pair] * times), tight)
    )


def sampled_finite(random: Random) -> tuple[Loss, Truth]:
    p, q, rate = random_law(random, 3), random_law(random, 3), between(random, F(1, 100), F(1))
    ways = [exact.sampled(pair, rate) for pair in (listed(p, q), listed(q, p))]
    return FiniteLoss(p, q).subsample(rate), without_moments(
        of_ways([*ways, *(way.swapped() for way in ways)])
    )


def without_moments(truth: Truth) -> Truth:
    return Truth(truth.delta, truth.renyi, truth.misses, None, truth.tight)


def one_discrete_gaussian(random: Random) -> tuple[Loss, Truth]:
    variance, distance = between(random, F(1, 5), F(9)), random.randrange(1, 4)
    reach = 60
    pair = exact.discrete(
        [(-ball(z * z / (2 * variance))).exp() for z in range(-reach, reach + 1)], distance
    )
    truth = of_ways([pair, pair.swapped()])

    def delta(epsilon: Fraction) -> Ball:
        # what lies beyond the list
        return pair.one_way_delta(ball(epsilon)) - gaussian_tail(variance, reach)

    return DiscreteGaussianLoss(variance, distance), Truth(delta, None, truth.misses, None, "")


def one_discrete_laplace(random: Random) -> tuple[Loss, Truth]:
    scale, distance = between(random, F(1, 2), F(4)), random.randrange(1, 6)
    reach = 400
    rate = (-ball(1 / scale)).exp()
    weights = [(1 - rate) / (1 + rate) * rate ** abs(z) for z in range(-reach, reach + 1)]
    pair = Listed(tuple(weights[:-distance]), tuple(weights[distance:]))
    truth = of_ways([pair])
    return DiscreteLaplaceLoss(scale, distance), Truth(
        truth.delta, truth.renyi, None, truth.moment, "delta renyi moment"
    )


def many_ranges(random: Random) -> tuple[Loss, Truth]:
    """Bounded range, met by laws of two values; three such releases."""
    span, times = between(random, F(1, 10), F(2)), random.randrange(1, 4)
    ways = []
    for _ in range(3):
        t = ball(between(random, F(0), span))
        top, whole = t.exp(), ball(span).exp()
        p = (whole - top) / (whole - 1)
        pair = Listed((p, 1 - p), (p / top, (1 - p) * whole / top))
        ways += exact.product_of([pair] * times)
    return BoundedRangeLoss(span) * times, of_ways(ways)


def concentrated(random: Random) -> tuple[Loss, Truth]:
    """Gaussian noise meets any rho."""
    rho, times = between(random, F(1, 100), F(1)), random.randrange(1, 9)
    truth = of_gaussian(2 * rho * times)
    return ZeroConcentratedLoss(rho) * times, Truth(
        truth.delta, truth.renyi, truth.misses, None, "renyi"
    )


KINDS = [
    one_laplace,
    one_gaussian,
    many_gaussians,
    many_responses,
    unlike_responses,
    failing_responses,
    one_finite,
    torn_finite,
    many_finite,
    sampled_responses,
    sampled_finite,
    one_discrete_gaussian,
    one_discrete_laplace,
    many_ranges,
    concentrated,
]


def at_least(view: float, ideal: Ball) -> bool:
    return Fraction(view) >= lower(ideal)


def hardly_above(view: float, ideal: Ball) -> bool:
    return Fraction(view) <= upper(ideal) + CLOSE * max(F(1, 10**6), abs(upper(ideal)))


def check(random: Random, kind: Callable[[Random], tuple[Loss, Truth]], view: str) -> None:
    with working(BITS):
        loss, truth = kind(random)
    one = total(loss)
    {
        "delta": check_delta,
        "epsilon": check_epsilon,
        "renyi": check_renyi,
        "misses": check_misses,
        "moment": check_moment,
    }[view](random, one, truth)


def check_delta(random: Random, one: Total, truth: Truth) -> None:
    epsilon = between(random, F(0), F(3)) if random.random() < 0.9 else F(0)
    shown = one.delta(epsilon) if epsilon else one.total_variation
    with working(BITS):
        ideal = truth.delta(epsilon)
        assert at_least(shown, ideal)
        assert "delta" not in truth.tight or hardly_above(shown, ideal)


def check_epsilon(random: Random, one: Total, truth: Truth) -> None:
    delta = one.losses.split_failure()[0] + F(1, 10 ** random.randrange(2, 10))
    shown = Fraction(one.epsilon(delta))
    with working(BITS):
        assert lower(truth.delta(shown)) <= delta
        smaller = shown * (1 - CLOSE) - CLOSE
        assert "delta" not in truth.tight or smaller <= 0 or upper(truth.delta(smaller)) > delta


def check_renyi(random: Random, one: Total, truth: Truth) -> None:
    order = between(random, F(1), F(12))
    shown = one.renyi(order)
    if truth.renyi is None:
        return
    with working(BITS):
        ideal = truth.renyi(order)
        assert shown is not None
        assert at_least(shown, ideal)
        assert "renyi" not in truth.tight or hardly_above(shown, ideal)
    grown = one.mgf(order - 1)
    with working(BITS):
        assert grown is not None
        assert at_least(grown, (ball(order - 1) * ideal).exp())


def check_misses(random: Random, one: Total, truth: Truth) -> None:
    alarms = between(random, F(0), F(1))
    if truth.misses is None:
        return
    shown = Fraction(one.tradeoff(alarms))
    with working(BITS):
        ideal = truth.misses(alarms)
        assert shown <= upper(ideal)
        assert "misses" not in truth.tight or shown >= lower(ideal) - CLOSE


def check_moment(random: Random, one: Total, truth: Truth) -> None:
    power = random.randrange(1, 4)
    shown = one.loss_moment(power)
    if truth.moment is None or shown is None:
        return
    with working(BITS):
        ideal = truth.moment(power)
        assert at_least(shown, ideal)
        assert "moment" not in truth.tight or hardly_above(shown, ideal)


# Of forty points of a kind so many ask for this view; curves are slow, and have tests of their own.
VIEWS = ["delta"] * 17 + ["epsilon"] * 10 + ["renyi"] * 8 + ["misses"] * 1 + ["moment"] * 4


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_view_is_at_least_the_exact_value(kind):
    random = Random(kind.__name__)
    for point in range(-(-POINTS // len(KINDS))):
        check(random, kind, VIEWS[point % len(VIEWS)])


def test_there_are_two_thousand_points():
    assert len(KINDS) * -(-POINTS // len(KINDS)) >= POINTS
