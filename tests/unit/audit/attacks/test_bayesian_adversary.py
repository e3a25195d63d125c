"""The best score after a release: no likelihood that keeps epsilon gives more, and Laplace noise reaches it."""

from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.audit.attacks.bayesian_adversary import _posterior_score, best_score

SHARES = st.floats(0.01, 1)


@given(
    weights=st.tuples(SHARES, SHARES, SHARES),
    epsilon=st.floats(0, 3),
    steps=st.tuples(*[st.floats(-1, 1)] * 2),
)
@settings(max_examples=200)
def test_no_likelihood_that_keeps_epsilon_scores_more(weights, epsilon, steps):
    prior = [weight / sum(weights) for weight in weights]
    likelihoods = [1.0, exp(epsilon * steps[0]), exp(epsilon * (steps[0] + steps[1]))]
    masses = [share * likelihood for share, likelihood in zip(prior, likelihoods, strict=True)]
    assert (masses[1] + masses[2] / 2) / sum(masses) <= best_score(prior, epsilon) + 1e-12


@given(weights=st.tuples(SHARES, SHARES, SHARES), epsilon=st.floats(0.01, 3))
def test_some_noisy_count_reaches_it_and_none_more(weights, epsilon):
    prior = [weight / sum(weights) for weight in weights]
    scores = [_posterior_score(prior, epsilon, seen) for seen in range(-3, 6)]
    assert max(scores) == pytest.approx(best_score(prior, epsilon))


def test_without_a_loss_it_is_the_prior_score():
    assert best_score((0.5, 0.3, 0.2), 0) == pytest.approx(0.4)
