"""The one place where plan, sensitivity, noise and ledger meet."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tacit.accounting import Charge, ConcentratedFilter
from tacit.curator.agreed import agreed_price
from tacit.curator.explanation import Expected, Explanation, explained
from tacit.curator.finding import (
    FACTS,
    FoundBounds,
    FoundContributions,
    as_declared,
    bounds_asked,
    bounds_in,
    contributions_asked,
    contributions_in,
    with_facts,
)
from tacit.curator.policy import Limit, Policy, Shared
from tacit.curator.receipt import faults_of, receipt_of, tag
from tacit.curator.release import Price, Release, printable
from tacit.curator.stored import Stored, released
from tacit.curator.terms import Terms, amount_within, terms_of
from tacit.curator.unknown import Hiding
from tacit.curator.view import viewed
from tacit.engines import Engine
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import Number, at_least, at_most, float_at_least, rekey
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.plan import (
    Frame,
    MeasureOf,
    Owner,
    Plan,
    Question,
    Ranked,
    Scalar,
    View,
    canonical,
    derived,
    fingerprint,
    held_rows,
    in_words,
    owner_of,
    read_priced,
    subject,
    table_of,
    tables_of,
)

if TYPE_CHECKING:
    from tacit.curator.questions import QuestionAudit
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
    ) -> None:
        if analyst is not None and policy.analysts and analyst not in policy.analysts:
            raise InvalidInput("analyst", analyst, f"name one of: {', '.join(sorted(policy.analysts))}")
        self._policy = policy
        self._engines = engines
        self._ledger = ledger
        self._analyst = analyst
        self._made_up = made_up
        self._followers = followers or {}

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
        plan, price = self._read(text, epsilon, within)
        return self.ask(plan, epsilon=price, within=within, confidence=confidence, raw=raw)

    def table(self, name: str) -> Frame:
        """A table to ask about with Python expressions; the chain ends in `.ask(epsilon=…)`."""
        finding = bool(self._policy.limit.delta)
        return Frame(self._named(name, self._tables).asked, asker=self.ask, finding=finding)

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
            asked, epsilon = self._read(question, epsilon, within)
        else:
            asked = question.plan()
        plan, sure = canonical(asked), _confidence(confidence)
        terms = self._terms(plan, epsilon, within, sure)
        limit, spent = self._tightest()
        told = explained(plan, terms, self._shared(plan), limit, spent, sure, self._policy.unit)
        known = self._known(plan, terms, self._name(plan), within, sure)
        return told if known is None else replace(told, free=True, expected=self._expected(told, *known, sure))

    def _tightest(self) -> tuple[Limit, Charge]:
        """The limit of which least is left, everyone's or the analyst's own, and what is spent of it."""
        everyone = self._policy.limit, self._ledger.spent()
        own = self._policy.analysts.get(self._analyst) if self._analyst else None
        if own is None:
            return everyone
        mine = own, self._ledger.spent(self._analyst)
        return min(everyone, mine, key=lambda pair: pair[0].filter().limit.amount - pair[1].amount)

    def _expected(
        self, told: Explanation, plan: Plan, places: tuple[int, ...], entry: Entry, confidence: float
    ) -> tuple[Expected, ...]:
        """What is expected of an answer that is there already: the error that it has."""
        stored = Stored.read(entry.payload or b"")
        reaches = [float(stored.reach(place, confidence)) for place in places]
        return tuple(replace(each, reach=reach) for each, reach in zip(told.expected, reaches, strict=True))

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
        everyone = float(limit.filter().share(self._ledger.spent()))
        own = self._policy.analysts.get(self._analyst) if self._analyst else None
        if own is None:
            return Budget(float(limit.epsilon), float(limit.delta), everyone)
        spent = float(own.filter().share(self._ledger.spent(self._analyst)))
        part = Budget(float(own.epsilon), float(own.delta), spent)
        return Budget(float(limit.epsilon), float(limit.delta), everyone, part)

    def refresh(self, table: str) -> int:
        """The new version of a table whose source has changed: what was answered before is no longer replayed.

        The limit goes on: it belongs to the units, not to a version of their rows.
        """
        self._named(table)
        for follower in self._followers.get(table, ()):
            self._ledger.refresh(follower)  # whose units are found by way of this table
        return self._ledger.refresh(table)

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """What a receipt says that this vault's ledger does not; nothing, if all of it is kept there."""
        return faults_of(receipt, self._ledger)

    def records(self) -> Iterator[dict[str, Any]]:
        """Every record of a ledger that is kept on a disk, oldest first, with its place in the chain."""
        from tacit.ledger import fields_of

        for record in self._kept_ledger().records():
            yield {"record": record.number, **fields_of(record), "hash": record.hash.hex()}

    def mock(self) -> "Vault":
        """The vault's twin over made-up rows that satisfy the declared schema alone; it has no limit to spend."""
        from tacit.curator.mock import twin

        return twin(self._in_full)

    def audit(self, question: str | Frame, *, pairs: int = 400, world: int = 0) -> "QuestionAudit":
        """Try to refute what is claimed of one question, on made-up neighbours; free, and no data are looked at."""
        from tacit.curator.questions import audit_question

        if isinstance(question, str):
            tables = {name: shared.asked for name, shared in self._tables.items()}
            plan, _ = read_priced(question, tables, finding=bool(self._policy.limit.delta))  # no price is asked for
        else:
            plan = question.plan()
        self._shared(plan)
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
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
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
        Because:    the order of the lines below.
        Checked by: tests/laws/test_corridor.py
        """
        asked, sure = canonical(plan), _confidence(confidence)
        terms, name = self._terms(asked, epsilon, within, sure), self._name(asked)
        known = self._known(asked, terms, name, within, sure)
        if known is not None:
            return self._shown(*known, sure, free=True, raw=raw)
        entry, free = self._paid(asked, terms, name)
        places = tuple(range(len(asked.question.measures)))
        return self._shown(asked, places, entry, sure, free=free, raw=raw)

    def _paid(
        self, plan: Plan, terms: Terms, name: "_Name", fact: Callable[[Stored], Stored] | None = None
    ) -> tuple[Entry, bool]:
        """The entry with the answer to a plan, and whether it was there before; a `fact` is read from what is released.

        Claim:      the price is recorded before data are read, and nothing leaves that is not released.
        Because:    the order of the lines below.
        Checked by: tests/laws/test_corridor.py
        """
        engine = self._engine(plan)
        engine.dry_run(plan.question, terms.weights)  # whatever can fail for reasons of the plan fails here
        entry = self._charged(plan, terms, name)  # pay
        if entry.answered:
            return entry, True
        terms = self._terms_at(plan, entry.charge)  # which may be an earlier charge, of a higher price
        rekey()
        found, exact = _evaluated(engine, terms)  # look
        stored = released(terms, exact, self._told(plan, name), found)
        return self._ledger.settle(entry, (stored if fact is None else fact(stored)).written()), False  # let go

    def find_bounds(self, column: str, *, epsilon: Number, share: Number = 0.98) -> FoundBounds:
        """Bounds of a column that declares none, such as "visits.cost": about `share` of its rows lie between them.

        They are found privately, at a price, and written into the ledger: from then on questions hold the column
        between them, whoever asks.  Bounds that the policy declares count before any that were found.
        """
        table, _, name = column.partition(".")
        shared = self._named(table, self._tables)
        declared = self._named(table)
        question = bounds_asked(Shared(declared.table, shared.contributions), name, share)
        kind = next(each.kind for each in declared.table.columns if each.name == name)

        def fact(stored: Stored) -> Stored:
            low, high = bounds_in(stored, kind)
            return stored.saying(found={"of": column, "low": str(low), "high": str(high)})

        stored, reach, price, receipt = self._found(question, epsilon, fact)
        low, high = bounds_in(stored, kind)
        return FoundBounds(column, low, high, 1 - 2 * _lowest(question), reach, price, receipt)

    def find_contributions(self, table: str, *, epsilon: Number, share: Number = 0.95) -> FoundContributions:
        """How many rows of a unit count in full, of a table that does not declare it: about `share` of its units have
        no more.

        It is found privately, at a price, and written into the ledger: from then on questions use it, whoever asks.
        """
        question = contributions_asked(self._named(table), share)

        def fact(stored: Stored) -> Stored:
            return stored.saying(found={"of": table, "contributions": contributions_in(stored)})

        stored, reach, price, receipt = self._found(question, epsilon, fact)
        return FoundContributions(table, contributions_in(stored), _lowest(question), reach, price, receipt)

    def _found(
        self, question: Question, epsilon: Number, fact: Callable[[Stored], Stored]
    ) -> tuple[Stored, float, Price, Mapping[str, Any]]:
        """What was found, its ± in rows, its price and its receipt; the same is found once in a version of a table."""
        plan = canonical(Plan(question, View(())))
        terms = self._terms(plan, epsilon, None, _SURE)
        own = self._name(plan)
        held = self._held(plan)
        name = replace(own, key=tag(b"fact", None, own.version, held, own.question), topic=FACTS)
        entry, free = self._paid(plan, terms, name, fact)
        stored = Stored.read(entry.payload or b"")
        reach = float(max(stored.reach(place, _SURE) for place in range(len(stored.measures))))
        return stored, reach, self._price(entry, free=free), receipt_of(entry, stored)

    def _kept_ledger(self) -> "DurableLedger":
        from tacit.ledger import DurableLedger

        if not isinstance(self._ledger, DurableLedger):
            raise InvalidInput("ledger", "one in memory", "open a vault from a directory: only there records are kept")
        return self._ledger

    def _read(self, text: str, epsilon: Number | None, within: Number | None) -> tuple[Plan, Number | None]:
        """The plan of a text, and the epsilon at which it is asked, which may be the text's own."""
        tables = {name: shared.asked for name, shared in self._tables.items()}
        plan, header = read_priced(text, tables, finding=bool(self._policy.limit.delta))
        return plan, agreed_price(header, plan, self._policy.limit, epsilon, within)

    @property
    def _tables(self) -> Mapping[str, Shared]:
        """The tables of the policy, with what was found of them."""
        return with_facts(self._policy.tables, self._ledger)

    @property
    def _in_full(self) -> Policy:
        """The policy, with what was found of its tables."""
        policy = self._policy
        return Policy(policy.limit, self._tables, policy.unit, policy.analysts, policy.replay)

    def _named(self, name: str, tables: Mapping[str, Shared] | None = None) -> Shared:
        known = self._policy.tables if tables is None else tables
        if name not in known:
            raise InvalidInput("table", name, f"name one of: {', '.join(sorted(known))}")
        return known[name]

    def _shared(self, plan: Plan) -> Shared:
        """What the policy says of the table that is asked about; all of them must be as it declares them."""
        for table in tables_of(plan.question.rows):
            shared = self._policy.tables.get(table.name)
            if shared is None or not as_declared(table, shared):
                raise InvalidInput("table", table.name, "ask about a table as this vault declares it: vault.table(...)")
        return self._tables[table_of(plan.question.rows).name]

    def _engine(self, plan: Plan) -> Engine:
        """The engine that holds all tables of a plan."""
        found = [self._engines[table.name] for table in tables_of(plan.question.rows)]
        if any(engine is not found[0] for engine in found):
            raise InvalidInput("tables", len(found), "tables that are asked about together must be held by one engine")
        return found[0]

    def _terms(self, plan: Plan, epsilon: Number | None, within: Number | None, confidence: float) -> Terms:
        """The terms at the asked price, or at the smallest price that is accurate enough."""
        limit, shared = self._policy.limit, self._shared(plan)
        if (epsilon is None) == (within is None):
            raise InvalidInput(
                "a price", "missing or given twice", "give either epsilon=… or within=…, such as epsilon=0.3"
            )
        rule = limit.filter()
        if epsilon is not None:
            price = rule.price_of(epsilon)
        else:
            amount = amount_within(plan.question, shared, limit, _shown_as_measured(plan), within or 0, confidence)
            price = Charge(ceil(amount / rule.amount(Charge(1))))
        return terms_of(plan.question, shared, limit, rule.amount(price))

    def _terms_at(self, plan: Plan, price: Charge) -> Terms:
        """The terms at a price in whole units, that was paid or would be."""
        limit = self._policy.limit
        rule = limit.filter()
        failure = rule.failure(price) if isinstance(rule, ConcentratedFilter) else None
        return terms_of(plan.question, self._shared(plan), limit, rule.amount(price), failure)

    def _known(
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
        entries = sorted(self._ledger.answered(name.topic), key=lambda entry: (entry.key != name.key, entry.number))
        for entry in entries:
            stored = Stored.read(entry.payload or b"")
            found = derived(plan, stored.measures)
            if found is None:
                continue
            asked, places = found
            if within is not None:
                reaches = [stored.reach(places[place], confidence) for place in _shown_as_measured(plan)]
                enough = max(reaches) <= at_most(within, "within")
            elif entry.key == name.key:
                enough = price.fits(entry.charge)
            else:
                own = self._terms_at(asked, price)
                enough = all(
                    stored.reach(at, confidence) <= own.reach(place, confidence) for place, at in enumerate(places)
                ) and (own.finder is None or _hides_no_more(stored.hiding, own.finder.hiding))
            if enough:
                return asked, places, entry
        return None

    def _charged(self, plan: Plan, terms: Terms, name: "_Name") -> Entry:
        """The entry that pays for a plan."""
        about = _line(in_words(plan))
        return self._ledger.charge(name.key, terms.loss, self._analyst, topic=name.topic, about=about)

    def _name(self, plan: Plan) -> "_Name":
        """What a question is called in the ledger: as it was when the versions of its tables were looked up.

        Versions only grow, so that their sum is another one whenever a table was refreshed.
        """
        rows, held = plan.question.rows, self._held(plan)
        version = sum(self._ledger.version(table.name) for table in tables_of(rows))
        terms = self._analyst if self._policy.replay == "analyst" else None, version, held
        kept = f"{self._shared(plan).keys} keys".encode() if plan.question.unknown else b""
        asked = fingerprint(plan.question)
        topic = tag(b"subject", *terms, subject(plan.question) + kept)
        return _Name(tag(b"question", *terms, asked + kept), topic, version, asked)

    def _held(self, plan: Plan) -> int | None:
        """How many rows of a unit count in full."""
        rows, contributions = plan.question.rows, self._shared(plan).contributions
        return held_rows(rows, contributions) if owner_of(rows) is Owner.UNIT else contributions

    def _told(self, plan: Plan, name: "_Name") -> dict[str, Any]:
        """What was asked, and under which policy, as it is kept with the answer."""
        limit, shared = self._policy.limit, self._shared(plan)
        return {
            "unit": self._policy.unit,
            "neighbours": limit.neighbours.value,
            "question": name.question.hex(),
            "table": ", ".join(table.name for table in tables_of(plan.question.rows)),
            "version": name.version,
            "contributions": shared.contributions,
            "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
            "made up": self._made_up,
        }

    def _shown(
        self, plan: Plan, places: tuple[int, ...], entry: Entry, confidence: float, *, free: bool, raw: bool
    ) -> Release:
        """The release, rendered anew from the stored integers."""
        stored = Stored.read(entry.payload or b"")
        shown = replace(plan, question=replace(plan.question, found=stored.found))
        seen = viewed(shown, stored.noisy(places), confidence, raw=raw)
        price, receipt = self._price(entry, free=free), receipt_of(entry, stored)
        return Release(seen.columns, seen.rows, seen.measured, confidence, price, receipt, stored.hiding, seen.notes)

    def _price(self, entry: Entry, *, free: bool) -> Price:
        rule = self._policy.limit.filter()
        return Price(float_at_least(rule.epsilon_of(entry.charge)), float(rule.share(entry.charge)), free)


@frozen
class _Name:
    """What a question is called in the ledger: its own key, and the topic that it shares with others; its print."""

    key: bytes
    topic: bytes
    version: int
    question: bytes


def _lowest(question: Question) -> Fraction:
    """The lowest rank that is asked for."""
    return min(measure.rank for measure in question.measures if isinstance(measure, Ranked))


def _hides_no_more(hiding: Hiding | None, other: Hiding) -> bool:
    """Whether groups that the other would show are shown."""
    return hiding is not None and hiding.threshold <= other.threshold


def _shown_as_measured(plan: Plan) -> tuple[int, ...]:
    """The measures that are columns of the answer as they are: those whose error is known beforehand."""
    places = {shown.value.place for shown in plan.view.columns if isinstance(shown.value, MeasureOf)}
    return tuple(sorted(place for place in places if not isinstance(plan.question.measures[place], Ranked)))


def _line(text: str) -> str:
    """A text as one line that can be printed, and not a long one."""
    shown = printable(text)
    return shown if len(shown) <= _ABOUT else shown[: _ABOUT - 1] + "…"


def _confidence(given: Number) -> float:
    """A confidence as a float, refused where floats can no longer tell it from certainty."""
    nearest = float(at_least(given, "confidence"))
    if not 0 < nearest <= 1 - 1e-12:
        raise InvalidInput("confidence", given, "give a probability above 0 and below 1, such as 0.95")
    return nearest


def _evaluated(engine: Engine, terms: Terms) -> tuple[tuple[tuple[Scalar, ...], ...] | None, Any]:
    """The unknown keys that pass, if there are any, and the exact answer, which exists here and nowhere else.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/laws/test_corridor.py
    """
    with suppress(Exception):
        if terms.finder is None:
            return None, engine.evaluate(terms.question, terms.weights)
        with engine.gather(terms.question, terms.finder.secret()) as gathered:
            places, found = terms.finder.found(gathered)  # let go of what passes, and of nothing else
            return found, gathered.evaluate(places, replace(terms.question, found=found), terms.weights)
    raise EngineFailed
