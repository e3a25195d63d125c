"""`tacit check`, `refresh` and `budget`: what a curator does with a vault.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.arguments import Folder
from tacit.cli.current_vault import complete_analyst, complete_table
from tacit.cli.output import AsJson, patience, say
from tacit.curator import (
    Budget,
    Shared,
    check_rights,
    how_cells_are_read,
    inspect_rows,
    open_vault,
)
from tacit.errors import InvalidInput
from tacit.plan import Kind

__all__ = ["budget", "check", "refresh"]

_OTHERWISE = "a cell that is written otherwise counts as NULL, and no answer says how many do"

_GRANT = "grant it SELECT on the columns of the policy and USAGE on the schema, and nothing else"


def check(
    vault: Folder = Path(),
    rows: Annotated[
        bool,
        typer.Option("--rows", help="Also count how the rows are read; the result is NOT private."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the policy, the schemas of the sources and the whole ledger; with --rows also how every cell is read.

    The result of --rows is exact and not private: it is only for the curator.
    """
    with (
        patience("checking the ledger") as shown,
        open_vault(vault, progress=shown.progress) as opened,
    ):
        opened.verify(shown.progress)
        policy, left, declared = opened.policy, opened.budget.left, opened.declared()
    rights = check_rights(vault)
    if rights.missing:
        raise InvalidInput("the database role", "; ".join(rights.missing), _GRANT)
    tables = {
        name: "public: nobody is protected"
        if shared.table.public
        else _table(policy.unit if shared.table.unit else None, shared.contributions)
        for name, shared in policy.tables.items()
    }
    open_columns = {
        name: missing for name in policy.tables if (missing := _open_columns(declared[name]))
    }
    lines, cells = [], how_cells_are_read(vault)
    for name, words in tables.items():
        lines += [f"  {name}: {words}", *_advise(open_columns.get(name, {}))]
        if name in cells:
            lines.append(f"    a text file {cells[name]}; {_OTHERWISE}")
    head = (
        f"The policy and the ledger are valid: {left:.1%} of the limit (epsilon "
        f"{float(policy.limit.epsilon):g}) is left."
    )
    lines += [f"  more rights than needed: the database role {each}" for each in rights.excess]
    told: dict[str, object] = {"sound": True, "left": left, "tables": tables}
    if open_columns:
        told["undeclared"] = open_columns
    if rights.excess:
        told["excess_rights"] = list(rights.excess)
    if not rows:
        sooner = ", before the first question" if cells else ""
        after = (
            f"No row was read; to see how the rows are read{sooner}: tacit check "
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
    """Declare that a table's source has changed: its answers are no longer replayed. The limit stays the same."""
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


def _open_columns(shared: Shared) -> dict[str, list[str]]:
    """The columns of a table about people for which the policy declares no values, or no bounds."""
    if shared.table.public:
        return {}
    columns = shared.table.columns
    found = {
        "values": [each.name for each in columns if each.kind is Kind.TEXT and not each.values],
        "bounds": [
            each.name
            for each in columns
            if each.kind not in (Kind.TEXT, Kind.BOOLEAN) and each.low is None and not each.values
        ],
    }
    return {what: names for what, names in found.items() if names}


def _advise(found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What cannot be asked about the columns without values or bounds, and what to declare."""
    if "values" in found:
        yield (
            f"    without declared values: {', '.join(found['values'])}; a group by one is shown only if it is large, "
            "so declare values = [...], or another type if these are numbers or dates in a text file"
        )
    if "bounds" in found:
        yield (
            f"    without bounds: {', '.join(found['bounds'])}; to sum, average or group by one, declare "
            "low = ... and high = ..."
        )


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
        f"at most {contributions} row{'' if contributions == 1 else 's'} in full"
        if contributions is not None
        else "contributions to be estimated"
    )
    return "every row is protected by itself" if unit is None else f"all rows of one {unit}, {held}"
