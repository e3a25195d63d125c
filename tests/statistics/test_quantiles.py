"""What quantiles and the sparse vector release, against the laws they state: Pearson's test at 2,000 releases.

Each test has a false-alarm rate of 1e-9, and must reject the releases of a mechanism with half the noise.
"""

from fractions import Fraction

import numpy as np
import pytest

from tacit.exact import working
from tacit.mechanisms import AboveThreshold, JointQuantiles, Quantile, RecursiveQuantiles
from tests.statistics.chi_square import FALSE_ALARM, p_value

F = Fraction
RELEASES = 2_000
WEIGHTS = [4, 0, 7, 1, 3]
RANKS = [F(1, 4), F(2, 3)]


def session_of(mechanism):
    def release(values):
        session = mechanism.begin(0)
        return tuple(session.ask(value) for value in values if session.left)

    return release


QUANTILES = {
    "one": (Quantile(F(1, 3), 3), Quantile(F(1, 3), F(3, 2))),
    "joint": (JointQuantiles(RANKS, 5), JointQuantiles(RANKS, F(5, 2))),
    "recursive": (RecursiveQuantiles(RANKS, 5), RecursiveQuantiles(RANKS, F(5, 2))),
}


def fit(law, released):
    """How well the releases fit the law."""
    with working():
        chances = {outcome: float(chance.mid()) for outcome, chance in law.items()}
    places = {outcome: place for place, outcome in enumerate(chances)}
    counts = np.bincount([places[outcome] for outcome in released], minlength=len(places))
    probabilities = np.array(list(chances.values()))
    return p_value(counts, probabilities / probabilities.sum())


@pytest.mark.parametrize(("sound", "wrong"), QUANTILES.values(), ids=QUANTILES)
def test_quantiles_follow_their_law_and_half_the_noise_is_seen(sound, wrong):
    def many(mechanism):
        drawn = (mechanism.release(WEIGHTS) for _ in range(RELEASES))
        return [tuple(each) if isinstance(each, list) else each for each in drawn]

    law = sound.distribution(WEIGHTS)
    assert fit(law, many(sound)) > FALSE_ALARM
    assert fit(law, many(wrong)) < FALSE_ALARM


def test_a_session_follows_its_law_and_half_the_noise_is_seen():
    values = [1, -1, 2]
    sound, wrong = AboveThreshold(2, 4, count=2), AboveThreshold(1, 2, count=2)
    law = sound.distribution(values, 0)
    assert fit(law, [session_of(sound)(values) for _ in range(RELEASES)]) > FALSE_ALARM
    assert fit(law, [session_of(wrong)(values) for _ in range(RELEASES)]) < FALSE_ALARM
