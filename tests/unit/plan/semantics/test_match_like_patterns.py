"""LIKE."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.plan.semantics.match_like_patterns import Wild, matches, tokens_of

LETTERS = st.text("ab%_\\\n", max_size=6)


@given(LETTERS, LETTERS)
def test_matching_is_what_a_regular_expression_says(text, pattern):
    tokens = tokens_of(pattern)
    if tokens is None:
        assert not matches(text, tokens)
        return
    wild = {Wild.ANY_TEXT: ".*", Wild.ANY_ONE: "."}
    expected = "".join(
        wild[token] if isinstance(token, Wild) else re.escape(token) for token in tokens
    )
    assert matches(text, tokens) == bool(re.fullmatch(expected, text, re.DOTALL))


def test_a_pattern_that_ends_in_a_backslash_says_nothing():
    assert tokens_of("a\\") is None
    assert tokens_of("a\\\\") == ("a", "\\")


def test_a_long_text_takes_no_exponential_time():
    assert not matches("a" * 3000, tokens_of("%a" * 20 + "%b"))


@pytest.mark.parametrize(
    ("text", "pattern"), [("é", "_"), ("\N{GRINNING FACE}", "_"), ("50%", "50\\%"), ("", "%")]
)
def test_a_character_is_a_code_point(text, pattern):
    assert matches(text, tokens_of(pattern))
