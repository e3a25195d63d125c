"""The noise of many tables in one release: each gets its part of one price, and all of them are
paid for together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.engines import CodedRows
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Weights
from tacit.privacy import (
    Loss,
    Neighbours,
    Norm,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
    root_at_least,
)
from tacit.stability import (
    sensitivity_of_distances,
    sensitivity_of_residual,
    sensitivity_of_table,
)
from tacit.synth import Distances, Law, Residuals, Tables

__all__ = ["Draw", "Request", "TableNoise", "contrast", "hide", "release"]

Request = Tables | Distances | Residuals

_BITS = 80


@frozen
class Draw:
    """The noise of one released array, and how far its exact numbers move between neighbours."""

    mechanism: Gaussian | Laplace
    sensitivity: Sensitivity

    @property
    def scale(self) -> Fraction:
        """The scale of the noise: sigma of Gaussian noise, b of Laplace noise."""
        if isinstance(self.mechanism, Gaussian):
            return self.mechanism.sigma
        return self.mechanism.scale

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, in steps of the integers."""
        if isinstance(self.mechanism, Gaussian):
            return float(self.mechanism.sigma)
        return float(self.mechanism.scale) * 2**0.5


@frozen
class TableNoise:
    """What hides tables at a price: `amount` of rho if it is concentrated, else of epsilon."""

    weights: Weights
    neighbours: Neighbours
    amount: Fraction
    concentrated: bool

    @property
    def loss(self) -> Loss:
        """What is paid for everything that is released at this price.

        Claim:      all requests whose shares sum to at most one cost no more than this together.
        Because:    each array's noise is fitted to its part of its request's share and widened;
                    losses add, also where a request follows from what was released before.
        Checked by: tests/laws/test_tables.py::test_everything_that_is_drawn_is_paid_for
        """
        if self.concentrated:
            return ZeroConcentratedLoss(self.amount, 0, self.neighbours)
        return PureLoss(self.amount, self.neighbours)

    @property
    def worth(self) -> Fraction:
        """How many rows one step of the integers is."""
        return Fraction(1, 1 << self.weights.bits)

    @property
    def law(self) -> Law:
        """How wide noise is if the whole price buys one table, or one distance, in rows."""
        many, one = self._table(2, self.amount), self._distances(1, self.amount)
        worth = float(self.worth)
        return Law(not self.concentrated, many.deviation * worth, one.deviation * worth)

    def draws(self, request: Request, shapes: Sequence[tuple[int, ...]]) -> tuple[Draw, ...]:
        """The noise of every array of a request; `shapes` are those of its tables."""
        price = self.amount * request.share
        if isinstance(request, Distances):
            return (self._distances(len(shapes), price),)
        whole = sum(request.parts)
        shares = [price * Fraction(part, whole) for part in request.parts]
        if isinstance(request, Tables):
            return tuple(
                self._table(int(np.prod(shape, dtype=np.int64)), share)
                for shape, share in zip(shapes, shares, strict=True)
            )
        return tuple(
            self._residual(shape, share) for shape, share in zip(shapes, shares, strict=True)
        )

    def _table(self, cells: int, price: Fraction) -> Draw:
        return self._fit(
            sensitivity_of_table(cells, self.weights, self.neighbours, self._norm), price
        )

    def _distances(self, tables: int, price: Fraction) -> Draw:
        moved = sensitivity_of_distances(tables, self.weights, self.neighbours, self._norm)
        return self._fit(moved, price)

    def _residual(self, shape: tuple[int, ...], price: Fraction) -> Draw:
        return self._fit(
            sensitivity_of_residual(shape, self.weights, self.neighbours, self._norm), price
        )

    def _fit(self, moved: Sensitivity, price: Fraction) -> Draw:
        """The least noise that hides a move for a price, and a little more."""
        if self.concentrated:
            return Draw(Gaussian(_widen(root_at_least(moved.bound**2 / (2 * price)))), moved)
        return Draw(Laplace(_widen(moved.bound / price)), moved)

    @property
    def _norm(self) -> Norm:
        return Norm.L2 if self.concentrated else Norm.L1


def release(
    request: Request,
    rows: CodedRows,
    groups: Sequence[NDArray[np.int64]],
    noise: TableNoise,
) -> tuple[tuple[NDArray[np.int64], ...], tuple[Draw, ...]]:
    """The noisy integers of a request, array by array, and the noise of each.

    Claim:      every integer is an exact one plus fresh noise of its array's mechanism, modulo
                2**64.
    Because:    each array is released once; exact numbers exist here and nowhere else.
    Checked by: tests/laws/test_tables.py::test_everything_but_noise_is_the_same_on_neighbours
    """
    shapes = [tuple(int(groups[axis].max()) + 1 for axis in columns) for columns in request.columns]
    draws = noise.draws(request, shapes)
    tables = (
        rows.count(columns, [groups[axis] for axis in columns]) for columns in request.columns
    )
    exact = _measure(request, tables, noise)
    return tuple(hide(draw, numbers) for draw, numbers in zip(draws, exact, strict=True)), draws


def contrast(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The residual of a table of whole numbers: along every axis, n times each number less the sum
    of all n.

    >>> contrast(np.array([[1, 2], [3, 5]])).tolist()
    [[1, -1], [-1, 1]]
    """
    for axis in range(counts.ndim):
        counts = counts * np.int64(counts.shape[axis]) - counts.sum(axis=axis, keepdims=True)
    return counts


def _measure(
    request: Request, tables: Iterable[NDArray[np.int64]], noise: TableNoise
) -> Iterator[NDArray[np.int64]]:
    """The exact numbers of a request, array by array."""
    match request:
        case Tables():
            yield from tables
        case Residuals():
            yield from (contrast(table) for table in tables)
        case Distances():
            bits = noise.weights.bits
            pairs = zip(tables, request.public, strict=True)
            yield np.array(
                [int(np.abs(table - (public << bits)).sum()) for table, public in pairs], np.int64
            )


def hide(draw: Draw, exact: NDArray[np.int64]) -> NDArray[np.int64]:
    """Exact numbers with noise, modulo 2**64: what wraps around before the noise is set right by
    wrapping after it."""
    noisy = draw.mechanism.release(exact.reshape(-1))
    if noisy.dtype != np.int64:
        noisy = np.array(
            [(int(each) + (1 << 63)) % (1 << 64) - (1 << 63) for each in noisy], np.int64
        )
    return np.asarray(noisy, np.int64).reshape(exact.shape)


def _widen(scale: Fraction) -> Fraction:
    """The scale made a little wider: up to a number of few bits."""
    unit = Fraction(2) ** (scale.numerator.bit_length() - scale.denominator.bit_length() - _BITS)
    return (scale // unit + 2) * unit
