"""Whole numbers that doubles add and multiply exactly, and their refusal where they would not.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.vectors.summable_vectors import (
    Array,
    Integers,
)
from tacit.errors import InvalidInput

__all__ = ["as_integers", "check_range"]
_EXACT = float(1 << 53)


def check_range(public: Array, largest: int) -> Array:
    """Public whole numbers, refused where their products with rows could exceed what doubles add exactly."""
    if not np.isfinite(public).all() or float(np.abs(public).sum(-1).max()) * largest >= _EXACT:
        raise InvalidInput(
            "a public matrix", "its entries", "they are too large to be added exactly"
        )
    return public


def as_integers(sums: NDArray[Any]) -> Integers:
    """Sums that are whole numbers, as integers."""
    return np.asarray(sums, np.float64).astype(np.int64)
