"""The vault that a server asks: as it is now, as its askers may see it, and anew when its policy has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

from tacit.curator import (
    Policy,
    Unseen,
    Vault,
    limits_agree,
    limits_changed,
    open_tables,
    write_key,
)
from tacit.errors import AccessDenied, InvalidInput, LedgerRefused, TacitError
from tacit.server.free_reads import FreeReads, seen_state
from tacit.server.identities import Identity

__all__ = ["ServedVault"]

T = TypeVar("T")


class ServedVault:
    """One vault, under the policy as it is now."""

    def __init__(
        self,
        vault: Vault,
        unseen: Unseen,
        *,
        shared_limit: bool = False,
        reopen: Callable[[], Vault] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.current, self.unseen = vault, unseen
        self._shared_limit, self._reopen, self._folder = shared_limit, reopen, folder
        self._outdated: list[Vault] = []
        self._twins: dict[int, Vault] = {}
        self._reloading = threading.Lock()
        self._free_reads = FreeReads()

    @property
    def policy(self) -> Policy:
        """What the curator decided; it is public to who is signed in."""
        return self.current.policy

    def of(self, who: Identity) -> Vault:
        """The vault as somebody asks it.

        Claim:      no analyst spends from the limit of everyone without a limit of her own, unless the server was told
                    that this is meant.
        Because:    whoever has none in the policy as it is now is refused here, and every look goes through here.
        Checked by: tests/unit/server/test_desk.py::test_an_analyst_without_a_limit_is_refused
        """
        if (
            who.role == "analyst"
            and not self._shared_limit
            and who.payer not in self.policy.analysts
        ):
            raise AccessDenied(
                f"{who.name!r} has no limit of their own in the policy as this server has read it",
                f"the curator adds [analysts.{write_key(who.name)}] with an epsilon to tacit.toml, if it is not there, "
                'and reloads the policy: tacit reload VAULT, or "Read it again" on the page Policy',
                signed_in=True,
            )
        return self.current.of(who.payer)

    def seen(self, vault: Vault) -> Vault:
        """A vault as free reads see it: without what was written in slots that have not ended."""
        return self.unseen.seen(vault)

    def seen_by(self, who: Identity) -> Vault:
        """The vault as somebody may read it for nothing."""
        return self.seen(self.of(who))

    def read_free(
        self, choose: Callable[[], Vault], key: Hashable, read: Callable[[Vault], T]
    ) -> T:
        """What is read of a vault as it may be seen; or was read before, if that has not changed."""
        base = self.current  # first: what is kept under it is then never older
        vault, view = choose(), self.unseen.view_of(base)
        state = seen_state(base, view)
        return self._free_reads.read(base, state, key, lambda: read(self.unseen.seen(vault, view)))

    def versions(self) -> str:
        """How often each table was refreshed."""
        ledger = self.current.ledger
        return ",".join(str(ledger.version(name)) for name in sorted(self.policy.tables))

    def twin(self) -> Vault:
        """The twin of the vault as it is now."""
        vault = self.current
        with self._reloading:
            if id(vault) not in self._twins:
                self._twins[id(vault)] = vault.mock()
            return self._twins[id(vault)]

    @property
    def is_readable(self) -> bool:
        """Whether the ledger can be read."""
        try:
            self.current.ledger.total_spent()
        except TacitError:
            return False
        return True

    def with_current_policy(self, who: Identity, look: Callable[[Vault], T]) -> T:
        """Look under the policy as it is; if another process has given the ledger other limits, read it again, once.

        Claim:      nothing is answered under limits that are no longer those of the ledger.
        Because:    the ledger refuses a charge under old limits; the policy is read anew and tried once, and if that
                    fails, too, the refusal stands.  A file here that states other limits than the ledger has by now
                    is an old copy, and is not opened: that would set the new limits back.
        Checked by: tests/unit/server/test_desk.py::test_new_limits_are_read_once_or_refused
        """
        vault = self.current
        try:
            return look(self.of(who))
        except LedgerRefused:
            if not self._may_reopen(vault):
                raise
        self.reload(vault)
        return look(self.of(who))

    def catch_up(self) -> bool:
        """Read the policy again if another process has given the ledger other limits; whether it was read."""
        vault = self.current
        if not limits_changed(vault) or not self._may_reopen(vault):
            return False
        self.reload(vault)
        return True

    def _may_reopen(self, vault: Vault) -> bool:
        if self._folder is not None and not limits_agree(vault, self._folder):
            return False
        return self._reopen is not None

    def reload(self, outdated: Vault, *, opening: bool = False) -> None:
        """Open the vault again, unless somebody else did so since; its tables, too, where no slot waits for that."""
        if self._reopen is None:
            raise InvalidInput(
                "a vault in memory", "this one", "it has no policy file to read again"
            )
        if opening:
            fresh = self._reopen()
            open_tables(fresh)
        with self._reloading:
            if self.current is outdated:
                self.current = fresh if opening else self._reopen()
                self._outdated.append(outdated)
            elif opening:
                fresh.close()

    def close(self) -> None:
        """Let go of the vault, of those before it, and of their twins."""
        for vault in (*self._twins.values(), *self._outdated, self.current):
            vault.close()
