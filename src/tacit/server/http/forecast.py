"""When a limit is reached at the pace of the last days, and how many answers still fit: from charges alone.

Checked by: tests/unit/server/http/test_forecast.py
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["PRICES", "forecast", "own_scale"]

PRICES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Prices for which it is told how many answers fit."""

_DAYS = 7
_ENOUGH = 5  # charges from which on a pace means something


def forecast(
    standing: Any, spending: Sequence[tuple[str, float]], policy: Any, now: datetime | None = None
) -> dict[str, Any]:
    """The mean share of a day in the last week, the days until the limit at that pace, and what fits."""
    moment = datetime.now(UTC) if now is None else now
    recent = [
        share for at, share in spending if datetime.fromisoformat(at) > moment - timedelta(_DAYS)
    ]
    budget = standing.budget.own or standing.budget
    whole = (
        policy.limit.epsilon
        if standing.budget.own is None
        else policy.analysts[standing.name].epsilon
    )
    scale = own_scale(policy, None if standing.budget.own is None else standing.name)
    pace = sum(recent) * scale / _DAYS if len(recent) >= _ENOUGH else None
    return {
        "per_day": pace,
        "days_left": None if not pace else budget.left / pace,
        "fits": [
            {"epsilon": price, "answers": float(_fitting(policy, standing, price))}
            for price in PRICES
            if price <= whole
        ],
    }


def own_scale(policy: Any, payer: str | None) -> float:
    """How many shares of somebody's own limit one share of everyone's is; 1 for who has none."""
    if payer not in policy.analysts:
        return 1.0
    own = policy.analysts[payer].filter().limit.amount
    return float(policy.limit.filter().limit.amount) / float(own)


def _fitting(policy: Any, standing: Any, price: float) -> int:
    """How many more answers at this price fit into what is left, of everyone's limit and of one's own."""
    limits = [(policy.limit, standing.budget)]
    if standing.budget.own is not None:
        limits.append((policy.analysts[standing.name], standing.budget.own))
    counts = []
    for limit, budget in limits:
        rule = limit.filter()
        share = float(rule.share(rule.price_of(price)))
        counts.append(int(budget.left / share * (1 + 1e-9)))
    return min(counts)
