"""`tacit sql FILE "SELECT …"`: one private answer from a file, on the command line."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.curator import Release, protect
from tacit.errors import TacitError

__all__ = ["app", "column_option", "main", "sql"]

app = typer.Typer(
    help="Tacit answers questions about everyone and stays silent about anyone.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
"""The command line: run `tacit --help`."""

REFUSED = 2
"""The exit code of a refusal."""


@app.callback()
def _tacit() -> None:
    """Tacit answers questions about everyone and stays silent about anyone."""


@app.command("sql")
def sql(
    source: Annotated[Path, typer.Argument(help="A Parquet, CSV or DuckDB file; the table is named after it.")],
    question: Annotated[str, typer.Argument(help="What is asked, in SQL.")],
    unit: Annotated[str, typer.Option(help='The column that says whose a row is, or "row".')],
    epsilon: Annotated[float, typer.Option(help="What the answer may cost.")],
    column: Annotated[
        list[str] | None,
        typer.Option(help="A column: ward=A,B,C (public keys), cost=0..5000 (a range), age:integer=0..120, note:text."),
    ] = None,
    contributions: Annotated[int | None, typer.Option(help="How many rows of one unit count in full.")] = None,
    delta: Annotated[float, typer.Option(help="0 for pure differential privacy, or a small probability.")] = 0.0,
    neighbours: Annotated[str, typer.Option(help='"add-or-remove" or "replace".')] = "add-or-remove",
    confidence: Annotated[float, typer.Option(help="The probability with which intervals hold.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Ask one question of a file and spend all of EPSILON on it.

    Nothing is remembered between two calls: whoever may call this may ask again.
    """
    columns = dict(column_option(text) for text in column or [])
    vault = protect(
        source,
        unit=unit,
        contributions=contributions,
        columns=columns,
        epsilon=Fraction(str(epsilon)),
        delta=Fraction(str(delta)),
        neighbours=neighbours,
    )
    answer = vault.sql(question, epsilon=Fraction(str(epsilon)), confidence=confidence)
    typer.echo(_json(answer) if as_json else str(answer))


def column_option(text: str) -> tuple[str, Any]:
    """The column that a `--column` option declares.

    >>> column_option("cost=0..5000")
    ('cost', (0, 5000))
    >>> column_option("ward=A,B")
    ('ward', ['A', 'B'])
    >>> column_option("age:integer=0..120")
    ('age', {'type': 'integer', 'low': 0, 'high': 120})
    """
    left, _, right = text.partition("=")
    name, _, kind = left.partition(":")
    spec: dict[str, Any] = {"type": kind} if kind else {}
    if ".." in right:
        low, _, high = right.partition("..")
        spec |= {"low": _number(low), "high": _number(high)}
    elif right:
        values = right.split(",")
        spec["values"] = [_number(value) for value in values] if kind in ("integer", "number") else values
    if not kind and "low" in spec:
        return name, (spec["low"], spec["high"])
    if not kind and "values" in spec:
        return name, spec["values"]
    return name, spec or None


def _number(text: str) -> Fraction | int:
    try:
        exact = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"{text!r} is not a number; write a range as cost=0..5000") from None
    return exact.numerator if exact.denominator == 1 else exact


def _json(answer: Release) -> str:
    shown = {"rows": list(answer), "confidence": answer.confidence, "receipt": dict(answer.receipt)}
    return json.dumps(shown, default=str, ensure_ascii=False)


def main() -> None:
    """Nothing; but the command is run, and a refusal is one sentence and an exit code, not a traceback."""
    try:
        app()
    except TacitError as refusal:
        typer.echo(f"tacit: {refusal}", err=True)
        sys.exit(REFUSED)
