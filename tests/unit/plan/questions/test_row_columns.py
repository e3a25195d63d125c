"""The columns of rows: kinds, ranges, nullability, public values."""

import pytest

from tacit.plan import (
    Column,
    Computed,
    Defined,
    Field,
    Folding,
    Inner,
    Joined,
    Kept,
    Kind,
    Place,
    Placed,
    Scan,
    Stacked,
    Table,
    Windowed,
    columns_of,
    fold_rows,
)

SURE = Column("sure", Kind.INTEGER, 0, 5, values=(0, 1), nullable=False)
WIDE = Column("sure", Kind.INTEGER, -9, 2, values=(1, 7))
ONE = Scan(Table("one", (SURE,), unit="who"))
TWO = Scan(Table("two", (Column("other", Kind.TEXT, nullable=False),), unit="who"))


def test_an_outer_join_makes_its_right_side_nullable():
    assert [column.nullable for column in columns_of(Joined(ONE, TWO))] == [False, False]
    assert [column.nullable for column in columns_of(Joined(ONE, TWO, outer=True))] == [False, True]


def test_a_stack_has_the_widest_range_and_all_values():
    wide = Scan(Table("wide", (WIDE,), unit="who"))
    assert columns_of(Stacked((ONE, wide))) == (
        Column("sure", Kind.INTEGER, -9, 5, (0, 1, 7), nullable=True),
    )
    open_ended = Scan(Table("open", (Column("sure", Kind.INTEGER, 0),), unit="who"))
    found = columns_of(Stacked((ONE, open_ended)))[0]
    assert (found.low, found.high, found.values) == (0, None, None)


def test_what_is_stacked_has_the_same_columns_of_the_same_kinds():
    with pytest.raises(AssertionError):
        columns_of(Stacked((ONE, TWO)))
    with pytest.raises(AssertionError):
        columns_of(Stacked((ONE, Computed(TWO, (Defined("sure", Field(TWO.table.columns[0])),)))))


def test_other_nodes_keep_add_or_choose_columns():
    assert columns_of(Kept(ONE, TWO)) == (SURE,)
    number = Placed(Column("k", Kind.INTEGER, 1, nullable=False), Place.NUMBER)
    assert columns_of(Windowed(ONE, (number,))) == (SURE, number.column)
    total = fold_rows(Folding.SUM, Field(SURE), 4)
    inner = columns_of(Inner(ONE, (Defined("key", Field(SURE)),), (total,)))
    assert [(column.name, column.low, column.high, column.values) for column in inner] == [
        ("key", 0, 5, (0, 1)),
        ("SUM(sure)", 0, 20, None),
    ]
