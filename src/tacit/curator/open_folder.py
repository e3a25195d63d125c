"""From a directory to a vault: policy read, ledger checked, each source opened when it is first asked about."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from tacit.curator.policy.ledger_section import Address
from tacit.curator.policy.policy_file import FILE, Document, read_policy
from tacit.curator.record.encryption_key import file_secret
from tacit.curator.record.table_version_by_source import refresh_changed_sources
from tacit.curator.vault import Vault
from tacit.engines import (
    Answer,
    AnyEngine,
    CodedRows,
    DuckDB,
    Engine,
    Gathered,
    Linked,
    Source,
    check_combined,
    declared_format,
    is_in_database,
    is_text_file,
    open_engine,
    source_of,
)
from tacit.errors import InvalidInput, TacitError
from tacit.ledger import DurableLedger, Founding, Ledger, postgres_ledger, sqlite_ledger
from tacit.plan import Coding, Keeping, Question, Table, Weights, tables_of

__all__ = [
    "adopt_ledger",
    "limits_agree",
    "limits_changed",
    "open_tables",
    "open_vault",
    "was_opened",
]

Progress = Callable[[int, int], None]


def open_vault(
    path: str | Path, *, analyst: str | None = None, progress: Progress | None = None
) -> Vault:
    """The vault in a directory: its policy `tacit.toml`, its ledger, and the tables that the policy describes.

    Called as `tacit.open`.  The ledger is compared with its anchor first, in little time; where there is more to read,
    after an update of an older vault, `progress` is told how far that is.
    """
    document = read_policy(_policy_at(path))
    ledger, followers = _ledger(document, progress), _followers(document)
    try:
        refresh_changed_sources(ledger, document.declared, followers)
    except BaseException:
        ledger.close()
        raise
    vault = Vault(
        document.policy,
        _Sources(document, ledger),
        ledger,
        analyst=analyst,
        followers=followers,
        formats=_list_formats(document),
        text_tables=frozenset(
            name for name, source in document.sources.items() if is_text_file(source)
        ),
        secret=file_secret(document.file.parent),
    )
    for survey in document.surveys.values():
        vault = vault.with_survey(survey)
    return vault


def adopt_ledger(path: str | Path, why: str) -> None:
    """Accept the vault's ledger as it is, and write a new anchor."""
    if not isinstance(why, str) or not why.strip():
        raise InvalidInput(
            "why", why, "say in a few words why the ledger is adopted; the reason is recorded"
        )
    _ledger(read_policy(_policy_at(path)), None, adopting=why).close()


def limits_agree(vault: Vault, path: str | Path) -> bool:
    """Whether the limits of the policy in a directory are those that the vault's ledger has by now.

    A policy that cannot be read agrees with nothing.  Whoever opens a vault again because another process has set new
    limits asks this first: opening it by an older file would set them back.
    """
    ledger = vault.ledger
    if not isinstance(ledger, DurableLedger):
        return False
    try:
        policy = read_policy(_policy_at(path)).policy
    except TacitError:
        return False
    analysts = {name: own.filter() for name, own in policy.analysts.items()}
    return ledger.has_limits(policy.limit.filter(), analysts)


def limits_changed(vault: Vault) -> bool:
    """Whether the vault's ledger has other limits by now than the vault was opened with: another process set them."""
    ledger, policy = vault.ledger, vault.policy
    if not isinstance(ledger, DurableLedger):
        return False
    analysts = {name: own.filter() for name, own in policy.analysts.items()}
    return not ledger.has_limits(policy.limit.filter(), analysts)


def open_tables(vault: Vault, *names: str) -> None:
    """Read the sources of private tables before anybody asks about them, each by itself; of all, if none is named.

    Claim:      a question that is asked later is answered, charged and refused as if this had not been called.
    Because:    nothing is charged, and nothing is returned: whatever goes wrong is left to the question, which reads
                the source again and fails as any does.
    Checked by: tests/unit/curator/test_open_folder.py::test_tables_are_read_before_they_are_asked_about
    """
    sources = vault._access.engines  # noqa: SLF001 -- which is made above
    if not isinstance(sources, _Sources):
        return
    for name in names or sources:
        if not vault.policy.tables[name].table.public:
            with suppress(Exception):
                sources[name].open((name,))


def was_opened(vault: Vault, names: Sequence[str]) -> bool:
    """Whether these tables were read together, or began to be, as they are now; tables in memory always were.

    Claim:      it tells nothing of the rows.
    Because:    it is noted before a source is read, and depends on what was asked before and on what was refreshed.
    Checked by: tests/unit/curator/test_open_folder.py::test_whether_tables_were_read_tells_nothing_of_the_rows
    """
    sources = vault._access.engines  # noqa: SLF001 -- which is made above
    return not isinstance(sources, _Sources) or sources[names[0]].was_opened(tuple(sorted(names)))


def _policy_at(path: str | Path) -> Path:
    """The policy of a vault, which may be named by its directory or by the file itself."""
    given = Path(path)
    return given if given.name == FILE and not given.is_dir() else given / FILE


def _ledger(
    document: Document, progress: Progress | None, *, adopting: str | None = None
) -> DurableLedger:
    """The ledger that the policy names, compared with its anchor."""
    policy = document.policy
    limit = policy.limit.filter()
    analysts = {name: own.filter() for name, own in policy.analysts.items()}
    match document.ledger:
        case Address() as address:
            opened: Any = partial(postgres_ledger, address.resolve())
        case path:
            opened = partial(sqlite_ledger, path)
    founding = Founding.of(policy.unit, limit)
    ledger: DurableLedger = opened(
        founding,
        limit,
        analysts,
        anchors=document.anchors,
        adopting=adopting,
        progress=progress,
        vault=document.file,
    )
    return ledger


class _Sources(Mapping[str, "_Rows"]):
    """The engine of each table: one for all of them, so that they can be asked about together."""

    def __init__(self, document: Document, ledger: Ledger) -> None:
        self._tables = {
            name: (shared.table, document.sources[name])
            for name, shared in document.policy.tables.items()
        }
        self._engine = _Rows(self._tables, ledger.version)

    def __getitem__(self, name: str) -> _Rows:
        self._tables[name]
        return self._engine

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def close(self) -> None:
        """Close everything that was opened."""
        self._engine.close()


class _Rows(Engine):
    """Tables whose sources are opened when their rows are first looked at, and again once a table was refreshed.

    Tables that are asked about together are opened together.

    Claim:      nothing that happens before a charge depends on private rows.
    Because:    a dry run is one on empty tables of the same schema, but for public ones; the rows of a private source
                are read by `evaluate`, `gather` and `code` alone, whose failures are all told alike, and by `open`,
                which no question calls and whose failures are told to nobody.  Of files that are asked about together,
                the declared types of their units are looked up before.  What stays in a database is rehearsed there, on
                no rows, by the engine that will be asked.
    Checked by: tests/unit/curator/test_open_folder.py::test_no_row_is_read_before_the_charge
    """

    def __init__(
        self, tables: Mapping[str, tuple[Table, Source]], version: Callable[[str], int]
    ) -> None:
        self._tables, self._version = tables, version
        self._opened: dict[tuple[tuple[str, int], ...], AnyEngine] = {}
        self._empty: dict[tuple[tuple[str, int], ...], DuckDB] = {}
        self._combined: set[tuple[tuple[str, int], ...]] = set()
        self._begun: set[tuple[tuple[str, int], ...]] = set()
        self._opening, self._emptying = threading.Lock(), threading.Lock()

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of the rows as they were when their versions were first looked at."""
        return self._current(_names(question)).evaluate(question, weights)

    def gather(self, question: Question, keeping: Keeping) -> AbstractContextManager[Gathered]:
        """What units keep of unknown keys, of the same rows."""
        return self._current(_names(question)).gather(question, keeping)

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of the same rows; if rehearsing, of no private rows."""
        question = coding.question
        if not rehearsing:
            return self._current(_names(question)).code(coding, weights)
        return self._empty_twin(question).code(coding, weights, rehearsing=True)

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Gather and evaluate on no private rows; how many public ones a row meets is told from the public tables."""
        self._empty_twin(question).dry_run(question, weights)

    def _empty_twin(self, question: Question) -> AnyEngine:
        """An engine that holds the tables of a question without their private rows, or their database."""
        if any(is_in_database(self._tables[name][1]) for name in _names(question)):
            return self._current(_names(question))
        self._check_units(_names(question))
        versions = tuple(
            (name, self._version(name) if self._is_public(name) else 0) for name in _names(question)
        )
        opened = self._empty.get(versions)
        if opened is not None:
            return opened
        with self._emptying:
            if versions not in self._empty:
                tables = [self._tables[name] for name, _ in versions]
                self._empty[versions] = DuckDB(
                    {table: source if table.public else [] for table, source in tables}
                )
            return self._empty[versions]

    def close(self) -> None:
        """Close everything that was opened."""
        with self._opening, self._emptying:
            for engine in (*self._opened.values(), *self._empty.values()):
                engine.close()
            self._opened, self._empty = {}, {}

    def _check_units(self, names: tuple[str, ...]) -> None:
        """Refuse private tables that cannot be asked about together, by the types that their files say."""
        private = tuple((name, self._version(name)) for name in names if not self._is_public(name))
        if len(private) > 1 and private not in self._combined:
            check_combined([self._tables[name] for name, _ in private])
            self._combined.add(private)

    def _is_public(self, name: str) -> bool:
        return self._tables[name][0].public

    def open(self, names: tuple[str, ...]) -> None:
        """Read tables that will be asked about together."""
        self._current(names)

    def was_opened(self, names: tuple[str, ...]) -> bool:
        """Whether tables were read together as they are now, or began to be."""
        return self._versions(names) in self._begun

    def _current(self, names: tuple[str, ...]) -> AnyEngine:
        versions = self._versions(names)
        self._begun.add(versions)
        opened = self._opened.get(versions)
        if opened is not None:  # who asks about these tables does not wait until others are read
            return opened
        with self._opening:
            if versions not in self._opened:
                self._opened[versions] = open_engine(dict(self._tables[name] for name in names))
            return self._opened[versions]

    def _versions(self, names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
        return tuple((name, self._version(name)) for name in names)


def _names(question: Question) -> tuple[str, ...]:
    """The tables that a question is about, in an order of their own."""
    return tuple(sorted(table.name for table in tables_of(question.rows)))


def _followers(document: Document) -> dict[str, tuple[str, ...]]:
    """For every table, the tables whose units are found by way of it."""
    passed = {
        name: {step.source for step in source.steps} if isinstance(source, Linked) else set()
        for name, source in document.sources.items()
    }
    own = {
        name: source.source if isinstance(source, Linked) else source
        for name, source in document.sources.items()
    }
    return {table: tuple(name for name in passed if own[table] in passed[name]) for table in own}


def _list_formats(document: Document) -> dict[str, str]:
    """For every table, how the text files are written that it is read from, those on the way to its unit included.

    Of a public table also the digest of its rows.

    Claim:      after a format was changed, or a row of a public table, no answer from before is replayed.
    Because:    what is declared of a format, which decides what cells mean, and the digest are part of what a question
                is called.
    Checked by: tests/unit/curator/test_open_folder.py::test_a_changed_format_asks_anew and
                tests/unit/curator/test_public_tables.py::test_a_changed_public_table_asks_anew
    """
    found = {}
    for name, source in document.sources.items():
        parts = (
            [source.source, *(step.source for step in source.steps)]
            if isinstance(source, Linked)
            else [source]
        )
        told = [declared_format(source_of(part)) for part in parts]
        if any(told):
            found[name] = json.dumps(told)
        if name in document.digests:
            found[name] = found.get(name, "") + document.digests[name]
    return found
