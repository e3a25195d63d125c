"""The server that the tests of clients share, and what their programs say."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, Any]]:
    """A vault that is served while this lasts; where it is."""
    command = [sys.executable, "-m", "tests.clients.server", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(60)


def steps_of(
    command: Callable[[Mapping[str, Any]], list[str]], where: Mapping[str, Any]
) -> dict[str, str]:
    """The steps of a client's program, each with why it failed, or nothing."""
    environment = {**os.environ, "TACIT_CLIENT": json.dumps(where)}
    made = subprocess.run(
        command(where), env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    found = {}
    for line in made.stdout.splitlines():
        if line.startswith(("ok   ", "FAIL ")):
            name, _, why = line[5:].partition(" | ")
            found[name] = (why or "it failed") if line.startswith("FAIL") else ""
    assert made.returncode == 0, made.stderr[-2000:]
    return found
