"""A limit that outlives the process, for tables that are given in Python: `protect(…, vault="clinic")`."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from pathlib import Path

from tacit.curator.policy.policy import Policy
from tacit.curator.policy.policy_file import FILE
from tacit.curator.record.encryption_key import file_secret
from tacit.curator.record.table_version_by_source import refresh_changed_sources
from tacit.engines import Source, digest_rows
from tacit.errors import InvalidInput
from tacit.ledger import DurableLedger, Founding, sqlite_ledger

__all__ = ["keep_ledger"]

_LEDGER = "ledger.sqlite"


def keep_ledger(folder: str | Path, policy: Policy, sources: Mapping[str, Source]) -> DurableLedger:
    """The ledger in a folder, which is made if there is none; a table with other rows than before has a new version.

    Claim:      what was spent in a folder stays spent, whoever protects whichever rows there again; no answer about
                other rows is replayed; and what is noted of the rows tells nothing to whoever has not the folder's key.
    Because:    it is the ledger of a vault, with its anchor; a digest of the rows is compared before anything is asked,
                and is keyed: who knows all rows but one cannot try out the last.
    Checked by: tests/unit/curator/test_persistent_limit.py
    """
    place = Path(folder)
    if (place / FILE).exists():
        remedy = f"it is a vault with a policy of its own: tacit.open({str(folder)!r}), or name another folder"
        raise InvalidInput("vault", str(folder), remedy)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        remedy = "name a folder that can be created, or one that is there"
        raise InvalidInput("vault", str(folder), remedy) from None
    limit = policy.limit.filter()
    ledger = sqlite_ledger(
        place / _LEDGER, Founding.of(policy.unit, limit), limit, vault=place / FILE
    )
    try:
        key = file_secret(place)()
        digests = {name: _key_digest(key, digest_rows(source)) for name, source in sources.items()}
        refresh_changed_sources(ledger, digests, {})
    except BaseException:
        ledger.close()
        raise
    return ledger


def _key_digest(key: bytes, digest: str) -> str:
    return hmac.digest(key, digest.encode(), "sha256").hex()
