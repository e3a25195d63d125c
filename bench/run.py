"""`make bench`: our figures, the peers' and the floor's, side by side from one run, and whether each requirement holds.

bench/run.py                 imports, noise, accounting, ledger, first, questions and server
bench/run.py noise           only this one
bench/run.py noise-full      the same with OpenDP at 10^6 samples instead of 10^5: a quarter of an hour
bench/run.py median          medians of ten million rows, person by person and row by row
bench/run.py quantiles       quantiles of ages; TACIT_ADULT names the file of the Adult ages, else a stand-in is taken
bench/run.py selection       choices among a million candidates
bench/run.py top-k           which group is first: chosen, and sorted
bench/run.py synthetic       synthetic tables and marginals; TACIT_SYNTH names the folder of real tables, if any
bench/run.py learning        private learning beside two peers; TACIT_LEARN names the folder that lessons.py wrote
bench/run.py pictures        networks on MNIST and Fashion beside Opacus; TACIT_IMAGES names the folder: 20 CPU min
bench/run.py synthetic-hard  every price, large tables, training data; the same folder
bench/run.py keys            counts by keys that nobody declares
bench/run.py server          200 analysts at one server: two minutes
bench/run.py postgres        one and ten million rows that stay in PostgreSQL
bench/run.py wire            the PostgreSQL door under pgbench, beside a real PostgreSQL
bench/run.py spark           10^5 to 10^7 rows that stay on Spark: some minutes
bench/run.py local           surveys in the local model, beside two peers: some minutes
bench/run.py beyond          medians by smooth sensitivity and others; TACIT_NAFLD and TACIT_ADULT name real columns
bench/run.py engine          the engine alone, on uniform and on skewed rows
bench/run.py conformance     published failures of other systems, run on the pinned versions: two minutes
bench/run.py error           errors at an equal limit: ten minutes, most of them OpenDP's
bench/run.py … --record      also writes the figures into docs/benchmarks.md
"""

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import accounting
import beyond
import conformance
import engine
import error
import first
import imports
import keys
import learning
import ledger
import local
import median
import noise
import pictures
import postgres
import quantiles
import questions
import selection
import server
import spark
import synthetic
import synthetic_hard
import top_k
import wire
from environments import BENCH, ROOT
from report import Result

BENCHES: dict[str, Callable[[], Result]] = {
    "imports": imports.run,
    "noise": noise.run,
    "accounting": accounting.run,
    "ledger": ledger.run,
    "first": first.run,
    "questions": questions.run,
    "median": median.run,
    "keys": keys.run,
    "quantiles": quantiles.run,
    "selection": selection.run,
    "top-k": top_k.run,
    "synthetic": synthetic.run,
    "learning": learning.run,
    "pictures": pictures.run,
    "synthetic-hard": synthetic_hard.run,
    "engine": engine.run,
    "postgres": postgres.run,
    "wire": wire.run,
    "server": server.run,
    "spark": spark.run,
    "local": local.run,
    "beyond": beyond.run,
    "conformance": conformance.run,
    "error": error.run,
    "noise-full": partial(noise.run, full=True),
}
USUAL = ["imports", "noise", "accounting", "ledger", "first", "questions", "server"]
PEERS = BENCH / "peers"
PAGE = ROOT / "docs" / "benchmarks.md"


def main() -> int:
    """The number of requirements that are missed, as an exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="bench", help=f"any of {', '.join(BENCHES)}")
    parser.add_argument(
        "--record", action="store_true", help="write the figures into docs/benchmarks.md"
    )
    chosen = parser.parse_args()
    names = chosen.names or USUAL
    if unknown := set(names) - set(BENCHES):
        parser.error(
            f"there is no bench called {', '.join(sorted(unknown))}; choose from {', '.join(BENCHES)}"
        )

    missed = 0
    print(versions())
    for name in names:
        when, result = circumstances(), BENCHES[name]()
        missed += sum(requirement.missed for requirement in result.requirements)
        print(f"\n{result}\n\n{when}", flush=True)
        if chosen.record:
            record(f"{result}\n\n{when}")
    return missed


def circumstances() -> str:
    """When and on what the figures are made."""
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    machine = f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})"
    return (
        f"Measured {when} on {machine}, load {os.getloadavg()[0]:.1f} at the start; "
        f"Python {platform.python_version()}."
    )


def versions() -> str:
    """With which versions the figures are made."""
    ours = ", ".join(
        f"{name} {version(name)}"
        for name in ("tacit-dp", "numpy", "python-flint", "cryptography", "duckdb")
    )
    peers = [
        f"- {pins.stem}: {', '.join(_pins(pins)).replace('==', ' ')}"
        for pins in sorted(PEERS.glob("*.txt"))
    ]
    return "\n".join([f"- ours: {ours}", *peers])


def _pins(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if not line.startswith("-")]


def record(section: str) -> None:
    """Put a bench's section between the two marks of docs/benchmarks.md, in the place of its earlier one."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split("<!-- measured -->\n")
    measured, after = rest.split("<!-- end -->")
    # the page has a heading above them
    _, *sections = re.split("^(?=### )", measured, flags=re.MULTILINE)
    kept = {each.partition("\n")[0]: each.strip() for each in sections}
    kept[f"#{section.partition(chr(10))[0]}"] = f"#{section}"
    inside = "\n\n".join([versions(), *kept.values()])
    PAGE.write_text(
        f"{before}<!-- measured -->\n\n{inside}\n\n<!-- end -->{after}", encoding="utf-8"
    )


if __name__ == "__main__":
    sys.exit(main())
