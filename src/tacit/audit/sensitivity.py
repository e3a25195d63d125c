"""The sensitivity of any Python function, by looking at every pair of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import assert_never

import numpy as np

from tacit.audit.databases import PAIRS_AT_MOST, Database, Pair, neighbouring_pairs, pairs_needed
from tacit.errors import InvalidData, InvalidInput
from tacit.frozen import frozen
from tacit.privacy import Neighbours, Norm, Sensitivity, relation, root_at_least
from tacit.progress import show_progress

__all__ = [
    "FoundSensitivity",
    "Length",
    "Vector",
    "difference",
    "length_of",
    "root_of_power",
    "sensitivity_by_search",
    "value_of",
]

Vector = tuple[Fraction, ...]
Length = Callable[[Vector], Fraction]


@frozen
class FoundSensitivity:
    """The furthest apart that a function's values lie on neighbours, and a pair where they do.

    `bound` is the sensitivity itself, or for an irrational L2 sensitivity a rational just above it; `squared`
    is the square of the sensitivity and always exact.
    """

    bound: Fraction
    squared: Fraction
    norm: Norm | Length
    neighbours: Neighbours
    dimension: int
    pair: Pair

    @property
    def exact(self) -> bool:
        """Whether `bound` is the sensitivity itself."""
        return self.bound**2 == self.squared

    @property
    def sensitivity(self) -> Sensitivity:
        """The same bound as mechanisms take it."""
        if not isinstance(self.norm, Norm):
            raise InvalidInput(
                "norm", self.norm, "mechanisms know L1, L2 and LINF; search with one of these"
            )
        if not self.bound:
            raise InvalidInput(
                "function", "constant", "it needs no noise: one unit cannot move its answer here"
            )
        return Sensitivity(self.bound, self.norm, self.neighbours, self.dimension)


def sensitivity_by_search(
    function: Callable[[Database], object],
    universe: Iterable[Hashable],
    size: int,
    neighbours: Neighbours | str,
    norm: Norm | Length = Norm.L1,
    *,
    ordered: bool = True,
    limit: int = PAIRS_AT_MOST,
) -> FoundSensitivity:
    """The sensitivity of `function` over all neighbours of a small universe, with a pair that attains it.

    The function may return an int, a Fraction, a float (its binary value is taken, exactly), a list or tuple
    of these, or a NumPy array. `norm` may also be a function from the difference vector to a number.

    Claim:      no two neighbours of the universe have values further apart than `bound`, and `pair` lies
                exactly sqrt(squared) apart. Databases outside the universe are not spoken for.
    Because:    all pairs are enumerated, and differences, sums and squares are rational; only the final
                square root is rounded, upwards.
    Checked by: tests/unit/audit/test_sensitivity.py

    >>> sensitivity_by_search(lambda rows: rows.count("A"), "AB", 3, Neighbours.REPLACE).bound
    Fraction(1, 1)
    >>> histogram = lambda rows: (rows.count("A"), rows.count("B"))
    >>> sensitivity_by_search(histogram, "AB", 3, Neighbours.REPLACE).bound
    Fraction(2, 1)
    """
    universe, named = tuple(universe), relation(neighbours)
    total = pairs_needed(universe, size, neighbours, ordered=ordered, limit=limit)
    every_pair = neighbouring_pairs(universe, size, neighbours, ordered=ordered)
    known: dict[Database, Vector] = {}
    gaps: dict[Vector, Pair] = {}
    for pair in show_progress(every_pair, total, "pairs of neighbours"):
        for database in pair:
            if database not in known:
                known[database] = value_of(function, database)
        gaps.setdefault(difference(known[pair[0]], known[pair[1]]), pair)
    lengths = {gap: length_of(gap, norm) for gap in gaps}
    furthest = max(lengths, key=lengths.__getitem__)
    bound, squared = root_of_power(lengths[furthest], norm)
    return FoundSensitivity(bound, squared, norm, named, len(furthest), gaps[furthest])


def value_of(function: Callable[[Database], object], database: Database) -> Vector:
    """All numbers that the function returns for a database, read exactly."""
    try:
        return tuple(_numbers(function(database)))
    except Exception as error:
        error.add_note(f"while the function ran on the database {database!r}")
        raise


def _numbers(value: object) -> Iterator[Fraction]:
    """All numbers in a value, however deeply it is nested, each read exactly."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, str | bytes) or not isinstance(value, Rational | float | Iterable):
        raise InvalidData(
            f"the function returned a {type(value).__name__}; return numbers, or tuples or arrays of them"
        )
    if isinstance(value, float):
        if not isfinite(value):
            raise InvalidData(
                "the function returned NaN or infinity, which has no distance; return finite numbers"
            )
        yield Fraction(value)
    elif isinstance(value, Rational):
        yield Fraction(int(value.numerator), int(value.denominator))
    else:
        for part in value:
            yield from _numbers(part)


def difference(a: Vector, b: Vector) -> Vector:
    """How far two values lie apart, number by number."""
    if len(a) != len(b):
        raise InvalidData(
            f"the function returned {len(a)} numbers for one database and {len(b)} for its neighbour; "
            "return equally many for all, for instance one for each kind of row"
        )
    return tuple(p - q for p, q in zip(a, b, strict=True))


def length_of(gap: Vector, norm: Norm | Length) -> Fraction:
    """The length of a difference, squared for L2 so that it stays rational."""
    if not isinstance(norm, Norm):
        return Fraction(max(norm(gap), norm(tuple(-part for part in gap))))
    match norm:
        case Norm.L1:
            return sum((abs(part) for part in gap), Fraction(0))
        case Norm.L2:
            return sum((part * part for part in gap), Fraction(0))
        case Norm.LINF:
            return max((abs(part) for part in gap), default=Fraction(0))
        case _:
            assert_never(norm)


def root_of_power(power: Fraction, norm: Norm | Length) -> tuple[Fraction, Fraction]:
    """The length and its square, from what `length_of` gives."""
    return (root_at_least(power), power) if norm is Norm.L2 else (power, power * power)
