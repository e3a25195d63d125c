"""The bounds through Renyi divergences: zCDP, where one number says all of them, and the whole curve."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log, log1p

from tacit.accounting.bound_protocol import Bound, Profile, rough_rho
from tacit.accounting.conversion import concentrated_epsilon, epsilon_at, order_at, start_of
from tacit.accounting.exact_law import merge_gaussians, require_delta
from tacit.accounting.minimise import lowest
from tacit.exact import Ball, ball, infinite, upper, working
from tacit.frozen import frozen
from tacit.privacy import Composed, Subsampled, concentrated_delta, concentrated_order, renyi_delta

__all__ = ["Concentrated", "Renyi"]

# a curve that is a line at these orders is taken for one
_TELLING = (Fraction(2), Fraction(1 << 20))

# bits while orders are tried; the figure at the chosen one is computed with all of them
_SEARCHING = 64


@frozen
class Concentrated(Bound):
    """The sum of all rho, converted at the best order.

    Claim:      releases that are rho_i-zCDP are (sum of rho_i)-zCDP together, adaptively too.
    Because:    Bun and Steinke 2016, Lemma 2.3; the conversion is Canonne, Kamath, Steinke 2020, at any order.
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "zCDP"

    def profile(self, losses: Composed) -> Profile | None:
        """The smallest delta over all orders."""
        if losses.rho() is None:
            return None
        return lambda epsilon: concentrated_delta(
            max(Fraction(0), upper(require_delta(losses.rho()))), epsilon
        )

    def epsilon(
        self, losses: Composed, delta: Fraction, below: Fraction | None = None
    ) -> Fraction | None:
        """The smallest epsilon over all orders: the order is searched in floats, the figure certified there."""
        rho = losses.rho()
        if rho is None or rho.is_zero():
            return None if rho is None else Fraction(0)
        return concentrated_epsilon(rho, delta)


@frozen
class Renyi(Bound):
    """The sum of all Renyi divergences, converted at the best order.

    Claim:      divergences of one order add, adaptively too.
    Because:    Mironov 2017, Proposition 1; the conversion is Canonne, Kamath, Steinke 2020, at any order.
    Checked by: tests/laws/test_accounting.py
    """

    name: str = "Renyi"

    def profile(self, losses: Composed) -> Profile | None:
        """The smallest delta over all orders."""
        curve, rho = merge_gaussians(losses).renyi, rough_rho(losses)
        if curve(Fraction(2)) is None:
            return None

        def delta(epsilon: Fraction) -> Ball:
            def height(place: float) -> float:
                order = order_at(place)
                with working(_SEARCHING):
                    return _log_delta(
                        float(require_delta(curve(order))), float(order - 1), float(epsilon)
                    )

            start = log(
                max(concentrated_order(rho, max(float(epsilon), 1e-9)) - 1, Fraction(1, 10**6))
            )
            return _best(
                lambda order: renyi_delta(require_delta(curve(order)), order, epsilon),
                lowest(height, start),
                losses,
            )

        return delta

    def epsilon(
        self, losses: Composed, delta: Fraction, below: Fraction | None = None
    ) -> Fraction | None:
        """The smallest epsilon over all orders; None where rho says as much as the whole curve."""
        curve, rho = merge_gaussians(losses).renyi, losses.rho()
        telling = curve(_TELLING[0])
        if telling is None:
            return None
        if rho is not None and not (
            telling < rho * ball(_TELLING[0])
            or require_delta(curve(_TELLING[1])) < rho * ball(_TELLING[1])
        ):
            return None

        def at(order: Fraction) -> Ball:
            return epsilon_at(require_delta(curve(order)), order, delta)

        def height(place: float) -> float:
            with working(_SEARCHING):
                return float(at(order_at(place)))

        best = _best(at, lowest(height, start_of(rough_rho(losses), float(delta))), losses)
        return max(Fraction(0), upper(best)) if best.is_finite() else None


def _log_delta(divergence: float, above: float, epsilon: float) -> float:
    """ln(delta) at the order 1 + above, as `renyi_delta` has it."""
    return above * (divergence - epsilon) + above * log(above) - (1 + above) * log1p(above)


def _best(figure: Callable[[Fraction], Ball], place: float, losses: Composed) -> Ball:
    """The figure at the order that was found, or at the whole order nearest to it where that may be smaller.

    Divergences of samples are sharp at whole orders, so the best order is often one.
    """
    order = order_at(place)
    sharp = any(isinstance(part, Subsampled) for part, _ in losses.parts)
    found = [figure(at) for at in ((order, Fraction(max(2, round(order)))) if sharp else (order,))]
    return min((one for one in found if one.is_finite()), key=upper, default=infinite())
