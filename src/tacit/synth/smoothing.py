"""Noisy counts of one column, made smooth where their noise says that this helps."""

from __future__ import annotations

import numpy as np

from tacit.frozen import frozen
from tacit.synth.domain import Array, Attribute
from tacit.synth.pseudo_random import normals

__all__ = ["Denoised", "denoise", "pool_error", "project"]

_LEAST = 8  # values of an ordered column that is smoothed
_WIDTHS = (0, 1, 2, 4, 8)
_SPLITS, _AGAIN = 3, 4
_SPIKE, _KEPT = 16.0, 6.25  # squares of how many standard deviations a value stands out


def project(noisy: Array, total: float) -> Array:
    """The nearest counts that are not negative and add up to a total.

    >>> project(np.array([3.0, -1.0, 2.0]), 4.0).tolist()
    [2.5, 0.0, 1.5]
    """
    falling = np.sort(noisy)[::-1]
    excess = np.cumsum(falling) - total
    last = np.nonzero(falling * np.arange(1, len(falling) + 1) > excess)[0][-1]
    return np.asarray(np.maximum(noisy - excess[last] / (last + 1), 0.0))


@frozen(eq=False)
class Denoised:
    """The shares of a column's values, and how far they are off, in rows.

    `square` and `absolute` are sums over all values; each row of `errors` is an error as it could have been.
    """

    shares: Array
    square: float
    absolute: float
    errors: Array


def denoise(
    noisy: Array, sigma: float, total: float, attribute: Attribute, *stream: int
) -> Denoised:
    """The shares of a column's values: as they are, or smoothed by the width that predicts its own noise best; and how
    far they are off.

    Both come from splitting noise: with fresh noise z, what is fitted to y + z/2 is judged on y - 2z, whose noise is
    independent of it.  Of the judged square, 4 z**2 is known and taken off, and -z takes its turn after z, so that what
    is left is nearly as sharp as if no z had been drawn (Oliveira, Lei and Tibshirani 2024).  No data are needed for
    that, only what was released.
    """
    values = attribute.size - attribute.null

    def fit(counts: Array, noise: float, width: int) -> Array:
        smooth = smooth_counts(counts[:values], noise, width) if width else counts[:values]
        return project(np.concatenate([smooth, counts[values:]]), total)

    smoothed = attribute.ordered and values >= _LEAST
    widths = [width for width in _WIDTHS if 4 * width < values] if smoothed else [0]
    losses = np.full(len(widths), -len(noisy) * sigma**2)
    for split in range(_SPLITS):
        drawn = sigma * normals(len(noisy), *stream, split)
        for z in (drawn, -drawn):
            fitted = [fit(noisy + z / 2, sigma * 1.25**0.5, width) for width in widths]
            squares = [((each - noisy + 2 * z) ** 2 - 4 * z**2).sum() for each in fitted]
            losses += np.array(squares) / (2 * _SPLITS)
    best = int(losses.argmin())
    found = fit(noisy, sigma, widths[best])
    again = np.array(
        [
            fit(found + sigma * normals(len(noisy), *stream, _SPLITS + turn), sigma, widths[best])
            for turn in range(_AGAIN)
        ]
    )
    usual = float(((again - found) ** 2).sum() / _AGAIN)
    square = pool_error(float(losses[best]), usual, sigma, len(noisy))
    errors = (again - found) * (square / max(usual, 1e-9)) ** 0.5
    return Denoised(found / total, square, float(np.abs(errors).sum() / _AGAIN), errors)


def pool_error(split: float, usual: float, sigma: float, size: int) -> float:
    """The squared error of a column: what splitting noise says, drawn toward what the same noise would do once more.

    Splitting is right in the mean and off by about sigma**2 times the root of twice the size; noise added once more to
    what was found, and fitted again, is hardly off, but knows nothing of what smoothing and noise have hidden.

    >>> round(pool_error(9.0, 4.0, 1.0, 4), 2)
    7.33
    """
    spread = 2 * size * sigma**4
    own = usual**2 / (usual**2 + spread)
    return max(own * split + (1 - own) * usual, 0.5 * usual)


def smooth_counts(noisy: Array, sigma: float, width: int) -> Array:
    """Local-linear smoothing in which spikes stay, and are kept out of what smooths their
    neighbours."""
    offsets = np.arange(-3 * width, 3 * width + 1.0)
    kernel = np.where(offsets == 0, 0.0, np.exp(-0.5 * (offsets / width) ** 2))
    one = np.ones(len(noisy))

    def spread(values: Array, weights: Array) -> Array:
        return np.convolve(values, weights[::-1], "full")[len(offsets) // 2 :][: len(values)]

    s0, s1, s2 = (spread(one, kernel * offsets**power) for power in range(3))
    v0, v1, v2 = (spread(one, kernel**2 * offsets**power) for power in range(3))
    determinant = np.maximum(s0 * s2 - s1 * s1, 1e-9)
    variance = (s2**2 * v0 - 2 * s1 * s2 * v1 + s1**2 * v2) / determinant**2
    spread_of_residual = (1 + variance) * sigma**2
    calm = noisy
    for _ in range(4):
        line = (s2 * spread(calm, kernel) - s1 * spread(calm, kernel * offsets)) / determinant
        residual = noisy - line
        calm = np.where(residual**2 > _SPIKE * spread_of_residual, line, noisy)
    base = line + residual * variance / (1 + variance)
    stands_out = residual**2 > _KEPT * spread_of_residual
    kept = np.where(stands_out, 1 - 2 * spread_of_residual / np.maximum(residual**2, 1e-12), 0.0)
    return np.asarray(base + (noisy - base) * kept)
