"""Limits and what is shared: values that refuse what makes no sense."""

from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.accounting import ConcentratedFilter, PureFilter
from tacit.curator import Limit, Policy, Shared
from tacit.errors import InvalidInput
from tacit.plan import Weighing
from tacit.privacy import Neighbours
from tests.unit.curator.asked import ROWS, VISITS


def test_without_a_delta_a_limit_is_pure_and_rows_are_held_in_sum():
    limit = Limit(3)
    assert (limit.delta, limit.weighing, limit.filter()) == (0, Weighing.L1, PureFilter(3))


def test_with_a_delta_a_limit_is_concentrated_and_rows_are_held_in_length():
    limit = Limit(3, Fraction(1, 10**6))
    assert limit.weighing is Weighing.L2
    assert limit.filter() == ConcentratedFilter(3, Fraction(1, 10**6))


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE, "replace"])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_limit_is_kept_for_the_relation_it_names(neighbours, delta):
    limit = Limit(1, delta, neighbours)
    assert limit.neighbours is limit.filter().neighbours is Neighbours.REPLACE


def test_a_limit_is_read_downward():
    assert Limit(0.1).epsilon == Fraction(1, 10) < Fraction(0.1)
    assert Limit(0.3).epsilon == Fraction(0.3) < Fraction(3, 10)
    assert Limit(Decimal("0.3")).epsilon == Fraction(3, 10)


@pytest.mark.parametrize("epsilon", [0, -1, -0.0, float("nan"), float("inf"), True, "1", None, [1]])
def test_an_epsilon_that_makes_no_sense_is_refused(epsilon):
    with pytest.raises(InvalidInput, match="epsilon"):
        Limit(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 2, float("nan"), True, "0", None])
def test_a_delta_that_makes_no_sense_is_refused(delta):
    with pytest.raises(InvalidInput, match="delta"):
        Limit(1, delta)


@pytest.mark.parametrize("neighbours", ["swap", "", None, 1, "REPLACE"])
def test_a_relation_that_does_not_exist_is_refused_by_the_names_of_those_that_do(neighbours):
    with pytest.raises(InvalidInput, match='"add-or-remove" or "replace"'):
        Limit(1, 0, neighbours)


@pytest.mark.parametrize("contributions", [0, -1, 1.5, True, "3", 2**63])
def test_contributions_are_a_whole_number_of_at_least_one(contributions):
    with pytest.raises(InvalidInput, match="contributions"):
        Shared(VISITS, contributions)


@pytest.mark.parametrize("epsilon", [10**7, 1e300])
def test_a_limit_that_protects_nobody_is_refused(epsilon):
    with pytest.raises(InvalidInput, match="protects nobody"):
        Limit(epsilon, 1e-6)


def test_what_is_protected_is_called_as_the_tables_call_it():
    tables = {"visits": Shared(VISITS, 3)}
    assert (Policy(Limit(1), tables).unit, Policy(Limit(1), tables, "patient").unit) == (
        "person",
        "patient",
    )
    assert Policy(Limit(1), {"visits": Shared(ROWS, 1)}).unit == "row"
    with pytest.raises(InvalidInput, match="name who is protected in all tables, such"):
        Policy(Limit(1), tables | {"rows": Shared(ROWS, 1)})


def test_an_analyst_has_a_part_of_the_limit_in_its_currency():
    tables, limit = {"visits": Shared(VISITS, 3)}, Limit(1, 1e-6)
    for own in (Limit(2, 1e-6), Limit(1), Limit(1, 1e-7), Limit(1, 1e-6, "replace")):
        with pytest.raises(InvalidInput, match="the limit of 'ann'"):
            Policy(limit, tables, analysts={"ann": own})
    assert Policy(limit, tables, analysts={"ann": limit}).analysts == {"ann": limit}


def test_answers_are_replayed_to_who_paid_for_them_or_to_everyone():
    tables = {"visits": Shared(VISITS, 3)}
    assert Policy(Limit(1), tables).replay == "analyst"
    with pytest.raises(InvalidInput, match='"analyst" or "everyone"'):
        Policy(Limit(1), tables, replay="nobody")


def test_a_policy_cannot_be_changed():
    policy = Policy(Limit(1), {"visits": Shared(VISITS, 3)})
    for value, field in (
        (policy, "limit"),
        (policy.limit, "epsilon"),
        (policy.tables["visits"], "contributions"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field, None)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("parts", [2, 3, 10])
def test_shares_of_a_limit_add_up_to_it(delta, parts):
    """Analysts with a third each can together spend all of it, and no more: with a delta, epsilons would not do."""
    whole = Limit(3, delta)
    own = whole.part(Fraction(1, parts))
    together = own.filter().limit.amount * parts / whole.filter().limit.amount
    assert 0.999999 < together <= 1
    assert (own.delta, own.neighbours) == (whole.delta, whole.neighbours)
    assert whole.part(1) == whole


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_a_share_is_a_part(share):
    with pytest.raises(InvalidInput, match="give a part of the limit"):
        Limit(3).part(share)
