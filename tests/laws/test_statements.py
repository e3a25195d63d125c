"""Statements that analysts would write: accepted as they are, and without noise equal to DuckDB on the same rows."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from tacit.curator import Limit
from tacit.plan import KeyOf, Summed, read_sql
from tests.laws import clinic


def statements(name):
    """The statements of a file, each by what it is for; a line that stands alone is a heading."""
    paragraphs = (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n\n")
    found = [re.fullmatch(r"-- ([^\n]+)\n(.+)", each.strip(), re.DOTALL) for each in paragraphs]
    listed = [(match[1], match[2]) for match in found if match]
    assert len(dict(listed)) == len(listed), "two statements are for the same"
    return listed


STATEMENTS = statements("statements.sql")
ROWS = clinic.rows()


@pytest.fixture(scope="module")
def plain():
    with clinic.plain(ROWS) as connection:
        yield connection


@pytest.fixture(scope="module")
def vault():
    with clinic.vault(Limit(10**6), ROWS) as opened:
        yield opened


def cell(value):
    """A cell as both say it: numbers are alike, and a day is the moment in which it begins."""
    if isinstance(value, bool | str | None):
        return value
    if isinstance(value, date):
        return value.timetuple()
    return float(value)


def answered(vault, text):
    """The rows of an answer without the ends of intervals."""
    with clinic.no_noise():
        release = vault.sql(text, epsilon=5 * 10**3, raw=True)
    ends = {f"{name}{end}" for name in release.columns for end in ("_low", "_high")}
    kept = [place for place, name in enumerate(release.columns) if name not in ends]
    return [tuple(cell(row[place]) for place in kept) for row in release.rows]


def keys_in(text):
    """Which columns of the answer are keys, and how far a sum may be off that is taken in whole steps of its grid."""
    plan = read_sql(text, clinic.TABLES)
    steps = [
        measure.step
        for measure in plan.question.measures
        if isinstance(measure, Summed) and measure.step < 1
    ]
    keys = [
        place for place, shown in enumerate(plan.view.columns) if isinstance(shown.value, KeyOf)
    ]
    return keys, float(300 * max(steps, default=0)) + 1e-4


def check(text, found, wanted):
    """Two answers are the same: in the same order where one is asked for, and with nothing in groups without rows."""
    keys, coarse = keys_in(text)

    def key(row):
        return tuple(row[place] for place in keys)

    ours = Counter(map(key, found))
    # a row without a key belongs to no group
    wanted = [row for row in wanted if None not in key(row)]
    assert not ours or max(ours.values()) == 1
    assert {key(row) for row in wanted} <= set(ours)
    theirs = {key(row): row for row in wanted}
    for row in found:
        for place, value in enumerate(row):
            true = theirs[key(row)][place] if key(row) in theirs else None
            if place in keys:
                continue
            # a sum or count of nothing is nothing, and has no mean
            if key(row) not in theirs or true is None:
                assert value is None or isinstance(value, str) or abs(value) < 1e-6
            elif isinstance(true, float):
                assert value == pytest.approx(true, rel=1e-5, abs=coarse)
            else:
                assert value == true
    if "ORDER BY" in text.upper().rpartition("FROM")[2]:
        assert [key(row) for row in found if key(row) in theirs] == [key(row) for row in wanted]
    if "LIMIT" in text.upper():
        assert len(found) == len(wanted)


@pytest.mark.parametrize(
    "statement", [text for _, text in STATEMENTS], ids=[what for what, _ in STATEMENTS]
)
def test_a_statement_is_answered_as_duckdb_answers_it(vault, plain, statement):
    wanted = [tuple(map(cell, row)) for row in plain.execute(statement).fetchall()]
    assert wanted
    check(statement, answered(vault, statement), wanted)


def test_there_are_many_of_them():
    assert len(STATEMENTS) >= 60
