"""How far an answer can move between neighbours: from the plan and the policy, never from data."""

from tacit.stability.moved import sensitivity_of, weights_for

__all__ = ["sensitivity_of", "weights_for"]
