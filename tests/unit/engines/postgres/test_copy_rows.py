"""Rows that a curator may look at are copied with the declared columns alone."""

from tacit.engines import inspect_source, public_columns, read_public
from tacit.engines.postgres.copy_rows import copy_from_postgres
from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.engines.sources.source_kinds import Listed
from tacit.plan import Column, Kind, Table
from tests.database import knows_password, store
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


def test_a_table_is_copied_with_its_declared_columns():
    with knows_password():
        copied = copy_from_postgres(store({VISITS: ROWS})[VISITS], VISITS)
    assert isinstance(copied, Listed)
    assert copied.rows == [
        {name: row[name] for name in ("ward", "cost", "note", "patient")} for row in ROWS
    ]


def test_what_becomes_of_the_rows_is_counted():
    with knows_password():
        found = inspect_source(VISITS, store({VISITS: ROWS})[VISITS], 1)
    assert (found.rows, found.units, found.without_unit, found.heavy_units) == (4, 2, 1, 1)
    assert found.columns[1].out_of_range == 1


def test_a_linked_table_is_copied_with_the_tables_on_the_way():
    doses = Table("doses", (Column("dose", Kind.INTEGER, 0, 9),), unit="visit.patient")
    lines = Table("lines", (Column("visit", Kind.INTEGER), *doses.columns))
    stays = Table("stays", (Column("id", Kind.INTEGER), Column("patient", Kind.TEXT)))
    with knows_password():
        stored = store({lines: [{"visit": 1, "dose": 2}], stays: [{"id": 1, "patient": "ann"}]})
        linked = Linked(stored[lines], (Step("visit", stored[stays], "id"),), "patient")
        assert inspect_source(doses, linked).units == 1


def test_a_public_table_says_its_values():
    wards = Table("wards", (Column("ward", Kind.TEXT),), public=True)
    with knows_password():
        source = store({wards: [{"ward": "B"}, {"ward": "A"}]})[wards]
        assert public_columns("wards", source) == wards.columns
        found, _ = read_public(wards, source)
    assert found.columns[0].values == ("A", "B")
