"""The noise of sums of vectors: each array gets its part of one price; sampled steps are paid for together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from tacit.accounting import sampled_multiplier, stop_for, trial_epsilon, trial_rho
from tacit.curator.tables.tables_noise import Draw, TableNoise
from tacit.curator.vectors.summable_vectors import Backpropagated, Kernel, arrays_of, bounds_of
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian
from tacit.privacy import Loss, Neighbours, Norm, PureLoss, ZeroConcentratedLoss
from tacit.stability import sensitivity_of_sum
from tacit.synth import Tables

__all__ = ["RATES", "Sampling", "Sums", "TrialNoise", "Trials", "VectorNoise", "ask_tables"]

RATES = 1 << 16
"""A sampling rate is a whole number of this many parts."""


@frozen(eq=False)
class Sums:
    """A request for the sums of a kernel; they cost a `share` of the price, and each array its part of that."""

    kernel: Kernel
    share: Fraction
    parts: tuple[int, ...] = (1,)


@frozen
class Sampling:
    """Steps on Poisson samples, fixed beforehand: how many, at which rate in 2**16 parts, for which share."""

    steps: int
    rate: int
    share: Fraction


@frozen
class Trials:
    """Trials of which the best alone is released: of how many candidates, and how many there are in the mean."""

    candidates: int
    mean: Fraction

    @property
    def stop(self) -> Fraction:
        """The parameter of the law of their number."""
        return stop_for(self.mean)


@frozen
class VectorNoise(TableNoise):
    """What hides tables and sums at a price; `failure` is what sampled steps may fail with."""

    sampling: Sampling | None = None
    failure: Fraction = Fraction(0)

    @property
    def norm(self) -> Norm:
        """The norm in which vectors are held: the one that the noise hides."""
        return Norm.L2 if self.concentrated else Norm.L1

    @property
    def loss(self) -> Loss:
        """What is paid for everything that is released at this price.

        Claim:      all requests whose shares sum to at most one cost no more than this together.
        Because:    as for tables; sampled steps are fitted together to their share of rho and the whole failure.
        Checked by: tests/laws/test_vectors.py::test_everything_that_is_drawn_is_paid_for
        """
        if self.concentrated:
            return ZeroConcentratedLoss(self.amount, self.failure, self.neighbours)
        return PureLoss(self.amount, self.neighbours)

    def unit_deviation(self, share: Fraction | float) -> float:
        """The deviation of the noise of a sum of vectors of norm one, for a share of the price; before it is paid."""
        moved = self.weights.bound * (2 if self.neighbours is Neighbours.REPLACE else 1)
        price = float(self.amount) * float(share)
        if self.concentrated:
            return float(moved / (2 * price) ** 0.5)
        return float(moved * 2**0.5 / price)

    def sum_draws(self, request: Sums) -> tuple[Draw, ...]:
        """The noise of every array of a request for sums."""
        kernel = request.kernel
        longest, sizes = bounds_of(kernel, self.norm), arrays_of(kernel)
        moved = [
            sensitivity_of_sum(bound, size, self.weights, self.neighbours, self.norm)
            for bound, size in zip(longest, sizes, strict=True)
        ]
        if isinstance(kernel, Backpropagated) and kernel.rate is not None:
            (only,) = moved
            multiplier = self._multiplier_of_sample(kernel.rate)
            return (Draw(Gaussian(Fraction(ceil(only.bound * multiplier))), only),)
        if len(request.parts) != len(sizes) or min(request.parts) <= 0:
            raise InvalidInput("parts", request.parts, f"give {len(sizes)} positive whole numbers")
        whole = sum(request.parts)
        return tuple(
            self._fit(each, self.amount * request.share * Fraction(part, whole))
            for each, part in zip(moved, request.parts, strict=True)
        )

    def _multiplier_of_sample(self, rate: int) -> Fraction:
        """The noise of one sampled step, in units of how far its sum moves."""
        plan = self.sampling
        if plan is None or plan.rate != rate or not self.failure:
            raise AssertionError("sampled steps are declared beforehand")
        assert self.neighbours is Neighbours.ADD_OR_REMOVE, (
            "samples are accounted for by add-or-remove"
        )
        return sampled_multiplier(
            self.amount * plan.share, Fraction(rate, RATES), plan.steps, self.failure
        )


@frozen
class TrialNoise(VectorNoise):
    """What hides the sums of one trial, where the best of a random number of them is paid for with `whole`."""

    whole: Fraction = Fraction(0)

    @classmethod
    def fit(cls, plain: VectorNoise, trials: Trials, failure: Fraction) -> TrialNoise:
        """The noise of a trial at a price of the best one.

        Claim:      the best of a random number of trials, each at this amount, costs no more than the price.
        Because:    the amount is the largest at which the certified price of the best is at most that.
        Checked by: tests/laws/test_tune.py::test_what_is_drawn_in_a_trial_is_what_its_price_allows
        """
        amount = (
            trial_rho(plain.amount, trials.stop, failure)
            if plain.concentrated
            else trial_epsilon(plain.amount)
        )
        return cls(
            plain.weights,
            plain.neighbours,
            amount,
            plain.concentrated,
            None,
            failure if plain.concentrated else Fraction(0),
            plain.amount,
        )

    @property
    def loss(self) -> Loss:
        """What is paid for the best trial."""
        if self.concentrated:
            return ZeroConcentratedLoss(self.whole, self.failure, self.neighbours)
        return PureLoss(self.whole, self.neighbours)


def ask_tables(
    columns: Sequence[tuple[int, ...]], groups: Sequence[Sequence[int]], share: Fraction
) -> Tables:
    """A request for tables of counts of the groups of some columns, all equally accurate."""
    return Tables(tuple(columns), tuple(map(tuple, groups)), share, (1,) * len(columns))
