"""`make help` lists every target, no target is mistaken for a file, and the two locks agree."""

import re
import subprocess

from tests.docs.sources import ROOT

TEXT = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"(?m)^([a-z]+):", TEXT))


def test_help_lists_every_target():
    command = ["make", "--no-print-directory", "help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    listed = re.findall(r"(?m)^ +make ([a-z]+) +\S", done.stdout)
    assert set(listed) == TARGETS >= {"setup", "test", "quick", "check", "teeth", "soak"}
    assert len(listed) == len(set(listed))


def test_no_target_is_a_file():
    (phony,) = re.findall(r"(?m)^\.PHONY: (.*)$", TEXT)
    assert set(phony.split()) == TARGETS


def blocks_of(name):
    """The requirements of a lock, each with its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return set(re.split(r"\n(?=\S)", text.strip()))


def test_the_lock_of_the_demo_is_a_part_of_the_other():
    small, whole = blocks_of("requirements-demo.lock"), blocks_of("requirements.lock")
    assert small < whole
    assert all("--hash=sha256:" in block for block in whole)
    names = {re.match(r"[\w.-]+", block)[0] for block in small}
    assert names >= {"duckdb", "matplotlib", "numpy", "python-flint", "sqlglot", "hatchling"}
    assert not names & {"pytest", "mypy", "ruff", "pandas", "polars", "pyarrow", "uv"}
