"""IN and NOT IN over columns of public tables, with values that are there twice, and NULL: as SQL says, in all engines."""

# ruff: noqa: E501 -- a statement stands on one line

import duckdb
import pandas as pd
import pytest

import tacit
from tacit.plan import owner_of, read_asked
from tacit.plan.model.ownership import Owner, multiplicity

VISITS = [
    {
        "patient": at // 3,
        "ward": "ABCD"[at % 4] if at % 7 else None,
        "floor": at % 5,
        "cost": at % 11,
    }
    for at in range(60)
]
ROOMS = [
    {"ward": "A", "floor": 1, "price": 1.0, "kind": "x"},
    {"ward": "A", "floor": 2, "price": 2.0, "kind": "x"},
    {"ward": "B", "floor": 1, "price": 1.0, "kind": "y"},
    {"ward": None, "floor": None, "price": 2.5, "kind": "z"},
]
STATEMENTS = [
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM rooms)",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM rooms WHERE kind = 'x')",
    "SELECT COUNT(*) AS n FROM visits WHERE ward NOT IN (SELECT ward FROM rooms)",
    "SELECT COUNT(*) AS n FROM visits WHERE ward NOT IN (SELECT ward FROM rooms WHERE ward IS NOT NULL)",
    "SELECT COUNT(*) AS n FROM visits WHERE ward NOT IN (SELECT ward FROM rooms WHERE kind <> 'z')",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM rooms) OR cost > 8",
    "SELECT COUNT(*) AS n FROM visits WHERE NOT (ward IN (SELECT ward FROM rooms WHERE kind = 'y') OR cost > 8)",
    "SELECT COUNT(*) AS n FROM visits WHERE floor IN (SELECT floor FROM rooms)",
    "SELECT COUNT(*) AS n FROM visits WHERE floor NOT IN (SELECT floor FROM rooms WHERE kind = 'x')",
    "SELECT COUNT(*) AS n FROM visits WHERE floor IN (SELECT price FROM rooms)",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT DISTINCT ward FROM rooms)",
    "SELECT SUM(CASE WHEN ward IN (SELECT ward FROM rooms) THEN cost ELSE 0 END) AS n FROM visits",
    "SELECT COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM rooms) AND floor NOT IN (SELECT floor FROM rooms WHERE floor IS NOT NULL)",
]


def vault_of(unit, contributions):
    columns = {
        "ward": ["A", "B", "C", "D"],
        "floor": {"type": "integer", "low": 0, "high": 9},
        "cost": {"type": "integer", "low": 0, "high": 10},
    }
    return tacit.protect(
        {"visits": VISITS},
        unit=unit,
        contributions=contributions,
        epsilon=10**6,
        columns={"visits": columns},
        public={"rooms": ROOMS},
    )


@pytest.fixture(scope="module", params=["patient", "row"])
def vault(request):
    return vault_of(request.param, 3 if request.param == "patient" else 1)


@pytest.mark.parametrize("text", STATEMENTS, ids=map(str, range(len(STATEMENTS))))
def test_a_value_is_looked_up_as_sql_says(vault, text):
    visits, rooms = pd.DataFrame(VISITS), pd.DataFrame(ROOMS)
    assert len(visits) > len(rooms)  # DuckDB reads both by their names
    ((exact,),) = duckdb.sql(text).fetchall()
    assert vault.sql(text, epsilon=500)["n"][0] == exact


def test_values_of_public_rows_are_nobodys_and_each_meets_a_row_once(vault):
    tables = {name: each.asked_table for name, each in vault._access.read_tables().items()}
    plan, _ = read_asked(STATEMENTS[0], tables)
    rows = plan.question.rows
    assert owner_of(rows) is not Owner.NOBODY
    if vault.policy.unit == "row":
        assert multiplicity(rows) == 1
