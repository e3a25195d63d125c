"""What may be summed over rows: a closed family of vectors, each a function of one row and of public numbers.

Every kernel states the largest norm that its vector of one row can have; `measure_vectors` computes it,
and `clip_vectors` holds it there in whole numbers.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite, isqrt
from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.privacy import Norm

__all__ = [
    "AMPLITUDE",
    "Array",
    "Assigned",
    "Backpropagated",
    "CURVE",
    "ClassMoments",
    "Correct",
    "Curvature",
    "DELTA",
    "DIAGONAL",
    "ERROR",
    "Encoding",
    "FINE",
    "FeatureMap",
    "GRID",
    "Gradient",
    "Integers",
    "Kernel",
    "Moments",
    "OFF_DIAGONAL",
    "PHASES",
    "RESIDUE",
    "Regression",
    "Rows",
    "SIGNAL",
    "TARGET",
    "WEIGHT",
    "Waves",
    "arrays_of",
    "bounds_of",
    "gradient_bound",
    "in_units",
    "largest_bits",
    "network_bound",
    "square_bound",
]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

GRID = 1 << 10
"""A feature between -1 and 1 is a whole number between -GRID and GRID."""

FINE = 1 << 12
"""A vector of the largest norm that a mapping lets through has the norm FINE in whole steps."""

RESIDUE = 1 << 10  # a residual of one
CURVE = 1 << 8  # a curvature of one; that of the logistic function is at most a quarter
ERROR = 1 << 10  # the largest residual of a regression
TARGET = 1 << 20  # a target of one
PHASES = 1 << 16  # a full turn
AMPLITUDE = 1 << 12
SIGNAL, DELTA, WEIGHT = (
    1 << 10,
    1 << 12,
    1 << 14,
)  # of networks: an activation, an error, a weight of one
DIAGONAL, OFF_DIAGONAL = 29, 41  # 41 / 29 is a little less than the root of 2


@frozen(eq=False)
class Encoding:
    """Public whole numbers for every place of some columns, side by side, and a constant behind them.

    `tables` has an array for each used column, a row of it for each place.

    >>> Encoding((0,), (np.array([[-1024], [1024]], np.int16),)).width
    2
    """

    columns: tuple[int, ...]
    tables: tuple[NDArray[np.int16], ...]
    constant: bool = True

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return int(sum(table.shape[1] for table in self.tables)) + self.constant


@frozen(eq=False)
class FeatureMap:
    """u = A x, held at the norm `radius`: what all vectors are made of; without a matrix, u = x."""

    encoding: Encoding
    radius: float
    matrix: Array | None = None

    @property
    def width(self) -> int:
        """How many numbers u has."""
        return self.encoding.width if self.matrix is None else len(self.matrix)


@frozen(eq=False)
class Moments:
    """The sum of u u'."""

    mapping: FeatureMap


@frozen(eq=False)
class Gradient:
    """The sum of (sigmoid(theta u) - y) u of a target of two classes, each held at the norm `clip`."""

    mapping: FeatureMap
    theta: Array
    clip: float


@frozen(eq=False)
class Curvature:
    """The sum of p (1 - p) u u', p = sigmoid(theta u)."""

    mapping: FeatureMap
    theta: Array


@frozen(eq=False)
class Regression:
    """The sums of u u', u e and e e: e is the residual y - theta x in units of `scale`, held at `most`.

    Where u is held, e is scaled down with it: such a row weighs less.
    """

    mapping: FeatureMap
    theta: Array
    scale: float
    most: float


@frozen(eq=False)
class Assigned:
    """For each centre the number of u that are nearest to it, and their sum."""

    mapping: FeatureMap
    centres: Array


@frozen(eq=False)
class ClassMoments:
    """For each class the number of rows, the sum of u, and the sum of 2 u**2 - 1 by coordinate."""

    mapping: FeatureMap
    classes: int


@frozen(eq=False)
class Waves:
    """For each class the sum of cos and sin of random phases W x: a sketch of where its rows lie."""

    encoding: Encoding
    phases: Array
    classes: int


@frozen(eq=False)
class Backpropagated:
    """The gradient of a network's cross-entropy, that of each row held at the norm `clip`.

    `weights` are those of the layers, the last row of each being its bias; between layers is tanh.
    With a `rate`, every unit is in a sample with that probability, in 2**16 parts, and so are all of its rows.
    """

    mapping: FeatureMap
    weights: tuple[Array, ...]
    clip: float
    rate: int | None = None


@frozen(eq=False)
class Correct:
    """How many rows have the class with the most points.

    `points` has for each column the points of its places by class, `prior` what every class begins with.
    """

    points: tuple[Array, ...]
    prior: Array


Kernel = (
    Moments
    | Gradient
    | Curvature
    | Regression
    | Assigned
    | ClassMoments
    | Waves
    | Backpropagated
    | Correct
)
"""What may be summed over rows: one of these, and nothing else."""


class Rows(Protocol):
    """Some rows as kernels read them: features, what a map makes of them, targets and weights."""

    target: NDArray[np.int64]
    weights: Array

    def places(self, column: int) -> NDArray[Any]:
        """The places of a column."""
        ...

    def features(self, encoding: Encoding) -> Array:
        """The features on the grid."""
        ...

    def mapped(self, mapping: FeatureMap, norm: Norm) -> tuple[Array, Array, Array]:
        """u in whole steps, its size, and which part of it was kept."""
        ...


def arrays_of(kernel: Kernel) -> tuple[int, ...]:
    """How many numbers each array of a kernel has."""
    match kernel:
        case Moments(mapping) | Curvature(mapping):
            return (mapping.width * (mapping.width + 1) // 2,)
        case Gradient(mapping):
            return (mapping.width,)
        case Regression(mapping):
            return mapping.width * (mapping.width + 1) // 2, mapping.width, 1
        case Assigned(mapping, centres):
            return len(centres), len(centres) * mapping.width
        case ClassMoments(mapping, classes):
            return classes, classes * mapping.width, classes * mapping.width
        case Waves():
            return (2 * kernel.phases.shape[1] * kernel.classes,)
        case Backpropagated(_, weights):
            return (sum(each.size for each in weights),)
        case Correct():
            return (1,)
        case _:
            assert_never(kernel)


def check_public_numbers(kernel: Kernel) -> None:
    """Refuse a kernel whose public numbers are not finite and positive; a learner is asked before it is paid for.

    >>> check_public_numbers(Moments(FeatureMap(Encoding((), (), constant=True), float("nan"))))
    Traceback (most recent call last):
    ...
    tacit.errors.InvalidInput: radius cannot be nan; give a finite number above zero
    """
    mapping = None if isinstance(kernel, Waves | Correct) else kernel.mapping
    for name in ("radius", "clip", "scale", "most"):
        number = getattr(mapping if name == "radius" else kernel, name, 1.0)
        if not (isfinite(number) and number > 0):
            raise InvalidInput(name, number, "give a finite number above zero")


def bounds_of(kernel: Kernel, norm: Norm) -> tuple[int, ...]:
    """The largest norm that one row of weight one can give each array, in whole steps.

    Claim:      of u u' with diagonal times 29 and the rest times 41 it is 29 times the square of that of u.
    Because:    29**2 sum u_i**4 + 41**2 sum_{i<j} (u_i u_j)**2 <= 29**2 (sum u_i**2)**2, for 41**2 is
                less than 2 times 29**2; in L1 29 sum u_i**2 + 41 sum_{i<j} |u_i u_j| <= 29 (sum |u_i|)**2.
    Checked by: tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed
    """
    check_public_numbers(kernel)
    match kernel:
        case Moments():
            return (DIAGONAL * FINE * FINE,)
        case Curvature():
            return (DIAGONAL * FINE * FINE * CURVE // 4,)
        case Gradient(mapping, _, clip):
            return (gradient_bound(mapping, clip),)
        case Regression():
            return DIAGONAL * FINE * FINE, FINE * ERROR, ERROR * ERROR
        case Assigned():
            return 1, FINE
        case ClassMoments(mapping):
            return 1, FINE, square_bound(mapping.width, norm)
        case Waves():
            waves = kernel.phases.shape[1]
            if norm is Norm.L1:  # |cos| + |sin| is at most the root of 2
                return (ceil(waves * AMPLITUDE * 1.4142135623730952),)
            return (isqrt(waves * AMPLITUDE * AMPLITUDE - 1) + 1,)
        case Backpropagated():
            return (network_bound(kernel),)
        case Correct():
            return (1,)
        case _:
            assert_never(kernel)


def in_units(kernel: Kernel, released: Sequence[tuple[Array, float]]) -> list[tuple[Array, float]]:
    """Released numbers and the deviation of their noise, in the units of what the kernel sums.

    A sum of u u' becomes a matrix; the deviation is that of its diagonal, and 29/41 of it that of the rest.
    """
    match kernel:
        case Moments(mapping):
            return [_matrix(*released[0], FINE * FINE / mapping.radius**2, mapping.width)]
        case Curvature(mapping):
            unit = FINE * FINE * CURVE / mapping.radius**2
            return [_matrix(*released[0], unit, mapping.width)]
        case Gradient(mapping):
            return [_divide(*released[0], FINE * RESIDUE / mapping.radius)]
        case Regression(mapping, _, _, most):
            first = _matrix(*released[0], FINE * FINE / mapping.radius**2, mapping.width)
            second = _divide(*released[1], FINE * ERROR / (mapping.radius * most))
            return [first, second, _divide(*released[2], ERROR * ERROR / most**2)]
        case Assigned(mapping, centres):
            sums = _divide(*released[1], FINE / mapping.radius)
            return [_divide(*released[0], 1.0), (sums[0].reshape(len(centres), -1), sums[1])]
        case ClassMoments(mapping, classes):
            sums = _divide(*released[1], FINE / mapping.radius)
            squares = _divide(*released[2], float(FINE))
            return [
                _divide(*released[0], 1.0),
                (sums[0].reshape(classes, -1), sums[1]),
                (squares[0].reshape(classes, -1), squares[1]),
            ]
        case Waves():
            sums = _divide(*released[0], float(AMPLITUDE))
            return [(sums[0].reshape(kernel.classes, -1), sums[1])]
        case Backpropagated():
            return [_divide(*released[0], float(SIGNAL * DELTA))]
        case Correct():
            return [_divide(*released[0], 1.0)]
        case _:
            assert_never(kernel)


def _divide(numbers: Array, deviation: float, unit: float) -> tuple[Array, float]:
    return np.asarray(numbers, np.float64) / unit, deviation / unit


def _matrix(numbers: Array, deviation: float, unit: float, width: int) -> tuple[Array, float]:
    """The symmetric matrix of what `_squares` made."""
    found = np.zeros((width, width))
    above = np.triu_indices(width, 1)
    found[above] = numbers[width:] / OFF_DIAGONAL
    found += found.T
    found[np.diag_indices(width)] = numbers[:width] / DIAGONAL
    return found / unit, deviation / DIAGONAL / unit


def largest_bits(kernel: Kernel) -> int:
    """The bits of the largest number that one row of weight one can add to an entry."""
    match kernel:
        case Curvature():
            return 30
        case Moments() | Regression():
            return 24
        case Backpropagated():
            return 30
        case _:
            return 23


def gradient_bound(mapping: FeatureMap, clip: float) -> int:
    """The bound of a gradient in whole steps; never more than u and the residual allow."""
    return max(1, min(FINE * RESIDUE, int(clip / mapping.radius * FINE * RESIDUE)))


def square_bound(width: int, norm: Norm) -> int:
    """The norm at which 2 u**2 - 1 of every coordinate is held."""
    return FINE * width if norm is Norm.L1 else isqrt(FINE * FINE * width)


def network_bound(kernel: Backpropagated) -> int:
    """The norm at which the gradient of one row of a network is held, in whole steps."""
    return max(1, min(1 << largest_bits(kernel), int(kernel.clip * SIGNAL * DELTA)))
