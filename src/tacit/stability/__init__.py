"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.later import later
from tacit.stability.question_sensitivity import misranked_by, sensitivity_of, weights_for
from tacit.stability.unknown_key_weights import key_sensitivity, keys_of, weight_alone

if TYPE_CHECKING:
    from tacit.stability.scores import is_monotone, score_sensitivity
    from tacit.stability.table_sensitivity import (
        sensitivity_of_distances,
        sensitivity_of_residual,
        sensitivity_of_table,
        weights_for_tables,
    )
    from tacit.stability.vector_sensitivity import sensitivity_of_sum, weights_for_vectors


__all__ = [
    "is_monotone",
    "key_sensitivity",
    "keys_of",
    "misranked_by",
    "score_sensitivity",
    "sensitivity_of",
    "sensitivity_of_distances",
    "sensitivity_of_residual",
    "sensitivity_of_sum",
    "sensitivity_of_table",
    "weight_alone",
    "weights_for",
    "weights_for_tables",
    "weights_for_vectors",
]

_LATER = {
    "is_monotone": "scores",
    "score_sensitivity": "scores",
    "sensitivity_of_distances": "table_sensitivity",
    "sensitivity_of_residual": "table_sensitivity",
    "sensitivity_of_sum": "vector_sensitivity",
    "sensitivity_of_table": "table_sensitivity",
    "weights_for_tables": "table_sensitivity",
    "weights_for_vectors": "vector_sensitivity",
}

__getattr__ = later(__name__, _LATER)
