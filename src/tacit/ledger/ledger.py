"""The protocol of every ledger: charges first, answers after, and the same question once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from typing import Protocol

from tacit.accounting import Charge, Filter
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.privacy import Loss

__all__ = ["Entry", "Ledger", "check_limits", "check_question", "check_table", "now"]


NOTHING = Charge()


@frozen
class Entry:
    """One charge: who asked what (`key`), what it cost, and the answer once there is one.

    `before` is what everyone together had spent before it; `topic` is what its answer can be looked up by, `about` says
    it in words; `hash` binds it to everything charged before it; `at` is the time of the charge (UTC).
    """

    number: int
    key: bytes
    analyst: str | None
    charge: Charge
    payload: bytes | None = None
    before: Charge = NOTHING
    topic: bytes = b""
    about: str = ""
    hash: bytes = b""
    at: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether an answer was stored; until then the question may be run again under the same charge."""
        return self.payload is not None


class Ledger(Protocol):
    """The record of what was spent.  It decides from charges alone; it never sees data or answers in the clear.

    Claim:      the sum of all charges never exceeds the limit, nor an analyst's the analyst's own, under any
                interleaving; a key is charged again only for a higher price; what was settled is what is replayed.
    Because:    check and entry are one indivisible step, and an entry is never changed but for its answer, which is
                written once.
    Checked by: tests/laws/test_ledgers.py
    """

    def charge(
        self,
        key: bytes,
        loss: Loss,
        analyst: str | None = None,
        *,
        topic: bytes = b"",
        about: str = "",
        once: bool = False,
    ) -> Entry:
        """The entry that pays for this: an earlier one under the key whose price was no lower, else a new one.

        With `once` an earlier one is found whatever its price: of several who charge the same key at the same moment
        one pays.  Raises `LimitExceeded` if it does not fit, and records nothing then.
        """

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored; if it has one already, that one stays and is returned."""

    def total_spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """All entries, oldest first; or those from number `first` on and `below` another, without reading others."""

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic, newest first."""

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key, answered or not, oldest first."""

    def version(self, table: str) -> int:
        """How often the curator has refreshed a table."""

    def refresh(self, table: str) -> int:
        """The next version of a table, from now on: questions about it are new questions.  The limit stays."""


def check_limits(limit: Filter, analysts: Mapping[str, Filter] | None) -> dict[str, Filter]:
    """The analysts' limits, if they are in the currency of the limit for everyone."""
    for name, own in (analysts or {}).items():
        _check_text("analyst", name)
        if type(own) is not type(limit):
            raise InvalidInput(
                f"the limit of {name!r}", own, "state it in the same terms as the common limit"
            )
    return dict(analysts or {})


def check_question(
    key: bytes, analyst: str | None, known: Collection[str], topic: bytes, about: str
) -> None:
    """Refuse what cannot be written down, and analysts whom the policy does not name."""
    if not isinstance(key, bytes) or not key:
        raise InvalidInput("key", key, "give the fingerprint of what is asked, as bytes")
    if not isinstance(topic, bytes):
        raise InvalidInput("topic", topic, "give the fingerprint of what is asked about, as bytes")
    if not isinstance(about, str):
        raise InvalidInput("about", about, "say in words what is asked")
    if analyst is not None:
        _check_text("analyst", analyst)
        if known and analyst not in known:
            raise InvalidInput("analyst", analyst, "name an analyst of the policy")


def check_table(table: str) -> str:
    """The name of a table, if it is one."""
    return _check_text("table", table)


def now() -> str:
    """The time, as entries have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _check_text(name: str, given: str) -> str:
    if not isinstance(given, str) or not given.isprintable():
        raise InvalidInput(name, given, "give a name, as text that can be printed")
    return given
