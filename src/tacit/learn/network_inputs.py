"""What a network reads: private principal components of the features, held at a norm."""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator import Assigned, FeatureMap, Moments
from tacit.frozen import frozen
from tacit.learn.encoders import Dense
from tacit.learn.estimator import ask

__all__ = [
    "CENTRED",
    "MOMENTS",
    "RADIUS",
    "Inputs",
    "find_centred_components",
    "find_components",
]

Array = NDArray[np.float64]

MOMENTS = Fraction(15, 100)  # of the price: the mean and the second moments at once
MEAN, CENTRED = Fraction(2, 100), Fraction(12, 100)  # the mean first; it and the moments around it
COUNT_AND_SUM = (1, 9)  # parts of what the mean costs
RADIUS, TYPICAL = 12.0, 4.0
LEAST_ROWS = 10.0


@frozen(eq=False)
class Inputs:
    """The matrix that makes components of features and of a constant behind them, and the noisy number of rows."""

    matrix: Array
    rows: float


def find_components(
    encoder: Dense, norm: float | None, components: int
) -> Generator[Any, Any, Inputs]:
    """Components of the second moments around zero, of which the mean is a part."""
    d = len(encoder.names)
    mapping = FeatureMap(encoder.encoding(), encoder.typical(pure=False, norm=norm))
    ((moments, off),) = yield from ask(Moments(mapping), MOMENTS)
    rows = max(float(moments[-1, -1]), LEAST_ROWS)
    mean = np.clip(moments[-1, :d] / rows, -1, 1)
    covariance = moments[:d, :d] / rows - np.outer(mean, mean)
    return Inputs(_matrix_of(covariance, mean, off / rows, components), rows)


def find_centred_components(
    encoder: Dense, norm: float | None, components: int
) -> Generator[Any, Any, Inputs]:
    """Components of the second moments around a mean that was released first: shorter rows need less noise.

    The norm at which centred rows are held is that of uniform numbers, or follows from a declared norm and the
    released mean: what is left of the square of the one without that of the other, but at least a sixteenth.

    Claim:      the centre, the norm and the number of rows are functions of released numbers and declarations.
    Because:    all three are made of the first request's answer, which is paid for; of rows nothing else is seen here.
    Checked by: tests/laws/test_learn.py::test_with_constant_noise_a_fitted_estimator_is_the_same_on_neighbours
    Checked by: tests/laws/test_learn.py::test_all_noise_of_a_fit_is_paid_for
    """
    encoding, d = encoder.encoding(), len(encoder.names)
    longest = encoder.bound if norm is None else encoder.typical(pure=False, norm=norm)
    ((count, _), (sums, off)) = yield from ask(
        Assigned(FeatureMap(encoding, longest), np.zeros((1, d + 1))), MEAN, COUNT_AND_SUM
    )
    rows = max(float(count[0]), LEAST_ROWS)
    mean = np.clip(sums[0, :d] / rows, -1, 1)
    usual = encoder.typical(pure=False, norm=norm) ** 2 - 1
    if norm is not None:
        moved = float((mean**2).sum()) - d * (off / rows) ** 2  # noise makes a mean longer
        usual = max(usual - max(moved, 0.0), usual / 16)
    centre = FeatureMap(encoding, float(np.sqrt(usual)), np.c_[np.eye(d), -mean])
    ((moments, off),) = yield from ask(Moments(centre), CENTRED - MEAN)
    return Inputs(_matrix_of(moments / rows, mean, off / rows, components), rows)


def _matrix_of(covariance: Array, mean: Array, off: float, components: int) -> Array:
    """The rows of a matrix are components, less long the larger they vary; those below the noise count as noise."""
    d = len(mean)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(values)[::-1][: min(components, d)]
    values = np.maximum(values[order], off * np.sqrt(2 * d) / 4)
    scale = values**-0.25
    scale = scale * TYPICAL / np.sqrt((values * scale**2).sum())
    matrix = vectors[:, order].T * scale[:, None]
    return np.asarray(np.c_[matrix, -matrix @ mean], np.float64)
