"""What is said with an answer is made of what was released, and can be printed."""

import tacit
from tacit.server.wire.notices import describe_answer

ROWS = [{"patient": n, "ward": "AB"[n % 2], "day": "2025-01-01"} for n in range(100)]


def test_an_answer_says_how_sure_it_is_what_it_cost_and_what_is_left():
    columns = {"ward": ["A", "B"]}
    vault = tacit.protect(ROWS, unit="patient", contributions=1, columns=columns, epsilon=3)
    text = "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward"
    answer = vault.sql(text, epsilon=1)
    said, detail = describe_answer(answer, vault.budget)
    reach = max(row["n_high"] - row["n_low"] for row in answer) / 2
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
