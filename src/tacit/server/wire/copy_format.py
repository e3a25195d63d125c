"""Rows as COPY writes them: text, CSV and binary.

Checked by: tests/unit/server/wire/test_copy_format.py
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from tacit.printing import spreadsheet_cell
from tacit.server.wire.read_explain_and_copy import Copy
from tacit.server.wire.server_messages import cells_of
from tacit.server.wire.value_types import (
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    OID,
    TEXT,
    Field,
)
from tacit.server.wire.write_values import to_binary, to_text

__all__ = ["copy_rows"]

_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_TRAILER = struct.pack("!h", -1)
_NUMBERS = frozenset({INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, OID})
_ESCAPES = {
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def copy_rows(
    copy: Copy, fields: Sequence[Field], rows: Sequence[Sequence[Any]]
) -> Iterator[bytes]:
    """The rows, one a message; clients rely on the binary header's being in one message with the first row."""
    if copy.form == "binary":
        head = _HEADER
        for row in rows:
            cells = [
                None if cell is None else to_binary(cell, field.oid)
                for cell, field in zip(row, fields, strict=True)
            ]
            yield head + cells_of(cells)
            head = b""
        yield head + _TRAILER
        return
    write = _csv_cell if copy.form == "csv" else _text_cell
    if copy.header:
        names = [write(copy, _guarded(copy, field.name, TEXT)) for field in fields]
        yield (copy.delimiter.join(names) + "\n").encode()
    for row in rows:
        written = [
            copy.null
            if cell is None
            else write(copy, to_text(_guarded(copy, cell, field.oid), field.oid))
            for cell, field in zip(row, fields, strict=True)
        ]
        yield (copy.delimiter.join(written) + "\n").encode(errors="replace")


def _guarded(copy: Copy, cell: Any, oid: int) -> Any:
    """A cell as CSV may hold it.

    Claim:      no text that leaves as CSV is computed by a spreadsheet that opens it; numbers stay as they are.
    Because:    every cell that is a text, and every name, is written as the curator's own CSV writes it.
    Checked by: tests/unit/server/wire/test_copy_format.py::test_csv_guards_texts_that_a_spreadsheet_would_compute
    """
    is_text = copy.form == "csv" and isinstance(cell, str) and oid not in _NUMBERS
    return spreadsheet_cell(cell) if is_text else cell


def _text_cell(copy: Copy, text: str) -> str:
    escaped = re.sub(r"[\\\b\f\n\r\t\v]", lambda found: _ESCAPES[found[0]], text)
    return (
        escaped.replace(copy.delimiter, f"\\{copy.delimiter}")
        if copy.delimiter != "\t"
        else escaped
    )


def _csv_cell(copy: Copy, text: str) -> str:
    special = (copy.delimiter, copy.quote, "\n", "\r")
    if (
        not copy.force
        and text not in {copy.null, "\\."}
        and not any(mark in text for mark in special)
    ):
        return text
    escaped = text if copy.escape == copy.quote else text.replace(copy.escape, copy.escape * 2)
    return copy.quote + escaped.replace(copy.quote, copy.escape + copy.quote) + copy.quote
