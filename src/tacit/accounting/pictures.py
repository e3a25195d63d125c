"""Pictures of losses: trade-off curves, delta against epsilon, bounds against queries, and the two crossovers.

They need matplotlib (`pip install 'tacit-dp[plot]'`), which is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import log10, sqrt
from pathlib import Path
from typing import Any

from tacit.accounting.calibration import least_noise
from tacit.accounting.certified_float import format_parameter
from tacit.accounting.privacy_filters import ConcentratedFilter
from tacit.accounting.totals import Total, total
from tacit.exact import Number, at_least, count_of
from tacit.extras import extra
from tacit.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
)

__all__ = [
    "delta_curves",
    "draw_all",
    "epsilon_by_queries",
    "laplace_and_gaussian",
    "pure_and_concentrated",
    "tradeoff_curves",
]

_COLOURS = ("#1b4f8a", "#c8501e", "#2f7d4f", "#7a3e8e", "#8a6d1b", "#555555", "#b03060")


def tradeoff_curves(totals: Mapping[str, Total], points: int = 120) -> Any:
    """The share of misses that an attacker cannot avoid, against false alarms, for each total; a matplotlib figure."""
    figure, axes = _sheet("What an attacker must miss", "false alarms", "misses, at least")
    alarms = [i / points for i in range(points + 1)]
    for one, colour in zip(totals.values(), _COLOURS, strict=False):
        axes.plot(alarms, [one.tradeoff(share) for share in alarms], color=colour, linewidth=1.8)
    _list(axes, totals)
    axes.plot([0, 1], [1, 0], color="#aaaaaa", linewidth=1, linestyle=":")
    axes.text(
        0.7, 0.31, "guessing", color="#888888", rotation=-45, ha="left", va="bottom", fontsize=9
    )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    return figure


def delta_curves(
    totals: Mapping[str, Total], most: float = 5.0, points: int = 100, least: float = 1e-10
) -> Any:
    """delta against epsilon, for each total; a matplotlib figure."""
    figure, axes = _sheet("Every loss is a curve: delta at each epsilon", "epsilon", "delta")
    for one, colour in zip(totals.values(), _COLOURS, strict=False):
        # where delta falls to what can fail, steeply
        pure = float(one.losses.split_failure()[1].pure() or 0)
        near = [pure * (1 - 10**-k) for k in range(1, 12)] + [pure] if 0 < pure <= most else []
        grid = sorted([most * i / points for i in range(points + 1)] + near)
        deltas = [max(one.delta(epsilon), least / 10) for epsilon in grid]
        axes.plot(grid, deltas, color=colour, linewidth=1.8)
    axes.set_yscale("log")
    axes.set_ylim(least, 2)
    axes.set_xlim(0, most)
    _list(axes, totals)
    return figure


def epsilon_by_queries(loss: Loss, delta: Number, counts: Sequence[int], title: str) -> Any:
    """epsilon at a delta against the number of queries, one line for each bound; a matplotlib figure."""
    figure, axes = _sheet(title, "number of queries", f"epsilon at delta {format_parameter(delta)}")
    lines: dict[str, list[tuple[int, float]]] = {}
    for count in counts:
        for name, epsilon in total(loss * count).compare(delta).items():
            lines.setdefault(name, []).append((count, epsilon))
    ends = []
    for (name, line), colour in zip(lines.items(), _COLOURS, strict=False):
        if len(line) > 1:  # a law of one release says nothing about more
            axes.plot(*zip(*line, strict=True), color=colour, linewidth=1.8)
            ends.append((line[-1][1], name, colour))
    _logarithmic(axes)
    _label_ends(axes, counts[-1], ends)
    return figure


def laplace_and_gaussian(epsilon: Number, delta: Number, most: int = 400) -> Any:
    """The noise on each of m counts released at once, Laplace against Gaussian, with the crossover in m.

    One unit moves every count by one: the L1 sensitivity is m, the L2 sensitivity its root.
    """
    budget = at_least(epsilon, "epsilon")
    alone = least_noise(lambda sigma: GaussianLoss(1 / sigma**2), epsilon, delta)

    def laplace(m: int) -> float:
        return sqrt(2) * m / float(budget)

    def gaussian(m: int) -> float:
        return float(alone) * sqrt(m)

    title = f"Noise on each of m counts at once, epsilon {format_parameter(epsilon)}, delta {format_parameter(delta)}"
    return _crossing(
        ("Laplace", laplace), ("Gaussian", gaussian), title, "number of counts m", most
    )


def pure_and_concentrated(epsilon: Number, delta: Number, most: int = 100) -> Any:
    """The noise on each answer of sensitivity 1 when so many share one limit: a pure policy against a zCDP policy.

    With few answers the pure policy (delta 0, Laplace noise) is the quieter one; the crossing says how few.
    """
    budget = float(at_least(epsilon, "epsilon"))
    vault = ConcentratedFilter(epsilon, delta)
    rho = float(vault.amount(vault.limit))

    def pure(answers: int) -> float:
        return sqrt(2) * answers / budget

    def zcdp_error(answers: int) -> float:
        return sqrt(answers / (2 * rho))

    shared = f"epsilon {format_parameter(epsilon)}, delta {format_parameter(delta)}"
    title = f"Noise on each answer when n answers share {shared}"
    pair = ("pure, delta 0", pure), ("zCDP", zcdp_error)
    return _crossing(*pair, title, "number of answers n", most)


def draw_all(folder: Path) -> list[Path]:
    """All pictures with the figures used in the documentation, as PNG files in a folder; returns their paths."""
    singles = {
        "randomized response, epsilon 1": total(PureLoss(1)),
        "Laplace, epsilon 1": total(LaplaceLoss(1)),
        "Gaussian, mu 1": total(GaussianLoss(1)),
        "10 randomized responses, epsilon 1": total(PureLoss(1) * 10),
    }
    curves = {
        "Laplace, epsilon 1": total(LaplaceLoss(1)),
        "Laplace, epsilon 3": total(LaplaceLoss(3)),
        "Gaussian, mu 1/2": total(GaussianLoss(Fraction(1, 4))),
        "Gaussian, mu 1": total(GaussianLoss(1)),
        "discrete Gaussian, mu 1": total(DiscreteGaussianLoss(1, 1)),
        "(1, 1e-6)-DP": total(ApproximateLoss(1, Fraction(1, 10**6))),
    }
    counts = [round(10 ** (i / 8)) for i in range(33)]
    few = sorted(set(counts))
    pure = epsilon_by_queries(
        PureLoss(Fraction(1, 10)), 1e-6, few, "Randomized response at epsilon 0.1, by every bound"
    )
    gaussian = epsilon_by_queries(
        GaussianLoss(Fraction(1, 400)), 1e-6, few, "Gaussian noise, sigma 20, by every bound"
    )
    drawn = {
        "tradeoff": tradeoff_curves(singles),
        "delta": delta_curves(curves),
        "queries-pure": pure,
        "queries-gaussian": gaussian,
        "laplace-gaussian": laplace_and_gaussian(1, 1e-6),
        "pure-zcdp": pure_and_concentrated(3, 1e-6),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in drawn.items():
        path = folder / f"accounting-{name}.png"
        figure.savefig(path, dpi=130)
        paths.append(path)
    return paths


def _sheet(title: str, across: str, up: str) -> tuple[Any, Any]:
    """A figure with one plain pair of axes, drawn without a window."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure as Sheet

    figure = Sheet(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=12)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="minor", length=0)
    return figure, axes


def _crossing(
    one: tuple[str, Any], other: tuple[str, Any], title: str, across: str, most: int
) -> Any:
    """Two lines on doubly logarithmic axes, and the first number at which the second is the lower one."""
    last = count_of(most, "the largest number", least=2)
    figure, axes = _sheet(title, across, "standard deviation of the noise")
    numbers = sorted({round(10 ** (log10(last) * i / 60)) for i in range(61)})
    ends = []
    for (name, line), colour in zip((one, other), _COLOURS, strict=False):
        axes.plot(numbers, [line(n) for n in numbers], color=colour, linewidth=1.8)
        ends.append((line(numbers[-1]), name, colour))
    _logarithmic(axes)
    _label_ends(axes, numbers[-1], ends)
    crossed = next((n for n in range(1, last + 1) if other[1](n) < one[1](n)), None)
    if crossed is not None:
        height = other[1](crossed)
        axes.plot([crossed], [height], "o", color="#222222", markersize=5)
        axes.annotate(
            f"from {crossed} on, {other[0]} is quieter",
            (crossed, height),
            xytext=(10, -18),
            textcoords="offset points",
            color="#222222",
        )
    return figure


def _logarithmic(axes: Any) -> None:
    """Both axes by powers of ten, with plain numbers at them."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")


def _label_ends(axes: Any, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Names at the right ends of lines, moved apart where they would touch."""
    ordered = sorted(ends)
    natural = [axes.transData.transform((x, y))[1] for y, _, _ in ordered]
    places, apart = list(natural), 0.2 * axes.figure.dpi
    for _ in range(50):
        for i in range(len(places) - 1):
            short = max(0.0, apart - (places[i + 1] - places[i])) / 2
            places[i], places[i + 1] = places[i] - short, places[i + 1] + short
    for (y, name, colour), place, own in zip(ordered, places, natural, strict=True):
        axes.annotate(
            name,
            (x, y),
            xytext=(8, (place - own) * 72 / axes.figure.dpi),
            textcoords="offset points",
            color=colour,
            va="center",
            annotation_clip=False,
        )


def _list(axes: Any, names: Iterable[str]) -> None:
    """Names in the colours of their lines, in the upper right corner."""
    for i, (name, colour) in enumerate(zip(names, _COLOURS, strict=False)):
        axes.text(
            0.99,
            0.97 - 0.055 * i,
            name,
            color=colour,
            transform=axes.transAxes,
            ha="right",
            va="top",
        )
