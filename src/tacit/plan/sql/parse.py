"""From text to sqlglot's tree of one SELECT; a text that is none is refused, and nothing is said of the parser.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token as RawToken

from tacit.errors import InvalidPlan
from tacit.plan.sql.bound_queries_that_with_repeats import MOST_QUERIES, count_queries
from tacit.plan.sql.other_dialect_functions import NAMED
from tacit.plan.sql.other_dialect_spellings import quote_names, respell
from tacit.plan.sql.parameters import NO_PARAMETERS, Parameters, bind_parameters
from tacit.plan.sql.precheck import MOST_BYTES, Token

__all__ = ["TYPES", "parse", "tokenise", "typed_tokens"]


class _Parser(DuckDB.parser_class):  # type: ignore[misc, valid-type]
    """DuckDB's, to which the functions that are read by name alone are names."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {
        name: build for name, build in DuckDB.parser_class.FUNCTIONS.items() if name not in NAMED
    }


class _Dialect(DuckDB):
    """DuckDB's words without texts between dollar signs: in `IN ($1,$2)` there would be one that begins with `$1,$`."""

    class Tokenizer(DuckDB.Tokenizer):
        HEREDOC_STRINGS: ClassVar[list[Any]] = []

    Parser = _Parser


_DIALECT = _Dialect()
TYPES = frozenset(kind.name for kind in DuckDB.parser_class.TYPE_TOKENS)
"""The kinds of tokens that name types."""


def typed_tokens(text: str) -> Sequence[RawToken]:
    """The tokens of a text as they were typed, before any of them is respelled."""
    return _DIALECT.tokenize(quote_names(text))


def tokenise(
    text: str, bound: Parameters = NO_PARAMETERS, names: Iterable[str] = ()
) -> tuple[Sequence[RawToken], list[Token]]:
    """The tokens of a text, as the parser takes them and as they are checked; parameters are what they are bound to.

    `names` are those of columns, which may be called like a unit of time.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise InvalidPlan(f"the text is longer than {MOST_BYTES:,} bytes", "ask a shorter question")
    try:
        read = typed_tokens(text)
    except TokenError as failure:
        start = failure.start or 0
        reason = "a quote or a comment is not closed"
        raise InvalidPlan(reason, "close it", text=text, start=start, end=len(text)) from None
    raw = respell(bind_parameters(text, read, bound), frozenset(names))
    hint = next(
        (comment for token in raw for comment in token.comments if comment.startswith("+")), None
    )
    if hint is not None:
        start = max(0, text.find(hint))
        raise InvalidPlan(
            "hints are not supported", "leave it out", text=text, start=start, end=start + len(hint)
        )
    return raw, [
        Token(token.token_type.name, token.text, token.start, token.end + 1) for token in raw
    ]


def parse(
    text: str, raw: Sequence[RawToken], tokens: Sequence[Token], names: Iterable[str] = ()
) -> exp.Query:
    """The tree of a SELECT, or of several in a UNION, whose errors say where they are; `names` are those of columns."""
    tree = _parse_tree(text, raw, tokens, names)
    if any(token.kind == "WITH" for token in tokens) and count_queries(tree) > MOST_QUERIES:
        reason = f"this reads more than {MOST_QUERIES} queries, one in WITH as often as it is named"
        raise InvalidPlan(
            reason, "name each query once, or ask several questions", text=text, end=len(text)
        )
    if isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
        return tree
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise InvalidPlan("only SELECT is supported", "begin with SELECT", text=text, end=len(text))
    return tree


def _parse_tree(
    text: str, raw: Sequence[RawToken], tokens: Sequence[Token], names: Iterable[str]
) -> exp.Expr:
    try:
        trees = _DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(
            list(raw), quote_names(text)
        )
        # one that holds a comment
        (tree,) = (tree for tree in trees if tree and type(tree) is not exp.Semicolon)
    except ParseError as failure:
        raise _locate(failure, text, raw, tokens, names) from None
    except RecursionError:
        raise InvalidPlan(
            "the text is nested too deeply", "ask a simpler question", text=text, end=len(text)
        ) from None
    except (SqlglotError, ValueError, TypeError, AttributeError, LookupError):
        # The parser is not ours: what it trips over is a text that is not understood.
        raise InvalidPlan(
            "this is not valid SQL", "ask a simpler question", text=text, end=len(text)
        ) from None
    return tree


def _locate(
    failure: ParseError,
    text: str,
    raw: Sequence[RawToken],
    tokens: Sequence[Token],
    names: Iterable[str],
) -> InvalidPlan:
    """What the parser complains of, at its place."""
    error: dict[str, Any] = failure.errors[0] if failure.errors else {}
    place = (error.get("line"), error.get("col"))
    at = next((i for i, token in enumerate(raw) if (token.line, token.col) == place), -1)
    expected, _, missing = str(error.get("description")).partition("Expecting ")
    reason = "this is not valid SQL" if expected else f"{missing!r} is missing before this"
    joined = " ".join(token.text for token in tokens[at - 1 : at + 1]).casefold() if at > 0 else ""
    blank = next((name for name in names if name.casefold() == joined), None)
    remedy = (
        "correct or remove the underlined part"
        if blank is None
        else f'write a name that has a blank in double quotes: "{blank}"'
    )
    return InvalidPlan(reason, remedy, text=text, start=tokens[at].start, end=tokens[at].end)
