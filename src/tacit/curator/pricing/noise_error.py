"""How far noise, and rounding before it, may move a released integer.

Checked by: tests/laws/test_corridor.py
"""

from __future__ import annotations

from tacit.exact import Number
from tacit.mechanisms import Gaussian, Laplace

__all__ = ["steps_off"]

_ROUNDED = 1 << 20  # integers are rounded before noise that is wider than this, and before no other


def steps_off(mechanism: Laplace | Gaussian, confidence: Number) -> int:
    """How many whole steps a released integer is off at most, for its noise and for having been rounded before it."""
    reach = mechanism.error(confidence)
    assert isinstance(reach, int), "what a vault releases are integers"
    return reach + (isinstance(mechanism, Gaussian) and mechanism.sigma >= _ROUNDED)
