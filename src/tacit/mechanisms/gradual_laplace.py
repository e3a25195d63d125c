"""Less noise on what was released before, for the difference of the prices: Laplace noise that was refined."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.errors import InvalidInput
from tacit.exact import (
    Ball,
    Chance,
    Number,
    at_least,
    ball,
    below,
    bernoulli_exp,
    falls_below,
    floor_of,
    geometric,
    words,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.noise_law import LaplaceLaw
from tacit.privacy import Loss, Norm, PureLoss, Sensitivity, fill

__all__ = ["GradualLaplace"]


@frozen(init=False)
class GradualLaplace:
    """From an integer released with Laplace noise of scale `before` to one with noise of the smaller scale `after`.

    Claim:      the first release and the refined one together have exactly the loss of one release with noise of the
                smaller scale: what is paid besides is the difference.
    Because:    noise of scale `before` is noise of scale `after` plus an independent number, which is zero with
                probability sinh(1 / 2 before)**2 / sinh(1 / 2 after)**2 and else Laplace of scale `before` (their
                characteristic functions say so).  The refined noise is drawn from its law given the first: so the
                first release has the law of one made from the refined one without the data, which is free
                (Koufogiannis, Han, Pappas 2015, for integers).
    Checked by: tests/laws/test_gradual_release.py::test_both_releases_cost_what_the_finer_one_costs

    >>> step = GradualLaplace(before=10, after=2)
    >>> step.loss(1).pure()
    Fraction(2, 5)
    >>> isinstance(step.release(42, released=55), int)
    True
    """

    before: Fraction
    after: Fraction

    def __init__(self, before: Number, after: Number) -> None:
        coarse, fine = at_least(before, "before"), at_least(after, "after")
        if not Fraction(1, 1000) <= fine < coarse:
            raise InvalidInput(
                "after", after, "give a scale above 1/1000 and below the earlier one"
            )
        fill(self, before=coarse, after=fine)

    def release(self, value: Any, released: Any) -> Any:
        """The integer with less noise, given what was released of it before; of arrays, each of them."""
        if isinstance(value, np.ndarray):
            pairs = zip(value.ravel().tolist(), np.asarray(released).ravel().tolist(), strict=True)
            drawn = [self._refine(int(old) - int(exact)) + int(exact) for exact, old in pairs]
            return np.array(drawn, dtype=value.dtype).reshape(value.shape)
        return int(value) + self._refine(int(released) - int(value))

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What is paid besides what the first release has cost."""
        moved = sensitivity_of(sensitivity)
        steps = moved.in_norm(Norm.L1).bound
        return PureLoss(steps / self.after - steps / self.before, moved.neighbours)

    def probability(self, noise: int, earlier: int) -> Ball:
        """The probability of this refined noise where the earlier noise is as given."""
        fine, coarse = LaplaceLaw(self.after), LaplaceLaw(self.before)
        kept = self._kept_probability()
        added = (1 - kept) * coarse.mass(earlier - noise)
        if noise == earlier:
            added += kept
        return fine.mass(noise) * added / coarse.mass(earlier)

    def _kept_probability(self) -> Ball:
        """The probability that both noises are the same number, before either is known."""
        coarse, fine = ball(1 / (2 * self.before)), ball(1 / (2 * self.after))
        return (coarse.sinh() / fine.sinh()) ** 2

    def _refine(self, earlier: int) -> int:
        """The refined noise, drawn exactly from its law given the earlier noise.

        Claim:      its law is that of `probability`.
        Because:    it is the earlier noise with the probability that they are the same; else it has weights
                    e**(-|z| / after - |earlier - z| / before), which are geometric in each of three pieces.
        Checked by: tests/laws/test_gradual_release.py::test_pieces_have_the_weights_of_the_law
        """
        distance = abs(earlier)
        if _toss(lambda: self.chance_to_keep(distance)):
            return earlier
        refined = self._draw_piece(distance)
        return refined if earlier >= 0 else -refined

    def chance_to_keep(self, distance: int) -> Ball:
        """The probability that the refined noise is the earlier one, at this distance from zero."""
        fine, coarse = LaplaceLaw(self.after), LaplaceLaw(self.before)
        return self._kept_probability() * fine.mass(distance) / coarse.mass(distance)

    def piece_weights(self, distance: int) -> tuple[Ball, Ball, Ball]:
        """The weights of refined noise below zero, from zero to the distance, and beyond it."""
        slow, fast = ball(1 / self.before), ball(1 / self.after)
        both = (-(slow + fast)).exp()
        outside = both / (1 - both)
        apart = (slow - fast).exp()
        inside = (1 - apart ** (distance + 1)) / (1 - apart)
        near = (-slow * distance).exp()
        return near * outside, near * inside, (-fast * distance).exp() * outside

    def _draw_piece(self, distance: int) -> int:
        """Noise that differs from the earlier one, which is not negative."""

        def share(place: int) -> Ball:
            weights = self.piece_weights(distance)
            return weights[place] / sum(weights[place:], ball(0))

        beyond = 1 / (1 / self.before + 1 / self.after)
        if _toss(lambda: share(0)):
            return -1 - geometric(beyond)
        if _toss(lambda: share(1)):
            return self._draw_inside(distance)
        return distance + 1 + geometric(beyond)

    def _draw_inside(self, distance: int) -> int:
        """A number from zero to the distance, with weights e**(-z / scale) that fall as the two scales differ."""
        scale = 1 / (1 / self.after - 1 / self.before)
        while True:
            if distance <= scale:
                drawn = below(distance + 1)
                if bernoulli_exp(drawn / scale):
                    return drawn
            elif (drawn := geometric(scale)) <= distance:
                return drawn


def _toss(chance: Callable[[], Ball]) -> bool:
    """True with a probability that is given by a function that encloses it."""
    exact = Chance(lambda bits: floor_of(chance, bits))
    return bool(falls_below(words(1), np.uint64(exact.top()), exact)[0])
