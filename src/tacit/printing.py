"""Texts that come from data, made harmless where people look at them: on a terminal, in a page, in a spreadsheet."""

__all__ = ["printable", "spreadsheet_cell"]

# Letters by their category, but nothing is seen of them.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


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
    return "".join(letter if letter.isprintable() and letter not in _UNSEEN else "·" for letter in text)


def spreadsheet_cell(text: str) -> str:
    """A text as a spreadsheet shows it: one that would be read as a formula gets an apostrophe before it.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("ward A")
    ("'=1+1", 'ward A')
    """
    return f"'{text}" if text.lstrip(" \u00a0\ufeff").startswith(_FORMULA) else text
