"""COPY writes rows as PostgreSQL does: text, CSV and binary."""

import struct

import pytest

from tacit.server.wire.copy_format import copy_rows
from tacit.server.wire.lexer import Statement
from tacit.server.wire.read_explain_and_copy import Copy
from tacit.server.wire.value_types import Field

FIELDS = (Field("k", 25), Field("n", 20))
Q = Statement("", 0, ())


def written(rows, **options):
    return list(copy_rows(Copy(Q, **options), FIELDS, rows))


@pytest.mark.parametrize(
    ("key", "text", "csv"),
    [
        ("plain", b"plain\t1\n", b"plain,1\n"),
        (None, b"\\N\t1\n", b",1\n"),
        ("", b"\t1\n", b'"",1\n'),
        ("a\tb\\c\nd", b"a\\tb\\\\c\\nd\t1\n", b'"a\tb\\c\nd",1\n'),
        ('x,"y"', b'x,"y"\t1\n', b'"x,""y""",1\n'),
        ("\\.", b"\\\\.\t1\n", b'"\\.",1\n'),
    ],
)
def test_a_row_is_written_as_text_and_as_csv(key, text, csv):
    assert written([(key, 1)]) == [text]
    assert written([(key, 1)], form="csv", delimiter=",", null="") == [csv]


def test_other_marks_are_heeded():
    options = {
        "form": "csv",
        "delimiter": ";",
        "null": "-",
        "quote": "'",
        "escape": "\\",
        "header": True,
    }
    assert written([("it's", None)], **options) == [b"k;n\n", b"'it\\'s';-\n"]
    assert written([("a|b", 1)], delimiter="|") == [b"a\\|b|1\n"]
    assert written([("a", 1)], form="csv", delimiter=",", null="", force=True) == [b'"a","1"\n']


def test_the_binary_header_is_in_one_message_with_the_first_row():
    head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
    first = struct.pack("!hi", 2, 1) + b"a" + struct.pack("!iq", 8, 1)
    second = struct.pack("!hii", 2, -1, -1)
    assert written([("a", 1), (None, None)], form="binary") == [head + first, second, b"\xff\xff"]
    assert written([], form="binary") == [head + b"\xff\xff"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", " =1", '=a,"b"'])
def test_csv_guards_texts_that_a_spreadsheet_would_compute(text):
    options = {"form": "csv", "delimiter": ",", "null": ""}
    (row,) = written([(text, -1)], **options)
    assert row.lstrip(b'"').startswith(b"'")
    assert row.endswith(b",-1\n")
    head, *_ = copy_rows(Copy(Q, header=True, **options), (Field(text, 20),), [])
    assert head.lstrip(b'"').startswith(b"'")
    assert written([(text, -1)])[0].startswith(text[:2].encode()), "text is changed nowhere else"
    assert list(copy_rows(Copy(Q, **options), (Field("n", 1700),), [("-1.5",)])) == [b"-1.5\n"]
