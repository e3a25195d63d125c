"""The desk: the only place of the server that holds a vault.  Doors translate what people send; here it is decided."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from tacit.curator import (
    AnswerColumn,
    Board,
    Budget,
    Explanation,
    Listing,
    Policy,
    Release,
    SurveyTable,
    Unseen,
    Vault,
    open_tables,
    rows_for,
)
from tacit.errors import NotFound, TacitError
from tacit.frozen import frozen
from tacit.server.ask_in_slot import Asking, at_a_price
from tacit.server.audit_log import AuditLog, place_of
from tacit.server.calibration import Calibration, questions_about
from tacit.server.free_reads import parameter_key
from tacit.server.identities import Identities, Identity
from tacit.server.jobs import Job, Question
from tacit.server.ledger_views import LedgerPages
from tacit.server.models_and_synthetic_tables import Releases
from tacit.server.people import People
from tacit.server.policy_changes import PolicyPages
from tacit.server.rate_limits import Rates, Waiting
from tacit.server.rights import check_right
from tacit.server.served_vault import ServedVault
from tacit.server.slots import Slots

__all__ = ["Desk", "Standing"]

_READERS = 4

T = TypeVar("T")


@frozen
class Standing:
    """What somebody may do, and what is left: the budget, and of the day's allowance."""

    name: str
    role: str
    budget: Budget
    has_limit: bool
    price: str | None
    allowance: float | None
    spent_today: float


class Desk:
    """One vault, asked by many: all that doors may call.

    Claim:      nothing but `asking` looks at a private row.
    Because:    what other methods call, `explain`, `declared`, `describe`, `mock`, is free by their own claims.
    Checked by: tests/unit/server/test_desk.py and tests/attacks/test_slots.py
    """

    def __init__(
        self,
        vault: Vault,
        identities: Identities,
        *,
        slots: Slots | None = None,
        audit: AuditLog | None = None,
        calibration: Calibration | None = None,
        rates: Rates | None = None,
        waiting: Waiting | None = None,
        shared_limit: bool = False,
        reopen: Callable[[], Vault] | None = None,
        folder: Path | None = None,
        board: Board | None = None,
        tell_curator: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._identities, self._folder = identities, folder
        self.slots = Slots() if slots is None else slots
        self._audit = AuditLog(lambda _: None) if audit is None else audit
        self._calibration = Calibration() if calibration is None else calibration
        self._rates = Rates() if rates is None else rates
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="tacit-desk")
        self._served = ServedVault(
            vault, Unseen(board), shared_limit=shared_limit, reopen=reopen, folder=folder
        )
        self.asking = Asking(
            self._served,
            identities,
            slots=self.slots,
            audit=self._audit,
            calibration=self._calibration,
            rates=self._rates,
            waiting=Waiting() if waiting is None else waiting,
            readers=self._readers,
            tell_curator=tell_curator,
            folder=folder,
        )
        self.releases = Releases(self.asking)
        self.people = People(identities, self._audit, self._rates)
        self.ledger = LedgerPages(self._served, identities, self._audit, self._readers)
        self.drafts = PolicyPages(self._served, identities, folder)

    def standing(self, who: Identity) -> Standing:
        """What somebody may do, and what is left."""
        check_right(who, "look")
        return Standing(
            who.name,
            who.role,
            self.budget(who),
            who.payer in self.policy.analysts,
            who.price,
            who.allowance,
            self._identities.spent_today(who.name),
        )

    def price_that_fits(self, who: Identity, told: Explanation) -> Fraction | None:
        """An epsilon that fits into the limits and into today's allowance, in place of one that does not."""
        today = self.left_today(who)
        if told.free or (told.affordable and (today is None or told.share <= today)):
            return None
        fits = [] if told.affordable else [told.fitting]
        if today is not None:
            fits.append(self.policy.limit.epsilon_within(today))
        known = [each for each in fits if each is not None]
        return min(known) if len(known) == len(fits) else None

    def rehearse(self) -> None:
        """Ask a question of each kind about made-up rows, and explain it, so that the first paid question finds
        everything loaded and keeps its slot.

        No row of the vault is read for it.
        """
        twin, price = self._served.twin(), self.policy.limit.epsilon / 100
        seen = self._served.seen(self._vault.of(None))
        for name, shared in self.policy.tables.items():
            if not shared.table.public:
                for question in questions_about(twin, name).values():
                    with suppress(TacitError):  # what this policy refuses needs no time
                        twin.sql(question, epsilon=price)
                        seen.replay(question, epsilon=price)
                        seen.explain(question, epsilon=price)

    def open_tables(self) -> None:
        """Read each private table, so that the first paid question about it does not wait for that within its slot."""
        open_tables(self._vault)

    def left_today(self, who: Identity) -> float | None:
        """The share of everyone's limit that somebody may still spend today; None for who has no allowance."""
        if who.allowance is None:
            return None
        return max(0.0, who.allowance - self._identities.spent_today(who.name))

    # ---------------------------------------------------------------- what is free

    @property
    def policy(self) -> Policy:
        """What the curator decided; it is public to who is signed in."""
        return self._vault.policy

    def tables(self, who: Identity) -> Mapping[str, Any]:
        """The declared tables by name, with the facts that were found about them for who asks."""
        check_right(who, "look")
        return self._readable_by(who).declared()

    def describe(self, who: Identity, table: str | None = None) -> Listing:
        """What the policy says of a table, or of all."""
        check_right(who, "look")
        if table is not None and table not in self.policy.tables:
            raise NotFound("table", table)
        return self._served.seen_by(who).describe(table)

    def columns(
        self, who: Identity, sql: str, params: Sequence[Any] | None = None
    ) -> tuple[AnswerColumn, ...]:
        """The columns that the answer to a question would have: their names and types, from its plan alone."""
        check_right(who, "explain")
        return self._served.read_free(
            lambda: self._served.of(who),
            ("columns", who.payer, sql, parameter_key(params)),
            lambda vault: vault.columns(sql, params=params),
        )

    def declared_columns(self) -> dict[str, list[tuple[str, str, str]]]:
        """The columns of each table as the policy declares them: name, SQL type, what is declared."""
        found = {}
        for table in self.policy.tables:
            quoted = '"' + table.replace('"', '""') + '"'
            columns = self._vault.columns(f"SELECT * FROM {quoted} LIMIT 0")  # noqa: S608 -- a name in quotes
            said = {
                row[0]: f"{row[1]} {row[2]}".strip() for row in self._vault.describe(table).rows
            }
            found[table] = [(each.name, each.type, said.get(each.name, "")) for each in columns]
        return found

    def made_up_rows(
        self, who: Identity, names: Collection[str]
    ) -> dict[str, tuple[list[tuple[str, str]], list[tuple[Any, ...]]]]:
        """The columns and rows of the tables with these names, made up from the policy."""
        check_right(who, "explain")
        declared = self.declared_columns()
        found = {}
        for name in self.policy.tables.keys() & set(names):
            columns = [(column, kind) for column, kind, _ in declared[name]]
            found[name] = (
                columns,
                [
                    tuple(_as_typed(row.get(column), kind) for column, kind in columns)
                    for row in rows_for(self.policy.tables[name])
                ],
            )
        return found

    def sample_values(self, who: Identity) -> dict[str, Any]:
        """A declared value for each column that has some: with it a question can be read before it is bound."""
        columns = [each for shared in self.tables(who).values() for each in shared.table.columns]
        return {each.name: each.values[0] for each in columns if each.values}

    def version(self, table: str) -> int:
        """How often a table was refreshed."""
        return self._vault.ledger.version(table)

    def explain(self, who: Identity, question: Question) -> Explanation:
        """What an answer would be made of and cost."""
        check_right(who, "explain")
        self._rates.take("explanations", who.name)
        terms = {name: value for name, value in question.terms().items() if name != "raw"}
        return at_a_price(
            who,
            terms,
            lambda priced: self._served.seen_by(who).explain(question.sql, **priced),
        )

    def ask_twin(self, who: Identity, question: Question) -> Release:
        """The answer on made-up rows."""
        check_right(who, "ask")
        self._rates.take("questions", who.name)
        return at_a_price(
            who, question.terms(), lambda priced: self._served.twin().sql(question.sql, **priced)
        )

    def surveys(self, who: Identity) -> Mapping[str, SurveyTable]:
        """The collected surveys by name."""
        check_right(who, "look")
        return self._vault.surveys

    def survey(self, who: Identity, name: str) -> Release:
        """How often each answer of a survey was given, estimated: no row of the vault is read for it."""
        if name not in self.surveys(who):
            raise NotFound("survey", name)
        quoted = '"' + name.replace('"', '""') + '"'
        text = f"SELECT answer, COUNT(*) AS n FROM {quoted} GROUP BY answer"  # noqa: S608 -- a name in quotes
        found = self._vault.of(None).replay(text)
        assert found is not None, "what is asked about a survey is free"
        return found

    def budget(self, who: Identity) -> Budget:
        """The budget of everyone and, of an analyst, the own one."""
        check_right(who, "look")
        payer = who.payer if who.role == "analyst" else None
        return self._served.read_free(
            lambda: self._payable_by(who), ("budget", payer), lambda vault: vault.budget
        )

    def replay(self, who: Identity, question: Question) -> Release | None:
        """The answer to a question if it costs nothing, None if it has to be paid for; it is counted if it is given."""
        return self.asking.replay(who, question)

    def budgets(self, who: Identity) -> dict[str, Budget]:
        """The budget of each analyst who has a limit."""
        check_right(who, "read everyone")
        return {
            name: self._served.seen(self._vault.of(name)).budget for name in self.policy.analysts
        }

    # ---------------------------------------------------------------- what is paid for

    async def ask(self, who: Identity, question: Question, key: str | None = None) -> Job:
        """A question is asked: at once, if its answer is known, and else in the next slot of its class."""
        return await self.asking.ask(who, question, key)

    def job(self, who: Identity, id: str) -> Job:  # noqa: A002 -- as it is called
        """A job of who asks."""
        return self.asking.job(who, id)

    async def drain(self) -> None:
        """Take no more questions, and let those that run come to their end."""
        await self.asking.drain()

    def note_mistake(self, error: BaseException, door: str) -> None:
        """Write down where a mistake of ours happened: who asked is told nothing of it, who runs the server is."""
        self._audit.note("mistake", door=door, problem=type(error).__name__, about=place_of(error))

    # ---------------------------------------------------------------- what a curator or an auditor does

    def refresh(self, who: Identity, table: str) -> int:
        """Say that the rows of a table have changed."""
        check_right(who, "decide")
        if table not in self.policy.tables:
            raise NotFound("table", table)
        version = self._vault.refresh(table)
        open_tables(self._vault, table)
        self._audit.note("refreshed", identity=who.name, about=table)
        return version

    def reload(self, who: Identity) -> None:
        """Read the policy again."""
        check_right(who, "decide")
        self._served.reload(self._vault, opening=True)
        self._audit.note("reloaded", identity=who.name)

    def reload_by_file(self) -> None:
        """Read the policy again since whoever writes in the vault's folder asked for it."""
        self._served.reload(self._vault, opening=True)
        self._audit.note("reloaded")

    def policy_text(self, who: Identity) -> tuple[str, Path]:
        """The policy file as it is now, and where it is."""
        check_right(who, "decide")
        if self._folder is None:
            raise NotFound("file", "tacit.toml", "this server has no file of its policy to show")
        file = self._folder / "tacit.toml"
        return file.read_text(encoding="utf-8"), file

    def operations(self, who: Identity) -> dict[str, Any]:
        """How the server does: slots used and missed, questions that wait, what was calibrated."""
        check_right(who, "decide")
        paid, late = self.slots.used.total(), self.slots.missed.total()
        return {
            "workers": self.slots.workers,
            "paid": paid,
            "late": late,
            "late_share": late / paid if paid else 0.0,
            "slots": [
                {
                    "seconds": length,
                    "used": self.slots.used[length],
                    "missed": self.slots.missed[length],
                }
                for length in self.slots.lengths
            ],
            "running": self.asking.many_running,
            "calibrated": self._calibration.told(),
        }

    # ---------------------------------------------------------------- its end

    def close(self) -> None:
        """Let go of threads, files and vaults."""
        self._readers.shutdown(wait=True)
        self.asking.close()
        self.slots.close()
        self._served.close()
        self._identities.close()

    @property
    def is_ready(self) -> bool:
        """Whether questions are taken and the ledger can be read."""
        return not self.asking.is_closing and self._served.is_readable

    def run(self, work: Callable[[], T]) -> Coroutine[Any, Any, T]:
        """Something that takes a few milliseconds and reads no private row, on a thread of the desk's."""
        return self._read(work)

    async def look_up(self, work: Callable[[], T]) -> T:
        """Who somebody is: here, if that takes microseconds, and on a thread if a database is asked for it."""
        return work() if self._identities.is_near else await self._read(work)

    # ---------------------------------------------------------------- inside

    @property
    def _vault(self) -> Vault:
        return self._served.current

    def _readable_by(self, who: Identity) -> Vault:
        """The vault as somebody may read it for nothing; who has no limit of their own and asks nothing, everyone's."""
        return self._served.seen(self._payable_by(who))

    def _payable_by(self, who: Identity) -> Vault:
        return self._served.of(who) if who.role == "analyst" else self._vault.of(None)

    async def _read(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)


def _as_typed(cell: Any, kind: str) -> Any:
    """A made-up cell as its type has it: names of units may be numbers."""
    return str(cell) if kind == "TEXT" and cell is not None else cell
