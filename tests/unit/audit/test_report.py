"""What the verifier says about a mechanism."""

from fractions import Fraction
from math import log as float_log

import pytest

from tacit.audit import Truncated, compare, verify
from tacit.errors import InvalidInput, Undecided
from tacit.exact import log
from tacit.privacy import Neighbours

F = Fraction
REPLACE, ADD = Neighbours.REPLACE, Neighbours.ADD_OR_REMOVE


def two_coins(rows):
    yes = F(3, 4) if rows[0] == "yes" else F(1, 4)
    return {"yes": yes, "no": 1 - yes}


REPORT = verify(two_coins, ("yes", "no"), 1, REPLACE)


def test_the_two_coins_have_epsilon_the_logarithm_of_three():
    assert REPORT.exact
    assert REPORT.ratio() == 3
    assert log(3) in REPORT.epsilon()
    assert REPORT.epsilon().width < F(1, 2**100)
    assert float(REPORT.epsilon()) == pytest.approx(float_log(3))


def test_a_claim_at_a_rational_ratio_is_decided_exactly():
    assert REPORT.holds_at_ratio(3)
    assert not REPORT.holds_at_ratio(3 - F(1, 10**30))
    assert REPORT.holds_at_ratio(2, delta=F(1, 4))
    assert not REPORT.holds_at_ratio(2, delta=F(1, 4) - F(1, 10**30))


def test_a_claim_at_a_rational_ratio_is_decided_by_the_guaranteed_end():
    tail = F(1, 100)
    cut = compare(Truncated({"a": 1 - tail}, tail), Truncated({"a": 1 - tail}, tail))
    assert cut.holds_at_ratio(1, delta=tail)
    with pytest.raises(Undecided):
        cut.holds_at_ratio(1, delta=tail / 2)
    apart = compare(Truncated({"a": F(1, 2), "b": F(1, 2) - tail}, tail), {"a": 1})
    assert not apart.holds_at_ratio(1, delta=F(1, 4))


def test_a_claim_in_epsilon_is_decided_unless_it_is_met_with_equality():
    assert REPORT.holds(epsilon=1.0987)
    assert not REPORT.holds(epsilon=1.0986)
    assert REPORT.holds(epsilon=F(109861228866810969140, 10**20))
    assert not REPORT.holds(epsilon=F(109861228866810969139, 10**20))
    with pytest.raises(Undecided, match="holds_at_ratio"):
        REPORT.holds(epsilon=log(3))


def test_a_close_claim_is_settled_with_more_digits():
    digits = F(int(REPORT.epsilon().low * 2**600), 2**600)
    assert REPORT.holds(digits + F(1, 2**110))
    assert not REPORT.holds(digits - F(1, 2**110))


def test_a_claimed_float_is_taken_in_its_strictest_reading():
    half = compare({"a": F(1, 10), "b": F(9, 10)}, {"b": 1})
    assert half.holds(0, F(1, 10))
    assert half.holds(0, 0.1), "the smaller reading of 0.1 is one tenth"
    third = compare({"a": F(3, 10), "b": F(7, 10)}, {"b": 1})
    with pytest.raises(Undecided):
        third.holds(0, 0.3)  # its binary value is below three tenths, its decimal is not


def test_a_report_reads_as_a_sentence():
    assert str(REPORT).startswith(
        "2 databases, 1 pair of neighbours by replace: epsilon 1.0986122886681098"
    )
    assert str(REPORT).endswith("at delta 0; delta 1/2 at epsilon 0")
    assert "two distributions" in str(compare({"a": 1}, {"a": 1}))


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), "1", None, True, -1])
def test_a_nonsensical_epsilon_is_named(nonsense):
    with pytest.raises(InvalidInput, match="epsilon"):
        REPORT.holds(epsilon=nonsense)
    with pytest.raises(InvalidInput, match="epsilon"):
        REPORT.worst_at(nonsense)


@pytest.mark.parametrize("nonsense", [float("nan"), float("inf"), "1", None, True])
def test_a_nonsensical_delta_is_named(nonsense):
    with pytest.raises(InvalidInput, match="delta"):
        REPORT.holds(epsilon=1, delta=nonsense)
    with pytest.raises(InvalidInput, match="delta"):
        REPORT.epsilon(nonsense)
