"""What the command prints: tables and bars for people, JSON for programs.

Checked by: tests/unit/cli/test_printed.py
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from fractions import Fraction
from typing import Annotated, Any

import typer

from tacit.curator import Release
from tacit.printing import json_text, printable_lines
from tacit.progress import bar

__all__ = ["AsJson", "Patience", "patience", "plain", "say"]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
"""The option that every command has."""

_PATIENCE = 2.0


def say(text: object, value: object, *, as_json: bool) -> None:
    """Print the text, or the value as JSON.

    >>> say("one answer", {"answers": 1}, as_json=True)
    {"answers": 1}
    """
    if as_json:
        typer.echo(json_text(value, _jsonable))
    else:
        from rich.console import Console

        console = Console(highlight=False, soft_wrap=True)
        rich = hasattr(text, "__rich__") or hasattr(text, "__rich_console__")
        if isinstance(text, Release) and not console.is_terminal:
            rich = False  # a file has room for every line
        console.print(text if rich else printable_lines(str(text)), markup=False)


def plain(answer: Release) -> dict[str, Any]:
    """A release as JSON can hold it."""
    return {
        "columns": list(answer.columns),
        "rows": [dict(row) for row in answer],
        "confidence": answer.confidence,
        "notes": list(answer.notes),
        "price": {
            "epsilon": answer.price.epsilon,
            "share": answer.price.share,
            "free": answer.price.free,
        },
        "left_out": [each.sentence for each in answer.left_out],
        "receipt": dict(answer.receipt),
    }


def _jsonable(value: object) -> object:
    """What JSON has no word for: fractions and dates as text."""
    match value:
        case Fraction() | date():
            return str(value)
        case bytes():
            return value.hex()
        case Mapping():
            return dict(value)
        case _:
            return str(value)


class Patience:
    """A line on the terminal that says what takes so long, and how far it is if that is public."""

    def __init__(self, text: str) -> None:
        from rich.console import Console

        self._text = text
        self._status = Console(stderr=True).status(text)
        self._timer = threading.Timer(_PATIENCE, self._status.start)
        self._timer.daemon = True

    def start(self) -> None:
        """Show the line after two seconds."""
        self._timer.start()

    def stop(self) -> None:
        """Remove the line."""
        self._timer.cancel()
        self._status.stop()

    def progress(self, done: int, whole: int) -> None:
        """Show on the line how much of the whole is done."""
        self._status.update(f"{self._text}: {bar(done, whole)} {done:,} of {whole:,}")

    def watch(self, done: int, whole: int, what: str) -> None:
        """Show on the line how far a part of the work is."""
        self._status.update(
            f"{self._text}: {bar(done, whole)} {done:,} of at most {whole:,} {what}"
        )


@contextmanager
def patience(text: str) -> Iterator[Patience]:
    """A line that appears if what is done within takes more than two seconds, on a terminal only.

    It never says how far a question is: that would depend on the rows.
    """
    shown = Patience(text)
    if sys.stderr.isatty():
        shown.start()
    try:
        yield shown
    finally:
        shown.stop()
