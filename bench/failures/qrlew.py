"""Qrlew: what the rewritten text claims, holds and leaves out."""

import os
import re
import sqlite3
from math import erfc, exp, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyqrlew  # type: ignore[import-not-found]
from failures.telling import Seen, refusal, tell
from sqlalchemy import create_engine  # type: ignore[import-not-found]

ROWS, DELTA = 613, 1e-5


def dataset() -> Any:
    """613 rows of a clinic, as Qrlew reads them from a database."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clinic.db"
        with sqlite3.connect(file) as clinic:
            clinic.execute("CREATE TABLE visits (person BIGINT, ward TEXT, cost FLOAT)")
            visits = [(n // 3, "ABC"[n % 3], float(n % 100)) for n in range(ROWS)]
            clinic.executemany("INSERT INTO visits VALUES (?, ?, ?)", visits)
        read = pyqrlew.Dataset.from_database(
            name="v",
            engine=create_engine(f"sqlite:///{file}"),
            schema_name=None,
            ranges=False,
            possible_values_threshold=None,
        )
    return read.visits.cost.with_range(0.0, 100.0).visits.ward.with_possible_values([*"ABC"])


CLINIC = dataset()


def private(sql: str) -> Any:
    """A question rewritten for epsilon 1."""
    return CLINIC.relation(sql).rewrite_with_differential_privacy(
        dataset=CLINIC,
        privacy_unit=[("visits", [], "person")],
        epsilon_delta={"epsilon": 1.0, "delta": DELTA},
        max_multiplicity=5.0,
        max_multiplicity_share=1.0,
    )


def text(sql: str) -> str:
    return str(private(sql).relation().to_query(pyqrlew.Dialect.PostgreSql))


def epsilon_of(multipliers: list[float]) -> float:
    """The exact epsilon of several Gaussians together, at the delta that was asked for: one of a wider mu."""
    mu = sqrt(sum(each**-2 for each in multipliers))

    def delta(epsilon: float) -> float:
        tail = [erfc(x / sqrt(2)) / 2 for x in (epsilon / mu - mu / 2, epsilon / mu + mu / 2)]
        return tail[0] - exp(epsilon) * tail[1]

    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > DELTA else (low, middle)
    return high


def price() -> Seen:
    """What several aggregates of one question lose together."""
    event = str(private("SELECT STDDEV(cost) AS s, VARIANCE(cost) AS v FROM visits").dp_event())
    multipliers = [float(each) for each in re.findall(r"noise_multiplier: ([0-9.]+)", event)]
    found = epsilon_of(multipliers)
    return (
        found > 1.05,
        f"asked for epsilon 1: {len(multipliers)} Gaussians, together epsilon {found:.2f}",
    )


def counted() -> Seen:
    """Whether the number of rows stands in the text."""
    found = bool(re.search(rf"\b{ROWS}\b", text("SELECT COUNT(*) AS n FROM visits")))
    return found, f"of {ROWS} rows, the text {'holds the number' if found else 'does not tell'}"


def dropped() -> Seen:
    """A window, after the rewriting."""
    window = text("SELECT COUNT(*) OVER (PARTITION BY ward) AS n FROM visits")
    plain = text("SELECT COUNT(*) AS n FROM visits")
    gone = "OVER" not in window and len(window) == len(plain)
    return (
        gone,
        "accepted, OVER is gone, the text is as long as that of COUNT(*)"
        if gone
        else "OVER is kept",
    )


def noise() -> Seen:
    """Where the noise comes from, and what is said of a function that is not known."""
    sql = text("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward")
    drawn = "LN(RANDOM())" in sql.replace(" ", "") or "RANDOM()" in sql
    silent = os.dup(2)
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 -- a descriptor is wanted
        os.dup2(nowhere.fileno(), 2)
        said = refusal(lambda: text("SELECT MEDIAN(cost) AS m FROM visits"))
    os.dup2(silent, 2)
    kind = "a panic" if type(said).__name__ == "PanicException" else type(said).__name__
    return (
        drawn,
        f"RANDOM() of the database in floating point; {len(sql):,} characters; MEDIAN: {kind}",
    )


if __name__ == "__main__":
    tell({"V9": price, "V10": counted, "V11": dropped, "V12": noise})
