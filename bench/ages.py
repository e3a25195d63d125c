"""A thousand ages at a time, and by how many people a released quantile is misranked; every interpreter reads this.

The ages come from the file that TACIT_ADULT names, the `adult.data` of the UCI repository, of which the first column is
read; without it, from a stand-in of 30,000 people with about the same pyramid.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PEOPLE, LOWEST, HIGHEST, EPSILON, REPETITIONS = 1_000, 0, 100, 1.0, 200
# How many of 1,000 are of each five years of age, from 15 on.
PYRAMID = (51, 113, 125, 131, 134, 115, 101, 80, 57, 39, 24, 14, 9, 4, 3)


def ranks(count: int) -> list[float]:
    """So many quantiles, evenly spaced."""
    return [k / (count + 1) for k in range(1, count + 1)]


def source() -> str:
    """Whose ages they are."""
    return "Adult" if os.environ.get("TACIT_ADULT") else "stand-in"


def everyone() -> Any:
    """All ages."""
    file = os.environ.get("TACIT_ADULT")
    if file:
        lines = Path(file).read_text().splitlines()
        return np.array([int(line.split(",")[0]) for line in lines if line[:1].isdigit()])
    generator = np.random.default_rng(1994)
    decades = generator.choice(len(PYRAMID), 30_000, p=np.array(PYRAMID) / sum(PYRAMID))
    return np.maximum(17, 15 + 5 * decades + generator.integers(0, 5, 30_000))


def samples(count: int = REPETITIONS) -> Iterator[Any]:
    """So many samples of a thousand ages, the same for everybody who asks."""
    people = everyone()
    for turn in range(count):
        yield np.random.default_rng(turn).choice(people, PEOPLE, replace=False)


def misranked(ages: Any, released: Sequence[float], wanted: Sequence[float]) -> tuple[float, float]:
    """How many people lie between the released and the true quantiles, and how far off the ranks are; means.

    The first counts whole years, as Gillenwater et al. (2021) do: next to the true year lie all who are of it.  The
    second is how far the wanted rank is from the ranks that people of the released age have.
    """
    held = np.sort(ages)
    true = held[np.ceil(np.array(wanted) * len(held) - 1e-9).astype(int) - 1]
    upto = np.searchsorted(held, released, side="right")
    between = np.abs(upto - np.searchsorted(held, true, side="right"))
    target = np.array(wanted) * len(held)
    beyond = np.maximum(
        0, np.maximum(np.searchsorted(held, released, side="left") - target, target - upto)
    )
    return float(between.mean()), float(beyond.mean())


def mean_misranked(release: Any, wanted: Sequence[float]) -> tuple[float, float]:
    """Both means over all samples, for `release(ages) -> quantiles`."""
    every = [misranked(ages, release(ages), wanted) for ages in samples()]
    return float(np.mean([one for one, _ in every])), float(np.mean([two for _, two in every]))
