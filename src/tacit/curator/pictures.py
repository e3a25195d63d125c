"""Bars with whiskers: an answer as a picture."""

from typing import Any

from tacit.curator.release import Release, percent, printable
from tacit.errors import InvalidInput

__all__ = ["bars"]

_LONGEST = 40  # characters of a key


def bars(release: Release, path: str | None = None) -> Any:
    """A figure with one panel for each measured column, a bar for each row and its interval as a whisker."""
    if not release.measured:
        raise InvalidInput("an answer without numbers", release.columns, "plot one that has a count, a sum or a mean")
    if not release.rows:
        raise InvalidInput(
            "an answer", "without groups", "none was found, or HAVING left none: there is nothing to plot"
        )
    from matplotlib.figure import Figure

    ends = {f"{name}{end}" for name in release.measured for end in ("", "_low", "_high")}
    keys = [name for name in release.columns if name not in ends]
    labels = [_label(" · ".join(_key_text(row[name]) for name in keys)) or "all" for row in release]
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
        axes.set_ylim(len(labels) - 0.4, -0.6)  # from above, without room for bars that are not there
        axes.set_title(name, loc="left", parse_math=False)  # a key with two dollars in it is no formula
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(f"whiskers: {percent(release.confidence)} intervals", fontsize=9)
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            why = (
                f"it cannot be written ({getattr(error, 'strerror', None) or error}); name a picture such as answer.png"
            )
            raise InvalidInput("path", str(path), why) from None
    return figure


def _key_text(key: Any) -> str:
    return "NULL" if key is None else str(key)


def _label(key: str) -> str:
    """A key beside its bar: on one line, and short enough to leave room for the bars."""
    shown = printable(key)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
