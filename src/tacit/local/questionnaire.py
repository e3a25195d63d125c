"""A questionnaire: what is asked, how each answer is randomised, and what a person pays in all."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.local.choose_protocol import best
from tacit.local.hadamard import HadamardResponse
from tacit.local.hybrid_mean import Hybrid
from tacit.local.local_hashing import LocalHashing
from tacit.local.mean_protocol import MeanProtocol
from tacit.local.protocol import FrequencyProtocol, Report, loss_of
from tacit.local.randomized_response import KaryResponse
from tacit.local.subset_selection import SubsetSelection
from tacit.local.unary_encoding import Unary
from tacit.privacy import PureLoss

__all__ = ["TEMPLATE", "Question", "Questionnaire", "read_questionnaire"]

_LISTED = 12  # answers that an error names
KINDS = ("binary", "choice", "number", "list")
PROTOCOLS: dict[str, Any] = {
    "k-ary": KaryResponse,
    "unary": Unary,
    "symmetric": Unary.symmetric,
    "local-hashing": LocalHashing,
    "hadamard": HadamardResponse,
    "subset": SubsetSelection,
}

TEMPLATE = """\
# A survey in the local model: every answer is randomised on the respondent's own device.
[survey]
name = "canteen"
title = "How do you like the canteen?"
people = 10000             # about how many will answer: it decides which protocol is best

[questions.vegetarian]
type = "binary"
text = "Are you a vegetarian?"
values = ["no", "yes"]
epsilon = 1

[questions.dish]
type = "choice"
text = "Which dish do you like best?"
values = ["soup", "salad", "pasta", "curry", "stew"]
epsilon = 1

[questions.spent]
type = "number"
text = "What do you spend on a lunch?"
low = 0
high = 20
epsilon = 1

[questions.town]
type = "list"              # a text, which must be one of a long list; or values_file = "towns.txt"
text = "Where do you live?"
values = ["Aarhus", "Bergen", "Cork", "Delft", "Espoo", "Fulda", "Ghent", "Hilo", "Ivrea", "Jena"]
epsilon = 1
"""
"""A questionnaire to start from."""


@frozen
class Question:
    """One question: its text, and the protocol that randomises its answers."""

    name: str
    text: str
    kind: str
    protocol: FrequencyProtocol | MeanProtocol

    def encode(self, answer: Any) -> Report:
        """A report of an answer as people type it."""
        if isinstance(self.protocol, MeanProtocol):
            return self.protocol.encode(_number(answer))
        return self.protocol.encode(answer if isinstance(answer, str) else str(answer))

    def describe(self) -> dict[str, Any]:
        """What a client needs to ask and to encode it."""
        told = {"name": self.name, "text": self.text, "kind": self.kind, **self.protocol.describe()}
        if isinstance(self.protocol, FrequencyProtocol):
            told["labels"] = [str(value) for value in self.protocol.values]
        return told


@frozen
class Questionnaire:
    """The questions of a survey, in order."""

    name: str
    title: str
    people: int
    questions: tuple[Question, ...]

    def loss(self) -> PureLoss:
        """What one person pays for answering all questions once.

        Claim:      the losses of the answers add up.
        Because:    each is randomised by coins of its own.
        Checked by: tests/unit/local/test_questionnaire.py::test_a_person_pays_the_sum_of_all_questions
        """
        ratio = Fraction(1)
        for question in self.questions:
            ratio *= question.protocol.ratio
        return loss_of(ratio)

    def describe(self) -> dict[str, Any]:
        """What a client needs to know, in JSON, with the digest that marks its reports."""
        told = {
            "survey": self.name,
            "title": self.title,
            "questions": [question.describe() for question in self.questions],
        }
        return {**told, "digest": _digest(told)}

    @property
    def digest(self) -> str:
        """Sixteen digits that change with everything that a client is told."""
        return str(self.describe()["digest"])

    def encode(self, answers: Mapping[str, Any]) -> dict[str, Report]:
        """A report of each answer; every question must have one."""
        missing = [each.name for each in self.questions if each.name not in answers]
        if missing:
            raise InvalidInput(
                "an answer",
                missing,
                "answer every question: leaving one out would also be an answer",
            )
        return {each.name: _encode(each, answers[each.name]) for each in self.questions}


def _encode(question: Question, answer: Any) -> Report:
    """A report of an answer; what cannot be encoded is refused by the name of its question."""
    try:
        return question.encode(answer)
    except (InvalidData, InvalidInput) as refusal:
        refusal.args = (f"question {question.name!r}: {refusal}{_known_answers(question)}",)
        raise


def _known_answers(question: Question) -> str:
    """The first answers of a question, as the end of a sentence; nothing of one that asks for a number."""
    if isinstance(question.protocol, MeanProtocol):
        return ""
    values = question.protocol.values
    listed = ", ".join(map(str, values[:_LISTED]))
    return f"; its answers are: {listed}{', …' if len(values) > _LISTED else ''}"


def read_questionnaire(path: str | Path) -> Questionnaire:
    """The questionnaire that a TOML file describes."""
    place = Path(path)
    try:
        written = tomllib.loads(place.read_text(encoding="utf-8"), parse_float=Fraction)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(
            "a questionnaire", str(place), f"it is not a TOML file: {error}"
        ) from None
    about = _table(written, "survey", {"name", "title", "people"})
    name = _text(about, "survey.name")
    people = count_of(about.get("people", 10_000), "survey.people", least=1)
    asked = written.get("questions")
    if not isinstance(asked, dict) or not asked:
        raise InvalidInput(
            "questions", asked, "write at least one table such as [questions.smokes]"
        )
    unknown = sorted(set(written) - {"survey", "questions"})
    if unknown:
        raise InvalidInput(
            "a table", unknown, "a questionnaire has [survey] and [questions.NAME] only"
        )
    questions = [_question(key, asked, people, place.parent) for key in asked]
    return Questionnaire(name, str(about.get("title", name)), people, tuple(questions))


def _question(name: str, asked: Mapping[str, Any], people: int, folder: Path) -> Question:
    keys = {"type", "text", "values", "values_file", "epsilon", "low", "high", "protocol"}
    told = _table(asked, name, keys)
    kind = told.get("type")
    if kind not in KINDS:
        raise InvalidInput(f"questions.{name}.type", kind, f"give one of {', '.join(KINDS)}")
    if "epsilon" not in told:
        raise InvalidInput(f"questions.{name}.epsilon", None, "say what an answer may cost")
    epsilon, text = told["epsilon"], str(told.get("text", name))
    if kind == "number":
        for end in ("low", "high"):
            if end not in told:
                raise InvalidInput(
                    f"questions.{name}.{end}", None, "declare the range of the number"
                )
        return Question(name, text, kind, Hybrid(told["low"], told["high"], epsilon))
    values = _values(name, told, kind, folder)
    return Question(
        name, text, kind, _protocol(name, told.get("protocol"), values, epsilon, people)
    )


def _protocol(
    name: str, wanted: object, values: tuple[str, ...], epsilon: Number, people: int
) -> FrequencyProtocol:
    if wanted is None:
        return best(values, epsilon, people).protocol
    if not isinstance(wanted, str) or wanted not in PROTOCOLS:
        raise InvalidInput(
            f"questions.{name}.protocol", wanted, f"give one of {', '.join(PROTOCOLS)}"
        )
    made: FrequencyProtocol = PROTOCOLS[wanted](values, epsilon)
    return made


def _values(name: str, told: Mapping[str, Any], kind: str, folder: Path) -> tuple[str, ...]:
    if "values_file" in told:
        lines = (folder / str(told["values_file"])).read_text(encoding="utf-8").splitlines()
        listed: Any = [line.strip() for line in lines if line.strip()]
    else:
        listed = told.get("values", ["no", "yes"] if kind == "binary" else None)
    if not isinstance(listed, list) or not all(isinstance(each, str) and each for each in listed):
        raise InvalidInput(
            f"questions.{name}.values", listed, "list the possible answers, as texts"
        )
    if kind == "binary" and len(listed) != 2:
        raise InvalidInput(f"questions.{name}.values", listed, "a binary question has two answers")
    return tuple(listed)


def _table(written: Mapping[str, Any], key: str, known: set[str]) -> Mapping[str, Any]:
    told = written.get(key)
    if not isinstance(told, dict):
        raise InvalidInput(f"[{key}]", told, "write it as a table")
    unknown = sorted(set(told) - known)
    if unknown:
        raise InvalidInput(f"a key of [{key}]", unknown, f"the keys are {', '.join(sorted(known))}")
    return told


def _text(told: Mapping[str, Any], key: str) -> str:
    given = told.get(key.rpartition(".")[2])
    if not isinstance(given, str) or not given:
        raise InvalidInput(key, given, "give a text")
    return given


def _number(answer: Any) -> Number:
    if isinstance(answer, str):
        try:
            return Fraction(answer.strip())
        except (ValueError, ZeroDivisionError):
            raise InvalidInput("an answer", "of another kind", "write a number in digits") from None
    number: Number = answer
    return number


def _digest(told: Mapping[str, Any]) -> str:
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
