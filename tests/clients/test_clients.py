"""Clients of PostgreSQL, as they are, ask a vault: with TLS and SCRAM they connect, browse, ask, and meet its limits.

One server answers all of them. A client that is not installed fails here: `make system clients` installs them.
"""

import re
from pathlib import Path

from tests.clients.programs_of import PROGRAMS
from tests.clients.running import serving, steps_of

FEWEST = {
    "psql": 84,
    "psycopg 3": 23,
    "psycopg 2": 13,
    "asyncpg": 14,
    "SQLAlchemy, pandas": 82,
    "ADBC, connectorx, polars": 13,
    "psqlodbc": 27,
    "pgjdbc": 44,
    "node-postgres, knex": 20,
}
"""How many steps each client's program has, at least: one that breaks off early has fewer."""


def test_clients_pass_all_their_steps(tmp_path):
    folder = tmp_path / "clinic"
    folder.mkdir()
    with serving(folder) as where:
        found = {client: steps_of(command, where) for client, command in PROGRAMS.items()}
    for client, steps in found.items():
        print(f"{client:26} {sum(not why for why in steps.values()):4} of {len(steps)}")
    failed = [
        (client, *each) for client, steps in found.items() for each in steps.items() if each[1]
    ]
    assert failed == []
    assert {
        client: len(steps) for client, steps in found.items() if len(steps) < FEWEST[client]
    } == {}
    assert sum(map(len, found.values())) >= 190


def test_each_client_connects_browses_asks_and_meets_the_limit():
    """What every program has to try, by the words that its steps are named with."""
    folder = Path(__file__).parent / "programs"
    programs = [each for each in folder.iterdir() if re.search(r"_program\.|Jdbc", each.name)]
    assert len(programs) == len(FEWEST)
    for program in programs:
        text = program.read_text(encoding="utf-8").lower()
        for word in ("parameter", "intervals", "limit is kept", "labs", "counts"):
            assert word in text, (program.name, word)
