"""The numbers of the theory of choosing, through the public calls.

Sources: McSherry and Talwar 2007; Dwork and Roth 2014, sections 3.3 and 3.4; McKenna and Sheldon 2020; Cesar and Rogers
2021. Where lecture notes print another number, the test says which.
"""

from fractions import Fraction
from math import exp, log

import pytest

from tacit.audit import sensitivity_by_search
from tacit.exact import ball, lower, upper, working
from tacit.mechanisms import Exponential, NoisyMax, PermuteAndFlip, selection_bound
from tacit.privacy import Neighbours, Norm, Sensitivity

F = Fraction
TINY = F(1, 2**100)
FILMS = [2, 1, 1] + [0] * 997
EPSILONS = pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5), F(20)], ids=str)


@pytest.fixture(autouse=True)
def enough_digits():
    """All balls of a test carry 192 bits."""
    with working(192):
        yield


def encloses(claimed, exact):
    """Whether both are the same number, as far as their balls tell, and the balls are narrow."""
    return upper(abs(claimed - exact)) < TINY


# ------------------------------------------------------------------------------- the exponential mechanism


@EPSILONS
def test_a_thousand_films_of_which_one_has_two_votes(epsilon):
    """P(top) = e**epsilon / (e**epsilon + 2 e**(epsilon/2) + 997)."""
    mechanism = Exponential.calibrate(epsilon, sensitivity=1)
    assert mechanism.scale == 2 / epsilon
    grown, half = ball(epsilon).exp(), ball(epsilon / 2).exp()
    law = mechanism.distribution(FILMS)
    assert encloses(law[0], grown / (grown + 2 * half + 997))
    assert encloses(law[1], half / (grown + 2 * half + 997))
    assert encloses(law[999], 1 / (grown + 2 * half + 997))


def test_a_vote_for_a_film_is_monotone_by_add_or_remove_and_the_2_may_go():
    monotone = Exponential.calibrate(1, sensitivity=1, monotone=True)
    assert monotone.scale == 1
    assert encloses(
        monotone.distribution(FILMS)[0], ball(2).exp() / (ball(2).exp() + 2 * ball(1).exp() + 997)
    )
    assert monotone.loss(1).pure() == Exponential.calibrate(1, 1).loss(1).pure() == 1


@EPSILONS
def test_fifty_times_the_score_changes_nothing(epsilon):
    """Because its sensitivity is fifty times as large, too."""
    once, fifty = (Exponential.calibrate(epsilon, sensitivity) for sensitivity in (1, 50))
    scores = [2, 1, 1, 0, 0, 7]
    law, other = once.distribution(scores), fifty.distribution([50 * score for score in scores])
    assert all(encloses(law[film], other[film]) for film in law)
    assert once.loss(1) == fifty.loss(50)


@EPSILONS
@pytest.mark.parametrize("patients", [1, 10, 100])
def test_the_wrong_one_of_two_conditions(epsilon, patients):
    """With b and 0 patients P(wrong) = 1 / (1 + e**(b epsilon / 2)), at most 2 e**(-b epsilon / 2)."""
    wrong = Exponential.calibrate(epsilon, sensitivity=1).distribution([patients, 0])[1]
    assert encloses(wrong, 1 / (1 + ball(patients * epsilon / 2).exp()))
    assert upper(wrong) <= lower(2 * ball(-patients * epsilon / 2).exp())


def test_fewest_votes_is_the_largest_of_what_is_below_zero():
    votes, mechanism = [5, 2, 9, 2], Exponential.calibrate(1, 1)
    fewest = mechanism.distribution(votes, smallest=True)
    negated = mechanism.distribution([-count for count in votes])
    assert all(encloses(fewest[place], negated[place]) for place in fewest)
    assert fewest[1] > fewest[0] > fewest[2]
    assert encloses(fewest[1] / fewest[0], ball(F(3, 2)).exp())
    assert mechanism.release([10**6, 10**6, 3], smallest=True) == 2


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5)], ids=str)
@pytest.mark.parametrize("t", [0, 1, 3, 10])
def test_the_accuracy_theorem_bounds_the_exact_tail(epsilon, t):
    """P(best - chosen >= (2/epsilon)(ln n + t)) <= e**-t; among the worst scores it is half of that and more."""
    mechanism = Exponential.calibrate(epsilon, sensitivity=1)
    for scores in (FILMS, list(range(100)), [0] * 5, [10**9, 0, 0, 5]):
        far = F(2 / epsilon * F(log(len(scores)) + t))
        assert upper(mechanism.tail(scores, far)) <= F(exp(-t))
    distance = -(-F(2 / epsilon * F(log(1000) + t)) // 1)
    worst = mechanism.tail([distance] + [0] * 999, distance)
    assert F(exp(-t)) * F(exp(-epsilon / 2)) * F(999, 1000) / 2 <= lower(worst) <= F(exp(-t))


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("candidates", [2, 1000, 10**6])
def test_the_error_is_below_the_textbook_bound_and_close_to_it(beta, candidates):
    for epsilon in (F(1, 10), F(2)):
        bound = selection_bound(1, epsilon, beta, candidates)
        assert bound == pytest.approx(float(2 / epsilon) * log(candidates / beta))
        found = Exponential.calibrate(epsilon, 1).error(1 - F(beta), candidates)
        assert found <= bound
        if candidates > 2 and beta < 0.1:
            assert found > bound - 1 - float(2 / epsilon) * 0.06


def test_the_films_are_within_nineteen_votes_of_the_best_19_times_in_20():
    assert Exponential.calibrate(1, 1).error(0.95, candidates=1000) == 19
    assert PermuteAndFlip.calibrate(1, 1).error(0.95, candidates=1000) == 18
    assert NoisyMax.calibrate(1, 1).error(0.95, candidates=1000) == 22


def test_rho_of_the_exponential_mechanism_is_an_eighth_of_epsilon_squared():
    """Not half of it, as for other pure mechanisms."""
    loss = Exponential.calibrate(F(1, 10), 1).loss(1)
    assert encloses(loss.rho(), ball(F(1, 800)))
    assert upper(PermuteAndFlip.calibrate(F(1, 10), 1).loss(1).rho()) == pytest.approx(
        4 / 800, rel=1e-3
    )


# ------------------------------------------------------------------------------- report noisy max


def votes(rows):
    return [rows.count(name) for name in "ABC"]


def test_one_vote_moves_each_count_by_one_in_either_relation_but_two_counts_by_replace():
    for relation, total in ((Neighbours.ADD_OR_REMOVE, 1), (Neighbours.REPLACE, 2)):
        assert sensitivity_by_search(votes, "ABC", 2, relation, Norm.LINF).bound == 1
        assert sensitivity_by_search(votes, "ABC", 2, relation, Norm.L1).bound == total


@pytest.mark.parametrize("kind", [NoisyMax, Exponential, PermuteAndFlip])
def test_the_scale_is_once_the_sensitivity_for_counts_by_add_or_remove_and_twice_by_replace(kind):
    """Once is often printed for both."""
    for epsilon in (F(1, 2), F(3)):
        assert kind.calibrate(epsilon, Sensitivity(1), monotone=True).scale == 1 / epsilon
        assert (
            kind.calibrate(epsilon, Sensitivity(1, neighbours=Neighbours.REPLACE)).scale
            == 2 / epsilon
        )
        for relation in Neighbours:
            moved = sensitivity_by_search(votes, "ABC", 2, relation, Norm.L1).sensitivity
            assert kind.calibrate(epsilon, moved).scale == moved.bound / epsilon


def test_exponential_noise_makes_it_permute_and_flip():
    scores = [4, 4, 1, 0, -3]
    for scale in (F(1, 2), F(2), F(7)):
        noisy, flipped = (
            NoisyMax(scale, noise="exponential").distribution(scores),
            PermuteAndFlip(scale).distribution(scores),
        )
        assert all(encloses(noisy[place], flipped[place]) for place in noisy)


@pytest.mark.parametrize("scale", [F(1), F(10)], ids=str)
def test_permute_and_flip_halves_the_error_where_two_are_left(scale):
    """McKenna and Sheldon: with two candidates P(wrong) is e**(-g/b) / 2, and 1 / (1 + e**(g/b)) exponentially."""
    for gap in (1, 30, 300):
        wrong = PermuteAndFlip(scale).distribution([gap, 0])[1]
        assert encloses(wrong, ball(-gap / scale).exp() / 2)
        other = Exponential(scale).distribution([gap, 0])[1]
        assert encloses(other, 1 / (1 + ball(gap / scale).exp()))
        assert encloses(wrong / other, (1 + ball(-gap / scale).exp()) / 2)
