"""Kill servers while twenty clients ask, and look whether any promise was broken: `python -m tests.server_crash`.

A process that has imported everything is the template: it forks one server after another over the same vault and the
same listening socket, and one process with twenty clients, each a `tacit.connect`.  A server kills itself (-9) when a
named step is reached for the nth time; clients that were cut off try again at the next one.  What clients are told they
write down.  In the end a server without a trap answers everything once more, is stopped in order, and the ledger is
compared with what was told.  The result is printed as one line of JSON.
"""

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn

import tacit
from tacit.curator import Vault, read_policy
from tacit.curator import ask as _asking
from tacit.engines import Memory
from tacit.engines.duckdb.engine import DuckDB
from tacit.errors import LedgerRefused, ServerUnavailable
from tacit.ledger import Anchor, DurableLedger, Entry, MemoryLedger
from tacit.ledger.transaction import Page
from tacit.remote.connection import Connection
from tacit.remote.vault import RemoteVault
from tacit.server import Desk, Identities, Rates, Slots, Waiting
from tacit.server.http.app import make_app
from tacit.server.idempotency import Keys
from tacit.server.sessions import Sessions
from tests.unit.server.clinics import PLENTY, make_folder

asking: Any = _asking
CLIENTS = 20
ANALYSTS = ("ana", "ben", "cyn", "dan")
POLICY = """\
[limit]
epsilon = 4000
delta = 0

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0, high = 50 }
""" + "".join(f"\n[analysts.{name}]\nepsilon = 1000\n" for name in ANALYSTS)

STEPS = (
    "before the key",
    "key written",
    "allowance taken",
    "slot reserved",
    "before the charge",
    "within the charge",
    "charged, before the anchor",
    "charged",
    "looked",
    "hidden",
    "within the answer",
    "answered, before the anchor",
    "answered",
    "slot ended",
    "answer kept under the key",
    "response begun",
    "response sent",
    "at random",
)
MUTANTS = {  # wrong servers, and the step at which each shows it
    "another-key-each-time": "charged",
    "told-but-not-kept": "response sent",
}
QUICK = Path("/dev/shm")


def main() -> int:
    """Nothing went wrong: 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", action="store_true", help="see what is found of wrong servers")
    chosen = parser.parse_args()
    found: dict[str, Any] = {}
    for mutant in MUTANTS if chosen.mutants else [None]:
        told = run(chosen.kills, random.Random(chosen.seed), mutant)
        found = told if mutant is None else {**found, mutant: told["violations"]}
    found["cpu"] = round(sum(sum(resource.getrusage(who)[:2]) for who in (0, -1)), 1)
    print(json.dumps(found))
    return 0


def run(kills: int, rng: random.Random, mutant: str | None) -> dict[str, Any]:
    """What was violated, how often, and at which steps servers were killed."""
    with TemporaryDirectory(dir=QUICK if QUICK.is_dir() else None) as place:
        home = Path(place)
        os.environ["TACIT_ANCHORS"] = str(home / "anchors")
        make_folder(home / "clinic", POLICY, rows=40)
        tokens = add_people(home)
        if not READY:
            warm_up(home)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        clients = forked(lambda: ask_as_many(home, url, tokens))
        try:
            killed = kill_servers(kills, home, listening, rng, mutant)
        except BaseException:
            os.kill(clients, signal.SIGKILL)
            os.waitpid(clients, 0)
            raise
        (home / "enough").touch()
        server = forked(lambda: serve(home, listening, Trap(), mutant))
        code = os.waitpid(clients, 0)[1]
        if code and not mutant:
            raise AssertionError(f"the clients ended with {code}")
        os.kill(server, signal.SIGTERM)
        stopped = os.waitpid(server, 0)[1]
        violations, told = audit(home)
        if stopped:
            violations["not stopped in order"] += 1
        return {
            "killed": killed.total(),
            "at": dict(killed),
            "answers": told,
            "violations": dict(violations),
        }


def warm_up(home: Path) -> None:
    """Do once what every server does, without DuckDB's threads: what is imported and made then, forks have."""
    policy = read_policy(home / "clinic" / "tacit.toml").policy
    table = policy.tables["visits"].asked_table
    rows = [{"patient": n, "ward": "AB"[n % 2], "cost": n % 50} for n in range(20)]
    limits = {name: limit.filter() for name, limit in policy.analysts.items()}
    ledger = MemoryLedger(policy.limit.filter(), limits)
    made = Vault(policy, {"visits": Memory({table: rows})}, ledger)
    made.of("ana").sql(question(0), epsilon=0.125)
    READY.append(make_app(DESK, SESSIONS, secure=False))
    gc.collect()
    gc.freeze()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "threads do not survive a fork"


class Later:
    """Stands for an object that each server makes for itself: the application is made before."""

    def __init__(self) -> None:
        self.real: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


DESK: Any = Later()
SESSIONS: Any = Later()
READY: list[Any] = []


def kill_servers(
    kills: int, home: Path, listening: socket.socket, rng: random.Random, mutant: str | None
) -> Counter[str]:
    """One server after another, each of which ends at a step."""
    killed: Counter[str] = Counter()
    for turn in range(kills):
        step = STEPS[turn % len(STEPS)] if mutant is None else MUTANTS[mutant]
        trap = Trap(step, rng.choice((1, 1, 2, 4)) if mutant is None else 2)
        server = forked(partial(serve, home, listening, trap, mutant))
        if step == "at random":
            time.sleep(0.3 + rng.random() * 0.4)
            os.kill(server, signal.SIGKILL)
        code = os.waitpid(server, 0)[1]
        if not os.WIFSIGNALED(code):
            raise AssertionError(f"a server that was to be killed ended with {code}")
        killed[step] += 1
    return killed


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - a child must not go on as its parent
        print(type(error).__name__, error, file=sys.stderr)
        os._exit(1)


def add_people(home: Path) -> dict[str, str]:
    people = Identities(home / "clinic" / "identities.sqlite")
    for name in ANALYSTS:
        people.add(name, "analyst")
    tokens = {name: people.new_token(name) for name in ANALYSTS}
    people.close()
    return tokens


# ---------------------------------------------------------------- a server


def serve(home: Path, listening: socket.socket, trap: "Trap", mutant: str | None) -> None:
    """One server over the vault, until it falls into its trap or is stopped."""
    folder = home / "clinic"
    people = Identities(folder / "identities.sqlite")
    desk = Desk(
        tacit.open(folder),
        people,
        slots=Slots(workers=8, lengths=(0.03, 1.0)),
        rates=Rates(PLENTY),
        waiting=Waiting(1000),
    )
    if mutant is not None:
        plant(mutant)
    trap.set()
    DESK.real, SESSIONS.real = desk, Sessions(people)
    config = uvicorn.Config(
        watch_responses(READY[0]), log_level="critical", lifespan="off", access_log=False
    )
    server = uvicorn.Server(config)

    async def whole() -> None:
        await server.serve(sockets=[listening])
        await desk.drain()

    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # uvicorn raises it again when it has stopped
        asyncio.run(whole())
    desk.close()


def watch_responses(app: Any) -> Any:
    """The application; two steps are when a response has begun, and when it is sent."""

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        paid = scope.get("path") == "/api/v1/answers"

        async def sending(message: Any) -> None:
            await send(message)
            if paid:
                begun = message["type"] == "http.response.start"
                Trap.at("response begun" if begun else "response sent")

        await app(scope, receive, sending)

    return watched


class Trap:
    """Kills the process when a step is reached for the nth time."""

    armed: "Trap | None" = None

    def __init__(self, step: str = "never", nth: int = 0) -> None:
        self.step, self.left = step, nth

    @classmethod
    def at(cls, step: str) -> None:
        trap = cls.armed
        if trap is not None and trap.step == step:
            trap.left -= 1
            if trap.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def set(self) -> None:
        """Wrap every step, whatever objects there will be."""
        Trap.armed = self
        storing = threading.local()

        def around(owner: Any, name: str, before: str | None, after: str | None) -> None:
            real = getattr(owner, name)

            def watched(*given: Any, **named: Any) -> Any:
                if before is not None:
                    Trap.at(before)
                found = real(*given, **named)
                if after is not None:
                    Trap.at(after)
                return found

            setattr(owner, name, watched)

        around(Keys, "begin", "before the key", "key written")
        around(Keys, "end", "slot ended", "answer kept under the key")
        around(Identities, "spend", None, "allowance taken")
        around(Slots, "reserve", None, "slot reserved")
        around(DurableLedger, "charge", "before the charge", "charged")
        around(DuckDB, "evaluate", None, "looked")
        around(asking, "release_exact", None, "hidden")
        settle, close, advance = DurableLedger.settle, Page.close, Anchor.advance
        patched: Any = DurableLedger, Page, Anchor

        def watched_settle(*given: Any) -> Entry:
            storing.now = True
            entry = settle(*given)
            storing.now = False
            Trap.at("answered")
            return entry

        def watched_close(page: Page) -> None:
            close(page)
            now = getattr(storing, "now", False)
            Trap.at("within the answer" if now else "within the charge")

        def watched_advance(anchor: Anchor, head: Any) -> None:
            now = getattr(storing, "now", False)
            Trap.at("answered, before the anchor" if now else "charged, before the anchor")
            advance(anchor, head)

        patched[0].settle = watched_settle
        patched[1].close = watched_close
        patched[2].advance = watched_advance


def plant(mutant: str) -> None:
    """A server that is wrong in one way."""
    charge = DurableLedger.charge
    patched: Any = DurableLedger

    def charge_anew(self: Any, key: bytes, *given: Any, **named: Any) -> Entry:
        return charge(self, key + os.getpid().to_bytes(4), *given, **named)

    def keep_nothing(self: Any, entry: Entry, payload: bytes) -> Entry:
        return replace(entry, payload=payload)

    if mutant == "another-key-each-time":
        patched.charge = charge_anew
    else:
        patched.settle = keep_nothing


# ---------------------------------------------------------------- clients


def ask_as_many(home: Path, url: str, tokens: dict[str, str]) -> None:
    """Twenty clients ask until there were enough kills, then everything once more."""
    failures: list[str] = []

    def run_client(number: int) -> None:
        try:
            told = ask(home, url, number, tokens)
            (home / f"{number}.told").write_text("\n".join(map(json.dumps, told)))
        except BaseException as error:  # noqa: BLE001 - said in the end
            failures.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=run_client, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise AssertionError(failures[0])


def ask(home: Path, url: str, number: int, tokens: dict[str, str]) -> list[dict[str, Any]]:
    """What one client is told.  Five clients share an analyst, and ask the same questions in another order."""
    name = ANALYSTS[number % len(ANALYSTS)]
    rng = random.Random(number)
    there = RemoteVault(Connection(url, tokens[name], sleep=lambda _: time.sleep(0.02), timeout=30))
    told: list[dict[str, Any]] = []
    asked = 0
    while not (home / "enough").exists():
        text = question(asked + rng.randrange(2))
        asked += 1
        told.append({"analyst": name, "sql": text, **answer(there, text)})
        time.sleep(0.05)
    texts = sorted({each["sql"] for each in told})
    again = rng.sample(texts, min(4, len(texts)))
    told += [{"analyst": name, "sql": text, **answer(there, text)} for text in again]
    there.close()
    return told


def question(number: int) -> str:
    return f"SELECT ward, COUNT(*) AS n FROM visits WHERE cost > {number} / 64 GROUP BY ward"


def answer(there: RemoteVault, text: str) -> dict[str, Any]:
    """An answer, whatever happens to servers meanwhile."""
    for _ in range(500):
        try:
            release = there.sql(text, epsilon=0.125)
        except ServerUnavailable:
            continue
        whole = repr((release.rows, sorted(release.receipt.items()))).encode()
        return {"bytes": sha256(whole).hexdigest(), "key": release.receipt["key"]} | {
            "answer": release.receipt["answer"]
        }
    raise AssertionError("no server answers")


# ---------------------------------------------------------------- the audit


def audit(home: Path) -> tuple[Counter[str], int]:
    """How often each promise was broken, and how many answers were told."""
    lines = [
        json.loads(line) for file in home.glob("*.told") for line in file.read_text().splitlines()
    ]
    found: Counter[str] = Counter()
    try:
        vault = tacit.open(home / "clinic")
        vault.verify()
    except LedgerRefused:
        return Counter({"refused ledger": 1}), len(lines)
    entries = list(vault.ledger.entries())
    kept = {
        (entry.analyst, entry.key.hex(), sha256(entry.payload).hexdigest())
        for entry in entries
        if entry.payload is not None
    }
    found["told and not kept"] = sum(
        1 for each in lines if (each["analyst"], each["key"], each["answer"]) not in kept
    )
    by_question: dict[tuple[str, str], set[str]] = {}
    for each in lines:
        by_question.setdefault((each["analyst"], each["sql"]), set()).add(each["bytes"])
    found["other bytes"] = sum(1 for each in by_question.values() if len(each) > 1)
    charged = Counter((entry.analyst, entry.about) for entry in entries)
    found["charged twice"] = sum(1 for many in charged.values() if many > 1)
    for name in (None, *ANALYSTS):
        amounts = [each.charge.amount for each in entries if name in {None, each.analyst}]
        found["other sum"] += sum(amounts) != vault.ledger.total_spent(name).amount
    vault.close()
    return +found, len(lines)


if __name__ == "__main__":
    sys.exit(main())
