"""Which candidate is chosen, against the exact law: Pearson's test at a million choices.

Each test has a false-alarm rate of 1e-9. Each is run again on choices of a mechanism whose scale is 2 % too large, and
must reject them; it fails to with a probability below 1e-9, because the two laws are so far apart that the statistic
has a noncentrality of at least 300 (asserted), six standard deviations above where it begins to reject.
"""

from fractions import Fraction

import numpy as np
import pytest

from tacit.mechanisms import Exponential, NoisyMax, NoisyTopK, PermuteAndFlip
from tests.statistics.chi_square import FALSE_ALARM, p_value

F = Fraction
DRAWS = 10**6
TOO_LARGE = F(102, 100)
NONCENTRALITY = 300

CASES = {
    "exponential": (Exponential, {}, F(1), [5, 0, 1, 2, 2, 2, 3, 3]),
    "exponential, wide": (Exponential, {}, F(2**60), [2**62, -(2**62), 2**61, 0, 0, 0, -(2**61)]),
    "permute-and-flip": (PermuteAndFlip, {}, F(10, 3), [9, 0, 0, 0, 2, 2, 4]),
    "noisy max, Laplace": (NoisyMax, {"noise": "laplace"}, F(1), [4, 0, 0, 1, 2]),
    "noisy max, exponential": (NoisyMax, {"noise": "exponential"}, F(3, 2), [5, 0, 0, 0, 1, 2]),
}
every_case = pytest.mark.parametrize("case", CASES)


def law_of(mechanism, scores):
    return np.array([float(chance.mid()) for chance in mechanism.distribution(scores).values()])


@every_case
def test_a_million_choices_follow_the_exact_law_and_two_per_cent_are_seen(case):
    kind, options, scale, scores = CASES[case]
    mechanism, planted = kind(scale, **options), kind(scale * TOO_LARGE, **options)
    law, wrong = law_of(mechanism, scores), law_of(planted, scores)
    assert DRAWS * ((law - wrong) ** 2 / law).sum() > NONCENTRALITY
    for one, right in ((mechanism, True), (planted, False)):
        chosen = np.bincount(one.release(scores, times=DRAWS), minlength=len(scores))
        assert (p_value(chosen, law) > FALSE_ALARM) is right


@every_case
def test_single_choices_follow_the_exact_law(case):
    """A thousand, one call each; finds a scale that is twice as large."""
    kind, options, scale, scores = CASES[case]
    law = law_of(kind(scale, **options), scores)
    for one, right in ((kind(scale, **options), True), (kind(scale * 2, **options), False)):
        drawn = (
            [one.release(scores) for _ in range(1000)] if right else one.release(scores, times=1000)
        )
        assert (p_value(np.bincount(drawn, minlength=len(scores)), law) > FALSE_ALARM) is right


def test_the_best_two_follow_the_exact_law():
    top, scores = NoisyTopK(2, PermuteAndFlip(2)), [3, 0, 1]
    law = top.distribution(scores)
    drawn = top.release(scores, times=2000).tolist()
    seen = np.array([drawn.count(list(choice)) for choice in law])
    assert p_value(seen, np.array([float(chance.mid()) for chance in law.values()])) > FALSE_ALARM
    other = NoisyTopK(2, PermuteAndFlip(4)).distribution(scores)
    assert p_value(seen, np.array([float(chance.mid()) for chance in other.values()])) < FALSE_ALARM
