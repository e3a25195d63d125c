"""`tacit find-bounds`, `find-contributions` and `clipping`: what the policy leaves open or cuts off, privately.

Checked by: tests/unit/cli/test_commands.py
"""

from __future__ import annotations

from typing import Annotated

import typer

from tacit.cli.arguments import Folder, number
from tacit.cli.current_vault import complete_analyst, complete_table
from tacit.cli.output import AsJson, patience, say
from tacit.curator import Interval, open_vault

__all__ = ["clipping", "find_bounds", "find_contributions"]

Price = Annotated[str, typer.Option(help="The price of the estimate.", metavar="NUMBER")]
Analyst = Annotated[
    str | None,
    typer.Option(
        help="The analyst who asks, as named in the policy; the estimate then applies "
        "to the questions of this analyst only.",
        autocompletion=complete_analyst,
    ),
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an earlier estimate.")]


def find_bounds(
    vault: Folder,
    column: Annotated[
        str, typer.Argument(help="A column that declares no bounds, such as visits.cost.")
    ],
    epsilon: Price,
    share: Annotated[
        str, typer.Option(help="About this share of the rows should lie within the bounds.")
    ] = "0.98",
    analyst: Analyst = None,
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Estimate the bounds of a column, at a price. Later questions clip the column to them."""
    with open_vault(vault, analyst=analyst) as opened, patience("finding"):
        price, part = number(epsilon, "--epsilon"), number(share, "--share")
        found = opened.find_bounds(column, epsilon=price, share=part, replace=replace)
    told = {
        "column": found.column,
        "low": float(found.low),
        "high": float(found.high),
        "reach": found.reach,
    }
    told["needed"] = found.needed
    say(found, told | {"free": found.price.free, "receipt": dict(found.receipt)}, as_json=as_json)


def find_contributions(
    vault: Folder,
    table: Annotated[
        str,
        typer.Argument(
            help="A table that declares no contributions.", autocompletion=complete_table
        ),
    ],
    epsilon: Price,
    share: Annotated[
        str, typer.Option(help="About this share of the units should have no more rows.")
    ] = "0.95",
    analyst: Analyst = None,
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Estimate how many rows of a unit should count in full, at a price. Later questions use the estimate."""
    with open_vault(vault, analyst=analyst) as opened, patience("finding"):
        price, part = number(epsilon, "--epsilon"), number(share, "--share")
        found = opened.find_contributions(table, epsilon=price, share=part, replace=replace)
    told = {"table": found.table, "contributions": found.contributions, "reach": found.reach}
    told["needed"] = found.needed
    say(found, told | {"free": found.price.free, "receipt": dict(found.receipt)}, as_json=as_json)


def clipping(
    vault: Folder,
    table: Annotated[
        str, typer.Argument(help="A table, such as visits.", autocompletion=complete_table)
    ],
    epsilon: Price,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much is clipped by contributions and bounds, at a price. Later captions report it."""
    with open_vault(vault, analyst=analyst) as opened, patience("measuring"):
        found = opened.clipping(table, epsilon=number(epsilon, "--epsilon"))
    shares = {name: _share(share) for name, share in found.columns.items()}
    units = None if found.units is None else _share(found.units)
    told = {
        "table": found.table,
        "contributions": found.contributions,
        "units": units,
        "columns": shares,
    }
    more = {
        "confidence": found.confidence,
        "free": found.price.free,
        "receipt": dict(found.receipt),
    }
    say(found, told | more, as_json=as_json)


def _share(share: Interval) -> dict[str, float]:
    return {"share": share.value, "low": share.low, "high": share.high}
