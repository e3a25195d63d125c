"""Clients of PostgreSQL, as they are, ask a vault: with TLS and SCRAM they connect, browse, ask, and meet its limits.

One server answers all of them. A client that is not installed fails here: `make system clients` installs them.
"""

from tests.clients.programs_of import PROGRAMS
from tests.clients.running import serving, steps_of

STEPS = {
    "connect with TLS": {"connect with TLS"},
    "browse": {"browse"},
    "ask": {"ask"},
    "ask with a parameter": {
        *("parameter", "parameters", "number as a parameter", "text as a parameter"),
    },
    "intervals": {"intervals"},
    "the limit": {"the limit is kept"},
    "cancel": {"cancel"},
}
"""What each client has to do, and the names that its program may give that step.

Whoever connects has signed in by SCRAM: nothing else is offered."""
CLIENTS = {
    "psql": ("psql", ""),
    "pgjdbc": ("pgjdbc", ""),
    "psqlodbc, pyodbc": ("psqlodbc", ""),
    "psqlodbc, isql": ("psqlodbc", "isql: "),
    "psycopg 3": ("psycopg 3", ""),
    "psycopg 2": ("psycopg 2", ""),
    "asyncpg": ("asyncpg", ""),
    "SQLAlchemy, psycopg": ("SQLAlchemy, pandas", "psycopg: "),
    "SQLAlchemy, psycopg2": ("SQLAlchemy, pandas", "psycopg2: "),
    "SQLAlchemy, pg8000": ("SQLAlchemy, pandas", "pg8000: "),
    "pandas": ("SQLAlchemy, pandas", "pandas: "),
    "ADBC": ("ADBC, connectorx, polars", "adbc: "),
    "connectorx": ("ADBC, connectorx, polars", "connectorx: "),
    "polars": ("ADBC, connectorx, polars", "polars: "),
    "node-postgres": ("node-postgres, knex", ""),
    "knex": ("node-postgres, knex", "knex: "),
}
"""Each client: its program, and what its steps begin with there."""
NO_SUCH_CALL = {
    ("psqlodbc, isql", "ask with a parameter"): "isql sends lines as they are typed",
    ("psqlodbc, isql", "cancel"): "isql ends at Ctrl-C, and has no command that cancels",
    ("SQLAlchemy, pg8000", "cancel"): "pg8000 has no call that cancels",
    ("connectorx", "ask with a parameter"): "connectorx takes a text alone",
    ("connectorx", "cancel"): "connectorx has no call that cancels",
}
"""The cells of clients and steps that a client cannot fill, and why."""
FEWEST = 350
"""How many steps there are, at least: a program that breaks off early has fewer."""


def cells_without_a_step(found):
    """The cells of the table of clients and steps for which no program has taken a step."""
    return [
        (client, column)
        for client, (program, prefix) in CLIENTS.items()
        for column, names in STEPS.items()
        if not any(prefix + name in found[program] for name in names)
    ]


def test_clients_pass_all_their_steps(tmp_path):
    folder = tmp_path / "clinic"
    folder.mkdir()
    with serving(folder) as where:
        found = {program: steps_of(command, where) for program, command in PROGRAMS.items()}
    for program, steps in found.items():
        print(f"{program:26} {sum(not why for why in steps.values()):4} of {len(steps)}")
    failed = [
        (program, *each) for program, steps in found.items() for each in steps.items() if each[1]
    ]
    assert failed == []
    assert sorted(cells_without_a_step(found)) == sorted(NO_SUCH_CALL)
    assert sum(map(len, found.values())) >= FEWEST


def test_a_step_that_no_program_takes_is_seen():
    nothing = {program: {} for program in PROGRAMS}
    assert len(cells_without_a_step(nothing)) == len(CLIENTS) * len(STEPS)
    one = {**nothing, "psql": {"cancel": ""}}
    assert ("psql", "cancel") not in cells_without_a_step(one)
