"""A dashboard of twelve panels, refreshed every minute for two people: each panel is paid for once, and exactly."""

from functools import partial

import pytest

from tacit.server import Identities, Rates
from tests.unit.server.clinics import PLENTY, make_folder
from tests.unit.server.wire.rooms import (
    SYNC,
    bind,
    describe,
    execute,
    fields_of,
    open_room,
    parse,
    query,
)

MINUTES_OF_A_DAY = 24 * 60
EPSILON = "0.01"
PANELS = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT AVG(cost) AS mean FROM visits",
    "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward",
    "SELECT SUM(cost) AS total FROM visits WHERE ward = 'A'",
    "SELECT COUNT(*) AS n FROM visits WHERE cost > 25",
    "SELECT ward, SUM(cost) AS total FROM visits GROUP BY ward ORDER BY total DESC LIMIT 10",
    "SELECT COUNT(DISTINCT patient) AS people FROM visits",
    "SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2025-03-10'",
    'SELECT "ward" AS "ward", COUNT(*) AS "count" FROM "public"."visits" WHERE "cost" < 40 GROUP BY "ward"',
    "SELECT * FROM (SELECT ward, COUNT(*) AS n FROM visits WHERE cost > 5 GROUP BY ward) AS x LIMIT 1001",
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'B' AND cost <= 10",
]


def refresh(client, minute):
    """What the panels show: by the simple protocol in one minute, by the extended one in the next."""
    shown = []
    for text in PANELS:
        if minute % 2:
            said = client.send(parse(text), bind(), describe(), execute(), SYNC)
        else:
            said = client.send(query(text))
        assert not [fields_of(body) for kind, body in said if kind == "E"]
        shown.append(tuple(body for kind, body in said if kind in "TD"))
    return shown


def run_dashboard(room, minutes, clock=None):
    people = {name: {"options": f"-c tacit.epsilon={EPSILON}"} for name in ("ana", "ben")}
    first = {}
    for minute in range(minutes):
        if clock is not None:
            clock.now += 60
        for name, given in people.items():
            client = room.client(name, **given)  # tools connect anew, often
            shown = refresh(client, minute)
            client.conversation.close()
            assert first.setdefault(name, shown) == shown, "the same bytes, minute by minute"
        assert room.charges() == 2 * len(PANELS)
    entries = list(room.desk._vault.ledger.entries())
    assert {name: sum(1 for each in entries if each.analyst == name) for name in people} == {
        **dict.fromkeys(people, len(PANELS))
    }
    price = room.desk._vault.policy.limit.filter().price_of(0.01)
    spent = room.desk._vault.ledger.total_spent()
    assert (
        spent.amount == sum(each.charge.amount for each in entries) == 24 * entries[0].charge.amount
    )
    assert entries[0].charge.amount >= price.amount > 0


@pytest.fixture
def room(tmp_path):
    with open_room(make_folder(tmp_path / "clinic")) as found:
        yield found


def test_a_dashboard_pays_once_for_each_panel_and_person(room):
    run_dashboard(room, 8)


class Clock:
    """A clock that the dashboard sets, minute by minute."""

    now = 1_900_000_000.0

    def __call__(self):
        return self.now


@pytest.mark.soak
def test_a_dashboard_pays_once_in_a_whole_day(tmp_path, monkeypatch):
    """34,560 questions, across a midnight: days of allowances, tokens and rates go by the dashboard's own clock."""
    clock = Clock()
    identities = partial(Identities, now=clock)
    monkeypatch.setattr("tests.unit.server.wire.rooms.Identities", identities)
    with open_room(make_folder(tmp_path / "clinic"), rates=Rates(PLENTY, now=clock)) as room:
        run_dashboard(room, MINUTES_OF_A_DAY, clock)
