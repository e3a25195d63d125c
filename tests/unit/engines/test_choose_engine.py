"""The engine is where the tables are; tables of two places are not asked about together."""

import pytest

from tacit.engines import DuckDB, Postgres, Rights, Spark, open_connection, open_engine, source_of
from tacit.engines.choose_engine import rights_of
from tacit.errors import InvalidData
from tests import spark
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
    with open_engine(spark.store({VISITS: ROWS})) as engine:
        assert isinstance(engine, Spark)


@pytest.mark.parametrize(
    "other",
    [
        [],
        "spark://127.0.0.1:15002/visits",
        "postgresql://127.0.0.1/clinic/public.visits",
    ],
)
def test_tables_of_two_places_are_refused(other):
    for address in ("postgresql://host/clinic/public.visits", "spark://host/visits"):
        with pytest.raises(InvalidData, match="different databases"):
            open_engine({VISITS: source_of(address), OTHERS: source_of(other)})


def test_rights_of_several_places_are_said_together():
    both = Rights(("a",), ("b",)) + Rights(("a", "c"))
    assert both == Rights(("a", "c"), ("b",))
    assert rights_of({VISITS: source_of(ROWS)}) == Rights()
