"""What is asked in one connection: questions of the desk, and statements about the database of the catalogue.

Nothing is decided here about what an answer costs or whether it is given.

Checked by: tests/unit/server/wire/test_sequences.py, tests/unit/server/wire/test_questions_in_statement.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace as with_fields
from fractions import Fraction
from typing import Any, TypeVar

from tacit.errors import CatalogueError, InvalidPlan, TooMany
from tacit.frozen import frozen
from tacit.server.desk import Desk
from tacit.server.identities import Identity
from tacit.server.jobs import Question
from tacit.server.json_forms import explanation_fields
from tacit.server.public_catalogue import PublicCatalogue
from tacit.server.wire.cursors import Outcome
from tacit.server.wire.lexer import Statement
from tacit.server.wire.list_parameters import Spread, list_numbers, spread_lists, with_single_values
from tacit.server.wire.notices import describe_answer, describe_sum
from tacit.server.wire.parameters import infer_types, known_types, sample_of
from tacit.server.wire.problems import placed, problem_from
from tacit.server.wire.questions_in_statement import Part, divide, refuse_sum, stand_in
from tacit.server.wire.read_commands import question_within
from tacit.server.wire.settings import Price, Settings, read_price_comment
from tacit.server.wire.value_types import (
    BOOL,
    DATE,
    FLOAT8,
    INT8,
    TEXT,
    TIMESTAMP,
    Field,
    array_of,
    element_of,
)
from tacit.server.wire.wrapped_questions import Wrapped, pick, refuse_growing, unwrap

__all__ = ["Asking"]

_OIDS = {
    "BOOLEAN": BOOL,
    "BIGINT": INT8,
    "DOUBLE": FLOAT8,
    "TEXT": TEXT,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
}
_PATIENCE = 30.0  # seconds for which a question waits for its turn, instead of being refused
_TOO_LARGE = frozenset({"54000", "54001", "53200", "57014"})
_MADE_UP = "these rows are made up from the policy; no data were read and nothing was charged"

T = TypeVar("T")


@frozen
class _Found:
    """What is known of a statement: who asks, whether the catalogue answers it, or its columns, or why it has none.

    Where it was asked: its answer, if that costs nothing, and what is left.
    """

    who: Identity
    asked: Spread
    is_for_catalogue: bool = False
    refusal: InvalidPlan | None = None
    columns: Sequence[Any] = ()
    known: Any = None
    budget: Any = None


class Asking:
    """Who is connected, and what they ask at which settings.

    Claim:      a statement is asked once for each time that it is answered; describing and explaining ask nothing.
    Because:    `_ask` is the one method that calls `desk.ask`, and `answer` the one that calls it.
    Checked by: tests/unit/server/wire/test_sequences.py
    """

    def __init__(
        self,
        desk: Desk,
        catalogue: PublicCatalogue,
        held: str,
        settings: Settings,
        run_catalogue: Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]] | None = None,
    ) -> None:
        self._desk = desk
        self._catalogue = catalogue
        self._held = held
        self._settings = settings
        self._run_catalogue = run_catalogue or desk.run

    async def who(self) -> Identity:
        """Who is connected, as they are now; a token that has ended ends the connection."""
        return await self._desk.run(self._who)

    async def budget(self) -> Any:
        """What is spent and what is left, for who is connected."""
        return await self._desk.run(lambda: self._desk.budget(self._who()))

    async def wait_for_rate(self) -> None:
        """Count a statement among the requests of who is connected; one of too many waits.

        Claim:      nobody has more statements read, planned or answered in a time than the rate of requests allows,
                    through however many connections.
        Because:    each is counted by the name of who has signed in, before anything is done with it.
        Checked by: tests/unit/server/wire/test_turns.py
        """

        async def count() -> None:
            self._desk.people.count_request(self._settings["session_authorization"])

        await self._in_turn(count)

    async def answer(
        self, statement: Statement, values: Sequence[Any], types: Sequence[int]
    ) -> Outcome:
        """The answer to a question, from the catalogue or from the desk."""
        with placed(statement.start):
            found = await self._look_up(statement, values, types, asks=True)
            who, asked = found.who, found.asked
            if found.is_for_catalogue:
                return await self._ask_catalogue(who, statement, values)
            if found.refusal is not None:
                return await self._answer_otherwise(who, asked, found.refusal)
            if found.known is not None:
                return self._outcome(asked.statement, found.columns, found.known, found.budget)
            question = self._question(asked.statement, asked.values, self._terms())
            return (await self._ask(who, asked.statement, question, found.columns))[0]

    async def _look_up(
        self,
        statement: Statement,
        values: Sequence[Any],
        types: Sequence[int] = (),
        *,
        asks: bool = False,
    ) -> _Found:
        """What is known of a statement; with `asks` also its answer, if it costs nothing.

        It is looked up in one go, on one thread: handing work over takes longer than most of it.
        """
        terms, told = self._terms(), self._has_notices()

        def look_up() -> _Found:
            who = self._who()
            if self._catalogue.reads(statement.text):
                return _Found(who, Spread(statement, tuple(values), tuple(types)), True)
            asked = spread_lists(statement, values, types)
            try:
                columns = self._desk.columns(who, asked.statement.text, asked.values or None)
            except InvalidPlan as refusal:
                return _Found(who, asked, refusal=refusal)
            if not asks:
                return _Found(who, asked, columns=columns)
            question = self._question(asked.statement, asked.values, terms)
            known = self._desk.replay(who, question)
            budget = self._desk.budget(who) if told and known is not None else None
            return _Found(who, asked, columns=columns, known=known, budget=budget)

        return await self._in_turn(lambda: self._desk.run(look_up))

    async def _ask(
        self, who: Identity, statement: Statement, question: Question, columns: Sequence[Any]
    ) -> tuple[Outcome, Any]:
        """The answer to a question, and what it cost."""
        release = await self._wait_for_turn(who, question)
        budget = await self._desk.run(lambda: self._desk.budget(who))
        return self._outcome(statement, columns, release, budget), release.price

    def _outcome(
        self, statement: Statement, columns: Sequence[Any], release: Any, budget: Any
    ) -> Outcome:
        """A release as rows, with its notice."""
        kept = self._kept(columns)
        fields = tuple(_field(columns[place], statement) for place in kept)
        rows = [tuple([row[place] for place in kept]) for row in release.rows]
        told = release.receipt and self._has_notices()
        notices = (describe_answer(release, budget),) if told else ()
        return Outcome(f"SELECT {len(rows)}", fields, rows, notices)

    async def _answer_otherwise(
        self, who: Identity, asked: Spread, refusal: InvalidPlan
    ) -> Outcome:
        """What is no question, but SQL around questions, on their answers; rows, if made-up ones will do."""
        statement, values = asked.statement, asked.values
        previewed = await self._made_up(who, statement, refusal)
        if previewed is not None:
            found = await self._ask_catalogue(who, statement, values, previewed)
            return with_fields(found, notices=((_MADE_UP, None),))
        wrapped = unwrap(statement)
        if wrapped is None:
            raise refusal
        # What is around the questions is read before they are asked: nothing is paid for what cannot be evaluated.
        await self._columns_otherwise(who, asked, refusal)
        return await self._answer_parts(who, statement, wrapped, values)

    async def _answer_parts(
        self, who: Identity, statement: Statement, wrapped: Wrapped, values: Sequence[Any]
    ) -> Outcome:
        """SQL around questions, on their answers.

        Claim:      a statement costs no more than the price that it names, however many questions are in it; and none
                    is charged if all together do not fit, or if what is around them is too large to be evaluated.
        Because:    all are explained before the first is asked, the price is divided among those that are not known,
                    their sum is compared with what is left, and the whole is tried on rows that stand for answers.
        Checked by: tests/unit/server/wire/test_questions_in_statement.py
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
            question = self._question(inner, pick(values, places), self._terms())
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
        told = self._settings.items()
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
        if self._settings["tacit.preview"] != "made-up" or problem_from(refusal).code != "42501":
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

    def _who(self) -> Identity:
        return self._desk.people.of_pass(self._held)

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
        told = self._settings.items()
        with placed(statement.start):
            answer = await self._run_catalogue(
                lambda: self._catalogue.ask(who, statement.text, tuple(values), told, tables)
            )
        for name, value in answer.settings:
            self._settings.set(name, value)
        fields = tuple(Field(each.name, each.oid, each.modifier) for each in answer.columns)
        return Outcome(f"SELECT {len(answer.rows)}", fields, answer.rows)

    async def _columns_of(
        self, who: Identity, statement: Statement, values: Sequence[Any]
    ) -> Sequence[Any]:
        bound = tuple(values) or None
        return await self._desk.run(lambda: self._desk.columns(who, statement.text, bound))

    def _terms(self) -> tuple[Price, float]:
        """The price and the confidence that are set."""
        return self._settings.price, float(self._settings["tacit.confidence"])

    @staticmethod
    def _question(
        statement: Statement, values: Sequence[Any], terms: tuple[Price, float]
    ) -> Question:
        """A question with the price that counts: of its header, its comment, the settings; or none."""
        price, confidence = Price(), terms[1]
        if not _has_header_price(statement):
            price = read_price_comment(statement.comments)
            if price == Price():
                price = terms[0]
        return Question(
            statement.text,
            price.epsilon,
            price.within,
            confidence,
            params=tuple(values) if values else None,
        )

    def _kept(self, columns: Sequence[Any]) -> list[int]:
        """The places of the columns that are shown: the ends of intervals only if they are asked for."""
        shown = self._settings.is_on("tacit.intervals")
        return [at for at, each in enumerate(columns) if shown or each.interval_of is None]

    def _has_notices(self) -> bool:
        quiet = self._settings["client_min_messages"].lower() in {
            "warning",
            "error",
            "fatal",
            "panic",
        }
        return self._settings.is_on("tacit.notice") and not quiet

    async def types_of(
        self, statement: Statement, given: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        """The types of a statement's parameters, and a value of each."""
        known = known_types(statement, given)
        inner = question_within(statement)
        if inner is not None:
            lists = list_numbers(inner)
            single = with_single_values(inner)
            found = await self._look_up(single, ())
        if inner is None or found.is_for_catalogue:
            types = [0 if oid is None else oid for oid in known]
            if inner is not None and 0 in types:
                sql, asked = inner.text, types
                told = await self._run_catalogue(lambda: self._catalogue.parameters(sql, asked))
                types = [*told, *types[len(told) :]]
            types = [oid or TEXT for oid in types]
            return tuple(types), tuple(sample_of(oid) for oid in types)
        if not known and found.refusal is None:
            return (), ()

        async def try_with(values: Sequence[Any]) -> None:
            await self.columns(single, (), values)

        declared = await self._desk.run(lambda: self._desk.sample_values(found.who))
        known = [_of_one(oid) if at in lists else oid for at, oid in enumerate(known, 1)]
        with placed(inner.start):
            each, samples = await infer_types(single, known, declared, try_with)
        return (
            tuple(array_of(oid) if at in lists else oid for at, oid in enumerate(each, 1)),
            tuple([value] if at in lists else value for at, value in enumerate(samples, 1)),
        )

    async def columns(
        self, statement: Statement, types: Sequence[int], values: Sequence[Any]
    ) -> tuple[Field, ...]:
        """The columns of an answer: nothing is asked."""
        found = await self._look_up(statement, values, types)
        if found.is_for_catalogue:
            return await self._columns_by_catalogue(found.who, statement, types)
        if found.refusal is not None:
            return await self._columns_otherwise(found.who, found.asked, found.refusal)
        columns, asked = found.columns, found.asked.statement
        return tuple(_field(columns[place], asked) for place in self._kept(columns))

    async def _columns_by_catalogue(
        self,
        who: Identity,
        statement: Statement,
        types: Sequence[int],
        tables: Mapping[str, Outcome] | None = None,
    ) -> tuple[Field, ...]:
        told = self._settings.items()
        found = await self._run_catalogue(
            lambda: self._catalogue.columns(who, statement.text, tuple(types), told, tables)
        )
        return tuple(Field(each.name, each.oid, each.modifier) for each in found)

    async def _columns_otherwise(
        self, who: Identity, asked: Spread, refusal: InvalidPlan
    ) -> tuple[Field, ...]:
        statement, values, types = asked.statement, asked.values, asked.types
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

    async def explain(self, statement: Statement, values: Sequence[Any]) -> tuple[list[str], Any]:
        """What is told of a question, in lines and as JSON; of SQL around questions, what is told of these."""
        who, is_for_catalogue = await self._desk.run(
            lambda: (self._who(), self._catalogue.reads(statement.text))
        )
        if is_for_catalogue:
            line = "A question about the database itself: free, answered from the policy alone."
            return [line], {"free": True}
        asked = spread_lists(statement, values)
        statement, values = asked.statement, asked.values
        try:
            question = self._question(statement, values, self._terms())
            found = await self._desk.run(lambda: self._desk.explain(who, question))
        except InvalidPlan as refusal:
            wrapped = unwrap(statement)
            if wrapped is None:
                raise problem_from(refusal, statement.start) from None
            lines, told = (
                [
                    "SQL around questions, computed on their released answers; it costs what they cost."
                ],
                [],
            )
            for part in await self._parts(who, wrapped, values):
                lines += str(part.told).split("\n")
                told.append(explanation_fields(part.told))
            return lines, told
        return str(found).split("\n"), explanation_fields(found)


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


def _of_one(oid: int | None) -> int | None:
    """The type of one value of a list."""
    return None if oid is None else element_of(oid) or oid


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
