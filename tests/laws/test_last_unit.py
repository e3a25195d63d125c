"""Two analysts on 64 connections race for the last unit of the limit: it is spent exactly, and nobody spends more."""

import json
import threading
from http.client import HTTPConnection
from urllib.parse import urlsplit

from tacit.server import Identities, Slots
from tests.unit.remote.serving import served
from tests.unit.server.clinics import POLICY, make_folder

CONNECTIONS = 64
UNIT = 0.125
UNITS, OWN = 15, 9  # of everyone, and of each analyst
TIGHT = (
    POLICY.replace("epsilon = 20\ndelta = 1e-6", f"epsilon = {UNITS * UNIT}\ndelta = 0")
    .replace("epsilon = 10\n", f"epsilon = {OWN * UNIT}\n")
    .replace("epsilon = 1\n", f"epsilon = {OWN * UNIT}\n")
)


def test_the_last_unit_is_spent_once(tmp_path):
    folder = make_folder(tmp_path / "clinic", TIGHT)
    slots = Slots(workers=CONNECTIONS, lengths=(0.2, 2.0))
    with served(folder, Identities(), slots=slots) as (url, desk, people):
        place = urlsplit(url)
        tokens = {name: people.new_token(name) for name in ("ana", "ben")}
        start, found = threading.Barrier(CONNECTIONS), []

        def ask(number, *, together=True):
            name = ("ana", "ben")[number % 2]
            sql = f"SELECT COUNT(*) AS n FROM visits WHERE cost > {number} / 64"
            body = json.dumps({"sql": sql, "epsilon": UNIT})
            headers = {
                "Authorization": f"Bearer {tokens[name]}",
                "Content-Type": "application/json",
            }
            line = HTTPConnection(place.hostname, place.port, timeout=60)
            if together:
                start.wait(60)
            line.request("POST", "/api/v1/answers", body, headers)
            response = line.getresponse()
            said = json.loads(response.read())
            line.close()
            return number, name, response.status, said

        threads = [
            threading.Thread(target=lambda n=n: found.append(ask(n))) for n in range(CONNECTIONS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert len(found) == CONNECTIONS
        answered = [each for each in found if each[2] == 200]
        refused = [each for each in found if each[2] != 200]
        assert {said["type"] for _, _, _, said in refused} == {"/problems/limit-exceeded"}
        entries = list(desk._vault.ledger.entries())
        limit = desk.policy.limit.filter().limit.amount
        assert len(answered) == len(entries) == UNITS
        assert sum(entry.charge.amount for entry in entries) == limit
        assert desk._vault.ledger.total_spent().amount == limit
        for name in tokens:
            own = sum(entry.charge.amount for entry in entries if entry.analyst == name)
            assert own == desk._vault.ledger.total_spent(name).amount
            assert own <= desk.policy.analysts[name].filter().limit.amount
        for number, _, status, said in (answered[0], refused[0]):  # and so it stays
            again = ask(number, together=False)
            assert (again[2], again[3].get("rows")) == (status, said.get("rows"))
        assert len(list(desk._vault.ledger.entries())) == UNITS
