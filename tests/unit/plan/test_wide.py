"""Spellings that analysts use: what each is read as."""

import pytest

import tacit
from tacit import col
from tacit.plan import Frame, KeyOf, Table, canonical, in_words, read_sql
from tests.unit.plan.cases import TABLES, VISITS


def question(text: str, tables: dict[str, Table] = TABLES) -> object:
    return canonical(read_sql(text, tables))


def count(condition: str) -> object:
    return question(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}")


def keys(key: str, where: str = "TRUE = TRUE") -> list[str]:
    text = f"SELECT {key} AS key, COUNT(*) AS n FROM visits WHERE {where} GROUP BY key"
    return [str(value) for value in read_sql(text, TABLES).question.keys[0].listed]


# ---------------------------------------------------------------- functions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("LEFT(name, 3) = 'a'", "SUBSTR(name, 1, 3) = 'a'"),
        ("STARTS_WITH(name, 'a%')", r"name LIKE 'a\%%'"),
        ("PREFIX(name, 'a')", "name LIKE 'a%'"),
        ("ENDS_WITH(name, '_')", r"name LIKE '%\_'"),
        ("SUFFIX(name, 'b')", "name LIKE '%b'"),
        ("CONTAINS(name, '\\')", r"name LIKE '%\\%'"),
        ("CAST(cost AS DECIMAL(10, 2)) = 1", "ROUND(cost, 2) = 1"),
        ("CAST(cost AS DECIMAL(10)) = 1", "ROUND(cost, 0) = 1"),
        ("cost::NUMERIC = 1", "ROUND(cost, 3) = 1"),
        ("CAST(age AS DECIMAL(3, 0)) = 1", "ROUND(CAST(age AS DOUBLE), 0) = 1"),
        ("TRUNC(age) = 1", "age = 1"),
        ("TO_CHAR(seen, 'YYYY-MM-DD HH24:MI:SS') = ''", "STRFTIME(seen, '%Y-%m-%d %H:%M:%S') = ''"),
        ("MONTHNAME(day) = 'May'", "STRFTIME(day, '%B') = 'May'"),
        ("STRFTIME(day, '%Y-%m') = ''", "STRFTIME(DATE_TRUNC('month', day), '%Y-%m') = ''"),
    ],
)
def test_a_spelling_is_the_same_question_as_another(one, other):
    assert count(one) == count(other)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (col("cost").trunc() == 1.0, "TRUNC(cost) = 1.0"),
        (col("name").left(3) == "a", "LEFT(name, 3) = 'a'"),
        (col("name").right(3) == "a", "RIGHT(name, 3) = 'a'"),
        (col("name").replace("-", "") == "a", "REPLACE(name, '-', '') = 'a'"),
        (col("name").starts_with("a_"), "STARTS_WITH(name, 'a_')"),
        (col("name").ends_with("a"), "ENDS_WITH(name, 'a')"),
        (col("name").contains("a"), "CONTAINS(name, 'a')"),
        (col("seen").strftime("%Y-%m") == "a", "STRFTIME(seen, '%Y-%m') = 'a'"),
    ],
)
def test_a_frame_says_the_same(term, text):
    assert canonical(Frame(VISITS).where(term).agg(n=tacit.count()).plan()) == count(text)


def test_the_values_of_formatted_days_are_listed():
    year = "day BETWEEN DATE '2024-11-20' AND DATE '2025-01-10'"
    assert keys("STRFTIME(day, '%Y-%m')", year) == ["2024-11", "2024-12", "2025-01"]
    assert len(keys("MONTHNAME(day)")) == 12
    assert len(keys("DAYNAME(seen)")) == 7
    assert len(keys("STRFTIME(seen, '%H:%M')")) == 24 * 60
    assert len(keys("STRFTIME(day, '%d.%m')")) == 366


def test_what_is_released_is_rounded_like_a_decimal():
    plan = read_sql("SELECT ward, CAST(AVG(cost) AS DECIMAL(5, 2)) AS m FROM visits GROUP BY ward", TABLES)
    assert isinstance(plan.view.columns[0].value, KeyOf)
    assert "ROUND(the mean of cost, 2)" in in_words(plan)
