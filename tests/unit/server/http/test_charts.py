"""Pictures hold text as text, draw what can be drawn, and leave the rest out."""

import xml.etree.ElementTree as ET

import pytest

from tacit.curator import Price, Release
from tacit.server.http.charts import MOST_ROWS, budget_bar, format_number, steps, whiskers


def release(rows):
    names = ("key", "n", "n_low", "n_high")
    return Release(names, tuple(rows), ("n",), 0.95, Price(1.0, 0.5), {})


@pytest.mark.parametrize(
    "key",
    ["<script>alert(1)</script>", '"><x', "&amp;", "\x1b[2J", "a\x00b", "]]>", "'\"", None, True],
)
def test_whatever_a_key_holds_it_is_text(key):
    drawn = str(whiskers(release([(key, 5, 3, 7), ("b", -2, -4, 0)]), "n"))
    tree = ET.fromstring(drawn)
    assert {each.tag for each in tree.iter()} <= {"svg", "path", "rect", "text"}
    assert "\x1b" not in drawn
    assert "\x00" not in drawn


def test_of_many_rows_the_largest_are_drawn_and_none_without_a_number():
    rows = [(f"k{n}", n, n - 1, n + 1) for n in range(100)]
    drawn = str(whiskers(release(rows), "n"))
    assert drawn.count("<rect") == MOST_ROWS
    assert "k99" in drawn
    assert ">k10<" not in drawn
    assert whiskers(release([("a", None, None, None)]), "n") == ""
    assert whiskers(release([("a", 1.0, float("-inf"), 2.0)]), "n") == ""
    assert ET.fromstring(str(whiskers(release([("a", 0, 0, 0)]), "n"))) is not None


def test_bars_and_steps_are_drawn_within_their_frame():
    for share in (0.0, 0.001, 0.5, 1.0, 7.0):
        tree = ET.fromstring(str(budget_bar(share, 'a "limit"')))
        assert 0 <= float(tree[1].get("width")) <= 200
    assert steps([("2026-01-01T00:00:00+00:00", 0.1)], "x") == ""
    spending = [("2026-01-01T00:00:00+00:00", 0.1), ("2026-01-03T00:00:00+00:00", 0.2)]
    assert ET.fromstring(str(steps(spending, "x"))) is not None
    assert ET.fromstring(str(steps([spending[0]] * 2, "x"))) is not None


def test_numbers_are_shown_as_people_read_them():
    shown = [format_number(each) for each in (1234567, 0.00012, 1e9, float("inf"), True, "x\x00")]
    assert shown == ["1,234,567", "0.00012", "1,000,000,000.0", "unbounded", "True", "x·"]
