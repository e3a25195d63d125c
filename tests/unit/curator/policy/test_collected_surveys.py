"""Surveys that a policy file names: tables of the vault, free, each with its own promise."""

import json
from pathlib import Path

import pytest

import tacit
from tacit.errors import InvalidPolicy
from tacit.local import (
    KaryResponse,
    Question,
    Questionnaire,
    collect_reports,
    write_collected,
    write_reports,
)
from tests.unit.cli.clinics import tacit as command
from tests.unit.cli.clinics import vault

DISHES = ("curry", "pasta", "soup")
ASKED = "SELECT answer, COUNT(*) AS n FROM meals GROUP BY answer"
SECTION = '\n[surveys.meals]\nsource = "sums.json"\nquestion = "dish"\n'


@pytest.fixture(scope="module")
def collected():
    dish = KaryResponse(DISHES, epsilon=2)
    form = Questionnaire("canteen", "Canteen", 600, (Question("dish", "Which?", "choice", dish),))
    people = [{"dish": DISHES[n % 2]} for n in range(600)]
    return collect_reports(form, write_reports(form, people))


@pytest.fixture
def clinic(tmp_path: Path, collected) -> Path:
    place = vault(tmp_path)
    (place / "sums.json").write_text(write_collected(collected))
    with (place / "tacit.toml").open("a") as policy:
        policy.write(SECTION)
    return place


def test_a_survey_of_the_policy_is_asked_like_one_given_in_python(clinic, collected):
    with tacit.open(clinic) as opened:
        answer = opened.sql(ASKED)
        given = opened.with_survey(collected.table("dish"))
        assert answer.rows == given.sql(ASKED.replace("meals", "dish")).rows
        assert answer.receipt["promise"] == dict(collected.table("dish").promise)
        assert (answer.receipt["model"], answer.receipt["table"]) == ("local", "meals")
        central = opened.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=0.5)
        assert central.receipt["format"] == "tacit receipt 1"
        assert len(list(opened.ledger.entries())) == 1


def test_a_survey_is_asked_with_python_expressions_too(clinic):
    with tacit.open(clinic) as opened:
        frame = opened.table("meals").group_by("answer").agg(n=tacit.count())
        assert frame.ask().rows == opened.sql(ASKED).rows
        assert opened.budget.spent == 0


def test_the_command_line_asks_it_without_a_price(clinic):
    shown = command("sql", clinic, ASKED)
    assert shown.code == 0, shown
    assert "curry" in shown.out
    assert "randomised by the person who gave it" in shown.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: told.pop("tables"), "not a collected survey"),
        (lambda told: told["tables"].pop("dish"), "name one of its questions"),
        (lambda told: told["tables"]["dish"].pop("promise"), "not a collected survey"),
        (lambda told: told["tables"]["dish"]["values"].pop(), "not a collected survey"),
        (lambda told: told["tables"]["dish"]["variances"].__setitem__(0, "-1"), "not a collected"),
        (lambda told: told["tables"]["dish"]["promise"].update(epsilon=0), "not a collected"),
    ],
)
def test_what_is_no_collection_is_a_fault_of_the_policy(clinic, change, said):
    told = json.loads((clinic / "sums.json").read_text())
    change(told)
    (clinic / "sums.json").write_text(json.dumps(told))
    with pytest.raises(InvalidPolicy, match=said):
        tacit.open(clinic)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("surveys.meals", "surveys.visits", "same name"),
        ("sums.json", "other.json", "there is no file"),
        ('question = "dish"', 'questions = "dish"', "no such key"),
        ('question = "dish"', "question = 3", "it is 3"),
        ('question = "dish"', "", "name one of its questions"),
    ],
)
def test_faults_are_told_with_their_remedy(clinic, before, after, said):
    policy = clinic / "tacit.toml"
    policy.write_text(policy.read_text().replace(before, after))
    with pytest.raises(InvalidPolicy, match=said):
        tacit.open(clinic)
