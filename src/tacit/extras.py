"""Libraries that Tacit does without until somebody asks for what they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacit.errors import NotInstalled

__all__ = ["extra"]


@contextmanager
def extra(name: str, for_what: str) -> Iterator[None]:
    """A while in which the libraries of an extra are imported; if one is missing, the error says what to install.

    >>> with extra("plot", "a picture"):
    ...     import no_such_library
    Traceback (most recent call last):
    tacit.errors.NotInstalled: a picture needs no_such_library, which is not installed; pip install 'tacit-dp[plot]'
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise NotInstalled(for_what, missing.name or "a library", name) from None
