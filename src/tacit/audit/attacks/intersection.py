"""Intersection: two k-anonymous releases about the same person, and what they have in common.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import most_guessed
from tacit.audit.attacks.k_anonymity import anonymity
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import below
from tacit.mechanisms import Laplace

__all__ = ["common_value_guessed", "intersection"]


def intersection(
    patients: int = 4000, k: int = 5, kinds: int = 50, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on a patient of two hospitals, each of which publishes a k-anonymous table of illnesses.

    The attacker takes an illness that both classes show. With Tacit each hospital releases the counts by class and
    illness in a vault of its own, and the attacker takes the illness with the largest sum of both; two vaults know
    nothing of each other, so theory allows the sum of both limits, for two steps of add-or-remove each.

    >>> intersection(patients=20).chance
    0.02
    """
    illness = below(kinds, patients)
    hospitals = [_classes(illness, k, kinds) for _ in range(2)]
    shared = (hospitals[0] > 0) & (hospitals[1] > 0)
    # the mean score of a uniform choice among what is shared
    naive = float((1 / shared.sum(axis=1)).sum())
    noisy = sum(Laplace(1 / epsilon).release(counts) for counts in hospitals)
    best = noisy == noisy.max(axis=1, keepdims=True)
    tacit = float((best[np.arange(patients), illness] / best.sum(axis=1)).sum())
    sizes = tuple(range(2, 21))
    return AttackReport(
        "intersection",
        f"which of {kinds} illnesses does this person have?",
        Rate(naive, patients, common_value_guessed(k, kinds)),
        Rate(tacit, patients),
        allowed=most_guessed(4 * epsilon, kinds),
        chance=1 / kinds,
        sentence=(
            f"Each table is {k}-anonymous, and the two together are not: most people's illness is the only one that "
            "both of their classes show. Losses of differentially private releases add; k does not."
        ),
        lines=(
            Line(
                "two k-anonymous tables",
                "naive",
                tuple(map(float, sizes)),
                tuple(common_value_guessed(n, kinds) for n in sizes),
            ),
            Line("measured", "naive", (float(k),), (naive / patients,), measured=True),
            Line("Tacit", "tacit", (float(k),), (tacit / patients,), measured=True),
            Line(
                "most that both limits allow",
                "allowed",
                tuple(map(float, sizes)),
                (most_guessed(4 * epsilon, kinds),) * len(sizes),
            ),
        ),
        across="k",
    )


def common_value_guessed(k: int, kinds: int) -> float:
    """The mean of one over the number of illnesses that two classes of k share, if all illnesses are equally common.

    >>> round(common_value_guessed(1, 10), 9), common_value_guessed(9, 10) < 0.5
    (1.0, True)
    """
    # how many illnesses beside the person's own the other members of a class have
    distinct = {0: 1.0}
    for _ in range(k - 1):
        after: dict[int, float] = {}
        for seen, chance in distinct.items():
            for more, share in ((0, (seen + 1) / kinds), (1, (kinds - 1 - seen) / kinds)):
                after[seen + more] = after.get(seen + more, 0.0) + chance * share
        distinct = after
    expected = 0.0
    for one, chance in distinct.items():
        for other, as_well in distinct.items():
            for shared in range(min(one, other) + 1):
                ways = (
                    comb(one, shared)
                    * comb(kinds - 1 - one, other - shared)
                    / comb(kinds - 1, other)
                )
                expected += chance * as_well * ways / (1 + shared)
    return expected


def _classes(illness: NDArray[np.int64], k: int, kinds: int) -> NDArray[np.int64]:
    """How often each illness occurs in the class of each patient: the patient and k - 1 strangers."""
    members = np.column_stack([illness, below(kinds, len(illness) * (k - 1)).reshape(-1, k - 1)])
    rows = ({"class": place} for place, _ in enumerate(illness) for _ in range(k))
    assert anonymity(rows, ["class"]) == k
    return np.array([np.bincount(row, minlength=kinds) for row in members])
