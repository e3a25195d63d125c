"""Bars with whiskers: an answer as a picture.

Checked by: tests/unit/test_printing.py
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from math import isfinite
from typing import Any

from tacit.curator.answer.release import Release, percent
from tacit.errors import InvalidInput
from tacit.extras import extra
from tacit.frozen import frozen
from tacit.printing import printable

__all__ = ["Bars", "bars", "bars_of"]

_LONGEST = 40  # characters of a key
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)


@frozen
class Bars:
    """One panel of a picture: a bar for each row, and how far its whisker goes to either side.

    Days and moments are numbers of days since 1970, as matplotlib counts them; they have no bar from zero.
    """

    name: str
    values: tuple[float, ...]
    below: tuple[float, ...]
    above: tuple[float, ...]
    moments: bool


def bars_of(release: Release) -> tuple[tuple[str, ...], tuple[Bars, ...]]:
    """What a picture of an answer shows: a label for each row, and one panel for each measured column."""
    keys = _key_names(release)
    labels = tuple(
        _label(" · ".join(_key_text(row[name]) for name in keys)) or "all" for row in release
    )
    return labels, tuple(_panel(release, name) for name in release.measured)


def _key_names(release: Release) -> list[str]:
    ends = {f"{name}{end}" for name in release.measured for end in ("", "_low", "_high")}
    return [name for name in release.columns if name not in ends]


def _panel(release: Release, name: str) -> Bars:
    cells = release.column(name)
    values = _numbers(cells, [float("nan")] * len(cells))
    low, high = (_numbers(release.column(f"{name}_{end}"), values) for end in ("low", "high"))
    return Bars(
        printable(name),
        values,
        tuple(max(0.0, value - least) for value, least in zip(values, low, strict=True)),
        tuple(max(0.0, most - value) for value, most in zip(values, high, strict=True)),
        any(isinstance(cell, date) for cell in cells),
    )


def _numbers(cells: Sequence[Any], missing: Sequence[float]) -> tuple[float, ...]:
    """Cells as floats, and something else for those that are missing."""
    return tuple(
        other if cell is None else _number(cell) for cell, other in zip(cells, missing, strict=True)
    )


def _number(cell: Any) -> float:
    if not isinstance(cell, date):
        return float(cell)
    moment = (
        cell
        if isinstance(cell, datetime)
        else datetime(cell.year, cell.month, cell.day, tzinfo=UTC)
    )
    return (moment - _FIRST_DAY) / timedelta(days=1)


def _calendar(panel: Bars) -> tuple[float, float]:
    """From which day to which a panel goes: a little beyond its whiskers, but not beyond the years 1 to 9999."""
    known = [
        each
        for each in zip(panel.values, panel.below, panel.above, strict=True)
        if isfinite(each[0])
    ]
    low = min((value - below for value, below, _ in known), default=0.0)
    high = max((value + above for value, _, above in known), default=1.0)
    room = max(1.0, (high - low) / 20)
    return max(low - room, _number(date.min)), min(high + room, _number(date.max))


def bars(release: Release, path: str | None = None) -> Any:
    """A figure with one panel for each measured column, a bar for each row and its interval as a whisker."""
    if not release.measured:
        raise InvalidInput(
            "an answer without numbers",
            release.columns,
            "plot one that has a count, a sum or a mean",
        )
    if not release.rows:
        raise InvalidInput(
            "an answer",
            "without groups",
            "no key was discovered, or HAVING removed all groups: there is nothing to plot",
        )
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    labels, panels = bars_of(release)
    figure = Figure(figsize=(5 * len(panels), 1.2 + 0.32 * len(labels)), layout="constrained")
    places = range(len(labels))
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        reach = [panel.below, panel.above]
        if panel.moments:
            axes.errorbar(
                panel.values,
                places,
                xerr=reach,
                fmt="o",
                color="#1f3b57",
                ecolor="#1f3b57",
                capsize=3,
            )
            axes.xaxis_date()
            axes.set_xlim(*_calendar(panel))
            axes.tick_params(axis="x", labelrotation=30)
        else:
            axes.barh(
                places, panel.values, xerr=reach, color="#9db8d2", ecolor="#1f3b57", capsize=3
            )
        axes.set_yticks(places, labels if place == 0 else [""] * len(labels), parse_math=False)
        if place == 0:  # which of them says TRUE and FALSE of what
            axes.set_ylabel(_label(" · ".join(_key_names(release))), parse_math=False)
        # from above, without room for bars that are not there
        axes.set_ylim(len(labels) - 0.4, -0.6)
        # a key with two dollars in it is no formula
        axes.set_title(panel.name, loc="left", parse_math=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(f"whiskers: {percent(release.confidence)} intervals", fontsize=9)
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            fault = getattr(error, "strerror", None) or error
            why = f"it cannot be written ({fault}); name a file such as answer.png"
            raise InvalidInput("path", str(path), why) from None
    # what a notebook shows, whatever it draws with
    figure._repr_png_ = lambda: _png(figure)  # type: ignore[attr-defined]
    return figure


def _png(figure: Any) -> bytes:
    """A figure as a picture."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=96)
    return file.getvalue()


def _key_text(key: Any) -> str:
    return "NULL" if key is None else str(key)


def _label(key: str) -> str:
    """A key beside its bar: on one line, and short enough to leave room for the bars."""
    shown = printable(key)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
