"""Bars and lines with whiskers: an answer as a picture.

Checked by: tests/unit/test_printing.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
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
_HIGHEST = 60  # inches of a picture
_COLOURS = 10  # of a second key
_TWO = 2  # keys
_SHORT = 20  # characters of a name in a title or a legend
_A_LINE = 3  # values of a key that make a line
_DARK = "#1f3b57"
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
    columns = release.to_dict()
    keys = [list(map(_key_text, columns[name])) for name in _key_names(release)]
    named = list(zip(*keys, strict=True)) or [()] * len(release)
    labels = [_label(" · ".join(row)) or "all" for row in named]
    return tuple(labels), tuple([_panel(columns, name) for name in release.measured])


def _key_names(release: Release) -> list[str]:
    ends = {f"{name}{end}" for name in release.measured for end in ("", "_low", "_high")}
    return [name for name in release.columns if name not in ends]


def _panel(columns: Mapping[str, Sequence[Any]], name: str) -> Bars:
    cells = columns[name]
    values = _numbers(cells, [float("nan")] * len(cells))
    low = _numbers(columns[f"{name}_low"], values)
    high = _numbers(columns[f"{name}_high"], values)
    return Bars(
        printable(name),
        values,
        tuple([max(0.0, value - least) for value, least in zip(values, low, strict=True)]),
        tuple([max(0.0, most - value) for value, most in zip(values, high, strict=True)]),
        bool([cell for cell in cells if isinstance(cell, date)]),
    )


def _numbers(cells: Sequence[Any], missing: Sequence[float]) -> tuple[float, ...]:
    """Cells as floats, and something else for those that are missing."""
    pairs = zip(cells, missing, strict=True)
    return tuple([other if cell is None else _number(cell) for cell, other in pairs])


def _number(cell: Any) -> float:
    if not isinstance(cell, date):
        return float(cell)
    moment = (
        cell
        if isinstance(cell, datetime)
        else datetime(cell.year, cell.month, cell.day, tzinfo=UTC)
    )
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
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


def bars(
    release: Release, path: str | None = None, *, ax: Any = None, title: str | None = None
) -> Any:
    """A figure with one panel for each measured column, and intervals as whiskers.

    A key that has an order, numbers or days, is drawn as a line; other keys as bars.  Of two keys the second one has
    colours.  With `ax`, axes of matplotlib's, it is drawn there.
    """
    _check_plottable(release)
    labels, panels = bars_of(release)
    series = _series_of(release)
    ordered = _is_ordered(release, series) and not any(panel.moments for panel in panels)
    if ax is None:
        places = _new_axes(len(panels), _size(len(panels), len(labels), ordered=ordered))
    else:
        places = _given_axes(ax, release)
    figure = places[0].figure
    for place, (axes, panel) in enumerate(zip(places, panels, strict=True)):
        if ordered:
            _draw_lines(axes, release, panel, series)
        elif len(series) > 1:
            _draw_clusters(axes, release, panel, series, first=place == 0)
        else:
            _draw_bars(axes, release, panel, labels, first=place == 0)
        # a key with two dollars in it is no formula
        axes.set_title(_panel_title(release, panel), loc="left", parse_math=False)
        axes.spines[["top", "right"]].set_visible(False)
    if len(series) > 1:
        _add_legend(places[-1], release)
    if ax is None:
        if title is not None:
            figure.suptitle(printable(title), parse_math=False)
        figure.supxlabel(f"whiskers: {percent(release.confidence)} intervals", fontsize=9)
    elif title is not None:
        places[0].set_title(printable(title), loc="left", parse_math=False)
    if path is not None:
        _save(figure, path)
    # what a notebook shows, whatever it draws with
    figure._repr_png_ = lambda: _png(figure)
    return figure


def _check_plottable(release: Release) -> None:
    """Refuse an answer in which there is nothing to plot."""
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


def _new_axes(panels: int, size: tuple[float, float]) -> list[Any]:
    """Axes side by side in a new figure, one for each panel."""
    with extra("plot", "a picture"):
        from matplotlib.figure import Figure

    figure: Any = Figure(figsize=size, layout="constrained")
    return [figure.add_subplot(1, panels, place + 1) for place in range(panels)]


def _given_axes(ax: Any, release: Release) -> list[Any]:
    """The axes that were given, one for each measured column."""
    places = list(ax) if isinstance(ax, Iterable) else [ax]
    if len(places) != len(release.measured):
        remedy = f"give one for each of: {', '.join(release.measured)}"
        raise InvalidInput("ax", f"{len(places)} axes", remedy)
    return places


def _save(figure: Any, path: str) -> None:
    """Write a figure to a file."""
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or error
        why = f"it cannot be written ({fault}); name a file such as answer.png"
        raise InvalidInput("path", str(path), why) from None


def _size(panels: int, rows: int, *, ordered: bool) -> tuple[float, float]:
    """How large a figure is, in inches: as high as its bars need, within reason."""
    return (5.5 * panels, 3.6) if ordered else (5 * panels, min(1.2 + 0.32 * rows, _HIGHEST))


def _panel_title(release: Release, panel: Bars) -> str:
    keys = _key_names(release)
    named = printable(" and ".join(keys))
    short = len(panel.name) + len(named) <= 2 * _SHORT - len(" by ")
    return f"{panel.name} by {named}" if keys and short else panel.name


def _series_of(release: Release) -> dict[str, list[int]]:
    """The rows of each value of the second of two keys, or all rows; with too many values, all rows, too."""
    keys = _key_names(release)
    rows = list(range(len(release.rows)))
    if len(keys) != _TWO:
        return {"": rows}
    found: dict[str, list[int]] = {}
    for row, key in enumerate(release.column(keys[1])):
        found.setdefault(_label(_key_text(key)), []).append(row)
    firsts = release.column(keys[0])
    alone = all(len({firsts[row] for row in each}) == len(each) for each in found.values())
    short = max(map(len, [*found, keys[1]])) <= _SHORT  # they have room beside the bars
    return found if 1 < len(found) <= _COLOURS and alone and short else {"": rows}


def _is_ordered(release: Release, series: dict[str, list[int]]) -> bool:
    """Whether the first key is made of numbers or days, at least three in every series."""
    keys = _key_names(release)
    if not keys or (len(keys) > 1 and len(series) == 1):
        return False
    cells = release.column(keys[0])
    kinds = all(
        isinstance(cell, int | float | Fraction | date) and not isinstance(cell, bool)
        for cell in cells
    )
    return kinds and min(map(len, series.values())) >= _A_LINE


def _draw_lines(axes: Any, release: Release, panel: Bars, series: dict[str, list[int]]) -> None:
    """A line for each series, over a key that has an order."""
    key = _key_names(release)[0]
    cells = release.column(key)
    for name, rows in series.items():
        sorted_rows = sorted(rows, key=lambda row: _number(cells[row]))
        axes.errorbar(
            [_number(cells[row]) for row in sorted_rows],
            [panel.values[row] for row in sorted_rows],
            yerr=[
                [panel.below[row] for row in sorted_rows],
                [panel.above[row] for row in sorted_rows],
            ],
            fmt="o-",
            markersize=4,
            capsize=3,
            label=_safe(name) if name else None,
            **({} if len(series) > 1 else {"color": _DARK}),
        )
    if isinstance(cells[0], date):
        axes.xaxis_date()
        axes.tick_params(axis="x", labelrotation=30)
    elif all(isinstance(cell, int) for cell in cells):
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.ticklabel_format(axis="x", style="plain", useOffset=False)  # 2024 is a year
    axes.set_xlabel(_label(key), parse_math=False)
    axes.margins(y=0.1)


def _draw_clusters(
    axes: Any, release: Release, panel: Bars, series: dict[str, list[int]], *, first: bool
) -> None:
    """A cluster of bars for each value of the first key, a colour for each of the second."""
    key = _key_names(release)[0]
    cells = [_label(_key_text(cell)) for cell in release.column(key)]
    names = list(dict.fromkeys(cells))
    thick = 0.8 / len(series)
    for place, (name, rows) in enumerate(series.items()):
        at = [names.index(cells[row]) - 0.4 + thick * (place + 0.5) for row in rows]
        values, reach = (
            [panel.values[row] for row in rows],
            [[panel.below[row] for row in rows], [panel.above[row] for row in rows]],
        )
        if panel.moments:
            axes.errorbar(values, at, xerr=reach, fmt="o", capsize=2, label=_safe(name))
        else:
            axes.barh(
                at, values, thick, xerr=reach, ecolor=_DARK, capsize=2, label=_safe(name), alpha=0.7
            )
    if panel.moments:
        _as_calendar(axes, panel)
    axes.set_yticks(range(len(names)), names if first else [""] * len(names), parse_math=False)
    if first:
        axes.set_ylabel(_label(key), parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _draw_bars(
    axes: Any, release: Release, panel: Bars, labels: tuple[str, ...], *, first: bool
) -> None:
    """A bar for each row."""
    places, reach = range(len(labels)), [panel.below, panel.above]
    if panel.moments:
        axes.errorbar(
            panel.values, places, xerr=reach, fmt="o", color=_DARK, ecolor=_DARK, capsize=3
        )
        _as_calendar(axes, panel)
    else:
        axes.barh(places, panel.values, xerr=reach, color="#9db8d2", ecolor=_DARK, capsize=3)
    axes.set_yticks(places, labels if first else [""] * len(labels), parse_math=False)
    if first:  # which of them says TRUE and FALSE of what
        axes.set_ylabel(_label(" · ".join(_key_names(release))), parse_math=False)
    # from above, without room for bars that are not there
    axes.set_ylim(len(labels) - 0.4, -0.6)


def _as_calendar(axes: Any, panel: Bars) -> None:
    axes.xaxis_date()
    axes.set_xlim(*_calendar(panel))
    axes.tick_params(axis="x", labelrotation=30)


def _add_legend(axes: Any, release: Release) -> None:
    """Say beside the last panel which colour is which value of the second key."""
    legend = axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    legend.set_title(_safe(_label(_key_names(release)[1])), prop={"size": 8})
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_parse_math(False)


def _safe(label: str) -> str:
    """A label that matplotlib shows: one that begins with _ would be left out."""
    return f" {label}" if label.startswith("_") else label


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
