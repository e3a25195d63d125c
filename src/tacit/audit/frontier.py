"""The exact trade-off between epsilon and delta of one or many pairs of distributions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import NamedTuple

from tacit.audit.databases import Pair
from tacit.audit.distributions import NOTHING, Distribution, Outcome
from tacit.audit.enclosure import Enclosure, Number, enclose, exp_of, log_of, rational
from tacit.errors import InvalidInput, NotPrivate
from tacit.exact import PRECISION
from tacit.frozen import frozen

__all__ = ["Breakpoint", "Frontier", "Witness", "attained_tests", "guaranteed_tests", "hull"]


@frozen
class Witness:
    """An event and how probable it is under two databases: one test between them.

    `under_x` is P(M(x) in event) and `under_y` is P(M(y) in event), where (x, y) is `pair`.
    """

    pair: Pair
    under_x: Fraction
    under_y: Fraction
    ranked: tuple[Outcome, ...] = field(repr=False)
    taken: int = field(repr=False)

    @property
    def event(self) -> frozenset[Outcome]:
        """The outcomes that make up the event."""
        return frozenset(self.ranked[: self.taken])

    def delta_at_ratio(self, ratio: Fraction) -> Fraction:
        """How much more probable the event is under x than `ratio` times its probability under y."""
        return self.under_x - ratio * self.under_y

    def __str__(self) -> str:
        x, y = self.pair
        event = "{" + ", ".join(repr(outcome) for outcome in self.ranked[: self.taken]) + "}"
        p, q = _format_mass(self.under_x), _format_mass(self.under_y)
        return f"{event} has probability {p} under {x!r} and {q} under {y!r}"


class Breakpoint(NamedTuple):
    """A corner of the frontier: at e^epsilon = `ratio` the smallest delta is `delta`."""

    ratio: Fraction
    delta: Fraction


@frozen
class Frontier:
    """The smallest delta for every epsilon, as the upper hull of all tests.

    Claim:      `delta_at_ratio(t)` is the largest P(S) - t Q(S), and `ratio(delta)` is the smallest t >= 1
                with P(S) <= t Q(S) + delta, over all events S and all ordered pairs (P, Q) that made the hull.
    Because:    for one pair and one t the best S is { o : P(o) > t Q(o) } (Neyman and Pearson), a prefix of the
                outcomes sorted by P/Q. So every S lies on or below the hull of the prefixes' points
                (Q(S), P(S)), and a linear function of such a point is largest at a vertex. Solving
                P(S) - t Q(S) = delta for t at each vertex gives the smallest t.
    Checked by: tests/laws/test_exact_verifier.py
    """

    vertices: tuple[Witness, ...]

    def delta_at_ratio(self, ratio: int | Fraction) -> Fraction:
        """The smallest delta at e^epsilon = `ratio`."""
        excess = self.worst_at_ratio(ratio).delta_at_ratio(Fraction(ratio))
        return min(max(excess, Fraction(0)), Fraction(1))

    def ratio(self, delta: int | Fraction = 0) -> Fraction:
        """The smallest e^epsilon >= 1 at `delta`."""
        worst, delta = self.worst(delta), Fraction(delta)
        if min(worst.under_x, Fraction(1)) <= delta:  # what is rounded up may exceed 1
            return Fraction(1)
        if not worst.under_y:
            mass, (x, y) = _format_mass(worst.under_x), worst.pair
            raise NotPrivate(
                f"no epsilon is large enough at delta {_format_mass(delta)}: "
                f"outcomes of mass {mass} under {x!r} are not "
                f"known to be possible under its neighbour {y!r}; "
                f"ask at a delta of at least {mass}, or list more outcomes if a tail was cut off"
            )
        return max(Fraction(1), (worst.under_x - delta) / worst.under_y)

    def delta(self, epsilon: Number, bits: int = PRECISION) -> Enclosure:
        """The smallest delta at `epsilon`."""
        ratio = self.reach(epsilon, bits)
        return Enclosure(self.delta_at_ratio(ratio.high), self.delta_at_ratio(ratio.low))

    def epsilon(self, delta: Number = 0, bits: int = PRECISION) -> Enclosure:
        """The smallest epsilon >= 0 at `delta`."""
        given = enclose(delta, "delta")
        return log_of(Enclosure(self.ratio(given.high), self.ratio(given.low)), bits)

    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The corners of delta as a function of e^epsilon >= 1: linear between two, constant after the last."""
        corners = [Breakpoint(Fraction(1), self.delta_at_ratio(1))]
        for steep, flat in reversed(list(zip(self.vertices, self.vertices[1:], strict=False))):
            ratio = (flat.under_x - steep.under_x) / (flat.under_y - steep.under_y)
            if ratio > 1:
                corners.append(Breakpoint(ratio, steep.delta_at_ratio(ratio)))
        return tuple(corners)

    def tradeoff(self, alpha: Number) -> Fraction:
        """The smallest rate of misses of any test between neighbours whose rate of false alarms is `alpha`.

        Claim:      no test, randomised or not, misses less often.
        Because:    a randomised test is a mixture of events, so it lies on or below the hull.
        Checked by: tests/laws/test_exact_verifier.py
        """
        at = enclose(alpha, "alpha").high
        if not 0 <= at <= 1:
            raise InvalidInput("alpha", alpha, "give a rate of false alarms from 0 to 1")
        for left, right in zip(self.vertices, self.vertices[1:], strict=False):
            if left.under_y <= at <= right.under_y:
                slope = (right.under_x - left.under_x) / (right.under_y - left.under_y)
                return max(1 - left.under_x - slope * (at - left.under_y), Fraction(0))
        return max(1 - self.vertices[-1].under_x, Fraction(0))

    def worst(self, delta: int | Fraction = 0) -> Witness:
        """The event that forces epsilon up at `delta`; of several, the one the enumeration met first."""
        delta = rational(delta, "delta")
        if delta < 0:
            raise InvalidInput("delta", delta, "give a probability of at least 0")
        over = [vertex for vertex in self.vertices if vertex.under_x > delta]
        if over and not over[0].under_y:
            return over[0]
        return max(
            over,
            key=lambda vertex: (vertex.under_x - delta) / vertex.under_y,
            default=self.vertices[-1],
        )

    def worst_at_ratio(self, ratio: int | Fraction) -> Witness:
        """The event that forces delta up at e^epsilon = `ratio`."""
        t = rational(ratio, "ratio")
        if t < 1:
            raise InvalidInput("ratio", ratio, "give e^epsilon, a number of at least 1")
        return max(self.vertices, key=lambda vertex: vertex.delta_at_ratio(t))

    def reach(self, epsilon: Number, bits: int = PRECISION) -> Enclosure:
        """e^epsilon, or the last breakpoint's ratio if that is smaller: delta is the same at both."""
        given = enclose(epsilon, "epsilon")
        if given.low < 0:
            raise InvalidInput("epsilon", epsilon, "give a number of at least 0")
        last = self.breakpoints()[-1].ratio
        # log(last) is smaller, and e^epsilon may not fit into memory
        if given.low >= last.numerator.bit_length():
            return Enclosure(last, last)
        return exp_of(given, bits)


def attained_tests(p: Distribution, q: Distribution, pair: Pair) -> Iterator[Witness]:
    """Tests that certainly reach what they show: low ends under x, high ends under y."""
    other = dict(q.listed)
    elsewhere = Enclosure(Fraction(0), q.unlisted)
    weights = [
        (outcome, mass.low, other.get(outcome, elsewhere).high) for outcome, mass in p.listed
    ]
    return _prefixes(weights, Fraction(0), pair)


def guaranteed_tests(p: Distribution, q: Distribution, pair: Pair) -> Iterator[Witness]:
    """Tests that no event can beat: high ends and the whole tail under x, low ends under y.

    Claim:      P(S) - t Q(S) is at most the best of these tests, for every event S, listed or not, and t >= 0.
    Because:    each listed outcome adds at most max(0, high(P) - t low(Q)), and the unlisted ones together add
                at most their mass under P.
    Checked by: tests/laws/test_exact_verifier.py
    """
    other = dict(q.listed)
    weights = [(outcome, mass.high, other.get(outcome, NOTHING).low) for outcome, mass in p.listed]
    return _prefixes(weights, p.unlisted, pair)


def hull(tests: Iterable[Witness]) -> tuple[Witness, ...]:
    """The vertices of the rising upper hull of the tests, by growing probability under y."""
    kept: list[Witness] = []
    for test in sorted(tests, key=lambda test: (test.under_y, -test.under_x)):
        if kept and test.under_x <= kept[-1].under_x:
            continue
        while len(kept) > 1 and not _turns_right(kept[-2], kept[-1], test):
            kept.pop()
        kept.append(test)
    return tuple(kept)


def _prefixes(
    weights: list[tuple[Outcome, Fraction, Fraction]], tail: Fraction, pair: Pair
) -> Iterator[Witness]:
    """The tests "one of the k most telling outcomes came up", for every k, and "anything came up"."""
    weights.sort(
        key=lambda weight: (weight[2] > 0, -weight[1] / weight[2] if weight[2] else -weight[1])
    )
    ranked = tuple(outcome for outcome, _, _ in weights)
    under_x, under_y = tail, Fraction(0)
    yield Witness(pair, under_x, under_y, ranked, 0)
    for taken, (_, more_x, more_y) in enumerate(weights, start=1):
        under_x, under_y = under_x + more_x, under_y + more_y
        yield Witness(pair, under_x, under_y, ranked, taken)
    yield Witness(pair, Fraction(1), Fraction(1), ranked, len(ranked))


def _turns_right(a: Witness, b: Witness, c: Witness) -> bool:
    return (b.under_x - a.under_x) * (c.under_y - b.under_y) > (c.under_x - b.under_x) * (
        b.under_y - a.under_y
    )


def _format_mass(mass: Fraction) -> str:
    """A short fraction as it is, a long one as a float."""
    return str(mass) if mass.denominator < 10**9 else f"{float(mass):.6g}"
