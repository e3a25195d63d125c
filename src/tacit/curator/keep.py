"""A limit that outlives the process, for tables that are given in Python: `protect(…, vault="clinic")`."""

from collections.abc import Mapping
from pathlib import Path

from tacit.curator.policy.file import FILE
from tacit.curator.policy.values import Policy
from tacit.curator.record.sources import refresh_changed_sources
from tacit.engines import Source, digest_rows
from tacit.errors import InvalidInput
from tacit.ledger import DurableLedger, Founding, sqlite_ledger

__all__ = ["keep_ledger"]

_LEDGER = "ledger.sqlite"


def keep_ledger(folder: str | Path, policy: Policy, sources: Mapping[str, Source]) -> DurableLedger:
    """The ledger in a folder, which is made if there is none; a table with other rows than before has a new version.

    Claim:      what was spent in a folder stays spent, whoever protects whichever rows there again; and no answer
                about other rows is replayed.
    Because:    it is the ledger of a vault, with its anchor; a digest of the rows is compared before anything is asked.
    Checked by: tests/unit/curator/test_keep.py
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
        digests = {name: digest_rows(source) for name, source in sources.items()}
        refresh_changed_sources(ledger, digests, {})
    except BaseException:
        ledger.close()
        raise
    return ledger
