"""What a vault needs of a Spark cluster, and what it had better not have: for `tacit check`."""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote`

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from tacit.engines.served.engine import tell
from tacit.engines.served.rights import Rights, columns_needed
from tacit.engines.sources.source_kinds import Source
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.spark.catalog import SECONDS, scan, table_columns
from tacit.engines.spark.literals import quote
from tacit.engines.spark.session import Session, Sessions, check_server, refusal_of
from tacit.plan import Table

__all__ = ["rights_in_spark"]

_HERE = {"localhost", "127.0.0.1", "::1"}


def rights_in_spark(tables: Mapping[Table, Source]) -> Rights:
    """What is lacking on the clusters that hold some tables, and what is too much.

    Claim:      no row is read.
    Because:    every statement has the condition FALSE.
    Checked by: tests/unit/engines/spark/test_rights.py

    >>> rights_in_spark({})
    Rights(missing=(), excess=())
    """
    found = Rights()
    for source, columns in columns_needed(tables, SparkTable).items():
        assert isinstance(source, SparkTable), "tables of one source are on one server"
        found += _look(source, columns)
    return found


def _look(source: SparkTable, columns: Sequence[str]) -> Rights:
    def look() -> Rights:
        with Sessions(source.address, SECONDS).session() as session:
            check_server(session)
            return _rights(session, source, columns)

    return tell(look, refusal_of)


def _rights(session: Session, source: SparkTable, columns: Sequence[str]) -> Rights:
    known = table_columns(session, source)
    missing = [
        f"there is no column {name!r} in {source.called!r}" for name in columns if name not in known
    ]
    if not missing:
        listed = ", ".join(map(quote, columns)) or "1 AS nothing"
        session.fetch(f"SELECT {listed} FROM {scan(source)} WHERE FALSE")
    parts, excess = urlsplit(source.address), []
    if parts.hostname not in _HERE and not parts.query:
        excess.append("talks to the cluster without encryption; add ?use_ssl=true to the address")
    if session.spark.conf.get("spark.eventLog.enabled", "false") == "true":
        excess.append(
            "leaves statements, exact counts of rows and the secret by which units keep keys in the "
            "cluster's event log; keep analysts from it"
        )
    return Rights(tuple(missing), tuple(excess))
