"""multi-freq-ldpy's oracles: a call for each report, an aggregator that clips and normalises."""

from time import process_time
from typing import Any

import numpy as np
from columns import AGES, PEER_EPSILON, PEER_PEOPLE, PEER_TURNS, age_column
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

CASES: dict[str, tuple[Any, Any]] = {
    "k-ary": (
        lambda v: GRR_Client(v, AGES, PEER_EPSILON),
        lambda r: GRR_Aggregator_MI(r, AGES, PEER_EPSILON),
    ),
    "unary, optimised": (
        lambda v: UE_Client(v, AGES, PEER_EPSILON, True),
        lambda r: UE_Aggregator_MI(r, PEER_EPSILON, True),
    ),
    "subset": (
        lambda v: SS_Client(v, AGES, PEER_EPSILON),
        lambda r: SS_Aggregator_MI(r, AGES, PEER_EPSILON),
    ),
    "local hashing": (
        lambda v: LH_Client(v, AGES, PEER_EPSILON, True),
        lambda r: LH_Aggregator_MI(r, AGES, PEER_EPSILON, True),
    ),
}


def local() -> None:
    """Squared error for each person, after their clipping, and reports per CPU second; 1 where it fails."""
    held = age_column()[:PEER_PEOPLE]
    truth = np.bincount(held, minlength=AGES)
    for name, (encode, aggregate) in CASES.items():
        errors, seconds = [], 0.0
        try:
            for _ in range(PEER_TURNS):
                start = process_time()
                found = aggregate([encode(int(value)) for value in held])
                seconds += process_time() - start
                errors.append(
                    np.square(np.asarray(found) * PEER_PEOPLE - truth).mean() / PEER_PEOPLE
                )
        except Exception as error:  # noqa: BLE001 -- that it fails is what is shown
            print(f"{name}: {type(error).__name__}: {error}")
            emit("multi-freq-ldpy", name, failed=1)
            continue
        emit(
            "multi-freq-ldpy",
            name,
            clipped=float(np.mean(errors)),
            rate=PEER_TURNS * PEER_PEOPLE / seconds,
        )


if __name__ == "__main__":
    serve(local=local)
