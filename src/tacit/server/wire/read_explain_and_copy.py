"""EXPLAIN and COPY, as clients and people write them.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement, Token, matching_bracket
from tacit.server.wire.problems import Problem
from tacit.server.wire.statement_kinds import QUESTIONS
from tacit.server.wire.syntax_of_commands import read_dotted, split_at_commas, syntax_problem

__all__ = ["Copy", "Explain", "read_copy", "read_explain"]


# -------------------------------------------------------------------- EXPLAIN and COPY


@frozen
class Explain:
    """EXPLAIN question, in which form."""

    question: Statement
    form: str = "text"


@frozen
class Copy:
    """COPY (question) TO STDOUT, in which form."""

    question: Statement
    form: str = "text"
    header: bool = False
    delimiter: str = "\t"
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    force: bool = False


def read_explain(statement: Statement) -> Explain:
    """What an EXPLAIN explains: ANALYZE, VERBOSE and the rest of its options change nothing."""
    place, form = 1, "text"
    if (
        statement.tokens[1:2]
        and statement.tokens[1].is_sign("(")
        and statement.word(2) not in QUESTIONS
    ):
        end = matching_bracket(statement.tokens, 1)
        if end is None:
            raise syntax_problem(statement, 1)
        words = [token.value for token in statement.tokens[2:end]]
        if "format" in words:
            form = (words[words.index("format") + 1 :] or [""])[0]
        place = end + 1
    while statement.word(place) in {"analyze", "analyse", "verbose"}:
        place += 1
    if form not in {"text", "json"}:
        raise Problem(
            "0A000", "EXPLAIN supports the formats TEXT and JSON", "FORMAT TEXT or FORMAT JSON"
        )
    question = statement.rest(place)
    if not question.tokens:
        raise syntax_problem(statement, place)
    return Explain(question, form)


def read_copy(statement: Statement) -> Copy:
    """What a COPY copies: questions alone, and to the client alone."""
    tokens = statement.tokens
    if tokens[1:2] and tokens[1].is_sign("("):
        end = matching_bracket(tokens, 1)
        if end is None:
            raise syntax_problem(statement, 1)
        question, place = statement.between(2, end), end + 1
    else:
        question, place = _whole_table(statement)
    if statement.word(place) == "from":
        raise Problem("25006", "cannot execute COPY FROM in a read-only vault")
    if statement.word(place) != "to" or not question.tokens:
        raise syntax_problem(statement, place)
    if statement.word(place + 1) != "stdout":
        raise Problem("42501", "answers are copied only to the client", "write COPY (…) TO STDOUT")
    return _copy_options(statement, question, place + 2)


def _whole_table(statement: Statement) -> tuple[Statement, int]:
    """COPY table (columns) TO …, as the question that it is."""
    name, place = read_dotted(statement, 1)
    columns = "*"
    if statement.tokens[place : place + 1] and statement.tokens[place].is_sign("("):
        end = matching_bracket(statement.tokens, place)
        if end is None:
            raise syntax_problem(statement, place)
        columns = statement.between(place + 1, end).text
        place = end + 1
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))
    text = f"SELECT {columns} FROM {quoted}"  # noqa: S608 -- names in quotes, and refused or not as any question
    return Statement(text, statement.start, statement.tokens[:1], statement.comments), place


def _copy_options(statement: Statement, question: Statement, place: int) -> Copy:
    """A COPY with the options that stand from a place on: WITH (FORMAT csv, HEADER), or CSV HEADER as of old."""
    tokens = list(statement.tokens[place:])
    if tokens and tokens[0].is_word("with"):
        tokens = tokens[1:]
    if tokens and tokens[0].is_sign("("):
        groups = split_at_commas(tuple(tokens[1:-1]))
        given = {each[0].value: each[1].value if len(each) > 1 else "true" for each in groups}
    else:
        given = _old_options(statement, tokens)
    form = given.pop("format", "text").lower()
    if form not in {"text", "csv", "binary"}:
        raise Problem("22023", f'COPY format "{form[:64]}" not recognized')
    csv = form == "csv"
    header = given.pop("header", "false").lower() in {"true", "on", "1"}
    delimiter = given.pop("delimiter", "," if csv else "\t")
    null = given.pop("null", "" if csv else "\\N")
    quote = given.pop("quote", '"')
    escape = given.pop("escape", quote)
    force = given.pop("force_quote", "") == "*"
    encoding = given.pop("encoding", "UTF8")
    if given or encoding.upper().replace("-", "") != "UTF8":
        raise Problem(
            "0A000", f"this option of COPY is not supported: {next(iter(given), 'encoding')[:64]}"
        )
    if any(len(each) != 1 or ord(each) > 126 for each in (delimiter, quote, escape)):
        raise Problem("22023", "a delimiter, a quote and an escape are one character each")
    return Copy(question, form, header, delimiter, null, quote, escape, force)


def _old_options(statement: Statement, tokens: list[Token]) -> dict[str, str]:
    """Options without brackets, one word after the other: CSV HEADER DELIMITER AS ';'."""
    given: dict[str, str] = {}
    while tokens:
        word = tokens.pop(0)
        if word.is_word("csv", "binary", "text"):
            given["format"] = word.value
        elif word.is_word("header"):
            given["header"] = "true"
        elif word.is_word("delimiter", "null", "quote", "escape", "delimiters"):
            if tokens and tokens[0].is_word("as"):
                tokens.pop(0)
            if not tokens:
                raise syntax_problem(statement, len(statement.tokens))
            given[word.value.removesuffix("s")] = tokens.pop(0).value
        elif word.is_word("force") and tokens and tokens[0].is_word("quote"):
            given["force_quote"], tokens = "*", []
        else:
            raise syntax_problem(statement, statement.tokens.index(word))
    return given
