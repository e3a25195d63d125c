"""Losses put together."""

from fractions import Fraction
from math import inf

import pytest

from tacit.errors import InvalidInput
from tacit.exact import upper
from tacit.privacy import (
    Composed,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Neighbours,
    PureLoss,
    ZeroConcentratedLoss,
)

F = Fraction

REPLACE = Neighbours.REPLACE


def test_equal_losses_are_counted_and_others_listed():
    assert (PureLoss(1) + PureLoss(2) + PureLoss(1.0)).parts == ((PureLoss(1), 2), (PureLoss(2), 1))


def test_a_sum_of_sums_is_flat():
    inner = PureLoss(1) + LaplaceLoss(1) * 2
    assert dict((inner * 3 + inner).parts) == {PureLoss(1): 4, LaplaceLoss(1): 8}


def test_the_empty_sum_costs_nothing():
    assert Composed.of().parts == ()
    assert upper(Composed.of().rho()) == upper(Composed.of().renyi(inf)) == 0


def test_a_sum_keeps_its_relation_even_when_it_is_empty():
    empty = PureLoss(1, REPLACE) * 0
    assert empty.neighbours is REPLACE
    assert empty.group(2).neighbours is REPLACE
    assert (empty * 3).neighbours is REPLACE
    assert (empty + PureLoss(1, REPLACE)).neighbours is REPLACE


def test_a_group_of_a_sum_is_the_sum_of_the_groups():
    assert (PureLoss(1) * 3 + GaussianLoss(1)).group(2) == PureLoss(2) * 3 + GaussianLoss(4)


def test_a_sum_has_a_figure_only_if_every_part_has_it():
    whole = PureLoss(1) + GaussianLoss(1)
    assert whole.renyi(inf) is None
    assert upper(whole.renyi(F(2))) > 1
    assert (PureLoss(1) + ZeroConcentratedLoss(1, F(1, 10))).rho() is None


def test_delta_of_a_sum_is_for_accounting_to_say():
    assert (PureLoss(1) + PureLoss(1)).delta(F(1)) is None


def test_losses_are_not_counted_less_often_than_they_occur():
    with pytest.raises(InvalidInput, match="how often a loss is repeated"):
        Composed.of((PureLoss(1), 2), (PureLoss(1), -1))


@pytest.mark.parametrize("often", [0, -1, 1.0, True, None, 2**62])
def test_a_sum_written_out_by_hand_is_counted_properly(often):
    with pytest.raises(InvalidInput, match="how often a loss is repeated"):
        Composed(((PureLoss(1), often),))


def test_a_sum_written_out_by_hand_is_stated_for_the_relation_of_its_parts():
    with pytest.raises(InvalidInput, match="neighbours cannot be"):
        Composed(((PureLoss(1, REPLACE), 1),))
    with pytest.raises(InvalidInput, match="neighbours cannot be"):
        Composed((), "replaced")
    assert Composed(((PureLoss(1, REPLACE), 2),), REPLACE) == PureLoss(1, REPLACE) * 2


def test_counts_beyond_what_is_countable_are_refused():
    with pytest.raises(InvalidInput, match="how often a loss is repeated"):
        (PureLoss(1) * 2**61) * 2**61
    with pytest.raises(InvalidInput, match="how often a loss is repeated"):
        PureLoss(1) * 2**61 + PureLoss(1) * 2**61


def test_whole_numbers_of_other_libraries_count_too():
    numpy = pytest.importorskip("numpy")
    assert PureLoss(1) * numpy.int64(3) == PureLoss(1) * 3
    assert type((PureLoss(1) * numpy.int64(3)).parts[0][1]) is int


def test_python_does_not_start_a_sum_of_losses_at_zero():
    with pytest.raises(TypeError):
        sum([PureLoss(1), PureLoss(1)])
    assert sum([PureLoss(1), PureLoss(1)], start=Composed.of()) == PureLoss(1) * 2


def test_what_only_looks_like_a_number_is_no_loss():
    assert not isinstance(F(1), Loss)
    assert isinstance(PureLoss(1), Loss)
