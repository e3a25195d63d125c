"""Numbers that look random and are the same for everyone: what is done with a release needs no
secret.

Checked by: tests/unit/synth/test_table_model.py::test_rows_are_a_function_of_the_model
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["normals", "permutation", "uniforms"]

_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1


def uniforms(count: int, *stream: int) -> NDArray[np.float64]:
    """So many numbers between 0 and 1, both ends left out; those of two streams have nothing to do
    with each other.

    They are the words of SplitMix64 (Steele, Lea and Flood 2014), which every machine computes
    alike.

    >>> uniforms(2, 7).tolist() == uniforms(2, 7).tolist() != uniforms(2, 8).tolist()
    True
    """
    start = 0
    for part in stream:
        start = int(_mix(np.array([(start + part + 1) * _GOLDEN & _WORD], np.uint64))[0])
    places = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GOLDEN) + np.uint64(start)
    return ((_mix(places) >> np.uint64(11)).astype(np.float64) + 0.5) / (1 << 53)


def normals(count: int, *stream: int) -> NDArray[np.float64]:
    """So many numbers that are spread like a standard normal variable.

    >>> bool(abs(normals(10_000, 1).std() - 1) < 0.03)
    True
    """
    half = (count + 1) // 2
    radius, angle = (
        np.sqrt(-2 * np.log(uniforms(half, *stream, 1))),
        2 * np.pi * uniforms(half, *stream, 2),
    )
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def permutation(count: int, *stream: int) -> NDArray[np.int64]:
    """The numbers below `count`, each once, in an order that follows nothing.

    >>> sorted(permutation(5, 3).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.argsort(uniforms(count, *stream), kind="stable")


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every word stirred so that neighbours have nothing in common."""
    mixed = (words ^ (words >> np.uint64(30))) * np.uint64(_FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
    return mixed ^ (mixed >> np.uint64(31))
