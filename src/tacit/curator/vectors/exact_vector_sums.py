"""The exact sums of a kernel over rows, in whole numbers.

Sums are exact: a block has so few rows that doubles add its integers up without rounding, and blocks are added as
integers; so a row's vector depends on that row alone, in whatever order and on whatever machine.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from tacit.curator.vectors.clip_vectors import LARGEST_ENTRY, clip_vectors, largest_factor
from tacit.curator.vectors.exact_in_doubles import as_integers, check_range
from tacit.curator.vectors.network_gradients import backpropagate
from tacit.curator.vectors.sigmoid_cosine_tables import (
    cosine_table,
    curvature_table,
    link_place,
    sigmoid_table,
    sine_table,
)
from tacit.curator.vectors.summable_vectors import (
    DIAGONAL,
    ERROR,
    FINE,
    GRID,
    OFF_DIAGONAL,
    PHASES,
    RESIDUE,
    TARGET,
    Array,
    Assigned,
    Backpropagated,
    ClassMoments,
    Correct,
    Curvature,
    FeatureMap,
    Gradient,
    Integers,
    Kernel,
    Moments,
    Regression,
    Rows,
    Waves,
    gradient_bound,
    square_bound,
)
from tacit.privacy import Norm

__all__ = ["map_features", "measure"]

_MAP, _SLOPE = 20, 20  # bits behind the point of public matrices and of coefficients


def measure(kernel: Kernel, block: Rows, norm: Norm) -> Iterator[Integers]:
    """The exact sums of a kernel over some rows, array by array.

    Claim:      what one row adds to each array has at most the norm that `bounds_of` states, times
                its weight, and depends on that row alone.
    Because:    matrix products are over whole numbers below 2**53, which doubles add exactly in any
                order; other steps are correctly rounded operations on single numbers, or tables; and
                norms are checked in whole numbers after clipping.
    Checked by: tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed
    """
    weights = block.weights
    match kernel:
        case Waves():
            public = check_range(np.rint(kernel.phases).T, GRID).T
            turns = (block.features(kernel.encoding) @ public).astype(np.int64) & (PHASES - 1)
            waves = np.concatenate([cosine_table()[turns], sine_table()[turns]], axis=1)
            yield _by_class(waves * weights[:, None], block.target, kernel.classes)
        case Moments(mapping):
            u, _, _ = block.mapped(mapping, norm)
            yield _squares(_products(u, weights))
        case Gradient(mapping, theta, clip):
            u, size, _ = block.mapped(mapping, norm)
            turn = sigmoid_table()[link_place(_slopes(u, theta, mapping))] - RESIDUE * block.target
            most = largest_factor(size, gradient_bound(mapping, clip), norm)
            yield as_integers(u.T @ (np.clip(turn, -most, most) * weights))
        case Curvature(mapping, theta):
            u, _, _ = block.mapped(mapping, norm)
            bent = curvature_table()[link_place(_slopes(u, theta, mapping))]
            yield _squares((u * (bent * weights)[:, None]).T @ u)
        case Regression():
            yield from _measure_regression(kernel, block, norm)
        case Assigned(mapping, centres):
            u, _, _ = block.mapped(mapping, norm)
            nearest = _nearest(u, np.asarray(centres) / mapping.radius * FINE)
            yield as_integers(np.bincount(nearest, weights, len(centres)))
            yield _by_class(u * weights[:, None], nearest, len(centres))
        case ClassMoments():
            yield from _measure_class_moments(kernel, block, norm)
        case Backpropagated():
            yield backpropagate(kernel, block, norm)
        case Correct(points, prior):
            total = np.tile(_whole_points(prior), (len(weights), 1))
            for column, table in enumerate(points):
                total += _whole_points(table)[block.places(column)]
            yield as_integers(np.array([(weights * (total.argmax(1) == block.target)).sum()]))
        case _:
            assert_never(kernel)


def _measure_regression(kernel: Regression, block: Rows, norm: Norm) -> Iterator[Integers]:
    """The sums of u u', u e and e e, where e is the residual, clipped and in whole steps."""
    mapping, scale, most, weights = kernel.mapping, kernel.scale, kernel.most, block.weights
    u, _, kept = block.mapped(mapping, norm)
    slopes = check_range(np.rint(np.asarray(kernel.theta) * (1 << _SLOPE)), GRID)
    predicted = block.features(mapping.encoding) @ slopes / float(GRID << _SLOPE)
    left = block.target / TARGET - predicted
    e = np.trunc(np.clip(left * kept / scale, -most, most) / most * ERROR)
    yield _squares(_products(u, weights))
    yield as_integers(u.T @ (e * weights))
    yield as_integers(np.array([(e * e * weights).sum()]))


def _measure_class_moments(kernel: ClassMoments, block: Rows, norm: Norm) -> Iterator[Integers]:
    """For each class the number of rows, the sum of u, and that of 2 u**2 - 1 by coordinate."""
    mapping, classes, weights = kernel.mapping, kernel.classes, block.weights
    u, _, _ = block.mapped(mapping, norm)
    yield as_integers(np.bincount(block.target, weights, classes))
    yield _by_class(u * weights[:, None], block.target, classes)
    # each coordinate in steps of its own
    alone = np.clip(np.trunc(u * mapping.radius), -FINE, FINE)
    squares = np.trunc(2 * alone * alone / FINE) - FINE
    held, _, _ = clip_vectors(squares, square_bound(mapping.width, norm), norm)
    yield _by_class(held * weights[:, None], block.target, classes)


def _nearest(u: Array, centres: Array) -> NDArray[np.int64]:
    """For each row the place of the centre that is nearest to it."""
    steps = np.rint(centres).clip(-LARGEST_ENTRY, LARGEST_ENTRY)
    return np.asarray(((steps * steps).sum(1)[None] - 2 * (u @ steps.T)).argmin(1), np.int64)


def map_features(mapping: FeatureMap, x: Array, norm: Norm) -> tuple[Array, Array, Array]:
    """u in steps of radius / FINE, its size (the square of the norm; in L1 the norm), and how much of it was kept."""
    if mapping.matrix is None:
        raw = np.trunc(x * (FINE / (mapping.radius * GRID)))
    else:
        scaled = np.asarray(mapping.matrix) * (FINE / (mapping.radius * GRID))
        public = check_range(np.rint(scaled * (1 << _MAP)), GRID)
        raw = np.trunc(x @ public.T / (1 << _MAP))
    return clip_vectors(raw, FINE, norm)


def _slopes(u: Array, theta: Array, mapping: FeatureMap) -> Array:
    steps = np.asarray(theta) * (mapping.radius / FINE) * (1 << _SLOPE)
    return np.asarray(u @ check_range(np.rint(steps), FINE) / (1 << _SLOPE), np.float64)


def _whole_points(points: Array) -> Array:
    """Points in whole steps, so small that doubles add those of all columns exactly."""
    held = np.clip(
        np.nan_to_num(np.asarray(points, np.float64), nan=0.0), -LARGEST_ENTRY, LARGEST_ENTRY
    )
    return np.rint(held * GRID)


def _products(u: Array, weights: Array) -> Array:
    """The sum of u u' times its weight; half the work where all weigh the same, for then it is one matrix by itself."""
    if len(weights) and (weights == weights[0]).all():
        return np.asarray((u.T @ u) * weights[0], np.float64)
    return np.asarray((u * weights[:, None]).T @ u, np.float64)


def _squares(product: Array) -> Integers:
    """The diagonal times 29, then what is above it times 41."""
    whole = as_integers(product)
    above = np.triu_indices(len(whole), 1)
    return np.concatenate([np.diag(whole) * DIAGONAL, whole[above] * OFF_DIAGONAL])


def _by_class(vectors: Array, classes: NDArray[np.int64], count: int) -> Integers:
    """The sums of the vectors of each class, one after the other."""
    member = (classes[:, None] == np.arange(count)[None]).astype(np.float64)
    return as_integers(member.T @ vectors).reshape(-1)
