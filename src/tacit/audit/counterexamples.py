"""Mechanisms that publish rows, which total-variation privacy and delta alone do not rule out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import compress, product

from tacit.errors import InvalidInput

__all__ = ["name_and_shame", "one_random_row"]

Row = Hashable


def name_and_shame(delta: Fraction) -> Callable[[tuple[Row, ...]], dict[tuple[Row, ...], Fraction]]:
    """A mechanism that publishes each row independently with probability `delta`, and is silent on the others.

    Claim:      it is (0, delta)-differentially private under both relations, and at a smaller delta no epsilon
                is large enough.
    Because:    neighbours differ only if the changed row is published; when it is, its name may be impossible
                under the neighbour.
    Checked by: tests/unit/audit/test_counterexamples.py

    >>> name_and_shame(Fraction(1, 10))(("Ann",))
    {('Ann',): Fraction(1, 10), (): Fraction(9, 10)}
    """
    if not 0 <= delta <= 1:
        raise InvalidInput("delta", delta, "give a probability from 0 to 1")

    def publish_rows(rows: tuple[Row, ...]) -> dict[tuple[Row, ...], Fraction]:
        chances: dict[tuple[Row, ...], Fraction] = {}
        for shown in product((True, False), repeat=len(rows)):
            named = tuple(compress(rows, shown))
            chance = delta ** len(named) * (1 - delta) ** (len(rows) - len(named))
            chances[named] = chances.get(named, Fraction(0)) + chance
        return chances

    return publish_rows


def one_random_row(rows: tuple[Row, ...]) -> dict[Row, Fraction]:
    """The distribution of one row drawn uniformly at random and published as it is.

    Claim:      neighbours under replace are within total variation 1/n, and a row is revealed with certainty.
    Because:    the changed row is drawn with probability 1/n.
    Checked by: tests/unit/audit/test_counterexamples.py

    >>> one_random_row(("Ann", "Bob"))
    {'Ann': Fraction(1, 2), 'Bob': Fraction(1, 2)}
    """
    if not rows:
        raise InvalidInput("rows", rows, "there is no row to draw; give at least one")
    chances = dict.fromkeys(rows, Fraction(0))
    for row in rows:
        chances[row] += Fraction(1, len(rows))
    return chances
