"""No crash loses a charge or lets an answer out that was not paid for: clients are killed while they ask."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash import MUTANTS, STEPS

ROOT = Path(__file__).resolve().parents[2]


def crashed(kills: int, *options: str) -> dict[str, Any]:
    """What `python -m tests.crash` found: a process of its own, since it forks and this one may have threads."""
    command = [sys.executable, "-m", "tests.crash", "--trials", str(kills), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_hundred_killed_clients_leave_no_violation() -> None:
    """No release that was not charged, no overspending and no double charge."""
    found = crashed(100, "--seed", "0")
    assert found["killed"] >= 100
    assert all(found["at"][step] >= 1 for step in STEPS)
    assert found["releases"] > 100
    assert found["violations"] == {}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 110))
def test_five_hundred_killed_clients_leave_no_violation(seed: int) -> None:
    found = crashed(500, "--seed", str(seed))
    assert found["killed"] >= 500
    assert found["violations"] == {}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_vault_that_does_it_in_another_order_is_caught(mutant: str) -> None:
    found = crashed(2 * len(STEPS), "--mutant", mutant)
    assert found["violations"]
