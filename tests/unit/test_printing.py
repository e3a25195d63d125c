"""Texts from data where people look: no sign of a key moves a cursor, turns a line round or is computed."""

import csv
import io
import json
import tomllib
import unicodedata

import pytest
from rich.console import Console

from tacit.curator import Price, Release
from tacit.curator.answer.plot import bars_of
from tacit.curator.write_toml import write_text
from tacit.errors import InvalidData, InvalidInput, InvalidPlan
from tacit.printing import json_text, printable, printable_lines, spreadsheet_cell

# Every control (C0, DEL and C1), mark of direction, sign without width, separator of lines, filler and surrogate.
UNSEEN = "".join(
    chr(code)
    for code in (*range(0x110000),)
    if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp", "Cs"}
    or code in {0x115F, 0x1160, 0x3164, 0xFFA0, 0x34F}
)
NAMED = "\x1b\x07\x9b\x7f\r\n\t\0\u200b\u200d\u200e\u200f\u202a\u202e\u2028\u2029\u2060\u2066\u2069\ufeff\u00ad\u3164"
EVIL = f"flu\x1b]0;owned\x1b\\\x1b[2J{NAMED}[red]<b>$x$"
FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "\u00a0=cmd|' /C calc'!A0",
    "%0",
    "\n=1",
    "|x",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20SUM(A1)",
]


def is_clean(text, *, lines=True):
    allowed = "\n" if lines else ""
    return not any(letter in UNSEEN and letter not in allowed for letter in text)


def release(*keys, column="code", n="n"):
    columns = (column, n, f"{n}_low", f"{n}_high")
    return Release(
        columns, tuple((key, 7, 0, 9) for key in keys), (n,), 0.95, Price(0.3, 0.01), {"unit": EVIL}
    )


def test_the_canary_holds_what_it_says():
    assert len(UNSEEN) > 2_200
    assert set(NAMED) <= set(UNSEEN)


def test_what_is_not_seen_becomes_a_dot_and_all_else_stays():
    assert set(printable(UNSEEN)) == {"·"}
    assert len(printable(UNSEEN)) == len(UNSEEN)
    usual = "ward A, é, 日本, ❤️, e\u0301, ½, 'quoted' \"twice\" — [x] <b>"
    assert printable(usual) == usual
    assert printable_lines("a\nb\x1b\r") == "a\nb··"


def in_a_terminal(found):
    out = io.StringIO()
    Console(file=out, force_terminal=True, highlight=False, color_system=None, width=400).print(
        found, markup=False
    )
    return out.getvalue()


WAYS = {
    "str": str,
    "repr": repr,
    "html": lambda found: found._repr_html_(),
    "rich": in_a_terminal,
    "bars": lambda found: "\n".join([*bars_of(found)[0], bars_of(found)[1][0].name]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", [EVIL, UNSEEN], ids=["named", "every"])
def test_no_key_reaches_who_looks_at_an_answer_raw(way, key):
    found = release(key, column=f"c{NAMED}", n=f"n{NAMED}")
    assert is_clean(WAYS[way](found))
    assert found.rows[0][0] == found.column(f"c{NAMED}")[0] == key  # in Python it is what it is
    assert next(iter(found))[f"c{NAMED}"] == key


def test_html_has_no_tag_of_a_key():
    assert "<b>" not in release(EVIL)._repr_html_()


def test_a_picture_shows_no_key_raw():
    pytest.importorskip("matplotlib")
    figure = release(EVIL, column=EVIL).plot()
    shown = [
        label.get_text()
        for axes in figure.axes
        for label in (*axes.get_yticklabels(), *axes.get_xticklabels())
    ]
    assert shown
    assert all(
        is_clean(text) for text in [*shown, *(axes.get_title(loc="left") for axes in figure.axes)]
    )


@pytest.mark.parametrize("key", FORMULAS)
def test_no_spreadsheet_computes_a_key(key, tmp_path):
    assert spreadsheet_cell(key) == f"'{key}"
    text = release(key, "A", column=key).to_csv(tmp_path / "answer.csv")
    assert (tmp_path / "answer.csv").read_bytes().decode() == text
    head, first, second = csv.reader(io.StringIO(text, newline=""))
    assert head == [f"'{key}", "n", "n_low", "n_high"]
    assert first == [f"'{key}", "7", "0", "9"]
    assert second[0] == "A"


def test_a_negative_number_stays_a_number_in_a_spreadsheet():
    found = Release(
        ("n", "n_low", "n_high"), ((-7, -9.5, None),), ("n",), 0.95, Price(0.3, 0.01), {}
    )
    assert found.to_csv() == "n,n_low,n_high\r\n-7,-9.5,\r\n"


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be written"):
        release("A").to_csv(tmp_path / "nowhere" / "answer.csv")


def test_json_is_what_it_says_and_can_be_printed():
    found = json_text({EVIL: [UNSEEN.encode("utf-8", "ignore").decode(), "é"]})
    assert is_clean(found)
    assert json.loads(found) == {EVIL: [UNSEEN.encode("utf-8", "ignore").decode(), "é"]}


def test_a_policy_is_what_it_says_and_can_be_printed():
    text = UNSEEN.encode("utf-8", "ignore").decode() + EVIL
    assert is_clean(write_text(text))
    assert tomllib.loads(f"x = {write_text(text)}") == {"x": text}


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput(f"column {EVIL}", EVIL, EVIL),
        InvalidData(f"the source of {EVIL} cannot be read"),
        InvalidPlan(EVIL, EVIL, text=f"SELECT {EVIL}", start=9, end=12),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_error_carries_it_either(error):
    assert is_clean(str(error))


@pytest.mark.parametrize("code", ["\x1b", "\x00", "\x9b", "\x7f", "\x08"])
def test_a_cell_of_a_spreadsheet_moves_no_cursor(code):
    """In CSV too a key is shown without control codes; what is asked for in Python is as it was found."""
    assert spreadsheet_cell(f"a{code}[2J") == "a·[2J"
    assert spreadsheet_cell("two\nlines\tand more") == "two\nlines\tand more"
    release = Release(("key",), ((f"a{code}b",),), (), 0.95, Price(1.0, 0.5), {})
    assert release.to_csv() == "key\r\na·b\r\n"
    assert release.column("key") == [f"a{code}b"]
