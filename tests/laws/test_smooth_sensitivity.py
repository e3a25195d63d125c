"""Smooth sensitivity: the bound is smooth and large enough, and noise in proportion to it costs what is claimed."""

from fractions import Fraction
from math import exp, log, tanh
from random import Random

import numpy as np
import pytest

from tacit.audit import databases, local_sensitivities, neighbouring_pairs
from tacit.exact import ball, lower, upper, working
from tacit.mechanisms import (
    SmoothLaplace,
    SmoothQuantile,
    StudentLaw,
    StudentNoise,
    smooth_bound_of_quantile,
)
from tacit.mechanisms.noise_law import LaplaceLaw
from tacit.mechanisms.smooth_noise import ROUNDED, ring_chance, ring_width
from tacit.mechanisms.smooth_quantile import quantile_rank
from tacit.privacy import Neighbours

RANKS = [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]
RELATIONS = list(Neighbours)
VALUES, HIGH = (0, 1, 3, 6), 6
NEAR = 1e-9


def quantile(rows, rank, low=0):
    """The quantile as it is defined; of no rows, the low end."""
    return sorted(rows)[quantile_rank(len(rows), rank) - 1] if rows else low


def largest_of_all_pairs(rows, rank, low, high, beta):
    padded, middle = [low, *sorted(rows), high], quantile_rank(len(rows), rank)
    return max(
        (padded[j] - padded[i]) * exp(-beta * (j - i - 1))
        for i in range(middle + 1)
        for j in range(max(middle, i + 1), len(padded))
    )


def test_the_quick_bound_is_the_largest_of_all_pairs():
    dice = Random(7)
    for _ in range(400):
        rows = [
            dice.choice((0, 1, 2, 50, 99, dice.randint(0, 99))) for _ in range(dice.randint(0, 14))
        ]
        rank, beta = dice.choice(RANKS), dice.choice((0.001, 0.05, 0.5, 3.0))
        found = smooth_bound_of_quantile(rows, rank, 0, 99, beta)
        known = largest_of_all_pairs(rows, rank, 0, 99, float(Fraction(str(beta))))
        assert float(found) == pytest.approx(known, rel=NEAR)


def test_values_that_doubles_cannot_tell_apart_are_compared_exactly():
    tiny = Fraction(1, 1 << 45)
    found = smooth_bound_of_quantile([0, 0, 10, 10], Fraction(1, 2), 0, 10, tiny)
    with working():
        assert 10 <= found <= 10 * (1 + ROUNDED)
    assert smooth_bound_of_quantile([], Fraction(1, 2), 0, 10, 1) == 10


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_bound_of_a_quantile_is_smooth_and_large_enough(relation, rank):
    beta = Fraction(1, 3)
    sizes = [3, 4] if relation is Neighbours.REPLACE else [4]
    for size in sizes:
        # neighbours of the largest databases are one row larger
        room = size + (relation is Neighbours.ADD_OR_REMOVE)
        known = local_sensitivities(lambda rows: quantile(rows, rank), VALUES, room, relation)
        bounds = {
            rows: smooth_bound_of_quantile(rows, rank, 0, HIGH, beta)
            for rows in databases(VALUES, room, relation, ordered=False)
        }
        step = exp(float(beta)) * (1 + NEAR)
        for one, other in neighbouring_pairs(VALUES, room, relation, ordered=False):
            assert float(bounds[one]) <= step * float(bounds[other])
            assert float(bounds[other]) <= step * float(bounds[one])
        for rows, bound in bounds.items():
            if len(rows) <= size:
                assert bound >= known.at(rows)


def test_under_replace_it_is_the_least_smooth_bound_there_is():
    beta, rank = Fraction(1, 2), Fraction(1, 2)
    known = local_sensitivities(lambda rows: quantile(rows, rank), range(5), 5, Neighbours.REPLACE)
    for rows, least in known.smooth(beta).items():
        found = smooth_bound_of_quantile(rows, rank, 0, 4, beta)
        assert float(found) == pytest.approx(float(least.mid()), rel=NEAR)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_student_noise_costs_what_it_claims_and_hardly_less(epsilon):
    """At a wide scale the worst pair attains the claim; at one step it does not exceed it."""
    noise = StudentNoise.calibrate(epsilon)
    claim = float(noise.loss().pure())
    assert 0.99 * epsilon < claim <= epsilon
    attained = 0.0
    for scale in (1.0, 2.0, 300.0):
        for moved in (-1, -0.5, 0, 0.5, 1):
            other = max(1.0, scale * exp(moved * float(noise.beta)))
            shift = round(float(noise.alpha) * min(scale, other) - 0.5)
            found = largest_loss(scale, other, shift)
            assert found <= claim + 1e-9, (scale, moved)
            attained = max(attained, found)
    assert attained >= 0.9 * claim


def largest_loss(scale, other, shift):
    """The largest log ratio of two laws of Student's noise, over all integers that matter."""
    spreads = 3 * scale**2, 3 * other**2
    with working(64):
        wholes = [float(StudentLaw(Fraction(spread))._whole().mid()) for spread in spreads]
    reach = int(40 * max(scale, other)) + 50
    best = max(
        2 * log((spreads[1] + (k - shift) ** 2) / (spreads[0] + k**2)) for k in range(-reach, reach)
    )
    return max(best, 0.0) + log(wholes[1] / wholes[0])


@pytest.mark.parametrize("noise", [StudentNoise.calibrate(1), SmoothLaplace.calibrate(1, 1e-6)])
def test_noise_is_never_narrower_than_one_step(noise):
    """Below one step the sums of weights fall faster than the loss allows for."""
    tiny, wide = Fraction(1, 1000), Fraction(1000)
    assert noise.law(tiny) == noise.law(noise.alpha) != noise.law(wide)
    assert noise.law(tiny) == (
        LaplaceLaw(Fraction(1)) if isinstance(noise, SmoothLaplace) else StudentLaw(Fraction(3))
    )


@pytest.mark.parametrize("spread", [Fraction(3), Fraction(10), Fraction(1000, 7)])
def test_rings_bound_the_weights_of_their_integers(spread):
    """What is proposed, times what is accepted, is in proportion to the law."""
    width = ring_width(spread)
    for ring in range(4):
        first, last = (0, width) if ring == 0 else (width << ring - 1, width << ring)
        odds = width / spread**2 if ring == 0 else Fraction(1, width**3 * 8 ** (ring - 1))
        for place in range(first, last):
            chance = ring_chance(spread, ring, place)
            assert 0 < chance <= 1
            signs = Fraction(1, 2) if place == 0 else 1
            assert odds / (last - first) * chance == signs / (spread + place**2) ** 2
    with working():
        law = StudentLaw(spread)
        total = sum((law.mass(place) for place in range(-40, 41)), ball(0)) + 2 * law.tail(41)
        assert lower(total) <= 1 <= upper(total)
        assert upper(law.tail(5000)) >= lower(law.tail(5001))


@pytest.mark.parametrize("delta", [1e-3, 1e-9])
@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_smooth_laplace_never_costs_more_than_it_claims(epsilon, delta):
    """At every scale the exact delta is below the claim; at a wide one the worst pair attains 90 % of epsilon."""
    noise = SmoothLaplace.calibrate(epsilon, delta)
    loss = noise.loss()
    assert loss.epsilon <= epsilon
    assert 0.999 * delta < float(loss.failure) <= delta
    attained = 0.0
    for scale in (1.0, 1.3, 3.0, 200.0):
        for moved in (-1, -0.5, 0.5, 1):
            other = max(1.0, scale * exp(moved * float(noise.beta)))
            for part in (0, 0.5, 1):
                shift = int(part * float(noise.alpha) * min(scale, other))
                assert excess_of_laplace(scale, other, shift, epsilon) <= float(loss.failure)
                # its smaller epsilon, at which it still exceeds the delta
                if excess_of_laplace(scale, other, shift, 0.9 * epsilon) > float(loss.failure):
                    attained = 0.9
    assert attained == 0.9


def excess_of_laplace(scale, other, shift, epsilon):
    """The delta at epsilon of two laws of Laplace noise on the integers, to the last place that matters."""
    places = np.arange(-int(60 * scale) - shift - 60, int(60 * scale) + shift + 60)
    one = tanh(1 / (2 * scale)) * np.exp(-np.abs(places) / scale)
    two = tanh(1 / (2 * other)) * np.exp(-np.abs(places - shift) / other)
    return float(np.maximum(0, one - exp(epsilon) * two).sum())


def test_no_scale_is_smooth_enough_for_a_delta_out_of_reach():
    from tacit.errors import InvalidInput

    with pytest.raises(InvalidInput):
        SmoothLaplace.calibrate(Fraction(1, 10**6), Fraction(1, 10 ** (10**5)))
    wide = SmoothLaplace.calibrate(1, Fraction(9, 10))
    assert wide.beta + ROUNDED <= wide.slack


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "noise", [StudentNoise.calibrate(1), SmoothLaplace.calibrate(1, 0.01)], ids=["t", "Laplace"]
)
def test_a_smooth_quantile_never_costs_more_than_it_claims(relation, noise):
    """On every pair of neighbours of a small universe, by exact laws."""
    median = SmoothQuantile(Fraction(1, 2), 0, 12, noise)
    universe, size = (0, 2, 5, 12), 4
    laws = {
        rows: list(median.distribution(rows).values())
        for rows in databases(universe, size, relation, ordered=False)
    }
    loss = median.loss(relation)
    assert loss.neighbours is relation
    pure = loss.pure()
    growth = exp(float(pure if pure is not None else loss.epsilon))
    delta = 0.0 if pure is not None else float(loss.failure)
    for pair in neighbouring_pairs(universe, size, relation, ordered=False):
        for one, other in (pair, pair[::-1]):
            excess = sum(
                max(0.0, float(upper(p)) - growth * float(lower(q)))
                for p, q in zip(laws[one], laws[other], strict=True)
            )
            assert excess <= delta + 1e-12


def test_widths_and_places_are_refused_where_they_make_no_sense():
    from tacit.errors import InvalidData, InvalidInput

    noise = StudentNoise.calibrate(1)
    for low, high in ((5, 5), (5, 4), (0.5, 3), (0, 1 << 60)):
        with pytest.raises(InvalidInput):
            SmoothQuantile(Fraction(1, 2), low, high, noise)
    with pytest.raises(InvalidData):
        SmoothQuantile(Fraction(1, 2), 0, 9, noise).release([1.5, 2.0])
    with pytest.raises(InvalidInput):
        StudentNoise.calibrate(1, share=1)
    with pytest.raises(InvalidInput):
        SmoothLaplace(beta=2, alpha=1, slack=1)
