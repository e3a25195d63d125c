"""What one connection has set, prepared and opened, and what its statements mean.  It knows no bytes and no socket.

Whatever is asked about tables goes to the desk, whatever is asked about the database to the catalogue; nothing is
decided here about what an answer costs or whether it is given.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace as with_fields
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from tacit.errors import CatalogueError, InvalidPlan, TooMany
from tacit.printing import json_text
from tacit.server.desk import Desk
from tacit.server.forms import explanation_fields
from tacit.server.identities import Identity
from tacit.server.jobs import Question
from tacit.server.wire.commands import (
    is_question,
    is_write,
    read_copy,
    read_declare,
    read_execute,
    read_explain,
    read_fetch,
    read_name,
    read_prepare,
    read_set,
    read_show,
    syntax_problem,
)
from tacit.server.wire.cursors import Outcome, Portal, Prepared
from tacit.server.wire.lexer import Statement
from tacit.server.wire.notices import describe_answer, describe_sum
from tacit.server.wire.parameters import infer_types, known_types, sample_of
from tacit.server.wire.parts import Part, divide, refuse_sum, stand_in
from tacit.server.wire.problems import Problem, placed, problem_from
from tacit.server.wire.settings import Price, Settings, read_price_comment
from tacit.server.wire.transactions import Transaction
from tacit.server.wire.values import (
    BOOL,
    DATE,
    FLOAT8,
    INT8,
    JSON,
    TEXT,
    TIMESTAMP,
    Field,
    read_value,
)
from tacit.server.wire.wrappers import Wrapped, pick, refuse_growing, unwrap

__all__ = ["CatalogueDoor", "Session"]

_OIDS = {
    "BOOLEAN": BOOL,
    "BIGINT": INT8,
    "DOUBLE": FLOAT8,
    "TEXT": TEXT,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
}
_MOST_STATEMENTS, _MOST_PORTALS, _MOST_TEXT = 1_000, 100, 4 << 20
_PATIENCE = 30.0  # seconds for which a question waits for its turn, instead of being refused
_IN_FAILED = frozenset({"commit", "end", "rollback", "abort"})
_MOST_LEVELS = 20
_TOO_LARGE = frozenset({"54000", "54001", "53200", "57014"})
_STORED = "these rows are of the stored answer; nothing is paid for reading them again"
_MADE_UP = "these rows are made up from the policy; nothing was looked at and nothing was paid"

T = TypeVar("T")


class CatalogueDoor(Protocol):
    """What answers questions about the database itself; `tables` are rows that were released, or made up."""

    def reads(self, sql: str) -> bool:
        """Whether a statement is for the catalogue."""

    def parameters(self, sql: str, given: Sequence[int] = ()) -> Sequence[int]:
        """The types of a statement's parameters."""

    def columns(
        self,
        who: Identity,
        sql: str,
        types: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Outcome] | None = None,
    ) -> Sequence[Any]:
        """The columns of an answer, from the statement alone."""

    def ask(
        self,
        who: Identity,
        sql: str,
        values: Sequence[Any] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Outcome] | None = None,
    ) -> Any:
        """The answer: its columns and rows, and the settings that it changed."""


class Session:
    """One connection's state.

    Claim:      a statement is asked once for each time that it is run; describing, explaining, preparing and declaring
                ask nothing.
    Because:    `_ask` is the one method that calls `desk.ask`, and `run` the one that calls it.
    Checked by: tests/unit/server/wire/test_sequences.py
    """

    def __init__(
        self,
        desk: Desk,
        catalogue: CatalogueDoor,
        held: str,
        settings: Settings,
        *,
        run_catalogue: Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]] | None = None,
    ) -> None:
        self._desk = desk
        self._catalogue = catalogue
        self._held = held
        self._run_catalogue = run_catalogue or desk.run
        self.settings = settings
        self.transaction = Transaction(settings)
        self.statements: dict[str, Prepared] = {}
        self.portals: dict[str, Portal] = {}
        self._commands: Mapping[str, Callable[..., Coroutine[Any, Any, Outcome]]] = {
            "set": self._set,
            "reset": self._reset,
            "show": self._show,
            "discard": self._discard,
            "begin": self._begin,
            "start": self._begin,
            "commit": self._commit,
            "end": self._commit,
            "rollback": self._rollback,
            "abort": self._rollback,
            "savepoint": self._savepoint,
            "release": self._release,
            "prepare": self._prepare,
            "execute": self._execute,
            "deallocate": self._deallocate,
            "declare": self._declare,
            "fetch": self._fetch,
            "move": self._fetch,
            "close": self._close,
            "explain": self._explain,
            "copy": self._copy,
            "listen": self._nothing,
            "unlisten": self._nothing,
        }

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
            made = Prepared(statement, *await self._types_of(statement, given))
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
                return await self._columns(await self.who(), statement, types, values)
        match statement.word(0):
            case "show":
                return await self._describe_show(statement, types)
            case "explain":
                return (
                    Field("QUERY PLAN", JSON if read_explain(statement).form == "json" else TEXT),
                )
            case "fetch":
                portal = self._cursor(read_fetch(statement).name)
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
            return await self._answer(statement, values, types)
        if is_write(statement):
            word = statement.word(0).upper()
            hint = "nothing is written here: ask with SELECT"
            raise Problem("25006", f"cannot execute {word} in a read-only vault", hint)
        command = self._commands.get(statement.word(0))
        if command is None:
            raise syntax_problem(statement)
        return await command(statement, values, types, level)

    async def _answer(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int]
    ) -> Outcome:
        """The answer to a question, from the catalogue or from the desk."""
        who = await self.who()
        if await self._is_for_catalogue(statement):
            return await self._ask_catalogue(who, statement, values)
        with placed(statement.start):
            try:
                columns = await self._columns_of(who, statement, values)
            except InvalidPlan as refusal:
                return await self._answer_otherwise(who, statement, values, types, refusal)
            question = self._question(statement, values)
            return (await self._ask(who, statement, question, columns))[0]

    async def _ask(
        self, who: Identity, statement: Statement, question: Question, columns: Sequence[Any]
    ) -> tuple[Outcome, Any]:
        """The answer to a question, and what it cost."""
        release = await self._wait_for_turn(who, question)
        budget = await self._desk.run(lambda: self._desk.budget(who))
        kept = self._kept(columns)
        fields = tuple(_field(columns[place], statement) for place in kept)
        rows = [tuple([row[place] for place in kept]) for row in release.rows]
        told = release.receipt and self._has_notices()
        notices = (describe_answer(release, budget),) if told else ()
        return Outcome(f"SELECT {len(rows)}", fields, rows, notices), release.price

    async def _answer_otherwise(
        self,
        who: Identity,
        statement: Statement,
        values: Sequence[Any],
        types: Sequence[int],
        refusal: InvalidPlan,
    ) -> Outcome:
        """What is no question, but SQL around questions, on their answers; rows, if made-up ones will do."""
        previewed = await self._made_up(who, statement, refusal)
        if previewed is not None:
            found = await self._ask_catalogue(who, statement, values, previewed)
            return with_fields(found, notices=((_MADE_UP, None),))
        wrapped = unwrap(statement)
        if wrapped is None:
            raise refusal
        # What is around the questions is read before they are asked: nothing is paid for what cannot be evaluated.
        await self._columns_otherwise(who, statement, types, values, refusal)
        return await self._answer_parts(who, statement, wrapped, values)

    async def _answer_parts(
        self, who: Identity, statement: Statement, wrapped: Wrapped, values: Sequence[Any]
    ) -> Outcome:
        """SQL around questions, on their answers.

        Claim:      a statement costs no more than the price that it names, however many questions are in it; and none
                    is charged if all together do not fit, or if what is around them is too large to be evaluated.
        Because:    all are explained before the first is asked, the price is divided among those that are not known,
                    their sum is compared with what is left, and the whole is tried on rows that stand for answers.
        Checked by: tests/unit/server/wire/test_parts.py
        """
        refuse_growing(wrapped)
        parts = await self._parts(who, wrapped, values)
        standing = await self._desk.run(lambda: self._desk.standing(who))
        refuse_sum(who, parts, standing.spent_today)
        outer = Statement(wrapped.text, statement.start, ())
        given = pick(values, wrapped.values)
        columns = {}
        for part in parts:
            found = await self._columns_of(who, part.statement, tuple(part.question.params or ()))
            columns[part.name] = self._named(found, wrapped.text)
        if not all(part.told.free for part in parts):
            await self._try_outer(who, outer, given, parts, columns)
        tables, prices = dict[str, Outcome](), list[Any]()
        for part in parts:
            answer, price = await self._ask(who, part.statement, part.question, columns[part.name])
            tables[part.name] = answer
            prices.append(price)
        notices = [notice for answer in tables.values() for notice in answer.notices]
        if len(prices) > 1 and notices:
            notices.append((describe_sum(prices), None))
        answered = await self._ask_catalogue(who, outer, given, tables)
        return with_fields(answered, notices=tuple(notices))

    async def _parts(
        self, who: Identity, wrapped: Wrapped, values: Sequence[Any]
    ) -> tuple[Part, ...]:
        """The questions of a statement with their prices, and what each would cost."""

        async def explained(question: Question) -> Any:
            return await self._in_turn(
                lambda: self._desk.run(lambda: self._desk.explain(who, question))
            )

        asked = []
        for name, inner, places in wrapped.questions:
            question = self._question(inner, pick(values, places))
            divided = not _has_header_price(inner) and question.within is None
            if divided and question.epsilon is None and who.price is not None:
                question = with_fields(question, epsilon=Fraction(who.price))
            divided = divided and question.epsilon is not None
            asked.append((name, inner, question, divided))
        return await divide(asked, explained)

    async def _try_outer(
        self,
        who: Identity,
        outer: Statement,
        values: Sequence[Any],
        parts: Sequence[Part],
        columns: Mapping[str, Sequence[Any]],
    ) -> None:
        """Refuse what is too large to be evaluated, by evaluating it on rows that stand for the answers."""
        tables = {}
        for part in parts:
            named = columns[part.name]
            fields = tuple(_field(named[place], part.statement) for place in self._kept(named))
            tables[part.name] = stand_in(fields, part.told.groups)
        told = self.settings.items()
        with placed(outer.start):
            try:
                await self._run_catalogue(
                    lambda: self._catalogue.ask(who, outer.text, tuple(values), told, tables)
                )
            except CatalogueError as wrong:
                if wrong.sqlstate in _TOO_LARGE:
                    raise

    async def _made_up(
        self, who: Identity, statement: Statement, refusal: InvalidPlan
    ) -> dict[str, Outcome] | None:
        """Made-up rows of the tables of a statement that was refused since it asks for rows; None if not wanted."""
        if self.settings["tacit.preview"] != "made-up" or problem_from(refusal).code != "42501":
            return None
        names = {token.value for token in statement.tokens if token.kind in {"word", "name"}}
        found = await self._desk.run(lambda: self._desk.made_up_rows(who, names))
        return {
            name: Outcome("", tuple(Field(column, _OIDS[kind]) for column, kind in columns), rows)
            for name, (columns, rows) in found.items()
        }

    def _named(self, columns: Sequence[Any], text: str) -> Sequence[Any]:
        """Columns of an answer for SQL around it, which may name the ends of intervals."""
        return [
            with_fields(each, interval_of=None) if each.name.lower() in text.lower() else each
            for each in columns
        ]

    async def _wait_for_turn(self, who: Identity, question: Question) -> Any:
        """The answer of the desk; one of too many at once waits until it is its turn."""
        job = await self._in_turn(lambda: self._desk.ask(who, question))
        return await job.result()

    async def wait_for_rate(self) -> None:
        """Count a statement among the requests of who is connected; one of too many waits.

        Claim:      nobody has more statements read, planned or answered in a time than the rate of requests allows,
                    through however many connections.
        Because:    each is counted by the identity before anything is done with it.
        Checked by: tests/unit/server/wire/test_turns.py
        """
        who = await self.who()

        async def count() -> None:
            self._desk.people.count_request(who)

        await self._in_turn(count)

    async def _in_turn(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the work returns; where it is one of too many, it is tried again until it is its turn."""
        waited = 0.0
        while True:
            try:
                return await work()
            except TooMany as refusal:
                seconds = max(refusal.seconds, 0.05)
                waited += seconds
                if waited > _PATIENCE:
                    raise
                await asyncio.sleep(seconds)

    async def _ask_catalogue(
        self,
        who: Identity,
        statement: Statement,
        values: Sequence[Any],
        tables: Mapping[str, Outcome] | None = None,
    ) -> Outcome:
        told = self.settings.items()
        with placed(statement.start):
            answer = await self._run_catalogue(
                lambda: self._catalogue.ask(who, statement.text, tuple(values), told, tables)
            )
        for name, value in answer.settings:
            self.settings.set(name, value)
        fields = tuple(Field(each.name, each.oid, each.modifier) for each in answer.columns)
        return Outcome(f"SELECT {len(answer.rows)}", fields, answer.rows)

    async def _is_for_catalogue(self, statement: Statement) -> bool:
        # On a thread of the desk's: those of the catalogue may be busy for seconds.
        return await self._desk.run(lambda: self._catalogue.reads(statement.text))

    async def _columns_of(
        self, who: Identity, statement: Statement, values: Sequence[Any]
    ) -> Sequence[Any]:
        bound = tuple(values) or None
        return await self._desk.run(lambda: self._desk.columns(who, statement.text, bound))

    async def who(self) -> Identity:
        """Who is connected, as they are now; a token that has ended ends the connection."""
        return await self._desk.run(lambda: self._desk.people.of_pass(self._held))

    def _question(self, statement: Statement, values: Sequence[Any]) -> Question:
        """A question with the price that counts: of its header, its comment, the settings; or none."""
        price = Price()
        if not _has_header_price(statement):
            price = read_price_comment(statement.comments)
            if price == Price():
                price = self.settings.price
        return Question(
            statement.text,
            price.epsilon,
            price.within,
            float(self.settings["tacit.confidence"]),
            params=tuple(values) if values else None,
        )

    def _kept(self, columns: Sequence[Any]) -> list[int]:
        """The places of the columns that are shown: the ends of intervals only if they are asked for."""
        shown = self.settings.is_on("tacit.intervals")
        return [at for at, each in enumerate(columns) if shown or each.interval_of is None]

    def _has_notices(self) -> bool:
        quiet = self.settings["client_min_messages"].lower() in {
            "warning",
            "error",
            "fatal",
            "panic",
        }
        return self.settings.is_on("tacit.notice") and not quiet

    async def _types_of(
        self, statement: Statement, given: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        """The types of a statement's parameters, and a value of each."""
        known = known_types(statement, given)
        inner = _question_within(statement)
        if inner is None or await self._is_for_catalogue(inner):
            types = [0 if oid is None else oid for oid in known]
            if inner is not None and 0 in types:
                sql, asked = inner.text, types
                found = await self._run_catalogue(lambda: self._catalogue.parameters(sql, asked))
                types = [*found, *types[len(found) :]]
            types = [oid or TEXT for oid in types]
            return tuple(types), tuple(sample_of(oid) for oid in types)
        who = await self.who()

        async def try_with(values: Sequence[Any]) -> None:
            await self._columns(who, inner, (), values)

        declared = await self._desk.run(lambda: self._desk.sample_values(who))
        with placed(inner.start):
            return await infer_types(inner, known, declared, try_with)

    async def _columns(
        self, who: Identity, statement: Statement, types: Sequence[int], values: Sequence[Any]
    ) -> tuple[Field, ...]:
        """The columns of an answer: nothing is asked."""
        if await self._is_for_catalogue(statement):
            return await self._columns_by_catalogue(who, statement, types)
        try:
            columns = await self._columns_of(who, statement, values)
        except InvalidPlan as refusal:
            return await self._columns_otherwise(who, statement, types, values, refusal)
        return tuple(_field(columns[place], statement) for place in self._kept(columns))

    async def _columns_by_catalogue(
        self,
        who: Identity,
        statement: Statement,
        types: Sequence[int],
        tables: Mapping[str, Outcome] | None = None,
    ) -> tuple[Field, ...]:
        told = self.settings.items()
        found = await self._run_catalogue(
            lambda: self._catalogue.columns(who, statement.text, tuple(types), told, tables)
        )
        return tuple(Field(each.name, each.oid, each.modifier) for each in found)

    async def _columns_otherwise(
        self,
        who: Identity,
        statement: Statement,
        types: Sequence[int],
        values: Sequence[Any],
        refusal: InvalidPlan,
    ) -> tuple[Field, ...]:
        previewed = await self._made_up(who, statement, refusal)
        if previewed is not None:
            return await self._columns_by_catalogue(who, statement, types, previewed)
        wrapped = unwrap(statement)
        if wrapped is None:
            raise refusal
        tables = {}
        for name, inner, places in wrapped.questions:
            try:
                columns = await self._columns_of(who, inner, pick(values, places))
            except InvalidPlan:
                raise refusal from None
            named = self._named(columns, wrapped.text)
            fields = tuple(_field(named[place], inner) for place in self._kept(named))
            tables[name] = Outcome("", fields)
        outer = Statement(wrapped.text, statement.start, ())
        return await self._columns_by_catalogue(who, outer, pick(types, wrapped.values), tables)

    # ---------------------------------------------------------------- settings

    async def _set(self, statement: Statement, *_: Any) -> Outcome:
        wanted = read_set(statement)
        if wanted.name is None:
            return Outcome("SET")
        if wanted.value is None:
            self.settings.reset(wanted.name)
        else:
            self.settings.set(
                wanted.name, wanted.value, local=wanted.local and self.transaction.is_open
            )
        return Outcome("SET")

    async def _reset(self, statement: Statement, *_: Any) -> Outcome:
        if statement.word(1) == "all":
            self.settings.reset_all()
        else:
            self.settings.reset(read_show(statement))
        return Outcome("RESET")

    async def _show(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
    ) -> Outcome:
        if statement.word(1) == "tables":
            return await self._answer(statement, values, types)
        if statement.word(1) == "all":
            rows = [(name, value, "") for name, value in self.settings.items().items()]
            names = ("name", "setting", "description")
            return Outcome("SHOW", tuple(Field(name, TEXT) for name in names), rows)
        name = read_show(statement)
        if name == "tacit.budget":
            who = await self.who()
            told = str(await self._desk.run(lambda: self._desk.budget(who)))
            return Outcome("SHOW", (Field(name, TEXT),), [(told,)])
        return Outcome("SHOW", (Field(name, TEXT),), [(self.settings[name],)])

    async def _describe_show(
        self, statement: Statement, types: Sequence[int]
    ) -> tuple[Field, ...] | None:
        if statement.word(1) == "tables":
            return await self._columns(await self.who(), statement, types, ())
        if statement.word(1) == "all":
            return tuple(Field(name, TEXT) for name in ("name", "setting", "description"))
        return (Field(read_show(statement), TEXT),)

    async def _discard(self, statement: Statement, *_: Any) -> Outcome:
        what = statement.word(1)
        if what == "all":
            if self.transaction.is_open:
                raise Problem("25001", "DISCARD ALL cannot run inside a transaction block")
            self.settings.reset_all()
            self.portals, self.statements = {}, {}
        elif what not in {"plans", "sequences", "temp", "temporary"}:
            raise syntax_problem(statement, 1)
        return Outcome(f"DISCARD {what.upper()}")

    # ---------------------------------------------------------------- transactions

    async def _begin(self, *_: Any) -> Outcome:
        warned = self.transaction.begin()
        notices = (("there is already a transaction in progress", None),) if warned else ()
        return Outcome("BEGIN", notices=notices)

    async def _commit(self, *_: Any) -> Outcome:
        failed = self.transaction.status == "E"
        self.transaction.end(kept=not failed)
        self.end_portals()
        return Outcome("ROLLBACK" if failed else "COMMIT")

    async def _rollback(self, statement: Statement, *_: Any) -> Outcome:
        words = [token.value for token in statement.tokens]
        if "to" in words[1:]:
            at = words.index("to", 1) + 1
            at += words[at : at + 1] == ["savepoint"] and len(words) > at + 1
            self.transaction.roll_back_to(read_name(statement, at))
            return Outcome("ROLLBACK")
        self.transaction.end(kept=False)
        self.end_portals()
        return Outcome("ROLLBACK")

    async def _savepoint(self, statement: Statement, *_: Any) -> Outcome:
        self.transaction.save(read_name(statement, 1))
        return Outcome("SAVEPOINT")

    async def _release(self, statement: Statement, *_: Any) -> Outcome:
        more = statement.word(1) == "savepoint" and len(statement.tokens) > 2
        self.transaction.release(read_name(statement, 2 if more else 1))
        return Outcome("RELEASE")

    # ---------------------------------------------------------------- prepared statements and cursors

    async def _prepare(self, statement: Statement, *_: Any) -> Outcome:
        wanted = read_prepare(statement)
        await self.prepare(wanted.name, wanted.statement, wanted.types)
        return Outcome("PREPARE")

    async def _execute(
        self,
        statement: Statement,
        values: Sequence[Any],
        types: Sequence[int],
        level: int,
    ) -> Outcome:
        wanted = read_execute(statement)
        prepared = self.statement(wanted.name)
        if prepared.statement is None:
            return Outcome("EXECUTE")
        if len(wanted.values) != len(prepared.types):
            said = f'wrong number of parameters for prepared statement "{wanted.name[:64]}"'
            raise Problem("42601", said)
        bound = tuple(
            read_value(None if value is None else value.encode(), 0, oid)
            for value, oid in zip(wanted.values, prepared.types, strict=True)
        )
        asked = prepared.statement.with_comments(statement.comments)
        return await self.run(asked, bound, prepared.types, level + 1)

    async def _deallocate(self, statement: Statement, *_: Any) -> Outcome:
        place = 2 if statement.word(1) == "prepare" and len(statement.tokens) > 2 else 1
        if statement.word(place) == "all":
            self.statements = {}
            return Outcome("DEALLOCATE ALL")
        name = read_name(statement, place)
        self.statement(name)
        del self.statements[name]
        return Outcome("DEALLOCATE")

    async def _declare(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
    ) -> Outcome:
        wanted = read_declare(statement)
        if not wanted.hold and not self.transaction.is_open:
            raise Problem("25P01", "DECLARE CURSOR can only be used in transaction blocks")
        if wanted.name in self.portals:
            raise Problem("42P03", f'cursor "{wanted.name[:64]}" already exists')
        portal = Portal(
            wanted.question, tuple(values), tuple(types), is_cursor=True, hold=wanted.hold
        )
        await self.describe_portal(portal)
        self.open(wanted.name, portal)
        return Outcome("DECLARE CURSOR")

    async def _fetch(self, statement: Statement, *_: Any) -> Outcome:
        wanted = read_fetch(statement)
        portal = self._cursor(wanted.name)
        if portal.statement is not None and portal.outcome is None:
            portal.statement = portal.statement.with_comments(statement.comments)
        outcome = await self.run_portal(portal)
        assert outcome is not None, "a cursor has a question"
        notices = outcome.notices
        if portal.is_told:
            notices = ((_STORED, None),) if notices and portal.place == 0 else ()
        portal.is_told = True
        rows = portal.fetch(wanted)
        if statement.word(0) == "move":
            return Outcome(f"MOVE {len(rows)}", notices=notices)
        return Outcome(f"FETCH {len(rows)}", outcome.fields, rows, notices)

    async def _close(self, statement: Statement, *_: Any) -> Outcome:
        if statement.word(1) == "all":
            self.portals = {name: each for name, each in self.portals.items() if not each.is_cursor}
            return Outcome("CLOSE CURSOR ALL")
        name = read_name(statement, 1)
        self._cursor(name)
        del self.portals[name]
        return Outcome("CLOSE CURSOR")

    def _cursor(self, name: str) -> Portal:
        if name not in self.portals:
            raise Problem("34000", f'cursor "{name[:64]}" does not exist')
        return self.portals[name]

    # ---------------------------------------------------------------- EXPLAIN, COPY, and what does nothing

    async def _explain(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int], *_: Any
    ) -> Outcome:
        wanted = read_explain(statement)
        inner = _question_within(wanted.question)
        if inner is None:
            self.refuse_write(wanted.question)
            raise syntax_problem(wanted.question)
        field = Field("QUERY PLAN", JSON if wanted.form == "json" else TEXT)
        who = await self.who()
        lines, told = await self._explanation(who, inner, values)
        if wanted.form == "json":
            lines = [json_text([{"Plan": told}])]
        return Outcome("EXPLAIN", (field,), [(line,) for line in lines])

    async def _explanation(
        self, who: Identity, statement: Statement, values: Sequence[Any]
    ) -> tuple[list[str], Any]:
        """What is told of a question, in lines and as JSON; of SQL around questions, what is told of these."""
        if await self._is_for_catalogue(statement):
            line = "A question about the database itself: free, from the policy alone."
            return [line], {"free": True}
        try:
            question = self._question(statement, values)
            found = await self._desk.run(lambda: self._desk.explain(who, question))
        except InvalidPlan as refusal:
            wrapped = unwrap(statement)
            if wrapped is None:
                raise problem_from(refusal, statement.start) from None
            lines, told = (
                ["SQL around questions, on their released answers; it costs what they do."],
                [],
            )
            for part in await self._parts(who, wrapped, values):
                lines += str(part.told).split("\n")
                told.append(explanation_fields(part.told))
            return lines, told
        return str(found).split("\n"), explanation_fields(found)

    def refuse_write(self, statement: Statement) -> None:
        """Refuse what would change something."""
        if statement.tokens and is_write(statement):
            word = statement.word(0).upper()
            raise Problem("25006", f"cannot execute {word} in a read-only vault")

    async def _copy(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int], level: int
    ) -> Outcome:
        wanted = read_copy(statement)
        if not is_question(wanted.question) and not wanted.question.text.startswith("SELECT"):
            raise syntax_problem(wanted.question)
        answer = await self._answer(wanted.question, values, types)
        return Outcome(
            f"COPY {len(answer.rows)}", answer.fields, answer.rows, answer.notices, wanted
        )

    async def _nothing(self, statement: Statement, *_: Any) -> Outcome:
        return Outcome(statement.word(0).upper())


def _question_within(statement: Statement) -> Statement | None:
    """The question of a statement: itself, or what it declares, copies, explains or executes."""
    if not statement.tokens:
        return None
    if is_question(statement):
        return statement
    match statement.word(0):
        case "declare":
            return read_declare(statement).question
        case "copy":
            return read_copy(statement).question
        case "explain":
            return _question_within(read_explain(statement).question)
        case _:
            return None


def _has_header_price(statement: Statement) -> bool:
    """Whether a question names its price itself: SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = …)."""
    words = [token.value if token.kind == "word" else "" for token in statement.tokens]
    for place, word in enumerate(words):
        if word in {"differential_privacy", "anonymization"} and words[place - 2 : place] == [
            "select",
            "with",
        ]:
            return "epsilon" in words[place:]
    return False


def _field(column: Any, statement: Statement) -> Field:
    """A column of an answer as PostgreSQL would name it: COUNT(*) is count where nobody gave it that name."""
    name: str = column.name
    if "(" in name and not any(
        token.kind == "name" and token.value in name for token in statement.tokens
    ):
        head, _, tail = name.partition("(")
        ending = next((end for end in ("_low", "_high") if tail.endswith(end)), "")
        name = head.lower() + ending if head.replace("_", "").isalpha() else "?column?" + ending
    return Field(name, _OIDS[column.type])
