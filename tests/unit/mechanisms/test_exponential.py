"""The exponential mechanism, by example; its laws are in tests/laws/test_selection.py."""

from decimal import Decimal
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import upper
from tacit.mechanisms import Exponential, NoisyMax, NoisyTopK, PermuteAndFlip, selection_bound
from tacit.mechanisms.scores import scores_of
from tacit.privacy import BoundedRangeLoss, Neighbours, Sensitivity
from tests.unit.exact.wrong import NO_NUMBERS

F = Fraction
SECRET = 987654321
KINDS = [Exponential, PermuteAndFlip, NoisyMax]
every_kind = pytest.mark.parametrize("kind", KINDS)


def test_its_loss_has_a_bounded_range():
    assert Exponential(4).loss(2) == BoundedRangeLoss(1)
    assert Exponential(4, monotone=True).loss(2) == BoundedRangeLoss(F(1, 2))
    assert (
        Exponential(4).loss(Sensitivity(2, neighbours=Neighbours.REPLACE)).neighbours
        is Neighbours.REPLACE
    )
    assert upper(Exponential(4).loss(2).rho()) == F(1, 8)


def test_probabilities_are_as_by_hand():
    law = Exponential(2).distribution([2, 0])
    assert float(upper(law[1])) == pytest.approx(1 / (1 + exp(1)), rel=1e-15)
    assert set(law) == {0, 1}


def test_the_error_is_the_largest_for_all_scores():
    assert Exponential(2).error(0.95, candidates=1000) == 19
    assert Exponential(2).error(0.95, candidates=1) == 0
    assert Exponential(2, grid=F(1, 2)).error(0.95, candidates=1000) == 20


def test_a_tail_counts_what_is_at_least_that_far():
    mechanism = Exponential(1)
    assert upper(mechanism.tail([3, 3, 1], 0)) >= 1
    assert float(upper(mechanism.tail([3, 3, 1], 2))) == pytest.approx(1 / (1 + 2 * exp(2)))
    assert upper(mechanism.tail([3, 3, 1], F(5, 2))) == 0


@every_kind
def test_one_choice_is_an_int_and_several_are_an_array(kind):
    mechanism = kind(1)
    assert type(mechanism.release([0, 1])) is int
    assert mechanism.release((5,)) == 0
    assert mechanism.release([0, 1], times=3).shape == (3,)
    assert mechanism.release([0, 1], times=0).shape == (0,)
    assert mechanism.release(np.array([0, 99], np.int8)) == 1
    assert mechanism.release(np.array([0, 200], np.uint8), smallest=True) == 0
    assert kind(F(1, 8), grid=F(1, 8)).release([0.25, 99.5, F(1, 3)]) == 1


def test_scores_are_turned_round_without_overflow():
    assert scores_of(np.array([-(2**63), 2**63 - 1]), None, smallest=True).tolist() == [
        2**63 - 1,
        -(2**63),
    ]
    assert scores_of([2**70, 0], None, smallest=True).tolist() == [-1 - 2**70, -1]


# ------------------------------------------------------------------------------- refusals

EPSILON = [0, -1, F(-1, 3), Decimal("-1e-9")]
NUMBERS = {
    "scale": (lambda kind, bad: kind(bad), [0, -1, F(1, 1001), 2**1024 + 1]),
    "grid": (lambda kind, bad: kind(1, bad), [0, -1, 3, 0.1]),
    "epsilon": (lambda kind, bad: kind.calibrate(bad, 1), EPSILON),
    "sensitivity": (lambda kind, bad: kind.calibrate(1, bad), [0, -1, F(-1, 2), F(1, 2)]),
    "rho": (lambda kind, bad: kind.calibrate_rho(bad, 1), EPSILON),
    "error": (lambda kind, bad: kind.within(bad, 0.9, 10), [-1, F(-1, 2)]),
    "wanted confidence": (lambda kind, bad: kind.within(9, bad, 10), [0, 1, -1]),
    "confidence": (lambda kind, bad: kind(1).error(bad, 10), [0, 1, 1.5]),
    "distance": (lambda kind, bad: kind(1).tail([1, 2], bad), []),
    "loss": (lambda kind, bad: kind(1).loss(bad), [0, -1]),
}


@every_kind
@pytest.mark.parametrize("place", NUMBERS)
@pytest.mark.usefixtures("nothing_drawn")
def test_what_is_no_number_or_out_of_range_is_refused(kind, place):
    call, more = NUMBERS[place]
    wrong = [
        number for name, number in NO_NUMBERS.items() if not (name == "none" and place == "grid")
    ]
    for bad in [*wrong, *more]:
        with pytest.raises(InvalidInput, match="; "):
            call(kind, bad)


@every_kind
@pytest.mark.usefixtures("nothing_drawn")
def test_what_is_no_count_is_refused(kind):
    for bad in (-1, 0, True, 1.5, "3", 2**33, None):
        for call in (kind(1).error, lambda *a: kind.within(9, *a)):
            with pytest.raises(InvalidInput, match="candidates"):
                call(0.9, bad)
        with pytest.raises(InvalidInput):
            NoisyTopK(bad, kind(1))
    for bad in (-1, True, 1.5, "3", 2**31):
        with pytest.raises(InvalidInput, match="times"):
            kind(1).release([1, 2], times=bad)
    with pytest.raises(InvalidInput, match="candidates"):
        kind.within(9, 0.9, 1)


@every_kind
@pytest.mark.parametrize("bad", [0, 1, "yes", None, np.True_])
def test_scores_are_monotone_or_they_are_not(kind, bad):
    with pytest.raises(InvalidInput, match="monotone"):
        kind(1, monotone=bad)


NO_SCORES = {
    "none": None,
    "one number": SECRET,
    "nothing": [],
    "rows": [[SECRET, 1], [2, 3]],
    "floats": [float(SECRET), 0.5],
    "nan": [SECRET, float("nan")],
    "texts": [f"{SECRET}", "1"],
    "booleans": [True, False],
    "a table": {"a": SECRET, "b": 2},
    "fractions": [F(SECRET, 2), F(1)],
}


@every_kind
@pytest.mark.parametrize("name", NO_SCORES)
@pytest.mark.usefixtures("nothing_drawn")
def test_what_are_no_scores_is_refused_without_being_named(kind, name):
    for call in (
        kind(1).release,
        kind(1).distribution,
        NoisyTopK(1, kind(1)).release,
        lambda s: kind(1).tail(s, 1),
    ):
        with pytest.raises(InvalidData) as caught:
            call(NO_SCORES[name])
        assert str(SECRET) not in str(caught.value)
        assert "; " in str(caught.value)


def test_the_textbook_bound():
    assert selection_bound(1, 1, 0.05, 1000) == pytest.approx(2 * np.log(1000 / 0.05))
    assert selection_bound(3, 0.5, 0.1, 7, monotone=True) == pytest.approx(6 * np.log(70))
    for wrong in (0, 1, -1):
        with pytest.raises(InvalidInput):
            selection_bound(1, 1, wrong, 10)
    with pytest.raises(InvalidInput, match="monotone"):
        selection_bound(Sensitivity(1, neighbours=Neighbours.REPLACE), 1, 0.1, 10, monotone=True)
