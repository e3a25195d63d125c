"""The gate: what the doors make passes it, and a plan of one's own passes it only if a door could have made it."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Column,
    Compared,
    Computed,
    Counted,
    Defined,
    Distinct,
    Even,
    Expression,
    Field,
    Folded,
    Folding,
    Function,
    Inner,
    Joined,
    Key,
    KeyOf,
    Kind,
    Literal,
    MeanOf,
    MeasureOf,
    Moment,
    MomentOf,
    Ordering,
    Place,
    Placed,
    Plan,
    Powers,
    Question,
    Ranked,
    Running,
    Scan,
    Shown,
    Stacked,
    Summed,
    Table,
    Units,
    View,
    Where,
    Windowed,
    canonical,
    check_plan,
    prove,
    read_sql,
    sum_measure,
)
from tacit.plan.model.expressions import chain_conditions
from tests.laws.clinic import TABLES
from tests.laws.test_statements import STATEMENTS
from tests.together import together

WHOLE, NUMBER, TEXT = Kind.INTEGER, Kind.NUMBER, Kind.TEXT
AGE, COST, NAME = (
    Column("age", WHOLE, 0, 120),
    Column("cost", NUMBER, 0, 5000),
    Column("name", TEXT),
)
FREE, BIG = Column("free", WHOLE), Column("big", WHOLE, 0, 1 << 62)
VISITS = Table("visits", (AGE, COST, NAME, FREE, BIG), unit="who", contributions=3)
ROWS = Scan(VISITS)
age, cost, name, free, big = map(Field, VISITS.columns)


def one(value):
    return Literal(value, WHOLE)


def plan(*measures, rows=ROWS, keys=(), view=None):
    return Plan(
        Question(rows, tuple(keys), measures or (Counted(),)),
        view or View((Shown("n", MeasureOf(0)),)),
    )


def refused(given):
    with pytest.raises(InvalidPlan):
        check_plan(given)
    with pytest.raises(InvalidPlan):
        prove(given)


@pytest.mark.parametrize("text", [text for _, text in STATEMENTS], ids=lambda text: text[:60])
def test_what_a_door_makes_is_proved_and_so_is_its_canonical_form(text):
    given = read_sql(text, TABLES, finding=True)
    assert prove(given) == prove(prove(given)) == canonical(given)


def test_sound_plans_of_ones_own_are_taken():
    total = Folded(Column("total", WHOLE, 0, 360), Folding.SUM, age)
    place = Placed(Column("place", WHOLE, 1, nullable=False), Place.NUMBER, (Ordering(age),))
    for given in (
        plan(),
        plan(
            sum_measure(age),
            Units(),
            Distinct(name),
            Ranked(age, Even(Fraction(1), 0, 120), Fraction(1, 2)),
        ),
        plan(Counted(Field(total.column)), rows=Inner(ROWS, (Defined("name", name),), (total,))),
        plan(rows=Where(ROWS, Compared(">", age, one(5)))),
        plan(
            rows=Windowed(
                ROWS, (place, Running(replace(total, column=replace(total.column, name="t"))))
            )
        ),
        plan(keys=[Key(name, ("a", "b"))]),
        plan(Ranked(Field(replace(FREE, low=None)), Powers(0, 63), Fraction(1, 100), ends=False)),
        plan(Counted(Field(replace(FREE, low=-(1 << 63), high=(1 << 63) - 1)))),
    ):
        prove(given)


def test_what_was_proved_over_some_columns_is_not_proved_over_others():
    """An expression that was checked is checked again wherever its columns are others."""
    prove(plan(Distinct(age)))
    for column in (replace(AGE, high=500), replace(AGE, nullable=True, low=None), NAME):
        bare = Scan(Table("visits", (column,), unit="who", contributions=3))
        refused(plan(Distinct(age), rows=bare))
    prove(plan(Distinct(age)))


LYING = [
    replace(AGE, high=5),
    replace(AGE, low=50),
    replace(AGE, nullable=False),
    replace(AGE, kind=NUMBER),
    replace(AGE, name="secret"),
    replace(FREE, low=0, high=9),
    Column("who", TEXT),
]


@together
@pytest.mark.parametrize("column", LYING, ids=str)
@pytest.mark.parametrize("where", ["measure", "condition", "key", "below"])
def test_a_column_may_not_be_claimed_to_be_less_than_it_is(column, where):
    value = Field(column)
    rows = {
        "condition": Where(ROWS, Compared("=", value, value)),
        "below": Computed(ROWS, (Defined("x", value),)),
    }
    keys = [Key(value, None)] if where == "key" else []
    measures = (Distinct(value),) if where == "measure" else ()
    refused(plan(*measures, rows=rows.get(where, ROWS), keys=keys))


def test_what_was_calculated_below_may_not_be_claimed_to_be_less():
    """The canonical plan puts a calculation in the place of its column, and what was claimed of it would be gone."""
    wide = Defined("wide", Arithmetic("*", age, one(1 << 40)))
    claimed = Field(Column("wide", WHOLE, 0, 1))
    refused(plan(Counted(Arithmetic("*", claimed, one(1 << 40))), rows=Computed(ROWS, (wide,))))


FOLDS = [
    Folded(Column("s", WHOLE, -(10**30), 10**30), Folding.SUM, big),
    Folded(Column("s", WHOLE, 0, 1), Folding.SUM, age),
    Folded(Column("s", NUMBER, 0, 360), Folding.SUM, age),
    Folded(Column("s", WHOLE, 0, 360, nullable=False), Folding.SUM, age),
    Folded(Column("s", WHOLE), Folding.SUM, age),
    Folded(Column("s", WHOLE, 0, 360), Folding.SUM, free),
    Folded(Column("s", WHOLE, 0, 360), Folding.SUM, name),
    Folded(Column("s", WHOLE, 0, 360), Folding.SUM, None),
    Folded(Column("s", NUMBER, 0, 15000), Folding.SUM, cost, Fraction(1, 3)),
    Folded(Column("s", NUMBER, 0, 15000), Folding.SUM, cost, Fraction(1, 1 << 80)),
    Folded(Column("s", NUMBER, 0, 5), Folding.MEAN, cost, Fraction(1, 8)),
    Folded(Column("s", WHOLE, 0, 1 << 70), Folding.COUNT, age),
    Folded(Column("s", WHOLE, 5, 9), Folding.COUNT, age),
    Folded(Column("s", WHOLE, 0, 3), Folding.GREATEST, age),
    Folded(Column("s", NUMBER, 0, 120), Folding.LEAST, age),
]


@pytest.mark.parametrize("fold", FOLDS, ids=lambda fold: f"{fold.fold.value} {fold.column}")
def test_what_rows_of_a_unit_become_may_not_be_claimed_to_be_less_or_to_be_more_than_is_held(fold):
    refused(plan(Counted(Field(fold.column)), rows=Inner(ROWS, (), (fold,))))
    refused(plan(Counted(Field(fold.column)), rows=Windowed(ROWS, (Running(fold),))))


@pytest.mark.parametrize(
    "window",
    [
        Placed(Column("p", WHOLE, 1, 3, nullable=False), Place.NUMBER),
        Placed(Column("p", WHOLE, 1, nullable=False), Place.RANK),
        Placed(Column("p", WHOLE, 0, 120, nullable=False), Place.BEFORE, value=age),
        Placed(Column("p", WHOLE, 0, 12), Place.AFTER, value=age),
        Placed(Column("p", WHOLE, 0, 120), Place.AFTER),
        Placed(Column("p", WHOLE, 0, 120), Place.AFTER, value=age, offset=-1),
        Placed(Column("p", WHOLE, 0, 120), Place.AFTER, value=age, offset=10**9),
    ],
    ids=str,
)
def test_what_a_window_adds_may_not_be_claimed_to_be_less(window):
    refused(plan(rows=Windowed(ROWS, (window,))))


DEEP: Expression = age
for _ in range(200):
    DEEP = Cast(Cast(DEEP, NUMBER), WHOLE)
SHARED: Expression = Compared("=", age, age)
for _ in range(60):
    SHARED = Both(SHARED, SHARED)

BAD_EXPRESSIONS = [
    Arithmetic("+", big, Literal(1 << 62, WHOLE)),
    Arithmetic("*", big, big),
    Arithmetic("**", age, age),
    Compared("==", age, age),
    Compared("=", age, name),
    Literal("5", WHOLE),
    Literal(1 << 80, WHOLE),
    Called(Function.SUBSTR, (name, one(1 << 40))),
    Called(Function.SQRT, (age, age)),
    Called(Function.ROUND, (age, age)),
    Case((), age),
    Cast(name, Kind.TIMESTAMP),
    KeyOf(0),
    MeasureOf(0),
    DEEP,
    SHARED,
    "age",
]


@pytest.mark.parametrize(
    "expression", BAD_EXPRESSIONS, ids=[str(type(e).__name__) for e in BAD_EXPRESSIONS]
)
def test_an_expression_that_no_door_makes_is_refused_wherever_it_stands(expression):
    refused(plan(Counted(expression)))
    refused(plan(rows=Where(ROWS, Compared("=", expression, expression))))
    refused(plan(keys=[Key(expression, None)]))
    refused(plan(rows=Computed(ROWS, (Defined("x", expression),))))


MEASURES = [
    Summed(age, Fraction(1, 3), 0, 120),
    Summed(age, Fraction(1), 120, 0),
    Summed(age, Fraction(1), 0, 1 << 63),
    Summed(age, Fraction(1), 0, 120, 1 << 70),
    Summed(free, Fraction(1), 0, 120),
    Summed(name, Fraction(1), 0, 120),
    Summed(cost, Fraction(1, 1 << 1000), 0, 120),
    Summed(cost, Fraction(1), 0, 1 << 60),
    Summed(
        Arithmetic("*", cost, Literal(Fraction(1 << 200), Kind.NUMBER)),
        Fraction(1, 1 << 900),
        0,
        120,
    ),
    Ranked(name, Even(Fraction(1), 0, 120), Fraction(1, 2)),
    Ranked(age, Even(Fraction(1), 120, 0), Fraction(1, 2)),
    Ranked(age, Even(Fraction(1), 0, 1 << 40), Fraction(1, 2)),
    Ranked(age, Even(Fraction(1), 0, 120), Fraction(3, 2)),
    Ranked(age, Powers(-5000, 5000), Fraction(1, 2)),
    "COUNT(*)",
]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_measure_that_could_not_be_held_is_refused(measure):
    refused(plan(measure))


def test_questions_that_no_door_makes_are_refused():
    refused("SELECT COUNT(*)")
    refused(Plan(Question(ROWS, (), ()), View(())))
    refused(Plan(Question(ROWS, (Key(name, None),), (Counted(),), found=(("a",),)), View(())))
    refused(plan(keys=[Key(name, (1, 2))]))
    refused(plan(keys=[Key(name, ())]))
    refused(plan(keys=[Key(age, tuple(range(2_000_000)))]))
    refused(plan(rows=Stacked((ROWS, Computed(ROWS, (Defined("x", age),))))))
    refused(plan(rows=Joined(ROWS, ROWS)))
    refused(plan(rows=Inner(Scan(replace(VISITS, unit=None)), (), ())))
    rows = ROWS
    for _ in range(200):
        rows = Where(rows, Compared("=", age, one(1)))
    refused(plan(rows=rows))


@pytest.mark.parametrize(
    "value",
    [
        age,
        KeyOf(0),
        MeasureOf(1),
        MeasureOf(-1),
        MeanOf(0, 0),
        MomentOf(Moment.VARIANCE, (0, 0)),
        MomentOf(Moment.VARIANCE, (0, 0, 0)),
        Arithmetic("+", MeasureOf(0), Literal("x", TEXT)),
    ],
    ids=str,
)
def test_a_view_shows_what_was_released_and_nothing_else(value):
    refused(plan(view=View((Shown("n", value),))))
    refused(plan(view=View((Shown("n", MeasureOf(0)),), having=Compared("=", value, value))))
    refused(plan(view=View((Shown("n", MeasureOf(0)),), order=(Ordering(value),))))


def test_names_and_numbers_of_a_view_are_checked():
    shown = Shown("n", MeasureOf(0))
    for view in (
        View((shown, shown)),
        View((Shown(" ", MeasureOf(0)),)),
        View((shown,), limit=-1),
        View((shown,), offset=-1),
    ):
        refused(plan(view=view))


def test_what_is_computed_of_an_answer_is_bounded():
    """Groups times parts of what is shown: few groups may show much, and many groups little."""

    def asked(groups, parts):
        ward = Column("ward", Kind.TEXT, values=tuple(map(str, range(groups))))
        shown = chain_conditions(partial(Arithmetic, "+"), [MeasureOf(0)] * parts)
        question = Question(
            Scan(Table("visits", (ward,))), (Key(Field(ward), ward.values),), (Counted(),)
        )
        return Plan(question, View((Shown("n", shown),)))

    assert prove(asked(100, 4_000))
    assert prove(asked(4_000, 100))
    with pytest.raises(InvalidPlan, match="3,999 parts of what is shown would be computed"):
        prove(asked(4_000, 2_000))
