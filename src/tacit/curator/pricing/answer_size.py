"""How much an answer takes in the ledger, known before it is paid for, and the most that it may."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import ceil, prod
from typing import TYPE_CHECKING, TypeAlias

from tacit.curator.integers_as_bytes import bytes_of
from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace, RankedCells
from tacit.plan import MOST_NUMBERS, KeyValue, Measure, Question, Summed, Weights, groups_of

if TYPE_CHECKING:
    from tacit.curator.pricing.noise_of_measures import Terms

__all__ = [
    "MOST_BYTES",
    "Size",
    "bytes_of_a_group",
    "bytes_of_key",
    "check_size",
    "keys_that_fit",
    "room_for_keys",
    "size_of",
]

Noise: TypeAlias = Laplace | Gaussian | RankedCells

MOST_BYTES = 1 << 22
"""The most bytes that one answer may take in the ledger, whatever its price."""

_ROWS = 40  # bits of the number of rows of the largest table that is reckoned with
_WIDE = 6  # bits by which noise may exceed its scale: e**-32 and less is left out
_KEY = 64  # bytes of a key's value
_QUOTED = 16  # bytes of the word, the signs and the comma beside a text
_HEADER = 1 << 12


@frozen
class Size:
    """How many numbers an answer releases at most, and how many bytes the ledger keeps of it at most."""

    numbers: int
    bytes: int

    @property
    def fits(self) -> bool:
        """Whether one answer may be so large."""
        return self.numbers <= MOST_NUMBERS and self.bytes <= MOST_BYTES

    def __str__(self) -> str:
        return (
            f"{self.numbers:,} numbers (at most {MOST_NUMBERS:,} are possible) and up to "
            f"{self.bytes:,} bytes in the ledger (at most {MOST_BYTES:,})"
        )


def size_of(terms: Terms) -> Size:
    """The size of an answer on these terms; of unknown keys, as many are found as fit.

    Claim:      it is a function of the plan, the policy and the price; an answer over fewer than 2**40 rows takes more
                bytes less than once in 10**7 questions, however long the texts are that are found as keys.
    Because:    of keys that pass, no more are let go than there is room for (`Finder.find`); a number is the sum of an
                exact one, which rows, weights and range bound, and of noise, which exceeds 64 of its scales less than
                once in 10**27 numbers; both are rounded to the same public grid.
    Checked by: tests/unit/curator/pricing/test_answer_size.py
    """
    groups = terms.groups
    each = bytes_of_a_group(terms.question, terms.weights, terms.mechanisms, terms.grids)
    return Size(groups * len(terms.mechanisms), _HEADER + groups * each)


def bytes_of_a_group(
    question: Question, weights: Weights, mechanisms: Sequence[Noise], grids: Sequence[int]
) -> int:
    """How many bytes one group takes: its unknown keys and its measures."""
    numbers = zip(question.measures, mechanisms, grids, strict=True)
    widths = [_width(measure, weights, mechanism, grid) for measure, mechanism, grid in numbers]
    return _KEY * len(question.unknown) + sum(widths)


def keys_that_fit(question: Question, each: int) -> int:
    """How many unknown keys an answer may have whose groups take so many bytes each."""
    known = prod(len(key.public_values) for key in question.public)
    return max(1, min(groups_of(question), (MOST_BYTES - _HEADER) // each) // known)


def room_for_keys(question: Question, each: int, most: int) -> int:
    """How many bytes the values of so many unknown keys may take together, whose groups take so many bytes each."""
    known = prod(len(key.public_values) for key in question.public)
    return MOST_BYTES - _HEADER - most * known * (each - _KEY * len(question.unknown))


def bytes_of_key(values: Sequence[KeyValue]) -> int:
    """How many bytes the ledger keeps of one group's unknown keys: a text as JSON has it, all else in less than 64.

    >>> bytes_of_key(("ward A",)), bytes_of_key(("\\U0001f600",)), bytes_of_key((None, 7))
    (24, 30, 128)
    """
    return sum(
        len(json.dumps(value)) + _QUOTED if isinstance(value, str) else _KEY for value in values
    )


def check_size(terms: Terms) -> None:
    """Refuse a question whose answer would be too large to keep."""
    size = size_of(terms)
    if size.fits:
        return
    over = (
        f"{size.numbers - MOST_NUMBERS:,} numbers"
        if size.numbers > MOST_NUMBERS
        else f"{size.bytes - MOST_BYTES:,} bytes"
    )
    raise InvalidPlan(
        f"the answer is too large to store: {size}, which is {over} too many",
        "group by fewer or coarser columns, or ask for fewer aggregates at once",
    )


def _width(measure: Measure, weights: Weights, mechanism: Noise, grid: int) -> int:
    """How many bytes one group of a measure takes."""
    if isinstance(mechanism, RankedCells):
        return mechanism.draws * bytes_of((mechanism.cells + 2).bit_length())
    reach = measure.reach if isinstance(measure, Summed) else 1
    exact = _ROWS + weights.bits + reach.bit_length() - (grid.bit_length() - 1)
    noise = (
        ceil(mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale).bit_length()
        + _WIDE
    )
    return bytes_of(max(exact, noise) + 1)
