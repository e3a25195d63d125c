"""Refusals over the wire: an SQLSTATE, a text, a hint, and the place in the statement, so that psql underlines it.

Checked by: tests/unit/server/wire/test_problems.py
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacit.errors import (
    AccessDenied,
    AllowanceExceeded,
    CatalogueError,
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TacitError,
    TooLarge,
    TooMany,
)
from tacit.printing import printable_lines
from tacit.server.wire.client_messages import InvalidMessage
from tacit.server.wire.server_messages import fault

__all__ = [
    "INTERNAL",
    "PRICE_HINT",
    "Problem",
    "error_message",
    "notice_message",
    "placed",
    "problem_from",
]

INTERNAL = "something went wrong here; try again"
"""What is said of a mistake of the server's: whatever else could be said might depend on rows."""

PRICE_HINT = (
    "SET tacit.epsilon = 0.1; or a comment before the question: /* tacit: epsilon=0.1 */; "
    "EXPLAIN shows what it would cost"
)
"""How a price is named."""

# How refusals of a question begin or what they contain, by the code that clients know.
_PLANS = (
    ("42P01", ("there is no table", "the table is called")),
    ("42703", ("has no declared column", "there is no column")),
    ("42501", ("single rows are never released", "is the protected unit")),
    (
        "42601",
        (
            *("this is not valid SQL", "a quote or a comment is not closed"),
            *("only SELECT is supported", "is missing before this"),
        ),
    ),
)
_KINDS: tuple[tuple[type[TacitError], str], ...] = (
    (LimitExceeded, "53400"),
    (AllowanceExceeded, "53400"),
    (TooMany, "53000"),
    (TooLarge, "54000"),
    (NotFound, "42704"),
    (EngineFailed, "58000"),
    (LedgerBusy, "55P03"),
    (LedgerUnavailable, "57P03"),
    (LedgerRefused, "57P03"),
    (ServerUnavailable, "57P01"),
)
_LEDGER = "the ledger cannot be written now, and no answer is given that is not recorded"


class Problem(Exception):
    """A refusal as PostgreSQL's clients know it; a `fatal` one ends the connection."""

    def __init__(
        self,
        code: str,
        said: str,
        hint: str | None = None,
        *,
        position: int | None = None,
        detail: str | None = None,
        fatal: bool = False,
    ) -> None:
        self.code = code
        self.said = said
        self.hint = hint
        self.position = position
        self.detail = detail
        self.fatal = fatal
        super().__init__(said)


def problem_from(wrong: BaseException, start: int = 0) -> Problem:
    """What is said of a refusal about a statement that begins at `start` of its text.

    Claim:      an error says nothing that depends on a private row.
    Because:    refusals are computed without looking at rows, and whatever is not a refusal becomes one constant text.
    Checked by: tests/unit/server/wire/test_problems.py::test_mistakes_become_one_constant_text
    """
    match wrong:
        case Problem():
            return wrong
        case InvalidMessage():
            return Problem(wrong.code, wrong.said)
        case InvalidPlan():
            code = next((code for code, words in _PLANS if _has(wrong.reason, words)), "0A000")
            place = start + wrong.start + 1 if wrong.text else None
            return Problem(code, wrong.reason, wrong.remedy, position=place)
        case CatalogueError():
            place = None if wrong.position is None else start + wrong.position
            return Problem(wrong.sqlstate, wrong.message, position=place)
        case AccessDenied():
            code = "42501" if wrong.signed_in else "28000"
            return Problem(code, wrong.reason, wrong.remedy, fatal=not wrong.signed_in)
        case InvalidInput():
            if wrong.name == "a price":
                return Problem(
                    "22023", "no price is given, and you have no usual price", PRICE_HINT
                )
            return Problem("22023", str(wrong))
        case LedgerBusy() | LedgerUnavailable() | LedgerRefused():
            return Problem(_code_of(wrong), _LEDGER, "try again")
        case TacitError():
            return Problem(_code_of(wrong), str(wrong))
        case _:
            return Problem("XX000", INTERNAL)


@contextmanager
def placed(start: int) -> Iterator[None]:
    """Refusals of a question that begins at `start` of what the client sent: they name places there."""
    try:
        yield
    except (InvalidPlan, CatalogueError) as wrong:
        raise problem_from(wrong, start) from None


def error_message(problem: Problem) -> bytes:
    """An error as it is sent."""
    severity = "FATAL" if problem.fatal else "ERROR"
    return fault(b"E", _fields(severity, problem))


def notice_message(said: str, detail: str | None = None, *, code: str = "00000") -> bytes:
    """A notice as it is sent."""
    severity = "NOTICE" if code == "00000" else "WARNING"
    return fault(b"N", _fields(severity, Problem(code, said, detail=detail)))


def _fields(severity: str, problem: Problem) -> list[tuple[str, str]]:
    fields = [("S", severity), ("V", severity), ("C", problem.code)]
    fields.append(("M", printable_lines(problem.said)))
    if problem.detail:
        fields.append(("D", printable_lines(problem.detail)))
    if problem.hint:
        fields.append(("H", printable_lines(problem.hint)))
    if problem.position is not None:
        fields.append(("P", str(problem.position)))
    return fields


def _code_of(wrong: TacitError) -> str:
    return next((code for made, code in _KINDS if isinstance(wrong, made)), "55000")


def _has(reason: str, words: tuple[str, ...]) -> bool:
    return any(word in reason for word in words)
