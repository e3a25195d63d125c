"""Every published fault of a private learner that the documentation lists is planted, and killed in tests/teeth."""

import re
from pathlib import Path

from tests.teeth.bug import all_bugs

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"


def test_nineteen_faults_of_learners_are_planted():
    lines = re.findall(r"^\| (L\d+) \|.*\| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE)
    assert [name for name, _ in lines] == [f"L{number}" for number in range(1, 20)]
    planted = {bug.name for bug in all_bugs()}
    for name, bugs in lines:
        named = re.findall(r"`([^`]+)`", bugs)
        assert named, name
        assert set(named) <= planted, name
