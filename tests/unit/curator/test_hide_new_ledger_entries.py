"""What slots have not shown yet: each entry is read once, and one that is open until it is answered."""

from fractions import Fraction

import pytest

import tacit
from tacit.curator import Unseen
from tacit.curator.hide_new_ledger_entries import MemoryBoard
from tacit.privacy import PureLoss
from tests.unit.server.clinics import POLICY, make_folder

PURE = POLICY.replace("delta = 1e-6", "delta = 0")
PRICE = PureLoss(Fraction(1, 8))


@pytest.fixture
def vault(tmp_path):
    with tacit.open(make_folder(tmp_path / "clinic", PURE, rows=10)) as opened:
        yield opened


def told(ledger):
    """All that a ledger tells."""
    return (
        list(ledger.entries()),
        [ledger.total_spent(name) for name in (None, "ana", "ben")],
        [list(ledger.find_answered(topic)) for topic in (b"", b"t")],
        [list(ledger.find_charged(key)) for key in (b"a", b"b", b"c")],
    )


def test_an_entry_stays_open_until_it_is_answered(vault):
    ledger, unseen = vault.ledger, Unseen()
    charged = [ledger.charge(name, PRICE, "ana") for name in (b"a", b"b")]
    for _ in range(3):  # slot after slot
        name = unseen.enter(vault)
        assert unseen.view_of(vault).open == {0, 1}
        assert unseen.view_of(vault).length == 2
        unseen.leave(name, {})
    name = unseen.enter(vault)
    ledger.settle(charged[0], b"answer")
    later = ledger.charge(b"c", PRICE, "ana")
    seen = unseen.seen(vault).ledger
    assert [entry.is_answered for entry in seen.entries()] == [False, False]
    assert list(seen.entries(2)) == []
    assert seen.total_spent("ana") == charged[0].charge + charged[1].charge
    unseen.leave(name, {0: True, later.number: False})
    assert [entry.is_answered for entry in unseen.seen(vault).ledger.entries()] == [
        *(True, False, False)
    ]
    unseen.enter(vault)
    assert unseen.view_of(vault).open == {1, 2}
    assert unseen.view_of(vault).length == 3


def test_a_read_that_began_before_a_slot_sees_nothing_of_it(vault):
    ledger, unseen = vault.ledger, Unseen()
    ledger.charge(b"a", PRICE, "ana", topic=b"t")
    seen = unseen.seen(vault).ledger
    before = told(seen)
    name = unseen.enter(vault)
    for key, analyst in ((b"b", "ana"), (b"c", "ben")):
        ledger.settle(ledger.charge(key, PRICE, analyst, topic=b"t"), b"answer")
    ledger.settle(ledger.charge(b"a", PRICE, "ana", topic=b"t"), b"answer")
    assert told(seen) == before
    assert told(unseen.seen(vault).ledger) == before
    unseen.leave(name, {0: True, 1: True, 2: True})
    assert told(seen) == before  # it lasts long, and shows what it began with
    assert told(unseen.seen(vault).ledger) == told(ledger) != before


def test_a_slot_that_begins_while_a_read_does_is_hidden_from_it(vault):
    """Between what a read asks the ledger and what it asks the board, a slot is reserved and charges."""

    class Late(MemoryBoard):
        def read(self):
            found = super().read()
            if not charged:
                charged.append(unseen.enter(vault))
                vault.ledger.charge(b"b", PRICE, "ana")
            return found

    charged = []
    unseen = Unseen(Late())
    assert list(unseen.seen(vault).ledger.entries()) == []
    assert charged


def test_what_slots_let_out_is_forgotten_when_nobody_hides_it(vault):
    """However busy a server is: slot follows slot, and there is always one that runs."""
    board = MemoryBoard()
    ledger, unseen = vault.ledger, Unseen(board)
    name = unseen.enter(vault)
    for number in range(20):
        following = unseen.enter(vault)
        entry = ledger.settle(ledger.charge(bytes([number + 1]), PRICE, "ana"), b"answer")
        unseen.leave(name, {entry.number: True})
        assert len(list(unseen.seen(vault).ledger.entries())) == number + 1
        assert len(board.read()[1]) <= 1
        name = following


def test_in_a_slot_the_board_alone_says_what_is_seen(vault):
    """However slots overlap: while one is on the board, nothing of the ledger has to be asked."""
    ledger, unseen = vault.ledger, Unseen()
    running, numbers = {}, range(12)

    def shown(view):
        return [(view.shows(number), view.shows_answer(number)) for number in numbers]

    open_entry = ledger.charge(b"open", PRICE, "ana")
    for number in range(8):
        running[unseen.enter(vault)] = written = {}
        entry = ledger.charge(bytes([number]), PRICE, "ana")
        written[entry.number] = number % 3 > 0
        if number % 3:
            ledger.settle(entry, b"answer")
        if number == 5:
            ledger.settle(open_entry, b"answer")
            written[open_entry.number] = True
        assert shown(unseen.view_within()) == shown(unseen.view_of(vault))
        if number % 2:
            name = list(running)[number % len(running)]
            unseen.leave(name, running.pop(name))
            assert shown(unseen.view_within()) == shown(unseen.view_of(vault))
