"""Whether what a question says of its own price agrees with how it is asked, and with the policy."""

from __future__ import annotations

from tacit.curator.policy.policy import Limit
from tacit.exact import Number, at_most
from tacit.plan import Header, Plan, table_of

__all__ = ["agreed_price"]


def agreed_price(
    header: Header, plan: Plan, limit: Limit, epsilon: Number | None, within: Number | None
) -> Number | None:
    """The epsilon at which a question is asked: that of its header, if it has one, which nothing may contradict."""
    own, delta = header.number("epsilon"), header.number("delta")
    if header.unit is not None:
        unit = table_of(plan.question.rows).unit
        if unit is None or unit.casefold() != header.unit.casefold():
            meant = f"the unit is {unit!r}" if unit else "here every row is a unit"
            header.refuse(
                "unit", f"{header.unit[:64]!r} is not the protected unit; {meant}", "leave it out"
            )
    if delta is not None and not _agree(delta, limit.delta):
        remedy = "remove delta: it is part of the limit, which the policy sets"
        header.refuse("delta", f"the delta of this vault is {float(limit.delta):g}", remedy)
    if own is None:
        return epsilon
    if within is not None:
        header.refuse(
            "epsilon",
            "the question states epsilon, and the call states within",
            "remove one of them",
        )
    if epsilon is not None and not _agree(own, epsilon):
        reason = (
            f"the question states epsilon = {float(own):g}, but the call states epsilon "
            f"{float(at_most(epsilon)):g}"
        )
        header.refuse("epsilon", reason, "remove one of them")
    return own


def _agree(one: Number, other: Number) -> bool:
    """Whether two numbers are the same to the nearest double: one may be a decimal, the other a float."""
    return float(at_most(one)) == float(at_most(other))
