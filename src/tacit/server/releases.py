"""What is paid for beside questions: facts that a curator lets find, synthetic tables.

Checked by: tests/unit/server/http/test_api.py, tests/attacks/test_free_reads.py
"""

from collections.abc import Callable, Sequence
from typing import Any

from tacit.curator import Listing, Release, Vault
from tacit.exact import Number
from tacit.server.asking import Asking
from tacit.server.identities import Identity
from tacit.server.jobs import Job
from tacit.server.rights import check_right

__all__ = ["Releases"]


class Releases:
    """Long work at a price, each in a slot of the longest kind."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def synthesize(
        self,
        who: Identity,
        table: str,
        epsilon: Number,
        *,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
        rows: int = 100,
    ) -> Job:
        """Rows of a synthetic table, made in a slot of the longest kind; more rows of the same table are free."""
        check_right(who, "ask")

        def make(vault: Vault) -> Release:
            made = vault.synthesize(table, epsilon=epsilon, columns=columns, always=always)
            named = made.columns_of(rows)
            return Listing.of(tuple(named), list(zip(*named.values(), strict=True)))

        return await self._asking.start_long(who, make, epsilon)

    async def find_bounds(self, who: Identity, column: str, epsilon: Number, share: Number) -> Job:
        """Bounds of a column are found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who, lambda vault: vault.find_bounds(column, epsilon=epsilon, share=share), epsilon
        )

    async def find_contributions(
        self, who: Identity, table: str, epsilon: Number, share: Number
    ) -> Job:
        """How many rows of a unit count in full is found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who,
            lambda vault: vault.find_contributions(table, epsilon=epsilon, share=share),
            epsilon,
        )

    async def _start_finding(
        self, who: Identity, find: Callable[[Vault], Any], epsilon: Number
    ) -> Job:
        def work(vault: Vault) -> Release:
            found = find(vault)
            return Listing.of(("found",), [(str(found),)])

        return await self._asking.start_long(who, work, epsilon)
