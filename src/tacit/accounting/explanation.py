"""A total in plain words, with the role that delta plays in it.

Checked by: tests/unit/accounting/test_totals.py
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tacit.accounting.certified_float import format_parameter
from tacit.errors import NotPrivate
from tacit.exact import Number, at_most
from tacit.privacy import Loss

if TYPE_CHECKING:
    from tacit.accounting.totals import Total

__all__ = ["explain_total"]

_USUAL = (Fraction(1, 10**6), Fraction(1, 10**9))


def explain_total(total: Total, delta: Number | None) -> str:
    """The text of `Total.explain`."""
    count = sum(times for _, times in total.losses.parts)
    releases = "1 release" if count == 1 else f"{count} releases"
    deltas = (
        _usual_deltas(total.losses.split_failure()[0])
        if delta is None
        else (at_most(delta, "delta"),)
    )
    costs = [_cost(total, at) for at in deltas]
    lines = [
        f"{releases}: {'; '.join(costs)} between neighbours by {total.losses.neighbours.value}."
    ]
    lines += _bounds(total, deltas[0])
    lines.append(f"Role of delta: {_role(total, deltas[0])}")
    return "\n".join(lines)


def _usual_deltas(failure: Fraction) -> tuple[Fraction, ...]:
    """Deltas to show a cost at, when nobody says one: the usual ones that are above what can fail."""
    return tuple(delta for delta in _USUAL if delta > failure) or (min(2 * failure, Fraction(1)),)


def _cost(total: Total, delta: Fraction) -> str:
    try:
        return f"({total.epsilon(delta)!r}, {format_parameter(delta)})-DP"
    except NotPrivate:
        return f"no epsilon at delta {format_parameter(delta)}"


def _bounds(total: Total, delta: Fraction) -> list[str]:
    """Which bound gave the figure, and what the others say."""
    try:
        won = total.epsilon(delta)
    except NotPrivate:
        return []
    others = (
        sorted(figure for figure in total.compare(delta).values() if figure.by != won.by)
        if delta
        else []
    )
    said = ", ".join(f"{figure.by} {figure:.6g}" for figure in others)
    return [f"Bound: {won.by}." + (f" Others say: {said}." if said else "")]


def _role(total: Total, delta: Fraction) -> str:
    """What delta is the price of: a failure, the Gaussian, or a sum that grows like a root."""
    failure, rest = total.losses.split_failure()
    unbounded = rest.pure() is None
    roles = []
    if failure:
        roles.append(
            f"a failure probability: with probability {float(failure):.3g} a release may reveal everything"
        )
    if unbounded:
        roles.append(
            "noise with an unbounded loss, such as Gaussian noise: at delta 0 there is no epsilon"
        )
    if not unbounded and delta > failure and _count(rest.parts) > 1:
        plain = total.epsilon(failure)
        if total.epsilon(delta) < plain:
            roles.append(
                f"a tighter composition than addition, which gives {plain:.6g} without a delta"
            )
    return ("; ".join(roles) if roles else "none; the guarantee is pure") + "."


def _count(parts: tuple[tuple[Loss, int], ...]) -> int:
    return sum(times for _, times in parts)
