"""Surveys that a policy file names: what `tacit survey collect --to` wrote, as tables of the vault."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.curator.policy.toml_sections import Refused, Section
from tacit.frozen import frozen

__all__ = ["StoredSurvey", "read_surveys"]

_SOURCE = 'write the path of what `tacit survey collect --to` wrote, as in source = "canteen.json"'
_QUESTION = 'write the name of a question of the survey, as in question = "dish"'
_MOST = 1 << 26  # bytes of a file


@frozen
class StoredSurvey:
    """One question of a collected survey: its answers, their estimated counts, and what was promised.

    >>> survey = StoredSurvey("dish", ("soup",), ((Fraction(7), Fraction(2)),), {"epsilon": 1.0})
    >>> survey.estimates()
    ((Fraction(7, 1), Fraction(2, 1)),)
    """

    name: str
    values: tuple[str, ...]
    found: tuple[tuple[Fraction, Fraction], ...]
    promise: Mapping[str, Any]

    def estimates(self) -> Sequence[tuple[Fraction, Fraction]]:
        """For each answer the estimated count and its variance."""
        return self.found


def read_surveys(
    section: Section, tables: Mapping[str, object], locate: Callable[[str], Path]
) -> dict[str, StoredSurvey]:
    """The surveys of a policy file by their names; what is wrong with one is a fault of its section."""
    found = {}
    for name, inner in section.inners():
        inner.only(("source", "question"))
        if name in tables:
            inner.fault(None, "a table has the same name", "give one of them another name")
        tables_of_source = inner.take("source", lambda value: _read_source(value, locate), _SOURCE)
        question = inner.take("question", _text) if inner.has("question") else name
        if tables_of_source is None or question is None:
            continue
        if question not in tables_of_source:
            asked = ", ".join(tables_of_source) or "none that has a list of answers"
            inner.fault("question", f"it is {question!r}", f"name one of its questions: {asked}")
            continue
        try:
            found[name] = _survey(name, tables_of_source[question])
        except (ValueError, KeyError, TypeError, ZeroDivisionError):
            inner.fault("source", "it is not a collected survey", _SOURCE)
    return found


def _read_source(value: Any, locate: Callable[[str], Path]) -> Mapping[str, Any]:
    """The tables that a collection holds."""
    file = locate(_text(value, _SOURCE))
    try:
        if file.stat().st_size > _MOST:
            raise Refused(_SOURCE, f"{str(file)!r} is too large")
        tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
    except OSError:
        raise Refused(_SOURCE, f"there is no file {str(file)!r}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(
            "collect the reports again with `tacit survey collect --to`",
            f"{str(file)!r} is not a collected survey",
        ) from None
    if not isinstance(tables, dict):
        raise Refused(_SOURCE, f"{str(file)!r} is not a collected survey")
    return tables


def _survey(name: str, table: Mapping[str, Any]) -> StoredSurvey:
    values = tuple(table["values"])
    counts, variances = map(Fraction, table["counts"]), map(Fraction, table["variances"])
    found = tuple(zip(counts, variances, strict=True))
    promise = dict(table["promise"])
    if not values or len(found) != len(values) or len(set(values)) != len(values):
        raise ValueError("each answer has one count")
    if any(not isinstance(each, str) for each in values) or any(each < 0 for _, each in found):
        raise ValueError("answers are texts, and variances not below zero")
    if not float(promise["epsilon"]) > 0:
        raise ValueError("a promise has an epsilon")
    return StoredSurvey(name, values, found, promise)


def _text(value: Any, remedy: str = _QUESTION) -> str:
    if not isinstance(value, str) or not value:
        raise Refused(remedy)
    return value
