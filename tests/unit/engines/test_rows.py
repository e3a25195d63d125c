"""The rows of every node, in both engines, on rows that a person can follow."""

import random
from collections import Counter

import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.errors import EngineFailed, InvalidData
from tacit.plan import (
    Column,
    Compared,
    Computed,
    Counted,
    Defined,
    Field,
    Folding,
    Inner,
    Joined,
    Kept,
    Kind,
    Literal,
    Ordering,
    Place,
    Placed,
    Question,
    Running,
    Scan,
    Stacked,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
    Where,
    Windowed,
    fold_rows,
)
from tests.laws.row_plans import World
from tests.laws.test_rows import in_duckdb, in_memory

COST = Column("cost", Kind.INTEGER, 0, 10)
PART = Column("part", Kind.NUMBER, 0, 1)
WARD = Column("ward", Kind.TEXT)
VISITS = Table("visits", (COST, PART, WARD), unit="who", contributions=3)
SEX = Column("sex", Kind.TEXT)
PEOPLE = Table("people", (SEX,), unit="id", contributions=1)
FLOOR = Column("floor", Kind.INTEGER, 0, 9)
PLACE = Column("place", Kind.TEXT)
PUBLIC = Table("stations", (PLACE, FLOOR), public=True, unique=("place",))
LOOSE = Weights(Weighing.L1, 10**6, 10**6, 0)

engines = pytest.mark.parametrize("rows_of", [in_memory, in_duckdb], ids=["memory", "duckdb"])


def visit(who, cost=1, ward="A", part=None):
    return {"who": who, "cost": cost, "ward": ward, "part": part}


def world(visits, people=(), stations=({"place": "A", "floor": 1}, {"place": "B", "floor": 2})):
    return World({VISITS: list(visits), PEOPLE: list(people), PUBLIC: list(stations)})


def person(who, sex="f"):
    return {"id": who, "sex": sex}


def column(name, kind=Kind.INTEGER, **bounds):
    return Column(name, kind, **bounds)


@engines
def test_private_rows_meet_within_a_unit_alone(rows_of):
    found = rows_of(
        Joined(Scan(VISITS), Scan(PEOPLE)),
        world([visit(1), visit(2), visit(2, 5)], [person(2), person(3)]),
    )
    assert found == Counter({(2, (1, None, "A", "f")): 1, (2, (5, None, "A", "f")): 1})


@engines
def test_private_rows_of_different_units_never_meet_whatever_else_is_equal(rows_of):
    other = Table("others", (Column("w", Kind.TEXT),), unit="whose")
    given = World(
        {VISITS: [visit(1), visit(2)], other: [{"whose": 2, "w": "A"}, {"whose": 3, "w": "A"}]}
    )
    rows = Joined(Scan(VISITS), Scan(other), ((Field(WARD), Field(Column("w", Kind.TEXT))),))
    assert rows_of(rows, given) == Counter({(2, (1, None, "A", "A")): 1})
    kept = Joined(Scan(VISITS), Scan(other), rows.on, outer=True)
    assert rows_of(kept, given) == Counter(
        {(2, (1, None, "A", "A")): 1, (1, (1, None, "A", None)): 1}
    )


@engines
def test_windows_that_are_divided_further_stay_within_a_unit(rows_of):
    window = Running(fold_rows(Folding.COUNT, None, 9), (), (Field(WARD),))
    found = rows_of(
        Windowed(Scan(VISITS), (window,)), world([visit(1), visit(1), visit(2), visit(1, 1, "B")])
    )
    assert {(owner, cells[2]): cells[3] for owner, cells in found} == {
        (1, "A"): 2,
        (2, "A"): 1,
        (1, "B"): 1,
    }


@engines
def test_an_outer_join_keeps_the_left_side_and_never_the_right(rows_of):
    found = rows_of(
        Joined(Scan(VISITS), Scan(PEOPLE), (), outer=True), world([visit(1)], [person(2)])
    )
    assert found == Counter({(1, (1, None, "A", None)): 1})


@engines
def test_nobody_meets_nobody(rows_of):
    given = world([visit(None), visit(1)], [person(None), person(1)])
    assert rows_of(Joined(Scan(VISITS), Scan(PEOPLE)), given).total() == 1
    assert rows_of(Joined(Scan(VISITS), Scan(PEOPLE), (), outer=True), given).total() == 1
    assert (
        rows_of(Stacked((Computed(Scan(VISITS), ()), Computed(Scan(PEOPLE), ()))), given).total()
        == 2
    )


@engines
def test_a_missing_unit_makes_no_other_unknown(rows_of):
    given = world([visit(1), visit(2), visit(None)], [person(None), person(2)])
    assert rows_of(Kept(Scan(VISITS), Scan(PEOPLE), present=False), given) == Counter(
        {(1, (1, None, "A")): 1}
    )
    assert rows_of(Kept(Scan(VISITS), Scan(PEOPLE), present=True), given) == Counter(
        {(2, (1, None, "A")): 1}
    )


@engines
def test_units_that_are_stored_as_numbers_and_as_texts_are_the_same(rows_of):
    given = world([visit(7), visit(8)], [person("7"), person("08")])
    assert rows_of(Joined(Scan(VISITS), Scan(PEOPLE)), given).total() == 1
    assert rows_of(Kept(Scan(VISITS), Scan(PEOPLE)), given).total() == 1
    stacked = Stacked((Computed(Scan(VISITS), ()), Computed(Scan(PEOPLE), ())))
    assert rows_of(stacked, given) == Counter({("7", ()): 2, ("8", ()): 1, ("08", ()): 1})


@engines
def test_no_rows_are_of_no_type(rows_of):
    assert rows_of(Joined(Scan(VISITS), Scan(PEOPLE)), world([visit("a")], [])) == Counter()
    assert (
        rows_of(Kept(Scan(VISITS), Scan(PEOPLE), present=False), world([visit("a")], [])).total()
        == 1
    )


@engines
def test_what_a_unit_adds_up_to_is_held(rows_of):
    folds = (
        fold_rows(Folding.SUM, Field(COST), 3),
        fold_rows(Folding.COUNT, None, 3),
        fold_rows(Folding.COUNT, Field(COST), 3),
        fold_rows(Folding.MEAN, Field(COST), 3),
        fold_rows(Folding.GREATEST, Field(COST), 3),
        fold_rows(Folding.DISTINCT, Field(WARD), 3),
    )
    rows = [visit(1, 10) for _ in range(9)] + [
        visit(1, None),
        visit(2, 4),
        visit(2, 5),
        visit(2, 5),
        visit(3, None),
    ]
    rows += [visit(4, 0, ward) for ward in "ABCDE"] + [visit(5, 99)]
    found = dict(key for key in rows_of(Inner(Scan(VISITS), (), folds), world(rows)))
    assert found[1] == (30, 3, 3, 10.0, 10, 1)
    assert found[2] == (14, 3, 3, pytest.approx(14 / 3, abs=1e-12), 5, 1)
    assert found[3] == (None, 1, 0, None, None, 1)
    assert found[4] == (0, 3, 3, 0.0, 0, 3)
    assert found[5] == (10, 1, 1, 10.0, 10, 1)


@engines
def test_keys_inside_make_groups_within_a_unit_and_null_is_one(rows_of):
    rows = Inner(Scan(VISITS), (Defined("w", Field(WARD)),), (fold_rows(Folding.COUNT, None, 9),))
    given = world([visit(1), visit(1), visit(1, 1, None), visit(2)])
    assert rows_of(rows, given) == Counter({(1, ("A", 2)): 1, (1, (None, 1)): 1, (2, ("A", 1)): 1})


@engines
def test_windows_see_one_unit_and_no_order_of_rows(rows_of):
    by_cost = (Ordering(Field(COST)),)
    windows = (
        Placed(column("k"), Place.NUMBER, by_cost),
        Placed(column("r"), Place.RANK, by_cost),
        Placed(column("before", Kind.TEXT), Place.BEFORE, by_cost, (), Field(WARD)),
        Running(fold_rows(Folding.SUM, Field(COST), 9), by_cost),
    )
    rows = [
        visit(1, 2, "B"),
        visit(1, 2, "A"),
        visit(1, 1, "C"),
        visit(2, 9, "A"),
        visit(1, None, "D"),
    ]
    expected = Counter(
        {
            (1, (1, None, "C", 1, 1, None, 1)): 1,
            (1, (2, None, "A", 2, 2, "C", 5)): 1,
            (1, (2, None, "B", 3, 2, "A", 5)): 1,
            (1, (None, None, "D", 4, 4, "B", 5)): 1,
            (2, (9, None, "A", 1, 1, None, 9)): 1,
        }
    )
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert rows_of(Windowed(Scan(VISITS), windows), world(rows)) == expected


@engines
def test_descending_orders_have_nulls_last_too(rows_of):
    window = Placed(
        column("k"), Place.NUMBER, (Ordering(Field(COST), descending=True),), (Field(WARD),)
    )
    found = rows_of(
        Windowed(Scan(VISITS), (window,)),
        world([visit(1, 1), visit(1, None), visit(1, 3), visit(1, 9, "B")]),
    )
    assert {cells[0]: cells[3] for _, cells in found if cells[2] == "A"} == {3: 1, 1: 2, None: 3}


@engines
def test_public_rows_meet_every_unit(rows_of):
    joined = Joined(Scan(VISITS), Scan(PUBLIC), ((Field(WARD), Field(PLACE)),), outer=True)
    found = rows_of(
        joined, world([visit(1), visit(2, 1, "B"), visit(3, 1, None), visit(4, 1, "Z")])
    )
    assert {owner: cells[-1] for owner, cells in found} == {1: 1, 2: 2, 3: None, 4: None}


def evaluated(make, question):
    return make().evaluate(question, LOOSE).tolist()


@pytest.mark.parametrize(
    "engine", [Memory, lambda rows: DuckDB(rows, threads=1)], ids=["memory", "duckdb"]
)
def test_questions_about_any_rows_are_evaluated(engine):
    given = world([visit(1), visit(1, 4), visit(2, 7)], [person(1), person(3)])
    rows = Where(
        Joined(Scan(VISITS), Scan(PEOPLE)), Compared("=", Field(SEX), Literal("f", Kind.TEXT))
    )
    question = Question(
        rows,
        (),
        (Counted(), Summed(Field(COST), fold_rows(Folding.COUNT, None, 1).step, 0, 10), Units()),
    )
    held = engine(given.rows)
    assert held.evaluate(question, LOOSE).tolist() == [[2, 5, 1]]
    held.dry_run(question, LOOSE)
    with pytest.raises(EngineFailed):
        engine({VISITS: []}).evaluate(question, LOOSE)


@pytest.mark.parametrize("engine", [Memory, DuckDB])
def test_a_column_that_is_declared_unique_is(engine):
    with pytest.raises(InvalidData, match="contains a value twice; remove it from `unique`"):
        engine({PUBLIC: [{"place": "A", "floor": 1}, {"place": "A", "floor": 2}]})
    bounded = Table("levels", (FLOOR,), public=True, unique=("floor",))
    with pytest.raises(InvalidData, match="contains a value twice; remove it from `unique`"):
        engine({bounded: [{"floor": 9}, {"floor": 12}]})  # both are read as 9
    engine({PUBLIC: [{"place": None, "floor": 1}, {"place": None, "floor": 2}]})


def test_tables_that_number_their_units_for_themselves_are_not_combined(tmp_path):
    one = ingest([visit(5)], VISITS, tmp_path / "one.duckdb")
    two = ingest([person(6)], PEOPLE, tmp_path / "two.duckdb")
    question = Question(Joined(Scan(VISITS), Scan(PEOPLE)), (), (Counted(),))
    with DuckDB({VISITS: one, PEOPLE: two}) as engine:
        for asked in (engine.dry_run, engine.evaluate):
            with pytest.raises(InvalidData, match="an ingested table has its own numbering of"):
                asked(question, LOOSE)
        alone = Question(
            Inner(Scan(VISITS), (), (fold_rows(Folding.COUNT, None, 3),)), (), (Counted(),)
        )
        assert engine.evaluate(alone, LOOSE).tolist() == [[1]]
