"""What the catalogue says: types, and no value of the data."""

from pathlib import Path

import pytest

import tacit.engines.postgres
from tacit.engines import stored_kinds, stored_types
from tacit.engines.postgres.catalog import _read_type, read_columns
from tacit.errors import InvalidData
from tacit.plan import Kind
from tests.database import knows_password, store
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


def test_no_statistics_are_ever_read():
    """pg_stats shows values of every column that a role may read; estimates of rows are statistics, too."""
    for path in Path(tacit.engines.postgres.__file__).parent.glob("*.py"):
        statements = path.read_text().partition('\n"""\n')[2]
        for each in ("pg_stats", "pg_statistic", "reltuples", "pg_stat_"):
            assert each not in statements, f"{path.name}: {each}"


@pytest.mark.parametrize(
    ("declared", "stored"),
    [
        ("integer", "BIGINT"),
        ("numeric(18,0)", "BIGINT"),
        ("numeric(19,0)", "DOUBLE"),
        ("numeric", "DOUBLE"),
        ("character varying(20)", "VARCHAR"),
        ("timestamp(3) with time zone", "TIMESTAMP"),
        ("timestamp without time zone", "TIMESTAMP"),
        ("bytea", None),
        ("integer[]", None),
    ],
)
def test_types_are_read_as_what_they_hold(declared, stored):
    assert _read_type(declared)[0] == stored


def test_moments_with_a_zone_are_those_of_utc():
    assert "AT TIME ZONE 'UTC'" in _read_type("timestamp(3) with time zone")[1]


def test_a_source_says_its_kinds_and_its_types():
    with knows_password():
        source = store({VISITS: ROWS})[VISITS]
        assert stored_kinds(source)["cost"] == (Kind.INTEGER, Kind.NUMBER)
        assert stored_types(source) == {
            "ward": "text",
            "cost": "bigint",
            "note": "text",
            "patient": "text",
        }
        assert list(read_columns(source)) == ["ward", "cost", "note", "patient"]


def test_without_a_password_the_fault_is_said(monkeypatch):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", "/nowhere")
    source = store({VISITS: ROWS})[VISITS]
    with pytest.raises(InvalidData, match="PGPASSWORD or"):
        stored_kinds(source)
