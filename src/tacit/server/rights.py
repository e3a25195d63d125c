"""Who may do what, by role."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.errors import AccessDenied
from tacit.server.identities import Identity

__all__ = ["RIGHTS", "check_right"]

RIGHTS: Mapping[str, frozenset[str]] = {
    "explain": frozenset({"analyst", "curator"}),
    "ask": frozenset({"analyst", "curator"}),
    "history": frozenset({"analyst", "curator"}),
    "look": frozenset({"analyst", "curator", "auditor"}),
    "read everyone": frozenset({"curator", "auditor"}),
    "decide": frozenset({"curator"}),
}
"""Who may do what: explain and ask; read one's own history; look at tables and budgets; read the ledger; decide."""


def check_right(who: Identity, right: str) -> None:
    """Refuse who may not do this."""
    if who.role not in RIGHTS[right]:
        raise AccessDenied(
            f"the role {who.role} may not do this",
            "ask somebody whose role allows it",
            signed_in=True,
        )
