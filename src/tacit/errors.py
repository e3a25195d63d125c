"""Everything Tacit can refuse, as one tree.

::

    TacitError
    ├── AccessDenied          the caller is not signed in, or may not do this
    ├── AllowanceExceeded     a price exceeds what is left of a day's allowance
    ├── CatalogueError        a statement about the catalogue that cannot be answered
    ├── EngineFailed          the engine could not evaluate the question
    ├── Exhausted             a session has used up its answers
    ├── InvalidInput          a parameter is of the wrong kind or out of range
    ├── InvalidData           data of the wrong kind
    ├── InvalidDistribution   probabilities that do not make a distribution
    ├── InvalidPlan           a question that cannot be answered privately
    │   └── Unbounded         the answer needs a bound that is not declared
    ├── InvalidPolicy         a policy file with faults, all of them at once
    ├── KeyReused             an idempotency key of another question, or of one that is still running
    ├── LedgerBusy            another process has locked the ledger for too long
    ├── LedgerRefused         a ledger that is damaged, older than it was, or another one
    ├── LedgerUnavailable     a ledger that cannot be written or reached
    │   └── LedgerUncertain   a ledger that disconnected before it confirmed a charge
    ├── LimitExceeded         a price exceeds what is left of a limit
    ├── NotFound              nothing of this number or name, or it is somebody else's
    ├── NotChargeable         a loss of a kind that a ledger cannot sum
    ├── NotInstalled          an optional library is not installed
    ├── NotPrivate            no finite guarantee exists
    ├── ServerUnavailable     a server that cannot be reached, or is not a Tacit server
    ├── TooLarge              more work than can be done exactly
    ├── TooMany               more requests than the rate limit allows
    └── Undecided             a claim too close to the truth to be confirmed or refuted

Every message says what is wrong and how to fix it, and is computed without private data.

Where the text of a refusal is: a class below has the text, if every refusal of its kind says the same; most are written
where they are raised, as a reason and a remedy: search the source for a few words of the message.  SQL is refused in
`plan/sql/`, and a plan in `plan/validate_plan.py`.  A server sends a refusal with a code of the door's, which
`server/http/problems.py` and `server/wire/problems.py` choose.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from tacit.frozen import frozen
from tacit.printing import printable, printable_lines

__all__ = [
    "AccessDenied",
    "AllowanceExceeded",
    "CatalogueError",
    "EngineFailed",
    "Exhausted",
    "Fault",
    "InvalidData",
    "InvalidDistribution",
    "InvalidInput",
    "InvalidPlan",
    "InvalidPolicy",
    "KeyReused",
    "LedgerBusy",
    "LedgerRefused",
    "LedgerUnavailable",
    "LedgerUncertain",
    "LimitExceeded",
    "MissingFile",
    "MissingPolicy",
    "NotChargeable",
    "NotFound",
    "NotInstalled",
    "NotPrivate",
    "ServerUnavailable",
    "TacitError",
    "TooLarge",
    "TooMany",
    "Unbounded",
    "Undecided",
]

_BITS = 200  # of integers that are printed
_ITEMS = 20  # of lists that are printed one by one


class TacitError(Exception):
    """Any refusal of Tacit's; catch this one to catch them all.

    Its text can be printed as it is, whatever it names.
    """

    def __str__(self) -> str:
        return printable_lines(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """The lines that a notebook shows of a refusal: what it says, and not where in Tacit it was said.

        >>> print(*InvalidInput("epsilon", -1, "give a number above zero")._render_traceback_(), sep="\\n")
        InvalidInput: epsilon cannot be -1; give a number above zero
        """
        return f"{type(self).__name__}: {self}".splitlines()


class AccessDenied(TacitError):
    """The caller is not signed in (`signed_in` is False), or may not do this; it does not reveal which names exist."""

    def __init__(self, reason: str, remedy: str, *, signed_in: bool) -> None:
        self.reason = reason
        self.remedy = remedy
        self.signed_in = signed_in
        super().__init__(f"{reason}; {remedy}")


class AllowanceExceeded(TacitError):
    """A price exceeds what is left of a day's allowance; nothing was charged and no data were read."""

    def __init__(self, asked: float, left: float) -> None:
        self.asked = asked
        self.left = left
        super().__init__(
            f"this costs {asked:.2%} of the limit, but only {left:.2%} is left of today's allowance; "
            "ask for less accuracy, repeat an earlier question for free, or ask tomorrow (UTC)"
        )


class CatalogueError(TacitError):
    """A statement about the catalogue that cannot be answered, reported as PostgreSQL would.

    `detail` is for the curator's list of unanswered statements; clients do not see it.

    >>> CatalogueError("42P01", 'relation "x" does not exist', 15).position
    15
    """

    def __init__(
        self, sqlstate: str, message: str, position: int | None = None, *, detail: str = ""
    ) -> None:
        self.sqlstate = sqlstate
        self.message = printable(message)
        self.position = position
        self.detail = printable(detail)[:200]
        super().__init__(self.message)


class EngineFailed(TacitError):
    """The engine could not evaluate a question; the message gives no reason, since it may depend on the rows."""

    def __init__(self) -> None:
        super().__init__(
            "the engine could not evaluate this question; ask the curator to check the memory "
            "and the files of the vault"
        )


class Exhausted(TacitError):
    """A session has given all the answers that were paid for; no data were read."""


class InvalidInput(TacitError, ValueError):
    """A parameter is of the wrong kind or out of range.

    It is shown as people write it, and None as missing.

    >>> print(InvalidInput("epsilon", Fraction(-1, 2), "give a price above zero"))
    epsilon cannot be -0.5; give a price above zero
    >>> print(InvalidInput("epsilon", None, "give a price above zero"))
    epsilon is missing; give a price above zero
    """

    def __init__(self, name: str, given: object, remedy: str) -> None:
        self.name = name
        self.given = _shorten(given)
        self.remedy = remedy
        super().__init__(f"{name} {'is' if given is None else 'cannot be'} {self.given}; {remedy}")


class InvalidData(TacitError, ValueError):
    """Data of the wrong kind; the message names the kind, never a value."""


class MissingFile(InvalidData, FileNotFoundError):
    """There is no file at a path; `except FileNotFoundError` catches it, too."""


class InvalidDistribution(TacitError, ValueError):
    """A mechanism returned probabilities that are negative or do not sum to one."""


class KeyReused(TacitError):
    """An idempotency key belongs to another question, or to one that is still running (`running`)."""

    def __init__(self, reason: str, remedy: str, *, running: bool = False) -> None:
        self.reason = reason
        self.remedy = remedy
        self.running = running
        super().__init__(f"this idempotency key {reason}; {remedy}")


class LedgerBusy(TacitError):
    """Another process has locked the ledger for too long; nothing was charged."""

    def __init__(self, place: str, seconds: float) -> None:
        self.place = place
        self.seconds = seconds
        super().__init__(
            f"the ledger at {place} has been locked by another process for {seconds:g} s, and "
            "nothing was charged; try again, or find the process that locks it"
        )


class LedgerRefused(TacitError):
    """A ledger is damaged, out of date or another one, so it may not know all charges; nothing was charged."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        self.place = place
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"the ledger at {place} {reason}; {remedy}")


class LedgerUnavailable(TacitError):
    """A ledger cannot be written or reached now; nothing was charged or answered."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        self.place = place
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"the ledger at {place} {reason}, and nothing was charged; {remedy}")


class LedgerUncertain(LedgerUnavailable):
    """A ledger disconnected before it confirmed a charge; asking again finds out, and is charged at most once."""

    def __init__(
        self,
        place: str,
        reason: str = "disconnected before it confirmed the charge",
        remedy: str = "ask the same question again",
    ) -> None:
        super().__init__(place, reason, remedy)
        text = (
            f"the ledger at {place} {self.reason}; {self.remedy}: if the charge was made, it is "
            "found and not made twice"
        )
        self.args = (text,)


_SHOWN = Fraction(1, 20_000)  # of a share, in percent with two digits


class LimitExceeded(TacitError):
    """A price exceeds what is left of a limit; nothing was charged and no data were read.

    `epsilon` is one that still fits, where it is known, and `within` the error that it allows, where one was asked for.
    """

    def __init__(
        self,
        analyst: str | None,
        asked: Fraction,
        left: Fraction,
        epsilon: Fraction | None = None,
        within: float | None = None,
    ) -> None:
        self.analyst = analyst
        self.asked = asked
        self.left = left
        self.epsilon = epsilon
        self.within = within
        whose = "the limit" if analyst is None else f"the limit of {analyst!r}"
        fits = "ask with a smaller epsilon or a larger `within`"
        if epsilon is not None:
            fits = f"ask with epsilon = {float(epsilon):g}, which still fits, or with a larger `within`"
        if epsilon is not None and within is not None:
            fits = f"ask with within = {within:g} or epsilon = {float(epsilon):g}, which still fit"
        super().__init__(
            f"this costs {float(asked):.2%} of {whose}, but only {float(left):.2%} is left; "
            f"{fits}, or repeat an earlier question for free"
            if epsilon is not None or left >= _SHOWN
            else f"this costs {float(asked):.2%} of {whose}, and nothing is left; only what was asked before is "
            "answered again, for free"
        )


class NotChargeable(TacitError, ValueError):
    """A loss of a kind that a ledger's filter cannot add up."""

    def __init__(self, kind: str, remedy: str) -> None:
        self.kind = kind
        self.remedy = remedy
        super().__init__(f"a {kind} cannot be charged here: {remedy}")


class NotFound(TacitError, LookupError):
    """There is nothing of this number or name, or it is somebody else's; the message does not say which.

    What has no name is told in a sentence of its own, `said`.
    """

    def __init__(self, what: str, name: object, said: str | None = None) -> None:
        self.what = what
        self.name = str(name) if isinstance(name, str | int) else _shorten(name)
        super().__init__(
            said or f"there is no {what} {_shorten(self.name)}; list those that there are"
        )


class NotInstalled(TacitError, ImportError):
    """An optional library is not installed; Tacit needs it only for some features."""

    def __init__(self, for_what: str, library: str, extra: str) -> None:
        self.library = library
        self.extra = extra
        super().__init__(
            f"{for_what} needs {library}, which is not installed; pip install 'tacit-dp[{extra}]'"
        )


class InvalidPlan(TacitError, ValueError):
    """A question that cannot be answered privately, or is not understood; no part of a question is ever ignored.

    `text[start:end]` is what it is about: the message underlines it.  `culprit` is the part of the plan that was
    refused, for the door that knows where it stands in the text.
    """

    def __init__(
        self,
        reason: str,
        remedy: str,
        *,
        text: str = "",
        start: int = 0,
        end: int = 0,
        culprit: object = None,
    ) -> None:
        self.reason = reason
        self.remedy = remedy
        self.text = text
        self.start = start
        self.end = end
        self.culprit = culprit
        super().__init__(
            f"{reason}\n{_underline(text, start, end)}{remedy}" if text else f"{reason}; {remedy}"
        )

    def locate(self, text: str, start: int, end: int) -> InvalidPlan:
        """The same refusal, about this part of a text."""
        return InvalidPlan(self.reason, self.remedy, text=text, start=start, end=end)


def how_to_declare(column: str, kind: str, what: str) -> str:
    """How `what` of a column is declared: "bounds" or "values", in each of the places where columns are declared.

    >>> how_to_declare("sex", "text", "values").split(" on the shell, or ")
    ['columns={"sex": [...]} in Python, --column sex=A,B', 'sex = { type = "text", values = [...] } in the policy']
    """
    ranged = what == "bounds"
    python = f'columns={{"{column}": {"(..., ...)" if ranged else "[...]"}}}'
    typed = f"{column}:{kind}" if kind in ("integer", "date", "timestamp") else column
    shell = f"--column {typed}={'LOW..HIGH' if ranged else 'A,B'}"
    policy = f'{column} = {{ type = "{kind}", {"low = ..., high = ..." if ranged else "values = [...]"} }}'
    return f"{python} in Python, {shell} on the shell, or {policy} in the policy"


class Unbounded(InvalidPlan):
    """One row could change the answer by any amount, because a column has no declared bounds."""

    def __init__(
        self,
        column: str,
        kind: str,
        *,
        text: str = "",
        start: int = 0,
        end: int = 0,
        culprit: object = None,
    ) -> None:
        self.column = column
        self.kind = kind
        super().__init__(
            f"{column!r} has no declared bounds, so one row could change the answer by any amount",
            f"declare its bounds: {how_to_declare(column, kind, 'bounds')}",
            text=text,
            start=start,
            end=end,
            culprit=culprit,
        )

    def locate(self, text: str, start: int, end: int) -> Unbounded:
        """The same refusal, about this part of a text."""
        return Unbounded(self.column, self.kind, text=text, start=start, end=end)


@frozen
class Fault:
    """What is wrong at one place of a file, and how to fix it; line 0 is the file itself."""

    line: int
    key: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        where = ": ".join(
            [*([f"line {self.line}"] if self.line else []), *([self.key] if self.key else [])]
        )
        return (
            f"{where}: {self.problem}; {self.remedy}" if where else f"{self.problem}; {self.remedy}"
        )


class InvalidPolicy(TacitError, ValueError):
    """A policy file has errors; all of them are reported at once, in the order of their lines."""

    def __init__(self, file: object, faults: Iterable[Fault]) -> None:
        self.file = str(file)
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        if len(self.faults) == 1:
            super().__init__(f"{self.file}, {self.faults[0]}")
        else:
            listed = "".join(f"\n  {fault}" for fault in self.faults)
            super().__init__(f"{self.file} has {len(self.faults)} errors:{listed}")


class MissingPolicy(InvalidPolicy, FileNotFoundError):
    """There is no policy file at a path; `except FileNotFoundError` catches it, too."""

    def __init__(self, file: object, faults: Iterable[Fault]) -> None:
        super().__init__(file, faults)
        self.args = (f"there is no file {self.file}; {self.faults[0].remedy}",)


class NotPrivate(TacitError):
    """No finite guarantee exists for what was asked."""


class ServerUnavailable(TacitError):
    """A server cannot be reached, or is not a Tacit server; asking again is safe: it is charged at most once."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        self.place = place
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"the server at {place} {reason}; {remedy}")


class TooLarge(TacitError, ValueError):
    """The exact answer would take more work than is reasonable."""


class TooMany(TacitError):
    """More requests than the rate limit allows; nothing was charged."""

    def __init__(self, what: str, seconds: float) -> None:
        self.what = what
        self.seconds = seconds
        super().__init__(f"too many {what}; wait {seconds:.3g} s, and try again")


class Undecided(TacitError):
    """The claim lies within the enclosure: it can be neither confirmed nor refuted."""

    def __init__(self, low: Fraction, high: Fraction) -> None:
        self.low = low
        self.high = high
        super().__init__(
            f"the smallest delta is between {float(low)!r} and {float(high)!r}, and so is the "
            "claim; compute with more bits, list more of the tail, or claim a little more (if "
            "e^epsilon is rational, use `holds_at_ratio`)"
        )


def _shorten(given: object) -> str:
    """A parameter as a short text, as people write it: an enormous one is described, not printed."""
    try:
        text = _format_value(given)
    except ValueError:  # CPython declines to print integers of more than a few thousand digits
        text = f"a {type(given).__name__} too long to print"
    return text if len(text) <= 80 else text[:77] + "..."


def _format_value(given: object) -> str:
    """A parameter as people write it: rationals as decimals, None as what is missing."""
    match given:
        case None:
            return "missing"
        case int() if not isinstance(given, bool) and given.bit_length() > _BITS:
            return f"an integer of {given.bit_length()} bits"
        case Fraction(denominator=1):
            return _format_value(given.numerator)
        case Fraction():
            return _fraction(given)
        case tuple() | list() if type(given) in (tuple, list) and len(given) <= _ITEMS:
            inside = ", ".join(_format_value(each) for each in given)
            return (
                f"[{inside}]" if isinstance(given, list) else f"({inside}{',' * (len(given) == 1)})"
            )
        case _:
            return repr(given)


def _fraction(given: Fraction) -> str:
    """A rational as the decimal that it is, if that is a short one, and else as a quotient.

    >>> _fraction(Fraction(1, 8)), _fraction(Fraction(1, 3)), _fraction(Fraction(1, 1 << 300))
    ('0.125', '1/3', 'a quotient of 1 and 301 bits')
    """
    above, below = given.numerator.bit_length(), given.denominator.bit_length()
    if max(above, below) > _BITS:
        return f"a quotient of {above} and {below} bits"
    try:
        return str(
            Context(prec=30, traps=[Inexact]).divide(
                Decimal(given.numerator), Decimal(given.denominator)
            )
        )
    except Inexact:
        return str(given)


def _underline(text: str, start: int, end: int, margin: int = 50) -> str:
    """The line of a text in which `start` lies, with carets under what is meant."""
    begins, ends = text.rfind("\n", 0, start) + 1, text.find("\n", start)
    ends = len(text) if ends < 0 else ends
    first = max(begins, start - margin)
    last = min(ends, max(end, start + 1) + margin, start + 3 * margin)
    if first > begins:  # no word is cut
        first = text.find(" ", first - 1, start) + 1 or first
    if last < ends and (blank := text.rfind(" ", max(end, start + 1), last + 1)) > 0:
        last = blank
    before, after = "… " if first > begins else "", " …" if last < ends else ""
    line = printable(text[first:last])
    carets = "^" * max(1, min(end, last) - start)
    return f"  {before}{line}{after}\n  {' ' * (len(before) + start - first)}{carets}\n"
