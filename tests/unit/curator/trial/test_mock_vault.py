"""The twin has the vault's tables and nothing of its rows."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tacit
from tacit.curator import Limit, Policy, Shared, open_vault
from tacit.curator.trial.mock_vault import ROWS, rows_for, twin
from tacit.plan import Column, Kind, Table, constant
from tests.unit.cli.clinics import HEAD, vault

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B")),
    Column("note", Kind.TEXT),
    Column("age", Kind.INTEGER, low=18, high=30),
    Column("code", Kind.INTEGER, nullable=False),
    Column("cost", Kind.NUMBER, low=-2, high=2),
    Column("weight", Kind.NUMBER),
    Column("died", Kind.BOOLEAN),
    Column("born", Kind.DATE, low=date(1900, 1, 1), high=date(1900, 1, 3)),
    Column("left", Kind.DATE),
    Column(
        "seen",
        Kind.TIMESTAMP,
        low=datetime(2020, 1, 1, tzinfo=UTC),
        high=datetime(2020, 1, 2, tzinfo=UTC),
    ),
    Column("gone", Kind.TIMESTAMP),
)
SHARED = Shared(Table("visits", COLUMNS, unit="patient"), 5)


def values(name: str) -> Iterator[Any]:
    return (row[name] for row in rows_for(SHARED) if row[name] is not None)


def test_there_are_as_many_rows_as_ever_and_the_same_ones() -> None:
    assert len(rows_for(SHARED)) == ROWS
    assert rows_for(SHARED) == rows_for(SHARED)


def test_every_value_is_one_that_the_column_may_hold() -> None:
    assert set(values("ward")) == {"A", "B"}
    assert set(values("age")) == set(range(18, 31))
    assert all(-2 <= value <= 2 for value in values("cost"))
    assert set(values("born")) == {date(1900, 1, day) for day in (1, 2, 3)}
    assert set(values("died")) == {True, False}


def test_what_may_be_null_sometimes_is() -> None:
    rows = rows_for(SHARED)
    assert any(row["note"] is None for row in rows)
    assert all(row["code"] is not None for row in rows)


def test_a_unit_has_several_rows() -> None:
    units = [row["patient"] for row in rows_for(SHARED)]
    assert len(set(units)) == ROWS // 4


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_twin_answers_without_end(delta: float) -> None:
    made = twin(Policy(Limit(1, delta), {"visits": SHARED}))
    for _ in range(4):
        answer = made.sql(
            "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=1
        )
        assert not answer.price.free
    assert made.budget.spent == 0
    assert "made-up rows" in str(answer)
    assert made.table("visits").agg(n=tacit.count()).ask(epsilon=1).measured == ("n",)


def test_a_twin_is_made_from_the_policy_alone(tmp_path: Path) -> None:
    """Two vaults whose rows differ have the same twin, also when their sources are gone."""
    clinic = vault(tmp_path)
    with open_vault(clinic) as opened:
        policy = opened.policy
    before = rows_for(policy.tables["visits"])
    (clinic / "visits.csv").write_text(HEAD + "1,A,3.5,9\n")
    with open_vault(clinic) as opened:
        assert rows_for(opened.policy.tables["visits"]) == before
        (clinic / "visits.csv").unlink()
        made = opened.mock()
        assert len(made.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=1)) == 2


MIDSUMMER, FIRST = date(9999, 6, 1), datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
BOUNDS: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.BOOLEAN: st.none(),
    Kind.TEXT: st.none(),
    Kind.INTEGER: st.integers(-(10**6), 10**6)
    | st.sampled_from([-(1 << 63), (1 << 63) - 1, 150, -150]),
    Kind.NUMBER: st.fractions(-(10**6), 10**6, max_denominator=1000)
    | st.sampled_from([Fraction(10) ** 300, -(Fraction(10) ** 300), Fraction(1, 10), 150, -150]),
    Kind.DATE: st.dates() | st.sampled_from([date.min, date.max, MIDSUMMER]),
    Kind.TIMESTAMP: st.datetimes(timezones=st.none() | st.just(UTC))
    | st.just(FIRST.replace(year=2)),
}


@st.composite
def columns(draw: st.DrawFn) -> Column:
    """A column of any kind, with both of its bounds, one of them, or none."""
    kind = draw(st.sampled_from(Kind))
    low, high = sorted(
        draw(st.lists(BOUNDS[kind], min_size=2, max_size=2)),
        key=lambda end: constant(end, kind) or 0,
    )
    return Column(
        "cell", kind, *draw(st.sampled_from([(low, high), (low, None), (None, high), (None, None)]))
    )


@given(column=columns())
@example(column=Column("cell", Kind.INTEGER, low=150))
@example(column=Column("cell", Kind.INTEGER, high=-150))
@example(column=Column("cell", Kind.NUMBER, low=Fraction(301, 2)))
@example(column=Column("cell", Kind.NUMBER, low=-(10**308), high=10**308))
@example(column=Column("cell", Kind.DATE, low=MIDSUMMER))
@example(column=Column("cell", Kind.DATE, high=date(2024, 12, 31)))
@example(column=Column("cell", Kind.TIMESTAMP, low=datetime.max.replace(tzinfo=UTC)))
@example(column=Column("cell", Kind.TIMESTAMP, low=date.min, high=date.max))
@example(column=Column("cell", Kind.TIMESTAMP, low=datetime.fromisoformat("2030-01-01T00:00:00")))
@example(
    column=Column(
        "cell", Kind.TIMESTAMP, low=FIRST, high=datetime.fromisoformat("9999-12-31T00:00:00")
    )
)
@example(column=Column("cell", Kind.TIMESTAMP, low=FIRST))
def test_every_value_is_between_the_bounds_that_are_declared(column: Column) -> None:
    low, high = constant(column.low, column.kind), constant(column.high, column.kind)
    for row in rows_for(Shared(Table("visits", (column,), unit="patient"), 5))[:50]:
        value: Any = constant(row["cell"], column.kind)
        assert (value is None) == (row["cell"] is None), "it is of its kind"
        assert value is None or low is None or value >= low
        assert value is None or high is None or value <= high


def test_a_missing_end_is_not_where_the_other_one_is() -> None:
    for column in (
        Column("cell", Kind.INTEGER, low=150),
        Column("cell", Kind.DATE, high=date(1950, 1, 1)),
    ):
        rows = rows_for(Shared(Table("visits", (column,), unit="patient"), 5))
        assert len({row["cell"] for row in rows}) > 50


def test_a_range_that_holds_no_integer_raises_nothing() -> None:
    column = Column("cell", Kind.INTEGER, low=Fraction(1, 5), high=Fraction(4, 5))
    assert {
        row["cell"] for row in rows_for(Shared(Table("visits", (column,), unit="patient"), 5))
    } <= {None, 1}


def test_the_twin_answers_at_both_ends_of_the_calendar() -> None:
    ends = (
        Column("day", Kind.DATE, low=MIDSUMMER),
        Column("seen", Kind.TIMESTAMP, high=datetime(1, 1, 2, tzinfo=UTC)),
    )
    made = twin(Policy(Limit(1, 0), {"visits": Shared(Table("visits", ends, unit="patient"), 5)}))
    question = (
        "SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '9999-06-01' AND seen IS NOT NULL"
    )
    assert len(made.sql(question, epsilon=1)) == 1
