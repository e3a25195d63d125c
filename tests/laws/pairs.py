"""Pairs of explicit distributions and what tells them apart, from the definitions, in decimal arithmetic.

Nothing here is shared with the code under test: no balls and no closed forms, only sums and integrals of densities with
55 decimal digits. Every figure is that of the worse of the two directions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property, wraps
from itertools import pairwise, product
from math import comb, cos, pi
from typing import ParamSpec, Protocol, TypeVar

ERROR = Fraction(1, 10**46)  # how far a figure may be off, in units of the larger of itself and one
INFINITY = Decimal("Infinity")
_DIGITS = Context(prec=55, Emax=MAX_EMAX, Emin=MIN_EMIN)
_NEGLIGIBLE = 120  # e**-120 is 8e-53

Given = ParamSpec("Given")
Figure = TypeVar("Figure")
Logs = tuple[Decimal, Decimal]


def decimally(function: Callable[Given, Figure]) -> Callable[Given, Figure]:
    """The function, run with enough digits."""

    @wraps(function)
    def run(*arguments: Given.args, **named: Given.kwargs) -> Figure:
        with localcontext(_DIGITS):
            return function(*arguments, **named)

    return run


@decimally
def decimal(number: Fraction | int) -> Decimal:
    """A rational with 55 digits."""
    exact = Fraction(number)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


@decimally
def exp(number: Fraction | Decimal) -> Decimal:
    """e to the number, with 55 digits."""
    return (decimal(number) if isinstance(number, Fraction) else number).exp()


class Pair(Protocol):
    """Two distributions."""

    def delta(self, epsilon: Fraction) -> Decimal:
        """The hockey-stick divergence at e**epsilon."""

    def renyi(self, order: Fraction) -> Decimal:
        """The Renyi divergence of this order."""

    def variation(self) -> Decimal:
        """The total variation distance."""

    def largest(self) -> Decimal:
        """The largest absolute privacy loss."""

    def moment(self, power: int) -> Decimal:
        """The mean of a power of the privacy loss."""


class Listed:
    """A pair given by the logarithms of its probabilities, outcome by outcome."""

    def __init__(self, logs: Iterable[Logs]) -> None:
        self.logs = [(p, q) for p, q in logs if (p, q) != (-INFINITY, -INFINITY)]

    @decimally
    def delta(self, epsilon: Fraction) -> Decimal:
        growth, both = exp(epsilon), self.both
        return max(excess((p, q, growth) for p, q in both), excess((q, p, growth) for p, q in both))

    @decimally
    def renyi(self, order: Fraction) -> Decimal:
        return max(divergence(self.logs, order), divergence([(q, p) for p, q in self.logs], order))

    @decimally
    def variation(self) -> Decimal:
        return sum((abs(p - q) for p, q in self.both), Decimal(0)) / 2

    @decimally
    def largest(self) -> Decimal:
        return max(INFINITY if -INFINITY in pair else abs(pair[0] - pair[1]) for pair in self.logs)

    @decimally
    def moment(self, power: int) -> Decimal:
        return max(
            mean([(p, q) for p, q in self.logs], power), mean([(q, p) for p, q in self.logs], power)
        )

    @cached_property
    def both(self) -> list[tuple[Decimal, Decimal]]:
        """The probabilities themselves, but for those that cannot be seen at this precision."""
        return [(p.exp(), q.exp()) for p, q in self.logs if max(p, q) > -_NEGLIGIBLE]


def excess(outcomes: Iterable[tuple[Decimal, Decimal, Decimal]]) -> Decimal:
    """The sum of max(0, p - e**epsilon q)."""
    return sum((max(Decimal(0), p - growth * q) for p, q, growth in outcomes), Decimal(0))


def mean(logs: Sequence[Logs], power: int) -> Decimal:
    """The sum of p ln(p/q)**power."""
    return sum(
        (p.exp() * (p - q) ** power if p != q else Decimal(not power) * p.exp() for p, q in logs),
        Decimal(0),
    )


@decimally
def divergence(logs: Sequence[Logs], order: Fraction) -> Decimal:
    """ln(sum of p**order q**(1 - order)) / (order - 1)."""
    alpha = decimal(order)
    terms = [alpha * p + (1 - alpha) * q for p, q in logs if p != -INFINITY]
    top = max(terms)
    if top == INFINITY:
        return INFINITY
    near = sum(((term - top).exp() for term in terms if term - top > -_NEGLIGIBLE), Decimal(0))
    return (top + near.ln()) / (alpha - 1)


@decimally
def finite(p: Sequence[Fraction | Decimal], q: Sequence[Fraction | Decimal]) -> Listed:
    """The pair with these probabilities."""
    return Listed((_ln(a), _ln(b)) for a, b in zip(p, q, strict=True))


def _ln(number: Fraction | Decimal) -> Decimal:
    exact = decimal(number) if isinstance(number, Fraction | int) else number
    return exact.ln() if exact else -INFINITY


@decimally
def response(epsilon: Fraction) -> Listed:
    """Binary randomized response."""
    truth = 1 / (1 + exp(-epsilon))
    return finite([truth, 1 - truth], [1 - truth, truth])


@decimally
def telling(epsilon: Fraction, failure: Fraction) -> Listed:
    """Tells all with a probability, and otherwise answers by randomized response."""
    told, truth = decimal(failure), 1 / (1 + exp(-epsilon))
    yes, no, nothing = (1 - told) * truth, (1 - told) * (1 - truth), Decimal(0)
    return finite([told, nothing, yes, no], [nothing, told, no, yes])


def both(one: Listed, other: Listed) -> Listed:
    """Two independent releases together."""
    with localcontext(_DIGITS):
        return Listed((p + r, q + s) for (p, q), (r, s) in product(one.logs, other.logs))


@decimally
def sampled(pair: Listed, rate: Fraction) -> Listed:
    """The first distribution only with a probability, and otherwise the second, against the second."""
    drawn = decimal(rate)
    return Listed(((drawn * p.exp() + (1 - drawn) * q.exp()).ln(), q) for p, q in pair.logs)


@decimally
def shuffled(epsilon: Fraction, people: int) -> Listed:
    """The number of ones among shuffled responses, where one person holds a one or, like all others, a zero."""
    lie = 1 / (1 + exp(epsilon))
    others = [comb(people - 1, j) * lie**j * (1 - lie) ** (people - 1 - j) for j in range(people)]
    padded = [Decimal(0), *others, Decimal(0)]
    laws = [
        [one * padded[j] + (1 - one) * padded[j + 1] for j in range(people + 1)]
        for one in (lie, 1 - lie)
    ]
    return Listed((p.ln(), q.ln()) for p, q in zip(*laws, strict=True))


@decimally
def drawn(scale: Fraction, rate: Fraction, units: int) -> Listed:
    """Discrete Laplace noise on the number of units in a sample, with so many units and with none."""
    at, falls, reach = decimal(rate), exp(-1 / scale), int(_NEGLIGIBLE * scale) + 2
    chances = [comb(units, j) * at**j * (1 - at) ** (units - j) for j in range(units + 1)]
    weights = [(1 - falls) / (1 + falls) * falls**k for k in range(reach + units + 1)]
    outcomes = range(-reach, reach + 1)
    some = [
        sum((c * weights[abs(z - j)] for j, c in enumerate(chances)), Decimal(0)) for z in outcomes
    ]
    return finite(some, [weights[abs(z)] for z in outcomes])


@dataclass(frozen=True)
class Integers:
    """Noise on the integers with weights exp(-exponent(z)), and a move of an integer distance."""

    exponent: Callable[[int], Fraction]
    distance: int
    reach: int  # beyond it weights are negligible
    pulled: bool = False  # whether high orders look beyond it, as far as order times distance

    @cache  # noqa: B019  # a few pairs are made once and kept as long as the tests run
    @decimally
    def around(self, order: Fraction) -> Listed:
        """The outcomes that matter at this order, in one direction and by symmetry in the other."""
        centre = round((1 - order) * self.distance) if self.pulled else 0
        first, last = min(centre, 0) - self.reach, max(centre, self.distance) + self.reach
        if centre < -2 * self.reach:
            last = centre + self.reach
        total = _total(self.exponent, self.reach)
        weights = [
            -decimal(self.exponent(z)) - total for z in range(first - self.distance, last + 1)
        ]
        return Listed(zip(weights[self.distance :], weights, strict=False))

    def delta(self, epsilon: Fraction) -> Decimal:
        return self.around(Fraction(1)).delta(epsilon)

    @decimally
    def renyi(self, order: Fraction) -> Decimal:
        return divergence(self.around(order).logs, order)

    def variation(self) -> Decimal:
        return self.around(Fraction(1)).variation()

    def largest(self) -> Decimal:
        return INFINITY if self.pulled and self.distance else self.around(Fraction(1)).largest()

    def moment(self, power: int) -> Decimal:
        return self.around(Fraction(1)).moment(power)


@cache
def _total(exponent: Callable[[int], Fraction], reach: int) -> Decimal:
    return sum(((-decimal(exponent(z))).exp() for z in range(-reach, reach + 1)), Decimal(0)).ln()


@dataclass(frozen=True)
class OverScale:
    """|z| / scale."""

    scale: Fraction

    def __call__(self, z: int) -> Fraction:
        return abs(z) / self.scale


@dataclass(frozen=True)
class OverVariance:
    """z**2 / (2 variance)."""

    variance: Fraction

    def __call__(self, z: int) -> Fraction:
        return z * z / (2 * self.variance)


def discrete_laplace(scale: Fraction, distance: int) -> Integers:
    """Discrete Laplace noise on a number that moves by a distance."""
    return Integers(OverScale(scale), distance, int(_NEGLIGIBLE * scale) + 2)


def discrete_gaussian(variance: Fraction, distance: int) -> Integers:
    """Discrete Gaussian noise on a number that moves by a distance."""
    return Integers(
        OverVariance(variance),
        distance,
        int((2 * _NEGLIGIBLE * float(variance)) ** 0.5) + 2,
        pulled=True,
    )


@dataclass(frozen=True)
class Density:
    """Symmetric noise with a density exp(-exponent(x)) up to a factor, on a number that moves by a distance.

    The exponent is smooth but at zero, and convex: the privacy loss falls from left to right.
    """

    exponent: Callable[[Decimal], Decimal]
    distance: Decimal
    reach: Decimal  # beyond it the density is negligible
    stretch: int  # over which the density is tame
    pulled: bool = False  # whether high orders look beyond it, as far as order times distance

    def loss(self, x: Decimal) -> Decimal:
        """The privacy loss at x."""
        return self.exponent(x - self.distance) - self.exponent(x)

    @decimally
    def delta(self, epsilon: Fraction) -> Decimal:
        limit = decimal(epsilon)
        if self.largest() <= limit:
            return Decimal(0)
        edge, growth = self.edge(limit), exp(epsilon)
        return self.weigh(
            lambda x: (
                (-self.exponent(x)).exp() - growth * (-self.exponent(x - self.distance)).exp()
            ),
            edge,
        )

    @decimally
    def renyi(self, order: Fraction) -> Decimal:
        alpha = decimal(order)
        centre = (1 - alpha) * self.distance if self.pulled else Decimal(0)
        # The largest exponent is taken out, so that no digits are lost far out.
        top = (alpha - 1) * self.loss(centre) - self.exponent(centre)
        moment = self.weigh(
            lambda x: ((alpha - 1) * self.loss(x) - self.exponent(x) - top).exp(),
            (centre if self.pulled else self.distance) + self.reach,
            centre - self.reach,
            # where it falls steeply
            [] if self.pulled else [i * _NEGLIGIBLE / (12 * alpha) for i in range(1, 13)],
        )
        return (moment.ln() + top) / (alpha - 1)

    @decimally
    def variation(self) -> Decimal:
        there = self.distance + self.reach
        middle = self.distance / 2

        def apart(x: Decimal) -> Decimal:
            return abs((-self.exponent(x)).exp() - (-self.exponent(x - self.distance)).exp())

        return (self.weigh(apart, middle) + self.weigh(apart, there, middle)) / 2

    @decimally
    def largest(self) -> Decimal:
        return INFINITY if self.pulled and self.distance else self.loss(-self.reach)

    @decimally
    def moment(self, power: int) -> Decimal:
        there = self.distance + self.reach
        return self.weigh(
            lambda x: (-self.exponent(x)).exp() * (self.loss(x) ** power if power else 1),
            there,
            -there,
        )

    def edge(self, limit: Decimal) -> Decimal:
        """Where the privacy loss falls below the limit, by halving."""
        low, high = (
            -self.reach - (self.distance + limit / self.distance if self.pulled else 0),
            self.distance,
        )
        for _ in range(190):
            middle = (low + high) / 2
            low, high = (middle, high) if self.loss(middle) > limit else (low, middle)
        return low

    def weigh(
        self,
        weight: Callable[[Decimal], Decimal],
        end: Decimal,
        start: Decimal | None = None,
        grain: Sequence[Decimal] = (),
    ) -> Decimal:
        """The integral of a weight from `start` to `end`, divided by that of the density."""
        begin = (min(end, Decimal(0)) - self.reach) if start is None else start
        corners = {cut for cut in (Decimal(0), self.distance, *grain) if begin < cut < end}
        return integral(weight, sorted({begin, end} | corners), self.stretch) / _mass(self)


@cache
def _mass(noise: Density) -> Decimal:
    return 2 * integral(
        lambda x: (-noise.exponent(x)).exp(), [Decimal(0), noise.reach], noise.stretch
    )


def integral(
    weight: Callable[[Decimal], Decimal], cuts: Sequence[Decimal], stretch: int
) -> Decimal:
    """The integral of a function that is smooth between the cuts, by Gauss's rule on stretches of about this length."""
    total = Decimal(0)
    for begin, end in pairwise(cuts):
        pieces = int((end - begin) / stretch) + 1
        half = (end - begin) / (2 * pieces)
        for piece in range(pieces):
            middle = begin + (2 * piece + 1) * half
            total += half * sum((w * weight(middle + half * x) for x, w in gauss()), Decimal(0))
    return total


@cache
@decimally
def gauss(points: int = 40) -> list[tuple[Decimal, Decimal]]:
    """Nodes and weights of Gauss and Legendre on [-1, 1], by Newton's method on the polynomial."""
    rule = []
    for i in range(points):
        x = Decimal(cos(pi * (i + 0.75) / (points + 0.5)))
        for _ in range(6):
            before, value = Decimal(1), x
            for k in range(2, points + 1):
                before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
            slope = points * (x * value - before) / (x * x - 1)
            x -= value / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


def _absolute(x: Decimal) -> Decimal:
    return abs(x)


def _half_square(x: Decimal) -> Decimal:
    return x * x / 2


def laplace(epsilon: Fraction) -> Density:
    """Laplace noise of scale one on a number that moves by epsilon."""
    return Density(_absolute, decimal(epsilon), Decimal(_NEGLIGIBLE), stretch=20)


@decimally
def gaussian(squared: Fraction) -> Density:
    """Gaussian noise of deviation one on a number that moves by the root of `squared`."""
    return Density(_half_square, decimal(squared).sqrt(), Decimal(17), stretch=5, pulled=True)


@dataclass(frozen=True)
class TwoValued:
    """The worst of all pairs whose privacy loss takes the values t and t - span, over all t."""

    span: Fraction

    @decimally
    def at(self, t: Decimal) -> Listed:
        """The pair for one t."""
        return finite(*zip(*self.outcomes(t), strict=True))

    def outcomes(self, t: Decimal) -> list[tuple[Decimal, Decimal]]:
        """The probabilities of the two values, such that those of either side sum to one."""
        top, span = t.exp(), exp(self.span)
        p = (span - top) / (span - 1)
        return [(p, p / top), (1 - p, (1 - p) * span / top)]

    @decimally
    def delta(self, epsilon: Fraction) -> Decimal:
        low, high = decimal(min(epsilon, self.span)), decimal(self.span)
        while high - low > Decimal("1e-24"):  # of a smooth peak this gives the height to 48 digits
            left, right = (2 * low + high) / 3, (low + 2 * high) / 3
            low, high = (
                (left, high)
                if self.forth(left, epsilon) < self.forth(right, epsilon)
                else (low, right)
            )
        return self.forth(low, epsilon)

    def forth(self, t: Decimal, epsilon: Fraction) -> Decimal:
        """Delta in one direction; the other is that of span - t."""
        growth = exp(epsilon)
        return excess((p, q, growth) for p, q in self.outcomes(t))

    @decimally
    def renyi(self, order: Fraction) -> Decimal:
        low, high = Decimal(0), decimal(self.span)
        while high - low > Decimal("1e-24"):  # the moment has one peak, which is smooth
            left, right = (2 * low + high) / 3, (low + 2 * high) / 3
            lower = divergence(self.at(left).logs, order) < divergence(self.at(right).logs, order)
            low, high = (left, high) if lower else (low, right)
        return divergence(self.at(low).logs, order)

    def variation(self) -> Decimal:
        return self.at(decimal(self.span / 2)).variation()

    def largest(self) -> Decimal:
        return decimal(self.span)

    @decimally
    def moment(self, power: int) -> Decimal:
        return max(
            self.at(decimal(self.span * Fraction(i, 40))).moment(power) for i in range(1, 40)
        )


@dataclass(frozen=True)
class Failing:
    """Tells all with a probability, and otherwise is another pair."""

    failure: Fraction
    inner: Pair

    @decimally
    def delta(self, epsilon: Fraction) -> Decimal:
        told = decimal(self.failure)
        return told + (1 - told) * self.inner.delta(epsilon)

    @decimally
    def renyi(self, order: Fraction) -> Decimal:
        return INFINITY if self.failure else self.inner.renyi(order)

    @decimally
    def variation(self) -> Decimal:
        told = decimal(self.failure)
        return told + (1 - told) * self.inner.variation()

    def largest(self) -> Decimal:
        return INFINITY if self.failure else self.inner.largest()

    def moment(self, power: int) -> Decimal:
        return INFINITY if self.failure else self.inner.moment(power)
