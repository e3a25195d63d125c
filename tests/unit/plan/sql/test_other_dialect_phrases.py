"""Phrases of other dialects are the question that they mean, and a text or a name that looks like one is none."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import read_asked, read_sql
from tests.together import together
from tests.unit.plan.cases import TABLES

_ROWS = "SELECT COUNT(*) AS n FROM visits WHERE {} IS NOT NULL"
_GROUPS = "SELECT {}ward, COUNT(*) AS n FROM visits GROUP BY ward"


@together
@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("CONVERT(date, visits.seen)", "CAST(seen AS DATE)"),
        ("CONVERT(seen, DATE)", "CAST(seen AS DATE)"),
        ("CONVERT(varchar(10), age)", "CAST(age AS VARCHAR)"),
        ("CONVERT(DECIMAL(10, 2), cost)", "CAST(cost AS DECIMAL(10, 2))"),
        ("DATEADD(mm, DATEDIFF(mm, 0, visits.seen), 0)", "DATE_TRUNC('month', seen)"),
        ("LPAD(MONTH(day), 2, '0')", "LPAD(CAST(MONTH(day) AS VARCHAR), 2, '0')"),
        ("DATEADD(day, age, day)", "(day + age * INTERVAL '1 day')"),
        ("TRY_CONVERT(int, name)", "TRY_CAST(name AS INT)"),
        ("CONVERT(varchar(7), seen, 120)", "STRFTIME(seen, '%Y-%m')"),
        ("CONVERT(datetime2, day)", "CAST(day AS TIMESTAMP)"),
        ("CAST(day AS DATETIME2)", "CAST(day AS TIMESTAMP)"),
        ("DATETIME(day)", "CAST(day AS TIMESTAMP)"),
        ("TIMESTAMP(day)", "CAST(day AS TIMESTAMP)"),
        ("DATE(2024, age, 1)", "MAKE_DATE(2024, age, 1)"),
        ("EOMONTH(day, -1)", "LAST_DAY(day - INTERVAL 1 MONTH)"),
        ("LAST_DAY(day, MONTH)", "LAST_DAY(day)"),
        ("FORMAT(day, 'yyyy-MM')", "STRFTIME(day, '%Y-%m')"),
        ("FORMAT(day, 'dddd')", "DAYNAME(day)"),
        ("TO_CHAR(age)", "CAST(age AS VARCHAR)"),
        ("TO_DOUBLE(name)", "CAST(name AS DOUBLE)"),
        ("TRY_TO_DATE(name)", "CAST(name AS DATE)"),
        ("CHOOSE(age, 'a', 'b')", "CASE WHEN age = 1 THEN 'a' WHEN age = 2 THEN 'b' END"),
        ("FIELD(ward, 'A', 'B')", "CASE WHEN ward = 'A' THEN 1 WHEN ward = 'B' THEN 2 ELSE 0 END"),
        ("EQUAL_NULL(age, change)", "(age IS NOT DISTINCT FROM change)"),
        ("(age <=> change)", "(age IS NOT DISTINCT FROM change)"),
        ("DATE_ADD(day, 3)", "(day + 3)"),
        ("DATE_SUB(day, 3)", "(day - 3)"),
        ("DATE_ADD('month', 3, day)", "(day + INTERVAL 3 MONTH)"),
        ("DATEPART(dy, day)", "EXTRACT(DOY FROM day)"),
        ("WEEKISO(day)", "EXTRACT(WEEK FROM day)"),
        ("BTRIM(name)", "TRIM(name)"),
        ("DATE_DIFF(seen, day, WEEK(MONDAY))", "DATE_DIFF(seen, day, ISOWEEK)"),
        ("(ward IN UNNEST(['A', 'B']))", "(ward IN ('A', 'B'))"),
        ("(ward = ANY (ARRAY['A', 'B']))", "(ward IN ('A', 'B'))"),
        ("(name LIKE ANY ('a%', '%b'))", "(name LIKE 'a%' OR name LIKE '%b')"),
        ("(name LIKE ANY (ARRAY['a%', '%b']))", "(name LIKE 'a%' OR name LIKE '%b')"),
        ("(name ILIKE ANY ('a%'))", "(name ILIKE 'a%')"),
        ("(NOT (name LIKE ALL ('a%', '%b')))", "(NOT (name LIKE 'a%' AND name LIKE '%b'))"),
        ("(age BETWEEN SYMMETRIC 9 AND 3)", "(age BETWEEN 9 AND 3 OR age BETWEEN 3 AND 9)"),
    ],
)
def test_a_phrase_is_the_question_that_it_means(written, plain):
    assert read_sql(_ROWS.format(written), TABLES) == read_sql(_ROWS.format(plain), TABLES)


@together
@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (_GROUPS.format("TOP 2 "), _GROUPS.format("") + " LIMIT 2"),
        (_GROUPS.format("TOP (2) "), _GROUPS.format("") + " LIMIT 2"),
        (_GROUPS.format("TOP 2 ") + " ORDER BY n;", _GROUPS.format("") + " ORDER BY n LIMIT 2"),
        (
            f"WITH a AS ({_GROUPS.format('')}) SELECT TOP 1 ward, n FROM a ORDER BY n DESC",
            f"WITH a AS ({_GROUPS.format('')}) SELECT ward, n FROM a ORDER BY n DESC LIMIT 1",
        ),
        (_GROUPS.format("") + " LIMIT 1, 2", _GROUPS.format("") + " LIMIT 2 OFFSET 1"),
        (
            _GROUPS.format("RATIO_TO_REPORT(SUM(age)) OVER () AS r, "),
            _GROUPS.format("SUM(age) / SUM(SUM(age)) OVER () AS r, "),
        ),
        (
            _GROUPS.format("1 - RATIO_TO_REPORT(COUNT(*)) OVER (PARTITION BY ward) AS r, "),
            _GROUPS.format("1 - COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY ward) AS r, "),
        ),
        (
            _GROUPS.format("RATIO_TO_REPORT(COUNT(*)) OVER w AS r, ") + " WINDOW w AS ()",
            _GROUPS.format("COUNT(*) / SUM(COUNT(*)) OVER w AS r, ") + " WINDOW w AS ()",
        ),
        (
            "SELECT STDEVP(age) AS a, VAR(age) AS b, VARP(age) AS c, COUNT_BIG(*) AS d FROM visits",
            "SELECT STDDEV_POP(age) AS a, VARIANCE(age) AS b, VAR_POP(age) AS c, COUNT(*) AS d FROM visits",
        ),
    ],
)
def test_a_statement_is_the_question_that_it_means(written, plain):
    assert read_asked(written, TABLES) == read_asked(plain, TABLES)


@together
@pytest.mark.parametrize("word", ["TOP", "LIMIT", "IN", "ANY", "ALL", "CONVERT", "RATIO_TO_REPORT"])
def test_a_text_and_a_quoted_name_are_no_phrase(word):
    for typed in (f"'{word}'", f"'{word.lower()}'"):
        plan = read_sql(_ROWS.format(f"NULLIF(name, {typed})"), TABLES)
        other = read_sql(_ROWS.format("NULLIF(name, 'other')"), TABLES)
        assert str(plan).replace(f"value={typed}", "value='other'") == str(other)
    named = f'SELECT COUNT(*) AS "{word}", 1 AS one FROM visits'
    assert read_sql(named, TABLES).view.columns[0].name == word


@together
@pytest.mark.parametrize(
    "text",
    [
        _ROWS.format("CONVERT(varchar(7), cost, 120)"),
        _ROWS.format("CONVERT(varchar(8), seen, 112)"),
        _ROWS.format("CONVERT(age, cost)"),
        _ROWS.format("DATEADD(month, DATEDIFF(month, 0, seen) + 1, 0)"),
        _ROWS.format("DATEADD(month, DATEDIFF(day, 0, seen), 0)"),
        _ROWS.format("DATEADD(week, DATEDIFF(week, 0, seen), 0)"),
        _ROWS.format("(day + INTERVAL 1 DAY * INTERVAL 1 DAY)"),
        _ROWS.format("DATEADD(day, cost, day)"),
        _ROWS.format("LPAD(cost, 2, '0')"),
        _ROWS.format("RATIO_TO_REPORT(age)"),
        "SELECT RATIO_TO_REPORT(age, 2) OVER () FROM visits",
        _GROUPS.format("") + " LIMIT 1, 2, 3",
        _ROWS.format("(ward IN UNNEST(name))"),
        _ROWS.format("(age > ANY (ARRAY[1, 2]))"),
        _ROWS.format("(age = ALL (ARRAY[1, 2]))"),
        _ROWS.format("(age <> ALL (ARRAY[1, 2]))"),
        _ROWS.format("(name NOT LIKE ANY ('A%', 'B%'))"),
        _ROWS.format("(name NOT ILIKE ALL (ARRAY['A%', 'B%']))"),
        f"SELECT COUNT(*) FROM ({_GROUPS.format('TOP 2 ')}) x JOIN visits v ON v.ward = x.ward",
    ],
)
def test_what_is_no_such_phrase_is_refused(text):
    with pytest.raises(InvalidPlan):
        read_sql(text, TABLES)


@pytest.mark.parametrize("times", [2, 12, 20])
def test_what_is_written_twice_cannot_be_nested(times):
    """Each of so many would be written twice, and a short text would take hours to read."""
    ratio, between = "SUM(age)", "age"
    for _ in range(times):
        ratio = f"RATIO_TO_REPORT({ratio}) OVER ()"
        between = f"CASE WHEN {between} BETWEEN SYMMETRIC 3 AND 1 THEN 1 ELSE 2 END"
    with pytest.raises(InvalidPlan, match="window function"):
        read_sql(f"SELECT ward, {ratio} AS r FROM visits GROUP BY ward", TABLES)
    with pytest.raises(InvalidPlan, match="inside another"):
        read_sql(_ROWS.format(between), TABLES)
