"""Published figures of shuffled reports.

Feldman, McMillan and Talwar (2021, arXiv 2012.12803) publish with their paper a programme whose README.md says what it
gives for 100,000 reports of epsilon 4 at delta 1e-6: github.com/apple/ml-shuffling-amplification.  No table of theirs
was found beside it.
"""

from math import exp, log, sqrt

import pytest

from tacit.privacy import shuffled_epsilon

LOCAL, PEOPLE, DELTA = 4, 100_000, 1e-6
LOWER, UPPER, CLOSED = 0.1675385583317841, 0.172790550755978, 0.5378040242374512


def test_the_numerical_bound_lies_between_the_two_that_are_published():
    """Theirs are for the nearest of every hundred clones, above and below."""
    assert LOWER < shuffled_epsilon(LOCAL, PEOPLE, DELTA) < UPPER


def test_the_closed_form_is_the_one_that_is_published_and_never_better():
    """Their function closedformanalysis: ln(1 + (1 - e**-l) / (1 + e**(-l - x)) (e**x - 1)), l for the local one."""
    grown = 8 * sqrt(exp(LOCAL) * log(4 / DELTA) / PEOPLE) + 8 * exp(LOCAL) / PEOPLE
    share = (1 - exp(-LOCAL)) / (1 + exp(-LOCAL) / (1 + grown))
    assert log(1 + share * grown) == pytest.approx(CLOSED, rel=1e-12)
    assert shuffled_epsilon(LOCAL, PEOPLE, DELTA) < CLOSED


@pytest.mark.parametrize(("local", "people"), [(0.5, 10**4), (1, 10**5), (2, 10**6), (3, 10**5)])
def test_the_numerical_bound_is_always_below_the_theorem(local, people):
    """Theorem 3.1 of the paper, where it holds: l at most ln(n / (16 ln(4/delta)))."""
    assert local <= log(people / (16 * log(4 / DELTA)))
    grown = 8 * sqrt(exp(local) * log(4 / DELTA) / people) + 8 * exp(local) / people
    theorem = log(1 + (exp(local) - 1) / (exp(local) + 1) * grown)
    assert shuffled_epsilon(local, people, DELTA) < theorem
