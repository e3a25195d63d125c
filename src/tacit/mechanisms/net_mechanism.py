"""The net mechanism of Blum, Ligett and Roth: a small database whose answers are near, chosen from a net of such."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, comb, log

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_least, at_most, count_of
from tacit.frozen import frozen
from tacit.mechanisms.exponential import Exponential
from tacit.privacy import Loss, Neighbours, Sensitivity

__all__ = ["Net", "NetMechanism", "database_answers", "net_rows_bound"]

Counts = tuple[int, ...]
"""How many rows a database has of each kind: one number for every element of the universe."""

_MOST = 200_000


def database_answers(
    queries: Sequence[Sequence[int]], databases: Iterable[Counts]
) -> NDArray[np.int64]:
    """How many rows of each database meet each query: a row for each database.

    >>> database_answers([(1, 0, 1)], [(2, 5, 1)]).tolist()
    [[3]]
    """
    return np.array(list(databases), np.int64) @ np.array(queries, np.int64).T


def net_rows_bound(queries: int, alpha: Number) -> int:
    """So many rows are always enough for a net: 2 ln(2 |C|) / alpha**2 (Hoeffding, at distance alpha / 2).

    >>> net_rows_bound(8, Fraction(1, 4))
    89
    """
    return ceil(2 * log(2 * queries) / float(at_most(alpha, "alpha")) ** 2)


@frozen
class Net:
    """Small databases of `rows` rows each, of which one answers all queries within alpha / 2 of any database of n rows.

    Found by search: by size, the first that suffices; then without those that no database needs.  All of it follows
    from the queries, n and alpha, which are public.

    >>> parity = [(1, 0, 0, 1), (1, 1, 0, 0)]
    >>> net = Net.find(parity, n=6, alpha=Fraction(1, 2))
    >>> net.rows, len(net.databases)
    (2, 9)
    """

    queries: tuple[Counts, ...]
    databases: tuple[Counts, ...]
    rows: int
    n: int
    alpha: Fraction

    @classmethod
    def find(cls, queries: Sequence[Sequence[int]], n: int, alpha: Number) -> Net:
        """The net with the fewest rows a database, over a universe of as many elements as a query has entries."""
        listed, size = _check(queries), count_of(n, "n", least=1)
        near = at_most(alpha, "alpha")
        if not 0 < near < 1:
            raise InvalidInput("alpha", alpha, "give an error between 0 and 1, such as 1/4")
        universe = len(listed[0])
        wanted = np.unique(database_answers(listed, _databases(universe, size)), axis=0)
        for rows in range(1, size + 1):
            candidates = list(_databases(universe, rows))
            covers = _covers(database_answers(listed, candidates), rows, wanted, size, near)
            if covers.any(axis=0).all():
                chosen = tuple(candidates[place] for place in _thin(covers))
                return cls(listed, chosen, rows, size, near)
        raise AssertionError("every database is near itself")

    def error(self, counts: Sequence[int]) -> Fraction:
        """How far the nearest database of the net is from one: at most alpha / 2 if that has n rows."""
        gaps = -self.scores(counts)
        return Fraction(int(gaps.min()), self.rows * sum(counts)) if sum(counts) else Fraction(0)

    def scores(self, counts: Sequence[int]) -> NDArray[np.int64]:
        """Of each database of the net, minus its largest error, in whole steps of 1 / (rows * n).

        Claim:      between neighbours a score moves by at most `rows`, whichever relation holds.
        Because:    it is -max |m Q(x) - n Q(y)| with 0 <= Q(y) <= m: replacing a row moves Q(x) by one at most; adding
                    one moves both Q(x) and n, and |m d - Q(y)| <= m for d = 0 and d = 1.
        Checked by: tests/laws/test_net.py::test_no_neighbour_moves_a_score_further_than_claimed
        """
        held = tuple(counts)
        if len(held) != len(self.queries[0]) or any(count < 0 for count in held):
            raise InvalidInput("counts", held, "give a count for every element of the universe")
        exact = self.rows * database_answers(self.queries, [held])
        theirs = sum(held) * database_answers(self.queries, self.databases)
        return np.asarray(-np.abs(exact - theirs).max(axis=1))


@frozen
class NetMechanism:
    """A small database that answers all queries of a net nearly as the data do, by the exponential mechanism.

    Claim:      it is epsilon-DP under either relation, and its largest error is below alpha with the probability that
                `usefulness` says.
    Because:    scores move by at most m (see `Net.scores`), and one of the net is within alpha / 2.
    Checked by: tests/laws/test_net.py::test_the_net_mechanism_is_as_private_as_it_says

    >>> net = Net.find([(1, 0), (0, 1)], n=4, alpha=Fraction(1, 2))
    >>> mechanism = NetMechanism.calibrate(net, epsilon=1)
    >>> mechanism.release((3, 1)) in net.databases
    True
    """

    net: Net
    choice: Exponential

    @classmethod
    def calibrate(cls, net: Net, epsilon: Number) -> NetMechanism:
        """The mechanism with the least randomness whose loss is at most epsilon."""
        return cls(net, Exponential.calibrate(epsilon, net.rows))

    def release(self, counts: Sequence[int]) -> Counts:
        """A small database, chosen by how near its answers are to those of `counts`."""
        return self.net.databases[self.choice.release(self.net.scores(counts))]

    def distribution(self, counts: Sequence[int]) -> dict[Counts, Ball]:
        """The exact chance of every database of the net."""
        chances = self.choice.distribution(self.net.scores(counts))
        return {self.net.databases[place]: chance for place, chance in chances.items()}

    def loss(self, neighbours: Neighbours) -> Loss:
        """What one release costs."""
        return self.choice.loss(Sensitivity(self.net.rows, neighbours=neighbours))

    def usefulness(self, beta: Number) -> float:
        """The largest error of all answers, as a share of n rows, but with probability beta: that of the net and of
        the choice, alpha / 2 + 2 ln(|N| / beta) / (epsilon n)."""
        failure = float(at_least(beta, "beta"))
        steps = float(self.choice.scale) * log(len(self.net.databases) / failure)
        return float(self.net.alpha) / 2 + steps / (self.net.rows * self.net.n)


def _check(queries: Sequence[Sequence[int]]) -> tuple[Counts, ...]:
    """Queries as tuples of zeros and ones, all of one length."""
    listed = tuple(tuple(int(each) for each in query) for query in queries)
    if not listed or len({len(query) for query in listed}) != 1 or not listed[0]:
        raise InvalidInput(
            "queries", queries, "give a 0 or 1 for every element of the universe, for each query"
        )
    if {each for query in listed for each in query} - {0, 1}:
        raise InvalidInput("queries", queries, "a counting query has entries 0 and 1")
    return listed


def _databases(universe: int, rows: int) -> Iterator[Counts]:
    """All databases of so many rows, by the counts of their elements."""
    if comb(universe + rows - 1, rows) > _MOST:
        remedy = f"there are more than {_MOST:,} databases; use a smaller universe"
        raise InvalidInput("n", rows, remedy)
    for drawn in combinations_with_replacement(range(universe), rows):
        yield tuple(np.bincount(drawn, minlength=universe).tolist())


def _covers(
    answers: NDArray[np.int64], rows: int, wanted: NDArray[np.int64], n: int, alpha: Fraction
) -> NDArray[np.bool_]:
    """Which candidates are within alpha / 2 of which databases' answers."""
    far = np.zeros((len(answers), len(wanted)), np.int64)
    for place in range(answers.shape[1]):
        far = np.maximum(far, np.abs(n * answers[:, place, None] - rows * wanted[None, :, place]))
    return np.asarray(2 * far * alpha.denominator <= alpha.numerator * rows * n)


def _thin(covers: NDArray[np.bool_]) -> list[int]:
    """A few rows of a matrix that cover all its columns: always the one that covers most of what is left."""
    left, chosen = np.ones(covers.shape[1], bool), list[int]()
    while left.any():
        best = int((covers & left).sum(axis=1).argmax())
        chosen.append(best)
        left &= ~covers[best]
    return sorted(chosen)
