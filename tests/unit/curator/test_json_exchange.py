"""Answers, explanations, budgets and tables are the same after they were written as JSON and read again."""

import json
from datetime import UTC, date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.curator import (
    Budget,
    Price,
    Release,
    budget_fields,
    explanation_fields,
    read_budget,
    read_explanation,
    read_release,
    read_table,
    release_fields,
    table_fields,
)
from tacit.plan import Column, Kind, Table

ROWS = [
    {"patient": n, "ward": "AB"[n % 2], "cost": n % 50, "day": date(2025, 1, 1 + n % 9), "icd": "x"}
    for n in range(200)
]
QUESTIONS = [
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM data GROUP BY ward",
    "SELECT day, SUM(cost) AS total FROM data GROUP BY day",
    "SELECT icd, COUNT(*) AS n FROM data GROUP BY icd",
    "SELECT MEDIAN(cost) AS m FROM data",
    "SHOW TABLES",
]


@pytest.fixture(scope="module")
def vault():
    columns = {
        "ward": ["A", "B"],
        "cost": (0, 50),
        "day": [date(2025, 1, n) for n in range(1, 10)],
        "icd": str,
    }
    return tacit.protect(
        ROWS, unit="patient", contributions=1, columns=columns, epsilon=50, delta=1e-6
    )


def through_json(fields):
    return json.loads(json.dumps(fields, allow_nan=False))


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_the_same_after_the_journey(vault, question):
    answer = vault.sql(question, **({} if question.startswith("SHOW") else {"epsilon": 1}))
    again = read_release(through_json(release_fields(answer)))
    assert again == answer
    assert type(again) is type(answer)
    assert str(again) == str(answer)


@pytest.mark.parametrize("question", QUESTIONS[:-1])
def test_an_explanation_is_the_same_after_the_journey(vault, question):
    told = vault.explain(question, epsilon=0.5)
    again = read_explanation(through_json(explanation_fields(told)))
    assert again == told
    assert str(again) == str(told)


def test_what_is_left_out_of_an_own_limit_travels(vault):
    from dataclasses import replace

    told = replace(vault.explain(QUESTIONS[0], epsilon=0.5), own=(0.5, float("inf")))
    assert read_explanation(through_json(explanation_fields(told))) == told


CELLS = [
    st.integers(-(10**30), 10**30) | st.none(),
    st.floats(allow_nan=False) | st.integers() | st.none(),
    st.text() | st.none(),
    st.booleans() | st.none(),
    st.dates() | st.none(),
    st.datetimes(timezones=st.sampled_from([None, UTC])) | st.none(),
]


@given(st.data())
def test_every_kind_of_cell_is_read_back_to_itself(data):
    kinds = data.draw(st.lists(st.sampled_from(CELLS), max_size=4))
    rows = tuple(data.draw(st.tuples(*kinds)) for _ in range(data.draw(st.integers(0, 4))))
    names = tuple(f"c{place}" for place in range(len(kinds)))
    answer = Release(names, rows, (), 0.9, Price(1.0, 0.5, free=True), {"entry": 3})
    again = read_release(through_json(release_fields(answer)))
    assert again == answer
    assert [list(map(type, row)) for row in again.rows] == [list(map(type, row)) for row in rows]


def test_a_cell_of_no_known_kind_is_a_mistake():
    answer = Release(("x",), ((Fraction(1, 3),),), (), 0.9, Price(1.0, 0.5), {})
    with pytest.raises(AssertionError, match="Fraction"):
        release_fields(answer)


def test_budgets_and_tables_are_the_same_after_the_journey(vault):
    budget = Budget(3.0, 1e-6, 0.25, Budget(1.0, 1e-6, 0.75))
    assert read_budget(through_json(budget_fields(budget))) == budget
    moment = datetime(2025, 1, 2, 3, tzinfo=UTC)
    table = Table(
        "t",
        (
            Column("a", Kind.INTEGER, low=0, high=Fraction(1, 3), values=(1, 2), nullable=False),
            Column("b", Kind.DATE, low=date(2025, 1, 1), high=date(2025, 2, 1)),
            Column("c", Kind.TIMESTAMP, low=moment, high=moment),
            Column("d", Kind.TEXT, values=("x",), other=True, null_group=True),
            Column("e", Kind.BOOLEAN, values=(True, False)),
        ),
        unit="p",
        rows=10,
        unique=("a",),
        contributions=3,
        references=(("a", "u", "b"),),
    )
    assert read_table(through_json(table_fields(table))) == table
    for shared in vault.policy.tables.values():
        assert read_table(through_json(table_fields(shared.asked_table))) == shared.asked_table
