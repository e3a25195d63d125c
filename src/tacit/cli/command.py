"""The `tacit` command: its parts, and what an error looks like.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from tacit.cli.ask import explain, mock, sql
from tacit.cli.attack_lab import lab
from tacit.cli.audit import auditing
from tacit.cli.current_vault import HereCommand
from tacit.cli.demo import demo, print_example
from tacit.cli.describe import describe
from tacit.cli.find_bounds import clipping, find_bounds, find_contributions
from tacit.cli.init import init
from tacit.cli.learn import learn
from tacit.cli.ledger_commands import books
from tacit.cli.open_docs import docs
from tacit.cli.server_commands import calibrate, people, reload, serve, tokens
from tacit.cli.survey import surveys
from tacit.cli.synthesize import marginals, synthesize
from tacit.cli.vault_commands import budget, check, refresh
from tacit.errors import (
    EngineFailed,
    InvalidInput,
    InvalidPolicy,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    TacitError,
)
from tacit.printing import json_text, printable_lines

__all__ = ["CODES", "app", "code_of", "main"]

app = typer.Typer(
    help="Tacit answers questions about everyone and stays silent about anyone.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
"""The command line: run `tacit --help`."""


def _print_version(wanted: bool) -> None:
    if wanted:
        # the package itself is not a room that this one may import, and is loaded anyway
        typer.echo(f"tacit {sys.modules['tacit'].__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Tacit answers questions about everyone and stays silent about anyone."""


for command in (init, check, describe, sql, explain, mock, budget):
    app.command()(command)
for about_table in (
    *(marginals, synthesize, learn, refresh),
    *(clipping, find_bounds, find_contributions),
):
    app.command(about_table.__name__.replace("_", "-"), cls=HereCommand)(about_table)
for shown in (demo, lab, docs):
    app.command()(shown)
app.command("example")(print_example)
app.add_typer(books, name="ledger")
app.add_typer(auditing, name="audit")
app.add_typer(surveys, name="survey")
for served in (serve, calibrate, reload):
    app.command()(served)
app.add_typer(people, name="user")
app.add_typer(tokens, name="token")


_ASKING = 'tacit sql VAULT "SELECT …" --epsilon 0.3'


def _ask(context: typer.Context) -> None:
    """There is no such command: ask with tacit sql VAULT "SELECT …" --epsilon 0.3; tacit sql --help says more."""
    raise InvalidInput("the command", context.info_name, f"did you mean: {_ASKING}?")


for looked_for in ("ask", "query", "select", "run"):
    app.command(
        looked_for,
        hidden=True,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(_ask)


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
    """Run the command; a refusal prints one sentence and sets the exit code, without a traceback."""
    try:
        app()
    except TacitError as refusal:
        _print_error(type(refusal).__name__, str(refusal))
        sys.exit(code_of(refusal))
    except OSError as error:
        # a file or a stream; what concerns the ledger or the rows is a refusal
        place = "the output" if error.filename is None else str(error.filename)
        why = (error.strerror or type(error).__name__).lower()
        _print_error(
            "OSError",
            f"{place} cannot be read or written ({why}); fix that, and run the same command again",
        )
        _let_go()
        sys.exit(2)


def _print_error(kind: str, message: str) -> None:
    if "--json" in sys.argv:
        typer.echo(json_text({"error": {"kind": kind, "message": message}}), err=True)
    else:
        typer.echo(printable_lines(f"tacit: {message}"), err=True)


def _let_go() -> None:
    """Give up an output that cannot be written: otherwise Python complains about it when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
