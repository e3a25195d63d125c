"""What slots have not shown yet: each entry is read once, and one that is open until it is answered."""

from fractions import Fraction

import tacit
from tacit.curator import Unseen
from tacit.privacy import PureLoss
from tests.unit.server.clinics import POLICY, make_folder

PURE = POLICY.replace("delta = 1e-6", "delta = 0")


def test_an_entry_stays_open_until_it_is_answered(tmp_path):
    with tacit.open(make_folder(tmp_path / "clinic", PURE, rows=10)) as vault:
        ledger, unseen = vault.ledger, Unseen()
        charged = [ledger.charge(name, PureLoss(Fraction(1, 8)), "ana") for name in (b"a", b"b")]
        for _ in range(3):  # slot after slot
            unseen.enter(vault)
            assert unseen.view.open == {0, 1}
            assert unseen.view.length == 2
            unseen.leave({})
        unseen.enter(vault)
        ledger.settle(charged[0], b"answer")
        later = ledger.charge(b"c", PureLoss(Fraction(1, 8)), "ana")
        seen = unseen.seen(vault).ledger
        assert [entry.is_answered for entry in seen.entries()] == [False, False]
        assert list(seen.entries(2)) == []
        assert seen.total_spent("ana") == charged[0].charge + charged[1].charge
        unseen.leave({0: True, later.number: False})
        assert [entry.is_answered for entry in unseen.seen(vault).ledger.entries()] == [
            *(True, False, False)
        ]
        unseen.enter(vault)
        assert unseen.view.open == {1, 2}
        assert unseen.view.length == 3
