"""Durable charges: how many a second from 64 threads of one process, beside what the disk itself can sync.

bench/ledger.py              both ledgers, in the folder for temporary files
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

from environments import ROOT
from report import Requirement, Result, Table, ratio, shown

from tacit.accounting import EPSILON_UNIT, PureFilter
from tacit.ledger import Founding, Ledger, postgres_ledger, sqlite_ledger
from tacit.privacy import PureLoss

sys.path.append(str(ROOT))
from tests import postgres

THREADS, ROUNDS, SECONDS = 64, 3, 2.0
RATE, PACED_SECONDS = 200, 5
NEEDED = 2_000
LIMIT = PureFilter(10**6)
FOUNDING = Founding.of("person", LIMIT)
LOSS = PureLoss(EPSILON_UNIT)


@dataclass(frozen=True)
class Figures:
    """What one ledger does."""

    per_second: float
    median: float  # of the seconds that a charge takes, at the steady rate
    late: float  # the 99th percentile of them


def syncs_per_second(folder: Path) -> float:
    """How often a second four kilobytes can be appended and synced by one thread."""
    block = bytes(4096)
    with (folder / "probe").open("wb", buffering=0) as probe:
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < SECONDS:
            probe.write(block)
            os.fdatasync(probe.fileno())
            done += 1
        return done / (time.perf_counter() - start)


def charges_per_second(ledger: Ledger) -> float:
    """How many charges a second are acknowledged to all threads together."""
    numbers, barrier = count(), Barrier(THREADS)

    def charging() -> int:
        barrier.wait()
        end, done = time.perf_counter() + SECONDS, 0
        while time.perf_counter() < end:
            ledger.charge(b"burst %d %d" % (time.monotonic_ns(), next(numbers)), LOSS)
            done += 1
        return done

    with ThreadPoolExecutor(THREADS) as pool:
        start = time.perf_counter()
        done = sum(each.result() for each in [pool.submit(charging) for _ in range(THREADS)])
        return done / (time.perf_counter() - start)


def paced(ledger: Ledger) -> list[float]:
    """The seconds from the moment a charge was due to its acknowledgement, at a steady rate, in order of size."""
    begin = time.perf_counter() + 0.1

    def charged(number: int) -> float:
        due = begin + number / RATE
        time.sleep(max(0.0, due - time.perf_counter()))
        ledger.charge(b"paced %d" % number, LOSS)
        return time.perf_counter() - due

    with ThreadPoolExecutor(THREADS) as pool:
        return sorted(pool.map(charged, range(RATE * PACED_SECONDS)))


def measured(ledger: Ledger) -> Figures:
    """The best of several bursts, and one steady run."""
    burst = max(charges_per_second(ledger) for _ in range(ROUNDS))
    seconds = paced(ledger)
    return Figures(burst, seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100])


@contextmanager
def in_sqlite(folder: Path) -> Iterator[Ledger]:
    """A new ledger in SQLite."""
    with closing(
        sqlite_ledger(folder / "ledger.sqlite", FOUNDING, LIMIT, anchors=folder / "anchors")
    ) as ledger:
        yield ledger


@contextmanager
def in_postgres(folder: Path) -> Iterator[Ledger]:
    """A new ledger in a PostgreSQL that syncs, as one does that matters."""
    server = postgres.started({**postgres.SETTINGS, "fsync": "on", "full_page_writes": "on"})
    try:
        with closing(
            postgres_ledger(server.address(), FOUNDING, LIMIT, anchors=folder / "anchors")
        ) as ledger:
            yield ledger
    finally:
        server.stop()


KINDS: dict[str, Callable[[Path], AbstractContextManager[Ledger]]] = {
    "SQLite": in_sqlite,
    "PostgreSQL": in_postgres,
}


def run() -> Result:
    """Charges a second, and how long one takes."""
    lines, margins = [], {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        syncs = syncs_per_second(folder)
        for kind, opened in KINDS.items():
            with opened(folder) as ledger:
                found = measured(ledger)
            figures = (found.per_second, 1000 * found.median, 1000 * found.late)
            lines.append(
                (kind, *(shown(figure) for figure in figures), shown(found.per_second / syncs))
            )
            if kind == "SQLite":
                margins[kind] = ratio(found.per_second, NEEDED)
    heads = ("ledger", "charges/s", "median ms", "99 % ms", "charges a sync")
    return Result(
        "Ledgers",
        [
            Table(
                f"Durable charges from {THREADS} threads of one process; then {RATE} a second",
                heads,
                lines,
            )
        ],
        [Requirement(f"at least {NEEDED:,} durable charges a second", margins)],
        [
            f"The disk appends and syncs 4 KB {shown(syncs)} times a second, one thread, nothing else."
        ],
    )


if __name__ == "__main__":
    print(run())
