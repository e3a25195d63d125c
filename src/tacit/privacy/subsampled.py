"""The loss of a release that sees each unit only with some probability: Poisson subsampling."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor, inf
from typing import Any

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, ball, count_of, hull, lower, precision, upper, working
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import PureLoss, probability
from tacit.privacy.loss import Loss, Order, check_epsilon, check_order, is_loss
from tacit.privacy.noise_losses import GaussianLoss
from tacit.privacy.protection import Neighbours, fill

__all__ = ["Subsampled", "amplify", "mix_moments"]

# Above this order the sums grow long and the bound by joint convexity is taken.
_LONGEST = 2048
# Up to this order the Gaussian's own moments are summed between integers too.
_FRACTIONAL = 64


@frozen(init=False)
class Subsampled(Loss):
    """A release on a sample that holds each unit with probability `rate`, independently; by add-or-remove only.

    Claim:      delta is rate times the loss's delta at ln(1 + (e**epsilon - 1)/rate); the Renyi divergence is as below.
    Because:    with the unit the outcome is a mixture M of Q (unit not drawn) and, with weight `rate`, P (drawn).  Of M
                against Q delta is that figure exactly, and of Q against M it is less (Balle, Barthe, Gaboardi 2018;
                docs/proofs/subsampling.md).
    Checked by: tests/laws/test_accounting.py

    >>> Subsampled(PureLoss(1), Fraction(1, 100)).rate
    Fraction(1, 100)
    """

    loss: Loss
    rate: Fraction

    def __init__(self, loss: Loss, rate: Number) -> None:
        if not is_loss(loss):
            raise InvalidInput("a loss", loss, "give a loss, such as mechanism.loss(sensitivity)")
        if loss.neighbours is not Neighbours.ADD_OR_REMOVE:
            raise InvalidInput(
                "neighbours",
                loss.neighbours.value,
                "a Poisson sample is accounted for by add-or-remove: state the loss for that relation",
            )
        failure, rest = loss.split_failure()
        if failure and rest.pure() is None:
            remedy = "give one that is pure where it does not fail: for others no bound on a sample is proved"
            raise InvalidInput("a loss", loss, remedy)
        fill(self, loss=loss, rate=probability(rate, "rate"))

    @property
    def neighbours(self) -> Neighbours:
        """Add-or-remove: under replace a sample has other losses."""
        return Neighbours.ADD_OR_REMOVE

    def delta(self, epsilon: Fraction) -> Ball | None:
        """rate times the loss's own delta at an epsilon so much larger, rounded down."""
        check_epsilon(epsilon)
        if self.rate in {0, 1}:
            return self.loss.delta(epsilon) if self.rate else ball(0)
        grown = (ball(epsilon).expm1() / ball(self.rate)).log1p()
        # too large for a ball; never below epsilon
        larger = lower(grown) if grown.is_finite() else epsilon
        own = self.loss.delta(max(Fraction(0), larger))
        return None if own is None else ball(self.rate) * own

    def renyi(self, order: Order) -> Ball | None:
        """The smallest of the bounds that hold for this loss.

        Claim:      joint convexity holds for any loss; the moments of a mixture hold for one that is mirrored; those of
                    randomized response for one that is pure.
        Because:    docs/proofs/subsampling.md
        Checked by: tests/laws/test_accounting.py
        """
        check_order(order)
        pure = self._pure()
        if not self.rate:
            return ball(0)
        if order == inf:
            return None if pure is None else ball(pure.epsilon)
        exact = Fraction(order)
        whole = self.loss.renyi(exact)
        bounds = [whole, mix_moments(whole, self.rate, exact)]
        # Of a loss known only as pure, randomized response is the law, and its mixture has a closed form.
        if self.loss.is_mirrored and exact <= _LONGEST and not isinstance(self.loss, PureLoss):
            bounds.append(_mixture_divergence(self.loss, self.rate, exact) / ball(exact - 1))
        if pure is not None:
            bounds += [ball(pure.epsilon), _response(self._whole(), self.rate, exact)]
        known = [bound for bound in bounds if bound is not None and bound.is_finite()]
        return min(known, key=upper, default=None)

    def rho(self) -> Ball | None:
        """The smaller of the loss's own rho and that of the pure epsilon: a sample never costs more than the whole."""
        pure = self._pure()
        bounds = [
            self.loss.rho(),
            None if pure is None else pure.rho(),
            None if self.rate else ball(0),
        ]
        return min((bound for bound in bounds if bound is not None), key=upper, default=None)

    def split_failure(self) -> tuple[Fraction, Loss]:
        """rate times the failure, and the pure loss of the sample, where the loss can fail."""
        failure, _ = self.loss.split_failure()
        if not failure:
            return Fraction(0), self
        return self.rate * failure, PureLoss(amplify(self._whole(), self.rate))

    def group(self, size: int) -> Subsampled:
        """For a pure loss: the group's epsilon, and the probability that any of its units is drawn.

        Claim:      of k units the sample holds at least one with probability 1 - (1 - rate)**k, and then the outcome is
                    within k epsilon of that without them.
        Because:    the outcomes are mixtures over which units are drawn, and pure bounds hold for mixtures.
        Checked by: tests/laws/test_accounting.py
        """
        count = count_of(size, "the size of a group", least=1)
        if count == 1:
            return self
        pure = self._pure()
        if pure is None:
            raise InvalidInput(
                "the size of a group",
                size,
                "a sample that is not pure is accounted for one unit only",
            )
        drawn = min(Fraction(1), count * self.rate)
        if self.rate < 1:  # at 1 nobody is left out, and log(0) has no value
            with working():
                drawn = min(drawn, upper(-(ball(-self.rate).log1p() * count).expm1()))
        return Subsampled(PureLoss(self._whole() * count), drawn)

    def subsample(self, rate: Number) -> Subsampled:
        """A sample of a sample: the rates multiply."""
        return Subsampled(self.loss, self.rate * probability(rate, "rate"))

    def _whole(self) -> Fraction:
        """The pure epsilon without sampling, of what does not fail."""
        epsilon = self.loss.split_failure()[1].pure()
        assert epsilon is not None
        return epsilon

    def _pure(self) -> PureLoss | None:
        failure, rest = self.loss.split_failure()
        if failure or rest.pure() is None:
            return None
        return PureLoss(amplify(self._whole(), self.rate))


def amplify(epsilon: Fraction, rate: Fraction) -> Fraction:
    """ln(1 + rate (e**epsilon - 1)), rounded up.

    >>> round(float(amplify(Fraction(1), Fraction(1, 2))), 4)
    0.6201
    """
    with working():
        return min(epsilon, max(Fraction(0), upper((ball(rate) * ball(epsilon).expm1()).log1p())))


def mix_moments(divergence: Ball | None, rate: Fraction, order: Fraction) -> Ball | None:
    """For any loss and either direction: the moment of a mixture is at most the mixture of the moments.

    >>> mix_moments(None, Fraction(1, 2), Fraction(2)) is None
    True
    """
    if divergence is None:
        return None
    above = ball(order - 1)
    return (ball(rate) * (above * divergence).expm1()).log1p() / above


def _response(epsilon: Fraction, rate: Fraction, order: Fraction) -> Ball:
    """For a pure loss: the divergence of randomized response, mixed."""
    alpha, q, told = ball(order), ball(rate), ball(epsilon)
    up, down = 1 + q * told.expm1(), 1 + q * (-told).expm1()
    return ((up**alpha + told.exp() * down**alpha) / (1 + told.exp())).log() / (alpha - 1)


def _mixture_divergence(loss: Any, rate: Fraction, order: Fraction) -> Ball:
    """For a mirrored loss: ln E_Q[(M/Q)**order], or the chord of that convex function between whole orders."""
    if (
        order.denominator != 1
        and order <= _FRACTIONAL
        and isinstance(loss, GaussianLoss)
        and loss.squared
    ):
        return _gaussian(loss.squared, rate, order, precision())
    below = floor(order)
    share = ball(order - below)
    left = _cumulant(loss, rate, below, precision())
    return (
        left
        if order == below
        else (1 - share) * left + share * _cumulant(loss, rate, below + 1, precision())
    )


@lru_cache(maxsize=4096)
def _cumulant(loss: Any, rate: Fraction, order: int, bits: int) -> Ball:
    """ln E_Q[(1 - rate + rate P/Q)**order] of a whole order, by the binomial theorem."""
    with working(bits):
        q, other = ball(rate), ball(1 - rate)
        if not rate or order == 1:
            return ball(0)
        if rate == 1:
            divergence = loss.renyi(Fraction(order))
            return Ball.pos_inf() if divergence is None else divergence * (order - 1)
        weight, excess = other**order, ball(0)
        for k in range(1, order + 1):
            weight = weight * (order - k + 1) / k * q / other
            divergence = loss.renyi(Fraction(k)) if k > 1 else ball(0)
            if divergence is None:
                return Ball.pos_inf()
            excess += weight * (divergence * (k - 1)).expm1()
        return excess.log1p()


@lru_cache(maxsize=1024)
def _gaussian(squared: Fraction, rate: Fraction, order: Fraction, bits: int) -> Ball:
    """The same of any order for Gaussian noise.

    Claim:      the ball holds the logarithm of the exact moment.
    Because:    left of x = c/mu + mu/2, with c = ln((1 - rate)/rate), the part of P is the smaller one and right of it
                that of Q, so (a + b)**order is a binomial series on either side, integrated term by term.  After the
                order-th term the signs alternate and the terms fall, so what is left out is less than the next one
                (Mironov, Talwar, Zhang 2019).
    Checked by: tests/laws/test_accounting.py
    """
    with working(bits):
        if rate == 1:
            return ball(order * (order - 1) * squared / 2)
        alpha, mu, q = ball(order), ball(squared).sqrt(), ball(rate)
        log_q, log_other = q.log(), (-q).log1p()
        root = ball(2).sqrt()
        edge = (log_other - log_q) / mu + mu / 2
        total, coefficient, i = ball(0), ball(1), 0
        while True:
            j = alpha - i
            low = (ball(i * (i - 1)) / 2 * mu * mu + i * log_q + j * log_other).exp() * (
                (i * mu - edge) / root
            ).erfc()
            high = (j * (j - 1) / 2 * mu * mu + j * log_q + i * log_other).exp() * (
                (edge - j * mu) / root
            ).erfc()
            term = coefficient * (low + high) / 2
            if i > order and (
                abs(term) < abs(total - 1) * ball(2) ** -(3 * bits // 8) or i > order + _LONGEST
            ):
                return (total + hull(-abs(term), abs(term))).log()
            total += term
            coefficient = coefficient * j / (i + 1)
            i += 1
