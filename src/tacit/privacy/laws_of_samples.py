"""The privacy-loss distribution of a release on a Poisson sample, from that of the release.

Checked by: tests/unit/privacy/test_loss_distributions.py
"""

from __future__ import annotations

from math import expm1, log1p

import numpy as np

from tacit.exact import ROUNDING
from tacit.privacy.laws_of_bounded_losses import law_of_nothing
from tacit.privacy.loss_law import LIBRARY, Atoms, Curve, Direction, LossDistribution, Points

__all__ = ["law_on_sample"]


# ---------------------------------------------------------------- samples


def law_on_sample(law: LossDistribution, rate: float, direction: Direction) -> LossDistribution:
    """The law on a Poisson sample, of one that is its own mirror image.

    Claim:      with the unit the outcome comes from M = (1 - rate) Q + rate P, without it from Q;
                the loss of M against Q is ln(1 + rate (e**L - 1)), and that of Q against M is its
                negative.
    Because:    the unit is drawn with probability `rate`; Balle, Barthe and Gaboardi 2018, Zhu,
                Dong and Wang 2022.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if not rate:
        return law_of_nothing()
    if rate == 1:
        return law
    if isinstance(law, Atoms):
        return _sample_atoms(law, rate, direction)
    return _sample_curve(law, rate, direction)


def _sample_atoms(law: Atoms, rate: float, direction: Direction) -> Atoms:
    without = law.masses * np.exp(-law.losses)
    losses = np.log1p(rate * np.expm1(law.losses))
    errors = law.errors + 4 * LIBRARY + 2 * ROUNDING * np.abs(law.losses)
    masses = rate * law.masses + (1 - rate) * without if direction is Direction.REMOVE else without
    if direction is Direction.ADD:
        losses, masses, errors = -losses[::-1], masses[::-1], errors[::-1]
    step = float(losses[1] - losses[0]) if len(losses) == 2 else None
    place = law.place + 8 * LIBRARY * (1 + float(np.abs(losses).max()))
    return Atoms(losses, masses, errors, step, place, law.lost)


def _sample_curve(law: Curve, rate: float, direction: Direction) -> Curve:
    floor = log1p(-rate)

    def undo_sampling(at: Points) -> Points:
        with np.errstate(divide="ignore"):
            return np.log1p(np.maximum(np.expm1(at) / rate, -1.0))

    def tails_of_removing(at: Points) -> tuple[Points, Points, Points]:
        p, q, errors = law.tails(undo_sampling(at))
        return rate * p + (1 - rate) * q, q, errors + 4 * ROUNDING

    def tails_of_adding(at: Points) -> tuple[Points, Points, Points]:
        # seen in the mirror P and Q have changed places
        q, p, errors = law.tails(-undo_sampling(-at))
        return q, (1 - rate) * q + rate * p, errors + 4 * ROUNDING

    def reach(mass: float) -> float:
        return float(np.log1p(rate * np.expm1(min(law.reach(min(mass / rate, 0.5)), 700.0))))

    def low(mass: float) -> float:
        return max(log1p(rate * expm1(-law.reach(mass))), floor)

    place = law.place + 16 * LIBRARY * (1 + abs(law.reach(1e-30)))
    if direction is Direction.REMOVE:
        return Curve(tails_of_removing, reach, low, place)
    return Curve(tails_of_adding, lambda mass: -low(mass), lambda mass: -reach(mass), place)
