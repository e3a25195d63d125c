"""What leaves a mechanism, against the law it states: Pearson's test at a million numbers.

Each test has a false-alarm rate of 1e-9. Each is run again on the releases of a mechanism whose scale is 2 % too large,
or whose truth is told 2 % too rarely, and must reject them; it fails to with a probability below 1e-9. The laws are
those of `distribution`, whose exactness tests/laws/test_mechanisms.py checks.
"""

from fractions import Fraction

import numpy as np
import pytest

from tacit.exact import upper, working
from tacit.mechanisms import Gaussian, Laplace, RandomizedResponse
from tests.statistics.chi_square import FALSE_ALARM, chi_square_tail, p_value

F = Fraction
DRAWS = 10**6

# A mechanism, the same with the planted error, and the exact answer that is released.
NOISES = {
    "laplace 1": (Laplace(1), Laplace(F(102, 100)), 42),
    "laplace 10/3": (Laplace(F(10, 3)), Laplace(F(34, 10)), -7),
    "laplace 5/4 by 1/4": (Laplace(F(5, 4), grid=F(1, 4)), Laplace(F(51, 40), grid=F(1, 4)), 0.3),
    "gaussian 1": (Gaussian(1), Gaussian(F(102, 100)), 0),
    "gaussian 7/2": (Gaussian(F(7, 2)), Gaussian(F(357, 100)), 2**70),
    "gaussian 96 by 32": (Gaussian(96, grid=32), Gaussian(F(9792, 100), grid=32), 1000.0),
}
RESPONSES = {
    "two coins": (RandomizedResponse.two_coin(), 1),
    "response 1": (RandomizedResponse(1), 0),
    "of five": (RandomizedResponse(1, categories=5), 3),
}


def in_steps(mechanism, released, centre):
    """The released numbers in whole steps of the grid, from the centre."""
    if mechanism.grid is None:
        return (released - centre).astype(np.int64)
    steps = released / float(mechanism.grid)
    assert (steps == np.rint(steps)).all()
    return steps.astype(np.int64) - centre


def noise_p_value(mechanism, released, exact):
    """How well the released numbers fit the law of releases of the exact answer."""
    law = mechanism.distribution(exact)
    reach = int(12 * float(law.law.variance().mid()) ** 0.5)
    with working():
        folded = law.clamp_law(law.centre - reach, law.centre + reach)
    places = np.clip(in_steps(mechanism, released, law.centre), -reach, reach) + reach
    probabilities = np.array(
        [float(folded[law.centre + z].mid()) for z in range(-reach, reach + 1)]
    )
    return p_value(np.bincount(places, minlength=2 * reach + 1), probabilities)


def every_way(mechanism, exact):
    """A million releases of one answer, in each way that a mechanism offers."""
    array = (
        np.full((DRAWS // 4, 4), exact)
        if -(2**63) <= exact < 2**63
        else np.full((DRAWS // 4, 4), exact, object)
    )
    table = mechanism.release({"left": array[:, :1], "right": array[:, 1:]})
    return {
        "times": mechanism.release(exact, times=DRAWS),
        "array": mechanism.release(array).ravel(),
        "table": np.concatenate([table["left"].ravel(), table["right"].ravel()]),
    }


@pytest.mark.parametrize("name", NOISES)
def test_releases_follow_the_stated_law_and_a_scale_2_percent_off_is_seen(name):
    mechanism, wrong, exact = NOISES[name]
    for way, released in every_way(mechanism, exact).items():
        assert noise_p_value(mechanism, released, exact) > FALSE_ALARM, way
    assert noise_p_value(mechanism, wrong.release(exact, times=DRAWS), exact) < FALSE_ALARM


def test_single_releases_follow_the_same_law_as_many():
    """Five thousand, one at a time: enough to see a scale that is a third off."""
    for mechanism in (Laplace(1), Gaussian(1)):
        released = np.array([mechanism.release(5) for _ in range(5_000)])
        assert noise_p_value(mechanism, released, 5) > FALSE_ALARM


def response_p_value(mechanism, reports, answer):
    law = mechanism.distribution(answer)
    return p_value(
        np.bincount(reports, minlength=mechanism.categories),
        np.array([float(law[report]) for report in sorted(law)]),
    )


@pytest.mark.parametrize("name", RESPONSES)
def test_reports_follow_the_stated_law_and_a_truth_2_percent_rarer_is_seen(name):
    mechanism, answer = RESPONSES[name]
    wrong = RandomizedResponse.telling(mechanism.truth * F(98, 100), mechanism.categories)
    assert response_p_value(mechanism, mechanism.release(answer, times=DRAWS), answer) > FALSE_ALARM
    assert (
        response_p_value(mechanism, mechanism.release(np.full(DRAWS, answer)), answer) > FALSE_ALARM
    )
    assert response_p_value(mechanism, wrong.release(answer, times=DRAWS), answer) < FALSE_ALARM


def test_the_reports_of_different_people_are_independent_of_each_other():
    """Pairs of neighbouring reports fall into all nine cells as the product of their laws says."""
    mechanism = RandomizedResponse(1, categories=3)
    reports = mechanism.release(np.tile([0, 2], DRAWS // 2)).reshape(-1, 2)
    laws = [mechanism.distribution(answer) for answer in (0, 2)]
    expected = np.array([float(laws[0][a] * laws[1][b]) for a in range(3) for b in range(3)])
    assert (
        p_value(np.bincount(3 * reports[:, 0] + reports[:, 1], minlength=9), expected) > FALSE_ALARM
    )


@pytest.mark.parametrize("name", ["laplace 10/3", "gaussian 7/2"])
def test_cells_columns_and_repeats_are_equal_no_more_often_than_chance(name):
    """One draw that is broadcast over a row, a column or a repeat would make them equal always."""
    mechanism = NOISES[name][0]
    table = mechanism.release(
        {"a": np.zeros((200, 500), np.int64), "b": np.zeros((200, 500), np.int64)}
    )
    again = mechanism.release(np.zeros((200, 500), np.int64))
    a, b = table["a"], table["b"]
    with working():
        meet = float(
            upper(
                sum((mechanism.law.mass(z) ** 2 for z in range(-90, 91)), mechanism.law.mass(10**6))
            )
        )
    pairs = {
        "columns of a table": a == b,
        "repeats": a == again,
        "neighbours in a row": a[:, 1::2] == a[:, :-1:2],
        "neighbours in a column": a[1::2] == a[:-1:2],
        "far apart": a[:, :250] == a[:, 250:],
        "opposite signs": a == -b,
    }
    for name_of_pair, equal in pairs.items():
        counts = np.array([np.count_nonzero(~equal), np.count_nonzero(equal)])
        assert p_value(counts, np.array([1 - meet, meet])) > FALSE_ALARM, name_of_pair


def test_the_sign_of_noise_says_nothing_about_its_size_and_neither_about_the_next():
    for mechanism in (Laplace(20), Gaussian(20)):
        drawn = mechanism.release(0, times=DRAWS)
        signs, sizes = np.sign(drawn), np.abs(drawn)
        for one, other in ((signs, sizes), (drawn[1:], drawn[:-1]), (sizes[1:], sizes[:-1])):
            length = min(len(one), len(other))
            correlation = np.corrcoef(one[:length], other[:length])[0, 1]
            assert chi_square_tail(length * correlation**2, 1) > FALSE_ALARM
