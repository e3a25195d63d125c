"""Rows beyond one scan: a unit takes its own rows with it and no others, and both engines give the same."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import chain

import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st

from tacit.curator import Limit, Policy, Shared, Vault, terms_of
from tacit.engines import DuckDB, Memory
from tacit.engines.memory.rows import yield_rows
from tacit.engines.sql.rows import Nest
from tacit.engines.work_bounds import Bounds
from tacit.errors import TooLarge
from tacit.ledger import MemoryLedger
from tacit.plan import (
    Kind,
    Plan,
    bounds_of,
    canonical,
    columns_of,
    compile_expression,
    multiplicity,
)
from tacit.plan.model.expressions import Field, substitute
from tacit.plan.rewrite.canonical import _normal
from tacit.plan.rewrite.canonical_rows import settle_rows
from tacit.privacy import Neighbours
from tests.laws import plans, row_plans
from tests.laws.neighbours import PAIRS, UNITS, VARIANTS, every_relation, pool_of
from tests.laws.row_plans import (
    ONE,
    ROW,
    SHAPES,
    TWO,
    row_questions,
    single_rows,
    unit_rows,
    worlds,
)
from tests.laws.sampled import each_of, few, sampled
from tests.laws.test_corridor import (
    Opened,
    Watched,
    check_moves,
    constant_release,
    left_by,
    narrow,
    views,
)

SLOW = [
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.function_scoped_fixture,  # which only stops the clock
]


def in_memory(rows, world):
    """The rows that the memory engine yields, as a multiset of units and cells."""
    engine = Memory(world.rows)
    found = yield_rows(rows, engine._rows, Bounds(rows, engine._sharing))
    return Counter((row.unit, tuple(row.cells[c.name] for c in columns_of(rows))) for row in found)


def in_duckdb(rows, world, *, owned=True):
    """The rows that DuckDB gives, as the same multiset."""
    with DuckDB(world.rows, threads=2) as engine:
        nest = Nest(engine._full, Bounds(rows, engine._sharing))
        relation = nest.relation(rows)
        cells = [
            _plain(relation.columns[column.name][0], column.kind) for column in columns_of(rows)
        ]
        listed = ", ".join(["unit" if owned else "NULL", *cells])
        sql = f"WITH {', '.join(nest.ctes)} SELECT {listed} FROM {relation.name}"
        return Counter(
            (row[0], tuple(row[1:])) for row in engine._connection.duckdb.execute(sql).fetchall()
        )


def _plain(cell, kind):
    match kind:
        case Kind.DATE:
            return f"({cell} - DATE '1970-01-01')"
        case Kind.TIMESTAMP:
            return f"epoch_us({cell})"
        case _:
            return cell


def of_others(rows, unit):
    """A multiset of rows without those of a unit."""
    return Counter({row: times for row, times in rows.items() if row[0] != unit})


@pytest.mark.drawn
@pytest.mark.parametrize("shape", sorted(set(SHAPES)))
def test_a_unit_that_leaves_takes_its_rows_and_no_others(shape):
    def check(data):
        rows, world = (
            data.draw(unit_rows(data.draw(st.integers(1, 3)), shapes=[shape])),
            data.draw(worlds()),
        )
        every, unit = in_memory(rows, world), data.draw(st.sampled_from(["ann", "bob"]))
        assert in_memory(rows, world.without(unit)) == of_others(every, unit)
        assert all(owner is not None for owner, _ in every)
        return Counter(owned=any(owner == unit for owner, _ in every))

    assert sampled(check, few(25, 400))["owned"] >= 10


@each_of(25, unit_rows(), worlds(), st.sampled_from(["ann", "bob"]), many=400)
def test_memory_and_duckdb_yield_the_same_rows(rows, world, unit):
    every = in_duckdb(rows, world)
    assert every == in_memory(rows, world)
    assert in_duckdb(rows, world.without(unit)) == of_others(every, unit)


@each_of(15, single_rows(), worlds(), many=150)
def test_memory_and_duckdb_yield_the_same_rows_where_every_row_is_a_unit(rows, world):
    assert in_duckdb(rows, world, owned=False) == in_memory(rows, world)


@each_of(40, single_rows(), worlds(), many=600)
def test_one_row_becomes_no_more_rows_than_its_multiplicity(rows, world):
    every, most = in_memory(rows, world), multiplicity(rows)
    for place in range(len(world.rows[ROW])):
        fewer = {**world.rows, ROW: [row for i, row in enumerate(world.rows[ROW]) if i != place]}
        gone = in_memory(rows, row_plans.World(fewer))
        assert not gone - every
        assert (every - gone).total() <= most


@each_of(50, unit_rows(), worlds(), many=800)
def test_every_cell_is_what_its_column_says(rows, world):
    columns = columns_of(rows)
    for _, cells in in_memory(rows, world):
        for cell, column in zip(cells, columns, strict=True):
            assert column.nullable or cell is not None
            low, high = bounds_of(column)
            assert cell is None or low is None or cell >= low
            assert cell is None or high is None or cell <= high


@each_of(50, unit_rows(), worlds(), many=800)
def test_the_canonical_rows_are_the_same(rows, world):
    below, names = settle_rows(rows, _normal)
    values = [compile_expression(substitute(Field(column), names)) for column in columns_of(rows)]
    engine = Memory(world.rows)
    made = yield_rows(below, engine._rows, Bounds(below, engine._sharing))
    found = Counter((row.unit, tuple(value(row.cells) for value in values)) for row in made)
    assert found == in_memory(rows, world)
    assert settle_rows(below, _normal)[0] == below


def check_agreement(data):
    """Compare both engines; how many answers were refused, nothing but zeros, or more."""
    world, seen = data.draw(worlds()), Counter()
    memory = Memory(world.rows)
    with DuckDB(world.rows, threads=1) as engine:
        for rows in (data.draw(unit_rows()), data.draw(single_rows(depth=2))):
            question, weights = data.draw(row_questions(rows)), data.draw(plans.weightings())
            try:
                found = memory.evaluate(question, weights).tolist()
            except TooLarge:
                with pytest.raises(TooLarge):
                    engine.evaluate(question, weights)
                seen["refused"] += 1
            else:
                assert engine.evaluate(question, weights).tolist() == found
                assert plans.as_written(engine).evaluate(question, weights).tolist() == found
                seen["more" if any(map(any, found)) else "zeros"] += 1
    return seen


@pytest.mark.drawn
def test_questions_about_any_rows_have_the_same_integers_in_both_engines():
    found = sampled(check_agreement, few(25, 400))
    assert found["more"] >= found.total() / 3


# ---------------------------------------------------------------- grey box, over all nodes


@pytest.fixture(autouse=True)
def _the_same_moment(monkeypatch):
    """When a question is asked is written down, and is no part of what is compared here."""
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")


def opened(engine, limit, world):
    calls = []
    policy = Policy(
        limit,
        {table.name: Shared(table, table.contributions or 1) for table in world.rows},
        "person",
    )
    watched, ledger = Watched(engine, calls), Watched(MemoryLedger(limit.filter()), calls)
    return Opened(
        Vault(policy, {table.name: watched for table in world.rows}, ledger), watched, ledger
    )


@st.composite
def pools(draw, world, relation, *, single):
    """The world with and without units, or with others in the place of one: heavy, poisoned, in one table or both."""
    count = UNITS if relation is Neighbours.ADD_OR_REMOVE else VARIANTS

    def drawn(table):
        return draw(st.fixed_dictionaries({c.name: row_plans.CELLS[c.kind] for c in table.columns}))

    if single:
        rows = world.rows[ROW]
        parts = [[drawn(ROW)] for _ in range(count)]
        return pool_of(
            relation,
            parts,
            lambda parts: row_plans.World({**world.rows, ROW: [*rows, *chain(*parts)]}),
        )
    units = ["ann", "bob", "new"]
    if relation is Neighbours.REPLACE:
        units = [draw(st.sampled_from(units))] * count
    parts = []
    for place, unit in enumerate(units):
        owned = {
            table: [row for row in world.rows[table] if row[table.unit] == unit]
            for table in (ONE, TWO)
        }
        copies = {table: draw(st.sampled_from([0, 1, 1, 2, 9])) for table in (ONE, TWO)}
        fresh = {table: [drawn(table) | {table.unit: unit}] * copies[table] for table in (ONE, TWO)}
        parts.append(
            owned if any(owned.values()) and (place == 0 or len(set(units)) > 1) else fresh
        )
    others = world
    for unit in set(units):
        others = others.without(unit)

    def joined(parts):
        more = {
            table: [*others.rows[table], *(row for part in parts for row in part[table])]
            for table in (ONE, TWO)
        }
        return row_plans.World({**others.rows, **more})

    return pool_of(relation, parts, joined)


def check(data, engine, relation, *, plans_each):
    """Ask about worlds and their neighbours; how many (plan, D, D') were compared, and in how many something moved."""
    limit = data.draw(st.sampled_from([Limit(3, delta, relation) for delta in (0, 1e-6)]))
    single = data.draw(st.sampled_from([False, False, False, True]))
    world = data.draw(worlds(most=5))
    pool = data.draw(pools(world, relation, single=single))
    engines, moved = [engine(each.rows) for each in pool.tables], 0
    for _ in range(plans_each):
        rows = data.draw(single_rows(2) if single else unit_rows(data.draw(st.integers(1, 3))))
        question = narrow(data.draw(row_questions(rows)))
        plan = canonical(Plan(question, data.draw(views(question))))
        vaults = [opened(each, limit, world) for each in engines]
        with constant_release():
            left = [left_by(each, plan, epsilon=1) for each in vaults]
        assert all(each == left[0] for each in left[1:])
        if vaults[0].engine.answers:
            terms = terms_of(plan.question, Shared(ONE, 3), limit, Fraction(1))
            moved += check_moves(terms, [each.engine.answers[0] for each in vaults], pool)
    for each in engines:
        each.close()
    return Counter(pairs=plans_each * len(pool.pairs), moved=moved)


@every_relation
def test_with_a_constant_release_neighbours_cannot_be_told_apart(relation):
    found = sampled(lambda data: check(data, Memory, relation, plans_each=4), 7)
    assert found["pairs"] >= 28 * PAIRS[relation]  # 336 and 784
    assert found["moved"] >= found["pairs"] / 4


@every_relation
def test_with_a_constant_release_neighbours_in_duckdb_cannot_be_told_apart(relation):
    found = sampled(lambda data: check(data, partial(DuckDB, threads=1), relation, plans_each=1), 2)
    assert found["pairs"] >= 2 * PAIRS[relation]  # 24 and 56
    assert found["moved"] >= found["pairs"] / 6


@pytest.mark.soak
@every_relation
def test_with_a_constant_release_many_more_neighbours_cannot_be_told_apart(relation):
    found = sampled(lambda data: check(data, Memory, relation, plans_each=4), 150)
    found += sampled(
        lambda data: check(data, partial(DuckDB, threads=1), relation, plans_each=2), 30
    )
    assert found["pairs"] >= (150 * 4 + 30 * 2) * PAIRS[relation]  # 7,920 and 18,480
    assert found["moved"] >= found["pairs"] / 4
