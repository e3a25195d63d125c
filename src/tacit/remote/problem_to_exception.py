"""Problems that a server sent, as the same exceptions that a vault here would raise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tacit.errors import (
    AccessDenied,
    AllowanceExceeded,
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    KeyReused,
    LedgerUnavailable,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TacitError,
    TooLarge,
    TooMany,
    Unbounded,
)

__all__ = ["refusal_of"]


def refusal_of(problem: Mapping[str, Any], place: str) -> TacitError:
    """The exception that a problem document stands for.

    >>> problem = {"type": "/problems/too-many", "status": 429, "what": "questions", "seconds": 2.0, "detail": ""}
    >>> refusal_of(problem, "here")
    TooMany('too many questions; wait 2 s, and try again')
    """
    kind = str(problem.get("type", "")).removeprefix("/problems/")
    said = str(problem.get("detail", ""))
    remedy = str(problem.get("remedy", ""))
    reason = str(problem.get("reason", said))
    match kind:
        case "unbounded":
            return Unbounded(problem["column"], problem["column_type"], **_where(problem))
        case "invalid-plan":
            return InvalidPlan(reason, remedy, **_where(problem))
        case "no-price" | "invalid-input" if "given" in problem:
            return _invalid_input(problem, said)
        case "limit-exceeded":
            asked, left = Fraction(problem["asked"]), Fraction(problem["left"])
            fits = problem.get("epsilon")  # a server of before does not say it
            return LimitExceeded(
                problem["analyst"], asked, left, None if fits is None else Fraction(fits)
            )
        case "allowance":
            return AllowanceExceeded(problem["asked"], problem["left"])
        case "not-signed-in":
            return AccessDenied(reason, remedy or "sign in", signed_in=False)
        case "forbidden":
            return AccessDenied(reason, remedy or "ask the curator", signed_in=True)
        case "not-found":
            return NotFound(str(problem.get("what", "such thing")), problem.get("name", ""), said)
        case "key-reused" | "key-running":
            return KeyReused(reason, remedy, running=kind == "key-running")
        case "too-many":
            return TooMany(problem["what"], problem["seconds"])
        case "too-large":
            return TooLarge(said)
        case "engine-failed":
            return EngineFailed()
        case "ledger-busy" | "ledger-unavailable":
            return LedgerUnavailable(place, "cannot be written now", "ask again")
        case "internal" | "stopping":
            return ServerUnavailable(
                place, "could not answer", "ask again: you are charged at most once"
            )
        case _:
            return TacitError(said or f"the server at {place} refused this")


def _where(problem: Mapping[str, Any]) -> dict[str, Any]:
    return {name: problem[name] for name in ("text", "start", "end")}


def _invalid_input(problem: Mapping[str, Any], said: str) -> InvalidInput:
    """A refused parameter, word for word as it was refused there."""
    made = InvalidInput(problem["name"], problem["given"], problem["remedy"])
    made.given = problem["given"]
    made.args = (said,)
    return made
