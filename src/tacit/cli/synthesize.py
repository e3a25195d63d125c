"""`tacit synthesize` and `tacit marginals`: many questions at once, on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.arguments import Folder, number, to_draw, to_write
from tacit.cli.current_vault import complete_analyst, complete_table
from tacit.cli.output import AsJson, patience, plain, say
from tacit.curator import open_vault
from tacit.errors import InvalidInput
from tacit.progress import watch_progress

__all__ = ["marginals", "synthesize"]

Tables = Annotated[
    str, typer.Argument(help="The table, as the policy names it.", autocompletion=complete_table)
]
Price = Annotated[str, typer.Option(help="What the whole release may cost.", metavar="NUMBER")]
Analyst = Annotated[
    str | None,
    typer.Option(
        help="The analyst who asks, as named in the policy.", autocompletion=complete_analyst
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(help="A column to include; by default all columns with values or bounds."),
]


def synthesize(
    vault: Folder,
    table: Tables,
    epsilon: Price,
    out: Annotated[Path, typer.Option(help="Write the rows into this .parquet or .csv file.")],
    rows: Annotated[
        int | None,
        typer.Option(help="How many rows to draw; by default about as many as the table has."),
    ] = None,
    column: Column = None,
    always: Annotated[
        list[str] | None,
        typer.Option(help='A public rule that all rows satisfy, such as "discharged >= admitted".'),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the expected errors into this file.")
    ] = None,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """Write a synthetic table: rows that look like the table's own and belong to nobody.

    More rows of the same table are free, and the same command writes the same rows.
    """
    if out.suffix not in {".parquet", ".csv"}:
        raise InvalidInput("--out", str(out), "name a file that ends in .parquet or .csv")
    to_write(out, "--out")
    to_draw(plot, "--plot")
    with (
        open_vault(vault, analyst=analyst) as opened,
        patience("learning the table") as line,
        watch_progress(line.watch),
    ):
        price = number(epsilon, "--epsilon")
        found = opened.synthesize(table, epsilon=price, columns=column, always=always or ())
        (found.to_csv if out.suffix == ".csv" else found.to_parquet)(out, rows)
        report = found.report()
    if plot is not None:
        report.plot(str(plot))
    made = len(found) if rows is None else rows
    wrote = f"Wrote {made:,} rows of {len(found.columns)} columns to {out}."
    fields = {
        "table": table,
        "rows": made,
        "file": str(out),
        "columns": list(found.columns),
        "not modelled": list(found.not_modelled),
        "mean error of pairs": report.mean_error,
        "warnings": list(report.warnings),
        "free": found.price.free,
        "receipt": dict(found.receipt),
    }
    say(f"{found}\n\n{report}\n\n{wrote}", fields, as_json=as_json)


def marginals(
    vault: Folder,
    table: Tables,
    epsilon: Price,
    ways: Annotated[int, typer.Option(help="The largest number of columns in one marginal.")] = 2,
    column: Column = None,
    show: Annotated[
        str | None, typer.Option(help="Show one of them: its columns, separated by commas.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="The probability that an interval contains the exact value.")
    ] = 0.95,
    analyst: Analyst = None,
    as_json: AsJson = False,
) -> None:
    """Release the counts of all combinations of a few columns, with intervals, at one price."""
    with open_vault(vault, analyst=analyst) as opened, patience("counting"):
        price = number(epsilon, "--epsilon")
        found = opened.marginals(
            table, ways=ways, epsilon=price, columns=column, confidence=confidence
        )
        if show is not None:
            answer = found.table(show.split(","))
    if show is not None:
        say(answer, plain(answer), as_json=as_json)
        return
    fields = {
        "marginals": [list(names) for names in found.names],
        "free": found.price.free,
        "receipt": dict(found.receipt),
    }
    say(found, fields, as_json=as_json)
