"""Counts by keys that nobody declares, CPU seconds: ours from text to release, the peers' and plain DuckDB's.

bench/keys.py                the part that needs no peer
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import count

import duckdb
import engine
import rows
from cases import BOUND, CODES, DELTA, MANY
from environments import Readings, measure, say
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.curator import Vault

RAW, MOST, TURNS = 2.5, 2.3, 4
PEERS = ("OpenDP", "Qrlew")
WHO = ("plain", "tacit, declared keys", "tacit", *PEERS)
# a higher price is a new question, whose answer is not known
prices = (1 + Fraction(turn, 1024) for turn in count())


def vault(declared: bool) -> Vault:
    """A vault with a limit that is never reached."""
    names = [f"code {i:04d}" for i in range(CODES)]
    columns = {"code": {"type": "text", "values": names} if declared else {"type": "text"}}
    held = {"unit": "person", "contributions": BOUND, "keys": BOUND, "name": "visits"}
    return tacit.protect(
        rows.kept_codes(MANY), columns=columns, epsilon=10_000, delta=DELTA, **held
    )


def ask(asked: Vault) -> object:
    """A question that was not asked before, from its text to its release."""
    return asked.sql("SELECT code, COUNT(*) AS n FROM visits GROUP BY code", epsilon=next(prices))


def run(peers: bool = True) -> Result:
    """The table of CPU seconds."""
    file = rows.kept_codes(MANY)
    say("keys: tacit and plain DuckDB in turns")
    with duckdb.connect() as theirs:
        theirs.execute("SET enable_progress_bar = false")
        works: dict[str, Callable[[], object]] = {
            "plain": partial(
                engine.fetched, theirs, f"SELECT code, count(*) FROM '{file}' GROUP BY code"
            ),
            "tacit, declared keys": partial(ask, vault(declared=True)),
            "tacit": partial(ask, vault(declared=False)),
        }
        found: Readings = {
            (who, "count", "seconds"): spent for who, spent in engine.best(works, TURNS).items()
        }
    for peer in ("opendp_polars", "qrlew") if peers else ():
        found |= measure(peer, "keys")
    seconds = {who: found.get((who, "count", "seconds")) for who in WHO}
    return Result(
        "Unknown keys",
        [
            Table(
                f"CPU seconds of a count by {CODES:,} unknown keys, {MANY:,} rows in raw Parquet, {BOUND} keys each",
                WHO,
                [tuple(shown(seconds[who]) for who in WHO)],
            )
        ],
        [
            Requirement(
                f"at least {RAW} × faster than each peer",
                {peer: ratio(ratio(seconds[peer], seconds["tacit"]), RAW) for peer in PEERS},
            ),
            Requirement(f"at most {MOST} CPU seconds", {"count": ratio(MOST, seconds["tacit"])}),
        ],
    )


if __name__ == "__main__":
    print(run(peers=False))
