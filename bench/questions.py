"""Whole questions, CPU seconds: ours from text to release, the peers', the bare clipping SQL and plain DuckDB.

bench/questions.py           the part that needs no peer
bench/questions.py 3         the same, each question in so many turns
"""

import sys
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
import numpy as np
import rows
from cases import BOUND, DELTA, MANY, MOST, WARDS
from environments import Readings, measure, say
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault
from tacit.engines import ingest
from tacit.engines.duckdb.ingested_layout import INGESTED, INGESTED_STRATA
from tacit.plan import Column, Kind, Weighing
from tacit.plan import Table as Declared

RAW, STORED, OVER_BARE, OVER_PLAIN, SMALL = 2.5, 5, 1.3, 1.5, 0.025
OF_PLAIN = {"raw": 8, "ingested": 3}
FLOORS = {"raw": ("floor", "floor by SQL"), "ingested": ("floor",)}
KEYS_OF_PLAIN, MEDIAN_OF_PLAIN = 10, 2
ASKS, ROUNDS, TURNS = 25, 9, 11
PIECE = 1 << 15  # rows that are added up at a time, which stay in a cache
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


def floor(norm: Weighing, what: str) -> str:
    """What clipping costs at least of an ingested table, by hand in floats: sums by stratum, which are weighed."""
    size = "unit_rows" if norm is Weighing.L1 else "sqrt(unit_squares)"
    sums = f'SELECT "tacit stratum of ward" AS stratum, {engine.PAIRS[what]} FROM ours.{INGESTED} GROUP BY ALL'
    strata = f"SELECT *, least(1, {BOUND} / {size}) AS w FROM ours.{INGESTED_STRATA}"
    joined = f"({sums}) JOIN ({strata}) USING (stratum)"
    return f"SELECT cell, {engine.SUMS[what]} FROM {joined} GROUP BY cell"


def floor_of_raw(norm: Weighing, what: str, scan: str) -> list[str]:
    """What clipping costs at least of raw rows in SQL, by hand in floats, with persons in arrays of DuckDB's.

    In L1 every row meets the weight of its person.  In L2 nobody is clipped: it is only looked how many rows every
    person has, and in how many wards, without which nobody knows whether somebody is to be.
    """
    rows = f"(SELECT person, cost, enum_code(TRY_CAST(ward AS wards))::UTINYINT AS code FROM {scan}) AS coded"
    if norm is Weighing.L1:
        weights = f"SELECT person, least(1, {BOUND} / count(*)) AS w FROM {rows} GROUP BY person"
        weighed = {"count": "sum(w)", "sum and mean": "sum(w), sum(w * cost)"}[what]
        return [f"SELECT code, {weighed} FROM {rows} JOIN ({weights}) USING (person) GROUP BY code"]
    seen = "count(*) AS n, bit_count(bit_or(1::UBIGINT << code)) AS k"
    persons = f"SELECT {seen} FROM {rows} GROUP BY person"
    return [
        f"SELECT count(*) FROM ({persons}) WHERE n > {BOUND} AND (n - k + 1) * (n - k + 1) + k - 1 > {BOUND**2}",
        f"SELECT code, {engine.PLAIN[what]} FROM {rows} GROUP BY code",
    ]


def floor_in_arrays(norm: Weighing, what: str, scan: str, theirs: Any) -> None:
    """What it costs at least in arrays of NumPy's, by hand in floats; in L2 persons are only counted."""
    value = ", cost" if what != "count" else ""
    code = "enum_code(TRY_CAST(ward AS wards))::UTINYINT AS code"
    found = theirs.sql(f"SELECT person, {code}{value} FROM {scan}").fetchnumpy()
    person, wards = found["person"], found["code"]
    weights = np.minimum(1, BOUND / np.maximum(np.bincount(person), 1))
    sums = np.zeros((2, len(WARDS)))
    for start in range(0, len(person), PIECE):
        some = slice(start, start + PIECE)
        by_row = weights[person[some]] if norm is Weighing.L1 else None
        sums[0] += np.bincount(wards[some], by_row, len(WARDS))
        if value:
            cost = found["cost"][some]
            sums[1] += np.bincount(
                wards[some], cost if by_row is None else cost * by_row, len(WARDS)
            )


def fetch_all(theirs: Any, statements: list[str]) -> None:
    """Run some statements as Tacit runs its own: with arrays of units."""
    theirs.execute("SET GLOBAL perfect_ht_threshold = 20")
    for each in statements:
        engine.fetched(theirs, each)
    theirs.execute("RESET GLOBAL perfect_ht_threshold")


def large(file: Path, stored: Path, turns: int = TURNS) -> Readings:
    """Our seconds, the bare clipping SQL's and plain DuckDB's, in turns."""
    found: Readings = {}
    with duckdb.connect() as theirs:
        theirs.execute("SET enable_progress_bar = false")
        theirs.execute(f"ATTACH '{stored}' AS ours (READ_ONLY)")
        theirs.execute(f"CREATE TYPE wards AS ENUM ({', '.join(map(repr, WARDS))})")
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
                    if kind == "ingested":
                        works["floor"] = partial(engine.fetched, theirs, floor(norm, what))
                    else:
                        works["floor"] = partial(floor_in_arrays, norm, what, scan, theirs)
                        by_sql = floor_of_raw(norm, what, scan)
                        works["floor by SQL"] = partial(fetch_all, theirs, by_sql)
                    found |= {
                        (f"{who} {kind}", case, "seconds"): spent
                        for who, spent in engine.best(works, turns).items()
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
                (who, case, "seconds"): spent for who, spent in engine.best(works, turns).items()
            }
    return found


def others(folder: Path, turns: int = TURNS) -> dict[str, dict[str, float]]:
    """Seconds of ours and of plain DuckDB on ingested tables: counts by unknown keys, and medians by person."""
    ages = {"age": {"type": "integer", "low": 0, "high": 120}, "cost": COLUMNS["cost"]}
    age, code = Column("age", Kind.INTEGER, low=0, high=120), Column("code", Kind.TEXT)
    declared = Declared("visits", (age, engine.COST), unit="person")
    coded = Declared("visits", (code,), unit="person")
    medians = ingest(rows.kept(MANY), declared, folder / "ages.duckdb")
    codes = ingest(rows.kept_codes(MANY), coded, folder / "codes.duckdb")
    found = {}
    with duckdb.connect() as theirs:
        theirs.execute("SET enable_progress_bar = false")
        theirs.execute(f"ATTACH '{medians}' AS ages (READ_ONLY)")
        theirs.execute(f"ATTACH '{codes}' AS codes (READ_ONLY)")
        for delta in DELTAS:
            ours = vault(medians, delta, columns=ages)
            for column in ages:
                plain = f"SELECT median({column}) FROM ages.{INGESTED}"
                asked = f"SELECT MEDIAN({column}) AS m FROM visits"
                works: dict[str, Callable[[], object]] = {
                    "plain": partial(engine.fetched, theirs, plain),
                    "tacit": partial(_ask_text, ours, asked),
                }
                found[f"median of {column}, delta {delta:g}"] = engine.best(works, turns)
        keyed = vault(codes, DELTA, columns={"code": {"type": "text"}})
        plain = f"SELECT code, count(*) FROM codes.{INGESTED} GROUP BY code"
        works = {
            "plain": partial(engine.fetched, theirs, plain),
            "tacit": partial(
                _ask_text, keyed, "SELECT code, COUNT(*) AS n FROM visits GROUP BY code"
            ),
        }
        found[f"count by unknown keys, delta {DELTA:g}"] = engine.best(works, turns)
    return found


def _ask_text(asked: Vault, text: str) -> object:
    return asked.sql(text, epsilon=next(prices))


def small() -> dict[str, float]:
    """CPU seconds of a question about three rows in a warm process: the median of many, best of rounds.

    Of a shape that is known only the number is new, and within the declared range: a condition that is always true
    is told in the caption, which makes it another shape.  What is wholly new is compared with another text.
    """
    few = [{"person": i, "ward": WARDS[0], "cost": 1.0, "note": "a"} for i in range(3)]
    columns = {**COLUMNS, "note": {"type": "text"}}
    found = {}
    for delta in DELTAS:
        for kind, condition in {"known": "cost < {}", "new": "note <> 'x{}'"}.items():
            ours = vault(few, delta, columns=columns)
            for what in engine.PLAIN:
                turns = count(0.25, 0.25)
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


def run(peers: bool = True, turns: int = TURNS) -> Result:
    """The tables of CPU seconds, of three rows and of whole tables."""
    say("questions: three rows")
    three = small()  # first: a process that has read whole tables is slower
    file = rows.kept(MANY)
    with TemporaryDirectory(dir=file.parent) as folder:
        say("questions: ingesting")
        stored = ingest(file, engine.VISITS, Path(folder) / "visits.duckdb")
        say("questions: tacit, bare SQL and plain DuckDB in turns")
        found = large(file, stored, turns)
        say("questions: medians and unknown keys of ingested tables")
        beside = others(Path(folder), turns)
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

    def over_plain(kind: str) -> dict[str, float | None]:
        return {
            case: OF_PLAIN[kind]
            * found[f"plain {kind}", case, "seconds"]
            / found[f"tacit {kind}", case, "seconds"]
            for case in cases
        }

    def beside_plain(start: str, most: float) -> dict[str, float | None]:
        return {
            case: ratio(most * spent["plain"], spent["tacit"])
            for case, spent in beside.items()
            if case.startswith(start)
        }

    shown_columns = [
        f"{who} {kind}"
        for kind in ("raw", "ingested")
        for who in ("plain", "bare", *FLOORS[kind], "tacit")
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
                "The same, as multiples of plain DuckDB on the same source",
                (
                    "question",
                    *(f"{who} {kind}" for kind in FLOORS for who in (*FLOORS[kind], "tacit")),
                ),
                [
                    (
                        case,
                        *(
                            shown(
                                ratio(
                                    seconds(f"{who} {kind}", case), seconds(f"plain {kind}", case)
                                )
                            )
                            for kind in FLOORS
                            for who in (*FLOORS[kind], "tacit")
                        ),
                    )
                    for case in cases
                ],
            ),
            Table(
                "CPU seconds of other questions by person about ingested tables",
                ("question", "plain", "tacit", "tacit / plain"),
                [
                    (
                        case,
                        *(shown(spent[who]) for who in ("plain", "tacit")),
                        shown(ratio(spent["tacit"], spent["plain"])),
                    )
                    for case, spent in beside.items()
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
            *(
                Requirement(f"{kind}: at most {most} × plain DuckDB", over_plain(kind))
                for kind, most in OF_PLAIN.items()
            ),
            Requirement(
                f"ingested, medians by person: at most {MEDIAN_OF_PLAIN} × plain DuckDB",
                beside_plain("median", MEDIAN_OF_PLAIN),
            ),
            Requirement(
                f"ingested, unknown keys: at most {KEYS_OF_PLAIN} × plain DuckDB",
                beside_plain("count", KEYS_OF_PLAIN),
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
    print(run(peers=False, turns=int(sys.argv[1]) if sys.argv[1:] else TURNS))
