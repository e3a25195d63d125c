"""`make help` lists every target, and no target is mistaken for a file."""

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
