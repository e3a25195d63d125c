"""A constant that a declared column cannot equal is refused, at both doors and before anything is paid."""

import pytest

import tacit
from tacit import coalesce, col, count, when
from tacit.curator import protect
from tacit.errors import InvalidPlan
from tacit.plan import Frame, Table, read_sql
from tacit.plan.model.schema import Column, Kind

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=("Cardiology", "Surgery")),
        Column("kind", Kind.TEXT, values=("x", "y"), other=True),
        Column("code", Kind.INTEGER, values=(1, 2, 5)),
        Column("note", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 120),
    ),
    unit="person",
    contributions=2,
)
TABLES = {"visits": VISITS}
WRONG = [
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM visits WHERE 'Cardiolgy' = ward",
    "SELECT COUNT(*) AS n FROM visits WHERE ward <> 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM visits WHERE NOT ward = 'Cardiolgy' OR age > 3",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN ('Surgery', 'Cardiolgy')",
    "SELECT COUNT(*) AS n FROM visits WHERE ward NOT IN ('Cardiolgy')",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IS DISTINCT FROM 'Cardiolgy'",
    "SELECT COUNT(*) FILTER (WHERE ward = 'Cardiolgy') AS n FROM visits",
    "SELECT SUM(CASE WHEN ward = 'Cardiolgy' THEN 1 ELSE 0 END) AS n FROM visits",
    "SELECT SUM(CASE ward WHEN 'Cardiolgy' THEN 1 ELSE 0 END) AS n FROM visits",
    "SELECT COUNT(NULLIF(ward, 'Cardiolgy')) AS n FROM visits",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING ward = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM (SELECT person, ward AS w FROM visits) WHERE w = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM (SELECT person, ward FROM visits GROUP BY person, ward) WHERE ward = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM visits WHERE person IN (SELECT person FROM visits WHERE ward = 'Cardiolgy')",
]
RIGHT = [
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'Cardiology'",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN ('Cardiology', NULL)",
    "SELECT COUNT(*) AS n FROM visits WHERE kind = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM (SELECT person, kind AS w FROM visits) WHERE w = 'Cardiolgy'",
    "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind HAVING kind = 'other'",
    "SELECT COUNT(*) AS n FROM visits WHERE note = 'Cardiolgy'",
    "SELECT COUNT(*) AS n FROM visits WHERE ward < 'D'",
    "SELECT COUNT(*) AS n FROM visits WHERE ward LIKE 'Card%'",
    "SELECT COUNT(*) AS n FROM visits WHERE COALESCE(ward, 'none') = 'none'",
    "SELECT COUNT(*) AS n FROM visits WHERE code = 5.0",
    "SELECT COUNT(*) AS n FROM visits WHERE age = 200",
]


@pytest.mark.parametrize("text", WRONG)
def test_a_typing_error_in_a_constant_is_refused(text):
    with pytest.raises(
        InvalidPlan, match="'Cardiolgy' is not among the declared values of"
    ) as refusal:
        read_sql(text, TABLES)
    assert "did you mean 'Cardiology'?" in str(refusal.value)
    start, end = refusal.value.start, refusal.value.end
    assert text[start:end] == "'Cardiolgy'"


@pytest.mark.parametrize("text", RIGHT)
def test_what_a_column_may_equal_is_read(text):
    read_sql(text, TABLES)


@pytest.mark.parametrize("number", ["3", "2.5", "-1"])
def test_numbers_that_are_declared_are_checked_too(number):
    with pytest.raises(InvalidPlan, match="is not among the declared values of code"):
        read_sql(f"SELECT COUNT(*) AS n FROM visits WHERE code = {number}", TABLES)


@pytest.mark.parametrize(
    "write",
    [
        lambda frame: frame.where(col("ward") == "Cardiolgy"),
        lambda frame: frame.where(col("ward") != "Cardiolgy"),
        lambda frame: frame.where(col("ward").is_in(["Surgery", "Cardiolgy"])),
        lambda frame: frame.where(~col("ward").is_in(["Cardiolgy"])),
        lambda frame: frame.agg(n=tacit.sum(when(col("ward") == "Cardiolgy").then(1).otherwise(0))),
        lambda frame: frame.group_by("ward").agg(n=count()).having(col("ward") == "Cardiolgy"),
    ],
)
def test_frames_refuse_it_too(write):
    with pytest.raises(InvalidPlan, match="'Cardiolgy' is not among the declared values of ward"):
        write(Frame(VISITS))


def test_frames_take_what_a_column_may_equal():
    frame = Frame(VISITS).where(
        col("ward") == "Surgery", col("kind") == "z", coalesce("ward", "none") == "none"
    )
    assert frame.agg(n=count()).plan() is not None


def test_nothing_is_paid_for_a_typing_error():
    rows = [{"person": n, "ward": "Surgery"} for n in range(9)]
    vault = protect(
        rows, unit="person", contributions=1, columns={"ward": ["Cardiology", "Surgery"]}, epsilon=1
    )
    with pytest.raises(InvalidPlan):
        vault.sql("SELECT COUNT(*) AS n FROM data WHERE ward = 'Cardiolgy'", epsilon=1)
    with pytest.raises(InvalidPlan):
        vault.table("data").where(col("ward") == "Cardiolgy").agg(n=count()).ask(epsilon=1)
    assert vault.budget.spent == 0
