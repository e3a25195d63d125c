"""PipelineDP: the standard deviation of noise, and what is said when a call is forgotten."""

from importlib import import_module
from typing import Any

import pipeline_dp as pdp  # type: ignore[import-not-found]
from failures.telling import Seen, refusal, tell

ROWS = [(n // 3, "AB"[n % 2], n % 10) for n in range(300)]
COUNT, SUM, MEAN = pdp.Metrics.COUNT, pdp.Metrics.SUM, pdp.Metrics.MEAN


def released(*metrics: Any, computed: bool = True) -> dict[str, float]:
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-6)
    parameters = pdp.AggregateParams(
        metrics=list(metrics),
        max_partitions_contributed=2,
        max_contributions_per_partition=3,
        min_value=0,
        max_value=9,
        output_noise_stddev=True,
    )
    extractors = pdp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    engine = pdp.DPEngine(accountant, pdp.LocalBackend())
    result = engine.aggregate(ROWS, parameters, extractors, public_partitions=["A", "B"])
    if computed:
        accountant.compute_budgets()
    return dict(dict(result)["A"]._asdict())


def deviation() -> Seen:
    """For which measures a standard deviation is given when it is asked for."""
    asked = {"COUNT, SUM": (COUNT, SUM), "COUNT, MEAN": (COUNT, MEAN), "MEAN": (MEAN,)}
    given = {
        what: sum("stddev" in name for name in released(*metrics))
        for what, metrics in asked.items()
    }
    told = "; ".join(f"{what}: {number}" for what, number in given.items())
    return given["COUNT, MEAN"] == 0, f"standard deviations given: {told}"


def errors() -> Seen:
    """What is said when the budgets are not computed, and which parts cannot be imported."""
    said = refusal(lambda: released(COUNT, computed=False))
    gone = [
        name
        for name in ("pipeline_dp.dataframes", "analysis")
        if refusal(lambda name=name: import_module(name))
    ]
    return bool(
        gone
    ), f"forgotten compute_budgets(): {type(said).__name__}; not importable: {', '.join(gone)}"


if __name__ == "__main__":
    tell({"V17, deviations": deviation, "V17, errors": errors})
