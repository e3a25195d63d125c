"""What may be summed over rows: a closed family of vectors, each a function of one row and of public numbers.

Every kernel states the largest norm that its vector of one row can have, and holds it there in whole
numbers.  Sums are exact: a block has so few rows that doubles add its integers up without rounding,
and blocks are added as integers; so a row's vector depends on that row alone, in whatever order and
on whatever machine.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, isfinite, isqrt
from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.privacy import Norm

__all__ = [
    "FINE",
    "GRID",
    "Assigned",
    "Backpropagated",
    "ClassMoments",
    "Correct",
    "Curvature",
    "Encoding",
    "FeatureMap",
    "Gradient",
    "Kernel",
    "Moments",
    "Regression",
    "Rows",
    "Waves",
    "arrays_of",
    "bounds_of",
    "in_units",
    "largest_bits",
    "map_features",
    "measure",
    "sigmoid",
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

_MAP, _SLOPE = 20, 20  # bits behind the point of public matrices and of coefficients
_EXACT = float(1 << 53)
_WIDE = float(1 << 20)
_DIAGONAL, _OTHER = 29, 41  # 41 / 29 is a little less than the root of 2
_LINKS = 1 << 14  # entries of the logistic function's table, between -16 and 16
_TURNS = 2 * np.pi * np.arange(PHASES) / PHASES


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
            public = _check_range(np.rint(kernel.phases).T, GRID).T
            turns = (block.features(kernel.encoding) @ public).astype(np.int64) & (PHASES - 1)
            waves = np.concatenate([_cosines()[turns], _sines()[turns]], axis=1)
            yield _by_class(waves * weights[:, None], block.target, kernel.classes)
        case Moments(mapping):
            u, _, _ = block.mapped(mapping, norm)
            yield _squares(_products(u, weights))
        case Gradient(mapping, theta, clip):
            u, size, _ = block.mapped(mapping, norm)
            turn = _sigmoids()[_link_place(_slopes(u, theta, mapping))] - RESIDUE * block.target
            most = _most_times(size, _clip_steps(mapping, clip), norm)
            yield _whole(u.T @ (np.clip(turn, -most, most) * weights))
        case Curvature(mapping, theta):
            u, _, _ = block.mapped(mapping, norm)
            bent = _curves()[_link_place(_slopes(u, theta, mapping))]
            yield _squares((u * (bent * weights)[:, None]).T @ u)
        case Regression(mapping, theta, scale, most):
            u, _, kept = block.mapped(mapping, norm)
            slopes = _check_range(np.rint(np.asarray(theta) * (1 << _SLOPE)), GRID)
            left = block.target / TARGET - block.features(mapping.encoding) @ slopes / float(
                GRID << _SLOPE
            )
            e = np.trunc(np.clip(left * kept / scale, -most, most) / most * ERROR)
            yield _squares(_products(u, weights))
            yield _whole(u.T @ (e * weights))
            yield _whole(np.array([(e * e * weights).sum()]))
        case Assigned(mapping, centres):
            u, _, _ = block.mapped(mapping, norm)
            steps = np.rint(np.asarray(centres) / mapping.radius * FINE).clip(-_WIDE, _WIDE)
            nearest = ((steps * steps).sum(1)[None] - 2 * (u @ steps.T)).argmin(1)
            yield _whole(np.bincount(nearest, weights, len(steps)))
            yield _by_class(u * weights[:, None], nearest, len(steps))
        case ClassMoments(mapping, classes):
            u, _, _ = block.mapped(mapping, norm)
            yield _whole(np.bincount(block.target, weights, classes))
            yield _by_class(u * weights[:, None], block.target, classes)
            alone = np.clip(
                np.trunc(u * mapping.radius), -FINE, FINE
            )  # each coordinate in steps of its own
            squares = np.trunc(2 * alone * alone / FINE) - FINE
            held, _, _ = _hold(squares, _square_bound(mapping.width, norm), norm)
            yield _by_class(held * weights[:, None], block.target, classes)
        case Backpropagated():
            yield _backpropagate(kernel, block, norm)
        case Correct(points, prior):
            total = np.tile(_whole_points(prior), (len(weights), 1))
            for column, table in enumerate(points):
                total += _whole_points(table)[block.places(column)]
            yield _whole(np.array([(weights * (total.argmax(1) == block.target)).sum()]))
        case _:
            assert_never(kernel)


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
            return (_DIAGONAL * FINE * FINE,)
        case Curvature():
            return (_DIAGONAL * FINE * FINE * CURVE // 4,)
        case Gradient(mapping, _, clip):
            return (_clip_steps(mapping, clip),)
        case Regression():
            return _DIAGONAL * FINE * FINE, FINE * ERROR, ERROR * ERROR
        case Assigned():
            return 1, FINE
        case ClassMoments(mapping):
            return 1, FINE, _square_bound(mapping.width, norm)
        case Waves():
            waves = kernel.phases.shape[1]
            if norm is Norm.L1:  # |cos| + |sin| is at most the root of 2
                return (ceil(waves * AMPLITUDE * 1.4142135623730952),)
            return (isqrt(waves * AMPLITUDE * AMPLITUDE - 1) + 1,)
        case Backpropagated():
            return (_network_clip(kernel),)
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
    found[above] = numbers[width:] / _OTHER
    found += found.T
    found[np.diag_indices(width)] = numbers[:width] / _DIAGONAL
    return found / unit, deviation / _DIAGONAL / unit


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


def sigmoid(z: Array) -> Array:
    """1 / (1 + e**-z), for public numbers."""
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -40, 40))), np.float64)


def map_features(mapping: FeatureMap, x: Array, norm: Norm) -> tuple[Array, Array, Array]:
    """u in steps of radius / FINE, its size (the square of the norm; in L1 the norm), and how much of it was kept."""
    if mapping.matrix is None:
        raw = np.trunc(x * (FINE / (mapping.radius * GRID)))
    else:
        scaled = np.asarray(mapping.matrix) * (FINE / (mapping.radius * GRID))
        public = _check_range(np.rint(scaled * (1 << _MAP)), GRID)
        raw = np.trunc(x @ public.T / (1 << _MAP))
    return _hold(raw, FINE, norm)


def _hold(vectors: Array, bound: int, norm: Norm) -> tuple[Array, Array, Array]:
    """Whole vectors held at a norm, each by itself; their sizes, and which part of each was kept.

    Claim:      no vector that is returned has a norm above `bound`.
    Because:    the norm is computed again in whole numbers after scaling down; what rounding left
                above the bound is scaled once more, and if that is not enough, becomes zero.
    Checked by: tests/laws/test_vectors.py::test_no_vector_is_longer_than_its_bound
    """
    # squares stay below 2**40: sums of them are exact
    held = np.clip(vectors, -_WIDE, _WIDE)
    most = float(bound) if norm is Norm.L1 else float(bound) * bound
    size = _size(held, norm)
    if np.isnan(size).any():
        held = np.nan_to_num(held, nan=0.0)
        size = _size(held, norm)
    kept = np.ones(len(held))
    over = size > most
    if over.any():
        length = size[over] if norm is Norm.L1 else np.sqrt(size[over])
        kept[over] = bound / length
        shrunk = np.trunc(held[over] * kept[over][:, None])
        shrunk = np.where((_size(shrunk, norm) > most)[:, None], np.trunc(shrunk * 0.999), shrunk)
        shrunk = np.where((_size(shrunk, norm) > most)[:, None], 0.0, shrunk)
        held[over] = shrunk
        size[over] = _size(shrunk, norm)
    return held, size, kept


def _size(vectors: Array, norm: Norm) -> Array:
    if norm is Norm.L1:
        return np.asarray(np.abs(vectors).sum(1), np.float64)
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors), np.float64)


def _most_times(size: Array, bound: int, norm: Norm) -> Array:
    """The largest whole number by which a vector of that size may be multiplied to stay within a bound."""
    if norm is Norm.L1:
        return np.floor(bound / np.maximum(size, 1.0))
    most = np.floor(bound / np.sqrt(np.maximum(size, 1.0)))
    most = np.minimum(most, float(RESIDUE))
    above = most * most * size > float(bound) * bound
    return np.where(above, np.maximum(most - 1, 0.0), most)


def _clip_steps(mapping: FeatureMap, clip: float) -> int:
    """The bound of a gradient in whole steps; never more than u and the residual allow."""
    return max(1, min(FINE * RESIDUE, int(clip / mapping.radius * FINE * RESIDUE)))


def _square_bound(width: int, norm: Norm) -> int:
    """The norm at which 2 u**2 - 1 of every coordinate is held."""
    return FINE * width if norm is Norm.L1 else isqrt(FINE * FINE * width)


def _slopes(u: Array, theta: Array, mapping: FeatureMap) -> Array:
    steps = np.asarray(theta) * (mapping.radius / FINE) * (1 << _SLOPE)
    return np.asarray(u @ _check_range(np.rint(steps), FINE) / (1 << _SLOPE), np.float64)


def _check_range(public: Array, largest: int) -> Array:
    """Public whole numbers, refused where their products with rows could exceed what doubles add exactly."""
    if not np.isfinite(public).all() or float(np.abs(public).sum(-1).max()) * largest >= _EXACT:
        raise InvalidInput(
            "a public matrix", "its entries", "they are too large to be added exactly"
        )
    return public


def _whole_points(points: Array) -> Array:
    """Points in whole steps, so small that doubles add those of all columns exactly."""
    held = np.clip(np.nan_to_num(np.asarray(points, np.float64), nan=0.0), -_WIDE, _WIDE)
    return np.rint(held * GRID)


def _products(u: Array, weights: Array) -> Array:
    """The sum of u u' times its weight; half the work where all weigh the same, for then it is one matrix by itself."""
    if len(weights) and (weights == weights[0]).all():
        return np.asarray((u.T @ u) * weights[0], np.float64)
    return np.asarray((u * weights[:, None]).T @ u, np.float64)


def _squares(product: Array) -> Integers:
    """The diagonal times 29, then what is above it times 41."""
    whole = _whole(product)
    above = np.triu_indices(len(whole), 1)
    return np.concatenate([np.diag(whole) * _DIAGONAL, whole[above] * _OTHER])


def _by_class(vectors: Array, classes: NDArray[np.int64], count: int) -> Integers:
    """The sums of the vectors of each class, one after the other."""
    member = (classes[:, None] == np.arange(count)[None]).astype(np.float64)
    return _whole(member.T @ vectors).reshape(-1)


def _whole(sums: NDArray[Any]) -> Integers:
    return np.asarray(sums, np.float64).astype(np.int64)


def _link_place(z: Array) -> NDArray[np.int64]:
    place = np.floor(z * (_LINKS / 32)) + _LINKS // 2
    return np.asarray(np.clip(place, 0, _LINKS - 1), np.int64)


@cache
def _sigmoids() -> Array:
    middles = (np.arange(_LINKS) - _LINKS // 2 + 0.5) * 32 / _LINKS
    return np.asarray(np.rint(RESIDUE * sigmoid(middles)), np.float64)


@cache
def _curves() -> Array:
    share = _sigmoids() / RESIDUE
    return np.asarray(np.minimum(np.rint(CURVE * share * (1 - share)), CURVE // 4), np.float64)


@cache
def _cosines() -> Array:
    return np.asarray(np.trunc(AMPLITUDE * np.cos(_TURNS)), np.float64)


@cache
def _sines() -> Array:
    return np.asarray(np.trunc(AMPLITUDE * np.sin(_TURNS)), np.float64)


@cache
def _tangents() -> Array:
    return np.asarray(
        np.rint((SIGNAL - 1) * np.tanh((np.arange(1 << 13) - (1 << 12) + 0.5) / (1 << 9))),
        np.float64,
    )


@cache
def _exponentials() -> Array:
    return np.asarray(np.rint(np.exp(-np.arange(1 << 13) / (1 << 9)) * (1 << 20)), np.float64)


def _network_clip(kernel: Backpropagated) -> int:
    return max(1, min(1 << largest_bits(kernel), int(kernel.clip * SIGNAL * DELTA)))


def _backpropagate(kernel: Backpropagated, block: Rows, norm: Norm) -> Integers:
    """The gradients of all weights, added over rows; each row's held at the clip.

    The gradient of a layer is the product of what comes into it and of the error that comes back, so
    the square of its norm is the product of theirs: no row's own gradient is ever written out.
    """
    u, _, _ = block.mapped(kernel.mapping, Norm.L2)
    signals = [np.trunc(u * (kernel.mapping.radius * SIGNAL / FINE))]
    layers = [
        _check_range(np.rint(np.asarray(each).clip(-8, 8) * WEIGHT).T, 1 << 14).T
        for each in kernel.weights
    ]
    out = np.zeros((0, 0))
    for place, layer in enumerate(layers):
        out = (signals[-1] @ layer[:-1] + layer[-1] * SIGNAL) / (WEIGHT * SIGNAL)
        if place < len(layers) - 1:
            steps = np.floor(out * (1 << 9)) + (1 << 12)
            signals.append(_tangents()[np.clip(steps, 0, (1 << 13) - 1).astype(np.int64)])
    below = np.floor((out.max(1, keepdims=True) - out) * (1 << 9))
    odds = _exponentials()[np.minimum(below, (1 << 13) - 1).astype(np.int64)]
    classes = (block.target[:, None] == np.arange(odds.shape[1])[None]).astype(np.float64)
    back = np.trunc(odds / odds.sum(1, keepdims=True) * DELTA) - classes * DELTA
    errors: list[Array] = []
    for place in range(len(layers) - 1, -1, -1):
        errors.insert(0, back)
        if place:
            slope = (SIGNAL - 1.0) ** 2 - signals[place] ** 2
            back = np.trunc(back @ layers[place][:-1].T / WEIGHT * slope / (SIGNAL - 1.0) ** 2)
            back = np.clip(back, -(1 << 15), 1 << 15)
    bound = _network_clip(kernel)
    inputs = [_layer_size(each, norm) for each in signals]
    errors = _hold_errors(inputs, errors, float(bound), norm)
    weighted = [(each * block.weights[:, None]) for each in errors]
    parts = [
        np.concatenate([came.T @ went, SIGNAL * went.sum(0, keepdims=True)]).reshape(-1)
        for came, went in zip(signals, weighted, strict=True)
    ]
    return _whole(np.concatenate(parts))


def _layer_size(signals: Array, norm: Norm) -> Array:
    """The size of what comes into a layer, with the one that its bias is multiplied by."""
    return _size(signals, norm) + (SIGNAL if norm is Norm.L1 else SIGNAL**2)


def _hold_errors(inputs: list[Array], errors: list[Array], bound: float, norm: Norm) -> list[Array]:
    """Errors scaled down, row by row, so that the gradients of all layers together have at most that norm.

    Claim:      the norm of a row's whole gradient is at most `bound`.
    Because:    it is computed again after rounding toward zero, with a margin of 2**-40 that is larger
                than what adding a few rounded products can be off; a row beyond it becomes zero.
    Checked by: tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed
    """

    def reach(parts: list[Array]) -> Array:
        total = np.zeros(len(parts[0]))
        for came, went in zip(inputs, parts, strict=True):
            total = total + came * _size(went, norm)
        return total if norm is Norm.L1 else np.sqrt(total)

    errors = [np.nan_to_num(each, nan=0.0, posinf=0.0, neginf=0.0) for each in errors]
    length = reach(errors)
    factor = np.where(length > bound, bound / np.maximum(length, 1.0), 1.0)
    held = [np.trunc(each * factor[:, None]) for each in errors]
    for shrink in (1 - 2.0**-12, 0.0):
        above = reach(held) * (1 + 2.0**-40) > bound
        held = [np.where(above[:, None], np.trunc(each * shrink), each) for each in held]
    return held
