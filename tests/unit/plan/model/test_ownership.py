"""Whose rows are: what may meet, how often a row is there, how many rows of a unit count."""

import pytest

from tacit.errors import InvalidPlan
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
    Owner,
    Scan,
    Stacked,
    Table,
    Windowed,
    fold_rows,
    held_rows,
    multiplicity,
    owner_of,
    table_of,
    tables_of,
)
from tacit.plan.model.nodes import Counted, Question
from tacit.plan.model.ownership import many_rows

WARD, CODE = Column("ward", Kind.TEXT), Column("code", Kind.INTEGER)
UNITS = Scan(Table("units", (WARD, CODE), unit="who", contributions=4))
OTHERS = Scan(Table("others", (Column("x", Kind.TEXT),), unit="whom", contributions=5))
ROWS = Scan(Table("rows", (WARD, CODE)))
MORE = Scan(Table("more", (WARD, CODE)))
PLACE, NUMBER = Column("place", Kind.TEXT), Column("number", Kind.NUMBER)
PUBLIC = Scan(
    Table(
        "public",
        (PLACE, NUMBER, Column("also", Kind.TEXT)),
        public=True,
        unique=("place", "number"),
    )
)
ONE = (fold_rows(Folding.COUNT, None, 3),)
ON_PLACE = ((Field(WARD), Field(PLACE)),)


@pytest.mark.parametrize(
    ("rows", "owner"),
    [
        (UNITS, Owner.UNIT),
        (ROWS, Owner.ROW),
        (PUBLIC, Owner.NOBODY),
        (Joined(UNITS, OTHERS), Owner.UNIT),
        (Joined(UNITS, OTHERS, outer=True), Owner.UNIT),
        (Joined(UNITS, PUBLIC, ON_PLACE, outer=True), Owner.UNIT),
        (Joined(ROWS, PUBLIC, ON_PLACE), Owner.ROW),
        (Joined(PUBLIC, PUBLIC), Owner.NOBODY),
        (Stacked((ROWS, MORE)), Owner.ROW),
        (Inner(UNITS, (), ONE), Owner.UNIT),
        (Windowed(UNITS, ()), Owner.UNIT),
        (Kept(UNITS, OTHERS), Owner.UNIT),
    ],
)
def test_rows_have_an_owner(rows, owner):
    assert owner_of(rows) is owner


@pytest.mark.parametrize(
    "rows",
    [
        Joined(PUBLIC, UNITS),
        Joined(PUBLIC, UNITS, outer=True),
        Joined(PUBLIC, ROWS, outer=True),
        Joined(ROWS, UNITS),
        Joined(UNITS, ROWS),
        Joined(ROWS, ROWS),
        Stacked((UNITS, ROWS)),
        Stacked((UNITS, PUBLIC)),
        Inner(ROWS, (), ONE),
        Inner(PUBLIC, (), ONE),
        Windowed(ROWS, ()),
        Kept(UNITS, ROWS),
        Kept(UNITS, PUBLIC),
        Kept(ROWS, UNITS),
    ],
)
def test_rows_that_no_rule_allows_are_refused(rows):
    with pytest.raises(InvalidPlan):
        owner_of(rows)


def renamed(rows, column, name):
    return Computed(rows, (Defined(name, Field(column)),))


@pytest.mark.parametrize(
    ("rows", "times"),
    [
        (ROWS, 1),
        (Stacked((ROWS, ROWS)), 2),
        (Stacked((ROWS, MORE)), 1),
        (Stacked((Stacked((ROWS, MORE)), ROWS, MORE, MORE)), 3),
        (Joined(ROWS, PUBLIC, ON_PLACE), 1),
        (Stacked((Computed(Joined(ROWS, PUBLIC, ON_PLACE), ()), Computed(ROWS, ()))), 2),
        (
            Joined(
                ROWS, renamed(PUBLIC, PLACE, "p"), ((Field(WARD), Field(Column("p", Kind.TEXT))),)
            ),
            1,
        ),
    ],
)
def test_a_row_becomes_so_many_rows(rows, times):
    assert multiplicity(rows) == times


@pytest.mark.parametrize(
    "joined",
    [
        Joined(ROWS, PUBLIC),
        Joined(ROWS, PUBLIC, ((Field(WARD), Field(Column("also", Kind.TEXT))),)),
        Joined(
            ROWS, PUBLIC, ((Field(CODE), Field(NUMBER)),)
        ),  # compared as doubles, which may be equal to two integers
        Joined(ROWS, PUBLIC, ((Field(WARD), Field(Column("place", Kind.TEXT, values=("A",)))),)),
        Joined(ROWS, renamed(PUBLIC, Column("also", Kind.TEXT), "place"), ON_PLACE),
    ],
)
def test_a_multiplicity_that_is_not_known_is_refused(joined):
    with pytest.raises(InvalidPlan, match="declared unique"):
        multiplicity(joined)


def test_so_many_rows_of_a_unit_count():
    assert held_rows(Stacked((UNITS, UNITS, OTHERS))) == 13
    assert held_rows(Joined(UNITS, OTHERS)) == 20
    assert held_rows(Joined(UNITS, PUBLIC)) == 4
    assert held_rows(Inner(Joined(UNITS, OTHERS), (), ONE)) == 1
    assert held_rows(Inner(UNITS, (Defined("w", Field(WARD)),), ONE)) == 4
    assert held_rows(Scan(Table("t", (), unit="u")), 7) == 7
    with pytest.raises(InvalidPlan, match="set `contributions`"):
        held_rows(Scan(Table("t", (), unit="u")))


def test_tables_are_listed_once_and_the_first_private_one_is_asked_about():
    rows = Kept(Joined(UNITS, PUBLIC), Joined(OTHERS, PUBLIC))
    assert [table.name for table in tables_of(rows)] == ["units", "public", "others"]
    assert table_of(Stacked((PUBLIC, UNITS))).name == "units"
    assert many_rows(Question(rows, (), (Counted(),)))
    assert not many_rows(Question(Kept(UNITS, OTHERS), (), (Counted(),)))
