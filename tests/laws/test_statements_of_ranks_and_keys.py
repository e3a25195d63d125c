"""Statements whose answers are not DuckDB's to the last digit: values of near ranks, and keys that are found."""

from dataclasses import replace

import pytest

from tacit.curator import Limit
from tests.laws import clinic
from tests.laws.test_statements import ROWS, cell

# What is asked, and of which column and rows the rank lies near the asked one.
RANKS = {
    "SELECT MEDIAN(cost) AS m FROM visits": ("cost", "visits", [0.5]),
    "SELECT MEDIAN(age) AS m FROM patients": ("age", "patients", [0.5]),
    "SELECT QUANTILE_CONT(cost, 0.9) AS p90 FROM visits WHERE stay > 0": (
        "cost",
        "visits WHERE stay > 0",
        [0.9],
    ),
    """
    SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY cost) AS q1,
           PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY cost) AS q3
    FROM visits""": ("cost", "visits", [0.25, 0.75]),
    "SELECT MEDIAN(n) AS m FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) t": (
        "n",
        "(SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) t",
        [0.5],
    ),
    "SELECT MIN(age) AS low, MAX(age) AS high FROM patients": ("age", "patients", [0, 1]),
}
FOUND = {
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC": 1,
    "SELECT LOWER(ward) AS w, urgent, COUNT(*) AS n FROM visits GROUP BY w, urgent": 2,
    "SELECT visit // 10 AS tens, COUNT(*) AS n FROM visits GROUP BY tens": 1,
    "SELECT FLOOR(stay / 2) * 2 AS days, FLOOR(cost / 500) * 500 AS c, COUNT(*) AS n FROM visits GROUP BY days, c": 2,
    "SELECT ward, YEAR(day) AS y, COUNT(*) AS n FROM visits GROUP BY ward, y": 2,
}
COLUMNS = tuple(
    replace(column, values=None, low=None, high=None)
    if column.name in {"ward", "stay", "cost"}
    else column
    for column in clinic.VISITS.columns
)
STEP = 20  # of the grid on which costs are ranked, at most
AGES = {0: 0, 1: 120}  # the ends of the range of ages


@pytest.fixture(scope="module")
def plain():
    with clinic.plain(ROWS) as connection:
        yield connection


@pytest.fixture(scope="module")
def vault():
    # under which a rank is off by a row once in 10**9 answers
    with clinic.vault(Limit(10**6), ROWS) as opened:
        yield opened


@pytest.mark.parametrize("statement", list(RANKS))
def test_a_rank_is_near_the_one_that_is_asked_for(vault, plain, statement):
    column, rows, shares = RANKS[statement]
    release = vault.sql(statement, epsilon=10**4, raw=True)
    found = [release.rows[0][release.columns.index(name)] for name in release.measured]
    for value, share in zip(found, shares, strict=True):
        ends = [max(0.0, share - 0.05), min(1.0, share + 0.05)]
        low, high = plain.execute(f"SELECT QUANTILE_DISC({column}, {ends}) FROM {rows}").fetchone()[
            0
        ]
        # an extreme lies beyond all values now and then: anywhere up to the end of the range
        if share in AGES:
            low, high = min(low, AGES[share]), max(high, AGES[share])
        assert low - STEP <= value <= high + STEP


@pytest.mark.parametrize("statement", list(FOUND))
def test_keys_that_are_found_are_duckdbs_and_so_are_their_counts(plain, statement):
    keys, undeclared = FOUND[statement], replace(clinic.VISITS, columns=COLUMNS)
    with (
        clinic.no_noise(),
        clinic.vault(Limit(10**6, 1e-6), {undeclared: ROWS[clinic.VISITS]}) as opened,
    ):
        release = opened.sql(statement, epsilon=10**3, raw=True)
    wanted = {
        tuple(map(cell, row[:keys])): row[keys] for row in plain.execute(statement).fetchall()
    }
    found = {tuple(map(cell, row[:keys])): row[release.columns.index("n")] for row in release.rows}
    assert found
    assert set(found) <= set(wanted)
    assert all(count == pytest.approx(wanted[key], abs=0.01) for key, count in found.items())
