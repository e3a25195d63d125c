"""Two real columns for surveys; every interpreter reads this.

The ages come from where bench/ages.py finds them.  The lecturers come from the file that TACIT_INSTEVAL names, the data
set InstEval of the R package lme4 as CSV, of which the column `d` is read; without it, from a stand-in.
"""

import csv
import os
from pathlib import Path
from typing import Any

import ages
import numpy as np

PEOPLE = 100_000
AGES, LECTURERS = 85, 1_128
EPSILONS = (0.5, 1.0, 2.0, 4.0)
PEER_PEOPLE = 20_000
PEER_CASES = (*((AGES, epsilon) for epsilon in EPSILONS), (LECTURERS, 1.0))
_PEER_ERRORS = 6_000  # squared errors of each case: their mean varies by 1.8 %


def age_column() -> Any:
    """A hundred thousand ages, at most 84."""
    return np.resize(np.clip(ages.everyone(), 0, AGES - 1), PEOPLE)


def lecturer_column() -> Any:
    """A hundred thousand lecturers, numbered from zero."""
    file = os.environ.get("TACIT_INSTEVAL")
    if file:
        with Path(file).open(newline="") as lines:
            named = [row["d"] for row in csv.DictReader(lines)]
        return np.resize(np.unique(named, return_inverse=True)[1], PEOPLE)
    weights = 1 / np.arange(5, LECTURERS + 5) ** 0.5
    return np.random.default_rng(2).choice(LECTURERS, PEOPLE, p=weights / weights.sum())


def peer_column(count: int) -> Any:
    """The first people of the column with so many values."""
    return (age_column() if count == AGES else lecturer_column())[:PEER_PEOPLE]


def peer_turns(count: int) -> int:
    """How often a case with so many values is repeated."""
    return -(-_PEER_ERRORS // count)


def peer_case(name: str, count: int, epsilon: float) -> str:
    """What a case is called."""
    return f"{name}, k = {count}, epsilon {epsilon:g}"


def source() -> str:
    """Whose columns they are."""
    lecturers = "InstEval" if os.environ.get("TACIT_INSTEVAL") else "stand-in"
    return f"ages: {ages.source()}, lecturers: {lecturers}"
