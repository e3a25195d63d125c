"""Commands on the vault of the current folder, and names that the shell can complete.

Checked by: tests/unit/cli/test_current_vault.py
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand

__all__ = [
    "HereCommand",
    "complete_analyst",
    "complete_attack",
    "complete_mechanism",
    "complete_table",
]

_POLICY = "tacit.toml"


class HereCommand(TyperCommand):
    """A command whose first argument is a vault: where it is left out, the one in the current folder is meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What the command is given; with the current folder before it, where an argument would be missing."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as wrong:
            missing = type(wrong).__name__ == "MissingParameter"
            if not missing or not isinstance(wrong.param, TyperArgument):
                raise
            if not Path(_POLICY).exists():
                raise
        ctx.params.clear()
        return super().parse_args(ctx, [".", *given])


def complete_table(ctx: typer.Context, incomplete: str) -> list[str]:
    """The tables of the vault that begin like this."""
    return _beginning(incomplete, _policy_of(ctx).get("tables", {}))


def complete_analyst(ctx: typer.Context, incomplete: str) -> list[str]:
    """The analysts of the vault that begin like this."""
    return _beginning(incomplete, _policy_of(ctx).get("analysts", {}))


def complete_attack(incomplete: str) -> list[str]:
    """The attacks that begin like this."""
    from tacit.audit import ATTACKS

    return _beginning(incomplete, [*ATTACKS, "all"])


def complete_mechanism(incomplete: str) -> list[str]:
    """The mechanisms that begin like this."""
    from tacit.audit import SUBJECTS

    return _beginning(incomplete, SUBJECTS)


def _beginning(incomplete: str, names: Any) -> list[str]:
    return [str(name) for name in names if str(name).startswith(incomplete)]


def _policy_of(ctx: typer.Context) -> dict[str, Any]:
    """What the policy file of the named vault says, or of the current folder's; nothing if it cannot be read."""
    named = ctx.params.get("vault") or ctx.params.get("source") or "."
    for place in (Path(named), Path()):
        file = place / _POLICY if place.is_dir() else place
        try:
            return tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
    return {}
