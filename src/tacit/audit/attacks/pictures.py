"""Pictures of attacks: the rates as bars, and how they depend on what matters.

Checked by: tests/unit/cli/test_attack_lab.py
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, Any

from tacit.extras import extra

if TYPE_CHECKING:
    from tacit.audit.attacks.report import AttackReport, Subject

__all__ = ["draw_report"]

_COLOURS: dict[Subject, tuple[str, ...]] = {
    "naive": ("#c8501e", "#e2a07f"),
    "tacit": ("#1b4f8a", "#7fa3cc"),
    "allowed": ("#222222",),
    "other": ("#2f7d4f",),
}
_GREY = "#999999"


def draw_report(report: AttackReport) -> Any:
    """A matplotlib figure of a report: bars on the left, lines on the right if it has some."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    both = bool(report.lines)
    figure = Figure(figsize=(10 if both else 7, 4.2), layout="constrained")
    figure.suptitle(f"{report.name}: {report.question}", x=0.01, ha="left", fontsize=12)
    sheets = figure.subplots(1, 1 + both, squeeze=False, width_ratios=[2, 3] if both else None)[0]
    for axes in sheets:
        axes.spines[["top", "right"]].set_visible(False)
    _bars(sheets[0], report)
    if both:
        _lines(sheets[1], report)
    return figure


def _bars(axes: Any, report: AttackReport) -> None:
    from textwrap import fill

    named = [("naive release", report.naive), ("Tacit", report.tacit), *report.also]
    colours = [_COLOURS["naive"][0], _COLOURS["tacit"][0]] + [_COLOURS["tacit"][1]] * len(
        report.also
    )
    names = [fill(name, 15) for name, _ in named]
    # two deviations
    luck = [2 * sqrt(rate.share * (1 - rate.share) / max(rate.tries, 1)) for _, rate in named]
    whiskers = {"ecolor": "#555555", "capsize": 3, "elinewidth": 1}
    axes.bar(
        names,
        [rate.share for _, rate in named],
        yerr=luck,
        color=colours,
        width=0.6,
        error_kw=whiskers,
    )
    for place, ((name, rate), spread) in enumerate(zip(named, luck, strict=True)):
        top = rate.share + spread
        # the figure goes above that line
        near = name == "Tacit" and top <= report.allowed + 0.01 < top + 0.08
        height = report.allowed if near else top
        axes.text(place, height + 0.01, f"{rate.share:.1%}", ha="center", va="bottom", fontsize=9)
    axes.plot(
        [0.6, 1.4],
        [report.allowed] * 2,
        color="#222222",
        linewidth=1.6,
        label="most that theory allows",
    )
    axes.axhline(report.chance, color=_GREY, linewidth=1, linestyle=":", label="blind guess")
    axes.set_ylim(0, 1.22)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.tick_params(axis="x", labelsize=8 if report.also else 10)
    axes.set_ylabel("how often the attack succeeds")
    axes.legend(frameon=False, fontsize=8, loc="upper right", ncols=2)


def _lines(axes: Any, report: AttackReport) -> None:
    earlier: Counter[tuple[str, bool]] = Counter()
    for line in report.lines:
        shades = _COLOURS[line.of]
        colour = shades[min(earlier[line.of, line.measured], len(shades) - 1)]
        earlier[line.of, line.measured] += 1
        dots = {"marker": "o", "markersize": 5, "linestyle": "-" if len(line.across) > 1 else ""}
        style = (
            dots
            if line.measured
            else {"linestyle": "--" if line.of == "allowed" else "-", "alpha": 0.8}
        )
        axes.plot(line.across, line.up, color=colour, linewidth=1.6, label=line.label, **style)
    if report.logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
    else:
        axes.locator_params(axis="x", integer=max(line.across[-1] for line in report.lines) > 1)
    axes.set_xlabel(report.across)
    axes.set_ylabel(report.up)
    axes.set_ylim(0, 1.05 if report.up == "success rate" else None)
    axes.legend(frameon=False, fontsize=9, loc="best")
