"""The threshold that hides the keys of single units: exact, under the law of the discrete noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import expm1, log1p

from tacit.errors import InvalidInput
from tacit.exact import Ball, upper, working
from tacit.mechanisms.noise_law import GaussianLaw, first

__all__ = ["passing", "threshold"]

Weigh = Callable[[int], int]
"""What each of so many keys of one unit weighs at most; the more there are, the less, or as much."""


def passing(law: GaussianLaw, start: int, keys: int, weight: int) -> Ball:
    """The probability that one or more of so many keys of this weight reach the threshold, with noise of its own each.

    Claim:      it is 1 - P(Z < start - weight)**keys.
    Because:    the noise of each key is independent.
    Checked by: tests/unit/mechanisms/test_key_threshold.py

    >>> with working():
    ...     round(float(upper(passing(GaussianLaw(Fraction(1)), start=4, keys=2, weight=1))), 6)
    0.009113
    """
    tail = law.tail(start - weight)
    if start <= weight:  # more often than not, and then no digits are lost
        return 1 - (1 - tail) ** keys
    return -((-tail).log1p() * keys).expm1()


def threshold(law: GaussianLaw, weigh: Weigh, most: int, delta: Fraction) -> int:
    """The smallest threshold that a unit's own keys pass with probability delta at most, be they up to `most`.

    Claim:      for every number of keys k up to `most`, the probability that any of k keys that weigh weigh(k) each
                passes is at most delta; at a threshold that is lower by one it is not, for some k.
    Because:    a threshold is accepted only if the upper end of that probability, certified under the law that is drawn
                from, is at most delta; for all numbers between two, the larger one and the weight of the smaller bound
                it.
    Checked by: tests/unit/mechanisms/test_key_threshold.py and tests/laws/test_keys.py

    >>> threshold(GaussianLaw(Fraction(1)), lambda keys: 1, most=1, delta=Fraction(1, 1000))
    5
    """
    if not 0 < delta < 1:
        raise InvalidInput("delta", delta, "give a probability above 0 and below 1")
    some = {1, most, *(1 << bits for bits in range(most.bit_length()))}
    near = max(weigh(k) + law.near(2 * -expm1(log1p(-float(delta)) / k)) for k in some if k <= most)

    def holds(start: int) -> bool:
        with working():
            return _holds(law, start, weigh, (1, most), delta)

    return first(holds, near)


def _holds(
    law: GaussianLaw, start: int, weigh: Weigh, numbers: tuple[int, int], delta: Fraction
) -> bool:
    """Whether keys pass rarely enough, in all these numbers; where all of them might not, each half is looked at."""
    least, most = numbers
    if upper(passing(law, start, most, weigh(least))) <= delta:
        return True
    if least == most:
        return False
    half = (least + most) // 2
    return _holds(law, start, weigh, (half + 1, most), delta) and _holds(
        law, start, weigh, (least, half), delta
    )
