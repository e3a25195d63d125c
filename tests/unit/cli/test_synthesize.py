"""`tacit synthesize` and `tacit marginals`, as people run them."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.clinics import called, vault


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def test_a_synthetic_table_is_written_once_and_again_for_nothing(run, clinic, tmp_path):
    out = tmp_path / "rows.csv"
    words = ("synthesize", clinic, "visits", "--epsilon", "1", "--out", out)
    said = run(*words, "--plot", tmp_path / "errors.png")
    assert said.code == 0, said.err
    assert "do not use it for" in said.out
    assert "without age" in said.out
    assert "mean over 1 pair:" in said.out
    assert (
        f"Wrote {len(out.read_text().splitlines()) - 1:,} rows of 2 columns to {out}." in said.out
    )
    assert out.read_text().startswith("ward,cost\n")
    assert (tmp_path / "errors.png").exists()
    first = out.read_bytes()
    again = json.loads(run(*words, "--rows", "7", "--json").out)
    assert again["free"] is True
    assert again["rows"] == 7
    assert again["not modelled"] == ["age"]
    assert len(out.read_text().splitlines()) == 8
    run(*words)
    assert out.read_bytes() == first


def test_a_file_that_cannot_be_written_is_refused_before_it_is_paid_for(run, clinic, tmp_path):
    for wrong in (tmp_path / "rows.txt", tmp_path / "nowhere" / "rows.csv"):
        said = run("synthesize", clinic, "visits", "--epsilon", "1", "--out", wrong)
        assert said.code == 2
    assert json.loads(run("budget", clinic, "--json").out)["spent"] == 0


def test_marginals_are_listed_and_shown(run, clinic):
    words = ("marginals", clinic, "visits", "--epsilon", "1")
    listed = json.loads(run(*words, "--json").out)
    assert listed["marginals"] == [["ward"], ["cost"], ["ward", "cost"]]
    shown = run(*words, "--show", "ward")
    assert shown.code == 0
    assert "count" in shown.out
    assert "stored answer" in shown.out
