"""Sample-and-aggregate in a vault: one unit moves one block, the function nothing else, and it is paid for first."""

import os
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tacit import protect
from tacit.curator.aggregate import sample_and_aggregate as room
from tacit.curator.aggregate.run_blocks import choose_blocks, run_blocks
from tacit.engines import DuckDB, Memory
from tacit.errors import EngineFailed, InvalidInput, InvalidPlan, LimitExceeded
from tacit.exact import working
from tacit.mechanisms import BlockMedian
from tacit.plan import Axis, Coding, Column, Even, Field, Kind, Scan, Table
from tacit.stability import weights_for_tables

AGE = Column("age", Kind.INTEGER, low=0, high=99)
SECRET = b"0123456789abcdef"


def people(count, start=0):
    return [{"who": f"p{n}", "age": (n * 37) % 90, "cost": n % 50} for n in range(start, count)]


def vault(rows, *, delta=0, neighbours="add-or-remove", unit="who"):
    return protect(
        rows,
        unit=unit,
        contributions=2,
        columns={"age": (0, 99), "cost": (0.0, 100.0)},
        epsilon=4,
        delta=delta,
        neighbours=neighbours,
    )


def middle(block):
    return float(np.median(block["age"]))


ASKED = {"of": "data", "blocks": 5, "low": 0, "high": 100, "epsilon": 1}


def test_a_unit_that_comes_or_goes_changes_its_own_block_alone():
    names = np.array([f"p{n}" for n in range(200)], object)
    before = dict(zip(names, zip(*choose_blocks(names, 16, SECRET), strict=True), strict=True))
    fewer = np.delete(names, [7])[::-1]
    after = dict(zip(fewer, zip(*choose_blocks(fewer, 16, SECRET), strict=True), strict=True))
    assert all(before[name] == found for name, found in after.items())
    assert len({block for block, _ in before.values()}) == 16
    assert len({mark for _, mark in before.values()}) == 200
    other, _ = choose_blocks(names, 16, b"another secret key")
    assert (other != [block for block, _ in before.values()]).any()


@pytest.mark.parametrize("unit", [str, int])
def test_engines_name_the_same_units(unit):
    table = Table("visits", (AGE,), unit="who")
    rows = [{"who": unit(n % 3), "age": n} for n in range(9)] + [{"who": None, "age": 1}]
    coding = Coding(Scan(table), (Axis(Field(AGE), (), Even(Fraction(1), 0, 99)),), units=True)
    weights = weights_for_tables(coding.rows, 2)
    found = []
    for kind in (Memory, DuckDB):
        engine = kind({table: rows})
        coded = engine.code(coding, weights)
        found.append(sorted(zip(coded.codes[0].tolist(), coded.units.tolist(), strict=True)))
        assert engine.code(replace(coding, units=False), weights).units is None
        assert len(engine.code(coding, weights, rehearsing=True).codes[0]) == 0
        engine.close()
    assert found[0] == found[1] == [(n, str(n % 3)) for n in range(9)]


COUNTER: dict[str, Any] = {"calls": 0}


def misbehave(how):
    def function(block):
        COUNTER["calls"] += 1
        print("printed by a block")
        if block["mark"].any():
            how()
        return COUNTER["calls"] + float(block["mark"].sum())

    return function


def fail():
    raise RuntimeError("private")


@pytest.mark.parametrize(
    "how",
    [
        fail,
        lambda: os._exit(3),
        lambda: time.sleep(60),
        lambda: COUNTER.update(calls=float("nan")),
        lambda: COUNTER.update(calls=float("inf")),
        lambda: COUNTER.update(calls="text"),
        lambda: (_ for _ in ()).throw(SystemExit(0)),
    ],
    ids=["raises", "ends", "hangs", "nan", "infinite", "no number", "exits"],
)
def test_what_a_function_does_changes_nothing_but_its_own_block(how, capfd):
    """A global counter counts one call in every block: none sees another's."""
    COUNTER["calls"] = 0
    places = np.arange(12) % 4
    columns = {"mark": (places == 2).astype(float)}
    found = run_blocks(misbehave(how), columns, places, 4, 4.0, -1.0)
    assert found == [1.0, 1.0, -1.0, 1.0]
    assert COUNTER["calls"] == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("neighbours", ["add-or-remove", "replace"])
def test_the_price_is_kept(delta, neighbours, monkeypatch):
    """What the mechanisms cost is never more than what is charged, and nearly all of it."""
    seen = []
    monkeypatch.setattr(room, "_evaluate", lambda *given: seen.append(given[1]) or [50.0] * 5)
    held = vault(people(30), delta=delta, neighbours=neighbours)
    for by in ("median", "mean"):
        held.aggregate(middle, by=by, **ASKED)
        asked = seen[-1]
        made = (
            asked.median.loss(asked.neighbours) if by == "median" else asked.noise.loss(asked.moved)
        )
        with working():
            cost = made.rho().mid() if delta else made.pure()
        assert made.neighbours is asked.neighbours
        assert 0.999 * float(asked.amount) <= float(cost) <= float(asked.amount) * (1 + 1e-12)
        charged = list(held.ledger.entries())[-1].charge
        assert held.policy.limit.filter().price(asked.loss) == charged


def test_a_replaced_unit_moves_two_results(monkeypatch):
    """Its successor may be in another block: the sum of all cells moves by two whole ranges."""
    seen = []
    monkeypatch.setattr(room, "_evaluate", lambda *given: seen.append(given[1]) or [50.0] * 5)
    for relation, moved in (("add-or-remove", 9), ("replace", 18)):
        vault(people(9), neighbours=relation).aggregate(middle, by="mean", **ASKED, cells=10)
        assert seen[-1].moved.bound == moved
        assert seen[-1].noise.scale == moved


@pytest.mark.parametrize("unit", ["who", "row"])
def test_neighbours_differ_in_one_block_and_in_nothing_else_that_leaves(unit, monkeypatch):
    """Grey-box: the results of at most one block move, and with a constant release all that leaves is the same."""
    exact, leaving = [], []
    monkeypatch.setattr(room, "random_bits", lambda bits: 12345)
    monkeypatch.setattr(room, "below", lambda bound, size: np.arange(size) * 7 % bound)
    monkeypatch.setattr(
        room, "_release", lambda asked, results, sure: exact.append(results) or (3, 4, 5)
    )
    columns = {"age": (0, 99), "cost": (0.0, 100.0)}
    for rows in (people(60), people(61)):
        given = rows if unit == "who" else [{"age": r["age"], "cost": r["cost"]} for r in rows]
        held = protect(given, unit=unit, contributions=2, columns=columns, epsilon=4)
        answer = held.aggregate(middle, **ASKED)
        receipt = {k: v for k, v in answer.receipt.items() if k not in ("hash", "key")}
        leaving.append((answer.rows, str(answer), receipt))
    assert leaving[0] == leaving[1]
    assert sum(a != b for a, b in zip(*exact, strict=True)) <= 1
    assert len(set(exact[0])) > 1


def by_position(block):
    """A number that changes if any two rows that differ change places."""
    first, second = (np.arange(1, len(block["age"]) + 1) ** power for power in (1, 2))
    return float((first * block["age"]).sum() + (second * block["cost"]).sum())


@pytest.mark.parametrize("unit", ["who", "row"])
def test_a_function_never_sees_the_order_that_an_engine_gives(unit, monkeypatch):
    """Grey-box: rows are shuffled as they come from the engine; also with one unit more, other blocks are the same."""
    places, exact = np.arange(121) * 7 % 5, []
    given = [
        {"who": f"p{n % 30}" if n else "new", "age": n * n % 7, "cost": n * 11 % 8}
        for n in range(121)
    ]
    if unit == "row":
        given = [{"age": row["age"], "cost": row["cost"]} for row in given]
    columns = {"age": (0, 99), "cost": (0, 100)}
    monkeypatch.setattr(room, "random_bits", lambda bits: 12345)
    monkeypatch.setattr(
        room, "_release", lambda asked, results, sure: exact.append(results) or (3, 4, 5)
    )

    def ask(rows, first, seed):
        held = protect(rows, unit=unit, contributions=2, columns=columns, epsilon=4)
        engine = held._access.engines["data"]
        code, order = engine.code, np.random.default_rng(seed).permutation(len(rows))

        def shuffled(*asked, rehearsing=False):
            found = code(*asked, rehearsing=rehearsing)
            if rehearsing:
                return found
            units = None if found.units is None else found.units[order]
            return replace(found, codes=tuple(each[order] for each in found.codes), units=units)

        monkeypatch.setattr(engine, "code", shuffled)
        monkeypatch.setattr(room, "below", lambda bound, size: places[first:][order])
        held.aggregate(by_position, **ASKED)

    for seed in range(4):
        ask(given[1:], 1, seed)
    assert exact[0] == exact[1] == exact[2] == exact[3]
    assert len(set(exact[0])) == 5
    ask(given, 0, 4)
    assert sum(a != b for a, b in zip(exact[0], exact[4], strict=True)) == 1


def test_it_is_paid_for_before_rows_are_looked_at(monkeypatch):
    held, order = vault(people(40)), []
    engine, ledger = held._access.engines["data"], held.ledger
    code, charge = engine.code, ledger.charge

    def looked(coding, weights, *, rehearsing=False):
        order.append("rehearse" if rehearsing else "look")
        return code(coding, weights, rehearsing=rehearsing)

    def paid(*given, **named):
        order.append("pay")
        return charge(*given, **named)

    monkeypatch.setattr(engine, "code", looked)
    monkeypatch.setattr(ledger, "charge", paid)
    held.aggregate(middle, **ASKED)
    assert order == ["rehearse", "pay", "look"]
    monkeypatch.setattr(
        engine,
        "code",
        lambda *a, rehearsing=False: code(*a, rehearsing=True) if rehearsing else fail(),
    )
    spent = held.budget.spent
    with pytest.raises(EngineFailed) as failure:
        held.aggregate(middle, **ASKED)
    assert "private" not in str(failure.value)
    assert failure.value.__context__ is None
    assert held.budget.spent > spent


def test_each_call_is_a_charge_and_the_limit_ends_them():
    held = vault(people(40))
    for _ in range(4):
        held.aggregate(middle, **ASKED)
    assert held.budget.spent == pytest.approx(1)
    with pytest.raises(LimitExceeded):
        held.aggregate(middle, **ASKED)


def test_the_answer_is_near_and_has_a_receipt_that_the_ledger_confirms():
    held = vault([{"who": f"p{n}", "age": 40 + n % 3, "cost": 1} for n in range(4000)])
    answer = held.aggregate(middle, **ASKED | {"blocks": 60, "epsilon": 4, "cells": 100})
    (value, low, high) = answer.rows[0]
    assert 0 <= low <= value <= high <= 100
    assert abs(value - 41) < 20  # a cell is misranked by 20 of 60 blocks once in a million runs
    assert held.check_receipt(answer.receipt) == []
    assert answer.receipt["aggregate"]["blocks"] == 60


@pytest.mark.parametrize(
    "wrong",
    [
        {"of": "nothing"},
        {"blocks": 1},
        {"high": 0},
        {"default": 101},
        {"by": "mode"},
        {"cells": 1},
        {"seconds": 0},
        {"seconds": "a"},
        {"seconds": float("nan")},
        {"confidence": 2},
        {"confidence": 0},
        {"confidence": "x"},
        {"confidence": 0.999999999999999},
        {"confidence": 2, "by": "mean"},
        {"columns": ["other"]},
        {"epsilon": 0},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_for_nothing(wrong):
    held = vault(people(10))
    with pytest.raises(InvalidInput):
        held.aggregate(middle, **ASKED | wrong)
    with pytest.raises(InvalidInput):
        held.aggregate("text", **ASKED)
    assert held.budget.spent == 0


def test_a_release_that_fails_fails_before_it_is_paid_for(monkeypatch):
    """The draw itself is rehearsed: whatever it refuses is refused for nothing."""
    monkeypatch.setattr(BlockMedian, "outer_ranks", lambda self, confidence: 1 // 0)
    held = vault(people(10))
    with pytest.raises(InvalidPlan):
        held.aggregate(middle, **ASKED)
    assert held.budget.spent == 0


def test_a_function_sees_declared_columns_as_they_are_declared():
    """Numbers inside their bounds and NULL as NaN; texts as objects; rows of one unit in one block."""
    rows = [
        {
            "who": n % 7,
            "age": n,
            "ward": "AB"[n % 2] if n else None,
            "cost": None if n == 3 else n / 4,
        }
        for n in range(140)
    ]
    columns = {"age": (0, 99), "ward": ["A", "B"], "cost": (0.0, 20.0)}
    held = protect(rows, unit="who", contributions=2, columns=columns, epsilon=200)

    def check(block):
        ages, costs = block["age"], block["cost"]
        assert ages.dtype == costs.dtype == np.float64
        assert ages.max() <= 99
        assert np.nanmax(costs) <= 20
        assert set(block["ward"].tolist()) <= {"A", "B", None}
        assert len(ages) % 20 == 0  # whole units, of twenty rows each
        same = ages < 80
        assert np.allclose(
            costs[same & ~np.isnan(costs)] * 4, ages[same & ~np.isnan(costs)], atol=0.02
        )
        return 90.0

    asked = {
        "of": "data",
        "blocks": 2,
        "low": 0,
        "high": 100,
        "epsilon": 100,
        "default": 0,
        "cells": 10,
    }
    answer = held.aggregate(check, by="mean", **asked)
    assert (
        answer.rows[0][0] > 45
    )  # both blocks say 90, but for noise that is rarer than one in a million
