"""What is promised: unit, neighbours, protection, sensitivity, loss."""

from tacit.privacy.bounded_losses import (
    ApproximateLoss,
    BoundedRangeLoss,
    PureLoss,
    ZeroConcentratedLoss,
)
from tacit.privacy.finite_loss import FiniteLoss
from tacit.privacy.loss import Composed, Loss, Order, is_loss
from tacit.privacy.loss_distribution import (
    Atoms,
    Curve,
    Direction,
    LossDistribution,
    has_loss_distribution,
    loss_distribution,
)
from tacit.privacy.noise_losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
)
from tacit.privacy.protection import Neighbours, Protection, fill, relation
from tacit.privacy.renyi_to_delta import concentrated_delta, concentrated_order, renyi_delta
from tacit.privacy.replaced_samples import SampledUnderReplace
from tacit.privacy.sensitivity import Norm, Sensitivity, root_at_least
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
