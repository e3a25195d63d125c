"""Pearson's test of drawn integers against exact probabilities, at a named false-alarm rate."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

FALSE_ALARM = 1e-9
LEAST_EXPECTED = 20


@dataclass(frozen=True)
class Cells:
    """The integers cut at `edges`: below the first, from each to the next, from the last on; with their chances."""

    edges: np.ndarray
    probabilities: np.ndarray

    def p_value(self, drawn: np.ndarray) -> float:
        """The probability of numbers that lie as badly as those drawn, if the probabilities are right."""
        places = np.searchsorted(self.edges, drawn, side="right")
        return p_value(np.bincount(places, minlength=len(self.probabilities)), self.probabilities)


def p_value(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """Pearson's p-value, after neighbouring cells have been pooled until each expects at least 20."""
    assert len(counts) == len(probabilities)
    assert abs(probabilities.sum() - 1) < 1e-9
    assert probabilities.min() >= 0
    if counts[probabilities == 0].any():
        return 0.0
    seen, expected = pooled(counts, probabilities * counts.sum())
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return chi_square_tail(statistic, len(seen) - 1)


def pooled(counts: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs of cells put together; what is left at the end joins the last run."""
    seen: list[float] = []
    wanted: list[float] = []
    run_seen = run_wanted = 0.0
    for count, expectation in zip(counts.tolist(), expected.tolist(), strict=True):
        run_seen, run_wanted = run_seen + count, run_wanted + expectation
        if run_wanted >= LEAST_EXPECTED:
            seen.append(run_seen)
            wanted.append(run_wanted)
            run_seen = run_wanted = 0.0
    assert len(seen) > 1, "too few draws for a test"
    seen[-1], wanted[-1] = seen[-1] + run_seen, wanted[-1] + run_wanted
    return np.array(seen), np.array(wanted)


def chi_square_tail(statistic: float, freedom: int) -> float:
    """The probability that a chi-square variable of so many degrees of freedom exceeds the statistic."""
    return (
        float(arb(statistic / 2).gamma_upper(arb(freedom) / 2, 1).mid()) if statistic > 0 else 1.0
    )


def cells(edges: Sequence[int], at_least: Callable[[int], float]) -> Cells:
    """The cells between the edges, from P(Z >= edge)."""
    tails = np.array([1.0, *(at_least(edge) for edge in edges), 0.0])
    return Cells(np.array(edges, np.int64), tails[:-1] - tails[1:])


def _symmetric(width: int, reach: int) -> list[int]:
    """Edges that leave the cell around zero as it is and cut the rest evenly on both sides."""
    right = list(range(1, reach, width))
    return sorted([*(1 - edge for edge in right), *right])


def laplace_cells(scale: Fraction) -> Cells:
    """Cells of a third of the scale, for P(z) proportional to exp(-|z| / scale)."""
    rate = float(1 / scale)

    def at_least(edge: int) -> float:
        far = math.exp(-rate * max(edge, 1 - edge)) / (1 + math.exp(-rate))
        return far if edge >= 1 else 1 - far

    return cells(_symmetric(math.ceil(scale / 3), math.ceil(25 * scale) + 3), at_least)


def geometric_cells(scale: Fraction) -> Cells:
    """Cells of a third of the scale, for P(g) proportional to exp(-g / scale), g >= 0."""
    rate = float(1 / scale)
    edges = list(range(0, math.ceil(25 * scale) + 3, math.ceil(scale / 3)))
    return cells(edges, lambda edge: math.exp(-rate * edge))


def gaussian_cells(variance: Fraction) -> Cells:
    """Cells of a third of the deviation, for P(z) proportional to exp(-z**2 / (2 variance)), by adding up all terms."""
    deviation = math.sqrt(variance)
    edges = _symmetric(math.ceil(deviation / 3), math.ceil(7 * deviation) + 3)
    # Beyond the last edge, seven deviations out, there is less than 1e-11: half a dozen cells more are summed.
    numbers = np.arange(math.ceil(12 * deviation) + 6, dtype=np.float64)
    terms = np.exp(-(numbers**2) / float(2 * variance))
    tails = terms[::-1].cumsum()[::-1]
    whole = 2 * tails[0] - 1

    def at_least(edge: int) -> float:
        far = tails[max(edge, 1 - edge)] / whole
        return float(far if edge >= 1 else 1 - far)

    return cells(edges, at_least)


def uniform_cells(bound: int) -> Cells:
    """At most a hundred cells for the integers below the bound; what is not below it has probability zero."""
    edges = [bound * part // min(bound, 100) for part in range(min(bound, 100))] + [bound]
    return cells(edges, lambda edge: (bound - edge) / bound)


def coin_cells(probability: float) -> Cells:
    """Heads, as one, and tails, as zero."""
    return cells([0, 1, 2], lambda edge: (1.0, probability, 0.0)[edge])
