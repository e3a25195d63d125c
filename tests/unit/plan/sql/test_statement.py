"""The SQL door: what is accepted, in words; names, limits, and that nothing is dropped."""

import re

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Column,
    Counted,
    KeyOf,
    Kind,
    MeanOf,
    MeasureOf,
    Table,
    Units,
    canonical,
    centred_sum,
    in_words,
    read_sql,
)
from tacit.plan.sql.precheck import DEEPEST, MOST_BYTES, MOST_TOKENS
from tests.together import together
from tests.unit.plan.cases import TABLES, VISITS, field

ACCEPTED = {
    "SELECT COUNT(*) FROM visits": ("visits: COUNT(*) is the number of rows."),
    "select count(*) as n from VISITS;": ("visits: n is the number of rows."),
    "SELECT COUNT(*) AS n FROM visits; -- all of them": ("visits: n is the number of rows."),
    "SELECT COUNT(*) AS n FROM visits AS v WHERE v.age >= 65": (
        "visits where age >= 65: n is the number of rows."
    ),
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward": (
        "visits, for each ward ('A', 'B', 'C'): n is the number of rows."
    ),
    "SELECT w.ward AS station, COUNT(*) AS n FROM visits w GROUP BY station": (
        "visits, for each ward ('A', 'B', 'C'): station is ward; n is the number of rows."
    ),
    "SELECT sex, ward, COUNT(age) FROM visits GROUP BY 2, 1": (
        "visits, for each ward ('A', 'B', 'C') and each sex ('f', 'm'): COUNT(age) is the number of rows in "
        "which age is not NULL."
    ),
    "SELECT COUNT(DISTINCT patient) AS people FROM visits": (
        "visits: people is the number of units (patient)."
    ),
    "SELECT COUNT(1) AS n, COUNT(stay) AS m FROM visits": (
        "visits: n is the number of rows; m is the number of rows."
    ),
    "SELECT SUM(cost) AS total, AVG(cost) AS mean FROM visits": (
        "visits: total is the sum of cost; mean is the mean of cost."
    ),
    "SELECT AVG(cost / stay) AS daily FROM visits WHERE ward = 'A' OR ward = 'B'": (
        "visits where ward = 'A' OR ward = 'B': daily is the mean of cost / stay."
    ),
    "SELECT SUM(age * 2 + change % 3 - 1) AS s FROM visits": (
        "visits: s is the sum of age * 2 + change % 3 - 1."
    ),
    "SELECT SUM(-cost) AS s FROM visits WHERE age NOT IN (1, 2, NULL)": (
        "visits where NOT age IN (1, 2, NULL): s is the sum of -cost."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE age BETWEEN 18 AND 65 AND NOT smoker": (
        "visits where age >= 18 AND age <= 65 AND NOT smoker: n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE name LIKE 'Mc%' AND name NOT LIKE '%\\%%'": (
        "visits where name LIKE 'Mc%' AND NOT name LIKE '%\\%%': n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE weight IS NOT NULL AND weight > 70.5": (
        "visits where NOT weight IS NULL AND weight > 70.5: n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE day >= DATE '2025-01-01' AND day < '2025-02-01'": (
        "visits where day >= '2025-01-01' AND day < '2025-02-01': n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE seen >= '2025-01-01 08:30' AND seen < day": (
        "visits where seen >= '2025-01-01 08:30:00' AND seen < CAST(day AS TIMESTAMP): n is the number of rows."
    ),
    "SELECT SUM(CASE WHEN age >= 65 THEN 1 ELSE 0 END) AS old FROM visits": (
        "visits: old is the sum of CASE WHEN age >= 65 THEN 1 ELSE 0 END."
    ),
    "SELECT SUM(CASE ward WHEN 'A' THEN cost WHEN 'B' THEN cost / 2 END) AS s FROM visits": (
        "visits: s is the sum of CASE WHEN ward = 'A' THEN cost WHEN ward = 'B' THEN cost / 2 ELSE NULL END."
    ),
    "SELECT SUM(CASE WHEN weight > 200 THEN 200 WHEN weight < 0 THEN 0 ELSE weight END) AS s FROM visits": (
        "visits: s is the sum of CASE WHEN weight > 200 THEN 200 WHEN weight < 0 THEN 0 ELSE weight END."
    ),
    "SELECT AVG(age / CASE WHEN cost >= 0.01 THEN cost END) AS m FROM visits": (
        "visits: m is the mean of age / CASE WHEN cost >= 0.01 THEN cost ELSE NULL END."
    ),
    "SELECT SUM(CAST(cost AS BIGINT)) AS s, AVG(age::DOUBLE) AS m FROM visits": (
        "visits: s is the sum of CAST(cost AS INTEGER); m is the mean of CAST(age AS NUMBER)."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE TRY_CAST(name AS INTEGER) = 7 AND age::TEXT = '40'": (
        "visits where CAST(name AS INTEGER) = 7 AND CAST(age AS TEXT) = '40': n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE patient = 17": (
        "visits where patient = 17: n is the number of rows."
    ),
    "SELECT ward, AVG(cost) AS cost FROM visits GROUP BY ward HAVING cost > 100 ORDER BY cost DESC": (
        "visits, for each ward ('A', 'B', 'C'): cost is the mean of cost. Only groups with the mean of "
        "cost > 100. Sorted by cost, largest first."
    ),
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 10 AND ward <> 'C'": (
        "visits, for each ward ('A', 'B', 'C'): n is the number of rows. Only groups with the number of "
        "rows > 10 AND ward <> 'C'."
    ),
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY 2 DESC, ward ASC LIMIT 2 OFFSET 1": (
        "visits, for each ward ('A', 'B', 'C'): n is the number of rows. Sorted by n, largest first, then by "
        "ward, smallest first. Shown: at most 2 after the first 1."
    ),
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n NULLS LAST, AVG(age) DESC NULLS LAST": (
        "visits, for each ward ('A', 'B', 'C'): n is the number of rows. Sorted by n, smallest first, then "
        "by the mean of age, largest first."
    ),
    "SELECT ward, SUM(cost) / COUNT(*) AS ratio, 100 * COUNT(smoker) / COUNT(*) AS percent FROM visits GROUP BY ward": (
        "visits, for each ward ('A', 'B', 'C'): ratio is the sum of cost / the number of rows; percent is "
        "100 * the number of rows in which smoker is not NULL / the number of rows."
    ),
    "SELECT CASE WHEN COUNT(*) > 100 THEN 'many' ELSE 'few' END AS size FROM visits": (
        "visits: size is CASE WHEN the number of rows > 100 THEN 'many' ELSE 'few' END."
    ),
    'SELECT smoker, COUNT(*) AS "how many" FROM visits GROUP BY SMOKER': (
        "visits, for each smoker (FALSE, TRUE): how many is the number of rows."
    ),
    'SELECT smoker, SUM("Mixed Case") AS s FROM visits /* grouped */ GROUP BY smoker -- by smoker': (
        "visits, for each smoker (FALSE, TRUE): s is the sum of Mixed Case."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE (age = 1 OR (age = 2 AND (sex = 'f'))) IS NULL": (
        "visits where (age = 1 OR age = 2 AND sex = 'f') IS NULL: n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM loose WHERE x IS NULL": (
        "loose where x IS NULL: n is the number of rows."
    ),
    "SELECT COUNT(*) AS n, SUM(x) AS s FROM loose": (
        "loose: n is the number of rows; s is the sum of x."
    ),
    "SELECT SUM(serial % 2) AS odd FROM visits WHERE serial > 1000000": (
        "visits where serial > 1000000: odd is the sum of serial % 2."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE smoker = TRUE AND CASE WHEN sex = 'f' THEN smoker ELSE FALSE END": (
        "visits where smoker = TRUE AND CASE WHEN sex = 'f' THEN smoker ELSE FALSE END: n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE cost > 1e3 AND cost <= .5e4 AND age <> 1.": (
        "visits where cost > 1000.0 AND cost <= 5000.0 AND age <> 1.0: n is the number of rows."
    ),
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward, ward": (
        "visits, for each ward ('A', 'B', 'C'): n is the number of rows."
    ),
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM visits GROUP BY decade": (
        "visits, for each FLOOR(age / 10) * 10 (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, "
        "100.0, 110.0 and 1 more): decade is FLOOR(age / 10) * 10; n is the number of rows."
    ),
    "SELECT FLOOR(age / 40), COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1": (
        "visits, for each FLOOR(age / 40) (0.0, 1.0, 2.0, 3.0): n is the number of rows. Sorted by FLOOR(age / "
        "40), smallest first."
    ),
    "SELECT age // 40 AS band, COUNT(*) AS n FROM visits GROUP BY age // 40 HAVING age // 40 > 0": (
        "visits, for each age // 40 (0, 1, 2, 3): band is age // 40; n is the number of rows. Only groups "
        "with age // 40 > 0."
    ),
    "SELECT UPPER(ward) AS w, AVG(cost) AS m FROM visits GROUP BY w ORDER BY w DESC": (
        "visits, for each UPPER(ward) ('A', 'B', 'C'): w is UPPER(ward); m is the mean of cost. Sorted by w, "
        "largest first."
    ),
    "SELECT UPPER(ward) || '!' AS w, COUNT(*) AS n FROM visits GROUP BY ward": (
        "visits, for each ward ('A', 'B', 'C'): w is UPPER(ward) || '!'; n is the number of rows."
    ),
    "SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END AS life, COUNT(*) AS n "
    "FROM visits GROUP BY life": (
        "visits, for each CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END ('young', "
        "'adult', 'old'): life is CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END; n "
        "is the number of rows."
    ),
    "SELECT smoker, age > 64 AS old, COUNT(*) AS n FROM visits GROUP BY smoker, old": (
        "visits, for each smoker (FALSE, TRUE) and each age > 64 (FALSE, TRUE): old is age > 64; n is the number "
        "of rows."
    ),
    "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits WHERE day >= '2025-01-01' AND day < "
    "'2025-03-01' GROUP BY month": (
        "visits where day >= '2025-01-01' AND day < '2025-03-01', for each DATE_TRUNC('month', day) ('2025-01-01 "
        "00:00:00', '2025-02-01 00:00:00'): month is DATE_TRUNC('month', day); n is the number of rows."
    ),
    "SELECT EXTRACT(year FROM seen) AS y, COUNT(*) AS n FROM visits WHERE seen BETWEEN '2024-05-01' AND "
    "'2025-02-01' GROUP BY 1": (
        "visits where seen >= '2024-05-01 00:00:00' AND seen <= '2025-02-01 00:00:00', for each EXTRACT(year "
        "FROM seen) (2024, 2025): y is EXTRACT(year FROM seen); n is the number of rows."
    ),
    "SELECT MONTH(day) AS m, COUNT(*) AS n FROM visits GROUP BY MONTH(day) HAVING MONTH(day) <= 6": (
        "visits, for each EXTRACT(month FROM day) (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12): m is EXTRACT(month "
        "FROM day); n is the number of rows. Only groups with EXTRACT(month FROM day) <= 6."
    ),
    "SELECT change, COUNT(*) AS n FROM visits WHERE change > 4 GROUP BY change": (
        "visits where change > 4, for each change (5, 6, 7): n is the number of rows."
    ),
    "SELECT COALESCE(sex, 'unknown') AS s, COUNT(*) AS n FROM visits GROUP BY s": (
        "visits, for each COALESCE(sex, 'unknown') ('f', 'm', 'unknown'): s is COALESCE(sex, 'unknown'); n is "
        "the number of rows."
    ),
    "SELECT SUM(COALESCE(age, 0)) AS s, AVG(IFNULL(cost, 1.5)) AS m FROM visits": (
        "visits: s is the sum of COALESCE(age, 0); m is the mean of COALESCE(cost, 1.5)."
    ),
    "SELECT SUM(NULLIF(age, 0)) AS s, SUM(LEAST(cost, 100)) AS l, SUM(GREATEST(LEAST(weight, 200), 0)) AS g "
    "FROM visits": (
        "visits: s is the sum of NULLIF(age, 0); l is the sum of LEAST(cost, 100); g is the sum of "
        "GREATEST(LEAST(weight, 200), 0)."
    ),
    "SELECT SUM(ABS(change)) AS a, SUM(SIGN(drift)) AS s, SUM(ROUND(cost)) AS r, SUM(ROUND(cost, -2)) AS h "
    "FROM visits": (
        "visits: a is the sum of ABS(change); s is the sum of SIGN(drift); r is the sum of ROUND(cost, 0); h is "
        "the sum of ROUND(cost, -2)."
    ),
    "SELECT AVG(LN(stay)) AS l, AVG(LOG(stay)) AS d, AVG(LOG10(stay)) AS e, AVG(SQRT(cost)) AS q, "
    "AVG(EXP(drift)) AS x, AVG(POWER(age, 2)) AS p FROM visits": (
        "visits: l is the mean of LN(stay); d is the mean of LOG10(stay); e is the mean of LOG10(stay); q is the "
        "mean of SQRT(cost); x is the mean of EXP(drift); p is the mean of POWER(age, 2)."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE LOWER(TRIM(name)) = 'ann' AND LENGTH(RTRIM(LTRIM(name))) > 2 AND "
    "SUBSTR(name, 1, 1) = 'A'": (
        "visits where LOWER(TRIM(name)) = 'ann' AND LENGTH(RTRIM(LTRIM(name))) > 2 AND SUBSTR(name, 1, 1) = 'A': "
        "n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE CONCAT(ward, '-', age) = 'A-7' OR ward || sex = 'Af' OR "
    "SUBSTRING(name, 2) = 'nn'": (
        "visits where CONCAT(ward, '-', age) = 'A-7' OR ward || sex = 'Af' OR SUBSTR(name, 2) = 'nn': n is the "
        "number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE name ILIKE 'ANN%' AND name NOT ILIKE '%X'": (
        "visits where LOWER(name) LIKE 'ann%' AND NOT LOWER(name) LIKE '%x': n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE smoker IS TRUE OR (age > 3) IS NOT FALSE": (
        "visits where COALESCE(smoker, FALSE) OR NOT COALESCE(NOT age > 3, FALSE): n is the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE ward IS DISTINCT FROM sex AND age IS NOT DISTINCT FROM 3": (
        "visits where ward IS DISTINCT FROM sex AND NOT age IS DISTINCT FROM 3: n is the number of rows."
    ),
    "SELECT SUM(IF(age > 64, 1, 0)) AS old, SUM(IF(smoker, cost)) AS s FROM visits": (
        "visits: old is the sum of CASE WHEN age > 64 THEN 1 ELSE 0 END; s is the sum of CASE WHEN smoker THEN "
        "cost ELSE NULL END."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE day > DATE '2025-01-31' + INTERVAL 1 MONTH AND seen < seen + "
    "INTERVAL '3 days'": (
        "visits where CAST(day AS TIMESTAMP) > '2025-02-28 00:00:00' AND seen < DATE_ADD(seen, 3, 'day'): n is "
        "the number of rows."
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE day + 7 > day - age AND day - DATE '2025-01-01' < 30": (
        "visits where CAST(DATE_ADD(day, 7, 'day') AS DATE) > CAST(DATE_ADD(day, -age, 'day') AS DATE) AND "
        "DATE_DIFF('day', '2025-01-01', day) < 30: n is the number of rows."
    ),
    "SELECT SUM(DATE_DIFF('day', day, seen)) AS s, SUM(DATEDIFF('month', day, '2025-01-01')) AS m FROM visits": (
        "visits: s is the sum of DATE_DIFF('day', CAST(day AS TIMESTAMP), seen); m is the sum of "
        "DATE_DIFF('month', day, '2025-01-01')."
    ),
    "SELECT SUM(YEAR(day) * 100 + MONTH(day)) AS s, SUM(DATE_PART('dow', day)) AS d, SUM(MOD(age, 7)) AS r "
    "FROM visits": (
        "visits: s is the sum of EXTRACT(year FROM day) * 100 + EXTRACT(month FROM day); d is the sum of "
        "EXTRACT(dow FROM day); r is the sum of age % 7."
    ),
    "SELECT ward, ROUND(AVG(cost), 1) AS m, GREATEST(COUNT(*), 0) AS n, COALESCE(SUM(age) / NULLIF(COUNT(*), "
    "0), 0) AS q FROM visits GROUP BY ward": (
        "visits, for each ward ('A', 'B', 'C'): m is ROUND(the mean of cost, 1); n is GREATEST(the number of "
        "rows, 0); q is COALESCE(the sum of age / NULLIF(the number of rows, 0), 0)."
    ),
}


@together
@pytest.mark.parametrize(("statement", "words"), ACCEPTED.items(), ids=list(ACCEPTED))
def test_a_statement_is_read(statement, words):
    assert in_words(read_sql(statement, TABLES)) == f"In {words}"


def asked(text):
    return read_sql(text, TABLES)


def test_a_mean_is_a_centred_sum_and_a_count_of_the_same_rows():
    plan = asked("SELECT AVG(cost) AS m, COUNT(cost) AS n FROM visits")
    assert plan.question.measures == (centred_sum(field("cost")), Counted(field("cost")))
    assert [shown.value for shown in plan.view.columns] == [MeanOf(0, 1), MeasureOf(1)]


def test_what_cannot_be_null_shares_the_count_of_rows():
    assert asked("SELECT AVG(stay) AS m, COUNT(*) AS n FROM visits").question.measures == (
        centred_sum(field("stay")),
        Counted(),
    )


def test_the_same_measure_is_paid_for_once():
    plan = asked(
        "SELECT SUM(cost) / COUNT(*) AS r, COUNT(*) AS n FROM visits HAVING COUNT(*) > 3 ORDER BY COUNT(1)"
    )
    assert len(plan.question.measures) == 2


def test_units_are_counted_where_there_are_units():
    assert asked("SELECT COUNT(DISTINCT patient) FROM visits").question.measures == (Units(),)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("age", "age"),
        ("AGE", "age"),
        ('"age"', "age"),
        ("mixed", None),
        ('"Mixed Case"', "Mixed Case"),
        ('"AGE"', None),
    ],
)
def test_names_without_quotes_have_no_case(written, found):
    if found is None:
        with pytest.raises(InvalidPlan, match="no declared column"):
            asked(f"SELECT COUNT({written}) FROM visits")
    else:
        assert asked(f"SELECT COUNT({written}) FROM visits").question.measures == (
            Counted(field(found)),
        )


def test_a_name_that_may_be_two_columns_needs_quotes():
    tables = {"t": Table("t", (Column("who", Kind.TEXT), Column("WHO", Kind.TEXT)))}
    with pytest.raises(InvalidPlan, match="any of who, WHO"):
        read_sql("SELECT COUNT(Who) FROM t", tables)
    assert (
        read_sql('SELECT COUNT("WHO") FROM t', tables).question.measures[0].value.column.name
        == "WHO"
    )
    assert (
        read_sql("SELECT COUNT(who) FROM t", tables).question.measures[0].value.column.name == "who"
    )


def test_an_alias_in_order_by_comes_before_a_key_and_in_having_after():
    plan = asked(
        "SELECT ward AS sex, COUNT(*) AS n FROM visits GROUP BY ward, sex HAVING sex = 'f' ORDER BY sex"
    )
    assert plan.view.order[0].value == plan.view.columns[0].value
    assert plan.view.having.left != plan.view.columns[0].value


def test_columns_without_an_alias_are_named_by_their_text():
    plan = asked("SELECT WARD, COUNT( * ),\n  sum(cost)/2 FROM visits GROUP BY ward")
    assert [shown.name for shown in plan.view.columns] == ["ward", "COUNT( * )", "sum(cost)/2"]


def test_what_is_grouped_by_is_known_in_the_columns_only_as_a_whole():
    plan = asked(
        "SELECT FLOOR(age / 40) + 1 AS a, (FLOOR(age / 40)) AS b, COUNT(*) FROM visits GROUP BY FLOOR(age / 40)"
    )
    assert plan.view.columns[1].value == KeyOf(0)
    assert plan.view.columns[0].value.left == KeyOf(0)
    with pytest.raises(InvalidPlan, match="'age' is not in GROUP BY"):
        asked("SELECT FLOOR(age / 20) AS a, COUNT(*) FROM visits GROUP BY FLOOR(age / 40)")


def test_a_column_of_the_table_comes_before_an_alias_in_group_by():
    plan = asked("SELECT UPPER(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY ward")
    assert plan.question.keys[0].value == field("ward")


# ---------------------------------------------------------------- limits


def test_a_text_may_have_so_many_bytes():
    text = "SELECT COUNT(*) FROM visits WHERE name = 'é"
    asked(text + "x" * (MOST_BYTES - len(text.encode()) - 1) + "'")
    with pytest.raises(InvalidPlan, match="longer than"):
        asked(text + "x" * (MOST_BYTES - len(text.encode())) + "'")


def test_a_text_may_have_so_many_words():
    begun = "SELECT COUNT(*) FROM visits WHERE age IN (1"
    used = 13  # with the last parenthesis
    asked(begun + ", 2" * ((MOST_TOKENS - used) // 2) + ")")
    with pytest.raises(InvalidPlan, match="more than 2000 tokens"):
        asked(begun + ", 2" * ((MOST_TOKENS - used) // 2 + 1) + ")")


NESTED = {
    "parentheses": ("(", "age = 1", ")"),
    "case": ("CASE WHEN ", "age = 1", " THEN TRUE ELSE FALSE END"),
    "not": ("NOT ", "age = 1", ""),
    "functions": ("SUM(", "age", ")"),
    "nots in comparisons": ("smoker = NOT ", "smoker", ""),
    "unknown": ("f(", "age", ")"),
}


@pytest.mark.parametrize(("opened", "inside", "closed"), NESTED.values(), ids=list(NESTED))
@pytest.mark.parametrize("depth", [DEEPEST, 3 * DEEPEST, 300])
def test_deep_nesting_is_refused_before_it_is_parsed(opened, inside, closed, depth):
    with pytest.raises(InvalidPlan):
        asked(f"SELECT COUNT(f(*)) FROM visits WHERE f({opened * depth}{inside}{closed * depth})")


def test_nesting_up_to_the_limit_is_read():
    depth = DEEPEST - 1
    asked(f"SELECT COUNT(*) FROM visits WHERE {'(' * depth}age = 1{')' * depth}")
    asked(f"SELECT COUNT(*) FROM visits WHERE {'NOT ' * depth} age = 1")
    asked(
        f"SELECT COUNT(*) FROM visits WHERE {'CASE WHEN smoker THEN TRUE ELSE ' * depth}FALSE{' END' * depth}"
    )
    asked(f"SELECT COUNT(*) FROM visits WHERE age > {'- ' * depth}1")


def test_many_negations_beside_each_other_are_not_deep():
    asked("SELECT COUNT(*) FROM visits WHERE " + " AND ".join(["NOT smoker"] * 100))


def test_a_type_before_a_parenthesis_is_refused_before_it_is_parsed():
    # The time that sqlglot takes for INT(INT(INT(... doubles with every level.
    with pytest.raises(InvalidPlan, match="takes no arguments here"):
        asked(f"SELECT {'INT(' * 20}age{')' * 20} FROM visits")


def test_long_chains_are_balanced():
    text = "SELECT COUNT(*) FROM visits WHERE " + " OR ".join(f"age = {age}" for age in range(400))
    assert canonical(asked(text))


def test_long_calculations_are_refused():
    asked("SELECT SUM(" + "+".join(["age"] * 60) + ") FROM visits")
    with pytest.raises(InvalidPlan, match="levels deep"):
        asked("SELECT SUM(" + "+".join(["age"] * 80) + ") FROM visits")


# ---------------------------------------------------------------- nothing is dropped

WHOLE = (
    "SELECT ward , COUNT ( * ) AS n , AVG ( cost + 1 ) AS m FROM visits AS v WHERE age BETWEEN 3 AND 5 AND NOT smoker "
    "AND name LIKE 'a' AND sex IN ( 'f' ) AND cost IS NOT NULL AND CASE WHEN age > 3 THEN TRUE ELSE FALSE END "
    "GROUP BY ward HAVING COUNT ( * ) > 5 ORDER BY n DESC LIMIT 3 OFFSET 1"
)
CALLS = (
    "SELECT FLOOR ( age / 40 ) AS a , DATE_TRUNC ( 'year' , day ) AS y , "
    "SUM ( IF ( smoker , ROUND ( cost , 2 ) , 1 ) ) AS s FROM visits AS v WHERE EXTRACT ( year FROM seen ) > 2000 "
    "AND seen < DATE '2025-01-31' + INTERVAL 3 MONTH AND smoker IS TRUE AND sex IS NOT DISTINCT FROM ward "
    "AND COALESCE ( age , 1 ) // 2 > LOG10 ( stay ) AND SUBSTRING ( name , 2 , 3 ) ILIKE 'a' "
    "AND CONCAT ( sex , TRIM ( name ) ) = 'x' || ward AND day > DATE '2024-01-01' AND day < DATE '2024-01-31' "
    "AND DATE_DIFF ( 'day' , day , seen ) > 1 GROUP BY FLOOR ( age / 40 ) , y"
)
AMONG_CALLS = re.findall(
    r"\S+", "FROM FOR INTERVAL YEAR BOTH TRUE // || NOT DISTINCT ( ) , 'a' 1 - x NULL IS IF"
)
both = pytest.mark.parametrize("whole", [WHOLE, CALLS], ids=["whole", "calls"])
INSERTED = re.findall(
    r"\S+",
    """ALL DISTINCT OVER ONLY LATERAL FINAL ROWS NULLS ASC DESC NOT SYMMETRIC STRICT HIGH_PRIORITY OF WITH SAMPLE FORMAT
    IGNORE PRIOR + - ~ . , * :: BINARY INT DATE AS x 1 'a' NULL AND CASE ( )""",
)


def dropped_words(whole, share):
    """The words that make no difference, of every so manieth that is inserted at any place."""
    words = whole.split(" ")
    plan = asked(whole)
    dropped = []
    inserted = [
        (at, word)
        for at in range(len(words) + 1)
        for word in (INSERTED if whole is WHOLE else AMONG_CALLS)
    ]
    for place, word in inserted[::share]:
        text = " ".join([*words[:place], word, *words[place:]])
        try:
            changed = asked(text) != plan
        except InvalidPlan:
            changed = True
        if not changed:
            dropped.append((place, word))
    return dropped


@both
def test_no_word_can_be_inserted_without_a_trace(whole):
    # which has no divisor in common with the words: all are tried somewhere
    assert dropped_words(whole, 7) == []


@pytest.mark.soak
@both
def test_no_word_can_be_inserted_anywhere_without_a_trace(whole):
    assert dropped_words(whole, 1) == []


@both
def test_no_word_can_be_left_out_without_a_trace(whole):
    words = whole.split(" ")
    plan = asked(whole)
    silent = set()
    for place in range(len(words)):
        try:
            changed = asked(" ".join(words[:place] + words[place + 1 :])) != plan
        except InvalidPlan:
            changed = True
        if not changed:
            silent.add(words[place])
    assert silent <= {"AS", "DATE"}  # a text beside a day is one


def test_comments_are_no_part_of_a_question():
    assert asked(re.sub(" WHERE ", " /* all of -- them */ WHERE -- really\n ", WHOLE)) == asked(
        WHOLE
    )


def test_the_table_is_the_one_that_was_given():
    assert asked("SELECT COUNT(*) FROM visits").question.rows.table is VISITS


@pytest.mark.parametrize(
    "text",
    [
        "WITH top AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) SELECT AVG(n) AS a FROM top",
        "SELECT ward, COUNT(*) AS top FROM visits GROUP BY ward ORDER BY top",
        "SELECT COUNT(*) AS n FROM visits AS top WHERE top.age > 3",
    ],
)
def test_top_is_a_name_where_it_cuts_nothing(text):
    assert read_sql(text, TABLES).question.measures


def test_equal_names_of_two_tables_are_shown_with_their_tables():
    places = Table(
        "places",
        (Column("code", Kind.TEXT), Column("name", Kind.TEXT, values=("north", "south"))),
        public=True,
        unique=("code",),
    )
    trips = Table("trips", (Column("start", Kind.TEXT), Column("goal", Kind.TEXT)))
    text = (
        "SELECT a.name, b.name, COUNT(*) AS n FROM trips JOIN places AS a ON trips.start = a.code "
        "JOIN places AS b ON trips.goal = b.code GROUP BY a.name, b.name"
    )
    plan = read_sql(text, {"places": places, "trips": trips})
    assert [shown.name for shown in plan.view.columns] == ["name", "b.name", "n"]


@pytest.mark.parametrize(
    ("case", "condition"),
    [
        ("CASE WHEN age > 65 THEN patient END", "age > 65"),
        ("CASE WHEN age > 65 THEN patient ELSE NULL END", "age > 65"),
        ("CASE WHEN ward = 'A' AND age > 65 THEN v.patient END", "ward = 'A' AND age > 65"),
    ],
)
def test_units_are_counted_where_a_case_names_them(case, condition):
    whole = asked(f"SELECT COUNT(DISTINCT {case}) AS n FROM visits AS v")
    assert whole == asked(
        f"SELECT COUNT(DISTINCT patient) FILTER (WHERE {condition}) AS n FROM visits AS v"
    )
    both = asked(f"SELECT COUNT(DISTINCT {case}) FILTER (WHERE smoker) AS n FROM visits AS v")
    assert both != whole
