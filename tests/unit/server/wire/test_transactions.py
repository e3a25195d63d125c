"""Transactions and savepoints return to the settings that were, and fail as clients expect it."""

import pytest

from tacit.server.wire.problems import Problem
from tacit.server.wire.settings import Settings
from tacit.server.wire.transactions import Transaction


def test_a_rollback_returns_to_what_was_set_and_a_commit_keeps_it():
    settings = Settings()
    transaction = Transaction(settings)
    for kept, found in ((False, ""), (True, "0.5")):
        assert not transaction.begin()
        settings.set("tacit.epsilon", "0.5")
        settings.set("application_name", "x", local=True)
        assert transaction.status == "T"
        transaction.end(kept=kept)
        assert (settings["tacit.epsilon"], settings["application_name"]) == (found, "")
        assert transaction.status == "I"


def test_savepoints_return_to_what_was_set_there():
    settings = Settings()
    transaction = Transaction(settings)
    with pytest.raises(Problem, match="transaction block"):
        transaction.save("a")
    transaction.begin()
    transaction.save("a")
    settings.set("application_name", "in a")
    transaction.save("b")
    settings.set("application_name", "in b")
    transaction.fail()
    assert transaction.status == "E"
    transaction.roll_back_to("b")
    assert (settings["application_name"], transaction.status) == ("in a", "T")
    transaction.roll_back_to("a")
    assert settings["application_name"] == ""
    with pytest.raises(Problem) as refusal:
        transaction.roll_back_to("b")
    assert refusal.value.code == "3B001"
    transaction.release("a")
    with pytest.raises(Problem):
        transaction.release("a")


def test_a_failure_outside_of_a_transaction_leaves_nothing_open():
    transaction = Transaction(Settings())
    transaction.fail()
    assert transaction.status == "I"
    transaction.begin()
    assert transaction.begin()
    for _ in range(999):
        transaction.save("s")
    with pytest.raises(Problem, match="too many"):
        transaction.save("s")
