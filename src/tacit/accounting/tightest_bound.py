"""All bounds, in the order in which they are asked, and the tightest answer of them."""

from __future__ import annotations

from fractions import Fraction

from tacit.accounting.basic_composition import Advanced, Basic
from tacit.accounting.bound_protocol import Bound
from tacit.accounting.exact_law import GaussianDP, OwnLaw
from tacit.accounting.numerical_bound import Numerical
from tacit.accounting.optimal_composition import Optimal
from tacit.accounting.renyi import Concentrated, Renyi
from tacit.exact import Ball, upper
from tacit.frozen import frozen
from tacit.privacy import Composed

__all__ = ["BOUNDS", "Tightest", "is_law", "tightest_delta", "tightest_epsilon"]

BOUNDS: tuple[Bound, ...] = (
    OwnLaw(),
    GaussianDP(),
    Numerical(),
    Optimal(),
    Concentrated(),
    Basic(),
    Renyi(),
    Advanced(),
)
"""Every bound on a composition, the tightest first."""

# A bound that is smaller by less than this does not take the name: what is simpler keeps it.
_HAIR = Fraction(1, 1 << 30)


@frozen
class Tightest:
    """The smallest figure that any bound gives, and the name of that bound."""

    figure: Fraction
    by: str


def tightest_epsilon(losses: Composed, delta: Fraction) -> Tightest | None:
    """The smallest epsilon at this delta, of losses that cannot fail; None if no bound speaks.

    Claim:      the figure holds: it is that of one of the bounds, each of which holds by itself.
    Because:    the smallest of several upper bounds is one of them.  Once the law itself has
                spoken, or its certified enclosure, no other bound is asked: none could be smaller
                by more than the enclosure is wide.
    Checked by: tests/laws/test_accounting.py
    """
    pure, alone = losses.pure(), sum(times for _, times in losses.parts) == 1
    best = None if pure is None else Tightest(pure, "own law" if alone else "basic")
    for bound in _in_order(losses) if delta else ():
        found = bound.epsilon(losses, delta, below=None if best is None else best.figure)
        if found is None:
            continue
        if best is None or found < best.figure:
            wins = best is None or found < best.figure * (1 - _HAIR)
            best = Tightest(found, bound.name if best is None or wins else best.by)
        enclosed = isinstance(bound, Numerical) and bound.is_narrow(losses, found)
        if bound.is_exact(losses) or enclosed or not best.figure:
            break
    return best


def _in_order(losses: Composed) -> list[Bound]:
    """Those that are the law of these losses first, then the others."""
    return sorted(BOUNDS, key=lambda bound: not bound.is_exact(losses))


def tightest_delta(losses: Composed, epsilon: Fraction) -> tuple[Ball, str] | None:
    """The smallest delta at an epsilon, of losses that cannot fail, and its bound; None if no bound speaks."""
    best: tuple[Ball, str] | None = None
    for bound in _in_order(losses):
        profile = bound.profile(losses)
        if profile is None:
            continue
        found = profile(epsilon)
        if not found.is_finite():
            continue
        if best is None or upper(found) < upper(best[0]) * (1 - _HAIR):
            best = found, bound.name
        enclosed = isinstance(bound, Numerical) and bound.is_narrow(losses, epsilon)
        if bound.is_exact(losses) or enclosed or best[0].is_zero():
            break
    return best


def is_law(losses: Composed) -> bool:
    """Whether some bound is the exact law of these losses."""
    return any(bound.is_exact(losses) and bound.profile(losses) is not None for bound in BOUNDS)
