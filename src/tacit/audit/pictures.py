"""Pictures of what the audit found and of what an attacker believes; they need matplotlib.

Checked by: tests/unit/cli/test_audit.py
"""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.extras import extra

if TYPE_CHECKING:
    from tacit.audit.posteriors import Games
    from tacit.audit.statistical import Findings

__all__ = ["findings_picture", "games_picture"]

_BLUE, _ORANGE, _GREY, _RED = "#1b4f8a", "#c8501e", "#999999", "#b03060"


def findings_picture(findings: Findings, path: str | Path | None = None) -> Any:
    """What came out on either database, and the witness among the rates that the claim allows; a matplotlib figure."""
    figure, left, right = _sheets()
    _outcomes(left, findings)
    _rates(right, findings)
    figure.suptitle(_headline(findings), fontsize=11, parse_math=False)
    return _save_figure(figure, path)


def games_picture(games: Games, path: str | Path | None = None) -> Any:
    """The attacker's belief with and without the row that matters most, and every shift against its bound."""
    figure, left, right = _sheets()
    _beliefs(left, games)
    _shifts(right, games)
    return _save_figure(figure, path)


def _outcomes(axes: Any, findings: Findings) -> None:
    """Shares of runs, cell by cell; the witness is shaded."""
    event = findings.witness.event
    cells, *counts = next(seen for seen in findings.counts if seen[0] is event.cells)
    shares = [count / count.sum() for count in counts]
    used = np.flatnonzero((counts[0] + counts[1]) > 0)
    if not cells.is_ordered:
        used = used[np.argsort(-(shares[0] + shares[1])[used])][:24]
    places = np.arange(len(used))
    for share, colour, data in zip(shares, (_BLUE, _ORANGE), findings.pair, strict=True):
        axes.step(places, share[used], where="mid", color=colour, label=f"on {_short(data)}")
    heights = np.maximum(*shares)[used] * event.inside[used]
    axes.bar(places, heights, width=1.0, color=_GREY, alpha=0.25, label="the witness")
    ticks = places[:: max(1, len(places) // 8)]
    names = [cells.words(np.arange(cells.count) == used[tick]) for tick in ticks]
    axes.set_xticks(
        ticks,
        [name if len(name) < 14 else name[:12] + "…" for name in names],
        fontsize=8,
        rotation=30,
    )
    axes.set(title="What came out", ylabel="share of the runs", ylim=(0, None))
    axes.legend(frameon=False, fontsize=9)


def _rates(axes: Any, findings: Findings) -> None:
    """Hits against false alarms: what the claim allows, and the rectangle in which the witness lies."""
    found = findings.witness
    low, high = float(found.low), float(found.high)
    if findings.claimed is not None:
        alarms = np.linspace(0, 1, 400)
        ratio, delta = exp(min(float(findings.claimed), 50)), float(findings.delta)
        most = np.minimum(np.minimum(1, ratio * alarms + delta), 1 - (1 - alarms - delta) / ratio)
        axes.plot(alarms, most, color=_GREY, linewidth=1.5)
        axes.fill_between(
            alarms,
            alarms,
            most,
            color=_GREY,
            alpha=0.2,
            label=f"epsilon {float(findings.claimed):.4g}",
        )
    axes.plot([0, 1], [0, 1], color=_GREY, linewidth=1, linestyle=":")
    colour = _RED if findings.refuted_epsilon else _BLUE
    axes.plot([0, high, high], [low, low, 1], color=colour, linewidth=1)
    axes.fill_between([0, high], low, 1, color=colour, alpha=0.12)
    axes.plot(
        found.alarms / found.runs,
        found.hits / found.runs,
        "o",
        color=colour,
        ms=5,
        label="the witness, measured",
    )
    if high > 0.15:
        axes.annotate(
            "certainly\nin here",
            (high / 2, (1 + low) / 2),
            ha="center",
            va="center",
            fontsize=8,
            color=colour,
        )
    axes.set(
        title="What an attacker can tell",
        xlabel="false alarms",
        ylabel="hits",
        xlim=(0, 1),
        ylim=(0, 1),
    )
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize=9, loc="lower right")


def _headline(findings: Findings) -> str:
    claimed = "" if findings.claimed is None else f" (claimed {float(findings.claimed):.4g})"
    verdict = ", refuted" if findings.refuted else ""
    name = findings.subject if len(findings.subject) <= 50 else findings.subject[:47] + "..."
    return f"{name}: epsilon at least {findings.epsilon:.4f}{claimed}{verdict}"


def _beliefs(axes: Any, games: Games) -> None:
    worst = games.worst
    databases = list(games.prior)
    seen, elsewhere = games.belief(None, worst.outcome), games.belief(worst.row, worst.outcome)
    places = np.arange(len(databases))
    bars = {
        "before": ([float(games.prior[database]) for database in databases], _GREY),
        "after, with the row": ([float(seen[database]) for database in databases], _BLUE),
        "after, without it": ([float(elsewhere[database]) for database in databases], _ORANGE),
    }
    for shift, (name, (heights, colour)) in enumerate(bars.items()):
        axes.bar(places + 0.27 * (shift - 1), heights, width=0.25, color=colour, label=name)
    axes.set_xticks(
        places,
        [_row(database) for database in databases],
        fontsize=8,
        rotation=30,
        parse_math=False,
    )
    axes.set_title(
        f"Belief after {_short(worst.outcome)} was released, and row {worst.row}", parse_math=False
    )
    axes.set(ylabel="probability", ylim=(0, 1))
    axes.legend(frameon=False, fontsize=9)


def _shifts(axes: Any, games: Games) -> None:
    bound = float(games.bound)
    for row, colour in zip(
        range(games.rows),
        [_BLUE, _ORANGE, "#2f7d4f", "#7a3e8e", "#8a6d1b"] * games.rows,
        strict=False,
    ):
        shifts = [float(games.shift(row, outcome)) for outcome in games.outcomes]
        axes.plot(
            range(len(shifts)),
            shifts,
            "o-",
            color=colour,
            ms=9 - 2 * min(row, 3),
            linewidth=1,
            label=f"without row {row}",
        )
    axes.axhline(bound, color=_RED, linewidth=1.2)
    axes.text(
        0, bound, f" no belief shifts by more: {bound:.3f}", color=_RED, fontsize=9, va="bottom"
    )
    axes.set_xticks(
        range(len(games.outcomes)),
        [_short(outcome) for outcome in games.outcomes],
        fontsize=8,
        parse_math=False,
    )
    axes.set(
        title="How far a row shifts the belief", xlabel="what is released", ylabel="total variation"
    )
    axes.set_ylim(0, min(1.05, 1.25 * max(bound, float(games.worst.shift), 0.01)))
    axes.legend(frameon=False, fontsize=9, loc="center right")


def _sheets() -> tuple[Any, Any, Any]:
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure, left, right


def _save_figure(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 24 else text[:21] + "..."


def _row(database: tuple[Any, ...]) -> str:
    return " ".join(str(row) for row in database) or "empty"
