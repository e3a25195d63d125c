"""What passes between the catalogue and its worker, as JSON: nothing that arrives can be more than a value.

Claim:      a worker that was taken over by a statement cannot make the process that holds the vault run anything.
Because:    its messages are read as JSON, with a largest length, and never unpickled.
Checked by: tests/unit/catalogue/test_worker_messages.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from tacit.catalogue.schema import Answer, Column, Schema, Table
from tacit.errors import InvalidInput

__all__ = [
    "decode_answer",
    "decode_columns",
    "decode_schema",
    "decode_tables",
    "encode_answer",
    "encode_columns",
    "encode_schema",
    "encode_tables",
    "pack",
    "unpack",
]

READ = {
    17: bytes.fromhex,
    1082: date.fromisoformat,
    1083: time.fromisoformat,
    1114: datetime.fromisoformat,
    1184: datetime.fromisoformat,
    1700: Decimal,
}
"""How values are read back that JSON has no form for, by the oid of their type."""

ARROW = {
    "bool": 16,
    "int8": 21,
    "int16": 21,
    "uint8": 21,
    "int32": 23,
    "uint16": 23,
    "int64": 20,
    "uint32": 20,
    "float": 700,
    "double": 701,
    "date32[day]": 1082,
}


def pack(message: Mapping[str, Any]) -> bytes:
    """A message as bytes."""
    return json.dumps(message, default=_plain, separators=(",", ":")).encode()


def unpack(data: bytes) -> dict[str, Any]:
    """The message that the bytes are."""
    found = json.loads(data)
    if not isinstance(found, dict):
        raise TypeError("a message is an object")
    return found


def _plain(value: Any) -> Any:
    """A value that JSON has no form for."""
    match value:
        case Decimal():
            return str(value)
        case date() | time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case timedelta():
            return _interval(value)
        case _:
            return str(value)


def _interval(value: timedelta) -> str:
    """An interval as PostgreSQL writes it.

    >>> _interval(timedelta(days=2, seconds=3661))
    '2 days 01:01:01'
    """
    hours, rest = divmod(value.seconds, 3600)
    clock = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
    days = "" if not value.days else f"{value.days} day{'s' * (abs(value.days) != 1)}"
    return " ".join(each for each in (days, clock) if each and (each != "00:00:00" or not days))


def encode_columns(columns: Sequence[Column]) -> list[list[Any]]:
    """Columns as lists of name, oid, modifier, comment and whether they may be NULL."""
    return [[each.name, each.oid, each.modifier, each.comment, each.nullable] for each in columns]


def decode_columns(found: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    """The columns again."""
    return tuple(
        Column(str(name), int(oid), int(modifier), comment, bool(nullable))
        for name, oid, modifier, comment, nullable in found
    )


def encode_schema(schema: Schema) -> dict[str, Any]:
    """A schema as a message."""
    tables = [
        [each.name, encode_columns(each.columns), each.comment, each.schema]
        for each in schema.tables
    ]
    return {"database": schema.database, "version": schema.version, "tables": tables}


def decode_schema(found: Mapping[str, Any]) -> Schema:
    """The schema again."""
    tables = (
        Table(name, decode_columns(columns), comment, schema)
        for name, columns, comment, schema in found["tables"]
    )
    return Schema(found["database"], tuple(tables), found["version"])


def encode_answer(answer: Answer) -> dict[str, Any]:
    """An answer as a message."""
    return {
        "columns": encode_columns(answer.columns),
        "rows": answer.rows,
        "settings": answer.settings,
    }


def decode_answer(found: Mapping[str, Any]) -> Answer:
    """The answer again, with days, moments and decimals as such."""
    columns = decode_columns(found["columns"])
    readers = [READ.get(each.oid) for each in columns]
    rows = tuple(
        tuple(
            value if read is None or value is None else read(value)
            for read, value in zip(readers, row, strict=True)
        )
        for row in found["rows"]
    )
    return Answer(
        columns, rows, tuple((str(name), str(value)) for name, value in found["settings"])
    )


def encode_tables(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Released rows, column by column; a table is one of pyarrow's, or an answer."""
    found = {}
    for name, table in tables.items():
        if isinstance(table, Answer):
            columns = table.columns
            values: list[Any] = [list(each) for each in zip(*table.rows, strict=True)]
            values = values or [[] for _ in columns]
        elif hasattr(table, "column_names"):
            kinds = [str(each) for each in table.schema.types]
            columns = tuple(
                Column(each, _arrow_oid(kind))
                for each, kind in zip(table.column_names, kinds, strict=True)
            )
            values = [table.column(number).to_pylist() for number in range(len(columns))]
        else:
            raise InvalidInput("tables", type(table).__name__, "give pyarrow tables or answers")
        found[name] = {"columns": encode_columns(columns), "values": values}
    return found


def _arrow_oid(kind: str) -> int:
    if kind.startswith("timestamp"):
        return 1184 if "tz=" in kind else 1114
    return 701 if kind.startswith("decimal") else ARROW.get(kind, 25)


def decode_tables(
    found: Mapping[str, Any],
) -> dict[str, tuple[tuple[Column, ...], list[list[Any]]]]:
    """Released rows again: columns, and the values of each."""
    return {name: (decode_columns(each["columns"]), each["values"]) for name, each in found.items()}
