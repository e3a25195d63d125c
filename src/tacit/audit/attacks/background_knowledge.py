"""Background knowledge: who knows what somebody does not have reads what they have off a k-anonymous table.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import laplace_masses
from tacit.audit.attacks.claims import of_claims
from tacit.audit.attacks.k_anonymity import QUASI_IDENTIFIERS, anonymity, generalise
from tacit.audit.attacks.made_up_town import town
from tacit.audit.attacks.report import AttackReport
from tacit.exact import below
from tacit.mechanisms import Laplace

__all__ = ["background_knowledge", "informed_claims_right"]

_KINDS = ("flu", "ulcer", "fracture")
_REACH = 200


def background_knowledge(
    classes: int = 3000, k: int = 4, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on an attacker who knows one of three illnesses that a person does not have.

    The attacker speaks where the class shows only one of the two that remain. Tacit releases the counts of all three by
    class; the attacker speaks where one of the two remaining counts looks like none.

    >>> background_knowledge(classes=200).naive.share
    1.0
    """
    released = generalise(town(classes * k), k)
    illness = below(3, classes * k)
    rows = [
        {**shown, "illness": _KINDS[illness[one]]} for shown, members in released for one in members
    ]
    assert anonymity(rows, QUASI_IDENTIFIERS) == k
    counts = np.array([np.bincount(illness[members], minlength=3) for _, members in released])
    true = np.array([illness[members[0]] for _, members in released])
    # what the attacker knows this person does not have
    excluded = (true + 1 + below(2, classes)) % 3
    naive = _claims(counts, true, excluded)
    tacit = _claims(Laplace(1 / epsilon).release(counts), true, excluded)
    return of_claims(
        "background-knowledge",
        "which of two illnesses does this person have, if the attacker dares to say?",
        naive,
        tacit,
        epsilon,
        lambda limit: informed_claims_right(k, limit),
        sentence=(
            f"The table is {k}-anonymous, and who knows that somebody has no {_KINDS[0]} knows what they have in "
            f"{naive[1]} of {classes:,} classes: the definition says nothing about what others know."
        ),
    )


def informed_claims_right(k: int, epsilon: float | Fraction) -> float:
    """The chance that a claim is right: one noisy count of the two that remain is positive and the other is not.

    >>> from tacit.audit.attacks.chances import most_wins
    >>> 0.5 < informed_claims_right(4, 0.5) < most_wins(1)
    True
    """
    reach = _REACH * int(1 / epsilon + 1)
    tail = np.cumsum(laplace_masses(1 / epsilon, reach)[::-1])[::-1]
    right = wrong = 0.0
    for ours in range(k):
        for theirs in range(k - ours):
            rest = k - 1 - ours - theirs
            ways = (
                factorial(k - 1)
                / (factorial(ours) * factorial(theirs) * factorial(rest))
                / 3 ** (k - 1)
            )
            # The person has `ours`, one more than the others of the class have.
            right += ways * tail[reach + 1 - (ours + 1)] * tail[reach + theirs]
            wrong += ways * tail[reach + 1 - theirs] * tail[reach + ours + 1]
    return float(right / (right + wrong))


def _claims(
    counts: NDArray[np.int64], true: NDArray[np.int64], excluded: NDArray[np.int64]
) -> tuple[int, int]:
    """How many claims are right, and how many are made."""
    each = np.arange(len(counts))
    ours, theirs = counts[each, true], counts[each, 3 - true - excluded]
    right, wrong = (ours >= 1) & (theirs <= 0), (theirs >= 1) & (ours <= 0)
    return int(right.sum()), int((right | wrong).sum())
