"""Constants as Spark reads them.

Checked by: tests/unit/engines/spark/test_dialect.py
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from tacit.plan import Kind, Value

__all__ = ["TYPES", "double_literal", "quote", "text_literal", "value_literal"]

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- columns without a zone hold UTC
_LEAST = -(1 << 63)
TYPES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "STRING",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP_NTZ",
}
"""What Spark calls the type of a kind."""


def quote(name: str) -> str:
    """A name of somebody else's, in quotes.

    >>> quote("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def text_literal(value: str) -> str:
    r"""A text in quotes; of ASCII, letters, digits and spaces stand as they are, and nothing else.

    Claim:      a literal holds no parenthesis, quotation mark, dollar sign or backslash but those that we wrote.
    Because:    every other character of ASCII is written by its code.
    Checked by: tests/unit/engines/spark/test_dialect.py::test_no_text_leaves_its_quotes

    >>> print(text_literal("it's (9)"))
    'it\u0027s \u00289\u0029'
    """
    return "'" + "".join(map(_letter, value)) + "'"


def _letter(letter: str) -> str:
    plain = not letter.isascii() or letter.isalnum() or letter == " "
    return letter if plain else f"\\u{ord(letter):04x}"


def double_literal(value: float) -> str:
    """A double, by the shortest decimal that reads back as itself.

    >>> double_literal(0.1), double_literal(2)
    ('0.1D', '2.0D')
    """
    return f"{float(value)!r}D"


def value_literal(value: Value, kind: Kind) -> str:
    """A constant of a kind.

    >>> value_literal(1, Kind.DATE), value_literal(None, Kind.NUMBER), value_literal(7, Kind.INTEGER)
    ("DATE'1970-01-02'", 'CAST(NULL AS DOUBLE)', '7L')
    """
    match kind:
        case _ if value is None:
            return f"CAST(NULL AS {TYPES[kind]})"
        case Kind.BOOLEAN:
            return "TRUE" if value else "FALSE"
        case Kind.INTEGER:
            return f"{int(value):d}L" if int(value) > _LEAST else f"CAST({_LEAST} AS BIGINT)"
        case Kind.NUMBER:
            return double_literal(float(value))
        case Kind.TEXT:
            return text_literal(str(value))
        case Kind.DATE:
            return f"DATE'{date(1970, 1, 1) + timedelta(int(value))}'"
        case Kind.TIMESTAMP:
            moment = _EPOCH + timedelta(microseconds=int(value))
            return f"TIMESTAMP_NTZ'{moment.isoformat(' ')}'"
