"""The threshold that hides what one unit is alone with."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.exact import lower, upper, working
from tacit.mechanisms import GaussianLaw, passing, threshold

F = Fraction
LAW = GaussianLaw(F(4))


@pytest.mark.parametrize("start", [-3, 0, 2, 3, 9, 40])
@pytest.mark.parametrize("keys", [1, 2, 7])
def test_some_key_passes_unless_all_stay_below(start, keys):
    with working():
        below = (1 - LAW.tail(start - 2)) ** keys
        found = passing(LAW, start, keys, 2)
        assert lower(found + below) <= 1 <= upper(found + below)
        assert upper(found) - lower(found) < F(1, 2**80)


@pytest.mark.parametrize("most", [1, 2, 10, 70])
def test_a_threshold_is_enough_for_every_number_of_keys_and_one_less_is_not(most):
    def weigh(keys: int) -> int:
        return int(20 / keys**0.5)

    delta = F(1, 10**7)
    start = threshold(LAW, weigh, most, delta)
    with working():
        assert all(upper(passing(LAW, start, k, weigh(k))) <= delta for k in range(1, most + 1))
        assert any(lower(passing(LAW, start - 1, k, weigh(k))) > delta for k in range(1, most + 1))


def test_many_keys_that_weigh_next_to_nothing_need_a_higher_threshold_than_one():
    law, delta = GaussianLaw(F(10**6)), F(1, 10**7)
    assert (
        threshold(law, lambda keys: 10 // keys, 1000, delta)
        > threshold(law, lambda _: 10, 1, delta) + 1000
    )


def test_a_threshold_for_very_many_keys_is_found_at_once():
    start = threshold(GaussianLaw(F(10**6)), lambda keys: int(1000 / keys**0.5), 10**9, F(1, 10**8))
    assert 5000 < start < 10_000


@pytest.mark.parametrize("delta", [0, 1, -1, 2])
def test_a_delta_that_is_no_small_probability_is_refused(delta):
    with pytest.raises(InvalidInput):
        threshold(LAW, lambda _: 1, 1, F(delta))
