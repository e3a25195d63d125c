"""The ledger in memory, beyond what every ledger does."""

import pytest

from tacit.accounting import Charge, PureFilter
from tacit.errors import InvalidInput
from tacit.ledger import MemoryLedger
from tacit.privacy import PureLoss


def test_it_keeps_its_own_copy_of_the_analysts_limits():
    limits = {"ann": PureFilter(1)}
    ledger = MemoryLedger(PureFilter(3), limits)
    limits["eve"] = PureFilter(3)
    with pytest.raises(InvalidInput):
        ledger.charge(b"question", PureLoss(1), "eve")


def test_where_no_analyst_is_named_any_may_ask_and_is_remembered():
    ledger = MemoryLedger(PureFilter(3))
    assert ledger.charge(b"question", PureLoss(1), "ann").analyst == "ann"
    assert ledger.total_spent("ann") == ledger.total_spent()
    assert ledger.total_spent("bob") == Charge()


def test_entries_are_those_of_the_moment_they_were_asked_for():
    ledger = MemoryLedger(PureFilter(3))
    before = ledger.entries()
    ledger.charge(b"question", PureLoss(1))
    assert list(before) == []
    assert len(list(ledger.entries())) == 1


def test_two_ledgers_share_nothing():
    one, other = MemoryLedger(PureFilter(1)), MemoryLedger(PureFilter(1))
    one.charge(b"question", PureLoss(1))
    assert other.total_spent() == Charge()
    assert list(other.entries()) == []
