"""What a question needs of its vault: the policy, the engines, the ledger, and who asks.

Checked by: tests/laws/test_corridor.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from tacit.accounting import Charge, Filter
from tacit.curator.answer.release import Price
from tacit.curator.plan_cache import PlanCache
from tacit.curator.policy.policy import Policy, Shared
from tacit.curator.record.encryption_key import memory_secret
from tacit.curator.record.found_bounds import with_facts
from tacit.engines import Engine
from tacit.errors import InvalidInput
from tacit.exact import short_at_least
from tacit.frozen import frozen
from tacit.ledger import Ledger
from tacit.plan import Table

if TYPE_CHECKING:
    from tacit.curator.rehearse_before_payment import Rehearsal

__all__ = ["Access", "table_named"]


@frozen
class Access:
    """What one analyst, or the curator (None), may ask about, and where it is written down.

    `rehearse_once` rehearses a question of a shape that was not rehearsed before (see `remember_rehearsals`).
    `formats` say how the text files of some tables are written, where the policy says it; `secret` is the key under
    which is sealed what the ledger keeps and nobody reads.  `text_tables` are those that are read from text files.
    """

    policy: Policy
    engines: Mapping[str, Engine]
    ledger: Ledger
    rehearse_once: Callable[[Rehearsal], None]
    analyst: str | None = None
    made_up: bool = False
    formats: Mapping[str, str] = field(default_factory=dict)
    text_tables: frozenset[str] = frozenset()
    secret: Callable[[], bytes] = field(default_factory=memory_secret)
    plans: PlanCache = field(default_factory=PlanCache)

    @property
    def rule(self) -> Filter:
        """The rule by which charges are priced and admitted."""
        return self.policy.limit.filter()

    @property
    def scope(self) -> str | None:
        """To whom answers are replayed: to this analyst, or to everyone (None)."""
        return self.analyst if self.policy.replay == "analyst" else None

    def read_tables(self) -> Mapping[str, Shared]:
        """The tables of the policy, with the facts that were found about them."""
        return with_facts(self.policy.tables, self.ledger, self.analyst)

    def policy_with_facts(self) -> Policy:
        """The policy, with the facts that were found about its tables."""
        policy = self.policy
        return Policy(policy.limit, self.read_tables(), policy.unit, policy.analysts, policy.replay)

    def engine_of(self, tables: Iterable[Table]) -> Engine:
        """The engine that holds all of these tables."""
        found = [self.engines[table.name] for table in tables]
        if any(engine is not found[0] for engine in found):
            raise InvalidInput(
                "tables",
                len(found),
                "tables used in one question must be in one engine",
            )
        return found[0]

    def formats_of(self, tables: Iterable[Table]) -> bytes:
        """How the text files of these tables are written, by the policy; empty where it says nothing."""
        if not self.formats:
            return b""
        names = sorted({table.name for table in tables} & self.formats.keys())
        return "".join(f"\0{name}\0{self.formats[name]}" for name in names).encode()

    def price_of(self, charge: Charge, *, free: bool) -> Price:
        """What a charge is, for people."""
        rule = self.rule
        return Price(short_at_least(rule.epsilon_of(charge)), float(rule.share(charge)), free)


def table_named(name: str, tables: Mapping[str, Shared]) -> Shared:
    """A table by its name."""
    if name not in tables:
        raise InvalidInput("table", name, f"name one of: {', '.join(sorted(tables))}")
    return tables[name]
