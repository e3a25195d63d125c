"""How Spark is written to: constants that stay in quotes, values that are written once, patterns in linear time."""

import re
from random import Random

import pytest

from tacit.engines.spark.dialect import SPARK
from tacit.engines.spark.literals import quote, text_literal
from tacit.engines.spark.share_subexpression import write_once
from tacit.errors import InvalidPlan
from tacit.plan import Kind, tokens_of
from tacit.plan.semantics.match_like_patterns import matches

ODD = [
    "'",
    '"',
    "\\",
    "${spark.app.id}",
    "x AS MATERIALIZED (",
    "-- no",
    "/* no */",
    "`",
    "\0",
    "é",
    "\n",
    "😀",
]


@pytest.mark.parametrize("text", ODD)
def test_no_text_leaves_its_quotes(text):
    written = text_literal(text)
    inside = written[1:-1]
    assert written == f"'{inside}'"
    assert not set("'\"`()$;-/*\0\n") & set(inside)
    assert re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), inside) == text
    whole = f"WITH x AS MATERIALIZED (SELECT {written}) SELECT 1"
    assert SPARK.finish(whole) == f"WITH x AS (SELECT {written}) SELECT 1"


def test_names_of_others_are_quoted():
    assert quote("a`; DROP TABLE b; --") == "`a``; DROP TABLE b; --`"


def test_no_value_hides_another_one():
    """Two long values of one length have two names, and an inner one does not hide an outer one."""
    one, two = "1" * 500, "2" * 500
    found = write_once(one, lambda x: write_once(two, lambda y: f"{x} + {y} + {x}"))
    names = re.findall(r"(once_[0-9a-f]{64}) ->", found)
    assert len(set(names)) == 2
    assert found.endswith(f"{names[0]} + {names[1]} + {names[0]}), 1)), 1)")


def java(pattern: str) -> re.Pattern[str]:
    """What a statement gives to Java, as Python reads it: atomic groups are there from 3.11 on."""
    found = re.fullmatch(r"\(t RLIKE '(.*)'\)", SPARK.like("t", pattern), re.DOTALL)
    assert found is not None
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda each: chr(int(each[1], 16)), found[1])
    points = re.sub(r"\\x\{([0-9a-f]+)\}", lambda each: re.escape(chr(int(each[1], 16))), plain)
    return re.compile(points.replace("\\z", "\\Z"))


def test_patterns_take_no_longer_than_the_text():
    """All small patterns mean what LIKE means; and one on which a regular expression would go back for ever ends."""
    dice = Random(5)
    for _ in range(3_000):
        pattern = "".join(dice.choices("ab%_", k=dice.randrange(7)))
        text = "".join(dice.choices("ab\n", k=dice.randrange(7)))
        assert bool(java(pattern).search(text)) is matches(text, tokens_of(pattern)), (
            pattern,
            text,
        )
    assert not java("%a" * 30 + "%b").search("a" * 16_000)
    assert SPARK.like("t", "a\\") == "CASE WHEN t IS NOT NULL THEN FALSE END"


def test_what_cannot_be_said_is_refused():
    assert SPARK.count_distinct("x", "") == "count(DISTINCT x)"
    with pytest.raises(InvalidPlan, match="distinct values in a window"):
        SPARK.count_distinct("x", " OVER (PARTITION BY unit)")


def test_lists_may_be_empty():
    assert SPARK.list_rows([("place", [], Kind.INTEGER)]) == (
        "(SELECT CAST(NULL AS BIGINT) AS place WHERE FALSE)"
    )
