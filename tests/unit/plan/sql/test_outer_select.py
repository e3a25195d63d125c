"""A question around one that is released: what it means, and what it cannot mean."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Inner, Kind, canonical, read_sql, walk_expression, walk_rows
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tests.laws.clinic import TABLES

INSIDE = "SELECT ward AS w, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"
SAME = {
    f"SELECT * FROM ({INSIDE}) WHERE n > 10 ORDER BY n": f"{INSIDE} HAVING n > 10 ORDER BY n",
    f"WITH g AS ({INSIDE}) SELECT * FROM g WHERE g.n > 10 AND w <> 'A'": f"{INSIDE} HAVING n > 10 AND ward <> 'A'",
    f"SELECT t.w AS ward, n / 2 AS half FROM ({INSIDE}) AS t ORDER BY half DESC, m LIMIT 2 OFFSET 1": (
        "SELECT ward, COUNT(*) / 2 AS half FROM visits GROUP BY ward ORDER BY half DESC, AVG(cost) LIMIT 2 OFFSET 1"
    ),
    f"SELECT w, n FROM ({INSIDE} HAVING m > 3 ORDER BY m) WHERE n > 4": (
        "SELECT ward AS w, COUNT(*) AS n FROM visits GROUP BY ward HAVING AVG(cost) > 3 AND n > 4 ORDER BY AVG(cost)"
    ),
    f"SELECT * FROM ({INSIDE} LIMIT 2)": f"{INSIDE} LIMIT 2",
    f"SELECT *, n * 2 AS twice FROM ({INSIDE}) ORDER BY 2 DESC": (
        f"{INSIDE.replace('AS m', 'AS m, COUNT(*) * 2 AS twice')} ORDER BY 2 DESC"
    ),
    f"SELECT w, RANK() OVER (ORDER BY n DESC) AS r FROM ({INSIDE}) WHERE n > 3 QUALIFY r <= 2": (
        "SELECT ward AS w, RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM visits GROUP BY ward HAVING COUNT(*) > 3 "
        "QUALIFY r <= 2"
    ),
    "SELECT * FROM (SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward) WHERE r = 1": (
        "SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward QUALIFY r = 1"
    ),
    f"WITH v AS (SELECT ward, cost FROM visits WHERE urgent), g AS ({INSIDE.replace('visits', 'v')}), "
    "h AS (SELECT w, n FROM g WHERE n > 3) SELECT w FROM h WHERE n < 9": (
        "SELECT ward AS w FROM (SELECT ward, cost FROM visits WHERE urgent) GROUP BY ward "
        "HAVING COUNT(*) > 3 AND COUNT(*) < 9"
    ),
    "SELECT n FROM (SELECT COUNT(*) AS n FROM visits)": "SELECT COUNT(*) AS n FROM visits",
}


@pytest.mark.parametrize(("text", "other"), SAME.items())
def test_a_question_around_another_measures_nothing_more(text, other):
    one, two = (canonical(read_sql(each, TABLES)) for each in (text, other))
    assert one.question == two.question
    assert one.view == two.view


REFUSED = {
    "a query over a subquery with LIMIT is not supported": [
        f"SELECT * FROM ({INSIDE} LIMIT 2) WHERE n > 3",
        f"SELECT * FROM ({INSIDE} LIMIT 2) ORDER BY n",
        f"SELECT w, RANK() OVER (ORDER BY n) AS r FROM ({INSIDE} LIMIT 2)",
    ],
    "windows in both the subquery and the outer query are not supported": [
        f"SELECT w, RANK() OVER (ORDER BY n) AS r FROM ({INSIDE} QUALIFY RANK() OVER (ORDER BY n) < 3)",
    ],
    "WHERE cannot contain a window": [
        f"SELECT * FROM ({INSIDE}) WHERE RANK() OVER (ORDER BY n) = 1"
    ],
    "there is no table 'g'": [f"WITH h AS (SELECT * FROM g), g AS ({INSIDE}) SELECT * FROM h"],
    "'ward' is not in GROUP BY: a group has many values of it": [f"SELECT ward FROM ({INSIDE})"],
    "the table is called 't' here": [f"SELECT visits.w FROM ({INSIDE}) t"],
    "'patient' is the protected unit: grouping by it would give one answer per person": [
        "SELECT * FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) WHERE n > 3",
    ],
    "this would show single rows, and single rows are never released": [
        "SELECT * FROM (SELECT cost FROM visits) WHERE cost > 3"
    ],
}


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in REFUSED.items() for text in texts]
)
def test_what_cannot_be_done_with_an_answer_is_refused(reason, text):
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, TABLES)
    assert refusal.value.reason == reason
    assert refusal.value.remedy
    assert refusal.value.text == text


def test_a_key_is_known_outside_by_the_name_that_it_was_given():
    with pytest.raises(InvalidPlan, match="'ward' is not in GROUP BY"):
        read_sql(f"SELECT n, RANK() OVER (ORDER BY ward) AS r FROM ({INSIDE})", TABLES)


def test_groups_are_not_chosen_after_a_limit_inside():
    with pytest.raises(InvalidPlan, match="a query over a subquery with LIMIT is"):
        read_sql(f"SELECT * FROM ({INSIDE} ORDER BY n LIMIT 2) WHERE n > 3", TABLES)


# ---------------------------------------------------------------- adding up groups

DAILY = "SELECT ward, urgent, COUNT(*) AS n, AVG(cost) AS c FROM visits GROUP BY ward, urgent"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT AVG(n) AS m FROM ({DAILY})",
        f"SELECT ward, SUM(n) AS total, COUNT(*) AS k FROM ({DAILY}) GROUP BY ward",
        f"WITH d AS ({DAILY}) SELECT ward AS w, MAX(c) - MIN(c) AS s FROM d WHERE n > 3 GROUP BY w HAVING SUM(n) > 9",
        f"SELECT STDDEV(n) AS s, SUM(n) FILTER (WHERE urgent) AS most, COUNT_IF(n > 5) AS many FROM ({DAILY}) AS d",
    ],
)
def test_adding_up_groups_measures_nothing_more(text):
    inside, around = read_sql(DAILY, TABLES), read_sql(text, TABLES)
    assert set(around.question.measures) <= set(inside.question.measures)
    assert around.question.keys == inside.question.keys
    assert around.question.rows == inside.question.rows


def test_what_is_added_up_for_each_unit_stays_private():
    for key in ("patient", "p"):
        inside = f"SELECT patient AS p, COUNT(*) AS n FROM visits GROUP BY {key}"
        plan = read_sql(f"SELECT AVG(n) AS m FROM ({inside})", TABLES)
        assert plan.question.keys == ()
        assert [type(rows).__name__ for rows in walk_rows(plan.question.rows)][:1] != ["Scan"]
        assert any(isinstance(rows, Inner) for rows in walk_rows(plan.question.rows))


@pytest.mark.parametrize("column", ["n", "urgent", "n / SUM(n)", "c + 1"])
def test_a_column_that_is_not_added_up_is_a_key(column):
    with pytest.raises(InvalidPlan, match="is not a key"):
        read_sql(f"SELECT ward, {column} AS x, COUNT(*) AS k FROM ({DAILY}) GROUP BY ward", TABLES)


def test_having_outside_chooses_what_was_added_up():
    with_it, without = (
        read_sql(f"SELECT ward, SUM(n) AS t FROM ({DAILY}) GROUP BY ward{end}", TABLES).view.qualify
        for end in (" HAVING SUM(n) > 9", "")
    )
    assert with_it != without
    assert "9" in str(with_it)


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT MEDIAN(n) AS m FROM ({DAILY} LIMIT 2)",
        f"SELECT COUNT(DISTINCT ward) AS m FROM ({DAILY})",
        f"SELECT CORR(n, c) AS m FROM ({DAILY})",
        f"SELECT AVG(n) AS m FROM ({DAILY} LIMIT 2 OFFSET 1)",
        f"SELECT AVG(n) AS m FROM ({DAILY} LIMIT 2) WHERE n > 3",
        f"SELECT ward, AVG(n) AS m FROM ({DAILY} LIMIT 2) GROUP BY ward",
        f"SELECT n, COUNT(*) AS k FROM ({DAILY}) GROUP BY n",
        "SELECT AVG(r) AS m FROM (SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward)",
    ],
)
def test_other_steps_over_groups_are_refused(text):
    with pytest.raises(InvalidPlan) as refusal:
        read_sql(text, TABLES)
    assert refusal.value.text == text


def test_the_first_rows_of_an_answer_are_added_up_one_after_the_other():
    first = f"({DAILY} ORDER BY n DESC LIMIT 2)"
    outside = read_sql(f"SELECT AVG(n) AS m, COUNT(*) AS k FROM {first} HAVING SUM(n) > 9", TABLES)
    assert outside.question == read_sql(f"SELECT SUM(n) AS s FROM ({DAILY})", TABLES).question
    assert outside.view.limit is None
    mean, count = (column.value for column in outside.view.columns)
    assert isinstance(mean, e.Across)
    assert mean.order[0] == (e.MeasureOf(0), True)
    assert len(mean.order) == 1 + len(outside.question.keys), "no two rows are alike in their order"
    assert count == e.Called(Function.LEAST, (e.Literal(2, Kind.INTEGER), e.Across(e.Look.COUNT)))
    number = e.Across(e.Look.NUMBER, None, (), mean.order)
    assert e.Compared("=", number, count) in walk_expression(outside.view.qualify)
    assert "9" in str(outside.view.qualify)
