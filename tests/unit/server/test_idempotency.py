"""Under one key a question is asked once, and answered with the same bytes."""

import sqlite3
from contextlib import contextmanager

import pytest

from tacit.errors import InvalidInput, KeyReused, TooMany
from tacit.server import Identities
from tacit.server import idempotency as module
from tacit.server.idempotency import Keys

BODY, ANSWER = {"sql": "SELECT 1"}, {"rows": [[1]]}


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def keys(now):
    return Keys(Identities(), now=lambda: now[0])


def test_a_key_pins_the_answer_also_after_a_refresh(keys):
    assert keys.begin("ana", "k", BODY, "0") is None
    keys.end("ana", "k", ANSWER)
    assert keys.begin("ana", "k", BODY, "0") == ANSWER
    assert keys.begin("ana", "k", BODY, "1") == ANSWER
    assert keys.begin("ben", "k", BODY, "0") is None  # a key belongs to somebody


def test_a_key_stands_for_one_question(keys):
    keys.begin("ana", "k", BODY, "0")
    keys.end("ana", "k", ANSWER)
    with pytest.raises(KeyReused) as refusal:
        keys.begin("ana", "k", {"sql": "SELECT 2"}, "0")
    assert not refusal.value.running


def test_a_question_that_is_still_asked_is_not_asked_again(keys):
    keys.begin("ana", "k", BODY, "0")
    with pytest.raises(KeyReused) as refusal:
        keys.begin("ana", "k", BODY, "0")
    assert refusal.value.running


def test_after_a_crash_it_is_asked_again_unless_a_table_was_refreshed(keys):
    keys.begin("ana", "k", BODY, "0")
    again = Keys(keys._file, now=keys._now)  # another process
    with pytest.raises(KeyReused) as refusal:
        again.begin("ana", "k", BODY, "1")
    assert not refusal.value.running
    assert again.begin("ana", "k", BODY, "0") is None


def test_what_was_refused_may_be_asked_again_and_what_failed_too(keys):
    keys.begin("ana", "k", BODY, "0")
    keys.end("ana", "k", None)
    assert keys.begin("ana", "k", {"sql": "other"}, "0") is None
    keys.leave("ana", "k")
    assert keys.begin("ana", "k", {"sql": "other"}, "0") is None


def test_a_key_is_left_though_the_disk_is_full(keys, monkeypatch):
    @contextmanager
    def fail():
        raise sqlite3.OperationalError("database or disk is full")
        yield

    keys.begin("ana", "k", BODY, "0")
    with monkeypatch.context() as patch:
        patch.setattr(keys._file, "writing", fail)
        keys.leave("ana", "k")
    assert keys.begin("ana", "k", BODY, "0") is None


def test_keys_are_forgotten_after_a_day(keys, now):
    keys.begin("ana", "k", BODY, "0")
    keys.end("ana", "k", ANSWER)
    now[0] = 2 * 86_400.0
    assert keys.begin("ana", "k", BODY, "0") is None


@pytest.mark.parametrize("key", ["", "x" * 256, "ä", "a\nb"])
def test_a_key_that_makes_no_sense_is_refused(keys, key):
    with pytest.raises(InvalidInput):
        keys.begin("ana", key, BODY, "0")


def test_somebody_has_so_many_keys_a_day(keys, now, monkeypatch):
    monkeypatch.setattr(module, "_MOST", 2)
    for key in "ab":
        keys.begin("ana", key, BODY, "0")
        keys.end("ana", key, ANSWER)
    with pytest.raises(TooMany, match="idempotency keys in a day"):
        keys.begin("ana", "c", BODY, "0")
    assert keys.begin("ana", "a", BODY, "0") == ANSWER
    assert keys.begin("ben", "c", BODY, "0") is None
    now[0] += 86_401
    assert keys.begin("ana", "c", BODY, "0") is None
