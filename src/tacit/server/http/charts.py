"""Pictures that the server draws: whiskers, bars and steps, as SVG that needs no script and can be printed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from math import isfinite
from typing import Any

from markupsafe import Markup

from tacit.printing import printable

__all__ = ["MOST_ROWS", "budget_bar", "format_number", "steps", "whiskers"]

MOST_ROWS = 30
"""How many rows of an answer are drawn: the largest."""

_WIDTH, _ROW = 720, 28
_LONGEST, _LETTER = 24, 6.7  # letters of a key that are drawn, and how wide each is about
_LEFT, _DAY = 56, 86_400.0


def format_number(value: Any) -> str:
    """A number as a table shows it.

    >>> format_number(1234.5), format_number(0.1234), format_number(None), format_number("A")
    ('1,234.5', '0.123', '—', 'A')
    """
    if value is None:
        return "—"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return printable(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    if not isfinite(value):
        return "unbounded"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def whiskers(release: Any, measure: str) -> Markup:
    """One bar a row with its interval, of one measure; of many rows the largest.

    Claim:      whatever a key holds, it is text in the picture.
    Because:    every text is escaped, and numbers are formatted here.
    Checked by: tests/unit/server/http/test_charts.py
    """
    low, high = f"{measure}_low", f"{measure}_high"
    rows = [row for row in release if all(_is_drawn(row[name]) for name in (measure, low, high))]
    rows = (
        sorted(rows, key=lambda row: -abs(row[measure]))[:MOST_ROWS]
        if len(rows) > MOST_ROWS
        else rows
    )
    if not rows:
        return Markup("")
    ends = {f"{name}{end}" for name in release.measured for end in ("", "_low", "_high")}
    keys = [name for name in release.columns if name not in ends]
    least = min(0.0, *(float(row[low]) for row in rows))
    most = max(0.0, *(float(row[high]) for row in rows))
    names = [", ".join(format_number(row[key]) for key in keys) or measure for row in rows]
    labels = [each if len(each) <= _LONGEST else each[: _LONGEST - 1] + "…" for each in names]
    start = round(10 + _LETTER * max(len(each) for each in labels))
    scale = (_WIDTH - start - 90) / ((most - least) or 1.0)

    def place(value: float) -> float:
        return round(start + (float(value) - least) * scale, 1)

    zero, drawn = place(0), []
    for number, (row, short) in enumerate(zip(rows, labels, strict=True)):
        top = 8 + number * _ROW
        value, left, right = place(row[measure]), place(row[low]), place(row[high])
        middle = top + 9
        wide, beside = round(abs(value - zero), 1), max(right, value) + 8
        shown = escape(format_number(row[measure]))
        drawn.append(
            f'<text class="label" x="{start - 10}" y="{top + 14}" text-anchor="end">{escape(short)}</text>'
            f'<rect class="bar" x="{min(zero, value)}" y="{top}" width="{wide}" height="18" rx="3"/>'
            f'<path class="whisker" d="M{left} {middle}H{right}M{left} {middle - 6}v12M{right} {middle - 6}v12"/>'
            f'<text class="value" x="{beside}" y="{top + 14}">{shown}</text>'
        )
    height = 16 + _ROW * len(rows)
    said = escape(f"{measure}, one bar for each row, with its interval as a whisker")
    return Markup(  # noqa: S704 -- every text in it was escaped above
        f'<svg class="chart" role="img" aria-label="{said}" viewBox="0 0 {_WIDTH} {height}">'
        f'<path class="axis" d="M{zero} 2V{height - 4}"/>{"".join(drawn)}</svg>'
    )


def budget_bar(spent: float, label: str) -> Markup:
    """A bar of what is left of a limit: full while nothing is spent.

    >>> str(budget_bar(0.25, "Your limit"))[:51]
    '<svg class="meter" role="img" aria-label="Your limi'
    """
    left = min(1.0, max(0.0, 1 - spent))
    width = max(round(200 * left, 1), 2.0) if left > 0 else 0
    said = escape(f"{label}: {left:.1%} left")
    return Markup(  # noqa: S704 -- every text in it was escaped above
        f'<svg class="meter" role="img" aria-label="{said}" viewBox="0 0 200 10" preserveAspectRatio="none">'
        f'<rect class="track" width="200" height="10"/>'
        f'<rect class="left{" low" if left < 0.15 else ""}" width="{width}" height="10"/></svg>'
    )


def steps(spending: Sequence[tuple[str, float]], label: str, pace: float | None = None) -> Markup:
    """The share of the limit that was spent, over time; nothing for fewer than two charges.

    With a pace, the share of a day, a dashed line goes on at it for as long again, at most to the limit.
    """
    if len(spending) < 2:
        return Markup("")
    moments = [datetime.fromisoformat(at).timestamp() for at, _ in spending]
    first, now = moments[0], max(moments[-1], moments[0] + 1)
    total = sum(share for _, share in spending)
    ahead = _seconds_ahead(total, pace, now - first)
    most, last = min(1.0, total + (pace or 0) * ahead / _DAY) or 1.0, now + ahead

    def place(moment: float, spent: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - 20 - _LEFT) * (moment - first) / (last - first)
        return round(across, 1), round(170 - 150 * min(1.0, spent / most), 1)

    spent, points = 0.0, [f"M{_LEFT} 170"]
    for moment, (_, share) in zip(moments, spending, strict=True):
        spent += share
        across, up = place(moment, spent)
        points.append(f"H{across}V{up}")
    across, up = place(now, spent)
    points.append(f"H{across}")
    dashed = ""
    if ahead:
        end = place(last, most)
        dashed = f'<path class="ahead" d="M{across} {up}L{end[0]} {end[1]}"/>'
    said = escape(f"{label}: {total:.1%} of the limit over time")
    ends = [datetime.fromtimestamp(each, UTC) for each in (first, last)]
    form = (
        "%H:%M" if ends[0].date() == ends[1].date() else "%Y-%m-%d"
    )  # within a day, the times of it
    begin, until = (f"{each:{form}}" for each in ends)
    return Markup(  # noqa: S704 -- every text in it was escaped above
        f'<svg class="chart" role="img" aria-label="{said}" viewBox="0 0 {_WIDTH} 200">'
        f'<path class="axis" d="M{_LEFT} 170H{_WIDTH - 20}M{_LEFT} 20V170"/><path class="line" d="{"".join(points)}"/>'
        f'{dashed}<text class="label" x="{_LEFT - 6}" y="26" text-anchor="end">{100 * most:.3g} %</text>'
        f'<text class="label" x="{_LEFT - 6}" y="174" text-anchor="end">0</text>'
        f'<text class="label" x="{_LEFT}" y="192">{escape(begin)}</text>'
        f'<text class="label" x="{_WIDTH - 20}" y="192" text-anchor="end">{escape(until)}</text></svg>'
    )


def _seconds_ahead(total: float, pace: float | None, past: float) -> float:
    """How far the dashed line goes: as long as the past, at least a day, at most until the limit is reached."""
    if not pace or total >= 1:
        return 0.0
    return min(max(past, _DAY), (1 - total) / pace * _DAY)


def _is_drawn(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
