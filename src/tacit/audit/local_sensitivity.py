"""Local sensitivity of any Python function, and its smooth version, by looking at a whole small universe."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction

from tacit.audit.databases import Database, databases, distance, neighbouring_pairs, pairs_needed
from tacit.audit.sensitivity import difference, length_of, value_of
from tacit.exact import Ball, Number, at_least, ball, working
from tacit.frozen import frozen
from tacit.privacy import Neighbours, Norm

__all__ = ["LocalSensitivities", "local_sensitivities"]


@frozen(eq=False)
class LocalSensitivities:
    """How far a function's value moves from each database of a universe to its neighbours in it.

    >>> found = local_sensitivities(lambda rows: max(rows), range(4), 2, Neighbours.REPLACE)
    >>> found.at((0, 3)), found.at((1, 1)), found.globally
    (Fraction(3, 1), Fraction(2, 1), Fraction(3, 1))
    """

    moves: dict[Database, Fraction]
    neighbours: Neighbours

    def at(self, database: Iterable[Hashable]) -> Fraction:
        """The local sensitivity at a database: itself private, and no scale for noise."""
        return self.moves[tuple(sorted(database))]  # type: ignore[type-var]

    @property
    def globally(self) -> Fraction:
        """The largest of them, which may calibrate noise."""
        return max(self.moves.values())

    def smooth(self, beta: Number) -> dict[Database, Ball]:
        """For every database the largest of what its neighbours move at k steps, times e**(-beta k).

        Claim:      the smallest function that is at least the local sensitivity and changes by at most e**beta between
                    neighbours of this universe.
        Because:    any such function is at least the local sensitivity at every other database times e**(-beta k)
                    (Nissim, Raskhodnikova, Smith 2007), and this one has both properties.
        Checked by: tests/unit/audit/test_local_sensitivity.py::test_the_smooth_bound_is_smooth_and_the_least
        """
        decay = at_least(beta, "beta")
        found = {}
        with working():
            steps = {k: (-ball(decay * k)).exp() for k in range(self._furthest() + 1)}
            for database in self.moves:
                best = ball(0)
                for other, moved in self.moves.items():
                    if moved:
                        apart = distance(database, other, self.neighbours, ordered=False)
                        best = best.max(ball(moved) * steps[apart])
                found[database] = best
        return found

    def _furthest(self) -> int:
        sizes = [len(database) for database in self.moves]
        return 2 * max(sizes)


def local_sensitivities(
    function: Callable[[Database], object],
    universe: Iterable[Hashable],
    size: int,
    neighbours: Neighbours,
) -> LocalSensitivities:
    """The local sensitivity of a function at every database of a small universe; rows have no order.

    Under add-or-remove the databases have at most `size` rows, and neighbours of the largest ones that have more are
    not looked at.

    >>> median = lambda rows: sorted(rows)[len(rows) // 2]
    >>> local_sensitivities(median, range(10), 3, Neighbours.REPLACE).at((4, 5, 6))
    Fraction(1, 1)
    """
    rows = tuple(sorted(universe))  # type: ignore[type-var]
    pairs_needed(rows, size, neighbours, ordered=False)
    moves = dict.fromkeys(databases(rows, size, neighbours, ordered=False), Fraction(0))
    known = {database: value_of(function, database) for database in moves}
    for one, other in neighbouring_pairs(rows, size, neighbours, ordered=False):
        apart = length_of(difference(known[one], known[other]), Norm.L1)
        moves[one], moves[other] = max(moves[one], apart), max(moves[other], apart)
    return LocalSensitivities(moves, neighbours)
