"""What a convolution of tilted laws can be wrong by: one bound for each thing that it does.

Checked by: tests/unit/accounting/test_tilted_convolution.py
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, inf, log, log1p, log2, sinh, sqrt

import numpy as np

from tacit.accounting.connect_the_dots import Dots
from tacit.accounting.tilted_law import SUMMED, Part, reach_of, tilt_law
from tacit.exact import ROUNDING

__all__ = [
    "TRANSFORM",
    "bound_aliasing",
    "bound_masses",
    "bound_spread",
    "bound_tail",
    "bound_transform",
]

TRANSFORM = (
    8 * ROUNDING
)  # of a transform, per doubling of its length, relative to the length of its result


def bound_masses(parts: Sequence[Part]) -> float:
    """What wrong masses of single laws can change, in units of the Chernoff bound.

    Claim:      replacing exact masses by those on the grid changes delta by at most this.
    Because:    one law after another is replaced; wrong mass m at a loss l, next to the rest of
                the sum, changes the mean of max(0, 1 - e**(e - S)) by at most m e**(tilt l) times
                the rest's moment e**(-tilt e); and mass that lies one step too high changes it by
                at most a step's worth of that at the higher point.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    wrong = sum(part.wrong * part.times for part in parts)
    return wrong * exp(min(wrong, 50.0))


def bound_transform(parts: Sequence[Part], length: int, tilt: float, step: float) -> float:
    """What rounding inside the Fourier transforms can change, in units of the Chernoff bound.

    Claim:      the computed convolution, weighted, differs from the exact one by at most this.
    Because:    a transform errs, in the Euclidean norm, by at most c u log2(length) of its
                result (Higham 2002,
                Theorem 24.2); a k-th power grows an error k times, as no value exceeds one; each
                complex product adds at most sqrt(5) u.  The sum of error times weight is at most
                the product of their norms.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    each = TRANSFORM * log2(length)
    norms = [sqrt(float(np.dot(part.tilted, part.tilted))) for part in parts]
    grown = sum(part.times * each * norm for part, norm in zip(parts, norms, strict=True))
    products = 3 * ROUNDING * sum(part.times + 64 for part in parts)
    growth = exp(min(grown * sqrt(length), 50.0))
    weights = sqrt(min(length, 1 / -expm1(-2 * tilt * step)))
    return (grown + (products + 2 * each) * min(norms)) * growth * weights


def bound_tail(
    parts: Sequence[Part], mean: float, deviation: float, edge: float, side: int
) -> float:
    """The tilted probability that the sum is at least `edge`, for side 1, or at most that, for
    side -1.

    Claim:      under the tilted law the sum reaches the edge with at most this probability.
    Because:    P(S >= s) <= E[e**(c S)] e**(-c s) for every c > 0, and the like below the mean
                (Chernoff); tried are some c from the best one of a normal law on down.  The errors
                of masses are added to them before.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    lowest, highest = reach_of(parts)
    if (edge > highest) if side > 0 else (edge < lowest):
        return 0.0
    best = 1.0
    if side * (edge - mean) <= 0:
        return best
    for factor in (1.0, 0.8, 0.6, 0.3, 0.1, 0.03, 0.01, 0.003):
        move = factor * (edge - mean) / deviation**2
        logs = sum(part.times * _log_moment(part, move) for part in parts)
        best = min(best, exp(min(logs - move * edge, 0.0)))
    return best


def bound_aliasing(
    parts: Sequence[Part], mean: float, deviation: float, ends: tuple[float, float]
) -> float:
    """The tilted probability that the sum lies outside the window, and so wraps around into it.

    Claim:      what wraps around adds at most this, in units of the Chernoff bound.
    Because:    it is added with a weight e**(-tilt (s - e)) (1 - e**(e - s)), which is at most one.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    return sum(
        bound_tail(parts, mean, deviation, edge, side)
        for edge, side in zip(ends, (-1, 1), strict=True)
    )


def _log_moment(part: Part, move: float) -> float:
    """ln of the tilted mean of e**(move index), the errors of masses included."""
    powers = move * (np.arange(len(part.tilted)) - part.centre)
    if float(powers.max()) > 600:
        return inf
    moment = float(((part.tilted * (1 + part.rounding) + part.slack) * np.exp(powers)).sum())
    return log(moment * (1 + SUMMED))


def bound_spread(spread: float, tilt: float, reach: float) -> float:
    """What errors of sharing that are larger than `reach` can change, in units of the Chernoff
    bound.

    Claim:      with v = `spread`, the sum of step**2 / 4 over all shared losses, the two terms
                below.
    Because:    given the loss, a shared one moves by X in an interval of one step with E[e**-X] =
                1, so ln E[e**(c X)] is at most c (c + 1) step**2 / 8 for c >= 0 and for c <= -1;
                Chernoff's bound at the best c.
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    steep = max(reach / spread - 0.5, 0.0)
    over = max(steep - tilt, 0.0)
    upwards = spread * (tilt + over) * (tilt + over + 1) / 2 - over * reach
    downwards = spread * steep * (steep + 1) / 2 + (tilt - steep) * reach
    return exp(min(upwards, 50.0)) + exp(min(downwards, 50.0)) / (2 * sinh(reach))


def bound_chernoff(
    counted: Sequence[tuple[Dots, int]], step: float, tilt: float, epsilon: float
) -> float:
    """A delta that holds at epsilon, without any convolution.

    Claim:      delta is at most E[e**(tilt (S - epsilon))] times the largest e**(-tilt u) (1 -
                e**-u).
    Because:    max(0, 1 - e**-u) is at most e**(tilt u) times that largest value, which is
                (t/(t+1))**t / (t+1).
    Checked by: tests/unit/accounting/test_tilted_convolution.py
    """
    parts = [tilt_law(dots, times, tilt * step) for dots, times in counted]
    places = sum(
        part.times * (part.dots.origin + step * part.centre + part.dots.place) for part in parts
    )
    logs = sum(part.times * (part.log_weight + part.wrong + 2.0**-48) for part in parts)
    weight = exp(-tilt * log1p(1 / tilt)) / (tilt + 1)
    beyond = sum(part.times * part.dots.beyond for part in parts)
    return min(
        1.0, (exp(min(logs + tilt * (places - epsilon), 700.0)) * weight + beyond) * (1 + SUMMED)
    )
