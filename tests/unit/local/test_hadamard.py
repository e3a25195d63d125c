"""Labels, supports and the choice of bits of the Hadamard response."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.local import HadamardResponse, LocalHashing, Odds
from tacit.local.hadamard import _TAILS
from tests.together import together


def label(protocol, row, index):
    """The bits of a value in a row, one by one: by polynomials over two elements."""
    width = (len(protocol.values) - 1).bit_length()
    bits = 0
    for place in range(protocol.bits):
        turned = remainder(row << place, 1 << width | _TAILS[width - 1])
        bits |= (turned & index).bit_count() % 2 << place
    return bits


def remainder(number, divisor):
    while number.bit_length() >= divisor.bit_length():
        number ^= divisor << number.bit_length() - divisor.bit_length()
    return number


@together
@pytest.mark.parametrize("width", range(1, 25))
def test_rows_are_turned_in_a_field(width):
    """Each tail belongs to a polynomial that no shorter one divides: nothing but zero is lost by turning."""
    whole = 1 << width | _TAILS[width - 1]
    assert all(remainder(whole, each) for each in range(2, 1 << width // 2 + 1))


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_labels_of_two_values_agree_as_often_as_is_claimed(bits):
    protocol = HadamardResponse(13, epsilon=1, bits=bits)
    rows = np.arange(protocol.rows)
    labels = [protocol.label_all(rows, np.full(protocol.rows, index)) for index in range(13)]
    assert [labels[5][row] for row in rows] == [label(protocol, row, 5) for row in rows.tolist()]
    for one in range(13):
        for other in range(one):
            same = int((labels[one] == labels[other]).sum())
            assert Fraction(same, protocol.rows) == protocol.stray


@pytest.mark.parametrize(("values", "bits"), [(2, 1), (5, 1), (5, 3), (85, 4), (300, 6)])
def test_supports_are_those_counted_one_by_one(values, bits):
    protocol = HadamardResponse(values, epsilon=1, bits=bits)
    reports = np.random.default_rng(7).integers(0, protocol.rows * protocol.labels, 500)
    counted = [
        sum(
            label(protocol, report >> bits, index) == report % 2**bits
            for report in reports.tolist()
        )
        for index in range(values)
    ]
    assert protocol.count_supports(reports).tolist() == counted


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), 1, 2, 4])
def test_the_bits_with_the_least_variance_are_taken(epsilon):
    chosen = HadamardResponse(85, epsilon)
    every = [
        HadamardResponse(85, epsilon, bits=bits).variance(Fraction(1, 85)) for bits in range(1, 8)
    ]
    assert chosen.bits == 1 + every.index(min(every))
    assert chosen.variance() <= LocalHashing(85, epsilon).variance() * Fraction(11, 10)


def test_one_bit_is_the_response_of_old():
    protocol = HadamardResponse.with_odds(5, Odds(3, 1), bits=1)
    assert protocol.report_bits == 4
    assert protocol.truth == Fraction(3, 4)
    assert protocol.distribution(3)[2 * 7 + 0] == Fraction(3, 4) / 8


def test_bits_are_limited_by_what_a_collector_can_count():
    assert HadamardResponse(1 << 20, epsilon=6).bits == 4
    assert HadamardResponse(1 << 24, epsilon=6).bits == 1
    for bits in (0, 5, True):
        with pytest.raises(InvalidInput):
            HadamardResponse(1 << 20, epsilon=1, bits=bits)
