"""`tacit audit …`: what a mechanism certainly gives away, measured."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.audit import SUBJECTS, Findings, Subject, subject_of
from tacit.cli.output import AsJson, say
from tacit.errors import InvalidInput, NotPrivate

__all__ = ["auditing"]

auditing = typer.Typer(help="Try to refute what a mechanism claims.", no_args_is_help=True)
"""The commands under `tacit audit`."""


@auditing.callback()
def _several() -> None:
    """Try to refute what a mechanism claims."""  # with a callback, a single command keeps its name


@auditing.command("mechanism")
def mechanism(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(SUBJECTS)}.")],
    epsilon: Annotated[str, typer.Option(help="What the mechanism claims to cost at most.", metavar="NUMBER")],
    delta: Annotated[str, typer.Option(help="For gaussian: its delta.", metavar="NUMBER")] = "0",
    neighbours: Annotated[str, typer.Option(help='"add-or-remove" or "replace".')] = "add-or-remove",
    samples: Annotated[int | None, typer.Option(help="Runs on each of two neighbours; else what is quick.")] = None,
    confidence: Annotated[str, typer.Option(help="How sure the bounds are.", metavar="NUMBER")] = "0.999999",
    plot: Annotated[Path | None, typer.Option(help="Draw what was found into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a mechanism on two neighbours many times, and certify how much it gives away at least.

    A mechanism that keeps its claim is refuted with probability at most 1 - CONFIDENCE.
    """
    subject = subject_of(name, _exact(epsilon), _exact(delta), neighbours)
    runs = samples if samples is not None else 10**6 if subject.quick else 10**4
    found = subject.audit(runs, _exact(confidence))
    if plot is not None:
        found.plot(plot)
    say(f"{found}\n{_compared(subject, found)}", _told(subject, found), as_json=as_json)
    if found.refuted or found.epsilon > subject.exact:
        raise NotPrivate(f"{name} gives away more than it claims: release nothing with it, and report this")


def _compared(subject: Subject, found: Findings) -> str:
    """How much of the exact figure the audit showed."""
    if subject.mu is not None:
        share = Fraction(found.mu) / subject.mu
        return f"  the pair's exact mu is {float(subject.mu):.4f}: the audit shows {float(share):.1%} of it"
    exact = subject.exact
    share = Fraction(found.epsilon) / exact if exact else Fraction(1)
    return f"  the pair's exact epsilon is {float(exact):.4f}: the audit shows {float(share):.1%} of it"


def _told(subject: Subject, found: Findings) -> dict[str, Any]:
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
