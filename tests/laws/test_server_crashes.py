"""Whatever a server is killed at: one charge an answer, the same bytes afterwards, sums that are exact."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server_crash import CLIENTS, MUTANTS, STEPS

ROOT = Path(__file__).resolve().parents[2]


def crashed(kills: int, *options: str) -> dict[str, Any]:
    """What `python -m tests.server_crash` found: a process of its own, since it forks and this one may have threads."""
    command = [sys.executable, "-m", "tests.server_crash", "--kills", str(kills), *options]
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # whose threads no fork has
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_fifty_killed_servers_charge_each_answer_once_and_keep_it() -> None:
    """Twenty clients ask meanwhile; each step comes up at least twice."""
    found = crashed(50)
    assert found["killed"] == 50
    assert all(found["at"][step] >= 2 for step in STEPS)
    assert found["answers"] > 3 * CLIENTS
    assert found["violations"] == {}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_five_hundred_killed_servers_charge_each_answer_once_and_keep_it(seed: int) -> None:
    found = crashed(50, "--seed", str(100 + seed))
    assert found["killed"] == 50
    assert found["violations"] == {}


def test_servers_that_are_wrong_are_caught() -> None:
    found = crashed(2, "--mutants")
    assert all(found[mutant] for mutant in MUTANTS), found
