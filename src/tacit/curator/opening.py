"""From a directory to a vault: policy read, ledger checked, each source opened when it is first asked about."""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tacit.curator.document import FILE, Address, Document, read_policy
from tacit.curator.vault import Vault
from tacit.engines import DuckDB, Engine
from tacit.errors import InvalidInput
from tacit.ledger import DurableLedger, Founding, postgres_ledger, sqlite_ledger

__all__ = ["adopt_ledger", "open_vault"]

Progress = Callable[[int, int], None]


def open_vault(path: str | Path, *, analyst: str | None = None, progress: Progress | None = None) -> Vault:
    """The vault in a directory: its policy `tacit.toml`, its ledger, and the tables that the policy describes.

    Called as `tacit.open`.  The whole ledger is checked first; `progress` is told how far that is.
    """
    document = read_policy(Path(path) / FILE)
    ledger = _ledger(document, progress)
    return Vault(document.policy, _Engines(document), ledger, analyst=analyst)


def adopt_ledger(path: str | Path, why: str) -> None:
    """Nothing; but the vault's ledger is accepted as it lies, and its anchor is written anew."""
    if not isinstance(why, str) or not why.strip():
        raise InvalidInput("why", why, "say in a few words why the ledger is taken as it is; it is recorded")
    _ledger(read_policy(Path(path) / FILE), None, adopting=why).close()


def _ledger(document: Document, progress: Progress | None, *, adopting: str | None = None) -> DurableLedger:
    """The ledger that the policy names, verified."""
    policy = document.policy
    limit = policy.limit.filter()
    analysts = {name: own.filter() for name, own in policy.analysts.items()}
    match document.ledger:
        case Address() as address:
            opened: Any = partial(postgres_ledger, address.resolved())
        case path:
            opened = partial(sqlite_ledger, path)
    founding = Founding.of(policy.unit, limit)
    ledger: DurableLedger = opened(
        founding, limit, analysts, anchors=document.anchors, adopting=adopting, progress=progress
    )
    return ledger


class _Engines(Mapping[str, Engine]):
    """The engine of each table, opened when it is first asked about."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._opened: dict[str, Engine] = {}
        self._one_at_a_time = threading.Lock()

    def __getitem__(self, name: str) -> Engine:
        with self._one_at_a_time:
            if name not in self._opened:
                shared = self._document.policy.tables[name]
                self._opened[name] = DuckDB({shared.table: self._document.sources[name]})
            return self._opened[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document.policy.tables)

    def __len__(self) -> int:
        return len(self._document.policy.tables)

    def close(self) -> None:
        """Nothing; but every engine that was opened is closed."""
        with self._one_at_a_time:
            for engine in self._opened.values():
                engine.close()
            self._opened = {}
