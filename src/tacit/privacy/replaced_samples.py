"""The loss of a release on a sample under replace: samples of a fixed size without replacement, and Poisson samples."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, ball, count_of, lower, upper
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import PureLoss, probability
from tacit.privacy.loss import Loss, Order, check_epsilon, check_order, is_loss
from tacit.privacy.protection import Neighbours, fill
from tacit.privacy.subsampled import amplify, mix_moments

__all__ = ["SampledUnderReplace"]


@frozen(init=False)
class SampledUnderReplace(Loss):
    """A release on a sample that holds a unit with probability `rate`; neighbours differ by one replaced unit.

    `left_out` is what the release costs where the unit is not there at all, by add-or-remove; a sample of a fixed size
    needs none, since another unit then has its place.

    Claim:      delta is at most rate times the larger of the losses' deltas at ln(1 + (e**epsilon - 1) / rate).
    Because:    both outcomes are mixtures, (1 - rate) R + rate A and (1 - rate) R + rate B, with the same R: the unit
                was not drawn.  Their divergence is rate times that of A and a mixture of R and B (advanced joint
                convexity: Balle, Barthe, Gaboardi 2018); A and B differ by the replaced unit, A and R by that unit
                replaced by another one of the table, or left out.  docs/proofs/subsampling.md
    Checked by: tests/laws/test_replaced_samples.py::test_a_sample_never_costs_more_than_it_claims

    >>> sample = SampledUnderReplace.fixed_size(PureLoss(1, Neighbours.REPLACE), drawn=10, of=1_000)
    >>> sample.rate, float(sample.pure()) < 0.0171
    (Fraction(1, 100), True)
    """

    loss: Loss
    rate: Fraction
    left_out: Loss | None

    def __init__(self, loss: Loss, rate: Number, left_out: Loss | None = None) -> None:
        if not is_loss(loss) or loss.neighbours is not Neighbours.REPLACE:
            raise InvalidInput(
                "a loss", loss, "give the loss of the release under replace, on all that it sees"
            )
        if left_out is not None and (
            not is_loss(left_out) or left_out.neighbours is not Neighbours.ADD_OR_REMOVE
        ):
            raise InvalidInput(
                "left_out", left_out, "give the loss of the release by add-or-remove"
            )
        fill(self, loss=loss, rate=probability(rate, "rate"), left_out=left_out)

    @classmethod
    def fixed_size(cls, loss: Loss, drawn: int, of: int) -> SampledUnderReplace:
        """A sample of so many units, drawn without replacement from a number of units that is public."""
        everyone = count_of(of, "of", least=1)
        return cls(loss, Fraction(count_of(drawn, "drawn", most=everyone), everyone))

    @classmethod
    def poisson(cls, loss: Loss, left_out: Loss, rate: Number) -> SampledUnderReplace:
        """A sample that holds every unit with this probability, drawn for it alone."""
        if left_out is None:
            raise InvalidInput("left_out", left_out, "give the loss by add-or-remove, too")
        return cls(loss, rate, left_out)

    @property
    def neighbours(self) -> Neighbours:
        """Replace."""
        return Neighbours.REPLACE

    def delta(self, epsilon: Fraction) -> Ball | None:
        """rate times the larger delta at an epsilon so much larger, rounded down."""
        check_epsilon(epsilon)
        if not self.rate:
            return ball(0)
        grown = (ball(epsilon).expm1() / ball(self.rate)).log1p()
        larger = max(Fraction(0), lower(grown)) if grown.is_finite() else epsilon
        found = ball(0)
        for loss in self._losses:
            own = loss.delta(epsilon if self.rate == 1 else larger)
            if own is None:
                return None
            found = found.max(ball(self.rate) * own)
        return found

    def renyi(self, order: Order) -> Ball | None:
        """By joint convexity: outcomes without the unit are the same; of order infinity, the amplified epsilon."""
        check_order(order)
        if not self.rate:
            return ball(0)
        if order == inf:
            pure = self._pure()
            return None if pure is None else ball(pure)
        exact = Fraction(order)
        whole = self.loss.renyi(exact)
        bounds = [whole, mix_moments(whole, self.rate, exact)]
        pure = self._pure()
        if pure is not None:
            bounds += [ball(pure), PureLoss(pure).renyi(exact)]
        return min((each for each in bounds if each is not None), key=upper, default=None)

    def rho(self) -> Ball | None:
        """The smaller of the loss's own rho and that of the amplified epsilon."""
        pure = self._pure()
        bounds = [
            self.loss.rho(),
            None if pure is None else PureLoss(pure).rho(),
            None if self.rate else ball(0),
        ]
        return min((each for each in bounds if each is not None), key=upper, default=None)

    def group(self, size: int) -> Loss:
        """That of the amplified epsilon, or of the loss itself: a sample never costs more than the whole."""
        pure = self._pure()
        if pure is None:
            return self.loss.group(size)
        return PureLoss(pure, Neighbours.REPLACE).group(size)

    @property
    def _losses(self) -> tuple[Loss, ...]:
        return (self.loss,) if self.left_out is None else (self.loss, self.left_out)

    def _pure(self) -> Fraction | None:
        found = [loss.pure() for loss in self._losses]
        known = [epsilon for epsilon in found if epsilon is not None]
        return amplify(max(known), self.rate) if len(known) == len(found) else None
