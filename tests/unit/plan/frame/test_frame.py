"""The frame door: the same questions as SQL, in Python."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput, InvalidPlan, Unbounded
from tacit.plan import (
    Frame,
    Kind,
    canonical,
    coalesce,
    col,
    concat,
    count,
    date_diff,
    fingerprint,
    greatest,
    in_words,
    least,
    mean,
    read_sql,
    sum,  # noqa: A004
    units,
    when,
)
from tacit.plan.frame.column_expressions import term_of
from tests.together import together
from tests.unit.plan.cases import LOOSE, NOON, TABLES, VISITS

VISIT = Frame(VISITS)

SAME = {
    "SELECT COUNT(*) AS n FROM visits": VISIT.agg(n=count()),
    "SELECT COUNT(age) AS n, COUNT(DISTINCT patient) AS u FROM visits": VISIT.agg(
        n=count("age"), u=units()
    ),
    "SELECT ward, AVG(cost) AS m FROM visits WHERE age >= 65 GROUP BY ward": (
        VISIT.where(col("age") >= 65).group_by("ward").agg(m=mean("cost"))
    ),
    "SELECT SUM(age * 2 - 1) AS s FROM visits WHERE ward = 'A' AND NOT smoker": (
        VISIT.where(col("ward") == "A", ~col("smoker")).agg(s=sum(2 * col("age") - 1))
    ),
    "SELECT SUM(cost / stay) AS s FROM visits WHERE ward <> 'A' OR age BETWEEN 3 AND 5": (
        VISIT.where((col("ward") != "A") | col("age").between(3, 5)).agg(
            s=sum(col("cost") / col("stay"))
        )
    ),
    "SELECT SUM(1 - age % 7) AS s FROM visits WHERE name LIKE 'M%' AND age IN (1, 2)": (
        VISIT.where(col("name").like("M%"))
        .where(col("age").is_in([2, 1]))
        .agg(s=sum(1 - col("age") % 7))
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE weight IS NULL OR weight < 0.1": (
        VISIT.where(col("weight").is_null() | (col("weight") < 0.1)).agg(n=count())
    ),
    "SELECT SUM(CASE WHEN age > 9 THEN 1 WHEN age > 5 THEN 2 END) AS s FROM visits": (
        VISIT.agg(s=sum(when(col("age") > 9).then(1).when(col("age") > 5).then(2).otherwise(None)))
    ),
    "SELECT AVG(CAST(cost AS BIGINT)) AS m, SUM(-change) AS s FROM visits": (
        VISIT.agg(m=mean(col("cost").cast("integer")), s=sum(-col("change")))
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE day >= '2025-01-31' AND seen < TIMESTAMP '2025-01-31 12:00:00'": (
        VISIT.where(col("day") >= date(2025, 1, 31), col("seen") < NOON).agg(n=count())
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE day >= '2025-01-30'": VISIT.where(
        col("day") >= "2025-01-30"
    ).agg(n=count()),
    "SELECT ward, sex, COUNT(*) AS n, SUM(cost) / COUNT(*) AS r FROM visits GROUP BY ward, sex "
    "HAVING n > 5 AND sex = 'f' ORDER BY n DESC, ward LIMIT 3 OFFSET 2": (
        VISIT.group_by("ward", "sex")
        .agg(n=count(), r=sum("cost") / count())
        .having(col("n") > 5, col("sex") == "f")
        .order_by(col("n").descending(), "ward")
        .limit(3, offset=2)
    ),
    "SELECT COUNT(*) AS n, SUM(x) AS s FROM loose": Frame(LOOSE).agg(n=units(), s=sum("x")),
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM visits "
    "GROUP BY decade HAVING decade > 30 ORDER BY decade": (
        VISIT.group_by(decade=(col("age") / 10).floor() * 10)
        .agg(n=count())
        .having(col("decade") > 30)
        .order_by("decade")
    ),
    "SELECT ward, MONTH(day) AS m, COUNT(*) AS n FROM visits GROUP BY ward, m": (
        VISIT.group_by("ward", m=col("day").month()).agg(n=count())
    ),
    "SELECT SUM(COALESCE(age, 0)) AS a, SUM(LEAST(cost, 100, NULL)) AS b, SUM(GREATEST(change, 0)) AS c FROM visits": (
        VISIT.agg(
            a=sum(coalesce(col("age"), 0)),
            b=sum(least(col("cost"), 100)),
            c=sum(greatest(col("change"), 0)),
        )
    ),
    "SELECT SUM(IFNULL(age, 1)) AS a, SUM(NULLIF(age, 3)) AS b, SUM(ABS(change)) AS c, SUM(SIGN(drift)) AS d, "
    "SUM(ROUND(cost, 1)) AS e, SUM(CEIL(cost)) AS f, SUM(age // 7) AS g, SUM(100 // stay) AS h FROM visits": (
        VISIT.agg(
            a=sum(col("age").fill_null(1)),
            b=sum(col("age").null_if(3)),
            c=sum(abs(col("change"))),
            d=sum(col("drift").sign()),
            e=sum(col("cost").round(1)),
            f=sum(col("cost").ceil()),
            g=sum(col("age") // 7),
            h=sum(100 // col("stay")),
        )
    ),
    "SELECT AVG(SQRT(cost)) AS a, AVG(LN(stay)) AS b, AVG(LOG10(stay)) AS c, AVG(EXP(drift)) AS d, "
    "AVG(POWER(age, 2)) AS e FROM visits": (
        VISIT.agg(
            a=mean(col("cost").sqrt()),
            b=mean(col("stay").ln()),
            c=mean(col("stay").log10()),
            d=mean(col("drift").exp()),
            e=mean(col("age") ** 2),
        )
    ),
    "SELECT COUNT(*) AS n FROM visits WHERE LOWER(TRIM(name)) = 'a' AND UPPER(LTRIM(RTRIM(name))) = 'A' AND "
    "SUBSTR(name, 2, 3) = 'b' AND SUBSTR(name, 2) = 'c' AND LENGTH(name) > 3 AND CONCAT(name, '-', age) = 'x' AND "
    "name ILIKE 'A%' AND ward IS DISTINCT FROM sex AND smoker IS TRUE AND (age > 3) IS FALSE": (
        VISIT.where(
            col("name").trim().lower() == "a",
            col("name").rtrim().ltrim().upper() == "A",
            col("name").substr(2, 3) == "b",
            col("name").substr(2) == "c",
            col("name").length() > 3,
            concat(col("name"), "-", col("age")) == "x",
            col("name").ilike("A%"),
            col("ward").is_distinct_from(col("sex")),
            col("smoker").is_true(),
            (col("age") > 3).is_false(),
        ).agg(n=count())
    ),
    "SELECT SUM(YEAR(day)) AS a, SUM(DAY(day)) AS b, SUM(HOUR(seen)) AS c, SUM(EXTRACT(dow FROM day)) AS d, "
    "SUM(DATE_DIFF('month', day, seen)) AS e, COUNT(DATE_TRUNC('week', seen)) AS f FROM visits "
    "WHERE seen > day + INTERVAL 2 MONTH AND day - 3 < '2025-01-31'": (
        VISIT.where(col("seen") > col("day").later(2, "months"), col("day") - 3 < "2025-01-31").agg(
            a=sum(col("day").year()),
            b=sum(col("day").day()),
            c=sum(col("seen").hour()),
            d=sum(col("day").extract("dow")),
            e=sum(date_diff("month", col("day"), col("seen"))),
            f=count(col("seen").date_trunc("week")),
        )
    ),
    "SELECT ward, ROUND(AVG(cost), 1) AS m FROM visits GROUP BY ward": (
        VISIT.group_by("ward").agg(m=mean("cost").round(1))
    ),
}


@pytest.mark.parametrize(("text", "frame"), SAME.items(), ids=list(SAME))
def test_both_doors_lead_to_the_same_plan(text, frame):
    plan = read_sql(text, TABLES)
    assert canonical(frame.plan()) == canonical(plan)
    assert fingerprint(frame.plan().question) == fingerprint(plan.question)


def test_a_step_leaves_the_frame_as_it_was():
    wards = VISIT.group_by("ward")
    assert wards.agg(n=count()).plan() != wards.agg(m=mean("age")).plan()
    assert wards.columns == ()
    assert in_words(wards.agg(n=count()).where(col("age") > 3).plan()) == (
        "In visits where age > 3, for each ward ('A', 'B', 'C'): n is the number of rows."
    )


REFUSED = {
    "no declared column 'agee'": lambda: VISIT.where(col("agee") > 5),
    "no declared column 'AGE'": lambda: VISIT.where(col("AGE") > 5),
    "a condition has no truth value in Python": lambda: VISIT.where(1 < col("age") < 5),
    "cannot be compared": lambda: VISIT.where(col("age") == "x"),
    "NULL always gives NULL": lambda: VISIT.where(col("age") == None),  # noqa: E711 - the mistake that is refused
    "a condition is needed": lambda: VISIT.where(col("age")),
    "an aggregate is not allowed here": lambda: VISIT.where(count() > 5),
    "would be shown for single rows, and single": lambda: VISIT.agg(a=col("age")),
    "is not in GROUP BY": lambda: VISIT.group_by("ward").agg(a=col("age")),
    "never shown": lambda: VISIT.agg(a=col("patient")),
    "is the protected unit": lambda: VISIT.group_by("patient"),
    "unknown keys need delta > 0": lambda: VISIT.group_by("name"),
    "is constant": lambda: VISIT.group_by(one=term_of(1)),
    "ABS takes numbers": lambda: VISIT.agg(n=sum(col("name").abs())),
    "a unit of time": lambda: VISIT.agg(n=count(col("day").date_trunc("aeon"))),
    "a constant number of decimals": lambda: VISIT.agg(n=sum(col("cost").round(99))),
    "this interval is too long": lambda: VISIT.where(col("day").later(10**9, "day") > col("day")),
    "of NULL alone is constant": lambda: VISIT.agg(n=sum(coalesce(None, None))),
    "contains no aggregate": lambda: VISIT.where(col("age") > 3).group_by("ward").plan(),
    "an interval column": lambda: VISIT.agg(n=count(), n_high=count("age")),
    "two columns": lambda: VISIT.group_by("ward").agg(ward=count()),
    "is not supported": lambda: VISIT.where(col("age") == object()),
    "the list is empty": lambda: VISIT.where(col("age").is_in([])),
    "constants only": lambda: VISIT.where(col("age").is_in([col("age")])),
    "constant text": lambda: VISIT.where(col("name").like(5)),  # type: ignore[arg-type]
    "has no value": lambda: when(col("age") > 3).otherwise(5),
    "no condition": lambda: when(col("age") > 3).then(1).then(2),
    "a condition has": lambda: when(col("age") > 3).when(col("age") > 4),
    "every branch": lambda: VISIT.agg(s=sum(when(col("age") > 3).then(None).otherwise(None))),
    "this frame does not belong to a vault": lambda: VISIT.agg(n=count()).ask(epsilon=1),
    "64 bits": lambda: VISIT.where(col("age") == 2**70),
    "there is no such date": lambda: VISIT.where(col("day") == "2025-13-01"),
}


@together
@pytest.mark.parametrize(("reason", "frame"), REFUSED.items(), ids=list(REFUSED))
def test_a_frame_is_refused_where_the_mistake_is_written(reason, frame):
    with pytest.raises(InvalidPlan, match=reason) as refusal:
        frame()
    assert refusal.value.remedy


def test_a_refusal_shows_the_term():
    with pytest.raises(InvalidPlan) as refusal:
        VISIT.where((col("age") > 3) & (col("agee") == "x"))
    assert refusal.value.text == "(col('age') > 3) & (col('agee') == 'x')"


def test_a_missing_bound_names_the_column():
    with pytest.raises(Unbounded) as refusal:
        VISIT.agg(s=sum(col("weight") + 1))
    assert refusal.value.column == "weight"


@pytest.mark.parametrize("limit", [-1, 1.5, True, "3"])
def test_a_limit_is_a_whole_number(limit):
    with pytest.raises(InvalidInput):
        VISIT.agg(n=count()).limit(limit)


def test_a_kind_is_one_of_ours():
    with pytest.raises(InvalidInput, match="the types are"):
        col("age").cast("decimal")
    assert repr(col("age").cast(Kind.TEXT)) == "col('age').cast('text')"


def test_the_asker_gets_the_plan():
    asked = []
    frame = Frame(VISITS, asker=lambda plan, epsilon: asked.append((plan, epsilon)))
    frame.agg(n=count()).ask(epsilon=0.5)
    assert asked == [(frame.agg(n=count()).plan(), 0.5)]


def test_long_conditions_are_balanced():
    condition = col("age") == 0
    for age in range(1, 100):
        condition |= col("age") == age
    assert canonical(VISIT.where(condition).agg(n=count()).plan())


@pytest.mark.parametrize("steps", [70, 3000])
def test_deep_terms_are_refused(steps):
    term = col("age")
    for _ in range(steps):
        term = term + 1
    with pytest.raises(InvalidPlan, match=r"levels deep|too deeply"):
        VISIT.agg(s=sum(term))


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (5, "5"),
        (np.int64(5), "5"),
        (0.1, "0.1"),
        (np.float64(0.1), "0.1"),
        (Decimal("0.1"), "0.1"),
        (Fraction(1, 10), "0.1"),
        (-3, "-3"),
        (1e3, "1000.0"),
    ],
)
def test_numbers_are_what_they_print_as(value, literal):
    text = f"SELECT COUNT(*) AS n FROM visits WHERE cost > {literal}"
    assert VISIT.where(col("cost") > value).agg(n=count()).plan() == read_sql(text, TABLES)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("NaN"), 10**400 * Fraction(1, 3), b"x", [1]]
)
def test_other_constants_are_refused(value):
    with pytest.raises(InvalidPlan):
        VISIT.where(col("cost") > value)


def test_moments_are_in_utc():
    text = "SELECT COUNT(*) AS n FROM visits WHERE seen > '2025-01-31 12:00'"
    for moment in (
        NOON,
        NOON.replace(tzinfo=UTC),
        datetime(2025, 1, 31, 14, tzinfo=timezone(timedelta(hours=2))),
    ):
        assert VISIT.where(col("seen") > moment).agg(n=count()).plan() == read_sql(text, TABLES)


def test_terms_read_back_as_they_were_written():
    term = (col("a") + 1 * col("b")) / -col("c") % 2 - 1
    assert repr(term) == "(((col('a') + (1 * col('b'))) / (-col('c'))) % 2) - 1"
    assert repr(~(col("a") == 1) & ((col("b") > 2) | col("c").is_null())) == (
        "(~(col('a') == 1)) & ((col('b') > 2) | col('c').is_null())"
    )
    assert repr(when(col("a") >= 1).then("x").otherwise(mean("b"))) == (
        "when(col('a') >= 1).then('x').otherwise(mean(col('b')))"
    )
    assert repr(count("a")), repr(units()) == ("count(col('a'))", "units()")
    assert repr(col("a").between(1, 2)) == "col('a').between(1, 2)"


def test_a_term_says_how_it_was_written():
    day = col("day")
    assert (
        repr(day.later(1, "day").date_trunc("month"))
        == "col('day').later(1, 'day').date_trunc('month')"
    )
    assert repr((day.year() // 10).round(1)) == "(col('day').extract('year') // 10).round(1)"
    assert repr(coalesce(col("a"), 0).fill_null(1)) == "coalesce(col('a'), 0).fill_null(1)"


@pytest.mark.parametrize("units_later", [1.5, True, "3"])
def test_an_interval_is_a_whole_number_of_units(units_later):
    with pytest.raises(InvalidInput):
        VISIT.where(col("day").later(units_later, "day") > col("day"))


def test_a_frame_says_what_it_asks():
    assert str(VISIT.agg(n=count())) == f"In {VISIT.table.name}: n is the number of rows."
    assert VISIT.table.name in repr(VISIT)


@pytest.mark.parametrize(
    "ask",
    [
        lambda frame: frame.agg(c="mean"),
        lambda frame: frame.agg(c=("age", "mean")),
        lambda frame: frame.agg({"age": "mean"}),
        lambda frame: frame.group_by("ward").agg(["mean"]),
        lambda frame: frame[col("age") > 5],
        lambda frame: frame["age"],
    ],
)
def test_what_another_library_would_measure_is_refused_with_the_spelling_here(ask):
    with pytest.raises(InvalidPlan, match=r"agg\(.*mean\("):
        ask(Frame(VISITS))
