"""The bounds that add up pure epsilons: basic and advanced composition."""

from __future__ import annotations

from fractions import Fraction

from tacit.accounting.bound_protocol import Bound, Profile
from tacit.exact import Ball, ball, infinite
from tacit.frozen import frozen
from tacit.privacy import Composed, Loss

__all__ = ["Advanced", "Basic", "pure_parts"]


@frozen
class Basic(Bound):
    """Epsilons and deltas add.

    Claim:      if each release is (epsilon_i, delta_i)-DP, all are (sum epsilon_i, sum delta_i)-DP, adaptively too.
    Because:    Dwork, Kenthapadi, McSherry, Mironov, Naor 2006.  Pure losses are taken at delta zero; what is left of
                epsilon is shared evenly by the others, each of which says its own delta there.
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "basic"

    def profile(self, losses: Composed) -> Profile | None:
        """Zero for pure losses that fit, otherwise the sum of what the others say; without end if one says nothing."""
        pure, others = _split(losses)
        count = sum(times for _, times in others)

        def delta(epsilon: Fraction) -> Ball:
            if epsilon < pure:
                return ball(1)
            total = ball(0)
            for part, times in others:
                own = part.delta((epsilon - pure) / count)
                total += infinite() if own is None else own * times
            return total

        return delta

    def epsilon(
        self, losses: Composed, delta: Fraction, below: Fraction | None = None
    ) -> Fraction | None:
        """The sum, where all are pure."""
        pure, others = _split(losses)
        return Bound.epsilon(self, losses, delta, below) if others else pure


@frozen
class Advanced(Bound):
    """Pure losses by a martingale's tail: the textbook form, kept for comparison.

    Claim:      epsilon = sum of epsilon_i (e**epsilon_i - 1) + sqrt(2 ln(1/delta) sum of epsilon_i**2) holds at delta.
    Because:    Dwork, Rothblum, Vadhan 2010: the loss of each release is at most epsilon_i and on average at most
                epsilon_i (e**epsilon_i - 1); Azuma's inequality.
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "advanced"

    def profile(self, losses: Composed) -> Profile | None:
        """The tail of the martingale beyond what it is on average."""
        parts = pure_parts(losses)
        if parts is None:
            return None

        def delta(epsilon: Fraction) -> Ball:
            mean = sum((ball(own) * ball(own).expm1() * times for own, times in parts), ball(0))
            spread = sum((own**2 * times for own, times in parts), Fraction(0))
            beyond = ball(epsilon) - mean
            if not spread or not beyond > 0:
                return ball(1) if spread else ball(0)
            return (-beyond * beyond / (2 * ball(spread))).exp()

        return delta


def _split(losses: Composed) -> tuple[Fraction, list[tuple[Loss, int]]]:
    """The sum of all pure epsilons, and the losses that have none."""
    pure, others = Fraction(0), list[tuple[Loss, int]]()
    for part, times in losses.parts:
        own = part.pure()
        if own is None:
            others.append((part, times))
        else:
            pure += own * times
    return pure, others


def pure_parts(losses: Composed) -> list[tuple[Fraction, int]] | None:
    """The distinct pure epsilons and how often each occurs; None if some loss is not pure."""
    counts: dict[Fraction, int] = {}
    for part, times in losses.parts:
        own = part.pure()
        if own is None:
            return None
        counts[own] = counts.get(own, 0) + times
    return sorted(counts.items())
