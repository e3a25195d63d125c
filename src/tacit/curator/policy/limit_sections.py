"""The sections of a policy file that limit what is spent: that of the vault and those of its analysts.

Checked by: tests/unit/curator/policy/test_policy_file.py
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tacit.curator.policy.policy import Limit
from tacit.curator.policy.read_values import DELTA, read_one_of, read_positive, read_probability
from tacit.curator.policy.toml_sections import Refused, Section, spell
from tacit.errors import InvalidInput
from tacit.privacy import Neighbours

__all__ = ["read_analysts", "read_limit"]
_EPSILON = "write a number above zero, without quotes, such as epsilon = 3"


def read_limit(section: Section) -> Limit | None:
    """The limit of the vault, if nothing is wrong with it."""
    section.only(("epsilon", "delta", "neighbours", "unit", "replay"))
    epsilon = section.take("epsilon", read_positive(_EPSILON), _EPSILON)
    delta = section.take("delta", read_probability, DELTA)
    neighbours = section.take("neighbours", read_one_of(*(each.value for each in Neighbours)))
    if epsilon is None or delta is None or (neighbours is None and section.has("neighbours")):
        return None
    return _check_limit(section, epsilon, delta, Neighbours(neighbours or Neighbours.ADD_OR_REMOVE))


def read_analysts(section: Section, limit: Limit | None) -> dict[str, Limit]:
    """The limits of the analysts by their names."""
    found = {}
    for name, inner in section.inners():
        inner.only(("epsilon", "share"))
        remedy = 'write the most that this analyst may spend, as in epsilon = 1, or share = "1/3" of the limit'
        if inner.has("share"):
            if inner.has("epsilon"):
                inner.fault("share", "epsilon is given, too", "give only one of them")
            part = inner.take("share", _share)
            if part is not None and limit is not None:
                found[name] = limit.part(part)
            continue
        epsilon = inner.take("epsilon", read_positive(remedy), remedy)
        if epsilon is None or limit is None:
            continue
        if epsilon > limit.epsilon:
            problem = (
                f"it is {spell(inner.values['epsilon'])}, above the common limit of "
                f"{float(limit.epsilon):g}"
            )
            inner.fault("epsilon", problem, "give an analyst at most the common limit")
        elif own := _check_limit(inner, epsilon, limit.delta, limit.neighbours):
            found[name] = own
    return found


def _share(value: Any) -> Fraction:
    """A part of the limit, as a number or as a text such as "1/3"."""
    try:
        part = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        part = Fraction(0)
    if isinstance(value, bool) or not 0 < part <= 1:
        raise Refused('write a part of the limit, such as share = 0.25 or share = "1/3"')
    return part


def _check_limit(
    section: Section, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
) -> Limit | None:
    """The limit, if it protects anybody and a ledger can count in parts of it."""
    try:
        limit = Limit(epsilon, delta, neighbours)
        limit.filter()
    except InvalidInput as refusal:
        section.fault("epsilon", f"it is {spell(section.values['epsilon'])}", refusal.remedy)
        return None
    return limit
