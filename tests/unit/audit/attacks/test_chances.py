"""What a loss allows an attacker, against the best attackers there are."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

from tacit.audit.attacks.averaging import mean_wins, stored_wins
from tacit.audit.attacks.background_knowledge import informed_claims_right
from tacit.audit.attacks.chances import (
    below_normal,
    coins,
    counted_masses,
    laplace_masses,
    most_guessed,
    most_wins,
    two_steps,
)
from tacit.audit.attacks.differencing import difference_wins
from tacit.audit.attacks.homogeneity import claims_right
from tacit.audit.attacks.intersection import common_value_guessed
from tacit.audit.attacks.low_bits import low_bits_right
from tacit.audit.attacks.name_and_shame import histogram_guessed
from tacit.audit.attacks.non_negative import resampled_zero_right
from tacit.mechanisms import RandomizedResponse

REACH = 60
PLACES = np.arange(-REACH, REACH + 1)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.1), (2.0, 0.01)])
def test_the_best_rule_on_the_worst_pair_wins_as_often_as_allowed(
    epsilon: float, delta: float
) -> None:
    """The extreme pair of (epsilon, delta): each world has a telling outcome of mass delta, the rest is a response."""
    truth = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    one = np.array([delta, 0, truth, 1 - delta - truth])
    other = one[[1, 0, 3, 2]]
    best = np.maximum(one, other).sum() / 2
    assert np.maximum(one - exp(epsilon) * other, 0).sum() == pytest.approx(delta)
    assert best == pytest.approx(most_wins(epsilon, delta))


def test_no_more_than_always() -> None:
    assert most_wins(800, 0.5) == 1
    assert most_wins(0, 1) == 1


@pytest.mark.parametrize("kinds", [2, 3, 10])
def test_randomized_response_is_guessed_as_often_as_allowed(kinds: int) -> None:
    law = RandomizedResponse(epsilon=1, categories=kinds).distribution(0)
    assert float(law[0]) == pytest.approx(most_guessed(1, kinds))


def test_replacing_is_two_steps() -> None:
    epsilon, delta = two_steps(Fraction(1, 2), Fraction(1, 100))
    assert epsilon == 1
    assert delta == pytest.approx((1 + exp(0.5)) / 100)


def test_the_normal_law() -> None:
    assert below_normal(1.959963985) == pytest.approx(0.975)


def test_coins_are_fair() -> None:
    """False alarm 1e-9: six deviations."""
    assert abs(int(coins(100_001).sum()) - 50_000) < 1000
    assert set(coins(1000)) == {0, 1}


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_the_law_of_a_mean_is_that_of_repeated_sums(times: int) -> None:
    masses = law = laplace_masses(1, REACH)
    for _ in range(times - 1):
        law = np.convolve(law, masses)
    sums = np.arange(len(law)) - len(law) // 2
    absent, present = law[2 * sums <= times].sum(), law[2 * (sums + times) > times].sum()
    assert mean_wins(times, Fraction(1)) == pytest.approx((absent + present) / 2, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_a_vaults_count_is_fine_noise_rounded(epsilon: float) -> None:
    """Noise on a grid of 1/64, rounded to whole numbers: within the grid of what is stated."""
    fine, places = (
        laplace_masses(64 / epsilon, 64 * REACH),
        np.rint(np.arange(-64 * REACH, 64 * REACH + 1) / 64),
    )
    law = np.array([fine[places == place].sum() for place in PLACES])
    assert law == pytest.approx(counted_masses(1 / epsilon, REACH), abs=0.01)
    assert stored_wins(epsilon) == pytest.approx(
        (law[PLACES <= 0].sum() + law[PLACES + 1 > 0].sum()) / 2, abs=0.01
    )
    masses = counted_masses(1 / epsilon, REACH)
    assert stored_wins(epsilon) == pytest.approx(
        (masses[PLACES <= 0].sum() + masses[PLACES >= 0].sum()) / 2
    )


def test_the_difference_of_two_noises() -> None:
    law = np.convolve(counted_masses(2, 4 * REACH), counted_masses(2, 4 * REACH))
    sums = np.arange(len(law)) - len(law) // 2
    assert difference_wins(1) == pytest.approx(
        (law[sums <= 0].sum() + law[sums >= 0].sum()) / 2, abs=1e-9
    )


def said(counts: tuple[int, int], masses: np.ndarray) -> float:
    """The chance that the first count shows at least one and the second none."""
    return float(masses[counts[0] + PLACES >= 1].sum() * masses[counts[1] + PLACES <= 0].sum())


@pytest.mark.parametrize("k", [1, 2, 3])
def test_claims_about_classes_by_listing_all_classes(k: int) -> None:
    masses = laplace_masses(1, REACH)
    right = wrong = 0.0
    for bits in product((0, 1), repeat=k):
        counts = (bits.count(0), bits.count(1))
        for claimed in (0, 1):
            chance = said((counts[claimed], counts[1 - claimed]), masses)
            right, wrong = (
                right + chance * (bits[0] == claimed),
                wrong + chance * (bits[0] != claimed),
            )
    assert claims_right(k, 1) == pytest.approx(right / (right + wrong), abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_informed_claims_by_listing_all_classes(k: int) -> None:
    masses = laplace_masses(1, REACH)
    right = wrong = 0.0
    for kinds in product((0, 1, 2), repeat=k):
        if kinds[0] != 2:  # which the attacker knows
            ours, theirs = kinds.count(kinds[0]), kinds.count(1 - kinds[0])
            right, wrong = (
                right + said((ours, theirs), masses),
                wrong + said((theirs, ours), masses),
            )
    assert informed_claims_right(k, 1) == pytest.approx(right / (right + wrong), abs=1e-9)


@pytest.mark.parametrize(("k", "kinds"), [(1, 3), (2, 3), (3, 3), (3, 4)])
def test_what_two_classes_share_by_listing_all_classes(k: int, kinds: int) -> None:
    classes = [{0, *others} for others in product(range(kinds), repeat=k - 1)]
    mean = np.mean([1 / len(one & other) for one in classes for other in classes])
    assert common_value_guessed(k, kinds) == pytest.approx(mean)


def test_the_largest_noisy_count_by_listing_all_noises() -> None:
    masses, places = laplace_masses(1, 25), range(-25, 26)
    won = 0.0
    for noises in product(range(51), repeat=3):
        counts = [1 + places[noises[0]], places[noises[1]], places[noises[2]]]
        if counts[0] == max(counts):
            won += float(np.prod(masses[list(noises)])) / counts.count(counts[0])
    assert histogram_guessed(3, 1) == pytest.approx(won, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_a_zero_after_resampling_by_its_law(epsilon: float) -> None:
    masses = laplace_masses(1 / epsilon, 400)
    places = np.arange(-400, 401)
    zero, one = (
        masses[places == -count].sum() / masses[places >= -count].sum() for count in (0, 1)
    )
    assert resampled_zero_right(epsilon) == pytest.approx(zero / (zero + one))
    assert resampled_zero_right(epsilon) > most_wins(epsilon)


def test_the_nearer_to_zero_the_more_the_digits_tell() -> None:
    rates = [low_bits_right(2.0**-k) for k in (2, 4, 8, 20)]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(1, abs=1e-5)
