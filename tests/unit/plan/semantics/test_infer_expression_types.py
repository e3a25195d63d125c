"""Types: kinds, ranges and nullability, against values that are really computed."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import (
    CASTS,
    Arithmetic,
    Both,
    Case,
    Cast,
    Column,
    Compared,
    Counted,
    Either,
    Field,
    IsNull,
    Key,
    KeyOf,
    Kind,
    Like,
    Literal,
    MeanOf,
    MeasureOf,
    Negated,
    Not,
    OneOf,
    Question,
    Scan,
    Type,
    type_of,
)
from tests.unit.plan.cases import (
    COLUMNS,
    DAY,
    VISITS,
    conditions,
    decimal,
    evaluate,
    field,
    integer,
    numbers,
    rows,
)

NULL = Literal(None, Kind.INTEGER)


def typed(expression):
    """The type of an expression; if it is refused, the example is given up."""
    try:
        return type_of(expression)
    except InvalidPlan:
        assume(False)


@given(numbers, st.lists(rows, min_size=1, max_size=8))
def test_a_computed_value_lies_in_its_range(expression, tried):
    found = typed(expression)
    for row in tried:
        value = evaluate(expression, row)
        if value is None:
            assert found.nullable
            continue
        assert isinstance(value, float if found.kind is Kind.NUMBER else int)
        assert found.low is None or found.low <= Fraction(value)
        assert found.high is None or Fraction(value) <= found.high


@given(conditions, st.lists(rows, min_size=1, max_size=8))
def test_only_what_is_nullable_is_ever_null(condition, tried):
    found = typed(condition)
    assert found.kind is Kind.BOOLEAN
    assert found.nullable or None not in [evaluate(condition, row) for row in tried]


def bounds(expression):
    found = type_of(expression)
    return found.kind, found.low, found.high, found.nullable


INT, NUM = Kind.INTEGER, Kind.NUMBER


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (field("age"), (INT, 0, 120, True)),
        (field("stay"), (INT, 1, 365, False)),
        (field("drift"), (NUM, Fraction(-3, 2), Fraction(0.1), True)),
        (field("weight"), (NUM, None, None, True)),
        (Arithmetic("+", field("age"), integer(1)), (INT, 1, 121, True)),
        (Arithmetic("+", field("age"), decimal(1)), (NUM, 1, 121, True)),
        (Arithmetic("-", field("age"), field("change")), (INT, -7, 125, True)),
        (Arithmetic("*", field("age"), field("change")), (INT, -600, 840, True)),
        (Arithmetic("*", field("cost"), integer(2)), (NUM, 0, 10000, True)),
        (Arithmetic("/", integer(365), field("stay")), (NUM, 1, 365, False)),
        (Arithmetic("/", field("cost"), field("change")), (NUM, -5000, 5000, True)),
        (Arithmetic("%", field("age"), integer(7)), (INT, 0, 6, True)),
        (Arithmetic("%", field("stay"), integer(7)), (INT, 0, 6, False)),
        (Arithmetic("%", field("stay"), field("change")), (INT, 0, 6, True)),
        (Arithmetic("%", field("serial"), integer(7)), (INT, -6, 6, True)),
        (Negated(field("change")), (INT, -7, 5, True)),
        (Negated(field("weight")), (NUM, None, None, True)),
        (Cast(field("cost"), INT), (INT, 0, 5000, True)),
        (Cast(field("drift"), INT), (INT, -2, 1, True)),
        (Cast(field("weight"), INT), (INT, None, None, True)),
        (Cast(field("age"), NUM), (NUM, 0, 120, True)),
        (Cast(Compared("=", field("stay"), integer(3)), INT), (INT, 0, 1, False)),
        (Cast(field("name"), NUM), (NUM, None, None, True)),
    ],
)
def test_ranges_follow_the_calculation(expression, expected):
    assert bounds(expression) == expected


def above(name, bound):
    return Compared(">", field(name), bound)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (Case(((above("age", integer(100)), integer(100)),), field("age")), (INT, 0, 100, True)),
        (Case(((above("age", integer(50)), field("age")),), integer(0)), (INT, 0, 120, True)),
        (Case(((above("age", integer(50)), field("age")),), integer(200)), (INT, 50, 200, True)),
        (
            Case(((above("weight", integer(90)), integer(90)),), field("weight")),
            (NUM, None, 90, True),
        ),
        (
            Case(
                (
                    (above("weight", integer(90)), integer(90)),
                    (Compared("<", field("weight"), integer(0)), integer(0)),
                ),
                field("weight"),
            ),
            (NUM, 0, 90, True),
        ),
        (Case(((Not(above("weight", integer(9))), integer(1)),), integer(2)), (INT, 1, 2, False)),
        (Case(((above("age", integer(5)), NULL),), NULL), (INT, 0, 0, True)),
        (
            Case(((above("age", integer(5)), decimal("0.5")),), integer(2)),
            (NUM, Fraction(1, 2), 2, False),
        ),
        # Only a value that is itself compared is narrowed: a branch may be calculated where it is not taken.
        (
            Case(((above("age", integer(100)), Arithmetic("+", field("age"), integer(1))),), NULL),
            (INT, 1, 121, True),
        ),
        # What AND and OR say when they are true, and when they are not.
        (
            Case(
                (
                    (
                        Either(
                            above("weight", integer(9)), Compared("<", field("weight"), integer(1))
                        ),
                        NULL,
                    ),
                ),
                field("weight"),
            ),
            (NUM, 1, 9, True),
        ),
        (
            Case(
                (
                    (
                        Both(
                            above("weight", integer(1)), Compared("<", field("weight"), integer(9))
                        ),
                        field("weight"),
                    ),
                ),
                NULL,
            ),
            (NUM, 1, 9, True),
        ),
        (
            Case(
                (
                    (
                        Both(
                            above("weight", integer(1)), Compared("<", field("weight"), integer(9))
                        ),
                        NULL,
                    ),
                ),
                field("weight"),
            ),
            (NUM, None, None, True),
        ),
    ],
)
def test_a_case_narrows_what_it_compares(expression, expected):
    assert bounds(expression) == expected


def test_a_bound_that_rounding_could_reach_does_not_narrow_an_integer():
    bound = Literal(Fraction(2**53), Kind.NUMBER)
    found = type_of(Case(((Compared("<=", field("serial"), bound), field("serial")),), NULL))
    assert found.high is None


def test_a_long_case_keeps_the_wider_range():
    branches = tuple((above("age", integer(bound)), field("age")) for bound in range(60, 100))
    assert type_of(Case(branches, NULL)).low == 0


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (Arithmetic("+", field("age"), field("name")), "arithmetic needs numbers"),
        (Arithmetic("+", field("smoker"), integer(1)), "arithmetic needs numbers"),
        (Negated(field("name")), "a minus sign needs a number, but this"),
        (Compared("=", field("age"), field("name")), "cannot be compared"),
        (Compared("<", field("smoker"), field("smoker")), "cannot be ordered"),
        (OneOf(field("age"), (integer(1), Literal("a", Kind.TEXT))), "cannot be compared"),
        (Like(field("age"), "a%"), "LIKE needs text, but this is of type"),
        (Both(field("smoker"), field("age")), "a condition is needed"),
        (Not(field("age")), "a condition is needed"),
        (Case(((field("age"), integer(1)),), integer(2)), "a condition is needed"),
        (Case(((field("smoker"), integer(1)),), Literal("a", Kind.TEXT)), "different types"),
        (Cast(field("age"), Kind.DATE), "cannot be cast"),
        (Cast(field("cost"), Kind.TEXT), "cannot be cast"),
        (Arithmetic("*", integer(2**40), integer(2**40)), "64 bits"),
        (Negated(integer(-(2**63))), "64 bits"),
        (Literal(2**63, Kind.INTEGER), "too large"),
        (Arithmetic("*", decimal(10**290), decimal(10**290)), "too large for a double"),
        (Arithmetic("/", field("cost"), field("cost")), "close to zero"),
        (
            Arithmetic("/", decimal(10**290), decimal(Fraction(1, 10**290))),
            "too large for a double",
        ),
        (Arithmetic("+", Cast(field("name"), Kind.INTEGER), integer(1)), "not known"),
    ],
)
def test_what_has_no_type_is_refused(expression, reason):
    with pytest.raises(InvalidPlan, match=reason) as refusal:
        type_of(expression)
    assert refusal.value.remedy
    assert refusal.value.culprit is not None


@pytest.mark.parametrize(
    "expression",
    [
        Arithmetic("+", field("weight"), integer(1)),
        Arithmetic("%", field("age"), field("serial")),
        Negated(field("serial")),
        Arithmetic("/", integer(1), field("weight")),
    ],
)
def test_calculating_without_bounds_is_refused(expression):
    with pytest.raises(Unbounded) as refusal:
        type_of(expression)
    assert refusal.value.column in {"weight", "serial"}
    assert f"{refusal.value.column} = {{ type =" in refusal.value.remedy


@pytest.mark.parametrize(("since", "to"), sorted(CASTS, key=str))
def test_every_cast_that_exists_has_a_type(since, to):
    column = next(column for column in VISITS.columns if column.kind is since)
    assert type_of(Cast(field(column.name), to)).kind is to


def test_a_cast_to_the_same_kind_changes_nothing():
    assert type_of(Cast(field("age"), Kind.INTEGER)) == type_of(field("age"))


@pytest.mark.parametrize(
    ("expression", "nullable"),
    [
        (Compared("=", field("stay"), integer(1)), False),
        (Compared("=", field("age"), integer(1)), True),
        (IsNull(field("age")), False),
        (OneOf(field("stay"), (integer(1), NULL)), True),
        (OneOf(field("stay"), (integer(1),)), False),
        (Like(field("name"), "%"), True),
        (Both(IsNull(field("age")), Compared("=", field("day"), Literal(DAY, Kind.DATE))), True),
        (Arithmetic("/", field("stay"), field("stay")), False),
        (Arithmetic("/", field("stay"), integer(0)), True),
        (Cast(field("name"), Kind.INTEGER), True),
    ],
)
def test_null_comes_only_from_nulls_zeros_and_texts(expression, nullable):
    assert type_of(expression).nullable is nullable


def test_after_release_bounds_do_not_matter():
    question = Question(Scan(VISITS), (Key(field("ward"), ("A",)),), (Counted(), Counted()))
    assert type_of(KeyOf(0), question) == Type(Kind.TEXT, nullable=False)
    assert type_of(MeasureOf(0), question) == Type(Kind.NUMBER, nullable=False)
    assert type_of(MeanOf(0, 1), question) == Type(Kind.NUMBER, nullable=True)
    assert type_of(Arithmetic("/", MeasureOf(0), MeasureOf(1)), question) == Type(
        Kind.NUMBER, nullable=True
    )
    assert type_of(Negated(MeasureOf(0)), question).range is None


def test_integer_bounds_stay_inside_the_integers():
    column = COLUMNS["age"]
    wide = type(column)("wide", Kind.INTEGER, -(10**30), 10**30)
    assert type_of(type(field("age"))(wide)).high == 2**63 - 1


def test_a_later_branch_knows_that_the_earlier_conditions_did_not_hold():
    age = Field(Column("age", Kind.INTEGER, low=0, high=120, nullable=False))
    old, grown = (Compared(">", age, Literal(years, Kind.INTEGER)) for years in (60, 10))
    chosen = Case(((old, Literal(1, Kind.INTEGER)), (grown, age)), Literal(0, Kind.INTEGER))
    assert (type_of(chosen).low, type_of(chosen).high) == (0, 60)
