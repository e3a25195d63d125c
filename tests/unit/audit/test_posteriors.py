"""What an attacker believes after a release."""

from fractions import Fraction

import pytest

from tacit.audit import Enclosure, one_random_row, posterior, posterior_games, posterior_shift
from tacit.errors import InvalidDistribution, InvalidInput, NotPrivate
from tacit.exact import exp
from tacit.mechanisms import Laplace
from tacit.privacy import Neighbours

F = Fraction
REPLACE = Neighbours.REPLACE
EVEN = {("yes",): F(1, 2), ("no",): F(1, 2)}


def two_coins(rows):
    yes = F(3, 4) if rows[0] == "yes" else F(1, 4)
    return {"yes": yes, "no": 1 - yes}


def test_the_belief_follows_bayes_rule():
    assert posterior(EVEN, two_coins, "yes") == {("yes",): F(3, 4), ("no",): F(1, 4)}
    skewed = {("yes",): F(1, 10), ("no",): F(9, 10)}
    assert posterior(skewed, two_coins, "yes")[("yes",)] == F(3, 12)


def test_the_largest_shift_of_a_belief_is_attained():
    """With e^epsilon = 3 no belief shifts by more than (3 - 1)/(3 + 1); a prior of one half comes to one quarter."""
    assert posterior_shift(EVEN, two_coins, "yes", lambda rows: ("no",)) == F(1, 4) <= F(1, 2)

    def both_ways(rows):
        return ("no",) if rows == ("yes",) else ("yes",)

    assert posterior_shift(EVEN, two_coins, "yes", both_ways) == F(1, 2)


def test_a_row_that_is_shown_leaves_no_doubt():
    prior = {("Ann", "Bob"): F(1, 2), ("Ann", "Cy"): F(1, 2)}
    assert posterior(prior, one_random_row, "Bob") == {("Ann", "Bob"): 1, ("Ann", "Cy"): 0}


def test_a_release_that_cannot_happen_teaches_nothing_and_is_refused():
    with pytest.raises(InvalidDistribution, match="cannot happen"):
        posterior(EVEN, two_coins, "perhaps")


def test_beliefs_are_distributions_and_exact():
    with pytest.raises(InvalidDistribution, match="sum to"):
        posterior({("yes",): F(1, 2)}, two_coins, "yes")
    with pytest.raises(InvalidDistribution, match="Fractions"):
        posterior(EVEN, lambda rows: {"yes": exp(-1), "no": 1 - exp(-1)}, "yes")


def noisy_count(rows):
    """Two coins on how many said yes, of two: clamped noise that can be listed."""
    yes = rows.count("yes")
    return {n: F(1, 2) if n == yes else F(1, 2) / 2 for n in range(3)}


UNIFORM = {(a, b): F(1, 4) for a in ("yes", "no") for b in ("yes", "no")}


def test_there_is_a_game_for_every_row_and_one_more():
    games = posterior_games(UNIFORM, noisy_count, REPLACE, default="no")
    assert games.rows == 2
    assert set(games.outcomes) == {0, 1, 2}
    for outcome in games.outcomes:
        assert games.belief(None, outcome) == {
            database: Enclosure(belief, belief)
            for database, belief in posterior(UNIFORM, noisy_count, outcome).items()
        }
        for row in range(2):

            def without(rows, row=row):
                return (*rows[:row], "no", *rows[row + 1 :])

            exact = posterior_shift(UNIFORM, noisy_count, outcome, without)
            assert games.shift(row, outcome) == Enclosure(exact, exact)
    assert games.bound == Enclosure(F(1, 3), F(1, 3))  # a ratio of 2
    assert games.holds
    assert games.worst.shift.high == max(each.shift.high for each in games.shifts)


def test_a_row_that_nobody_looks_at_shifts_nothing():
    games = posterior_games(UNIFORM, two_coins, REPLACE, default="no")
    assert all(games.shift(1, outcome) == Enclosure(F(0), F(0)) for outcome in games.outcomes)
    assert games.worst.row == 0
    assert games.worst.shift.low > 0


def test_the_prior_matters():
    skewed = {("yes", "yes"): F(9, 10), ("no", "no"): F(1, 10)}
    games = posterior_games(skewed, noisy_count, REPLACE, default="no")
    belief = games.belief(None, 2)
    assert belief["yes", "yes"].low == F(9, 10) * F(1, 2) / (
        F(9, 10) * F(1, 2) + F(1, 10) * F(1, 4)
    )


def test_a_row_may_also_leave():
    games = posterior_games(UNIFORM, noisy_count, Neighbours.ADD_OR_REMOVE)
    assert games.holds
    assert games.worst.shift.high > 0


def test_a_false_claim_is_exceeded():
    """Two coins shift an even belief by 1/4; at epsilon 1/10 no more than about 1/20 is allowed."""
    games = posterior_games(EVEN, two_coins, REPLACE, default="no", claimed=F(1, 10))
    assert not games.holds
    assert "BEYOND" in str(games)
    kept = posterior_games(EVEN, two_coins, REPLACE, default="no", claimed=1.1)
    assert kept.holds
    assert "within" in str(kept)
    assert "2 games, 2 databases, 2 outcomes" in str(kept)


def test_tanh_of_half_of_epsilon_is_attained():
    """A game that turns every answer round, by hand: the prior of one half comes to the bound itself."""

    def either(rows):
        return two_coins(rows) if len(rows) == 1 else {"yes": F(1, 2), "no": F(1, 2)}

    games = posterior_games(EVEN, either, Neighbours.ADD_OR_REMOVE)
    assert games.worst.shift == Enclosure(F(1, 4), F(1, 4))
    assert games.bound.high == F(1, 3)


def test_balls_are_enclosed():
    laplace = Laplace(1)
    games = posterior_games(
        UNIFORM,
        lambda rows: laplace.distribution(rows.count("yes")).clamp_law(-1, 3),
        REPLACE,
        default="no",
        claimed=1,
    )
    assert not games.bound.exact
    assert games.holds
    assert games.worst.shift.width < F(1, 2**100)
    assert float(games.bound) == pytest.approx(0.46211715726)  # tanh(1/2)


def test_what_gives_a_row_away_for_certain_has_no_bound():
    with pytest.raises(NotPrivate):
        posterior_games(UNIFORM, one_random_row, REPLACE, default="absent")


def test_games_that_make_no_sense_are_refused():
    with pytest.raises(InvalidInput, match="default"):
        posterior_games(UNIFORM, noisy_count, REPLACE)
    with pytest.raises(InvalidInput, match="one size"):
        posterior_games({("yes",): F(1, 2), (): F(1, 2)}, noisy_count, REPLACE, default="no")
    with pytest.raises(InvalidInput, match="one size"):
        posterior_games({(): F(1)}, noisy_count, REPLACE, default="no")


def test_the_picture_of_the_games_is_drawn(tmp_path):
    file = tmp_path / "games.png"
    posterior_games(UNIFORM, noisy_count, REPLACE, default="no").plot(file)
    assert file.stat().st_size > 10_000
