"""`tacit describe` lists what may be asked, of the vault of the current folder, too."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.clinics import Said, called, vault

Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words: called(capsys, monkeypatch, *words)


def test_a_vault_and_one_of_its_tables(run: Run, tmp_path: Path) -> None:
    clinic = vault(tmp_path)
    said = run("describe", clinic)
    assert said.code == 0
    assert "visits protects" in said.out
    assert "0 to 500" in run("describe", clinic, "visits").out
    found = json.loads(run("describe", clinic, "visits", "--json").out)
    assert [row["column"] for row in found["rows"]] == ["patient", "ward", "cost", "age"]


def test_the_vault_of_the_current_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vault(tmp_path))
    assert "visits protects" in run("describe").out
    assert "0 to 500" in run("describe", "visits").out
    said = run("describe", "stays")
    assert (said.code, said.err) == (2, "tacit: table cannot be 'stays'; name one of: visits\n")
