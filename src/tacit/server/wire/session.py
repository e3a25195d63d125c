"""What one connection has set, prepared and opened, and what its statements mean.  It knows no bytes and no socket.

Questions are asked by `Asking`, and SQL's other commands are done by `perform`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from tacit.server.desk import Desk
from tacit.server.public_catalogue import PublicCatalogue
from tacit.server.wire.cursors import Outcome, Portal, Prepared
from tacit.server.wire.lexer import Statement
from tacit.server.wire.problems import Problem, placed
from tacit.server.wire.questions_of_connection import Asking
from tacit.server.wire.read_commands import read_cancel
from tacit.server.wire.read_cursor_commands import read_fetch
from tacit.server.wire.read_explain_and_copy import read_explain
from tacit.server.wire.read_prepare_and_execute import read_execute
from tacit.server.wire.run_commands import COMMANDS, describe_show
from tacit.server.wire.settings import Settings
from tacit.server.wire.statement_kinds import is_question, refuse_write
from tacit.server.wire.syntax_of_commands import syntax_problem
from tacit.server.wire.transactions import Transaction
from tacit.server.wire.value_types import BOOL, JSON, TEXT, Field

__all__ = ["Session"]

_MOST_STATEMENTS, _MOST_PORTALS, _MOST_TEXT = 1_000, 100, 4 << 20
_IN_FAILED = frozenset({"commit", "end", "rollback", "abort"})
_MOST_LEVELS = 20


class Session:
    """One connection's state.

    Claim:      a statement is asked once for each time that it is run; describing, explaining, preparing and declaring
                ask nothing.
    Because:    `run` is the one method that has a question answered, and they do not call it.
    Checked by: tests/unit/server/wire/test_sequences.py
    """

    def __init__(
        self,
        desk: Desk,
        catalogue: PublicCatalogue,
        held: str,
        settings: Settings,
        *,
        run_catalogue: Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]] | None = None,
        cancel: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self.asking = Asking(desk, catalogue, held, settings, run_catalogue)
        self._cancel = cancel
        self.settings = settings
        self.transaction = Transaction(settings)
        self.statements: dict[str, Prepared] = {}
        self.portals: dict[str, Portal] = {}

    # ---------------------------------------------------------------- what is prepared and opened

    async def prepare(
        self, name: str, statement: Statement | None, given: Sequence[int]
    ) -> Prepared:
        """Prepare a statement: its parameters are typed, and nothing is asked."""
        self.refuse_if_failed(statement)
        if name and name in self.statements:
            raise Problem("42P05", f'prepared statement "{name[:64]}" already exists')
        if statement is None:
            made = Prepared(None)
        else:
            made = Prepared(statement, *await self.asking.types_of(statement, given))
        self.statements.pop(name, None)
        size = sum(len(each.statement.text) for each in self.statements.values() if each.statement)
        if len(self.statements) >= _MOST_STATEMENTS or size > _MOST_TEXT:
            raise Problem("53400", "too many prepared statements", "close some, or connect again")
        self.statements[name] = made
        return made

    def open(self, name: str, portal: Portal) -> None:
        """Open a portal."""
        if name and name in self.portals:
            raise Problem("42P03", f'portal "{name[:64]}" already exists')
        if name not in self.portals and len(self.portals) >= _MOST_PORTALS:
            raise Problem("53400", "too many open portals", "close some")
        self.portals[name] = portal

    def statement(self, name: str) -> Prepared:
        """A prepared statement by its name."""
        if name not in self.statements:
            raise Problem("26000", f'prepared statement "{name[:64]}" does not exist')
        return self.statements[name]

    def portal(self, name: str) -> Portal:
        """A portal by its name."""
        if name not in self.portals:
            raise Problem("34000", f'portal "{name[:64]}" does not exist')
        return self.portals[name]

    def cursor(self, name: str) -> Portal:
        """A cursor by its name."""
        if name not in self.portals:
            raise Problem("34000", f'cursor "{name[:64]}" does not exist')
        return self.portals[name]

    def end_portals(self) -> None:
        """Close the portals that end with their transaction."""
        self.portals = {name: each for name, each in self.portals.items() if each.hold}

    def refuse_if_failed(self, statement: Statement | None) -> None:
        """Refuse whatever is not the end of a transaction that failed."""
        if self.transaction.status != "E" or statement is None:
            return
        if statement.word(0) not in _IN_FAILED:
            said = "current transaction is aborted, commands ignored until end of transaction block"
            raise Problem("25P02", said)

    # ---------------------------------------------------------------- what is described

    async def describe(
        self, statement: Statement | None, types: Sequence[int] = (), values: Sequence[Any] = ()
    ) -> tuple[Field, ...] | None:
        """The columns of what a statement returns, None if it returns none; nothing is asked."""
        if statement is None:
            return None
        self.refuse_if_failed(statement)
        if is_question(statement):
            with placed(statement.start):
                return await self.asking.columns(statement, types, values)
        match statement.word(0):
            case "show":
                return await describe_show(self, statement, types)
            case "explain":
                return (
                    Field("QUERY PLAN", JSON if read_explain(statement).form == "json" else TEXT),
                )
            case "fetch":
                portal = self.cursor(read_fetch(statement).name)
                return await self.describe_portal(portal)
            case "execute":
                prepared = self.statement(read_execute(statement).name)
                return await self.describe(prepared.statement, prepared.types, prepared.samples)
            case _:
                return None

    async def describe_portal(self, portal: Portal) -> tuple[Field, ...] | None:
        """The columns of a portal."""
        if portal.outcome is not None:
            return portal.outcome.fields
        if portal.fields is None:
            portal.fields = await self.describe(portal.statement, portal.types, portal.values)
        return portal.fields

    # ---------------------------------------------------------------- what is run

    async def run_portal(self, portal: Portal) -> Outcome | None:
        """Run a portal if it was not run yet; None if its statement is empty."""
        if portal.outcome is None and portal.statement is not None:
            portal.outcome = await self.run(portal.statement, portal.values, portal.types)
        return portal.outcome

    async def run(
        self,
        statement: Statement,
        values: Sequence[Any] = (),
        types: Sequence[int] = (),
        level: int = 0,
    ) -> Outcome:
        """Run a statement."""
        self.refuse_if_failed(statement)
        if level > _MOST_LEVELS:
            raise Problem("54001", "statements are nested too deeply")
        if is_question(statement):
            number = read_cancel(statement, values)
            if number is not None:
                done = self._cancel(number)
                return Outcome("SELECT 1", (Field("pg_cancel_backend", BOOL),), [(done,)])
            return await self.asking.answer(statement, values, types)
        refuse_write(statement)
        command = COMMANDS.get(statement.word(0))
        if command is None:
            raise syntax_problem(statement)
        await self.asking.who()
        return await command(self, statement, values, types, level)
