"""`tacit reload`: a file in the vault's folder asks its server to read the policy again, and another says how it went.

Checked by: tests/unit/server/test_reload_requests.py
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tacit.errors import InvalidData, TacitError
from tacit.server.passwords import new_secret

__all__ = ["ANSWER", "NOBODY", "REQUEST", "answer_reload_requests", "request_reload"]

REQUEST, ANSWER = "reload.request", "reload.answer"
"""The files of a request and of what came of it, beside the policy: whoever writes there may change the policy, too."""

NOBODY = "no server of this vault runs here; one reads the policy when it starts: tacit serve"
"""What is said where there is nobody to ask."""

_EVERY = 0.5  # seconds
_BEGUN, _DONE = "begun", "done"


def request_reload(vault: str | Path, seconds: float = 30.0, longest: float = 3600.0) -> None:
    """Let the server of a vault read its policy again, and return when it has; a refusal is raised here.

    A server that has not begun after so many `seconds` is not there; what it does then may take longer.
    """
    given = Path(vault)
    folder = given if given.is_dir() else given.parent
    request, answer, name = folder / REQUEST, folder / ANSWER, new_secret()[:16]
    _write(request, name)
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            said = _read(answer).partition("\n")
            if said[0] == name and said[2] == _BEGUN:
                until, longest = until + longest, 0.0
            elif said[0] == name:
                if said[2] != _DONE:
                    raise InvalidData(said[2])
                return
            time.sleep(_EVERY / 5)
    finally:
        for file in (request, answer):
            file.unlink(missing_ok=True)
    raise InvalidData(NOBODY)


async def answer_reload_requests(folder: Path, reload: Callable[[], None]) -> None:
    """Look for requests from time to time, and answer each with `done` or with the refusal, until cancelled."""
    seen = ""
    while True:
        await asyncio.sleep(_EVERY)
        name = _read(folder / REQUEST)
        if name and name != seen:
            seen = name
            with suppress(OSError):  # a folder that is full or read-only
                _write(folder / ANSWER, f"{name}\n{_BEGUN}")
            said = await asyncio.to_thread(_reload, reload)
            with suppress(OSError):
                _write(folder / ANSWER, f"{name}\n{said}")


def _reload(reload: Callable[[], None]) -> str:
    try:
        reload()
    except TacitError as refusal:
        return str(refusal)
    except OSError as error:
        return f"the policy cannot be read ({str(error.strerror).lower()}); let the server's user read it"
    return _DONE


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def _write(file: Path, text: str) -> None:
    """Write a file at once, so that nobody reads half of it."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)
