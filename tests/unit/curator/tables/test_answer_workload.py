"""Many counting questions at once, as people ask for them."""

import numpy as np
import pytest

import tacit
from tacit.errors import InvalidInput, TacitError
from tests.unit.curator.tables.test_synthesize import ROWS, vault

QUESTIONS = ["age < 30", "age BETWEEN 20 AND 39", "ward = 'A'", "age >= 30 AND ward = 'B'"]


def truth(question):
    """The exact count of one question."""
    meets = {
        "age < 30": lambda row: row["age"] < 30,
        "age BETWEEN 20 AND 39": lambda row: 20 <= row["age"] <= 39,
        "ward = 'A'": lambda row: row["ward"] == "A",
        "age >= 30 AND ward = 'B'": lambda row: row["age"] >= 30 and row["ward"] == "B",
    }[question]
    return sum(map(meets, ROWS))


@pytest.mark.parametrize("more", [{}, {"delta": 0}, {"neighbours": "replace"}])
def test_questions_are_answered_within_what_was_expected(more):
    clinic = vault(**more)
    expected = clinic.explain_workload("visits", QUESTIONS, epsilon=4)
    assert clinic.budget.spent == 0
    found = clinic.workload("visits", QUESTIONS, epsilon=4)
    assert set(found.column("question")) == set(QUESTIONS)
    for row in found:
        reach = expected.errors[row["question"]]
        far = (
            6 if more.get("delta") == 0 else 4
        )  # a Laplace tail passes 4 in 10**5 answers, 6 in 10**7
        assert abs(row["count"] - truth(row["question"])) <= far * reach
        assert row["count_high"] == pytest.approx(max(0, row["count"] + reach), abs=reach / 100)
    assert clinic.check_receipt(found.receipt) == []


def test_all_ranges_are_better_asked_together():
    clinic = vault()
    expected = clinic.explain_workload("visits", epsilon=1, ranges=["age"])
    assert len(expected.errors) == 5050
    assert expected.typical < expected.one_by_one / 8
    prefixes = clinic.explain_workload("visits", epsilon=1, prefixes=["age"])
    assert prefixes.typical < prefixes.one_by_one / 2
    found = clinic.workload("visits", epsilon=4, prefixes=["age"])
    counts = np.array(found.column("count"))
    ages = np.array([row["age"] for row in ROWS])
    exact = np.array([(ages <= age).sum() for age in range(100)])
    reach = np.array(found.column("count_high")) - counts
    assert (np.abs(counts - exact) <= reach).mean() > 0.6
    assert np.abs(counts - exact).max() < 4 * reach.max()


def test_all_rectangles_of_two_columns_are_answered_together():
    columns = {
        "x": {"type": "integer", "low": 0, "high": 7, "nullable": False},
        "y": {"type": "integer", "low": 0, "high": 5, "nullable": False},
    }
    rows = [{"x": place % 8, "y": place * place % 6} for place in range(900)]
    for delta in (1e-6, 0):
        plane = tacit.protect(
            rows, unit="row", columns=columns, name="points", epsilon=30, delta=delta
        )
        expected = plane.explain_workload("points", epsilon=20, ranges=[("x", "y")])
        assert len(expected.errors) == 36 * 21
        assert expected.typical < expected.one_by_one / 3
        found = plane.workload("points", epsilon=20, prefixes=[["y", "x"]])
        assert len(found) == 48
        counted = dict(zip(found["question"], found["count"], strict=True))
        exact = sum(row["x"] <= 3 and row["y"] <= 2 for row in rows)
        reach = plane.explain_workload("points", epsilon=20, prefixes=[("x", "y")]).errors
        assert abs(counted["x <= 3 AND y <= 2"] - exact) <= 5 * reach["x <= 3 AND y <= 2"] + 2
        for wrong in ([("x", "x")], [("x", "y", "x")], [()]):
            with pytest.raises(InvalidInput):
                plane.explain_workload("points", epsilon=1, ranges=wrong)


def test_the_same_workload_is_free_and_its_intervals_are_those_of_its_price():
    clinic = vault()
    one = clinic.workload("visits", QUESTIONS, epsilon=4)
    again = clinic.workload("visits", QUESTIONS, epsilon=1)
    assert again.price.free
    assert again.column("count") == one.column("count")
    assert [row[3] for row in again.rows] == pytest.approx([row[3] for row in one.rows])


def test_what_cannot_be_asked_is_refused_before_it_is_paid_for():
    clinic = vault()
    for questions, more in (
        ([], {}),
        (["note = 'x'"], {}),
        (["cost < 100"], {}),
        (["age < 3"], {"confidence": 1}),
        ([], {"ranges": ["ward"]}),
        ([], {"prefixes": ["nothing"]}),
    ):
        with pytest.raises(TacitError):
            clinic.workload("visits", questions, epsilon=1, **more)
    assert clinic.budget.spent == 0
