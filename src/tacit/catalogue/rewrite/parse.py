"""PostgreSQL's SQL as a tree; a few spellings that the parser does not know are put right among its tokens.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tacit.errors import CatalogueError

__all__ = ["LONGEST", "parse"]

LONGEST = 200_000
"""The most characters of a statement: the longest that a client was seen to send has 12,000."""

DIALECT = Postgres()
AFTER_A_NAME = {TokenType.COMMA, TokenType.FROM, TokenType.R_PAREN, TokenType.SEMICOLON}
NOT_A_NAME = {TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.L_PAREN}


def parse(sql: str) -> exp.Expr:
    """The one statement of a text.

    >>> parse("SELECT '{23,25}'::oid[] AS select").sql("postgres")
    'SELECT CAST(\\'{23,25}\\' AS _oid) AS "select"'
    """
    if len(sql) > LONGEST:
        raise CatalogueError("54001", f"a statement may have {LONGEST:,} characters")
    try:
        trees = DIALECT.parser().parse(_mend(DIALECT.tokenize(sql)), sql)
    except SqlglotError as error:
        raise _syntax_error(sql, error) from None
    except RecursionError:
        raise CatalogueError("54001", "the statement is nested too deeply") from None
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1:
        raise CatalogueError("42601", "the catalogue answers one statement at a time")
    return found[0]


def _mend(tokens: list[Token]) -> list[Token]:
    """The tokens, with `x[]` as the type `_x`, and words after AS as quoted names."""
    mended: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = [each.token_type for each in tokens[at + 1 : at + 3]]
        if _is_type_name(token, mended) and following == [TokenType.L_BRACKET, TokenType.R_BRACKET]:
            mended.append(_rename(token, "_" + token.text.lower(), TokenType.VAR))
            at += 3
            continue
        if (
            mended
            and mended[-1].token_type is TokenType.ALIAS
            and token.token_type not in NOT_A_NAME
            and token.text.isidentifier()
            and (not following or following[0] in AFTER_A_NAME)
            and not _is_in_cast(mended)
        ):
            token = _rename(token, token.text.lower(), TokenType.IDENTIFIER)
        mended.append(token)
        at += 1
    return mended


def _is_type_name(token: Token, before: list[Token]) -> bool:
    """Whether the token names a type of PostgreSQL's own, for arrays of which the parser has no rule."""
    if token.token_type not in (
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.OBJECT_IDENTIFIER,
        TokenType.NAME,
    ):
        return False
    kinds = [each.token_type for each in before[-3:]]
    return kinds[-1:] in ([TokenType.DCOLON], [TokenType.ALIAS]) or (
        kinds[-1:] == [TokenType.DOT] and kinds[0] in (TokenType.DCOLON, TokenType.ALIAS)
    )


def _is_in_cast(before: list[Token]) -> bool:
    """Whether the AS that was read last belongs to a CAST."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        kind = before[at].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if depth < 0:
            return at > 0 and before[at - 1].text.upper() == "CAST"
    return False


def _rename(token: Token, text: str, kind: TokenType) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def _syntax_error(sql: str, error: SqlglotError) -> CatalogueError:
    details = (getattr(error, "errors", None) or [{}])[0]
    line, column, near = details.get("line"), details.get("col"), details.get("highlight")
    position = None
    if line and column:
        start = sum(len(each) + 1 for each in sql.split("\n")[: line - 1])
        position = max(1, start + column - len(near or "") + 1)
    text = f'syntax error at or near "{near}"' if near else "syntax error"
    return CatalogueError("42601", text, position)
