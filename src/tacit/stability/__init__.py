"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from tacit.stability.moved import misranked_by, sensitivity_of, weights_for

__all__ = ["misranked_by", "sensitivity_of", "weights_for"]
