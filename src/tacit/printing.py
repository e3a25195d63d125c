"""Texts that come from data, made harmless where people look at them: on a terminal, in a page, in a spreadsheet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

__all__ = ["html_lines", "json_text", "printable", "printable_lines", "spreadsheet_cell"]

# Letters by their category, but nothing is seen of them.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and ends of lines
# The last four are the wide forms of the first four, which a spreadsheet may take for them.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def printable(text: str) -> str:
    """A text on one line, with a dot for each sign that would move a cursor, turn the line round or not be seen.

    Claim:      no escape code, mark of direction, break of a line or sign without width reaches who looks at it.
    Because:    what Unicode calls a control, a format, a separator, a surrogate, private or unassigned is no printable
                character, and of letters that are not seen there are few.
    Checked by: tests/unit/test_printing.py

    >>> printable("a\\tb\\x1b[2J")
    'a·b·[2J'
    """
    if text.isprintable() and _UNSEEN.isdisjoint(text):
        return text
    return "".join(
        letter if letter.isprintable() and letter not in _UNSEEN else "·" for letter in text
    )


def printable_lines(text: str) -> str:
    """A text of several lines, each of which can be printed.

    >>> printable_lines("one\\ntwo\\r")
    'one\\ntwo·'
    """
    return "\n".join(map(printable, text.split("\n")))


def html_lines(text: str) -> str:
    """A text of several lines for a notebook: as it is, whatever signs it has.

    >>> html_lines("a < b")
    '<pre>a &lt; b</pre>'
    """
    from html import escape  # opened in no cold start

    return f"<pre>{escape(printable_lines(text))}</pre>"


def json_text(value: object, default: Callable[[object], object] | None = None) -> str:
    """A value as one line of JSON, which means what it says and can be printed: what is not seen is escaped.

    >>> json_text({"ward": "é\\x9b"})
    '{"ward": "é\\\\u009b"}'
    """
    text = json.dumps(value, default=default, ensure_ascii=False)
    if printable(text) == text:
        return text
    return "".join(
        letter if printable(letter) == letter else json.dumps(letter)[1:-1] for letter in text
    )


def spreadsheet_cell(text: str) -> str:
    """A text as a spreadsheet shows it: one that would be read as a formula gets an apostrophe before it.

    A dot stands for a control code; a tab or the end of a line may be part of a text.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("ward A"), spreadsheet_cell("a\\x1b[2J")
    ("'=1+1", 'ward A', 'a·[2J')
    """
    shown = text if text.isprintable() else _CONTROLS.sub("·", text)
    return f"'{shown}" if text.lstrip(" \u00a0\ufeff").startswith(_FORMULA) else shown
