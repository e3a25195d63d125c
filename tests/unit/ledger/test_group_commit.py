"""Tasks of many threads are done together, and none is known to be done before all are."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tacit.errors import LedgerBusy, TacitError
from tacit.ledger.group_commit import Ticket, Turns


class Refused(TacitError):
    """No."""


class Log:
    """Does tasks together and notes them; the first time, after so many others have come."""

    def __init__(self, others: int = 0) -> None:
        self.batches: list[int] = []
        self.others = others
        self.turns: Turns[list[str]] = Turns(self.together)
        self.failure: BaseException | None = None

    def together(self, batch: Sequence[Ticket[list[str]]]) -> None:
        while not self.batches and len(self.turns._waiting) < self.others:
            threading.Event().wait(0.001)
        self.batches.append(len(batch))
        page: list[str] = []
        for ticket in batch:
            ticket.attempt(page)
        if self.failure is not None and len(self.batches) == 1:
            raise self.failure


def in_threads(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """What every task returned or raised."""
    found: list[Any] = [None] * len(tasks)

    def run(number: int) -> None:
        try:
            found[number] = tasks[number]()
        except BaseException as error:  # noqa: BLE001 - it is what the test looks at
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_one_thread_has_its_turn_at_once():
    log = Log()
    assert log.turns.do(lambda page: 42) == 42
    assert log.batches == [1]


def test_all_who_wait_are_served_by_one_turn():
    log = Log(others=9)
    found = in_threads(
        [lambda number=number: log.turns.do(lambda page: number) for number in range(10)]
    )
    assert found == list(range(10))
    assert log.batches == [1, 9]


@pytest.mark.parametrize("last", [0, 1])
def test_who_was_served_alone_waits_for_nobody(monkeypatch, last):
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("waited"))
    log = Log()
    for _ in range(last + 1):
        log.turns.do(lambda page: None)


def test_who_was_served_together_is_waited_for_as_long_as_somebody_comes(monkeypatch):
    log, sleeps = Log(others=3), []
    in_threads([lambda: log.turns.do(lambda page: None)] * 4)
    coming = [Ticket(lambda page: None) for _ in range(5)]

    def come(seconds: float) -> None:
        sleeps.append(seconds)
        if len(sleeps) == 1:
            log.turns._waiting.append(coming.pop())

    monkeypatch.setattr("time.sleep", come)
    log.turns.do(lambda page: None)  # one comes, then nobody: of three who were served together
    assert (len(sleeps), log.batches[-1]) == (2, 2)
    sleeps.clear()
    log.turns.do(lambda page: None)  # both are here
    assert (len(sleeps), log.batches[-1]) == (1, 2)


def test_a_refusal_is_for_the_one_who_is_refused():
    log = Log(others=3)

    def refused(page: list[str]) -> None:
        raise Refused

    tasks = [lambda: log.turns.do(lambda page: "done")] * 2 + [lambda: log.turns.do(refused)] * 2
    found = in_threads(tasks)
    assert found[:2] == ["done"] * 2
    assert [type(each) for each in found[2:]] == [Refused] * 2


def test_what_all_do_together_fails_for_all_of_them():
    log = Log(others=3)
    log.failure = LedgerBusy("here", 1)
    found = in_threads([lambda: log.turns.do(lambda page: "done")] * 4)
    # the one that came first; the second turn is sound
    assert [type(each) for each in found].count(LedgerBusy) == 1
    assert found.count("done") == 3
    log.batches.clear()
    log.others = 0
    with pytest.raises(LedgerBusy):
        log.turns.do(lambda page: "done")


def test_an_interrupt_is_the_leaders_alone_and_the_others_are_served_without_it():
    turns: Turns[list[str]]
    calls = []

    def together(batch: Sequence[Ticket[list[str]]]) -> None:
        calls.append(len(batch))
        while len(calls) == 1 and len(turns._waiting) < 3:
            threading.Event().wait(0.001)
        for ticket in batch:
            ticket.attempt([])
        if len(calls) == 2:
            raise KeyboardInterrupt

    turns = Turns(together)
    found = in_threads([lambda: turns.do(lambda page: "done")] * 4)
    assert sorted(type(each).__name__ for each in found) == [
        "KeyboardInterrupt",
        "str",
        "str",
        "str",
    ]
    assert calls == [1, 3, 2]


@pytest.fixture
def interrupted(monkeypatch):
    """Turns that are taken, and a thread that waits for one; the call interrupts it."""
    log, wait, told = Log(), Ticket.wait, threading.Event()
    found: list[Any] = []

    def interruptible(ticket: Ticket[list[str]]) -> None:
        told.wait()
        monkeypatch.setattr(Ticket, "wait", wait)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ticket, "wait", interruptible)
    log.turns.take()
    thread = threading.Thread(
        target=lambda: found.extend(in_threads([lambda: log.turns.do(log.batches.append)]))
    )
    thread.start()
    while not log.turns._waiting:
        threading.Event().wait(0.001)

    def interrupt() -> None:
        told.set()
        thread.join()
        assert [type(each) for each in found] == [KeyboardInterrupt]

    return log, interrupt


def test_who_is_interrupted_while_waiting_is_not_served(interrupted):
    log, interrupt = interrupted
    interrupt()
    assert log.turns._waiting == []
    log.turns.leave()
    assert log.turns.do(lambda page: "next") == "next"
    assert log.batches == [1]


def test_who_is_interrupted_while_waiting_gives_the_turn_to_the_next(interrupted):
    log, interrupt = interrupted
    log.turns.leave()  # to the one who waits, and is interrupted before it can take it
    interrupt()
    assert not log.turns._taken
    assert log.turns.do(lambda page: "next") == "next"


def test_a_turn_of_ones_own_comes_before_all_who_wait_to_be_served():
    log, order = Log(), []
    log.turns.take()
    serve = threading.Thread(target=lambda: order.append(log.turns.do(lambda page: "served")))
    serve.start()
    while not log.turns._waiting:
        threading.Event().wait(0.001)
    alone = threading.Thread(
        target=lambda: (log.turns.take(), order.append("alone"), log.turns.leave())
    )
    alone.start()
    while not log.turns._alone:
        threading.Event().wait(0.001)
    log.turns.leave()
    for thread in (serve, alone):
        thread.join()
    assert order == ["alone", "served"]


def test_nobody_has_an_outcome_before_all_is_done():
    seen = []

    def together(batch: Sequence[Ticket[list[str]]]) -> None:
        for ticket in batch:
            ticket.attempt([])
            seen.append(ticket.done)

    turns = Turns(together)
    turns.do(lambda page: None)
    assert seen == [False]


def test_a_turn_of_ones_own_waits_and_is_waited_for():
    log = Log()
    order = []
    with log.turns.take_turn():
        thread = threading.Thread(target=lambda: order.append(log.turns.do(lambda page: "later")))
        thread.start()
        while not log.turns._waiting:
            threading.Event().wait(0.001)
        order.append("first")
    thread.join()
    assert order == ["first", "later"]


def test_a_child_forgets_who_waited():
    log = Log()
    log.turns.take()
    log.turns._waiting.append(Ticket(lambda page: pytest.fail("done twice")))
    log.turns.forget()
    assert log.turns.do(lambda page: "mine") == "mine"
    assert log.batches == [1]
