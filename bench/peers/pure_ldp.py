"""pure-ldp's oracles: a call for each report, and one for each count."""

from math import exp
from time import process_time
from typing import Any

import numpy as np
from columns import PEER_CASES, PEER_PEOPLE, peer_case, peer_column, peer_turns
from pure_ldp.frequency_oracles.direct_encoding import (  # type: ignore[import-not-found]
    DEClient,
    DEServer,
)
from pure_ldp.frequency_oracles.hadamard_response import (  # type: ignore[import-not-found]
    HadamardResponseClient,
    HadamardResponseServer,
)
from pure_ldp.frequency_oracles.local_hashing import (  # type: ignore[import-not-found]
    LHClient,
    LHServer,
)
from pure_ldp.frequency_oracles.unary_encoding import (  # type: ignore[import-not-found]
    UEClient,
    UEServer,
)
from timing import emit, serve

NAMES = ("k-ary", "unary, optimised", "unary, symmetric", "Hadamard", "local hashing")


def oracles(name: str, count: int, epsilon: float) -> tuple[Any, Any]:
    """A client and a server; values are numbered from zero, so none is mapped."""
    same = {"index_mapper": lambda value: value}
    if name == "k-ary":
        return DEClient(epsilon, count, **same), DEServer(epsilon, count, **same)
    if name.startswith("unary"):
        best = name == "unary, optimised"
        return UEClient(epsilon, count, best, **same), UEServer(epsilon, count, best, **same)
    if name == "local hashing":
        return LHClient(epsilon, count, use_olh=True, **same), LHServer(
            epsilon, count, use_olh=True, **same
        )
    server = HadamardResponseServer(epsilon, count, **same)
    return HadamardResponseClient(epsilon, count, server.get_hash_funcs(), **same), server


def local() -> None:
    """Squared error for each person, by closed form and measured, and reports per CPU second; 1 where it fails."""
    for count, epsilon in PEER_CASES:
        held, turns = peer_column(count), peer_turns(count)
        truth = np.bincount(held, minlength=count)
        for name in NAMES:
            case = peer_case(name, count, epsilon)
            errors, seconds = [], 0.0
            try:
                for _ in range(turns):
                    client, server = oracles(name, count, epsilon)
                    start = process_time()
                    for value in held:
                        server.aggregate(client.privatise(int(value)))
                    found = np.array([server.estimate(value) for value in range(count)])
                    seconds += process_time() - start
                    errors.append(np.square(found - truth).mean() / PEER_PEOPLE)
            except Exception as error:  # noqa: BLE001 -- that it fails is what is shown
                emit("pure-ldp", case, **{f"{type(error).__name__}: {error}": 1})
                continue
            emit("pure-ldp", case, error=float(np.mean(errors)), rate=turns * len(held) / seconds)
            if name != "Hadamard" or epsilon <= 1:
                emit("pure-ldp", case, closed=closed_form(name, server, epsilon, count))


def closed_form(name: str, server: Any, epsilon: float, count: int) -> float:
    """The expected error of their estimate, by the probabilities that their server has.

    Above an epsilon of one their Hadamard response divides the values into blocks, and has no such form.
    """
    if name == "Hadamard":
        p, q = exp(epsilon) / (1 + exp(epsilon)), 1 / 2
    else:
        p, q = float(server.p), float(server.q)
    share = 1 / count  # all values together are held by everyone once
    return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2


if __name__ == "__main__":
    serve(local=local)
