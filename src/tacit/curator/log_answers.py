"""The logger `tacit`: one line for every answer, which holds a fingerprint and a price, and no value."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, TypeVar

from tacit.curator.answer.release import Price, Release

__all__ = ["log_answer", "log_release"]

_LOGGER = logging.getLogger("tacit")
_LOGGER.addHandler(logging.NullHandler())
_LETTERS = 12  # of a fingerprint

R = TypeVar("R", bound=Release)


def log_release(release: R) -> R:
    """The release, once a line was logged for it."""
    log_answer("answered", release.receipt, release.price)
    return release


def log_answer(what: str, receipt: Mapping[str, Any], price: Price) -> None:
    """Log that something was answered: the number of its entry, its fingerprint, its analyst and its price.

    Claim:      a log says nothing that the ledger does not, and nothing that depends on a private row.
    Because:    entry, key, analyst and price are written before rows are read; nothing else is logged.
    Checked by: tests/unit/curator/test_log_answers.py
    """
    _LOGGER.info(
        "%s entry %s %s analyst %s epsilon %.6g share %.6g%s",
        what,
        receipt.get("entry"),
        str(receipt.get("key"))[:_LETTERS],
        receipt.get("analyst"),
        price.epsilon,
        price.share,
        " replayed" if price.free else "",
    )
