"""A worker of the catalogue, as a process that can be killed, and a spare one that takes its place.

Claim:      no statement holds up the next one for longer than its own two seconds, whatever it does.
Because:    DuckDB does not always heed an interrupt, the operating system always heeds a kill; a spare is ready.
Checked by: tests/attacks/test_catalogue_fence.py::test_what_takes_too_long_is_killed_and_the_next_is_served
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tacit.catalogue.schema import Schema
from tacit.catalogue.worker_messages import encode_schema, pack, unpack
from tacit.errors import CatalogueError

__all__ = ["CPU_SECONDS", "SECONDS", "Worker"]

CPU_SECONDS = 2.0
"""What a statement may take. On a busy machine it may wait longer than it works, up to `SECONDS`."""
SECONDS = 20.0
START = 60.0
LENGTH = 4
LONGEST = 256 << 20
TICK = 0.1


class Worker:
    """A process that answers about one schema."""

    def __init__(self, schema: Schema) -> None:
        # The child imports what this process could import, and inherits nothing else.
        paths = [each for each in sys.path if each]
        environment = {"PYTHONPATH": os.pathsep.join(paths), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tacit.catalogue.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
            start_new_session=True,  # Ctrl-C is for the server
        )
        self._is_ready = False
        self.worked = 0.0  # CPU seconds for the last request
        self._send(pack(encode_schema(schema)))

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Wait for the process to have made its tables."""
        if not self._is_ready:
            self._receive(START, None)
            self._is_ready = True

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the worker says; one that takes too long, or dies, is killed, and the statement refused."""
        self.wait_until_ready()
        start = self._cpu_seconds()
        try:
            self._send(pack(message))
            return unpack(self._receive(SECONDS, start))
        finally:
            self.worked = max(0.0, self._cpu_seconds() - start)

    def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(len(message).to_bytes(LENGTH, "big") + message)
            self._process.stdin.flush()
        except OSError:
            raise CatalogueError("57P01", "the catalogue's process has ended; ask again") from None

    def _receive(self, seconds: float, cpu_start: float | None) -> bytes:
        """One message, within the time and the work that it may take."""
        assert self._process.stdout is not None
        source, end = self._process.stdout.fileno(), time.monotonic() + seconds
        data = bytearray()
        wanted = LENGTH
        while len(data) < wanted:
            ready, _, _ = select.select([source], [], [], TICK)
            if ready:
                piece = os.read(source, 1 << 20)
                if not piece:
                    raise CatalogueError("53200", "the statement ended the catalogue's process")
                data += piece
                if wanted == LENGTH and len(data) >= LENGTH:
                    wanted = LENGTH + int.from_bytes(data[:LENGTH], "big")
                    if wanted > LONGEST:
                        raise CatalogueError("54000", "the answer is too long")
            elif time.monotonic() > end or self._is_over(cpu_start):
                raise CatalogueError("57014", "the statement takes too long for the catalogue")
        return bytes(data[LENGTH:])

    def _is_over(self, start: float | None) -> bool:
        return start is not None and self._cpu_seconds() - start > CPU_SECONDS

    def _cpu_seconds(self) -> float:
        """What the process has worked; on systems that do not tell, the time that passes."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text("ascii", "replace").rpartition(")")[2]
        except OSError:
            return time.monotonic()
        worked = fields.split()[11:13]  # by itself, and by the system for it
        return sum(map(int, worked)) / os.sysconf("SC_CLK_TCK")
