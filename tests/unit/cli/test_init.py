"""`tacit init` asks for what it needs: all of it at once in a script, one after the other at a terminal."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.cli.clinics import Said, called, vault
from tests.unit.cli.test_first_ten_minutes import helpful

Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    return vault(tmp_path) / "visits.csv"


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Somebody sits at the terminal and gives these answers; the list fills with what was asked."""
    asked: list[str] = []
    given = iter(answers)

    def prompt(text: str, default: str) -> str:
        asked.append(text)
        return next(given) or default

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.prompt", prompt)
    return asked


def test_a_script_is_told_of_everything_that_is_missing_at_once(
    run: Run, visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    said = run("init", tmp_path / "new", "--source", visits)
    helpful(said, 2, "--epsilon and --answers", "--epsilon 3 --answers 50")
    assert not (tmp_path / "new").exists()


def test_at_a_terminal_unit_contributions_limit_and_answers_are_asked_for(
    run: Run, visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, "patient", "7", "2", "")
    assert run("init", tmp_path / "new", "--source", visits).code == 0
    assert len(asked) == 4
    assert "patient" in asked[0]
    assert "visits" in asked[1]
    text = (tmp_path / "new" / "tacit.toml").read_text("utf-8")
    assert {'unit = "patient"', "contributions = 7", "epsilon = 2"} <= set(text.splitlines())
    assert "50 answers" in text


def test_what_cannot_be_read_at_a_terminal_is_asked_again(
    run: Run, visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, "patient", "few", "7", "-2", "x", "2", "1/2", "20")
    said = run("init", tmp_path / "new", "--source", visits)
    assert said.code == 0
    assert len(asked) == 8
    assert "few" in said.err
    text = (tmp_path / "new" / "tacit.toml").read_text("utf-8")
    assert {"contributions = 7", "epsilon = 2"} <= set(text.splitlines())


def test_a_file_that_is_not_there_is_said_before_anything_is_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    helpful(run("init", tmp_path / "new", "--source", tmp_path / "no.csv"), 2, "no.csv")


def test_at_a_terminal_a_curator_may_decide_later(
    run: Run, visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, "", "2", "")
    assert run("init", tmp_path / "new", "--source", visits).code == 0
    lines = (tmp_path / "new" / "tacit.toml").read_text("utf-8").splitlines()
    assert {'unit = "?"', 'contributions = "?"'} <= set(lines)


def test_each_table_has_contributions_of_its_own(run: Run, visits: Path, tmp_path: Path) -> None:
    patients = tmp_path / "patients.csv"
    patients.write_text("patient,sex\n1,F\n")
    words = ["init", tmp_path / "new", "--source", visits, "--source", patients, "--unit"]
    words += ["patient", "--epsilon", 1, "--delta", 0, "--contributions"]
    assert run(*words, "visits=20", "--contributions", "patients=1").code == 0
    text = (tmp_path / "new" / "tacit.toml").read_text("utf-8")
    assert "contributions = 20" in text.partition("[tables.patients]")[0]
    assert "contributions = 1\n" in text.partition("[tables.patients]")[2]


@pytest.mark.parametrize(
    ("count", "told"),
    [
        ("visit=20", "did you mean 'visits'?"),
        ("visits=many", "whole number"),
        ("visits=2.5", "whole number"),
        ("=3", "visits=20"),
    ],
)
def test_contributions_that_make_no_sense_are_refused(
    run: Run, visits: Path, tmp_path: Path, count: str, told: str
) -> None:
    words = ["--unit", "patient", "--epsilon", 1, "--delta", 0, "--contributions", count]
    helpful(run("init", tmp_path / "new", "--source", visits, *words), 2, told)
    assert not (tmp_path / "new").exists()


def test_after_a_text_file_its_rows_are_to_be_checked(
    run: Run, visits: Path, tmp_path: Path
) -> None:
    words = ["--unit", "patient", "--epsilon", 1, "--answers", 4]
    said = run("init", tmp_path / "new", "--source", visits, *words).out
    assert said.endswith(f"tacit check {tmp_path / 'new'} --rows\n")
    assert "counts as NULL. No answer says how many" in said
    stored = tmp_path / "stored.parquet"
    pq.write_table(pa.table({"patient": [1]}), stored)
    said = run("init", tmp_path / "other", "--source", stored, *words).out
    assert said.endswith(f"tacit check {tmp_path / 'other'}\n")
    assert "counts as NULL" not in said
