"""Pictures: lines for keys that have an order, bars for others, colours for a second key; every key harmless."""

from datetime import date, datetime

import pytest
from matplotlib.figure import Figure

from tacit.curator import Price, Release
from tacit.errors import InvalidInput


def release(keys, rows, measured=("n",)):
    ends = tuple(f"{name}{end}" for name in measured for end in ("", "_low", "_high"))
    cells = [
        (*row, *((10 + place, 9 + place, 12 + place) * len(measured)))
        for place, row in enumerate(rows)
    ]
    return Release((*keys, *ends), tuple(cells), measured, 0.95, Price(0.1, 0.1), {})


def test_years_are_a_line_without_thousands():
    figure = release(["year"], [(2020,), (2018,), (2019,)]).plot()
    (axes,) = figure.axes
    assert [list(each) for each in (axes.lines[0].get_xdata(), axes.lines[0].get_ydata())] == [
        [2018, 2019, 2020],
        [11, 12, 10],
    ]
    assert axes.get_title(loc="left") == "n by year"
    figure.canvas.draw()
    shown = [text.get_text() for text in axes.get_xticklabels()]
    assert {"2018", "2019", "2020"} <= set(shown)


@pytest.mark.parametrize("kind", [date, datetime])
def test_days_and_moments_are_a_line_in_the_calendar(kind):
    figure = release(["month"], [(kind(2024, month, 1),) for month in (1, 2, 3)]).plot()
    (axes,) = figure.axes
    assert list(axes.lines[0].get_xdata()) == [19723, 19754, 19783]  # days since 1970
    figure.canvas.draw()
    assert any("2024" in text.get_text() for text in axes.get_xticklabels())


@pytest.mark.parametrize(
    "cells", [("A", "B", "C"), (True, False, None), (1, 2, None), (1, 2)], ids=str
)
def test_what_has_no_order_or_is_too_short_is_bars(cells):
    (axes,) = release(["key"], [(cell,) for cell in cells]).plot().axes
    assert len(axes.patches) == len(cells)
    assert axes.get_title(loc="left") == "n by key"


def test_two_keys_have_a_colour_for_each_value_of_the_second():
    rows = [(ward, sex) for ward in "ABC" for sex in ("f", "m")]
    figure = release(["ward", "sex"], rows, ("n", "mean")).plot(title="Visits")
    assert figure.get_suptitle() == "Visits"
    assert [len(axes.patches) for axes in figure.axes] == [6, 6]
    legend = figure.axes[-1].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["f", "m"]
    assert legend.get_title().get_text() == "sex"
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["A", "B", "C"]
    assert len({patch.get_facecolor() for patch in figure.axes[0].patches}) == 2


def test_two_keys_of_which_the_first_has_an_order_are_lines():
    rows = [(year, sex) for year in (2020, 2021, 2022) for sex in ("f", "m")]
    (axes,) = release(["year", "sex"], rows).plot().axes
    assert [list(line.get_xdata()) for line in axes.lines[:1]] == [[2020, 2021, 2022]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["f", "m"]


def test_many_second_keys_are_bars_with_both_names():
    rows = [(ward, f"d{n}") for ward in "AB" for n in range(20)]
    figure = release(["ward", "diagnosis"], rows).plot()
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels[:2] == ["A · d0", "A · d1"]
    assert figure.get_size_inches()[1] <= 60


def test_a_picture_has_an_end_however_many_groups_there_are():
    figure = release(["key"], [(f"k{n}",) for n in range(2000)]).plot()
    assert figure.get_size_inches()[1] == 60


def test_axes_of_ones_own_are_drawn_into():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    one = release(["ward"], [("A",), ("B",)])
    assert one.plot(ax=right, title="mine") is figure
    assert right.get_title(loc="left") == "mine"
    assert (len(left.patches), len(right.patches)) == (0, 2)
    both = release(["ward"], [("A",), ("B",)], ("n", "mean"))
    with pytest.raises(InvalidInput, match=r"ax cannot be .*; give one for each of: n, mean"):
        both.plot(ax=left)
    both.plot(ax=[left, right])
    assert len(left.patches) == 2


def test_keys_that_look_like_formulas_or_codes_are_shown_as_they_are(tmp_path):
    rows = [(ward, other) for ward in ("$a$", "\x1b[2J") for other in ("_hidden", "$x_$")]
    file = tmp_path / "keys.png"
    figure = release(["$k$", "$_2"], rows).plot(str(file))
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == [" _hidden", "$x_$"]
    assert "\x1b" not in "".join(t.get_text() for t in figure.axes[0].get_yticklabels())
    assert file.read_bytes().startswith(b"\x89PNG")
