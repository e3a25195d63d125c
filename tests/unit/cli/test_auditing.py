"""`tacit audit`: for people and for programs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.audit import Subject
from tests.unit.cli.clinics import Said, called

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
    words = ("gaussian", "--epsilon", "1", "--delta", "1e-6", "--neighbours", "replace", "--samples", "5000", "--json")
    told = json.loads(run(*words).out)
    assert told["refuted"] is False
    assert told["claimed_epsilon"] == pytest.approx(1)
    assert 0 <= told["mu_at_least"] <= told["exact_mu"] == pytest.approx(0.2369, abs=1e-3)
    assert told["witness"]["runs"] == 2500


def test_the_number_of_runs_is_what_is_quick(run: Run) -> None:
    assert json.loads(run("randomized-response", "--epsilon", "1", "--json").out)["samples"] == 10**6


def test_a_mechanism_that_breaks_its_claim_ends_with_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Subject, "claimed", property(lambda _: 0))
    said = run("laplace", "--epsilon", "1", "--samples", "5000")
    assert said.code == 2
    assert "REFUTED" in said.out
    assert "gives away more than it claims" in said.err


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
