"""Empirical error, VC dimension by enumeration, uniform convergence, and consistency by simulation."""

from math import comb

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.learn import (
    EmpiricalError,
    HistogramNB,
    empirical_error,
    net_size,
    sample_size,
    uniform_deviation,
    vc_dimension,
)
from tests.laws.every_estimator import protect_columns


def test_the_interval_of_an_error_is_that_of_clopper_and_pearson():
    """The published interval of 10 of 100 is 4.90 % to 17.62 %."""
    low, high = EmpiricalError(10, 100, 0.95).interval
    assert (round(low, 4), round(high, 4)) == (0.0490, 0.1762)
    assert EmpiricalError(0, 20, 0.95).interval[0] == 0
    assert EmpiricalError(20, 20, 0.95).interval[1] == 1
    assert EmpiricalError(1, 10**5, 0.95).interval[1] < 1e-4


def test_the_interval_covers_whatever_the_true_error():
    """By the binomial law itself, added up exactly: never less than is said."""
    for true in (0.01, 0.1, 0.37):
        inside = 0.0
        for wrong in range(41):
            low, high = EmpiricalError(wrong, 40, 0.9).interval
            if low <= true <= high:
                inside += comb(40, wrong) * true**wrong * (1 - true) ** (40 - wrong)
        assert inside >= 0.9


def test_errors_are_counted():
    assert empirical_error([1, 2, 3], [1, 2, 4]).wrong == 1
    with pytest.raises(InvalidInput):
        empirical_error([], [])


def thresholds(count):
    return [lambda x, at=at: x >= at for at in range(count)]


def test_known_dimensions_are_found():
    points = range(6)
    assert vc_dimension(thresholds(7), points) == 1
    intervals = [lambda x, a=a, b=b: a <= x < b for a in range(7) for b in range(7)]
    assert vc_dimension(intervals, points) == 2
    pairs = [
        lambda x, p=p, q=q: any(lo <= x < hi for lo, hi in (p, q))
        for p in [(a, b) for a in range(7) for b in range(a, 7)]
        for q in [(a, b) for a in range(7) for b in range(a, 7)]
    ]
    assert vc_dimension(pairs, points) == 4
    everything = [lambda x, bits=bits: bits >> x & 1 for bits in range(32)]
    assert vc_dimension(everything, range(5)) == 5
    assert vc_dimension([lambda x: True], points) == 0
    with pytest.raises(InvalidInput):
        vc_dimension([], points)


def test_half_planes_split_three_points_but_not_four():
    points = [(0, 0), (0, 2), (2, 0), (2, 3), (1, 1)]
    planes = [
        lambda p, a=a, b=b, c=c: a * p[0] + b * p[1] > c
        for a in (-2, -1, 0, 1, 2)
        for b in (-2, -1, 0, 1, 2)
        for c in np.arange(-8, 8.5, 0.5)
    ]
    assert vc_dimension(planes, points) == 3


def test_no_threshold_strays_further_than_the_bound_says():
    """2,000 rows, 300 times: the worst of all thresholds stays within the bound, which is far from tight."""
    bound = uniform_deviation(2_000, 1, 0.05)
    true = np.arange(11) / 10  # of a uniform value being below each threshold
    draw = np.random.default_rng(1)
    worst = [
        np.abs((draw.random(2_000)[:, None] < true[None]).mean(0) - true).max() for _ in range(300)
    ]
    assert max(worst) < bound < 0.4


def test_more_rows_or_fewer_dimensions_are_surer():
    assert uniform_deviation(4_000, 2) < uniform_deviation(2_000, 2) < uniform_deviation(2_000, 5)
    enough = sample_size(0.1, 2, 0.05)
    assert uniform_deviation(enough, 2) <= 0.1 < uniform_deviation(enough - 1, 2)
    assert net_size(0.1, 2) < enough
    for wrong in (0, 2):
        with pytest.raises(InvalidInput):
            sample_size(wrong, 2)
    with pytest.raises(InvalidInput):
        uniform_deviation(10, 2, 0)


def test_a_private_classifier_is_consistent():
    """With more rows at one price its error falls to the best possible one, 10 %; a twentieth of that is left.

    A table of 30,000 rows has some 3,000 wrong labels: six deviations of the error on 20,000 fresh rows are 1.3 %.
    """
    draw = np.random.default_rng(2)

    def sample(count):
        value = draw.integers(0, 4, count)
        clear = (value >= 2) ^ (draw.random(count) < 0.1)
        return {"v": value.tolist(), "y": clear.astype(int).tolist()}

    fresh = sample(20_000)
    errors = []
    for count in (20, 30_000):
        vault = protect_columns(
            sample(count),
            unit="row",
            columns={"v": [0, 1, 2, 3], "y": [0, 1]},
            epsilon=1,
            delta=1e-6,
        )
        model = HistogramNB(epsilon=0.1).fit(vault.table("data"), "y")
        errors.append(empirical_error(model.predict(fresh).tolist(), fresh["y"]).error)
    assert abs(errors[-1] - 0.1) < 0.013
    assert errors[0] >= errors[-1] - 0.005
