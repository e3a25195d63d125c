"""Many answers at once under one limit: the noise that a vault would draw for them."""

from __future__ import annotations

from fractions import Fraction

from tacit.accounting import ConcentratedFilter
from tacit.mechanisms import Gaussian
from tacit.privacy import root_at_least

__all__ = ["DELTA", "noise_for"]

DELTA = Fraction(1, 10**6)
"""The delta of the limits under which the lab releases vectors."""


def noise_for(answers: int, epsilon: Fraction) -> Gaussian:
    """Gaussian noise for so many answers, each of which a person moves by one, that spends the limit (epsilon, 1e-6).

    Claim:      the loss of all answers together fits into an empty vault with that limit.
    Because:    their squares sum to the number of answers, so rho = answers / (2 sigma^2), and sigma is rounded up.
    Checked by: tests/unit/audit/attacks/test_noise_of_a_vault.py

    >>> round(float(noise_for(1, Fraction(1)).sigma), 2)
    4.67
    """
    vault = ConcentratedFilter(epsilon, DELTA)
    return Gaussian(root_at_least(answers / (2 * vault.amount(vault.limit))))
