"""The estimated errors of a synthetic table as a picture.

Checked by: tests/unit/curator/tables/test_synthesize.py::test_the_report_draws_and_lists
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.extras import extra

if TYPE_CHECKING:
    from tacit.curator.tables.quality_report import SyntheticReport

__all__ = ["draw_errors"]


def draw_errors(report: SyntheticReport, path: str | None = None) -> Any:
    """A square for every pair of columns, dark where it is far off; a dot where the pair itself was
    measured."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    names = list(report.single)
    places = {name: place for place, name in enumerate(names)}
    errors = np.full((len(names), len(names)), np.nan)
    for name, error in report.single.items():
        errors[places[name], places[name]] = error
    for pair in report.pairs:
        a, b = places[pair.first], places[pair.second]
        errors[a, b] = errors[b, a] = pair.error
    figure = Figure(
        figsize=(1.8 + 0.42 * len(names), 1.4 + 0.38 * len(names)), layout="constrained"
    )
    axes = figure.subplots()
    shown = axes.imshow(errors, cmap="YlOrBr", vmin=0, vmax=max(0.2, float(np.nanmax(errors))))
    measured = [(places[pair.second], places[pair.first]) for pair in report.pairs if pair.measured]
    for x, y in measured:
        axes.plot([x, y], [y, x], ".", color="#33415c", markersize=4, linestyle="none")
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_title(f"{report.table}: expected errors", fontsize=11)
    figure.colorbar(shown, ax=axes, shrink=0.8, label="distance, 0 to 2")
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
