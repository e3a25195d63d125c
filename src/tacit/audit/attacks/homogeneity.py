"""Homogeneity: everybody in the class has the same secret, so nobody needs to know which row is whose.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins, laplace_masses
from tacit.audit.attacks.claims import of_claims
from tacit.audit.attacks.k_anonymity import QUASI_IDENTIFIERS, anonymity, generalise
from tacit.audit.attacks.made_up_town import town
from tacit.audit.attacks.report import AttackReport
from tacit.mechanisms import Laplace

__all__ = ["claims_right", "homogeneity"]

_REACH = 200


def homogeneity(
    classes: int = 3000, k: int = 4, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on reading a secret bit off the classes of a k-anonymous table whose members all share it.

    The attacker speaks only about a person whose class shows one value, and is then right for certain. Tacit releases
    the counts of both values by class; the attacker speaks where one count looks like none.

    >>> homogeneity(classes=200).naive.share
    1.0
    """
    released = generalise(town(classes * k), k)
    secret = coins(classes * k)
    rows = [{**shown, "secret": int(secret[one])} for shown, members in released for one in members]
    assert anonymity(rows, QUASI_IDENTIFIERS) == k
    ones = np.array([int(secret[members].sum()) for _, members in released])
    # of the person whom the attacker looks for
    known = np.array([int(secret[members[0]]) for _, members in released])
    naive = _claims(k - ones, ones, known)
    noisy = Laplace(1 / epsilon).release(np.concatenate([k - ones, ones]))
    tacit = _claims(noisy[:classes], noisy[classes:], known)
    return of_claims(
        "homogeneity",
        "what is this person's secret bit, if the attacker dares to say?",
        naive,
        tacit,
        epsilon,
        lambda limit: claims_right(k, limit),
        sentence=(
            f"The table is {k}-anonymous, and yet {naive[1]} of {classes:,} people, one in {2 ** (k - 1)}, are in a "
            "class whose members share their secret; that says it all."
        ),
    )


def claims_right(k: int, epsilon: float | Fraction) -> float:
    """The chance that a claim is right, where one noisy count of a class is positive and the other is not.

    >>> from tacit.audit.attacks.chances import most_wins
    >>> 0.5 < claims_right(4, 0.5) < most_wins(1)
    True
    """
    reach = _REACH * int(1 / epsilon + 1)
    # of at least -reach, and so on
    tail = np.cumsum(laplace_masses(1 / epsilon, reach)[::-1])[::-1]
    right = spoken = 0.0
    for zeros in range(k + 1):
        # Zero is claimed if zeros + noise >= 1 and ones + noise <= 0, whose noise is at least `ones` by symmetry.
        chance = comb(k, zeros) / 2**k * tail[reach + 1 - zeros] * tail[reach + k - zeros]
        spoken, right = spoken + chance, right + chance * zeros / k
    return float(right / spoken)


def _claims(
    zeros: NDArray[np.int64], ones: NDArray[np.int64], known: NDArray[np.int64]
) -> tuple[int, int]:
    """How many claims are right, and how many are made."""
    says_zero, says_one = (zeros >= 1) & (ones <= 0), (ones >= 1) & (zeros <= 0)
    right = (says_zero & (known == 0)) | (says_one & (known == 1))
    return int(right.sum()), int((says_zero | says_one).sum())
