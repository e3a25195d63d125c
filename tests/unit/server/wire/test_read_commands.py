"""Statements other than questions are read as people and clients write them."""

import pytest

from tacit.server.wire.lexer import split_statements
from tacit.server.wire.problems import Problem
from tacit.server.wire.read_cursor_commands import read_declare, read_fetch
from tacit.server.wire.read_explain_and_copy import Copy, read_copy, read_explain
from tacit.server.wire.read_prepare_and_execute import PreparedRun, read_execute, read_prepare
from tacit.server.wire.read_set_and_show import SetSetting, read_set, read_show
from tacit.server.wire.statement_kinds import is_question, is_write


def one(text):
    (found,) = split_statements(text)
    return found


@pytest.mark.parametrize(
    ("text", "name", "value", "local"),
    [
        ("SET tacit.epsilon = 0.1", "tacit.epsilon", "0.1", False),
        ("set session application_name to 'x y'", "application_name", "x y", False),
        ("SET LOCAL search_path = a, 'b'", "search_path", "a, b", True),
        ("SET extra_float_digits = -1", "extra_float_digits", "-1", False),
        ("SET TIME ZONE 'UTC'", "TimeZone", "UTC", False),
        ("SET NAMES 'utf8'", "client_encoding", "utf8", False),
        ("SET SCHEMA 'public'", "search_path", "public", False),
        ('SET "DateStyle" TO ISO', "DateStyle", "iso", False),
        ("SET x TO DEFAULT", "x", None, False),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", None, None, False),
        ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", None, None, False),
        ("SET SESSION AUTHORIZATION DEFAULT", None, None, False),
        ("SET ROLE none", None, None, False),
    ],
)
def test_set_is_read(text, name, value, local):
    assert read_set(one(text)) == SetSetting(name, value, local)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_set, "SET"),
        (read_set, "SET x"),
        (read_set, "SET x ="),
        (read_set, "SET x = (1)"),
        (read_set, "SET x = $1"),
        (read_show, "SHOW"),
        (read_show, "SHOW a b"),
        (read_declare, "DECLARE c FOR SELECT 1"),
        (read_declare, "DECLARE c CURSOR FOR INSERT"),
        (read_declare, "DECLARE c CURSOR FOR"),
        (read_fetch, "FETCH"),
        (read_fetch, "FETCH ABSOLUTE c"),
        (read_fetch, "FETCH 1 FROM c d"),
        (read_fetch, "FETCH - c"),
        (read_prepare, "PREPARE s"),
        (read_prepare, "PREPARE s AS"),
        (read_prepare, "PREPARE s (int8 AS SELECT 1"),
        (read_execute, "EXECUTE s(a)"),
        (read_execute, "EXECUTE s(1"),
        (read_execute, "EXECUTE s(1 + 2)"),
        (read_explain, "EXPLAIN"),
        (read_explain, "EXPLAIN (FORMAT JSON"),
        (read_copy, "COPY (SELECT 1"),
        (read_copy, "COPY (SELECT 1) TO"),
        (read_copy, "COPY () TO STDOUT"),
        (read_copy, "COPY (SELECT 1) TO STDOUT NONSENSE"),
    ],
)
def test_what_cannot_be_read_is_a_syntax_error_at_its_place(read, text):
    with pytest.raises(Problem) as refusal:
        read(one(text))
    assert refusal.value.code in {"42601", "42501"}


def test_cursors_and_prepared_statements_are_read():
    found = read_declare(one('DECLARE "C" BINARYX NO SCROLL CURSOR WITH HOLD FOR SELECT 1'))
    assert (found.name, found.question.text, found.hold) == ("C", "SELECT 1", True)
    assert not read_declare(one("DECLARE c CURSOR WITHOUT HOLD FOR SELECT 1")).hold
    made = read_prepare(one("PREPARE s (int8, text, double precision) AS SELECT $1"))
    assert (made.name, made.types, made.statement.text) == ("s", (20, 25, 701), "SELECT $1")
    run = read_execute(one("EXECUTE s(-1.5, 'it''s', NULL, true, '5'::int8)"))
    assert run == PreparedRun("s", ("-1.5", "it's", None, "true", "5"))
    with pytest.raises(Problem, match="no such type"):
        read_prepare(one("PREPARE s (nonsense) AS SELECT 1"))


@pytest.mark.parametrize(
    ("text", "question", "form"),
    [
        ("EXPLAIN SELECT 1", "SELECT 1", "text"),
        ("EXPLAIN ANALYZE VERBOSE SELECT 1", "SELECT 1", "text"),
        ("EXPLAIN (ANALYZE, BUFFERS false, FORMAT JSON) SELECT 1", "SELECT 1", "json"),
        ("EXPLAIN (SELECT 1)", "(SELECT 1)", "text"),
    ],
)
def test_explain_is_read(text, question, form):
    found = read_explain(one(text))
    assert (found.question.text, found.form) == (question, form)
    with pytest.raises(Problem):
        read_explain(one("EXPLAIN (FORMAT XML) SELECT 1"))


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ("", {}),
        (
            "WITH (FORMAT csv, HEADER true, DELIMITER ';', NULL 'x')",
            {"form": "csv", "header": True, "delimiter": ";", "null": "x"},
        ),
        ("CSV HEADER", {"form": "csv", "header": True, "delimiter": ",", "null": ""}),
        (
            "WITH CSV DELIMITER AS '|' QUOTE '$' FORCE QUOTE *",
            {
                "form": "csv",
                "delimiter": "|",
                "null": "",
                "quote": "$",
                "escape": "$",
                "force": True,
            },
        ),
        ("(FORMAT 'binary')", {"form": "binary"}),
        ("BINARY", {"form": "binary"}),
        ("WITH (ENCODING 'utf-8')", {}),
    ],
)
def test_copy_is_read(options, made):
    found = read_copy(one(f"COPY (SELECT a FROM t) TO STDOUT {options}"))
    assert found.question.text == "SELECT a FROM t"
    assert found == Copy(found.question, **made)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("COPY t FROM STDIN", "25006"),
        ("COPY (SELECT 1) TO '/etc/passwd'", "42501"),
        ("COPY (SELECT 1) TO PROGRAM 'sh'", "42501"),
        ("COPY (SELECT 1) TO STDOUT (FORMAT xml)", "22023"),
        ("COPY (SELECT 1) TO STDOUT (DELIMITER 'ab')", "22023"),
        ("COPY (SELECT 1) TO STDOUT (ENCODING 'latin1')", "0A000"),
        ("COPY (SELECT 1) TO STDOUT (FREEZE)", "0A000"),
    ],
)
def test_copies_elsewhere_are_refused(text, code):
    with pytest.raises(Problem) as refusal:
        read_copy(one(text))
    assert refusal.value.code == code


def test_a_table_is_copied_as_the_question_that_it_is():
    found = read_copy(one('COPY public."T" (a, b) TO STDOUT'))
    assert found.question.text == 'SELECT a, b FROM "public"."T"'
    assert is_write(one("Insert into x values (1)"))
    assert is_question(one("(SELECT 1) UNION (SELECT 2)"))
    assert not is_question(one("SHOW x"))
