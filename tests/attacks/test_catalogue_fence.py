"""What SQL can reach through the catalogue: nothing but its own rows, and only for as long as it may take."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tacit.catalogue import Catalogue, CatalogueError
from tacit.catalogue.rewrite import rewrite
from tacit.catalogue.rewrite.allow_list import FUNCTIONS
from tacit.catalogue.rewrite.macros import MACROS
from tests.unit.catalogue.clinic import CLINIC, database

PARSER = duckdb.connect()
CANARY = "canary-7f3a"

# Functions that DuckDB's parser writes operators and types as, and those that our allowed nodes are written as.
WRITTEN_AS = {
    "!~~",
    "!~~*",
    "%",
    "&",
    "*",
    "+",
    "-",
    "->",
    "->>",
    "/",
    "//",
    "<<",
    ">>",
    "arg_min",
    "array_agg",
    "array_append",
    "array_concat",
    "array_contains",
    "array_extract",
    "array_filter",
    "array_slice",
    "case",
    "coalesce",
    "construct_array",
    "count_if",
    "count_star",
    "current_date",
    "date_part",
    "day",
    "dense_rank",
    "epoch_ms",
    "error",
    "exp",
    "first",
    "first_value",
    "get_current_timestamp",
    "if",
    "ilike_escape",
    "isnan",
    "json",
    "json_extract",
    "json_extract_string",
    "lag",
    "last_value",
    "lead",
    "len",
    "like_escape",
    "list_append",
    "list_concat",
    "list_slice",
    "list_sort",
    "list_value",
    "listagg",
    "ln",
    "log",
    "make_timestamp",
    "mod",
    "month",
    "not_like_escape",
    "now",
    "octet_length",
    "parse_json",
    "pow",
    "power",
    "prefix",
    "quarter",
    "rank",
    "regexp_extract",
    "row",
    "sign",
    "sqrt",
    "stddev",
    "str_split",
    "str_split_regex",
    "strftime",
    "string_to_array",
    "struct_extract",
    "struct_pack",
    "subtract",
    "suffix",
    "sum",
    "timezone",
    "to_days",
    "to_hours",
    "today",
    "trunc",
    "var_samp",
    "variance",
    "week",
    "xor",
    "year",
    "|",
    "||",
    "~~",
    "~~*",
    "~~~",
}


def called(sql: str) -> set[str]:
    """The functions that a statement of DuckDB calls and the tables it reads, by DuckDB's own parser."""
    text = str(PARSER.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    found: set[str] = set()

    def walk(node):
        if isinstance(node, dict):
            if node.get("function_name"):
                schema = node.get("schema") or ""
                found.add(f"{schema}.{node['function_name']}".lstrip(".").lower())
            if node.get("table_name") and node.get("type") == "BASE_TABLE":
                found.add(f"table {node.get('schema_name') or ''}.{node['table_name']}")
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(text))
    return found


def rewritten(sql: str) -> str | None:
    """What DuckDB would run; None if the statement is refused."""
    try:
        return rewrite(sql, database()._session({})).sql
    except CatalogueError:
        return None


ALLOWED = FUNCTIONS | WRITTEN_AS | {f"fn.{name}" for name in MACROS}
SHAPES = ("SELECT {}('x')", "SELECT {}(1, 'x')", "SELECT * FROM {}()")


def test_no_function_of_duckdb_passes_but_those_that_are_listed():
    names = {
        name
        for (name,) in PARSER.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions()"
        ).fetchall()
        if name.isidentifier()
    }
    assert len(names) > 500
    passed, refused = set(), 0
    for name in sorted(names):
        for shape in SHAPES:
            text = rewritten(shape.format(name))
            if text is None:
                refused += 1
            else:
                passed |= {each for each in called(text) if not each.startswith("table ")}
    assert passed - ALLOWED == set()
    assert refused > 1_000


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('cat.pg_class')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_tables",
        "SELECT * FROM pragma_version()",
        "SELECT getenv('PATH')",
        "SELECT * FROM glob('*')",
        "SELECT lpad('x', 1000000000, 'y')",
        "SELECT json_execute_serialized_sql('x')",
        "SELECT fn.oid_of_class('labs')",
        "SELECT \"fn\".oid_of_class('labs')",
        "SELECT * FROM cat.pg_class",
        "SELECT * FROM fn.k_setting",
        "SELECT * FROM released.t0",
        "SELECT * FROM system.information_schema.tables",
        "SELECT * FROM main.sqlite_master",
        "SELECT nextval('x')",
        "COPY pg_class TO '/tmp/x'",
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "ATTACH 'x' AS y",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA version",
        "SET memory_limit = '10GB'",
        "INSERT INTO pg_class VALUES (1)",
        "DROP TABLE pg_class",
        "CALL pragma_version()",
        "EXPLAIN SELECT 1",
        "SELECT * FROM pg_class INTO OUTFILE 'x'",
        "SELECT COLUMNS('x') FROM pg_class",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('.')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT dblink('x')",
        "SELECT * FROM pg_read_binary_file('x')",
        "SELECT current_query()",
    ],
)
def test_what_reaches_beyond_the_catalogue_is_refused(sql):
    with pytest.raises(CatalogueError):
        database().ask(sql)


def test_statements_of_clients_pass_and_call_what_is_listed():
    for sql in (
        "SELECT (information_schema._pg_expandarray(i.indkey)).n FROM pg_index i",
        "SELECT oid::regclass, format('%I', relname), relname ~ 'x' FROM pg_class WHERE relname LIKE ANY(ARRAY['a'])",
    ):
        text = rewritten(sql)
        assert text is not None
        assert {each for each in called(text) if not each.startswith("table ")} <= ALLOWED


@pytest.fixture(scope="module")
def catalogue():
    os.environ["TACIT_CANARY"] = CANARY
    try:
        with Path(__file__).open(encoding="utf-8") as held, Catalogue(CLINIC) as made:
            assert held.fileno() > 2
            made.ask("SELECT 1")
            yield made
    finally:
        del os.environ["TACIT_CANARY"]


def test_the_process_inherits_neither_environment_nor_files(catalogue):
    place = Path(f"/proc/{catalogue._workers['quick'].pid}")
    assert CANARY.encode() not in (place / "environ").read_bytes()
    held = {str(each.readlink()) for each in (place / "fd").iterdir()}
    assert not any(Path(__file__).name in each for each in held)
    assert all(each.startswith(("pipe:", "/dev/null", "anon_inode:")) for each in held)


def test_the_process_imports_nothing_that_reaches_a_row():
    code = "import tacit.catalogue.worker, sys; print([m for m in sys.modules if m.startswith('tacit.')])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in json.loads(said.stdout.replace("'", '"'))}
    assert rooms == {"catalogue", "errors", "frozen", "printing"}


def test_what_takes_too_long_is_killed_and_the_next_is_served(catalogue):
    before = catalogue._workers["quick"].pid
    bomb = (
        "SELECT count(*) FROM {0} a, {0} b, {0} c WHERE a.attname || b.attname <> c.attname".format(
            "pg_attribute"
        )
    )
    with pytest.raises(CatalogueError) as refused:
        catalogue.ask(bomb, settings={"session_authorization": "somebody new"})
    assert refused.value.sqlstate == "57014"
    assert not Path(f"/proc/{before}").exists()
    assert catalogue.ask("SELECT 1").rows == ((1,),)
    assert [each.sqlstate for each in catalogue.misses if each.sql == bomb] == ["57014"]


@pytest.mark.soak
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM generate_series(1, 100000000000) AS x",
        "SELECT array_agg(x) FROM generate_series(1, 1000000000) AS x",
        "SELECT string_agg(a.attname, ',') FROM pg_attribute a, pg_attribute b, pg_attribute c",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
        "SELECT '" + "a" * 50000 + "' ~ '(a+)+$'",
    ],
)
def test_bombs_harm_nobody(catalogue, sql):
    said = ""
    try:
        catalogue.ask(sql)
    except CatalogueError as refused:
        said = refused.sqlstate
    assert said in {"", "57014", "53200", "54000", "54001", "42601", "0A000"}
    assert catalogue.ask("SELECT 1").rows == ((1,),)
