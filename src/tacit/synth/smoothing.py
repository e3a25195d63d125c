"""Noisy counts of one column, made smooth where their noise says that this helps."""

import numpy as np

from tacit.synth.domain import Array, Attribute
from tacit.synth.scatter import normals

__all__ = ["denoise", "pool_error", "project"]

_LEAST = 8  # values of an ordered column that is smoothed
_WIDTHS = (0, 1, 2, 4, 8)
_SPLITS = 4
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


def denoise(
    noisy: Array, sigma: float, total: float, attribute: Attribute, *stream: int
) -> tuple[Array, float, float]:
    """The shares of a column's values: as they are, or smoothed by the width that predicts its own
        noise best; and estimates of the sums of their squared and of their absolute errors, in rows.

    Both come from splitting noise: with fresh noise z, what is fitted to y + z/2 is judged on y -
    2z, whose noise is independent of it and five times as wide in variance.  No data are needed for
    that, only what was released.
    """
    values = attribute.size - attribute.null

    def fit(counts: Array, noise: float, width: int) -> Array:
        smooth = smooth_counts(counts[:values], noise, width) if width else counts[:values]
        return project(np.concatenate([smooth, counts[values:]]), total)

    smoothed = attribute.ordered and values >= _LEAST
    widths = [width for width in _WIDTHS if 4 * width < values] if smoothed else [0]
    losses = np.zeros(len(widths))
    for split in range(_SPLITS):
        z = sigma * normals(len(noisy), *stream, split)
        fitted = [fit(noisy + z / 2, sigma * 1.25**0.5, width) for width in widths]
        losses += [((each - (noisy - 2 * z)) ** 2).sum() / _SPLITS for each in fitted]
    best = int(losses.argmin())
    found = fit(noisy, sigma, widths[best])
    again = [
        fit(found + sigma * normals(len(noisy), *stream, _SPLITS + turn), sigma, widths[best])
        for turn in range(_SPLITS)
    ]
    usual = float(np.mean([((each - found) ** 2).sum() for each in again]))
    judged = float(losses[best]) - 5 * sigma**2 * len(noisy)
    square = pool_error(judged, usual, sigma, len(noisy))
    absolute = float(np.mean([np.abs(each - found).sum() for each in again]))
    return found / total, square, absolute * (square / max(usual, 1e-9)) ** 0.5


def pool_error(split: float, usual: float, sigma: float, size: int) -> float:
    """The squared error of a column: what splitting noise says, drawn toward what the same noise would do once more.

    Splitting is right in the mean and off by about 5 sigma**2 times the root of half the size; noise added once more
    to what was found, and fitted again, is hardly off, but knows nothing of what smoothing and noise have hidden.

    >>> round(pool_error(9.0, 4.0, 1.0, 4), 2)
    5.21
    """
    spread = (5 * sigma**2) ** 2 * size / 2
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
