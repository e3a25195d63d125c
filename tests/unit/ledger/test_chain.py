"""Records are read through the part of the chain that was hashed anew, wherever it begins and ends."""

from contextlib import closing

import pytest

from tacit.errors import LedgerRefused
from tacit.ledger import Head, SqliteStore
from tacit.ledger.chain import Chain
from tests.unit.ledger.sample import Vault, build, vault


@pytest.fixture(scope="module")
def built():
    with vault() as here:
        build(here, 2_500)
        yield here


def chain_from(here: Vault, records: int) -> tuple[Chain, SqliteStore]:
    """A chain that knows the ledger up to a record."""
    store = SqliteStore(here.file)
    with store.reading() as session:
        last = session.record(records - 1)
        return Chain("here", Head(records, last.hash if last else bytes(32))), store


@pytest.mark.parametrize("known", [0, 1, 2, 1000, 1001, 2502])
@pytest.mark.parametrize(
    "order", [[0, 1, 2501], [2501, 0], [1500, 1499, 3, 2000], [999, 1000, 1001]]
)
def test_every_record_is_the_one_that_was_written(built, known, order):
    chain, store = chain_from(built, known)
    with closing(store), store.reading() as session:
        for number in order:
            assert chain.record(session, number) == session.record(number)
        assert [record.number for record in chain.records(session, 900, 2100)] == list(
            range(900, 2100)
        )
        assert chain.follows(session)


def test_a_record_that_is_not_there_is_damage(built):
    chain, store = chain_from(built, 2502)
    with (
        closing(store),
        store.reading() as session,
        pytest.raises(LedgerRefused, match="record 2502"),
    ):
        chain.record(session, 2502)


def test_each_record_is_hashed_once_on_the_way_down(built, monkeypatch):
    chain, store = chain_from(built, 2502)
    hashed = []
    step = Chain._hash_page
    monkeypatch.setattr(
        Chain,
        "_hash_page",
        lambda self, page, head: (hashed.extend(page), step(self, page, head))[1],
    )
    with closing(store), store.reading() as session:
        for number in range(2501, -1, -7):
            chain.record(session, number)
    assert len(hashed) == 2502


def test_another_head_is_not_followed(built):
    store = SqliteStore(built.file)
    with closing(store), store.reading() as session:
        assert not Chain("here", Head(2502, bytes(32))).follows(session)
        assert not Chain("here", Head(9999, bytes(32))).follows(session)
        with pytest.raises(LedgerRefused, match="damaged"):
            Chain("here", Head(2502, bytes(32))).record(session, 5)
        with pytest.raises(LedgerRefused, match="damaged"):
            Chain("here", Head(100, bytes(32))).record(session, 200)
