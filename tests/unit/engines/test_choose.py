"""The engine is where the tables are; tables of two places are not asked about together."""

import pytest

from tacit.engines import DuckDB, Postgres, open_connection, open_engine, source_of
from tacit.errors import InvalidData
from tests.database import knows_password, store
from tests.unit.engines.postgres.test_engine import ROWS, VISITS
from tests.unit.engines.tables import VISITS as OTHERS


def test_the_engine_is_where_the_tables_are():
    with knows_password():
        stored = store({VISITS: ROWS})
        with open_engine(stored, connection=open_connection()) as engine:
            assert isinstance(engine, Postgres)
        with open_engine({VISITS: source_of(ROWS)}) as engine:
            assert isinstance(engine, DuckDB)


def test_tables_of_two_places_are_refused():
    with knows_password(), pytest.raises(InvalidData, match="different databases"):
        open_engine({**store({VISITS: ROWS}), OTHERS: source_of([])})
