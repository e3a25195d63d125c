"""What a finite sample tells about a class of hypotheses: empirical error, VC dimension, uniform convergence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import comb, exp, log, sqrt
from typing import Any

from tacit.errors import InvalidInput
from tacit.exact import Number, at_least, count_of
from tacit.frozen import frozen

__all__ = [
    "EmpiricalError",
    "empirical_error",
    "net_size",
    "sample_size",
    "uniform_deviation",
    "vc_dimension",
]

MOST_SETS = 10**7
"""The most sets of points that are looked at for a VC dimension."""


@frozen
class EmpiricalError:
    """The share of rows that are predicted wrong, and an interval for the true share on fresh rows.

    >>> str(EmpiricalError(3, 100, 0.95))
    'error 3.0% of 100 rows, between 0.6% and 8.5% at 95% confidence'
    """

    wrong: int
    rows: int
    confidence: float

    @property
    def error(self) -> float:
        """The share itself."""
        return self.wrong / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval by the binomial law itself (Clopper and Pearson 1934)."""
        tail = (1 - self.confidence) / 2
        low = 0.0 if not self.wrong else _solve(self.wrong - 1, self.rows, 1 - tail)
        high = 1.0 if self.wrong == self.rows else _solve(self.wrong, self.rows, tail)
        return low, high

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"error {self.error:.1%} of {self.rows:,} rows, between {low:.1%} and {high:.1%} "
            f"at {self.confidence:.0%} confidence"
        )


def empirical_error(
    predicted: Iterable[Any], true: Iterable[Any], confidence: float = 0.95
) -> EmpiricalError:
    """The share of predictions that are wrong on rows that the model was not fitted to, with its interval.

    >>> empirical_error("aab", "abb").error
    0.3333333333333333
    """
    pairs = list(zip(predicted, true, strict=True))
    if not pairs or not 0 < confidence < 1:
        raise InvalidInput("rows", len(pairs), "give some rows, and a confidence such as 0.95")
    return EmpiricalError(sum(a != b for a, b in pairs), len(pairs), confidence)


def vc_dimension(hypotheses: Sequence[Callable[[Any], Any]], points: Sequence[Any]) -> int:
    """The size of the largest set of the points that some hypotheses split in every way: by enumeration.

    >>> intervals = [lambda x, a=a, b=b: a <= x < b for a in range(6) for b in range(6)]
    >>> vc_dimension(intervals, range(5))
    2
    """
    patterns = {tuple(bool(each(point)) for point in points) for each in hypotheses}
    found, looked = 0, 0
    if not patterns:
        raise InvalidInput("hypotheses", "none", "give at least one")
    for size in range(1, min(len(points), len(patterns).bit_length()) + 1):
        looked += comb(len(points), size)
        if looked > MOST_SETS:
            raise InvalidInput("points", len(points), "there are too many sets; give fewer points")
        if not any(
            len({tuple(each[place] for place in places) for each in patterns}) == 1 << size
            for places in combinations(range(len(points)), size)
        ):
            break
        found = size
    return found


def uniform_deviation(rows: int, dimension: int, beta: Number = 0.05) -> float:
    """How far the empirical error of any hypothesis of that VC dimension is from its true one, at most, but for beta.

    Vapnik and Chervonenkis 1971, with Sauer's bound on the number of patterns:
    4 (2 e n / d)^d exp(-n a^2 / 8) <= beta.

    >>> round(uniform_deviation(100_000, 3), 3)
    0.057
    """
    n, d = count_of(rows, "rows", least=1), count_of(dimension, "dimension", least=0)
    missed = float(at_least(beta, "beta"))
    if not 0 < missed < 1:
        raise InvalidInput("beta", beta, "give a probability such as 0.05")
    patterns = d * log(2 * exp(1) * max(n, d) / d) if d else 0.0
    return min(1.0, sqrt(8 / n * (patterns + log(4 / missed))))


def sample_size(alpha: Number, dimension: int, beta: Number = 0.05) -> int:
    """How many rows are enough for all empirical errors to be within alpha of the true ones, but for beta.

    >>> uniform_deviation(sample_size(0.05, 3), 3) <= 0.05
    True
    """
    wanted = float(at_least(alpha, "alpha"))
    if not 0 < wanted <= 1:
        raise InvalidInput("alpha", alpha, "give a distance such as 0.05")
    high = 1
    while uniform_deviation(high, dimension, beta) > wanted or high < dimension:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if uniform_deviation(middle, dimension, beta) <= wanted and middle >= dimension:
            high = middle
        else:
            low = middle
    return high


def net_size(alpha: Number, dimension: int) -> int:
    """How many rows a small database needs to answer all counting questions of a class of VC dimension d within alpha.

    By uniform convergence a sample of so many rows does it with probability above one half, so that one exists: the
    databases of this size are the net from which the net mechanism chooses (Blum, Ligett and Roth 2013).

    >>> net_size(0.1, 2) < net_size(0.05, 2)
    True
    """
    return sample_size(alpha, dimension, 0.5)


def _solve(at_most: int, rows: int, wanted: float) -> float:
    """The probability of an error at which so few or fewer of the rows are wrong with the wanted probability."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _cumulative(at_most, rows, middle) > wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _cumulative(at_most: int, rows: int, chance: float) -> float:
    """The probability of at most so many among rows, added up from the largest term in logarithms."""
    if chance <= 0:
        return 1.0
    if chance >= 1:
        return 1.0 if at_most >= rows else 0.0
    term, terms = rows * log(1 - chance), []
    for k in range(at_most + 1):
        terms.append(term)
        if k < rows:
            term += log((rows - k) / (k + 1)) + log(chance / (1 - chance))
    top = max(terms)
    return min(1.0, exp(top) * sum(exp(each - top) for each in terms))
