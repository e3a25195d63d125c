"""A ledger that was damaged, edited, exchanged or put back from an older copy is refused, and says what to do."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from tacit.accounting import Charge
from tacit.errors import LedgerRefused, LedgerUnavailable
from tacit.ledger import Anchor, Head, fields_of
from tacit.ledger.anchor import SLOT
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import Vault, fill, rechained, told, vault

Files = dict[Path, bytes]


@dataclass(frozen=True)
class Sample:
    """A sound ledger of 19 records, closed; and how it was after each step on the way."""

    here: Vault
    files: Files
    history: list[Files]

    @property
    def data(self) -> bytes:
        """The bytes of the ledger's file."""
        return self.files[self.here.file]

    def records(self) -> list[Any]:
        """All records."""
        with closing(self.here.open()) as ledger:
            return list(ledger.records())

    def numbers(self, kind: str) -> list[int]:
        """The numbers of all records of a kind."""
        return [record.number for record in self.records() if fields_of(record)["kind"] == kind]

    def save(self, data: bytes) -> None:
        """Put other bytes into the ledger's file."""
        self.here.file.write_bytes(data)


@pytest.fixture(scope="module")
def sample() -> Iterator[Sample]:
    with vault() as here:
        history: list[Files] = []
        fill(here, lambda: history.append(here.kept()))
        yield Sample(here, history[-1], history)


# ---------------------------------------------------------------- the kinds of damage: each yields its variants

Damage = Callable[[], Any]


def edited_bodies(kind: str, before: str, after: str) -> Callable[[Sample], Iterator[Damage]]:
    """A record says something else, and its hash is as it was."""

    def variants(sample):
        for number in sample.numbers(kind):
            (body,) = (record.body for record in sample.records() if record.number == number)
            edited = body.replace(before.encode(), after.encode(), 1)
            assert edited != body
            yield lambda number=number, edited=edited: sample.here.edit(
                ("UPDATE records SET body = ? WHERE number = ?", (edited, number))
            )

    return variants


def edited_with_its_hash(sample):
    """A charge is lowered and the hash of its record fits; the next record, or the anchor, remembers the old one."""
    for number in sample.numbers("charged"):
        yield lambda number=number: write_chain(sample, forged(sample, number), only=number)


def forged_chains(sample):
    """A charge is lowered and everything is made to fit, all later hashes, sums and totals; the anchor knows better."""
    for number in sample.numbers("charged"):
        yield lambda number=number: write_chain(sample, forged(sample, number))


def forged(sample: Sample, number: int) -> list[Any]:
    """The chain as a forger would write it who wants one charge to have cost nothing."""
    changed, spent = {}, 0
    for record in sample.records():
        fields = fields_of(record)
        if fields["kind"] == "charged":
            fields["before"]["amount"] = str(spent)
            if record.number == number:
                fields["charge"]["amount"] = "0"
            spent += int(fields["charge"]["amount"])
            changed[record.number] = fields
    return rechained(sample.records(), changed)


def write_chain(sample: Sample, records: list[Any], only: int | None = None) -> None:
    """Put a chain into the file, or one record of it, and totals that fit."""
    for record in records:
        if only in (None, record.number):
            sample.here.edit(
                (
                    "UPDATE records SET body = ?, hash = ? WHERE number = ?",
                    (record.body, record.hash, record.number),
                )
            )
    spent: dict[str, int] = {}
    for fields in map(fields_of, records):
        if fields["kind"] == "charged":
            for name in {"spent", f"spent of {fields['analyst']}"}:
                spent[name] = spent.get(name, 0) + int(fields["charge"]["amount"])
    for name, amount in spent.items():
        sample.here.edit(("UPDATE tallies SET value = ? WHERE name = ?", (f"{amount} 0", name)))


def edited_totals(sample):
    """What was spent is less, or more; a counter is turned back; a total is gone, or is one too many."""
    here = sample.here
    for name, value in here.ask("SELECT name, value FROM tallies"):
        for other in ("0", "0 0", f"1{value}", "", "nonsense"):
            if other != value:
                yield lambda name=name, other=other: here.edit(
                    ("UPDATE tallies SET value = ? WHERE name = ?", (other, name))
                )
        yield lambda name=name: here.edit(("DELETE FROM tallies WHERE name = ?", (name,)))
    yield lambda: here.edit(("INSERT INTO tallies VALUES ('spent of eve', '1 0')", ()))


def deleted_records(sample):
    """One record is gone."""
    for record in sample.records():
        yield lambda number=record.number: sample.here.edit(
            ("DELETE FROM records WHERE number = ?", (number,))
        )


def renumbered_records(sample):
    """One record is gone, and those after it have moved up."""
    for record in sample.records()[:-1]:
        yield lambda number=record.number: sample.here.edit(
            ("DELETE FROM records WHERE number = ?", (number,)),
            ("UPDATE records SET number = -number WHERE number > ?", (number,)),
            ("UPDATE records SET number = -number - 1 WHERE number < 0", ()),
        )


def reordered_records(sample):
    """Two neighbouring records have changed places, with their hashes."""
    for record in sample.records()[:-1]:
        yield lambda number=record.number: sample.here.edit(
            ("UPDATE records SET number = -1 WHERE number = ?", (number,)),
            ("UPDATE records SET number = ? WHERE number = ?", (number, number + 1)),
            ("UPDATE records SET number = ? WHERE number = -1", (number + 1,)),
        )


def inserted_records(sample):
    """A record was added at the end by someone who does not charge, with a hash that does not fit."""
    for record in sample.records()[-6:]:
        yield lambda record=record: sample.here.edit(
            (
                "INSERT INTO records SELECT max(number) + 1, ?, ? FROM records",
                (record.body, record.hash),
            )
        )


def older_copies(sample):
    """The ledger is a sound one of an earlier day; the anchor is today's."""
    for files in sample.history[:-1]:
        yield lambda files=files: sample.save(files[sample.here.file])


def exchanged_answers(sample):
    """The answers of two entries have changed places, or one has other bytes, none, or one that was never given."""
    here = sample.here
    entries = [entry for (entry,) in here.ask("SELECT entry FROM charges WHERE answer IS NOT NULL")]
    swap = "UPDATE charges SET payload = (SELECT payload FROM charges AS b WHERE b.entry = ?) WHERE entry = ?"
    both = "UPDATE charges SET answer = (SELECT answer FROM charges AS b WHERE b.entry = ?) WHERE entry = ?"
    nothing = "UPDATE charges SET payload = NULL, answer = NULL WHERE entry = ?"
    for one, other in pairwise(entries):
        yield lambda one=one, other=other: here.edit((swap, (one, other)))
        yield lambda one=one, other=other: here.edit((both, (one, other)))
    for entry in entries:
        yield lambda entry=entry: here.edit(
            ("UPDATE charges SET payload = x'2a' WHERE entry = ?", (entry,))
        )
        yield lambda entry=entry: here.edit(
            ("UPDATE charges SET payload = NULL WHERE entry = ?", (entry,))
        )
        yield lambda entry=entry: here.edit((nothing, (entry,)))
    yield lambda: here.edit(("UPDATE charges SET payload = x'2a' WHERE answer IS NULL", ()))
    yield lambda: here.edit(
        ("UPDATE charges SET payload = x'2a', answer = 5 WHERE answer IS NULL", ())
    )


def changed_lines(sample):
    """An entry is listed under another key, topic or record; is not listed; or is, and was never charged."""
    here = sample.here
    for (entry,) in here.ask("SELECT entry FROM charges"):
        for change in (
            "key = x'00'",
            "topic = x'00'",
            "record = record + 1",
            "entry = entry + 100",
        ):
            yield lambda entry=entry, change=change: here.edit(
                (f"UPDATE charges SET {change} WHERE entry = ?", (entry,))
            )
        yield lambda entry=entry: here.edit(("DELETE FROM charges WHERE entry = ?", (entry,)))
    yield lambda: here.edit(("INSERT INTO charges VALUES (10, 3, x'00', x'00', NULL, NULL)", ()))


def changed_tables(sample):
    """A trigger sets totals back, an index is gone or another one, a table is renamed."""
    zero = "UPDATE tallies SET value = '0 0' WHERE name = 'spent'"
    for statement in (
        f"CREATE TRIGGER late AFTER INSERT ON charges BEGIN {zero}; END",
        "DROP INDEX charges_by_key",
        "DROP INDEX charges_by_topic",
        "ALTER TABLE tallies RENAME TO totals",
        "ALTER TABLE charges ADD COLUMN more",
        "CREATE TABLE more (x)",
        "CREATE VIEW more AS SELECT 1",
        "DROP TABLE records",
    ):
        yield lambda statement=statement: sample.here.edit((statement, ()))


def removed_index_rows(sample):
    """A row of an index points nowhere: the key of an entry was changed behind SQLite's back."""
    for (key,) in sample.here.ask("SELECT key FROM charges"):
        places = list(occurrences(sample.data, key))
        assert len(places) >= 2  # in the table and in the index
        for place in places:
            yield lambda place=place: sample.save(flipped(sample.data, place))


def flipped_bytes(sample):
    """A bit of a record's body or hash is turned over in the file."""
    for record in sample.records():
        for place in (
            *occurrences(sample.data, record.body),
            *occurrences(sample.data, record.hash),
        ):
            yield lambda place=place: sample.save(flipped(sample.data, place + 9))


def occurrences(data: bytes, part: bytes) -> Iterator[int]:
    """Where a part occurs in the file."""
    place = data.find(part)
    while place >= 0:
        yield place
        place = data.find(part, place + 1)


def flipped(data: bytes, place: int) -> bytes:
    """The bytes with a bit of one of them turned over."""
    return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]


def truncated_files(sample):
    """The file ends early, at a page or within one, or is empty."""
    size = len(sample.data)
    for end in (0, 1, 99, 100, 512, 4095, *range(4096, size, 4096), *range(6000, size, 4096)):
        yield lambda end=end: sample.save(sample.data[:end])


def no_databases(sample):
    """What lies there is something else."""
    for data in (b"not a ledger" * 1000, bytes(8192), b"\n", json.dumps({"records": 19}).encode()):
        yield lambda data=data: sample.save(data)


def missing_ledgers(sample):
    """There is no ledger, and the anchor remembers one."""
    yield sample.here.file.unlink


def foreign_ledgers(sample):
    """A sound ledger, but another one: as long, longer or shorter."""
    for count in (1, 17, 40):
        yield lambda count=count: sample.save(foreign(count))


def foreign(count: int) -> bytes:
    """The file of another ledger with so many charges."""
    with vault() as other:
        with closing(other.open()) as ledger:
            for number in range(count):
                ledger.charge(b"%d" % number, pure_loss(1))
        return other.file.read_bytes()


def changed_anchors(sample):
    """The anchor is gone, is not readable, or says something else."""
    anchor = sample.here.anchor
    records, last = anchor.read().records, anchor.read().hash
    sound = anchor._slot(Head(records, last))
    yield anchor.file.unlink
    elsewhere = Anchor("elsewhere", anchor.file.parent)._slot(Head(records, last))
    for data in (
        b"",
        b"{",
        b"\x00" * 9000,
        b"\xff" * 9000,
        b"1 2 3",
        sound[:100],
        sound[1:],
        elsewhere,
    ):
        yield lambda data=data: anchor.file.write_bytes(data)
    for before, after in (
        (b"%d " % records, b"1 "),
        (b"%d " % records, b"x "),
        (last.hex().encode(), b"00" * 32),
    ):
        yield lambda before=before, after=after: anchor.file.write_bytes(
            sound.replace(before, after).ljust(SLOT)
        )
    for head in (
        Head(records + 1, last),
        Head(records - 1, last),
        Head(1, last),
        Head(-1, last),
        Head(10**30, last),
        Head(records, bytes(32)),
        Head(records, last[:-1]),
        Head(records, b""),
    ):
        yield lambda head=head: anchor.replace(head)


def lost_logs(sample):
    """What was committed last lay in the write-ahead log, and the log is gone, or cut short."""
    for keep in (0, 0.3, 0.6, 0.9):
        yield lambda keep=keep: lose_log(sample, keep)


def lose_log(sample: Sample, keep: float) -> None:
    """Charge more, and keep only a part of the log."""
    log = sample.here.file.with_name(sample.here.file.name + "-wal")
    with closing(sample.here.open()) as ledger:
        for number in range(8):
            ledger.charge(b"more %d" % number, pure_loss(1))
        copies = {sample.here.file: sample.here.file.read_bytes(), log: log.read_bytes()}
    held = sample.here.anchor.file.read_bytes()
    copies[log] = copies[log][: int(len(copies[log]) * keep)]
    sample.here.restore({**copies, sample.here.anchor.file: held})


KINDS: dict[str, Callable[[Sample], Iterator[Damage]]] = {
    "edited amount": edited_bodies("charged", '"amount":"1', '"amount":"0'),
    "edited limit": edited_bodies("limited", '"amount":"3', '"amount":"9'),
    "edited founding": edited_bodies("founded", "person", "visits"),
    "edited version": edited_bodies("refreshed", '"version":1', '"version":0'),
    "edited time": edited_bodies("charged", '"at":"2', '"at":"1'),
    "edited digest": edited_bodies("answered", '"digest":"', '"digest":"0'),
    "edited with its hash": edited_with_its_hash,
    "forged chain": forged_chains,
    "edited total": edited_totals,
    "deleted record": deleted_records,
    "renumbered records": renumbered_records,
    "reordered records": reordered_records,
    "inserted record": inserted_records,
    "older copy": older_copies,
    "exchanged answers": exchanged_answers,
    "changed line": changed_lines,
    "changed tables": changed_tables,
    "removed index row": removed_index_rows,
    "flipped byte": flipped_bytes,
    "truncated file": truncated_files,
    "no database": no_databases,
    "missing ledger": missing_ledgers,
    "foreign ledger": foreign_ledgers,
    "changed anchor": changed_anchors,
    "lost log": lost_logs,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_that_is_not_what_was_written_is_refused_and_says_what_to_do(sample, kind):
    sample.here.restore(sample.files)
    variants = list(KINDS[kind](sample))
    assert variants
    for number, damage in enumerate(variants):
        sample.here.restore(sample.files)
        damage()
        # SQLite itself may put what is left of a log in place
        left = {} if kind == "lost log" else sample.here.kept()
        with pytest.raises(LedgerRefused) as refused, closing(sample.here.open()) as ledger:
            ledger.verify()
        assert "tacit ledger adopt" in str(refused.value), f"{kind}, variant {number}"
        assert str(sample.here.file) in str(refused.value)
        assert "\n" not in str(refused.value)
        for path, data in left.items():
            assert path.read_bytes() == data, (
                f"{kind}, variant {number}: what is refused is not written"
            )


AT_ONCE = [
    "edited founding",
    "edited total",
    "forged chain",
    "inserted record",
    "older copy",
    "changed tables",
    "no database",
    "missing ledger",
    "foreign ledger",
    "changed anchor",
    "lost log",
]
"""What opening itself notices; the others are noticed by whoever uses what was damaged, and by `verify`."""


@pytest.mark.parametrize("kind", AT_ONCE)
def test_opening_refuses_another_past_other_totals_other_tables_and_another_anchor(sample, kind):
    sample.here.restore(sample.files)
    for damage in list(KINDS[kind](sample)):
        sample.here.restore(sample.files)
        damage()
        with pytest.raises(LedgerRefused):
            sample.here.open()


def used(ledger: Any, number: int) -> Any:
    """What comes of asking one of the sample's questions again: its entry, with the charge and the answer."""
    analyst = ("ann", "bob", None)[number % 3]
    return ledger.charge(
        b"key %d" % number, pure_loss(1000 + number), analyst, topic=b"topic %d" % (number % 2)
    )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in AT_ONCE])
def test_what_is_used_of_a_damaged_ledger_is_what_was_written_or_paid_for_anew(sample, kind):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        sound, by_topic = (
            list(ledger.entries()),
            {topic: told(ledger)[2][topic] for topic in range(2)},
        )
    for damage in list(KINDS[kind](sample)):
        sample.here.restore(sample.files)
        damage()
        with suppress(LedgerRefused, LedgerUnavailable), closing(sample.here.open()) as ledger:
            for topic, written in by_topic.items():
                with suppress(LedgerRefused, LedgerUnavailable):
                    assert set(ledger.find_answered(b"topic %d" % topic)) <= set(written)
            for number, known in enumerate(sound):
                with suppress(LedgerRefused, LedgerUnavailable):
                    spent, entry = ledger.total_spent(), used(ledger, number)
                    assert entry == known or ledger.total_spent() == spent + entry.charge


def test_an_answer_that_was_taken_away_is_not_drawn_again(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        answered = [entry.number for entry in ledger.entries() if entry.is_answered]
    for number in answered:
        sample.here.restore(sample.files)
        sample.here.edit(
            ("UPDATE charges SET payload = NULL, answer = NULL WHERE entry = ?", (number,))
        )
        with (
            closing(sample.here.open()) as ledger,
            pytest.raises(LedgerRefused, match="disagrees with its record"),
        ):
            used(ledger, number)


def test_a_record_that_is_altered_while_a_ledger_is_open_is_not_used(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        assert used(ledger, 1).is_answered
        ((number, body),) = (
            (record.number, record.body)
            for record in ledger.records()
            if fields_of(record).get("entry") == 1 and fields_of(record)["kind"] == "charged"
        )
        edited = body.replace(b"1001", b"9001")
        assert edited != body
        sample.here.edit(("UPDATE records SET body = ? WHERE number = ?", (edited, number)))
        with pytest.raises(LedgerRefused, match=f"record {number} has been changed"):
            used(ledger, 1)


def test_totals_that_are_altered_while_a_ledger_is_open_are_not_charged_to(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        sample.here.edit(("UPDATE tallies SET value = '0 0' WHERE name = 'spent of ann'", ()))
        with pytest.raises(LedgerRefused, match="totals"):
            ledger.charge(b"new", pure_loss(1), "ann")


def test_there_are_at_least_twelve_kinds_of_damage_and_two_hundred_variants(sample):
    sample.here.restore(sample.files)
    assert len(KINDS) >= 12
    assert sum(len(list(variants(sample))) for variants in KINDS.values()) >= 200


def test_a_sound_ledger_opens_whatever_its_age_if_the_anchor_is_as_old(sample):
    for files in sample.history:
        sample.here.restore(files)
        sample.here.open().close()


def test_a_ledger_ahead_of_its_anchor_opens_since_a_crash_may_come_in_between(sample):
    for files in sample.history[:-1]:
        sample.here.restore(
            {**sample.files, sample.here.anchor.file: files[sample.here.anchor.file]}
        )
        with closing(sample.here.open()) as ledger:
            assert ledger.charge(b"key 0", pure_loss(1)).number == 0
        assert sample.here.anchor.read() == Head(len(sample.records()), sample.records()[-1].hash)


def test_no_bit_can_be_turned_over_that_matters_without_notice(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        sound = told(ledger)
    refused = 0
    for place in range(0, len(sample.data), 211):
        sample.here.restore(sample.files)
        sample.save(flipped(sample.data, place))
        try:
            with closing(sample.here.open()) as ledger:
                assert told(ledger) == sound, f"byte {place}"
        except (LedgerRefused, LedgerUnavailable):
            refused += 1
    assert refused > 10  # most of so small a file is empty


# ---------------------------------------------------------------- while a ledger is open


def test_an_older_copy_put_in_place_of_an_open_ledger_is_not_charged(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        older = sample.history[5][sample.here.file]
        # without a log: the copy that is read from lies in memory
        older = older[:18] + b"\1\1" + older[20:]
        with (
            closing(sqlite3.connect(sample.here.file)) as connection,
            closing(sqlite3.connect(":memory:")) as source,
        ):
            source.deserialize(older)
            source.backup(connection)  # which writes over what is there
        with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
            ledger.charge(b"new", pure_loss(1))
        with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
            ledger.refresh("visits")


def test_an_open_ledger_whose_anchor_is_gone_is_not_charged(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        spent = ledger.total_spent()
        sample.here.anchor.file.unlink()
        with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
            ledger.charge(b"new", pure_loss(1))
        assert ledger.total_spent() == spent


# ---------------------------------------------------------------- adoption


def adoptable(sample: Sample) -> dict[str, Damage]:
    """What can be adopted: sound ledgers that the anchor does not remember."""
    return {
        "older": lambda: sample.save(sample.history[9][sample.here.file]),
        "foreign": lambda: sample.save(foreign(3)),
        "without anchor": sample.here.anchor.file.unlink,
        "with a damaged anchor": lambda: sample.here.anchor.file.write_text("{"),
        "gone": sample.here.file.unlink,
    }


@pytest.mark.parametrize(
    "kind", ["older", "foreign", "without anchor", "with a damaged anchor", "gone"]
)
def test_a_sound_ledger_can_be_adopted_and_says_so_ever_after(sample, kind):
    sample.here.restore(sample.files)
    adoptable(sample)[kind]()
    with pytest.raises(LedgerRefused):
        sample.here.open()
    with closing(sample.here.open(adopting="put back after the fire")) as ledger:
        ledger.charge(b"new", pure_loss(1))
    with closing(sample.here.open()) as ledger:
        (record,) = (
            fields for fields in map(fields_of, ledger.records()) if fields["kind"] == "adopted"
        )
        assert record["why"] == "put back after the fire"
        assert ledger.charge(b"new", pure_loss(1)).payload is None


def test_adoption_records_what_the_anchor_remembered_and_what_was_found(sample):
    sample.here.restore(sample.files)
    sample.save(sample.history[9][sample.here.file])
    remembered = sample.here.anchor.read()
    with closing(sample.here.open(adopting="test")) as ledger:
        (record,) = (
            fields for fields in map(fields_of, ledger.records()) if fields["kind"] == "adopted"
        )
    assert remembered is not None
    assert record["remembered"] == {"records": remembered.records, "hash": remembered.hash.hex()}
    assert record["found"]["records"] < remembered.records


def test_who_had_the_ledger_open_when_an_older_one_was_adopted_goes_on_from_that_one(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        ledger.charge(b"new", pure_loss(1))
        ledger.close()
        sample.save(sample.history[9][sample.here.file])
        sample.here.open(adopting="restored").close()
        ledger.charge(b"newer", pure_loss(1))
        assert sample.here.anchor.read() == ledger.verify()


def test_what_was_spent_is_kept_when_a_ledger_is_adopted(sample):
    sample.here.restore(sample.files)
    with closing(sample.here.open()) as ledger:
        spent = ledger.total_spent()
    assert spent != Charge()
    sample.here.anchor.file.unlink()
    with closing(sample.here.open(adopting="moved")) as ledger:
        assert ledger.total_spent() == spent


def test_damage_cannot_be_adopted(sample):
    sample.here.restore(sample.files)
    for kind in (
        "edited amount",
        "edited total",
        "deleted record",
        "flipped byte",
        "changed tables",
        "no database",
    ):
        for damage in islice(KINDS[kind](sample), 2):
            sample.here.restore(sample.files)
            damage()
            with pytest.raises(LedgerRefused, match="damaged"):
                sample.here.open(adopting="never mind")
            sample.here.restore(sample.files)


def test_a_ledger_that_was_moved_has_no_anchor_at_its_new_place(sample, tmp_path):
    sample.here.restore(sample.files)
    moved = Vault(tmp_path)
    (tmp_path / "vault").mkdir()
    moved.file.write_bytes(sample.data)
    with pytest.raises(LedgerRefused, match="no anchor on this machine"):
        moved.open()
    assert Anchor(str(moved.file)).file != sample.here.anchor.file
