"""What is sent over HTTP, as the OpenAPI document declares it.

Checked by: tests/unit/server/http/test_api.py
"""

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tacit.errors import InvalidInput
from tacit.server.jobs import Question
from tacit.server.json_forms import read_parameters
from tacit.server.models_and_synthetic_tables import Fit

__all__ = [
    "AnswerBody",
    "BoundsBody",
    "ContributionsBody",
    "ModelBody",
    "QuestionBody",
    "ReceiptBody",
    "SignInBody",
    "SyntheticBody",
    "exact_number",
]

SQL = 20_000
"""The longest text of a question, in characters."""

MOST_PARAMETERS = 1_000
"""The most parameters of a question."""

_EXACT = r"^[0-9]{1,40}([.][0-9]{1,40}|/[1-9][0-9]{0,39})?$"

Price = Annotated[
    Annotated[float, Field(gt=0, le=1e300, allow_inf_nan=False)]
    | Annotated[str, Field(pattern=_EXACT, max_length=82)],
    Field(description="A number, or an exact one as text, such as 0.1 or 1/3."),
]


class TypedValue(BaseModel):
    """A value that JSON has no form for: a day, a moment or an exact number, as text."""

    model_config = ConfigDict(extra="forbid", strict=True)
    date: str | None = Field(default=None, max_length=40)
    moment: str | None = Field(default=None, max_length=40)
    number: str | None = Field(default=None, max_length=500)


Value = bool | int | float | Annotated[str, Field(max_length=SQL)] | TypedValue | None
"""What a parameter may be bound to."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SignInBody(_Body):
    """A name and a password."""

    name: str = Field(max_length=100)
    password: str = Field(max_length=1024)


class QuestionBody(_Body):
    """A question, at a price (`epsilon`) or to an accuracy (`within`)."""

    sql: str = Field(max_length=SQL, description="One SELECT; or SHOW TABLES, DESCRIBE t.")
    epsilon: Price | None = None
    within: Price | None = None
    confidence: float = Field(default=0.95, gt=0, lt=1)
    params: (
        Annotated[list[Value], Field(max_length=MOST_PARAMETERS)]
        | Annotated[dict[str, Value], Field(max_length=MOST_PARAMETERS)]
        | None
    ) = Field(
        default=None,
        description='The values of the parameters: a list for ? and $1, an object for :name. {"date": "2025-03-01"}, '
        '{"moment": "2025-03-01T12:00:00"} and {"number": "0.10"} stand for values that JSON has no type for.',
    )

    def question(self) -> Question:
        """The question as the desk takes it."""
        return Question(
            self.sql,
            exact_number(self.epsilon),
            exact_number(self.within),
            self.confidence,
            params=self.bound(),
        )

    def bound(self) -> Any:
        """What parameters stand for."""
        return read_parameters(
            self.model_dump(include={"params"}, exclude_unset=True).get("params")
        )


class AnswerBody(QuestionBody):
    """A question that is asked."""

    raw: bool = Field(default=False, description="Leave noisy numbers as they are.")

    def question(self) -> Question:
        """The question as the desk takes it."""
        return Question(
            self.sql,
            exact_number(self.epsilon),
            exact_number(self.within),
            self.confidence,
            self.raw,
            self.bound(),
        )


class SyntheticBody(_Body):
    """A table of which synthetic rows are wanted."""

    table: str = Field(max_length=200)
    epsilon: Price
    columns: list[Annotated[str, Field(max_length=200)]] | None = Field(
        default=None,
        max_length=200,
        description="By default all columns that have values or bounds.",
    )
    always: list[Annotated[str, Field(max_length=500)]] = Field(
        default=[],
        max_length=20,
        description="Public rules that all rows satisfy, such as discharged >= admitted.",
    )
    rows: int = Field(default=100, ge=1, le=10_000)


Setting = (
    bool
    | int
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[str, Field(max_length=200)]
    | Annotated[list[int | Annotated[str, Field(max_length=200)]], Field(max_length=200)]
    | None
)
"""What a setting of a model may be."""


class ModelBody(_Body):
    """A model that is to be fitted: to a table, or to the rows that a question in SQL counts."""

    model: Literal[
        "GaussianNB",
        "HistogramNB",
        "KMeans",
        "LinearRegression",
        "LogisticRegression",
        "NearestClassifier",
        "PCA",
    ]
    epsilon: Price
    table: str | None = Field(default=None, max_length=200)
    rows: str | None = Field(
        default=None,
        max_length=SQL,
        description="Instead of a table: SELECT COUNT(*) AS n FROM visits WHERE cost > 5.",
    )
    target: str | None = Field(default=None, max_length=200)
    columns: list[Annotated[str, Field(max_length=200)]] | None = Field(
        default=None,
        max_length=200,
        description="By default all columns that have values or bounds.",
    )
    settings: dict[Annotated[str, Field(max_length=50)], Setting] = Field(
        default={}, max_length=20, description="The settings of the estimator in tacit.learn."
    )

    def fit(self) -> Fit:
        """The fit as the desk takes it."""
        return Fit(
            self.model,
            exact_number(self.epsilon),
            self.table,
            self.rows,
            self.target,
            self.columns,
            self.settings,
        )


class BoundsBody(_Body):
    """A column whose bounds are to be found."""

    column: str = Field(max_length=300, description="Such as visits.cost.")
    epsilon: Price
    share: float = Field(default=0.98, gt=0, lt=1)


class ContributionsBody(_Body):
    """A table of which is to be found how many rows of a unit count in full."""

    table: str = Field(max_length=200)
    epsilon: Price
    share: float = Field(default=0.95, gt=0, lt=1)


class ReceiptBody(BaseModel):
    """A receipt, as an answer brought it."""

    model_config = ConfigDict(extra="allow")


def exact_number(given: float | str | None) -> Any:
    """A number as it was sent: a text is exact.

    >>> exact_number("1/3"), exact_number(0.5), exact_number(None)
    (Fraction(1, 3), 0.5, None)
    """
    if not isinstance(given, str):
        return given
    try:
        return Fraction(given)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput("a number", given, "write it in digits, such as 0.1") from None
