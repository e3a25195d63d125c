"""The statements of analysts, run on rows beside DuckDB: what docs/sql-coverage.md says of it is so."""

import json

import pytest

from tests.vectors.run_analysts import disagreement, made_up_rows, open_vault, run
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
