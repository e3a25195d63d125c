"""A server under 200 analysts: how long explanations, replays and paid answers take, and what each costs in CPU time.

bench/server.py              two minutes of the mix
bench/server.py --soak --seconds 3600 --analysts 40    an hour over which memory is to stay flat: nothing else is judged
"""

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from environments import ROOT
from report import Requirement, Result, Table

ANALYSTS, SECONDS = 200, 120.0
EXPLAIN_EVERY, ASK_EVERY, REPLAYED = 3.0, 30.0, 0.7
ROWS, TURNS, PAID = 20_000, 80, 25
POLICY = """\
[limit]
epsilon = 100000
delta = 0

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.visits.columns]
ward = { type = "text", values = ["A", "B", "C"] }
cost = { type = "number", low = 0, high = 1000 }
"""


def question(number: int) -> dict[str, Any]:
    """A question that differs from others by a constant, as analysts' do."""
    sql = f"SELECT ward, COUNT(*) AS n FROM visits WHERE cost > {number} / 8 GROUP BY ward"
    return {"sql": sql, "epsilon": 0.125}


# ---------------------------------------------------------------- the server, in a process of its own


def make_vault(folder: Path, analysts: int) -> dict[str, str]:
    """A vault with its people; a token for each."""
    from tacit.server import Identities

    drawn = random.Random(1)
    lines = ["patient,ward,cost"]
    lines += [f"{n // 2},{drawn.choice('ABC')},{drawn.randrange(1000)}" for n in range(ROWS)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    names = [f"analyst{n}" for n in range(analysts)]
    limits = "".join(f"\n[analysts.{name}]\nepsilon = 500\n" for name in names)
    (folder / "tacit.toml").write_text(POLICY + limits)
    people = Identities(folder / "identities.sqlite")
    for name in names:
        people.add(name, "analyst")
    tokens = {name: people.new_token(name) for name in names}
    people.close()
    return tokens


def run_server(folder: Path, *, soak: bool) -> None:
    """Serve the vault and, beside it, a bare route; say where, and in the end how late answers left.

    A soak runs beside other work: what is measured then says nothing of slots, and all are of a second.
    """
    import uvicorn
    from fastapi import FastAPI

    import tacit
    from tacit.server import Server, Slots, calibrate, write_calibration
    from tacit.server.jobs import Job
    from tacit.server.serve_vault import prepare_process

    if not soak:
        with tacit.open(folder) as vault:
            write_calibration(folder, calibrate(vault, {"visits": ROWS}))
    late: list[float] = []
    end = Job.end

    def noted(job: Job, result: Any) -> None:
        if job.slot is not None:
            late.append(time.monotonic() - job.slot.ends)
        end(job, result)

    Job.end = noted  # type: ignore[method-assign]
    server = Server(folder, secure=False, slots=Slots(workers=2))
    bare = FastAPI()

    @bare.post("/bare")
    async def echo(body: dict[str, Any]) -> dict[str, Any]:
        return body

    lines = [socket.create_server(("127.0.0.1", 0), backlog=512) for _ in range(2)]
    running = [
        uvicorn.Server(
            uvicorn.Config(
                app, log_level="critical", access_log=False, lifespan="off", timeout_keep_alive=120
            )
        )
        for app in (server.app, bare)
    ]
    print(json.dumps([line.getsockname()[1] for line in lines]), flush=True)

    prepare_process()

    async def serve() -> None:
        for each in running:
            each.capture_signals = suppress  # type: ignore[method-assign,assignment]
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGTERM, lambda: [setattr(each, "should_exit", True) for each in running]
        )
        await asyncio.gather(
            *(each.serve(sockets=[line]) for each, line in zip(running, lines, strict=True))
        )
        await server.desk.drain()

    asyncio.run(serve())
    ledger = server.desk._vault.ledger
    charged = sum(entry.charge.amount for entry in ledger.entries())
    used, missed = sum(server.desk.slots.used.values()), sum(server.desk.slots.missed.values())
    exact = charged == ledger.total_spent().amount
    server.desk.close()
    print(json.dumps({"late": late, "exact": exact, "used": used, "missed": missed}), flush=True)


# ---------------------------------------------------------------- analysts


class Line:
    """One connection that is kept open."""

    def __init__(self, port: int, token: str = "") -> None:
        self._port, self._token = port, token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> tuple[int, bytes, float]:
        """Status, body and seconds of a request."""
        start = time.perf_counter()
        try:
            status, found = await self._post(path, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()  # it was idle for too long, and is opened anew as every client does
            status, found = await self._post(path, body)
        return status, found, time.perf_counter() - start

    async def _post(self, path: str, body: Any) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        writer.write(head.encode() + sent)
        told = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(told.split("content-length: ")[1].split("\r\n")[0])
        found = await reader.readexactly(length)
        if "connection: close" in told:
            self.close()
        return int(told.split()[1]), found

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Mix:
    """What analysts do, and how long it took."""

    def __init__(self, port: int, tokens: dict[str, str], seconds: float) -> None:
        self.port, self.tokens = port, tokens
        self.ends = time.perf_counter() + seconds
        self.taken: dict[str, list[float]] = {"explain": [], "replay": [], "paid": []}
        self.statuses: dict[int, int] = {}
        self.next = 0

    async def run(self) -> None:
        await asyncio.gather(*(self.analyst(token) for token in self.tokens.values()))

    async def analyst(self, token: str) -> None:
        """Explains every three seconds and asks every thirty; most of what is asked was asked before."""
        drawn = random.Random(token)
        explaining, asking, known = Line(self.port, token), Line(self.port, token), list[int]()
        explain = time.perf_counter() + drawn.random() * EXPLAIN_EVERY
        ask = time.perf_counter() + drawn.random() * ASK_EVERY
        while min(explain, ask) < self.ends:
            await asyncio.sleep(max(0.0, min(explain, ask) - time.perf_counter()))
            if explain <= ask:
                explain += EXPLAIN_EVERY
                await self.send("explain", explaining, "/explanations", question(self.number()))
                continue
            ask += ASK_EVERY
            if known and drawn.random() < REPLAYED:
                await self.send("replay", asking, "/answers", question(drawn.choice(known)))
            else:
                number = self.number()
                await self.send("paid", asking, "/answers", question(number))
                known.append(number)
        explaining.close()
        asking.close()

    def number(self) -> int:
        self.next += 1
        return self.next

    async def send(self, kind: str, line: Line, path: str, body: Any) -> None:
        status, _, taken = await line.post(f"/api/v1{path}", body)
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.taken[kind].append(taken)


async def cost_of(ports: list[int], token: str, pid: int) -> dict[str, float]:
    """CPU milliseconds of the server for one request of each kind, one after another; a bare route is the floor."""
    own, bare = Line(ports[0], token), Line(ports[1])
    calls = {
        "a bare FastAPI route": lambda n: bare.post("/bare", question(n)),
        "explanation, another question each time": lambda n: own.post(
            "/api/v1/explanations", question(10**6 + n)
        ),
        "explanation, the same question": lambda _: own.post(
            "/api/v1/explanations", question(10**6)
        ),
        "paid answer": lambda n: own.post("/api/v1/answers", question(2 * 10**6 + n)),
        "replayed answer": lambda n: own.post("/api/v1/answers", question(2 * 10**6 + n % 8)),
    }
    found = {}
    for name, call in calls.items():
        many = PAID if name == "paid answer" else TURNS
        for number in range(5):
            await call(number)
        before = cpu_of(pid)
        for number in range(5, 5 + many):
            status, told, _ = await call(number)
            if status == 429:
                await asyncio.sleep(0.5)
            elif status >= 400:
                raise AssertionError(told.decode())
        found[name] = (cpu_of(pid) - before) / many * 1000
    own.close()
    bare.close()
    return found


def cpu_of(pid: int) -> float:
    """The CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> float:
    """The resident megabytes of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


async def measure(
    folder: Path, seconds: float, analysts: int, *, soak: bool = False
) -> dict[str, Any]:
    """All figures of one server; in a soak nothing is measured but the mix and its memory."""
    tokens = make_vault(folder, analysts)
    command = [sys.executable, __file__, "--serve", str(folder), *(["--soak"] if soak else [])]
    surroundings = {**os.environ, "TACIT_ANCHORS": str(folder / "anchors")}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings)
    assert child.stdout is not None
    try:
        ports = json.loads(child.stdout.readline())
        costs = {} if soak else await cost_of(ports, next(iter(tokens.values())), child.pid)
        mix, memory = Mix(ports[0], tokens, seconds), list[float]()

        async def watch() -> None:
            while True:
                memory.append(memory_of(child.pid))
                await asyncio.sleep(min(10.0, seconds / 60))

        watching = asyncio.create_task(watch())
        before = cpu_of(child.pid)
        await mix.run()
        watching.cancel()
        used = cpu_of(child.pid) - before
        child.send_signal(signal.SIGTERM)
        told = json.loads(child.stdout.readline())
    finally:
        child.terminate()
        child.wait(300)
    return {"costs": costs, "mix": mix, "memory": memory, "cpu": used / seconds, **told}


def at(values: list[float], share: float) -> float:
    """A quantile of what was measured."""
    return statistics.quantiles(values, n=1000)[round(share * 1000) - 1] if len(values) > 1 else 0.0


def flatness(memory: list[float]) -> tuple[float, float]:
    """The megabytes after a fifth of the time, when caches are full, and at the end: medians of ten samples each."""
    first = len(memory) // 5
    return statistics.median(memory[first : first + 10]), statistics.median(memory[-10:])


def tenths(memory: list[float]) -> list[int]:
    """The megabytes at the beginning and after each tenth of the time."""
    return [round(memory[(len(memory) - 1) * n // 10]) for n in range(11)]


def run(seconds: float = SECONDS, analysts: int = ANALYSTS) -> Result:
    """The bench."""
    with TemporaryDirectory() as place:
        found = asyncio.run(measure(Path(place), seconds, analysts))
    mix, costs = found["mix"], found["costs"]
    rows = [
        (
            kind,
            f"{len(taken):,}",
            *(f"{at(taken, share) * 1000:.0f}" for share in (0.5, 0.95, 0.99)),
        )
        for kind, taken in mix.taken.items()
    ]
    late = found["late"][PAID + 5 :]  # without those of the costs
    rows.append(
        (
            "paid, after the end of its slot",
            f"{len(late):,}",
            *(f"{at(late, share) * 1000:.1f}" for share in (0.5, 0.95, 0.99)),
        )
    )
    floor = costs["a bare FastAPI route"]
    failed = sum(many for status, many in mix.statuses.items() if status >= 500)
    early, later = flatness(found["memory"])
    p95 = {kind: max(at(taken, 0.95) * 1000, 0.01) for kind, taken in mix.taken.items()}
    return Result(
        f"A server and {analysts} analysts",
        [
            Table(
                f"milliseconds over {seconds:.0f} s: explain every 3 s, ask every 30 s, 70 % asked before",
                ("request", "times", "median", "p95", "p99"),
                rows,
            ),
            Table(
                "CPU milliseconds of the server for one request",
                ("request", "ms", "of a bare route"),
                [(name, f"{ms:.2f}", f"{ms / floor:.1f}") for name, ms in costs.items()],
            ),
        ],
        [
            Requirement("explanation p95 under 100 ms", {"explain": 100 / p95["explain"]}),
            Requirement("replay p95 under 150 ms", {"replay": 150 / p95["replay"]}),
            Requirement(
                "paid answers leave at most 20 ms after their slot, p95",
                {"paid": 20 / max(at(late, 0.95) * 1000, 0.01)},
            ),
            Requirement("no 5xx", {"all": 2.0 if not failed else 0.0}),
            Requirement("sum of charges exact", {"all": 2.0 if found["exact"] else 0.0}),
            Requirement(
                "memory: at most 3 % more at the end than after a fifth of the time",
                {"all": early * 1.03 / later},
            ),
        ],
        [
            "; ".join(
                (
                    f"Statuses {mix.statuses}",
                    f"the server used {found['cpu']:.2f} of one core",
                    f"slots used {found['used']}, missed {found['missed']}",
                    f"memory in MB, ten times over: {', '.join(map(str, tenths(found['memory'])))}",
                )
            )
        ],
    )


def run_soak(seconds: float, analysts: int) -> Result:
    """The mix for a long time, of which memory, statuses and sums are judged."""
    with TemporaryDirectory() as place:
        found = asyncio.run(measure(Path(place), seconds, analysts, soak=True))
    mix, memory = found["mix"], found["memory"]
    early, later = flatness(memory)
    failed = sum(many for status, many in mix.statuses.items() if status >= 500)
    rows = [(kind, f"{len(taken):,}") for kind, taken in mix.taken.items()]
    return Result(
        f"A server and {analysts} analysts for {seconds / 60:.0f} minutes",
        [
            Table("requests", ("request", "times"), rows),
            Table(
                "megabytes of the server, each tenth of the time",
                tuple(map(str, range(11))),
                [tuple(map(str, tenths(memory)))],
            ),
        ],
        [
            Requirement(
                "memory: at most 3 % more at the end than after a fifth of the time",
                {"all": early * 1.03 / later},
            ),
            Requirement("no 5xx", {"all": 2.0 if not failed else 0.0}),
            Requirement("sum of charges exact", {"all": 2.0 if found["exact"] else 0.0}),
        ],
        [f"Statuses {mix.statuses}; slots used {found['used']}, missed {found['missed']}."],
    )


def main() -> int:
    """The number of requirements that are missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--analysts", type=int, default=ANALYSTS)
    parser.add_argument("--soak", action="store_true", help="judge memory alone")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        run_server(chosen.serve, soak=chosen.soak)
        return 0
    result = (run_soak if chosen.soak else run)(chosen.seconds, chosen.analysts)
    print(result)
    return sum(requirement.missed for requirement in result.requirements)


if __name__ == "__main__":
    sys.path.append(str(ROOT))
    sys.exit(main())
