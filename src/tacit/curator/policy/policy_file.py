"""A vault's policy file, read whole: a value, or every fault with its line and its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from tacit.curator.policy.collected_surveys import StoredSurvey, read_surveys
from tacit.curator.policy.ledger_section import Address, read_ledger
from tacit.curator.policy.limit_sections import read_analysts, read_limit
from tacit.curator.policy.policy import Policy, Replay
from tacit.curator.policy.read_values import read_one_of, resolve_path
from tacit.curator.policy.references import read_entity
from tacit.curator.policy.table_sections import read_tables
from tacit.curator.policy.toml_sections import root_of
from tacit.engines import Source
from tacit.frozen import frozen
from tacit.plan import Table

__all__ = ["FILE", "Document", "read_ledger_place", "read_policy"]

FILE = "tacit.toml"
"""What a vault's policy file is called."""
_TABLES = "add a section for every table, as in [tables.visits]"


@frozen
class Document:
    """What a policy file says: the policy, where the rows of each table are, and where the ledger and its anchor are.

    `anchors` is None where the ledger's own default is meant; `digests` are those of the rows of public tables, and
    `declared` are the sources as they are written.
    """

    file: Path
    policy: Policy
    sources: Mapping[str, Source]
    ledger: Path | Address
    anchors: Path | None
    digests: Mapping[str, str]
    surveys: Mapping[str, StoredSurvey]
    declared: Mapping[str, str]

    @property
    def rows(self) -> Mapping[Table, Source]:
        """Every table with its source, as engines take them."""
        return {self.policy.tables[name].table: source for name, source in self.sources.items()}


def read_ledger_place(path: str | Path) -> Path | Address:
    """Where the ledger of a policy file, or of the one in a folder, is, whatever else is wrong with the file."""
    given = Path(path)
    file = given / FILE if given.is_dir() else given
    root = root_of(file)
    place, _ = read_ledger(root.inner("ledger"), file.resolve().parent)
    root.faults.check()
    assert place is not None, "where something is missing there is a fault"
    return place


def read_policy(path: str | Path) -> Document:
    """The document that a policy file, or the one in a folder, is; refused with all its faults at once.

    Claim:      bounds, values and kinds of private tables come from the file, and from the names and types of the
                sources' columns.
    Because:    the sources are asked for `stored_kinds` alone, which reads headers and schemas; the rows of public
                tables alone are read.
    Checked by: tests/unit/curator/policy/test_policy_file.py::test_reading_a_policy_reads_no_values
    """
    given = Path(path)
    file = given / FILE if given.is_dir() else given
    root = root_of(file)
    folder = file.resolve().parent
    root.only(("limit", "ledger", "tables", "analysts", "surveys"))
    section = root.inner("limit", "write a section [limit] with epsilon and delta")
    limit = read_limit(section) if root.holds("limit") else None
    replay = section.take("replay", read_one_of(*get_args(Replay))) or "analyst"
    tables = read_tables(root.inner("tables", _TABLES), folder)
    if root.values.get("tables") == {}:
        root.fault("tables", "it is empty", _TABLES)
    if tables and all(table.section.values.get("public") is True for table in tables.values()):
        told = "all of them are public, so that nobody is protected"
        root.fault("tables", told, "remove public = true where a table has rows about people")
    unit = read_entity(section, tables)
    analysts = read_analysts(root.inner("analysts"), limit)
    ledger, anchors = read_ledger(root.inner("ledger"), folder)
    surveys = read_surveys(root.inner("surveys"), tables, lambda given: resolve_path(given, folder))
    root.faults.check()
    assert limit is not None, "where something is missing there is a fault"
    assert ledger is not None, "where something is missing there is a fault"
    shared = {name: table.to_shared() for name, table in tables.items()}
    sources = {name: table.to_source(tables) for name, table in tables.items()}
    policy = Policy(
        limit, shared, unit, analysts, "everyone" if replay == "everyone" else "analyst"
    )
    digests = {name: table.digest for name, table in tables.items() if table.digest is not None}
    declared = {name: str(table.section.values["source"]) for name, table in tables.items()}
    return Document(file, policy, sources, ledger, anchors, digests, surveys, declared)
