"""Reports that given bytes make: `python -m tests.vectors.local_clients` prints those of every protocol of a page."""

import json
import sys
from fractions import Fraction
from hashlib import shake_256
from pathlib import Path
from typing import Any

from tacit.local import (
    CountMeanSketch,
    Draws,
    Duchi,
    HadamardResponse,
    Hybrid,
    KaryResponse,
    LocalHashing,
    Odds,
    Piecewise,
    SubsetSelection,
    Unary,
)

FILE = Path(__file__).with_name("local_clients.json")
BYTES = 4096

PROTOCOLS: dict[str, Any] = {
    "warner": KaryResponse.warner(1),
    "two coins": KaryResponse.two_coin(),
    "k-ary": KaryResponse(13, epsilon=2),
    "k-ary, dear": KaryResponse(5, epsilon=20),
    "unary": Unary(21, epsilon=1),
    "unary, symmetric": Unary.symmetric(16, epsilon=Fraction(1, 2)),
    "local hashing": LocalHashing(1128, epsilon=1),
    "local hashing, many places": LocalHashing(5000, epsilon=4),
    "Hadamard": HadamardResponse(85, epsilon=1, bits=1),
    "Hadamard, five bits": HadamardResponse(85, epsilon=4),
    "Hadamard, many rows": HadamardResponse(1 << 20, epsilon=1),
    "subset": SubsetSelection(19, epsilon=1),
    "subsets of one": SubsetSelection.with_odds(9, Odds(7, 2), 1),
    "count-mean sketch": CountMeanSketch(300, epsilon=2, width=31),
    "Duchi": Duchi(0, 120, epsilon=1),
    "piecewise": Piecewise(-5, 5, epsilon=2),
    "hybrid": Hybrid(0, 20, epsilon=1),
    "hybrid, cheap": Hybrid(0, 1, epsilon=Fraction(1, 4), steps=10),
}


class Replayed(Draws):
    """Draws from bytes that are given."""

    def __init__(self, octets: bytes) -> None:
        self.left = octets

    def octets(self, count: int) -> bytes:
        """The next bytes."""
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count
        return taken


def held_by(protocol: Any) -> list[int]:
    """Some indices or steps, the first and the last among them."""
    most = protocol.steps if hasattr(protocol, "steps") else len(protocol.values) - 1
    return sorted({0, 1, most // 3, most // 2, most - 1, most})


def vectors() -> list[dict[str, Any]]:
    """For each protocol some values and some bytes, the report that they make, and how many bytes were read."""
    made = []
    for name, protocol in PROTOCOLS.items():
        for index in held_by(protocol):
            for turn in range(4):
                label = f"{name}/{index}/{turn}"
                draws = Replayed(shake_256(label.encode()).digest(BYTES))
                report = protocol.randomise(index, draws)
                made.append(
                    {
                        "label": label,
                        "name": name,
                        "index": index,
                        "report": report,
                        "read": BYTES - len(draws.left),
                    }
                )
    return made


def written() -> dict[str, Any]:
    """The whole file."""
    described = {name: protocol.describe() for name, protocol in PROTOCOLS.items()}
    return {"protocols": described, "vectors": vectors()}


if __name__ == "__main__":
    json.dump(written(), sys.stdout, indent=0)
