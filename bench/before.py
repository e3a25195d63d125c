"""Whole questions in two trees, in turns: this one and an older checkout of it, CPU seconds and their ratios.

python bench/before.py OLDER_TREE              three rows, and 1,000,000 rows of Parquet
python bench/before.py OLDER_TREE tiny 400     three rows alone, each question 400 times
python bench/before.py OLDER_TREE large 20     the file alone, each question 20 times
python bench/before.py OLDER_TREE first 10     a cold process, from its start to its first answer
python bench/before.py OLDER_TREE work 40      three rows and the cold process, in instructions instead of seconds

Seconds depend on what else the machine does, by a half and more; instructions, which Valgrind counts, do not.

Each tree has a process of its own, which is told what to do, one question at a time: whatever else the machine does, it
does to both.  The least of all turns is compared, and the median of ratios turn by turn.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from shutil import which as which_program
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from timing import process_once

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
WARM = 12  # questions that are asked before instructions are counted
ROWS, WARDS, MOST = 1_000_000, ["A", "B", "C"], 100

# What each tree runs: it reads a line, does what it says, and prints the CPU seconds that it took.
WORKER = """
import json, sys
from fractions import Fraction
from time import process_time
import tacit
assert tacit.__file__.startswith(sys.argv[1])
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
import sys, tacit
assert tacit.__file__.startswith(sys.argv[1])
rows = [{"person": i, "ward": "ABC"[i], "cost": 10 * i} for i in range(3)]
vault = tacit.protect(rows, unit="person", contributions=3, columns={"ward": ["A", "B", "C"], "cost": (0, 100)},
                      epsilon=10, delta=1e-6, name="visits")
print(vault.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=1))
"""


class Tree:
    """A process that answers questions with the source of one tree."""

    def __init__(self, tree: Path, under: tuple[str, ...] = ()) -> None:
        self._process = subprocess.Popen(
            [*under, sys.executable, "-c", WORKER, str(tree / "src")],
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


class CountedTree(Tree):
    """A tree whose process runs under Valgrind, which counts instructions between two dumps."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self._file = folder / f"{tree.name}.counted"
        self._dumps = 0
        super().__init__(tree, counting(self._file))

    def count(self) -> int:
        """The instructions since it was asked last."""
        subprocess.run(
            ["vgdb", f"--pid={self._process.pid}", "dump"], check=True, capture_output=True
        )
        self._dumps += 1
        return counted(self._file.with_name(f"{self._file.name}.{self._dumps}"))


def counting(file: Path) -> tuple[str, ...]:
    """The command that counts the instructions of another one."""
    return ("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}")


def counted(file: Path) -> int:
    """The instructions that a dump of Valgrind's tells."""
    (total,) = (line for line in file.read_text().splitlines() if line.startswith("totals:"))
    return int(total.split()[1])


def environment_of(tree: Path) -> dict[str, str]:
    """The variables with which Python imports the source of a tree, and keeps what it compiled."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def first_of(tree: Path) -> list[str]:
    """The command of a cold process that answers one question with the source of a tree."""
    return [sys.executable, "-c", FIRST, str(tree / "src")]


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


def compare_work(older: Path, turns: int) -> None:
    """Print the instructions of every kind of question about three rows, and of a cold process, in both trees."""
    print("\n| three rows | delta | new is | before, million instructions | now | ratio |")
    print("|---|---|---|---|---|---|", flush=True)
    with TemporaryDirectory() as name, ThreadPoolExecutor(2) as both:
        folder = Path(name)
        trees = [CountedTree(older, folder), CountedTree(ROOT, folder)]

        def spent_by(tree: CountedTree, delta: str, what: str, way: str) -> float:
            for turn in range(WARM + turns):
                if turn == WARM:
                    tree.count()
                tree.ask("", delta, *question(what, way, turn), f"{delta} {what} {way}")
            return tree.count() / turns / 1e6

        for cell in product(DELTAS, CASES, WAYS):
            delta, what, way = cell
            before, now = both.map(spent_by, trees, *([each, each] for each in cell))
            cells = f"{before:.2f} | {now:.2f} | {now / before:.3f}"
            print(f"| {what} | {delta} | {way} | {cells} |", flush=True)
        for tree in trees:
            tree.close()

        def start(tree: Path) -> float:
            file = folder / f"{tree.name}.first"
            first = first_of(tree)
            for command in (first, [*counting(file), *first]):  # once uncounted, which compiles
                subprocess.run(command, env=environment_of(tree), check=True, capture_output=True)
            return counted(file) / 1e6

        before, now = both.map(start, (older, ROOT))
    print(
        f"\nfirst answer of a cold process: {before:.0f} before, {now:.0f} now: {now / before:.3f}"
    )


def compare_first(older: Path, turns: int) -> None:
    """Print the least CPU seconds of a cold process in both trees."""
    found: dict[Path, list[float]] = {older: [], ROOT: []}
    for _ in range(turns):
        for tree, seconds in found.items():
            seconds.append(process_once(first_of(tree), environment_of(tree))[0])
    before, now = (min(seconds) for seconds in found.values())
    print(
        f"first answer of a cold process: {before:.3f} s before, {now:.3f} s now: {now / before:.2f}"
    )


def main() -> None:
    """Compare what was named."""
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "src" / "tacit").is_dir():
        sys.exit(__doc__)
    older = Path(sys.argv[1]).resolve()
    which = sys.argv[2] if len(sys.argv) > 2 else "both"
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if which == "first":
        compare_first(older, turns or 10)
    if which == "work":
        if which_program("valgrind") is None or which_program("vgdb") is None:
            sys.exit("instructions are counted by Valgrind: apt-get install valgrind")
        compare_work(older, turns or 40)
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
