"""Vectors of whole numbers held at a norm, checked again after rounding.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

import numpy as np

from tacit.curator.vectors.summable_vectors import RESIDUE, Array
from tacit.privacy import Norm

__all__ = ["LARGEST_ENTRY", "clip_vectors", "largest_factor", "size_of"]
LARGEST_ENTRY = float(1 << 20)


def clip_vectors(vectors: Array, bound: int, norm: Norm) -> tuple[Array, Array, Array]:
    """Whole vectors held at a norm, each by itself; their sizes, and which part of each was kept.

    Claim:      no vector that is returned has a norm above `bound`.
    Because:    the norm is computed again in whole numbers after scaling down; what rounding left
                above the bound is scaled once more, and if that is not enough, becomes zero.
    Checked by: tests/laws/test_vectors.py::test_no_vector_is_longer_than_its_bound
    """
    # squares stay below 2**40: sums of them are exact
    held = np.clip(vectors, -LARGEST_ENTRY, LARGEST_ENTRY)
    most = float(bound) if norm is Norm.L1 else float(bound) * bound
    size = size_of(held, norm)
    if np.isnan(size).any():
        held = np.nan_to_num(held, nan=0.0)
        size = size_of(held, norm)
    kept = np.ones(len(held))
    over = size > most
    if over.any():
        length = size[over] if norm is Norm.L1 else np.sqrt(size[over])
        kept[over] = bound / length
        shrunk = np.trunc(held[over] * kept[over][:, None])
        shrunk = np.where((size_of(shrunk, norm) > most)[:, None], np.trunc(shrunk * 0.999), shrunk)
        shrunk = np.where((size_of(shrunk, norm) > most)[:, None], 0.0, shrunk)
        held[over] = shrunk
        size[over] = size_of(shrunk, norm)
    return held, size, kept


def size_of(vectors: Array, norm: Norm) -> Array:
    """The squares of the norms of some vectors; in L1 their norms."""
    if norm is Norm.L1:
        return np.asarray(np.abs(vectors).sum(1), np.float64)
    return np.asarray(np.einsum("ij,ij->i", vectors, vectors), np.float64)


def largest_factor(size: Array, bound: int, norm: Norm) -> Array:
    """The largest whole number by which a vector of that size may be multiplied to stay within a bound."""
    if norm is Norm.L1:
        return np.floor(bound / np.maximum(size, 1.0))
    most = np.floor(bound / np.sqrt(np.maximum(size, 1.0)))
    most = np.minimum(most, float(RESIDUE))
    above = most * most * size > float(bound) * bound
    return np.where(above, np.maximum(most - 1, 0.0), most)
