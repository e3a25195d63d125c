"""Whole questions in two trees, in turns: this one and an older checkout of it, CPU seconds and their ratios.

python bench/before.py OLDER_TREE              three rows, and 1,000,000 rows of Parquet
python bench/before.py OLDER_TREE tiny 400     three rows alone, each question 400 times
python bench/before.py OLDER_TREE large 20     the file alone, each question 20 times
python bench/before.py OLDER_TREE first 10     a cold process, from its start to its first answer

Each tree has a process of its own, which is told what to do, one question at a time: whatever else the machine does, it
does to both.  The least of all turns is compared, and the median of ratios turn by turn.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CASES = {
    "count": "COUNT(*) AS {name}",
    "sum": "SUM(cost) AS {name}",
    "count and mean": "COUNT(*) AS {name}, AVG(cost) AS mean",
    "median": "MEDIAN(cost) AS {name}",
}
# what is new about a question: the rows it asks about; also its price; also its look; or its price alone
WAYS = ("rows", "price", "look", "dearer")
DELTAS = ("0", "1e-6")
ROWS, WARDS, MOST = 1_000_000, ["A", "B", "C"], 100

# What each tree runs: it reads a line, does what it says, and prints the CPU seconds that it took.
WORKER = """
import json, sys
from fractions import Fraction
from time import process_time
import tacit
vaults = {}
def vault_of(source, delta, case):
    if vaults.get("case") != case:
        vaults.clear()
        vaults["case"] = case
        rows = source or [{"person": i, "ward": "ABC"[i], "cost": 10 * i} for i in range(3)]
        columns = {"ward": ["A", "B", "C"], "cost": {"type": "integer", "low": 0, "high": 100}}
        vaults["vault"] = tacit.protect(rows, unit="person", contributions=3, columns=columns,
                                              epsilon=10**6, delta=float(delta), name="visits")
    return vaults["vault"]
for line in sys.stdin:
    source, delta, text, turn, case = json.loads(line)
    vault = vault_of(source, delta, case)
    epsilon = 1 + Fraction(turn, 1 << 16)
    start = process_time()
    str(vault.sql(text, epsilon=epsilon))
    print(process_time() - start, flush=True)
"""

FIRST = """
import tacit
rows = [{"person": i, "ward": "ABC"[i], "cost": 10 * i} for i in range(3)]
vault = tacit.protect(rows, unit="person", contributions=3, columns={"ward": ["A", "B", "C"], "cost": (0, 100)},
                      epsilon=10, delta=1e-6, name="visits")
print(vault.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=1))
"""


class Tree:
    """A process that answers questions with the source of one tree."""

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env=environment_of(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *what: Any) -> float:
        """The CPU seconds of one question."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018
        print(json.dumps(what), file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def environment_of(tree: Path) -> dict[str, str]:
    """The variables with which Python imports the source of a tree."""
    return {**os.environ, "PYTHONPATH": str(tree / "src")}


def question(what: str, way: str, turn: int) -> tuple[str, int]:
    """A text that was not asked before, and the turn that its price tells."""
    name = f"n{turn}" if way == "look" else "n"
    where = "" if way == "dearer" else f" WHERE cost > {turn % 40} AND cost < {60 + turn // 40}"
    asked = f"SELECT ward, {CASES[what].format(name=name)} FROM visits{where} GROUP BY ward"
    return asked, 0 if way == "rows" else turn


def compare(older: Path, title: str, source: str, turns: int) -> None:
    """Print the least CPU milliseconds of every kind of question in both trees."""
    print(f"\n| {title} | delta | new is | before, ms | now, ms | ratio | median of ratios |")
    print("|---|---|---|---|---|---|---|")
    trees = [Tree(older), Tree(ROOT)]
    for delta in DELTAS:
        for what in CASES:
            for way in WAYS:
                found: list[tuple[float, ...]] = []
                for turn in range(turns):
                    asked = (source, delta, *question(what, way, turn), f"{delta} {what} {way}")
                    order = trees if turn % 2 else trees[::-1]
                    seconds = {tree: tree.ask(*asked) for tree in order}
                    found.append(tuple(seconds[tree] for tree in trees))
                before, now = (1e3 * min(column) for column in zip(*found, strict=True))
                ratios = median(each / other for other, each in found)
                cells = f"{before:.2f} | {now:.2f} | {now / before:.2f} | {ratios:.2f}"
                print(f"| {what} | {delta} | {way} | {cells} |", flush=True)
    for tree in trees:
        tree.close()


def compare_first(older: Path, turns: int) -> None:
    """Print the least CPU seconds of a cold process in both trees."""
    from timing import _process_once

    found: dict[Path, list[float]] = {older: [], ROOT: []}
    kept = os.environ.get("PYTHONPATH")
    for _ in range(turns):
        for tree, seconds in found.items():
            os.environ["PYTHONPATH"] = str(tree / "src")
            seconds.append(_process_once([sys.executable, "-c", FIRST])[0])
    os.environ["PYTHONPATH"] = kept or ""
    before, now = (min(seconds) for seconds in found.values())
    print(
        f"first answer of a cold process: {before:.3f} s before, {now:.3f} s now: {now / before:.2f}"
    )


def main() -> None:
    """Compare what was named."""
    older = Path(sys.argv[1]).resolve()
    which = sys.argv[2] if len(sys.argv) > 2 else "both"
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if which == "first":
        compare_first(older, turns or 10)
    if which in {"tiny", "both"}:
        compare(older, "three rows", "", turns or 300)
    if which in {"large", "both"}:
        with TemporaryDirectory() as folder:
            file = f"{folder}/visits.parquet"
            write_rows(file)
            compare(older, f"{ROWS:,} rows of Parquet", file, turns or 20)


def write_rows(file: str) -> None:
    """Write the rows that are asked about."""
    import duckdb

    duckdb.sql(
        f"COPY (SELECT (hash(i) % {ROWS // 3})::BIGINT AS person, ['A','B','C'][1 + (hash(i+7) % 3)::INT] AS ward,"
        f" (hash(i+13) % {MOST})::INT AS cost FROM range({ROWS}) t(i)) TO '{file}' (FORMAT parquet)"
    )


if __name__ == "__main__":
    main()
