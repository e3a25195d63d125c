"""Dalenius' wish is impossible: nothing about anybody may be learnt from a release that is of any use.

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins
from tacit.audit.attacks.report import AttackReport, Rate
from tacit.exact import below, words
from tacit.mechanisms import Laplace

__all__ = ["dalenius", "key_bit"]

_CELLS = 32


def dalenius(games: int = 1000, epsilon: Fraction = Fraction(1)) -> AttackReport:
    """The report on somebody's secret bit, locked with a hash of the release and handed to the attacker.

    The person is not in the data at all. The attacker holds (r, H(r; release) xor secret): alone it says nothing, and
    nor does the release; together they say everything, for exact and noisy releases alike. So no release can promise
    that nothing will be learnt about anybody; it can promise that little is learnt *because of one's own row*.

    >>> report = dalenius(games=20)
    >>> report.naive.share, report.tacit.share
    (1.0, 1.0)
    """
    secret = coins(games)
    # counts of a table in which the person is not
    exact = below(1000, games * _CELLS).reshape(games, _CELLS)
    noisy = Laplace(1 / epsilon).release(exact)
    again = Laplace(1 / epsilon).release(exact)
    salts = words(4 * games).reshape(games, 4)

    def open_with(locked_with: NDArray[np.int64], seen: NDArray[np.int64]) -> Rate:
        """How often the secret is right, if it was locked with one release and opened with another."""
        locked = [
            key_bit(salt, one) ^ bit
            for salt, one, bit in zip(salts, locked_with, secret, strict=True)
        ]
        said = [
            key_bit(salt, one) ^ bit for salt, one, bit in zip(salts, seen, locked, strict=True)
        ]
        return Rate(
            float((np.array(said) == secret).sum()), games, 1.0 if seen is locked_with else 0.5
        )

    alone = np.array(
        [key_bit(salt, one) ^ bit for salt, one, bit in zip(salts, noisy, secret, strict=True)]
    )
    return AttackReport(
        "dalenius",
        "what is the secret of this person, who is not in the data?",
        open_with(exact, exact),
        open_with(noisy, noisy),
        allowed=1.0,
        chance=0.5,
        sentence=(
            "Any useful release unlocks what was locked with it, also about people who are not in the data; "
            "differential privacy promises only that one's own row changes little, and here it changes nothing."
        ),
        also=(
            ("what was handed over, alone", Rate(float((alone == secret).sum()), games, 0.5)),
            ("with another release of the data", open_with(noisy, again)),
        ),
    )


def key_bit(salt: NDArray[np.uint64], release: NDArray[np.int64]) -> int:
    """One bit of SHA-256 over a salt and a release.

    >>> key_bit(np.arange(4, dtype=np.uint64), np.arange(3)) in {0, 1}
    True
    """
    return sha256(salt.tobytes() + release.astype("<i8").tobytes()).digest()[0] & 1
