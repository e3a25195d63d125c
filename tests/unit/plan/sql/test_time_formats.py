"""Formats of other dialects, and texts that are read by one."""

from datetime import date, datetime

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, compile_expression, read_sql
from tacit.plan.sql.time_formats import from_java, from_mysql, from_to_char, parse_moment

TABLE = Table(
    "visits",
    (
        Column("month", Kind.TEXT, values=("Jan-2018", "Feb-2018", "none")),
        Column("note", Kind.TEXT),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2024, 12, 31)),
    ),
)


def value_of(text, **row):
    """What an expression is in a row."""
    where = f"SELECT COUNT(*) AS n FROM visits WHERE ({text}) IS NOT NULL"
    condition = read_sql(where, {"visits": TABLE}).question.rows.condition
    return compile_expression(condition.operand.operand)(row)


def key(text):
    question = read_sql(
        f"SELECT {text} AS k, COUNT(*) AS n FROM visits GROUP BY k", {"visits": TABLE}
    )
    return question.question.keys[0].values


@pytest.mark.parametrize(
    ("read", "given", "form"),
    [
        (from_to_char, "YYYY-MM-DD HH24:MI:SS", "%Y-%m-%d %H:%M:%S"),
        (from_to_char, "yyyy/mm", "%Y/%m"),
        (from_to_char, "Dy, DD Mon YY", "%a, %d %b %y"),
        (from_to_char, "FMDay", "%A"),
        (from_to_char, "HH24:00", "%H:00"),
        (from_mysql, "%d.%m.%Y %H:%i:%s", "%d.%m.%Y %H:%M:%S"),
        (from_mysql, "%W in %M", "%A in %B"),
        (from_java, "yyyy-MM-dd'T'HH:mm:ss", "%Y-%m-%dT%H:%M:%S"),
        (from_java, "EEE MMM", "%a %b"),
    ],
)
def test_a_format_is_one_of_strftime(read, given, form):
    assert read(given) == form


@pytest.mark.parametrize(
    ("read", "given"),
    [(from_to_char, "IYYY-IW"), (from_to_char, "50%"), (from_mysql, "%Q"), (from_mysql, "5%"),
     (from_java, "YYYY"), (from_java, "ww")],
)  # fmt: skip
def test_a_sign_that_is_not_known_is_refused(read, given):
    with pytest.raises(InvalidPlan, match="format is not supported"):
        read(given)


def test_a_text_is_read_by_its_format():
    assert parse_moment("1/2/2020 7:05", "%m/%d/%Y %H:%M") == datetime(2020, 1, 2, 7, 5)  # noqa: DTZ001
    assert parse_moment("5 MARCH 69", "%d %B %y") == datetime(1969, 3, 5)  # noqa: DTZ001
    assert parse_moment("5 march 68", "%d %B %y") == datetime(2068, 3, 5)  # noqa: DTZ001
    for text in ("31/02/2020", "1/2/20200", "01/13/2020 ", "x"):
        assert parse_moment(text, "%d/%m/%Y") is None


def test_declared_values_become_days_that_are_keys():
    january, february = datetime(2018, 1, 1), datetime(2018, 2, 1)  # noqa: DTZ001
    assert key("STRPTIME('01-' || month, '%d-%b-%Y')") == (january, february)
    assert key("TO_DATE(month, 'Mon-YYYY')") == (date(2018, 1, 1), date(2018, 2, 1))
    assert value_of("PARSE_DATE('%b-%Y', month)", month="none") is None


@pytest.mark.parametrize(
    ("text", "note", "found"),
    [
        ("TO_DATE(note, 'DD/MM/YYYY')", "3/12/2024", date(2024, 12, 3)),
        ("STR_TO_DATE(note, '%m/%d/%Y')", "3/12/2024", date(2024, 3, 12)),
        ("STR_TO_DATE(note, '%Y%m%d')", "20240312", date(2024, 3, 12)),
        ("PARSE_DATE('%Y-%m-%d', note)", "2024-03-12", date(2024, 3, 12)),
        ("STR_TO_DATE(note, '%d/%m/%Y')", "31/02/2024", None),
        ("STR_TO_DATE(note, '%d/%m/%Y')", "31.02.2024", None),
        ("STR_TO_DATE(note, '%Y%m%d')", "2024", None),
    ],
)
def test_other_texts_are_read_in_a_few_formats(text, note, found):
    days = value_of(text, note=note)
    assert days == (None if found is None else (found - date(1970, 1, 1)).days)


def test_constants_are_read_at_once():
    rows = "SELECT COUNT(*) AS n FROM visits WHERE day >= {}"
    plain = read_sql(rows.format("DATE '2024-02-01'"), {"visits": TABLE})
    for written in (
        "TO_DATE('2024-02-01', 'YYYY-MM-DD')",
        "STR_TO_DATE('1.2.2024', '%d.%m.%Y')",
        "PARSE_DATE('%d %b %Y', '01 feb 2024')",
    ):
        assert read_sql(rows.format(written), {"visits": TABLE}) == plain


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TO_DATE(note, 'DD Mon YYYY')", "few date formats"),
        ("TO_DATE('x', 'DD/MM/YYYY')", "not of the format"),
        ("STR_TO_DATE(month, '%Y')", "no declared value"),
        ("STR_TO_DATE(note, '%d/%d/%Y')", "not read"),
        ("STR_TO_DATE(note, month)", "must be a constant text"),
    ],
)
def test_what_is_not_read_is_refused(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        value_of(text)


def test_a_quarter_in_a_format_makes_as_many_keys_as_there_are_quarters():
    assert key("TO_CHAR(day, 'YYYY-\"Q\"Q')") == tuple(f"2024-Q{n}" for n in range(1, 5))
