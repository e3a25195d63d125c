"""Tables on Spark: CPU seconds of the server for a plain aggregate, bare clipping, and a whole question of ours.

bench/spark.py                    10^5 to 10^7 rows, on a server that is started for it; PipelineDP up to 10^6
bench/spark.py --rows N [N …]     so many
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

from cases import BOUND, DELTA, MOST, WARDS
from environments import ROOT, measure
from questions import ask, vault
from report import Requirement, Result, Table, ratio, shown

sys.path.insert(0, str(ROOT))

from tacit.engines.spark.session import Sessions
from tests import spark

SIZES, GROWTH = (100_000, 1_000_000, 10_000_000), 1.05
TURNS, LARGE, PEER = 3, 10_000_000, "PipelineDP"
"""How often a question is asked about fewer than `LARGE` rows; of so many it is asked once."""
PLAIN = {"count": "count(*)", "sum and mean": "sum(cost), avg(cost)"}
SUMS = {"count": "sum(w * n)", "sum and mean": "sum(w * n), sum(w * s)"}
PAIRS = {"count": "count(*) AS n", "sum and mean": "count(*) AS n, sum(cost) AS s"}
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "4",
}


def fill(session: Any, folder: Path, rows: int) -> None:
    """A table of visits: a tenth as many people, of whom a few have many rows; made on the cluster."""
    wards = ", ".join(f"'{ward}'" for ward in WARDS)
    session.spark.sql(
        f"SELECT CAST(floor(pow(rand(1), 2) * {rows // 10}) AS BIGINT) AS person, "
        f"element_at(array({wards}), 1 + CAST(floor(rand(2) * {len(WARDS)}) AS INT)) AS ward, "
        f"rand(3) * {MOST} AS cost FROM range({rows})"
    ).write.parquet(str(folder))


def bare(what: str, source: str) -> str:
    """What clipping costs at least, written by hand in doubles."""
    pairs = f"SELECT person, ward, {PAIRS[what]} FROM {source} GROUP BY person, ward"
    weights = f"SELECT person, least(1D, {BOUND} / sqrt(sum(n * n))) AS w FROM p GROUP BY person"
    sums = f"SELECT ward, {SUMS[what]} FROM p JOIN x USING (person) GROUP BY ward"
    return f"WITH p AS ({pairs}), x AS ({weights}) {sums}"


def best(
    works: dict[str, Callable[[], object]], cluster: spark.Cluster, turns: int
) -> dict[str, float]:
    """The least CPU seconds of each, ours and the server's together, in turns."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(turns):
        for name, work in works.items():
            start = process_time() + cluster.seconds()
            work()
            found[name] = min(found[name], process_time() + cluster.seconds() - start)
    return found


def single_partitions(source: str) -> int:
    """How many statements of our questions would bring rows into one partition, by Spark's own explanation."""
    seen: list[str] = []
    fetch, with_delta = spark_fetch(), vault(source, DELTA)

    def noted(self: Any, sql: str) -> Any:
        seen.append(spark.explained(self, sql))
        return fetch(self, sql)

    from tacit.engines.spark.session import Session

    Session.fetch = noted  # type: ignore[method-assign]
    try:
        for what in PLAIN:
            ask(with_delta, what)
    finally:
        Session.fetch = fetch  # type: ignore[method-assign]
        with_delta.close()
    return sum("Exchange SinglePartition" in plan for plan in seen)


def spark_fetch() -> Any:
    """How a session fetches rows."""
    from tacit.engines.spark.session import Session

    return Session.fetch


def run(sizes: Sequence[int] = SIZES) -> Result:
    """The table of CPU seconds, and how they grow."""
    spark.find_client()
    cluster = spark.started(os.getpid(), SETTINGS, ["-XX:+UseSerialGC", "-Xss4m"])
    lines, spent_by, gathered = [], dict[tuple[str, int], dict[str, float]](), 0
    try:
        with Sessions(cluster.address, 3_600).session() as session:
            for rows in sizes:
                folder = Path(cluster.folder, f"visits-{rows}")
                fill(session, folder, rows)
                source, files = f"{cluster.address}/parquet:{folder}", f"parquet.`{folder}`"
                ours = vault(source, DELTA)
                # which takes minutes for more
                peer = measure("pipeline_dp", "spark", str(folder)) if rows < LARGE else {}
                for what, plain in PLAIN.items():
                    works: dict[str, Callable[[], object]] = {
                        "plain": partial(
                            session.fetch, f"SELECT ward, {plain} FROM {files} GROUP BY ward"
                        ),
                        "bare": partial(session.fetch, bare(what, files)),
                        "tacit": partial(ask, ours, what),
                    }
                    spent = spent_by[what, rows] = best(
                        works, cluster, TURNS if rows < LARGE else 1
                    )
                    lines.append(
                        (
                            f"{what}, {rows:,} rows",
                            *(shown(spent[who]) for who in works),
                            shown(peer.get((PEER, what, "seconds"))),
                            f"{ratio(spent['tacit'], spent['plain']) or 0:.1f}",
                            f"{ratio(spent['tacit'], spent['bare']) or 0:.2f}",
                        )
                    )
                    print(lines[-1], file=sys.stderr, flush=True)
                ours.close()
                gathered = single_partitions(source)
    finally:
        os.kill(cluster.keeper, 15)
    heads = ("question", "plain", "bare", "tacit", PEER, "tacit / plain", "tacit / bare")
    requirements = [
        Requirement(
            "no statement brings rows into one partition",
            {"count, sum and mean": 0.0 if gathered else 2.0},
        )
    ]
    notes = []
    if len(sizes) > 1:
        last, before = sizes[-1], sizes[-2]
        grown = {
            what: log(spent_by[what, last]["tacit"] / spent_by[what, before]["tacit"])
            / log(last / before)
            for what in PLAIN
        }
        margins = {what: GROWTH / max(exponent, 0.01) for what, exponent in grown.items()}
        requirements.append(Requirement(f"growth exponent at most {GROWTH}", margins))
        listed = ", ".join(f"{what} {exponent:.2f}" for what, exponent in grown.items())
        notes.append(f"Growth exponents from {before:,} to {last:,} rows: {listed}.")
    title = f"CPU seconds on Spark, delta {DELTA:g}, bound {BOUND}"
    return Result("Spark", [Table(title, heads, lines)], requirements, notes)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=SIZES)
    print(run(parser.parse_args().rows))


if __name__ == "__main__":
    main()
