"""The choice of an event that tells two databases apart, from counts of outcomes in cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.audit.outcome_bins import Cells
from tacit.frozen import frozen

__all__ = ["Aim", "Event", "best_event", "by_epsilon", "by_mu"]

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_NORMAL = NormalDist()
_LEAST, _MOST = 1e-300, 1 - 1e-15


@dataclass(frozen=True, eq=False)
class Event:
    """A set of outcomes: those that `cells` puts where `inside` is true. It is likelier for database `favours`."""

    cells: Cells
    inside: NDArray[np.bool_]
    favours: int

    def __str__(self) -> str:
        return self.cells.words(self.inside)


@frozen
class Aim:
    """What an event should show: a large epsilon at a delta, or, with no delta, a large mu."""

    delta: float | None

    def score(self, low: Floats, high: Floats) -> Floats:
        """What each event shows if it is at least this likely for one database and at most that for the other."""
        if self.delta is not None:
            return np.asarray(
                np.log(np.maximum(low - self.delta, _LEAST)) - np.log(np.maximum(high, _LEAST))
            )
        quantile = np.vectorize(
            lambda share: _NORMAL.inv_cdf(min(max(share, _LEAST), _MOST)), otypes=[np.float64]
        )
        return np.asarray(quantile(low) - quantile(high))


def by_epsilon(delta: Fraction) -> Aim:
    """Events that show a large epsilon at this delta."""
    return Aim(float(delta))


def by_mu() -> Aim:
    """Events that show a large mu."""
    return Aim(None)


def best_event(
    views: list[tuple[Cells, Counts, Counts]], favours: int, aim: Aim, failure: Fraction
) -> tuple[float, Event]:
    """The event that would show most if its counts were repeated, and what it would show.

    Each view comes with the counts of the first and of the second database.  Outcomes enter in the order of how
    much likelier they are for the favoured database; of numbers, also from either end.  The choice need not be good for
    the audit to be right: it is measured on other runs.
    """
    z = -_NORMAL.inv_cdf(max(float(failure), _LEAST))
    found = []
    for cells, *counts in views:
        mine, theirs = counts[favours], counts[1 - favours]
        for order, trust in _orders(cells, mine, theirs):
            scores = trust * aim.score(*_limits(mine[order], theirs[order], z))
            place = int(np.argmax(scores))
            inside = np.zeros(cells.count, dtype=np.bool_)
            inside[order[: place + 1]] = True
            found.append((float(scores[place]), Event(cells, inside, favours)))
    return max(found, key=lambda each: each[0])


def _orders(cells: Cells, mine: Counts, theirs: Counts) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Orders in which cells may enter, and how far each is trusted: one learnt from the counts flatters itself."""
    yield (
        np.argsort(-(mine + 0.5) / (theirs + 0.5), kind="stable"),
        0.97 if cells.is_ordered else 1.0,
    )
    if cells.is_ordered:
        yield np.arange(cells.count), 1.0
        yield np.arange(cells.count - 1, -1, -1), 1.0


def _limits(mine: Counts, theirs: Counts, z: float) -> tuple[Floats, Floats]:
    """About the least share of the one and the most of the other, for each prefix of cells: Wilson's interval."""
    return _wilson(np.cumsum(mine), mine.sum(), -z), _wilson(np.cumsum(theirs), theirs.sum(), z)


def _wilson(hits: Counts, runs: int, z: float) -> Floats:
    share = hits / runs
    spread = np.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    return np.asarray((share + z * z / (2 * runs) + z * spread) / (1 + z * z / runs))
