"""Bars with whiskers, and the error of a survey against its size.

Checked by: tests/unit/local/test_choose_protocol.py::test_a_plan_is_drawn
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.extras import extra
from tacit.printing import printable

if TYPE_CHECKING:
    from tacit.local.survey_planning import SurveyPlan

__all__ = ["draw_bars", "draw_panels", "draw_plan"]

_LONGEST, _MOST = 40, 30

Bar = tuple[str, float, float, float]
"""A label, a value, and the two ends of its whisker."""


def draw_bars(path: str | Path, bars: Sequence[Sequence[Any]], title: str = "") -> None:
    """Draw one panel of bars with whiskers into a file."""
    draw_panels(path, [(title, bars)])


def draw_panels(path: str | Path, panels: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> None:
    """Draw a panel of bars with whiskers for each title, one below the other; of many bars the longest."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    kept = [(title, _longest(bars)) for title, bars in panels]
    rows = [max(2, len(bars)) for _, bars in kept]
    drawn = Figure(figsize=(8, 0.32 * sum(rows) + 0.9 * len(rows)), layout="constrained")
    axes = drawn.subplots(len(kept), 1, squeeze=False, height_ratios=rows)[:, 0]
    for axis, (title, bars) in zip(axes, kept, strict=True):
        names = [printable(str(bar[0]))[:_LONGEST] for bar in bars]
        values = [bar[1] for bar in bars]
        below = [max(0.0, bar[1] - bar[2]) for bar in bars]
        above = [max(0.0, bar[3] - bar[1]) for bar in bars]
        places = range(len(bars))
        axis.barh(places, values, color="#4c78a8", xerr=[below, above], ecolor="#222", capsize=3)
        axis.set_yticks(places, names, parse_math=False)
        axis.invert_yaxis()
        axis.axvline(0, color="#222", linewidth=0.8)
        axis.set_title(printable(title), loc="left", fontsize=10, parse_math=False)
        axis.spines[["top", "right"]].set_visible(False)
    drawn.savefig(path, dpi=120)


def _longest(bars: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return sorted(bars, key=lambda bar: -bar[1])[:_MOST] if len(bars) > _MOST else list(bars)


def draw_plan(path: str | Path, plan: SurveyPlan) -> None:
    """Draw the error of a share against the number of people, in both models."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    drawn = Figure(figsize=(7, 4.2), layout="constrained")
    axis = drawn.subplots()
    axis.loglog(plan.people, plan.local, marker="o", color="#4c78a8", label="local: 1 / (ε √n)")
    axis.loglog(
        plan.people, plan.central, marker="s", color="#e45756", label="with a curator: 1 / (ε n)"
    )
    axis.set_xlabel("people")
    axis.set_ylabel(f"error of a share, {plan.confidence:.0%} of the time")
    axis.set_title(f"The price of trusting nobody, at ε = {plan.epsilon:.3g}", loc="left")
    axis.grid(visible=True, which="major", alpha=0.3)
    axis.legend(frameon=False)
    drawn.savefig(path, dpi=120)
