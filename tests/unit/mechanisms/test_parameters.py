"""Numbers that people type are read in the safe direction."""

from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.mechanisms.parameters import confidence_of, failure_of, price_of

F = Fraction
FLOATS = [0.1, 0.3, 1e-6, 0.7, 1 / 3, 5e-324]


@pytest.mark.parametrize("number", FLOATS)
def test_prices_and_failures_are_never_more_than_was_meant_and_confidence_never_less(number):
    both = F(number), F(repr(number))
    assert price_of(number) == failure_of(number) == min(both)
    assert confidence_of(number) == max(both)


@pytest.mark.parametrize("number", [F(1, 3), Decimal("0.1")])
def test_exact_numbers_are_taken_as_they_are(number):
    assert price_of(number) == failure_of(number) == confidence_of(number) == F(number)


def test_an_unlikely_failure_has_a_name():
    with pytest.raises(InvalidInput, match="beta"):
        failure_of(1, "beta")
