"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from tacit.stability.moved import groups_of, sensitivity_of, weights_for

__all__ = ["groups_of", "sensitivity_of", "weights_for"]
