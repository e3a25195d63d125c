"""A collected survey beside the tables of a vault: debiased, with intervals, free, with a promise of its own."""

import json

import numpy as np
import pytest

from tacit import protect
from tacit.errors import InvalidInput, InvalidPlan
from tacit.local import Collected, Draws, Hybrid, KaryResponse, Question, Questionnaire, Refused

DISHES = ("curry", "pasta", "soup", "stew")
TRUTH = (4000, 3000, 2000, 1000)


@pytest.fixture(scope="module")
def survey():
    dish, spent = KaryResponse(DISHES, epsilon=2), Hybrid(0, 20, epsilon=1)
    asked = (
        Question("dish", "Which?", "choice", dish),
        Question("spent", "How much?", "number", spent),
    )
    held = np.repeat(np.arange(4), TRUTH)
    found = dish.collect(dish.randomise_all(held, Draws()))
    mean = spent.collect(spent.encode_all(np.full(10, 5.0)))
    return Collected(
        Questionnaire("canteen", "Canteen", 10_000, asked),
        10_000,
        Refused(),
        (("dish", found), ("spent", mean)),
    )


@pytest.fixture
def vault(survey):
    rows = [{"person": n, "ward": "AB"[n % 2]} for n in range(100)]
    clinic = protect(rows, unit="person", contributions=1, columns={"ward": ["A", "B"]}, epsilon=3)
    return clinic.with_survey(survey.table("dish"))


def test_counts_are_debiased_and_have_intervals(vault, survey):
    answer = vault.sql("SELECT answer, COUNT(*) AS n FROM dish GROUP BY answer")
    found = survey.estimate("dish")
    assert answer.columns == ("answer", "n", "n_low", "n_high")
    assert answer.column("answer") == list(DISHES)
    assert answer.column("n") == [round(found.count(dish)) for dish in DISHES]
    ends = found.intervals(0.95)
    for row, (low, high) in zip(answer, ends, strict=True):
        assert row["n_low"] == pytest.approx(low, abs=4)
        assert row["n_high"] == pytest.approx(high, abs=4)


def test_surveys_cost_nothing(vault):
    before = list(vault.ledger.entries())
    for _ in range(3):
        answer = vault.sql("SELECT answer, COUNT(*) FROM dish GROUP BY answer")
    assert list(vault.ledger.entries()) == before == []
    assert vault.budget.spent == 0
    assert answer.price.share == 0


def test_each_table_has_its_own_promise_in_the_receipt(vault):
    local = vault.sql("SELECT answer, COUNT(*) FROM dish GROUP BY answer").receipt
    central = vault.sql("SELECT ward, COUNT(*) FROM data GROUP BY ward", epsilon=1).receipt
    assert local["model"] == "local"
    assert local["promise"]["protocol"] == "KaryResponse"
    assert local["promise"]["epsilon"] == pytest.approx(2, rel=1e-6)
    assert local["charge"] == "nothing"
    assert central["format"] == "tacit receipt 1"
    assert "promise" not in central
    assert json.loads(json.dumps(dict(local))) == local
    assert vault.budget.spent > 0


def test_the_answer_can_be_chosen_from_and_sorted(vault):
    answer = vault.sql(
        "SELECT answer AS who, COUNT(*) AS n FROM dish GROUP BY answer ORDER BY n DESC LIMIT 2"
    )
    assert answer.column("who") == ["curry", "pasta"]
    many = vault.sql(
        "SELECT answer, COUNT(*) AS n FROM dish GROUP BY answer HAVING COUNT(*) > 2500"
    )
    assert many.column("answer") == ["curry", "pasta"]
    assert "randomised by the person who gave it, at epsilon 2" in str(many)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM dish",
        "SELECT answer, COUNT(*) FROM dish WHERE answer <> 'soup' GROUP BY answer",
        "SELECT answer, COUNT(DISTINCT answer) FROM dish GROUP BY answer",
        "SELECT UPPER(answer), COUNT(*) FROM dish GROUP BY UPPER(answer)",
    ],
)
def test_what_a_survey_does_not_know_is_refused(vault, text):
    with pytest.raises(InvalidPlan):
        vault.sql(text)


def test_a_survey_has_a_name_of_its_own(vault, survey):
    with pytest.raises(InvalidInput):
        vault.with_survey(survey.table("dish"))
    with pytest.raises(InvalidInput, match="number"):
        survey.table("spent")


def test_a_vault_without_the_survey_stays_as_it_was(survey):
    rows = [{"person": n, "ward": "A"} for n in range(5)]
    clinic = protect(rows, unit="person", contributions=1, columns={"ward": ["A"]}, epsilon=3)
    clinic.with_survey(survey.table("dish"))
    with pytest.raises(InvalidPlan):
        clinic.sql("SELECT answer, COUNT(*) FROM dish GROUP BY answer", epsilon=1)
