"""The one place where plan, sensitivity, noise and ledger meet."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import Any

import numpy as np

from tacit.accounting import Charge
from tacit.curator.explanation import Explanation, explained
from tacit.curator.intervals import Noisy
from tacit.curator.policy import Policy, Shared
from tacit.curator.release import Price, Release
from tacit.curator.terms import Terms, amount_within, terms_of
from tacit.curator.view import viewed
from tacit.engines import Engine
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import Number, at_least, float_at_least, rekey
from tacit.ledger import Entry, Ledger
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Frame, MeasureOf, Plan, canonical, fingerprint, read_sql, table_of

__all__ = ["Budget", "Vault"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent, what was, and what is left, as shares of the limit.

    >>> Budget(3.0, 1e-6, 0.25).left
    0.75
    """

    epsilon: float
    delta: float
    spent: float

    @property
    def left(self) -> float:
        """The share of the limit that is left."""
        return 1 - self.spent

    def __str__(self) -> str:
        full = round(40 * self.spent)
        bar = "█" * full + "░" * (40 - full)
        return f"{bar} {self.spent:.1%} of epsilon {self.epsilon:g}, delta {self.delta:g} is spent"


class Vault:
    """Tables that can be asked about, under one limit.  Nothing but releases ever leaves.

    Made by `tacit.protect`.
    """

    def __init__(self, policy: Policy, engines: Mapping[str, Engine], ledger: Ledger) -> None:
        self._policy = policy
        self._engines = dict(engines)
        self._ledger = ledger

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
        return self.ask(self._read(text), epsilon=epsilon, within=within, confidence=confidence, raw=raw)

    def table(self, name: str) -> Frame:
        """A table to ask about with Python expressions; the chain ends in `.ask(epsilon=…)`."""
        if name not in self._policy.tables:
            raise InvalidInput("table", name, f"name one of: {', '.join(sorted(self._policy.tables))}")
        return Frame(self._policy.tables[name].table, asker=self.ask)

    def explain(
        self,
        question: str | Frame,
        *,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
    ) -> Explanation:
        """What an answer would be made of and cost; it is free, and no data are looked at."""
        plan = canonical(self._read(question) if isinstance(question, str) else question.plan())
        sure = _confidence(confidence)
        terms = self._terms(plan, epsilon, within, sure)
        return explained(plan, terms, self._shared(plan), self._policy.limit, self._ledger.spent(), sure)

    @property
    def budget(self) -> Budget:
        """What may be spent, what was, and what is left."""
        limit = self._policy.limit
        return Budget(float(limit.epsilon), float(limit.delta), float(limit.filter().share(self._ledger.spent())))

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
        terms = self._terms(asked, epsilon, within, sure)
        engine = self._engines[table_of(asked.question.rows).name]
        engine.dry_run(asked.question, terms.weights)  # whatever can fail for reasons of the plan fails here
        entry = self._ledger.charge(self._key(asked), terms.loss)  # pay
        free = entry.answered
        if not entry.answered:
            terms = self._terms_at(asked, entry.charge)  # which may be an earlier charge, of a higher price
            rekey()
            exact = _evaluated(engine, terms)  # look
            entry = self._ledger.settle(entry, _released(terms, exact))  # let go
        return self._shown(asked, entry, terms, sure, free=free, raw=raw)

    def _read(self, text: str) -> Plan:
        return read_sql(text, {name: shared.table for name, shared in self._policy.tables.items()})

    def _shared(self, plan: Plan) -> Shared:
        table = table_of(plan.question.rows)
        shared = self._policy.tables.get(table.name)
        if shared is None or shared.table != table:
            raise InvalidInput("table", table.name, "ask about a table as this vault declares it: vault.table(...)")
        return shared

    def _terms(self, plan: Plan, epsilon: Number | None, within: Number | None, confidence: float) -> Terms:
        """The terms at the asked price, or at the smallest price that is accurate enough."""
        limit, shared = self._policy.limit, self._shared(plan)
        if (epsilon is None) == (within is None):
            raise InvalidInput(
                "a price", "missing or given twice", "give either epsilon=… or within=…, such as epsilon=0.3"
            )
        if epsilon is not None:
            price = limit.filter().price_of(epsilon)
        else:
            places = tuple(
                sorted({shown.value.place for shown in plan.view.columns if isinstance(shown.value, MeasureOf)})
            )
            amount = amount_within(plan.question, shared, limit, places, within or 0, confidence)
            price = Charge(ceil(amount / limit.filter().amount(Charge(1))))
        return self._terms_at(plan, price)

    def _terms_at(self, plan: Plan, price: Charge) -> Terms:
        """The terms at a price in whole units."""
        limit = self._policy.limit
        return terms_of(plan.question, self._shared(plan), limit, limit.filter().amount(price))

    def _key(self, plan: Plan) -> bytes:
        return sha256(b"question\0" + fingerprint(plan.question)).digest()

    def _shown(self, plan: Plan, entry: Entry, terms: Terms, confidence: float, *, free: bool, raw: bool) -> Release:
        """The release, rendered anew from the stored integers."""
        noisy, scales = _stored(entry, terms)
        seen = viewed(plan, noisy, confidence, raw=raw)
        limit = self._policy.limit
        rule = limit.filter()
        price = Price(float_at_least(rule.epsilon_of(entry.charge)), float(rule.share(entry.charge)), free)
        receipt = {
            "question": fingerprint(plan.question).hex(),
            "unit": table_of(plan.question.rows).unit or "row",
            "neighbours": limit.neighbours.value,
            "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
            "charge": {"amount": entry.charge.amount, "failure": entry.charge.failure},
            "mechanism": type(terms.mechanisms[0]).__name__,
            "scales": scales,
            "entry": entry.number,
        }
        return Release(seen.columns, seen.rows, seen.measured, confidence, price, receipt)


def _confidence(given: Number) -> float:
    """A confidence as a float, refused where floats can no longer tell it from certainty."""
    nearest = float(at_least(given, "confidence"))
    if not 0 < nearest <= 1 - 1e-12:
        raise InvalidInput("confidence", given, "give a probability above 0 and below 1, such as 0.95")
    return nearest


def _evaluated(engine: Engine, terms: Terms) -> Any:
    """The exact answer, which exists here and nowhere else.

    Claim:      if an engine fails, what leaves is one sentence that is always the same.
    Because:    whatever the engine raised is gone before that sentence is.
    Checked by: tests/laws/test_corridor.py
    """
    with suppress(Exception):
        return engine.evaluate(terms.question, terms.weights)
    raise EngineFailed


def _released(terms: Terms, exact: Any) -> bytes:
    """The noisy integers, and what is public about their noise, as they are stored and replayed.

    Claim:      every integer is an exact one plus fresh noise of its measure's mechanism.
    Because:    each measure is released once, over all groups.
    Checked by: tests/laws/test_corridor.py
    """
    columns = [
        mechanism.release(np.array(terms.rounded(place, exact[:, place].tolist()), dtype=object))
        for place, mechanism in enumerate(terms.mechanisms)
    ]
    integers = [[int(column[group]) for column in columns] for group in range(len(exact))]
    scales = [str(_scale(mechanism)) for mechanism in terms.mechanisms]
    worths = [str(terms.worth(place)) for place in range(len(columns))]
    stored = {"integers": integers, "scales": scales, "worths": worths}
    return json.dumps(stored, separators=(",", ":")).encode()


def _stored(entry: Entry, terms: Terms) -> tuple[list[list[Noisy]], list[str]]:
    """What was released, with the noise that it was released with."""
    if entry.payload is None:
        raise AssertionError("an answer is stored before it is shown")
    stored = json.loads(entry.payload)
    kind = type(terms.mechanisms[0])
    noise = [kind(Fraction(scale)) for scale in stored["scales"]]
    worths = [Fraction(worth) for worth in stored["worths"]]
    rows = [
        [Noisy(integer, noise[place], worths[place]) for place, integer in enumerate(integers)]
        for integers in stored["integers"]
    ]
    return rows, stored["scales"]


def _scale(mechanism: Laplace | Gaussian) -> Fraction:
    return mechanism.scale if isinstance(mechanism, Laplace) else mechanism.sigma
