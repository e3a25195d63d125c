"""Pairs of distributions with every outcome listed, in 200-bit ball arithmetic: what accounting is compared with.

Nothing here is shared with the code under test but the arithmetic of balls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod

from tacit.exact import Ball, ball

BITS = 200


@dataclass(frozen=True)
class Listed:
    """The probabilities of all outcomes under two neighbours."""

    p: tuple[Ball, ...]
    q: tuple[Ball, ...]

    def swapped(self) -> "Listed":
        return Listed(self.q, self.p)

    def beside(self, other: "Listed") -> "Listed":
        """Two independent releases."""
        p = tuple(a * b for a, b in product(self.p, other.p))
        return Listed(p, tuple(a * b for a, b in product(self.q, other.q)))

    def one_way_delta(self, epsilon: Ball) -> Ball:
        growth = epsilon.exp()
        return sum(
            ((a - growth * b).max(ball(0)) for a, b in zip(self.p, self.q, strict=True)), ball(0)
        )

    def delta(self, epsilon: Fraction) -> Ball:
        return self.one_way_delta(ball(epsilon)).max(self.swapped().one_way_delta(ball(epsilon)))

    def one_way_renyi(self, order: Fraction) -> Ball:
        alpha = ball(order)
        terms = (
            a**alpha * b ** (1 - alpha)
            for a, b in zip(self.p, self.q, strict=True)
            if not a.is_zero()
        )
        return sum(terms, ball(0)).log() / (alpha - 1)

    def renyi(self, order: Fraction) -> Ball:
        return self.one_way_renyi(order).max(self.swapped().one_way_renyi(order))

    def one_way_moment(self, power: int) -> Ball:
        outcomes = zip(self.p, self.q, strict=True)
        # A ball around zero has no power by logarithms: it is multiplied.
        return sum(
            (
                a * prod([(a / b).log()] * power, start=ball(1))
                for a, b in outcomes
                if not a.is_zero()
            ),
            ball(0),
        )

    def moment(self, power: int) -> Ball:
        return self.one_way_moment(power).max(self.swapped().one_way_moment(power))

    def one_way_misses(self, alarms: Fraction) -> Ball:
        """The least share of misses at this share of false alarms, by the most telling outcomes first."""
        outcomes = [
            (a, b) for a, b in zip(self.p, self.q, strict=True) if not (a.is_zero() and b.is_zero())
        ]
        telling = sorted(outcomes, key=lambda pair: _ratio(*pair))
        spent, caught = ball(0), ball(0)
        for p, q in telling:  # alarm where q is large beside p
            left = ball(alarms) - spent
            if not p <= left:
                return 1 - caught - (q * left / p if not p.is_zero() else q)
            spent, caught = spent + p, caught + q
        return 1 - caught


def _ratio(p: Ball, q: Ball) -> float:
    return float("inf") if q.is_zero() else float(p / q)


def product_of(pairs: Sequence[Listed]) -> list[Listed]:
    """All that several independent releases can be: each may be seen from either neighbour."""
    found = [Listed((ball(1),), (ball(1),))]
    for pair in pairs:
        found = [one.beside(way) for one in found for way in (pair, pair.swapped())]
    return found


def response(epsilon: Fraction) -> Listed:
    """Randomized response."""
    truth = 1 / (1 + (-ball(epsilon)).exp())
    return Listed((truth, 1 - truth), (1 - truth, truth))


def responses(epsilon: Fraction, times: int) -> Listed:
    """Randomized response so often: only the number of truths matters."""
    truth, lie = (1 / (1 + ball(sign * epsilon).exp()) for sign in (-1, 1))
    chances = [comb(times, k) * truth**k * lie ** (times - k) for k in range(times + 1)]
    return Listed(tuple(chances), tuple(reversed(chances)))


def telling(epsilon: Fraction, failure: Fraction) -> Listed:
    """All is told with a probability, otherwise randomized response."""
    told, inner = ball(failure), response(epsilon)
    rest = tuple((1 - told) * a for a in inner.p)
    return Listed((told, ball(0), *rest), (ball(0), told, *reversed(rest)))


def sampled(pair: Listed, rate: Fraction) -> Listed:
    """With the unit, the first distribution shows up only with some probability, else the second."""
    mixture = tuple(
        ball(rate) * a + ball(1 - rate) * b for a, b in zip(pair.p, pair.q, strict=True)
    )
    return Listed(mixture, pair.q)


def discrete(weights: Sequence[Ball], distance: int) -> Listed:
    """Noise on integers with these weights, and the same moved by a distance."""
    total = sum(weights, ball(0))
    nothing = (ball(0),) * distance
    chances = tuple(weight / total for weight in weights)
    return Listed(chances + nothing, nothing + chances)


def normal(x: Ball) -> Ball:
    """The probability that a standard normal is below x."""
    return (-x / ball(2).sqrt()).erfc() / 2


def gaussian_delta(squared: Fraction, epsilon: Fraction) -> Ball:
    mu, e = ball(squared).sqrt(), ball(epsilon)
    return normal(mu / 2 - e / mu) - e.exp() * normal(-mu / 2 - e / mu)


def gaussian_misses(squared: Fraction, alarms: Fraction) -> Ball:
    quantile = -ball(2).sqrt() * (2 * ball(1 - alarms)).erfcinv()
    return normal(quantile - ball(squared).sqrt())


def laplace_delta(told: Fraction, epsilon: Fraction) -> Ball:
    return (1 - (ball(epsilon - told) / 2).exp()).max(ball(0))


def laplace_misses(told: Fraction, alarms: Fraction) -> Ball:
    """Dong, Roth, Su 2022: a line, a hyperbola, a line."""
    fall, a = (-ball(told)).exp(), ball(alarms)
    if a < fall / 2:
        return 1 - a / fall
    return fall / (4 * a) if alarms <= Fraction(1, 2) else fall * (1 - a)
