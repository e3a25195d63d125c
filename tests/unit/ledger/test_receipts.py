"""Receipts are compared with the ledger."""

from contextlib import closing
from hashlib import sha256
from typing import Any

import pytest

from tacit.accounting import Charge, PureFilter
from tacit.ledger import DurableLedger, Entry
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import ANALYSTS, LIMIT, Vault, vault


def plain(charge: Charge) -> dict[str, str]:
    """A charge as receipts have it."""
    return {"amount": str(charge.amount), "failure": str(charge.failure)}


def receipt_of(entry: Entry) -> dict[str, Any]:
    """What a receipt says of an entry."""
    return {
        "unit": "person",
        "neighbours": "add-or-remove",
        "loss": {"currency": "pure", "charge": plain(entry.charge)},
        "limit": {
            "most": plain(LIMIT.limit),
            "before": plain(entry.before),
            "after": plain(entry.before + entry.charge),
        },
        "entry": entry.number,
        "key": entry.key.hex(),
        "hash": entry.hash.hex(),
        "answer": sha256(entry.payload or b"").hexdigest(),
        "mechanism": "what the ledger cannot know is not compared",
    }


@pytest.fixture
def here():
    with vault() as found:
        yield found


def answered(ledger: DurableLedger, number: int) -> Entry:
    """An entry with an answer."""
    return ledger.settle(ledger.charge(b"%d" % number, pure_loss(10 + number), "ann"), b"answer %d" % number)


def test_a_true_receipt_has_no_faults(here):
    with closing(here.open()) as ledger:
        for number in range(3):
            assert ledger.check_receipt(receipt_of(answered(ledger, number))) == []


FORGERIES = [
    ("unit", "visit"),
    ("neighbours", "replace"),
    ("loss", {"currency": "pure", "charge": plain(Charge(1))}),
    ("loss", {"currency": "zero-concentrated", "charge": plain(Charge(11))}),
    ("loss", None),
    ("limit", {"most": plain(LIMIT.limit), "before": plain(Charge()), "after": plain(Charge(21))}),
    ("limit", {"most": plain(Charge(10**20)), "before": plain(Charge(10)), "after": plain(Charge(21))}),
    ("limit", []),
    ("key", "00"),
    ("hash", "00" * 32),
    ("answer", sha256(b"another").hexdigest()),
    ("entry", 0),
    ("entry", 7),
    ("entry", -1),
    ("entry", "1"),
    ("entry", True),
    ("entry", 2**80),
    ("entry", None),
]


@pytest.mark.parametrize(("field", "value"), FORGERIES, ids=[f"{field}-{value!r:.40}" for field, value in FORGERIES])
def test_a_false_receipt_has_faults(here: Vault, field, value):
    with closing(here.open()) as ledger:
        answered(ledger, 0)
        receipt = receipt_of(answered(ledger, 1))
        assert ledger.check_receipt(receipt) == []
        assert ledger.check_receipt(receipt | {field: value})
        assert ledger.check_receipt({name: receipt[name] for name in receipt if name != field})


def test_a_receipt_for_a_question_that_was_never_answered_has_a_fault(here):
    with closing(here.open()) as ledger:
        (fault,) = ledger.check_receipt(receipt_of(ledger.charge(b"question", pure_loss(1))))
        assert "never answered" in fault


def test_a_receipt_stays_true_when_limits_change(here):
    with closing(here.open()) as ledger:
        receipt = receipt_of(answered(ledger, 0))
    with closing(here.open(limit=PureFilter(4), analysts=ANALYSTS)) as ledger:
        assert ledger.check_receipt(receipt) == []
        shown_later = receipt | {"limit": receipt["limit"] | {"most": plain(PureFilter(4).limit)}}
        assert ledger.check_receipt(shown_later) == []
