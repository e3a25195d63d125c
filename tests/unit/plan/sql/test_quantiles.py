"""However a quantile is spelled, it is the same measure; what cannot be ranked is refused where it stands."""

from datetime import date
from fractions import Fraction

import pytest

import tacit
from tacit.errors import InvalidInput, InvalidPlan, Unbounded
from tacit.plan import (
    Column,
    Even,
    Frame,
    Kind,
    MeasureOf,
    Ranked,
    Table,
    canonical,
    fingerprint,
    in_words,
    median,
    quantile,
    read_sql,
)

COLUMNS = (
    Column("age", Kind.INTEGER, low=0, high=120),
    Column("cost", Kind.NUMBER, low=0, high=5000),
    Column("weight", Kind.NUMBER),
    Column("day", Kind.DATE),
    Column("since", Kind.DATE, low=date(2024, 1, 1), high=date(2024, 12, 31)),
    Column("name", Kind.TEXT),
    Column("big", Kind.INTEGER, low=-(10**9), high=10**9),
)
VISITS = Table("visits", COLUMNS, unit="person", contributions=3)


def plan(columns):
    return read_sql(f"SELECT {columns} FROM visits", {"visits": VISITS})


@pytest.mark.parametrize(
    ("columns", "rank"),
    [
        ("MEDIAN(age) AS x", Fraction(1, 2)),
        ("median(age) x", Fraction(1, 2)),
        ("QUANTILE(age, 0.25) AS x", Fraction(1, 4)),
        ("QUANTILE_CONT(age, .25) AS x", Fraction(1, 4)),
        ("QUANTILE_DISC(age, 0.9) AS x", Fraction(9, 10)),
        ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) AS x", Fraction(9, 10)),
        ("PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY age DESC) AS x", Fraction(1, 10)),
        ("MIN(age) AS x", Fraction(0)),
        ("MAX(age) AS x", Fraction(1)),
    ],
)
def test_every_spelling_is_the_measure_of_a_rank(columns, rank):
    (measure,) = plan(columns).question.measures
    assert isinstance(measure, Ranked)
    assert (measure.rank, measure.grid) == (rank, Even(Fraction(1), 0, 120))


def test_frames_ask_the_same():
    frame = Frame(VISITS).agg(
        a=median("age"), b=quantile("cost", 0.9), c=tacit.min("age"), d=tacit.max("cost")
    )
    text = "MEDIAN(age) AS a, QUANTILE(cost, 0.9) AS b, MIN(age) AS c, MAX(cost) AS d"
    assert fingerprint(canonical(frame.plan()).question) == fingerprint(
        canonical(plan(text)).question
    )


def test_several_quantiles_at_once_are_several_columns():
    found = plan("QUANTILE(age, [0.25, 0.5, 0.75]) AS q, MEDIAN(age) AS m")
    assert [shown.name for shown in found.view.columns] == ["q_0.25", "q_0.5", "q_0.75", "m"]
    assert len(found.question.measures) == 3
    assert found.view.columns[3].value == MeasureOf(1)


def test_wide_integers_and_numbers_are_ranked_in_steps_that_are_powers_of_two():
    (big,) = plan("MEDIAN(big) AS x").question.measures
    (cost,) = plan("MEDIAN(cost) AS x").question.measures
    assert big.grid.step == 131072
    assert cost.grid == Even(Fraction(1, 2), 0, 10_000)


def test_days_are_ranked_between_declared_ends():
    (since,) = plan("MEDIAN(since) AS x").question.measures
    assert since.grid.count == 366
    with pytest.raises(InvalidPlan, match="this has no declared range, and quantiles, MIN"):
        plan("MIN(day) AS x")


def test_a_plan_says_what_is_ranked():
    told = in_words(plan("MEDIAN(age) AS a, QUANTILE(age, 0.9) AS b, MIN(age) AS c, MAX(age) AS d"))
    assert (
        "a is the median of age; b is the quantile at 0.9 of age; c is the approximate minimum of age"
        in told
    )


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("MEDIAN(name)", "quantiles, MIN and MAX need a number, a"),
        ("QUANTILE(age, 1.5)", "strictly between 0 and 1"),
        ("QUANTILE(age, 0)", "strictly between 0 and 1"),
        ("QUANTILE(age, 'a')", "strictly between 0 and 1"),
        ("QUANTILE(age, age)", "strictly between 0 and 1"),
        ("QUANTILE(age, 0.1234567)", "too many digits"),
        ("QUANTILE(age)", "a quantile needs a value and a rank"),
        ("PERCENTILE_CONT(0.5)", "a quantile needs a value and a rank"),
        (
            "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age, cost)",
            "WITHIN GROUP takes one ORDER BY expression",
        ),
        ("QUANTILE(age, [0.2, 0.3]) + 1", "a list of quantiles gives several columns, but"),
        ("MEDIAN(MEDIAN(age))", "an aggregate is not allowed here"),
        ("MEDIAN(1)", "is constant"),
        ("MEDIAN(DISTINCT age)", "DISTINCT"),
        ("[1, 2]", "'\\[' is not supported here"),
        ("age" + "[1]" * 300, "'\\[' is not supported here"),
        ("QUANTILE(age, [[0.5]])", "'\\[' is not supported here"),
    ],
)
def test_what_cannot_be_ranked_is_refused(columns, reason):
    with pytest.raises(InvalidPlan, match=reason):
        plan(f"{columns} AS x")


def test_what_has_no_range_is_refused_with_the_column():
    with pytest.raises(Unbounded) as refusal:
        plan("MEDIAN(weight) AS x")
    assert refusal.value.column == "weight"


def test_a_rank_in_python_is_refused_where_it_is_written():
    for rank in (0, 1, 2.0, True, "0.5", None, float("nan")):
        with pytest.raises((InvalidPlan, InvalidInput)):
            quantile("age", rank)


def test_too_many_cells_are_refused():
    keys = Column("key", Kind.INTEGER, low=0, high=4_999)
    wide = Table("visits", (keys, *COLUMNS), unit="person", contributions=3)
    with pytest.raises(InvalidPlan, match="cells"):
        read_sql("SELECT key, MEDIAN(cost) AS m FROM visits GROUP BY key", {"visits": wide})


def test_inside_a_question_the_least_and_the_greatest_of_a_unit_are_folded_and_quantiles_refused():
    text = "SELECT AVG(m) AS x FROM (SELECT person, {} AS m FROM visits GROUP BY person)"
    read_sql(text.format("MAX(age)"), {"visits": VISITS})
    with pytest.raises(InvalidPlan, match="quantiles per unit are not supported"):
        read_sql(text.format("MEDIAN(age)"), {"visits": VISITS})


def test_what_is_folded_inside_is_ranked_outside():
    text = "SELECT MEDIAN(s) AS x FROM (SELECT person, SUM(cost) AS s FROM visits GROUP BY person)"
    (measure,) = read_sql(text, {"visits": VISITS}).question.measures
    assert measure.grid.high * measure.grid.step == 15_000
