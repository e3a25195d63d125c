"""A vault on another machine: the surface of a vault, each call a request."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Never, NoReturn, Self
from urllib.parse import quote

from tacit.curator import (
    Budget,
    Explanation,
    Limit,
    Listing,
    Params,
    Policy,
    Release,
    Shared,
    check_named,
    check_plan,
    check_question,
    check_sql,
    parameter_fields,
    read_budget,
    read_explanation,
    read_release,
    read_table,
    refuse_item,
    say_missing,
)
from tacit.errors import InvalidInput, NotFound
from tacit.exact import Number
from tacit.plan import Frame, Plan, count, write_sql
from tacit.remote.connection import Connection
from tacit.remote.lesson import remote_lesson

if TYPE_CHECKING:
    from tacit.curator import Lesson, QuestionAudit, Vault

__all__ = ["RemoteVault", "connect"]


def connect(url: str, *, token: str, cafile: str | None = None) -> RemoteVault:
    """The vault that a server offers at an address, as whoever the token belongs to.

    Called as `tacit.connect`: `clinic = tacit.connect("https://tacit.example.org", token=…)`.  It answers and
    refuses like a vault that is opened here; a question that is sent twice is charged once.  `cafile` holds the
    certificates to trust, where those of the system are not enough.
    """
    return RemoteVault(Connection(url, token, cafile=cafile))


class RemoteVault:
    """Tables that can be asked about on another machine.  Made by `tacit.connect`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._policy: Policy | None = None

    def sql(
        self,
        text: str,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
        params: Params = None,
    ) -> Release:
        """The answer to a question in SQL, at a price (`epsilon`) or to an accuracy (`within`).

        `params` are the values of parameters: a list for ? and $1, a dictionary for :name.
        """
        check_named("sql", unnamed)
        body = {**_question(text, epsilon, within, confidence, params), "raw": _flag(raw)}
        return read_release(self._connection.ask("/answers", body))

    def explain(
        self,
        question: str | Frame,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        params: Params = None,
    ) -> Explanation:
        """What an answer would contain and cost; this is free, and no data are read."""
        check_question(question)
        check_named("explain", unnamed)
        text = question if isinstance(question, str) else question.sql()
        body = _question(text, epsilon, within, confidence, params)
        return read_explanation(self._connection.post("/explanations", body))

    def table(self, name: str) -> Frame:
        """A table to ask about with Python expressions; the chain ends in `.ask(epsilon=…)`."""
        tables = self.policy.tables
        if name not in tables:
            raise InvalidInput("table", name, f"name one of: {', '.join(sorted(tables))}")
        return Frame(tables[name].asked_table, asker=self.ask, finding=True, source=self)

    def ask(
        self,
        plan: Plan,
        *unnamed: Never,
        epsilon: Number | None = None,
        within: Number | None = None,
        confidence: float = 0.95,
        raw: bool = False,
    ) -> Release:
        """The answer to a plan, which is sent as SQL."""
        check_plan(plan)
        check_named("ask", unnamed)
        text = write_sql(plan, finding=True)
        return self.sql(text, epsilon=epsilon, within=within, confidence=confidence, raw=raw)

    def synthesize(
        self,
        table: str,
        *,
        epsilon: Number,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
        rows: int = 100,
    ) -> Release:
        """Rows of a synthetic table, made where the vault is, at one price; more rows of the same table are free.

        For a vault that is opened here, `synthesize` gives the whole table; over HTTP its first rows, at most 10,000.
        """
        body = {
            "table": table,
            "epsilon": _number(epsilon, "epsilon"),
            "columns": None if columns is None else list(columns),
            "always": list(always),
            "rows": rows,
        }
        return read_release(self._connection.ask("/synthetic-tables", body))

    def lesson(
        self,
        frame: Frame,
        *,
        kind: str,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        classes: bool = False,
        settings: Sequence[str] = (),
        sampling: Any = None,
        trials: Any = None,
    ) -> Lesson:
        """The rows of a frame as estimators of `tacit.learn` use them: a fit is made where the vault is."""
        if sampling is not None or trials is not None:
            raise InvalidInput(
                "model", kind, "fit it where the vault is stored: it takes longer than a slot"
            )
        opened = self.mock().lesson(
            frame, kind=kind, target=target, columns=columns, classes=classes, settings=settings
        )

        def fit(epsilon: Number) -> Release:
            given = (each.partition("=") for each in settings)
            body = {
                "model": kind,
                "epsilon": _number(epsilon, "epsilon"),
                "rows": write_sql(frame.agg(n=count()).plan()),
                "target": target,
                "columns": None if columns is None else list(columns),
                "settings": {name: _plain(literal_eval(value)) for name, _, value in given},
            }
            return read_release(self._connection.ask("/models", body))

        return remote_lesson(opened, fit)

    @property
    def surveys(self) -> tuple[str, ...]:
        """The names of the collected surveys, which can be queried in SQL for free."""
        return tuple(each["name"] for each in self._connection.get("/surveys")["surveys"])

    @property
    def policy(self) -> Policy:
        """The policy, as far as it concerns this analyst; read once, when it is first needed."""
        if self._policy is None:
            self._policy = _read_policy(self._connection)
        return self._policy

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that may be asked about; `describe` says more."""
        return tuple(self.policy.tables)

    def describe(self, table: str | None = None) -> Listing:
        """What may be asked: every column of one table, or of all, with its type, its declaration and its use."""
        if table is None:
            return self.mock().describe()
        try:
            said = self._connection.get(f"/tables/{quote(table, safe='')}")["listing"]
        except NotFound:
            known = ", ".join(sorted(self.tables))
            raise InvalidInput("table", table, f"name one of: {known}") from None
        listing = read_release(said)
        assert isinstance(listing, Listing), "a server describes a table by a listing"
        return listing

    @property
    def budget(self) -> Budget:
        """The limit, what is spent, and what is left."""
        return read_budget(self._connection.get("/budget"))

    def check_receipt(self, receipt: Mapping[str, Any]) -> list[str]:
        """The fields in which a receipt differs from the vault's ledger; an empty list if they agree."""
        try:
            found: list[str] = self._connection.post("/receipts/check", dict(receipt))["faults"]
        except NotFound:
            return [f"names entry {receipt.get('entry')!r}, which is not in the ledger"]
        return found

    def mock(self) -> Vault:
        """A copy of the vault with made-up rows, generated here from the policy; it has no limit to spend."""
        from tacit.curator import twin

        return twin(self.policy)

    def audit(self, question: str | Frame, *, pairs: int = 400, world: int = 0) -> QuestionAudit:
        """Try to refute the privacy claim of one question, on neighbours generated here; free."""
        text = question if isinstance(question, str) else question.sql()
        return self.mock().audit(text, pairs=pairs, world=world)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    if not TYPE_CHECKING:  # else a mistyped name of ours would go unnoticed

        def __getattr__(self, name: str) -> Any:
            """Refuse an unknown attribute, and say what was meant: a table, or a method of another library."""
            known = () if name.startswith("_") or "_connection" not in vars(self) else self.tables
            raise AttributeError(say_missing(name, known))

    def __getitem__(self, name: object) -> NoReturn:
        """Nothing: a table is `vault.table(name)`."""
        refuse_item(name)

    def __repr__(self) -> str:
        spent = f"{self.budget.spent:.1%} of the limit is spent"
        place = self._connection.place
        return f"<vault of {', '.join(self.tables)} at {place}: unit {self.policy.unit!r}, {spent}>"


def _question(
    text: str,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    params: Params,
) -> dict[str, Any]:
    check_sql(text)
    return {
        "sql": text,
        "epsilon": _number(epsilon, "epsilon"),
        "within": _number(within, "within"),
        "confidence": _confidence(confidence),
        **({} if params is None else {"params": parameter_fields(params)}),
    }


def _number(given: Number | None, name: str) -> float | str | None:
    """A number as it is sent: exactly."""
    if given is None:
        return None
    try:
        exact = Fraction(given)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(name, given, "give a number above zero, such as 0.3") from None
    if exact <= 0:
        raise InvalidInput(name, given, "give a number above zero, such as 0.3")
    return given if isinstance(given, float) else str(exact)


def _confidence(given: Number) -> float:
    try:
        found = float(given)
    except (TypeError, ValueError, OverflowError):
        found = 0.0
    if not 0 < found < 1:
        raise InvalidInput(
            "confidence", given, "give a probability above 0 and below 1, such as 0.95"
        )
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _flag(given: bool) -> bool:
    return bool(given)


def _read_policy(connection: Connection) -> Policy:
    said = connection.get("/tables")
    me = connection.get("/me")
    own = {} if said["own"] is None else {me["name"]: _limit(said["own"])}
    tables = {
        each["name"]: Shared(
            read_table({**each, "contributions": None}), each["contributions"], each["keys"]
        )
        for each in said["tables"]
    }
    return Policy(_limit(said["limit"]), tables, said["unit"], own, said["replay"])


def _limit(said: Mapping[str, str]) -> Limit:
    return Limit(Fraction(said["epsilon"]), Fraction(said["delta"]), said["neighbours"])
