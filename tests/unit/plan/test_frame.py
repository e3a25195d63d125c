"""The frame door: the same questions as SQL, in Python."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput, InvalidPlan, Unbounded
from tacit.plan import Frame, Kind, canonical, col, count, fingerprint, in_words, mean, read_sql, sum, units, when  # noqa: A004
from tests.unit.plan.cases import LOOSE, NOON, TABLES, VISITS

VISIT = Frame(VISITS)

SAME = {
    "SELECT COUNT(*) AS n FROM visits": VISIT.agg(n=count()),
    "SELECT COUNT(age) AS n, COUNT(DISTINCT patient) AS u FROM visits": VISIT.agg(n=count("age"), u=units()),
    "SELECT ward, AVG(cost) AS m FROM visits WHERE age >= 65 GROUP BY ward": (
        VISIT.where(col("age") >= 65).group_by("ward").agg(m=mean("cost"))
    ),
    "SELECT SUM(age * 2 - 1) AS s FROM visits WHERE ward = 'A' AND NOT smoker": (
        VISIT.where(col("ward") == "A", ~col("smoker")).agg(s=sum(2 * col("age") - 1))
    ),
    "SELECT SUM(cost / stay) AS s FROM visits WHERE ward <> 'A' OR age BETWEEN 3 AND 5": (
        VISIT.where((col("ward") != "A") | col("age").between(3, 5)).agg(s=sum(col("cost") / col("stay")))
    ),
    "SELECT SUM(1 - age % 7) AS s FROM visits WHERE name LIKE 'M%' AND age IN (1, 2)": (
        VISIT.where(col("name").like("M%")).where(col("age").is_in([2, 1])).agg(s=sum(1 - col("age") % 7))
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
    "SELECT COUNT(*) AS n FROM visits WHERE day >= '2025-01-30'": VISIT.where(col("day") >= "2025-01-30").agg(
        n=count()
    ),
    "SELECT ward, sex, COUNT(*) AS n, SUM(cost) / COUNT(*) AS r FROM visits GROUP BY ward, sex "
    "HAVING n > 5 AND sex = 'f' ORDER BY n DESC, ward LIMIT 3 OFFSET 2": (
        VISIT.group_by("ward", "sex")
        .agg(n=count(), r=sum("cost") / count())
        .having(col("n") > 5, col("sex") == "f")
        .order_by(col("n").descending(), "ward")
        .limit(3, offset=2)
    ),
    "SELECT COUNT(*) AS n, SUM(x) AS s FROM loose": Frame(LOOSE).agg(n=units(), s=sum("x")),
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
        "Of the rows of visits where age > 3, for each ward ('A', 'B', 'C'): n is the number of rows."
    )


REFUSED = {
    "no column 'agee'": lambda: VISIT.where(col("agee") > 5),
    "no column 'AGE'": lambda: VISIT.where(col("AGE") > 5),
    "neither true nor false": lambda: VISIT.where(1 < col("age") < 5),
    "cannot be compared": lambda: VISIT.where(col("age") == "x"),
    "gives NULL, always": lambda: VISIT.where(col("age") == None),  # noqa: E711 - the mistake that is refused
    "a condition is needed": lambda: VISIT.where(col("age")),
    "single row has no count": lambda: VISIT.where(count() > 5),
    "has a value in every row": lambda: VISIT.agg(a=col("age")),
    "is not a key": lambda: VISIT.group_by("ward").agg(a=col("age")),
    "never shown": lambda: VISIT.agg(a=col("patient")),
    "names the protected unit": lambda: VISIT.group_by("patient"),
    "are not declared": lambda: VISIT.group_by("age"),
    "nothing is measured": lambda: VISIT.group_by("ward").plan(),
    "the interval": lambda: VISIT.agg(n=count(), n_high=count("age")),
    "two columns": lambda: VISIT.group_by("ward").agg(ward=count()),
    "is not understood": lambda: VISIT.where(col("age") == object()),
    "nothing is listed": lambda: VISIT.where(col("age").is_in([])),
    "constants only": lambda: VISIT.where(col("age").is_in([col("age")])),
    "constant text": lambda: VISIT.where(col("name").like(5)),  # type: ignore[arg-type]
    "has no value": lambda: when(col("age") > 3).otherwise(5),
    "no condition": lambda: when(col("age") > 3).then(1).then(2),
    "a condition has": lambda: when(col("age") > 3).when(col("age") > 4),
    "every branch": lambda: VISIT.agg(s=sum(when(col("age") > 3).then(None).otherwise(None))),
    "belongs to no vault": lambda: VISIT.agg(n=count()).ask(epsilon=1),
    "64 bits": lambda: VISIT.where(col("age") == 2**70),
    "no such day": lambda: VISIT.where(col("day") == "2025-13-01"),
}


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
    with pytest.raises(InvalidInput, match="the kinds are"):
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
    with pytest.raises(InvalidPlan, match=r"build on each other|too deeply"):
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


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), 10**400 * Fraction(1, 3), b"x", [1]])
def test_other_constants_are_refused(value):
    with pytest.raises(InvalidPlan):
        VISIT.where(col("cost") > value)


def test_moments_are_in_utc():
    text = "SELECT COUNT(*) AS n FROM visits WHERE seen > '2025-01-31 12:00'"
    for moment in (NOON, NOON.replace(tzinfo=UTC), datetime(2025, 1, 31, 14, tzinfo=timezone(timedelta(hours=2)))):
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
