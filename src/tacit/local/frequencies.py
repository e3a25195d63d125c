"""How many people hold each value, judged from noisy reports: unbiased, with intervals."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least, normal_quantile, upper
from tacit.frozen import frozen
from tacit.local.protocol import FrequencyProtocol
from tacit.printing import printable

__all__ = ["Frequencies", "project", "quantile_of"]

Floats = NDArray[np.float64]

_SHOWN = 40  # rows of a printed table


@frozen
class Frequencies:
    """The number of reports that support each value, and what follows from it.

    >>> from tacit.local import KaryResponse
    >>> found = KaryResponse.two_coin(["no", "yes"]).collect([1, 1, 0, 1])
    >>> found.count("yes"), found.people
    (Fraction(4, 1), 4)
    """

    protocol: FrequencyProtocol
    people: int
    supports: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.people:
            raise InvalidData("there are no reports to estimate from; collect some first")

    def __add__(self, other: Frequencies) -> Frequencies:
        """Both collections as one."""
        if self.protocol != other.protocol:
            raise InvalidInput(
                "a collection", "of another protocol", "add reports of one protocol only"
            )
        both = tuple(a + b for a, b in zip(self.supports, other.supports, strict=True))
        return Frequencies(self.protocol, self.people + other.people, both)

    def count(self, value: Hashable) -> Fraction:
        """How many people hold a value, estimated without bias.

        Claim:      its expected value is the true count.
        Because:    E[supports] = people stray + count (truth - stray), solved for the count.
        Checked by: tests/laws/test_local.py::test_estimates_are_unbiased_and_have_the_stated_variance
        """
        p, q = self.protocol.truth, self.protocol.stray
        return (self.supports[self.protocol.index_of(value)] - self.people * q) / (p - q)

    @property
    def counts(self) -> Floats:
        """How many people hold each value; some may be below zero."""
        p, q = self.protocol.truth, self.protocol.stray
        scaled = np.array(self.supports, dtype=np.float64) - float(self.people * q)
        return np.asarray(scaled / float(p - q))

    @property
    def shares(self) -> Floats:
        """The counts as shares of the people."""
        return self.counts / self.people

    @property
    def deviations(self) -> Floats:
        """The standard deviation of every count, at the estimated counts."""
        p, q = self.protocol.truth, self.protocol.stray
        held = np.clip(self.counts, 0, self.people)
        spread = held * float(p * (1 - p)) + (self.people - held) * float(q * (1 - q))
        return np.asarray(np.sqrt(spread) / float(p - q))

    def interval(self, value: Hashable, confidence: Number = 0.95) -> tuple[float, float]:
        """Where the true count of one value lies with this confidence."""
        low, high = self.intervals(confidence)[self.protocol.index_of(value)]
        return float(low), float(high)

    def intervals(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> Floats:
        """Where each true count lies with this confidence; `simultaneous`: where all lie together.

        Claim:      the counts c with |supports - E| <= z deviation, both at c: the score interval, by the
                    normal law; all together by Bonferroni's inequality.
        Because:    supports are a sum of two binomials, whose mean and variance are linear in c.
        Checked by: tests/laws/test_local_intervals.py::test_intervals_cover_as_often_as_they_say
        """
        z = quantile_of(confidence, len(self.supports) if simultaneous else 1)
        p, q = self.protocol.truth, self.protocol.stray
        apart, spread = float(p - q), float(q * (1 - q))
        slope = float(p * (1 - p) - q * (1 - q))
        excess = np.array(self.supports, dtype=np.float64) - float(self.people * q)
        middle = 2 * excess * apart + z * z * slope
        under = (
            z
            * z
            * (4 * excess * apart * slope + z * z * slope**2 + 4 * apart**2 * self.people * spread)
        )
        half = np.sqrt(np.maximum(under, 0))
        ends = np.stack([middle - half, middle + half], axis=1) / (2 * apart**2)
        return np.asarray(np.clip(ends, 0, self.people))

    def consistent(self) -> Floats:
        """Counts of at least zero that sum to the people: the nearest ones to the estimates.

        It is post-processing and costs nothing; small counts are no longer unbiased.
        """
        return project(self.counts, float(self.people))

    def shrunk(self) -> Floats:
        """Consistent counts with a smaller expected error: first moved towards their mean, by how much of it is noise.

        Where noise is as large as what it hides, single counts are best not believed (James and Stein 1961); where less
        than half is noise they are moved by less, since the projection removes most of it.  It is post-processing and
        costs nothing; counts that stand out are understated.
        """
        middle, apart = (
            self.people / len(self.supports),
            self.counts - self.people / len(self.supports),
        )
        noise = float(np.square(self.deviations).mean()) * max(0, len(self.supports) - 3)
        spread = float(np.square(apart).sum())
        share = min(1.0, noise / spread) if spread else 1.0
        kept = 1 - share if share > 0.5 else 1 - 2 * share**2
        return project(middle + kept * apart, float(self.people))

    def table(self, confidence: Number = 0.95) -> list[tuple[Hashable, float, float, float]]:
        """A row for each value: the value, its count, and the ends of its interval."""
        ends = self.intervals(confidence)
        rows = zip(self.protocol.values, self.counts.tolist(), ends.tolist(), strict=True)
        return [(value, count, low, high) for value, count, (low, high) in rows]

    def plot(self, path: str | Path, title: str = "", confidence: Number = 0.95) -> None:
        """Draw the counts as bars with whiskers into a file."""
        from tacit.local.pictures import draw_bars

        rows = self.table(confidence)
        draw_bars(path, [(str(value), *numbers) for value, *numbers in rows], title)

    def __str__(self) -> str:
        return self.show()

    def show(self, confidence: Number = 0.95) -> str:
        """The counts with their intervals, as a text."""
        lines = [f"{self.people:,} reports, each at epsilon {self.protocol.epsilon:.4g}"]
        moved = False
        for value, count, low, high in self.table(confidence)[:_SHOWN]:
            possible = min(max(count, low), high)
            moved = moved or possible != count
            lines.append(f"  {printable(str(value))}: {possible:,.0f} ({low:,.0f} to {high:,.0f})")
        more = len(self.supports) - _SHOWN
        lines += [f"  and {more:,} more"] * (more > 0)
        lines += [
            "  (an estimate below 0 is shown as 0, one beyond its interval as its end)"
        ] * moved
        return "\n".join(lines)


def quantile_of(confidence: Number, intervals: int = 1) -> float:
    """How many standard deviations an interval reaches to either side, one of so many together.

    >>> round(quantile_of(0.95), 4), round(quantile_of(0.95, intervals=10), 4)
    (1.96, 2.807)
    """
    wanted = at_least(confidence, "confidence")
    if not 0 < wanted < 1:
        raise InvalidInput("confidence", confidence, "give a probability strictly between 0 and 1")
    return float(upper(normal_quantile(1 - (1 - wanted) / (2 * intervals))))


def project(numbers: Any, total: float) -> Floats:
    """The nearest numbers of at least zero with this sum.

    Claim:      no other such vector is closer in Euclidean distance.
    Because:    the nearest one is max(0, x - t) for the t with which it sums to the total, and t is
                found by sorting (Held, Wolfe, Crowder 1974).
    Checked by: tests/unit/local/test_frequencies.py::test_the_projection_is_the_nearest_point_of_the_simplex

    >>> project(np.array([6.0, 5.0, -3.0]), 10.0)
    array([5.5, 4.5, 0. ])
    """
    array = np.asarray(numbers, dtype=np.float64)
    falling = np.sort(array)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    kept = int(np.flatnonzero(falling > shifts)[-1])
    return np.asarray(np.maximum(array - shifts[kept], 0))
