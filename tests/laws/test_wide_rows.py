"""Flags of units, and rows that are told once: each of both engines, against what is plain to see."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.plan import Computed, Defined, Field, columns_of
from tacit.plan.flags import flagged
from tacit.plan.listing import once
from tests.laws.row_plans import unit_rows, worlds
from tests.laws.test_rows import SLOW, in_duckdb, in_memory, of_others


def told(rows, among):
    """The rows with what is said of their unit as a column."""
    found, condition = flagged(rows, among)
    same = tuple(Defined(column.name, Field(column)) for column in columns_of(rows))
    return Computed(found, (*same, Defined("told", condition)))


@settings(max_examples=25, suppress_health_check=SLOW)
@given(st.data(), worlds())
def test_a_flag_says_of_every_row_whether_its_unit_is_among_others(data, world):
    rows, among = data.draw(unit_rows(1)), data.draw(unit_rows(2))
    there = {unit for unit, _ in in_memory(among, world)}
    wanted = Counter({(unit, (*cells, unit in there)): n for (unit, cells), n in in_memory(rows, world).items()})
    assert in_memory(told(rows, among), world) == wanted
    assert in_duckdb(told(rows, among), world) == wanted


@settings(max_examples=25, suppress_health_check=SLOW)
@given(st.data(), worlds(), st.sampled_from(["ann", "bob"]))
def test_rows_of_a_unit_that_are_alike_are_told_once(data, world, unit):
    rows = data.draw(unit_rows(1))
    wanted = Counter(dict.fromkeys(in_memory(rows, world), 1))
    assert in_memory(once(rows, "who"), world) == wanted
    assert in_duckdb(once(rows, "who"), world) == wanted
    assert in_memory(once(rows, "who"), world.without(unit)) == of_others(wanted, unit)
