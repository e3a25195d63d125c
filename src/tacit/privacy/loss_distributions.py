"""The privacy-loss distribution of a loss: how likely each value of ln P(o)/Q(o) is when o comes
from P.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt
from typing import Any

from tacit.errors import InvalidInput
from tacit.privacy.bounded_losses import BoundedRangeLoss, PureLoss
from tacit.privacy.finite_loss import FiniteLoss
from tacit.privacy.laws_of_bounded_losses import (
    law_of_bounded_range,
    law_of_finite_pair,
    law_of_randomized_response,
    law_of_sampled_response,
)
from tacit.privacy.laws_of_noise import (
    law_of_discrete_gaussian,
    law_of_discrete_laplace,
    law_of_gaussian,
    law_of_laplace,
    law_of_wide_discrete_gaussian,
)
from tacit.privacy.laws_of_samples import law_on_sample
from tacit.privacy.loss import Loss
from tacit.privacy.loss_law import Direction, LossDistribution
from tacit.privacy.noise_losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
)
from tacit.privacy.subsampled import Subsampled

__all__ = [
    "has_loss_distribution",
    "loss_distribution",
]

_MOST_ATOMS = 1 << 18
_SMOOTH = 1 << 22  # a variance from which on values are not listed one by one


def has_loss_distribution(loss: Loss) -> bool:
    """Whether a loss has a law: those that are only a rho, or a list of other losses, have none.

    >>> has_loss_distribution(PureLoss(1))
    True
    """
    match loss:
        case Subsampled():
            return not isinstance(loss.loss, Subsampled) and has_loss_distribution(loss.loss)
        case FiniteLoss():
            return loss.ratio() != inf
        case PureLoss() | BoundedRangeLoss() | LaplaceLoss() | GaussianLoss():
            return True
        case DiscreteLaplaceLoss():
            return loss.distance < _MOST_ATOMS
        case DiscreteGaussianLoss():
            return loss.distance <= _MOST_ATOMS or loss.variance >= loss.distance
        case _:
            return False


def loss_distribution(loss: Loss, direction: Direction = Direction.REMOVE) -> LossDistribution:
    """The law of the privacy loss, for the pair of distributions that dominates every pair of
    neighbours.

    Claim:      delta(e) of any pair of neighbours, in this direction, is at most E[max(0, 1 -
                e**(e - L))], also in an adaptive composition with others.
    Because:    the law is that of a pair whose delta is at least that of every pair at every e,
                negative ones too; such pairs dominate, and the products of dominating pairs
                dominate compositions (Zhu, Dong, Wang 2022,
                Theorem 10).  For noise the pair is the farthest move; for bounded range and for a
                finite pair, whose direction is not known, it is the one whose delta is the largest
                of all cases at each e.
    Checked by: tests/laws/test_loss_distributions.py

    >>> law = loss_distribution(PureLoss(1))
    >>> [round(float(mass), 3) for mass in law.masses]
    [0.269, 0.731]
    """
    if not has_loss_distribution(loss):
        raise InvalidInput(
            "a loss",
            loss,
            "it has no privacy-loss distribution; ask for its total, which uses other bounds",
        )
    if isinstance(loss, Subsampled) and isinstance(loss.loss, PureLoss):
        return law_of_sampled_response(loss.loss.epsilon, loss.rate)
    if isinstance(loss, Subsampled):
        return law_on_sample(loss_distribution(loss.loss), float(loss.rate), direction)
    hashed: Any = loss
    return _law_of(hashed)


@lru_cache(maxsize=256)
def _law_of(loss: Any) -> LossDistribution:
    match loss:
        case PureLoss():
            return law_of_randomized_response(loss.epsilon)
        case FiniteLoss():
            return law_of_finite_pair(loss)
        case BoundedRangeLoss():
            return law_of_bounded_range(float(loss.epsilon))
        case LaplaceLoss():
            return law_of_laplace(float(loss.epsilon))
        case GaussianLoss():
            return law_of_gaussian(sqrt(float(loss.squared)))
        case DiscreteLaplaceLoss():
            return law_of_discrete_laplace(loss)
        case DiscreteGaussianLoss() if loss.variance > _SMOOTH:
            return law_of_wide_discrete_gaussian(loss)
        case DiscreteGaussianLoss():
            return law_of_discrete_gaussian(loss)
        case _:
            raise AssertionError(loss)
