"""Durable ledgers to try things on: a small one of every kind of record, and large ones made quickly."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.accounting import Charge, PureFilter
from tacit.ledger import Anchor, DurableLedger, Entry, Founding, sqlite_ledger
from tacit.ledger.records import (
    chain_record,
    charge_fields,
    encode_fields,
    founding_fields,
    limit_fields,
)
from tacit.ledger.sqlite import TABLES
from tacit.ledger.store import EMPTY, Head, Record
from tests.laws.every_ledger import folder, pure_loss

LIMIT = PureFilter(3)
ANALYSTS = {"ann": PureFilter(1), "bob": LIMIT}
FOUNDING = Founding.of("person", LIMIT)


@dataclass(frozen=True)
class Vault:
    """The files of one ledger: its own, and its anchor outside."""

    folder: Path

    @property
    def file(self) -> Path:
        """The ledger."""
        return self.folder / "vault" / "ledger.sqlite"

    @property
    def anchor(self) -> Anchor:
        """The anchor."""
        return Anchor(str(self.file.resolve()), self.folder / "anchors")

    def open(self, **how: Any) -> DurableLedger:
        """The ledger, opened."""
        how = {"limit": LIMIT, "analysts": ANALYSTS, "founding": FOUNDING, **how}
        return sqlite_ledger(self.file, anchors=self.folder / "anchors", **how)

    def kept(self) -> dict[Path, bytes]:
        """Every file as it is."""
        return {
            path: path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file()
        }

    def restore(self, files: dict[Path, bytes]) -> None:
        """Put back every file as it was, and nothing else."""
        for path in self.folder.rglob("*"):
            if path.is_file():
                path.unlink()
        for path, data in files.items():
            path.write_bytes(data)

    def edit(self, *statements: tuple[str, Any]) -> None:
        """Do something to the tables that the ledger would not."""
        with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            for statement, values in statements:
                connection.execute(statement, values)

    def ask(self, question: str) -> list[Any]:
        """What is in the tables."""
        with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            return connection.execute(question).fetchall()


@contextmanager
def vault() -> Iterator[Vault]:
    """A folder for a ledger and its anchor."""
    with folder() as anchors:
        (anchors.parent / "vault").mkdir()
        yield Vault(anchors.parent)


def fill(here: Vault, step: Callable[[], None] = lambda: None) -> None:
    """Found a ledger and write records of every kind, calling `step` after each while the ledger is closed."""
    tasks: list[Callable[[DurableLedger], Any]] = [lambda ledger: None]
    for number in range(10):
        tasks += [_charging(number), _answering(number)] if number % 3 else [_charging(number)]
    tasks.insert(8, lambda ledger: ledger.refresh("visits"))
    for task in tasks:
        with closing(here.open()) as ledger:
            task(ledger)
        step()


def _charging(number: int) -> Callable[[DurableLedger], Any]:
    analyst = ("ann", "bob", None)[number % 3]
    return lambda ledger: ledger.charge(
        b"key %d" % number,
        pure_loss(1000 + number),
        analyst,
        topic=b"topic %d" % (number % 2),
        about=f"no. {number}",
    )


def _answering(number: int) -> Callable[[DurableLedger], Any]:
    return lambda ledger: ledger.settle(list(ledger.entries())[number], b"payload %d" % number)


def told(ledger: DurableLedger) -> tuple[Any, ...]:
    """All that a ledger has to tell."""
    topics = [list(ledger.find_answered(b"topic %d" % number)) for number in range(2)]
    spent = [ledger.total_spent(name) for name in ("ann", "bob", None)]
    return list(ledger.records()), list(ledger.entries()), topics, spent, ledger.version("visits")


def build(here: Vault, count: int) -> None:
    """A sound ledger of so many charges of one unit each, written in one go."""
    head, records = EMPTY, []
    for fields in _bodies(count):
        record = chain_record(head, encode_fields(fields))
        records.append((record.number, record.body, record.hash))
        head = Head(record.number + 1, record.hash)
    lines = [(number, number + 2, _key(number), b"topic") for number in range(count)]
    tallies = {"entries": str(count), "limits": "1", "spent": f"{count} 0"}
    with closing(sqlite3.connect(here.file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in TABLES.values():
            connection.execute(statement)
        connection.executemany("INSERT INTO records VALUES (?, ?, ?)", records)
        connection.executemany("INSERT INTO charges VALUES (?, ?, ?, ?, NULL, NULL)", lines)
        connection.executemany("INSERT INTO tallies VALUES (?, ?)", tallies.items())
        connection.commit()
    here.anchor.replace(head)


def _bodies(count: int) -> Iterator[dict[str, Any]]:
    yield founding_fields(FOUNDING)
    yield limit_fields(LIMIT, ANALYSTS)
    for number in range(count):
        entry = Entry(
            number, _key(number), None, Charge(1), before=Charge(number), topic=b"topic", at="then"
        )
        yield charge_fields(entry, 1)


def _key(number: int) -> bytes:
    return b"key %d" % number


def rechained(records: list[Record], changed: dict[int, dict[str, Any]]) -> list[Record]:
    """The chain as a forger would make it: some records say something else, and all hashes fit."""
    head, forged = EMPTY, []
    for record in records:
        fields = changed.get(record.number) or json.loads(record.body)
        forged.append(chain_record(head, encode_fields(fields)))
        head = Head(record.number + 1, forged[-1].hash)
    return forged
