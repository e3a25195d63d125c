"""Tables in PostgreSQL: CPU seconds of the server for a plain aggregate, bare clipping, and a whole question of ours.

bench/postgres.py            a million rows, on a server that is started for it
bench/postgres.py --rows N   so many
bench/postgres.py --turns N  each question so often, of which the least counts
"""

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from cases import BOUND, MOST, WARDS
from environments import ROOT
from report import Result, Table, ratio, shown

sys.path.insert(0, str(ROOT))

import psycopg
from questions import DELTAS, ask, vault

from tacit.plan import Weighing
from tests.postgres import PASSWORD, ROLE, SETTINGS, Server, started

ROWS, TURNS = 1_000_000, 3
PLAIN = {"count": "count(*)", "sum and mean": "sum(cost), avg(cost)"}
PAIRS = {"count": "count(*) AS n", "sum and mean": "count(*) AS n, sum(cost) AS s"}
SUMS = {"count": "sum(w * n)", "sum and mean": "sum(w * n), sum(w * s)"}
BY_ROWS = {"count": "sum(w)", "sum and mean": "sum(w), sum(w * cost)"}
TICKS = os.sysconf("SC_CLK_TCK")


def fill(server: Server, rows: int) -> None:
    """A table of visits: a tenth as many people, of whom a few have many rows."""
    listed = ", ".join(f"'{ward}'" for ward in WARDS)
    server.execute(
        "CREATE TABLE visits AS SELECT floor(pow(random(), 2) * "
        f"{rows // 10})::bigint AS person, (ARRAY[{listed}])[1 + floor(random() * {len(WARDS)})::int] "
        f"AS ward, random() * {MOST} AS cost FROM generate_series(1, {rows})",
        "ANALYZE visits",
    )


def bare(norm: Weighing, what: str) -> str:
    """What clipping costs at least, written by hand in doubles."""
    if norm is Weighing.L1:
        weights = (
            f"SELECT person, least(1, {BOUND}::float8 / count(*)) AS w FROM visits GROUP BY person"
        )
        return f"WITH x AS ({weights}) SELECT ward, {BY_ROWS[what]} FROM visits JOIN x USING (person) GROUP BY ward"
    pairs = f"SELECT person, ward, {PAIRS[what]} FROM visits GROUP BY person, ward"
    weights = (
        f"SELECT person, least(1, {BOUND} / sqrt(sum(n * n)::float8)) AS w FROM p GROUP BY person"
    )
    sums = f"SELECT ward, {SUMS[what]} FROM p JOIN x USING (person) GROUP BY ward"
    return f"WITH p AS MATERIALIZED ({pairs}), x AS ({weights}) {sums}"


def server_seconds(watching: psycopg.Connection[Any]) -> float:
    """CPU seconds of all processes that serve somebody."""
    spent = 0.0
    for (number,) in watching.execute(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    ):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / TICKS
    return spent


def best(
    works: dict[str, Callable[[], object]], watching: psycopg.Connection[Any], turns: int
) -> dict[str, float]:
    """The least CPU seconds of each, ours and the server's together, in turns."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(turns):
        for name, work in works.items():
            start = process_time() + server_seconds(watching)
            work()
            found[name] = min(found[name], process_time() + server_seconds(watching) - start)
    return found


def run(rows: int = ROWS, turns: int = TURNS) -> Result:
    """The table of CPU seconds; nothing runs in parallel, so that all of it is counted."""
    server = started(
        {**SETTINGS, "shared_buffers": "512MB", "max_parallel_workers_per_gather": "0"}
    )
    os.environ["PGPASSWORD"] = PASSWORD
    lines = []
    try:
        fill(server, rows)
        address = f"postgresql://{ROLE}@127.0.0.1:{server.port}/postgres/public.visits"
        with (
            psycopg.connect(server.address(), autocommit=True) as theirs,
            psycopg.connect(server.address(), autocommit=True) as watching,
        ):
            theirs.execute("SET work_mem = '64MB'")
            theirs.execute("SET jit = off")
            for delta, norm in DELTAS.items():
                ours = vault(address, delta)
                ask(ours, "count")  # connects
                for what, plain in PLAIN.items():
                    works: dict[str, Callable[[], object]] = {
                        "plain": partial(
                            _fetched, theirs, f"SELECT ward, {plain} FROM visits GROUP BY ward"
                        ),
                        "bare": partial(_fetched, theirs, bare(norm, what)),
                        "tacit": partial(ask, ours, what),
                    }
                    spent = best(works, watching, turns)
                    lines.append(
                        (
                            f"{what}, delta {delta:g}",
                            *(shown(spent[who]) for who in works),
                            f"{ratio(spent['tacit'], spent['plain']) or 0:.1f}",
                            f"{ratio(spent['tacit'], spent['bare']) or 0:.2f}",
                        )
                    )
                ours.close()
    finally:
        server.stop()
    heads = ("question", "plain", "bare", "tacit", "tacit / plain", "tacit / bare")
    return Result("PostgreSQL", [Table(f"CPU seconds, {rows:,} rows, bound {BOUND}", heads, lines)])


def _fetched(connection: psycopg.Connection[Any], sql: str) -> object:
    return connection.execute(sql.encode()).fetchall()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--turns", type=int, default=TURNS)
    chosen = parser.parse_args()
    print(run(chosen.rows, chosen.turns))


if __name__ == "__main__":
    main()
