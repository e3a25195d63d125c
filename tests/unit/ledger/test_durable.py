"""The rules of durable ledgers: in which order things happen, and what is left when they stop half-way."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from tacit.accounting import Charge, PureFilter
from tacit.errors import InvalidInput, LedgerRefused, LedgerUncertain, LimitExceeded
from tacit.ledger import Anchor, DurableLedger, Entry, Founding, Head, SqliteStore, fields_of
from tacit.ledger.group_commit import Ticket
from tacit.ledger.transaction import Page
from tacit.privacy import Neighbours
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import FOUNDING, LIMIT, Vault, vault


@pytest.fixture
def here():
    with vault() as found:
        yield found


class Stopped(BaseException):
    """The process ends here."""


def kinds(ledger: Any) -> list[str]:
    """The kinds of all records."""
    return [fields_of(record)["kind"] for record in ledger.records()]


# ---------------------------------------------------------------- order


@pytest.fixture
def noted(here, monkeypatch):
    """A ledger, and what it does, in order."""
    order: list[str] = []

    class Noting(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> Any:
            found = super().execute(statement, *values)
            if statement in {"BEGIN IMMEDIATE", "COMMIT"} or statement.startswith("INSERT INTO"):
                order.append(statement.partition(" VALUES")[0])
            elif "WHERE key" in statement:
                order.append("look for the key")
            return found

    advance = Anchor.advance
    monkeypatch.setattr(
        Anchor, "advance", lambda anchor, head: (advance(anchor, head), order.append("anchor"))[0]
    )
    outcome = Ticket.outcome
    monkeypatch.setattr(
        Ticket, "outcome", lambda ticket: (order.append("acknowledge"), outcome(ticket))[1]
    )

    def connect(path: str) -> sqlite3.Connection:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Noting)

    with closing(here.open(connect=connect)) as ledger:
        order.clear()
        yield ledger, order


def test_a_charge_is_looked_for_written_committed_anchored_and_only_then_acknowledged(noted):
    ledger, order = noted
    ledger.charge(b"question", pure_loss(1))
    assert order == [
        "BEGIN IMMEDIATE",
        "look for the key",
        "INSERT INTO records",
        "INSERT INTO charges",
        "COMMIT",
        "anchor",
        "acknowledge",
    ]


def test_an_answer_is_written_committed_anchored_and_only_then_acknowledged(noted):
    ledger, order = noted
    entry = ledger.charge(b"question", pure_loss(1))
    order.clear()
    ledger.settle(entry, b"answer")
    assert order == ["BEGIN IMMEDIATE", "INSERT INTO records", "COMMIT", "anchor", "acknowledge"]


def test_the_limits_are_checked_within_the_transaction(noted, monkeypatch):
    ledger, order = noted
    admits = PureFilter.admits
    monkeypatch.setattr(
        PureFilter,
        "admits",
        lambda rule, spent, charge: (order.append("check"), admits(rule, spent, charge))[1],
    )
    ledger.charge(b"question", pure_loss(1), "ann")
    assert order[:5] == [
        "BEGIN IMMEDIATE",
        "look for the key",
        "check",
        "check",
        "INSERT INTO records",
    ]


def test_an_analysts_limit_is_checked_against_what_was_spent_meanwhile(here):
    own = PureFilter(1).limit.amount
    with closing(here.open()) as one, closing(here.open()) as other:
        one.charge(b"first", pure_loss(own), "ann")
        with pytest.raises(LimitExceeded) as refused:
            other.charge(b"second", pure_loss(1), "ann")
        assert refused.value.analyst == "ann"


# ---------------------------------------------------------------- crashes


def test_a_crash_before_the_commit_leaves_nothing(here, monkeypatch):
    with closing(here.open()) as ledger, monkeypatch.context() as patched:
        patched.setattr(Page, "close", lambda page: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            ledger.charge(b"question", pure_loss(1))
    with closing(here.open()) as ledger:
        assert (list(ledger.entries()), ledger.total_spent()) == ([], Charge())


@pytest.mark.parametrize("stop", [Stopped, KeyboardInterrupt])
def test_a_crash_between_commit_and_anchor_leaves_a_charge_that_is_found_again(
    here, monkeypatch, stop
):
    with closing(here.open()) as ledger, monkeypatch.context() as patched:
        patched.setattr(Anchor, "_write", lambda anchor, head: (_ for _ in ()).throw(stop))
        with pytest.raises(stop):
            ledger.charge(b"question", pure_loss(1))
    with closing(here.open()) as ledger:
        assert ledger.charge(b"question", pure_loss(1)).number == 0
        assert ledger.total_spent() == Charge(1)
        assert here.anchor.read() == ledger.verify()


def test_nothing_is_acknowledged_that_the_anchor_does_not_remember(here, monkeypatch):
    with closing(here.open()) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(
                Anchor,
                "_write",
                lambda anchor, head: (_ for _ in ()).throw(OSError(28, "No space left")),
            )
            for _ in range(2):
                with pytest.raises(
                    LedgerUncertain, match=r"No space left.*TACIT_ANCHORS.*not made twice"
                ):
                    ledger.charge(b"question", pure_loss(1))
        assert ledger.charge(b"question", pure_loss(1)).number == 0
        assert ledger.total_spent() == Charge(1)
        assert here.anchor.read() == ledger.verify()


def test_an_answer_that_another_process_stored_is_repeated_only_once_it_is_anchored(
    here, monkeypatch
):
    with closing(here.open()) as one, closing(here.open()) as other:
        entry = one.charge(b"question", pure_loss(1))
        with monkeypatch.context() as patched:
            patched.setattr(Anchor, "_write", lambda anchor, head: (_ for _ in ()).throw(Stopped))
            with pytest.raises(Stopped):
                one.settle(entry, b"answer")
        assert here.anchor.read() != other.verify()
        assert other.charge(b"question", pure_loss(1)).payload == b"answer"
        assert here.anchor.read() == other.verify()


@pytest.mark.parametrize("step", ["begin", "lay_out", "commit", "anchor"])
def test_a_crash_while_a_ledger_is_founded_is_mended_by_opening_it_again(here, monkeypatch, step):
    where: tuple[Any, str] = {
        "begin": (Anchor, "begin"),
        "lay_out": (SqliteStore, "lay_out"),
        "commit": (Page, "close"),
        "anchor": (DurableLedger, "_remember"),
    }[step]
    with monkeypatch.context() as patched:
        patched.setattr(*where, lambda *_: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            here.open()
    with closing(here.open()) as ledger:
        assert kinds(ledger) == ["founded", "limited"]
        assert ledger.charge(b"question", pure_loss(1)).number == 0


def test_a_crash_while_a_ledger_is_adopted_leaves_it_refused(here, monkeypatch):
    here.open().close()
    here.anchor.file.unlink()
    with monkeypatch.context() as patched:
        patched.setattr(Anchor, "replace", lambda *_: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            here.open(adopting="moved")
    with pytest.raises(LedgerRefused):
        here.open()
    with closing(here.open(adopting="moved")) as ledger:
        assert kinds(ledger) == ["founded", "limited", "adopted", "adopted"]


# ---------------------------------------------------------------- opening


def test_opening_writes_nothing_if_nothing_is_new(here):
    here.open().close()
    before = here.kept()
    for _ in range(3):
        here.open().close()
    assert here.kept() == before


def test_limits_are_recorded_when_they_change_and_only_then(here):
    for limit, analysts in [
        (3, {}),
        (3, {}),
        (4, {}),
        (4, {"ann": PureFilter(1)}),
        (4, {"ann": PureFilter(1)}),
        (3, {}),
    ]:
        here.open(limit=PureFilter(limit), analysts=analysts).close()
    with closing(here.open(limit=PureFilter(3), analysts={})) as ledger:
        assert kinds(ledger) == ["founded", "limited", "limited", "limited", "limited"]


def test_a_charge_names_the_limits_that_it_was_held_to(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"one", pure_loss(1))
    with closing(here.open(limit=PureFilter(4))) as ledger:
        ledger.charge(b"two", pure_loss(1))
        said = [fields_of(record) for record in ledger.records()]
    assert [fields["limits"] for fields in said if fields["kind"] == "charged"] == [1, 3]
    assert [fields["kind"] for fields in said] == [
        "founded",
        "limited",
        "charged",
        "limited",
        "charged",
    ]


@pytest.mark.parametrize(
    "founding",
    [
        Founding("visit", Neighbours.ADD_OR_REMOVE, "pure"),
        Founding("person", Neighbours.REPLACE, "pure"),
        Founding("person", Neighbours.ADD_OR_REMOVE, "zero-concentrated"),
    ],
)
def test_the_terms_of_the_founding_never_change(here, founding):
    here.open().close()
    before = here.kept()
    with pytest.raises((LedgerRefused, InvalidInput)):
        here.open(founding=founding)
    assert here.kept() == before


def test_another_unit_is_refused_with_a_sentence_that_names_both(here):
    here.open().close()
    with pytest.raises(
        LedgerRefused, match=r"unit 'person', but the policy says 'visit'; .* create a new vault"
    ):
        here.open(founding=replace(FOUNDING, unit="visit"))


def test_progress_is_told_while_a_ledger_is_verified(here):
    with closing(here.open()) as ledger:
        for number in range(3):
            ledger.charge(b"%d" % number, pure_loss(1))
    seen: list[tuple[int, int]] = []
    with closing(here.open(progress=lambda done, of: seen.append((done, of)))) as ledger:
        assert seen == []  # opening reads little
        ledger.verify(lambda done, of: seen.append((done, of)))
    assert seen == [(5, 5)]


def test_a_ledger_says_where_it_lies_and_verifies_itself_when_asked(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"question", pure_loss(1))
        last = list(ledger.records())[-1]
        assert ledger.verify() == Head(3, last.hash)
        assert ledger.place == str(here.file.resolve())
        assert next(ledger.entries()).hash == last.hash


def test_two_processes_may_found_a_ledger_at_once(here):
    children = []
    for _ in range(6):
        pid = os.fork()
        if not pid:
            code = 1
            try:
                with closing(here.open()) as ledger:
                    ledger.charge(b"question", pure_loss(1))
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 6
    with closing(here.open()) as ledger:
        assert kinds(ledger) == ["founded", "limited", "charged"]


# ---------------------------------------------------------------- entries


def asked(
    ledger: DurableLedger, key: bytes, amount: int, analyst: str | None = None
) -> Ticket[Page]:
    """A charge that waits for its turn."""
    return Ticket(
        lambda page: ledger._write_charge(
            page, Entry(0, key, analyst, Charge(amount), at="now"), Charge(amount)
        )
    )


def test_an_analyst_is_held_within_one_batch_too(here):
    own = PureFilter(1).limit.amount
    with closing(here.open()) as ledger:
        batch = [asked(ledger, b"%d" % number, own // 2, "ann") for number in range(3)]
        ledger._commit_batch(batch)
        assert [ticket.outcome().number for ticket in batch[:2]] == [0, 1]
        with pytest.raises(LimitExceeded) as refused:
            batch[2].outcome()
        assert refused.value.analyst == "ann"


def test_nobody_in_a_group_is_acknowledged_before_the_anchor_is_written(here, monkeypatch):
    with closing(here.open()) as ledger:
        batch = [asked(ledger, b"%d" % number, 1) for number in range(3)]
        seen: list[bool] = []
        monkeypatch.setattr(
            Anchor, "advance", lambda *_: seen.extend(ticket.done for ticket in batch)
        )
        ledger._commit_batch(batch)
    assert seen == [False] * 3


def test_a_batch_in_which_one_is_refused_charges_the_others(here):
    with closing(here.open()) as ledger:
        most = LIMIT.limit.amount
        wanted = [(b"a", 1), (b"b", most), (b"c", most - 1), (b"d", 1), (b"a", 1)]
        batch = [asked(ledger, key, amount) for key, amount in wanted]
        ledger._commit_batch(batch)
        assert [entry.key for entry in ledger.entries()] == [b"a", b"c"]
        for refused in (batch[1], batch[3]):
            with pytest.raises(LimitExceeded):
                refused.outcome()
        assert batch[4].outcome() == batch[0].outcome()
        assert ledger.total_spent() == Charge(most)
        ledger.verify()


def test_entries_that_were_asked_for_before_a_charge_do_not_have_it(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"one", pure_loss(1))
        seen = ledger.entries()
        ledger.charge(b"two", pure_loss(1))
        assert [entry.key for entry in seen] == [b"one"]


def test_nobody_is_connected_while_a_process_forks(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"question", pure_loss(1))
        assert ledger.total_spent() == Charge(1)
        ledger.before_fork()
        connected = (ledger._store._reader, ledger._store._writer)
        ledger.after_fork(in_child=False)
        assert connected == (None, None)
        assert ledger.charge(b"another", pure_loss(1)).number == 1


def test_entries_of_two_handles_are_the_same_and_either_may_answer(here: Vault):
    with closing(here.open()) as one, closing(here.open()) as other:
        entry = one.charge(b"question", pure_loss(1), "ann", topic=b"topic", about="words")
        assert list(other.entries()) == [entry]
        assert other.settle(entry, b"answer") == next(one.find_answered(b"topic"))
