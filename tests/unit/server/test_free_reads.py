"""What was read for free is remembered, and is what reading anew would give."""

import asyncio
from collections import defaultdict
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

from tacit.curator import Unseen, View
from tacit.errors import AccessDenied
from tacit.privacy import PureLoss
from tacit.server import Slots
from tacit.server.free_reads import FreeReads, parameter_key, question_key, seen_state
from tacit.server.jobs import Question
from tests.unit.server.clinics import BY_WARD, COUNT, make_desk, make_folder, who

CHEAP, DEAR = Question(COUNT, epsilon=0.01), Question(COUNT, epsilon=0.1)


@pytest.fixture
def desk(tmp_path):
    found = make_desk(make_folder(tmp_path / "clinic"))
    yield found
    found.close()


@pytest.fixture
def reads(desk, monkeypatch):
    """How often replays of a vault were read."""
    counted, vault = [], type(desk._vault)
    replay = vault.replay

    def count(self, text, **terms):
        counted.append(text)
        return replay(self, text, **terms)

    monkeypatch.setattr(vault, "replay", count)
    return counted


def ask(desk, name, question):
    async def asked():
        found = await (await desk.ask(who(desk, name), question)).result()
        while desk.asking._running:
            await asyncio.gather(*desk.asking._running)
        return found

    return asyncio.run(asked())


def test_what_is_known_is_read_once(desk, reads):
    ana, bought = who(desk, "ana"), ask(desk, "ana", CHEAP)
    reads.clear()
    found = [desk.replay(ana, CHEAP) for _ in range(3)]
    assert [each.rows for each in found] == [bought.rows] * 3
    assert len(reads) == 1


def test_a_dearer_answer_is_shown_from_its_charge_on(desk):
    ana = who(desk, "ana")
    first, dear = ask(desk, "ana", CHEAP), None
    assert desk.replay(ana, DEAR) is None
    dear = ask(desk, "ana", DEAR)
    assert desk.replay(ana, DEAR).rows == dear.rows
    for question in (CHEAP, DEAR):
        anew = desk._vault.of("ana").replay(question.sql, epsilon=question.epsilon)
        assert desk.replay(ana, question).rows == anew.rows
    assert first.rows != dear.rows or first.receipt != dear.receipt


def test_a_refreshed_table_is_read_anew(desk):
    ana = who(desk, "ana")
    ask(desk, "ana", CHEAP)
    assert desk.replay(ana, CHEAP) is not None
    desk.refresh(who(desk, "cleo"), "visits")
    assert desk.replay(ana, CHEAP) is None


def test_nobody_is_shown_what_was_read_for_somebody_else(desk):
    ask(desk, "ana", CHEAP)
    assert desk.replay(who(desk, "ana"), CHEAP) is not None
    assert desk.replay(who(desk, "ben"), CHEAP) is None
    budgets = [desk.budget(who(desk, name)).own for name in ("ana", "ben", "ana")]
    assert budgets[0].left == budgets[2].left < budgets[1].left


def test_an_auditor_is_replayed_nothing(desk):
    with pytest.raises(AccessDenied):
        desk.replay(who(desk, "otto"), CHEAP)


def test_another_price_confidence_or_value_is_another_question():
    plain = Question(COUNT, epsilon=1)
    others = [
        *(Question(BY_WARD, epsilon=1), Question(COUNT, within=1), Question(COUNT, epsilon=2)),
        *(Question(COUNT, epsilon="1"), Question(COUNT, epsilon=1.0), Question(COUNT)),
        *(Question(COUNT, epsilon="None"), Question(COUNT, within="None")),
        *(Question(COUNT, epsilon=1, confidence=0.9), Question(COUNT, epsilon=1, raw=True)),
        *(Question(COUNT, epsilon=1, params=[each]) for each in (1, 1.0, True, "1", [1], None)),
        Question(COUNT, epsilon=1, params={"0": 1}),
    ]
    keys = {question_key("ana", each) for each in [plain, *others]}
    assert len(keys) == 1 + len(others)
    assert question_key("ana", plain) != question_key("ben", plain)
    assert parameter_key((1, "a")) == parameter_key([1, "a"])


def test_what_a_slot_writes_changes_nothing_of_what_is_remembered_within_it(tmp_path, reads):
    """Hits and misses take different times: within a slot they must not tell when its rows were read."""
    desk = make_desk(make_folder(tmp_path / "slot"), slots=Slots(workers=1, lengths=(3.0,)))
    try:
        ask(desk, "ana", CHEAP)
        ana = who(desk, "ana")

        async def within_a_slot():
            job = await desk.ask(who(desk, "ben"), DEAR)
            desk.replay(ana, CHEAP)
            reads.clear()
            before = written(desk)
            while written(desk) == before and not job.is_done:
                await desk.run(lambda: desk.replay(ana, CHEAP))
            told = desk.replay(ana, CHEAP), job.is_done, list(reads)
            await job.result()
            await asyncio.gather(*desk.asking._running)
            return told

        shown, done, read = asyncio.run(within_a_slot())
        assert shown is not None
        assert not done, "the slot ended before its answer was written"
        assert not read
    finally:
        desk.close()


def test_what_is_remembered_depends_on_what_is_shown_alone(desk):
    """Every view of three entries: the same state if, and only if, the same entries and answers are shown."""
    numbers = range(3)
    opened = list(chain.from_iterable(combinations(numbers, size) for size in range(4)))
    states = defaultdict(set)
    for length, hidden, told in product(range(4), opened, product((None, False, True), repeat=3)):
        released = {each: told[each] for each in numbers if told[each] is not None}
        view = View(length, frozenset(hidden), released)
        shown = tuple((view.shows(each), view.shows_answer(each)) for each in numbers)
        states[shown].add(seen_state(desk._vault, view))
    assert all(len(found) == 1 for found in states.values())
    assert len(set.union(*states.values())) == len(states) > 20


def test_when_an_answer_was_ready_changes_nothing_that_is_remembered(desk):
    """One slot answers before another is reserved, or after: from when both have told, nothing is another.

    The second writes nothing of its own.  If its end changed what is remembered in one of the two, whoever reads for
    nothing would learn how long rows took in the first.
    """
    states = []
    for is_ready in (False, True):
        vault, board = desk._vault, Unseen()
        first = board.enter(vault)
        entry = vault.ledger.charge(bytes([is_ready]), PureLoss(Fraction(1, 100)), "ana")
        if is_ready:
            vault.ledger.settle(entry, b"1")
        second = board.enter(vault)
        if not is_ready:
            vault.ledger.settle(entry, b"1")
        board.leave(first, {entry.number: True})
        after_one = seen_state(vault, board.view_of(vault))
        board.leave(second, {})
        states.append(after_one == seen_state(vault, board.view_of(vault)))
    assert states == [True, True]


def written(desk):
    """All that is in the ledger, seen or not."""
    return [(each.number, each.is_answered) for each in desk._vault.ledger.entries()]


def test_only_so_many_are_remembered_and_long_answers_are_not():
    kept, vault = FreeReads(most=2), object()
    for key in ("a", "b", "c"):
        kept.read(vault, 0, key, lambda: "old")
    assert [kept.read(vault, 0, key, lambda: "new") for key in ("a", "c")] == ["new", "old"]
    assert kept.read(vault, 1, "c", lambda: "of another state") == "of another state"

    class Long:
        rows = range(1_001)

    assert kept.read(vault, 0, "long", Long) is not kept.read(vault, 0, "long", Long)
    assert kept.read(object(), 1, "c", lambda: "of another vault") == "of another vault"
