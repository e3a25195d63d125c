"""Every local protocol on small domains, and draws that try out every coin: add a protocol here, not a test there."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tacit.local import (
    Coin,
    CountMeanSketch,
    Draws,
    Duchi,
    FrequencyProtocol,
    HadamardResponse,
    Hybrid,
    KaryResponse,
    LocalHashing,
    MeanProtocol,
    Odds,
    Piecewise,
    Rappor,
    SubsetSelection,
    Unary,
)

F = Fraction

FREQUENCIES: dict[str, FrequencyProtocol] = {
    "warner": KaryResponse.warner(1),
    "two coins": KaryResponse.two_coin(["no", "yes"]),
    "half plus gamma": KaryResponse.half_plus(F(1, 7)),
    "k-ary": KaryResponse(["a", "b", "c", "d"], epsilon=F(1, 2)),
    "k-ary, dear": KaryResponse(3, epsilon=8),
    "unary, optimised": Unary(3, epsilon=1),
    "unary, symmetric": Unary.symmetric(["x", "y", "z"], epsilon=2),
    "unary, any coins": Unary.with_coins(4, Coin(2, 1), Coin(1, 6)),
    "local hashing": LocalHashing(5, epsilon=1),
    "local hashing, two places": LocalHashing(4, epsilon=F(1, 10)),
    "local hashing, five places": LocalHashing(["a", "b", "c"], epsilon=2, places=5),
    "Hadamard": HadamardResponse(["p", "q", "r"], epsilon=1),
    "Hadamard, eight rows": HadamardResponse.with_odds(7, Odds(5, 2), bits=1),
    "Hadamard, two bits": HadamardResponse.with_odds(7, Odds(5, 2), bits=2),
    "Hadamard, three bits": HadamardResponse(8, epsilon=4),
    "subsets of one": SubsetSelection.with_odds(4, Odds(3, 1), 1),
    "subsets of two": SubsetSelection.with_odds(5, Odds(5, 2), 2),
    "subsets of three": SubsetSelection.with_odds(5, Odds(3, 2), 3),
    "subsets, chosen": SubsetSelection(6, epsilon=F(1, 2)),
    "RAPPOR": Rappor(3, lie=F(1, 2), shown=F(3, 4), unshown=F(1, 2)),
    "RAPPOR, quiet": Rappor(["u", "v"], lie=F(1, 4), shown=F(9, 10), unshown=F(1, 10)),
    "count-mean sketch": CountMeanSketch(4, epsilon=1, width=3),
    "count-mean sketch, optimised": CountMeanSketch(3, epsilon=1, width=2, symmetric=False),
}

MEANS: dict[str, MeanProtocol] = {
    "Duchi": Duchi(0, 10, epsilon=1, steps=5),
    "Duchi, one step": Duchi(-1, 1, epsilon=F(1, 2), steps=1),
    "piecewise": Piecewise(-3, 4, epsilon=1, steps=7, cells=8),
    "piecewise, dear": Piecewise(0, 1, epsilon=4, steps=3, cells=12),
    "hybrid": Hybrid(0, 6, epsilon=2, steps=3, cells=6),
    "hybrid, cheap": Hybrid(0, 6, epsilon=F(1, 2), steps=3, cells=6),
}

every_frequency = pytest.mark.parametrize("protocol", FREQUENCIES.values(), ids=FREQUENCIES)
every_mean = pytest.mark.parametrize("protocol", MEANS.values(), ids=MEANS)


class _Branch(Draws):
    """Draws that follow a path through all that can fall, and know how likely it is."""

    def __init__(self, path: list[int]) -> None:
        self.path, self.taken, self.chance = path, [], F(1)  # type: ignore[var-annotated]

    def _take(self, chances: list[Fraction]) -> int:
        place = len(self.taken)
        chosen = self.path[place] if place < len(self.path) else 0
        self.taken.append((chosen, len(chances)))
        self.chance *= chances[chosen]
        return chosen

    def octets(self, count: int) -> bytes:
        raise AssertionError("a protocol draws by coins and numbers only")

    def below(self, bound: int) -> int:
        return self._take([F(1, bound)] * bound)

    def coin(self, yes: int, no: int) -> bool:
        return bool(self._take([F(no, yes + no), F(yes, yes + no)]))


def enumerated_law(run: Callable[[Draws], Any]) -> dict[Any, Fraction]:
    """The exact law of what a function of draws returns: every branch of its own code is run."""
    law: dict[Any, Fraction] = {}
    path: list[int] = []
    while True:
        draws = _Branch(path)
        result = run(draws)
        if draws.chance:
            law[result] = law.get(result, F(0)) + draws.chance
        taken = draws.taken
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return law
        path = [chosen for chosen, _ in taken[:-1]] + [taken[-1][0] + 1]


class _Recorded(Draws):
    """Draws for one client that note what is asked for."""

    def __init__(self) -> None:
        self.asked: list[list[Fraction]] = []

    def coins(self, yes: int, no: int, size: int) -> Any:
        self.asked += [[F(no, yes + no), F(yes, yes + no)]] * size
        return np.zeros(size, np.bool_)

    def numbers(self, bound: int, size: int) -> Any:
        self.asked += [[F(1, bound)] * bound] * size
        return np.zeros(size, np.int64)


class _Crossed(Draws):
    """Draws for as many clients as there are ways for all coins to fall, a way for each."""

    def __init__(self, ways: Any) -> None:
        self.ways, self.used = ways, 0

    def _columns(self, size: int) -> Any:
        wide = size // len(self.ways)
        taken = self.ways[:, self.used : self.used + wide]
        self.used += wide
        return taken.ravel()

    def coins(self, yes: int, no: int, size: int) -> Any:
        return self._columns(size).astype(np.bool_)

    def numbers(self, bound: int, size: int) -> Any:
        return self._columns(size).astype(np.int64)


def crossed_law(
    run: Callable[[Any, Draws], Any], held: int, names: Callable[[Any], list[Any]]
) -> dict[Any, Fraction]:
    """The exact law of one report of a function that makes many at once."""
    recorded = _Recorded()
    run(np.array([held]), recorded)
    ways = np.array(list(product(*(range(len(each)) for each in recorded.asked))), dtype=np.int64)
    chances = []
    for way in ways:
        chance = F(1)
        for chosen, options in zip(way.tolist(), recorded.asked, strict=True):
            chance *= options[chosen]
        chances.append(chance)
    draws = _Crossed(ways)
    reports = names(run(np.full(len(ways), held), draws))
    assert draws.used == ways.shape[1], "not every draw was used"
    law: dict[Any, Fraction] = {}
    for report, chance in zip(reports, chances, strict=True):
        if chance:
            law[report] = law.get(report, F(0)) + chance
    return law


def names_of(protocol: FrequencyProtocol, reports: Any) -> list[Any]:
    """Reports of an array as `encode` writes them."""
    match protocol:
        case LocalHashing():
            return [divmod(int(each), protocol.family.prime) for each in reports]
        case CountMeanSketch():
            return [(int(each["seed"]), bytes(each["bits"]).hex()) for each in reports]
        case KaryResponse() | HadamardResponse():
            return [int(each) for each in reports]
        case _:
            return [bytes(each).hex() for each in reports]


def positive(law: dict[Any, Fraction]) -> dict[Any, Fraction]:
    """What can happen, and how likely it is."""
    return {report: chance for report, chance in law.items() if chance}
