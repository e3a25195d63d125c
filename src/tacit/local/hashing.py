"""A family of hash functions that is exactly fair for every two values: scalar products over a prime."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = ["LinearHash", "is_prime", "linear_hash"]

Integers = NDArray[np.int64]

_TABLE = 1 << 23  # entries of a table of all hashes that is worth its memory


@frozen
class LinearHash:
    """Values as vectors of `digits` digits to the base `prime`; a seed is such a vector too.

    Claim:      over a uniform seed any two different values meet with probability exactly 1 / prime.
    Because:    their hashes differ by the scalar product of the seed with a vector that is not zero,
                which is uniform modulo a prime.
    Checked by: tests/unit/local/test_hashing.py::test_two_values_meet_with_probability_one_over_the_prime

    >>> family = LinearHash(prime=3, digits=2)
    >>> family.seeds, family.hash(key=5, index=7)
    (9, 1)
    """

    prime: int
    digits: int

    def __post_init__(self) -> None:
        if not is_prime(self.prime):
            raise InvalidInput("prime", self.prime, "give a prime number of places")
        if self.prime**self.digits * self.prime >= 1 << 62:
            raise InvalidInput(
                "digits", self.digits, "the seeds do not fit 62 bits; give fewer values"
            )

    @property
    def seeds(self) -> int:
        """How many functions there are."""
        return int(self.prime**self.digits)

    def hash(self, key: int, index: int) -> int:
        """The place of one value by the function of a seed."""
        total = 0
        while index:
            total += key % self.prime * (index % self.prime)
            key //= self.prime
            index //= self.prime
        return total % self.prime

    def hash_all(self, seeds: Integers, indices: Integers) -> Integers:
        """The place of each value by the function of its own seed."""
        total = np.zeros(np.broadcast(seeds, indices).shape, np.int64)
        for _ in range(self.digits):
            total += seeds % self.prime * (indices % self.prime)
            seeds, indices = seeds // self.prime, indices // self.prime
        return np.asarray(total % self.prime)

    def hash_below(self, seeds: Integers, indices: Integers, values: int) -> Integers:
        """The same, by a table of all hashes of so many values where it is small."""
        if self.seeds * values > _TABLE or len(seeds) * 4 < self.seeds * values // self.digits:
            return self.hash_all(seeds, indices)
        table = hash_table(self, values)
        return np.asarray(table.ravel()[seeds * values + indices], dtype=np.int64)

    def count_supports(self, cells: NDArray[np.int64], values: int) -> Integers:
        """How many reports support each value, given how many have each seed and place.

        Claim:      the number of reports (seed, place) with hash(seed, value) = place, for every value.
        Because:    that indicator is the mean over s of w**(s (hash - place)), w a root of unity of
                    order `prime`, so all sums together are one Fourier transform over the vectors;
                    they are whole numbers, and rounding undoes what floats did.
        Checked by: tests/unit/local/test_hashing.py::test_supports_by_fourier_are_those_counted_one_by_one
        """
        seeds, spectrum = np.arange(self.seeds), np.fft.fft(cells.astype(np.float64), axis=1)
        folded = np.zeros(self.seeds, np.complex128)
        for factor in range(1, self.prime):
            folded[self.scale(seeds, factor)] += spectrum[:, factor]
        return self.transform(folded, int(cells.sum()))[:values]

    def transform(self, folded: NDArray[np.complex128], reports: int) -> Integers:
        """How many of so many reports support each vector, from their spectrum."""
        whole = np.fft.ifftn(folded.reshape((self.prime,) * self.digits)).real.ravel()
        sums = (whole * self.seeds + reports) / self.prime
        exact = np.rint(sums)
        assert np.abs(sums - exact).max() < 0.25, "too many reports for floats: collect in parts"
        return np.asarray(exact, dtype=np.int64)

    def scale(self, seeds: Integers, factor: int) -> Integers:
        """Every seed with each of its digits times a factor."""
        scaled, place = np.zeros_like(seeds), 1
        for _ in range(self.digits):
            scaled += seeds % self.prime * factor % self.prime * place
            seeds, place = seeds // self.prime, place * self.prime
        return scaled


@lru_cache(maxsize=8)
def hash_table(family: LinearHash, values: int) -> NDArray[np.uint16]:
    """The place of every value by every function, a row for each seed."""
    seeds, indices = np.arange(family.seeds)[:, None], np.arange(values)[None, :]
    return family.hash_all(seeds, indices).astype(np.uint16)


def linear_hash(prime: int, values: int) -> LinearHash:
    """The smallest family to this base that tells so many values apart.

    >>> linear_hash(3, 85).digits
    5
    """
    digits = 1
    while prime**digits < values:
        digits += 1
    return LinearHash(prime, digits)


def is_prime(number: int) -> bool:
    """Whether a small number is prime.

    >>> [number for number in range(20) if is_prime(number)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    return number > 1 and all(number % each for each in range(2, int(number**0.5) + 1))
