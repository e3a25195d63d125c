"""Kills clients of one vault in the middle of asking, and looks at what the ledger and the clients remember.

python -m tests.crash --trials 300                       what the real vault does: no violations
python -m tests.crash --trials 60 --mutant release-first what a wrong one does: some

In every trial four processes ask the same few questions of one vault.  Three of them are killed with SIGKILL, each at
another named step of asking, or at a random instant.  What a client is told it writes to a log before it goes on.  Then
the ledger is opened anew and compared with the logs.  The result is printed as one line of JSON.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Never

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.curator import ask as _asking
from tacit.curator.priced_question import Asked, describe, price_plan
from tacit.engines import Memory
from tacit.errors import EngineFailed, LedgerRefused, LimitExceeded
from tacit.ledger import Anchor, DurableLedger, Entry, Founding, fields_of, sqlite_ledger
from tacit.ledger.transaction import Page
from tacit.plan import Column, Kind, Plan, Question, Table, Weights, canonical, read_sql

asking: Any = _asking
VISITS = Table(
    "visits",
    (Column("ward", Kind.TEXT, values=("A", "B")), Column("age", Kind.INTEGER, 0, 99)),
    "patient",
)
ROWS = [{"patient": n % 7, "ward": "AB"[n % 2], "age": n} for n in range(20)]
# ample, and soon exhausted
POLICIES = [Policy(Limit(epsilon), {"visits": Shared(VISITS, 3)}) for epsilon in (60, 9)]
QUESTIONS = [
    f"SELECT ward, COUNT(*) AS n FROM visits WHERE age > {bound} GROUP BY ward"
    for bound in range(90)
]
PRICES = (Fraction(1, 4), Fraction(1, 2))

STEPS = (
    "before the charge",
    "within the charge",
    "charged, before the anchor",
    "charged",
    "looked",
    "hidden",
    "within the answer",
    "answered, before the anchor",
    "answered",
    "sent",
    "at random",
)
VICTIMS = 3
# a killed process takes nothing along that it has written, wherever it has
QUICK = Path("/dev/shm")
MUTANTS = ("release-first", "charge-after", "refund-on-error")


def main() -> int:
    """Nothing went wrong: 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutant", choices=MUTANTS)
    chosen = parser.parse_args()
    found = trials(chosen.trials, random.Random(chosen.seed), chosen.mutant)
    print(json.dumps(found))
    return 0


def trials(count: int, rng: random.Random, mutant: str | None) -> dict[str, Any]:
    """What was violated, how often, and how many clients were killed at each step, until so many were."""
    violations: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    released = vaults = 0
    while killed.total() < count:
        with TemporaryDirectory(dir=QUICK if QUICK.is_dir() else None) as folder:
            home, policy = Path(folder), POLICIES[vaults % 3 == 2]
            turns = deque(STEPS)
            turns.rotate(vaults)
            for _ in range(0, len(STEPS), VICTIMS):  # every step comes up
                killed += trial(home, policy, list(turns)[:VICTIMS], rng, mutant)
                turns.rotate(-VICTIMS)
            found, seen = audited(home, policy)
            violations += found
            released += seen
        vaults += 1
    return {
        "killed": killed.total(),
        "at": dict(killed),
        "releases": released,
        "violations": dict(violations),
    }


def trial(
    home: Path, policy: Policy, steps: list[str], rng: random.Random, mutant: str | None
) -> Counter[str]:
    """The steps at which a victim was killed in the end; some questions are answered without reaching a step."""
    shared = rng.sample(QUESTIONS, 4)
    traps = [Trap(step, rng.choice((1, 1, 2))) for step in steps]
    victims, other = (
        [
            _forked(partial(client, home, policy, trap, shared, rng.getrandbits(32), mutant))
            for trap in some
        ]
        for some in (traps, [Trap()])
    )
    if "at random" in steps:
        time.sleep(rng.random() * 0.12)
        with suppress(ProcessLookupError):
            os.kill(victims[steps.index("at random")], signal.SIGKILL)
    *codes, last = (os.waitpid(child, 0)[1] for child in (*victims, *other))
    for code in (last, *(code for code in codes if not os.WIFSIGNALED(code))):
        if code and not mutant:  # a wrong vault may well make others stumble
            raise AssertionError(f"a client that nobody killed ended with {code}")
    return Counter(step for step, code in zip(steps, codes, strict=True) if os.WIFSIGNALED(code))


def _forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - a child must not go on as its parent
        print(type(error).__name__, error, file=sys.stderr)
        os._exit(1)


# ---------------------------------------------------------------- a client


def client(
    home: Path, policy: Policy, trap: "Trap", shared: list[str], seed: int, mutant: str | None
) -> None:
    """Asks a few questions and writes down what it is told, until it falls into its trap."""
    rng = random.Random(seed)
    log = os.open(home / f"{os.getpid()}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ledger = opened(home, policy)
    engine = Watched(log, rng if mutant == "refund-on-error" else None)
    kind = Wrong if mutant else Vault
    vault = kind(policy, {"visits": engine}, ledger)
    if isinstance(vault, Wrong):
        vault.mutant, vault.log = mutant or "", log
    trap.set(ledger, engine)
    for text in rng.sample(shared, 2):
        plan = canonical(read_sql(text, {"visits": VISITS}))
        engine.key = price_plan(vault._access, plan, epsilon=PRICES[0]).name.key.hex()
        with suppress(LimitExceeded, EngineFailed):
            answer = vault.ask(plan, epsilon=rng.choice(PRICES))
            told(log, answer.receipt["key"], answer.receipt["answer"])
            Trap.at("sent")
    ledger.close()


def told(log: int, key: str, answer: str) -> None:
    """Write down that an answer was had: the question's key and the answer's digest."""
    _write(log, f"told {key} {answer}\n")


def _write(log: int, line: str) -> None:
    os.write(log, line.encode())


def opened(home: Path, policy: Policy) -> DurableLedger:
    """The ledger of the trials' vault."""
    limit = policy.limit.filter()
    founding = Founding.of("patient", limit)
    return sqlite_ledger(
        home / "ledger.sqlite", founding, limit, anchors=home / "anchors", timeout=60
    )


class Watched(Memory):
    """An engine that writes down which question it looked for, and may fail afterwards."""

    def __init__(self, log: int, failing: random.Random | None) -> None:
        super().__init__({VISITS: ROWS})
        self.log, self.failing, self.key = log, failing, ""

    def evaluate(self, question: Question, weights: Weights) -> Any:
        _write(self.log, f"looked {self.key}\n")
        found = super().evaluate(question, weights)
        if self.failing is not None and self.failing.random() < 0.3:
            raise RuntimeError("an engine failed")
        return found


class Trap:
    """Kills the process at the nth time that a step is reached."""

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

    def set(self, ledger: DurableLedger, engine: Watched) -> None:
        """Wrap every step of asking; what is written is told apart by whether an answer is being stored."""
        Trap.armed = self
        storing = [False]
        charge, settle, evaluate = ledger.charge, ledger.settle, engine.evaluate
        hidden, totals, advance = asking.release_exact, Page.close, Anchor.advance

        def watched_charge(*given: Any, **named: Any) -> Entry:
            Trap.at("before the charge")
            entry = charge(*given, **named)
            Trap.at("charged")
            return entry

        def watched_settle(*given: Any) -> Entry:
            storing[0] = True
            entry = settle(*given)
            storing[0] = False
            Trap.at("answered")
            return entry

        def watched_evaluate(*given: Any) -> Any:
            found = evaluate(*given)
            Trap.at("looked")
            return found

        def watched_released(*given: Any) -> Any:
            found = hidden(*given)
            Trap.at("hidden")
            return found

        def watched_totals(page: Page) -> None:
            totals(page)
            Trap.at("within the answer" if storing[0] else "within the charge")

        def watched_advance(anchor: Anchor, head: Any) -> None:
            Trap.at("answered, before the anchor" if storing[0] else "charged, before the anchor")
            advance(anchor, head)

        patched: Any = ledger, engine, asking, Page, Anchor
        patched[0].charge, patched[0].settle = watched_charge, watched_settle
        patched[1].evaluate = watched_evaluate
        patched[2].release_exact = watched_released
        patched[3].close = watched_totals
        patched[4].advance = watched_advance


# ---------------------------------------------------------------- wrong vaults


class Wrong(Vault):
    """A vault that does things in another order."""

    mutant = ""
    log = 0

    def ask(self, plan: Plan, *unnamed: Never, **asked: Any) -> Any:
        """An answer, had in a wrong way."""
        match self.mutant:
            case "release-first":
                question = price_plan(self._access, plan, epsilon=asked["epsilon"])
                payload = self._looked(question).to_bytes()
                told(self.log, question.name.key.hex(), sha256(payload).hexdigest())
                Trap.at("looked")
                self.ledger.settle(asking._charge(self._access, question), payload)
                return super().ask(plan, **asked)
            case "charge-after":
                self._looked(price_plan(self._access, plan, epsilon=asked["epsilon"]))
                Trap.at("looked")
                return super().ask(plan, **asked)
            case _:
                try:
                    return super().ask(plan, **asked)
                except EngineFailed:
                    _refunded(self.ledger)
                    raise

    def _looked(self, asked: Asked) -> Any:
        terms = asked.terms
        exact = self._access.engines["visits"].evaluate(asked.plan.question, terms.weights)
        return asking.release_exact(terms, exact, describe(self._access, asked, terms))


def _refunded(ledger: Any) -> None:
    """Take the last record out of the ledger if it is a charge, as if it had never been made."""
    with ledger._store.writing() as session:
        last = session.record(session.head().records - 1)
        fields = fields_of(last)
        if fields["kind"] != "charged":
            return
        session._execute("DELETE FROM records WHERE number = ?", (last.number,))
        session._execute("DELETE FROM charges WHERE entry = ?", (fields["entry"],))
        session.set_tally("entries", str(fields["entry"]))
        session.set_tally("spent", f"{fields['before']['amount']} {fields['before']['failure']}")
        ledger._anchor.replace(session.head())


# ---------------------------------------------------------------- the audit


def audited(home: Path, policy: Policy) -> tuple[Counter[str], int]:
    """How often each promise was broken, and how many answers were had."""
    try:
        ledger = opened(home, policy)  # which verifies the chain, the totals and the anchor
    except LedgerRefused:
        return Counter({"refused ledger": 1}), 0
    entries = list(ledger.entries())
    found: Counter[str] = Counter()
    answers = {
        (entry.key.hex(), sha256(entry.payload).hexdigest())
        for entry in entries
        if entry.payload is not None
    }
    keys = {entry.key.hex() for entry in entries}
    lines = [line.split() for line in _lines(home)]
    releases = [tuple(rest) for word, *rest in lines if word == "told"]
    found["uncharged release"] = sum(1 for release in releases if release not in answers)
    found["uncharged look"] = sum(
        1 for word, *rest in lines if word == "looked" and rest[0] not in keys
    )
    found["double charge"] = _doubled(entries)
    spent = sum(entry.charge.amount for entry in entries)
    found["overspent"] = int(
        spent > policy.limit.filter().limit.amount or spent != ledger.total_spent().amount
    )
    ledger.close()
    return +found, len(releases)


def _doubled(entries: list[Entry]) -> int:
    """How often a key was charged again for no higher price."""
    best: dict[bytes, int] = {}
    doubled = 0
    for entry in entries:
        doubled += entry.charge.amount <= best.get(entry.key, 0)
        best[entry.key] = max(best.get(entry.key, 0), entry.charge.amount)
    return doubled


def _lines(home: Path) -> Iterator[str]:
    for log in sorted(home.glob("*.log")):
        yield from log.read_text().splitlines()


if __name__ == "__main__":
    sys.exit(main())
