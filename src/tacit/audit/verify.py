"""Exact differential privacy of any finite mechanism, by looking at every pair of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from tacit.audit.databases import PAIRS_AT_MOST, Database, Pair, neighbouring_pairs, pairs_needed
from tacit.audit.distributions import Distribution, distribution_of
from tacit.audit.frontier import Frontier, Witness, attained_tests, guaranteed_tests, hull
from tacit.audit.report import Report
from tacit.exact import PRECISION, count_of, working
from tacit.privacy import Neighbours, relation
from tacit.progress import show_progress

__all__ = ["Mechanism", "compare", "verify"]

Mechanism = Callable[[Database], object]


def verify(
    mechanism: Mechanism,
    universe: Iterable[Hashable],
    size: int,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    *,
    ordered: bool = True,
    limit: int = PAIRS_AT_MOST,
    bits: int = PRECISION,
) -> Report:
    """A report on the privacy of `mechanism` over all neighbours of a small universe.

    The mechanism takes a database, a tuple of rows, and returns the distribution of its output: a mapping
    from every outcome to a `Fraction` or a `Ball`, or `Truncated` if the support is infinite.
    Balls are computed with `bits` bits.

    Claim:      `guaranteed` bounds every event and every pair of neighbours of the universe, both ways round;
                `attained` is reached by an event. Databases outside the universe are not spoken for.
    Because:    all pairs are enumerated; pairs with the same two distributions have the same tests.
    Checked by: tests/laws/test_exact_verifier.py

    >>> from fractions import Fraction
    >>> def two_coins(rows):
    ...     yes = Fraction(3, 4) if rows[0] == "yes" else Fraction(1, 4)
    ...     return {"yes": yes, "no": 1 - yes}
    >>> report = verify(two_coins, universe=("yes", "no"), size=1, neighbours="replace")
    >>> report.ratio(), report.total_variation(), report.holds_at_ratio(3)
    (Fraction(3, 1), Fraction(1, 2), True)
    """
    universe, bits = tuple(universe), count_of(bits, "bits", least=2)
    total = pairs_needed(universe, size, neighbours, ordered=ordered, limit=limit)
    every_pair = neighbouring_pairs(universe, size, neighbours, ordered=ordered)
    catalogue = _Catalogue(mechanism, bits)
    pairs = 0
    first: dict[tuple[int, int], Pair] = {}
    for x, y in show_progress(every_pair, total, "pairs of neighbours"):
        pairs += 1
        i, j = catalogue.number_of(x), catalogue.number_of(y)
        first.setdefault((min(i, j), max(i, j)), (x, y) if i <= j else (y, x))
    different = [(catalogue.kinds[i], catalogue.kinds[j], pair) for (i, j), pair in first.items()]
    return Report(relation(neighbours), len(catalogue.known), pairs, *_frontiers(different))


def compare(p: object, q: object) -> Report:
    """A report on how well two distributions can be told apart, both ways round.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> compare({"a": half, "b": half}, {"a": half, "c": half}).total_variation()
    Fraction(1, 2)
    """
    return Report(
        None, 2, 1, *_frontiers([(distribution_of(p), distribution_of(q), (("p",), ("q",)))])
    )


class _Catalogue:
    """The distribution of every database met so far, equal ones under one number."""

    def __init__(self, mechanism: Mechanism, bits: int) -> None:
        self.mechanism = mechanism
        self.bits = bits
        self.known: dict[Database, int] = {}
        self.numbers: dict[Hashable, int] = {}
        self.kinds: list[Distribution] = []

    def number_of(self, database: Database) -> int:
        if database not in self.known:
            self.known[database] = self._file(self._distribution(database))
        return self.known[database]

    def _distribution(self, database: Database) -> Distribution:
        try:
            with working(self.bits):
                return distribution_of(self.mechanism(database))
        except Exception as error:
            error.add_note(f"while the mechanism ran on the database {database!r}")
            raise

    def _file(self, distribution: Distribution) -> int:
        number = self.numbers.setdefault(distribution.key, len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(distribution)
        return number


def _frontiers(
    different: list[tuple[Distribution, Distribution, Pair]],
) -> tuple[Frontier, Frontier]:
    """The guaranteed and the attained frontier of all pairs, both ways round."""
    exact = all(p.exact and q.exact for p, q, _ in different)
    guaranteed: tuple[Witness, ...] = ()
    attained: tuple[Witness, ...] = ()
    for p, q, (x, y) in show_progress(
        different, len(different), "pairs of different distributions"
    ):
        for one, other, pair in ((p, q, (x, y)), (q, p, (y, x))):
            guaranteed = hull([*guaranteed, *guaranteed_tests(one, other, pair)])
            if not exact:
                attained = hull([*attained, *attained_tests(one, other, pair)])
    return Frontier(guaranteed), Frontier(guaranteed if exact else attained)
