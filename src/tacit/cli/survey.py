"""`tacit survey …`: a survey in which every answer is randomised before it leaves its owner.

Checked by: tests/unit/local/test_survey_page.py::test_a_survey_by_the_command_line
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.output import AsJson, say
from tacit.errors import InvalidData, InvalidInput

if TYPE_CHECKING:
    from tacit.local import Collected

__all__ = ["surveys"]

surveys = typer.Typer(
    help="Run a survey in which answers are randomised on the respondents' own devices.",
    no_args_is_help=True,
)
"""The commands under `tacit survey`."""

Questions = Annotated[
    Path, typer.Argument(metavar="SURVEY", help="The questionnaire, a TOML file.")
]


@surveys.command("new")
def new(
    survey: Questions,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Also write a web page that asks the questions and randomises the answers."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a questionnaire to start from; an existing one is checked and not changed."""
    from tacit.local import TEMPLATE, read_questionnaire, survey_page

    if not survey.exists():
        survey.write_text(TEMPLATE, encoding="utf-8")
    read = read_questionnaire(survey)
    if page is not None:
        page.write_text(survey_page(read), encoding="utf-8")
    epsilon = float(read.loss().epsilon)
    lines = [f"{read.title}: {len(read.questions)} questions, {epsilon:.4g} in all for each person"]
    for question in read.questions:
        kind = type(question.protocol).__name__
        lines.append(f"  {question.name}: {kind} at epsilon {question.protocol.epsilon:.4g}")
    told = {
        "survey": read.name,
        "digest": read.digest,
        "epsilon": epsilon,
        "questions": {each.name: each.protocol.epsilon for each in read.questions},
    }
    say("\n".join(lines), told, as_json=as_json)


@surveys.command("encode")
def encode(
    survey: Questions,
    answers: Annotated[
        Path | None,
        typer.Argument(help="A CSV file with a column for each question, or JSON lines."),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(help="One person's answers: NAME=ANSWER, once for each question."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Write the reports to this file; by default to the screen.")
    ] = None,
) -> None:
    """Randomise answers, a line of JSON for each person. This is what a person's own device does."""
    from tacit.local import read_questionnaire, write_reports

    read = read_questionnaire(survey)
    names = [each.name for each in read.questions]
    people = _read_typed_answers(answer) if answer else _people(answers, names)
    place = ""

    def answering() -> Iterator[dict[str, Any]]:
        nonlocal place
        for place, given in people:  # noqa: B007 -- it is said where something is wrong
            yield given

    out = sys.stdout if to is None else to.open("w", encoding="utf-8")
    try:
        out.writelines(f"{line}\n" for line in write_reports(read, answering()))
    except (InvalidData, InvalidInput) as refusal:
        refusal.args = (f"{place}{refusal}",)
        raise
    finally:
        if to is not None:
            out.close()


@surveys.command("collect")
def collect(
    survey: Questions,
    reports: Annotated[list[Path], typer.Argument(help="Files with a report in each line.")],
    to: Annotated[
        Path | None, typer.Option(help="Write the collected reports to this file, as JSON.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the reports; lines that are not reports of this survey are counted and refused."""
    from tacit.local import collect_reports, read_questionnaire, write_collected

    found = collect_reports(read_questionnaire(survey), _lines(reports))
    if to is not None:
        to.write_text(write_collected(found), encoding="utf-8")
    refused = found.refused
    kinds = ("malformed", "out_of_domain", "duplicate", "foreign")
    told = {"people": found.people, "refused": {kind: getattr(refused, kind) for kind in kinds}}
    text = f"{found.people:,} reports; {refused}"
    say(text, told, as_json=as_json)


@surveys.command("report")
def report(
    survey: Questions,
    collected: Annotated[Path, typer.Argument(help="What `tacit survey collect --to` wrote.")],
    confidence: Annotated[
        str, typer.Option(help="The confidence of the intervals.", metavar="NUMBER")
    ] = "0.95",
    plot: Annotated[
        Path | None, typer.Option(help="Draw bars with whiskers into this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print an estimate with its interval for every answer."""
    from tacit.local import read_collected, read_questionnaire

    found = read_collected(read_questionnaire(survey), collected.read_text(encoding="utf-8"))
    wanted = _confidence(confidence)
    if plot is not None:
        found.plot(plot, wanted)
    say(found.show(wanted), _tables(found, wanted), as_json=as_json)


def _tables(found: Collected, confidence: float) -> dict[str, Any]:
    from tacit.local import Mean

    told: dict[str, Any] = {}
    for name, estimate in found.estimates:
        if isinstance(estimate, Mean):
            low, high = estimate.interval(confidence)
            told[name] = {"mean": estimate.value, "low": low, "high": high}
        else:
            rows = estimate.table(confidence)
            told[name] = [
                {"answer": value, "count": count, "low": low, "high": high}
                for value, count, low, high in rows
            ]
    return {"people": found.people, "confidence": confidence, "questions": told}


def _confidence(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput("confidence", text, "write it in digits, such as 0.95") from None


def _read_typed_answers(pairs: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One person's answers, as they were typed, and where: nowhere."""
    if any("=" not in pair for pair in pairs):
        raise InvalidInput("an answer", "without a name", "write it as NAME=ANSWER")
    yield "", {name: given for name, _, given in (pair.partition("=") for pair in pairs)}


def _people(file: Path | None, names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everybody's answers to the questions of these names, from a file, each with its place in it."""
    if file is None:
        raise InvalidInput("answers", None, "name a file, or give --answer NAME=ANSWER")
    with file.open(encoding="utf-8", newline="") as lines:
        if file.suffix.lower() == ".csv":
            people = csv.DictReader(lines)
            header = list(people.fieldnames or ())
            if missing := [name for name in names if name not in header]:
                raise InvalidInput(
                    "answers",
                    str(file),
                    f"it has no column {' and no column '.join(missing)}; it has: {', '.join(header) or 'none'}; every "
                    "question needs a column of its name",
                )
            for row in people:
                yield f"line {people.line_num}: ", row
            return
        for number, line in enumerate(lines, 1):
            try:
                given = json.loads(line)
            except ValueError:
                given = None
            if not isinstance(given, dict):
                raise InvalidInput(
                    "line", number, "write one person's answers in it, as a JSON object"
                )
            yield f"line {number}: ", given


def _lines(files: list[Path]) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as lines:
            yield from lines
