"""What the roles of a vault may do in the databases where its tables are: for the curator, who grants it.

Checked by: tests/unit/curator/test_postgres_vault.py
"""

from __future__ import annotations

from pathlib import Path

from tacit.curator.policy.policy_file import FILE, Document, read_policy
from tacit.engines import Rights, rights_of

__all__ = ["check_rights"]


def check_rights(vault: str | Path | Document) -> Rights:
    """What the role that reads a vault's tables lacks, and what it may do and need not; no row is read.

    >>> check_rights("clinic").excess  # doctest: +SKIP
    ("may write to 'public.visits'",)
    """
    if not isinstance(vault, Document):
        given = Path(vault)
        vault = read_policy(given if given.name == FILE and not given.is_dir() else given / FILE)
    return rights_of(vault.rows)
