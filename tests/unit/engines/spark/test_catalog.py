"""What a cluster says of a table: its columns, by a statement that is not run."""

import pytest

from tacit.engines.spark.catalog import read_columns, read_type
from tests import spark
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


@pytest.mark.parametrize(
    ("declared", "stored"),
    [
        ("tinyint", "BIGINT"),
        ("decimal(18,0)", "BIGINT"),
        ("decimal(19,0)", "DOUBLE"),
        ("decimal(9,2)", "DOUBLE"),
        ("float", "DOUBLE"),
        ("string", "VARCHAR"),
        ("string collate UTF8_LCASE", "VARCHAR"),
        ("timestamp", "TIMESTAMP"),
        ("binary", None),
        ("array<int>", None),
    ],
)
def test_types_are_read_as_what_they_are(declared, stored):
    assert read_type(declared)[0] == stored


def test_columns_are_those_of_the_table():
    found = read_columns(spark.store({VISITS: ROWS})[VISITS])
    assert {name: column.stored for name, column in found.items()} == {
        "ward": "VARCHAR",
        "cost": "BIGINT",
        "note": "VARCHAR",
        "patient": "VARCHAR",
    }
