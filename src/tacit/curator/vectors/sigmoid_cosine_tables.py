"""Functions of one number as tables of whole numbers: the same on whatever machine.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tacit.curator.vectors.summable_vectors import AMPLITUDE, CURVE, PHASES, RESIDUE, SIGNAL, Array

__all__ = [
    "cosine_table",
    "curvature_table",
    "exponential_table",
    "link_place",
    "sigmoid",
    "sigmoid_table",
    "sine_table",
    "tangent_table",
]
_LINKS = 1 << 14  # entries of the logistic function's table, between -16 and 16
_TURNS = 2 * np.pi * np.arange(PHASES) / PHASES


def sigmoid(z: Array) -> Array:
    """1 / (1 + e**-z), for public numbers."""
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -40, 40))), np.float64)


def link_place(z: Array) -> NDArray[np.int64]:
    """The place of a number in the tables of the logistic function."""
    place = np.floor(z * (_LINKS / 32)) + _LINKS // 2
    return np.asarray(np.clip(place, 0, _LINKS - 1), np.int64)


@cache
def sigmoid_table() -> Array:
    """The logistic function, in steps of 1 / RESIDUE."""
    middles = (np.arange(_LINKS) - _LINKS // 2 + 0.5) * 32 / _LINKS
    return np.asarray(np.rint(RESIDUE * sigmoid(middles)), np.float64)


@cache
def curvature_table() -> Array:
    """The derivative of the logistic function, in steps of 1 / CURVE."""
    share = sigmoid_table() / RESIDUE
    return np.asarray(np.minimum(np.rint(CURVE * share * (1 - share)), CURVE // 4), np.float64)


@cache
def cosine_table() -> Array:
    """Cosines of all parts of a turn, in steps of 1 / AMPLITUDE."""
    return np.asarray(np.trunc(AMPLITUDE * np.cos(_TURNS)), np.float64)


@cache
def sine_table() -> Array:
    """Sines of all parts of a turn, in steps of 1 / AMPLITUDE."""
    return np.asarray(np.trunc(AMPLITUDE * np.sin(_TURNS)), np.float64)


@cache
def tangent_table() -> Array:
    """Hyperbolic tangents between -8 and 8, in steps of 1 / SIGNAL."""
    return np.asarray(
        np.rint((SIGNAL - 1) * np.tanh((np.arange(1 << 13) - (1 << 12) + 0.5) / (1 << 9))),
        np.float64,
    )


@cache
def exponential_table() -> Array:
    """e**-z for z between 0 and 16, in steps of 2**-20."""
    return np.asarray(np.rint(np.exp(-np.arange(1 << 13) / (1 << 9)) * (1 << 20)), np.float64)
