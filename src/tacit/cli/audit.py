"""`tacit audit …`: what a mechanism certainly gives away, measured; what a question claims, chased."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tacit.cli.current_vault import complete_mechanism
from tacit.cli.output import AsJson, say
from tacit.curator import open_vault
from tacit.errors import InvalidInput, NotPrivate

if TYPE_CHECKING:
    from tacit.audit import Findings, Subject

__all__ = ["auditing"]


class _Group(TyperGroup):
    """Commands by name; what is none of them is a question, so that `tacit audit VAULT "SELECT …"` reads as it is."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is meant, and what it is given."""
        named = args and args[0] in self.commands
        return super().resolve_command(
            ctx, args if named or args[0].startswith("-") else ["question", *args]
        )


auditing = typer.Typer(
    cls=_Group,
    help="Try to refute the privacy claim of a mechanism or of a question.",
    no_args_is_help=True,
)
"""The commands under `tacit audit`."""


@auditing.command("question")
def question(
    source: Annotated[
        str, typer.Argument(metavar="VAULT", help="The vault; by default the current folder.")
    ],
    asked: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The question, in SQL.")
    ] = None,
    pairs: Annotated[
        int, typer.Option(help="How many pairs of neighbouring tables to generate.")
    ] = 400,
    world: Annotated[int, typer.Option(help="A seed for the generated tables.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Try to refute the privacy claim of one question, on generated tables. This is free and reads no data."""
    place, text = (".", source) if asked is None else (source, asked)
    with open_vault(Path(place)) as vault:
        found = vault.audit(text, pairs=pairs, world=world)
    closest = {
        each.relation.value: {"share_of_claim": each.share, "measure": each.measure}
        for each in found.closest
    }
    told = {
        "pairs": found.pairs,
        "compared": found.compared,
        "closest": closest,
        "fault": found.fault,
    }
    say(found, told, as_json=as_json)
    if not found.held:
        raise NotPrivate(
            "this question reveals more than it claims: do not ask it, and report this as a bug"
        )


@auditing.command("mechanism")
def mechanism(
    name: Annotated[
        str,
        typer.Argument(
            help="Such as laplace, gaussian or noisy-max; any other word lists all.",
            autocompletion=complete_mechanism,
        ),
    ],
    epsilon: Annotated[
        str, typer.Option(help="The epsilon that the mechanism claims.", metavar="NUMBER")
    ],
    delta: Annotated[str, typer.Option(help="For gaussian: its delta.", metavar="NUMBER")] = "0",
    neighbours: Annotated[
        str, typer.Option(help='"add-or-remove" or "replace".')
    ] = "add-or-remove",
    samples: Annotated[
        int | None,
        typer.Option(help="Runs on each of two neighbours; by default a number that is quick."),
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="The confidence of the bounds.", metavar="NUMBER")
    ] = "0.999999",
    plot: Annotated[Path | None, typer.Option(help="Draw the result to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a mechanism many times on two neighbours, and certify a lower bound on what it reveals.

    A mechanism that keeps its claim is refuted with probability at most 1 - CONFIDENCE.
    """
    from tacit.audit import subject_of  # here, so that no other command waits for it

    subject = subject_of(name, _exact(epsilon), _exact(delta), neighbours)
    runs = samples if samples is not None else 10**6 if subject.quick else 10**4
    found = subject.audit(runs, _exact(confidence))
    if plot is not None:
        found.plot(plot)
    say(f"{found}\n{_compare(subject, found)}", _findings_fields(subject, found), as_json=as_json)
    if found.refuted or found.epsilon > subject.exact:
        raise NotPrivate(
            f"{name} reveals more than it claims: release nothing with it, and report this as a bug"
        )


def _compare(subject: Subject, found: Findings) -> str:
    """How much of the exact figure the audit showed."""
    if subject.mu is not None:
        share = Fraction(found.mu) / subject.mu
        return f"  the pair's exact mu is {float(subject.mu):.4f}: the audit shows {float(share):.1%} of it"
    exact = subject.exact
    share = Fraction(found.epsilon) / exact if exact else Fraction(1)
    return f"  the pair's exact epsilon is {float(exact):.4f}: the audit shows {float(share):.1%} of it"


def _findings_fields(subject: Subject, found: Findings) -> dict[str, Any]:
    witness = found.witness
    return {
        "mechanism": subject.name,
        "pair": [str(data) for data in found.pair],
        "samples": found.samples,
        "confidence": float(found.confidence),
        "delta": float(found.delta),
        "epsilon_at_least": found.epsilon,
        "mu_at_least": found.mu,
        "claimed_epsilon": float(subject.claimed),
        "exact_epsilon": float(subject.exact),
        "exact_mu": None if subject.mu is None else float(subject.mu),
        "refuted": found.refuted,
        "witness": {
            "event": str(witness.event),
            "favours": witness.event.favours,
            "runs": witness.runs,
            "hits": witness.hits,
            "alarms": witness.alarms,
        },
    }


def _exact(text: str) -> Fraction:
    """A number as it is written, without a detour through floats."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput("a number", text, "write it in digits, such as 0.3") from None
