"""Mechanisms by name, each with a pair."""

from fractions import Fraction

import pytest

from tacit.audit import SUBJECTS, Subject, subject_of
from tacit.errors import InvalidInput
from tacit.mechanisms import Gaussian
from tacit.privacy import Neighbours

F = Fraction


@pytest.mark.parametrize("neighbours", ["add-or-remove", Neighbours.REPLACE])
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_subject_claims_its_price_and_its_pair_is_below_it(name, neighbours):
    subject = subject_of(name, 3, F(1, 10**6) if name == "gaussian" else 0, neighbours)
    assert subject.loss.neighbours == Neighbours(neighbours)
    assert F(29, 10) < subject.claimed <= 3 + F(1, 2**90)
    assert 0 < subject.exact <= 3 + F(1, 2**90)


def test_the_exact_mu_of_a_wide_gaussian_is_nearly_that_of_the_continuous_one():
    for sigma, error in ((8, F(1, 10**3)), (64, F(1, 10**4))):
        mechanism = Gaussian(sigma)
        mu = Subject("gaussian", mechanism, (0, sigma), mechanism.loss(sigma)).mu
        assert 1 < mu < 1 + error


def test_the_exact_mu_of_a_narrow_one_is_not():
    mechanism = Gaussian(F(1, 2))
    assert Subject("gaussian", mechanism, (0, 1), mechanism.loss(1)).mu > F(201, 100)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "sorcery"},
        {"delta": 0.1},
        {"neighbours": "next-door"},
        {"epsilon": -1},
        {"epsilon": "1"},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidInput):
        subject_of(**({"name": "laplace", "epsilon": 1} | wrong))
