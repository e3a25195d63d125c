"""The process that answers for the catalogue: it reads requests from its standard input until that is closed.

Started as `python -m tacit.catalogue.worker` with nothing of its parent's: no memory, no open files, no environment.

Checked by: tests/unit/catalogue/test_catalogue.py
"""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

import duckdb

from tacit.catalogue.database import Database
from tacit.catalogue.rewrite import parameter_types, parse
from tacit.catalogue.worker_messages import (
    decode_schema,
    decode_tables,
    encode_answer,
    encode_columns,
    pack,
    unpack,
)
from tacit.errors import CatalogueError

__all__ = ["LENGTH", "main", "read_message", "write_message"]

LENGTH = 4  # bytes before each message that say how long it is
ADDRESS_SPACE = 2 << 30


def main() -> None:
    """Answer requests, one after the other."""
    _limit_itself()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    # What libraries print must not get between the messages.
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    first = read_message(source)
    if first is None:
        return
    database = Database(decode_schema(unpack(first)))
    write_message(sink, pack({"ready": True}))
    while (request := read_message(source)) is not None:
        write_message(sink, pack(answer(database, unpack(request))))


def answer(database: Database, request: Mapping[str, Any]) -> dict[str, Any]:
    """What is said to a request: an answer, columns, or why not."""
    try:
        tables = decode_tables(request.get("tables", {}))
        if request["do"] == "parameters":
            return {"types": parameter_types(parse(request["sql"]), request["types"])}
        if request["do"] == "columns":
            found = database.columns(request["sql"], request["types"], request["settings"], tables)
            return {"columns": encode_columns(found)}
        return encode_answer(
            database.ask(request["sql"], request["parameters"], request["settings"], tables)
        )
    except CatalogueError as error:
        return {"error": [error.sqlstate, error.message, error.position], "detail": error.detail}
    except RecursionError:
        return {"error": ["54001", "the statement is nested too deeply", None]}
    except MemoryError:
        return {"error": ["53200", "the statement needs more memory than there is", None]}
    except (
        duckdb.Error,
        RuntimeError,
        TypeError,
        ValueError,
    ):  # what they say is about us, not about the statement
        return {"error": ["XX000", "the catalogue failed at this statement", None]}


def read_message(source: BinaryIO) -> bytes | None:
    """The next message; None if there will be none."""
    head = source.read(LENGTH)
    if len(head) < LENGTH:
        return None
    return source.read(int.from_bytes(head, "big"))


def write_message(sink: BinaryIO, message: bytes) -> None:
    """Send a message."""
    sink.write(len(message).to_bytes(LENGTH, "big") + message)
    sink.flush()


def _end_with(parent: int) -> None:
    """End this process, whatever it is at, once the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _limit_itself() -> None:
    """No file can be written, no process started, and memory has an end, whatever a statement achieves."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
