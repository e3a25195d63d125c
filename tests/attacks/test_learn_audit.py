"""Every estimator is attacked with all that its fits release, on two tables that differ by one extreme row."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from tests.attacks.transcripts import Attack, refuted_epsilon, refuted_mu
from tests.laws.every_estimator import EVERY, NEEDS_DELTA, make_rows

EXTRA = {"patient": "me", "ward": "C", "age": 100, "cost": 100.0, "ill": True}
EPSILON = {Fraction(0): 2, Fraction(1, 10**6): 6}
FITS = 400

every_estimator_and_currency = pytest.mark.parametrize(
    ("name", "delta"),
    [(name, delta) for name in EVERY for delta in EPSILON if delta or name not in NEEDS_DELTA],
)


def transcripts(name, delta, fits, weaken=None):
    """Transcripts of fits without and with the extra row, and what one fit was charged."""
    attack = Attack(make_rows(3, each=1), EXTRA, delta=delta, epsilon=EPSILON[delta], weaken=weaken)
    estimator, target = EVERY[name]
    found, charged = ([], []), set()
    for has_extra in (False, True):
        for _ in range(fits):
            model = type(estimator)(**estimator.get_params())
            transcript, amount = attack.fit(model, target, has_extra=has_extra)
            found[has_extra].append(transcript)
            charged.add(amount)
    (amount,) = charged
    return *found, amount


def ratios(found):
    return np.array([each.ratio for each in found])


def check_paths(without, with_extra, delta, amount):
    """On every path, what was released tells no more of the row than was paid: exactly, whatever the noise was."""
    for each in (*without, *with_extra):
        if delta:
            assert each.moved <= amount * (1 + 1e-9)
        else:
            assert abs(each.ratio) <= amount * (1 + 1e-9)


@every_estimator_and_currency
def test_no_transcript_of_a_fit_tells_more_than_was_paid(name, delta):
    """Two fits on each table; the likelihood ratio of everything that was released is within the price."""
    without, with_extra, amount = transcripts(name, delta, 2)
    check_paths(without, with_extra, delta, amount)


def test_the_price_of_counts_is_attained():
    """What the check can see: a price that was a hundredth smaller would be refuted."""
    delta = Fraction(1, 10**6)
    without, with_extra, amount = transcripts("gaussian", delta, 1)
    assert max(each.moved for each in (*without, *with_extra)) >= 0.99 * amount


@pytest.mark.soak
@every_estimator_and_currency
def test_fits_on_neighbours_cannot_be_told_apart_better_than_the_price_allows(name, delta):
    """400 fits on each table: how often the ratio is above a cut refutes no more than was paid.

    Without a delta: the price itself.  With one: the distance of two normal laws that rho stands for; steps on samples
    are no such laws, and there the mean of the ratio is at most rho.  False alarms: 20 in a million for a case.
    """
    without, with_extra, amount = transcripts(name, delta, FITS)
    check_paths(without, with_extra, delta, amount)
    low, high = ratios(without), ratios(with_extra)
    assert refuted_epsilon(low, high) <= EPSILON[delta]
    if delta and name not in NEEDS_DELTA:
        assert refuted_mu(low, high) <= sqrt(2 * amount)
    if delta:
        for each in (-low, high):
            assert each.mean() - 5 * each.std() / sqrt(FITS) <= amount


@pytest.mark.soak
@pytest.mark.parametrize("name", ["gaussian", "k-means", "components", "nearest"])
def test_half_of_the_noise_is_noticed(name):
    """What the audit can see: noise that is half as wide as it is said to be."""
    delta = Fraction(1, 10**6)
    without, with_extra, amount = transcripts(name, delta, FITS, weaken=lambda noise: noise // 2)
    assert refuted_mu(ratios(without), ratios(with_extra)) > sqrt(2 * amount)
