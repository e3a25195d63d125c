"""Questions are found within the SQL that tools write around them."""

import pytest

from tacit.server.wire.lexer import split_statements
from tacit.server.wire.wrapped_questions import pick, unwrap


def found_in(text):
    (statement,) = split_statements(text)
    return unwrap(statement)


def test_questions_stand_behind_from_and_join_and_in_with():
    text = "WITH a AS (SELECT 1 FROM t) SELECT * FROM a JOIN (SELECT 2 FROM u) b ON true, (SELECT 3 FROM v) c"
    found = found_in(text)
    assert [inner.text for _, inner, _ in found.questions] == [
        *("SELECT 1 FROM t", "SELECT 2 FROM u", "SELECT 3 FROM v")
    ]
    assert found.text == (
        "WITH a AS (SELECT * FROM tacit_released_1) SELECT * FROM a JOIN (SELECT * FROM tacit_released_2) b "
        "ON true, (SELECT * FROM tacit_released_3) c"
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT * FROM t",
        "SELECT * FROM t WHERE a IN (SELECT b FROM u)",
        "SELECT * FROM (t)",
        "SELECT * FROM (SELECT 1",
        "(SELECT 1)",
        "SELECT 1 FROM " + ", ".join(["(SELECT 1 FROM t) x"] * 5),
    ],
)
def test_other_statements_have_none(text):
    assert found_in(text) is None


def test_parameters_are_counted_anew_in_each_part():
    found = found_in("SELECT $4 FROM (SELECT $2 + $3 + $2 FROM t) x WHERE n > $1 AND s = '$9'")
    ((_, inner, places),) = found.questions
    assert (inner.text, places) == ("SELECT $1 + $2 + $1 FROM t", (2, 3))
    assert (
        found.text == "SELECT $2 FROM (SELECT * FROM tacit_released_1) x WHERE n > $1 AND s = '$9'"
    )
    assert found.values == (1, 4)
    assert pick("abcd", found.values) == ("a", "d")
    assert inner.start == 16


def test_a_parameter_that_no_value_has_is_left_out():
    assert pick((), (1,)) == ()
