"""Try to refute what one question claims: neighbouring tables that chase its bound, in every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt
from typing import Any

from tacit.curator.policy.policy import Policy
from tacit.curator.priced_question import shared_of
from tacit.curator.pricing.noise_of_measures import Terms, terms_of
from tacit.curator.question_context import Access
from tacit.curator.trial.neighbours import Pair, Worlds
from tacit.engines import Answer, DuckDB, Engine, Memory
from tacit.errors import InvalidInput
from tacit.exact import count_of
from tacit.frozen import frozen
from tacit.mechanisms import RankedCells
from tacit.plan import (
    Frame,
    KeyValue,
    MeasureOf,
    Plan,
    Table,
    Weighing,
    in_words,
    phrase,
    prove,
    read_priced,
    tables_of,
)
from tacit.privacy import Neighbours, Norm, Sensitivity
from tacit.progress import show_progress
from tacit.stability import key_sensitivity, sensitivity_of

__all__ = ["Closest", "QuestionAudit", "audit_asked", "audit_question"]

_CLIMBED = Fraction(1, 2)  # of the pairs, so many are drawn near the best one so far
_FOUND = 12  # unknown keys that are treated as found
_COMPARED = 40  # every so many pairs, DuckDB is asked too


@frozen
class Closest:
    """How close neighbours of a relation came to what is claimed of them: the share, the measure and the pair."""

    relation: Neighbours
    share: float
    measure: str
    pair: Pair


@frozen
class QuestionAudit:
    """What an audit of one question found; `fault` says what was refuted, and `witness` are the neighbours."""

    question: str
    pairs: int
    compared: int
    closest: tuple[Closest, ...]
    fault: str | None = None
    witness: Pair | None = None

    @property
    def held(self) -> bool:
        """Whether nothing was refuted."""
        return self.fault is None

    def __str__(self) -> str:
        made_up = f"{self.pairs:,} pairs of neighbouring tables were generated"
        lines = [
            self.question,
            f"{made_up}, and {self.compared:,} of them were also evaluated by DuckDB.",
        ]
        for each in self.closest:
            told = (
                f"moved {each.measure} by {each.share:.1%} of the claimed sensitivity"
                if each.share
                else "moved nothing"
            )
            lines.append(f"  {each.relation.value}: one unit {told}")
        if self.held:
            return "\n".join([*lines, "Nothing refutes the claim."])
        return "\n".join([*lines, f"REFUTED: {self.fault}", *_describe_pair(self.witness)])


def audit_asked(access: Access, question: str | Frame, *, pairs: int, world: int) -> QuestionAudit:
    """Try to refute the privacy claim of a question as text or as a frame, under the policy of a vault."""
    tables = access.read_tables()
    if isinstance(question, str):
        asked = {name: shared.asked_table for name, shared in tables.items()}
        # no price is asked for
        plan, _ = read_priced(question, asked, finding=True)
    else:
        plan = question.plan()
    shared_of(access, plan, tables, tables_of(plan.question.rows))
    return audit_question(plan, access.policy_with_facts(), pairs=pairs, world=world)


def audit_question(
    plan: Plan, policy: Policy, *, pairs: int = 400, world: int = 0
) -> QuestionAudit:
    """Try to refute what is claimed of one question, on made-up neighbours; no data are looked at.

    For both relations, tables are made up that differ in one unit: with rows at the ends of what is declared, with
    poison, with many copies of a row and many keys.  Half of them are drawn near those that came closest.  On each, the
    exact integers may not move further than the claimed sensitivity; engines may not fail, and must agree.

    Claim:      what is refuted is false; the witness shows it.
    Because:    the integers are those that a vault would have hidden, and their distance is computed exactly.
    Checked by: tests/unit/curator/trial/test_audit_question.py
    """
    most = count_of(pairs, "pairs", least=2) // 2
    question = prove(plan).question
    shared = [policy.tables[table.name] for table in tables_of(question.rows)]
    private = [each for each in shared if not each.table.public]
    if not private:
        raise InvalidInput(
            "the question", "one about public tables alone", "ask about a table with a unit"
        )
    terms = terms_of(question, private[0], policy.limit, Fraction(1))
    search = _Search(_Trial(terms, tuple(each.table for each in shared)))
    for relation in Neighbours:
        worlds = Worlds(question, shared, world)
        claims = sensitivity_of(question, terms.weights, relation)
        for number in show_progress(range(most), most, f"{relation.value} neighbours"):
            near = search.best if number * _CLIMBED % 1 else None
            pair = worlds.draw(relation) if near is None else worlds.near(near.pair)
            search.tries(pair, claims, compare=number % _COMPARED == 0)
            if search.fault is not None:
                break
        search.ends()
    witness = None if search.fault is None else search.last
    return QuestionAudit(
        in_words(plan), search.asked, search.compared, tuple(search.closest), search.fault, witness
    )


@frozen
class _Exact:
    """What two neighbours have: exact measures, and how far the weights of unknown keys move between them."""

    one: Answer
    other: Answer
    keys: list[int]

    def differs(self, that: _Exact) -> bool:
        """Whether anything is not the same in both."""
        pairs = ((self.one, that.one), (self.other, that.other))
        return self.keys != that.keys or any(
            some.tolist() != others.tolist() for some, others in pairs
        )


@frozen
class _Trial:
    """A question that is asked of made-up tables."""

    terms: Terms
    tables: tuple[Table, ...]

    def answers(self, pair: Pair, engine: Callable[[Any], Engine]) -> _Exact | str:
        """The exact integers of both; or what should never have happened."""
        try:
            with ExitStack() as open_engines:
                made = [
                    {table: world[table.name] for table in self.tables} for world in pair.worlds
                ]
                engines = [open_engines.enter_context(closing(engine(tables))) for tables in made]
                found, keys = self._keys(engines)
                question = replace(self.terms.question, found=found)
                one, other = (each.evaluate(question, self.terms.weights) for each in engines)
        except Exception as failure:  # noqa: BLE001 -- whatever it is, rows made it happen
            return f"an engine failed because of the rows ({type(failure).__name__})"
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return "the shape of the answer depends on the rows"
        return _Exact(one, other, keys)

    def _keys(
        self, engines: Sequence[Engine]
    ) -> tuple[tuple[tuple[KeyValue, ...], ...] | None, list[int]]:
        """Some unknown keys that are there, as if they had been found, and how far the weights of all of them move."""
        if self.terms.finder is None:
            return None, []
        keeping = replace(self.terms.finder.keeping, secret=b"made up")
        weights: list[dict[tuple[KeyValue, ...], int]] = []
        for engine in engines:
            with engine.gather(self.terms.question, keeping) as gathered:
                values = gathered.keys(range(len(gathered.weights)))
                weights.append(dict(zip(values, gathered.weights.tolist(), strict=True)))
        every = sorted({key for each in weights for key in each}, key=str)
        moves = [weights[0].get(key, 0) - weights[1].get(key, 0) for key in every]
        return tuple(every[:_FOUND]), moves

    def furthest(
        self, exact: _Exact, claims: Sequence[Sensitivity], relation: Neighbours
    ) -> tuple[Fraction, str]:
        """The largest share of a claim that was reached, squared, and the measure that reached it."""
        found = Fraction(0), ""
        if self.terms.finder is not None:
            claim = key_sensitivity(self.terms.question, self.terms.finder.keeping, relation)
            sums = claim.norm is Norm.L1
            moved = sum(map(abs, exact.keys)) ** 2 if sums else sum(move**2 for move in exact.keys)
            found = Fraction(moved) / claim.bound**2, "the weights of unknown keys"
        for place, claim in enumerate(claims):
            absolute = [abs(move) for move in self._moves(place, exact.one, exact.other)]
            by_sum = self.terms.weights.norm is Weighing.L1
            square = sum(absolute) ** 2 if by_sum else sum(move**2 for move in absolute)
            reached = Fraction(square) / claim.bound**2
            if reached > found[0]:
                found = reached, phrase(MeasureOf(place), self.terms.question)
        return found

    def _moves(self, place: int, one: Answer, other: Answer) -> list[Fraction]:
        """How far a measure moves in every group: its number, or the misranking of the cell that moves furthest."""
        columns, mechanism = self.terms.columns[place], self.terms.mechanisms[place]
        if not isinstance(mechanism, RankedCells) or not len(one):
            both = zip(one[:, columns.start], other[:, columns.start], strict=True)
            return [Fraction(int(a) - int(b)) for a, b in both]
        furthest = [Fraction(0)] * len(one)
        for aim in mechanism.aims:
            moved = abs(aim.rank_errors(one[:, columns]) - aim.rank_errors(other[:, columns])).max(
                axis=1
            )
            parts = [Fraction(int(each), aim.share.denominator) for each in moved]
            furthest = [max(pair) for pair in zip(furthest, parts, strict=True)]
        return furthest


@dataclass(slots=True)
class _Search:
    """What has been found so far."""

    trial: _Trial
    asked: int = 0
    compared: int = 0
    best: Closest | None = None
    last: Pair | None = None
    fault: str | None = None
    closest: list[Closest] = field(default_factory=list)

    def tries(self, pair: Pair, claims: Sequence[Sensitivity], *, compare: bool) -> None:
        """Try one pair."""
        self.asked, self.last = self.asked + 1, pair
        exact = self.trial.answers(pair, Memory)
        if isinstance(exact, str):
            self.fault = exact
            return
        if compare:
            self.compared += 1
            stored = self.trial.answers(pair, DuckDB)
            if isinstance(stored, str) or exact.differs(stored):
                self.fault = (
                    stored
                    if isinstance(stored, str)
                    else "memory and DuckDB differ in the exact integers"
                )
                return
        square, measure = self.trial.furthest(exact, claims, pair.relation)
        if self.best is None or sqrt(square) > self.best.share:
            self.best = Closest(pair.relation, sqrt(square), measure, pair)
        if square > 1:
            self.fault = (
                f"one unit moves {measure} by {sqrt(square):.4f} times the claimed sensitivity"
            )

    def ends(self) -> None:
        """Write down what came closest in one relation."""
        if self.best is not None:
            self.closest.append(self.best)
        self.best = None


def _describe_pair(pair: Pair | None) -> Iterator[str]:
    """The rows in which two neighbours differ."""
    if pair is None:
        return
    yield (
        f"The tables share {sum(map(len, pair.shared.values()))} rows; they differ in the rows of "
        "one unit:"
    )
    for title, own in (("before", pair.before), ("after", pair.after)):
        yield f"  {title}: " + ("nothing" if not any(own.values()) else "")
        for name, rows in own.items():
            yield from (f"    {name}: {row}" for row in rows)
