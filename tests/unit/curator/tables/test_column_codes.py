"""Columns as codes, and codes as values again."""

from datetime import date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from tacit.curator.tables.column_codes import code_columns, list_uncoded
from tacit.errors import InvalidInput
from tacit.plan import Column, Kind, Table

MORNING = datetime(2025, 1, 1)  # noqa: DTZ001 -- as policies declare moments
COLUMNS = (
    Column("id", Kind.TEXT),
    Column("ward", Kind.TEXT, values=("B", "A"), other=True),
    Column("grade", Kind.INTEGER, values=(3, 1, 2), nullable=False),
    Column("age", Kind.INTEGER, low=0, high=120),
    Column("gain", Kind.INTEGER, low=0, high=99_999, nullable=False),
    Column("cost", Kind.NUMBER, low=-10, high=Fraction(1001, 10), nullable=False),
    Column("day", Kind.DATE, low=date(2020, 1, 1), high=date(2025, 12, 31), nullable=False),
    Column("seen", Kind.TIMESTAMP, low=MORNING, high=MORNING + timedelta(days=31)),
    Column("smokes", Kind.BOOLEAN),
    Column("free", Kind.NUMBER, low=0),
)
TABLE = Table("visits", COLUMNS, unit="id")


def column(name):
    return next(each for each in code_columns(TABLE) if each.name == name)


def test_columns_without_values_or_bounds_are_named():
    assert list_uncoded(TABLE) == ("id", "free")
    with pytest.raises(InvalidInput, match="neither values nor bounds"):
        code_columns(TABLE, ["free"])
    with pytest.raises(InvalidInput, match="name one of"):
        code_columns(TABLE, ["agee"])
    with pytest.raises(InvalidInput, match="no column has declared"):
        code_columns(Table("t", (Column("x", Kind.TEXT),)))


def test_every_declared_value_has_a_place_in_order():
    assert column("ward").labels() == ["B", "A", "other", None]
    assert column("grade").labels() == [1, 2, 3]
    assert column("smokes").labels() == [False, True, None]
    assert column("age").labels() == [*range(121), None]


@pytest.mark.parametrize("name", ["gain", "cost", "day", "seen"])
def test_cells_of_a_range_are_in_order_and_within_bounds(name):
    each = column(name)
    labels = [label for label in each.labels() if label is not None]
    assert len(labels) <= 515
    assert labels == sorted(labels)
    for inside in (0.0, 0.3, 1 - 1e-12):
        values = each.decode(np.arange(each.axis.size), np.full(each.axis.size, inside))
        bounds = (each.column.low, each.column.high)
        assert all(bounds[0] <= value <= bounds[1] for value in values if value is not None)


def test_ends_of_a_range_and_zero_have_cells_of_their_own():
    assert [float(each) for each in column("cost").axis.values] == [-10.0, 0.0, 100.1]
    assert column("gain").axis.values == (0, 99_999)
    assert column("age").axis.values == ()
    assert column("age").is_exact
    assert not column("cost").is_exact


def test_values_inside_a_cell_are_spread_over_it():
    gain = column("gain")
    place = gain.order[len(gain.axis.values) + 10]
    values = gain.decode(np.full(4096, place), (np.arange(4096) + 0.5) / 4096)
    first, last = gain.axis.grid.ends(10)
    assert min(values) == first
    assert max(values) == last - 1
    assert len(set(values)) == last - first
