"""A random number of trials, of which the best is released: how many there are, and the law of the best."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.errors import InvalidInput
from tacit.exact import Ball, ball, below, bernoulli

__all__ = ["draw_trials", "law_of_best"]


def draw_trials(stop: Fraction) -> int:
    """How many trials are run: k with a probability proportional to (1 - stop)^k / k, from 1 on.

    Claim:      every k has exactly this probability.
    Because:    a geometric number is drawn by coins of a rational probability, and kept with probability 1/k.
    Checked by: tests/laws/test_tune.py::test_the_number_of_trials_has_its_law

    >>> draw_trials(Fraction(1, 2)) >= 1
    True
    """
    if not 0 < stop < 1:
        raise InvalidInput("stop", stop, "give a probability between 0 and 1")
    count = 1
    while True:
        if bernoulli(stop):
            if below(count) == 0:
                return count
            count = 0
        count += 1


def law_of_best(law: Sequence[Fraction], stop: Fraction) -> list[Ball]:
    """The law of the best of a random number of trials; `law` is that of one, its outcomes from the worst to the best.

    >>> [round(float(each.mid()), 3) for each in law_of_best([Fraction(1, 2), Fraction(1, 2)], Fraction(1, 10))]
    [0.26, 0.74]
    """
    whole, reached, before = ball(stop).log(), Fraction(0), ball(0)
    found = []
    for chance in law:
        reached += chance
        after = ball(1 - (1 - stop) * reached).log() / whole
        found.append(after - before)
        before = after
    return found
