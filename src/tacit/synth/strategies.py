"""Strategies for linear questions: which tables are measured, in which shares, and how answers
follow from them.

A strategy is a set of tables over the same cells, each at its own coarseness: of an ordered column,
the levels of a binary tree; of another one, its values and their sum.  The shares are those of the
least total variance of the questions' answers (A-optimal design, by multiplicative steps).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import product
from threading import Lock

import numpy as np

from tacit.frozen import frozen
from tacit.synth.domain import Array, Attribute

__all__ = ["Strategy", "plan_strategy"]

_STEPS = 40
_LEAST, _KEPT = 1e-5, 1e-4
# The shares that were found last, by what was asked: a workload is explained, then asked.
_FOUND: dict[tuple[tuple[Attribute, ...], bytes, bool], Array] = {}
_REMEMBERED = 64
_LOCK = Lock()


@frozen(eq=False)
class Strategy:
    """Tables over the cells of some columns, and their shares of a price.

    `groups` give, for each table and each column, the group of every value; `inverse` is the
    covariance of the estimated cells if all noise has variance one at the whole price.
    """

    groups: tuple[tuple[Array, ...], ...]
    shares: Array
    inverse: Array
    pure: bool

    def variances(self, questions: Array) -> Array:
        """The variance of each question's answer, for noise of variance one at the whole price."""
        return np.asarray(np.einsum("qi,ij,qj->q", questions, self.inverse, questions))

    def coefficients(self, questions: Array) -> list[Array]:
        """For each table, how much every question's answer has of each of its cells."""
        spread = questions @ self.inverse
        found = []
        for groups, share in zip(self.groups, self.shares, strict=True):
            place = _cells(groups)
            table = np.zeros((int(place.max()) + 1, len(questions)))
            np.add.at(table, place, spread.T)
            found.append(_precision(float(share), self.pure) * table.T)
        return found

    def estimate(self, tables: Sequence[Array]) -> Array:
        """The cells that fit noisy tables best, by weighted least squares."""
        sums = np.zeros(len(self.inverse))
        for groups, share, table in zip(self.groups, self.shares, tables, strict=True):
            sums += _precision(float(share), self.pure) * table.reshape(-1)[_cells(groups)]
        return np.asarray(self.inverse @ sums)


def plan_strategy(attributes: Sequence[Attribute], gram: Array, *, pure: bool) -> Strategy:
    """The strategy for questions whose Gram matrix over all cells is given.

    >>> prefixes = np.tril(np.ones((8, 8)))
    >>> tree = plan_strategy([Attribute(8, ordered=True)], prefixes.T @ prefixes, pure=False)
    >>> bool(tree.variances(prefixes).mean() < 4.0)
    True
    """
    groups = tuple(product(*(_levels(attribute) for attribute in attributes)))
    cells = [_cells(each) for each in groups]
    blocks = [(each[:, None] == each[None, :]).astype(float) for each in cells]
    asked = tuple(attributes), sha256(gram.tobytes()).digest(), pure
    with _LOCK:
        shares = _FOUND.get(asked)
    if shares is None:
        shares = _find_shares(blocks, gram, pure=pure)
        with _LOCK:
            while len(_FOUND) >= _REMEMBERED:
                del _FOUND[next(iter(_FOUND))]
            _FOUND[asked] = shares
    kept = [place for place, share in enumerate(shares) if share > _KEPT or not place]
    shares = shares[kept] / shares[kept].sum()
    inverse = _invert(shares, [blocks[place] for place in kept], pure=pure)
    return Strategy(tuple(groups[place] for place in kept), shares, inverse, pure)


def _find_shares(blocks: Sequence[Array], gram: Array, *, pure: bool) -> Array:
    """The shares of tables of the least total variance that is found."""
    even = np.full(len(blocks), 1 / len(blocks))
    finest = np.full(len(blocks), _LEAST)
    finest[0] = 1 - _LEAST * (len(blocks) - 1)
    _, shares = min(
        (_improve(start, blocks, gram, pure=pure) for start in (even, finest)),
        key=lambda found: found[0],
    )
    return shares


def _improve(
    shares: Array, blocks: Sequence[Array], gram: Array, *, pure: bool
) -> tuple[float, Array]:
    """The least total variance that steps from some shares come to, and the shares there."""
    best, found = np.inf, shares
    for _ in range(_STEPS):
        inverse = _invert(shares, blocks, pure=pure)
        spread = inverse @ gram
        total = float(np.trace(spread))
        if total >= best * (1 - 1e-5):
            break
        best, found = total, shares
        spread = spread @ inverse
        gains = np.array([max(float((spread * block).sum()), 0.0) for block in blocks])
        shares = shares * ((shares * gains) ** (1 / 3) if pure else np.sqrt(gains))
        shares = np.maximum(shares / shares.sum(), _LEAST)
        shares = shares / shares.sum()
    return best, found


def _invert(shares: Array, blocks: Sequence[Array], *, pure: bool) -> Array:
    """The covariance of the cells that weighted least squares finds."""
    matrix = np.zeros_like(blocks[0])
    for share, block in zip(shares, blocks, strict=True):
        matrix += _precision(float(share), pure) * block
    return np.asarray(np.linalg.inv(matrix))


def _precision(share: float, pure: bool) -> float:
    """How much precision a share of the price buys."""
    return share**2 if pure else share


def _levels(attribute: Attribute) -> list[Array]:
    """The groups of a column's values, finest first, one group last."""
    values = np.arange(attribute.size)
    whole = np.zeros(attribute.size, np.int64)
    if not attribute.ordered:
        return [values, whole]
    depth = max(1, (attribute.size - 1).bit_length())
    return [*(values >> level for level in range(depth)), whole]


def _cells(groups: Sequence[Array]) -> Array:
    """The cell of a table in which each combination of values lies, the last column fastest."""
    place = np.zeros(1, np.int64)
    for each in groups:
        place = (place[:, None] * (int(each.max()) + 1) + each[None, :]).reshape(-1)
    return place
