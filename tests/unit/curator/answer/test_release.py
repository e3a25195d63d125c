"""What leaves, as rows, frames, HTML, text and a picture."""

import copy
from dataclasses import FrozenInstanceError, replace
from datetime import date
from io import StringIO

import pytest
from rich.console import Console

from tacit.curator import Price, Release
from tacit.curator.answer.release import percent
from tacit.errors import InvalidInput

PRICE = Price(0.3, 0.0132)
RELEASE = Release(
    ("ward", "n", "n_low", "n_high", "mean", "mean_low", "mean_high"),
    (("A", 1234, 1200, 1268, 0.00123, -0.5, 0.5), ("<b>&", 7, 0, 41, None, None, None)),
    ("n", "mean"),
    0.95,
    PRICE,
    {"entry": 0},
)


def release(columns, rows, measured=(), confidence=0.95):
    return Release(tuple(columns), tuple(rows), tuple(measured), confidence, PRICE, {})


def in_a_terminal(found):
    terminal = Console(file=StringIO(), width=120, color_system=None)
    terminal.print(found)
    return terminal.file.getvalue().rstrip()


def test_rows_are_tuples_and_iterating_gives_them_by_name():
    assert len(RELEASE) == 2
    first, _ = RELEASE
    assert first["ward"] == "A"
    assert list(first) == list(RELEASE.columns)
    assert RELEASE.column("n") == [1234, 7]
    with pytest.raises(ValueError, match="name one of: ward, n, "):
        RELEASE.column("nobody")


def test_a_release_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        RELEASE.rows = ()


def test_frames_have_the_columns_and_cells_of_the_rows():
    for frame in (RELEASE.to_pandas(), RELEASE.to_polars()):
        assert tuple(frame.columns) == RELEASE.columns
        assert list(frame["n"]) == [1234, 7]
        assert list(frame["ward"]) == ["A", "<b>&"]
    table = RELEASE.to_arrow()
    assert tuple(table.column_names) == RELEASE.columns
    assert table.to_pylist() == list(RELEASE)


@pytest.mark.parametrize(
    "cells",
    [
        [None] * 150 + [1.5],
        [3, 0.5],
        [None, None],
        [True, None],
        [date(2025, 1, 1), None],
        [2**63, -1],
        [-(2**90), 2**90],
        ["", "a" * 1000],
        [],
    ],
    ids=lambda cells: f"{len(cells)} {type(cells[-1]).__name__ if cells else 'none'}",
)
def test_every_frame_takes_every_column(cells):
    found = release(["x"], [(cell,) for cell in cells])
    assert (
        found.to_pandas().shape
        == found.to_polars().shape
        == found.to_arrow().shape
        == (len(cells), 1)
    )
    assert [cell is None for cell in found.to_arrow()["x"].to_pylist()] == [
        cell is None for cell in cells
    ]
    assert isinstance(str(found), str)


def test_html_is_escaped_everywhere():
    hostile = "<script>alert('&')</script>"
    found = release([hostile, "n", "n_low", "n_high"], [(hostile, 1, 0, 2)], ["n"])
    html = found._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;") == 2
    assert html.count("<tr>") == 2
    assert "[0, 2]" in html


@pytest.mark.parametrize(
    "key", ["[bold]x[/bold]", "[/]", "[red]", "a[0]", "[link=file:x]y[/link]", "\\[x]"]
)
def test_a_key_that_looks_like_mark_up_is_shown_as_it_is(key):
    found = release([key, "n", "n_low", "n_high"], [(key, 1, 0, 2)], ["n"])
    assert str(found).count(key) == in_a_terminal(found).count(key) == 2


def test_a_table_in_a_terminal_has_an_interval_in_one_column_with_its_number():
    text = str(RELEASE)
    assert "1,234  [1,200, 1,268]" in text
    assert "0.00123  [-0.50, 0.50]" in text
    assert "—  [—, —]" in text
    assert "n_low" not in text
    assert "95%" in text
    assert "cost: epsilon 0.3, 1.32% of the limit" in " ".join(text.split())
    assert repr(RELEASE) == text


def test_an_empty_answer_can_be_shown():
    empty = release(["ward", "n", "n_low", "n_high"], [], ["n"])
    assert "ward" in str(empty)
    assert "<tbody></tbody>" in empty._repr_html_()
    assert empty.to_pandas().shape == (0, 4)


@pytest.mark.parametrize(
    ("confidence", "shown"),
    [
        (0.95, "95%"),
        (0.5, "50%"),
        (0.999, "99.9%"),
        (0.9999, "99.99%"),
        (0.57, "57%"),
        (1 - 1e-9, "99.9999999%"),
    ],
)
def test_a_confidence_is_shown_with_all_its_digits(confidence, shown):
    assert percent(confidence) == shown


def test_a_price_says_whether_it_was_paid_this_time():
    assert str(Price(0.3, 0.0132)) == "epsilon 0.3, 1.32% of the limit"
    assert (
        str(Price(0.3, 0.0132, free=True))
        == "nothing: the stored answer, which cost epsilon 0.3, 1.32% of the limit"
    )


@pytest.mark.parametrize("key", ["A", "$x$", "$\\frac$ and $", "a_b^c", "", "é" * 40])
def test_a_picture_is_drawn_whatever_the_keys_are_called(key, tmp_path):
    pytest.importorskip("matplotlib")
    found = release(
        ["ward", key or "n", f"{key or 'n'}_low", f"{key or 'n'}_high"],
        [(key, 10, 5, 12), (None, None, None, None), ("C", 3, None, 9)],
        [key or "n"],
    )
    path = tmp_path / "bars.png"
    figure = found.plot(str(path))
    assert path.stat().st_size > 1000
    assert len(figure.axes) == 1


def test_a_picture_has_a_panel_for_each_measured_column():
    pytest.importorskip("matplotlib")
    assert len(RELEASE.plot().axes) == 2


@pytest.mark.parametrize(
    "found", [release(["ward"], [("A",)]), release(["n", "n_low", "n_high"], [], ["n"])]
)
def test_nothing_is_drawn_of_nothing(found):
    with pytest.raises(InvalidInput):
        found.plot()


@pytest.mark.parametrize(
    "found",
    [
        RELEASE,
        release(
            ["wärd", "n", "n_low", "n_high"], [("日本", 1, 0, 2), ("e\u0301", 12, 0, 200)], ["n"]
        ),
        release(["ward", "n", "n_low", "n_high"], [], ["n"]),
    ],
    ids=["usual", "wide letters", "empty"],
)
def test_a_table_as_text_looks_like_the_one_in_a_terminal(found):
    assert str(found) == in_a_terminal(found)


def test_a_key_cannot_move_the_cursor():
    text = str(release(["ward", "n", "n_low", "n_high"], [("a\x1b[2J\nb", 1, 0, 2)], ["n"]))
    assert "a·[2J·b" in text
    assert "\x1b" not in text


def test_what_intervals_hold_for_is_said_in_the_caption():
    note = "intervals of n hold for all 3 groups simultaneously, since the rows were selected by noisy numbers"
    assert str(replace(RELEASE, notes=(note,))).endswith(f"\n{note}")


def test_where_no_column_has_an_interval_the_caption_does_not_speak_of_their_probability():
    caption = release(["ward", "n"], [("A", 3)]).caption()
    assert caption.startswith("no column has an interval; cost: ")
    assert "probability" not in caption
    assert release(["n", "n_low", "n_high"], [(3, 1, 5)], ["n"]).caption().startswith("intervals")


def test_a_key_that_is_null_is_called_so():
    text = str(release(["ward", "n", "n_low", "n_high"], [(None, 1, 0, 2)], ["n"]))
    assert "NULL" in text
    assert "—" not in text


def test_on_a_narrow_terminal_intervals_stand_below_their_numbers():
    terminal = Console(file=StringIO(), width=44, color_system=None)
    names = ["ward", "n", "n_low", "n_high", "m", "m_low", "m_high"]
    terminal.print(release(names, [("A", 1234, 1200, 1268, 1.5, 0.5, 2.5)], ["n", "m"]))
    lines = [line.split() for line in terminal.file.getvalue().splitlines()]
    assert ["A", "1,234", "1.50"] in lines
    assert ["[1,200,", "1,268]", "[0.50,", "2.50]"] in lines


def answer_of(columns, rows, measured):
    return Release(columns, rows, measured, 0.95, Price(0.3, 0.01), {})


COUNTED = answer_of(
    ("year", "n", "n_low", "n_high"), ((2024, 1042, 1000, 1100), (None, 7, 0, 50)), ("n",)
)


def test_a_column_is_had_by_its_name_and_a_single_number_by_item():
    assert COUNTED["n"] == [1042, 7]
    assert COUNTED.to_dict()["year"] == [2024, None]
    one = answer_of(("n", "n_low", "n_high"), ((5, 1, 9),), ("n",))
    assert one.item() == 5
    with pytest.raises(InvalidInput, match="2 rows and 1 aggregate;"):
        COUNTED.item()
    with pytest.raises(
        AttributeError, match=r'^an answer has no attribute \'n\': its column is answer\["n"\]$'
    ):
        COUNTED.n  # noqa: B018
    with pytest.raises(AttributeError, match=r"^an answer has no attribute 'wards'$"):
        COUNTED.wards  # noqa: B018
    assert copy.copy(COUNTED) == COUNTED


def test_years_have_no_separator_and_counts_do():
    assert "  2024   1,042  [1,000, 1,100]" in str(COUNTED)
    assert "NULL" in str(COUNTED)


def test_markdown_escapes_what_would_end_a_cell():
    answer = answer_of(("ward", "n", "n_low", "n_high"), (("a|b", 1, 0, 2),), ("n",))
    assert answer.to_markdown() == "| ward | n |\n| :-- | --: |\n| a\\|b | 1  [0, 2] |"


def test_an_answer_is_an_arrow_stream():
    pa = pytest.importorskip("pyarrow")
    assert pa.table(COUNTED).column("n").to_pylist() == [1042, 7]


LONG = [f"QUANTILE_CONT(los,[0.25,0.5,0.75])_{rank}" for rank in ("0.25", "0.5", "0.75")]


def with_long_names(*names):
    columns = [end for name in names for end in (name, f"{name}_low", f"{name}_high")]
    return release(columns, [[1.5, 1.0, 2.0] * len(names)], names)


def test_long_names_are_shortened_where_they_are_printed_and_nowhere_else():
    found = with_long_names(*LONG)
    for shown in (str(found), in_a_terminal(found)):
        assert max(map(len, shown.splitlines()[:4])) <= 84
        (heads,) = [line.split() for line in shown.splitlines() if "QUANTILE" in line]
        assert heads == [
            "QUANTILE_CONT(…75])_0.25",
            "QUANTILE_CONT(….75])_0.5",
            "QUANTILE_CONT(…75])_0.75",
        ]
    assert found.columns[0] == LONG[0]
    for shown in (found.to_csv(), found.to_markdown(), found._repr_html_()):
        assert all(name in shown for name in LONG)


def test_names_that_would_be_alike_and_those_of_a_narrow_table_are_not_shortened():
    alike = [f"QUANTILE_CONT(a_column_{place},[0.25,0.5,0.75])_0.5" for place in range(3)]
    assert all(name in str(with_long_names(*alike)) for name in alike)
    assert LONG[0] in str(with_long_names(LONG[0]))
