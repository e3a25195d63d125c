"""OpenDP's questions about tables: its Polars context, person by person, known keys."""

import warnings
from functools import cache
from math import sqrt
from typing import Any

import opendp.prelude as dp  # type: ignore[import-not-found]
import polars as pl
from cases import (
    ASKED,
    BOUND,
    DELTA,
    FEW,
    LIMIT,
    MANY,
    MEDIANS,
    MOST,
    RUNS,
    WARDS,
    Asked,
    Bounds,
    coded,
    visits,
)
from timing import best, emit, serve

warnings.simplefilter("ignore")
dp.enable_features("contrib")
KEYS = pl.LazyFrame({"ward": WARDS})
PERSON = dp.unit_of(contributions=1, identifier="person")


def context(rows: int, loss: Any, answers: int = 1) -> Any:
    """A context for so many answers about the file with so many rows."""
    return dp.Context.compositor(
        data=pl.scan_parquet(visits(rows)),
        privacy_unit=PERSON,
        privacy_loss=loss,
        split_evenly_over=answers,
        margins=[dp.polars.Margin(by=["ward"], max_length=rows, max_groups=len(WARDS))],
    )


def cost(high: int) -> Any:
    """What was spent, in whole numbers: OpenDP sums them faster than floats."""
    return pl.col("cost").cast(int).fill_null(0).dp, (0, high)


def questions() -> None:
    """Seconds of each question, by whichever way of keeping a person's rows is faster: a sample, or the first ones."""
    column, ends = cost(MOST)
    # the mean is their quotient
    asked = {"count": [dp.len()], "sum and mean": [dp.len(), column.sum(ends)]}
    for what, columns in asked.items():
        seconds = min(best(released, columns, keep, least=2) for keep in ("sample", "first"))
        emit("OpenDP", what, seconds=seconds)


def released(columns: list[Any], keep: str) -> Any:
    """An answer about the large file."""
    held = context(MANY, dp.loss_of(epsilon=1.0)).query().truncate_per_group(BOUND, keep=keep)
    return held.group_by("ward").agg(*columns).with_keys(KEYS).release().collect()


def median() -> None:
    """Seconds of a median, by person, by whichever way of keeping a person's rows is faster, and by row."""
    for column in MEDIANS:
        keeps = {"by person": ("first", "sample"), "by row": (None,)}
        for level, ways in keeps.items():
            seconds = min(best(median_of, column, keep, least=2) for keep in ways)
            emit("OpenDP", f"{column}, {level}", seconds=seconds)


def median_of(column: str, keep: str | None) -> Any:
    """A median among 101 candidates."""
    whole = column == "age"
    candidates = list(range(101)) if whole else [float(50 * place) for place in range(101)]
    values = pl.col(column).fill_null(0) if whole else pl.col(column).fill_nan(0.0).fill_null(0.0)
    unit = dp.unit_of(contributions=1) if keep is None else PERSON
    made = dp.Context.compositor(
        data=pl.scan_parquet(visits(MANY)),
        privacy_unit=unit,
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=MANY)],
    ).query()
    held = made if keep is None else made.truncate_per_group(BOUND, keep=keep)
    return held.select(values.dp.median(candidates)).release().collect()


def keys() -> None:
    """Seconds of a count by unknown keys, by the fastest way of keeping a person's rows or keys."""
    emit(
        "OpenDP",
        "count",
        seconds=min(best(found, way, least=2) for way in ("sample", "first", "keys")),
    )


def found(way: str) -> Any:
    """The codes that pass a threshold, and how many visits have them."""
    asked = dp.Context.compositor(
        data=pl.scan_parquet(coded(MANY)),
        privacy_unit=PERSON,
        privacy_loss=dp.loss_of(epsilon=1.0, delta=DELTA),
        split_evenly_over=1,
    ).query()
    if way == "keys":
        held = asked.truncate_per_group(1, by=["code"]).truncate_num_groups(
            BOUND, by=["code"], keep="first"
        )
    else:
        held = asked.truncate_per_group(BOUND, keep=way)
    return held.group_by("code").agg(dp.len()).release().collect()


@cache
def rho() -> float:
    """The most zero-concentrated loss that OpenDP converts to the limit, found by bisection."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    low, high = 0.0, 5.0
    for _ in range(50):
        middle = (low + high) / 2
        hidden = dp.c.make_zCDP_to_approxDP(
            dp.m.make_gaussian(*space, scale=sqrt(1 / (2 * middle)))
        )
        low, high = (middle, high) if hidden.map(1.0).epsilon(DELTA) <= LIMIT else (low, middle)
    return low


def multipliers() -> None:
    """How wide the noise of counts is, and of the two parts of a mean, for a sensitivity of one."""
    for case, answers in {"together": len(ASKED), "alone": 1}.items():
        each = sqrt(answers / (2 * rho()))
        emit("OpenDP", case, count=each, mean=each * sqrt(2))


def error(*bounds: str) -> None:
    """Estimates of every question, in several runs of the whole limit; and of single questions that spend it all."""
    held, alone = paired(bounds[:2]), paired(bounds[2:4])
    for run in range(RUNS):
        shared = context(FEW, dp.loss_of(rho=rho()), len(ASKED))
        for asked in ASKED:
            emit("OpenDP", asked, **numbered(run, estimate(shared, asked, held[asked.mean])))
    for asked in ASKED[-2:]:
        for run in range(RUNS):
            single = estimate(context(FEW, dp.loss_of(rho=rho())), asked, alone[asked.mean])
            emit("OpenDP alone", asked, **numbered(run, single))


def paired(bounds: tuple[str, ...]) -> dict[bool, Bounds]:
    """Bounds for counts and for means."""
    return {mean: Bounds.read(text) for mean, text in zip((False, True), bounds, strict=True)}


def numbered(run: int, found: dict[str, float]) -> dict[str, float]:
    """Estimates by run and ward."""
    return {f"{run} {ward}": found[ward] for ward in WARDS}


def estimate(shared: Any, asked: Asked, held: Bounds) -> dict[str, float]:
    """The released number of every ward."""
    column, ends = cost(held.high)
    figure = column.mean(ends) if asked.mean else dp.len(signed=True)
    rows = (
        shared.query()
        .filter(pl.col("age") < asked.below)
        .truncate_per_group(held.rows, by=["ward"])
    )
    rows = rows.truncate_num_groups(held.wards, by=["ward"], keep="first")
    table = rows.group_by("ward").agg(figure.alias("figure")).with_keys(KEYS).release().collect()
    return {ward: float(number) for ward, number in table.select("ward", "figure").rows()}


if __name__ == "__main__":
    serve(questions=questions, keys=keys, median=median, multipliers=multipliers, error=error)
