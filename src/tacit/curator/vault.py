"""The one place where plan, sensitivity, noise and ledger meet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tacit.accounting import Charge, ConcentratedFilter
from tacit.curator.answer.explanation import Expected, Explanation, explain_plan
from tacit.curator.answer.left_out import LeftOut, add_measured, list_left_out
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view import view_answer
from tacit.curator.policy.values import Limit, Policy, Shared
from tacit.curator.pricing.answer_size import check_size
from tacit.curator.pricing.header import agreed_price
from tacit.curator.pricing.terms import Terms, amount_within, terms_of
from tacit.curator.pricing.unknown_keys import Hiding
from tacit.curator.record.clipping import Clipping, clipping_subject, plan_clipping, read_clipping
from tacit.curator.record.facts import (
    FoundBounds,
    FoundContributions,
    as_declared,
    bounds_asked,
    bounds_in,
    contributions_asked,
    contributions_in,
    standing_facts,
    topic_of_facts,
    with_facts,
)
from tacit.curator.record.receipt import faults_of, receipt_of, tag
from tacit.curator.record.stored import Stored, release_exact
from tacit.curator.rehearse import check_sure_of_groups, look_at, rehearse
from tacit.engines import Engine
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import Number, at_least, at_most, float_at_least, rekey
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.plan import (
    Frame,
    KeyValue,
    MeasureOf,
    Owner,
    Plan,
    Question,
    Ranked,
    Table,
    View,
    derive_plan,
    fingerprint,
    held_rows,
    in_words,
    owner_of,
    prove,
    read_priced,
    subject,
    table_of,
    tables_of,
)
from tacit.printing import printable

if TYPE_CHECKING:
    from tacit.curator.trial.audit import QuestionAudit
    from tacit.ledger import DurableLedger

__all__ = ["Budget", "Vault"]

_SURE = 0.95
_ABOUT = 400  # characters of a question that the ledger keeps


@frozen
class Budget:
    """What may be spent, what was, and what is left, as shares of the limit; `own` is the same for one analyst.

    >>> Budget(3.0, 1e-6, 0.25).left
    0.75
    """

    epsilon: float
    delta: float
    spent: float
    own: "Budget | None" = None

    @property
    def left(self) -> float:
        """The share of the limit that is left: none, if the limit was lowered below what is spent."""
        return max(0.0, 1 - self.spent)

    def __str__(self) -> str:
        full = min(40, round(40 * self.spent))
        bar = "█" * full + "░" * (40 - full)
        told = f"{bar} {self.spent:.1%} of epsilon {self.epsilon:g}, delta {self.delta:g} is spent"
        if self.spent > 1:
            told += ": more than the limit is spent, and nothing is left"
        return told if self.own is None else f"{told}\n{self.own} by this analyst"


class Vault:
    """Tables that can be asked about, under one limit.  Nothing but releases ever leaves.

    Made by `tacit.open` from a directory, or by `tacit.protect` in memory.
    """

    def __init__(
        self,
        policy: Policy,
        engines: Mapping[str, Engine],
        ledger: Ledger,
        *,
        analyst: str | None = None,
        made_up: bool = False,
        followers: Mapping[str, tuple[str, ...]] | None = None,
        formats: Mapping[str, str] | None = None,
    ) -> None:
        if analyst is not None and policy.analysts and analyst not in policy.analysts:
            raise InvalidInput(
                "analyst", analyst, f"name one of: {', '.join(sorted(policy.analysts))}"
            )
        self._policy = policy
        self._engines = engines
        self._ledger = ledger
        self._analyst = analyst
        self._made_up = made_up
        self._followers = followers or {}
        self._formats = formats or {}

    def sql(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
    ) -> Release:
        """The answer to a question in SQL, at a price (`epsilon`) or to an accuracy (`within`)."""
        plan, price = self._read_text(text, epsilon, within)
        return self.ask(plan, epsilon=price, within=within, confidence=confidence, raw=raw)

    def table(self, name: str) -> Frame:
        """A table to ask about with Python expressions; the chain ends in `.ask(epsilon=…)`."""
        finding = bool(self._policy.limit.delta)
        return Frame(
            self._table_named(name, self._tables).asked_table, asker=self.ask, finding=finding
        )

    def explain(
        self,
        question: str | Frame,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """What an answer would be made of and cost; it is free, and no data are looked at."""
        if isinstance(question, str):
            asked, epsilon = self._read_text(question, epsilon, within)
        else:
            asked = question.plan()
        plan, sure = prove(asked), _confidence(confidence)
        terms = self._terms(plan, epsilon, within, sure)
        limit, spent = self._tightest()
        left_out = self._list_left_out(plan, terms)
        told = explain_plan(
            plan, terms, self._shared_of(plan), limit, spent, sure, self._policy.unit, left_out
        )
        known = self._find_known(plan, terms, self._name(plan), within, sure)
        return (
            told
            if known is None
            else replace(told, free=True, expected=self._expected_errors(told, *known, sure))
        )

    def _tightest(self) -> tuple[Limit, Charge]:
        """The limit of which least is left, everyone's or the analyst's own, and what is spent of it."""
        everyone = self._policy.limit, self._ledger.total_spent()
        own = self._policy.analysts.get(self._analyst) if self._analyst else None
        if own is None:
            return everyone
        mine = own, self._ledger.total_spent(self._analyst)
        return min(everyone, mine, key=lambda pair: pair[0].filter().limit.amount - pair[1].amount)

    def _expected_errors(
        self,
        told: Explanation,
        plan: Plan,
        places: tuple[int, ...],
        entry: Entry,
        confidence: float,
    ) -> tuple[Expected, ...]:
        """What is expected of an answer that is there already: the error that it has."""
        stored = Stored.from_bytes(entry.payload or b"")
        reaches = [float(stored.reach(place, confidence)) for place in places]
        return tuple(
            replace(each, reach=reach) for each, reach in zip(told.expected, reaches, strict=True)
        )

    @property
    def policy(self) -> Policy:
        """What the curator decided: the limit, the tables, the analysts."""
        return self._policy

    @property
    def ledger(self) -> Ledger:
        """The record of charges."""
        return self._ledger

    @property
    def budget(self) -> Budget:
        """What may be spent, what was, and what is left."""
        limit = self._policy.limit
        everyone = float(limit.filter().share(self._ledger.total_spent()))
        own = self._policy.analysts.get(self._analyst) if self._analyst else None
        if own is None:
            return Budget(float(limit.epsilon), float(limit.delta), everyone)
        spent = float(own.filter().share(self._ledger.total_spent(self._analyst)))
        part = Budget(float(own.epsilon), float(own.delta), spent)
        return Budget(float(limit.epsilon), float(limit.delta), everyone, part)

    def refresh(self, table: str) -> int:
        """The new version of a table whose source has changed: what was answered before is no longer replayed.

        The limit goes on: it belongs to the units, not to a version of their rows.
        """
        self._table_named(table)
        for follower in self._followers.get(table, ()):
            self._ledger.refresh(follower)  # whose units are found by way of this table
        return self._ledger.refresh(table)

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """What a receipt says that this vault's ledger does not; nothing, if all of it is kept there."""
        return faults_of(receipt, self._ledger)

    def verify(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Read the whole ledger, and refuse it if a record, a sum or an answer is not what was written.

        Opening compares the ledger with its anchor, and what is used is checked when it is used; this checks the rest.
        """
        self._kept_ledger().verify(progress)

    def look_up(self, entry: Entry) -> dict[str, Any]:
        """What was released for an entry of the ledger, as JSON can hold it."""
        if entry.payload is None:
            raise InvalidInput("entry", entry.number, "it was charged and never answered")
        return Stored.from_bytes(entry.payload).plain()

    def records(self) -> Iterator[dict[str, Any]]:
        """Every record of a ledger that is kept on a disk, oldest first, with its place in the chain."""
        from tacit.ledger import fields_of

        for record in self._kept_ledger().records():
            yield {"record": record.number, **fields_of(record), "hash": record.hash.hex()}

    def mock(self) -> "Vault":
        """The vault's twin over made-up rows that satisfy the declared schema alone; it has no limit to spend."""
        from tacit.curator.trial.mock import twin

        return twin(self._in_full)

    def audit(self, question: str | Frame, *, pairs: int = 400, world: int = 0) -> "QuestionAudit":
        """Try to refute what is claimed of one question, on made-up neighbours; free, and no data are looked at."""
        from tacit.curator.trial.audit import audit_question

        if isinstance(question, str):
            tables = {name: shared.asked_table for name, shared in self._tables.items()}
            # no price is asked for
            plan, _ = read_priced(question, tables, finding=bool(self._policy.limit.delta))
        else:
            plan = question.plan()
        self._shared_of(plan)
        return audit_question(plan, self._in_full, pairs=pairs, world=world)

    def close(self) -> None:
        """Nothing; but files and connections are let go."""
        if isinstance(self._engines, dict):
            for engine in self._engines.values():
                engine.close()
        for part in (self._engines, self._ledger):
            closing = getattr(part, "close", None)
            if closing is not None:
                closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(
        self,
        plan: Plan,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
    ) -> Release:
        """The answer to a plan, hidden by noise and paid for in full.

        Claim:      the price is recorded before data are read; what is read depends on nothing but the plan; what
                    leaves is a function of noisy integers and the plan; the same question is answered once.
        Because:    the order of the lines below; whoever made the plan, it is proved first.
        Checked by: tests/laws/test_corridor.py and tests/attacks/test_plans_of_ones_own.py
        """
        asked, sure = prove(plan), _confidence(confidence)
        check_sure_of_groups(asked, sure)
        terms, name = self._terms(asked, epsilon, within, sure), self._name(asked)
        known = self._find_known(asked, terms, name, within, sure)
        left_out = self._list_left_out(asked, terms)
        if known is not None:
            return self._render(*known, sure, left_out, free=True, raw=raw)
        places = tuple(range(len(asked.question.measures)))

        def show(plan: Plan, stored: Stored, price: Price, receipt: Mapping[str, Any]) -> Release:
            return _render_release(plan, places, stored, sure, price, receipt, left_out, raw=raw)

        entry, free = self._pay_and_release(asked, terms, name, show=show)
        return self._render(asked, places, entry, sure, left_out, free=free, raw=raw)

    def _pay_and_release(
        self,
        plan: Plan,
        terms: Terms,
        name: "_Name",
        fact: Callable[[Stored], Stored] | None = None,
        show: "_Show | None" = None,
    ) -> tuple[Entry, bool]:
        """The entry with the answer to a plan, and whether it was there before; a `fact` is read from what is released.

        Claim:      the price is recorded before data are read, and nothing leaves that is not released.
        Because:    the order of the lines below.
        Checked by: tests/laws/test_corridor.py
        """
        engine = self._engine(plan)
        check_size(terms)
        # whatever can fail for reasons of the plan fails here,
        engine.dry_run(plan.question, terms.weights)
        self._rehearse(plan, terms, name, fact, show)  # or here
        entry = self._charge(plan, terms, name)  # pay
        if entry.is_answered:
            return entry, True
        # which may be an earlier charge, of a higher price
        terms = self._terms_at(plan, entry.charge)
        rekey()
        found, exact = _evaluate(engine, terms)  # look
        stored = release_exact(terms, exact, self._describe_question(plan, terms, name), found)
        # let go
        return self._ledger.settle(
            entry, (stored if fact is None else fact(stored)).to_bytes()
        ), False

    def _rehearse(
        self,
        plan: Plan,
        terms: Terms,
        name: "_Name",
        fact: Callable[[Stored], Stored] | None,
        show: "_Show | None",
    ) -> None:
        """Do with made-up answers all that is done with the real one, before it is paid for."""
        charge = self._policy.limit.filter().price(terms.loss)
        # a price and a receipt, which are those of every answer
        same: list[tuple[Price, Mapping[str, Any]]] = []

        def use(small: Plan, stored: Stored) -> None:
            payload = (stored if fact is None else fact(stored)).to_bytes()
            read = Stored.from_bytes(payload)
            if not same:
                entry = Entry(0, name.key, self._analyst, charge, payload)
                same.append((self._price(entry, free=False), receipt_of(entry, read)))
            if show is not None:
                look_at(show(small, read, *same[0]))

        rehearse(plan, terms, self._describe_question(plan, terms, name), use)

    def find_bounds(
        self, column: str, *, epsilon: Number, share: Number = 0.98, replace: bool = False
    ) -> FoundBounds:
        """Bounds of a column that declares none, such as "visits.cost": about `share` of its rows lie between them.

        They are found privately, at a price, and written into the ledger.  What the curator finds (who opens the vault
        without naming an analyst) holds the column from then on whoever asks; what an analyst finds, in her own
        questions alone.  Bounds that were found stand, and the same are free; with `replace`, others take their place,
        and questions that were answered under the old ones are new questions.  Declared bounds count before any.
        """
        table, point, name = column.partition(".")
        if not point:
            raise InvalidInput("column", column, "name its table, too, such as visits.cost")
        shared = self._table_named(table, self._tables)
        declared = self._table_named(table)
        question = bounds_asked(Shared(declared.table, shared.contributions), name, share)
        kind = next(each.kind for each in declared.table.columns if each.name == name)

        def fact(stored: Stored) -> dict[str, Any]:
            low, high = bounds_in(stored, kind)
            return {"of": column, "low": str(low), "high": str(high)}

        stored, reach, price, receipt = self._find_fact(
            question, epsilon, column, fact, anew=replace
        )
        low, high = bounds_in(stored, kind)
        return FoundBounds(column, low, high, 1 - 2 * _lowest(question), reach, price, receipt)

    def find_contributions(
        self, table: str, *, epsilon: Number, share: Number = 0.95, replace: bool = False
    ) -> FoundContributions:
        """How many rows of a unit count in full, of a table that does not declare it: about `share` of its units have
        no more.

        It is found privately, at a price, and written into the ledger; whom it binds, and what `replace` means, is as
        for `find_bounds`.
        """
        question = contributions_asked(self._table_named(table), share)

        def fact(stored: Stored) -> dict[str, Any]:
            return {"of": table, "contributions": contributions_in(stored)}

        stored, reach, price, receipt = self._find_fact(
            question, epsilon, table, fact, anew=replace
        )
        return FoundContributions(
            table, contributions_in(stored), _lowest(question), reach, price, receipt
        )

    def clipping(self, table: str, *, epsilon: Number) -> Clipping:
        """Which share of units has more rows than count in full, and which share of values lies beyond their bounds.

        It is measured privately, at one price, and written into the ledger: captions say it from then on.

        Claim:      it is paid for before a row is read, and the same is measured once.
        Because:    it is a question that is asked as any other is.
        Checked by: tests/unit/curator/record/test_clipping.py
        """
        shared = self._table_named(table, self._tables)
        plan, places = plan_clipping(shared)
        terms, own = self._terms(plan, epsilon, None, _SURE), self._name(plan)
        scope = self._analyst if self._policy.replay == "analyst" else None
        key = tag(b"clipping", scope, own.version, shared.contributions, own.question + own.formats)
        name = replace(own, key=key, topic=self._clipping_topic(shared, scope))
        entry, free = self._pay_and_release(
            plan, terms, name, lambda stored: stored.saying(clipping=places)
        )
        return self._read_clipping(entry, shared, free=free)

    def _clipping_topic(self, shared: Shared, scope: str | None) -> bytes:
        version = self._ledger.version(shared.table.name)
        subject_of_all = clipping_subject(shared) + self._list_formats([shared.table])
        return tag(b"clippings", scope, version, shared.contributions, subject_of_all)

    def _read_clipping(self, entry: Entry, shared: Shared, *, free: bool) -> Clipping:
        stored = Stored.from_bytes(entry.payload or b"")
        return read_clipping(
            stored, shared, _SURE, self._price(entry, free=free), receipt_of(entry, stored)
        )

    def _find_fact(
        self,
        question: Question,
        epsilon: Number,
        of: str,
        fact: Callable[[Stored], dict[str, Any]],
        *,
        anew: bool,
    ) -> tuple[Stored, float, Price, Mapping[str, Any]]:
        """What was found, its ± in rows, its price and its receipt.

        Claim:      the fact binds nobody but who paid for it, unless the curator did; it takes the place of none that
                    stands unless it was asked to.
        Because:    it is kept under the asker's own topic and name; where one stands and `anew` is not asked for, the
                    same question is replayed and any other is refused before it is paid for.
        Checked by: tests/unit/curator/record/test_facts.py
        """
        plan = prove(Plan(question, View(())))
        terms = self._terms(plan, epsilon, None, _SURE)
        own, standing = self._name(plan), standing_facts(self._ledger, self._analyst).get(of)
        topic = topic_of_facts(self._analyst)
        again = b" after %d" % sum(1 for _ in self._ledger.find_answered(topic)) if anew else b""
        key = tag(
            b"fact",
            self._analyst,
            own.version,
            self._contribution_bound(plan),
            own.question + own.formats + again,
        )
        if (
            standing is not None
            and not anew
            and not self._is_that(standing["entry"], key, topic, terms)
        ):
            raise InvalidInput("fact", of, _stands(standing, self._analyst))

        def keep(stored: Stored) -> Stored:
            return stored.saying(found={**fact(stored), "replaces": anew})

        entry, free = self._pay_and_release(plan, terms, replace(own, key=key, topic=topic), keep)
        stored = Stored.from_bytes(entry.payload or b"")
        reach = float(max(stored.reach(place, _SURE) for place in range(len(stored.measures))))
        return stored, reach, self._price(entry, free=free), receipt_of(entry, stored)

    def _is_that(self, number: int, key: bytes, topic: bytes, terms: Terms) -> bool:
        """Whether the entry of this number answered this very question, at a price that was no lower."""
        price = self._policy.limit.filter().price(terms.loss)
        entries = (entry for entry in self._ledger.find_answered(topic) if entry.number == number)
        return any(entry.key == key and price.fits(entry.charge) for entry in entries)

    def _kept_ledger(self) -> "DurableLedger":
        from tacit.ledger import DurableLedger

        if not isinstance(self._ledger, DurableLedger):
            raise InvalidInput(
                "ledger",
                "one in memory",
                "open a vault from a directory: only there records are kept",
            )
        return self._ledger

    def _read_text(
        self, text: str, epsilon: Number | None, within: Number | None
    ) -> tuple[Plan, Number | None]:
        """The plan of a text, and the epsilon at which it is asked, which may be the text's own."""
        tables = {name: shared.asked_table for name, shared in self._tables.items()}
        plan, header = read_priced(text, tables, finding=bool(self._policy.limit.delta))
        return plan, agreed_price(header, plan, self._policy.limit, epsilon, within)

    @property
    def _tables(self) -> Mapping[str, Shared]:
        """The tables of the policy, with what was found of them."""
        return with_facts(self._policy.tables, self._ledger, self._analyst)

    @property
    def _in_full(self) -> Policy:
        """The policy, with what was found of its tables."""
        policy = self._policy
        return Policy(policy.limit, self._tables, policy.unit, policy.analysts, policy.replay)

    def _table_named(self, name: str, tables: Mapping[str, Shared] | None = None) -> Shared:
        known = self._policy.tables if tables is None else tables
        if name not in known:
            raise InvalidInput("table", name, f"name one of: {', '.join(sorted(known))}")
        return known[name]

    def _shared_of(self, plan: Plan) -> Shared:
        """What the policy says of the table that is asked about; all of them must be as it declares them."""
        for table in tables_of(plan.question.rows):
            shared = self._policy.tables.get(table.name)
            if shared is None or not as_declared(table, shared):
                raise InvalidInput(
                    "table",
                    table.name,
                    "ask about a table as this vault declares it: vault.table(...)",
                )
        return self._tables[table_of(plan.question.rows).name]

    def _engine(self, plan: Plan) -> Engine:
        """The engine that holds all tables of a plan."""
        found = [self._engines[table.name] for table in tables_of(plan.question.rows)]
        if any(engine is not found[0] for engine in found):
            raise InvalidInput(
                "tables",
                len(found),
                "tables that are asked about together must be held by one engine",
            )
        return found[0]

    def _terms(
        self, plan: Plan, epsilon: Number | None, within: Number | None, confidence: float
    ) -> Terms:
        """The terms at the asked price, or at the smallest price that is accurate enough."""
        limit, shared = self._policy.limit, self._shared_of(plan)
        if epsilon is None and within is None:
            raise InvalidInput("a price", None, "give epsilon, such as 0.3, or within, such as 50")
        if epsilon is not None and within is not None:
            raise InvalidInput("within", within, "epsilon is given, too; give one of them")
        rule = limit.filter()
        if epsilon is not None:
            price = rule.price_of(epsilon)
        else:
            amount = amount_within(
                plan.question, shared, limit, _shown_as_measured(plan), within or 0, confidence
            )
            price = Charge(ceil(amount / rule.amount(Charge(1))))
        return terms_of(plan.question, shared, limit, rule.amount(price))

    def _terms_at(self, plan: Plan, price: Charge) -> Terms:
        """The terms at a price in whole units, that was paid or would be."""
        limit = self._policy.limit
        rule = limit.filter()
        failure = rule.failure(price) if isinstance(rule, ConcentratedFilter) else None
        return terms_of(plan.question, self._shared_of(plan), limit, rule.amount(price), failure)

    def _find_known(
        self, plan: Plan, terms: Terms, name: "_Name", within: Number | None, confidence: float
    ) -> tuple[Plan, tuple[int, ...], Entry] | None:
        """An earlier answer that tells this one as accurately as was asked for: its own first, then another's.

        Claim:      what is told for free is a function of what was released before; the same question has the same
                    answer; what is derived is no less accurate than its price would have made it.
        Because:    it is read from answered entries alone, and the plan says nothing that they do not hold; entries
                    under the question's own key come first; others count only if each number's reach is as good.
        Checked by: tests/laws/test_replay.py
        """
        price = self._policy.limit.filter().price(terms.loss)
        entries = sorted(
            self._ledger.find_answered(name.topic),
            key=lambda entry: (entry.key != name.key, entry.number),
        )
        for entry in entries:
            stored = Stored.from_bytes(entry.payload or b"")
            found = derive_plan(plan, stored.measures)
            if found is None:
                continue
            asked, places = found
            if within is not None:
                reaches = [
                    stored.reach(places[place], confidence) for place in _shown_as_measured(plan)
                ]
                enough = max(reaches) <= at_most(within, "within")
            elif entry.key == name.key:
                enough = price.fits(entry.charge)
            else:
                own = self._terms_at(asked, price)
                enough = all(
                    stored.reach(at, confidence) <= own.reach(place, confidence)
                    for place, at in enumerate(places)
                ) and (own.finder is None or _hides_no_more(stored.hiding, own.finder.hiding))
            if enough:
                return asked, places, entry
        return None

    def _charge(self, plan: Plan, terms: Terms, name: "_Name") -> Entry:
        """The entry that pays for a plan."""
        about = _line(in_words(plan))
        return self._ledger.charge(
            name.key, terms.loss, self._analyst, topic=name.topic, about=about
        )

    def _name(self, plan: Plan) -> "_Name":
        """What a question is called in the ledger: as it was when the versions of its tables were looked up.

        Versions only grow, so that their sum is another one whenever a table was refreshed.
        """
        rows, held = plan.question.rows, self._contribution_bound(plan)
        version = sum(self._ledger.version(table.name) for table in tables_of(rows))
        terms = self._analyst if self._policy.replay == "analyst" else None, version, held
        kept = f"{self._shared_of(plan).keys} keys".encode() if plan.question.unknown else b""
        asked, formats = fingerprint(plan.question), self._list_formats(tables_of(rows))
        topic = tag(b"subject", *terms, subject(plan.question) + kept + formats)
        return _Name(
            tag(b"question", *terms, asked + kept + formats), topic, version, asked, formats
        )

    def _list_formats(self, tables: Iterable[Table]) -> bytes:
        """How the texts are written that some tables are read from, by the policy; nothing where nothing is said."""
        names = sorted({table.name for table in tables} & self._formats.keys())
        return "".join(f"\0{name}\0{self._formats[name]}" for name in names).encode()

    def _contribution_bound(self, plan: Plan) -> int | None:
        """How many rows of a unit count in full."""
        rows, contributions = plan.question.rows, self._shared_of(plan).contributions
        return held_rows(rows, contributions) if owner_of(rows) is Owner.UNIT else contributions

    def _describe_question(self, plan: Plan, terms: Terms, name: "_Name") -> dict[str, Any]:
        """What was asked, and under which policy, as it is kept with the answer."""
        limit, shared = self._policy.limit, self._shared_of(plan)
        return {
            "unit": self._policy.unit,
            "neighbours": limit.neighbours.value,
            "question": name.question.hex(),
            "table": ", ".join(table.name for table in tables_of(plan.question.rows)),
            "version": name.version,
            "contributions": shared.contributions,
            "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
            "made up": self._made_up,
            "left out": [str(each) for each in list_left_out(plan, terms, self._policy.unit)],
        }

    def _render(
        self,
        plan: Plan,
        places: tuple[int, ...],
        entry: Entry,
        confidence: float,
        left_out: tuple[LeftOut, ...],
        *,
        free: bool,
        raw: bool,
    ) -> Release:
        """The release, rendered anew from the stored integers."""
        stored = Stored.from_bytes(entry.payload or b"")
        price, receipt = self._price(entry, free=free), receipt_of(entry, stored)
        return _render_release(plan, places, stored, confidence, price, receipt, left_out, raw=raw)

    def _list_left_out(self, plan: Plan, terms: Terms) -> tuple[LeftOut, ...]:
        """What an answer leaves out or holds back, with what was measured of it."""
        known = self._tables
        tables = [known[table.name] for table in tables_of(plan.question.rows) if not table.public]
        measured = {
            name: told for shared in tables for name, told in self._read_measured(shared).items()
        }
        return add_measured(list_left_out(plan, terms, self._policy.unit), measured)

    def _read_measured(self, shared: Shared) -> Mapping[str, str]:
        """What was measured last of what is cut off in a table, by this analyst or by who is none: the curator."""
        scope = self._analyst if self._policy.replay == "analyst" else None
        for each in dict.fromkeys((scope, None)):
            # newest first
            for entry in self._ledger.find_answered(self._clipping_topic(shared, each)):
                return self._read_clipping(entry, shared, free=True).measured
        return {}

    def _price(self, entry: Entry, *, free: bool) -> Price:
        rule = self._policy.limit.filter()
        return Price(
            float_at_least(rule.epsilon_of(entry.charge)), float(rule.share(entry.charge)), free
        )


_Show = Callable[[Plan, Stored, Price, Mapping[str, Any]], Release]
"""How a release is made: of a plan, of what is stored, and of its price and its receipt."""


def _render_release(
    plan: Plan,
    places: tuple[int, ...],
    stored: Stored,
    confidence: float,
    price: Price,
    receipt: Mapping[str, Any],
    left_out: tuple[LeftOut, ...],
    *,
    raw: bool,
) -> Release:
    """The release of what is stored."""
    shown = replace(plan, question=replace(plan.question, found=stored.found))
    seen = view_answer(shown, stored.noisy(places), confidence, raw=raw)
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        confidence,
        price,
        receipt,
        stored.hiding,
        left_out,
        seen.notes,
    )


@frozen
class _Name:
    """What a question is called in the ledger: its own key, and the topic that it shares with others; its print.

    `formats` say how its tables are written, where the policy does.
    """

    key: bytes
    topic: bytes
    version: int
    question: bytes
    formats: bytes


def _stands(fact: Mapping[str, Any], analyst: str | None) -> str:
    """That a fact stands, and how another one takes its place."""
    known = fact.get("contributions") or f"{fact['low']} to {fact['high']}"
    whom = "everyone" if analyst is None else "your questions"
    return f"it was found before ({known}), and that stands; find it anew with replace=True, for {whom}"


def _lowest(question: Question) -> Fraction:
    """The lowest rank that is asked for."""
    return min(measure.rank for measure in question.measures if isinstance(measure, Ranked))


def _hides_no_more(hiding: Hiding | None, other: Hiding) -> bool:
    """Whether groups that the other would show are shown."""
    return hiding is not None and hiding.threshold <= other.threshold


def _shown_as_measured(plan: Plan) -> tuple[int, ...]:
    """The measures that are columns of the answer as they are: those whose error is known beforehand."""
    places = {
        shown.value.place for shown in plan.view.columns if isinstance(shown.value, MeasureOf)
    }
    return tuple(
        sorted(place for place in places if not isinstance(plan.question.measures[place], Ranked))
    )


def _line(text: str) -> str:
    """A text as one line that can be printed, and not a long one."""
    shown = printable(text)
    return shown if len(shown) <= _ABOUT else shown[: _ABOUT - 1] + "…"


def _confidence(given: Number) -> float:
    """A confidence as a float, refused where floats can no longer tell it from certainty, or from none."""
    exact = at_least(given, "confidence")
    if not 0 < exact < 1 or not 1e-12 <= float(exact) <= 1 - 1e-12:
        raise InvalidInput(
            "confidence", given, "give a probability above 0 and below 1, such as 0.95"
        )
    return float(exact)


def _evaluate(engine: Engine, terms: Terms) -> tuple[tuple[tuple[KeyValue, ...], ...] | None, Any]:
    """The unknown keys that pass, if there are any, and the exact answer, which exists here and nowhere else.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/laws/test_corridor.py
    """
    with suppress(Exception):
        if terms.finder is None:
            return None, engine.evaluate(terms.question, terms.weights)
        with engine.gather(terms.question, terms.finder.secret()) as gathered:
            # let go of what passes, and of nothing else
            places, found = terms.finder.find(gathered)
            return found, gathered.evaluate(
                places, replace(terms.question, found=found), terms.weights
            )
    raise EngineFailed
