"""A made-up town: the same people every time, with what a neighbour could know about them.

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

__all__ = ["Person", "town"]


@dataclass(frozen=True, slots=True, order=True)
class Person:
    """What anybody may know about somebody: where they live, when they were born, their sex."""

    postcode: int
    born: int
    sex: str


def town(people: int) -> list[Person]:
    """So many people; the first ones are the same in every town.

    >>> town(2) == town(5)[:2]
    True
    """
    return [_person(sha256(f"person {number}".encode()).digest()) for number in range(people)]


def _person(drawn: bytes) -> Person:
    return Person(
        postcode=10_000 + int.from_bytes(drawn[:4], "big") % 200,
        born=1930 + int.from_bytes(drawn[4:8], "big") % 80,
        sex="fm"[drawn[8] % 2],
    )
