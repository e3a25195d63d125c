"""dpmm's AIM and MST on the same codes, domains and promise as ours; they are told the number of rows."""

import os
import resource
import signal
from multiprocessing import Process
from time import process_time

import numpy as np
import pandas as pd
from coded import DELTA, Codes, mean_distance, tables
from dpmm.pipelines import AIMPipeline, MSTPipeline  # type: ignore[import-not-found]
from timing import emit, serve

EPSILON = 1.0
PIPELINES = {"dpmm MST": MSTPipeline, "dpmm AIM": AIMPipeline}
PEER_SEEDS = {
    "dpmm MST": int(os.environ.get("TACIT_MST_SEEDS", "2")),
    "dpmm AIM": int(os.environ.get("TACIT_AIM_SEEDS", "1")),
}
MOST_SECONDS = int(os.environ.get("TACIT_PEER_SECONDS", "900"))
"""CPU seconds of one table after which a pipeline is ended: what did not finish is shown as such."""


def synthetic() -> None:
    """Distances and CPU seconds of each pipeline, means over seeds; each in a process that may be ended."""
    for name, codes in tables().items():
        if name == "NIST":  # AIM takes five minutes there for each table
            continue
        for who in PIPELINES:
            process = Process(target=_measure, args=(name, codes, who))
            process.start()
            process.join()
            if process.exitcode == -signal.SIGXCPU:
                emit(who, f"{name}, {EPSILON:g}", unfinished=float(MOST_SECONDS))
            elif process.exitcode:
                raise RuntimeError(f"{who} ended with {process.exitcode}")


def _measure(name: str, codes: Codes, who: str) -> None:
    """The figures of one pipeline; the system ends this process when its time is up."""
    seeds = PEER_SEEDS[who]
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS * seeds, MOST_SECONDS * seeds + 60))
    frame = pd.DataFrame(codes.rows, columns=list(codes.names))
    domain = dict(zip(codes.names, map(int, codes.sizes), strict=True))
    found = []
    for seed in range(seeds):
        start = process_time()
        made = PIPELINES[who](
            epsilon=EPSILON, delta=DELTA, n_jobs=1, compress=True, disable_processing=True
        )
        made.fit(frame, domain=domain, random_state=seed)
        rows = made.generate(n_records=len(frame), random_state=seed)
        seconds = process_time() - start
        table = rows[list(codes.names)].to_numpy().astype(int)
        figures = {
            "pairs": mean_distance(codes.rows, table, 2),
            "triples": mean_distance(codes.rows, table, 3),
            "seconds": seconds,
        }
        found.append(figures)
    means = {key: float(np.mean([each[key] for each in found])) for key in found[0]}
    emit(who, f"{name}, {EPSILON:g}", seeds=seeds, **means)


if __name__ == "__main__":
    serve(synthetic=synthetic)
