"""What is promised: unit, neighbours, protection, sensitivity, loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later
from tacit.privacy.bounded_losses import (
    ApproximateLoss,
    BoundedRangeLoss,
    PureLoss,
    ZeroConcentratedLoss,
)
from tacit.privacy.loss import Composed, Loss, Order, is_loss
from tacit.privacy.noise_losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
)
from tacit.privacy.protection import Neighbours, Protection, fill, relation
from tacit.privacy.renyi_to_delta import concentrated_delta, concentrated_order, renyi_delta
from tacit.privacy.sensitivity import Norm, Sensitivity, root_at_least

if TYPE_CHECKING:
    from tacit.privacy.finite_loss import FiniteLoss
    from tacit.privacy.loss_distributions import has_loss_distribution, loss_distribution
    from tacit.privacy.loss_law import Atoms, Curve, Direction, LossDistribution
    from tacit.privacy.replaced_samples import SampledUnderReplace
    from tacit.privacy.shuffle import Shuffled, shuffled_epsilon
    from tacit.privacy.subsampled import Subsampled


__all__ = [
    "ApproximateLoss",
    "Atoms",
    "BoundedRangeLoss",
    "Composed",
    "Curve",
    "Direction",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "FiniteLoss",
    "GaussianLoss",
    "LaplaceLoss",
    "Loss",
    "LossDistribution",
    "Neighbours",
    "Norm",
    "Order",
    "Protection",
    "PureLoss",
    "SampledUnderReplace",
    "Sensitivity",
    "Shuffled",
    "Subsampled",
    "ZeroConcentratedLoss",
    "concentrated_delta",
    "concentrated_order",
    "fill",
    "has_loss_distribution",
    "is_loss",
    "loss_distribution",
    "renyi_delta",
    "relation",
    "root_at_least",
    "shuffled_epsilon",
]

_LATER = {
    "Atoms": "loss_law",
    "Curve": "loss_law",
    "Direction": "loss_law",
    "FiniteLoss": "finite_loss",
    "LossDistribution": "loss_law",
    "SampledUnderReplace": "replaced_samples",
    "Shuffled": "shuffle",
    "Subsampled": "subsampled",
    "has_loss_distribution": "loss_distributions",
    "loss_distribution": "loss_distributions",
    "shuffled_epsilon": "shuffle",
}

__getattr__ = later(__name__, _LATER)
