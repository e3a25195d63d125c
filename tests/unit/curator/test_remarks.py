"""What the spelling of a question means elsewhere is said with every answer, and is no part of the question."""

from datetime import date

import pytest

import tacit
from tacit.curator import ask_text
from tacit.curator.json_exchange import (
    explanation_fields,
    read_explanation,
    read_release,
    release_fields,
)

PLAIN = "SELECT COUNT(*) AS n FROM data WHERE EXTRACT(DOW FROM day) IN (1, 7)"
SPELLED = PLAIN.replace("DOW", "DAYOFWEEK")
SAID = "DAYOFWEEK counts from Sunday = 0, as in DuckDB; in BigQuery, MySQL and Spark Sunday is 1"


@pytest.fixture
def vault():
    rows = [{"patient": n, "day": date(2024, 1, 1 + n)} for n in range(20)]
    return tacit.protect(rows, unit="patient", contributions=1, columns={"day": "date"}, epsilon=3)


def test_equal_questions_share_an_answer_and_each_has_its_own_remarks(vault):
    first, second = vault.sql(PLAIN, epsilon=1), vault.sql(SPELLED, epsilon=1)
    assert second.rows == first.rows
    assert second.price.free
    assert second.receipt == first.receipt
    assert SAID not in first.notes
    assert second.notes == (*first.notes, SAID)
    assert SAID in second.caption()
    assert SAID in str(vault.replay(SPELLED, epsilon=1))
    assert vault.sql(PLAIN, epsilon=1).notes == first.notes


def test_an_answer_that_is_paid_for_has_its_remarks(vault):
    assert SAID in vault.sql(SPELLED, epsilon=1).notes
    assert SAID in vault.refine(SPELLED, epsilon=2).notes
    assert SAID in vault.sql(SPELLED + " LIMIT 0").notes
    assert SAID in vault.explain(SPELLED + " LIMIT 0").remarks
    assert SAID in str(vault.explain(SPELLED + " LIMIT 0"))


def test_an_explanation_says_it_too(vault):
    told = vault.explain(SPELLED, epsilon=1)
    assert told.remarks == (SAID,)
    assert SAID in str(told)
    assert vault.explain(PLAIN, epsilon=1).remarks == ()
    assert read_explanation(explanation_fields(told)) == told


def test_an_answer_that_travels_keeps_its_remarks(vault):
    answer = vault.sql(SPELLED, epsilon=1)
    assert read_release(release_fields(answer)).notes == answer.notes


def test_what_fails_before_it_is_paid_for_costs_nothing(vault, monkeypatch):
    """Whatever is said about a spelling is known before the charge, so that no mistake of ours is paid for."""

    def fail(text):
        raise RuntimeError(text)

    monkeypatch.setattr(ask_text, "spelling_remarks", fail)
    with pytest.raises(RuntimeError):
        vault.sql(SPELLED, epsilon=1)
    assert vault.budget.spent == 0
