"""Hash functions that are exactly fair."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.local import LocalHashing
from tacit.local.hashing import LinearHash, linear_hash


@pytest.mark.parametrize(("prime", "values"), [(2, 4), (2, 7), (3, 9), (5, 6), (7, 3)])
def test_two_values_meet_with_probability_one_over_the_prime(prime, values):
    family = linear_hash(prime, values)
    for one in range(values):
        for other in range(one):
            meet = sum(
                family.hash(key, one) == family.hash(key, other) for key in range(family.seeds)
            )
            assert Fraction(meet, family.seeds) == Fraction(1, prime)


def test_arrays_are_hashed_like_numbers():
    family = linear_hash(5, 60)
    keys, indices = np.divmod(np.arange(family.seeds * 60), 60)
    one_by_one = [
        family.hash(int(key), int(index)) for key, index in zip(keys, indices, strict=True)
    ]
    assert family.hash_all(keys, indices).tolist() == one_by_one
    assert family.hash_below(keys, indices, 60).tolist() == one_by_one
    some = slice(0, 3)
    assert family.hash_below(keys[some], indices[some], 60).tolist() == one_by_one[some]


@pytest.mark.parametrize(("prime", "values"), [(2, 8), (3, 20), (5, 25), (11, 100)])
def test_supports_by_fourier_are_those_counted_one_by_one(prime, values):
    protocol = LocalHashing(values, epsilon=1, places=prime)
    reports = protocol.encode_all(np.arange(500) % values)
    supports = protocol.count_supports(reports)
    assert supports.tolist() == [protocol.count_value(reports, index) for index in range(values)]


def test_a_family_needs_a_prime_and_seeds_that_fit():
    with pytest.raises(InvalidInput):
        LinearHash(4, 2)
    with pytest.raises(InvalidInput):
        LinearHash(7, 30)
    with pytest.raises(InvalidInput):
        LocalHashing(10, epsilon=1, places=6)


def test_the_number_of_places_is_the_prime_with_the_least_variance():
    for epsilon, prime in ((0.1, 2), (1, 3), (2, 7), (4, 53)):
        assert LocalHashing(1000, epsilon).family.prime == prime
