"""multi-freq-ldpy's oracles: a call for each report, an aggregator that clips and normalises."""

from time import process_time
from typing import Any

import numpy as np
from columns import PEER_CASES, PEER_PEOPLE, peer_case, peer_column, peer_turns
from multi_freq_ldpy.pure_frequency_oracles.GRR import (  # type: ignore[import-not-found]
    GRR_Aggregator_MI,
    GRR_Client,
)
from multi_freq_ldpy.pure_frequency_oracles.LH import (  # type: ignore[import-not-found]
    LH_Aggregator_MI,
    LH_Client,
)
from multi_freq_ldpy.pure_frequency_oracles.SS import (  # type: ignore[import-not-found]
    SS_Aggregator_MI,
    SS_Client,
)
from multi_freq_ldpy.pure_frequency_oracles.UE import (  # type: ignore[import-not-found]
    UE_Aggregator_MI,
    UE_Client,
)
from timing import emit, serve


def oracles(count: int, epsilon: float) -> dict[str, tuple[Any, Any]]:
    """A client and an aggregator of each kind."""
    return {
        "k-ary": (
            lambda v: GRR_Client(v, count, epsilon),
            lambda r: GRR_Aggregator_MI(r, count, epsilon),
        ),
        "unary, optimised": (
            lambda v: UE_Client(v, count, epsilon, True),
            lambda r: UE_Aggregator_MI(r, epsilon, True),
        ),
        "unary, symmetric": (
            lambda v: UE_Client(v, count, epsilon, False),
            lambda r: UE_Aggregator_MI(r, epsilon, False),
        ),
        "subset": (
            lambda v: SS_Client(v, count, epsilon),
            lambda r: SS_Aggregator_MI(r, count, epsilon),
        ),
        "local hashing": (
            lambda v: LH_Client(v, count, epsilon, True),
            lambda r: LH_Aggregator_MI(r, count, epsilon, True),
        ),
    }


def local() -> None:
    """Squared error for each person, after their clipping, and reports per CPU second; 1 where it fails."""
    for count, epsilon in PEER_CASES:
        held, turns = peer_column(count), peer_turns(count)
        truth = np.bincount(held, minlength=count)
        for name, (encode, aggregate) in oracles(count, epsilon).items():
            case = peer_case(name, count, epsilon)
            errors, seconds = [], 0.0
            try:
                for _ in range(turns):
                    start = process_time()
                    found = aggregate([encode(int(value)) for value in held])
                    seconds += process_time() - start
                    errors.append(
                        np.square(np.asarray(found) * PEER_PEOPLE - truth).mean() / PEER_PEOPLE
                    )
            except Exception as error:  # noqa: BLE001 -- that it fails is what is shown
                emit("multi-freq-ldpy", case, **{f"{type(error).__name__}: {error}": 1})
                continue
            emit(
                "multi-freq-ldpy",
                case,
                clipped=float(np.mean(errors)),
                rate=turns * PEER_PEOPLE / seconds,
            )


if __name__ == "__main__":
    serve(local=local)
