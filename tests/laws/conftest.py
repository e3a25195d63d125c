"""What all laws share: DuckDB optimises every statement, as it does for tables of many rows, and is opened seldom."""

from unittest.mock import patch

import pytest

from tacit.engines.duckdb import engine as duckdb
from tests.scratch import reused_databases


@pytest.fixture(scope="session", autouse=True)
def _no_table_is_small():
    with patch.object(duckdb, "FEW", -1):
        yield


@pytest.fixture(scope="module", autouse=True)  # tests of other folders run in the same session
def _opened_seldom():
    with reused_databases():
        yield
