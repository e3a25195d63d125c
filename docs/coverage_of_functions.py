"""How often the interval of `vault.aggregate` holds: the last part of docs/coverage.md.

Every release is a call of a vault, with its charge, its keyed blocks and its private median.  The function runs in this
process instead of one of its own for every block, which is a hundred times quicker and, for a function that keeps to
itself, the same.  `python docs/coverage_of_functions.py [releases]` writes that part of the page.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.curator.aggregate import run_blocks

__all__ = ["FUNCTIONS", "Coverage", "cover_function", "run_in_this_process"]

Block = dict[str, Any]

MARK = "## Functions on blocks of units\n"
_PAGE = Path(__file__).parent / "coverage.md"
PEOPLE, UNITS, BLOCKS, EPSILON = 32_000, 3_000, 150, 2
SAMPLES = 20  # of the people, each in a vault of its own


@dataclass(frozen=True)
class Coverage:
    """How often the interval held what the function says of everybody, and how wide it was at the median."""

    held: float
    width: float
    low: float
    high: float


def ratio_of_medians(block: Block) -> float:
    """The median spending over the median age."""
    return float(np.median(block["spend"]) / np.median(block["age"]))


def slope(block: Block) -> float:
    """The least-squares slope of spending on age."""
    age, spend = (block[name] - block[name].mean() for name in ("age", "spend"))
    return float(age @ spend / (age @ age))


FUNCTIONS: dict[str, tuple[Callable[[Block], float], float, float]] = {
    "ratio of two medians": (ratio_of_medians, 0, 20),
    "least-squares slope": (slope, -10, 10),
}


def everybody() -> Block:
    """Ages, and spending that grows with age and has a long tail."""
    drawing = np.random.default_rng(19)
    age = np.clip(drawing.gamma(8, 4.8, PEOPLE), 17, 90)
    spend = np.clip(drawing.lognormal(4.2, 0.6, PEOPLE) + 2 * age, 0, 1000)
    return {"age": np.floor(age), "spend": np.floor(spend)}


def vault_of(sample: int) -> Any:
    """A vault with some of the people."""
    people, drawing = everybody(), np.random.default_rng(sample)
    chosen = drawing.integers(0, PEOPLE, UNITS)
    rows = [
        {"who": place, "age": int(people["age"][each]), "spend": int(people["spend"][each])}
        for place, each in enumerate(chosen.tolist())
    ]
    columns = {"age": (17, 90), "spend": (0, 1000)}
    return tacit.protect(rows, unit="who", contributions=1, columns=columns, epsilon=10**6)


@contextmanager
def run_in_this_process() -> Iterator[None]:
    """Blocks without a process of their own."""
    alone = run_blocks._run_alone  # noqa: SLF001 -- what is replaced is said at the top
    run_blocks._run_alone = lambda function, block, _: float(function(block))  # type: ignore[assignment] # noqa: SLF001
    try:
        yield
    finally:
        run_blocks._run_alone = alone  # noqa: SLF001


def cover_function(name: str, times: int) -> Coverage:
    """So many releases of a function, spread over vaults with different people."""
    function, low, high = FUNCTIONS[name]
    truth, held, widths = function(everybody()), 0, []
    with run_in_this_process():
        for sample in range(SAMPLES):
            vault = vault_of(sample)
            for _ in range(times // SAMPLES):
                found = vault.aggregate(
                    function, of="data", blocks=BLOCKS, low=low, high=high, epsilon=EPSILON
                )
                first, last = found["value_low"][0], found["value_high"][0]
                held += first <= truth <= last
                widths.append(last - first)
    return Coverage(held / len(widths), float(np.median(widths)), low, high)


_HEAD = f"""
`vault.aggregate`, {{times:,}} calls each, at epsilon {EPSILON} and nominal 95 %: {UNITS:,} of {PEOPLE:,} people,
drawn anew for {SAMPLES} vaults, in {BLOCKS} blocks. *Held* is the share of the intervals that contain what the function
says of all people. Intervals are for the worst data, so they hold more often than they say.
`python docs/coverage_of_functions.py` regenerates this part.

| function | bounds | held | median width |
|---|---|---|---|
"""


def main() -> None:
    """Write the part of the page."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    lines = [MARK, _HEAD.format(times=times)]
    for name in FUNCTIONS:
        found = cover_function(name, times)
        bounds = f"{found.low:g} to {found.high:g}"
        lines.append(f"| {name} | {bounds} | {found.held:.1%} | {found.width:.3g} |\n")
        print(lines[-1], end="", flush=True)
    before, _, old = _PAGE.read_text().partition(MARK)
    # the last part is written by coverage_of_combined.py
    _, mark, rest = old.partition("\n## Combined answers and free computations\n")
    _PAGE.write_text(f"{before.rstrip(chr(10))}\n\n{''.join(lines)}{mark}{rest}")


if __name__ == "__main__":
    main()
