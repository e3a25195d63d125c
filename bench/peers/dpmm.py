"""dpmm's AIM and MST on the same codes, domains and promise as ours; they are told the number of rows."""

from time import process_time

import numpy as np
import pandas as pd
from coded import DELTA, SEEDS, mean_distance, tables
from dpmm.pipelines import AIMPipeline, MSTPipeline  # type: ignore[import-not-found]
from timing import emit, serve

EPSILON = 1.0
PIPELINES = {"dpmm MST": MSTPipeline, "dpmm AIM": AIMPipeline}


def synthetic() -> None:
    """Distances and CPU seconds of each pipeline, means over seeds."""
    for name, codes in tables().items():
        if name == "NIST":  # AIM takes five minutes there for each table
            continue
        frame = pd.DataFrame(codes.rows, columns=list(codes.names))
        domain = dict(zip(codes.names, map(int, codes.sizes), strict=True))
        for who, pipeline in PIPELINES.items():
            found = []
            for seed in range(SEEDS):
                start = process_time()
                made = pipeline(
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
            emit(who, f"{name}, {EPSILON:g}", **means)


if __name__ == "__main__":
    serve(synthetic=synthetic)
