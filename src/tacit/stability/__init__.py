"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from tacit.stability.moved import misranked_by, sensitivity_of, weights_for
from tacit.stability.scores import is_monotone, score_sensitivity
from tacit.stability.tables import (
    sensitivity_of_distances,
    sensitivity_of_residual,
    sensitivity_of_table,
    weights_for_tables,
)

__all__ = [
    "is_monotone",
    "misranked_by",
    "score_sensitivity",
    "sensitivity_of",
    "sensitivity_of_distances",
    "sensitivity_of_residual",
    "sensitivity_of_table",
    "weights_for",
    "weights_for_tables",
]
