"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from tacit.stability.moved import groups_of, misranked_by, sensitivity_of, weights_for

__all__ = ["groups_of", "misranked_by", "sensitivity_of", "weights_for"]
