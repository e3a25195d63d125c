"""The privacy-loss distributions of losses that are finite pairs, or known only by a bound.

Checked by: tests/unit/privacy/test_loss_distributions.py
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, log1p, tanh

import numpy as np

from tacit.exact import ROUNDING, ball, working
from tacit.privacy.finite_loss import FiniteLoss
from tacit.privacy.loss_law import LIBRARY, Atoms, Curve, LossDistribution, Points

__all__ = [
    "law_of_bounded_range",
    "law_of_finite_pair",
    "law_of_nothing",
    "law_of_randomized_response",
    "law_of_sampled_response",
]


# ---------------------------------------------------------------- single values


def law_of_randomized_response(epsilon: Fraction) -> Atoms:
    """Randomized response: the truth with probability 1 / (1 + e**-epsilon)."""
    told = float(epsilon)
    if not told:
        return law_of_nothing()
    lie = exp(-told) / (1 + exp(-told))
    masses = np.array([lie, 1 / (1 + exp(-told))])
    errors = np.full(2, 2 * LIBRARY + 2 * told * ROUNDING)
    return Atoms(np.array([-told, told]), masses, errors, 2 * epsilon, place=told * ROUNDING)


def law_of_sampled_response(epsilon: Fraction, rate: Fraction) -> Atoms:
    """A sample of whatever is pure, seen from both sides at once: a loss of -a, 0 or a.

    Claim:      with a = ln(1 + rate (e**epsilon - 1)) and t = rate tanh(epsilon / 2) the losses -a
                and a have the probabilities t / (e**a - 1) and t e**a / (e**a - 1).
    Because:    the delta of M against Q is a line in e**e from t at 1 to nothing at e**a, and that
                of Q against M is less; a pair that is its own mirror image follows from it.  A
                group of units, of which some come and others go, is such a loss too, and has no
                direction: so none is used.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not epsilon or not rate:
        return law_of_nothing()
    told, drawn = float(epsilon), float(rate)
    growth = drawn * expm1(min(told, 700.0))
    tell, far = log1p(growth), drawn * tanh(told / 2)
    masses = np.array([far / growth, 0.0, far * (1 + growth) / growth])
    masses[1] = max(0.0, 1 - masses.sum())
    errors = np.full(3, 16 * LIBRARY)
    errors[1] += 16 * LIBRARY / max(masses[1], 1e-300)
    return Atoms(np.array([-tell, 0.0, tell]), masses, errors, tell, place=4 * LIBRARY * tell)


def law_of_nothing() -> Atoms:
    """What costs nothing."""
    return Atoms(np.zeros(1), np.ones(1), np.zeros(1), Fraction(1))


def law_of_finite_pair(loss: FiniteLoss) -> Atoms:
    """A finite pair of which nobody says which side is which: the pair that dominates it in both
    directions.

    Claim:      its delta is the larger of those of (p, q) and (q, p), at every e.
    Because:    both are convex and piecewise linear in x = e**e, and so is the larger; the slope
                jumps at x by what its second distribution puts on the loss ln x, and the first
                puts x times that on it.
    Checked by: tests/unit/privacy/test_loss_distributions.py
    """
    forth, back = _Deltas(loss.p, loss.q), _Deltas(loss.q, loss.p)
    places = sorted({*forth.ratios, *back.ratios})
    crossings = []
    for left, right in pairwise(places):
        before, after = forth.at(left) - back.at(left), forth.at(right) - back.at(right)
        if before * after < 0:
            crossings.append(left + (right - left) * before / (before - after))
    places = sorted({*places, *crossings})
    heights = [Fraction(1), *(max(forth.at(x), back.at(x)) for x in places), Fraction(0)]
    knots = [Fraction(0), *places, places[-1] + 1]
    slopes = [
        (b - a) / (y - x) for (x, y), (a, b) in zip(pairwise(knots), pairwise(heights), strict=True)
    ]
    listed = [
        (x, x * (after - before))
        for x, (before, after) in zip(places, pairwise(slopes), strict=True)
    ]
    listed = [(x, mass) for x, mass in listed if mass]
    ratios = [x for x, _ in listed]
    with working():
        losses = np.array([float(ball(x).log()) for x in ratios])
    masses = np.array([float(mass) for _, mass in listed])
    place = float(np.abs(losses).max()) * 2 * ROUNDING
    even = len({y / x for x, y in pairwise(ratios)}) == 1
    step = (losses[-1] - losses[0]) / (len(losses) - 1) if even else None
    return Atoms(losses, masses, np.full(len(losses), 2 * ROUNDING), step, 2 * place)


class _Deltas:
    """The sum of max(0, p - x q) over the outcomes of a finite pair, for any x, exactly."""

    def __init__(self, p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> None:
        listed = sorted((a / b, a, b) for a, b in zip(p, q, strict=True) if b)
        self.ratios = [ratio for ratio, _, _ in listed]
        self.sums = [(Fraction(0), Fraction(0))]
        for _, a, b in reversed(listed):
            self.sums.append((self.sums[-1][0] + a, self.sums[-1][1] + b))
        self.sums.reverse()

    def at(self, x: Fraction) -> Fraction:
        p, q = self.sums[bisect_right(self.ratios, x)]
        return p - x * q


def law_of_bounded_range(epsilon: float) -> LossDistribution:
    """The pair whose delta is the worst of bounded range at every e, negative ones too.

    Claim:      with a = e**(-epsilon/2) and y = e**(l/2), P(L > l) = (1 - a y) / (1 - a**2)
                and Q(L > l) =
                a (1/y - a) / (1 - a**2), between -epsilon and epsilon.
    Because:    delta = (1 - a y)**2 / (1 - a**2), and in x = y**2 its slope is minus the second,
                and delta plus x times the second is the first.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not epsilon:
        return law_of_nothing()

    def tails(at: Points) -> tuple[Points, Points, Points]:
        inside = np.clip(at, -epsilon, epsilon)
        p = np.expm1((inside - epsilon) / 2) / expm1(-epsilon)
        q = np.exp(-(inside + epsilon) / 2) * p
        return p, q, np.full(len(at), 4 * LIBRARY + 4 * epsilon * ROUNDING)

    return Curve(tails, lambda _: epsilon, lambda _: -epsilon, 4 * epsilon * ROUNDING)
