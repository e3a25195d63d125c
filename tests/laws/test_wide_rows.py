"""Flags of units, and rows that are told once: each of both engines, against what is plain to see."""

from collections import Counter
from contextlib import closing
from itertools import product
from math import inf, nan

import pytest
from hypothesis import strategies as st

from tacit.curator import Limit
from tacit.engines import DuckDB, Memory
from tacit.plan import Column, Computed, Defined, Field, Kind, Table, columns_of, read_sql
from tacit.plan.questions.unit_membership import deduplicate_rows, flag_units
from tests.laws.clinic import no_noise
from tests.laws.row_plans import unit_rows, worlds
from tests.laws.sampled import each_of, sampled
from tests.laws.test_corridor import opened
from tests.laws.test_rows import in_duckdb, in_memory, of_others


def told(rows, among):
    """The rows with what is said of their unit as a column."""
    found, condition = flag_units(rows, among)
    same = tuple(Defined(column.name, Field(column)) for column in columns_of(rows))
    return Computed(found, (*same, Defined("told", condition)))


def check_flag(data):
    """How many units were among the others, and how many were not."""
    rows, among, world = data.draw(unit_rows(1)), data.draw(unit_rows(2)), data.draw(worlds())
    there = {unit for unit, _ in in_memory(among, world)}
    wanted = Counter(
        {(unit, (*cells, unit in there)): n for (unit, cells), n in in_memory(rows, world).items()}
    )
    assert in_memory(told(rows, among), world) == wanted
    assert in_duckdb(told(rows, among), world) == wanted
    return Counter(cells[-1] for _, cells in wanted)


def test_a_flag_says_of_every_row_whether_its_unit_is_among_others():
    found = sampled(check_flag, 10)
    assert found[True] >= 3
    assert found[False] >= 3


@each_of(8, unit_rows(1), worlds(), st.sampled_from(["ann", "bob"]), many=80)
def test_rows_of_a_unit_that_are_alike_are_told_once(rows, world, unit):
    wanted = Counter(dict.fromkeys(in_memory(rows, world), 1))
    assert in_memory(deduplicate_rows(rows, "who"), world) == wanted
    assert in_duckdb(deduplicate_rows(rows, "who"), world) == wanted
    assert in_memory(deduplicate_rows(rows, "who"), world.without(unit)) == of_others(wanted, unit)


WIDE = Table(
    "wide", (Column("x", Kind.INTEGER), Column("y", Kind.NUMBER)), unit="who", contributions=1
)
HUGE = 1 << 63
WHOLE = [None, HUGE - 1, -HUGE, HUGE, -HUGE - 1, 2**53 + 1, 0, 19, -19]
DOUBLES = [nan, inf, -inf, None, -0.0, 5e-324, 1e308, -1e308, 14.5, -14.5, float(HUGE)]


@pytest.mark.parametrize(
    "key", ["x // 10", "FLOOR(x / 10) * 10", "(x // 7) * 7", "FLOOR(y / 10) * 10", "CEIL(y * 2)"]
)
def test_buckets_of_anything_are_the_same_in_both_engines(key):
    cells = [*product(WHOLE, [1.0]), *product([1], DOUBLES)]
    rows = [{"who": n, "x": x, "y": y} for n, (x, y) in enumerate(cells * 60)]
    plan = read_sql(
        f"SELECT {key} AS k, COUNT(*) AS n FROM wide GROUP BY k", {"wide": WIDE}, finding=True
    )
    answers = []
    for engine in (Memory({WIDE: rows}), DuckDB({WIDE: rows}, threads=1)):
        with no_noise(), closing(engine):
            release = opened(engine, Limit(10**4, 1e-6), WIDE, 1).vault.ask(plan, epsilon=10**3)
            answers.append(sorted(zip(release.column("k"), release.column("n"), strict=True)))
    assert answers[0] == answers[1]
    assert len(answers[0]) > 3
