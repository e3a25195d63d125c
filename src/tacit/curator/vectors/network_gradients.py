"""The gradients of a network, added over rows, each row's held at a norm.

Checked by: tests/laws/test_vectors.py
"""

from __future__ import annotations

import numpy as np

from tacit.curator.vectors.clip_vectors import size_of
from tacit.curator.vectors.exact_in_doubles import as_integers, check_range
from tacit.curator.vectors.sigmoid_cosine_tables import exponential_table, tangent_table
from tacit.curator.vectors.summable_vectors import (
    DELTA,
    FINE,
    SIGNAL,
    WEIGHT,
    Array,
    Backpropagated,
    Integers,
    Rows,
    network_bound,
)
from tacit.privacy import Norm

__all__ = ["backpropagate"]


def backpropagate(kernel: Backpropagated, block: Rows, norm: Norm) -> Integers:
    """The gradients of all weights, added over rows; each row's held at the clip.

    The gradient of a layer is the product of what comes into it and of the error that comes back, so
    the square of its norm is the product of theirs: no row's own gradient is ever written out.
    """
    u, _, _ = block.mapped(kernel.mapping, Norm.L2)
    signals = [np.trunc(u * (kernel.mapping.radius * SIGNAL / FINE))]
    layers = [
        check_range(np.rint(np.asarray(each).clip(-8, 8) * WEIGHT).T, 1 << 14).T
        for each in kernel.weights
    ]
    out = np.zeros((0, 0))
    for place, layer in enumerate(layers):
        out = (signals[-1] @ layer[:-1] + layer[-1] * SIGNAL) / (WEIGHT * SIGNAL)
        if place < len(layers) - 1:
            steps = np.floor(out * (1 << 9)) + (1 << 12)
            signals.append(tangent_table()[np.clip(steps, 0, (1 << 13) - 1).astype(np.int64)])
    below = np.floor((out.max(1, keepdims=True) - out) * (1 << 9))
    odds = exponential_table()[np.minimum(below, (1 << 13) - 1).astype(np.int64)]
    classes = (block.target[:, None] == np.arange(odds.shape[1])[None]).astype(np.float64)
    back = np.trunc(odds / odds.sum(1, keepdims=True) * DELTA) - classes * DELTA
    errors: list[Array] = []
    for place in range(len(layers) - 1, -1, -1):
        errors.insert(0, back)
        if place:
            slope = (SIGNAL - 1.0) ** 2 - signals[place] ** 2
            back = np.trunc(back @ layers[place][:-1].T / WEIGHT * slope / (SIGNAL - 1.0) ** 2)
            back = np.clip(back, -(1 << 15), 1 << 15)
    bound = network_bound(kernel)
    inputs = [_layer_size(each, norm) for each in signals]
    errors = _hold_errors(inputs, errors, float(bound), norm)
    weighted = [(each * block.weights[:, None]) for each in errors]
    parts = [
        np.concatenate([came.T @ went, SIGNAL * went.sum(0, keepdims=True)]).reshape(-1)
        for came, went in zip(signals, weighted, strict=True)
    ]
    return as_integers(np.concatenate(parts))


def _layer_size(signals: Array, norm: Norm) -> Array:
    """The size of what comes into a layer, with the one that its bias is multiplied by."""
    return size_of(signals, norm) + (SIGNAL if norm is Norm.L1 else SIGNAL**2)


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
            total = total + came * size_of(went, norm)
        return total if norm is Norm.L1 else np.sqrt(total)

    errors = [np.nan_to_num(each, nan=0.0, posinf=0.0, neginf=0.0) for each in errors]
    length = reach(errors)
    factor = np.where(length > bound, bound / np.maximum(length, 1.0), 1.0)
    held = [np.trunc(each * factor[:, None]) for each in errors]
    for shrink in (1 - 2.0**-12, 0.0):
        above = reach(held) * (1 + 2.0**-40) > bound
        held = [np.where(above[:, None], np.trunc(each * shrink), each) for each in held]
    return held
