"""Texts are split at the semicolons between statements, and at no other."""

import pytest

from tacit.server.wire.lexer import matching_bracket, split_statements, tokens_of
from tacit.server.wire.problems import Problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
        (" ; ;; ", []),
        ("SELECT 'a;b'; x", ["SELECT 'a;b'", "x"]),
        ("SELECT 'it''s; fine'", ["SELECT 'it''s; fine'"]),
        ('SELECT "a;""b"', ['SELECT "a;""b"']),
        (r"SELECT E'a\';b'; x", [r"SELECT E'a\';b'", "x"]),
        (r"SELECT 'a\'; x", [r"SELECT 'a\'", "x"]),
        ("SELECT $$a;b$$; x", ["SELECT $$a;b$$", "x"]),
        ("SELECT $t$a;$$b$t$; x", ["SELECT $t$a;$$b$t$", "x"]),
        ("SELECT $1; x", ["SELECT $1", "x"]),
        ("SELECT 1 -- a;b\n; x", ["SELECT 1", "x"]),
        ("SELECT /* a; /* b; */ c; */ 1; x", ["SELECT /* a; /* b; */ c; */ 1", "x"]),
        ("SELECT U&'a;b'; x", ["SELECT U&'a;b'", "x"]),
        ("SELECT 'not closed; x", ["SELECT 'not closed; x"]),
        ("SELECT 1 /* not closed; x", ["SELECT 1"]),
        ("SELECT a$b; x", ["SELECT a$b", "x"]),
        ("SELECT größe; x", ["SELECT größe", "x"]),
    ],
)
def test_statements_are_split(text, found):
    assert [each.text for each in split_statements(text)] == found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Select", "word", "select"),
        ('"Select"', "name", "Select"),
        ("'x''y'", "text", "x'y"),
        ("1.5e-3", "number", "1.5e-3"),
        (".5", "number", ".5"),
        ("0x1F", "number", "0x1F"),
        ("$12", "parameter", "12"),
        ("$$a$$", "text", "a"),
        ("::", "sign", "::"),
        ("--x", "comment", "--x"),
    ],
)
def test_a_token_has_a_kind_and_a_value(text, kind, value):
    (found,) = tokens_of(text)
    assert (found.kind, found.value, found.start, found.end) == (kind, value, 0, len(text))


def test_every_character_is_in_a_token_or_blank():
    text = "SELECT a.\"b\", $1::int8 + 'c' <> d -- e\n FROM $x$y$x$ WHERE \x00 \\ ~ 3..4 #"
    ends = [0, *[token.end for token in tokens_of(text)]]
    starts = [*[token.start for token in tokens_of(text)], len(text)]
    gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert all(not gap.strip() for gap in gaps)


def test_comments_belong_to_the_statement_that_they_stand_before_or_in():
    first, second = split_statements("/* one */ SELECT /* two */ 1; -- three\nSELECT 2 -- four")
    assert first.comments == ("/* one */", "/* two */")
    assert second.comments == ("-- three", "-- four")
    (only,) = split_statements("/* zero */; SELECT 1; -- five")
    assert only.comments == ("/* zero */", "-- five")
    assert (first.start, second.start) == (10, 39)


@pytest.mark.parametrize("wrong", ["$0", "$000", "$1234567", "$" + "9" * 5_000])
def test_a_parameter_that_cannot_be_is_refused_once(wrong):
    """Whoever reads the number of a parameter counts back from it: $0 would be the last of all values."""
    for text in (f"SELECT {wrong}", f"SELECT 1; SELECT MAX(n) FROM (SELECT {wrong} AS n) x"):
        with pytest.raises(Problem) as refusal:
            split_statements(text)
        assert (refusal.value.code, refusal.value.position) == ("42P02", text.index("$") + 1)
    assert split_statements(f"SELECT '{wrong}' /* {wrong} */, $01, $1234")


def test_brackets_are_matched():
    tokens = tokens_of("(a (b) ')' c) d")
    assert matching_bracket(tokens, 0) == 7
    assert matching_bracket(tokens_of("(a"), 0) is None


def test_long_texts_take_time_in_proportion():
    for text in ("/**/" * 50_000, "'" * 50_001, "$a$" * 50_000, "(" * 100_000, "/*" * 50_000):
        tokens_of(text)
