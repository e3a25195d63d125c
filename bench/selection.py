"""CPU seconds of one choice: every mechanism, by how many candidates there are and how far their scores lie apart."""

from fractions import Fraction

import numpy as np
from report import Requirement, Result, Table, ratio, shown
from timing import best

from tacit.exact import below
from tacit.mechanisms import Exponential, NoisyMax, PermuteAndFlip

MILLION, SECOND = 10**6, 1.0
MECHANISMS = {
    "exponential": Exponential(Fraction(10, 3)),
    "permute-and-flip": PermuteAndFlip(Fraction(10, 3)),
    "noisy max, Laplace": NoisyMax(Fraction(10, 3)),
    "noisy max, exponential": NoisyMax(Fraction(10, 3), noise="exponential"),
}
REQUIRED = ("exponential", "permute-and-flip")


def scores(candidates: int) -> dict[str, np.ndarray]:
    """All alike, as counts are, and from -2**62 to 2**62."""
    return {
        "all equal": np.zeros(candidates, np.int64),
        "below 100": below(100, candidates),
        "±2^62": below(2**63, candidates) - 2**62,
    }


def run() -> Result:
    """A table of seconds for a million candidates, one of microseconds for ten, and the requirement of a second."""
    seconds = {
        (name, kind): best(mechanism.release, given, least=3)
        for kind, given in scores(MILLION).items()
        for name, mechanism in MECHANISMS.items()
    }
    few = {
        (name, kind): best(mechanism.release, given) * 1e6
        for kind, given in scores(10).items()
        for name, mechanism in MECHANISMS.items()
    }
    kinds = tuple(scores(1))
    return Result(
        "Choosing one of many",
        [
            Table(
                "One choice among 10^6 candidates, CPU seconds",
                ("mechanism", *kinds),
                [(name, *(shown(seconds[name, kind]) for kind in kinds)) for name in MECHANISMS],
            ),
            Table(
                "One choice among 10 candidates, CPU microseconds",
                ("mechanism", *kinds),
                [(name, *(shown(few[name, kind]) for kind in kinds)) for name in MECHANISMS],
            ),
        ],
        [
            Requirement(
                "one of 10^6 candidates in less than a CPU second",
                {
                    f"{name}, {kind}": ratio(SECOND, seconds[name, kind])
                    for name in REQUIRED
                    for kind in kinds
                },
            )
        ],
    )


if __name__ == "__main__":
    print(run())
