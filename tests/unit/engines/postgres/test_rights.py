"""What a role may do: what it lacks, and what it need not be allowed."""

from tacit.engines import rights_of
from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.plan import Column, Kind, Table
from tests.database import as_role, knows_password, new_role, quoted, store
from tests.postgres import running
from tests.unit.engines.postgres.test_engine import ROWS, VISITS


def test_a_role_is_told_what_it_lacks_and_what_it_has_too_much():
    source, role = store({VISITS: ROWS})[VISITS], new_role()
    tables = {VISITS: as_role(source, role)}
    with knows_password():
        assert rights_of(tables).missing == (f"it may not use the schema {source.schema!r}",)
        running().execute(
            f"GRANT USAGE ON SCHEMA {source.schema} TO {role}",
            f"GRANT SELECT (ward, cost, note) ON {quoted(source)} TO {role}",
        )
        (lacking,) = rights_of(tables).missing
        assert "column 'patient'" in lacking
        running().execute(f"GRANT SELECT (patient) ON {quoted(source)} TO {role}")
        assert rights_of(tables) == type(rights_of({}))()
        running().execute(
            f"ALTER TABLE {quoted(source)} ADD COLUMN secret text",
            f"GRANT SELECT, UPDATE ON {quoted(source)} TO {role}",
            f"ALTER TABLE {quoted(source)} ENABLE ROW LEVEL SECURITY",
            f"ALTER ROLE {role} CREATEDB",
        )
        excess = "\n".join(rights_of(tables).excess)
    for each in (
        "may create databases",
        "may write",
        "other columns",
        "secret",
        "row-level security",
    ):
        assert each in excess


def test_the_owner_of_everything_has_too_many_rights():
    with knows_password():
        excess = rights_of({VISITS: store({VISITS: ROWS})[VISITS]}).excess
    assert "is a superuser" in excess
    assert any(each.startswith("owns") for each in excess)


def test_the_tables_on_the_way_to_a_unit_are_looked_at_too():
    doses = Table("doses", (Column("dose", Kind.INTEGER, 0, 9),), unit="visit.patient")
    lines = Table("lines", (Column("visit", Kind.INTEGER), *doses.columns))
    stays = Table("stays", (Column("id", Kind.INTEGER), Column("patient", Kind.TEXT)))
    stored, role = store({lines: [], stays: []}), new_role()
    running().execute(
        f"GRANT USAGE ON SCHEMA {stored[lines].schema} TO {role}",
        f"GRANT SELECT ON {quoted(stored[lines])} TO {role}",
    )
    step = Step("visit", as_role(stored[stays], role), "id")
    with knows_password():
        lacking = rights_of(
            {doses: Linked(as_role(stored[lines], role), (step,), "patient")}
        ).missing
    assert [each.split("'")[1] for each in lacking] == ["id", "patient"]
