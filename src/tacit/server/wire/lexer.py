"""Tokens of PostgreSQL's SQL: enough to split a text into statements and to see what kind each is.

What a question means is read by the vault; what is read here decides whom a statement is handed to.

Checked by: tests/unit/server/wire/test_lexer.py
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.frozen import frozen
from tacit.server.wire.problems import Problem

__all__ = ["Statement", "Token", "matching_bracket", "split_statements", "tokens_of"]


@frozen
class Token:
    """A token at text[start:end]; `kind` is word, name (in quotes), text, number, parameter, sign or comment.

    `value` is what it stands for: a word in lower case, a name or a text without its quotes.
    """

    kind: str
    value: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these words."""
        return self.kind == "word" and self.value in words

    def is_sign(self, sign: str) -> bool:
        """Whether it is this sign."""
        return self.kind == "sign" and self.value == sign


@frozen
class Statement:
    """One statement of a text: its own text, where it begins, its tokens (at places of the whole), its comments."""

    text: str
    start: int
    tokens: tuple[Token, ...]
    comments: tuple[str, ...] = ()

    def word(self, place: int) -> str:
        """The word at a place, in lower case; "" if there is none."""
        found = self.tokens[place : place + 1]
        return found[0].value if found and found[0].kind == "word" else ""

    def with_comments(self, more: tuple[str, ...]) -> Statement:
        """The same with more comments."""
        return Statement(self.text, self.start, self.tokens, (*self.comments, *more))

    def rest(self, place: int) -> Statement:
        """What begins with the token at a place: the question that is explained, copied or declared."""
        kept = self.tokens[place:]
        begins = kept[0].start if kept else self.start + len(self.text)
        return Statement(self.text[begins - self.start :], begins, kept, self.comments)

    def between(self, first: int, last: int) -> Statement:
        """The tokens from a place to another one."""
        kept = self.tokens[first:last]
        text = self.text[kept[0].start - self.start : kept[-1].end - self.start] if kept else ""
        return Statement(text, kept[0].start if kept else self.start, kept, self.comments)


_SPACE = re.compile(r"\s+")
_LINE_COMMENT = re.compile(r"--[^\n\r]*")
_WORD = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(
    r"(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)",
    re.ASCII,
)
_PARAMETER = re.compile(r"\$[0-9]+")
_DOLLAR = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_NAME = re.compile(r'"(?:[^"]|"")*"')
_TEXT = re.compile(r"'(?:[^']|'')*'")
_ESCAPED = re.compile(r"'(?:[^'\\]|''|\\.)*'", re.DOTALL)
_MARKS = re.compile(r"/\*|\*/")
_MOST_DIGITS = (
    6  # of a parameter's number: more are sent by nobody, and lists that are spread have fewer
)
_SIGNS = ("::", ":=", "<=", ">=", "<>", "!=", "=>", "||")


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text, comments among them.

    >>> [(token.kind, token.value) for token in tokens_of("SELECT 'it''s' -- why")]
    [('word', 'select'), ('text', "it's"), ('comment', '-- why')]
    """
    found, place = list[Token](), 0
    while place < len(text):
        space = _SPACE.match(text, place)
        if space is not None:
            place = space.end()
            continue
        token = _token_at(text, place)
        found.append(token)
        place = token.end
    return found


def split_statements(text: str) -> list[Statement]:
    """The statements of a text, at the semicolons between them; what is empty is left out.

    A comment belongs to the statement that it stands before or in; one behind the last semicolon to the last statement.
    A parameter that cannot be is refused here, so that whoever reads a number of a statement finds one from 1 on.

    >>> [each.text for each in split_statements("SET a = 'x;y'; SELECT 1 ;; -- done")]
    ["SET a = 'x;y'", 'SELECT 1']
    """
    found, kept, comments = list[Statement](), list[Token](), list[str]()
    for token in [*tokens_of(text), Token("sign", ";", len(text), len(text))]:
        if token.kind == "comment":
            comments.append(token.value)
        elif token.is_sign(";"):
            if kept:
                start, end = kept[0].start, kept[-1].end
                found.append(Statement(text[start:end], start, tuple(kept), tuple(comments)))
                comments = []
            kept = []
        else:
            if token.kind == "parameter":
                _refuse_no_parameter(token)
            kept.append(token)
    if found and comments:
        found[-1] = found[-1].with_comments(tuple(comments))
    return found


def matching_bracket(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the bracket that closes the one at a place."""
    depth = 0
    for at in range(place, len(tokens)):
        if tokens[at].kind == "sign":
            depth += {"(": 1, ")": -1}.get(tokens[at].value, 0)
            if not depth:
                return at
    return None


def _refuse_no_parameter(token: Token) -> None:
    """Refuse $0, and a number with too many digits to be read."""
    if len(token.value) > _MOST_DIGITS or not int(token.value):
        said = f"there is no parameter ${token.value[:20]}"
        raise Problem("42P02", said, position=token.start + 1)


def _token_at(text: str, place: int) -> Token:
    here, pair = text[place], text[place : place + 2]
    if pair == "--":
        return _whole(_LINE_COMMENT, "comment", text, place)
    if pair == "/*":
        end = _end_of_comment(text, place)
        return Token("comment", text[place:end], place, end)
    if here == "'":
        return _quoted(_TEXT, "text", text, place, place)
    if here == '"':
        return _quoted(_NAME, "name", text, place, place)
    if here in "eE" and text[place + 1 : place + 2] == "'":
        return _quoted(_ESCAPED, "text", text, place, place + 1)
    if here in "bBxXnN" and text[place + 1 : place + 2] == "'":
        return _quoted(_TEXT, "text", text, place, place + 1)
    if here in "uU" and text[place + 1 : place + 3] == '&"':
        return _quoted(_NAME, "name", text, place, place + 2)
    if here in "uU" and text[place + 1 : place + 3] == "&'":
        return _quoted(_TEXT, "text", text, place, place + 2)
    if here == "$":
        dollar = _DOLLAR.match(text, place)
        if dollar is not None:
            end = text.find(dollar[0], dollar.end())
            if end < 0:
                return Token("text", text[dollar.end() :], place, len(text))
            return Token("text", text[dollar.end() : end], place, end + len(dollar[0]))
        parameter = _PARAMETER.match(text, place)
        if parameter is not None:
            return Token("parameter", parameter[0][1:], place, parameter.end())
    if here.isdigit() or (here == "." and text[place + 1 : place + 2].isdigit()):
        number = _NUMBER.match(text, place)
        if number is not None:
            return Token("number", number[0], place, number.end())
    word = _WORD.match(text, place)
    if word is not None:
        return Token("word", word[0].lower(), place, word.end())
    size = 2 if pair in _SIGNS else 1
    return Token("sign", text[place : place + size], place, place + size)


def _whole(pattern: re.Pattern[str], kind: str, text: str, place: int) -> Token:
    found = pattern.match(text, place)
    assert found is not None, "its first characters were seen"
    return Token(kind, found[0], place, found.end())


def _quoted(pattern: re.Pattern[str], kind: str, text: str, start: int, quote: int) -> Token:
    """A text or name in quotes; one that is not closed reaches to the end."""
    found = pattern.match(text, quote)
    mark = text[quote]
    if found is None:
        return Token(kind, text[quote + 1 :], start, len(text))
    return Token(kind, found[0][1:-1].replace(mark * 2, mark), start, found.end())


def _end_of_comment(text: str, place: int) -> int:
    """Where a comment ends, which may have others in it."""
    depth = 0
    for mark in _MARKS.finditer(text, place):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return len(text)
