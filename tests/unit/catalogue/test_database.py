"""Statements about the catalogue, and what they are answered."""

import duckdb
import pytest

from tacit.catalogue import Answer, CatalogueError, Column
from tacit.catalogue.built_in import relations
from tests.unit.catalogue.clinic import database, rows

LABS = "'labs'::regclass"


def test_tables_and_columns_are_those_that_are_declared():
    said = rows(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.oid = 'public.labs'::regclass AND a.attnum > 0 ORDER BY a.attnum"
    )
    assert said == [
        ("labs", "patient", "text", False),
        ("labs", "test", "text", False),
        ("labs", "value", "double precision", True),
        ("labs", "day", "bigint", False),
    ]


def test_comments_tell_what_is_declared():
    said = "SELECT obj_description('patients'::regclass, 'pg_class'), col_description('patients'::regclass, 2)"
    assert rows(said) == [("one row a patient", "integer from 18 to 100")]


def test_nothing_is_told_about_rows():
    sizes = "reltuples, relpages, pg_relation_size(oid), pg_total_relation_size(oid), pg_table_size(oid)"
    assert rows(f"SELECT {sizes} FROM pg_class WHERE oid = {LABS}") == [(-1.0, 0, 0, 0, 0)]
    for view in ("pg_stats", "pg_stat_activity", "pg_stat_user_tables", "pg_locks", "pg_statistic"):
        assert rows(f"SELECT * FROM {view}") == []


def test_everybody_may_read_and_nobody_may_write():
    said = f"has_table_privilege({LABS}, 'select'), has_table_privilege({LABS}, 'insert')"
    assert rows(f"SELECT {said}") == [(True, False)]


def test_information_schema_is_made_from_the_same_rows():
    said = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
    )
    assert rows(said) == [("events",), ("labs",), ("patients",), ("visits",)]
    said = "SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'labs'"
    assert ("value", "double precision", "NO") in rows(said)


@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        ("SELECT 1 AS one, 'a' || 'b'", [(1, "ab")]),
        ("SELECT current_database(), current_schema(), current_schemas(false)", [("clinic", "public", ["public"])]),
        ("SELECT 'labs'::regclass, 'labs'::regclass::oid = to_regclass('public.labs')", [("labs", True)]),
        ("SELECT to_regclass('nowhere')", [(None,)]),
        ("SELECT 'int4'::regtype, 'integer'::regtype::oid, '_text'::regtype", [("integer", 23, "text[]")]),
        ("SELECT typinput FROM pg_type WHERE typname = 'bool'", [("boolin",)]),
        ("SELECT indkey[0], indkey FROM pg_index WHERE indexrelid = 'pg_class_oid_index'::regclass", [(1, [1])]),
        ("SELECT relname FROM pg_class WHERE relname LIKE 'pg\\_clas%' AND relkind = 'r'", [("pg_class",)]),
        ("SELECT 7 / 2, 7 / 2.0", [(3, 3.5)]),
        ("SELECT x FROM generate_series(1, 3) AS x", [(1,), (2,), (3,)]),
        ("SELECT 2 <> ALL (ARRAY[1, 3]), 2 = ANY ('{2,3}'::int[]), 'ab' LIKE ANY (ARRAY['a%'])", [(True, True, True)]),
        ("SELECT format('%I.%s', 'Odd', 'x'), quote_ident('select')", [('"Odd".x', '"select"')]),
        ("SELECT E'a\\tb'", [("a\tb",)]),
        ("SELECT array_length(ARRAY[1, 2], 1), array_upper(ARRAY[]::int[], 1)", [(2, None)]),
        ("WITH t AS (SELECT relname FROM pg_class) SELECT count(*) FROM t WHERE relname = 'labs'", [(1,)]),
        ("VALUES (1, 'a'), (2, 'b')", [(1, "a"), (2, "b")]),
        ("SELECT CAST('{a,\"b,c\"}' AS name[]) AS select", [(["a", "b,c"],)]),
        (("SELECT (aclexplode(relacl)).privilege_type FROM pg_class WHERE relname = 'events' AND relnamespace = 2200 "
         "ORDER BY 1 DESC LIMIT 1"), [("UPDATE",)]),
        ("SELECT version()", [("PostgreSQL 15.0 (Tacit)",)]),
        ("SELECT json_agg(x ORDER BY x DESC) FILTER (WHERE x > 1) FROM generate_series(1, 3) x", [("[3,2]",)]),
        ("SELECT jsonb_agg(x), json_object_agg(x, 'a') FROM generate_series(1, 1) x", [("[1]", '{"1":"a"}')]),
        ("SELECT row_to_json(t.*) FROM (SELECT 1 AS a) t", [('{"a":1}',)]),
        ("SELECT count FROM (SELECT count(*) FROM pg_class WHERE relname = 'labs') x", [(1,)]),
        ("SELECT repeat('ab', 2), length(repeat('ab', 1000000000))", [("abab", 10_000)]),
    ],
)  # fmt: skip
def test_what_postgresql_would_answer(sql, answer):
    assert rows(sql) == answer


def test_several_lists_are_unnested_side_by_side():
    said = rows("SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a']) WITH ORDINALITY AS t(x, y, n)")
    assert said == [(1, "a", 1), (2, None, 2)]
    lateral = rows(
        "SELECT t.x, t.n FROM pg_class c CROSS JOIN LATERAL unnest(ARRAY[c.relnatts], ARRAY[1]) "
        "WITH ORDINALITY AS t(x, y, n) WHERE c.relname = 'labs'"
    )
    assert lateral == [(4, 1)]
    apart = rows("SELECT * FROM ROWS FROM (unnest(ARRAY[1]), unnest(ARRAY[2])) AS t(a, b)")
    assert apart == [(1, 2)]


def test_a_text_of_a_column_is_a_name_of_a_table():
    said = rows(
        "SELECT (quote_ident(table_schema) || '.' || quote_ident(table_name))::regclass::oid = 'labs'::regclass "
        "FROM information_schema.tables WHERE table_name = 'labs'"
    )
    assert said == [(True,)]
    shown = (
        "SELECT (table_schema || '.' || table_name)::regclass AS t FROM information_schema.tables"
    )
    assert rows(f"SELECT t FROM ({shown} WHERE table_name = 'labs') AS s") == [("labs",)]


def test_columns_have_the_names_and_types_that_postgresql_gives_them():
    found = database().columns(
        "SELECT relname, oid, relkind, relacl, count(*) OVER (), 1::int8, true, indkey FROM pg_class, pg_index"
    )
    assert [(each.name, each.oid) for each in found] == [
        ("relname", 19),
        ("oid", 26),
        ("relkind", 18),
        ("relacl", 1009),
        ("count", 20),
        ("int8", 20),
        ("?column?", 16),
        ("indkey", 22),
    ]


def test_to_describe_evaluates_nothing():
    slow = "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d"
    assert [each.name for each in database().columns(slow)] == ["count"]


def test_parameters_are_values_and_never_sql():
    nasty = "x' OR '1' = '1"
    assert rows("SELECT $1, relname FROM pg_class WHERE relname = $2", nasty, "labs") == [
        (nasty, "labs")
    ]
    assert rows("SELECT count(*) FROM pg_class WHERE relname = $1", nasty) == [(0,)]
    assert rows("SELECT relname FROM pg_class WHERE oid = ANY($1::oid[])", "{1259}") == [
        ("pg_class",)
    ]
    assert rows("SELECT relname FROM pg_class WHERE oid = ANY($1)", [1259]) == [("pg_class",)]
    with pytest.raises(CatalogueError, match="no parameter"):
        rows("SELECT $2", 1)


def test_the_session_is_who_asks_and_what_they_set():
    assert rows("SELECT current_user") == [("analyst",)]
    settings = {"session_authorization": "ana", "tacit.epsilon": "0.1", "timezone": "Europe/Berlin"}
    said = "SELECT current_user, current_setting('tacit.epsilon'), current_setting('TimeZone')"
    asked = database().ask(said, (), settings)
    assert asked.rows == (("ana", "0.1", "Europe/Berlin"),)
    assert database().ask("SELECT rolname FROM pg_roles WHERE oid = 16384", (), settings).rows == (
        ("ana",),
    )
    assert database().ask("SELECT current_user, current_setting('tacit.epsilon', true)").rows == (
        ("analyst", None),
    )
    assert database().ask("SELECT rolname FROM pg_roles WHERE rolname = 'ana'").rows == ()


def test_what_set_config_sets_is_handed_on():
    asked = database().ask("SELECT set_config('search_path', 'public', false)")
    assert (asked.rows, asked.settings) == ((("public",),), (("search_path", "public"),))


def test_released_rows_are_read_by_their_names_and_forgotten():
    released = {"x": ((Column("k"), Column("n", 20)), [["a", "b"], [3, 4]])}
    said = "SELECT sum(n) AS n, max(k) FROM x"
    assert database().ask(said, (), {}, released).rows == ((7, "b"),)
    with pytest.raises(CatalogueError, match='relation "x" does not exist'):
        database().ask(said)
    spent = {"tacit.budget": ((Column("analyst"), Column("spent", 701)), [["ana"], [0.5]])}
    assert database().ask("SELECT spent FROM tacit.budget", (), {}, spent).rows == ((0.5,),)
    assert database().ask("SELECT spent FROM tacit.budget").rows == ()


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("SELECT nothing FROM pg_class", "42703", 8),
        ("SELECT relname FROM pg_catalog.nowhere", "42P01", None),
        ("SELECT relname FROM labs", "42P01", None),
        ("SELECT nothing(1)", "42883", None),
        ("SELECT 'nowhere'::regclass", "42P01", None),
        ("SELECT 1; SELECT 2", "42601", None),
        ("SELECT FROM FROM", "42601", 13),
        ("SELECT 'x'::nosuchtype", "42704", None),
        ("CREATE TABLE t (a int)", "0A000", None),
        ("SELECT relname FROM pg_class FOR UPDATE", "25006", None),
        ("SELECT x.f(1)", "3F000", None),
    ],
)
def test_refusals_are_told_as_postgresql_tells_them(sql, sqlstate, position):
    with pytest.raises(CatalogueError) as refused:
        database().ask(sql)
    assert (refused.value.sqlstate, refused.value.position) == (sqlstate, position)


def test_the_duckdb_below_is_closed_and_locked():
    inner = database()._connection
    with pytest.raises(duckdb.PermissionException):
        inner.execute("SELECT * FROM read_text('/etc/hostname')")
    with pytest.raises(duckdb.Error, match="locked"):
        inner.execute("SET enable_external_access = true")


def test_an_answer_has_a_largest_number_of_rows():
    with pytest.raises(CatalogueError, match="at most 100,000 rows") as refused:
        database().ask("SELECT x FROM generate_series(1, 100001) AS x")
    assert refused.value.sqlstate == "54000"


# Views whose definitions are not understood: they have columns, and no rows.
WITHOUT_ROWS = {
    *("info.column_options", "info.foreign_data_wrapper_options"),
    *("info.foreign_server_options", "info.foreign_table_options"),
}


@pytest.mark.soak
def test_every_relation_can_be_read():
    for name in relations():
        if not name.startswith("fn."):
            place, _, relation = name.partition(".")
            schema = {"cat": "pg_catalog", "info": "information_schema"}[place]
            database().ask(f"SELECT * FROM {schema}.{relation} LIMIT 1")
    assert database().undefined <= WITHOUT_ROWS


def test_an_answer_is_a_value():
    assert database().ask("SELECT 1 AS a") == Answer((Column("a", 23),), ((1,),))
