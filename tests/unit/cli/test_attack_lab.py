"""`tacit lab` lists the attacks, runs one, and says what departs from theory."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit import audit
from tacit.audit import ATTACKS, AttackReport
from tacit.audit.attacks import Rate
from tests.unit.cli.clinics import Said, called

Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, *words)


def test_all_attacks_are_listed(run: Run) -> None:
    said = run("lab")
    assert said.code == 0
    assert all(f"  {name} " in said.out for name in ATTACKS)
    told = json.loads(run("lab", "--json").out)
    assert list(told) == list(ATTACKS)
    assert all(
        about.endswith(".") and not about.startswith("The report") for about in told.values()
    )


def test_an_attack_is_run_for_people_and_for_programs(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    said = run("lab", "random-row", "--plot", picture)
    assert said.code == 0
    assert "the naive release" in said.out
    assert picture.stat().st_size > 5000
    told = json.loads(run("lab", "random-row", "--json").out)
    assert told["attack"] == "random-row"
    assert told["rates"]["naive"]["share"] == 1
    assert told["rates"]["tacit"]["expected"] < told["allowed"]
    assert told["complaints"] == []


def test_all_attacks_are_run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        audit, "ATTACKS", {name: ATTACKS[name] for name in ("random-row", "dalenius")}
    )
    told = json.loads(run("lab", "all", "--json", "--plot", tmp_path / "new").out)
    assert [one["attack"] for one in told] == ["random-row", "dalenius"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "dalenius.png",
        "random-row.png",
    ]


def test_a_name_that_is_none_is_refused_with_a_near_one(run: Run) -> None:
    said = run("lab", "cell-bound")
    assert said.code == 2
    assert "did you mean cell-bounds?" in said.err


def test_what_departs_from_theory_is_said_and_ends_with_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaky = AttackReport(
        "leaky", "yes or no?", Rate(9, 9, 1.0), Rate(900, 1000), 0.6, 0.5, "It leaks."
    )
    monkeypatch.setattr(audit, "ATTACKS", {"leaky": lambda: leaky})
    said = run("lab", "leaky")
    assert said.code == 1
    assert "theory allows no attack more than 60.0%" in said.out
    assert json.loads(run("lab", "leaky", "--json").out)["complaints"]


@pytest.mark.parametrize("path", ["missing/picture.png", "picture", "picture.doc"])
def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str
) -> None:
    monkeypatch.setattr(audit, "ATTACKS", {"none": lambda: pytest.fail("it was run")})
    said = run("lab", "none", "--plot", tmp_path / path)
    assert said.code == 2
    assert "in a folder that exists" in said.err
