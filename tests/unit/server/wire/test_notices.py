"""What is said with an answer is made of what was released, and can be printed."""

import pytest

import tacit
from tacit.curator.answer.release import Price, Release
from tacit.server.wire.notices import describe_answer, describe_sum

ROWS = [{"patient": n, "ward": "AB"[n % 2], "day": "2025-01-01"} for n in range(100)]


def test_an_answer_says_how_sure_it_is_what_it_cost_and_what_is_left():
    columns = {"ward": ["A", "B"]}
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns=columns, epsilon=3)
    text = "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward"
    answer = vault.sql(text, epsilon=1)
    said, detail = describe_answer(answer, vault.budget)
    reach = max(max(row["n_high"] - row["n"], row["n"] - row["n_low"]) for row in answer)
    assert said.startswith(f"n ±{reach:.3g} at 95%; cost: epsilon 1, ")
    assert f"{float(vault.budget.left):.2%} is left; receipt {answer.receipt['entry']}:" in said
    assert "NULL or not declared" in detail
    again, _ = describe_answer(vault.sql(text, epsilon=1), vault.budget)
    assert "cost: nothing: the stored answer" in again


def test_a_name_with_control_characters_is_printed():
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns={}, epsilon=3)
    said, _ = describe_answer(
        vault.sql('SELECT COUNT(*) AS "a\x1b[31m" FROM data', epsilon=1), vault.budget
    )
    assert "\x1b" not in said


def test_an_answer_without_rows_names_no_accuracy():
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns={}, epsilon=3)
    answer = vault.sql("SELECT COUNT(*) AS n FROM data HAVING COUNT(*) > 1000000000", epsilon=1)
    assert "±" not in describe_answer(answer, vault.budget)[0]


def made_of(value, low, high, epsilon=1.0):
    return Release(
        ("n", "n_low", "n_high"),
        ((value, low, high),),
        ("n",),
        0.95,
        Price(epsilon, 0.5),
        {"entry": 0, "hash": "a" * 64},
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [(0, 0, 170, "170"), (50, 0, 60, "50"), (10, 0, 20, "10"), (7, 7, 7, "0")],
)
def test_an_interval_that_is_cut_off_is_told_by_its_longer_side(value, low, high, told):
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns={}, epsilon=3)
    said, _ = describe_answer(made_of(value, low, high), vault.budget)
    assert said.startswith(f"n ±{told} at 95%")


def test_a_price_that_no_float_holds_is_not_told_as_zero():
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns={}, epsilon=3)
    said, _ = describe_answer(made_of(1, 0, 2, 0.0), vault.budget)
    assert "cost: epsilon below 1e-300, " in said


def test_questions_of_one_statement_are_summed():
    prices = [Price(0.25, 0.1), Price(0.25, 0.1), Price(1.0, 0.4, free=True)]
    assert describe_sum(prices).endswith(
        "2 of them paid for; together: epsilon 0.5, 20.00% of the limit"
    )
    assert "nothing" in describe_sum(prices[2:])
