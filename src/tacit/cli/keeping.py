"""`tacit init`, `check`, `refresh` and `budget`: what a curator does with a vault."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.output import AsJson, patience, say
from tacit.curator import Budget, compared, open_vault, policy_text, read_policy
from tacit.errors import InvalidInput

__all__ = ["budget", "check", "init", "refresh"]

Folder = Annotated[Path, typer.Argument(help="The vault: a directory with a tacit.toml.")]


def init(
    vault: Annotated[Path, typer.Argument(help="The directory to make.")],
    source: Annotated[list[Path], typer.Option(help="A Parquet, CSV or DuckDB file; may be given several times.")],
    unit: Annotated[str | None, typer.Option(help='The column that says whose a row is, or "row".')] = None,
    contributions: Annotated[int | None, typer.Option(help="How many rows of one unit count in full.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="The limit of all answers together.", metavar="NUMBER")] = None,
    answers: Annotated[int | None, typer.Option(help="About how many answers you expect to give.")] = None,
    delta: Annotated[str | None, typer.Option(help="0, or a small probability; else chosen by --answers.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a vault: a directory with a commented policy, from the schema of your files and never from their rows.

    What it cannot know (bounds, public values, who is protected) it leaves for you to fill in, and `tacit check` says
    what is missing.
    """
    file = vault / "tacit.toml"
    if file.exists():
        raise InvalidInput("vault", str(vault), "it has a tacit.toml already; name another directory")
    limit = _number(epsilon or _asked("The limit of all answers together (epsilon)", "3"), "epsilon")
    many = answers if answers is not None else int(_asked("About how many answers do you expect to give", "50"))
    choice = compared(limit, many)
    chosen = _number(delta, "delta") if delta is not None else choice.delta
    text = policy_text(source, folder=vault, unit=unit, contributions=contributions, epsilon=limit, delta=chosen)
    vault.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    told = {"policy": str(file), "epsilon": str(limit), "delta": str(chosen), "why": str(choice)}
    say(f"{choice}\n\nWritten: {file}\nFill in what it asks for, then: tacit check {vault}", told, as_json=as_json)


def check(vault: Folder, as_json: AsJson = False) -> None:
    """Check the policy, the sources' schemas and the whole ledger."""
    document = read_policy(vault / "tacit.toml")
    with patience("checking the ledger") as shown, open_vault(vault, progress=shown.progress) as opened:
        left = opened.budget.left
    unit = document.policy.unit
    tables = {
        name: _table(unit if shared.table.unit else None, shared.contributions)
        for name, shared in document.policy.tables.items()
    }
    lines = [f"  {name}: {told}" for name, told in tables.items()]
    limit = document.policy.limit
    head = f"The policy and the ledger are sound: {left:.1%} of epsilon {float(limit.epsilon):g} is left."
    say("\n".join([head, *lines]), {"sound": True, "left": left, "tables": tables}, as_json=as_json)


def refresh(
    vault: Folder,
    table: Annotated[str, typer.Argument(help="The table whose source has changed.")],
    as_json: AsJson = False,
) -> None:
    """Say that a table's source has changed: its answers are no longer replayed. The limit goes on."""
    with open_vault(vault) as opened:
        version = opened.refresh(table)
    say(f"{table} is now at version {version}.", {"table": table, "version": version}, as_json=as_json)


def budget(
    vault: Folder,
    analyst: Annotated[str | None, typer.Option(help="Also show what is left to this analyst.")] = None,
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


def _table(unit: str | None, contributions: int) -> str:
    return "each row is protected" if unit is None else f"all rows of one {unit}, held at {contributions}"


def _asked(text: str, usual: str) -> str:
    """The answer of whoever sits at the terminal; where nobody does, the option has to say it."""
    if not sys.stdin.isatty():
        option = "--answers" if "answers" in text else "--epsilon"
        raise InvalidInput(option, None, f"give it as an option: {option} {usual}")
    answer: str = typer.prompt(text, default=usual)
    return answer


def _number(text: str, name: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(name, text, "write a number in digits, such as 3") from None
