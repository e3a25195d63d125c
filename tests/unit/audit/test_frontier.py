"""The exact trade-off between epsilon and delta of a pair."""

from fractions import Fraction

import pytest

from tacit.audit import Truncated, compare
from tacit.errors import InvalidInput, NotPrivate

F = Fraction
TRUE, FALSE = {"yes": F(3, 4), "no": F(1, 4)}, {"yes": F(1, 4), "no": F(3, 4)}


def test_the_two_coins_have_a_frontier_with_two_corners():
    report = compare(TRUE, FALSE)
    assert report.frontier() == ((1, F(1, 2)), (3, 0))
    assert report.delta_at_ratio(2) == F(1, 4)
    assert report.ratio(F(1, 4)) == 2
    assert report.ratio() == 3


def test_the_worst_event_at_delta_zero_holds_all_outcomes_of_the_largest_ratio():
    p = {"a": F(3, 10), "b": F(3, 10), "c": F(4, 10)}
    q = {"a": F(1, 10), "b": F(1, 10), "c": F(8, 10)}
    witness = compare(p, q).worst()
    assert witness.event == {"a", "b"}
    assert witness.pair == (("p",), ("q",))
    assert (witness.under_x, witness.under_y) == (F(3, 5), F(1, 5))
    assert str(witness) == "{'a', 'b'} has probability 3/5 under ('p',) and 1/5 under ('q',)"
    assert compare(q, p).worst().pair == (("q",), ("p",)), "both directions are looked at"


def test_an_impossible_outcome_is_shown_and_has_no_epsilon():
    p, q = {"a": F(1, 10), "b": F(9, 10)}, {"b": F(1)}
    report = compare(p, q)
    assert report.worst().event == {"a"}
    with pytest.raises(NotPrivate, match="at least 1/10"):
        report.ratio()
    with pytest.raises(NotPrivate):
        report.epsilon(F(1, 11))
    assert report.ratio(F(1, 10)) == 1
    assert report.frontier() == ((1, F(1, 10)),)


def test_equal_distributions_are_perfectly_private():
    report = compare(TRUE, TRUE)
    assert report.frontier() == ((1, 0),)
    assert report.ratio() == 1
    assert report.epsilon().exact
    assert report.tradeoff(F(1, 3)) == F(2, 3)
    assert report.roc() == ((0, 0), (1, 1))


def test_disjoint_distributions_are_not_private_at_all():
    report = compare({"a": 1}, {"b": 1})
    assert report.total_variation() == 1
    assert report.ratio(1) == 1
    assert report.tradeoff(0) == 0


def test_the_trade_off_curve_of_two_coins():
    report = compare(TRUE, FALSE)
    assert report.roc() == ((0, 0), (F(1, 4), F(3, 4)), (1, 1))
    assert report.tradeoff(0) == 1
    assert report.tradeoff(F(1, 8)) == F(5, 8)
    assert report.tradeoff(F(1, 4)) == F(1, 4)
    assert report.tradeoff(1) == 0
    with pytest.raises(InvalidInput, match="alpha"):
        report.tradeoff(F(5, 4))


def test_at_delta_one_anything_is_private_even_if_a_mass_was_rounded_above_one():
    report = compare(Truncated({"a": F(1)}, F(1, 100)), Truncated({"b": F(1)}, F(0)))
    assert report.guaranteed.vertices[0].under_x > 1
    assert report.guaranteed.ratio(1) == 1


def test_a_tail_widens_delta_by_its_mass_on_one_side_only():
    tail = F(1, 100)
    cut = compare(
        Truncated({"yes": F(3, 4) - tail, "no": F(1, 4)}, tail),
        Truncated({"yes": F(1, 4), "no": F(3, 4) - tail}, tail),
    )
    assert cut.attained.delta_at_ratio(1) == F(1, 2) - tail
    assert cut.guaranteed.delta_at_ratio(1) == F(1, 2)
    assert not cut.exact
    with pytest.raises(NotPrivate, match="list more outcomes"):
        cut.ratio()
    assert cut.attained.ratio() < 3 < cut.ratio(2 * tail) + 1


def test_an_outcome_may_be_listed_for_one_and_in_the_tail_of_the_other():
    tail = F(1, 100)
    report = compare(Truncated({"a": 1 - tail, "b": tail}, 0), Truncated({"a": 1 - tail}, tail))
    assert report.attained.delta_at_ratio(1) == 0, "b may well be the tail"
    assert report.guaranteed.delta_at_ratio(1) == tail


@pytest.mark.parametrize("ratio", [F(1, 2), 0, -1, 1.5, True])
def test_a_ratio_below_one_or_inexact_is_refused(ratio):
    with pytest.raises(InvalidInput, match="ratio"):
        compare(TRUE, FALSE).delta_at_ratio(ratio)


@pytest.mark.parametrize("delta", [F(-1, 2), 0.1, False])
def test_a_delta_below_zero_or_inexact_is_refused(delta):
    with pytest.raises(InvalidInput, match="delta"):
        compare(TRUE, FALSE).ratio(delta)


def test_a_huge_epsilon_is_no_more_work_than_a_small_one():
    report = compare({"a": F(1, 10), "b": F(9, 10)}, {"b": F(1)})
    assert report.delta(10**15).low == report.delta(10**15).high == F(1, 10)
    with pytest.raises(InvalidInput, match="epsilon"):
        report.delta(-1)
