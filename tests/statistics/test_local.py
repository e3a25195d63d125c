"""Simulated surveys: how often intervals cover, and what the plain mean of randomised answers is worth."""

import numpy as np
import pytest

from tacit.local import Frequencies, HadamardResponse, Hybrid, KaryResponse, Unary

SURVEYS, PEOPLE, VALUES = 2000, 1000, 8
HELD = np.minimum(np.arange(PEOPLE) % 13, VALUES - 1)


@pytest.mark.parametrize(
    "protocol",
    [KaryResponse(VALUES, 1), Unary(VALUES, 1), HadamardResponse(VALUES, 2)],
    ids=["k-ary", "unary", "Hadamard"],
)
def test_intervals_cover_in_simulated_surveys(protocol):
    """Two thousand surveys of eight values.  The exact coverage is 94.3 to 96 % here; the share of one value has a
    deviation of 0.5 %, that of all of 0.18 %.  Five deviations: fails less than once in a million runs, and sees a
    variance that is off by a quarter."""
    truth = np.bincount(HELD, minlength=VALUES)
    reports = protocol.encode_all(np.tile(HELD, SURVEYS)).reshape(SURVEYS, PEOPLE, -1)
    covered = np.zeros(VALUES)
    together = 0
    for survey in reports:
        rows = survey if isinstance(protocol, Unary) else survey.ravel()
        found = protocol.collect(rows)
        ends = found.intervals(0.95)
        covered += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        wide = found.intervals(0.95, simultaneous=True)
        together += bool(((wide[:, 0] <= truth) & (truth <= wide[:, 1])).all())
    shares = covered / SURVEYS
    print(
        f"coverage of single values {shares.min():.4f} to {shares.max():.4f}, all together {together / SURVEYS:.4f}"
    )
    assert 0.934 <= shares.mean() <= 0.97
    assert ((shares > 0.915) & (shares < 0.987)).all()
    assert together / SURVEYS > 0.915


def test_the_interval_of_a_mean_covers():
    """Two thousand surveys: a coverage of 95 % falls outside 92.5 to 97.5 % once in 3 million runs."""
    protocol = Hybrid(0, 100, 2)
    numbers = np.linspace(5, 60, 400)
    reports = protocol.encode_all(np.tile(numbers, SURVEYS)).reshape(SURVEYS, -1)
    covered = 0
    for survey in reports:
        low, high = protocol.collect(survey).interval(0.95)
        covered += low <= numbers.mean() <= high
    assert 0.925 <= covered / SURVEYS <= 0.975


def test_the_plain_mean_is_biased_and_the_estimate_is_not():
    """A million people, three in ten say yes.  Six deviations either way: fails once in 10^8 runs."""
    people, yes = 10**6, 300_000
    coins = KaryResponse.two_coin()
    reports = coins.encode_all(np.repeat([1, 0], [yes, people - yes]))
    plain, found = reports.mean(), coins.collect(reports)
    assert isinstance(found, Frequencies)
    assert abs(plain - 0.4) < 6 * np.sqrt(
        3 / 16 / people
    )  # 3/4 of 0.3 and 1/4 of 0.7: a third too much
    assert abs(float(found.count(1)) / people - 0.3) < 6 * found.deviations[1] / people
    assert 6 * found.deviations[1] / people < 0.006
