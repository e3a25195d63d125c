"""Attempts to sign in at several servers over one ledger: counted together, and nothing of them can be read."""

import hmac
import re
import threading
from hashlib import sha256

import pytest

from tacit.errors import LedgerUnavailable, TooMany
from tacit.server import Identities, Rate
from tacit.server.postgres_state_tables import PostgresTables
from tacit.server.rate_limits import RATES
from tacit.server.shared_rate_limits import SHARED, SharedRates
from tests import postgres

BY_NAME = "attempts to sign in by this name"
ADDRESS = "192.0.2.7"
SLOW = dict.fromkeys(RATES, Rate(3, 3600.0))
"""Three at once, and the fourth after twenty minutes: no test lasts so long."""


@pytest.fixture(scope="module")
def address():
    return postgres.fresh_address()


@pytest.fixture
def servers(address):
    """Two servers over one database."""
    opened = [Identities(PostgresTables(address)) for _ in range(2)]
    with opened[0].writing() as file:
        file.execute("DELETE FROM attempts")
    yield [SharedRates(each, SLOW) for each in opened]
    for each in opened:
        each.close()


def rows_of(rates):
    with rates._tables.reading() as file:
        return file.execute("SELECT * FROM attempts").fetchall()


def age(rates, seconds):
    """Let so much time pass for what is counted."""
    with rates._tables.writing() as file:
        file.execute("UPDATE attempts SET since = since - ?", (seconds,))


def test_every_rate_of_signing_in_is_shared_and_no_other():
    assert {what for what in RATES if "sign in" in what} == SHARED
    assert len(SHARED) == 3


@pytest.mark.parametrize("what", sorted(SHARED))
def test_attempts_at_one_server_count_at_the_other(servers, what):
    one, two = servers
    one.take(what, "ana")
    two.take(what, "ana")
    one.take(what, "ana")
    for each in servers:
        for refuse in (each.take, each.check):
            with pytest.raises(TooMany) as refused:
                refuse(what, "ana")
            assert 1190 < refused.value.seconds <= 1200
        each.check(what, "bea")
    one.take(what, "bea")


def test_an_allowance_fills_up_with_time_and_never_beyond(servers):
    one, two = servers
    for _ in range(3):
        one.take(BY_NAME, "ana")
    age(one, 1250)  # one more has come
    two.check(BY_NAME, "ana")
    two.take(BY_NAME, "ana")
    with pytest.raises(TooMany):
        one.take(BY_NAME, "ana")
    age(one, 1e9)
    for _ in range(3):
        one.take(BY_NAME, "ana")
    with pytest.raises(TooMany):
        two.take(BY_NAME, "ana")


def test_of_many_attempts_at_once_no_more_pass_than_one_after_another(servers):
    passed = []

    def attempt(rates):
        try:
            rates.take(BY_NAME, "ana")
        except TooMany:
            return
        passed.append(rates)

    threads = [threading.Thread(target=attempt, args=(each,)) for each in servers for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(passed) == 3


def test_requests_are_counted_by_each_server(servers):
    one, two = servers
    for each in servers:
        for _ in range(3):
            each.take("requests", "ana")
    with pytest.raises(TooMany):
        one.take("requests", "ana")
    with pytest.raises(TooMany):
        two.check("requests", "ana")
    assert rows_of(one) == []


def test_no_name_or_address_is_written_down(servers):
    one, _ = servers
    one.take(BY_NAME, "my password \ud800")
    one.take("attempts to sign in from this address", ADDRESS)
    names = [name for name, *_ in rows_of(one)]
    assert len(names) == 2
    assert all(re.fullmatch("[0-9a-f]{64}", name) for name in names)
    about = [f"{what}\0{ADDRESS}".encode() for what in SHARED]
    guessed = {hmac.new(b"", each, sha256).hexdigest() for each in about}
    guessed |= {sha256(each).hexdigest() for each in about}
    assert not guessed & set(names), "without a key, an address could be found by trying all"


def test_names_whose_allowance_is_full_are_forgotten(servers):
    one, two = servers
    one.take(BY_NAME, "ana")
    age(one, 4000)
    one.take(BY_NAME, "bea")
    assert len(rows_of(one)) == 2
    two._tidied -= 61
    two.take(BY_NAME, "cleo")
    assert len(rows_of(one)) == 2


def test_nobody_signs_in_while_the_database_is_away(servers, monkeypatch):
    one, _ = servers
    one._tables.close()
    monkeypatch.setattr(one._tables, "_address", "postgresql://127.0.0.1:1/away")
    with pytest.raises(LedgerUnavailable):
        one.take(BY_NAME, "ana")
    with pytest.raises(LedgerUnavailable):
        one.check(BY_NAME, "ana")
