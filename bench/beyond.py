"""Medians by three mechanisms, and how often the intervals of sample-and-aggregate hold.

TACIT_NAFLD names the file nafld1_patients.csv of the R package survival, TACIT_ADULT the `adult.data` of the UCI
repository; without them, columns are made up that look like them.
"""

import csv
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from report import Requirement, Result, Table

from tacit.mechanisms import BlockMedian, Quantile, SmoothLaplace, SmoothQuantile, StudentNoise

EPSILONS = (0.1, 1.0)
TURNS = 60
RUNS = 2_000
HALF = Fraction(1, 2)
DELTA = 1e-6
BLOCKS = {0.1: 400, 1.0: 100}
CELLS = 512


def run() -> Result:
    """The table of medians, and the coverage of intervals."""
    medians = {name: errors_of(rows, high) for name, (rows, high) in columns().items()}
    coverage = {name: covered(*asked) for name, asked in functions().items()}
    return Result(
        "Beyond global sensitivity",
        [median_table(medians), coverage_table(coverage)],
        [
            Requirement(
                f"intervals of sample-and-aggregate hold in 94 % of {RUNS:,} runs",
                {name: found[0] / 0.94 for name, found in coverage.items()},
            )
        ],
        [f"Columns: {source()}. Errors are means over {TURNS} releases, in the column's own unit."],
    )


def columns() -> dict[str, tuple[Any, int]]:
    """Columns of integers and their declared highest values; the lowest is zero."""
    patients, census = nafld(), adult()
    return {
        "NAFLD age": (patients["age"], 120),
        "NAFLD weight, kg": (patients["weight"], 300),
        "NAFLD days of follow-up": (patients["futime"], 10_000),
        "Adult age": (census["age"], 120),
        "Adult hours a week": (census["hours"], 168),
        "Adult weight in the census": (census["fnlwgt"], 2_000_000),
    }


def nafld() -> dict[str, Any]:
    """Three columns of patients, as integers."""
    file = os.environ.get("TACIT_NAFLD")
    if not file:
        generator = np.random.default_rng(11)
        return {
            "age": generator.normal(53, 15, 17_549).clip(18, 98).astype(int),
            "weight": generator.gamma(14, 6.2, 12_763).astype(int),
            "futime": generator.exponential(2_600, 17_549).clip(7, 7_268).astype(int),
        }
    with Path(file).open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {
        name: np.array([int(float(row[name])) for row in rows if row[name] not in ("", "NA")])
        for name in ("age", "weight", "futime")
    }


def adult() -> dict[str, Any]:
    """Three columns of the census."""
    file = os.environ.get("TACIT_ADULT")
    if not file:
        generator = np.random.default_rng(12)
        return {
            "age": generator.gamma(8, 4.8, 32_561).clip(17, 90).astype(int),
            "hours": np.where(
                generator.random(32_561) < 0.47, 40, generator.integers(1, 99, 32_561)
            ),
            "fnlwgt": generator.lognormal(12, 0.55, 32_561).astype(int),
        }
    rows = [line.split(", ") for line in Path(file).read_text().splitlines() if line[:1].isdigit()]
    places = {"age": 0, "fnlwgt": 2, "hours": 12}
    return {name: np.array([int(row[place]) for row in rows]) for name, place in places.items()}


def source() -> str:
    """Whose columns they are."""
    named = [f"TACIT_{name}" in os.environ for name in ("NAFLD", "ADULT")]
    return "NAFLD and Adult" if all(named) else "stand-ins for NAFLD or Adult"


def errors_of(rows: Any, high: int) -> dict[str, float]:
    """The mean error of a released median, by mechanism and price."""
    exact = int(np.sort(rows)[(len(rows) + 1) // 2 - 1])
    found = {}
    for epsilon in EPSILONS:
        for name, released in mechanisms(rows, high, epsilon).items():
            found[f"{name}, epsilon {epsilon:g}"] = float(np.abs(released - exact).mean())
    return found


def mechanisms(rows: Any, high: int, epsilon: float) -> dict[str, Any]:
    """Released medians of each mechanism."""
    student = SmoothQuantile(HALF, 0, high, StudentNoise.calibrate(epsilon))
    laplace = SmoothQuantile(HALF, 0, high, SmoothLaplace.calibrate(epsilon, DELTA))
    return {
        "exponential": by_exponential(rows, high, epsilon),
        "smooth, Student": student.release(rows, TURNS),
        "smooth, Laplace": laplace.release(rows, TURNS),
        "sample-and-aggregate": by_blocks(rows, high, epsilon),
    }


def by_exponential(rows: Any, high: int, epsilon: float) -> Any:
    """The exponential mechanism on ranks, over all integers up to the highest."""
    median = Quantile.calibrate(epsilon, 1, HALF)
    places, counts = np.unique(np.clip(rows, 0, high), return_counts=True)
    edges = np.concatenate([[-1], places, [high + 1]])
    gaps = np.diff(edges) - 1
    runs, widths = [], []
    for gap, count in zip(gaps.tolist(), [*counts.tolist(), None], strict=True):
        if gap:
            runs.append(0)
            widths.append(gap)
        if count is not None:
            runs.append(count)
            widths.append(1)
    return np.array([median.release(runs, widths) for _ in range(TURNS)])


def by_blocks(rows: Any, high: int, epsilon: float) -> Any:
    """The private median of the medians of blocks."""
    blocks, cells = BLOCKS[epsilon], min(CELLS, high)
    aggregate = BlockMedian.of_epsilon(epsilon, blocks, cells)
    generator, width = np.random.default_rng(3), high / cells
    found = []
    for _ in range(TURNS):
        results = np.array([np.median(part) for part in divide(rows, blocks, generator)])
        drawn = aggregate.release(np.clip(results / width, 0, cells - 1).astype(int))[1]
        found.append((drawn + 0.5) * width)
    return np.array(found)


def divide(rows: Any, blocks: int, generator: Any) -> list[Any]:
    """The rows in blocks, each row's drawn for it alone."""
    places = generator.integers(0, blocks, len(rows))
    order = np.argsort(places, kind="stable")
    return np.split(rows[order], np.searchsorted(places[order], np.arange(1, blocks)))


def functions() -> dict[str, tuple[Any, Callable[[Any], float], float, float]]:
    """A table of two columns, a function of a block of its rows, and bounds of what it says."""
    census = adult()
    table = np.stack([census["age"], census["hours"], census["fnlwgt"] / 1000], axis=1)
    return {
        "ratio of two medians": (
            table,
            lambda b: float(np.median(b[:, 2]) / np.median(b[:, 0])),
            0,
            20,
        ),
        "least-squares slope": (table, slope, -1, 1),
    }


def slope(block: Any) -> float:
    """Of hours on age."""
    age, hours = block[:, 0] - block[:, 0].mean(), block[:, 1] - block[:, 1].mean()
    return float(age @ hours / (age @ age))


def covered(
    table: Any, function: Callable[[Any], float], low: float, high: float
) -> tuple[float, float]:
    """How often the interval holds what the function says of everybody, and its mean width.

    Every run draws 6,000 people anew, divides them into 120 blocks, and releases at epsilon 2.
    """
    truth, blocks = function(table), 120
    aggregate = BlockMedian.of_epsilon(2, blocks, CELLS)
    generator, width = np.random.default_rng(4), (high - low) / CELLS
    held, widths = 0, 0.0
    for _ in range(RUNS):
        people = table[generator.integers(0, len(table), 6_000)]
        results = np.array([function(part) for part in divide(people, blocks, generator)])
        cells = np.clip((results - low) / width, 0, CELLS - 1).astype(int)
        first, _, last = aggregate.release(cells)
        held += low + first * width <= truth <= low + (last + 1) * width
        widths += (last + 1 - first) * width
    return held / RUNS, widths / RUNS


def median_table(medians: dict[str, dict[str, float]]) -> Table:
    """A row for each column, a column for each mechanism and price."""
    heads = list(next(iter(medians.values())))
    rows = [(name, *(f"{found[head]:,.3g}" for head in heads)) for name, found in medians.items()]
    return Table("Mean error of a released median", ("column", *heads), rows)


def coverage_table(coverage: dict[str, tuple[float, float]]) -> Table:
    """How often the interval held."""
    rows = [(name, f"{held:.1%}", f"{width:.3g}") for name, (held, width) in coverage.items()]
    title = f"Sample-and-aggregate, 120 blocks of 50, epsilon 2, {RUNS:,} runs"
    return Table(title, ("function", "interval held", "mean width"), rows)


if __name__ == "__main__":
    print(run())
