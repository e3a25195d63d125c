"""`tacit sql`, `tacit explain` and `tacit mock`: questions, on the command line.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.arguments import number, to_draw, to_write
from tacit.cli.column_options import column_option, format_option
from tacit.cli.current_vault import complete_analyst
from tacit.cli.output import AsJson, patience, plain, say
from tacit.curator import Explanation, Release, Vault, open_vault, protect
from tacit.errors import InvalidInput, MissingFile
from tacit.printing import printable

__all__ = ["explain", "mock", "sql"]

Asked = Annotated[str | None, typer.Argument(help="The question, in SQL.", metavar="QUESTION")]
Source = Annotated[
    str | None,
    typer.Argument(
        metavar="VAULT",
        help="The vault. Leave it out to ask the one in the current folder.",
    ),
]
Epsilon = Annotated[str | None, typer.Option(help="The price of the answer.", metavar="NUMBER")]
Within = Annotated[
    str | None,
    typer.Option(help="The error to allow, instead of a price.", metavar="NUMBER"),
]
Confidence = Annotated[
    float, typer.Option(help="The probability that an interval contains the exact value.")
]
Analyst = Annotated[
    str | None,
    typer.Option(
        help="The analyst who asks, as named in the policy.", autocompletion=complete_analyst
    ),
]


def sql(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="VAULT",
            help="A vault, or a Parquet, CSV or DuckDB file whose table is named after it. "
            "Leave it out to ask the vault in the current folder.",
        ),
    ] = None,
    question: Asked = None,
    epsilon: Epsilon = None,
    within: Within = None,
    confidence: Confidence = 0.95,
    analyst: Analyst = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Do not clamp noisy numbers; negative counts stay negative."),
    ] = False,
    receipt: Annotated[Path | None, typer.Option(help="Write the receipt to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the answer to this file.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help='For a file: the column that identifies the unit, such as patient, or "row".'
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="For a file: ward=A,B,C (public keys), cost=0..5000 (a range), age:integer=0..120, note:text."
        ),
    ] = None,
    contributions: Annotated[
        int | None, typer.Option(help="For a file: how many rows of one unit count in full.")
    ] = None,
    keys: Annotated[
        int | None, typer.Option(help="For a file: how many undeclared keys of one unit count.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="For a file: 0, or a small probability.", metavar="NUMBER")
    ] = None,
    neighbours: Annotated[
        str | None, typer.Option(help='For a file: "add-or-remove" or "replace".')
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="How the answer is printed: table, csv, json or markdown. Given once more, how the text file that is "
            'asked is written, as in --format "separator=;".',
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask one question about a vault or a file.

    With a file, all of EPSILON is spent on this question, and no ledger is kept: whoever can run this can ask again.
    """
    given = {
        "unit": unit,
        "column": column,
        "contributions": contributions,
        "keys": keys,
        "delta": delta,
        "neighbours": neighbours,
        "format": [each for each in form or [] if each not in _PRINTED] or None,
    }
    printed = [each for each in form or [] if each in _PRINTED]
    to_write(receipt, "--receipt")
    to_draw(plot, "--plot")
    place, question = _place_and_question("sql", source, question)
    vault = _of_file(place, epsilon, given) if _is_file(place) else _of_vault(place, analyst, given)
    with vault, patience("asking"):
        answer = vault.sql(question, confidence=confidence, **_price(epsilon, within), raw=raw)
    # first, since it is paid for
    say(
        _PRINTED[printed[-1]](answer) if printed else answer,
        plain(answer),
        as_json=as_json or printed[-1:] == ["json"],
    )
    _save(answer, receipt, plot)
    if analyst is None and vault.policy.analysts and not answer.price.free and not as_json:
        typer.echo(_no_analyst(vault.policy.analysts), err=True)


def explain(
    source: Source = None,
    question: Asked = None,
    epsilon: Epsilon = None,
    within: Within = None,
    confidence: Confidence = 0.95,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """Show what an answer would contain and cost. This is free, and no data are read."""
    vault, question = _place_and_question("explain", source, question)
    with open_vault(vault, analyst=analyst) as opened:
        told = opened.explain(question, confidence=confidence, **_price(epsilon, within))
    say(told, _explanation_fields(told), as_json=as_json)


def mock(
    source: Source = None,
    question: Asked = None,
    epsilon: Epsilon = None,
    within: Within = None,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Ask a copy of the vault with made-up rows, to write and try questions. This is free and reveals nothing."""
    vault, question = _place_and_question("mock", source, question)
    with open_vault(vault) as opened, opened.mock() as twin:
        answer = twin.sql(question, confidence=confidence, **_price(epsilon, within))
    say(answer, plain(answer), as_json=as_json)


def _place_and_question(command: str, source: str | None, question: str | None) -> tuple[Path, str]:
    """Where to ask, and what: a single argument is a question to the vault of the current folder.

    One that is a vault, or a file of rows, is no question.
    """
    if source is not None and question is not None:
        return Path(source), question
    if source is None or _is_place(source):
        place = "" if source is None else f" {shlex.quote(source)}"
        raise InvalidInput(
            "the question",
            None,
            f"write: tacit {command}{place} 'SELECT COUNT(*) AS n FROM …' --epsilon 0.3",  # noqa: S608 -- it is shown
        )
    return Path(), source


def _is_place(text: str) -> bool:
    """Whether a text is the name of something that is there: a vault, a policy, or a file of rows."""
    try:
        place = Path(text)
        return (place / "tacit.toml").is_file() or place.is_file() or place.is_dir()
    except (OSError, ValueError):  # too long to be a name
        return False


_PRINTED: dict[str, Callable[[Release], object]] = {
    "table": lambda answer: answer,
    "csv": lambda answer: answer.to_csv().replace("\r\n", "\n").rstrip("\n"),
    "json": lambda answer: answer,
    "markdown": Release.to_markdown,
}
"""The ways to print an answer."""


def _is_file(source: Path) -> bool:
    """Whether a path is meant as a file of rows: it is one, or it has the ending of one; a policy is none."""
    if source.is_dir() or source.suffix == ".toml":
        return False
    return source.is_file() or source.suffix in {".parquet", ".csv", ".duckdb"}


def _of_vault(source: Path, analyst: str | None, given: Mapping[str, Any]) -> Vault:
    for name, value in given.items():
        if value:
            raise InvalidInput(
                f"--{name}", value, "the policy of a vault sets this; remove the option"
            )
    return open_vault(source, analyst=analyst)


def _no_analyst(names: Collection[str]) -> str:
    """What is said where analysts have limits of their own, and nobody says who asks."""
    listed = printable(", ".join(sorted(names)[:5]) + (", …" if len(names) > 5 else ""))
    said = "No analyst was named, so only the common limit was charged"
    return f"{said}; to charge an analyst as well: --analyst NAME ({listed})"


_WILD = set("*?[")
"""What a pattern of several files is known by."""


def _of_file(source: Path, epsilon: str | None, given: Mapping[str, Any]) -> Vault:
    if epsilon is None:
        remedy = (
            "set the price of the answer, such as --epsilon 0.5: it is the only limit for a file"
        )
        raise InvalidInput("--epsilon", None, remedy)
    if not _WILD & set(str(source)) and not source.exists():
        raise MissingFile(f"there is no file {str(source)!r}; check the path")
    if given["unit"] is None:
        raise InvalidInput(
            "--unit",
            None,
            'name the column that identifies a person, such as "patient", or "row" to '
            "protect single rows",
        )
    columns = dict(column_option(text) for text in given["column"] or [])
    return protect(
        source,
        unit=str(given["unit"]),
        contributions=given["contributions"],
        keys=given["keys"],
        columns=columns,
        epsilon=number(epsilon, "--epsilon"),
        delta=number(given["delta"] or "0", "--delta"),
        neighbours=str(given["neighbours"] or "add-or-remove"),
        format=dict(map(format_option, given["format"])) if given["format"] else None,
    )


def _price(epsilon: str | None, within: str | None) -> dict[str, Any]:
    """What an answer may cost, or how far it may be off: whatever of the two is given."""
    given = {"epsilon": epsilon, "within": within}
    return {name: number(text, f"--{name}") for name, text in given.items() if text is not None}


def _save(answer: Release, receipt: Path | None, plot: Path | None) -> None:
    if receipt is not None:
        receipt.write_text(json.dumps(dict(answer.receipt), indent=2) + "\n", encoding="utf-8")
    if plot is not None:
        answer.plot(str(plot))


def _explanation_fields(told: Explanation) -> dict[str, object]:
    return {
        "words": told.words,
        "unit": told.unit,
        "neighbours": told.neighbours,
        "contributions": told.contributions,
        "groups": told.groups,
        "expected": [
            {"measure": each.measure, "noise": each.noise, "reach": each.reach}
            for each in told.expected
        ],
        "means": [
            {"column": each.column, "rows": each.rows, "reach": each.reach} for each in told.means
        ],
        "confidence": told.confidence,
        "share": told.share,
        "left": told.left,
        "affordable": told.affordable,
        "free": told.free,
        "paid": told.paid,
        "halving": told.halving,
        "left_out": [each.sentence for each in told.left_out],
        "remarks": list(told.remarks),
    }
