"""PipelineDP on its local backend: all questions under one accountant, which composes privacy-loss distributions."""

import os
import sys
from math import sqrt
from operator import itemgetter
from pathlib import Path
from typing import Any

import pipeline_dp as pdp  # type: ignore[import-not-found]
import pyarrow.parquet as pq
from cases import ASKED, BOUND, DELTA, FEW, LIMIT, MOST, RUNS, WARDS, Asked, Bounds, visits
from timing import emit, serve

SPARK = Path(__file__).resolve().parents[2] / ".venv-spark"
Rows = list[tuple[Any, ...]]
EXTRACT = pdp.DataExtractors(
    privacy_id_extractor=itemgetter(0),
    partition_extractor=itemgetter(1),
    value_extractor=itemgetter(2),
)


Noise = dict[bool, float]
"""How wide the noise of a count is, and of each part of a mean, for a sensitivity of one."""
# of a count and of a mean, so that both cost the same: a mean is two releases
WEIGHTS = {False: 1.0, True: sqrt(2)}


def multipliers() -> None:
    """How wide the noise of counts is, and of the two parts of a mean, for a sensitivity of one."""
    together = found(ASKED)
    emit("PipelineDP", "together", count=together[False], mean=together[True])
    emit("PipelineDP", "alone", count=found(ASKED[-2:-1])[False], mean=found(ASKED[-1:])[True])


def found(asked: list[Asked]) -> Noise:
    """The noise that the accountant finds for these questions: it is wider where their weight is lower."""
    accountant = pdp.PLDBudgetAccountant(total_epsilon=LIMIT, total_delta=DELTA)
    lazy(
        accountant, [(0, WARDS[0], 0.0, 0)], asked, {False: Bounds(1, 1, 1), True: Bounds(1, 1, 1)}
    )
    accountant.compute_budgets()
    return {
        of_mean(each): float(each.noise_standard_deviation) for each in accountant.mechanism_specs
    }


def of_mean(mechanism: Any) -> bool:
    """Whether a mechanism hides a part of a mean, and not a count."""
    return bool(mechanism.name.startswith("Mean"))


def error(*given: str) -> None:
    """Estimates of every question, in several runs of the whole limit; and of single questions that spend it all."""
    held = {False: Bounds.read(given[0]), True: Bounds.read(given[1])}
    alone = {False: Bounds.read(given[2]), True: Bounds.read(given[3])}
    widths = [float(text) for text in given[4:]]
    together, single = ({False: count, True: mean} for count, mean in (widths[:2], widths[2:]))
    rows = read()
    for run in range(RUNS):
        emit_all("PipelineDP", run, rows, ASKED, held, together)
        for asked in ASKED[-2:]:
            emit_all("PipelineDP alone", run, rows, [asked], alone, single)


def read() -> Rows:
    """The rows as tuples: person, ward, cost, age."""
    table = pq.read_table(visits(FEW))
    return list(
        zip(*(table[name].to_pylist() for name in ("person", "ward", "cost", "age")), strict=True)
    )


def emit_all(
    who: str, run: int, rows: Rows, asked: list[Asked], held: dict[bool, Bounds], noise: Noise
) -> None:
    """One run of the whole limit, with the noise that its accountant has found before: that takes a minute."""
    accountant = pdp.PLDBudgetAccountant(total_epsilon=LIMIT, total_delta=DELTA)
    answers = lazy(accountant, rows, asked, held)
    for mechanism in accountant.mechanism_specs:
        mechanism.set_noise_standard_deviation(noise[of_mean(mechanism)])
    for each, answer in zip(asked, answers, strict=True):
        emit(who, each, **{f"{run} {ward}": float(figures[0]) for ward, figures in answer})


def lazy(accountant: Any, rows: Rows, asked: list[Asked], held: dict[bool, Bounds]) -> list[Any]:
    """The answers, which can be read once the accountant has computed its budgets."""
    engine = pdp.DPEngine(accountant, pdp.LocalBackend())
    return [
        engine.aggregate(
            [row for row in rows if row[3] < each.below],
            pdp.AggregateParams(
                metrics=[pdp.Metrics.MEAN if each.mean else pdp.Metrics.COUNT],
                noise_kind=pdp.NoiseKind.GAUSSIAN,
                max_partitions_contributed=held[each.mean].wards,
                max_contributions_per_partition=held[each.mean].rows,
                min_value=0,
                max_value=held[each.mean].high,
                budget_weight=WEIGHTS[each.mean],
            ),
            EXTRACT,
            public_partitions=WARDS,
        )
        for each in asked
    ]


def spark(folder: str) -> None:
    """CPU seconds of a count and of a mean by ward on Spark, in an application of its own with the bench's Spark."""
    sys.path.append(str(next(SPARK.glob("lib/python3*/site-packages"))))
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": sys.path[-1]}
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession  # type: ignore[import-not-found]

    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "2g"}
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    backend = pdp.SparkRDDBackend(session.sparkContext)
    for case, metrics in {
        "count": [pdp.Metrics.COUNT],
        "sum and mean": [pdp.Metrics.SUM, pdp.Metrics.MEAN],
    }.items():
        spent = []
        for _ in range(2):
            start = family_seconds(os.getpid())
            accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=DELTA)
            rows = session.read.parquet(folder).rdd.map(tuple)
            answers = pdp.DPEngine(accountant, backend).aggregate(
                rows,
                pdp.AggregateParams(
                    metrics=metrics,
                    noise_kind=pdp.NoiseKind.GAUSSIAN,
                    max_partitions_contributed=BOUND,
                    max_contributions_per_partition=1,
                    min_value=0,
                    max_value=MOST,
                ),
                EXTRACT,
                public_partitions=WARDS,
            )
            accountant.compute_budgets()
            assert len(answers.collect()) == len(WARDS)
            spent.append(family_seconds(os.getpid()) - start)
        emit("PipelineDP", case, seconds=min(spent))


def family_seconds(process: int) -> float:
    """CPU seconds of a process and of all that it and they have started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return own + sum(
        family_seconds(int(each)) for task in tasks for each in task.read_text().split()
    )


if __name__ == "__main__":
    serve(multipliers=multipliers, error=error, spark=spark)
