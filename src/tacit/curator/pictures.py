"""Bars with whiskers: an answer as a picture."""

from typing import Any

from tacit.curator.release import Release, percent
from tacit.errors import InvalidInput

__all__ = ["bars"]


def bars(release: Release, path: str | None = None) -> Any:
    """A figure with one panel for each measured column, a bar for each row and its interval as a whisker."""
    if not release.measured or not release.rows:
        raise InvalidInput("an answer without numbers", release.columns, "plot one that has a count, a sum or a mean")
    from matplotlib.figure import Figure

    ends = {f"{name}{end}" for name in release.measured for end in ("", "_low", "_high")}
    labels = [" · ".join(str(row[name]) for name in release.columns if name not in ends) or "all" for row in release]
    figure = Figure(figsize=(5 * len(release.measured), 1.2 + 0.32 * len(labels)), layout="constrained")
    for panel, name in enumerate(release.measured):
        axes = figure.add_subplot(1, len(release.measured), panel + 1)
        values = [row if row is not None else float("nan") for row in release.column(name)]
        low, high = release.column(f"{name}_low"), release.column(f"{name}_high")
        reach = [
            [max(0.0, value - least) if least is not None else 0.0 for value, least in zip(values, low, strict=True)],
            [max(0.0, most - value) if most is not None else 0.0 for value, most in zip(values, high, strict=True)],
        ]
        places = range(len(labels))
        axes.barh(places, values, xerr=reach, color="#9db8d2", ecolor="#1f3b57", capsize=3)
        axes.set_yticks(places, labels if panel == 0 else [""] * len(labels), parse_math=False)
        axes.invert_yaxis()
        axes.set_title(name, loc="left", parse_math=False)  # a key with two dollars in it is no formula
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(f"whiskers: {percent(release.confidence)} intervals", fontsize=9)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
