"""Tables in PostgreSQL: CPU seconds of the server for a plain aggregate, bare clipping, and a whole question of ours.

bench/postgres.py                one and ten million rows, on a server that is started for it
bench/postgres.py --rows N ...   so many
bench/postgres.py --turns N ...  each question so often, of which the least counts; of each size
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import log
from pathlib import Path
from time import process_time
from typing import Any

from cases import BOUND, MOST, WARDS
from environments import ROOT
from report import Requirement, Result, Table, ratio, shown

sys.path.insert(0, str(ROOT))

import psycopg
from questions import DELTAS, ask, vault

from tacit.curator import Vault
from tacit.engines.postgres.connection import ALLOWED
from tacit.engines.postgres.connection import SETTINGS as OURS
from tacit.plan import Weighing
from tests.postgres import PASSWORD, ROLE, SETTINGS, Server, started

SIZES, TURNS = (1_000_000, 10_000_000), (6, 3)
PLAIN = {"count": "count(*)", "sum and mean": "sum(cost), avg(cost)"}
WEIGHED = {"count": "sum(w)", "sum and mean": "sum(w), sum(w * cost)"}
TICKS = os.sysconf("SC_CLK_TCK")
GROWTH = 1.05
# A quarter of what is shared holds the larger table, or it would be read through a ring of a few pages each time.
SHARED = {"shared_buffers": "3GB", "max_parallel_workers_per_gather": "0"}


def fill(server: Server, rows: int, name: str) -> None:
    """A table of visits: a tenth as many people, of whom a few have many rows."""
    listed = ", ".join(f"'{ward}'" for ward in WARDS)
    server.execute(
        f"CREATE TABLE {name} AS SELECT floor(pow(random(), 2) * "
        f"{rows // 10})::bigint AS person, (ARRAY[{listed}])[1 + floor(random() * {len(WARDS)})::int] "
        f"AS ward, random() * {MOST} AS cost FROM generate_series(1, {rows})",
        f"ANALYZE {name}",
    )


def bare(norm: Weighing, what: str, name: str) -> str:
    """What clipping costs at least, written by hand in doubles: windows over one sort, which beat hash tables here."""
    if norm is Weighing.L1:
        sizes = f"SELECT ward, cost, count(*) OVER (PARTITION BY person) AS size FROM {name}"
    else:
        pairs = "(count(*) OVER (PARTITION BY person, ward))::float8 AS n"
        counted = f"SELECT person, ward, cost, {pairs} FROM {name}"
        squares = "sqrt(sum(n) OVER (PARTITION BY person)) AS size"
        sizes = f"SELECT ward, cost, {squares} FROM ({counted}) AS counted"
    weights = f"SELECT ward, cost, least(1, {BOUND}::float8 / size) AS w FROM ({sizes}) AS sizes"
    return f"SELECT ward, {WEIGHED[what]} FROM ({weights}) AS weights GROUP BY ward"


def server_seconds(watching: psycopg.Connection[Any]) -> float:
    """CPU seconds of all processes that serve somebody."""
    spent = 0.0
    for (number,) in watching.execute(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    ):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / TICKS
    return spent


def measured(work: Callable[[], object], watching: psycopg.Connection[Any]) -> float:
    """CPU seconds of ours and of the server's together."""
    start = process_time() + server_seconds(watching)
    work()
    return process_time() + server_seconds(watching) - start


def run(sizes: Sequence[int] = SIZES, turns: Sequence[int] = TURNS) -> Result:
    """The table of CPU seconds, and how they grow; nothing runs in parallel, so that all of it is counted.

    Sizes take turns: what else the machine does is the same for each.
    """
    server = started({**SETTINGS, **SHARED})
    os.environ["PGPASSWORD"] = PASSWORD
    spent = dict[tuple[str, int, str], float]()
    try:
        for rows in sizes:
            fill(server, rows, f"visits_{rows}")
        address = f"postgresql://{ROLE}@127.0.0.1:{server.port}/postgres/public.visits_"
        with (
            psycopg.connect(server.address(), autocommit=True) as theirs,
            psycopg.connect(server.address(), autocommit=True) as watching,
        ):
            for name, value in (ALLOWED | {"jit": OURS["jit"]}).items():
                theirs.execute("SELECT set_config(%s, %s, false)", [name, value])
            for delta, norm in DELTAS.items():
                vaults = {rows: vault(f"{address}{rows}", delta) for rows in sizes}
                for ours in vaults.values():
                    ask(ours, "count")  # connects
                for what in PLAIN:
                    for turn in range(max(turns)):
                        for rows, often in zip(sizes, turns, strict=True):
                            if turn < often:
                                question = f"{what}, delta {delta:g}"
                                works = _works(theirs, vaults[rows], norm, what, rows)
                                for who, work in works.items():
                                    place = question, rows, who
                                    took = measured(work, watching)
                                    spent[place] = min(took, spent.get(place, took))
                    print(what, delta, spent, file=sys.stderr, flush=True)
                for ours in vaults.values():
                    ours.close()
    finally:
        server.stop()
    return _result(spent, sizes)


def _works(
    theirs: psycopg.Connection[Any], ours: Vault, norm: Weighing, what: str, rows: int
) -> dict[str, Callable[[], object]]:
    name = f"visits_{rows}"
    plain = f"SELECT ward, {PLAIN[what]} FROM {name} GROUP BY ward"
    return {
        "plain": partial(_fetched, theirs, plain),
        "bare": partial(_fetched, theirs, bare(norm, what, name)),
        "tacit": partial(ask, ours, what),
    }


def _result(spent: dict[tuple[str, int, str], float], sizes: Sequence[int]) -> Result:
    """What was measured, by size, and how it grows from the least to the largest."""
    asked = list(dict.fromkeys(question for question, _, _ in spent))
    heads = ("question", "plain", "bare", "tacit", "tacit / plain", "tacit / bare")
    tables = []
    for rows in sizes:
        lines = []
        for question in asked:
            plain, bare_, tacit = (spent[question, rows, who] for who in heads[1:4])
            lines.append(
                (
                    question,
                    *map(shown, (plain, bare_, tacit)),
                    f"{ratio(tacit, plain) or 0:.1f}",
                    f"{ratio(tacit, bare_) or 0:.2f}",
                )
            )
        tables.append(Table(f"CPU seconds, {rows:,} rows, bound {BOUND}", heads, lines))
    if len(sizes) == 1:
        return Result("PostgreSQL", tables)
    least, most = sizes[0], sizes[-1]
    grown = {
        who: {
            question: log(spent[question, most, who] / spent[question, least, who])
            / log(most / least)
            for question in asked
        }
        for who in heads[1:4]
    }
    lines = [(question, *(f"{grown[who][question]:.3f}" for who in grown)) for question in asked]
    title = f"Growth exponents from {least:,} to {most:,} rows"
    tables.append(Table(title, ("question", *grown), lines))
    margins = {question: GROWTH / max(each, 0.01) for question, each in grown["tacit"].items()}
    return Result("PostgreSQL", tables, [Requirement(f"growth exponent at most {GROWTH}", margins)])


def _fetched(connection: psycopg.Connection[Any], sql: str) -> object:
    return connection.execute(sql.encode()).fetchall()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=SIZES)
    parser.add_argument("--turns", type=int, nargs="*", default=TURNS)
    chosen = parser.parse_args()
    print(run(chosen.rows, chosen.turns))


if __name__ == "__main__":
    main()
