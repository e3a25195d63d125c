"""Errors at an equal limit: forty counts and means by ward, ours and the peers', each at its best bounds."""

from functools import cache
from itertools import product
from math import inf, isnan, log, sqrt
from typing import Any

import numpy as np
import rows
from cases import ASKED, DELTA, FEW, LIMIT, MOST, RUNS, WARDS, Asked, Bounds, visits
from duckdb import connect
from environments import Readings, measure, say
from numpy.typing import NDArray
from report import Requirement, Result, Table, ratio, shown

import tacit
from tacit.accounting import ConcentratedFilter, PureFilter, total
from tacit.mechanisms import Gaussian

MOST_RATIO, CONFIDENCE, DRAWS, TRIALS = 1.10, 0.99, 2_000, 3
SLACK = 0.001  # of the limit: accountants search in steps
FINE = 1_000  # steps, on which discrete noise is as good as continuous
HIGHS = (1500, 2000, 2500, 3000, MOST)  # where costs may be held
CONTRIBUTIONS = (1, 2, 3, 4, 5, 6, 8, 10, 14, 18, 24)
SPREADS = tuple(product((1, 2, 3, 4, 5, 7, 9, 12, 16, 20), (1, 2, 3)))  # wards, and rows in each
# whether means are centred
PEERS = {"OpenDP": ("opendp_polars", False), "PipelineDP": ("pipeline_dp", True)}
TRIED = [asked for asked in ASKED if asked.below in {20, 60, 100}]
CASES = ("together", "alone")
Errors = dict[str, NDArray[np.float64]]
"""For each question, the errors of every run and ward."""


@cache
def truth(asked: Asked) -> dict[str, float]:
    """The exact figure of every ward, of all rows as they are."""
    return _figures(f"'{visits(FEW)}'", asked)


def _figures(source: str, asked: Asked, figure: str = "cost") -> dict[str, float]:
    what = f"avg({figure})" if asked.mean else "count(*)"
    with connect() as connection:
        found = dict(
            connection.execute(
                f"SELECT ward, {what} FROM {source} WHERE age < {asked.below} GROUP BY ward"
            ).fetchall()
        )
    return {ward: float(found.get(ward, 0)) for ward in WARDS}


# ---------------------------------------------------------------- bounds


def check_noise(widths: dict[str, dict[bool, float]]) -> None:
    """Refuse to compare with noise that does not keep the limit: of counts, and of the two parts of every mean."""
    for case, asked in (("together", ASKED), ("alone", ASKED[-2:-1]), ("alone", ASKED[-1:])):
        parts = [widths[case][each.mean] for each in asked for _ in range(1 + each.mean)]
        # the noise of one count that would cost as much
        alike = 1 / sqrt(sum(width**-2 for width in parts))
        spent = float(total([Gaussian(alike * FINE).loss(FINE)]).epsilon(DELTA))
        if spent > LIMIT * (1 + SLACK):
            raise AssertionError(
                f"{case}: noise of {widths[case]} costs {spent:.3f}, and the limit is {LIMIT}"
            )


def chosen(
    multipliers: dict[bool, float], tried: list[Asked], *, centred: bool
) -> dict[bool, Bounds]:
    """For counts and for means, the bounds with the least expected error, which a peer is given."""
    candidates = [Bounds(*spread, high) for spread, high in product(SPREADS, HIGHS)]
    return {
        mean: min(
            candidates if mean else [Bounds(*spread, MOST) for spread in SPREADS],
            key=lambda held, mean=mean: sum(  # type: ignore[misc]
                log(_expected(asked, held, multipliers[mean], centred=centred))
                for asked in tried
                if asked.mean is mean
            ),
        )
        for mean in (False, True)
    }


@cache
def _expected(asked: Asked, held: Bounds, multiplier: float, *, centred: bool) -> float:
    """The mean square of the error: what holding a person's rows moves, and what noise adds."""
    kept = _held(asked.below, held)
    moved = _figures(kept, asked, f"least(cost, {held.high})")
    exact, counted = truth(asked), _figures(kept, Asked(False, asked.below))
    noise = (multiplier * held.rows * sqrt(held.wards)) ** 2
    squares = 0.0
    for ward in WARDS:
        squares += (moved[ward] - exact[ward]) ** 2
        if asked.mean:
            centre = held.high / 2 if centred else 0
            reach = held.high - centre
            squares += noise * (reach**2 + (moved[ward] - centre) ** 2) / max(counted[ward], 1) ** 2
        else:
            squares += noise
    return squares / len(WARDS)


def _held(below: int, held: Bounds) -> str:
    """The rows that are left of a random choice of each person's wards and rows."""
    place = "row_number() OVER (PARTITION BY person, ward ORDER BY hash(cost))"
    rank = "dense_rank() OVER (PARTITION BY person ORDER BY hash(ward, person))"
    taken = f"SELECT *, {place} AS place, {rank} AS rank FROM '{visits(FEW)}' WHERE age < {below}"
    return f"(SELECT * FROM ({taken}) WHERE place <= {held.rows} AND rank <= {held.wards})"


def ours_chosen(delta: float, tried: list[Asked], answers: int) -> tuple[int, int]:
    """The contributions and the highest cost with the least error over the questions that are tried, several times."""
    least, found = inf, (0, 0)
    price = _price(delta, answers)
    for contributions, high in product(CONTRIBUTIONS, HIGHS):
        vaults = [_vault(contributions, high, delta) for _ in range(TRIALS)]
        erred = sum(
            log(np.mean([_asked(vault, asked, price) ** 2 for vault in vaults])) for asked in tried
        )
        if erred < least:
            least, found = erred, (contributions, high)
    return found


# ---------------------------------------------------------------- answers


def _vault(contributions: int, high: int, delta: float) -> Any:
    columns = {"ward": WARDS, "cost": (0, high), "age": (0, 100)}
    return tacit.protect(
        visits(FEW),
        unit="person",
        contributions=contributions,
        columns=columns,
        epsilon=LIMIT,
        delta=delta,
        name="visits",
    )


def _price(delta: float, answers: int) -> float:
    """The largest epsilon, to a millionth, at which so many questions fit into the limit."""
    rule = ConcentratedFilter(LIMIT, delta) if delta else PureFilter(LIMIT)
    low, high = 0, LIMIT * 10**6
    while low < high:
        middle = (low + high + 1) // 2
        fits = rule.price_of(middle / 10**6).amount * answers <= rule.limit.amount
        low, high = (middle, high) if fits else (low, middle - 1)
    return low / 10**6


def _asked(vault: Any, asked: Asked, price: float) -> NDArray[np.float64]:
    """The errors of one answer, ward by ward."""
    what = "AVG(cost)" if asked.mean else "COUNT(*)"
    release = vault.sql(
        f"SELECT ward, {what} AS figure FROM visits WHERE age < {asked.below} GROUP BY ward",
        epsilon=price,
    )
    found = dict(zip(release.column("ward"), release.column("figure"), strict=True))
    return np.array([found[ward] - truth(asked)[ward] for ward in WARDS])


def ours(delta: float, bounds: tuple[int, int]) -> tuple[Errors, Errors]:
    """The errors of all questions under one limit, and of single ones that spend it all, in several runs."""
    shared = [_vault(*bounds, delta) for _ in range(RUNS)]
    price = _price(delta, len(ASKED))
    together = {
        str(asked): np.array([_asked(vault, asked, price) for vault in shared]) for asked in ASKED
    }
    alone = {}
    for asked in ASKED[-2:]:
        best = ours_chosen(delta, [asked], 1)
        alone[str(asked)] = np.array(
            [_asked(_vault(*best, delta), asked, LIMIT) for _ in range(RUNS)]
        )
    return together, alone


def theirs(readings: Readings, who: str, held: dict[bool, Bounds]) -> Errors:
    """The errors of what a peer has emitted, after the sense that ours have anyway: nothing beyond its range."""

    def sensible(asked: Asked, figure: float) -> float:
        most = held[True].high if asked.mean else inf
        return most / 2 if isnan(figure) else min(max(figure, 0.0), most)

    return {
        str(asked): np.array(
            [
                [
                    sensible(asked, readings[who, str(asked), f"{run} {ward}"]) - truth(asked)[ward]
                    for ward in WARDS
                ]
                for run in range(RUNS)
            ]
        )
        for asked in ASKED
        if (who, str(asked), f"0 {WARDS[0]}") in readings
    }


# ---------------------------------------------------------------- ratios


def pooled(first: Errors, second: Errors) -> tuple[float, float, float]:
    """The ratio over all questions, each in units of what both err there, with its bootstrap interval."""
    generator = np.random.default_rng(20_26)
    cases = [case for case in first if case in second]
    squares = [np.stack([first[case].ravel() ** 2, second[case].ravel() ** 2]) for case in cases]
    scaled = [square / square.mean() for square in squares]

    def of(drawn: list[NDArray[np.float64]]) -> float:
        sums = np.sum([square.mean(axis=1) for square in drawn], axis=0)
        return float(sqrt(sums[0] / sums[1]))

    def again(square: NDArray[np.float64]) -> NDArray[np.float64]:
        size = square.shape[1]
        return np.stack([part[generator.integers(0, size, size)] for part in square])

    found = sorted(of([again(square) for square in scaled]) for _ in range(DRAWS))
    outside = round(DRAWS * (1 - CONFIDENCE) / 2)
    return of(scaled), found[outside], found[-1 - outside]


def run() -> Result:
    """The pooled ratios, and those of single questions."""
    rows.kept(FEW)
    peers: dict[str, tuple[Errors, Errors]] = {}
    best: dict[str, str] = {}
    for who, (peer, centred) in PEERS.items():
        noise = measure(peer, "multipliers")
        if (who, "alone", "mean") not in noise:
            continue
        widths = {
            case: {m: noise[who, case, "mean" if m else "count"] for m in (False, True)}
            for case in CASES
        }
        check_noise(widths)
        held = {
            case: chosen(widths[case], TRIED if case == "together" else ASKED[-2:], centred=centred)
            for case in CASES
        }
        counts, means = held["together"][False], held["together"][True]
        best[who] = (
            f"{counts.wards} wards × {counts.rows}, means {means.wards} × {means.rows} up to {means.high}"
        )
        given = [str(held[case][mean]) for case in CASES for mean in (False, True)]
        if centred:  # PipelineDP, which takes a minute to find its noise
            given += [str(width) for case in CASES for width in widths[case].values()]
        readings = measure(peer, "error", *given)
        peers[who] = (
            theirs(readings, who, held["together"]),
            theirs(readings, f"{who} alone", held["alone"]),
        )
    policies = {}
    for name, delta in {"tacit": DELTA, "tacit pure": 0}.items():
        say(f"error: {name}")
        bounds = ours_chosen(delta, TRIED, len(ASKED))
        policies[name] = ours(delta, bounds)
        best[name] = f"contributions {bounds[0]}, costs up to {bounds[1]}"

    lines, margins, single = [], {}, []
    for name, (together, alone) in policies.items():
        for who, (others, others_alone) in peers.items():
            for kind, cases in {
                "all": together,
                "counts": _of("count", together),
                "means": _of("mean", together),
            }.items():
                middle, low, high = pooled(cases, others)
                lines.append((f"{name} / {who}, {kind}", shown(middle), shown(low), shown(high)))
                if name == "tacit" and kind == "all":
                    margins[who] = ratio(MOST_RATIO, high)
            for case, errors in alone.items():
                if case in others_alone:
                    single.append(
                        (
                            f"{name} / {who}, {case}",
                            shown(_root(errors) / _root(others_alone[case])),
                        )
                    )
    return Result(
        "Error",
        [
            Table(
                f"Ours over theirs: {len(ASKED)} questions under ({LIMIT}, {DELTA:g}), {FEW:,} rows, {RUNS} runs",
                ("", "ratio", f"{CONFIDENCE:.0%} from", "to"),
                lines,
            ),
            Table(
                "The same for a single question that spends the whole limit", ("", "ratio"), single
            ),
            Table("Best bounds of each", ("", "bounds"), list(best.items())),
        ],
        [
            Requirement(
                f"pooled error at most {MOST_RATIO} × theirs, at {CONFIDENCE:.0%} confidence",
                margins,
            )
        ],
    )


def _of(kind: str, errors: Errors) -> Errors:
    return {case: each for case, each in errors.items() if case.startswith(kind)}


def _root(errors: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(errors**2)))
