"""Functions that are read by their names: what they may be given, and what is said of all else."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import compile_expression, read_sql
from tests.unit.plan.cases import TABLES

_ROWS = "SELECT COUNT(*) AS n FROM visits WHERE {} IS NOT NULL"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("DATEADD(day, 30, day)", "day + INTERVAL 30 DAY"),
        ("TIMESTAMPADD(HOUR, -2, seen)", "seen - INTERVAL 2 HOUR"),
        ("DATEADD('mm', 1, day)", "day + INTERVAL 1 MONTH"),
        ("DATE_PART(month, day)", "EXTRACT(MONTH FROM day)"),
        ("DATEDIFF(seen, day)", "DATE_DIFF('day', day, seen)"),
        ("TIME_SLICE(seen, 15, 'MINUTE')", "TIME_BUCKET(INTERVAL '15 minutes', seen)"),
        ("FROM_UTC_TIMESTAMP(seen, 'UTC')", "seen AT TIME ZONE 'UTC'"),
        ("SPLIT(name, '@')[OFFSET(1)]", "SPLIT_PART(name, '@', 2)"),
        ("SPLIT(name, '@')[SAFE_ORDINAL(1)]", "SPLIT_PART(name, '@', 1)"),
        ("STRING_SPLIT(name, '@')[2]", "SPLIT_PART(name, '@', 2)"),
        ("ISNULL(age, 3)", "COALESCE(age, 3)"),
        ("DIV(age, 3)", "age // 3"),
        ("age DIV (1 + 2)", "age // (1 + 2)"),
        ("TRUNC(day, 'month')", "DATE_TRUNC('month', day)"),
        ("DATENAME(weekday, day)", "DAYNAME(day)"),
        ("DATE_TRUNC('isoweek', day)", "DATE_TRUNC('week', day)"),
    ],
)
def test_another_spelling_is_the_same_question(written, plain):
    assert read_sql(_ROWS.format(written), TABLES) == read_sql(_ROWS.format(plain), TABLES)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("DATEADD(age, 30, day)", "a unit of time is needed"),
        ("ADD_MONTHS(day, age)", "a constant whole number"),
        ("DATEADD(day, 30)", "DATEADD takes 3 arguments"),
        ("DATE_PART(3, day)", "a part of a date"),
        ("DATENAME(year, day)", "DATENAME takes month or weekday"),
        ("CONVERT_TIMEZONE('Europe/Berlin', 'UTC', seen)", "moments are in UTC here"),
        ("FROM_UTC_TIMESTAMP(seen, name)", "a constant text"),
        ("SUBSTRING_INDEX(name, '@', 2)", "takes 1 or -1"),
        ("TRUNC(stay, age)", "constant number of decimals"),
        ("SPLIT(name, '@')[1]", r"'\['"),
        ("WEEKDAY(day)", "WEEKDAY is not supported"),
        ("MONTHS_BETWEEN(day, seen)", "MONTHS_BETWEEN is not supported"),
    ],
)
def test_what_is_not_understood_is_refused(written, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read_sql(_ROWS.format(written), TABLES)


def test_a_quantile_of_a_list_is_one_rank():
    text = "SELECT {} AS middle FROM visits"
    for written, plain in (
        ("APPROX_QUANTILES(age, 4)[OFFSET(1)]", "QUANTILE_CONT(age, 0.25)"),
        ("APPROX_QUANTILES(age, 100)[SAFE_OFFSET(50)]", "QUANTILE_CONT(age, 0.5)"),
        ("APPROX_QUANTILES(age, 10)[ORDINAL(10)]", "QUANTILE_CONT(age, 0.9)"),
    ):
        found = read_sql(text.format(written), TABLES)
        assert found == read_sql(text.format(plain), TABLES)
    for odd in ("APPROX_QUANTILES(age, 4)[OFFSET(4)]", "APPROX_QUANTILES(age, 4)[OFFSET(0)]"):
        with pytest.raises(InvalidPlan):
            read_sql(text.format(odd), TABLES)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("SIMILAR TO 'a%'", "a\nb", True),
        ("SIMILAR TO 'a_b'", "a\nb", True),
        ("SIMILAR TO '(a|b)+'", "abba", True),
        ("SIMILAR TO 'a.'", "ab", False),
        ("SIMILAR TO 'a'", "ba", False),
        ("GLOB 'a?'", "ab", True),
        ("GLOB 'a_'", "ab", False),
        ("GLOB '50%'", "50%", True),
    ],
)
def test_a_pattern_is_of_the_whole_text(pattern, text, matches):
    where = f"SELECT COUNT(*) AS n FROM visits WHERE name {pattern}"
    condition = read_sql(where, TABLES).question.rows.condition
    assert compile_expression(condition)({"name": text}) is matches


def test_a_raw_text_is_a_text_and_a_name_keeps_its_letter():
    text = "SELECT COUNT(*) AS n FROM visits WHERE {} = 'a'"
    plain = read_sql(text.format("name"), TABLES)
    assert read_sql("SELECT COUNT(*) AS n FROM visits WHERE name = r'a'", TABLES) == plain
    assert read_sql("SELECT COUNT(*) AS n FROM visits WHERE 'r' || name = 'ra' -- r'x'", TABLES)
    assert (
        read_sql("SELECT COUNT(*) AS float64 FROM visits", TABLES).view.columns[0].name == "float64"
    )
