"""Matches of regular expressions: which one is taken, what its groups are, and that none takes long."""

from random import Random

import duckdb
import pytest

from tacit.errors import InvalidPlan
from tacit.plan.semantics.regex_search import Steps, extract_pattern, replace_pattern
from tacit.plan.semantics.regular_expressions import (
    count_groups,
    find_pattern,
    is_pattern,
    may_be_empty,
)

PATTERNS = [
    "[0-9]+",
    "(a+)(b?)",
    "a|ab",
    "(a|ab)(c|bcd)?",
    "^a*",
    "x*",
    "(a*)(b|abc)",
    "[^,]+$",
    "(\\w+)@(\\w+)",
    "(a?)(ab)?",
    "b{2,3}",
    "(?:ab)+",
    "([ab]c?)+",
    "a.c",
    "(b|(a))c",
]


def texts():
    dice = Random("patterns")
    return ["".join(dice.choices("abc@,x1 ", k=dice.randrange(9))) for _ in range(60)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_match_is_the_one_that_duckdb_takes(pattern):
    """RE2 tries ways in the same order: what stands first, and repetitions as often as they can."""
    assert is_pattern(pattern)
    rows = ", ".join(f"('{text}')" for text in texts())
    for group in range(count_groups(pattern) + 1):
        found = duckdb.sql(
            f"SELECT x, regexp_extract(x, '{pattern}', {group}) FROM (VALUES {rows}) AS t(x)"
        ).fetchall()
        for text, expected in found:
            assert extract_pattern(text, pattern, group) == expected, text
    if may_be_empty(pattern):
        return
    for every in (False, True):
        option = ", 'g'" if every else ""
        found = duckdb.sql(
            f"SELECT x, regexp_replace(x, '{pattern}', 'Z'{option}) FROM (VALUES {rows}) AS t(x)"
        ).fetchall()
        for text, expected in found:
            assert replace_pattern(text, pattern, "Z", every=every) == expected, text


def test_groups_are_counted_as_they_are_opened():
    assert [count_groups(each) for each in ("a", "(a)", "(?:a)(b)", "((a)b)", "\\((a)[(]")] == [
        0,
        1,
        1,
        2,
        1,
    ]


def test_what_may_be_empty_is_found_in_an_empty_text():
    for pattern in PATTERNS:
        assert may_be_empty(pattern) or not find_pattern("", pattern)
        if not may_be_empty(pattern):
            assert extract_pattern("@", pattern) in {"", "@"}


def test_no_pattern_takes_long():
    """One that backtracks would take 2**300 steps."""
    text = "a" * 300
    assert extract_pattern(text + "b", "(?:a+)+$") == ""
    assert extract_pattern(text, "((a+)+)$", 2) == text
    assert replace_pattern(text, "(a|aa)+b", "x", every=True) == text


def test_what_is_replaced_does_not_grow_without_bound():
    assert len(replace_pattern("a" * 16, "a", "b" * 1024, every=True)) == 16_384
    with pytest.raises(InvalidPlan, match="would exceed"):
        replace_pattern("a" * 17, "a", "b" * 1024, every=True)
    steps = Steps(10_000)
    with pytest.raises(InvalidPlan, match="take more than"):
        replace_pattern("a" * 1000, "a(.*b)?", "c", every=True, steps=steps)
    assert -10 < steps.left < 0
    steps = Steps(10_000)
    assert replace_pattern("a" * 1000, "a", "c", every=True, steps=steps) == "c" * 1000
    assert 0 < steps.left < 9_000
