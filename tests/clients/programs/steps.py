"""What the programs of all clients share: where the server is, and steps that are counted and reported line by line.

A program is run by itself, against a vault or against a real PostgreSQL: there it is recorded, and steps that only a
vault has are left out. Each step prints one line, `ok name` or `FAIL name | why`.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

WHERE = json.loads(os.environ["TACIT_CLIENT"])
"""host, port, database, name, password, ca (a certificate), is_vault."""
IS_VAULT: bool = WHERE["is_vault"]
OPTIONS = "-c tacit.epsilon=0.05" if IS_VAULT else ""
COUNTS = "SELECT test, COUNT(*) AS n FROM labs GROUP BY test"
BY_TEST = "SELECT COUNT(*) AS n FROM labs WHERE test = "
TESTS = {"hdl", "sbp"}
COLUMNS = ["test", "value", "day", "patient"] if IS_VAULT else ["patient", "test", "value", "day"]
"""Of labs; a vault lists declared columns first."""


def dsn(**more: str) -> str:
    """The connection string of libpq."""
    said = {
        "host": WHERE["host"],
        "port": str(WHERE["port"]),
        "dbname": WHERE["database"],
        "user": WHERE["name"],
        "password": WHERE["password"],
        **({"sslmode": "verify-full", "sslrootcert": WHERE["ca"]} if IS_VAULT else {}),
        **({"options": OPTIONS} if OPTIONS else {}),
        **more,
    }
    return " ".join(f"{name}='{value}'" for name, value in said.items())


def address(scheme: str = "postgresql", **more: str) -> str:
    """The same as an address."""
    from urllib.parse import quote

    said = {
        **({"sslmode": "verify-full", "sslrootcert": WHERE["ca"]} if IS_VAULT else {}),
        **({"options": OPTIONS} if OPTIONS else {}),
        **more,
    }
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in said.items() if value)
    place = f"{WHERE['host']}:{WHERE['port']}/{WHERE['database']}"
    return f"{scheme}://{WHERE['name']}:{quote(WHERE['password'], safe='')}@{place}?{query}"


def step(name: str, do: Callable[[], Any], *, vault_only: bool = False) -> Any:
    """Take a step and say how it went."""
    if vault_only and not IS_VAULT:
        return None
    try:
        found = do()
    except Exception as error:  # noqa: BLE001 -- whatever a client raises is a step that failed
        why = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        print(f"FAIL {name} | {why}", flush=True)
        return None
    print(f"ok   {name}", flush=True)
    return found


def expect(condition: Any, why: object = "") -> None:
    """Fail the step unless the condition holds."""
    if not condition:
        raise AssertionError(str(why)[:300])


def check_counts(rows: Any) -> None:
    """That an answer has a whole number for each test; from an empty PostgreSQL, that it has none."""
    found = {row[0]: row[1] for row in rows}
    expect(set(found) == (TESTS if IS_VAULT else set()), found)
    expect(all(isinstance(n, int) for n in found.values()), found)


def refused(do: Callable[[], Any], *said: str) -> None:
    """That something is refused with one of these texts."""
    try:
        do()
    except Exception as error:  # noqa: BLE001 -- clients have errors of their own
        text = f"{type(error).__name__} {error} {getattr(error, 'sqlstate', '')} {getattr(error, 'pgcode', '')}"
        expect(any(each.lower() in text.lower() for each in said), text)
    else:
        raise AssertionError("it was not refused")


def cancelled_by(cancel: Callable[[], Any], ask: Callable[[str], Any], question: str) -> bool:
    """Whether a question ends in its cancelling: it is asked on a thread, and cancelled until it is over."""
    said: list[Exception] = []

    def run() -> None:
        try:
            ask(question)
        except Exception as error:  # noqa: BLE001 -- clients have errors of their own
            said.append(error)

    asking = threading.Thread(target=run)
    asking.start()
    while asking.is_alive():
        cancel()
        time.sleep(0.02)
    return any("cancel" in f"{type(each).__name__} {each}".lower() for each in said)


def until_cancelled(first: int, tried: Callable[[str], bool]) -> None:
    """Ask and cancel until one is cancelled before its slot ends: on a busy machine one may be over too soon."""
    expect(any(tried(WIDE.format(day)) for day in range(first, 30, 8)), "none was cancelled")


TOO_DEAR = "SELECT test, COUNT(*) AS n FROM labs WHERE day < {} GROUP BY test"
"""A question that was not asked before; the price is set so high that it does not fit into the limit."""
WIDE = "SELECT test, COUNT(*) AS n FROM labs WHERE day > {} GROUP BY test"
sys.tracebacklimit = 3
