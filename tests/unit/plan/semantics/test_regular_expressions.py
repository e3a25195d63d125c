"""Regular expressions mean what RE2 means by them, and no pattern takes long."""

import random

import duckdb
import pytest

from tacit.plan.semantics.regular_expressions import (
    LONGEST_PATTERN,
    MOST_STATES,
    automaton_of,
    find_pattern,
    is_pattern,
)
from tests.together import together

READ = [
    *(
        "a",
        "^a",
        "a$",
        "^a$",
        "a|b",
        "^(a|b)$",
        "a*",
        "a+b?",
        "[a-c]",
        "[^a-c]",
        "[-a]",
        "[a-]",
        ".",
    ),
    *(
        "a.b",
        "(ab)+",
        "(?:ab){2}",
        "a{2,3}",
        "a{0,2}b",
        "a{2,}",
        r"\d+",
        r"\D",
        r"\w\W",
        r"\s",
        r"^\S*$",
    ),
    *(
        r"\.",
        r"[\]\\]",
        r"a\|b",
        "(a|b|)c",
        "()",
        "^$",
        "(^a|b$)",
        "(a*)*b",
        "(a|a)*b",
        "[A-Za-z_]+ [0-9]",
    ),
]
REFUSED = [
    *(
        "",
        "(",
        ")",
        "a)",
        "[",
        "[]",
        "[]a]",
        "[[:alpha:]]",
        "a**",
        "a*?",
        "a{2}?",
        "(?i)a",
        "(?P<x>a)",
        r"\b",
    ),
    *(
        "{2}",
        "a{",
        "a{,2}",
        "a{3,2}",
        "a{101}",
        "^*",
        "+",
        "?a",
        "a\\",
        r"\x41",
        r"\1",
        "[z-a]",
        r"[\D]",
        "a\nb",
    ),
    "a" * (LONGEST_PATTERN + 1),
    "(" + "a{100}" * 11 + ")",
]
LETTERS = "ab1_ .\n\té-]\\|"


@pytest.fixture(scope="module")
def re2():
    connection = duckdb.connect()
    yield lambda text, pattern: connection.execute(
        "SELECT regexp_matches(?, ?)", [text, pattern]
    ).fetchone()[0]
    connection.close()


@pytest.mark.parametrize("pattern", READ)
def test_a_pattern_means_what_re2_means(pattern, re2):
    assert is_pattern(pattern)
    dice = random.Random(pattern)
    texts = ["", "a", "b", "ab", "aab", "abab", "a\nb", "\n", "é", "B 7", "a.b", "]"]
    texts += ["".join(dice.choices(LETTERS, k=dice.randint(0, 6))) for _ in range(40)]
    for text in texts:
        assert find_pattern(text, pattern) == re2(text, pattern), (text, pattern)


def test_patterns_that_are_made_up_mean_what_re2_means(re2):
    dice, tried = random.Random(7), 0
    pieces = [
        "a",
        "b",
        ".",
        "[ab]",
        "[^b]",
        r"\w",
        "^",
        "$",
        "|",
        "(",
        ")",
        "*",
        "+",
        "?",
        "{2}",
        "{1,2}",
    ]
    while tried < 300:
        pattern = "".join(dice.choices(pieces, k=dice.randint(1, 7)))
        if not is_pattern(pattern):
            continue
        tried += 1
        for _ in range(6):
            text = "".join(dice.choices("ab1\n", k=dice.randint(0, 5)))
            assert find_pattern(text, pattern) == re2(text, pattern), (text, pattern)


@together
@pytest.mark.parametrize("pattern", REFUSED)
def test_other_patterns_are_not_read(pattern):
    assert not is_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|aa)+$", "(a?){60}a{60}", "(.*)(.*)(.*)(.*)x"])
def test_no_pattern_takes_long(pattern, monkeypatch):
    import tacit.plan.semantics.regular_expressions as room

    steps = [0]
    follow = room._follow

    def counted(program, states, **ends):
        found = follow(program, states, **ends)
        steps[0] += len(states)
        return found

    monkeypatch.setattr(room, "_follow", counted)
    text = "a" * 300
    find_pattern(text, pattern)
    assert steps[0] <= (len(text) + 1) * (MOST_STATES + 2)
    assert steps[0] <= (len(text) + 1) * (len(room.compile_pattern(pattern)) + 1)


def matches_automaton(text: str, pattern: str) -> bool:
    """Whether an automaton matches a text, letter by letter."""
    found = automaton_of(pattern)
    if found.always or not text:
        return found.always or found.empty
    may, seen = found.first | found.restart, False
    for letter in text:
        read = {
            place
            for place in may
            if any(low <= letter <= high for low, high in found.letters[place][0])
            is not found.letters[place][1]
        }
        seen = seen or bool(read & found.found)
        may = found.restart.union(*(found.follow[place] for place in read))
    return seen or bool(read & found.last)


def test_an_automaton_finds_the_same():
    dice = random.Random(11)
    for pattern in READ:
        for _ in range(60):
            text = "".join(dice.choices("abc1 \n|", k=dice.randrange(6)))
            assert matches_automaton(text, pattern) is find_pattern(text, pattern), (pattern, text)
