"""Spellings that analysts use: what each is read as."""

from dataclasses import replace

import pytest

import tacit
from tacit import col
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import (
    Column,
    Counted,
    Frame,
    KeyOf,
    Kind,
    Table,
    Weighing,
    Weights,
    as_tree,
    canonical,
    in_words,
    multiplicity,
    prove,
    read_sql,
)
from tests.laws import clinic
from tests.unit.plan.cases import TABLES, VISITS


def question(text: str, tables: dict[str, Table] = TABLES) -> object:
    return canonical(read_sql(text, tables))


def count(condition: str) -> object:
    return question(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}")


def keys(key: str, where: str = "TRUE = TRUE") -> list[str]:
    text = f"SELECT {key} AS key, COUNT(*) AS n FROM visits WHERE {where} GROUP BY key"
    return [str(value) for value in read_sql(text, TABLES).question.keys[0].public_values]


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


def test_digits_before_the_point_are_proved_to_suffice():
    assert count("CAST(cost AS DECIMAL(6, 2)) = 1") == count("ROUND(cost, 2) = 1")
    with pytest.raises(InvalidPlan, match="more than 3 digits before the decimal point"):
        count("CAST(cost AS DECIMAL(5, 2)) = 1")


def test_what_is_released_is_rounded_like_a_decimal():
    plan = read_sql(
        "SELECT ward, CAST(AVG(cost) AS DECIMAL(5, 2)) AS m FROM visits GROUP BY ward", TABLES
    )
    assert isinstance(plan.view.columns[0].value, KeyOf)
    assert "ROUND(the mean of cost, 2)" in in_words(plan)


# ---------------------------------------------------------------- what is listed


def clinic_question(text: str) -> object:
    return question(text, clinic.TABLES)


FIRST, BY = (
    "SELECT COUNT(*) AS n FROM (SELECT stay FROM visits",
    "PARTITION BY patient ORDER BY day",
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SELECT ward, urgent AS u, '' AS l, COUNT(*) AS n FROM visits GROUP BY ALL ORDER BY ALL DESC",
            "SELECT ward, urgent u, '' l, COUNT(*) n FROM visits GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC, l DESC, n DESC",
        ),
        ("SELECT COUNT(*) AS n FROM visits GROUP BY ALL", "SELECT COUNT(*) AS n FROM visits"),
        (
            "SELECT DISTINCT ward, COUNT(*) AS n FROM visits GROUP BY 1",
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1",
        ),
        (
            "SELECT AVG(n) AS m FROM (SELECT patient, ward AS w, COUNT(*) AS n FROM visits GROUP BY ALL)",
            "SELECT AVG(n) AS m FROM (SELECT patient, ward AS w, COUNT(*) AS n FROM visits GROUP BY patient, ward)",
        ),
        (
            "SELECT COUNT(*) AS n FROM visits v, patients p WHERE p.id = v.patient AND v.stay > 1",
            "SELECT COUNT(*) AS n FROM visits v JOIN patients p ON p.id = v.patient WHERE v.stay > 1",
        ),
        (
            "SELECT COUNT(*) AS n FROM visits v, stations s WHERE s.ward = v.ward",
            "SELECT COUNT(*) AS n FROM visits v JOIN stations s ON s.ward = v.ward",
        ),
        (
            f"{FIRST} QUALIFY RANK() OVER ({BY}) = 1)",
            f"{FIRST} WINDOW w AS ({BY}) QUALIFY RANK() OVER w = 1)",
        ),
    ],
)
def test_what_is_listed_says_what_is_meant(one, other):
    assert clinic_question(one) == clinic_question(other)


def test_a_name_in_qualify_is_a_column_before_it_is_an_alias():
    inside = "SELECT patient, cost AS stay, RANK() OVER (PARTITION BY patient ORDER BY day) AS k FROM visits QUALIFY"
    by_column = clinic_question(f"SELECT COUNT(*) AS n FROM ({inside} k = 1 AND stay > 3)")
    assert by_column == clinic_question(
        f"SELECT COUNT(*) AS n FROM ({inside} k = 1 AND visits.stay > 3)"
    )


def test_rows_of_different_units_never_become_one():
    with pytest.raises(
        InvalidPlan, match="DISTINCT without the unit would merge equal rows of different units"
    ):
        read_sql("SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits)", clinic.TABLES)
    with pytest.raises(InvalidPlan, match="UNION without the unit would merge equal rows"):
        read_sql(
            "SELECT COUNT(*) FROM (SELECT ward FROM visits UNION SELECT ward FROM patients)",
            clinic.TABLES,
        )


def test_unknown_keys_may_be_asked_for_alone():
    asked = read_sql("SELECT DISTINCT name FROM visits", TABLES, finding=True)
    assert asked == read_sql("SELECT name FROM visits GROUP BY name", TABLES, finding=True)
    assert [column.name for column in asked.view.columns] == ["name"]
    assert asked.question.measures == (Counted(),)


@pytest.mark.parametrize(
    "key",
    ["serial // 10", "FLOOR(serial / 10) * 10", "(serial // 10) * 10", "FLOOR(weight / 5) * 5"],
)
def test_buckets_of_numbers_without_bounds_are_unknown_keys(key):
    by_name = read_sql(
        f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY k", TABLES, finding=True
    )
    assert [each.values for each in by_name.question.keys] == [None]
    again = read_sql(
        f"SELECT {key}, COUNT(*) AS n FROM visits GROUP BY {key}", TABLES, finding=True
    )
    assert again.question == by_name.question
    with pytest.raises(InvalidPlan):
        read_sql(f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY k", TABLES)
    with pytest.raises(Unbounded):
        read_sql(f"SELECT SUM({key}) AS s FROM visits", TABLES, finding=True)


@pytest.mark.parametrize("key", ["serial + 1", "ABS(serial)", "serial * 2", "serial // -1"])
def test_keys_that_might_leave_64_bits_are_refused(key):
    with pytest.raises(InvalidPlan):
        read_sql(f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY k", TABLES, finding=True)


def test_a_flag_is_made_once_however_often_it_is_named():
    flag = "patient IN (SELECT id FROM patients WHERE age > 60)"
    plan = read_sql(
        f"SELECT {flag} AS old, COUNT(*) AS n FROM visits WHERE urgent OR {flag} GROUP BY old",
        clinic.TABLES,
    )
    assert as_tree(plan).count("join") == 1
    assert plan.question.keys[0].values == (False, True)


def test_a_flag_may_be_made_by_windows_that_have_names():
    windows = "WINDOW w AS (PARTITION BY patient ORDER BY day), v AS (PARTITION BY patient)"
    among = (
        f"SELECT patient FROM visits {windows} QUALIFY RANK() OVER w = 1 AND COUNT(*) OVER v > 3"
    )
    plan = read_sql(
        f"SELECT patient IN ({among}) AS many, COUNT(*) AS n FROM visits GROUP BY many",
        clinic.TABLES,
    )
    assert plan.question.keys[0].values == (False, True)


def test_a_column_is_looked_up_in_a_public_table():
    plan = read_sql(
        "SELECT COUNT(*) AS n FROM trips WHERE ward IN (SELECT ward FROM stations)", clinic.TABLES
    )
    assert multiplicity(plan.question.rows) == 1
    assert plan == read_sql(
        "SELECT COUNT(*) AS n FROM trips WHERE (ward IN (SELECT ward FROM stations))", clinic.TABLES
    )
    twice = read_sql(
        "SELECT COUNT(*) AS n FROM trips WHERE ward IN (SELECT ward FROM rooms)", clinic.TABLES
    )
    assert multiplicity(twice.question.rows) == 1


def test_a_column_is_looked_up_anywhere():
    stations = replace(
        clinic.STATIONS,
        columns=(replace(clinic.STATIONS.columns[0], nullable=False), *clinic.STATIONS.columns[1:]),
    )
    tables = {**clinic.TABLES, "stations": stations}
    text = "SELECT COUNT(*) AS n FROM trips WHERE {}"
    for condition in (
        "ward NOT IN (SELECT ward FROM stations)",
        "NOT (ward IN (SELECT ward FROM stations WHERE floor = 1))",
        "ward IN (SELECT ward FROM stations) OR km > 3",
        "CASE WHEN ward IN (SELECT ward FROM stations) THEN km > 1 ELSE km > 5 END",
    ):
        rows = read_sql(text.format(condition), tables).question.rows
        assert multiplicity(rows) == 1
        twice, private = (
            text.format(
                condition.replace("stations WHERE floor = 1", wrong).replace("stations", wrong)
            )
            for wrong in ("rooms", "visits")
        )
        assert multiplicity(read_sql(twice, tables).question.rows) == 1
        with pytest.raises(InvalidPlan):
            read_sql(private, tables)
    nullable = read_sql(text.format("ward NOT IN (SELECT ward FROM stations)"), clinic.TABLES)
    assert multiplicity(nullable.question.rows) == 1


@pytest.mark.parametrize("engine", [Memory, DuckDB])
def test_what_is_looked_up_is_as_in_sql(engine):
    public = Table(
        "stations", (Column("ward", Kind.TEXT, nullable=False),), public=True, unique=("ward",)
    )
    trips = Table(
        "trips", (Column("ward", Kind.TEXT), Column("km", Kind.INTEGER, 0, 9)), contributions=1
    )
    wards = ["A", "B", None, "C", "A"]
    given = {
        trips: [{"ward": w, "km": n} for n, w in enumerate(wards)],
        public: [{"ward": "A"}, {"ward": "B"}],
    }
    weights = Weights(Weighing.L1, 1, 1, 0)
    for condition, kept in {
        "ward IN (SELECT ward FROM stations) OR km = 2": {0, 1, 2, 4},
        "ward NOT IN (SELECT ward FROM stations)": {3},
        "NOT (ward NOT IN (SELECT ward FROM stations))": {0, 1, 4},
        "(ward IN (SELECT ward FROM stations)) IS NULL": {2},
    }.items():
        text = f"SELECT km, COUNT(*) AS n FROM trips WHERE {condition} GROUP BY km"
        plan = prove(read_sql(text, {"trips": trips, "stations": public}))
        found = engine(given).evaluate(plan.question, weights)
        assert {km for (km,), (n,) in zip(plan.question.groups, found, strict=True) if n} == kept


def test_frames_have_flags_and_rows_that_are_told_once():
    visits, patients = Frame(clinic.VISITS), Frame(clinic.PATIENTS)
    old = visits.flag("old", patients.where(col("age") > 60))
    assert old.group_by("old").agg(n=tacit.count()).plan().question.keys[0].values == (False, True)
    with pytest.raises(InvalidPlan, match="a column 'ward' already"):
        visits.flag("ward", patients)
    assert "one row" in as_tree(visits.distinct().agg(n=tacit.count()).plan())
