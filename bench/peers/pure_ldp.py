"""pure-ldp's oracles: a call for each report, and one for each count."""

from time import process_time
from typing import Any

import numpy as np
from columns import AGES, PEER_EPSILON, PEER_PEOPLE, age_column
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

TURNS = 5


def oracles(name: str) -> tuple[Any, Any]:
    """A client and a server; values are numbered from zero, so none is mapped."""
    same = {"index_mapper": lambda value: value}
    if name == "k-ary":
        return DEClient(PEER_EPSILON, AGES, **same), DEServer(PEER_EPSILON, AGES, **same)
    if name == "unary, optimised":
        return UEClient(PEER_EPSILON, AGES, True, **same), UEServer(
            PEER_EPSILON, AGES, True, **same
        )
    if name == "local hashing":
        return LHClient(PEER_EPSILON, AGES, use_olh=True, **same), LHServer(
            PEER_EPSILON, AGES, use_olh=True, **same
        )
    server = HadamardResponseServer(PEER_EPSILON, AGES, **same)
    return HadamardResponseClient(PEER_EPSILON, AGES, server.get_hash_funcs(), **same), server


def local() -> None:
    """Squared error for each person and reports per CPU second; 1 where it fails."""
    held = age_column()[:PEER_PEOPLE]
    truth = np.bincount(held, minlength=AGES)
    for name in ("k-ary", "unary, optimised", "Hadamard", "local hashing"):
        errors, seconds = [], 0.0
        try:
            for _ in range(TURNS):
                client, server = oracles(name)
                start = process_time()
                for value in held:
                    server.aggregate(client.privatise(int(value)))
                found = np.array([server.estimate(value) for value in range(AGES)])
                seconds += process_time() - start
                errors.append(np.square(found - truth).mean() / PEER_PEOPLE)
        except Exception as error:  # noqa: BLE001 -- that it fails is what is shown
            print(f"{name}: {type(error).__name__}: {error}")
            emit("pure-ldp", name, failed=1)
            continue
        emit("pure-ldp", name, error=float(np.mean(errors)), rate=TURNS * PEER_PEOPLE / seconds)


if __name__ == "__main__":
    serve(local=local)
