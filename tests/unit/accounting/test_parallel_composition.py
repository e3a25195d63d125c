"""Parallel releases as a value."""

from fractions import Fraction

import pytest

from tacit.accounting import OneOf, Parallel, parallel, total
from tacit.errors import InvalidInput, TooLarge
from tacit.privacy import ApproximateLoss, GaussianLoss, Loss, Neighbours, PureLoss

F = Fraction
REPLACE = Neighbours.REPLACE


def test_equal_parts_are_counted():
    parts = parallel([PureLoss(1)] * 1000)
    assert isinstance(parts, Parallel)
    assert isinstance(parts, Loss)
    assert len(parts.parts) == 1
    assert total(parts).epsilon(0) == 1


def test_parts_may_hold_several_releases():
    assert total(parallel(PureLoss(1) * 3, PureLoss(2) + GaussianLoss(0))).epsilon(0) == 3


def test_parallel_losses_add_up_like_others():
    wards = parallel(PureLoss(1), PureLoss(2))
    assert total(wards + PureLoss(1)).epsilon(0) == 3
    assert total(wards * 2) == total([wards, wards])


def test_failures_are_the_largest_or_the_two_largest():
    risky = [
        ApproximateLoss(1, F(n, 100), relation)
        for relation in (Neighbours.ADD_OR_REMOVE, REPLACE)
        for n in (1, 2, 3)
    ]
    assert total(parallel(risky[:3])).failure == pytest.approx(0.03)
    assert total(parallel(risky[3:])).failure == pytest.approx(1 - 0.97 * 0.98)
    assert total(parallel(risky[3:])).epsilon(0.05) <= 2


def test_a_group_is_spread_in_every_way():
    parts = parallel(PureLoss(1), ApproximateLoss(2, F(1, 100)))
    cases = parts.group(2).cases()
    assert isinstance(cases, OneOf)
    assert len(cases.cases) == 3
    assert total(parts.group(2)).epsilon(0.5) <= 4
    assert parts.group(2).group(2) == parts.group(4)


def test_one_of_several_is_grouped_case_by_case():
    either = OneOf((PureLoss(1) * 1, PureLoss(2) * 1))
    assert total(either.group(2)).epsilon(0) == 4


def test_too_many_ways_are_refused():
    parts = parallel(PureLoss(F(1, n)) for n in range(1, 60))
    with pytest.raises(TooLarge):
        parts.group(5).rho()


@pytest.mark.parametrize("bad", [(), ([],), (PureLoss(1), PureLoss(1, REPLACE)), (1,), ([1],)])
def test_parts_are_losses_for_one_relation(bad):
    with pytest.raises(InvalidInput):
        parallel(*bad)
