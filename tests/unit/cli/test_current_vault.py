"""Every command takes the vault of the current folder, and the shell completes its names."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tacit.cli.current_vault import (
    complete_analyst,
    complete_attack,
    complete_mechanism,
    complete_table,
)
from tests.unit.cli.clinics import POLICY, Said, called, vault

Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = vault(tmp_path, POLICY.replace("contributions = 3\n", ""))
    monkeypatch.chdir(found)
    return found


def test_each_command_finds_the_vault_of_the_current_folder(run: Run, clinic: Path) -> None:
    assert "version 1" in run("refresh", "visits").out
    assert run("find-contributions", "visits", "--epsilon", 0.3).code == 0
    assert run("find-bounds", "visits.age", "--epsilon", 0.3).code == 0
    assert run("clipping", "visits", "--epsilon", 0.3).code == 0
    assert "contributions" in run("ledger", "show", 0).out
    assert "intact" in run("ledger", "verify").out
    assert run("ledger", "adopt", "--why", "tried").code == 0
    assert "visits" in run("describe").out


def test_a_vault_that_is_named_is_that_vault(run: Run, clinic: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    vault(other, POLICY.replace("../anchors", "../../anchors"))
    said = run("refresh", other / "clinic", "visits")
    assert (said.code, "version 1" in said.out) == (0, True)
    assert "version 1" in run("refresh", clinic, "visits").out  # each of them for the first time


def test_without_a_vault_the_missing_word_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("refresh", "visits")
    assert said.code == 2
    assert "Missing" in said.err
    assert "table" in said.err


def test_names_are_completed_from_the_policy_and_the_catalogue(clinic: Path) -> None:
    here: Any = SimpleNamespace(params={})
    named: Any = SimpleNamespace(params={"vault": clinic})
    for context in (here, named):
        assert complete_table(context, "v") == ["visits"]
        assert complete_table(context, "x") == []
        assert complete_analyst(context, "") == ["alice"]
    assert complete_attack("averag") == ["averaging"]
    assert "all" in complete_attack("")
    assert complete_mechanism("lap") == ["laplace"]


def test_where_no_policy_can_be_read_nothing_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    context: Any = SimpleNamespace(params={"vault": "nowhere"})
    assert complete_table(context, "") == []
