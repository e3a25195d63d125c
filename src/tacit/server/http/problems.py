"""Refusals over HTTP: problem documents (RFC 9457), whose types are stable and whose texts say how to mend it.

Checked by: tests/unit/server/http/test_problems.py
"""

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from tacit.errors import (
    AccessDenied,
    AllowanceExceeded,
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    KeyReused,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TacitError,
    TooMany,
    Unbounded,
)
from tacit.printing import printable_lines

__all__ = ["MEDIA", "TYPES", "problem_of", "problem_response"]

MEDIA = "application/problem+json"
"""The media type of a problem."""

TYPES: Mapping[str, tuple[int, str]] = {
    "invalid-plan": (422, "This question cannot be answered"),
    "unbounded": (422, "A bound is missing"),
    "no-price": (422, "No price was given"),
    "invalid-input": (422, "A parameter is wrong"),
    "refused": (422, "This was refused"),
    "key-reused": (422, "An idempotency key was used before"),
    "key-running": (409, "A question with this key is still running"),
    "limit-exceeded": (403, "The limit is reached"),
    "allowance": (403, "The day's allowance is used up"),
    "not-signed-in": (401, "Nobody is signed in"),
    "forbidden": (403, "This is not allowed"),
    "not-found": (404, "There is nothing here"),
    "method-not-allowed": (405, "This path does not take this method"),
    "not-acceptable": (406, "Answers do not come in this format"),
    "too-large": (413, "The request is too large"),
    "too-many": (429, "Too many requests"),
    "engine-failed": (500, "The rows could not be read"),
    "internal": (500, "The server failed"),
    "ledger-busy": (503, "The ledger is locked"),
    "ledger-unavailable": (503, "The ledger cannot be used"),
    "stopping": (503, "The server is stopping"),
}
"""The types of problems, each with its status and title."""

_KINDS: tuple[tuple[type[TacitError], str], ...] = (
    (Unbounded, "unbounded"),
    (InvalidPlan, "invalid-plan"),
    (LimitExceeded, "limit-exceeded"),
    (AllowanceExceeded, "allowance"),
    (NotFound, "not-found"),
    (TooMany, "too-many"),
    (EngineFailed, "engine-failed"),
    (LedgerBusy, "ledger-busy"),
    (LedgerUnavailable, "ledger-unavailable"),
    (LedgerRefused, "ledger-unavailable"),
    (ServerUnavailable, "stopping"),
)


def problem_of(kind: str, detail: str, **more: Any) -> dict[str, Any]:
    """A problem document."""
    status, title = TYPES[kind]
    return {
        "type": f"/problems/{kind}",
        "title": title,
        "status": status,
        "detail": printable_lines(detail),
        **more,
    }


def problem_response(problem: Mapping[str, Any]) -> JSONResponse:
    """A response that carries a problem."""
    headers = {}
    if problem["status"] == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="tacit"'
    if problem["status"] in {429, 503}:
        headers["Retry-After"] = str(max(1, round(problem.get("seconds", 1))))
    return JSONResponse(dict(problem), problem["status"], headers, media_type=MEDIA)


def problem_from(refusal: TacitError) -> dict[str, Any]:
    """The problem document of a refusal; the places of ledgers and what else is the curator's business is left out.

    Claim:      a problem says nothing that depends on a private row.
    Because:    refusals are computed without looking at rows, and whatever is not a refusal becomes one constant text.
    Checked by: tests/unit/server/http/test_problems.py
    """
    match refusal:
        case AccessDenied(signed_in=signed_in):
            kind = "forbidden" if signed_in else "not-signed-in"
            return problem_of(kind, str(refusal), reason=refusal.reason, remedy=refusal.remedy)
        case KeyReused(running=running):
            kind = "key-running" if running else "key-reused"
            return problem_of(kind, str(refusal), reason=refusal.reason, remedy=refusal.remedy)
        case InvalidInput():
            kind = "no-price" if refusal.name == "a price" else "invalid-input"
            return problem_of(
                kind,
                str(refusal),
                name=refusal.name,
                given=refusal.given,
                remedy=refusal.remedy,
            )
    kind = next((kind for made, kind in _KINDS if isinstance(refusal, made)), "refused")
    return problem_of(kind, _detail(refusal, kind), **_more(refusal))


def _detail(refusal: TacitError, kind: str) -> str:
    if kind.startswith("ledger"):
        return "the ledger cannot be written now, and no answer is given that is not recorded; try again"
    return str(refusal)


def _more(refusal: TacitError) -> dict[str, Any]:
    match refusal:
        case InvalidPlan():
            more: dict[str, Any] = {
                "reason": refusal.reason,
                "remedy": refusal.remedy,
                "text": refusal.text,
                "start": refusal.start,
                "end": refusal.end,
            }
            if isinstance(refusal, Unbounded):
                more |= {"column": refusal.column, "column_type": refusal.kind}
            return more
        case LimitExceeded():
            return {
                "analyst": refusal.analyst,
                "asked": str(refusal.asked),
                "left": str(refusal.left),
                "epsilon": None if refusal.epsilon is None else str(refusal.epsilon),
            }
        case AllowanceExceeded():
            return {"asked": refusal.asked, "left": refusal.left}
        case TooMany():
            return {"what": refusal.what, "seconds": refusal.seconds}
        case NotFound():
            return {"what": refusal.what, "name": refusal.name}
        case _:
            return {}
