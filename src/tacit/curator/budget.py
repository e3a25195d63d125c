"""What may be spent, what was, and what is left.

Checked by: tests/unit/curator/test_open_folder.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.accounting import Charge
from tacit.curator.policy.policy import Limit
from tacit.curator.question_context import Access
from tacit.errors import LimitExceeded
from tacit.frozen import frozen
from tacit.printing import html_lines

if TYPE_CHECKING:
    from tacit.curator.answer.explanation import Explanation


__all__ = ["Budget", "budget_of", "find_shortage", "with_earlier_charge", "with_own_limit"]


@frozen
class Budget:
    """What may be spent, what was, and what is left, as shares of the limit; `own` is the same for one analyst.

    >>> Budget(3.0, 1e-6, 0.25).left
    0.75
    """

    epsilon: float
    delta: float
    spent: float
    own: Budget | None = None

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

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_lines(str(self))


def budget_of(access: Access) -> Budget:
    """The budget of everyone and, where an analyst has a limit, of that analyst."""
    own = _own_limit(access)
    part = None if own is None else _share_spent(own, access.ledger.total_spent(access.analyst))
    whole = _share_spent(access.policy.limit, access.ledger.total_spent())
    return Budget(whole.epsilon, whole.delta, whole.spent, part)


def with_own_limit(access: Access, told: Explanation, charge: Charge) -> Explanation:
    """An explanation that also says what a charge is of the analyst's own limit, if there is one."""
    own = _own_limit(access)
    if own is None:
        return told
    rule, spent = own.filter(), access.ledger.total_spent(access.analyst)
    shares = float(rule.share(charge)), max(0.0, float(1 - rule.share(spent)))
    fits = rule.admits(spent, charge)
    fitting = told.fitting if fits else rule.epsilon_left(spent, charge)
    return replace(told, own=shares, affordable=told.affordable and fits, fitting=fitting)


def with_earlier_charge(
    access: Access, told: Explanation, key: bytes, charge: Charge
) -> Explanation:
    """An explanation that also says whether the answer was paid for before and never given: nothing more is due then.

    Claim:      what is said to be paid is not charged again, and is the payer's own; of a slot that has not ended
                nothing is said.
    Because:    an entry under the key whose price was no lower is what `Ledger.charge` takes, and no entry is ever
                removed; those of other payers do not count, and the ledger shows no others than may be seen.
    Checked by: tests/unit/curator/test_read_only_ledger.py and tests/attacks/test_free_reads.py
    """
    own = (each for each in access.ledger.find_charged(key) if each.analyst == access.analyst)
    if told.free or not any(charge.fits(each.charge) for each in own):
        return told
    return replace(told, free=True, paid=True, affordable=True)


def find_shortage(access: Access, charge: Charge) -> LimitExceeded | None:
    """The refusal of a charge that fits into the limit, or into the analyst's own, no more; None if it fits."""
    own = _own_limit(access)
    limits = [(None, access.policy.limit), *([] if own is None else [(access.analyst, own)])]
    for payer, limit in limits:
        rule, spent = limit.filter(), access.ledger.total_spent(payer)
        if not rule.admits(spent, charge):
            left = 1 - rule.share(spent)
            return LimitExceeded(payer, rule.share(charge), left, rule.epsilon_left(spent, charge))
    return None


def _own_limit(access: Access) -> Limit | None:
    return access.policy.analysts.get(access.analyst) if access.analyst else None


def _share_spent(limit: Limit, spent: Charge) -> Budget:
    share = float(limit.filter().share(spent))
    return Budget(float(limit.epsilon), float(limit.delta), share)
