"""Losses known only by a bound: pure, approximate, bounded range, zero-concentrated."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_least, ball, count_of, upper, working
from tacit.frozen import frozen
from tacit.privacy.loss import Loss, Order, check_epsilon, check_order
from tacit.privacy.protection import Neighbours, fill
from tacit.privacy.renyi_to_delta import concentrated_delta

__all__ = ["ApproximateLoss", "BoundedRangeLoss", "PureLoss", "ZeroConcentratedLoss"]


@frozen(init=False)
class PureLoss(Loss):
    """Any release that is epsilon-DP: no event is more than e**epsilon times as likely under a neighbour.

    Claim:      delta, Renyi divergence and rho are those of binary randomized response at the same epsilon, which
                no epsilon-DP release exceeds.
    Because:    every epsilon-DP release is a post-processing of randomized response (Kairouz, Oh, Viswanath 2015);
                for it rho = epsilon tanh(epsilon / 2), the supremum of divergence over order.
    Checked by: tests/laws/test_losses.py

    >>> PureLoss(1).epsilon
    Fraction(1, 1)
    """

    epsilon: Fraction
    neighbours: Neighbours

    def __init__(self, epsilon: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> None:
        fill(self, epsilon=nonnegative(epsilon, "epsilon"), neighbours=neighbours)

    def delta(self, epsilon: Fraction) -> Ball:
        """The delta of randomized response."""
        check_epsilon(epsilon)
        return response_delta(self.epsilon, epsilon)

    def renyi(self, order: Order) -> Ball:
        """The divergence of randomized response."""
        check_order(order)
        epsilon = ball(self.epsilon)
        if order == inf:
            return epsilon
        alpha = ball(Fraction(order))
        # e**((alpha - 1) epsilon) is taken out of the sum, so that no epsilon is too large.
        rest = (1 + ((1 - 2 * alpha) * epsilon).exp()) / (1 + (-epsilon).exp())
        return epsilon + rest.log() / (alpha - 1)

    def pure(self) -> Fraction:
        """epsilon itself."""
        return self.epsilon

    def rho(self) -> Ball:
        """epsilon tanh(epsilon / 2), a little less than epsilon**2 / 2."""
        epsilon = ball(self.epsilon)
        return epsilon * (epsilon / 2).tanh()

    @property
    def is_mirrored(self) -> bool:
        """True: randomized response is its own mirror image."""
        return True

    def moments(self, count: int) -> tuple[Ball, ...]:
        """epsilon**k, but for the mean, which is at most that of randomized response.

        Claim:      no moment of the privacy loss of an epsilon-DP release is larger.
        Because:    the loss never exceeds epsilon; its mean, a divergence, does not grow under post-processing.
        Checked by: tests/unit/accounting/test_moments.py
        """
        epsilon = ball(self.epsilon)
        return (ball(1), self.rho(), *(epsilon**k for k in range(2, count + 1)))[: count + 1]

    def group(self, size: int) -> PureLoss:
        """epsilon times the size."""
        return PureLoss(
            self.epsilon * count_of(size, "the size of a group", least=1), self.neighbours
        )


@frozen(init=False)
class BoundedRangeLoss(Loss):
    """A release whose privacy loss, for any one pair of neighbours, spans at most epsilon: exponential-type selection.

    Claim:      delta at e is (1 - exp((e - epsilon)/2))**2 / (1 - exp(-epsilon)); the Renyi divergence is as below; rho
                is epsilon**2 / 8, or that of any pure loss where it is less (beyond epsilon = 8).
    Because:    the worst loss takes two values t and t - epsilon; the first is delta at the worst t = (epsilon + e)/2
                (Dong, Durfee, Rogers 2020), the last is Cesar and Rogers 2021.
    Checked by: tests/laws/test_losses.py

    >>> BoundedRangeLoss(1).epsilon
    Fraction(1, 1)
    """

    epsilon: Fraction
    neighbours: Neighbours

    def __init__(self, epsilon: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> None:
        fill(self, epsilon=nonnegative(epsilon, "epsilon"), neighbours=neighbours)

    def delta(self, epsilon: Fraction) -> Ball:
        """The worst two-valued loss at this epsilon."""
        check_epsilon(epsilon)
        if epsilon >= self.epsilon:
            return ball(0)
        return ball((epsilon - self.epsilon) / 2).expm1() ** 2 / -ball(-self.epsilon).expm1()

    def renyi(self, order: Order) -> Ball:
        """The divergence of the worst two-valued loss, by a closed form.

        Claim:      with E = e**epsilon it is ln(M) / (order - 1), where M is the maximum over x of
                    x**(order - 1) (E - E**(1 - order) - x (1 - E**(1 - order))) / (E - 1).
        Because:    the likelihood ratio lies between x / E and x for some x and has mean one, and a convex function of
                    it has the largest mean if it takes these two values only; x = e**t is then the worst one.
        Checked by: tests/laws/test_losses.py
        """
        check_order(order)
        epsilon = ball(self.epsilon)
        if order == inf or not self.epsilon:
            return epsilon
        exact = Fraction(order)
        alpha, above = ball(exact), ball(exact - 1)
        rest = (
            alpha * (-(-alpha * epsilon).expm1()).log()
            - above * (-(-above * epsilon).expm1()).log()
        )
        rest += above * above.log() - alpha * alpha.log() - (-(-epsilon).expm1()).log()
        bounds = (epsilon + rest / above, ball(exact * self.epsilon**2 / 8), epsilon)
        return min((bound for bound in bounds if bound.is_finite()), key=upper)

    def pure(self) -> Fraction:
        """epsilon itself."""
        return self.epsilon

    def rho(self) -> Ball:
        """epsilon**2 / 8, or that of any pure loss."""
        return min(ball(self.epsilon**2 / 8), PureLoss(self.epsilon).rho(), key=upper)

    def moments(self, count: int) -> tuple[Ball, ...]:
        """Those of any release with this pure epsilon."""
        return PureLoss(self.epsilon).moments(count)

    def group(self, size: int) -> BoundedRangeLoss:
        """The range of a group is at most the sum of the ranges."""
        return BoundedRangeLoss(
            self.epsilon * count_of(size, "the size of a group", least=1), self.neighbours
        )


@frozen(init=False)
class ApproximateLoss(Loss):
    """Any release that is (epsilon, delta)-DP.

    Claim:      at e < epsilon its delta is at most d + (1 - d) times that of randomized response.
    Because:    every such release is a post-processing of one that tells all with probability d and else answers
                by randomized response (Kairouz, Oh, Viswanath 2015).
    Checked by: tests/laws/test_losses.py

    >>> ApproximateLoss(1, Fraction(1, 10**6)).failure
    Fraction(1, 1000000)
    """

    epsilon: Fraction
    failure: Fraction
    neighbours: Neighbours

    def __init__(
        self, epsilon: Number, failure: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
    ) -> None:
        fill(
            self,
            epsilon=nonnegative(epsilon, "epsilon"),
            failure=probability(failure, "delta"),
            neighbours=neighbours,
        )

    def delta(self, epsilon: Fraction) -> Ball:
        """The failure, and randomized response for the rest."""
        check_epsilon(epsilon)
        return ball(self.failure) + ball(1 - self.failure) * response_delta(self.epsilon, epsilon)

    def renyi(self, order: Order) -> Ball | None:
        """None, unless nothing can fail."""
        check_order(order)
        return None if self.failure else PureLoss(self.epsilon, self.neighbours).renyi(order)

    def rho(self) -> Ball | None:
        """None, unless nothing can fail."""
        return None if self.failure else PureLoss(self.epsilon, self.neighbours).rho()

    def split_failure(self) -> tuple[Fraction, Loss]:
        """The failure, and a pure loss."""
        return self.failure, PureLoss(self.epsilon, self.neighbours)

    def group(self, size: int) -> ApproximateLoss:
        """(k epsilon, (e**(k epsilon) - 1) / (e**epsilon - 1) delta) for k units.

        Claim:      the sum of e**(j epsilon) delta over j < k, rounded up, bounds the group's delta.
        Because:    one unit at a time: delta_(j+1) = e**epsilon delta_j + delta.
        Checked by: tests/laws/test_losses.py
        """
        count = count_of(size, "the size of a group", least=1)
        with working():
            told = ball(self.epsilon)
            factor = (told * count).expm1() / told.expm1() if self.epsilon else ball(count)
            grown = factor * ball(self.failure)
            failure = upper(grown) if grown < 1 else Fraction(1 if self.failure else 0)
        return ApproximateLoss(self.epsilon * count, failure, self.neighbours)


@frozen(init=False)
class ZeroConcentratedLoss(Loss):
    """A release that is rho-zCDP except with probability `failure` (approximate zCDP, Bun and Steinke 2016).

    >>> ZeroConcentratedLoss(Fraction(1, 2)).concentration
    Fraction(1, 2)
    """

    concentration: Fraction
    failure: Fraction
    neighbours: Neighbours

    def __init__(
        self,
        concentration: Number,
        failure: Number = 0,
        neighbours: Neighbours = Neighbours.ADD_OR_REMOVE,
    ) -> None:
        fill(
            self,
            concentration=nonnegative(concentration, "rho"),
            failure=probability(failure, "delta"),
            neighbours=neighbours,
        )

    def delta(self, epsilon: Fraction) -> Ball:
        """The best known conversion from rho, and the failure on top."""
        check_epsilon(epsilon)
        return (ball(self.failure) + concentrated_delta(self.concentration, epsilon)).min(ball(1))

    def renyi(self, order: Order) -> Ball | None:
        """rho times the order, where nothing can fail."""
        check_order(order)
        return None if self.failure or order == inf else ball(self.concentration * Fraction(order))

    def rho(self) -> Ball | None:
        """rho, where nothing can fail."""
        return None if self.failure else ball(self.concentration)

    def split_failure(self) -> tuple[Fraction, Loss]:
        """The failure, and rho without it."""
        if not self.failure:
            return self.failure, self
        return self.failure, ZeroConcentratedLoss(self.concentration, 0, self.neighbours)

    def group(self, size: int) -> ZeroConcentratedLoss:
        """rho times the square of the size; a release that can fail has no closed bound for groups.

        Claim:      k units cost k**2 rho.
        Because:    Bun and Steinke 2016, Proposition 27.
        Checked by: tests/laws/test_losses.py
        """
        count = count_of(size, "the size of a group", least=1)
        if self.failure and count > 1:
            raise InvalidInput(
                "delta",
                self.failure,
                "group privacy of approximate zCDP has no closed form; use an (epsilon, delta) loss",
            )
        return ZeroConcentratedLoss(self.concentration * count**2, self.failure, self.neighbours)


def response_delta(told: Fraction, epsilon: Fraction) -> Ball:
    """The smallest delta of randomized response with loss `told`, at another epsilon."""
    if epsilon >= told:
        return ball(0)
    return -ball(epsilon - told).expm1() / (1 + ball(-told).exp())


def nonnegative(number: Number, name: str) -> Fraction:
    exact = at_least(number, name)
    if exact < 0:
        raise InvalidInput(name, number, "give a number of at least zero")
    return exact


def probability(number: Number, name: str) -> Fraction:
    exact = at_least(number, name)
    if not 0 <= exact <= 1:
        raise InvalidInput(name, number, "give a probability from 0 to 1")
    return exact
