"""Losses of additive noise, by their own exact law: Laplace and Gaussian, continuous and on the integers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_most, ball, count_of, gaussian_moment, gaussian_tail
from tacit.frozen import frozen
from tacit.privacy.bounded_losses import PureLoss, nonnegative
from tacit.privacy.loss import Loss, Order, check_epsilon, check_order
from tacit.privacy.protection import Neighbours, fill

__all__ = ["DiscreteGaussianLoss", "DiscreteLaplaceLoss", "GaussianLoss", "LaplaceLoss"]


@frozen(init=False)
class LaplaceLoss(Loss):
    """Continuous Laplace noise on one number: epsilon is how far the number moves, in units of the scale.

    Claim:      delta(e) = 1 - exp((e - epsilon)/2); Renyi divergence as below; rho = epsilon + exp(-epsilon) - 1.
    Because:    the privacy loss is epsilon - 2x between 0 and epsilon and constant beyond (Mironov 2017 for Renyi;
                Harrison and Manurangsi 2025 for rho).
    Checked by: tests/laws/test_losses.py

    >>> LaplaceLoss(1).epsilon
    Fraction(1, 1)
    """

    epsilon: Fraction
    neighbours: Neighbours

    def __init__(self, epsilon: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> None:
        fill(self, epsilon=nonnegative(epsilon, "epsilon"), neighbours=neighbours)

    def delta(self, epsilon: Fraction) -> Ball:
        """The exact delta."""
        check_epsilon(epsilon)
        return ball(0) if epsilon >= self.epsilon else -ball((epsilon - self.epsilon) / 2).expm1()

    def renyi(self, order: Order) -> Ball:
        """The exact divergence."""
        check_order(order)
        epsilon = ball(self.epsilon)
        if order == inf:
            return epsilon
        alpha = ball(Fraction(order))
        # e**((alpha - 1) epsilon) is taken out of the sum, so that no epsilon is too large.
        rest = (alpha + (alpha - 1) * ((1 - 2 * alpha) * epsilon).exp()) / (2 * alpha - 1)
        return epsilon + rest.log() / (alpha - 1)

    def pure(self) -> Fraction:
        """epsilon itself."""
        return self.epsilon

    def rho(self) -> Ball:
        """epsilon + exp(-epsilon) - 1."""
        epsilon = ball(self.epsilon)
        return epsilon + (-epsilon).expm1()

    @property
    def is_mirrored(self) -> bool:
        """True: the noise is symmetric."""
        return True

    def moments(self, count: int) -> tuple[Ball, ...]:
        """The exact moments.

        Claim:      the k-th is epsilon**k - 2k I(k - 1), I(k) being the integral of (epsilon - 2x)**k exp(-x) / 2 from
                    0 to epsilon; a smaller move has no larger one.
        Because:    integration by parts; for a mirrored pair a moment is an integral of delta with a weight that is
                    nowhere negative (docs/proofs/moments.md).
        Checked by: tests/unit/accounting/test_moments.py
        """
        epsilon = ball(self.epsilon)
        found, inner, end = [ball(1)], -(-epsilon).expm1() / 2, (-epsilon).exp()
        for k in range(1, count + 1):
            found.append(epsilon**k - 2 * k * inner)
            inner = (epsilon**k - end * (-epsilon) ** k) / 2 - 2 * k * inner
        return tuple(found)

    def group(self, size: int) -> LaplaceLoss:
        """The number moves as many times as far."""
        return LaplaceLoss(
            self.epsilon * count_of(size, "the size of a group", least=1), self.neighbours
        )


@frozen(init=False)
class DiscreteLaplaceLoss(Loss):
    """Discrete Laplace noise of a scale on one integer that moves by at most `distance`.

    Claim:      delta is exact for a move of exactly `distance`, and smaller moves have no larger delta.
    Because:    with r = exp(-1/scale) the privacy loss at z is (distance - 2z)/scale between 0 and distance and
                constant beyond, so delta is a sum of two geometric series.  The likelihood ratio is monotone, so the
                worst event is a half-line {z <= a}, and moving further only makes it less likely.
    Checked by: tests/laws/test_losses.py

    >>> DiscreteLaplaceLoss(scale=2, distance=3).epsilon
    Fraction(3, 2)
    """

    scale: Fraction
    distance: int
    neighbours: Neighbours

    def __init__(
        self, scale: Number, distance: int, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
    ) -> None:
        fill(
            self,
            scale=positive(scale, "scale"),
            distance=count_of(distance, "distance"),
            neighbours=neighbours,
        )

    @property
    def epsilon(self) -> Fraction:
        """The pure epsilon."""
        return self.distance / self.scale

    def delta(self, epsilon: Fraction) -> Ball:
        """The exact delta, by the two series."""
        check_epsilon(epsilon)
        if epsilon >= self.epsilon:
            return ball(0)
        apart = self.distance - epsilon * self.scale
        # the largest z with distance - 2z > epsilon scale
        inner = -(-apart.numerator // (2 * apart.denominator)) - 1
        rate = ball(1 / self.scale)
        reach = 1 - (-rate * inner).exp()
        growth = ball(epsilon).exp()
        own = 1 + (-rate).exp() * reach
        other = (-rate * self.distance).exp() + (-rate * (self.distance - inner)).exp() * reach
        return (own - growth * other) / (1 + (-rate).exp())

    def renyi(self, order: Order) -> Ball:
        """The exact divergence: the two constant ends, and a geometric series between them."""
        check_order(order)
        if order == inf or not self.distance:
            return ball(self.epsilon)
        alpha, rate, distance = Fraction(order), ball(1 / self.scale), self.distance
        fall = ball(2 * alpha - 1) * rate
        # Between 0 and distance, P(z)**alpha Q(z)**(1-alpha) is r**(alpha z + (1 - alpha)(distance - z)); out of all
        # of it r**((1 - alpha) distance) is taken, so that no epsilon is too large.
        ends = 1 + (-fall * distance).exp()
        middle = (-fall).exp() * (-fall * (distance - 1)).expm1() / (-fall).expm1()
        rest = (ends - (-rate).expm1() * middle) / (1 + (-rate).exp())
        return ball(self.epsilon) + rest.log() / ball(alpha - 1)

    def pure(self) -> Fraction:
        """epsilon itself."""
        return self.epsilon

    def rho(self) -> Ball:
        """That of any release with this pure epsilon."""
        return PureLoss(self.epsilon).rho()

    @property
    def is_mirrored(self) -> bool:
        """True: the noise is symmetric."""
        return True

    def moments(self, count: int) -> tuple[Ball, ...]:
        """The exact moments.

        Claim:      the k-th is (epsilon**k + r**d (-epsilon)**k + (1 - r) S(k) / scale**k) / (1 + r), S(k) being the
                    sum of r**z (d - 2z)**k over 0 < z < d, with r = exp(-1/scale) and d the distance.
        Because:    it is the defining sum; each S follows from those before it by moving the sum by one.
        Checked by: tests/unit/accounting/test_moments.py
        """
        rate, d = ball(1 / self.scale), self.distance
        if not d:
            return (ball(1), *(ball(0) for _ in range(count)))
        r, far, epsilon = (-rate).exp(), (-rate * d).exp(), ball(self.epsilon)
        sums: list[Ball] = []
        for k in range(count + 1):
            lower_ones = sum(
                (
                    comb(k, j) * 2 ** (k - j) * (sums[j] + far * (-d) ** j - r * (d - 2) ** j)
                    for j in range(k)
                ),
                ball(0),
            )
            sums.append((far * (-d) ** k - r * (d - 2) ** k + lower_ones) / (-rate).expm1())
        inside = (-(-rate).expm1() * sums[k] * rate**k for k in range(count + 1))
        ends = (epsilon**k + far * (-epsilon) ** k for k in range(count + 1))
        return tuple((end + middle) / (1 + r) for end, middle in zip(ends, inside, strict=True))

    def group(self, size: int) -> DiscreteLaplaceLoss:
        """The number moves as many times as far."""
        count = count_of(size, "the size of a group", least=1)
        return DiscreteLaplaceLoss(self.scale, self.distance * count, self.neighbours)


@frozen(init=False)
class GaussianLoss(Loss):
    """Continuous Gaussian noise: `squared` is the square of how far the answer moves, in units of sigma (mu**2).

    Claim:      delta(e) = Phi(mu/2 - e/mu) - e**e Phi(-mu/2 - e/mu); Renyi divergence order mu**2/2; rho = mu**2/2.
    Because:    the privacy loss is normal with mean mu**2/2 and variance mu**2 (Balle and Wang 2018); in any number of
                dimensions only the length of the move matters.
    Checked by: tests/laws/test_losses.py

    >>> GaussianLoss(squared=4).squared
    Fraction(4, 1)
    """

    squared: Fraction
    neighbours: Neighbours

    def __init__(self, squared: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> None:
        fill(self, squared=nonnegative(squared, "squared"), neighbours=neighbours)

    def delta(self, epsilon: Fraction) -> Ball:
        """The exact delta."""
        check_epsilon(epsilon)
        if self.squared == 0:
            return ball(0)
        e, two_squared = ball(epsilon), ball(2 * self.squared)
        root = two_squared.sqrt()  # of 2 mu**2
        near, far = (2 * e - two_squared / 2) / (2 * root), (2 * e + two_squared / 2) / (2 * root)
        return (near.erfc() - e.exp() * far.erfc()) / 2

    def renyi(self, order: Order) -> Ball | None:
        """The order times mu**2 / 2; no pure epsilon, unless nothing moves."""
        check_order(order)
        if order == inf:
            return None if self.squared else ball(0)
        return ball(Fraction(order) * self.squared / 2)

    def rho(self) -> Ball:
        """mu**2 / 2."""
        return ball(self.squared / 2)

    @property
    def is_mirrored(self) -> bool:
        """True: the noise is symmetric."""
        return True

    def moments(self, count: int) -> tuple[Ball, ...]:
        """Those of a normal variable with mean mu**2 / 2 and variance mu**2."""
        odd_factorials = (
            Ball.fac_ui(k) / (Ball.fac_ui(k // 2) * 2 ** (k // 2)) for k in range(0, count + 1, 2)
        )
        even = [factor * ball(self.squared) ** j for j, factor in enumerate(odd_factorials)]
        central = [ball(0) if k % 2 else even[k // 2] for k in range(count + 1)]
        return _shift_moments(ball(self.squared / 2), central)

    def group(self, size: int) -> GaussianLoss:
        """The answer moves as many times as far."""
        return GaussianLoss(
            self.squared * count_of(size, "the size of a group", least=1) ** 2, self.neighbours
        )


@frozen(init=False)
class DiscreteGaussianLoss(Loss):
    """Discrete Gaussian noise on one integer that moves by at most `distance`.

    Claim:      delta is exact for a move of exactly `distance`, and smaller moves have no larger delta; the Renyi
                divergence and rho are at most the continuous ones.
    Because:    delta(e) = P(Z > e s/d - d/2) - e**e P(Z > e s/d + d/2) with s the variance and d the distance (Canonne,
                Kamath, Steinke 2020, Theorem 7), summed with certified tails.  The likelihood ratio is monotone, so
                the worst event is a half-line, and moving further only makes it less likely.
    Checked by: tests/laws/test_losses.py

    >>> DiscreteGaussianLoss(variance=2, distance=1).distance
    1
    """

    variance: Fraction
    distance: int
    neighbours: Neighbours

    def __init__(
        self, variance: Number, distance: int, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
    ) -> None:
        fill(
            self,
            variance=positive(variance, "variance"),
            distance=count_of(distance, "distance"),
            neighbours=neighbours,
        )

    def delta(self, epsilon: Fraction) -> Ball:
        """The exact delta, by two certified tails."""
        check_epsilon(epsilon)
        if self.distance == 0:
            return ball(0)
        middle = epsilon * self.variance / self.distance
        half = Fraction(self.distance, 2)
        near = (middle - half).__floor__() + 1
        return gaussian_tail(self.variance, near) - ball(epsilon).exp() * gaussian_tail(
            self.variance, near + self.distance
        )

    def renyi(self, order: Order) -> Ball | None:
        """The order times rho; no pure epsilon, unless nothing moves."""
        check_order(order)
        if order == inf:
            return None if self.distance else ball(0)
        return ball(Fraction(order) * self.distance**2 / (2 * self.variance))

    def rho(self) -> Ball:
        """distance**2 / (2 variance)."""
        return ball(self.distance**2 / (2 * self.variance))

    @property
    def is_mirrored(self) -> bool:
        """True: the noise is symmetric."""
        return True

    def moments(self, count: int) -> tuple[Ball, ...]:
        """Those of (d**2 / 2 + d z) / variance, z being the noise and d the distance."""
        slope = ball(self.distance / self.variance)
        central = [slope**k * gaussian_moment(self.variance, k) for k in range(count + 1)]
        return _shift_moments(ball(self.distance**2 / (2 * self.variance)), central)

    def group(self, size: int) -> DiscreteGaussianLoss:
        """The number moves as many times as far."""
        count = count_of(size, "the size of a group", least=1)
        return DiscreteGaussianLoss(self.variance, self.distance * count, self.neighbours)


def _shift_moments(mean: Ball, central: list[Ball]) -> tuple[Ball, ...]:
    """The moments of a variable with this mean, from its moments around the mean."""
    return tuple(
        sum((comb(k, j) * mean ** (k - j) * central[j] for j in range(k + 1)), ball(0))
        for k in range(len(central))
    )


def positive(number: Number, name: str) -> Fraction:
    exact = at_most(number, name)  # less noise than was meant, never more
    if exact <= 0:
        raise InvalidInput(name, number, "give a number above zero")
    return exact
