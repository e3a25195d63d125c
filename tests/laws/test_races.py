"""Processes that race for the same limit are granted what fits, to the last unit, and a question is paid for once."""

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from tacit.accounting import Charge, PureFilter
from tacit.errors import LimitExceeded
from tacit.ledger import DurableLedger, Founding, postgres_ledger, sqlite_ledger
from tests import postgres
from tests.laws.every_ledger import folder, pure_loss
from tests.laws.sampled import few

LIMIT = PureFilter(1)
FOUNDING = Founding.of("person", LIMIT)
FITTING = few(300, 1_000)
PRICE = LIMIT.limit.amount // FITTING
PATIENCE = 300  # seconds after which something hangs

Opening = Callable[[], DurableLedger]  # which can be sent to another process


def in_sqlite(place: Path) -> Opening:
    file, anchors = place / "ledger.sqlite", place / "anchors"
    return partial(sqlite_ledger, file, FOUNDING, LIMIT, anchors=anchors, timeout=PATIENCE)


def in_postgres(place: Path) -> Opening:
    return partial(
        postgres_ledger, postgres.fresh_address(), FOUNDING, LIMIT, anchors=place / "anchors"
    )


@pytest.fixture
def place():
    """A folder for a ledger and its anchor."""
    with folder() as anchors:
        yield anchors.parent


both_stores = pytest.mark.parametrize("store", [in_sqlite, in_postgres], ids=["sqlite", "postgres"])


def processes() -> ForkServerContext:
    """Where processes come from: a server that has imported Tacit once, and nothing of this process."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tacit.ledger", __name__])
    return context


def racing(opening, mine, barrier, results):
    """Charges one question after the other, until nothing fits or the questions are at an end."""
    numbers, refused = [], False
    with closing(opening()) as ledger:
        barrier.wait(PATIENCE)
        for key in mine:
            try:
                numbers.append(ledger.charge(key, pure_loss(PRICE)).number)
            except LimitExceeded:
                refused = True
                break
    results.put((numbers, refused))


def raced(opening: Opening, keys: list[list[bytes]]) -> list[tuple[list[int], bool]]:
    """The numbers of the entries that each process got, and whether it was refused; all start at the same moment."""
    context = processes()
    barrier, results = context.Barrier(len(keys)), context.Queue()
    racers = [
        context.Process(target=racing, args=(opening, mine, barrier, results)) for mine in keys
    ]
    for racer in racers:
        racer.start()
    found = [results.get(timeout=PATIENCE) for _ in racers]
    for racer in racers:
        racer.join(PATIENCE)
    assert [racer.exitcode for racer in racers] == [0] * len(racers)
    return found


def exhausted(opening: Opening, count: int) -> None:
    """So many processes, each with more questions than fit, are granted together what fits, and each is refused."""
    opening().close()
    found = raced(
        opening, [[f"{racer}: {n}".encode() for n in range(FITTING + 1)] for racer in range(count)]
    )
    assert all(refused for _, refused in found)
    assert sorted(number for numbers, _ in found for number in numbers) == list(range(FITTING))
    with closing(opening()) as ledger:  # which reads everything again, and adds it up
        assert ledger.total_spent() == Charge(FITTING * PRICE)
        assert len(list(ledger.entries())) == FITTING


@both_stores
def test_sixteen_processes_racing_for_one_limit_are_granted_exactly_what_fits(store, place):
    exhausted(store(place), 16)


@pytest.mark.soak
@both_stores
def test_sixty_four_processes_racing_for_a_thousand_charges_are_granted_exactly_a_thousand(
    store, place
):
    exhausted(store(place), 64)


@both_stores
def test_a_question_that_many_processes_ask_at_once_is_paid_for_once(store, place):
    keys, opening = [f"question {n}".encode() for n in range(50)], store(place)
    opening().close()
    found = raced(opening, [keys] * 8)
    assert {tuple(sorted(numbers)) for numbers, _ in found} == {tuple(range(len(keys)))}
    with closing(opening()) as ledger:
        assert Counter(entry.key for entry in ledger.entries()) == Counter(keys)
        assert ledger.total_spent() == Charge(len(keys) * PRICE)


@both_stores
def test_processes_that_make_a_ledger_at_once_make_one(store, place):
    found = raced(store(place), [[f"racer {racer}".encode()] for racer in range(8)])
    assert sorted(number for numbers, _ in found for number in numbers) == list(range(8))
