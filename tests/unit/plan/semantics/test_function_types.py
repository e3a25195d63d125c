"""What a function's value can be, from what its operands can be."""

from datetime import date, datetime
from fractions import Fraction

import pytest

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import (
    Called,
    Column,
    Counted,
    Field,
    Function,
    Key,
    Kind,
    Literal,
    MeasureOf,
    Question,
    Scan,
    Table,
    constant,
    type_of,
)
from tests.together import together

F = Function
INT, NUM = Kind.INTEGER, Kind.NUMBER


def column(kind, low=None, high=None, nullable=True):
    return Field(
        Column(f"{kind.value} {low} {high} {nullable}", kind, low, high, nullable=nullable)
    )


def whole(value):
    return Literal(value, INT)


def text(value):
    return Literal(value, Kind.TEXT)


AGE, SURE = column(INT, 0, 120), column(INT, 10, 20, nullable=False)
SIGNED, DRIFT = column(INT, -5, 7), column(NUM, -3, Fraction(1, 2))
OPEN, FREE = column(NUM), column(INT)
HALF = column(NUM, Fraction(1, 2), 4, nullable=False)
DAY = column(Kind.DATE, date(2024, 1, 31), date(2024, 3, 1))
SEEN = column(Kind.TIMESTAMP, datetime(2024, 1, 30, 22), datetime(2024, 3, 2, 3))  # noqa: DTZ001 -- in UTC
EVER = column(Kind.TIMESTAMP)


def moment(*parts):
    return constant(datetime(*parts), Kind.TIMESTAMP)  # noqa: DTZ001 -- in UTC


@together
@pytest.mark.parametrize(
    ("function", "operands", "expected"),
    [
        (F.COALESCE, (AGE, whole(200)), (INT, 0, 200, False)),
        (F.COALESCE, (SURE, whole(200)), (INT, 10, 200, False)),
        (F.COALESCE, (AGE, SIGNED), (INT, -5, 120, True)),
        (F.COALESCE, (OPEN, whole(0)), (NUM, None, None, False)),
        (F.NULLIF, (SURE, whole(10)), (INT, 10, 20, True)),
        (F.LEAST, (AGE, whole(100)), (INT, 0, 100, False)),
        (F.LEAST, (AGE, SIGNED), (INT, -5, 120, True)),
        (F.LEAST, (OPEN, whole(100)), (NUM, None, 100, False)),
        (F.GREATEST, (AGE, SURE), (INT, 0, 120, False)),
        (F.GREATEST, (AGE, SIGNED), (INT, -5, 120, True)),
        (F.GREATEST, (Called(F.LEAST, (OPEN, whole(10))), whole(0)), (NUM, 0, 10, False)),
        (F.DISTINCT, (AGE, SIGNED), (Kind.BOOLEAN, None, None, False)),
        (F.QUOTIENT, (AGE, whole(7)), (INT, 0, 17, True)),
        (F.QUOTIENT, (SURE, SIGNED), (INT, -20, 20, True)),
        (F.QUOTIENT, (whole(-7), whole(2)), (INT, -3, -3, False)),
        (F.ABS, (SIGNED,), (INT, 0, 7, True)),
        (F.ABS, (column(INT, -9, -2),), (INT, 2, 9, True)),
        (F.ABS, (OPEN,), (NUM, 0, None, True)),
        (F.SIGN, (SIGNED,), (INT, -1, 1, True)),
        (F.SIGN, (SURE,), (INT, 1, 1, False)),
        (F.SIGN, (column(NUM, None, 0),), (INT, -1, 0, True)),
        (F.ROUND, (HALF, whole(0)), (NUM, 1, 4, False)),
        (F.ROUND, (AGE, whole(-2)), (INT, 0, 100, True)),
        (F.ROUND, (OPEN, whole(1)), (NUM, None, None, True)),
        (F.FLOOR, (DRIFT,), (NUM, -3, 0, True)),
        (F.CEIL, (DRIFT,), (NUM, -3, 1, True)),
        (F.CEIL, (AGE,), (INT, 0, 120, True)),
        (F.SQRT, (AGE,), (NUM, 0, None, True)),
        (F.SQRT, (column(NUM, 4, 9, nullable=False),), (NUM, 2, 3, False)),
        (F.SQRT, (column(NUM, -4, -1),), (NUM, 0, 0, True)),
        (F.LENGTH, (column(Kind.TEXT),), (INT, 0, None, True)),
        (F.LENGTH, (Called(F.SUBSTR, (column(Kind.TEXT), whole(1), whole(5))),), (INT, 0, 5, True)),
        (F.CONCAT, (column(Kind.TEXT), AGE), (Kind.TEXT, None, None, False)),
        (F.JOINED, (column(Kind.TEXT), AGE), (Kind.TEXT, None, None, True)),
        (F.EXTRACT, (text("year"), DAY), (INT, 2024, 2024, True)),
        (F.EXTRACT, (text("year"), EVER), (INT, 1, 9999, True)),
        (F.EXTRACT, (text("dow"), SEEN), (INT, 0, 6, True)),
        (
            F.DATE_TRUNC,
            (text("month"), DAY),
            (Kind.TIMESTAMP, moment(2024, 1, 1), moment(2024, 3, 1), True),
        ),
        (F.DATE_DIFF, (text("day"), DAY, DAY), (INT, -30, 30, True)),
        (F.SECONDS_BETWEEN, (DAY, DAY), (NUM, -30 * 86_400, 30 * 86_400, True)),
        (F.DATE_DIFF, (text("month"), DAY, SEEN), (INT, -2, 2, True)),
    ],
)
def test_ranges_follow_the_function(function, operands, expected):
    found = type_of(Called(function, operands))
    kind, low, high, nullable = expected
    assert (found.kind, found.low, found.nullable) == (kind, low, nullable)
    assert found.high == high or (
        function is F.SQRT and high is None and 10.95 < found.high < 10.96
    )


@pytest.mark.parametrize(
    ("function", "operands", "low", "high"),
    [
        (F.LN, (AGE,), -745, 4.787491742782046),
        (F.LN, (HALF,), -0.6931471805599453, 1.3862943611198906),
        (F.LOG10, (OPEN,), -324, 309),
        (F.EXP, (DRIFT,), 0.049787068367863944, 1.6487212707001282),
        (F.POWER, (SIGNED, whole(2)), 0, 49),
        (F.POWER, (SIGNED, whole(3)), -343, 343),
        (F.POWER, (SIGNED, whole(-2)), 0.02040816326530612, 1),
        (F.POWER, (HALF, DRIFT), 0.015625, 8),
        (F.POWER, (AGE, whole(0)), 1, 1),
        (F.POWER, (SIGNED, Literal(Fraction(1, 2), NUM)), -(7**0.5), 7**0.5),
        (F.SIN, (DRIFT,), -1, 0.479425538604203),
        (F.COS, (HALF,), -1, 0.8775825618903728),
        (F.TAN, (column(NUM, -1, Fraction(1, 2)),), -1.5574077246549023, 0.5463024898437905),
        (F.ASIN, (DRIFT,), -1.5707963267948966, 0.5235987755982989),
        (F.ACOS, (DRIFT,), 1.0471975511965979, 3.141592653589793),
        (F.ATAN, (OPEN,), -1.5707963267948966, 1.5707963267948966),
        (F.ATAN2, (HALF, DRIFT), 0.7853981633974483, 2.976443976175166),
    ],
)
def test_ranges_of_what_a_library_computes_have_a_little_room(function, operands, low, high):
    found = type_of(Called(function, operands))
    assert found.low <= low
    assert float(found.low) == pytest.approx(low, rel=1e-12, abs=1e-11)
    assert high <= found.high
    assert float(found.high) == pytest.approx(high, rel=1e-12)


@pytest.mark.parametrize(
    ("function", "operands", "nullable"),
    [
        (F.SQRT, (HALF,), False),
        (F.LN, (HALF,), False),
        (F.LN, (column(NUM, 0, 1, nullable=False),), True),
        (F.POWER, (column(INT, -2, 2, nullable=False), whole(3)), False),
        (F.ASIN, (column(NUM, -1, 1, nullable=False),), False),
        (F.ACOS, (HALF,), True),
        (F.SIN, (column(NUM, nullable=False),), False),
        (F.POWER, (column(INT, -2, 2, nullable=False), whole(-3)), True),
        (F.POWER, (column(INT, -2, 2, nullable=False), Literal(Fraction(1, 2), NUM)), True),
        (F.QUOTIENT, (SURE, SURE), False),
    ],
)
def test_null_comes_from_what_has_no_value(function, operands, nullable):
    assert type_of(Called(function, operands)).nullable is nullable


def test_a_month_later_does_not_keep_the_order_within_a_day():
    found = type_of(Called(F.DATE_ADD, (SEEN, whole(1), text("month"))))
    # from the 31st of January, though that is later than the 30th
    assert found.low <= moment(2024, 2, 29, 0, 1)
    assert found.high == moment(2024, 4, 2, 23, 59, 59, 999999)


def test_a_moment_that_may_leave_the_calendar_may_be_null():
    certain = column(Kind.TIMESTAMP, datetime(2024, 1, 1), datetime(2025, 1, 1), nullable=False)  # noqa: DTZ001
    assert not type_of(Called(F.DATE_ADD, (certain, whole(1), text("year")))).nullable
    assert type_of(Called(F.DATE_ADD, (certain, whole(9000), text("year")))).nullable
    assert type_of(Called(F.DATE_ADD, (certain, FREE, text("day")))).nullable


@pytest.mark.parametrize(
    ("function", "operands"),
    [
        (F.ABS, (FREE,)),
        (F.ABS, (column(INT, -(1 << 63), 5),)),
        (F.EXP, (OPEN,)),
        (F.POWER, (OPEN, whole(2))),
        (F.QUOTIENT, (FREE, whole(2))),
        (F.ROUND, (FREE, whole(-1))),
    ],
)
def test_what_could_overflow_is_refused(function, operands):
    with pytest.raises((Unbounded, InvalidPlan)):
        type_of(Called(function, operands))


def test_rounding_to_tens_at_the_end_of_all_integers_is_refused():
    with pytest.raises(InvalidPlan, match="64 bits"):
        type_of(Called(F.ROUND, (column(INT, 0, (1 << 63) - 1), whole(-1))))


def test_after_release_ranges_do_not_matter():
    question = Question(Scan(Table("t", (AGE.column,))), (Key(AGE, (1,)),), (Counted(),))
    for function in (F.EXP, F.ABS, F.SQRT, F.LN):
        assert type_of(Called(function, (MeasureOf(0),)), question).kind is NUM
    assert type_of(Called(F.SIGN, (MeasureOf(0),)), question).kind is INT
    assert not type_of(Called(F.DISTINCT, (MeasureOf(0), whole(1))), question).nullable
