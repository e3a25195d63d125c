"""Every mechanism that chooses, and every small world of scores: add an object here, not a test there."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import pytest

from tacit.audit import neighbouring_pairs
from tacit.exact import Ball, ball
from tacit.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from tacit.privacy import Neighbours, Norm, Sensitivity

F = Fraction
ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE

KINDS: dict[str, tuple[Any, dict[str, str]]] = {
    "exponential": (Exponential, {}),
    "permute-and-flip": (PermuteAndFlip, {}),
    "noisy max, Laplace": (NoisyMax, {"noise": "laplace"}),
    "noisy max, exponential": (NoisyMax, {"noise": "exponential"}),
}
every_kind = pytest.mark.parametrize(("kind", "options"), list(KINDS.values()), ids=list(KINDS))

Row = tuple[int, ...]
Votes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
Approvals = ((0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1))
Duels = ((1, -1, 0), (-1, 1, 0), (0, 1, -1))


@dataclass(frozen=True)
class World:
    """Rows, each of which says by how much it moves every score; and how far neighbours are then apart."""

    rows: tuple[Row, ...]
    sensitivity: Sensitivity
    monotone: bool = False
    # of the first candidate, whatever the rows: the last few per cent of a loss are found far out
    lead: int = 40

    def scores(self, database: tuple[Any, ...], lead: int) -> list[int]:
        """The first candidate's lead, and what all rows add."""
        return [sum(column) for column in zip((lead, 0, 0), *database, strict=True)]

    def pairs(self, size: int = 2) -> Iterator[tuple[list[int], list[int]]]:
        """The scores of all neighbouring databases, without the lead and with it."""
        seen = set()
        for x, y in neighbouring_pairs(self.rows, size, self.sensitivity.neighbours, ordered=False):
            for lead in (0, self.lead):
                pair = self.scores(x, lead), self.scores(y, lead)
                if str(pair) not in seen:
                    seen.add(str(pair))
                    yield pair


WORLDS = {
    "votes by add-or-remove": World(Votes, Sensitivity(1), monotone=True),
    "votes by replace": World(Votes, Sensitivity(1, neighbours=REPLACE)),
    "approvals by add-or-remove": World(Approvals, Sensitivity(1), monotone=True),
    "approvals by replace": World(Approvals, Sensitivity(1, neighbours=REPLACE)),
    "duels by add-or-remove": World(Duels, Sensitivity(1)),
    "votes in L1": World(Votes, Sensitivity(1, Norm.L1, dimension=3)),
    "votes in L1 by replace": World(Votes, Sensitivity(2, Norm.L1, REPLACE, dimension=3)),
}
every_world = pytest.mark.parametrize("world", list(WORLDS.values()), ids=list(WORLDS))


def flipped_by_definition(coins: list[Ball]) -> list[Ball]:
    """Permute-and-flip: every order of the candidates, every place in it."""
    found = [ball(0) for _ in coins]
    orders = list(permutations(range(len(coins))))
    for order in orders:
        none_yet = ball(F(1, len(orders)))
        for place in order:
            found[place] += none_yet * coins[place]
            none_yet *= 1 - coins[place]
    return found


def noisy_by_definition(scores: list[int], mass: Any, reach: int) -> list[Ball]:
    """The largest noisy sum wins, equal ones by lot: every value, every set of others that tie with it."""
    values = range(min(scores) - reach, max(scores) + reach + 1)
    exactly = [{v: mass(v - score) for v in values} for score in scores]
    below: list[dict[int, Ball]] = []
    for law in exactly:
        total, under = ball(0), {}
        for v in values:
            under[v] = total
            total += law[v]
        below.append(under)
    found = []
    for winner in range(len(scores)):
        others = [place for place in range(len(scores)) if place != winner]
        chance = ball(0)
        for size in range(len(others) + 1):
            for tied in combinations(others, size):
                for v in values:
                    term = exactly[winner][v] / (size + 1)
                    for place in others:
                        term *= exactly[place][v] if place in tied else below[place][v]
                    chance += term
        found.append(chance)
    return found
