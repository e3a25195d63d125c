"""Samples under replace, against the exact laws of small tables: every sample is listed."""

from fractions import Fraction
from itertools import combinations, product
from math import exp

import pytest

from tacit.errors import InvalidInput
from tacit.exact import upper, working
from tacit.mechanisms import Laplace
from tacit.privacy import (
    GaussianLoss,
    Neighbours,
    PureLoss,
    SampledUnderReplace,
    Sensitivity,
)

REACH = range(-30, 34)
SCALE = Fraction(2)
REPLACED = Sensitivity(1, neighbours=Neighbours.REPLACE)


def law(total):
    """Discrete Laplace noise on a sum of zeros and ones."""
    fall = exp(-1 / float(SCALE))
    return [(1 - fall) / (1 + fall) * fall ** abs(z - total) for z in REACH]


def fixed(rows, drawn):
    samples = list(combinations(rows, drawn))
    return mixed([(sum(sample), 1 / len(samples)) for sample in samples])


def poisson(rows, rate):
    sums = []
    for taken in product((0, 1), repeat=len(rows)):
        chance = 1.0
        for each in taken:
            chance *= rate if each else 1 - rate
        sums.append((sum(row for row, each in zip(rows, taken, strict=True) if each), chance))
    return mixed(sums)


def mixed(sums):
    laws = [(law(total), chance) for total, chance in sums]
    return [sum(chance * each[place] for each, chance in laws) for place in range(len(REACH))]


@pytest.mark.parametrize("kind", ["fixed size", "Poisson"])
@pytest.mark.parametrize("rest", [(0, 0, 0), (1, 1, 0), (1, 1, 1)], ids=str)
def test_a_sample_never_costs_more_than_it_claims(kind, rest):
    """On neighbours that differ by one replaced row, in both directions; nearly attained where the others are alike."""
    noise = Laplace(SCALE)
    attained = 0.0
    for drawn in (1, 2, 4):
        rate = Fraction(drawn, 4)
        if kind == "fixed size":
            loss = SampledUnderReplace.fixed_size(noise.loss(REPLACED), drawn, 4)
            one, other = (fixed((row, *rest), drawn) for row in (0, 1))
        else:
            loss = SampledUnderReplace.poisson(noise.loss(REPLACED), noise.loss(1), rate)
            one, other = (poisson((row, *rest), float(rate)) for row in (0, 1))
        assert loss.neighbours is Neighbours.REPLACE
        for epsilon in (Fraction(0), Fraction(1, 20), Fraction(1, 5), Fraction(2, 5)):
            with working():
                claim = float(upper(loss.delta(epsilon)))
            for first, second in ((one, other), (other, one)):
                excess = sum(
                    max(0.0, p - exp(float(epsilon)) * q)
                    for p, q in zip(first, second, strict=True)
                )
                assert excess <= claim + 1e-9
                if claim > 1e-6:
                    attained = max(attained, excess / claim)
    assert attained > 0.9


def test_a_sample_is_judged_by_both_of_its_losses():
    little, much = PureLoss(Fraction(1, 10), Neighbours.REPLACE), PureLoss(2)
    loss = SampledUnderReplace.poisson(little, much, Fraction(1, 2))
    with working():
        assert upper(loss.delta(Fraction(0))) >= upper(much.delta(Fraction(0))) / 2 - Fraction(
            1, 10**9
        )
    assert float(loss.pure()) > 1


def test_relations_are_asked_for():
    pure = PureLoss(1, Neighbours.REPLACE)
    for make in (
        lambda: SampledUnderReplace.fixed_size(PureLoss(1), 1, 2),
        lambda: SampledUnderReplace.poisson(pure, pure, 0.1),
        lambda: SampledUnderReplace.poisson(pure, None, 0.1),
        lambda: SampledUnderReplace.fixed_size(pure, 3, 2),
        lambda: SampledUnderReplace(pure, 2),
    ):
        with pytest.raises(InvalidInput):
            make()


def test_the_whole_is_a_sample_of_all_and_nothing_costs_nothing():
    whole = SampledUnderReplace.fixed_size(GaussianLoss(1, Neighbours.REPLACE), 5, 5)
    none = SampledUnderReplace.fixed_size(GaussianLoss(1, Neighbours.REPLACE), 0, 5)
    with working():
        for epsilon in (Fraction(0), Fraction(1)):
            known = GaussianLoss(1).delta(epsilon)
            assert float(whole.delta(epsilon).mid()) == pytest.approx(float(known.mid()))
            assert none.delta(epsilon) == 0
        assert none.renyi(Fraction(2)) == 0
