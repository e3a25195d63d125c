"""Made-up numbers that are the same every time: for starting points, never for noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["made_up_normals", "made_up_uniforms"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def made_up_uniforms(count: int, stream: int = 0) -> NDArray[np.float64]:
    """So many numbers between 0 and 1 that look random and are public: Steele, Lea and Flood's mixing of a counter.

    >>> made_up_uniforms(2).round(3).tolist()
    [0.883, 0.432]
    """
    with np.errstate(over="ignore"):
        start = np.uint64(stream) * np.uint64(0xD1342543DE82EF95)
        z = start + (np.arange(1, count + 1, dtype=np.uint64)) * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)).astype(np.float64) * 2.0**-53, np.float64)


def made_up_normals(shape: tuple[int, ...], stream: int = 0) -> NDArray[np.float64]:
    """Numbers that look as if drawn from the standard normal law, by Box and Muller's transform.

    >>> abs(float(made_up_normals((1000,)).mean())) < 0.1
    True
    """
    count = int(np.prod(shape))
    radius = np.sqrt(-2 * np.log1p(-made_up_uniforms(count, 2 * stream)))
    turn = 2 * np.pi * made_up_uniforms(count, 2 * stream + 1)
    return np.asarray((radius * np.cos(turn)).reshape(shape), np.float64)
