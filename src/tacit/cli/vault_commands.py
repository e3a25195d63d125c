"""`tacit init`, `check`, `refresh` and `budget`: what a curator does with a vault.

Checked by: tests/unit/cli/test_commands.py
"""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.arguments import Folder, number
from tacit.cli.here import complete_analyst, complete_table
from tacit.cli.output import AsJson, patience, say
from tacit.curator import Budget, compare_limits, inspect_rows, open_vault, policy_text
from tacit.errors import InvalidInput

__all__ = ["budget", "check", "init", "refresh"]

_USUAL = 100  # answers, where it is decided already whether there is a delta


def init(
    vault: Annotated[Path, typer.Argument(help="The directory to create.")],
    source: Annotated[
        list[Path], typer.Option(help="A Parquet, CSV, JSON lines or DuckDB file; can be repeated.")
    ],
    unit: Annotated[
        str | None,
        typer.Option(help='The column that identifies the unit, such as patient, or "row".'),
    ] = None,
    public: Annotated[
        list[Path] | None,
        typer.Option(help="A file about nobody, to join with, such as codes; can be repeated."),
    ] = None,
    contributions: Annotated[
        int | None, typer.Option(help="How many rows of one unit count in full.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The limit of all answers together.", metavar="NUMBER")
    ] = None,
    answers: Annotated[
        int | None, typer.Option(help="About how many answers you expect to give.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="0, or a small probability; else chosen by --answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a vault: a directory with a commented policy, from the schema of your files and never from their rows.

    What it cannot know (bounds, public values, who is protected) it leaves for you to fill in, and `tacit check` says
    what is missing.
    """
    file = vault / "tacit.toml"
    if file.exists():
        raise InvalidInput(
            "vault", str(vault), "it has a tacit.toml already; name another directory"
        )
    if vault.exists() and not vault.is_dir():
        raise InvalidInput(
            "vault",
            str(vault),
            "it is a file; name a directory to create, and your files with --source",
        )
    limit = number(
        epsilon or _ask_person("--epsilon", "The limit of all answers together (epsilon)", "3"),
        "--epsilon",
    )
    many = answers if answers is not None else _USUAL if delta is not None else _many()
    choice = compare_limits(limit, many)
    chosen = number(delta, "--delta") if delta is not None else choice.delta
    text = policy_text(
        source,
        folder=vault,
        public=public or (),
        unit=unit,
        contributions=contributions,
        epsilon=limit,
        delta=chosen,
        answers=many,
    )
    try:
        vault.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        why = (
            f"it cannot be created ({str(error.strerror).lower()}); name a directory where you may "
            "write"
        )
        raise InvalidInput("vault", str(vault), why) from None
    told = {"policy": str(file), "epsilon": str(limit), "delta": str(chosen), "why": str(choice)}
    then = f'Replace every "?" in it, then run: tacit check {shlex.quote(str(vault))}'
    say(f"{choice}\n\nWritten: {file}\n{then}", told, as_json=as_json)


def check(
    vault: Folder = Path(),
    rows: Annotated[
        bool,
        typer.Option(
            "--rows", help="Also count what becomes of the rows; the result is NOT private."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the policy, the sources' schemas and the whole ledger; with --rows also what becomes of every cell.

    What --rows says is exact, and not private: it is for the curator alone.
    """
    with (
        patience("checking the ledger") as shown,
        open_vault(vault, progress=shown.progress) as opened,
    ):
        opened.verify(shown.progress)
        policy, left = opened.policy, opened.budget.left
    tables = {
        name: _table(policy.unit if shared.table.unit else None, shared.contributions)
        for name, shared in policy.tables.items()
    }
    lines = [f"  {name}: {told}" for name, told in tables.items()]
    head = (
        f"The policy and the ledger are valid: {left:.1%} of the limit (epsilon "
        f"{float(policy.limit.epsilon):g}) is left."
    )
    told: dict[str, object] = {"sound": True, "left": left, "tables": tables}
    if not rows:
        after = (
            "No row was read; to see what becomes of the rows: tacit check "
            f"{shlex.quote(str(vault))} --rows"
        )
        say("\n".join([head, *lines, after]), told, as_json=as_json)
        return
    found = inspect_rows(vault)
    say(f"{head}\n{found}", told | {"not_private": found.counts()}, as_json=as_json)


def refresh(
    vault: Folder,
    table: Annotated[
        str,
        typer.Argument(help="The table whose rows have changed.", autocompletion=complete_table),
    ],
    as_json: AsJson = False,
) -> None:
    """Say that a table's source has changed: its answers are no longer replayed. The limit goes on."""
    with open_vault(vault) as opened:
        version = opened.refresh(table)
    say(
        f"{table} is now at version {version}.",
        {"table": table, "version": version},
        as_json=as_json,
    )


def budget(
    vault: Folder = Path(),
    analyst: Annotated[
        str | None,
        typer.Option(help="Also show what this analyst has left.", autocompletion=complete_analyst),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is spent and what is left, as a bar."""
    with open_vault(vault, analyst=analyst) as opened:
        found = opened.budget
    say(found, _plain(found), as_json=as_json)


def _plain(found: Budget) -> dict[str, object]:
    told: dict[str, object] = {
        "epsilon": found.epsilon,
        "delta": found.delta,
        "spent": found.spent,
        "left": found.left,
    }
    return told if found.own is None else told | {"own": _plain(found.own)}


def _table(unit: str | None, contributions: int | None) -> str:
    held = (
        f"at most {contributions} rows in full"
        if contributions is not None
        else "contributions to be estimated"
    )
    return "every row is protected by itself" if unit is None else f"all rows of one {unit}, {held}"


def _many() -> int:
    """How many answers are expected, by whoever sits at the terminal."""
    text = _ask_person("--answers", "About how many answers do you expect to give", "50")
    many = number(text, "--answers", "write a whole number in digits, such as 50")
    if many.denominator != 1:
        raise InvalidInput("--answers", text, "write a whole number in digits, such as 50")
    return many.numerator


def _ask_person(option: str, text: str, usual: str) -> str:
    """The answer of whoever sits at the terminal; where nobody does, the option has to say it."""
    if not sys.stdin.isatty():
        raise InvalidInput(option, None, f"give it as an option: {option} {usual}")
    answer: str = typer.prompt(text, default=usual)
    return answer
