"""`tacit describe`: what may be asked, from the policy alone.

Checked by: tests/unit/cli/test_describe.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.current_vault import complete_table
from tacit.cli.output import AsJson, say
from tacit.curator import open_vault

__all__ = ["describe"]


def describe(
    vault: Annotated[
        str, typer.Argument(help="The vault, or a table of the vault in the current folder.")
    ] = "",
    table: Annotated[
        str | None, typer.Argument(help="One of its tables.", autocompletion=complete_table)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List tables and columns, and how each can be used. This is free, and no data are read."""
    place = Path(vault)
    if table is None and vault and not place.exists() and Path("tacit.toml").exists():
        place, table = Path(), vault
    with open_vault(place) as opened:
        told = opened.describe(table)
    say(told, {"columns": list(told.columns), "rows": list(told)}, as_json=as_json)
