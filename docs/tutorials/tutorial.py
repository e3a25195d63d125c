"""Runs a tutorial from its text: files are written, commands are run, what they print is compared but for the noise.

`python docs/tutorials/tutorial.py docs/tutorials/first-vault.md` puts what is really printed into the page.
"""

import io
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from unittest.mock import patch

from tacit.cli import main as tacit

__all__ = ["played", "written"]

BLOCK = re.compile(r"(?ms)^```(\w+)(?: +([\w./-]+))?\n(.*?)^```$")
COMMAND = re.compile(r"(?m)^\$ ((?:.*\\\n)*.*)\n?")
TOKEN = re.compile(r"tct_[\w-]+")
LINK = re.compile(r"/welcome/[\w-]+")
USUAL = "http" + "://127.0.0.1:8443"
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


class Served:
    """The server that a page starts with `tacit serve … &`: it takes a free port, which is printed as the usual one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._address, self._token = USUAL, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.communicate()

    def start(self, words: list[str]) -> str:
        """Start it; what it prints until it serves."""
        command = [sys.executable, "-m", "tacit", *words[1:], "--http", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        assert self._process.stdout is not None
        lines = [
            self._process.stdout.readline() for _ in range(2)
        ]  # the address, the curator's link
        self._address = lines[0].removeprefix("Serving at ").strip()
        return self.plain("".join(lines))

    def remember(self, printed: str) -> None:
        """Remember a token that was printed: `export TACIT_TOKEN=tct_…` sets it."""
        self._token = next(iter(TOKEN.findall(printed)), self._token)

    def export(self) -> str:
        """Set the token for the programs of the page."""
        os.environ["TACIT_TOKEN"] = self._token
        return ""

    def plain(self, printed: str) -> str:
        """What was printed, without the port that was taken, and without secrets."""
        shown = printed.replace(self._address, USUAL)
        return LINK.sub("/welcome/…", TOKEN.sub("tct_…", shown))

    def redirect(self, file: str) -> None:
        """Let a program of the page ask the server where it is."""
        path = Path(file)
        path.write_text(
            path.read_text(encoding="utf-8").replace(USUAL, self._address), encoding="utf-8"
        )


def played(page: str) -> Iterator[tuple[str, str, str]]:
    """Every command of a page with what the page shows and what is printed, run in a folder that is empty at first."""
    with (
        TemporaryDirectory() as folder,
        chdir(folder),
        patch.dict(os.environ, PLAIN),
        Served() as server,
    ):
        state = str(Path(folder, "state"))
        with patch.dict(os.environ, {"XDG_STATE_HOME": state}):
            for kind, name, text in BLOCK.findall(page):
                if name:
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_text(text, encoding="utf-8")
                elif kind == "console":
                    parts = COMMAND.split(text)[1:]
                    for command, shown in zip(parts[::2], parts[1::2], strict=True):
                        yield command, shown, run(command, server)


def run(command: str, server: Served) -> str:
    """What a command prints; of the shell only `python FILE`, `cat FILE`, `tacit` and lines for servers are known."""
    words = shlex.split(command.replace("\\\n", " "))
    match words:
        case ["tacit", "serve", *_, "&"]:
            return server.start(words[:-1])
        case ["export", "TACIT_TOKEN=tct_…"]:
            return server.export()
        case ["python", file]:
            server.redirect(file)
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), patch.object(sys, "argv", words):
        match words:
            case ["tacit", *_]:
                try:
                    tacit()
                except SystemExit as end:
                    if end.code:
                        print(f"(exit code {end.code})")
            case ["python", file]:
                runpy.run_path(file, run_name="__main__")
            case ["cat", file]:
                print(Path(file).read_text(encoding="utf-8"), end="")
            case _:
                raise AssertionError(f"a tutorial cannot run {command!r}")
    printed = "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
    server.remember(printed)
    return server.plain(printed)


def written(page: str) -> str:
    """The page with what its commands really print."""
    answers = iter([printed for _, _, printed in played(page)])

    def fresh(block: re.Match[str]) -> str:
        if block[1] != "console" or block[2]:
            return block[0]
        commands = COMMAND.split(block[3])[1::2]
        return "```console\n" + "".join(f"$ {each}\n{next(answers)}" for each in commands) + "```"

    return BLOCK.sub(fresh, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(name)
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
