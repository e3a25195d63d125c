"""Propose-test-release: a guess at the sensitivity, a private test of it, and an answer or a refusal."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, at_least, ball, discrete_laplace, upper, working
from tacit.frozen import frozen
from tacit.mechanisms.noise_law import LaplaceLaw, Released, first
from tacit.mechanisms.parameters import failure_of, price_of
from tacit.privacy import ApproximateLoss, Loss, Neighbours, fill

__all__ = ["ProposeTestRelease"]


@frozen(init=False)
class ProposeTestRelease:
    """An integer with noise for a proposed sensitivity, released if the data pass a private test, else refused.

    The test is passed if the number of rows that must change until the local sensitivity can exceed the proposal, plus
    noise, exceeds the threshold.

    Claim:      the whole, the refusal included, is (1 / test_scale + proposal / noise_scale, delta)-DP, delta being
                the chance that noise alone passes the test.
    Because:    the distance moves by at most one between neighbours.  If it is zero, all but delta of what leaves is
                the refusal, whose chances differ by e**(1 / test_scale); if it is not, the answer moves by at most
                the proposal, and losses add (Dwork and Lei 2009).
    Checked by: tests/laws/test_propose_test_release.py::test_a_release_or_refusal_never_costs_more_than_it_claims

    >>> tester = ProposeTestRelease.calibrate(proposal=5, epsilon=2, delta=1e-6)
    >>> tester.threshold, tester.release(40, distance=0) is None
    (13, True)
    """

    proposal: Fraction
    test_scale: Fraction
    noise_scale: Fraction
    threshold: int

    def __init__(
        self, proposal: Number, test_scale: Number, noise_scale: Number, threshold: int
    ) -> None:
        fill(
            self,
            proposal=_positive(proposal, "proposal"),
            test_scale=_positive(test_scale, "test_scale"),
            noise_scale=_positive(noise_scale, "noise_scale"),
            threshold=threshold,
        )

    @classmethod
    def calibrate(
        cls,
        proposal: Number,
        epsilon: Number,
        delta: Number,
        share: Number = Fraction(1, 2),
    ) -> ProposeTestRelease:
        """The least noise at (epsilon, delta): a `share` of epsilon for the test, the rest for the answer."""
        price, failure, part = price_of(epsilon), failure_of(delta), at_least(share, "share")
        if not 0 < part < 1:
            raise InvalidInput("share", share, "give a part strictly between 0 and 1")
        guess, test = _positive(proposal, "proposal"), 1 / (price * part)
        law = LaplaceLaw(test)

        def rare(threshold: int) -> bool:
            with working():
                return upper(law.tail(threshold + 1)) <= failure

        threshold = first(rare, law.near(float(failure)))
        return cls(guess, test, guess / (price * (1 - part)), threshold)

    def release(self, value: int, distance: int) -> int | None:
        """The value with noise, or None: a refusal, which is a release and is paid for.

        `distance` is how many rows must change at least until the local sensitivity can exceed the proposal.
        """
        noisy = distance + discrete_laplace(self.test_scale)
        drawn = value + discrete_laplace(self.noise_scale)
        return drawn if noisy > self.threshold else None

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """What one call costs, whether it answers or refuses."""
        with working():
            passes = upper(LaplaceLaw(self.test_scale).tail(self.threshold + 1))
        epsilon = 1 / self.test_scale + self.proposal / self.noise_scale
        return ApproximateLoss(epsilon, passes, neighbours)

    def chance_to_answer(self, distance: int) -> Ball:
        """The probability that the test is passed at a distance."""
        return LaplaceLaw(self.test_scale).tail(self.threshold + 1 - distance)

    def distribution(
        self, value: int, distance: int, low: int, high: int
    ) -> dict[int | None, Ball]:
        """The exact law of what leaves, the answer clamped to low … high; None is the refusal."""
        with working():
            passes = self.chance_to_answer(distance)
            answered = Released(value, LaplaceLaw(self.noise_scale)).clamp_law(low, high)
            law: dict[int | None, Ball] = {None: ball(1) - passes}
            return law | {place: mass * passes for place, mass in answered.items()}


def _positive(number: Number, name: str) -> Fraction:
    exact = at_least(number, name)
    if exact <= 0:
        raise InvalidInput(name, number, "give a number above zero")
    return exact
