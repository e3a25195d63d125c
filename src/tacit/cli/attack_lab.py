"""`tacit lab`: the attacks on naive releases and on Tacit's, listed and run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from difflib import get_close_matches
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.current_vault import complete_attack
from tacit.cli.output import AsJson, patience, say
from tacit.errors import InvalidInput, NotInstalled

if TYPE_CHECKING:
    from tacit.audit import AttackReport

__all__ = ["lab"]


def lab(
    name: Annotated[
        str | None,
        typer.Argument(
            help="An attack, or `all`; without one, all are listed.",
            autocompletion=complete_attack,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the result to this file; with `all`, into this folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an attack on a naive release and on Tacit's, and compare both with theory.

    If a result departs from theory, the command says so and exits with code 1; by chance once in a million runs.
    """
    from tacit.audit import ATTACKS  # here, so that no other command waits for it

    if name is None:
        what = {name: _about(attack) for name, attack in ATTACKS.items()}
        lines = [f"  {name:<{max(map(len, what))}}  {about}" for name, about in what.items()]
        say(
            "\n".join([*lines, "", "Run one: tacit lab averaging. Run all: tacit lab all."]),
            what,
            as_json=as_json,
        )
        return
    names = list(ATTACKS) if name == "all" else [_check_attack(name, ATTACKS)]
    if plot is not None:
        _check(plot, into_folder=name == "all")
    reports = []
    with patience("attacking") as shown:
        for done, each in enumerate(names):
            shown.progress(done, len(names))
            reports.append(ATTACKS[each]())
    if plot is not None:
        _draw_reports(reports, plot, into_folder=name == "all")
    complaints = [complaint for report in reports for complaint in report.complaints()]
    text = "\n\n".join([*map(str, reports), *complaints])
    told = [_plain(report) for report in reports]
    say(text, told if name == "all" else told[0], as_json=as_json)
    if complaints:
        raise typer.Exit(1)


def _about(attack: object) -> str:
    """What an attack is, from the first line of its docstring."""
    return (getdoc(attack) or "").partition("\n")[0].removeprefix("The report on ")


def _check_attack(name: str, attacks: Collection[str]) -> str:
    if name not in attacks:
        close = get_close_matches(name, attacks, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise InvalidInput("attack", name, f"{hint}`tacit lab` lists them all")
    return name


def _check(plot: Path, *, into_folder: bool) -> None:
    """Refuse a picture that could not be written, before anything is run."""
    if not into_folder and (
        plot.suffix not in {".png", ".pdf", ".svg"} or not plot.parent.is_dir()
    ):
        raise InvalidInput(
            "plot", str(plot), "name a .png, .pdf or .svg file in a folder that exists"
        )


def _draw_reports(reports: list[AttackReport], plot: Path, *, into_folder: bool) -> None:
    if into_folder:
        plot.mkdir(parents=True, exist_ok=True)
    try:
        for report in reports:
            report.plot(str(plot / f"{report.name}.png" if into_folder else plot))
    except NotInstalled as missing:
        raise InvalidInput("plot", str(plot), f"{missing}") from None


def _plain(report: AttackReport) -> dict[str, Any]:
    """A report as JSON can hold it: what was measured and what theory says, without the lines of the picture."""
    rates = {"naive": report.naive, "tacit": report.tacit, **dict(report.also)}
    return {
        "attack": report.name,
        "question": report.question,
        "rates": {what: {"share": rate.share, **asdict(rate)} for what, rate in rates.items()},
        "allowed": report.allowed,
        "chance": report.chance,
        "complaints": report.complaints(),
        "sentence": report.sentence,
    }
