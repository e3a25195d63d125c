"""Tables that stay in PostgreSQL: one snapshot, nothing written, nothing said."""

from dataclasses import replace
from datetime import datetime
from threading import Thread
from time import monotonic, sleep
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tacit.engines import DuckDB, Gathered, Memory, Postgres, PostgresTable
from tacit.engines.postgres import connection
from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.errors import EngineFailed, InvalidData
from tacit.plan import (
    Axis,
    Coding,
    Column,
    Counted,
    Field,
    Keeping,
    Kind,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
    Weights,
    read_sql,
)
from tests.database import address, as_role, knows_password, new_role, quoted, store
from tests.postgres import fresh_schema, running

WARD = Column("ward", Kind.TEXT, values=("A", "B"))
COST = Column("cost", Kind.INTEGER, 0, 9)
NOTE = Column("note", Kind.TEXT)
VISITS = Table("visits", (WARD, COST, NOTE), unit="patient", contributions=2)
ROWS: list[dict[str, object]] = [
    {"patient": "ann", "ward": "A", "cost": 1, "note": "a"},
    {"patient": "ann", "ward": "B", "cost": 2, "note": "b"},
    {"patient": "bob", "ward": "A", "cost": 700, "note": "a"},
    {"patient": None, "ward": "A", "cost": 3, "note": "c"},
]
WEIGHTS = Weights(Weighing.L2, 2, 4, 10)
CANARY = "canary-7c1f"


@pytest.fixture(autouse=True)
def _password():
    with knows_password():
        yield


def asked(text: str, *, finding: bool = False) -> Question:
    return read_sql(text, {"visits": VISITS}, finding=finding).question


COUNTS = asked(
    "SELECT ward, COUNT(*) AS n, SUM(cost) AS s, COUNT(DISTINCT patient) AS p FROM visits GROUP BY ward"
)

UNKNOWN = asked("SELECT note, COUNT(*) AS n FROM visits GROUP BY note", finding=True)


def poisoned(name: str = "visits") -> PostgresTable:
    """A view that fails on the first row that somebody reads, and quotes a cell."""
    source, schema = store({VISITS: ROWS})[VISITS], fresh_schema()
    running().execute(
        f"CREATE VIEW {schema}.{name} AS SELECT patient, ward, "
        f"CAST('{CANARY}' || cost AS integer) AS cost, "
        f"CAST(CAST('{CANARY}' || note AS integer) AS text) AS note FROM {quoted(source)}"
    )
    return PostgresTable(source.address, schema, name)


def test_answers_are_those_of_the_other_engines():
    with Postgres(store({VISITS: ROWS})) as engine, DuckDB({VISITS: ROWS}) as other:
        engine.dry_run(COUNTS, WEIGHTS)
        expected = Memory({VISITS: ROWS}).evaluate(COUNTS, WEIGHTS).tolist()
        assert engine.evaluate(COUNTS, WEIGHTS).tolist() == expected
        assert other.evaluate(COUNTS, WEIGHTS).tolist() == expected
        assert not engine.has_fixed_rows


@pytest.mark.parametrize("norm", Weighing)
def test_units_weigh_what_they_weigh_in_memory(norm):
    """Many rows in one group and some in others, NULL among them; roots of doubles, and of numeric beyond."""
    rows = [
        {"patient": f"{most} {other}", "ward": ward, "cost": each % 7 or None, "note": None}
        for most in range(6)
        for other in range(4)
        for ward, times in (("A", most), ("B", other), ("C", 2))
        for each in range(times)
    ]
    memory = Memory({VISITS: rows})
    question = replace(COUNTS, measures=COUNTS.measures[:2])
    with Postgres(store({VISITS: rows})) as engine:
        for bound, bits in ((1, 20), (2, 10), (3, 20), (3, 26), (5, 0)):
            weights = Weights(norm, bound, 1, bits)
            found = engine.evaluate(question, weights).tolist()
            assert found == memory.evaluate(question, weights).tolist()


def test_a_role_needs_the_declared_columns_alone():
    source, role = store({VISITS: ROWS})[VISITS], new_role()
    running().execute(f"ALTER TABLE {quoted(source)} ADD COLUMN secret text")
    running().execute(
        f"GRANT USAGE ON SCHEMA {source.schema} TO {role}",
        f"GRANT SELECT (ward, cost, note) ON {quoted(source)} TO {role}",
    )
    with (
        pytest.raises(InvalidData, match="may not be read by this role"),
        Postgres({VISITS: as_role(source, role)}) as engine,
    ):
        engine.dry_run(COUNTS, WEIGHTS)
    running().execute(f"GRANT SELECT (patient) ON {quoted(source)} TO {role}")
    with Postgres({VISITS: as_role(source, role)}) as engine:
        engine.dry_run(COUNTS, WEIGHTS)
        assert engine.evaluate(COUNTS, WEIGHTS)[0][0] == 2 << 10


def test_a_dry_run_reads_no_row():
    with Postgres({VISITS: poisoned()}) as engine:
        engine.dry_run(COUNTS, WEIGHTS)
        engine.dry_run(UNKNOWN, WEIGHTS)
        engine.code(Coding(Scan(VISITS), (Axis(Field(WARD), ("A",)),)), WEIGHTS, rehearsing=True)
        with pytest.raises(EngineFailed):
            engine.evaluate(COUNTS, WEIGHTS)


def test_a_failure_after_the_charge_says_nothing():
    with Postgres({VISITS: poisoned()}) as engine:
        for fail in (
            lambda: engine.evaluate(COUNTS, WEIGHTS),
            lambda: engine.gather(UNKNOWN, Keeping(1, 0, b"")).__enter__(),
        ):
            with pytest.raises(EngineFailed) as raised:
                fail()
            error = raised.value
            assert str(error) == str(EngineFailed())
            assert error.__cause__ is None
            assert error.__context__ is None
            assert CANARY not in repr(error)


def test_every_question_sees_one_snapshot():
    source = store({VISITS: ROWS})[VISITS]

    def counted(gathered: Gathered) -> Any:
        places = range(len(gathered.weights))
        question = replace(UNKNOWN, found=tuple(gathered.keys(places)))
        return gathered.evaluate(places, question, WEIGHTS).tolist()

    with Postgres({VISITS: source}) as engine:
        with engine.gather(UNKNOWN, Keeping(5, 0, b"")) as gathered:
            before = counted(gathered)
            running().execute(f"INSERT INTO {quoted(source)} VALUES ('A', 5, 'a', 'eve')")
            assert counted(gathered) == before
        with engine.gather(UNKNOWN, Keeping(5, 0, b"")) as gathered:
            assert counted(gathered) != before


def test_nothing_can_be_written():
    source = store({VISITS: ROWS})[VISITS]
    with (
        Postgres({VISITS: source}) as engine,
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
        engine._pool.session() as session,
    ):
        session.connection.execute(f"DELETE FROM {quoted(source)}")


def test_settings_of_a_role_and_functions_of_others_change_nothing():
    """A zone, a style of dates and a search path of the role's own; functions called like PostgreSQL's."""
    moment = Column("at", Kind.TIMESTAMP)
    table = Table("visits", (*VISITS.columns, moment), unit="patient", contributions=2)
    rows = [{**row, "at": datetime(2024, 3, 31, 23, 30)} for row in ROWS]  # noqa: DTZ001
    source, role, schema = store({table: rows})[table], new_role(), fresh_schema()
    running().execute(
        f"GRANT USAGE ON SCHEMA {source.schema}, {schema} TO {role}",
        f"GRANT SELECT ON {quoted(source)} TO {role}",
        f"CREATE FUNCTION {schema}.octet_length(text) RETURNS integer LANGUAGE sql AS 'SELECT 1 / 0'",
        f"ALTER ROLE {role} SET search_path = {schema}, pg_catalog",
        f"ALTER ROLE {role} SET TimeZone = 'Pacific/Auckland'",
        f"ALTER ROLE {role} SET DateStyle = 'German'",
        f"ALTER ROLE {role} SET statement_timeout = '1ms'",
    )
    text = "SELECT COUNT(*) AS n, SUM(EXTRACT(day FROM at)) AS d FROM visits WHERE ward >= 'A'"
    question = read_sql(text, {"visits": table}).question
    with Postgres({table: as_role(source, role)}) as engine:
        assert (
            engine.evaluate(question, WEIGHTS).tolist()
            == Memory({table: rows}).evaluate(question, WEIGHTS).tolist()
        )


def test_a_roles_own_timeout_ends_no_statement_of_ours():
    """Before the first of our statements runs, its limit is ours: a millisecond is too short on a busy machine."""
    role = new_role()
    running().execute(f"ALTER ROLE {role} SET statement_timeout = '1ms'")
    with patch.object(connection, "_make_settings"):
        pool = connection.Pool(address(role), 90)
        with pool.session() as session:
            assert session.fetch("SHOW statement_timeout").rows == [("90s",)]
        pool.close()


def test_the_options_of_an_address_are_kept():
    """Row security may hang on them: other rows would be read without."""
    own = make_conninfo(address(), options="-c app.tenant=5")
    pool = connection.Pool(own, 90)
    with pool.session() as session:
        assert session.fetch("SHOW app.tenant").rows == [("5",)]
    pool.close()


def test_a_pooler_that_takes_no_options_is_connected_to_without():
    given, connect = list[str](), psycopg.connect

    def refuse(known: str, **settings: Any) -> Any:
        given.append(known)
        if "options" in known:
            raise psycopg.OperationalError("FATAL: unsupported startup parameter: options")
        return connect(known, **settings)

    pool = connection.Pool(address(), 90)
    with patch.object(psycopg, "connect", refuse), pool.session() as session:
        assert session.fetch("SHOW statement_timeout").rows == [("90s",)]
    pool.close()
    assert len(given) == 2


def test_the_secret_of_keys_is_in_no_statement():
    source, keeping = store({VISITS: ROWS})[VISITS], Keeping(2, 10, b"a secret of 16 by")
    seen, fetch = list[str](), connection.Session.fetch

    def noted(self: connection.Session, sql: str) -> Any:
        seen.append(sql)
        return fetch(self, sql)

    with patch.object(connection.Session, "fetch", noted), Postgres({VISITS: source}) as engine:
        engine.dry_run(UNKNOWN, WEIGHTS)
        with engine.gather(UNKNOWN, keeping) as one:
            found = one.keys(range(len(one.weights))), one.weights.tolist()
    with Memory({VISITS: ROWS}).gather(UNKNOWN, keeping) as two:
        assert found == (two.keys(range(len(two.weights))), two.weights.tolist())
    asked_for = [sql for sql in seen if "sha256" in sql]
    assert len(asked_for) == 4  # two are rehearsed
    assert not [sql for sql in seen if keeping.secret.hex() in sql]


def test_a_question_that_runs_can_be_stopped():
    source, schema = store({VISITS: ROWS})[VISITS], fresh_schema()
    running().execute(
        f"CREATE VIEW {schema}.slow AS SELECT v.* FROM {quoted(source)} AS v CROSS JOIN pg_sleep(60) AS s"
    )
    with Postgres({VISITS: PostgresTable(source.address, schema, "slow")}) as engine:
        check_stopped(engine, COUNTS, 0.05)


def check_stopped(engine: Any, question: Question, pause: float) -> None:
    """Ask, and stop whatever runs until there is an end."""
    found: list[object] = []

    def ask() -> None:
        try:
            found.append(engine.evaluate(question, WEIGHTS))
        except EngineFailed as failure:
            found.append(failure)

    thread = Thread(target=ask)
    thread.start()
    end = monotonic() + 60
    while not found and monotonic() < end:
        sleep(pause)
        engine.interrupt()
    thread.join(60)
    assert isinstance(found[0], EngineFailed)


def test_units_are_found_along_foreign_keys():
    check_foreign_keys(Postgres, store, Kind.INTEGER, (1, 1, 1, 1, 2, None, 9))


def check_foreign_keys(engine_over: Any, store_rows: Any, kind: Kind, keys: Any) -> None:
    """Doses of visits of patients, of whom two share the number of a visit."""
    doses = Table(
        "doses", (Column("dose", Kind.INTEGER, 0, 9),), unit="visit.patient", contributions=3
    )
    stays = Table("stays", (Column("id", Kind.INTEGER), Column("patient", Kind.TEXT)))
    lines = Table("lines", (Column("visit", kind), *doses.columns))
    visits = [{"id": 1, "patient": "ann"}, {"id": 2, "patient": "bob"}, {"id": 2, "patient": "eve"}]
    given = [{"visit": each, "dose": 3} for each in keys]
    stored = store_rows({stays: visits, lines: given})
    question = Question(Scan(doses), (), (Counted(), Units()))
    linked = Linked(stored[lines], (Step("visit", stored[stays], "id"),), "patient")
    other = Linked(given, (Step("visit", visits, "id"),), "patient")
    with engine_over({doses: linked}) as engine:
        engine.dry_run(question, WEIGHTS)
        expected = Memory({doses: other}).evaluate(question, WEIGHTS).tolist()
        assert expected[0][1] == 2 << 10
        assert engine.evaluate(question, WEIGHTS).tolist() == expected


def test_rows_are_coded_as_in_the_other_engines():
    coding = Coding(Scan(VISITS), (Axis(Field(WARD), ("A", "B")),))
    with Postgres(store({VISITS: ROWS})) as engine:
        one = engine.code(coding, WEIGHTS)
        two = Memory({VISITS: ROWS}).code(coding, WEIGHTS)
        assert sorted(one.codes[0].tolist()) == sorted(two.codes[0].tolist())


def test_every_type_is_read_as_what_it_is():
    schema = fresh_schema()
    running().execute(
        f"CREATE TYPE {schema}.mood AS ENUM ('sad', 'glad')",
        f"CREATE DOMAIN {schema}.age AS integer CHECK (VALUE >= 0)",
        f"CREATE TABLE {schema}.t (a smallint, b numeric(9,2), c numeric, d numeric(12), e varchar(9), "
        f"f char(5), g uuid, h {schema}.mood, i {schema}.age, j real, k timestamptz, l boolean)",
        f"INSERT INTO {schema}.t VALUES (7, 1.25, 'NaN', 12, 'x', 'y', "
        f"'00000000-0000-0000-0000-000000000007', 'glad', 9, 0.5, '2024-01-01 01:00+02', true), "
        f"(NULL, NULL, 1e400, NULL, NULL, NULL, NULL, NULL, NULL, 'infinity', 'infinity', NULL)",
    )
    kinds = {
        **dict.fromkeys("adi", Kind.INTEGER),
        **dict.fromkeys("bcj", Kind.NUMBER),
        **dict.fromkeys("efgh", Kind.TEXT),
        "k": Kind.TIMESTAMP,
        "l": Kind.BOOLEAN,
    }
    columns = tuple(
        Column(name, kind, 0, 100) if kind in {Kind.INTEGER, Kind.NUMBER} else Column(name, kind)
        for name, kind in sorted(kinds.items())
    )
    table = Table("t", columns)
    sums = ", ".join(f"SUM({name}) AS {name}" for name in "adibcj")
    texts = "e = 'x' AND f = 'y' AND g LIKE '%7' AND h > 'gl' AND EXTRACT(day FROM k) = 31 AND l"
    text = f"SELECT {sums}, SUM(CASE WHEN {texts} THEN 1 ELSE 0 END) AS m FROM t"
    rows = [
        {"a": 7, "b": 1.25, "c": float("nan"), "d": 12, "e": "x", "f": "y", "h": "glad", "i": 9}
        | {"j": 0.5, "k": datetime(2023, 12, 31, 23), "l": True, "g": "0-7"},  # noqa: DTZ001
        {**dict.fromkeys(kinds), "c": float("inf"), "j": float("inf")},
    ]
    question, weights = read_sql(text, {"t": table}).question, Weights(Weighing.L1, 1, 1, 0)
    with Postgres({table: PostgresTable(address(), schema, "t")}) as engine:
        engine.dry_run(question, weights)
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory({table: rows}).evaluate(question, weights).tolist()
    assert found[0][-1] == 1


def test_a_unit_that_is_a_double_is_refused():
    table = Table("t", (Column("x", Kind.NUMBER, 0, 1),), unit="x")
    source = store({Table("t", table.columns): []})
    with pytest.raises(InvalidData, match="an integer, a text, a uuid or a date"):
        Postgres({table: next(iter(source.values()))})


def test_a_public_table_that_is_not_unique_is_refused():
    table = Table("codes", (Column("code", Kind.TEXT),), public=True, unique=("code",))
    with pytest.raises(InvalidData, match="code"):
        Postgres(store({table: [{"code": "a"}, {"code": "a"}]}))


def test_closed_engines_fail():
    engine = Postgres(store({VISITS: ROWS}))
    engine.close()
    with pytest.raises(EngineFailed):
        engine.evaluate(COUNTS, WEIGHTS)
