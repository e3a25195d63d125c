"""The engine alone, CPU seconds: our statement, the bare clipping SQL in floats, and plain DuckDB, on the same source.

bench/engine.py                    on fresh files in a temporary folder: uniform and skewed, raw and ingested
bench/engine.py --rows 1000000     smaller
bench/engine.py FILE               on one Parquet file made by bench/rows.py
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import duckdb
import rows
from report import Requirement, Result, Table, ratio, shown

from tacit.engines import DuckDB, ingest
from tacit.engines.duckdb.ingested_layout import INGESTED
from tacit.plan import Column, Kind, Question, Weighing, Weights, read_sql
from tacit.plan import Table as Declared

REPETITIONS, BOUND, BITS = 5, 10, 20
WARD = Column("ward", Kind.TEXT, values=tuple(rows.NAMES))
COST = Column("cost", Kind.NUMBER, low=0, high=rows.MOST)
VISITS = Declared("visits", (WARD, COST), unit="person")
BY_ROW = Declared("visits", (WARD, COST))

PLAIN = {"count": "count(*) AS n", "sum and mean": "sum(cost) AS total, avg(cost) AS mean"}
PAIRS = {"count": "count(*) AS n", "sum and mean": "count(*) AS n, sum(cost) AS s"}
SUMS = {"count": "sum(w * n)", "sum and mean": "sum(w * n), sum(w * s)"}
BY_ROWS = {"count": "sum(w)", "sum and mean": "sum(w), sum(w * cost)"}


def bare(norm: Weighing, what: str, source: str, unit: str) -> str:
    """What clipping costs at least, written by hand in floats: a first pass by unit, joined back."""
    if norm is Weighing.L1:
        weights = (
            f"SELECT {unit} AS u, least(1, {BOUND} / count(*)) AS w FROM {source} GROUP BY ALL"
        )
        return f"WITH x AS ({weights}) SELECT ward, {BY_ROWS[what]} FROM {source} JOIN x ON {unit} = u GROUP BY ward"
    pairs = f"SELECT {unit} AS u, ward, {PAIRS[what]} FROM {source} GROUP BY ALL"
    weights = f"SELECT u, least(1, {BOUND} / sqrt(sum(n * n))) AS w FROM p GROUP BY u"
    sums = f"SELECT ward, {SUMS[what]} FROM p JOIN x USING (u) GROUP BY ward"
    return f"WITH p AS MATERIALIZED ({pairs}), x AS ({weights}) {sums}"


def question(table: Declared, what: str) -> Question:
    """Measures by ward."""
    return read_sql(
        f"SELECT ward, {PLAIN[what]} FROM visits GROUP BY ward", {"visits": table}
    ).question


def best(works: dict[str, Callable[[], object]], turns: int = REPETITIONS) -> dict[str, float]:
    """The least CPU seconds of each, taken in turns so that a busy machine is unfair to all alike."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(turns):
        for name, work in works.items():
            start = process_time()
            work()
            found[name] = min(found[name], process_time() - start)
    return found


def measured(file: Path, source: Path) -> dict[str, dict[str, float]]:
    """CPU seconds by question, then by who."""
    ingested = source.suffix == ".duckdb"
    theirs = duckdb.connect()
    theirs.execute("SET enable_progress_bar = false")
    if ingested:
        theirs.execute(f"ATTACH '{source}' AS ours (READ_ONLY)")
    scan, unit = (
        (f"ours.{INGESTED}", '"tacit unit"') if ingested else (f"read_parquet('{file}')", "person")
    )
    found = {}
    with theirs, DuckDB({VISITS: source}) as engine, DuckDB({BY_ROW: file}) as by_row:
        for what, plain in PLAIN.items():
            for norm in Weighing:
                weights = Weights(norm, BOUND, BOUND**2, BITS)
                works: dict[str, Callable[[], object]] = {
                    "plain": partial(
                        fetched, theirs, f"SELECT ward, {plain} FROM {scan} GROUP BY ward"
                    ),
                    "bare": partial(fetched, theirs, bare(norm, what, scan, unit)),
                    "tacit": partial(engine.evaluate, question(VISITS, what), weights),
                }
                if not ingested and norm is Weighing.L1:
                    works["tacit by row"] = partial(
                        by_row.evaluate, question(BY_ROW, what), weights
                    )
                found[f"{what}, {norm.value}"] = best(works)
    return found


def fetched(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    """The rows of a query."""
    return connection.execute(sql).fetchall()


def small() -> float:
    """CPU seconds of a dry run and an evaluation on three rows."""
    few = [{"person": i, "ward": rows.NAMES[0], "cost": 1.0} for i in range(3)]
    weights = Weights(Weighing.L2, BOUND, BOUND**2, BITS)
    asked = question(VISITS, "sum and mean")
    with DuckDB({VISITS: few}) as engine:

        def both() -> None:
            engine.dry_run(asked, weights)
            engine.evaluate(asked, weights)

        return best({"both": both})["both"]


def run(count: int = rows.ROWS, given: Path | None = None) -> Result:
    """The table of CPU seconds."""
    lines, over_bare, by_row = [], {}, {}
    with TemporaryDirectory() as folder:
        shapes = (
            {"given": given}
            if given
            else {
                "uniform": rows.write(Path(folder) / "uniform.parquet", count),
                "skewed": rows.write(Path(folder) / "skewed.parquet", count, skewed=True),
            }
        )
        for shape, file in shapes.items():
            start = process_time()
            stored = ingest(file, VISITS, Path(folder) / f"{shape}.duckdb")
            taken = process_time() - start
            for kind, source in {"raw": file, "ingested": stored}.items():
                for case, found in measured(file, source).items():
                    name = f"{shape}, {kind}, {case}"
                    lines.append(
                        (
                            name,
                            *(
                                shown(found.get(who))
                                for who in ("plain", "bare", "tacit", "tacit by row")
                            ),
                        )
                    )
                    over_bare[name] = ratio(1.3 * found["bare"], found["tacit"])
                    if "tacit by row" in found and case.startswith("count"):
                        by_row[name] = ratio(1.5 * found["plain"] + 0.025, found["tacit by row"])
            lines.append((f"{shape}, ingest", "–", "–", shown(taken), "–"))
    three = small()
    lines.append(("3 rows, dry run and evaluation", "–", "–", shown(three), "–"))
    return Result(
        "Engine alone",
        [
            Table(
                f"CPU seconds, {count:,} rows, bound {BOUND}",
                ("question", "plain", "bare", "tacit", "tacit by row"),
                lines,
            )
        ],
        [
            Requirement("at most 1.3 × the bare clipping SQL", over_bare),
            Requirement("count by row at most 1.5 × plain + 25 ms", by_row),
            Requirement("3 rows at most 25 ms", {"3 rows": ratio(0.025, three)}),
        ],
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=rows.ROWS)
    chosen = parser.parse_args()
    print(run(chosen.rows, chosen.file))


if __name__ == "__main__":
    main()
