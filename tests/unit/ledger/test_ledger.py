"""Entries of a ledger."""

from dataclasses import FrozenInstanceError, fields

import pytest

from tacit.accounting import Charge
from tacit.ledger import Entry

ENTRY = Entry(0, b"question", None, Charge(1))


def test_an_entry_without_an_answer_may_be_run_again():
    assert not ENTRY.is_answered


@pytest.mark.parametrize("payload", [b"", b"42"])
def test_an_empty_answer_is_an_answer(payload):
    assert Entry(0, b"question", None, Charge(1), payload).is_answered


@pytest.mark.parametrize("field", [field.name for field in fields(Entry)])
def test_an_entry_is_never_changed(field):
    with pytest.raises(FrozenInstanceError):
        setattr(ENTRY, field, None)


def test_equal_entries_are_equal_and_can_be_put_into_a_set():
    assert {ENTRY, Entry(0, b"question", None, Charge(1))} == {ENTRY}
