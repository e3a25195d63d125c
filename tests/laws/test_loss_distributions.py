"""At 2,000 random points the certified ends of delta enclose the exact value, computed with 200
bits.

A kind makes laws from random parameters and sets them beside a delta that is enumerated or known
in closed form.  Add a kind to `KINDS`, not a test.
"""

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from operator import itemgetter
from random import Random

import numpy as np
import pytest

from tacit.accounting.numerical_bound import compose, delta_interval, epsilon_interval
from tacit.accounting.saddle_point import Counted, saddle_for
from tacit.exact import Ball, ball, gaussian_mass, working
from tacit.privacy import (
    BoundedRangeLoss,
    Direction,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    Subsampled,
    loss_distribution,
)

F = Fraction
BITS = 200
POINTS = 2_000
REMOVE, ADD = Direction
Listed = list[tuple[Ball, Ball]]  # losses and their probabilities
Truth = Callable[[Ball], Ball]


def between(random: Random, low: Fraction, high: Fraction) -> Fraction:
    return low + (high - low) * F(random.randrange(1, 1000), 1000)


def delta_of(atoms: Listed) -> Truth:
    """By epsilon: E[max(0, 1 - e**(epsilon - L))], a loss at epsilon itself adding nothing.

    It is P[L > epsilon] - e**epsilon E[e**-L; L > epsilon], from sums that are made once; a loss that
    is about epsilon is looked at by itself.
    """
    ordered = sorted(((float(loss), loss, mass) for loss, mass in atoms), key=itemgetter(0))
    above = [(ball(0), ball(0))]
    for _, loss, mass in reversed(ordered):
        above.append((above[-1][0] + mass, above[-1][1] + mass * (-loss).exp()))

    def delta(epsilon: Ball) -> Ball:
        near, far = (
            bisect_right(ordered, float(epsilon) + apart, key=itemgetter(0))
            for apart in (-1e-9, 1e-9)
        )
        mass, shrunk = above[len(ordered) - far]
        close = (
            mass * (1 - (epsilon - loss).exp()).max(ball(0)) for _, loss, mass in ordered[near:far]
        )
        return mass - epsilon.exp() * shrunk + sum(close, ball(0))

    return delta


def summed(*counted: tuple[Listed, int]) -> Listed:
    """The law of a sum of independent losses, by enumeration; equal losses are told apart, and few
    are given.
    """
    atoms = [(ball(0), ball(1))]
    for law, times in counted:
        atoms = [(a + b, p * q) for (a, p), (b, q) in product(atoms, many(law, times))]
    return atoms


def many(law: Listed, times: int) -> Listed:
    """The same of one law, by the multinomial theorem: how often each of its values occurs."""
    (loss, mass), *others = law
    if not others:
        return [(loss * times, mass**times)]
    return [
        (loss * k + a, comb(times, k) * mass**k * p)
        for k in range(times + 1)
        for a, p in many(others, times - k)
    ]


def powers(start: Ball, step: Ball, masses: list[Ball], times: int) -> Listed:
    """The law of a sum of losses on a lattice, by a product of polynomials."""
    total = [ball(1)]
    for _ in range(times):
        grown = [ball(0)] * (len(total) + len(masses) - 1)
        for i, a in enumerate(total):
            for j, b in enumerate(masses):
                grown[i + j] += a * b
        total = grown
    return [(start * times + step * j, mass) for j, mass in enumerate(total)]


# ---------------------------------------------------------------- the laws, written down once more


def response(epsilon: Fraction) -> Listed:
    e = ball(epsilon)
    return [(e, 1 / (1 + (-e).exp())), (-e, 1 / (1 + e.exp()))]


def sampled_response(epsilon: Fraction, rate: Fraction) -> Listed:
    """The pair that dominates a sample of randomized response in both directions at once."""
    e, q = ball(epsilon), ball(rate)
    tell, far = (1 + q * e.expm1()).log(), q * (e / 2).tanh()
    high, low = far / -(-tell).expm1(), far / tell.expm1()
    return [(tell, high), (ball(0), 1 - high - low), (-tell, low)]


def sampled(law: Listed, rate: Fraction, direction: Direction) -> Listed:
    q, atoms = ball(rate), []
    for loss, mass in law:
        without = mass * (-loss).exp()
        drawn = (q * (loss.exp() - 1) + 1).log()
        atoms.append(
            (drawn, q * mass + (1 - q) * without) if direction is REMOVE else (-drawn, without)
        )
    return atoms


def geometric(scale: Fraction, distance: int) -> Listed:
    r, d = (-ball(1 / scale)).exp(), distance
    inner = [(ball((d - 2 * z) / scale), (1 - r) / (1 + r) * r**z) for z in range(1, d)]
    return [(ball(d / scale), 1 / (1 + r)), *inner, (ball(-d / scale), r**d / (1 + r))]


def discrete_normal(variance: Fraction, distance: int) -> Listed:
    reach = int(14 * float(variance) ** 0.5) + 2
    whole = 2 * gaussian_mass(variance, 0) - 1
    return [
        (
            ball((F(distance**2, 2) + distance * z) / variance),
            (-ball(F(z * z) / (2 * variance))).exp() / whole,
        )
        for z in range(-reach, reach + 1)
    ]


def normal_delta(squared: Fraction, epsilon: Ball) -> Ball:
    mu, root = ball(squared).sqrt(), ball(2).sqrt()
    return (
        ((epsilon / mu - mu / 2) / root).erfc()
        - epsilon.exp() * ((epsilon / mu + mu / 2) / root).erfc()
    ) / 2


# ---------------------------------------------------------------- kinds


def responses(random: Random) -> tuple[Counted, Truth]:
    epsilon, times = between(random, F(1, 100), F(1)), random.randrange(1, 300)
    atoms = many(response(epsilon), times)
    return [(loss_distribution(PureLoss(epsilon)), times)], delta_of(atoms)


def unlike_responses(random: Random) -> tuple[Counted, Truth]:
    """Epsilons without a common step, so that losses are shared between points."""
    parts = [
        (
            between(random, F(1, 20), F(1)) * F(1, random.choice([1009, 1013])),
            random.randrange(5, 12),
        )
        for _ in "ab"
    ]
    parts = [(epsilon * 900, times) for epsilon, times in parts]
    atoms = summed(*((response(epsilon), times) for epsilon, times in parts))
    return [(loss_distribution(PureLoss(epsilon)), times) for epsilon, times in parts], delta_of(
        atoms
    )


def gaussians(random: Random) -> tuple[Counted, Truth]:
    squared, times = between(random, F(1, 1000), F(1)), random.randrange(1, 40)
    law = loss_distribution(GaussianLoss(squared))
    return [(law, times)], lambda e: normal_delta(squared * times, e)


def unlike_gaussians(random: Random) -> tuple[Counted, Truth]:
    parts = [(between(random, F(1, 100), F(1)), random.randrange(1, 9)) for _ in "abc"]
    laws = [(loss_distribution(GaussianLoss(squared)), times) for squared, times in parts]
    squared = sum((squared * times for squared, times in parts), F(0))
    return laws, lambda e: normal_delta(squared, e)


def laplaces(random: Random) -> tuple[Counted, Truth]:
    """One: 1 - e**((e - t)/2); two: 1 - E (1 + (2t - e)/4) with E = e**((e - 2t)/2)."""
    told, times = between(random, F(1, 10), F(5)), random.choice([1, 2])

    def truth(e: Ball) -> Ball:
        left = ball(times * told) - e
        factor = 1 if times == 1 else 1 + left / 4
        return (1 - (-left / 2).exp() * factor).max(ball(0))

    return [(loss_distribution(LaplaceLoss(told)), times)], truth


def bounded_ranges(random: Random) -> tuple[Counted, Truth]:
    told = between(random, F(1, 10), F(6))

    def truth(e: Ball) -> Ball:
        return (
            ((e - ball(told)) / 2).expm1() ** 2 / -ball(-told).expm1()
            if e < ball(told)
            else ball(0)
        )

    return [(loss_distribution(BoundedRangeLoss(told)), 1)], truth


def geometrics(random: Random) -> tuple[Counted, Truth]:
    scale, distance, times = (
        between(random, F(1), F(20)),
        random.randrange(1, 12),
        random.randrange(1, 7),
    )
    law = geometric(scale, distance)[::-1]
    atoms = powers(law[0][0], ball(2 / scale), [mass for _, mass in law], times)
    return [(loss_distribution(DiscreteLaplaceLoss(scale, distance)), times)], delta_of(atoms)


def discrete_normals(random: Random) -> tuple[Counted, Truth]:
    variance, distance, times = (
        between(random, F(1), F(9)),
        random.randrange(1, 4),
        random.randrange(1, 4),
    )
    law = discrete_normal(variance, distance)
    atoms = powers(law[0][0], ball(distance / variance), [mass for _, mass in law], times)
    return [(loss_distribution(DiscreteGaussianLoss(variance, distance)), times)], delta_of(atoms)


def sampled_responses(random: Random) -> tuple[Counted, Truth]:
    epsilon, rate = between(random, F(1, 10), F(3)), between(random, F(1, 100), F(1))
    direction, times = random.choice([REMOVE, ADD]), random.randrange(1, 50)
    law = sampled_response(epsilon, rate)[::-1]
    atoms = powers(law[0][0], law[2][0], [mass for _, mass in law], times)
    both = loss_distribution(Subsampled(PureLoss(epsilon), rate), direction)
    return [(both, times)], delta_of(atoms)


def sampled_geometrics(random: Random) -> tuple[Counted, Truth]:
    scale, distance, rate = (
        between(random, F(1, 2), F(3)),
        random.randrange(1, 5),
        between(random, F(1, 100), F(1)),
    )
    direction, times = random.choice([REMOVE, ADD]), random.randrange(1, 5)
    atoms = many(sampled(geometric(scale, distance), rate, direction), times)
    law = loss_distribution(Subsampled(DiscreteLaplaceLoss(scale, distance), rate), direction)
    return [(law, times)], delta_of(atoms)


def sampled_discrete_normals(random: Random) -> tuple[Counted, Truth]:
    variance, rate = between(random, F(1, 2), F(4)), between(random, F(1, 100), F(1))
    direction, times = random.choice([REMOVE, ADD]), random.randrange(1, 3)
    atoms = many(sampled(discrete_normal(variance, 1), rate, direction), times)
    law = loss_distribution(Subsampled(DiscreteGaussianLoss(variance, 1), rate), direction)
    return [(law, times)], delta_of(atoms)


def sampled_curves(random: Random) -> tuple[Counted, Truth]:
    """With M = (1 - q) Q + q P: of M against Q it is q delta(e'), e' = ln(1 + (e**e - 1)/q); of Q
    against M, with the roles of e and -e exchanged, 1 - e**e (1 - q delta at -e).
    """
    squared, rate, direction = (
        between(random, F(1, 4), F(4)),
        between(random, F(1, 100), F(1)),
        random.choice([REMOVE, ADD]),
    )
    noisy = random.choice([GaussianLoss(squared), LaplaceLoss(squared)])
    own = normal_delta if isinstance(noisy, GaussianLoss) else laplace_delta
    q = ball(rate)

    def removed(e: Ball) -> Ball:
        inside = 1 + (e.exp() - 1) / q
        return 1 - e.exp() if not inside > 0 else q * own(squared, inside.log())

    def added(e: Ball) -> Ball:
        return 1 - e.exp() * (1 - removed(-e))

    law = loss_distribution(Subsampled(noisy, rate), direction)
    return [(law, 1)], removed if direction is REMOVE else added


def laplace_delta(told: Fraction, e: Ball) -> Ball:
    if e > ball(told):
        return ball(0)
    return 1 - e.exp() if e < ball(-told) else 1 - ((e - ball(told)) / 2).exp()


def mixtures(random: Random) -> tuple[Counted, Truth]:
    """Unlike laws that share no step."""
    epsilon, scale, rate = (
        between(random, F(1, 3), F(1)),
        between(random, F(1), F(4)),
        between(random, F(1, 10), F(1, 2)),
    )
    direction, third = random.choice([REMOVE, ADD]), F(random.randrange(4, 9), 11)
    finite = FiniteLoss(
        (third, (1 - third) / 2, (1 - third) / 2), ((1 - third) / 2, third, (1 - third) / 2)
    )
    parts: list[tuple[Loss, Listed, int]] = [
        (PureLoss(epsilon), response(epsilon), random.randrange(1, 9)),
        (DiscreteLaplaceLoss(scale, 2), geometric(scale, 2), 2),
        (
            Subsampled(PureLoss(1), rate),
            sampled_response(F(1), rate),
            random.randrange(1, 6),
        ),
        (
            finite,
            [(ball(a / b).log(), ball(a)) for a, b in zip(finite.p, finite.q, strict=True)],
            2,
        ),
    ]
    atoms = summed(*((law, times) for _, law, times in parts))
    return [(loss_distribution(loss, direction), times) for loss, _, times in parts], delta_of(
        atoms
    )


KINDS = [
    responses,
    unlike_responses,
    gaussians,
    unlike_gaussians,
    laplaces,
    bounded_ranges,
    geometrics,
    discrete_normals,
    sampled_responses,
    sampled_geometrics,
    sampled_discrete_normals,
    sampled_curves,
    mixtures,
]
NARROW, NOTHING = (
    F(2, 1000),
    ball(F(1, 10**16)),
)  # how far the ends may be from the exact value: in epsilon, in delta
PLACES = 8
CASES = -(-POINTS // (PLACES * len(KINDS)))


def epsilons(laws: Counted, random: Random) -> list[Fraction]:
    """Places where delta lies between about one half and 1e-14."""
    low, high = (saddle_for(laws, delta=delta).epsilon for delta in (0.3, 1e-14))
    return [F(round(max(random.uniform(low, high), 0.001), 6)) for _ in range(PLACES)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_certified_ends_of_delta_enclose_the_exact_value(kind):
    random = Random(kind.__name__)
    for _ in range(CASES):
        with working(BITS):
            laws, truth = kind(random)
        for epsilon in epsilons(laws, random):
            sums = compose(laws, saddle_for(laws, epsilon=float(epsilon)))
            assert sums is not None
            with working(BITS):
                exact, wide = truth(ball(epsilon)), ball(F(1, 1 << 150))
                low, high = sums.lower(float(epsilon)), sums.upper(float(epsilon))
                assert ball(F(low)) <= exact + wide, (float(exact), low)
                assert ball(F(high)) >= exact - wide, (float(exact), high)
                nearer, farther = (
                    truth(ball(epsilon * (1 - NARROW))),
                    truth(ball(epsilon * (1 + NARROW))),
                )
                assert ball(F(high)) <= nearer + NOTHING, (laws, epsilon, high, float(exact))
                assert ball(F(low)) >= farther - NOTHING, (laws, epsilon, low, float(exact))


def test_the_worse_direction_counts():
    """A sample looks unlike from both sides: what is shown is no less than either of them."""
    for loss in (Subsampled(GaussianLoss(1), F(1, 10)), Subsampled(LaplaceLoss(2), F(1, 10))):
        found = delta_interval(loss * 50, F(2))
        assert found is not None
        for direction in Direction:
            laws = [(loss_distribution(loss, direction), 50)]
            sums = compose(laws, saddle_for(laws, epsilon=2.0))
            assert sums is not None
            assert found[1] >= F(sums.lower(2.0))
            assert (direction is REMOVE) == (found[0] <= F(sums.upper(2.0)))


def test_composition_does_not_depend_on_the_order():
    losses = [
        LaplaceLoss(F(1, 3)),
        PureLoss(F(1, 7)),
        GaussianLoss(F(1, 9)),
        DiscreteLaplaceLoss(4, 2),
    ]
    laws = [(loss_distribution(loss), times) for times, loss in enumerate(losses, 1)]
    saddle = saddle_for(laws, delta=1e-6)
    ends = []
    for some in (laws, laws[::-1], laws[2:] + laws[:2]):
        sums = compose(some, saddle)
        assert sums is not None
        ends.append((sums.lower(saddle.epsilon), sums.upper(saddle.epsilon)))
    assert np.allclose(ends, ends[0], rtol=1e-9)


@pytest.mark.parametrize("times", [2, 30, 1000])
def test_the_ends_of_epsilon_are_as_near_as_wanted(times):
    for loss in (LaplaceLoss(F(1, 5)), Subsampled(GaussianLoss(1), F(1, 50)), PureLoss(F(1, 9))):
        for width in (1e-2, 1e-3):
            found = epsilon_interval(loss * times, F(1, 10**5), width)
            assert found is not None
            low, high = found
            assert low <= high <= low * (1 + F(width) * F(3, 2)) + F(1, 10**9)


def test_mixed_directions_of_a_sample_of_something_pure_are_covered():
    """A group of which one unit comes and another goes: its releases look alike from both sides."""
    loss, rate = PureLoss(1), F(1, 4)
    found = delta_interval(Subsampled(loss, rate) * 2, F(1, 4))
    assert found is not None
    with working(BITS):
        forth, back = (sampled(response(F(1)), rate, direction) for direction in Direction)
        mixed = [(a + b, p * q) for (a, p), (b, q) in product(forth, back)]
        assert delta_of(mixed)(ball(F(1, 4))) <= ball(found[1])
