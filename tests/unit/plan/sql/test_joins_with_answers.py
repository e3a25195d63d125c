"""Rows joined with answers, as SQL is read: what is released first, and what a row meets."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Counted, prove_combined, read_asked, subqueries_in
from tests.laws.clinic import TABLES

JOINED = "SELECT cost, m FROM visits JOIN a USING (ward)"
MEANS = "SELECT ward, AVG(cost) AS m, COUNT(*) AS n, MEDIAN(stay) AS s FROM visits GROUP BY ward"


def read(text):
    return prove_combined(read_asked(text, TABLES)[0])


def questions_of(plan):
    return [part.question for part in plan.parts]


def test_what_nobody_names_is_not_released():
    plan = read(
        f"SELECT COUNT(*) AS k FROM visits v JOIN ({MEANS}) a ON v.ward = a.ward WHERE v.cost > a.m"
    )
    first, last = sorted(questions_of(plan), key=lambda question: bool(subqueries_in(question)))
    assert len(first.measures) == 2  # the sum and the count of the mean, and no median
    assert last.measures == (Counted(),)
    assert {each.column.name for each in plan.subqueries} == {"a.ward", "a.m"}
    assert [each.row for each in plan.subqueries] == [0, 1, 2, 3] * 2


def test_a_key_that_is_joined_on_is_the_column_of_the_rows():
    plan = read(
        f"SELECT a.ward, COUNT(*) AS k FROM visits v JOIN ({MEANS}) a USING (ward) WHERE v.cost > a.m GROUP BY a.ward"
    )
    (key,) = questions_of(plan)[0].keys
    assert key.public_values[:2] == ("A", "B")


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT COUNT(*) AS k FROM visits v JOIN ({MEANS}) a ON v.ward = a.ward AND v.cost > a.m",
        f"SELECT COUNT(*) AS k FROM ({MEANS}) a JOIN visits v ON v.ward = a.ward AND v.cost > a.m",
        f"SELECT COUNT(*) AS k FROM visits v, ({MEANS}) a WHERE v.ward = a.ward AND v.cost > a.m",
        f"WITH a AS ({MEANS}) SELECT COUNT(*) AS k FROM visits v INNER JOIN a USING (ward) WHERE cost > m",
        f"WITH a AS ({MEANS}), b AS ({JOINED}) SELECT COUNT(*) AS k FROM b WHERE cost > m",
        f"SELECT COUNT(*) AS k FROM visits v JOIN ({MEANS}) a ON (v.ward = a.ward) WHERE a.m < v.cost",
    ],
)
def test_all_ways_to_write_a_join_are_one_question(text):
    usual = (
        f"SELECT COUNT(*) AS k FROM visits v JOIN ({MEANS}) a ON v.ward = a.ward WHERE v.cost > a.m"
    )
    one, two = read(text), read(usual)
    assert questions_of(one) == questions_of(two)
    assert one.subqueries == two.subqueries


def test_a_column_of_an_answer_is_no_key():
    usual = f"FROM visits v JOIN ({MEANS}) a ON v.ward = a.ward WHERE v.cost > a.m GROUP BY"
    for keys in ("a.ward, a.m", "1, 2", "ALL"):
        plan = read(f"SELECT a.ward, a.m, COUNT(*) AS k {usual} {keys}")
        assert [len(question.keys) for question in questions_of(plan)] == [1, 1]
        shown = plan.plan.view.columns[1].value
        assert len(shown.branches) == 4
    with pytest.raises(InvalidPlan, match="keys are not all in GROUP BY"):
        read(f"SELECT a.m, COUNT(*) AS k {usual} a.m")
    mean = "(SELECT AVG(cost) AS m FROM visits)"
    alone = f"SELECT s.m, COUNT(*) AS k FROM visits v, {mean} s WHERE v.cost > s.m GROUP BY s.m"
    assert not any(question.keys for question in questions_of(read(alone)))


def test_every_key_of_joined_answers_is_compared():
    both = (
        f"SELECT a.ward, a.m, b.k FROM ({MEANS}) a JOIN (SELECT ward, COUNT(*) AS k FROM patients GROUP BY ward) b "
        "ON a.ward = b.ward"
    )
    assert read(
        f"SELECT COUNT(*) AS n FROM visits v JOIN ({both}) t ON v.ward = t.ward WHERE t.k > 3"
    )
    apart = both.replace("a.ward = b.ward", "a.ward = b.ward || 'x'")
    with pytest.raises(InvalidPlan, match="several groups"):
        read(
            f"SELECT COUNT(*) AS n FROM visits v JOIN ({apart}) t ON v.ward = t.ward WHERE t.k > 3"
        )
    stacked = f"{MEANS} UNION ALL {MEANS}"
    with pytest.raises(InvalidPlan, match="several groups"):
        read(f"SELECT COUNT(*) AS n FROM visits v JOIN ({stacked}) t ON v.ward = t.ward")


def test_a_row_that_is_its_own_unit_meets_groups_too():
    plan = read(
        "SELECT COUNT(*) AS n FROM trips t JOIN (SELECT ward, AVG(km) AS m FROM trips GROUP BY ward) a "
        "USING (ward) WHERE km > m"
    )
    assert len(plan.parts) == 2


def test_grouping_sets_release_an_answer_once():
    plan = read(
        f"SELECT v.ward, urgent, COUNT(*) AS k FROM visits v JOIN ({MEANS}) a ON v.ward = a.ward WHERE v.cost > a.m "
        "GROUP BY ROLLUP (v.ward, urgent)"
    )
    assert len(plan.subqueries) == 8
