"""Answers of one row beside others, and scalar subqueries of other groups: constants in the view."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    order_parts,
    parts_of_constants,
    prove_combined,
    read_asked,
    subqueries_in,
    subqueries_of_view,
)
from tests.unit.plan.cases import TABLES

DAILY = "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY ward"
MEAN = "SELECT AVG(n) AS m, MAX(s) AS most FROM daily"


def read(text):
    return prove_combined(read_asked(text, TABLES)[0])


def test_one_row_beside_an_answer_is_made_of_the_same_part():
    plan = read(
        f"WITH daily AS ({DAILY}), t AS ({MEAN}) SELECT ward, n, n - t.m AS d FROM daily CROSS JOIN t"
    )
    assert len(plan.parts) == 1
    assert len(plan.parts[0].question.measures) == 1  # no sum: nobody names the greatest
    assert [each.column.name for each in plan.subqueries] == ["t.m"]
    assert subqueries_of_view(plan.plan.view) == {0}


@pytest.mark.parametrize("order", ["daily, t", "t, daily", "t CROSS JOIN daily"])
def test_the_row_may_stand_on_either_side(order):
    plan = read(f"WITH daily AS ({DAILY}), t AS ({MEAN}) SELECT * FROM {order}")
    names = [each.name for each in plan.plan.view.columns]
    assert sorted(names) == ["m", "most", "n", "s", "ward"]
    assert (names[0] == "ward") is order.startswith("daily")


def test_a_scalar_of_other_groups_is_a_part_of_its_own():
    plan = read(
        "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex HAVING COUNT(*) > (SELECT AVG(n) FROM (SELECT ward, "
        "COUNT(*) AS n FROM visits GROUP BY ward) t)"
    )
    assert len(plan.parts) == 2
    assert subqueries_of_view(plan.plan.view) == {0}


def test_a_constant_is_made_of_what_the_constants_in_it_are_made_of():
    smaller = "SELECT AVG(n) FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) t"
    inner = f"SELECT ward, AVG(age) AS m FROM visits GROUP BY ward HAVING COUNT(*) > ({smaller})"
    plan = read(f"SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT MIN(m) FROM ({inner}) u)")
    within, around = parts_of_constants(plan)
    assert len(plan.parts) == 3
    assert within < around
    rows = next(at for at, part in enumerate(plan.parts) if subqueries_in(part.question))
    assert order_parts(plan)[-1] == rows


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            f"WITH d AS ({DAILY}) SELECT 1 AS x FROM d a, (SELECT AVG(n) AS m FROM d) a",
            "have the name 'a'",
        ),
        (
            f"WITH d AS ({DAILY}) SELECT d.n FROM d, (SELECT AVG(n) AS m FROM d HAVING AVG(n) > 3) t",
            "LIMIT, QUALIFY or a window",
        ),
        (
            f"WITH d AS ({DAILY}) SELECT d.n FROM d, (SELECT AVG(n) AS m FROM d LIMIT 0) t",
            "LIMIT, QUALIFY or a window",
        ),
        (
            f"WITH d AS ({DAILY}) SELECT d.n FROM d JOIN (SELECT AVG(n) AS m FROM d) t ON d.n > t.m",
            "LIMIT, QUALIFY or a window",
        ),
    ],
)
def test_what_may_have_another_number_of_rows_is_no_constant(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read(text)
