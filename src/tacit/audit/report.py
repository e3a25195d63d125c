"""What the verifier found out about a mechanism."""

from __future__ import annotations

from fractions import Fraction

from tacit.audit.enclosure import Enclosure, Number, enclose
from tacit.audit.frontier import Breakpoint, Frontier, Witness
from tacit.errors import NotPrivate, Undecided
from tacit.exact import PRECISION
from tacit.frozen import frozen
from tacit.privacy import Neighbours

__all__ = ["Report"]


@frozen
class Report:
    """The privacy of a mechanism over all neighbours of a small universe.

    `guaranteed` is never better than the truth, `attained` never worse; for rational probabilities without
    a tail the two are the same and every figure at a rational delta or e^epsilon is exact.
    """

    neighbours: Neighbours | None
    databases: int
    pairs: int
    guaranteed: Frontier
    attained: Frontier

    @property
    def exact(self) -> bool:
        """Whether nothing was enclosed: all probabilities were rational and none was left out."""
        mine, other = (
            [(v.under_x, v.under_y) for v in f.vertices] for f in (self.guaranteed, self.attained)
        )
        return mine == other

    def ratio(self, delta: int | Fraction = 0) -> Fraction:
        """The smallest e^epsilon >= 1 that is guaranteed at `delta`."""
        return self.guaranteed.ratio(delta)

    def delta_at_ratio(self, ratio: int | Fraction) -> Fraction:
        """The smallest delta that is guaranteed at e^epsilon = `ratio`."""
        return self.guaranteed.delta_at_ratio(ratio)

    def epsilon(self, delta: Number = 0) -> Enclosure:
        """The smallest epsilon at `delta`."""
        return Enclosure(self.attained.epsilon(delta).low, self.guaranteed.epsilon(delta).high)

    def delta(self, epsilon: Number) -> Enclosure:
        """The smallest delta at `epsilon`."""
        return self._delta(epsilon, PRECISION)

    def total_variation(self) -> Fraction:
        """The most that the probability of an event can differ between neighbours: the smallest delta at epsilon 0."""
        return self.delta_at_ratio(1)

    def frontier(self) -> tuple[Breakpoint, ...]:
        """All corners of the guaranteed delta as a function of e^epsilon, from 1 upwards."""
        return self.guaranteed.breakpoints()

    def tradeoff(self, alpha: Number) -> Fraction:
        """The rate of misses that any attacker has at least, who tells neighbours apart with `alpha` false alarms."""
        return self.guaranteed.tradeoff(alpha)

    def roc(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The vertices (false alarms, hits) of the best attacker's curve, from (0, ...) to (1, 1)."""
        points = [(vertex.under_y, vertex.under_x) for vertex in self.attained.vertices]
        return tuple(points if points[-1][0] == 1 else [*points, (Fraction(1), Fraction(1))])

    def worst(self, delta: int | Fraction = 0) -> Witness:
        """The pair and the event that force epsilon up at `delta`."""
        return self.attained.worst(delta)

    def worst_at(self, epsilon: Number) -> Witness:
        """The pair and the event that force delta up at `epsilon`."""
        return self.attained.worst_at_ratio(self.attained.reach(epsilon).low)

    def worst_at_ratio(self, ratio: int | Fraction) -> Witness:
        """The pair and the event that force delta up at e^epsilon = `ratio`."""
        return self.attained.worst_at_ratio(ratio)

    def holds(self, epsilon: Number, delta: Number = 0) -> bool:
        """Whether the mechanism is (epsilon, delta)-differentially private on this universe.

        Claim:      True and False are both certain; a claim inside the enclosure raises `Undecided`.
        Because:    True needs the guaranteed delta to be at most the claimed one in its strictest reading,
                    False the attained delta to exceed it in its loosest. For rational mechanisms a finer
                    enclosure of e^epsilon settles every claim that is not met with equality.
        Checked by: tests/unit/audit/test_report.py
        """
        claimed = enclose(delta, "delta")
        for bits in (PRECISION, 4 * PRECISION, 16 * PRECISION):
            smallest = self._delta(epsilon, bits)
            if smallest.high <= claimed.low:
                return True
            if smallest.low > claimed.high:
                return False
        raise Undecided(smallest.low, smallest.high)

    def holds_at_ratio(self, ratio: int | Fraction, delta: int | Fraction = 0) -> bool:
        """Whether the mechanism is private at e^epsilon = `ratio` and `delta`; exact for rational mechanisms."""
        low, high = self.attained.delta_at_ratio(ratio), self.guaranteed.delta_at_ratio(ratio)
        if low <= delta < high:
            raise Undecided(low, high)
        return high <= delta

    def __str__(self) -> str:
        pairs = f"{self.pairs:,} {'pair' if self.pairs == 1 else 'pairs'} of neighbours"
        scope = "two distributions"
        if self.neighbours is not None:
            scope = f"{self.databases:,} databases, {pairs} by {self.neighbours.value}"
        try:
            epsilon = f"epsilon {self.epsilon()}"
        except NotPrivate:
            epsilon = "no finite epsilon"
        return f"{scope}: {epsilon} at delta 0; delta {self.delta(0)} at epsilon 0"

    def _delta(self, epsilon: Number, bits: int) -> Enclosure:
        return Enclosure(
            self.attained.delta(epsilon, bits).low, self.guaranteed.delta(epsilon, bits).high
        )
