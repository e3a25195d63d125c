"""Of the ledger everybody reads their own, and who may, everything."""

import pytest

from tacit.errors import (
    NotFound,
)
from tacit.server import Question
from tests.unit.server.clinics import (
    BY_WARD,
    COUNT,
    answer,
    entries,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_receipts_and_history_are_ones_own(folder):
    async def scenario(desk):
        mine = await answer(desk, "ana", Question(COUNT, epsilon=0.5))
        theirs = await answer(desk, "ben", Question(BY_WARD, epsilon=0.1))
        ana, ben, otto = (who(desk, name) for name in ("ana", "ben", "otto"))
        assert desk.ledger.receipt(ana, mine.receipt["entry"]) == mine.receipt
        for number in (theirs.receipt["entry"], 999):
            with pytest.raises(NotFound):
                desk.ledger.receipt(ana, number)
        with pytest.raises(NotFound):
            desk.ledger.check_receipt(ana, theirs.receipt)
        assert desk.ledger.check_receipt(ana, {"entry": "x"}) != []
        assert desk.ledger.receipt(otto, theirs.receipt["entry"]) == theirs.receipt
        (past,) = desk.ledger.history(ana)
        assert (past.sql, past.epsilon, past.answered) == (COUNT, "0.5", True)
        assert [each.words for each in desk.ledger.history(ben)] == [entries(desk)[1].about]
        assert desk.ledger.history(ana, table="visits") == [past]
        assert desk.ledger.history(ana, table="other") == []
        assert desk.ledger.history(ana, before=past.entry) == []
        assert [share for _, share in desk.ledger.spending(ana)] == [mine.price.share]
        assert len(desk.ledger.spending(otto)) == 2

    run(folder, scenario)


def test_the_ledger_is_verified_and_read(folder):
    async def scenario(desk):
        await answer(desk, "ana", Question(COUNT, epsilon=1))
        otto = who(desk, "otto")
        assert [each["kind"] for each in desk.ledger.records(otto)][-2:] == ["charged", "answered"]
        assert len(desk.ledger.records(otto, first=1, most=1)) == 1
        check = desk.ledger.verify(otto)
        desk._readers.shutdown(wait=True)
        assert desk.ledger.verification(otto, check.number).state == "whole"
        with pytest.raises(NotFound):
            desk.ledger.verification(otto, 7)

    run(folder, scenario)
