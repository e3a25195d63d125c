"""Runs a tutorial from its text: files are written, commands are run, what they print is compared but for the noise.

`python docs/tutorials/tutorial.py docs/tutorials/first-vault.md` puts what is really printed into the page.
"""

import io
import os
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tacit.cli import main as tacit

__all__ = ["played", "written"]

BLOCK = re.compile(r"(?ms)^```(\w+)(?: +([\w./-]+))?\n(.*?)^```$")
COMMAND = re.compile(r"(?m)^\$ ((?:.*\\\n)*.*)\n?")
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def played(page: str) -> Iterator[tuple[str, str, str]]:
    """Every command of a page with what the page shows and what is printed, run in a folder that is empty at first."""
    with TemporaryDirectory() as folder, chdir(folder), patch.dict(os.environ, PLAIN):
        state = str(Path(folder, "state"))
        with patch.dict(os.environ, {"XDG_STATE_HOME": state}):
            for kind, name, text in BLOCK.findall(page):
                if name:
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_text(text, encoding="utf-8")
                elif kind == "console":
                    parts = COMMAND.split(text)[1:]
                    for command, shown in zip(parts[::2], parts[1::2], strict=True):
                        yield command, shown, run(command)


def run(command: str) -> str:
    """What a command prints; of the shell only `python FILE`, `cat FILE` and `tacit` are known."""
    words = shlex.split(command.replace("\\\n", " "))
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
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


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
