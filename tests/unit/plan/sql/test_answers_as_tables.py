"""Answers as tables: what is read of statements that join, stack and compare them, and what is refused."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    AnswerOf,
    CombinedPlan,
    JoinedAnswers,
    Plan,
    StackedAnswers,
    leaves_of,
    prove_combined,
    read_asked,
    read_sql,
)
from tests.together import together
from tests.unit.plan.cases import TABLES

BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
OLD = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > 60 GROUP BY ward"

RANKED = "SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward"
BY_NAME = "SELECT name, COUNT(*) AS n FROM visits GROUP BY name"


def read(text, *, finding=False):
    return read_asked(text, TABLES, finding=finding)[0]


def measures(plan):
    return [len(part.question.measures) for part in plan.parts]


ONE = [
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    f"SELECT AVG(n) AS m FROM ({BY_WARD})",
    f"WITH a AS ({BY_WARD}) SELECT ward FROM a WHERE n > 3",
    "SELECT COUNT(*) AS m FROM (SELECT patient, ward FROM visits)",
    "SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT patient FROM visits)",
]


@pytest.mark.parametrize("text", ONE)
def test_a_statement_about_one_answer_is_one_plan(text):
    assert isinstance(read(text), Plan)


def test_joining_measures_nothing_more():
    text = f"SELECT a.ward, a.n, b.n AS old, a.n / b.n AS q FROM ({BY_WARD}) a JOIN ({OLD}) b USING (ward)"
    plan = read(text)
    assert measures(plan) == [1, 1]
    assert isinstance(plan.answers, JoinedAnswers)
    assert prove_combined(plan) == plan
    with pytest.raises(InvalidPlan, match="an aggregate of rows is not allowed here"):
        read(f"{BY_WARD} UNION ALL {OLD} ORDER BY COUNT(*)")


def test_stacking_measures_nothing_more():
    plan = read(f"{BY_WARD} UNION ALL {OLD} ORDER BY n DESC LIMIT 3")
    assert measures(plan) == [1, 1]
    assert isinstance(plan.answers, StackedAnswers)
    assert plan.plan.view.limit == 3
    assert [shown.name for shown in plan.plan.view.columns] == ["ward", "n"]


def test_what_is_asked_twice_is_asked_once():
    same = read(
        f"SELECT a.ward, a.n, b.n AS again FROM ({BY_WARD}) a JOIN ({BY_WARD}) b USING (ward)"
    )
    assert measures(same) == [1]
    assert [leaf.part for leaf in leaves_of(same.answers)] == [0, 0]
    both = BY_WARD.replace("COUNT(*) AS n", "AVG(cost) AS c")
    merged = read(f"SELECT ward, n, c FROM ({BY_WARD}) a JOIN ({both}) b USING (ward)")
    assert len(merged.parts) == 1


def test_what_nobody_looks_at_is_not_asked():
    wide = BY_WARD.replace("COUNT(*) AS n", "COUNT(*) AS n, AVG(cost) AS c, MEDIAN(age) AS m")
    plan = read(f"SELECT a.ward, a.n, b.n AS old FROM ({wide}) a JOIN ({OLD}) b USING (ward)")
    assert measures(plan) == [1, 1]


def test_a_total_stands_beside_every_group():
    plan = read(
        "SELECT ward, COUNT(*) / (SELECT COUNT(*) FROM visits) AS share FROM visits GROUP BY ward"
    )
    assert isinstance(plan, CombinedPlan)
    total, groups = leaves_of(plan.answers)
    assert (total.keys, groups.keys) == ((), (0,))
    assert plan.answers.on == ()


def test_a_scalar_subquery_about_the_same_answer_asks_nothing_more():
    plan = read(f"WITH a AS ({BY_WARD}) SELECT ward, n - (SELECT AVG(n) FROM a) AS d FROM a")
    assert measures(plan) == [1]
    assert isinstance(plan.answers, AnswerOf)


@pytest.mark.parametrize("alias", ["", " AS b"])
def test_a_scalar_subquery_about_the_same_words_is_about_the_same_answer(alias):
    scalar = f"(SELECT AVG(n) FROM ({BY_WARD}){alias})"
    plan = read(f"SELECT ward, n FROM ({BY_WARD}) WHERE n > {scalar}")
    assert measures(plan) == [1]
    named = read(f"WITH a AS ({BY_WARD}) SELECT ward, n FROM a WHERE n > (SELECT AVG(n) FROM a)")
    assert plan.plan.view == named.plan.view


def test_other_words_are_not_the_same_answer():
    plan = read(f"SELECT ward, n FROM ({BY_WARD}) WHERE n > (SELECT AVG(n) FROM ({OLD}))")
    assert measures(plan) == [1, 1]
    assert len(plan.subqueries) == 1


def test_order_by_means_the_columns_of_the_answer_first():
    joined = f"({BY_WARD}) a JOIN ({OLD}) b ON a.ward = b.ward"
    text = f"SELECT b.ward AS ward, b.n AS n, a.n AS m FROM {joined} ORDER BY n, a.n"
    view = read(text).plan.view
    assert [each.value for each in view.order] == [view.columns[1].value, view.columns[2].value]


REFUSED = {
    "answers are joined on keys, and this is a noisy number": [
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({OLD}) b USING (n)",
    ],
    "answers are joined on equalities between a key of one and a key of the other": [
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({OLD}) b ON a.ward < b.ward",
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({OLD}) b ON a.ward = 'A'",
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({OLD}) b ON a.n = b.n",
    ],
    "no condition connects these answers, so every pair of rows would be combined": [
        f"SELECT a.n FROM ({BY_WARD}) a CROSS JOIN ({OLD}) b",
        f"SELECT a.n FROM ({BY_WARD}) a, ({OLD}) b",
    ],
    "two answers have the name 'a' here": [
        f"SELECT 1 AS x FROM ({BY_WARD}) a JOIN ({OLD}) a USING (ward)"
    ],
    "USING needs a column 'age' on each side": [
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({OLD}) b USING (age)"
    ],
    "an answer with LIMIT, QUALIFY or a window cannot be joined with another": [
        f"SELECT a.n FROM ({BY_WARD} LIMIT 2) a JOIN ({OLD}) b USING (ward)",
        f"SELECT a.n FROM ({BY_WARD}) a JOIN ({RANKED}) b USING (ward)",
    ],
    "an outer join cannot distinguish a group that HAVING removed from a missing one": [
        f"SELECT a.n FROM ({BY_WARD}) a LEFT JOIN ({OLD} HAVING COUNT(*) > 3) b USING (ward)"
    ],
    "a scalar subquery gives one number, and this one gives several": [
        f"SELECT COUNT(*) / ({BY_WARD}) AS q FROM visits",
        "SELECT (SELECT COUNT(*), SUM(age) FROM visits) AS q",
        f"SELECT (SELECT AVG(n) FROM ({BY_WARD})) AS q",
        f"SELECT COUNT(*) / (SELECT SUM(n) AS s FROM ({BY_WARD}) GROUP BY ward) AS q FROM visits",
    ],
    "a scalar subquery with HAVING, a window or OFFSET is not supported": [
        "SELECT (SELECT COUNT(*) FROM visits HAVING COUNT(*) > 3) AS q",
    ],
    "a scalar subquery about the same answer takes an aggregate alone": [
        f"WITH a AS ({BY_WARD}) SELECT n - (SELECT AVG(n) FROM a WHERE n > 3) AS d FROM a"
    ],
    "a scalar subquery cannot stand beside grouping sets": [
        "SELECT ward, COUNT(*) / (SELECT COUNT(*) FROM visits) AS q FROM visits GROUP BY ROLLUP (ward)"
    ],
    "UNION ALL needs equal columns, but one side has 2 and another 1": [
        f"{BY_WARD} UNION ALL SELECT COUNT(*) FROM visits"
    ],
    "LIMIT in a branch of UNION ALL is not supported": [
        f"({BY_WARD} LIMIT 1) UNION ALL SELECT 'all', COUNT(*) FROM visits"
    ],
    "UNION of answers would merge rows whose noisy numbers happen to be equal": [
        f"{BY_WARD} UNION {OLD}"
    ],
    "EXCEPT and INTERSECT of answers are not supported": [f"{BY_WARD} EXCEPT {OLD}"],
    "ANTI JOIN of answers is not supported": [
        f"SELECT a.n FROM ({BY_WARD}) a ANTI JOIN ({OLD}) b USING (ward)"
    ],
    "the join of these answers would have too many rows": [
        f"SELECT a.n FROM ({BY_NAME}) a JOIN ({BY_NAME}) b ON UPPER(a.name) = UPPER(b.name)"
    ],
}


@together
@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in REFUSED.items() for text in texts]
)
def test_what_cannot_be_combined_is_refused(reason, text):
    with pytest.raises(InvalidPlan) as refusal:
        prove_combined(read(text, finding=True))
    assert refusal.value.reason == reason
    assert refusal.value.remedy


def test_union_of_rows_that_a_constant_tells_apart_is_union_all():
    plan = read("SELECT 'a' AS k, COUNT(*) AS n FROM visits UNION SELECT 'b', SUM(age) FROM visits")
    assert isinstance(plan, CombinedPlan)


def test_a_plan_alone_cannot_hold_several_answers():
    with pytest.raises(InvalidPlan, match="this combines several answers"):
        read_sql(f"{BY_WARD} UNION ALL {OLD}", TABLES)
