"""Who can write a ledger, but neither its anchor nor the policy, cannot make it admit more than the limit."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from tacit.accounting import EPSILON_UNIT, Charge, PureFilter
from tacit.errors import LedgerRefused
from tacit.ledger import Entry, fields_of
from tacit.ledger.records import chain_record, charge_fields, encode_fields
from tacit.ledger.store import Head
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import ANALYSTS, LIMIT, Vault, vault

MOST = LIMIT.limit.amount


@pytest.fixture
def here() -> Iterator[Vault]:
    """A ledger with one charge, closed."""
    with vault() as found:
        with closing(found.open()) as ledger:
            ledger.charge(b"asked", pure_loss(1000))
        yield found


def append_charge(here: Vault, charge: Charge, analyst: str | None = None) -> None:
    """Write a charge as the ledger would, but for the limit and the anchor."""
    with closing(here.open()) as ledger:
        records, spent = list(ledger.records()), ledger.total_spent()
    limits = max(each.number for each in records if fields_of(each)["kind"] == "limited")
    entry = Entry(1, b"forged", analyst, charge, before=spent, at="then")
    body = encode_fields(charge_fields(entry, limits))
    record = chain_record(Head(len(records), records[-1].hash), body)
    total = spent + charge
    here.edit(
        ("INSERT INTO records VALUES (?, ?, ?)", (record.number, record.body, record.hash)),
        ("INSERT INTO charges VALUES (1, ?, ?, ?, NULL, NULL)", (record.number, b"forged", b"")),
        ("UPDATE tallies SET value = '2' WHERE name = 'entries'", ()),
        ("UPDATE tallies SET value = ? WHERE name = 'spent'", (f"{total.amount} 0",)),
        *(
            [("INSERT INTO tallies VALUES (?, ?)", (f"spent of {analyst}", f"{charge.amount} 0"))]
            if analyst
            else []
        ),
    )


def test_a_charge_that_a_crash_may_have_left_is_taken(here):
    append_charge(here, Charge(MOST - 1000))
    with closing(here.open()) as ledger:
        assert ledger.total_spent() == LIMIT.limit


@pytest.mark.parametrize(
    ("charge", "analyst"),
    [(Charge(MOST - 999), None), (Charge(10 * MOST), None), (Charge(MOST // 2), "ann")],
)
def test_a_charge_above_a_limit_is_not_taken_for_what_a_crash_left(here, charge, analyst):
    append_charge(here, charge, analyst)
    with pytest.raises(LedgerRefused, match="charges more than its limit allows"):
        here.open()
    with pytest.raises(LedgerRefused, match="charges more than its limit allows"):
        here.open(adopting="it is the newest")  # which reads all of it


def test_a_charge_above_the_limit_is_not_taken_by_who_has_the_ledger_open(here):
    with closing(here.open()) as ledger:
        append_charge(here, Charge(10 * MOST))
        with pytest.raises(LedgerRefused, match="charges more than its limit allows"):
            ledger.charge(b"forged", pure_loss(10))


def test_limits_that_are_raised_without_the_anchor_pay_for_nothing(here):
    """The forger uses Tacit itself, with a policy of her own; then the curator opens the vault with his."""
    kept = here.anchor.file.read_bytes()
    wide = PureFilter(30)
    with closing(here.open(limit=wide, analysts=dict.fromkeys(ANALYSTS, wide))) as ledger:
        ledger.charge(b"forged", pure_loss(2 * MOST))
    here.anchor.file.write_bytes(kept)
    with pytest.raises(LedgerRefused, match="charges more than its limit allows"):
        here.open()


def test_limits_of_the_policy_may_be_raised_by_who_crashed(here):
    kept = here.anchor.file.read_bytes()
    wide = {"limit": PureFilter(30), "analysts": ANALYSTS}
    with closing(here.open(**wide)) as ledger:
        ledger.charge(b"asked more", pure_loss(2 * MOST))
    here.anchor.file.write_bytes(kept)
    with closing(here.open(**wide)) as ledger:
        assert ledger.total_spent() == Charge(2 * MOST + 1000)


def test_a_ledger_whose_limit_was_lowered_opens_whatever_was_spent_before(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"more", pure_loss(MOST // 2))
    lower = {"limit": PureFilter(100_000 * EPSILON_UNIT), "analysts": {}}
    with closing(here.open(**lower)) as ledger:
        ledger.verify()
        assert not replace(ledger.total_spent(), failure=0).fits(Charge(100_000))
