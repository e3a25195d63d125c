"""What the policy leaves open is found at a price, kept in the ledger, and used from then on by everyone."""

from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.curator.finding import FACTS
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidInput, InvalidPlan, LimitExceeded, Unbounded
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
COST, COUNT = Column("cost", Kind.NUMBER), Column("count", Kind.INTEGER)
HELD = Column("held", Kind.NUMBER, low=0, high=10)
VISITS = Table("visits", (WARD, COST, COUNT, HELD, Column("day", Kind.DATE)), unit="person")
SURELY = 10
"""The epsilon at which a bound of these rows is a cell away from where it belongs less than once in 1e12 runs."""
POISON = [nan, inf, -inf, None, 1.7e308, -1.7e308, 5e-324]
ROWS = [
    {
        "person": place // 4,
        "ward": "AB"[place % 2],
        "cost": POISON[place % 7] if place % 500 == 0 else 100.0 + place % 800,
        "count": -(2**63) if place % 501 == 0 else place % 30 - 10,
        "held": 5.0,
        "day": None,
    }
    for place in range(8_000)
]


def opened(ledger: Any = None, contributions: int | None = None, engine: Any = None, **limit: Any) -> Vault:
    chosen = Limit(**{"epsilon": 20, "delta": 1e-6} | limit)
    policy = Policy(chosen, {"visits": Shared(VISITS, contributions)})
    kept = MemoryLedger(chosen.filter()) if ledger is None else ledger
    return Vault(policy, {"visits": Memory({VISITS: ROWS}) if engine is None else engine}, kept)


def test_bounds_are_found_charged_and_used_by_every_later_question():
    vault = opened(contributions=4)
    with pytest.raises(Unbounded):
        vault.sql("SELECT SUM(cost) AS s FROM visits", epsilon=1)
    assert vault.budget.spent == 0
    found = vault.find_bounds("visits.cost", epsilon=SURELY)
    assert 0 <= found.low <= 128
    assert 512 <= found.high <= 2048
    assert vault.budget.spent == pytest.approx(vault.budget.spent)
    assert vault.budget.spent > 0
    assert found.price.epsilon == pytest.approx(SURELY, rel=1e-6)
    assert not found.price.free
    mean = vault.sql("SELECT AVG(cost) AS m FROM visits", epsilon=1).column("m")[0]
    assert 400 < mean < 600
    assert vault.table("visits").table.columns[1].high == found.high


def test_the_price_is_that_of_any_question():
    vault = opened(contributions=4)
    vault.find_bounds("visits.cost", epsilon=1)
    spent = vault.budget.spent
    vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    assert vault.budget.spent == pytest.approx(2 * spent)


def test_what_was_found_is_free_the_next_time_and_dearer_is_found_anew():
    vault = opened(contributions=4)
    first = vault.find_bounds("visits.cost", epsilon=1)
    again = vault.find_bounds("visits.cost", epsilon=0.5)
    assert again.price.free
    assert (again.low, again.high) == (first.low, first.high)
    assert not vault.find_bounds("visits.cost", epsilon=2).price.free


def test_every_vault_over_the_same_ledger_knows_it():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    opened(ledger).find_contributions("visits", epsilon=1)
    found = opened(ledger).find_bounds("visits.count", epsilon=SURELY)
    other = opened(ledger)
    assert other.find_bounds("visits.count", epsilon=SURELY).price.free
    assert other.sql("SELECT MAX(count) AS m FROM visits", epsilon=1).column("m_high")[0] == found.high


def test_after_a_refresh_facts_stay_until_they_are_found_anew():
    vault = opened(contributions=4)
    old = vault.find_bounds("visits.cost", epsilon=1)
    vault.refresh("visits")
    assert vault.table("visits").table.columns[1].low == old.low
    assert not vault.find_bounds("visits.cost", epsilon=1).price.free
    assert len(list(vault.ledger.answered(FACTS))) == 2


def test_the_newest_fact_counts():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    small = [{**row, "cost": 1.0} for row in ROWS]
    first = opened(ledger, 4, Memory({VISITS: small}))
    first.find_bounds("visits.cost", epsilon=SURELY)
    first.refresh("visits")
    later = opened(ledger, 4)
    found = later.find_bounds("visits.cost", epsilon=SURELY)
    assert found.high > 256
    assert first.table("visits").table.columns[1].high == found.high


def test_contributions_are_found_and_used():
    vault = opened()
    with pytest.raises(InvalidPlan, match="find_contributions"):
        vault.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    with pytest.raises(InvalidPlan, match="find_contributions"):
        vault.find_bounds("visits.cost", epsilon=1)
    assert vault.budget.spent == 0
    found = vault.find_contributions("visits", epsilon=1)
    assert found.contributions == 4
    assert vault.explain("SELECT COUNT(*) AS n FROM visits", epsilon=1).contributions == 4
    assert vault.find_contributions("visits", epsilon=1).price.free
    assert "4 rows of a unit of visits" in str(found)


@pytest.mark.parametrize("neighbours", ["add-or-remove", "replace"])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_unit_counts_once_however_many_rows_it_has(delta, neighbours):
    engine = DuckDB({VISITS: [*ROWS, *[{**ROWS[0], "person": 0}] * 3_000]}, threads=1)
    vault = opened(engine=engine, delta=delta, neighbours=neighbours)
    assert vault.find_contributions("visits", epsilon=1).contributions in range(3, 6)
    engine.close()


def test_declared_bounds_and_contributions_count_before_any_other():
    vault = opened(contributions=4)
    with pytest.raises(InvalidInput, match="bounds are declared"):
        vault.find_bounds("visits.held", epsilon=1)
    with pytest.raises(InvalidInput, match="contributions = 4 is declared"):
        vault.find_contributions("visits", epsilon=1)
    assert vault.budget.spent == 0


@pytest.mark.parametrize("column", ["visits.nothing", "nothing.cost", "cost", "visits.ward", "visits.day", ""])
def test_what_has_no_bounds_to_find_is_refused_before_anything_is_paid(column):
    vault = opened(contributions=4)
    with pytest.raises(InvalidInput):
        vault.find_bounds(column, epsilon=1)
    assert vault.budget.spent == 0


@pytest.mark.parametrize("share", [0, 1, -1, 2, nan])
def test_a_share_that_makes_no_sense_is_refused(share):
    with pytest.raises(InvalidInput):
        opened(contributions=4).find_bounds("visits.cost", epsilon=1, share=share)


def test_what_does_not_fit_is_not_found():
    vault = opened(contributions=4, epsilon=1)
    with pytest.raises(LimitExceeded):
        vault.find_bounds("visits.cost", epsilon=2)
    assert vault.table("visits").table.columns[1].low is None


def test_the_engine_is_asked_after_the_charge_and_a_poisoned_row_changes_no_kind_of_answer():
    for engine in (Memory({VISITS: ROWS}), DuckDB({VISITS: ROWS}, threads=1)):
        vault = opened(contributions=4, engine=engine)
        assert isinstance(vault.find_bounds("visits.count", epsilon=1).low, Fraction)
        assert isinstance(vault.find_bounds("visits.cost", epsilon=1).high, Fraction)
        engine.close()


def test_a_fact_has_a_receipt_that_says_what_was_found():
    vault = opened(contributions=4)
    found = vault.find_bounds("visits.cost", epsilon=1)
    assert vault.check_receipt(found.receipt) == []
    assert found.receipt["found"] == {"of": "visits.cost", "low": str(found.low), "high": str(found.high)}
    assert found.receipt["mechanism"] == "RankedCells"
    assert "visits.cost is held between" in str(found)


def test_the_twin_knows_what_was_found():
    vault = opened(contributions=4)
    vault.find_bounds("visits.cost", epsilon=1)
    with vault.mock() as twin:
        assert twin.sql("SELECT SUM(cost) AS s FROM visits", epsilon=1).measured == ("s",)
