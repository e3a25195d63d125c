"""Watching a threshold: one question after the other is compared with it; only those above it use the price up."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tacit.curator.answer.release import Price
from tacit.curator.log_answers import log_answer
from tacit.curator.priced_question import Asked, describe, one_line, price_plan, read_question
from tacit.curator.pricing.threshold_watch_price import (
    Compared,
    WatchTerms,
    compared_of,
    watch_terms,
)
from tacit.curator.question_context import Access
from tacit.curator.record.receipt import SEALED, read_stored, receipt_of, tag
from tacit.curator.record.stored_answer import Stored
from tacit.engines import Engine
from tacit.errors import EngineFailed, Exhausted, InvalidData, InvalidInput
from tacit.exact import Number, rekey, seal, unseal
from tacit.frozen import frozen
from tacit.ledger import Entry
from tacit.plan import Frame, Plan, in_words
from tacit.privacy import PureLoss, ZeroConcentratedLoss

__all__ = ["Watch", "WatchAnswer", "begin_watch"]


@frozen
class WatchAnswer:
    """One answer of a watch: the question in words, and whether its number was above the threshold."""

    question: str
    above: bool


def begin_watch(
    access: Access,
    *,
    threshold: Number,
    epsilon: Number,
    answers: int,
    monotone: bool | None,
    name: str,
) -> Watch:
    """The watch on these terms: the one that was begun before, or a new one that is paid for now.

    Claim:      the price of all answers is on record before any data are read; the noisy thresholds are drawn once, are
                on record before the first question, and are read by nobody without the vault's key.
    Because:    the order of the lines below; an entry keeps the first payload that it is settled with, and what is
                settled is sealed, bound to the watch's own name.
    Checked by: tests/laws/test_watch.py::test_a_watch_is_paid_for_once_and_before_rows_are_read and
                tests/laws/test_watch.py::test_another_process_goes_on_with_the_same_thresholds
    """
    if not isinstance(name, str) or not name.isprintable():
        raise InvalidInput("name", name, "give a name, as text that can be printed")
    if monotone is not None and not isinstance(monotone, bool):
        raise InvalidInput("monotone", monotone, "give True or False, or leave it out")
    secret = access.secret()  # a key that cannot be read is found out before anything is paid
    rule = access.rule
    charge = rule.price_of(epsilon)
    terms = watch_terms(access.policy.limit, threshold, rule.amount(charge), answers, monotone)
    said = {
        "name": name,
        "threshold": str(terms.threshold),
        "answers": terms.answers,
        "monotone": terms.mechanism.monotone,
    }
    key = _key(access, {**said, "amount": str(terms.amount)})
    about = (
        f"a watch of {terms.answers} answers: which numbers are above {float(terms.threshold):g}"
    )
    entry = access.ledger.charge(key, terms.loss, access.analyst, topic=key, about=about)  # pay
    if not entry.is_answered:
        rekey()
        drawn = [terms.mechanism.draw_threshold(0) for _ in range(terms.lines)]
        sealed = seal(secret, json.dumps(drawn).encode(), key)
        stored = _build_stored(terms, {**_terms_said(access), "watch": said})
        entry = access.ledger.settle(entry, _with_sealed(sealed, stored.to_bytes()))
    watch = Watch(access, terms, entry, name)
    log_answer("watched", watch.receipt, watch.price)
    return watch


class Watch:
    """A threshold with noise, with which one number after the other is compared; made by `Vault.watch`.

    Every question that is answered is on record before its answer is told, so that another process goes on where this
    one ended; the same question has the same answer and is not asked again.
    """

    def __init__(self, access: Access, terms: WatchTerms, entry: Entry, name: str) -> None:
        self._access, self._terms, self._entry, self._name = access, terms, entry, name
        self._lines = _read_sealed(access, entry)
        self._seen: dict[str, WatchAnswer] = {}
        self._given = self._asks = 0
        self._newest = entry.number
        self._one_at_a_time = threading.Lock()
        self._catch_up()

    def ask(self, question: str | Frame | Plan) -> bool:
        """Whether the number that a question asks for is above the threshold, both with noise; it costs nothing more.

        The question has one number, a COUNT or a SUM.  After the last "yes" that was paid for, `Exhausted` is raised.

        Claim:      an answer is on record before it is told, exactly one for every place in the line of questions, and
                    no more of them are positive than were paid for.
        Because:    the place is taken in the ledger before data are read; an entry keeps the first answer it is settled
                    with, and who comes second asks again at the next place; how many were positive is in each answer.
        Checked by: tests/laws/test_watch.py::test_no_more_answers_are_given_than_were_paid_for and
                    tests/laws/test_watch.py::test_two_who_ask_at_once_take_two_places
        """
        asked, compared = self._read(question)
        name = asked.name.key.hex()
        with self._one_at_a_time:
            self._catch_up()
            if name in self._seen:
                return self._seen[name].above
            engine = self._access.engine_of(asked.tables)
            while self._given < self._terms.answers:
                engine.dry_run(compared.question, compared.weights)
                entry = self._take_place()
                if not entry.is_answered:
                    rekey()
                    above = self._compare(engine, compared)  # look
                    self._settle(entry, asked, above)  # let go, once it is on record
                self._catch_up()
                if name in self._seen:
                    return self._seen[name].above
        raise Exhausted(
            f"all {self._terms.answers} answers of this watch were given; "
            "begin another with a name of its own (name=…), and pay again"
        )

    def error(
        self, question: str | Frame | Plan, *, confidence: Number = 0.95, asks: int = 100
    ) -> float:
        """How close to the threshold a number must be to be called wrongly, in so many questions; free."""
        _, compared = self._read(question)
        return float(self._terms.error(compared, confidence, asks))

    @property
    def left(self) -> int:
        """How many more times the watch can say that a number is above the threshold."""
        with self._one_at_a_time:
            self._catch_up()
            return self._terms.answers - self._given

    @property
    def answers(self) -> tuple[WatchAnswer, ...]:
        """Every question that was answered, oldest first."""
        with self._one_at_a_time:
            self._catch_up()
            return tuple(self._seen.values())

    @property
    def threshold(self) -> float:
        """What numbers are compared with."""
        return float(self._terms.threshold)

    @property
    def price(self) -> Price:
        """What the watch cost, for all its answers together."""
        return self._access.price_of(self._entry.charge, free=False)

    @property
    def receipt(self) -> dict[str, Any]:
        """The machine-readable guarantee."""
        return receipt_of(self._entry, read_stored(self._entry.payload or b""))

    def __repr__(self) -> str:
        of = f" {self._name!r}" if self._name else ""
        return (
            f"<watch{of}: above {self.threshold:g}; {self.left} of {self._terms.answers} answers left, "
            f"{len(self._seen)} questions asked; {self.price}>"
        )

    def _read(self, question: str | Frame | Plan) -> tuple[Asked, Compared]:
        """A question, proved and named, and what is compared of it; no data are looked at."""
        access, tables = self._access, self._access.read_tables()
        epsilon = access.rule.epsilon_of(self._entry.charge)
        plan: Plan
        if isinstance(question, str):
            read, own = read_question(access, question, tables, None, None)
            if own is not None:
                raise InvalidInput("epsilon", own, "remove it: a watch is paid for when it begins")
            if not isinstance(read, Plan):
                raise InvalidInput("a question", question, "a watch compares only one answer")
            plan = read
        else:
            plan = question.plan() if isinstance(question, Frame) else question
        asked = price_plan(access, plan, epsilon=epsilon, tables=tables)
        monotone = self._terms.mechanism.monotone
        return asked, compared_of(asked.plan, asked.shared, asked.limit, monotone=monotone)

    def _take_place(self) -> Entry:
        """The entry of the next place in the line of questions; it is part of what was paid for."""
        nothing = (
            ZeroConcentratedLoss(0, 0, self._terms.neighbours)
            if self._terms.concentrated
            else PureLoss(0, self._terms.neighbours)
        )
        place = self._asks
        return self._access.ledger.charge(
            tag(b"place", self._access.analyst, place, None, self._entry.key),
            nothing,
            self._access.analyst,
            topic=self._entry.key,
            about=f"question {place + 1} of a watch (entry {self._entry.number})",
        )

    def _compare(self, engine: Engine, compared: Compared) -> bool:
        """Whether the number is above the noisy threshold of this line; the exact one exists here and nowhere else."""
        exact = None
        with suppress(Exception):
            exact = engine.evaluate(compared.question, compared.weights)
        if exact is None:
            raise EngineFailed
        line = self._lines[self._given if len(self._lines) > 1 else 0]
        steps = compared.steps_above(int(exact[0, 0]), self._terms.threshold)
        return self._terms.mechanism.is_above(steps, line)

    def _settle(self, entry: Entry, asked: Asked, above: bool) -> None:
        """Put an answer on record."""
        words = one_line(in_words(asked.plan))
        said = {
            **describe(self._access, asked, asked.terms),
            "watch": {
                "entry": self._entry.number,
                "place": self._asks,
                "asked": words,
                "name": asked.name.key.hex(),
                "above": above,
                "given": self._given + above,
            },
        }
        self._access.ledger.settle(entry, _build_stored(self._terms, said).to_bytes())

    def _catch_up(self) -> None:
        """Read what was answered since, here or elsewhere."""
        fresh = []
        for entry in self._access.ledger.find_answered(self._entry.key):
            if entry.number <= self._newest:
                break
            fresh.append(entry)
        for entry in reversed(fresh):
            said = Stored.from_bytes(entry.payload or b"").asked["watch"]
            self._seen.setdefault(said["name"], WatchAnswer(said["asked"], said["above"]))
            self._asks, self._given = said["place"] + 1, said["given"]
            self._newest = entry.number


def _key(access: Access, said: Mapping[str, Any]) -> bytes:
    """What a watch is called in the ledger: by all of its terms, and by whose it is."""
    return tag(b"watch", access.analyst, 0, None, json.dumps(said, sort_keys=True).encode())


def _terms_said(access: Access) -> dict[str, Any]:
    """Under which policy a watch was begun."""
    limit = access.policy.limit
    return {
        "unit": access.policy.unit,
        "neighbours": limit.neighbours.value,
        "limit": {"epsilon": str(limit.epsilon), "delta": str(limit.delta)},
        "made up": access.made_up,
    }


def _build_stored(terms: WatchTerms, said: Mapping[str, Any]) -> Stored:
    """What the ledger keeps: nothing is measured."""
    scales = (terms.mechanism.threshold_scale, terms.mechanism.value_scale)
    return Stored(said, "AboveThreshold", (), scales, (), (), ())


def _with_sealed(sealed: bytes, payload: bytes) -> bytes:
    return b"\n".join((SEALED, sealed.hex().encode(), payload))


def _read_sealed(access: Access, entry: Entry) -> list[int]:
    """The noisy thresholds of a watch."""
    _, sealed, _ = (entry.payload or b"").split(b"\n", 2)
    try:
        opened = unseal(access.secret(), bytes.fromhex(sealed.decode()), entry.key)
    except InvalidData:
        raise InvalidData(
            "the noisy threshold of this watch cannot be opened: the vault's key is another one; "
            "restore watch.key from a backup, or begin another watch with a name of its own"
        ) from None
    lines: list[int] = json.loads(opened)
    return lines
