"""Small pieces of PostgreSQL's dialect."""

import pytest

from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.postgres.write_once import write_once
from tacit.errors import InvalidPlan
from tacit.plan import Kind


def test_texts_do_not_grow_as_two_to_the_depth():
    value = "x"
    for _ in range(40):
        value = POSTGRES.parse(value, Kind.INTEGER)
    assert len(value) < 40 * 1_000


def test_a_long_value_is_written_once():
    value = "y" * 100
    assert write_once(value, lambda x: f"{x} + {x}").count(value) == 1


def test_a_text_that_postgres_does_not_have_is_refused():
    with pytest.raises(InvalidPlan, match="NUL"):
        POSTGRES.text("a\0b")


def test_a_window_of_different_values_is_refused():
    assert POSTGRES.count_distinct("v", "") == "count(DISTINCT v)"
    with pytest.raises(InvalidPlan, match="in a window"):
        POSTGRES.count_distinct("v", " OVER ()")
