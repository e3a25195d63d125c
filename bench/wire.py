"""The PostgreSQL door under pgbench: a replayed question, beside a real PostgreSQL that reads a stored table.

bench/wire.py            thirty questions on each connection: simple, extended and prepared
bench/wire.py --each N   so many
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from statistics import quantiles
from typing import Any

from environments import ROOT
from report import Result, Table, ratio, shown

sys.path.insert(0, str(ROOT))

from tests.postgres import PASSWORD, ROLE, SETTINGS, started

CONNECTIONS, EACH = 50, 30
MODES = ("simple", "extended", "prepared")
TICKS = os.sysconf("SC_CLK_TCK")
QUESTION = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
STORED = "SELECT ward, n FROM stored"


def serve(folder: Path) -> None:
    """Serve a small vault until somebody ends the process; nobody is asked to wait for a turn."""
    from tacit.server.public_catalogue import PublicCatalogue
    from tacit.server.wire.connection import WireServer

    clinics: Any = import_module("tests.unit.server.clinics")
    desk = clinics.make_desk(clinics.make_folder(folder / "clinic"))
    (folder / "token").write_text(clinics.new_token(desk, "ana"))
    catalogue = PublicCatalogue(desk, "clinic")

    async def run() -> None:
        server = WireServer(desk, catalogue, database="clinic")
        port = await server.start("127.0.0.1", 0)
        print(port, flush=True)
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        await stopping.wait()
        await server.close()

    asyncio.run(run())
    catalogue.close()


def cpu_of(processes: list[int]) -> float:
    """CPU seconds of some processes so far."""
    spent = 0.0
    for number in processes:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])) / TICKS
    return spent


def children_of(parent: int) -> list[int]:
    """A process and all that it has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False
    )
    return [parent, *(each for line in listed.stdout.split() for each in children_of(int(line)))]


def pgbench(mode: str, text: str, each: int, given: Mapping[str, str]) -> list[float]:
    """The milliseconds of each transaction."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "q.sql"
        script.write_text(text + ";\n")
        command = [
            *("pgbench", "-n", "-M", mode, "-c", str(CONNECTIONS), "-j", "1", "-t", str(each)),
            *("-f", str(script), "--log", f"--log-prefix={folder}/log"),
        ]
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**os.environ, "PGHOST": "127.0.0.1", **given},
            check=False,
        )
        if ran.returncode:
            raise RuntimeError(ran.stderr[-2000:])
        lines = [line for log in Path(folder).glob("log*") for line in log.read_text().splitlines()]
        return [int(line.split()[2]) / 1000 for line in lines]


def run(each: int = EACH) -> Result:
    """CPU milliseconds a query of the server, and the 95th percentile of how long a client waits."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--serve", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
            theirs = started(SETTINGS)
            try:
                assert ours.stdout is not None
                port = int(ours.stdout.readline())
                token = (Path(folder) / "token").read_text()
                theirs.execute(
                    "CREATE TABLE stored AS SELECT * FROM (VALUES ('A', 150), ('B', 150)) x (ward, n)"
                )
                ask = {"PGPORT": str(port), "PGUSER": "ana", "PGDATABASE": "clinic"}
                ask |= {"PGPASSWORD": token, "PGOPTIONS": "-c tacit.epsilon=0.5"}
                read = {"PGPORT": str(theirs.port), "PGUSER": ROLE, "PGDATABASE": "postgres"}
                read |= {"PGPASSWORD": PASSWORD}
                pgbench("simple", QUESTION, 1, ask)  # it is paid for here
                for mode in MODES:
                    measured = {}
                    for name, parent, text, given in (
                        ("tacit", ours.pid, QUESTION, ask),
                        ("postgres", theirs.process.pid, STORED, read),
                    ):
                        before = cpu_of(children_of(parent))
                        waits = pgbench(mode, text, each, given)
                        spent = cpu_of(children_of(parent)) - before
                        measured[name] = 1000 * spent / len(waits), quantiles(waits, n=20)[-1]
                    rows.append(
                        (
                            mode,
                            *(shown(figure) for pair in measured.values() for figure in pair),
                            f"{ratio(measured['tacit'][0], measured['postgres'][0]) or 0:.0f}",
                        )
                    )
            finally:
                ours.send_signal(signal.SIGTERM)
                theirs.stop()
    heads = (
        *("pgbench -M", "tacit: CPU ms", "p95 ms", "PostgreSQL: CPU ms", "p95 ms"),
        "CPU, tacit / PostgreSQL",
    )
    title = f"A replayed question of two rows, {CONNECTIONS} connections, one client process"
    return Result("The PostgreSQL door", [Table(title, heads, rows)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=EACH)
    parser.add_argument("--serve", type=Path)
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.serve)
    else:
        print(run(given.each))


if __name__ == "__main__":
    main()
