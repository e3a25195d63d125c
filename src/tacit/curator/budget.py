"""What may be spent, what was, and what is left.

Checked by: tests/unit/curator/test_open.py
"""

from tacit.accounting import Charge
from tacit.curator.access import Access
from tacit.curator.policy.values import Limit
from tacit.frozen import frozen

__all__ = ["Budget", "budget_of", "tightest_limit"]


@frozen
class Budget:
    """What may be spent, what was, and what is left, as shares of the limit; `own` is the same for one analyst.

    >>> Budget(3.0, 1e-6, 0.25).left
    0.75
    """

    epsilon: float
    delta: float
    spent: float
    own: "Budget | None" = None

    @property
    def left(self) -> float:
        """The share of the limit that is left: none, if the limit was lowered below what is spent."""
        return max(0.0, 1 - self.spent)

    def __str__(self) -> str:
        full = min(40, round(40 * self.spent))
        bar = "█" * full + "░" * (40 - full)
        told = (
            f"{bar} {self.spent:.1%} of the limit (epsilon {self.epsilon:g}, delta {self.delta:g}) "
            "is spent"
        )
        if self.spent > 1:
            told += ": more than the limit is spent, and nothing is left"
        return told if self.own is None else f"{told}\n{self.own} by this analyst"


def budget_of(access: Access) -> Budget:
    """The budget of everyone and, where an analyst has a limit, of that analyst."""
    own = _own_limit(access)
    part = None if own is None else _share_spent(own, access.ledger.total_spent(access.analyst))
    whole = _share_spent(access.policy.limit, access.ledger.total_spent())
    return Budget(whole.epsilon, whole.delta, whole.spent, part)


def tightest_limit(access: Access) -> tuple[Limit, Charge]:
    """The limit of which least is left, everyone's or the analyst's own, and what is spent of it."""
    everyone = access.policy.limit, access.ledger.total_spent()
    own = _own_limit(access)
    if own is None:
        return everyone
    mine = own, access.ledger.total_spent(access.analyst)
    return min(everyone, mine, key=lambda pair: pair[0].filter().limit.amount - pair[1].amount)


def _own_limit(access: Access) -> Limit | None:
    return access.policy.analysts.get(access.analyst) if access.analyst else None


def _share_spent(limit: Limit, spent: Charge) -> Budget:
    share = float(limit.filter().share(spent))
    return Budget(float(limit.epsilon), float(limit.delta), share)
