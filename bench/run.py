"""`make bench`: our figures, the peers' and the floor's, side by side from one run, and whether each requirement holds.

bench/run.py                 imports, noise, accounting, ledger, first and questions
bench/run.py noise           only this one
bench/run.py noise-full      the same with OpenDP at 10^6 samples instead of 10^5: a quarter of an hour
bench/run.py quantiles       quantiles of ages; TACIT_ADULT names the file of the Adult ages, else a stand-in is taken
bench/run.py selection       choices among a million candidates
bench/run.py engine          the engine alone, on uniform and on skewed rows
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

import accounting
import engine
import error
import first
import imports
import ledger
import noise
import quantiles
import questions
import selection
from environments import BENCH, ROOT
from report import Result

BENCHES: dict[str, Callable[[], Result]] = {
    "imports": imports.run,
    "noise": noise.run,
    "accounting": accounting.run,
    "ledger": ledger.run,
    "first": first.run,
    "questions": questions.run,
    "quantiles": quantiles.run,
    "selection": selection.run,
    "engine": engine.run,
    "error": error.run,
    "noise-full": partial(noise.run, full=True),
}
USUAL = ["imports", "noise", "accounting", "ledger", "first", "questions"]
PAGE = ROOT / "docs" / "benchmarks.md"


def main() -> int:
    """The number of requirements that are missed, as an exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="bench", help=f"any of {', '.join(BENCHES)}")
    parser.add_argument("--record", action="store_true", help="write the figures into docs/benchmarks.md")
    chosen = parser.parse_args()
    names = chosen.names or USUAL
    if unknown := set(names) - set(BENCHES):
        parser.error(f"there is no bench called {', '.join(sorted(unknown))}; choose from {', '.join(BENCHES)}")

    missed = 0
    parts = [circumstances()]
    print(parts[0])
    for name in names:
        result = BENCHES[name]()
        missed += sum(requirement.missed for requirement in result.requirements)
        parts.append(str(result))
        print(f"\n{result}", flush=True)
    if chosen.record:
        record("\n\n".join(parts))
    return missed


def circumstances() -> str:
    """When, on what and with which versions the figures were made."""
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    machine = f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    ours = ", ".join(f"{name} {version(name)}" for name in ("tacit", "numpy", "python-flint", "cryptography", "duckdb"))
    peers = [
        f"- {pins.stem}: {', '.join(pins.read_text().split()).replace('==', ' ')}"
        for pins in sorted((BENCH / "peers").glob("*.txt"))
    ]
    first = f"Measured {when} on {machine}, {load}; Python {platform.python_version()}."
    return "\n".join([first, "", f"- ours: {ours}", *peers])


def record(text: str) -> None:
    """Put the figures between the two marks of docs/benchmarks.md."""
    page = PAGE.read_text(encoding="utf-8")
    between = re.compile("(?<=<!-- measured -->\n).*(?=<!-- end -->)", re.DOTALL)
    below = text.replace("\n## ", "\n### ")  # the page has a heading above them
    PAGE.write_text(between.sub(lambda _: f"\n{below}\n\n", page), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
