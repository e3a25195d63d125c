"""Groups of NULL and of others, and what is measured of clipping: as exact, and as far apart, as is claimed."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tacit.curator import Limit, Policy, Shared, Vault, audit_question
from tacit.curator.record.measure_clipping import plan_clipping
from tacit.engines import DuckDB, Memory
from tacit.ledger import MemoryLedger
from tacit.plan import (
    OTHER,
    Column,
    Counted,
    Keeping,
    Kind,
    Table,
    Units,
    Weighing,
    Weights,
    canonical,
    read_sql,
)
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of, weights_for
from tests.laws.test_corridor import constant_release, shown

COLUMNS = (
    Column("ward", Kind.TEXT, values=("A", "B"), null_group=True),
    Column("kind", Kind.TEXT, values=("x", "y"), other=True),
    Column("sort", Kind.TEXT, values=("x", "y"), other=True, null_group=True),
    Column("age", Kind.INTEGER, 0, 3, null_group=True),
    Column("code", Kind.INTEGER, values=(7, 3), null_group=True),
    Column("rate", Kind.NUMBER, values=(Fraction(1, 2), Fraction(2)), null_group=True),
    Column("cost", Kind.NUMBER, 0, 9, null_group=True),
    Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 1, 3), null_group=True),
    Column("seen", Kind.TIMESTAMP, datetime(2025, 1, 1), datetime(2025, 3, 1), null_group=True),  # noqa: DTZ001 -- UTC
    Column("sure", Kind.BOOLEAN, null_group=True),
    Column("note", Kind.TEXT, null_group=True),
    Column("word", Kind.TEXT),
)
VISITS = Table("visits", COLUMNS, unit="person", contributions=3)
CELLS: dict[str, list[Any]] = {
    "ward": ["A", "B", None, "undeclared", ""],
    "kind": ["x", None, "z", OTHER],
    "sort": ["x", None, "z", OTHER],
    "age": [0, None, 3, 99],
    "code": [3, 7, None, 4],
    "rate": [0.5, None, float("nan"), 2.0, 1.0],
    "cost": [None, 1.5, float("nan"), float("inf")],
    "day": [date(2025, 1, 2), None],
    "seen": [datetime(2025, 2, 2), None],  # noqa: DTZ001 -- UTC
    "sure": [True, None, False],
    "note": ["one", None, "", "two"],
    "word": ["one", None, ""],
}
ROWS = [
    {
        name: cells[place * (5 + number) // 7 % len(cells)]
        for number, (name, cells) in enumerate(CELLS.items())
    }
    | {"person": None if place % 11 == 10 else f"p{place % 7}"}
    for place in range(120)
]
KEYS = [
    "ward",
    "kind",
    "sort",
    "age",
    "code",
    "rate",
    "FLOOR(cost / 3)",
    "day",
    "DATE_TRUNC('month', seen)",
    "sure",
    "COALESCE(ward, 'none')",
    "ward, sort",
    "ward, age, sure",
    "UPPER(ward), code",
]
UNKNOWN = ["note", "word", "note, ward", "note, cost", "COALESCE(note, '-'), sort", "seen, note"]


def question(keys: str, **more: Any) -> Any:
    text = f"SELECT COUNT(*) AS n, SUM(cost) AS s, COUNT(DISTINCT person) AS u FROM visits GROUP BY {keys}"
    return canonical(read_sql(text, {"visits": VISITS}, **more)).question


@pytest.fixture(scope="module")
def engines() -> Any:
    with DuckDB({VISITS: ROWS}, threads=1) as duck:
        yield Memory({VISITS: ROWS}), duck


@pytest.mark.parametrize("keys", KEYS)
def test_engines_agree_on_null_and_other_groups(keys, engines):
    """Bit for bit, in either norm; and every row is in a group that its cells name, NULL by NULL."""
    memory, duck = engines
    asked = question(keys)
    for norm in Weighing:
        weights = weights_for(asked, 3, norm)
        assert memory.evaluate(asked, weights).tolist() == duck.evaluate(asked, weights).tolist()
    counted = replace(asked, measures=(Counted(),))
    found = memory.evaluate(counted, Weights(Weighing.L1, 1000, 1, 0))
    named = dict(zip(counted.groups, (int(number) for (number,) in found), strict=True))
    if keys == "ward":
        rows = [row["ward"] for row in ROWS if row["person"] is not None]
        assert named == {(ward,): rows.count(ward) for ward in ("A", "B", None)}
    if keys == "sort":
        rows = [row["sort"] for row in ROWS if row["person"] is not None]
        others = len(rows) - rows.count("x") - rows.count("y") - rows.count(None)
        assert named == {
            ("x",): rows.count("x"),
            ("y",): 0,
            (OTHER,): others,
            (None,): rows.count(None),
        }


@pytest.mark.parametrize("keys", UNKNOWN)
def test_engines_find_null_among_unknown_keys(keys, engines):
    """NULL is a key like others where its column has a group for it, and none where it has not."""
    asked, keeping = question(keys, finding=True), Keeping(9, 20, b"secret")
    memory, duck = engines
    with memory.gather(asked, keeping) as one, duck.gather(asked, keeping) as two:
        names = one.keys(range(len(one.weights)))
        assert names == two.keys(range(len(two.weights)))
        assert one.weights.tolist() == two.weights.tolist()
        found, weights = replace(asked, found=tuple(names)), weights_for(asked, 3, Weighing.L2)
        everything = range(len(names))
        exact = one.evaluate(everything, found, weights).tolist()
        assert (
            exact
            == two.evaluate(everything, found, weights).tolist()
            == duck.evaluate(found, weights).tolist()
        )
    nulls = any(None in values for values in names)
    assert nulls is any(key.null for key in asked.unknown)


@pytest.mark.parametrize(("relation", "norm"), list(product(Neighbours, Weighing)))
def test_a_unit_that_moves_into_the_null_group_moves_as_far_as_claimed(relation, norm):
    """One declared value and NULL are two numbers: a unit that is replaced moves both, and one of both is in both."""
    ward = Column("ward", Kind.TEXT, values=("A",), null_group=True)
    table = Table("visits", (ward,), unit="person", contributions=3)
    text = "SELECT COUNT(*) AS n, COUNT(DISTINCT person) AS u FROM visits GROUP BY ward"
    asked = canonical(read_sql(text, {"visits": table})).question
    weights = weights_for(asked, 3, norm)
    claims = sensitivity_of(asked, weights, relation)
    owned = [[], *([{"ward": cell, "person": 1}] * 5 for cell in ("A", None))]
    owned.append([{"ward": cell, "person": 1} for cell in ("A", None)])
    exact = [Memory({table: rows}).evaluate(asked, weights) for rows in owned]
    pairs = product(exact, exact) if relation is Neighbours.REPLACE else product(exact[:1], exact)
    furthest = [Fraction(0)] * 2
    for one, other in pairs:
        for place, column in enumerate((one - other).T.tolist()):
            moved = (
                sum(map(abs, column)) ** 2
                if norm is Weighing.L1
                else sum(each**2 for each in column)
            )
            furthest[place] = max(furthest[place], Fraction(moved))
    for measure, claim, moved in zip(asked.measures, claims, furthest, strict=True):
        assert moved <= claim.bound**2
        assert moved >= claim.bound**2 * Fraction(99, 100) or (
            isinstance(measure, Units) and norm is Weighing.L1
        )


def policy_of(delta: float, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Policy:
    return Policy(Limit(3, delta, neighbours), {"visits": Shared(VISITS, 3)})


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("keys", ["ward, sort", "age"])
def test_audits_refute_nothing_of_null_groups(keys, delta):
    found = audit_question(
        read_sql(
            f"SELECT COUNT(*) AS n, SUM(cost) AS s, COUNT(DISTINCT person) AS u FROM visits GROUP BY {keys}",
            {"visits": VISITS},
        ),
        policy_of(delta),
        pairs=40,
    )
    assert found.held, str(found)


def test_audits_refute_nothing_of_unknown_keys_with_null():
    plan = read_sql(
        "SELECT note, COUNT(*) AS n FROM visits GROUP BY note", {"visits": VISITS}, finding=True
    )
    found = audit_question(plan, policy_of(1e-6), pairs=40)
    assert found.held, str(found)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("unit", ["person", None])
def test_no_unit_moves_what_is_measured_of_clipping_further_than_claimed(delta, unit):
    table = replace(VISITS, unit=unit, contributions=None)
    shared = Shared(table, 3 if unit else None)
    plan, _ = plan_clipping(shared)
    policy = Policy(Limit(3, delta), {"visits": shared}, unit="person")
    found = audit_question(plan, policy, pairs=60)
    assert found.held, str(found)
    assert any(each.share > 0.5 for each in found.closest)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_with_a_constant_release_nothing_tells_tables_apart(delta, monkeypatch):
    """Groups of NULL, clipping, and captions that say what was measured: the same bytes whatever the rows are."""
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")
    tables = [
        ROWS,
        ROWS[1:40],
        [row | {"cost": 1e9, "ward": None, "person": "p1"} for row in ROWS],
        [],
    ]
    left = []
    for rows in tables:
        policy = policy_of(delta)
        vault = Vault(
            policy, {"visits": Memory({VISITS: rows})}, MemoryLedger(policy.limit.filter())
        )
        with constant_release():
            clipped = vault.clipping("visits", epsilon=1)
            text = (
                "SELECT ward, sort, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward, sort"
            )
            told = vault.explain(text, epsilon=1)
            answer = vault.sql(text, epsilon=1)
        left.append(
            (
                str(clipped),
                clipped,
                str(told),
                told,
                shown(answer),
                list(vault.ledger.entries()),
                vault.budget,
            )
        )
    assert all(each == left[0] for each in left)
    assert "measured" in left[0][2]
