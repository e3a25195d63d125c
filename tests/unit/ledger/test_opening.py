"""What opening a ledger reads, and what it takes on trust: nothing that the anchor does not vouch for."""

from contextlib import closing
from typing import Any

import pytest

from tacit.accounting import PureFilter
from tacit.errors import LedgerRefused
from tacit.ledger import Anchor, Head, fields_of, sqlite
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import Vault, build, vault


@pytest.fixture
def here():
    with vault() as found:
        yield found


@pytest.fixture
def read(monkeypatch) -> dict[str, int]:
    """How many records and lines were read, and how often a store read all its pages."""
    counts = {"records": 0, "lines": 0, "pages": 0}
    session, store = sqlite._SqliteSession, sqlite.SqliteStore
    records, lines, pages = session.records, session._lines, store.read_pages

    def count(name: str, found: list[Any]) -> list[Any]:
        counts[name] += len(found)
        return found

    monkeypatch.setattr(
        session, "records", lambda self, *given: count("records", records(self, *given))
    )
    monkeypatch.setattr(session, "_lines", lambda self, *given: count("lines", lines(self, *given)))
    monkeypatch.setattr(
        store, "read_pages", lambda self: (counts.update(pages=counts["pages"] + 1), pages(self))[1]
    )
    return counts


def opening_reads(here: Vault, read: dict[str, int]) -> dict[str, int]:
    """What one opening reads."""
    for name in read:
        read[name] = 0
    here.open().close()
    return dict(read)


MOST = 16
"""The records that an opening may read, whatever their number."""


@pytest.mark.parametrize("count", [10, 3_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_an_opening_reads_as_little_of_a_large_ledger_as_of_a_small_one(here, read, count):
    build(here, count)
    first = opening_reads(here, read)  # by an anchor that has no totals yet, as they were before
    assert (first["lines"], first["pages"]) == (count, 1)
    assert first["records"] >= count
    later = opening_reads(here, read)
    assert later == {"records": later["records"], "lines": 0, "pages": 0}
    assert later["records"] <= MOST


def test_an_opening_reads_what_is_new_since_the_anchor_was_written(here, read, monkeypatch):
    build(here, 500)
    with closing(here.open()) as ledger, monkeypatch.context() as patched:
        # as on another machine with an anchor of its own
        patched.setattr(Anchor, "advance", lambda anchor, head: None)
        for number in range(40):
            ledger.settle(ledger.charge(b"new %d" % number, pure_loss(1), "ann"), b"answer")
        ledger.refresh("visits")
    assert 81 <= opening_reads(here, read)["records"] <= 4 * 81 + MOST
    assert opening_reads(here, read)["records"] <= MOST  # and remembers it


def test_limits_that_are_new_since_the_anchor_was_written_are_taken_back_too(
    here, read, monkeypatch
):
    build(here, 500)
    here.open().close()
    with monkeypatch.context() as patched:
        patched.setattr(Anchor, "advance", lambda anchor, head: None)
        here.open(limit=PureFilter(4)).close()
        here.open().close()
    assert opening_reads(here, read)["records"] <= 3 * MOST


def test_an_anchor_of_before_is_completed_when_all_was_read(here):
    build(here, 5)
    assert here.anchor.read().totals == b""
    here.open().close()
    assert len(here.anchor.read().totals) == 32


def test_a_ledger_whose_anchor_has_no_totals_is_read_whole(here):
    build(here, 5)
    here.edit(("UPDATE tallies SET value = '1 0' WHERE name = 'spent'", ()))
    with pytest.raises(LedgerRefused, match="totals"):
        here.open()


def test_an_altered_record_is_found_by_verifying_and_by_who_uses_it(here):
    build(here, 50)
    here.open().close()
    here.edit(
        (
            "UPDATE records SET body = CAST(replace(body, '\"1\"', '\"7\"') AS BLOB) WHERE number = 9",
            (),
        )
    )
    with closing(here.open()) as ledger:
        assert ledger.charge(b"key 40", pure_loss(1)).number == 40
        with pytest.raises(LedgerRefused, match="damaged"):
            ledger.charge(b"key 7", pure_loss(1))
        with pytest.raises(LedgerRefused, match="damaged"):
            list(ledger.entries())
        with pytest.raises(LedgerRefused, match="damaged"):
            ledger.verify()


@pytest.mark.parametrize(
    "taken", ["spent", "spent of ann", "entries", "limits", "version of visits"]
)
def test_no_total_can_be_altered_behind_the_anchor(here, taken, monkeypatch):
    with closing(here.open()) as ledger:
        ledger.refresh("visits")
        ledger.charge(b"one", pure_loss(3), "ann")
        monkeypatch.setattr(Anchor, "advance", lambda anchor, head: None)
        ledger.refresh("visits")
        ledger.charge(b"two", pure_loss(4), "ann")
        assert fields_of(list(ledger.records())[-1])["before"]["amount"] == "3"
    ((value,),) = here.ask(f"SELECT value FROM tallies WHERE name = '{taken}'")
    amount, *failure = value.split()
    for other in (int(amount) - 1, int(amount) + 1):
        here.edit(
            (
                "UPDATE tallies SET value = ? WHERE name = ?",
                (" ".join([str(other), *failure]), taken),
            )
        )
        with pytest.raises(LedgerRefused, match="damaged"):
            here.open()
    here.edit(("UPDATE tallies SET value = ? WHERE name = ?", (value, taken)))
    here.open().close()


def test_who_may_not_write_anchors_may_still_look(here, monkeypatch):
    build(here, 5)
    monkeypatch.setattr(
        Anchor, "_lock", lambda anchor: (_ for _ in ()).throw(OSError(13, "Permission denied"))
    )
    with closing(here.open()) as ledger:
        assert ledger.total_spent().amount == 5


def test_two_ledgers_of_the_same_moment_are_told_apart(here, monkeypatch):
    monkeypatch.setattr("tacit.ledger.records.now", lambda: "2026-01-01T00:00:00+00:00")
    with vault() as other:
        here.open().close()
        other.open().close()
        assert isinstance(here.anchor.read(), Head)
        first = [
            here.ask("SELECT hash FROM records WHERE number = 0"),
            other.ask("SELECT hash FROM records LIMIT 1"),
        ]
        assert first[0] != first[1]


def test_an_anchor_without_totals_notices_an_older_copy_and_another_chain_too(here):
    build(here, 5)
    head = here.anchor.read()
    here.anchor.replace(Head(head.records + 3, head.hash))
    with pytest.raises(
        LedgerRefused,
        match=f"has {head.records} records, and its anchor remembers {head.records + 3}",
    ):
        here.open()
    here.anchor.replace(Head(head.records - 1, head.hash))
    with pytest.raises(LedgerRefused, match="is not the one that its anchor remembers"):
        here.open()
    here.anchor.replace(head)
    here.open().close()
