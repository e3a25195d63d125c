"""Second moments and what is made of them: a whitening map, its effective dimension, and logistic regression in it.

Checked by: tests/unit/learn/test_linear.py
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Curvature, Encoding, FeatureMap, Gradient, Moments, VectorNoise
from tacit.frozen import frozen
from tacit.learn.estimator import ask
from tacit.progress import show_progress

__all__ = ["MOMENTS", "NEWTON", "STEPS", "LogisticFit", "add_hidden", "learn_logistic", "whiten"]

Array = NDArray[np.float64]

STEPS = 15
MOMENTS = Fraction(1, 5)  # of the price: second moments
NEWTON = Fraction(3, 10)  # and, with intervals, a last step whose error is known
RATE = 3.0
LOUD = 0.005  # how much noise a step may add, as a share of the loss


@frozen(eq=False)
class LogisticFit:
    """Coefficients of the encoded features, and, with intervals, an estimate without shrinkage and its covariance."""

    theta: Array
    rows: float
    free: Array
    covariance: Array


def whiten(moments: Array, deviation: float, rows: float) -> tuple[Array, float, float]:
    """(M/n + l)^(-1/2), the effective dimension that it leaves, and l: the operator norm of the noise."""
    d = len(moments)
    floor = deviation * np.sqrt(2 * d) / rows
    values, vectors = np.linalg.eigh(moments / rows)
    raised = np.maximum(values, 0) + floor
    effective = max(1.0, float((np.maximum(values, 0) / raised).sum()))
    return vectors / np.sqrt(raised) @ vectors.T, effective, float(floor)


def learn_logistic(
    encoding: Encoding,
    bound: float,
    noise: VectorNoise,
    whole: Fraction,
    *,
    matrix: Array | None = None,
    start: Array | None = None,
    intervals: bool = False,
) -> Generator[Any, Any, LogisticFit]:
    """Whiten by released second moments, then take accelerated gradient steps; the second half is averaged.

    In whitened space the curvature is at most a quarter, so that the step needs no tuning.
    """
    d = encoding.width
    share = whole * MOMENTS
    first = np.eye(d) if matrix is None else matrix
    stretch = 1.0 if noise.concentrated else float(np.sqrt(d))
    raw = FeatureMap(encoding, bound * stretch, matrix)
    ((moments, deviation),) = yield from ask(Moments(raw), share)
    rows = max(float(moments[-1, -1]), 10.0)
    inverse, effective, _ = whiten(moments, deviation, rows)
    last = whole * NEWTON if intervals else Fraction(0)
    steps = STEPS if noise.concentrated else 5
    each = (whole - share - last) / steps
    radius = min(bound * float(np.linalg.norm(inverse, 2)), 3 * np.sqrt(effective)) * stretch
    quiet = np.sqrt(LOUD / d) / RATE * rows / noise.unit_deviation(each)
    clip = min(radius, max(0.5 * np.sqrt(effective), float(quiet)))
    mapping = FeatureMap(encoding, radius, inverse @ first)
    theta = np.zeros(d) if start is None else np.linalg.solve((inverse @ first).T, start)
    before, total = theta, np.zeros(d)
    for step in show_progress(range(steps), steps, "steps"):
        ahead = _bounded(theta + step / (step + 3) * (theta - before))
        before = theta
        ((gradient, _),) = yield from ask(Gradient(mapping, ahead, clip), each)
        theta = _bounded(ahead - RATE * gradient / rows)
        if step >= steps // 2:
            total = total + theta
    theta = total / (steps - steps // 2)
    back = (inverse @ first).T
    if not intervals:
        return LogisticFit(back @ theta, rows, np.zeros(0), np.zeros((0, 0)))
    curve = Curvature(mapping, theta)
    ((bent, off),) = yield from ask(curve, last * Fraction(2, 5))
    ((gradient, spread),) = yield from ask(Gradient(mapping, theta, radius), last * Fraction(3, 5))
    values, vectors = np.linalg.eigh(bent / rows)
    known = values > 3 * off * np.sqrt(2 * d) / rows
    inverted = vectors * np.where(known, 1 / np.where(known, values, 1), 0) @ vectors.T
    step_taken = inverted @ (gradient / rows)
    free = theta - step_taken
    off_axis = 0.5 * (off / rows) ** 2
    middle = (spread / rows) ** 2 * np.eye(d)
    middle += off_axis * ((step_taken @ step_taken) * np.eye(d) + np.outer(step_taken, step_taken))
    covariance = inverted @ middle @ inverted + inverted / rows
    unknown = vectors[:, ~known]
    covariance = back @ covariance @ back.T
    add_hidden(covariance, back @ unknown, 4.0)
    return LogisticFit(back @ theta, rows, back @ free, covariance)


def add_hidden(covariance: Array, hidden: Array, largest: float) -> None:
    """Add to a covariance what is not known of directions that noise hides, in place.

    A coefficient that mostly lies in such a direction has no interval.  Of the others, the part that does is taken
    to be at most `largest` along the direction: a value that no row has, such as NULL, says nothing of the rest.
    """
    for direction in hidden.T:
        part = direction**2 / max(float(direction @ direction), 1e-300)
        covariance[np.diag_indices(len(covariance))] += part * largest**2
        blind = part > 0.05
        covariance[blind, blind] = np.inf


def _bounded(theta: Array) -> Array:
    """Coefficients so small that their products with rows are exact, whatever noise did to them."""
    return np.clip(theta, -1e4, 1e4)
