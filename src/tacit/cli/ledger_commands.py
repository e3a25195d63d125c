"""`tacit ledger …`: what was charged, whether the record is whole, and how to take over one that was moved.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.arguments import Folder, to_write
from tacit.cli.current_vault import HereCommand
from tacit.cli.output import AsJson, patience, say
from tacit.curator import Vault, adopt_ledger, open_vault
from tacit.errors import InvalidData, InvalidInput
from tacit.printing import json_text, printable

__all__ = ["books"]

books = typer.Typer(help="List, check and export the record of charges.", no_args_is_help=True)
"""The commands under `tacit ledger`."""

_A_RECEIPT = "give a file with one receipt, as `tacit sql --receipt FILE` writes it"


@books.command("list")
def listed(
    vault: Folder = Path(),
    last: Annotated[int, typer.Option(help="How many entries to show, the newest last.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the charges: when, who asked what, and at what price."""
    with _open_vault(vault) as opened:
        entries = [_entry_fields(opened, entry) for entry in opened.ledger.entries()][
            -max(1, last) :
        ]
    say(_table(entries) if entries else "Nothing has been charged yet.", entries, as_json=as_json)


def _table(entries: list[dict[str, Any]]) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text  # which reads no mark-up

    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for name, side in (
        ("entry", "right"),
        ("when (UTC)", "left"),
        ("who", "left"),
        ("price", "right"),
        ("state", "left"),
    ):
        table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("question", overflow="fold")
    for each in entries:
        cells = (
            str(each["entry"]),
            each["at"][:16].replace("T", " "),
            each["analyst"] or "–",
            f"{each['share']:.2%}",
            each["state"],
        )
        table.add_row(*(Text(printable(cell)) for cell in (*cells, each["about"])))
    return table


@books.command("show", cls=HereCommand)
def show(
    vault: Folder,
    entry: Annotated[
        int, typer.Argument(help="The number of an entry, as `tacit ledger list` shows it.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show one charge in full."""
    with _open_vault(vault) as opened:
        found = next((each for each in opened.ledger.entries() if each.number == entry), None)
        if found is None:
            raise InvalidInput(
                "entry", entry, "give the number of a charge, as `tacit ledger list` shows it"
            )
        told = _entry_fields(opened, found) | {"key": found.key.hex(), "hash": found.hash.hex()}
        if found.payload is not None:
            told["answer"] = opened.look_up(found)
    share = {"share": f"{told['share']:.2%} of the limit"}
    lines = [line for name, value in (told | share).items() for line in _lines(name, value)]
    say("\n".join(lines), told, as_json=as_json)


@books.command("verify", cls=HereCommand)
def verify(
    vault: Folder,
    receipt: Annotated[
        list[Path] | None, typer.Argument(help="Receipts to check against the ledger.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the whole ledger: its chain, its sums, its answers and its anchor; and receipts against it."""
    with (
        patience("checking the ledger") as shown,
        open_vault(vault, progress=shown.progress) as opened,
    ):
        opened.verify(shown.progress)
        count = sum(1 for _ in opened.ledger.entries())
        faults = {str(path): opened.check_receipt(_read_receipt(path)) for path in receipt or []}
        budget = opened.budget
    wrong = {path: found for path, found in faults.items() if found}
    said = (
        f"The ledger is intact: {count:,} charges, chained and anchored; {budget.spent:.1%} of the "
        "limit is spent."
    )
    lines = [said, *(f"{path}: {_verdict(found)}" for path, found in faults.items())]
    told = {"charges": count, "spent": budget.spent, "receipts": faults}
    say("\n".join(lines), told, as_json=as_json)
    if wrong:
        told_wrong = "; ".join(f"{path}: {_verdict(found)}" for path, found in wrong.items())
        raise InvalidData(f"{told_wrong}; find out where it comes from")


@books.command("export")
def export(
    vault: Folder = Path(),
    to: Annotated[Path | None, typer.Option(help="A file, instead of the screen.")] = None,
) -> None:
    """Write every record of the ledger as a line of JSON, for auditors and backups."""
    to_write(to, "--to")
    with _open_vault(vault) as opened:
        lines = [json_text(record) for record in opened.records()]
    text = "".join(f"{line}\n" for line in lines)
    if to is None:
        typer.echo(text, nl=False)
    else:
        to.write_text(text, encoding="utf-8")


@books.command("adopt", cls=HereCommand)
def adopt(
    vault: Folder,
    why: Annotated[
        str,
        typer.Option(
            help="The reason, in a few words; it is recorded.", prompt="Why is it adopted"
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Accept a ledger that was moved, restored or created again, as it is.

    Charges made after it was copied are lost: do this only if you know that there were none.
    """
    adopt_ledger(vault, why)
    say(
        "The ledger is adopted, and that is recorded in it.",
        {"adopted": True, "why": why},
        as_json=as_json,
    )


def _open_vault(vault: Path) -> Vault:
    with patience("checking the ledger") as shown:
        return open_vault(vault, progress=shown.progress)


def _entry_fields(vault: Vault, entry: Any) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "at": entry.at,
        "analyst": entry.analyst,
        "share": float(vault.policy.limit.filter().share(entry.charge)),
        "charge": {"amount": str(entry.charge.amount), "failure": str(entry.charge.failure)},
        "state": "answered" if entry.is_answered else "charged",
        "about": entry.about,
    }


def _verdict(faults: list[str]) -> str:
    return "kept by the ledger" if not faults else "; ".join(f"it {fault}" for fault in faults)


def _lines(name: str, value: object, depth: int = 0) -> Iterator[str]:
    """A field in full: one line, or one for each of the fields and entries in it."""
    start = "  " * depth + f"{name}:"
    match value:
        case dict():
            yield start
            for inner, entry in value.items():
                yield from _lines(inner, entry, depth + 1)
        case list() if all(isinstance(entry, str) for entry in value) and value:
            yield start
            yield from ("  " * (depth + 1) + entry for entry in value)
        case list():
            yield f"{start:<10} {json.dumps(value)}"
        case _:
            yield f"{start:<10} {'–' if value is None else value}"


def _read_receipt(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidInput(
            "receipt", str(path), "name a file that exists and that you may read"
        ) from None
    except ValueError:
        raise InvalidData(f"{path} is not JSON; {_A_RECEIPT}") from None
    if not isinstance(found, dict):
        raise InvalidData(f"{path} is JSON, but not an object; {_A_RECEIPT}")
    return found
