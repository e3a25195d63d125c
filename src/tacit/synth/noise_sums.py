"""How far a sum of many noises reaches: intervals of what is made of many released numbers."""

from __future__ import annotations

from math import log, sqrt
from statistics import NormalDist

import numpy as np

from tacit.synth.domain import Array

__all__ = ["gaussian_reach", "laplace_reach", "single_reach"]

_RATIO = 1.02  # widths of summands are rounded up to powers of it,
_SMALLEST = 1e-4  # and to this share of the widest
_STEP, _POINTS = 0.15, 768  # where the characteristic function is looked at, in standard deviations
_FEW_STEPS = 4.0


def gaussian_reach(deviations: Array, confidence: float, steps: float = np.inf) -> Array:
    """The ± of sums of discrete Gaussian noises with these standard deviations.

    `steps` is the least of the noises' own deviations, in steps of their integers.  Where it is
    large the sum is normal for all purposes; where it is small the bound of sub-Gaussian variables
    counts, which holds for discrete Gaussian noise of any width (Canonne, Kamath and Steinke 2020).

    >>> gaussian_reach(np.array([1.0]), 0.95).round(2).tolist()
    [1.96]
    """
    if steps < _FEW_STEPS:
        return np.asarray(deviations * sqrt(2 * log(2 / (1 - confidence))))
    exact = deviations * NormalDist().inv_cdf((1 + confidence) / 2)
    lattice = deviations / (2 * steps)  # half a step, for whole numbers fill no interval
    return np.asarray(exact + lattice)


def laplace_reach(scales: Array, counts: Array, confidence: float, steps: float = np.inf) -> Array:
    """The ± of sums of independent Laplace noises: row by row, so many of each scale.

    Claim:      a sum lies within it with at least the stated probability, at every row.
    Because:    rounding a scale up makes a sum of symmetric unimodal variables less peaked
                (Birnbaum 1948); the law of the rounded sum is found from its characteristic
                function, and what the integral leaves out is added to the tail; Chernoff's bound
                counts where it is smaller.
    Checked by: tests/unit/synth/test_noise_sums.py::test_no_sum_reaches_further_than_is_said

    >>> laplace_reach(np.array([[1.0]]), np.array([[1.0]]), 0.95).round(1).tolist()
    [3.0]
    """
    scales, counts = np.abs(np.atleast_2d(scales)), np.broadcast_to(counts, np.shape(scales))
    deviations = np.sqrt(2 * (counts * scales**2).sum(axis=1))
    some = deviations > 0
    found = np.zeros(len(scales))
    if some.any():
        shape, weights = _classes(scales[some], counts[some], deviations[some])
        tail = 1 - confidence
        bound = _chernoff(shape, weights, tail)
        reach = bound if steps < _FEW_STEPS else np.minimum(bound, _invert(shape, weights, tail))
        found[some] = reach * deviations[some]
    return found + (scales.max(axis=1) / (2 * steps) if steps >= _FEW_STEPS else 0.0)


def single_reach(deviation: float, confidence: float, *, pure: bool) -> float:
    """The ± of one noise by itself."""
    one = np.array([deviation])
    if pure:
        return float(laplace_reach(one[:, None] / sqrt(2), np.ones((1, 1)), confidence)[0])
    return float(gaussian_reach(one, confidence)[0])


def _classes(scales: Array, counts: Array, deviations: Array) -> tuple[Array, Array]:
    """Relative scales, rounded up to a few, and how many summands of each every sum has."""
    relative = scales / deviations[:, None]
    least = np.maximum(relative.max(axis=1, keepdims=True) * _SMALLEST, 1e-9)
    power = np.ceil(np.log(np.maximum(relative, least)) / log(_RATIO) - 1e-9).astype(np.int64)
    first = int(power.min())
    weights = np.zeros((len(scales), int(power.max()) - first + 1))
    rows = np.broadcast_to(np.arange(len(scales))[:, None], power.shape)
    np.add.at(weights, (rows, power - first), counts)
    used = weights.any(axis=0)
    shape = _RATIO ** np.arange(first, first + weights.shape[1], dtype=float)
    return shape[used], weights[:, used]


def _invert(shape: Array, weights: Array, tail: float) -> Array:
    """The least reach whose tail, with all that numbers leave out of it, is no more than said."""
    points = _STEP * np.arange(1, _POINTS + 1)
    waves = np.exp(-weights @ np.log1p(shape[:, None] ** 2 * points**2))
    missing = 2 / np.pi * waves[:, -1]  # no less than what lies beyond the last point
    low, high = np.zeros(len(weights)), np.full(len(weights), 40.0)
    for _ in range(40):
        middle = (low + high) / 2
        inside = np.sin(points * middle[:, None]) / points * waves
        outside = 1 - 2 / np.pi * _STEP * (middle / 2 + inside.sum(axis=1)) + missing
        far = outside > tail
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return high


def _chernoff(shape: Array, weights: Array, tail: float) -> Array:
    """A reach from the moment generating functions, by the best of many exponents."""
    largest = np.array([shape[row > 0].max() for row in weights])
    found = np.full(len(weights), np.inf)
    for part in np.linspace(0.02, 0.98, 49):
        exponent = part / largest
        grown = -np.log1p(-np.minimum((shape * exponent[:, None]) ** 2, 1 - 1e-12))
        found = np.minimum(found, ((weights * grown).sum(axis=1) + log(2 / tail)) / exponent)
    return found
