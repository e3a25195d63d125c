"""Reports as JSON lines: written by clients, read and counted by the collector, refused where they are none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, random_bits
from tacit.frozen import frozen
from tacit.local.frequencies import Frequencies
from tacit.local.mean_protocol import Mean, MeanProtocol
from tacit.local.questionnaire import Question, Questionnaire
from tacit.printing import printable

__all__ = [
    "Collected",
    "CollectedTable",
    "Refused",
    "collect_reports",
    "read_collected",
    "write_collected",
    "write_report",
    "write_reports",
]

LONGEST_LINE = 1 << 20
_AT_ONCE = 2048
_KEYS = {"survey", "digest", "id", "answers"}
_REFUSALS = ("malformed", "foreign", "out_of_domain", "duplicate")


@frozen
class Refused:
    """How many lines were no report of this survey, and why."""

    malformed: int = 0
    foreign: int = 0
    out_of_domain: int = 0
    duplicate: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.malformed + self.foreign + self.out_of_domain + self.duplicate

    def __str__(self) -> str:
        return (
            f"{self.total:,} lines refused ({self.malformed:,} malformed, {self.out_of_domain:,} out of "
            f"domain, {self.duplicate:,} duplicate, {self.foreign:,} of another survey)"
        )


@frozen
class Collected:
    """What was collected: an estimate for each question, and what was refused."""

    questionnaire: Questionnaire
    people: int
    refused: Refused
    estimates: tuple[tuple[str, Frequencies | Mean], ...]

    def estimate(self, question: str) -> Frequencies | Mean:
        """The estimate of one question."""
        for name, found in self.estimates:
            if name == question:
                return found
        raise InvalidInput("a question", question, "name one of the questionnaire")

    def table(self, question: str) -> CollectedTable:
        """The answers to one question as a table of a vault: `vault.with_survey(found.table("dish"))`."""
        found = self.estimate(question)
        if isinstance(found, Mean):
            raise InvalidInput(
                "a question", question, "it asks for a number, and has no table of answers"
            )
        return CollectedTable(question, found)

    def __str__(self) -> str:
        return self.show()

    def show(self, confidence: Number = 0.95) -> str:
        """All estimates with their intervals, as a text."""
        epsilon = float(self.questionnaire.loss().epsilon)
        head = f"{self.questionnaire.title}: {self.people:,} people, each at epsilon {epsilon:.4g} in all"
        texts = {question.name: question.text for question in self.questionnaire.questions}
        shown = [
            f"{printable(texts[name])}\n{found.show(confidence)}" for name, found in self.estimates
        ]
        return "\n\n".join([f"{printable(head)}\n{self.refused}", *shown])

    def plot(self, path: str | Path, confidence: Number = 0.95) -> None:
        """Draw all questions as bars with whiskers into a file."""
        from tacit.local.pictures import draw_panels

        panels: list[tuple[str, Any]] = []
        for question, (_, found) in zip(self.questionnaire.questions, self.estimates, strict=True):
            if isinstance(found, Mean):
                panels.append((question.text, [("mean", found.value, *found.interval(confidence))]))
            else:
                rows = found.table(confidence)
                panels.append((question.text, [(str(row[0]), *row[1:]) for row in rows]))
        draw_panels(path, panels)


@frozen
class CollectedTable:
    """The answers to one question of a survey, for a vault to answer questions about."""

    name: str
    frequencies: Frequencies

    @property
    def values(self) -> tuple[str, ...]:
        """The possible answers."""
        return tuple(map(str, self.frequencies.protocol.values))

    @property
    def promise(self) -> Mapping[str, Any]:
        """What was promised to who answered."""
        protocol = self.frequencies.protocol
        return {
            "protocol": type(protocol).__name__,
            "epsilon": protocol.epsilon,
            "ratio": str(protocol.ratio),
            "neighbours": "replace",
            "people": self.frequencies.people,
        }

    def estimates(self) -> Sequence[tuple[Fraction, Fraction]]:
        """For each answer the estimated count and its variance, at that count."""
        found, people = self.frequencies, self.frequencies.people
        counts = [found.count(value) for value in found.protocol.values]
        shares = [min(max(count / people, Fraction(0)), Fraction(1)) for count in counts]
        return [
            (count, people * found.protocol.variance(share))
            for count, share in zip(counts, shares, strict=True)
        ]


def write_report(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> str:
    """One person's answers, randomised, as a line of JSON with a random number of its own."""
    return next(write_reports(questionnaire, [answers]))


def write_reports(
    questionnaire: Questionnaire, people: Iterable[Mapping[str, Any]]
) -> Iterator[str]:
    """A line for each person."""
    name, digest = questionnaire.name, questionnaire.digest
    for answers in people:
        reports, number = questionnaire.encode(answers), f"{random_bits(128):032x}"
        line = {"survey": name, "digest": digest, "id": number, "answers": reports}
        yield json.dumps(line, separators=(",", ":"))


def write_collected(collected: Collected) -> str:
    """What was collected, as JSON: sums only, no report; and the tables that a policy file may name."""
    sums: dict[str, Any] = {}
    for name, found in collected.estimates:
        if isinstance(found, Mean):
            sums[name] = {"total": str(found.total), "squares": str(found.squares)}
        else:
            sums[name] = list(found.supports)
    refused = collected.refused
    kinds = {kind: getattr(refused, kind) for kind in _REFUSALS}
    digest = collected.questionnaire.digest
    told = {
        "digest": digest,
        "people": collected.people,
        "refused": kinds,
        "questions": sums,
        "tables": {
            name: _table(collected.table(name))
            for name, found in collected.estimates
            if not isinstance(found, Mean)
        },
    }
    return json.dumps(told, indent=1)


def _table(table: CollectedTable) -> dict[str, Any]:
    """A question's answers as a vault reads them: estimates and the promise, without the protocol."""
    counts, variances = zip(*table.estimates(), strict=True)
    return {
        "values": list(table.values),
        "counts": list(map(str, counts)),
        "variances": list(map(str, variances)),
        "promise": dict(table.promise),
    }


def read_collected(questionnaire: Questionnaire, text: str) -> Collected:
    """What was collected, from JSON; refused if it is of another questionnaire."""
    try:
        told = json.loads(text)
        if told["digest"] != questionnaire.digest:
            raise InvalidInput(
                "a collection",
                "of another survey",
                "give the questionnaire that it was collected with",
            )
        people, refused = int(told["people"]), Refused(**told["refused"])
        found = tuple(
            (each.name, _estimate(each, people, told["questions"][each.name]))
            for each in questionnaire.questions
        )
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InvalidInput):
            raise
        remedy = "give what `tacit survey collect --to` wrote"
        raise InvalidInput("a collection", "of another kind", remedy) from None
    return Collected(questionnaire, people, refused, found)


def _estimate(question: Question, people: int, sums: Any) -> Frequencies | Mean:
    if isinstance(question.protocol, MeanProtocol):
        return Mean(question.protocol, people, Fraction(sums["total"]), Fraction(sums["squares"]))
    supports = tuple(map(int, sums))
    if len(supports) != len(question.protocol.values):
        raise ValueError("another number of values")
    return Frequencies(question.protocol, people, supports)


def collect_reports(questionnaire: Questionnaire, lines: Iterable[bytes | str]) -> Collected:
    """What the lines say together; what is no report of this survey is counted and refused.

    Claim:      no line makes it fail, and only whole reports inside every question's domain are counted.
    Because:    a line is read as JSON of one shape, and each answer as its protocol reads reports.
    Checked by: tests/unit/local/test_collect_reports.py
    """
    gathering = _Gathering(questionnaire)
    for some in _pieces(lines):
        gathering.add(some)
    return gathering.finish()


class _Gathering:
    """Counts that grow line by line."""

    def __init__(self, questionnaire: Questionnaire) -> None:
        self.questionnaire = questionnaire
        self.digest = questionnaire.digest
        self.names = {question.name for question in questionnaire.questions}
        self.seen: set[bytes] = set()
        self.refused: Counter[str] = Counter()
        self.found: dict[str, Frequencies | Mean] = {}
        self.people = 0

    def add(self, lines: list[bytes | str]) -> None:
        """Count these lines."""
        read = [report for report in map(self._read, lines) if report is not None]
        arrays = self._arrays(read)
        if arrays is None:
            read = [report for report in read if self._fits(report)]
            arrays = self._arrays(read)
            assert arrays is not None
        kept = self._first(read)
        self.people += len(kept)
        if kept:
            places = np.array(kept, dtype=np.int64)
            for question, array in zip(self.questionnaire.questions, arrays, strict=True):
                self._count(question, array[places])

    def finish(self) -> Collected:
        """All that was counted."""
        if not self.people:
            raise InvalidData("no line is a report of this survey; collect some first")
        refused = Refused(
            *(self.refused[kind] for kind in ("malformed", "foreign", "out_of_domain", "duplicate"))
        )
        found = tuple((each.name, self.found[each.name]) for each in self.questionnaire.questions)
        return Collected(self.questionnaire, self.people, refused, found)

    def _read(self, line: bytes | str) -> dict[str, Any] | None:
        """A line as a report of the right shape; None where it is none, or empty."""
        if not line.strip():
            return None
        report: Any = None
        with suppress(
            ValueError, RecursionError
        ):  # what is no JSON is no report, and counted below
            report = json.loads(line) if len(line) <= LONGEST_LINE else None
        if not _is_report(report):
            self.refused["malformed"] += 1
            return None
        if (report["survey"], report["digest"]) != (self.questionnaire.name, self.digest):
            self.refused["foreign"] += 1
            return None
        if set(report["answers"]) != self.names:
            self.refused["malformed"] += 1
            return None
        return dict(report)

    def _arrays(self, reports: list[dict[str, Any]]) -> list[NDArray[Any]] | None:
        """All answers to each question; None where one is out of its domain."""
        try:
            return [
                question.protocol.read_reports(
                    [report["answers"][question.name] for report in reports]
                )
                for question in self.questionnaire.questions
            ]
        except InvalidData:
            return None

    def _fits(self, report: dict[str, Any]) -> bool:
        if self._arrays([report]) is not None:
            return True
        self.refused["out_of_domain"] += 1
        return False

    def _first(self, reports: list[dict[str, Any]]) -> list[int]:
        """The places of the reports whose number was not seen before."""
        kept = []
        for place, report in enumerate(reports):
            number = bytes.fromhex(report["id"])
            if number in self.seen:
                self.refused["duplicate"] += 1
            else:
                self.seen.add(number)
                kept.append(place)
        return kept

    def _count(self, question: Question, array: NDArray[Any]) -> None:
        new: Any = question.protocol.collect(array)
        before: Any = self.found.get(question.name)
        self.found[question.name] = new if before is None else before + new


def _is_report(report: Any) -> bool:
    if (
        not isinstance(report, dict)
        or set(report) != _KEYS
        or not isinstance(report["answers"], dict)
    ):
        return False
    number = report["id"]
    if not isinstance(number, str) or len(number) != 32:
        return False
    return all(letter in "0123456789abcdef" for letter in number)


def _pieces(lines: Iterable[bytes | str]) -> Iterator[list[bytes | str]]:
    rest = iter(lines)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
