"""Nobody's statements keep others waiting: they are counted, and those for the catalogue run one at a time."""

import asyncio
import threading

import pytest

from tacit.server import Rate, Rates
from tacit.server.wire.connection import WireServer
from tests.unit.server.clinics import PLENTY, make_folder
from tests.unit.server.wire.rooms import (
    SYNC,
    SmallCatalogue,
    bind,
    describe,
    execute,
    open_room,
    parse,
    query,
)


class Counting(Rates):
    """Counts what is taken."""

    def __init__(self, rates=PLENTY):
        super().__init__(rates)
        self.taken = []

    def take(self, what, who):
        self.taken.append((what, who))
        super().take(what, who)


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        ([query("SELECT 1")], 1),
        ([query("SELECT 1; SELECT 2; SET a.b = 1")], 3),
        ([parse("SELECT 1"), SYNC], 1),
        ([parse("SELECT 1"), bind(), describe(), execute(), SYNC], 3),
    ],
)
def test_every_statement_is_counted_as_a_request(tmp_path, parts, count):
    rates = Counting()
    with open_room(make_folder(tmp_path / "clinic"), rates=rates) as room:
        client = room.client()
        rates.taken.clear()
        client.send(*parts)
        assert rates.taken.count(("requests", "ana")) == count


def test_one_of_too_many_statements_waits_and_is_answered(tmp_path):
    rates = Counting({**PLENTY, "requests": Rate(1, 0.2)})
    with open_room(make_folder(tmp_path / "clinic"), rates=rates) as room:
        client = room.client()
        assert client.rows("SELECT 1; SELECT 2; SELECT 3") == [("1",)] * 3
        assert rates.taken.count(("requests", "ana")) > 3, "none had to wait"


class Slow(SmallCatalogue):
    """Waits until it is let go, and counts how many wait at once."""

    def __init__(self):
        super().__init__()
        self.go, self.lock = threading.Event(), threading.Lock()
        self.now, self.most, self.began = {}, {}, 0

    def ask(self, who, sql, values=(), settings=None, tables=None):
        with self.lock:
            self.began += 1
            self.now[who.name] = self.now.get(who.name, 0) + 1
            self.most[who.name] = max(self.most.get(who.name, 0), self.now[who.name])
        if "slow" in sql:
            self.go.wait(60)
        with self.lock:
            self.now[who.name] -= 1
        return super().ask(who, sql, values, settings, tables)


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def test_many_connections_of_one_person_keep_nobody_else_waiting(tmp_path):
    slow = Slow()
    with open_room(make_folder(tmp_path / "clinic"), catalogue=slow) as room:
        server = WireServer(room.desk, slow)
        room.door.run_catalogue = server.door.run_catalogue
        many = [room.client() for _ in range(8)]
        ben = room.client("ben", options="-c tacit.epsilon=0.1")

        async def scenario():
            for client in many:
                client.conversation.feed(query("SELECT 'slow'"))
            running = [asyncio.create_task(client._pump()) for client in many]
            await until(lambda: slow.began)
            try:
                async with asyncio.timeout(60):
                    for text in ("SELECT 1", "SELECT COUNT(*) FROM visits"):
                        ben.conversation.feed(query(text))
                        assert b"SELECT 1" in await ben._pump()
                assert not any(each.done() for each in running)
            finally:
                slow.go.set()
                await asyncio.gather(*running)

        room.run(scenario())
        room.run(server.close())
        assert slow.most == {"ana": 1, "ben": 1}


def test_a_statement_that_nobody_waits_for_still_has_its_turn(tmp_path):
    slow = Slow()
    with open_room(make_folder(tmp_path / "clinic"), catalogue=slow) as room:
        first, second = room.client(), room.client()

        async def scenario():
            first.conversation.feed(query("SELECT 'slow'"))
            gone = asyncio.create_task(first._pump())
            await until(lambda: slow.began)
            first.conversation.cancel()
            assert b"57014" in await gone
            second.conversation.feed(query("SELECT 1"))
            waits = asyncio.create_task(second._pump())
            await asyncio.sleep(0.1)
            began = slow.began
            slow.go.set()
            await waits
            assert began == 1

        room.run(scenario())
        assert slow.most == {"ana": 1}
