"""Elections by brute force, against numbers worked out by hand."""

from fractions import Fraction

import pytest

from tacit.audit import election, plurality, verify
from tacit.errors import InvalidInput, NotPrivate
from tacit.privacy import Neighbours

FIVE = "ABCDE"
ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE


def test_most_votes_win_and_ties_are_drawn():
    assert plurality("AABC") == {"A": 1}
    assert plurality("AABB") == {"A": Fraction(1, 2), "B": Fraction(1, 2)}


def test_two_voters_and_a_uniform_one():
    chances = election(FIVE, added=1, rerandomised=0)(("A", "B"))
    # C needs the random voter (1/5) and the luck of a three-way tie (1/3).
    assert chances["C"] == Fraction(1, 15)
    # A wins with the random vote (1/5), or one time in three when it goes to C, D or E (3/5).
    assert chances["A"] == chances["B"] == Fraction(2, 5)
    assert sum(chances.values()) == 1


def test_then_one_of_the_three_rows_is_randomised_again():
    chances = election(FIVE, added=1, rerandomised=1)(("A", "B"))
    # If it is the added row nothing changes: 1/15. If it is A's or B's row two uniform votes meet one vote:
    # both for C (1/25), or one of them and a three-way tie (6/25 * 1/3): 3/25.
    assert (
        chances["C"]
        == Fraction(1, 3) * Fraction(1, 15) + Fraction(2, 3) * Fraction(3, 25)
        == Fraction(23, 225)
    )
    assert chances["A"] == chances["B"] == Fraction(26, 75)
    assert sum(chances.values()) == 1


def test_randomising_every_row_again_hides_everything():
    report = verify(election(FIVE, added=0, rerandomised=2), FIVE, 2, REPLACE)
    assert report.ratio() == 1
    assert report.total_variation() == 0


def test_an_added_voter_alone_gives_no_finite_epsilon():
    report = verify(election(FIVE, added=1, rerandomised=0), FIVE, 2, REPLACE)
    with pytest.raises(NotPrivate):
        report.ratio()
    assert report.frontier() == ((1, Fraction(3, 5)),)
    assert report.holds(epsilon=0, delta=Fraction(3, 5))
    assert report.worst().event <= set(FIVE)
    assert report.worst().under_y == 0


def test_with_one_row_randomised_again_the_whole_frontier_is_finite():
    report = verify(election(FIVE, added=1, rerandomised=1), FIVE, 2, REPLACE)
    assert report.exact
    assert report.ratio() == Fraction(13, 3)
    assert report.frontier() == (
        (1, Fraction(1, 3)),
        (Fraction(23, 18), Fraction(11, 45)),
        (Fraction(13, 3), 0),
    )
    witness = report.worst()
    assert witness.under_x / witness.under_y == Fraction(13, 3)


def test_a_voter_who_stays_at_home_is_hidden_too():
    report = verify(election(FIVE, added=1, rerandomised=1), FIVE, 2, ADD)
    assert report.ratio() == Fraction(104, 45)
    assert report.total_variation() == Fraction(7, 25)


def test_an_election_without_ballots_is_drawn_by_lot():
    assert election("AB", added=0, rerandomised=0)(()) == {"A": Fraction(1, 2), "B": Fraction(1, 2)}


def test_impossible_elections_are_refused():
    with pytest.raises(InvalidInput, match="candidates"):
        election("AA")
    with pytest.raises(InvalidInput, match="rerandomised"):
        election(FIVE, added=0, rerandomised=3)(("A", "B"))
