"""The `tacit` command: its parts, and what an error looks like."""

import json
import sys

import typer

from tacit.cli.asking import explain, mock, sql
from tacit.cli.auditing import auditing
from tacit.cli.books import books
from tacit.cli.demo import demo
from tacit.cli.keeping import budget, check, init, refresh
from tacit.errors import (
    EngineFailed,
    InvalidPolicy,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    TacitError,
)

__all__ = ["CODES", "app", "code_of", "main"]

app = typer.Typer(
    help="Tacit answers questions about everyone and stays silent about anyone.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
"""The command line: run `tacit --help`."""

for command in (init, check, sql, explain, mock, budget, refresh, demo):
    app.command()(command)
app.add_typer(books, name="ledger")
app.add_typer(auditing, name="audit")

CODES: dict[type[TacitError], int] = {
    LimitExceeded: 3,
    InvalidPolicy: 4,
    LedgerRefused: 5,
    LedgerBusy: 5,
    LedgerUnavailable: 5,
    EngineFailed: 6,
}
"""The exit codes of refusals; every other is 2."""


def code_of(refusal: TacitError) -> int:
    """The exit code of a refusal.

    >>> code_of(EngineFailed())
    6
    """
    return next((code for kind, code in CODES.items() if isinstance(refusal, kind)), 2)


def main() -> None:
    """Nothing; but the command is run, and a refusal is one sentence and an exit code, not a traceback."""
    try:
        app()
    except TacitError as refusal:
        if "--json" in sys.argv:
            kind = type(refusal).__name__
            typer.echo(json.dumps({"error": {"kind": kind, "message": str(refusal)}}, ensure_ascii=False), err=True)
        else:
            typer.echo(f"tacit: {refusal}", err=True)
        sys.exit(code_of(refusal))
