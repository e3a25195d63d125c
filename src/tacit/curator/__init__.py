"""Policy, catalogue and `ask`: the one place where plan, sensitivity, noise and ledger meet."""

from tacit.curator.explanation import Expected, Explanation
from tacit.curator.intervals import Interval, Noisy
from tacit.curator.policy import Limit, Policy, Shared
from tacit.curator.protect import column_of, protect
from tacit.curator.release import Price, Release
from tacit.curator.terms import Terms, terms_of
from tacit.curator.vault import Budget, Vault

__all__ = [
    "Budget",
    "Expected",
    "Explanation",
    "Interval",
    "Limit",
    "Noisy",
    "Policy",
    "Price",
    "Release",
    "Shared",
    "Terms",
    "Vault",
    "column_of",
    "protect",
    "terms_of",
]
