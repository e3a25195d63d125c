"""What DuckDB says never reaches a client: constants do, and names of the client's own statement."""

import duckdb
import pytest

from tacit.catalogue import postgres_errors
from tacit.catalogue.postgres_errors import refusal

CANARY = "canary_4711"
ERRORS = sorted(
    {
        each
        for each in vars(duckdb).values()
        if isinstance(each, type) and issubclass(each, duckdb.Error)
    },
    key=lambda each: each.__name__,
)
SAID = [
    "{}",
    'Binder Error: Referenced column "{}" not found in FROM clause!',
    'Table "x" does not have a column named "{}"',
    "Catalog Error: Table with name {} does not exist!",
    'Referenced table "{}" not found!',
    "Scalar Function with name {} does not exist!",
    "Macro {} does not support the supplied arguments",
    "No function matches the given name and argument types '{}(INTEGER)'. You might need to add casts",
    "Division by zero in expression ({} // 0). Use TRY(...) to return NULL",
    "Could not convert string '{}' to INT32",
]
CONSTANTS = {text for _, _, text in postgres_errors.KINDS} | {
    "the catalogue cannot answer this statement"
}


@pytest.mark.parametrize("said", SAID)
def test_what_duckdb_says_is_kept_for_the_curator(said):
    for kind in ERRORS:
        told = refusal(kind(said.format(CANARY) + "\nLINE 1: more"), "SELECT 1/0")
        assert told.message in CONSTANTS
        assert told.position is None
        assert CANARY in told.detail


@pytest.mark.parametrize("said", SAID[1:8])
def test_a_name_of_ones_own_statement_is_told_with_its_place(said):
    told = refusal(duckdb.BinderException(said.format(CANARY)), f"SELECT {CANARY}")
    assert CANARY in told.message
    assert told.position == 8
    assert not {"Error", "function matches", "casts"} & set(told.message.split())


def test_division_by_zero_is_told_as_postgresql_tells_it():
    told = refusal(duckdb.InvalidInputException(SAID[8].format("1")), "SELECT 1/0")
    assert (told.sqlstate, told.message) == ("22012", "division by zero")
