"""The loss of any release with finitely many outcomes, from its two worst distributions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf

from tacit.errors import InvalidDistribution, InvalidInput
from tacit.exact import Ball, Number, at_least, ball, upper, working
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import ApproximateLoss, PureLoss
from tacit.privacy.loss import Loss, Order, check_epsilon, check_order
from tacit.privacy.protection import Neighbours, fill

__all__ = ["FiniteLoss"]


@frozen(init=False)
class FiniteLoss(Loss):
    """A release whose worst pair of neighbours gives outcomes with probabilities p and q, outcome by outcome.

    Claim:      every figure is exact for this pair, taken in the worse of its two directions.
    Because:    delta(e) is the sum of max(0, p - e**e q); the divergence is its defining sum.
    Checked by: tests/laws/test_losses.py

    >>> FiniteLoss((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))).ratio()
    Fraction(3, 1)
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]
    neighbours: Neighbours

    def __init__(
        self,
        p: Sequence[Number],
        q: Sequence[Number],
        neighbours: Neighbours = Neighbours.ADD_OR_REMOVE,
    ) -> None:
        fill(self, p=_distribution(p), q=_distribution(q), neighbours=neighbours)
        if len(self.p) != len(self.q):
            raise InvalidDistribution(
                "p and q list different numbers of outcomes; give each outcome's probability in both"
            )

    def ratio(self) -> Fraction | float:
        """e to the pure epsilon, exactly; infinity where some outcome is possible on one side only."""
        possible = [(a, b) for a, b in zip(self.p, self.q, strict=True) if a or b]
        return max(max(a / b, b / a) if a and b else inf for a, b in possible)

    def delta(self, epsilon: Fraction) -> Ball:
        """The exact delta, in the worse direction."""
        check_epsilon(epsilon)
        growth = ball(epsilon).exp()
        return _larger(*(_excess(a, b, growth) for a, b in ((self.p, self.q), (self.q, self.p))))

    def renyi(self, order: Order) -> Ball | None:
        """The exact divergence, in the worse direction."""
        check_order(order)
        ratio = self.ratio()
        if ratio == inf:
            return None
        if order == inf:
            return ball(Fraction(ratio)).log()
        alpha = ball(Fraction(order))
        both = []
        for first, second in ((self.p, self.q), (self.q, self.p)):
            moment = sum(
                (
                    ball(a) ** alpha * ball(b) ** (1 - alpha)
                    for a, b in zip(first, second, strict=True)
                    if a
                ),
                ball(0),
            )
            both.append(moment.log() / (alpha - 1))
        return _larger(*both)

    def rho(self) -> Ball | None:
        """That of any release with this pure epsilon."""
        pure = self._pure()
        return None if pure is None else pure.rho()

    def group(self, size: int) -> Loss:
        """That of any release with this pure epsilon, or with this total variation where there is none."""
        pure = self._pure()
        if pure is not None:
            return pure.group(size)
        with working():
            return ApproximateLoss(
                0, min(Fraction(1), upper(self.delta(Fraction(0)))), self.neighbours
            ).group(size)

    def split_failure(self) -> tuple[Fraction, Loss]:
        """Nothing and itself; or the probability of what only one side can show, and the largest ratio of the rest.

        Claim:      the release is (epsilon, delta)-DP, delta being that probability and epsilon that ratio's logarithm.
        Because:    an event's outcomes possible on one side alone weigh at most delta, the others at most e**epsilon
                    times what they weigh on the other side.
        Checked by: tests/laws/test_accounting.py
        """
        if self.ratio() != inf:
            return Fraction(0), self
        pairs = list(zip(self.p, self.q, strict=True))
        alone = max(sum(a for a, b in pairs if not b), sum(b for a, b in pairs if not a))
        ratio = max((max(a / b, b / a) for a, b in pairs if a and b), default=Fraction(1))
        with working():
            return Fraction(alone), PureLoss(
                max(Fraction(0), upper(ball(ratio).log())), self.neighbours
            )

    def moments(self, count: int) -> tuple[Ball, ...] | None:
        """The exact moments, each in the direction where it is larger."""
        if self.ratio() == inf:
            return None
        outcomes = [
            (ball(a), ball(b), ball(a / b).log()) for a, b in zip(self.p, self.q, strict=True) if a
        ]
        found = []
        for _ in range(count + 1):
            found.append(
                _larger(*(sum((pair[side] for pair in outcomes), ball(0)) for side in (0, 1)))
            )
            outcomes = [(forth * loss, -back * loss, loss) for forth, back, loss in outcomes]
        return tuple(found)

    def _pure(self) -> PureLoss | None:
        with working():
            epsilon = self.renyi(inf)
            return (
                None
                if epsilon is None
                else PureLoss(max(Fraction(0), upper(epsilon)), self.neighbours)
            )


def _distribution(numbers: Sequence[Number]) -> tuple[Fraction, ...]:
    if not isinstance(numbers, Iterable):
        raise InvalidInput(
            "a distribution", numbers, "list the probability of every outcome, as Fractions"
        )
    exact = tuple(at_least(number, "a probability") for number in numbers)
    if any(number < 0 for number in exact) or sum(exact) != 1:
        raise InvalidDistribution(
            "probabilities must be at least zero and sum to exactly one; give them as Fractions"
        )
    return exact


def _excess(first: tuple[Fraction, ...], second: tuple[Fraction, ...], growth: Ball) -> Ball:
    excess = ball(0)
    for a, b in zip(first, second, strict=True):
        over = ball(a) - growth * ball(b)
        excess += over.max(ball(0))
    return excess


def _larger(one: Ball, other: Ball) -> Ball:
    return one.max(other)
