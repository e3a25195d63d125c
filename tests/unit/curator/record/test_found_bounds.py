"""What the policy leaves open is found at a price, kept in the ledger, and used from then on by whom it binds."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import inf, nan
from typing import Any

import pytest

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.curator.record.found_bounds import FACTS
from tacit.curator.record.stored_answer import Stored
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidInput, InvalidPlan, LimitExceeded, Unbounded
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table, read_sql
from tacit.privacy import ZeroConcentratedLoss

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
COST, COUNT = Column("cost", Kind.NUMBER), Column("count", Kind.INTEGER)
HELD = Column("held", Kind.NUMBER, low=0, high=10)
VISITS = Table("visits", (WARD, COST, COUNT, HELD, Column("day", Kind.DATE)), unit="person")
SURELY = 10
"""The epsilon at which a bound of these rows is a cell away from where it belongs less than once in 1e12 runs."""
PURE_ENOUGH = ZeroConcentratedLoss(Fraction(1, 10**6), 0)
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


@cache
def everybody() -> Memory:
    """The rows in an engine, which no question changes."""
    return Memory({VISITS: ROWS})


def opened(
    ledger: Any = None,
    contributions: int | None = None,
    engine: Any = None,
    *,
    analyst: str | None = None,
    replay: Any = "analyst",
    **limit: Any,
) -> Vault:
    chosen = Limit(**{"epsilon": 20, "delta": 1e-6} | limit)
    policy = Policy(chosen, {"visits": Shared(VISITS, contributions)}, replay=replay)
    kept = MemoryLedger(chosen.filter()) if ledger is None else ledger
    return Vault(
        policy,
        {"visits": everybody() if engine is None else engine},
        kept,
        analyst=analyst,
    )


@cache
def small(value: float = 1.0) -> Memory:
    """The same rows, but for one cost that all of them have."""
    return Memory({VISITS: [{**row, "cost": value} for row in ROWS]})


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


def test_what_was_found_is_free_the_next_time_and_dearer_is_found_when_it_replaces():
    vault = opened(contributions=4)
    first = vault.find_bounds("visits.cost", epsilon=1)
    again = vault.find_bounds("visits.cost", epsilon=0.5)
    assert again.price.free
    assert (again.low, again.high) == (first.low, first.high)
    spent = vault.budget.spent
    for other in ({"epsilon": 2}, {"epsilon": 1, "share": 0.9}):
        with pytest.raises(InvalidInput, match=r"was estimated before .* use replace=True"):
            vault.find_bounds("visits.cost", **other)
    assert vault.budget.spent == spent
    assert not vault.find_bounds("visits.cost", epsilon=2, replace=True).price.free
    assert not vault.find_bounds("visits.cost", epsilon=2, replace=True).price.free


def test_every_vault_over_the_same_ledger_knows_it():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    opened(ledger).find_contributions("visits", epsilon=1)
    found = opened(ledger).find_bounds("visits.count", epsilon=SURELY)
    other = opened(ledger)
    assert other.find_bounds("visits.count", epsilon=SURELY).price.free
    assert (
        other.sql("SELECT MAX(count) AS m FROM visits", epsilon=1).column("m_high")[0] == found.high
    )


def test_after_a_refresh_facts_stay_until_they_are_found_anew():
    vault = opened(contributions=4)
    old = vault.find_bounds("visits.cost", epsilon=1)
    vault.refresh("visits")
    assert vault.table("visits").table.columns[1].low == old.low
    with pytest.raises(InvalidInput, match="estimated before"):
        vault.find_bounds("visits.cost", epsilon=1)
    assert not vault.find_bounds("visits.cost", epsilon=1, replace=True).price.free
    assert len(list(vault.ledger.find_answered(FACTS))) == 2


def test_the_first_fact_stands_until_the_curator_replaces_it():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    first = opened(ledger, 4, small())
    old = first.find_bounds("visits.cost", epsilon=SURELY / 2)
    answer = first.sql("SELECT AVG(cost) AS m FROM visits", epsilon=0.1)
    first.refresh("visits")
    later = opened(ledger, 4)
    with pytest.raises(InvalidInput, match="estimated before"):
        later.find_bounds("visits.cost", epsilon=SURELY)
    assert first.table("visits").table.columns[1].high == old.high
    found = later.find_bounds("visits.cost", epsilon=SURELY, replace=True)
    assert found.high > 256
    assert first.table("visits").table.columns[1].high == found.high
    assert not answer.price.free


COSTS = "SELECT AVG(cost) AS m FROM visits"


def bounds_of(vault: Vault) -> tuple[Any, Any]:
    """Between what a vault holds the column."""
    column = vault.table("visits").table.columns[1]
    return column.low, column.high


def test_what_an_analyst_finds_binds_her_alone():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    alice, mallory = (opened(ledger, 4, analyst=name) for name in ("alice", "mallory"))
    curator = opened(ledger, 4)
    found = alice.find_bounds("visits.cost", epsilon=1)
    before = alice.sql(COSTS, epsilon=0.1)
    assert bounds_of(alice) == (found.low, found.high)
    assert bounds_of(mallory) == bounds_of(curator) == (None, None)
    worthless = mallory.find_bounds("visits.cost", epsilon=1e-5, share=0.001)
    assert bounds_of(mallory) == (worthless.low, worthless.high)
    assert bounds_of(alice) == (found.low, found.high)
    assert bounds_of(curator) == (None, None)
    again = alice.sql(COSTS, epsilon=0.1)
    assert again.price.free
    assert again.column("m") == before.column("m")
    for other in (curator, opened(ledger, 4, analyst="bob")):
        with pytest.raises(Unbounded):
            other.sql(COSTS, epsilon=0.1)


def test_what_the_curator_finds_binds_everyone_but_who_found_her_own():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    alice, bob, curator = (
        opened(ledger, 4, small(), analyst="alice"),
        opened(ledger, 4, analyst="bob"),
        opened(ledger, 4),
    )
    own = alice.find_bounds("visits.cost", epsilon=5)
    answer = alice.sql(COSTS, epsilon=0.1)
    found = curator.find_bounds("visits.cost", epsilon=SURELY)
    assert (found.low, found.high) != (own.low, own.high)
    assert bounds_of(bob) == bounds_of(curator) == (found.low, found.high)
    assert bounds_of(alice) == (own.low, own.high)
    assert alice.sql(COSTS, epsilon=0.1).column("m") == answer.column("m")
    with pytest.raises(InvalidInput, match="for your questions"):
        bob.find_bounds("visits.cost", epsilon=1)
    better = bob.find_bounds("visits.cost", epsilon=0.5, share=0.5, replace=True)
    assert bounds_of(bob) == (better.low, better.high)
    assert bounds_of(curator) == (found.low, found.high)
    newest = curator.find_bounds("visits.cost", epsilon=1, share=0.9, replace=True)
    assert {bounds_of(vault) for vault in (alice, bob, curator)} == {(newest.low, newest.high)}


def test_contributions_that_an_analyst_finds_bind_her_alone():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    alice, bob = opened(ledger, analyst="alice"), opened(ledger, analyst="bob")
    alice.find_contributions("visits", epsilon=1)
    assert alice.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.1).measured == ("n",)
    with pytest.raises(InvalidPlan, match="find_contributions"):
        bob.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.1)


@pytest.mark.parametrize(
    "text", [COSTS, "SELECT SUM(cost) AS m FROM visits", "SELECT MAX(cost) AS m FROM visits"]
)
def test_an_answer_under_other_bounds_is_never_replayed_to_another_analyst(text):
    ledger = MemoryLedger(Limit(40, 1e-6).filter())
    alice = opened(ledger, 4, small(), analyst="alice", replay="everyone", epsilon=40)
    bob = opened(ledger, 4, analyst="bob", replay="everyone", epsilon=40)
    carol = opened(ledger, 4, analyst="carol", replay="everyone", epsilon=40)
    one, other = (vault.find_bounds("visits.cost", epsilon=SURELY) for vault in (alice, bob))
    assert (one.low, one.high) != (other.low, other.high)
    assert not alice.sql(text, epsilon=0.1).price.free
    assert not bob.sql(text, epsilon=0.1).price.free
    third = carol.find_bounds("visits.cost", epsilon=SURELY)
    assert bob.sql(text, epsilon=0.1).price.free
    assert carol.sql(text, epsilon=0.1).price.free == (
        (third.low, third.high) == (other.low, other.high)
    )


def test_facts_of_older_ledgers_bind_by_who_paid_and_the_last_of_them_counts():
    ledger = MemoryLedger(Limit(20, 1e-6).filter())
    sample = opened(MemoryLedger(Limit(20, 1e-6).filter()), 4)
    sample.find_bounds("visits.cost", epsilon=1)
    (kept,) = sample.ledger.find_answered(FACTS)
    stored = Stored.from_bytes(kept.payload)
    for number, (analyst, high) in enumerate([(None, "8"), (None, "32"), ("mallory", "16")]):
        entry = ledger.charge(b"%d" % number, PURE_ENOUGH, analyst, topic=FACTS)
        ledger.settle(
            entry, stored.saying(found={"of": "visits.cost", "low": "0", "high": high}).to_bytes()
        )
    assert bounds_of(opened(ledger, 4)) == bounds_of(opened(ledger, 4, analyst="alice")) == (0, 32)
    assert bounds_of(opened(ledger, 4, analyst="mallory")) == (0, 16)


def test_a_fact_so_noisy_that_it_says_nothing_is_told():
    vault = opened(contributions=4)
    found = vault.find_bounds("visits.cost", epsilon=1e-4)
    assert found.needed > len(ROWS)
    assert f"fewer than {found.needed:,} rows these bounds are meaningless" in str(found)
    assert opened(contributions=4).find_bounds("visits.cost", epsilon=SURELY).needed < len(ROWS)
    worthless = opened().find_contributions("visits", epsilon=1e-4)
    assert worthless.needed > len(ROWS) / 4
    assert f"fewer than {worthless.needed:,} units this is meaningless" in str(worthless)


def own_plan(vault: Vault, text: str, **bounds: Any) -> Any:
    """A plan over a table whose columns were given bounds by whoever asks."""
    table = vault.policy.tables["visits"].table
    columns = tuple(
        replace(each, **bounds) if each.name in ("cost", "half") else each for each in table.columns
    )
    return read_sql(text, {"visits": replace(table, columns=columns)})


def test_bounds_of_ones_own_are_part_of_the_question_and_of_its_noise():
    vault = opened(contributions=4)
    text = "SELECT SUM(cost) AS s FROM visits"
    narrow, wide = (
        vault.ask(own_plan(vault, text, low=0, high=high), epsilon=1) for high in (10, 1000)
    )
    assert not wide.price.free
    widths = [answer.column("s_high")[0] - answer.column("s_low")[0] for answer in (narrow, wide)]
    assert widths[1] == pytest.approx(100 * widths[0], rel=0.05)
    assert narrow.column("s_high")[0] < wide.column("s_low")[0]
    assert vault.ask(own_plan(vault, text, low=0, high=10), epsilon=1).price.free
    assert bounds_of(vault) == (None, None)


def test_declared_bounds_are_nobodys_to_change():
    half = Table("visits", (Column("half", Kind.NUMBER, low=0), *VISITS.columns), unit="person")
    vault = Vault(
        Policy(Limit(20, 1e-6), {"visits": Shared(half, 4)}),
        {},
        MemoryLedger(Limit(20, 1e-6).filter()),
    )
    text = "SELECT SUM(half) AS s FROM visits"
    with pytest.raises(InvalidInput, match="use a table of this vault: vault"):
        vault.ask(own_plan(vault, text, low=-5, high=10), epsilon=1)
    held = replace(HELD, high=11)
    table = replace(
        VISITS, columns=tuple(held if each.name == "held" else each for each in VISITS.columns)
    )
    with pytest.raises(InvalidInput, match="use a table of this vault: vault"):
        opened(contributions=4).ask(
            read_sql("SELECT SUM(held) AS s FROM visits", {"visits": table}), epsilon=1
        )


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
    assert "4 rows of one unit of visits" in str(found)


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
    with pytest.raises(InvalidInput, match="is declared in the policy and takes precedence;"):
        vault.find_contributions("visits", epsilon=1)
    assert vault.budget.spent == 0


@pytest.mark.parametrize(
    "column", ["visits.nothing", "nothing.cost", "cost", "visits.ward", "visits.day", ""]
)
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
    said = {"of": "visits.cost", "low": str(found.low), "high": str(found.high), "replaces": False}
    assert found.receipt["found"] == said
    assert found.receipt["mechanism"] == "RankedCells"
    assert "visits.cost is clipped to" in str(found)


def test_the_twin_knows_what_was_found():
    vault = opened(contributions=4)
    vault.find_bounds("visits.cost", epsilon=1)
    with vault.mock() as twin:
        assert twin.sql("SELECT SUM(cost) AS s FROM visits", epsilon=1).measured == ("s",)
