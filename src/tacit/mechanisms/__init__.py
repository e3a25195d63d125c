"""How a bounded answer becomes a release: exact noise that states its own loss and error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later
from tacit.mechanisms.gaussian import Gaussian, analytic_gaussian_sigma, classical_gaussian_sigma
from tacit.mechanisms.grid_steps import steps_moved_squared
from tacit.mechanisms.grouped_quantiles import RankedCells
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.noise_law import GaussianLaw, LaplaceLaw, Law, Released

if TYPE_CHECKING:
    from tacit.mechanisms.above_threshold import AboveThreshold, Session
    from tacit.mechanisms.accuracy import (
        crossover,
        error_of_mean,
        error_of_response,
        gaussian_bound,
        laplace_bound,
        people_for_mean,
        people_for_response,
    )
    from tacit.mechanisms.block_median import BlockMedian
    from tacit.mechanisms.code_threshold import Code, CodeThreshold
    from tacit.mechanisms.exponential import Exponential
    from tacit.mechanisms.gradual_laplace import GradualLaplace
    from tacit.mechanisms.histogram_quantiles import HistogramQuantiles, NoisyRanges
    from tacit.mechanisms.joint_quantiles import JointQuantiles
    from tacit.mechanisms.key_threshold import passing, threshold
    from tacit.mechanisms.mechanism import Mechanism
    from tacit.mechanisms.mwem import MultiplicativeWeights
    from tacit.mechanisms.net_mechanism import Net, NetMechanism, net_rows_bound
    from tacit.mechanisms.noisy_max import NoisyMax
    from tacit.mechanisms.permute_and_flip import PermuteAndFlip
    from tacit.mechanisms.postprocess import clamp, round_to
    from tacit.mechanisms.propose_test_release import ProposeTestRelease
    from tacit.mechanisms.quantile import Quantile, people_for_quantile
    from tacit.mechanisms.quantiles import (
        ClippingBounds,
        Contributions,
        InterquartileRange,
        SeveralQuantiles,
        quantiles_for,
    )
    from tacit.mechanisms.random_trials import draw_trials, law_of_best
    from tacit.mechanisms.randomized_response import Estimate, RandomizedResponse
    from tacit.mechanisms.recursive_quantiles import RecursiveQuantiles
    from tacit.mechanisms.scores import selection_bound
    from tacit.mechanisms.selection import Selection
    from tacit.mechanisms.smooth_noise import (
        SmoothLaplace,
        SmoothNoise,
        StudentLaw,
        StudentNoise,
    )
    from tacit.mechanisms.smooth_quantile import (
        SmoothQuantile,
        changes_until_wider,
        smooth_bound_of_quantile,
    )
    from tacit.mechanisms.top_k import NoisyTopK
    from tacit.mechanisms.value_grid import Cells, PowersOfTwo


__all__ = [
    "AboveThreshold",
    "BlockMedian",
    "Cells",
    "ClippingBounds",
    "Code",
    "CodeThreshold",
    "Contributions",
    "Estimate",
    "Exponential",
    "Gaussian",
    "GaussianLaw",
    "GradualLaplace",
    "HistogramQuantiles",
    "InterquartileRange",
    "JointQuantiles",
    "Laplace",
    "LaplaceLaw",
    "Law",
    "Mechanism",
    "MultiplicativeWeights",
    "Net",
    "NetMechanism",
    "NoisyMax",
    "NoisyRanges",
    "NoisyTopK",
    "PermuteAndFlip",
    "PowersOfTwo",
    "ProposeTestRelease",
    "Quantile",
    "RandomizedResponse",
    "RankedCells",
    "RecursiveQuantiles",
    "Released",
    "Selection",
    "Session",
    "SeveralQuantiles",
    "SmoothLaplace",
    "SmoothNoise",
    "SmoothQuantile",
    "StudentLaw",
    "StudentNoise",
    "analytic_gaussian_sigma",
    "changes_until_wider",
    "clamp",
    "classical_gaussian_sigma",
    "crossover",
    "draw_trials",
    "error_of_mean",
    "error_of_response",
    "gaussian_bound",
    "laplace_bound",
    "law_of_best",
    "net_rows_bound",
    "passing",
    "people_for_mean",
    "people_for_quantile",
    "people_for_response",
    "quantiles_for",
    "round_to",
    "selection_bound",
    "smooth_bound_of_quantile",
    "steps_moved_squared",
    "threshold",
]

_LATER = {
    "AboveThreshold": "above_threshold",
    "BlockMedian": "block_median",
    "Cells": "value_grid",
    "ClippingBounds": "quantiles",
    "Code": "code_threshold",
    "CodeThreshold": "code_threshold",
    "Contributions": "quantiles",
    "Estimate": "randomized_response",
    "Exponential": "exponential",
    "GradualLaplace": "gradual_laplace",
    "HistogramQuantiles": "histogram_quantiles",
    "InterquartileRange": "quantiles",
    "JointQuantiles": "joint_quantiles",
    "Mechanism": "mechanism",
    "MultiplicativeWeights": "mwem",
    "Net": "net_mechanism",
    "NetMechanism": "net_mechanism",
    "NoisyMax": "noisy_max",
    "NoisyRanges": "histogram_quantiles",
    "NoisyTopK": "top_k",
    "PermuteAndFlip": "permute_and_flip",
    "PowersOfTwo": "value_grid",
    "ProposeTestRelease": "propose_test_release",
    "Quantile": "quantile",
    "RandomizedResponse": "randomized_response",
    "RecursiveQuantiles": "recursive_quantiles",
    "Selection": "selection",
    "Session": "above_threshold",
    "SeveralQuantiles": "quantiles",
    "SmoothLaplace": "smooth_noise",
    "SmoothNoise": "smooth_noise",
    "SmoothQuantile": "smooth_quantile",
    "StudentLaw": "smooth_noise",
    "StudentNoise": "smooth_noise",
    "changes_until_wider": "smooth_quantile",
    "clamp": "postprocess",
    "crossover": "accuracy",
    "draw_trials": "random_trials",
    "error_of_mean": "accuracy",
    "error_of_response": "accuracy",
    "gaussian_bound": "accuracy",
    "laplace_bound": "accuracy",
    "law_of_best": "random_trials",
    "net_rows_bound": "net_mechanism",
    "passing": "key_threshold",
    "people_for_mean": "accuracy",
    "people_for_quantile": "quantile",
    "people_for_response": "accuracy",
    "quantiles_for": "quantiles",
    "round_to": "postprocess",
    "selection_bound": "scores",
    "smooth_bound_of_quantile": "smooth_quantile",
    "threshold": "key_threshold",
}

__getattr__ = later(__name__, _LATER)
