"""What functions mean, by hand and against DuckDB's letters."""

from datetime import UTC, date, datetime

import duckdb
import pytest

from tacit.plan import LONGEST, MEANINGS, Function, Kind, constant
from tests.together import together

F = Function


def moment(*parts):
    return constant(datetime(*parts, tzinfo=UTC), Kind.TIMESTAMP)


@together
@pytest.mark.parametrize(
    ("function", "operands", "value"),
    [
        (F.COALESCE, (None, None, 3), 3),
        (F.COALESCE, (None,), None),
        (F.NULLIF, (3, 3.0), None),
        (F.NULLIF, (2**53 + 1, float(2**53)), None),  # compared as doubles
        (F.NULLIF, (None, 3), None),
        (F.NULLIF, (3, None), 3),
        (F.LEAST, (None, 3, 2), 2),
        (F.GREATEST, (None, "a", "B"), "a"),
        (F.GREATEST, (None, None), None),
        (F.DISTINCT, (None, None), False),
        (F.DISTINCT, (None, 1), True),
        (F.QUOTIENT, (-7, 2), -3),
        (F.QUOTIENT, (7, -2), -3),
        (F.QUOTIENT, (7, 0), None),
        (F.QUOTIENT, (-(1 << 63), -1), None),
        (F.ABS, (-(1 << 63),), None),
        (F.SIGN, (-0.0,), 0),
        (F.ROUND, (2.5, 0), 3.0),
        (F.ROUND, (-2.5, 0), -3.0),
        (F.ROUND, (0.49999999999999994, 0), 0.0),
        (F.ROUND, (2.675, 2), 2.68),
        (F.ROUND, (1.005, 2), 1.0),
        (F.ROUND, (25, -1), 30),
        (F.ROUND, (-25, -1), -30),
        (F.ROUND, (1e308, 15), 1e308),
        (F.ROUND, ((1 << 63) - 1, -1), None),
        (F.FLOOR, (-2.5,), -3.0),
        (F.CEIL, (-2.5,), -2.0),
        (F.CEIL, (7,), 7),
        (F.SQRT, (-5e-324,), None),
        (F.SQRT, (0.0,), 0.0),
        (F.LN, (0.0,), None),
        (F.LOG10, (-1.0,), None),
        (F.EXP, (1000.0,), None),
        (F.POWER, (0.0, 0.0), 1.0),
        (F.POWER, (0.0, -1.0), None),
        (F.POWER, (-8.0, 0.5), None),
        (F.POWER, (10.0, 400.0), None),
        (F.SIN, (0.0,), 0.0),
        (F.COS, (0.0,), 1.0),
        (F.TAN, (0.0,), 0.0),
        (F.ASIN, (1.0,), 1.5707963267948966),
        (F.ASIN, (1.0000000000000002,), None),
        (F.ACOS, (-1.0,), 3.141592653589793),
        (F.ACOS, (-1.0000000000000002,), None),
        (F.ATAN, (1.0,), 0.7853981633974483),
        (F.ATAN2, (-0.0, -1.0), 3.141592653589793),  # a zero has no sign
        (F.ATAN2, (0.0, -0.0), 0.0),
        (F.ATAN2, (-1.0, -1.0), -2.356194490192345),
        (F.LOWER, ("İΣ",), "iσ"),
        (F.UPPER, ("ßŉǆ",), "ẞŉǄ"),
        (F.TRIM, ("\u3000 a\t ",), "a\t"),
        (F.LTRIM, ("  a ",), "a "),
        (F.RTRIM, ("  a ",), "  a"),
        (F.SUBSTR, ("héllo", 2, 3), "éll"),
        (F.SUBSTR, ("abc", 9), ""),
        (F.SPLIT_PART, ("a@b@c", "@", -1), "c"),
        (F.SPLIT_PART, ("a@b@c", "@", -3), "a"),
        (F.SPLIT_PART, ("a@b@c", "@", -4), ""),
        (F.LENGTH, ("é\N{GRINNING FACE}",), 2),
        (F.CONCAT, ("a", None, "b"), "ab"),
        (F.CONCAT, (None,), ""),
        (F.JOINED, ("x" * (LONGEST + 5), "y"), "x" * LONGEST + "y"),
        (F.EXTRACT, ("week", moment(2021, 1, 1)), 53),
        (F.EXTRACT, ("dow", moment(2025, 3, 2)), 0),
        (F.EXTRACT, ("second", moment(1969, 12, 31, 23, 59, 58)), 58),
        (F.DATE_TRUNC, ("week", moment(2025, 3, 9, 23)), moment(2025, 3, 3)),
        (F.DATE_TRUNC, ("quarter", moment(2025, 12, 31)), moment(2025, 10, 1)),
        (F.DATE_ADD, (moment(2024, 1, 31, 7), 1, "month"), moment(2024, 2, 29, 7)),
        (F.DATE_ADD, (moment(2024, 2, 29), -1, "year"), moment(2023, 2, 28)),
        (F.DATE_ADD, (moment(9999, 12, 31), 1, "day"), None),
        (F.DATE_ADD, (moment(1, 1, 1), -1, "month"), None),
        (F.DATE_ADD, (moment(1970, 1, 1), 1 << 62, "second"), None),
        (F.SECONDS_BETWEEN, (moment(2025, 1, 31), moment(2025, 2, 1) + 1), 86_400.000_001),
        (F.SECONDS_BETWEEN, (moment(2025, 2, 1), moment(2025, 1, 31) - 1), -86_400.000_001),
        (F.DATE_DIFF, ("month", moment(2025, 1, 31), moment(2025, 3, 1)), 2),
        (F.DATE_DIFF, ("year", moment(2024, 12, 31, 23), moment(2025, 1, 1)), 1),
        (F.DATE_DIFF, ("hour", moment(1970, 1, 1, 1), moment(1969, 12, 31, 23, 59)), -2),
    ],
)
def test_a_function_means_this(function, operands, value):
    found = MEANINGS[function](*operands)
    assert found == value
    assert type(found) is type(value)


def test_every_function_has_a_meaning():
    assert set(MEANINGS) == set(Function)


by_letter = pytest.mark.parametrize("name", ["lower", "upper", "trim", "ltrim", "rtrim"])


def check_letters(name, first, last):
    meaning = MEANINGS[Function[name.upper()]]
    points = [point for point in range(first, last) if not 0xD800 <= point <= 0xDFFF]
    with duckdb.connect() as connection:
        text = f"SELECT {name}(chr(i::INT)) FROM range({first}, {last}) AS t(i) WHERE NOT (i BETWEEN 55296 AND 57343)"
        theirs = [found for (found,) in connection.execute(text).fetchall()]
    assert [meaning(chr(point)) for point in points] == theirs


@by_letter
def test_every_letter_is_mapped_as_duckdb_maps_it(name):
    """All characters of the first two planes but NUL: those above have no case and are no space."""
    check_letters(name, 1, 0x20000)


@pytest.mark.soak
@by_letter
def test_characters_without_case_are_mapped_as_duckdb_maps_them(name):
    """The other 983,040."""
    check_letters(name, 0x20000, 0x110000)


def test_every_day_is_taken_apart_as_by_the_calendar():
    for day in (
        date(1, 1, 1),
        date(1600, 2, 29),
        date(1900, 3, 1),
        date(2000, 2, 29),
        date(9999, 12, 31),
    ):
        at = constant(datetime(day.year, day.month, day.day, tzinfo=UTC), Kind.TIMESTAMP)
        parts = {
            part: MEANINGS[F.EXTRACT](part, at)
            for part in ("year", "month", "day", "doy", "isodow", "week")
        }
        iso = day.isocalendar()
        assert parts == {
            "year": day.year,
            "month": day.month,
            "day": day.day,
            "doy": day.timetuple().tm_yday,
            "isodow": iso.weekday,
            "week": iso.week,
        }
