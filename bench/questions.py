"""Whole questions, CPU seconds: ours from text to release, the peers', the bare clipping SQL and plain DuckDB.

bench/questions.py           the part that needs no peer
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import duckdb
import engine
import rows
from cases import BOUND, DELTA, MANY, MOST, WARDS
from environments import Readings, measure, say
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault
from tacit.engines import ingest
from tacit.engines.duckdb.ingested import INGESTED
from tacit.plan import Weighing

RAW, STORED, OVER_BARE, OVER_PLAIN, SMALL = 2.5, 5, 1.3, 1.5, 0.025
ASKS, ROUNDS, TURNS = 25, 9, 11
DELTAS = {0: Weighing.L1, DELTA: Weighing.L2}
COLUMNS = {
    "ward": {"type": "text", "values": WARDS},
    "cost": {"type": "number", "low": 0, "high": MOST},
}
PEERS = ("OpenDP", "Qrlew")
# a higher price is a new question, whose answer is not known
prices = (1 + Fraction(turn, 1024) for turn in count())


def vault(
    source: object, delta: float, unit: str = "person", columns: dict[str, Any] = COLUMNS
) -> Vault:
    """A vault with a limit that is never reached."""
    held = {} if unit == "row" else {"contributions": BOUND}
    return tacit.protect(
        source, unit=unit, columns=columns, epsilon=10_000, delta=delta, name="visits", **held
    )


def ask(asked: Vault, what: str, where: str = "") -> object:
    """A question that was not asked before, from its text to its release."""
    return asked.sql(
        f"SELECT ward, {engine.PLAIN[what]} FROM visits {where} GROUP BY ward", epsilon=next(prices)
    )


def large(file: Path, stored: Path) -> Readings:
    """Our seconds, the bare clipping SQL's and plain DuckDB's, in turns."""
    found: Readings = {}
    with duckdb.connect() as theirs:
        theirs.execute("SET enable_progress_bar = false")
        theirs.execute(f"ATTACH '{stored}' AS ours (READ_ONLY)")
        scans = {
            "raw": (file, f"read_parquet('{file}')", "person"),
            "ingested": (stored, f"ours.{INGESTED}", '"tacit unit"'),
        }
        for kind, (source, scan, unit) in scans.items():
            for delta, norm in DELTAS.items():
                ours = vault(source, delta)
                for what, plain in engine.PLAIN.items():
                    case = f"{what}, delta {delta:g}"
                    works: dict[str, Callable[[], object]] = {
                        "plain": partial(
                            engine.fetched,
                            theirs,
                            f"SELECT ward, {plain} FROM {scan} GROUP BY ward",
                        ),
                        "bare": partial(
                            engine.fetched, theirs, engine.bare(norm, what, scan, unit)
                        ),
                        "tacit": partial(ask, ours, what),
                    }
                    found |= {
                        (f"{who} {kind}", case, "seconds"): spent
                        for who, spent in engine.best(works, TURNS).items()
                    }
        for delta in DELTAS:
            works = {
                "plain by row": partial(
                    engine.fetched, theirs, f"SELECT ward, count(*) FROM '{file}' GROUP BY ward"
                ),
                "tacit by row": partial(ask, vault(file, delta, "row"), "count"),
            }
            case = f"count, delta {delta:g}"
            found |= {
                (who, case, "seconds"): spent for who, spent in engine.best(works, TURNS).items()
            }
    return found


def small() -> dict[str, float]:
    """CPU seconds of a question about three rows in a warm process: the median of many, best of rounds.

    Of a shape that is known only the number is new; what is wholly new is compared with another text.
    """
    few = [{"person": i, "ward": WARDS[0], "cost": 1.0, "note": "a"} for i in range(3)]
    columns = {**COLUMNS, "note": {"type": "text"}}
    found = {}
    for delta in DELTAS:
        for kind, condition in {"known": "cost < {}", "new": "note <> 'x{}'"}.items():
            ours = vault(few, delta, columns=columns)
            for what in engine.PLAIN:
                turns = count()
                found[f"{what}, delta {delta:g}, {kind}"] = min(
                    median(
                        _spent(ours, what, f"WHERE {condition.format(next(turns))}")
                        for _ in range(ASKS)
                    )
                    for _ in range(ROUNDS)
                )
    return found


def _spent(ours: Vault, what: str, where: str) -> float:
    text = f"SELECT ward, {engine.PLAIN[what]} FROM visits {where} GROUP BY ward"
    start = process_time()
    ours.sql(text, epsilon=1)
    return process_time() - start


def run(peers: bool = True) -> Result:
    """The tables of CPU seconds, of three rows and of whole tables."""
    say("questions: three rows")
    three = small()  # first: a process that has read whole tables is slower
    file = rows.kept(MANY)
    with TemporaryDirectory(dir=file.parent) as folder:
        say("questions: ingesting")
        stored = ingest(file, engine.VISITS, Path(folder) / "visits.duckdb")
        say("questions: tacit, bare SQL and plain DuckDB in turns")
        found = large(file, stored)
    for peer in ("opendp_polars", "qrlew") if peers else ():
        found |= measure(peer, "questions")
    cases = [f"{what}, delta {delta:g}" for what in engine.PLAIN for delta in DELTAS]

    def seconds(who: str, case: str) -> float | None:
        return found.get((who, case.partition(",")[0] if who in PEERS else case, "seconds"))

    def faster(kind: str, least: float) -> dict[str, float | None]:
        return {
            f"{case}, {peer}": ratio(
                ratio(seconds(peer, case), seconds(f"tacit {kind}", case)), least
            )
            for case in cases
            for peer in PEERS
        }

    def over_bare() -> dict[str, float | None]:
        return {
            f"{kind}, {case}": OVER_BARE
            * found[f"bare {kind}", case, "seconds"]
            / found[f"tacit {kind}", case, "seconds"]
            for kind in ("raw", "ingested")
            for case in cases
        }

    shown_columns = [
        f"{who} {kind}" for kind in ("raw", "ingested") for who in ("plain", "bare", "tacit")
    ]
    by_row = [case for case in cases if case.startswith("count")]
    return Result(
        "Questions",
        [
            Table(
                f"CPU seconds of a question by {len(WARDS)} wards, {MANY:,} rows, bound {BOUND}",
                ("question", *shown_columns, *PEERS),
                [
                    (case, *(shown(seconds(who, case)) for who in (*shown_columns, *PEERS)))
                    for case in cases
                ],
            ),
            Table(
                "The same, where every row is a unit",
                ("question", "plain", "tacit"),
                [
                    (case, *(shown(seconds(f"{who} by row", case)) for who in ("plain", "tacit")))
                    for case in by_row
                ],
            ),
            Table(
                f"CPU milliseconds of a question about 3 rows: the median of {ASKS}, best of {ROUNDS}",
                ("question", "tacit"),
                [(case, shown(spent * 1000)) for case, spent in three.items()],
            ),
        ],
        [
            Requirement(f"raw Parquet: at least {RAW} × faster than each peer", faster("raw", RAW)),
            Requirement(
                f"ingested: at least {STORED} × faster than each peer", faster("ingested", STORED)
            ),
            Requirement(
                f"at most {OVER_BARE} × the bare clipping SQL on the same source", over_bare()
            ),
            Requirement(
                f"by row: at most {OVER_PLAIN} × plain DuckDB and {SMALL * 1000:.0f} ms",
                {
                    case: (OVER_PLAIN * found["plain by row", case, "seconds"] + SMALL)
                    / found["tacit by row", case, "seconds"]
                    for case in by_row
                },
            ),
            *(
                Requirement(
                    f"3 rows, {kind}: at most {SMALL * 1000:.0f} ms",
                    {case: SMALL / spent for case, spent in three.items() if case.endswith(kind)},
                )
                for kind in ("known", "new")
            ),
        ],
    )


if __name__ == "__main__":
    print(run(peers=False))
