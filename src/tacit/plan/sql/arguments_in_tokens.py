"""The arguments of a call while it is still a row of tokens, and tokens with another text in the same place.

Checked by: tests/unit/plan/sql/test_other_dialect_spellings.py
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

__all__ = ["change", "is_between_arguments", "split_arguments"]


def split_arguments(tokens: Sequence[RawToken], place: int) -> tuple[list[list[RawToken]], int]:
    """The arguments of a call whose first one begins at a place, and where its parenthesis is closed."""
    arguments: list[list[RawToken]] = [[]]
    depth = 0
    for at in range(place, len(tokens)):
        token = tokens[at]
        if token.token_type is TokenType.R_PAREN and depth == 0:
            return arguments, at
        if token.token_type is TokenType.COMMA and depth == 0:
            arguments.append([])
            continue
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        arguments[-1].append(token)
    return [], len(tokens)


def is_between_arguments(token: RawToken, arguments: Sequence[Sequence[RawToken]]) -> bool:
    """Whether a token of a call belongs to none of its arguments."""
    return not any(token is each for argument in arguments for each in argument)


def change(token: RawToken, kind: TokenType, text: str) -> RawToken:
    """A token of another kind with another text, in the same place."""
    return RawToken(kind, text, token.line, token.col, token.start, token.end, token.comments)
