"""Where the rows of a table come from, as the policy said last: another source is another version of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256

from tacit.errors import LedgerUnavailable
from tacit.ledger import DurableLedger

__all__ = ["refresh_changed_sources"]


def refresh_changed_sources(
    ledger: DurableLedger, declared: Mapping[str, str], followers: Mapping[str, Iterable[str]]
) -> list[str]:
    """Give every table whose declared source is not that of before a new version; return their names.

    `followers` are, for every table, those whose units are found by way of it: they change with it.

    Claim:      after `source` was changed in a policy, no answer about the rows of the old one is replayed.
    Because:    what was declared last is noted beside the ledger's anchor; where another source is declared the table
                is refreshed before anything is asked, and only then is the new one noted: a crash in between refreshes
                it once more.
    Checked by: tests/unit/curator/record/test_table_version_by_source.py
    """
    changed = []
    for table, source in declared.items():
        note, digest = ledger.note(f"source of {table}"), sha256(source.encode()).hexdigest()
        known = note.read()
        if known == digest:
            continue
        if known is not None:
            changed.append(table)
            for each in (*followers.get(table, ()), table):
                ledger.refresh(each)
        # where nothing can be written, nothing is charged either
        with suppress(LedgerUnavailable):
            note.write(digest)
    return changed
