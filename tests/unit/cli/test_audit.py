"""`tacit audit`: for people and for programs."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tacit.audit import Subject
from tacit.stability import sensitivity_of
from tests.unit.cli.clinics import Said, called
from tests.unit.cli.clinics import vault as clinic

Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, "audit", "mechanism", *words)


def test_an_audit_is_told_to_people(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "laplace.png"
    said = run("laplace", "--epsilon", "1", "--samples", "5000", "--plot", picture)
    assert said.code == 0
    assert "laplace: 5,000 runs on each of two databases, confidence 1 - 1e-06" in said.out
    assert "claimed 1, not refuted" in said.out
    assert "the pair's exact epsilon is 1.0000: the audit shows" in said.out
    assert picture.stat().st_size > 10_000


def test_an_audit_is_told_to_programs(run: Run) -> None:
    words = (
        "gaussian",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--neighbours",
        "replace",
        "--samples",
        "5000",
        "--json",
    )
    told = json.loads(run(*words).out)
    assert told["refuted"] is False
    assert told["claimed_epsilon"] == pytest.approx(1)
    assert 0 <= told["mu_at_least"] <= told["exact_mu"] == pytest.approx(0.2369, abs=1e-3)
    assert told["witness"]["runs"] == 2500


def test_the_number_of_runs_is_what_is_quick(run: Run) -> None:
    assert (
        json.loads(run("randomized-response", "--epsilon", "1", "--json").out)["samples"] == 10**6
    )


def test_a_mechanism_that_breaks_its_claim_ends_with_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Subject, "claimed", property(lambda _: 0))
    said = run("laplace", "--epsilon", "1", "--samples", "5000")
    assert said.code == 2
    assert "REFUTED" in said.out
    assert "reveals more than it claims" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("sorcery", "--epsilon", "1"),
        ("laplace", "--epsilon", "much"),
        ("laplace", "--epsilon", "0"),
        ("laplace", "--epsilon", "1", "--delta", "0.1"),
        ("gaussian", "--epsilon", "1"),
        ("laplace", "--epsilon", "1", "--neighbours", "next-door"),
        ("laplace", "--epsilon", "1", "--samples", "5"),
        ("laplace", "--epsilon", "1", "--confidence", "1"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(run: Run, words: tuple[str, ...]) -> None:
    said = run(*words)
    assert said.code == 2
    assert said.err.startswith("tacit: ")
    assert said.err.count("\n") == 1


def test_a_question_is_audited_with_or_without_the_name_of_its_vault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = clinic(tmp_path)
    text = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    said = called(capsys, monkeypatch, "audit", str(made), text, "--pairs", "20")
    assert said.code == 0
    assert said.out.endswith("Nothing refutes the claim.\n")
    monkeypatch.chdir(made)
    told = json.loads(called(capsys, monkeypatch, "audit", text, "--pairs", "20", "--json").out)
    assert told["fault"] is None
    assert told["pairs"] == 20
    assert set(told["closest"]) == {"add-or-remove", "replace"}


def test_a_question_whose_claim_is_too_small_ends_in_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nearly(*given: object) -> object:
        return tuple(replace(each, bound=each.bound / 2) for each in sensitivity_of(*given))  # type: ignore[arg-type]

    monkeypatch.setattr("tacit.curator.trial.audit_question.sensitivity_of", nearly)
    said = called(
        capsys, monkeypatch, "audit", str(clinic(tmp_path)), "SELECT COUNT(*) AS n FROM visits"
    )
    assert said.code == 2
    assert "REFUTED: one unit moves the number of rows" in said.out
    assert "do not ask it" in said.err
