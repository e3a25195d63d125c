"""The twin has the vault's tables and nothing of its rows."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.curator import Limit, Policy, Shared, open_vault
from tacit.curator.mock import ROWS, rows_for, twin
from tacit.plan import Column, Kind, Table
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
    Column("seen", Kind.TIMESTAMP, low=datetime(2020, 1, 1, tzinfo=UTC), high=datetime(2020, 1, 2, tzinfo=UTC)),
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
        answer = made.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward", epsilon=1)
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
