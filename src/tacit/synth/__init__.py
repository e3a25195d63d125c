"""Many questions at once, from released numbers alone: what is learnt of a table, and rows like its own.

Nothing here can reach a row: requests are yielded, and what was released for them is sent back.
"""

from __future__ import annotations

from tacit.synth.domain import Attribute, Distances, Forbidden, Law, Noisy, Tables
from tacit.synth.estimated_errors import distance_of, estimate_errors
from tacit.synth.noise_sums import gaussian_reach, laplace_reach, single_reach
from tacit.synth.pseudo_random import uniforms
from tacit.synth.residuals import (
    NoiseOfCells,
    Residuals,
    cell_variance,
    plan_residuals,
    rebuild_marginal,
)
from tacit.synth.strategies import Strategy, plan_strategy
from tacit.synth.table_learning import learn_table
from tacit.synth.table_model import Model

__all__ = [
    "Attribute",
    "Distances",
    "Forbidden",
    "Law",
    "Model",
    "NoiseOfCells",
    "Noisy",
    "Residuals",
    "Strategy",
    "Tables",
    "cell_variance",
    "distance_of",
    "estimate_errors",
    "gaussian_reach",
    "laplace_reach",
    "learn_table",
    "plan_residuals",
    "plan_strategy",
    "rebuild_marginal",
    "single_reach",
    "uniforms",
]
