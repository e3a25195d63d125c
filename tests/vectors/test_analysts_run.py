"""The statements of analysts, run on rows beside DuckDB: what docs/sql-coverage.md says of it is so."""

import json

import pytest
from sqlglot import exp, parse_one

from tests.vectors.run_analysts import (
    chooses_by_noise,
    disagreement,
    made_up_rows,
    open_vault,
    run,
)
from tests.vectors.test_analysts import RUN


@pytest.mark.soak
def test_what_is_answered_agrees_with_duckdb_and_with_the_page():
    """Intervals miss at most once in a hundred thousand runs; keys and choices are far apart in these rows."""
    found = run(made_up_rows())
    assert [each["differ"] for each in found.values()] == [{}, {}]
    assert found == json.loads(RUN.read_text(encoding="utf-8"))["made up"]


def test_a_wrong_answer_would_be_noticed():
    rows = {"diamonds": made_up_rows()["diamonds"][:200]}
    text = "SELECT cut, COUNT(*) AS n FROM diamonds GROUP BY cut"
    release = open_vault(rows, 0).sql(text, epsilon=500)
    exact = [(row["cut"], row["n"]) for row in release]
    assert disagreement(release, exact, text) is None
    assert "n of" in disagreement(release, [(exact[0][0], exact[0][1] + 9), *exact[1:]], text)
    assert "missing" in disagreement(release, [*exact, ("Other", 7)], text)
    assert "is no group" in disagreement(release, exact[1:], text)


def test_noise_may_exchange_groups_only_if_it_is_as_large_as_they_differ():
    rows = {"diamonds": made_up_rows()["diamonds"][:400]}
    counts = "SELECT cut, COUNT(*) AS n FROM diamonds GROUP BY cut"
    text = f"{counts} ORDER BY n DESC LIMIT 2"
    vault = open_vault(rows, 0)
    release = vault.sql(text, epsilon=500)
    every = [(row["cut"], row["n"]) for row in vault.sql(f"{counts} ORDER BY n DESC", epsilon=500)]
    assert disagreement(release, every[:2], text, every) is None
    assert "missing" in disagreement(release, every[-2:], text, every)
    assert "missing" in disagreement(release, every[1:3], text, every)
    tied = [every[0], ("Other", every[1][1])]  # that noise may have left out
    assert disagreement(release, tied, text, [*every, tied[1]]) is None
    chosen_exactly = "SELECT ward FROM (SELECT * FROM visits QUALIFY 1 = 1) GROUP BY ward"
    assert not any(map(chooses_by_noise, parse_one(chosen_exactly).find_all(exp.Select)))
