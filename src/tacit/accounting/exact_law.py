"""The exact bounds: one release by its own law, and any number of Gaussians as one."""

from __future__ import annotations

from fractions import Fraction

from tacit.accounting.bound_protocol import Bound, Profile
from tacit.exact import Ball
from tacit.frozen import frozen
from tacit.privacy import Composed, GaussianLoss, ZeroConcentratedLoss

__all__ = ["GaussianDP", "OwnLaw", "require_delta", "merge_gaussians"]


@frozen
class OwnLaw(Bound):
    """One release, by the delta that its own loss states."""

    name: str = "own law"

    def profile(self, losses: Composed) -> Profile | None:
        """The loss's own delta, if there is one loss, once."""
        match losses.parts:
            case ((ZeroConcentratedLoss(), 1),):
                return None  # it has no law, only a rho
            case ((loss, 1),):
                return (
                    None
                    if loss.delta(Fraction(0)) is None
                    else lambda epsilon: require_delta(loss.delta(epsilon))
                )
            case _:
                return None

    def is_exact(self, losses: Composed) -> bool:
        """True: nobody knows a release better than itself."""
        return True


@frozen
class GaussianDP(Bound):
    """Gaussian releases only, which together are one Gaussian release.

    Claim:      releases of mu_1, mu_2, ... cost exactly what one of sqrt(mu_1**2 + mu_2**2 + ...) does, adaptively too.
    Because:    their joint law is Gaussian and only the length of the move matters (Dong, Roth, Su 2022, Corollary 2).
                Discrete Gaussian noise has no such law and is left to rho.
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "Gaussian DP"

    def profile(self, losses: Composed) -> Profile | None:
        """The delta of the one release that all of them are."""
        if not losses.parts or not all(isinstance(part, GaussianLoss) for part, _ in losses.parts):
            return None
        one = merge_gaussians(losses).parts[0][0]
        return lambda epsilon: require_delta(one.delta(epsilon))

    def is_exact(self, losses: Composed) -> bool:
        """True: it is the law itself."""
        return True


def merge_gaussians(losses: Composed) -> Composed:
    """The same losses with all that are continuous Gaussian made one: the squares of mu add.

    >>> merge_gaussians(GaussianLoss(squared=4) * 3).parts[0][0].squared
    Fraction(12, 1)
    """
    gaussians = [(part, times) for part, times in losses.parts if isinstance(part, GaussianLoss)]
    if sum(times for _, times in gaussians) < 2:
        return losses
    squared = sum((part.squared * times for part, times in gaussians), Fraction(0))
    others = ((part, times) for part, times in losses.parts if not isinstance(part, GaussianLoss))
    return Composed(((GaussianLoss(squared, losses.neighbours), 1), *others), losses.neighbours)


def require_delta(delta: Ball | None) -> Ball:
    """The delta; a loss that states one at one epsilon states it at all.

    >>> from tacit.exact import ball
    >>> float(require_delta(ball(1)))
    1.0
    """
    assert delta is not None
    return delta
