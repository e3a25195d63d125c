"""Medians, CPU seconds: ours from text to release, OpenDP's and plain DuckDB's, person by person and row by row.

bench/median.py              the part that needs no peer
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import engine
import rows
from cases import BOUND, DELTA, MANY, MEDIANS, MOST
from environments import Readings, measure, say
from questions import prices
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault

TURNS = 3
COLUMNS = {
    "cost": {"type": "number", "low": 0, "high": MOST},
    "age": {"type": "integer", "low": 0, "high": 120},
}
UNITS = {"person": "by person", "row": "by row"}


def vault(file: Path, delta: float, unit: str) -> Vault:
    """A vault with a limit that is never reached."""
    held = {} if unit == "row" else {"contributions": BOUND}
    return tacit.protect(
        file, unit=unit, columns=COLUMNS, epsilon=10_000, delta=delta, name="visits", **held
    )


def ask(asked: Vault, column: str) -> object:
    """A question that was not asked before, from its text to its release."""
    return asked.sql(f"SELECT MEDIAN({column}) AS m FROM visits", epsilon=next(prices))


def large(file: Path) -> Readings:
    """Our seconds and plain DuckDB's, in turns."""
    found: Readings = {}
    with duckdb.connect() as theirs:
        theirs.execute("SET enable_progress_bar = false")
        for unit, level in UNITS.items():
            ours = {delta: vault(file, delta, unit) for delta in (0, DELTA)}
            for column in MEDIANS:
                works: dict[str, Callable[[], object]] = {
                    "plain": partial(
                        engine.fetched, theirs, f"SELECT median({column}) FROM '{file}'"
                    ),
                    **{
                        f"tacit, delta {delta:g}": partial(ask, ours[delta], column)
                        for delta in ours
                    },
                }
                for who, spent in engine.best(works, TURNS).items():
                    found[who, f"{column}, {level}", "seconds"] = spent
    return found


def run(peers: bool = True) -> Result:
    """The table of CPU seconds."""
    file = rows.kept(MANY)
    say("median: tacit and plain DuckDB in turns")
    found = large(file)
    if peers:
        found |= measure("opendp_polars", "median")
    cases = [f"{column}, {level}" for level in UNITS.values() for column in MEDIANS]
    ours = [f"tacit, delta {delta:g}" for delta in (0, DELTA)]

    def seconds(who: str, case: str) -> float | None:
        return found.get((who, case, "seconds"))

    return Result(
        "Medians",
        [
            Table(
                f"CPU seconds of a median, {MANY:,} rows of raw Parquet, 1,000,000 persons, bound {BOUND}",
                ("median of", "plain", *ours, "OpenDP"),
                [
                    (case, *(shown(seconds(who, case)) for who in ("plain", *ours, "OpenDP")))
                    for case in cases
                ],
            )
        ],
        [
            Requirement(
                "at most OpenDP's time",
                {
                    f"{case}, {who}": ratio(seconds("OpenDP", case), seconds(who, case))
                    for case in cases
                    for who in ours
                },
            )
        ],
    )


if __name__ == "__main__":
    print(run(peers=False))
