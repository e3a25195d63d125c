"""What is received over HTTP, as the OpenAPI document declares it.

Checked by: tests/unit/server/http/test_api.py
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "Answer",
    "BudgetTold",
    "ExpectedTold",
    "ExplanationTold",
    "Faults",
    "Forecast",
    "History",
    "Me",
    "Past",
    "PriceTold",
    "Problem",
    "Records",
    "State",
    "SurveyTold",
    "SurveysTold",
    "TableTold",
    "TablesTold",
    "TokenMade",
    "VerificationTold",
    "Version",
    "Waiting",
]


class SurveyTold(BaseModel):
    """A collected survey: its possible answers, and what was promised to who answered."""

    name: str
    answers: list[str]
    promise: dict[str, Any]


class SurveysTold(BaseModel):
    """The collected surveys, which are asked about in SQL for nothing."""

    surveys: list[SurveyTold]


class Problem(BaseModel):
    """What was refused, why, and how to mend it (RFC 9457)."""

    model_config = ConfigDict(extra="allow")
    type: str
    title: str
    status: int
    detail: str


class TokenMade(BaseModel):
    """A token, which is shown once."""

    token: str
    expires_in: int


class BudgetTold(BaseModel):
    """Shares of a limit: spent and left; `own` is the analyst's."""

    epsilon: float
    delta: float
    spent: float
    left: float
    own: "BudgetTold | None" = None


class Me(BaseModel):
    """Who is signed in, and what is left."""

    name: str
    role: Literal["curator", "analyst", "auditor"]
    has_limit: bool
    budget: BudgetTold
    price: str | None
    allowance: float | None
    spent_today: float


class PriceTold(BaseModel):
    """What an answer cost."""

    epsilon: float
    share: float
    free: bool


class Answer(BaseModel):
    """An answer: every measured column `n` has `n_low` and `n_high` beside it."""

    id: str | None = None
    kind: Literal["answer", "listing"]
    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    measured: list[str]
    confidence: float
    price: PriceTold
    receipt: dict[str, Any]
    hiding: dict[str, str] | None
    left_out: list[dict[str, str]]
    notes: list[str]


class Waiting(BaseModel):
    """An answer that leaves when its slot ends: after so many seconds."""

    id: str
    seconds: float
    length: float


class ExpectedTold(BaseModel):
    """The noise and the ± of one measure."""

    measure: str
    noise: str
    reach: float | str
    rows: bool


class MeanTold(BaseModel):
    """The ± of a mean, for groups of so many rows."""

    column: str
    rows: list[int]
    reach: list[float]


class ExplanationTold(BaseModel):
    """What an answer would contain and cost."""

    words: str
    unit: str
    neighbours: str
    contributions: int
    groups: int
    expected: list[ExpectedTold]
    means: list[MeanTold]
    confidence: float
    share: float | str
    left: float
    affordable: bool
    halving: str
    free: bool
    hiding: dict[str, str] | None
    size: dict[str, int]
    left_out: list[dict[str, str]]
    selection: str
    own: list[float | str] | None
    paid: bool
    remarks: list[str]


class Past(BaseModel):
    """A question that was paid for."""

    entry: int
    at: str
    analyst: str | None
    words: str
    share: float
    answered: bool
    hash: str
    sql: str | None
    epsilon: str | None
    within: str | None
    params: Any = None


class History(BaseModel):
    """A page of questions, newest first; `next` is where the next page begins."""

    answers: list[Past]
    next: int | None


class TablesTold(BaseModel):
    """The declared tables, and the limits that concern who asks, as exact texts."""

    unit: str
    replay: Literal["analyst", "everyone"]
    limit: dict[str, str]
    own: dict[str, str] | None
    tables: list[dict[str, Any]]


class TableTold(BaseModel):
    """A declared table, and what can be said of its columns."""

    version: int
    table: dict[str, Any]
    listing: Answer


class Faults(BaseModel):
    """The fields in which a receipt differs from the ledger."""

    faults: list[str]


class Records(BaseModel):
    """Records of the ledger; `next` is where the next page begins."""

    records: list[dict[str, Any]]
    next: int | None


class VerificationTold(BaseModel):
    """A check of the ledger."""

    number: int
    state: Literal["running", "whole", "broken"]
    done: int
    whole: int
    told: str


class Forecast(BaseModel):
    """When the limit is reached at the mean of the last seven days; null while too little is known."""

    per_day: float | None
    days_left: float | None
    fits: list[dict[str, float]]


class Version(BaseModel):
    """The version of a table."""

    table: str
    version: int


class State(BaseModel):
    """Whether the server does its work."""

    state: str
