"""What several releases cost together, and every way to look at it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf

from tacit.accounting.certified_float import Figure
from tacit.accounting.exact_law import merge_gaussians
from tacit.accounting.explanation import explain_total
from tacit.accounting.moments import moment_of
from tacit.accounting.numerical_bound import Numerical, epsilon_interval, has_laws
from tacit.accounting.precision import refine
from tacit.accounting.tightest_bound import BOUNDS, is_law, tightest_delta, tightest_epsilon
from tacit.accounting.tradeoff import least_misses
from tacit.errors import InvalidInput, NotPrivate
from tacit.exact import Ball, Number, at_least, at_most, ball, count_of, upper, working
from tacit.frozen import frozen
from tacit.privacy import Composed, GaussianLoss, Loss, is_loss, root_at_least

__all__ = ["Total", "losses_of", "total"]

_DIGITS = (3, 6, 9, 12)  # of the deltas at which `by` looks


def total(*losses: Loss | Iterable[Loss]) -> Total:
    """What all these losses cost together: losses, lists of them, or sums made with `+` and `*`.

    Claim:      every view holds for releases chosen adaptively, as long as these losses were fixed in advance.
    Because:    each bound of `BOUNDS` is a theorem on adaptive composition; a list and its `*` are one multiset.
    Checked by: tests/laws/test_accounting.py

    >>> from tacit.privacy import GaussianLoss
    >>> t = total([GaussianLoss(squared=Fraction(1, 100))] * 100)
    >>> round(t.epsilon(delta=1e-6), 3), t.mu
    (4.887, 1.0)
    """
    counted: dict[int, tuple[Loss, int]] = {}
    for given in losses:
        for loss in (given,) if is_loss(given) else losses_of(given):
            # The same object a hundred thousand times is met by its identity, before it is compared.
            counted[id(loss)] = (loss, counted.get(id(loss), (loss, 0))[1] + 1)
    return Total(Composed.of(*counted.values()))


def losses_of(given: object) -> Iterable[Loss]:
    """What was given, if it is a list of things.

    >>> losses_of([])
    []
    """
    if not isinstance(given, Iterable):
        raise InvalidInput("a loss", given, "give losses, or lists of them")
    return given


@frozen
class Total:
    """Several losses seen as one; every figure is a certified upper end, or for the trade-off curve a lower one.

    >>> from tacit.privacy import PureLoss
    >>> total([PureLoss(1)] * 5).epsilon(delta=0)
    5.0
    """

    losses: Composed

    def __str__(self) -> str:
        """How many losses these are, and how to see what they add up to.

        >>> from tacit.privacy import PureLoss
        >>> print(total([PureLoss(1)] * 5))
        5 losses between neighbours by add-or-remove: epsilon(delta) and explain(delta) say what they add up to
        """
        many = sum(times for _, times in self.losses.parts)
        what = "1 loss" if many == 1 else f"{many} losses"
        by = self.losses.neighbours.value
        return f"{what} between neighbours by {by}: epsilon(delta) and explain(delta) say what they add up to"

    def epsilon(self, delta: Number) -> Figure:
        """The smallest epsilon that is known to hold at this delta.

        Claim:      the releases are (epsilon, delta)-DP together, epsilon being the figure.
        Because:    what can fail does so with probability f at most; the rest is held to (delta - f) / (1 - f).
        Checked by: tests/laws/test_accounting.py

        >>> from tacit.privacy import LaplaceLoss
        >>> total(LaplaceLoss(1)).epsilon(delta=0)
        1.0
        """
        goal = _probability(at_most(delta, "delta"), "delta", delta)
        failure, rest = self.losses.split_failure()
        if goal < failure:
            raise NotPrivate(
                f"the releases may fail with probability {float(failure)!r}; ask for a delta of at least that"
            )
        left = Fraction(1) if failure == 1 else (goal - failure) / (1 - failure)
        with working():
            best = tightest_epsilon(rest, left)
        if best is None:
            raise NotPrivate(
                "at this delta there is no epsilon for some of these releases; ask for a larger one, like 1e-6"
            )
        return Figure.above(best.figure, best.by)

    def delta(self, epsilon: Number) -> Figure:
        """The smallest delta that is known to hold at this epsilon.

        >>> from tacit.privacy import LaplaceLoss
        >>> total(LaplaceLoss(1)).delta(epsilon=1)
        0.0
        """
        at = _nonnegative(at_most(epsilon, "epsilon"), "epsilon", epsilon)
        found, by = self.profile(at)
        return Figure.above(min(Fraction(1), max(Fraction(0), upper(found))), by)

    def epsilon_interval(
        self, delta: Number, width: Number = Fraction(1, 1000)
    ) -> tuple[Figure, Figure] | None:
        """A lower and an upper end of epsilon at this delta, so near to each other as `width` says.

        No bound that knows only the laws of these losses can be below the lower end.  None where
        some loss has no law.

        Claim:      the upper end holds; at the lower end delta is more than the given one for the
                    pair of distributions that dominates these losses.
        Because:    `Convolution.upper` and `Convolution.lower`.
        Checked by: tests/laws/test_loss_distributions.py

        >>> from tacit.privacy import LaplaceLoss
        >>> low, high = total(LaplaceLoss(0.1) * 100).epsilon_interval(delta=1e-6)
        >>> low < high < low * 1.001
        True
        """
        goal = _probability(at_most(delta, "delta"), "delta", delta)
        failure, rest = self.losses.split_failure()
        if not failure < goal < 1 or not has_laws(rest):
            return None
        within = float(at_most(width, "width"))
        if not 1e-6 <= within <= 1:
            raise InvalidInput("width", width, "give a relative width from 1e-6 to 1")
        found = epsilon_interval(rest, (goal - failure) / (1 - failure), within)
        if found is None:
            return None
        return Figure.below(found[0], Numerical().name), Figure.above(found[1], Numerical().name)

    def profile(self, epsilon: Fraction) -> tuple[Ball, str]:
        """delta(epsilon) as a ball, with its bound; what `delta` shows is the upper end.

        >>> from tacit.privacy import PureLoss
        >>> total(PureLoss(1)).profile(Fraction(0))[1]
        'own law'
        """
        failure, rest = self.losses.split_failure()
        by = "trivial"

        def delta_of_rest() -> Ball:
            nonlocal by
            best = tightest_delta(rest, epsilon)
            if best is None:
                return ball(1)
            by = best[1]
            return ball(failure) + ball(1 - failure) * best[0]

        return refine(delta_of_rest), by

    @property
    def failure(self) -> Figure:
        """The probability that some release tells all: the part of delta that no epsilon buys off.

        >>> from tacit.privacy import ApproximateLoss
        >>> total(ApproximateLoss(1, 1e-6) * 2).failure
        1.999999e-06
        """
        return Figure.above(self.losses.split_failure()[0], "sum")

    @property
    def rho(self) -> Figure | None:
        """The rho for which all together are rho-zCDP; None where there is none or something can fail.

        >>> from tacit.privacy import GaussianLoss
        >>> total(GaussianLoss(squared=1) * 4).rho
        2.0
        """
        with working():
            rho = None if self.losses.split_failure()[0] else self.losses.rho()
            return None if rho is None else Figure.above(max(Fraction(0), upper(rho)), "zCDP")

    @property
    def mu(self) -> Figure | None:
        """The mu for which all together are one Gaussian release; None if anything else is among them.

        >>> from tacit.privacy import GaussianLoss
        >>> total(GaussianLoss(squared=1) * 4).mu
        2.0
        """
        match merge_gaussians(self.losses).parts:
            case ((GaussianLoss(squared), 1),):
                return Figure.above(root_at_least(squared), "Gaussian DP")
            case _:
                return None

    @property
    def total_variation(self) -> Figure:
        """The largest difference that one unit makes to the probability of anything: delta at epsilon zero.

        >>> from tacit.privacy import GaussianLoss
        >>> round(total(GaussianLoss(squared=1)).total_variation, 4)
        0.3829
        """
        return self.delta(0)

    def renyi(self, order: Number) -> Figure | None:
        """The Renyi divergence of an order above one, or of order `math.inf`; None where there is none.

        >>> from tacit.privacy import GaussianLoss
        >>> total(GaussianLoss(squared=1) * 4).renyi(order=3)
        6.0
        """
        exact: Fraction | float = inf if order == inf else at_least(order, "order")
        if exact <= 1:
            raise InvalidInput("order", order, "give an order above 1")
        if self.losses.split_failure()[0]:
            return None
        with working():
            divergence = merge_gaussians(self.losses).renyi(exact)
            return (
                None
                if divergence is None
                else Figure.above(max(Fraction(0), upper(divergence)), "Renyi")
            )

    def mgf(self, at: Number) -> Figure | None:
        """The moment generating function of the privacy loss at a positive number; None where it has none.

        Claim:      E[exp(t L)] is at most the figure, L being the loss seen from either neighbour.
        Because:    it is exp(t D), D being the Renyi divergence of order 1 + t.
        Checked by: tests/unit/accounting/test_moments.py

        >>> from tacit.privacy import PureLoss
        >>> total(PureLoss(1)).mgf(1) == total(PureLoss(1)).mgf(1.0) < 2.72
        True
        """
        exact = at_least(at, "a point of the moment generating function")
        if exact <= 0:
            raise InvalidInput(
                "a point of the moment generating function", at, "give a number above zero"
            )
        if self.losses.split_failure()[0]:
            return None
        with working():
            divergence = merge_gaussians(self.losses).renyi(1 + exact)
            return (
                None
                if divergence is None
                else Figure.above(upper((ball(exact) * divergence).exp()), "Renyi")
            )

    def loss_moment(self, power: int) -> Figure | None:
        """The mean of a power of the privacy loss; None where it has no law.

        >>> from tacit.privacy import GaussianLoss
        >>> total(GaussianLoss(squared=1) * 4).loss_moment(1)
        2.0
        """
        count = count_of(power, "the power", least=1)
        found = moment_of(merge_gaussians(self.losses), count)
        return None if found is None else Figure.above(upper(found), "moments")

    def tradeoff(self, alpha: Number) -> Figure:
        """The least share of misses of any attacker who tells neighbours apart with this share of false alarms.

        One minus it is the attacker's power: (alpha, 1 - tradeoff(alpha)) is the ROC curve that nobody exceeds.

        >>> from tacit.privacy import GaussianLoss
        >>> round(total(GaussianLoss(squared=1)).tradeoff(0.05), 4)
        0.7405
        """
        alarms = _probability(at_least(alpha, "alpha"), "alpha", alpha)
        # Laws have corners, where the search must be fine; bounds that are not a law are smooth, and slow.
        tolerance = 1e-12 if is_law(self.losses.split_failure()[1]) else 1e-5
        certified, by = least_misses(self.profile, self.losses.pure(), alarms, tolerance)
        return Figure.below(certified, by)

    def compare(self, delta: Number) -> dict[str, Figure]:
        """The epsilon of every bound that speaks about these losses, by name.

        >>> from tacit.privacy import PureLoss
        >>> sorted(total(PureLoss(0.1) * 50).compare(delta=1e-6))
        ['Renyi', 'advanced', 'basic', 'loss distribution', 'optimal', 'zCDP']
        """
        goal = _probability(at_most(delta, "delta"), "delta", delta)
        failure, rest = self.losses.split_failure()
        if goal <= failure:
            return {}
        with working():
            found = (
                (bound.name, bound.epsilon(rest, (goal - failure) / (1 - failure)))
                for bound in BOUNDS
            )
            return {
                name: Figure.above(epsilon, name) for name, epsilon in found if epsilon is not None
            }

    @property
    def by(self) -> str:
        """Which bound gives epsilon, at the usual deltas; each figure says its own as `figure.by`.

        >>> from tacit.privacy import GaussianLoss
        >>> total(GaussianLoss(squared=1) * 4).by
        'Gaussian DP'
        """
        failure = self.losses.split_failure()[0]
        won: dict[str, list[str]] = {}
        for digits in _DIGITS:
            if Fraction(1, 10**digits) > failure:
                won.setdefault(self.epsilon(Fraction(1, 10**digits)).by, []).append(f"1e-{digits}")
        if len(won) <= 1:
            return next(iter(won), "basic")
        return "; ".join(f"{name} at delta {', '.join(deltas)}" for name, deltas in won.items())

    def explain(self, delta: Number | None = None) -> str:
        """What the releases cost, in words: which bound says so, what plain addition would say, what delta is for.

        >>> from tacit.privacy import PureLoss
        >>> print(total(PureLoss(1)).explain(delta=0))
        1 release: (1.0, 0)-DP between neighbours by add-or-remove.
        Bound: own law.
        Role of delta: none; the guarantee is pure.
        """
        return explain_total(self, delta)


def _probability(exact: Fraction, name: str, given: object) -> Fraction:
    if not 0 <= exact <= 1:
        raise InvalidInput(name, given, "give a probability from 0 to 1")
    return exact


def _nonnegative(exact: Fraction, name: str, given: object) -> Fraction:
    if exact < 0:
        raise InvalidInput(name, given, "give a number of at least zero")
    return exact
