"""The threshold that hides keys of single units: exact, under the law of the discrete noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import expm1, log1p

from tacit.errors import InvalidInput
from tacit.exact import Ball, upper, working
from tacit.mechanisms.law import GaussianLaw, first

__all__ = ["Alone", "passing", "threshold"]


@dataclass(frozen=True, slots=True)
class Alone:
    """So many keys that one unit may be alone with, and what each of them weighs at most."""

    keys: int
    weight: int


def passing(law: GaussianLaw, start: int, alone: Alone) -> Ball:
    """The probability that one of these keys or more reaches the threshold `start`, with noise of its own each.

    Claim:      it is 1 - P(Z < start - weight)**keys.
    Because:    the noise of each key is independent.
    Checked by: tests/unit/mechanisms/test_alone.py

    >>> with working():
    ...     float(upper(passing(GaussianLaw(Fraction(1)), 4, Alone(2, 1))))
    0.0089...
    """
    tail = law.tail(start - alone.weight)
    if start <= alone.weight:  # more often than not, and then nearly one has no digits to lose
        return 1 - (1 - tail) ** alone.keys
    return -((-tail).log1p() * alone.keys).expm1()


def threshold(law: GaussianLaw, alone: Sequence[Alone], delta: Fraction) -> int:
    """The smallest threshold that what one unit is alone with passes with probability delta at most.

    The more keys, the less each of them weighs: `alone` is sorted so.

    Claim:      whichever of `alone` a unit has, the probability that any of its keys passes is at most delta.
    Because:    the threshold is accepted only if the upper end of that probability, certified under the law that is
                drawn from, is; of several that lie between two, the number of keys of the last and the weight of the
                first bound it.
    Checked by: tests/unit/mechanisms/test_alone.py and tests/laws/test_keys.py

    >>> threshold(GaussianLaw(Fraction(1)), [Alone(1, 1)], Fraction(1, 1000))
    5
    """
    if not 0 < delta < 1:
        raise InvalidInput("delta", delta, "give a probability above 0 and below 1")
    return _threshold(law, tuple(alone), delta)


@lru_cache(maxsize=1024)
def _threshold(law: GaussianLaw, alone: tuple[Alone, ...], delta: Fraction) -> int:
    guesses = [each.weight + law.near(2 * -expm1(log1p(-float(delta)) / each.keys)) for each in alone]

    def holds(start: int) -> bool:
        with working():
            return _all_hold(law, start, alone, delta)

    return first(holds, max(guesses))


def _all_hold(law: GaussianLaw, start: int, alone: tuple[Alone, ...], delta: Fraction) -> bool:
    """Whether none of these pass too often; halves of them are looked at where all together might."""
    if upper(passing(law, start, Alone(alone[-1].keys, alone[0].weight))) <= delta:
        return True
    if len(alone) == 1:
        return False
    half = len(alone) // 2
    return _all_hold(law, start, alone[half:], delta) and _all_hold(law, start, alone[:half], delta)
