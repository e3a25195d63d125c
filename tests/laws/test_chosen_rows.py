"""Lists of constants, tuples, rows that DISTINCT ON chooses and modes keep the promise on poisoned neighbours.

Every statement takes the way of those that the grammar writes: the exact integers move no further than is claimed,
engines agree on them, and nothing else that leaves tells neighbours apart.
"""

# ruff: noqa: E501 -- a statement stands on one line

from random import Random

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import read_sql
from tacit.privacy import Neighbours
from tests.laws.statement_checks import check_statement
from tests.laws.statement_grammar import TABLES, Statement
from tests.laws.statement_worlds import VARIANTS, make_world

_WARDS = "(VALUES ('A', 1, 'low'), ('B', -2, NULL)) AS f(w, level, word)"
STATEMENTS = {
    "constants by key": f"SELECT f.level, COUNT(*) AS n FROM visits v JOIN {_WARDS} ON v.ward = f.w GROUP BY f.level",
    "constants summed": f"SELECT SUM(f.level * v.age) AS s, COUNT(f.word) AS k FROM visits v LEFT JOIN {_WARDS} ON v.ward = f.w",
    "constants of rows that are units": f"SELECT word, SUM(t.km + level) AS s FROM trips t JOIN {_WARDS} ON ward = w GROUP BY word",
    "constants of a calculation": (
        "SELECT COUNT(*) AS n FROM doses d JOIN (VALUES (0, 1.5), (1, 2.5)) AS f(k, x) ON d.times % 2 = f.k WHERE f.x > 2"
    ),
    "constants inside": (
        f"SELECT AVG(s) AS m FROM (SELECT person, SUM(level) AS s FROM visits JOIN {_WARDS} ON ward = w GROUP BY person)"
    ),
    "tuples": 'SELECT COUNT(DISTINCT (ward, "Two Words", urgent)) AS n FROM visits',
    "tuples by key": "SELECT test, COUNT(DISTINCT (code, CAST(taken AS DATE))) FILTER (WHERE value > 3) AS n FROM labs GROUP BY test",
    "tuples of rows that are units": 'SELECT ward, COUNT(DISTINCT (note, late, "on day")) AS n FROM trips GROUP BY ward',
    "tuples and unknown keys": "SELECT drug, COUNT(DISTINCT (oral, times)) AS n FROM doses GROUP BY drug",
    "the first row": "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM (SELECT DISTINCT ON (person) * FROM visits ORDER BY day) GROUP BY ward",
    "the last row of each key": (
        "SELECT SUM(mg) AS s FROM (SELECT DISTINCT ON (who, oral) who, mg, oral FROM doses ORDER BY who, given DESC, mg)"
    ),
    "any row": "SELECT test, COUNT(*) AS n FROM (SELECT DISTINCT ON (id) test, value FROM labs WHERE value > 1) GROUP BY test",
    "the first row that is joined": (
        "SELECT AVG(v.age) AS m FROM visits v JOIN (SELECT DISTINCT ON (who) who, mg FROM doses ORDER BY mg DESC) d ON v.person = d.who"
    ),
    "modes": "SELECT urgent, MODE(ward) AS w FROM visits GROUP BY urgent",
    "modes of unknown keys": "SELECT oral, MODE(drug) AS d FROM doses GROUP BY oral",
    "a page of a page": "SELECT * FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward LIMIT 2) x LIMIT 1 OFFSET 1",
}


@pytest.fixture(autouse=True)
def _the_same_moment(monkeypatch):
    """When a question is asked is written down, and is no part of what is compared here."""
    monkeypatch.setattr("tacit.ledger.memory.now", lambda: "2026-01-01T00:00:00Z")


@pytest.fixture(scope="module", params=[11, pytest.param(12, marks=pytest.mark.soak)])
def world(request):
    made = make_world(request.param)
    yield made
    made.close()


@pytest.mark.parametrize("name", STATEMENTS)
def test_they_keep_their_promise(world, name):
    text, moved = STATEMENTS[name], 0
    finding = "drug" in text
    for relation in Neighbours:
        dice = Random(name)
        chosen = (0, *dice.sample(range(1, len(VARIANTS) + 1), 3))
        statement = Statement(text, frozenset(), exact=True, finding=finding)
        whole = relation is Neighbours.ADD_OR_REMOVE  # the way through vaults, and DuckDB
        found = check_statement(statement, world, chosen, relation, compare=whole, leave=whole)
        assert found.refused is None
        moved += found.moved
    assert moved


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "SELECT COUNT(*) AS n FROM (SELECT DISTINCT ON (ward) person, ward FROM visits)",
            "without the unit would choose among rows of several units",
        ),
        (
            "SELECT COUNT(*) AS n FROM (SELECT DISTINCT ON (person) person, COUNT(*) AS n FROM visits GROUP BY person)",
            "cannot be combined with GROUP BY",
        ),
        ("SELECT DISTINCT ON (ward) ward, COUNT(*) AS n FROM visits GROUP BY ward", "chooses rows"),
    ],
)
def test_rows_are_chosen_within_a_unit(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read_sql(text, TABLES)
