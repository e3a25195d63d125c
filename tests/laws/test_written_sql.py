"""What a frame writes as SQL reads as the same plan; what has no such text is refused, not written as another."""

from datetime import date, datetime

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Column,
    Frame,
    Kind,
    Table,
    canonical,
    col,
    concat,
    correlation,
    count,
    count_distinct,
    covariance,
    date_diff,
    mean,
    median,
    over,
    quantile,
    read_sql,
    std,
    units,
    var,
    when,
)
from tacit.plan import max as max_
from tacit.plan import min as min_
from tacit.plan import sum as sum_
from tacit.plan.sql import plan_to_sql

VISITS = Table(
    "visits",
    (
        Column("age", Kind.INTEGER, 0, 120),
        Column("ward", Kind.TEXT, values=("A", "B"), other=True),
        Column("sex", Kind.TEXT, values=("f", "m"), null_group=True),
        Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        Column("cost", Kind.NUMBER, 0, 100),
        Column("at", Kind.TIMESTAMP),
        Column('an "odd" name', Kind.TEXT),
        Column("select", Kind.INTEGER, -5, 5),
    ),
    unit="patient",
    contributions=3,
)
FRAME = Frame(VISITS, finding=True)
AGE, COST, DAY, ODD = col("age"), col("cost"), col("day"), col('an "odd" name')
FRAMES = {
    "count": FRAME.agg(n=count()),
    "where": FRAME.where(AGE >= 65, col("sex") == "f")
    .group_by("ward")
    .agg(n=count(), m=mean("cost")),
    "filter": FRAME.group_by("sex").agg(
        n=count(where=AGE > 3), u=units(), few=units(where=AGE > 3)
    ),
    "moments": FRAME.agg(
        v=var("cost"), s=std("age"), c=covariance("age", "cost"), r=correlation("age", "cost")
    ),
    "population": FRAME.agg(
        v=var("cost", population=True), c=covariance("age", "cost", population=True)
    ),
    "ranks": FRAME.agg(m=median("age"), q=quantile("cost", 0.9), a=min_("age"), b=max_("cost")),
    "distinct": FRAME.agg(d=count_distinct('an "odd" name'), u=count_distinct("patient")),
    "view": FRAME.group_by(DAY.date_trunc("month"))
    .agg(n=count())
    .having(col("n") > 3)
    .order_by(col("n").descending())
    .limit(3, 1),
    "windows": FRAME.group_by(decade=AGE // 10).agg(
        n=count(),
        share=count() / over("sum", count()),
        r=over("rank", order=[count().descending()]),
    ),
    "lag": FRAME.group_by("sex").agg(
        n=count(), before=over("lag", count(), order=["sex"], offset=2), k=over("count")
    ),
    "text": FRAME.where(ODD.like("a'\\%%") | col("ward").is_in(["A"]) | ~COST.is_null()).agg(
        n=count()
    ),
    "case": FRAME.where((COST * 0.5 - 1) > 0.1, date(2025, 3, 1) <= DAY).agg(
        n=sum_(when(AGE < 18).then(1).otherwise(0))
    ),
    "time": FRAME.where(
        col("at") > datetime(2025, 1, 1),  # noqa: DTZ001
        date_diff("day", DAY, date(2025, 5, 1)) > 3,
    ).agg(n=count()),
    "functions": FRAME.agg(
        m=mean(COST.round(1) + abs(AGE) + col("select").sign()), s=sum_((COST + 1).sqrt())
    ),
    "among": FRAME.among(FRAME.where(AGE > 3)).agg(n=count()),
    "not among": FRAME.not_among(FRAME.where(AGE > 3)).where(col("sex") == "m").agg(n=count()),
    "top": FRAME.group_by("sex").agg(n=count()).top(1, by=col("n")),
    "between": FRAME.where(
        AGE.between(3, 5), DAY.later(-1, "month") > date(2025, 4, 1), DAY.month() == 3
    ).agg(n=count()),
    "qualify": FRAME.group_by("ward")
    .agg(x=count() * 2 + 1)
    .qualify(over("row_number", order=[count()]) <= 1),
    "distinct from": FRAME.where(
        AGE.is_distinct_from(3), ODD.upper().left(1) == "A", concat(ODD, "x") == "Ax"
    ).agg(n=count()),
    "casts": FRAME.where(AGE.cast("text") == "3", (AGE > 3).is_true(), -AGE < -2).agg(
        n=count(), d=mean(AGE.cast("number") / 3)
    ),
    "third": FRAME.where(COST > 1 / 3).agg(n=count()),
    "keys": FRAME.group_by("sex"),
    "reserved": FRAME.group_by("select").agg(order=count()),
    "unknown keys": FRAME.group_by('an "odd" name').agg(n=count()),
}
NO_TEXT = {
    "per unit": FRAME.per_unit(n=count()).agg(m=mean("n")),
    "rows once": FRAME.distinct().agg(n=count()),
    "stacked": FRAME.stack(FRAME).agg(n=count()),
}


@pytest.mark.parametrize("name", FRAMES)
def test_what_is_written_reads_as_the_same_plan(name):
    plan = FRAMES[name].plan()
    read = read_sql(FRAMES[name].sql(), {"visits": VISITS}, finding=True)
    if "among" in name:
        assert canonical(read) == canonical(plan)
    else:
        assert read == plan


@pytest.mark.parametrize("name", NO_TEXT)
def test_what_has_no_text_is_refused(name):
    with pytest.raises(InvalidPlan, match=r"no text in SQL.*frame\.ask"):
        NO_TEXT[name].sql()


def test_a_text_that_reads_as_another_question_is_refused(monkeypatch):
    monkeypatch.setattr(plan_to_sql, "_constant", lambda value: "4" if value == 3 else str(value))
    with pytest.raises(InvalidPlan, match="no text in SQL"):
        FRAME.where(AGE > 3).agg(n=count()).sql()
