"""What LIKE means: % stands for any text and _ for any character, and a text matches a pattern or does not.

How LIKE is read from SQL is in `plan/sql/like_in_between_is.py`.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Wild", "matches", "tokens_of"]


class Wild(Enum):
    """What stands in a pattern for text that is not given."""

    ANY_TEXT = "%"
    ANY_ONE = "_"


Token = str | Wild


def tokens_of(pattern: str) -> tuple[Token, ...] | None:
    r"""The characters and wild cards of a pattern; None if it ends with a backslash, and then nothing is like it.

    >>> tokens_of(r"a\%%")
    ('a', '%', <Wild.ANY_TEXT: '%'>)
    """
    found: list[Token] = []
    characters = iter(pattern)
    for character in characters:
        match character:
            case "\\":
                literal = next(characters, None)
                if literal is None:
                    return None
                found.append(literal)
            case "%" | "_":
                found.append(Wild(character))
            case _:
                found.append(character)
    return tuple(found)


def matches(text: str, tokens: tuple[Token, ...] | None) -> bool:
    """Whether the whole text is like the pattern, in time that is at most the product of their lengths.

    >>> matches("ward 7", tokens_of("w%_"))
    True
    """
    if tokens is None:
        return False
    place = token = 0
    star, after = -1, 0  # the last % met, and how much text it has taken so far
    while place < len(text):
        if token < len(tokens) and tokens[token] is Wild.ANY_TEXT:
            star, after = token, place
            token += 1
        elif token < len(tokens) and tokens[token] in {Wild.ANY_ONE, text[place]}:
            place, token = place + 1, token + 1
        elif star >= 0:
            after += 1
            place, token = after, star + 1
        else:
            return False
    return all(rest is Wild.ANY_TEXT for rest in tokens[token:])
