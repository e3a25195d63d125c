"""What the desk says, as JSON can hold it: the forms that all doors share.

Checked by: tests/unit/server/http/test_api.py
"""

from __future__ import annotations

from typing import Any

from tacit.curator import (
    Limit,
    budget_fields,
    explanation_fields,
    read_parameters,
    read_policy,
    release_fields,
    table_fields,
)
from tacit.errors import InvalidPolicy
from tacit.server.desk import Standing

__all__ = [
    "answer_fields",
    "budget_fields",
    "explanation_fields",
    "limit_fields",
    "policy_faults",
    "read_parameters",
    "standing_fields",
    "table_fields",
]

answer_fields = release_fields
"""An answer as JSON can hold it."""


def standing_fields(standing: Standing) -> dict[str, Any]:
    """Who is signed in, and what is left, as JSON can hold it."""
    return {
        "name": standing.name,
        "role": standing.role,
        "has_limit": standing.has_limit,
        "budget": budget_fields(standing.budget),
        "price": standing.price,
        "allowance": standing.allowance,
        "spent_today": standing.spent_today,
    }


def limit_fields(limit: Limit) -> dict[str, str]:
    """A limit as exact texts.

    >>> limit_fields(Limit(3, 0.5))
    {'epsilon': '3', 'delta': '1/2', 'neighbours': 'add-or-remove'}
    """
    return {
        "epsilon": str(limit.epsilon),
        "delta": str(limit.delta),
        "neighbours": limit.neighbours.value,
    }


def policy_faults(file: Any) -> list[tuple[int, str]]:
    """What is wrong with a policy file, by line, as `tacit check` tells it."""
    try:
        read_policy(file)
    except InvalidPolicy as wrong:
        return [(fault.line, f"{fault.problem}; {fault.remedy}") for fault in wrong.faults]
    return []
