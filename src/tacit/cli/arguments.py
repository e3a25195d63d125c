"""What is given on the command line: vaults, numbers, and files to write."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InvalidInput

__all__ = ["Folder", "number", "to_draw", "to_write"]

_DIGITS = 600
_MOST = Fraction(10) ** 300  # a double holds it, and its inverse
_DRAWN = (".png", ".svg", ".pdf")


Folder = Annotated[
    Path, typer.Argument(help="The vault: a directory with a tacit.toml, or that file.")
]
"""The argument that names a vault."""


def number(text: str, name: str, remedy: str = "write a number in digits, such as 0.3") -> Fraction:
    """A number exactly as it is written, without a detour through floats; one that no double can hold is refused.

    >>> number("0.1", "--epsilon"), number("1/3", "--epsilon")
    (Fraction(1, 10), Fraction(1, 3))
    >>> number("1e9999999999", "--epsilon")
    Traceback (most recent call last):
    tacit.errors.InvalidInput: --epsilon cannot be '1e9999999999'; write a number in digits, such as 0.3
    """
    written = text.strip()
    exponent = written.lower().partition("e")[2] or "0"
    try:
        # else it would be written out first
        if len(written) <= _DIGITS and abs(int(exponent)) <= _DIGITS:
            exact = Fraction(written)
            if exact == 0 or 1 / _MOST <= abs(exact) <= _MOST:
                return exact
    except (ValueError, ZeroDivisionError):
        pass
    raise InvalidInput(name, text, remedy)


def to_write(file: Path | None, option: str) -> None:
    """Refuse a file that cannot be written, before its content is charged."""
    if file is None:
        return
    if file.is_dir():
        raise InvalidInput(option, str(file), "it is a folder; name a file")
    if not file.parent.is_dir():
        raise InvalidInput(
            option, str(file), "its folder does not exist; create it, or name another one"
        )
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InvalidInput(
            option, str(file), "it cannot be written; name a file that you may write"
        )


def to_draw(file: Path | None, option: str) -> None:
    """Refuse a picture that cannot be drawn, before its content is charged."""
    if file is None:
        return
    if file.suffix.lower() not in _DRAWN:
        raise InvalidInput(
            option, str(file), f"name a file that ends in one of: {', '.join(_DRAWN)}"
        )
    try:
        import matplotlib.figure  # noqa: F401 -- which is needed later, when the answer is paid for
    except ImportError:
        raise InvalidInput(
            option, str(file), "install matplotlib first: pip install 'tacit-dp[plot]'"
        ) from None
    to_write(file, option)
