"""Names and values that are written to end where they stand: nothing they say is run, nothing of a request stays."""

import pytest

from tacit.catalogue import CatalogueError, Column
from tacit.catalogue.database import Database
from tacit.catalogue.worker import answer
from tests.unit.catalogue.clinic import database

RUN = "CREATE OR REPLACE MACRO main.upper(x) AS 'forged'; CREATE SEQUENCE main.s; DELETE FROM cat.pg_description"
HOSTILE = (
    f'a" BIGINT); {RUN}; --',
    f'a"; {RUN}; --',
    f'a""; {RUN}; --',
    f"a'; {RUN}; --",
    f"a''; {RUN}; --",
    f'a" FROM cat.pg_class); {RUN}; SELECT ("',
    f'a\\"; {RUN}; --',
    f"a\\'; {RUN}; --",
    f"a */ ; {RUN}; /*",
    f"a\n; {RUN}; --",
    f"a\r\n-- \n; {RUN}; --",
    f"$$; {RUN}; --$$",
    f'a\0"; {RUN}; --',
    f'\0"); {RUN}; --',
    f'\u201d"; {RUN}; --',
    f'{"x" * 10_000}"; {RUN}; --',
    '"' * 999,
    "'" * 999,
    ";",
    "--",
    "/*",
    "",
    " ",
    "\\",
    "{}",
    "$1",
    "\ud800",
)
SECRET = {"session_authorization": "ben", "application_name": "ben-7f3a", "tacit.epsilon": "0.7f3a"}
KEPT = (
    "SELECT schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
    "SELECT schema_name, table_name, sql, estimated_size FROM duckdb_tables()",
    "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal",
    "SELECT schema_name, sequence_name, last_value FROM duckdb_sequences()",
    "SELECT schema_name FROM duckdb_schemas()",
    "SELECT type_name FROM duckdb_types() WHERE NOT internal",
    "SELECT name, value FROM duckdb_variables()",
    "SELECT name, statement FROM duckdb_prepared_statements()",
    "SELECT name, value FROM duckdb_settings() WHERE name <> 'Calendar'",
    "SELECT k_name, k_value FROM fn.k_setting",
    "SELECT oid, rolname FROM cat.pg_authid",
    "SELECT name, setting FROM cat.pg_settings",
    "SELECT objoid, description FROM cat.pg_description",
)


def state(made: Database) -> list[list[str]]:
    """What the process holds: macros, tables, views, sequences, variables and settings."""
    return [sorted(map(repr, made._connection.execute(each).fetchall())) for each in KEPT]


def in_quotes(name: str) -> str:
    """A name as a client quotes it."""
    return '"' + name.replace('"', '""') + '"'


def in_apostrophes(value: str) -> str:
    """A text as a client quotes it."""
    return "'" + value.replace("'", "''") + "'"


def requests(nasty: str):
    """Requests that carry one hostile text in each place where a text can stand."""
    plain = {"t": ((Column("k"),), [["a"]])}
    name, value = in_quotes(nasty), in_apostrophes(nasty)
    yield "SELECT * FROM t", (), {}, {"t": ((Column(nasty), Column("n", 20)), [["a"], [1]])}
    yield f"SELECT {name} FROM t", (), {}, {"t": ((Column(nasty),), [["a"]])}
    yield f"SELECT * FROM {name}", (), {}, {nasty: ((Column("k"),), [["a"]])}
    yield f"SELECT * FROM {name}.t", (), {}, {f"{nasty}.t": ((Column("k"),), [["a"]])}
    yield f"SELECT k AS {name} FROM t", (), {}, plain
    yield f"SELECT {name}.k FROM t AS {name}", (), {}, plain
    yield f"SELECT {name}.{name} FROM t AS {name}({name})", (), {}, plain
    yield f"SELECT * FROM (SELECT k AS {name} FROM t) AS {name}", (), {}, plain
    yield f"WITH {name} AS (SELECT 1 AS {name}) SELECT {name} FROM {name}", (), {}, {}
    yield f"SELECT * FROM unnest(ARRAY[1]) WITH ORDINALITY AS {name}({name}, n)", (), {}, {}
    yield f"SELECT * FROM generate_series(1, 2) AS {name}", (), {}, {}
    yield f"SELECT {name}(1)", (), {}, {}
    yield f"SELECT 1::{name}", (), {}, {}
    yield f"SELECT 'a' COLLATE {name}", (), {}, {}
    yield f"SELECT {value}, {value}::regclass", (), {}, {}
    yield f"SELECT E{value}", (), {}, {}
    yield f"SELECT to_regclass({value}), {value}::name[]", (), {}, {}
    yield f"SELECT set_config({value}, {value}, false)", (), {}, {}
    yield f"SELECT current_setting({value}, true)", (), {}, {}
    yield f"SELECT '{{}}'::json -> {value}", (), {}, {}
    yield f"SELECT 1 /* {nasty} */", (), {}, {}
    yield f"SELECT 1 -- {nasty}", (), {}, {}
    yield "SELECT $1", (nasty,), {}, {}
    yield "SELECT $1::regclass", (nasty,), {}, {}
    yield "SELECT relname FROM pg_class WHERE relname = ANY($1)", ([nasty],), {}, {}
    yield "SELECT current_user, current_setting('a.b')", (), {"a.b": nasty}, {}
    yield "SELECT current_setting($1)", (nasty,), {nasty: nasty}, {}
    yield "SELECT current_user, rolname FROM pg_roles", (), {"session_authorization": nasty}, {}
    yield "SELECT k FROM t", (), {}, {"t": ((Column("k"),), [[nasty]])}


def ask(made: Database, sql: str, parameters=(), settings=None, tables=None) -> list[str]:
    """What is said to a description and to a question, as texts; a refusal is an answer."""
    encoded = {
        name: {"columns": [[c.name, c.oid, -1, None, True] for c in columns], "values": values}
        for name, (columns, values) in (tables or {}).items()
    }
    common = {"sql": sql, "settings": settings or {}, "tables": encoded}
    described = answer(made, {"do": "columns", "types": [], **common})
    return [repr(described), repr(answer(made, {"do": "ask", "parameters": parameters, **common}))]


FIRST = (0, 3, 6, 12, 16)  # one of each kind; the others are tried in soak


@pytest.mark.parametrize(
    "number",
    [
        number if number in FIRST else pytest.param(number, marks=pytest.mark.soak)
        for number in range(len(HOSTILE))
    ],
)
def test_no_text_is_run_wherever_it_stands_and_nothing_stays(number):
    made, nasty = database(), HOSTILE[number]
    ask(made, "SELECT rolname, setting FROM pg_roles, pg_settings LIMIT 1")  # loads what it reads
    before = state(made)
    refused = 0
    for sql, parameters, settings, tables in requests(nasty):
        ask(made, "SELECT current_user", (), SECRET)
        said = ask(made, sql, parameters, settings, tables)
        refused += sum("'error'" in each for each in said)
        assert not any("7f3a" in each for each in said), sql
    assert state(made) == before
    assert refused < 58
    assert made.ask("SELECT upper('x')").rows == (("X",),)


def test_a_column_may_have_any_name_and_is_read_by_it():
    for nasty in HOSTILE[:12]:
        released = {"t": ((Column(nasty), Column("n", 20)), [["a"], [1]])}
        sql = f"SELECT {in_quotes(nasty)}, * FROM t"
        assert database().ask(sql, (), {}, released).rows == (("a", "a", 1),)
        named = [each.name for each in database().columns("SELECT * FROM t", (), {}, released)]
        assert named == [nasty, "n"]


def test_a_text_of_several_statements_is_not_run():
    before = state(database())
    for sql in ("SELECT 1; SELECT 2", f"SELECT 1; {RUN}", "", "SELECT 1\0", f"SELECT 1;;{RUN}"):
        with pytest.raises(CatalogueError):
            database()._run(sql)
    with pytest.raises(CatalogueError, match="answers only queries"):
        database()._read("DELETE FROM cat.pg_description")
    assert state(database()) == before


def test_whatever_a_request_changes_is_rolled_back():
    made = database()
    before = state(made)
    with made._request(SECRET):
        for each in RUN.split("; "):
            made._run(each)
        assert state(made) != before
    assert state(made) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT current_setting('application_name', true), current_user",
        "SELECT k, current_setting('tacit.epsilon', true) FROM t",
        "SELECT setting FROM pg_settings WHERE setting LIKE '%7f3a%'",
        "SELECT rolname FROM pg_roles WHERE rolname = 'ben'",
        "SELECT table_owner FROM pg_tables, information_schema.tables WHERE tableowner = 'ben'",
        "SELECT grantee FROM information_schema.table_privileges WHERE grantee = 'ben'",
        "SELECT catalog_name FROM information_schema.schemata WHERE schema_owner = 'ben'",
        "SELECT 'ben'::regrole",
    ],
)
def test_what_another_session_set_is_not_seen_when_described_or_asked(sql):
    made, own = database(), {"t": ((Column("k"),), [["a"]])}
    # Views are made when they are first read: of those it reads, the other session is the first reader.
    ask(made, sql, (), SECRET, own)
    assert not any("7f3a" in each or "'ben'" in each for each in ask(made, sql, (), {}, own))
