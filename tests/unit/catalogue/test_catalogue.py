"""The catalogue behind its process: which statements it answers, and what becomes of those it cannot."""

import json
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from tacit.catalogue import Answer, Catalogue, CatalogueError, Column, Schema
from tests.unit.catalogue.clinic import BUDGET, CLINIC


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    file = tmp_path_factory.mktemp("catalogue") / "misses.jsonl"
    with Catalogue(Schema("clinic", (*CLINIC.tables, BUDGET)), misses=file) as made:
        yield made


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("SELECT 1", True),
        ("select version(), current_schema()", True),
        ("SELECT relname FROM pg_class", True),
        ("SELECT * FROM information_schema.tables", True),
        ("SELECT * FROM tacit.budget", True),
        ("SELECT * FROM tacit.nowhere", False),
        ("SELECT * FROM labs", False),
        ("SELECT * FROM public.labs", False),
        ("SELECT count(*) FROM pg_class, labs", False),
        ("SELECT (SELECT count(*) FROM labs)", False),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM t", True),
        ("WITH t AS (SELECT test FROM labs) SELECT test FROM t", False),
        ("SELECT * FROM unnest(ARRAY[1]) AS x", True),
        ("VALUES (1)", True),
        ("SET x = 1", False),
        ("this is not SQL", False),
        ("SELECT broken FROM pg_catalog.pg_class WHERE (", True),
    ],
)
def test_what_is_for_the_catalogue_and_what_for_the_vault(sql, reads):
    assert Catalogue(Schema("clinic", (BUDGET,))).reads(sql) is reads


def test_a_statement_is_described_and_answered(catalogue):
    sql = "SELECT relname, oid FROM pg_class WHERE relname = $1"
    assert catalogue.parameters(sql) == (25,)
    assert catalogue.columns(sql, (25,)) == (Column("relname", 19), Column("oid", 26))
    assert catalogue.ask(sql, ("pg_class",)).rows == (("pg_class", 1259),)


def test_values_arrive_as_what_they_are(catalogue):
    asked = catalogue.ask(
        "SELECT DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', true, 1.5::float8, ARRAY['a']"
    )
    assert asked.rows == ((date(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5), True, 1.5, ["a"]),)  # noqa: DTZ001
    now = catalogue.ask("SELECT now()").rows[0][0]
    assert abs((datetime.now(UTC) - now).total_seconds()) < 3600


def test_released_rows_come_as_tables_of_pyarrow_or_as_answers(catalogue):
    table = pa.table({"test": ["hdl", "ldl"], "n": [3, 4], "at": [1.5, None]})
    said = "SELECT count(*), sum(n), max(at) FROM (SELECT * FROM labs_by_test) AS x"
    asked = catalogue.ask(said, tables={"labs_by_test": table})
    assert asked.rows == ((2, 7, 1.5),)
    answer = Answer((Column("analyst"), Column("spent", 701)), (("ana", 0.25),))
    assert catalogue.ask(
        "SELECT spent FROM tacit.budget", tables={"tacit.budget": answer}
    ).rows == ((0.25,),)
    none = Answer((Column("analyst"), Column("spent", 701)), ())
    assert catalogue.ask("SELECT spent FROM tacit.budget", tables={"tacit.budget": none}).rows == ()


@pytest.mark.parametrize("digits", ["²", "٣", "9" * 5_000])
def test_digits_that_are_no_number_are_refused_and_no_mistake(catalogue, digits):
    for sql in (f"SELECT '{digits}'::regclass", f"SELECT ${digits}"):
        with pytest.raises(CatalogueError) as refusal:
            catalogue.ask(sql)
        assert refusal.value.sqlstate in {"42P01", "42601"}
    assert catalogue.parameters(f"SELECT ${digits}") == ()
    with pytest.raises(CatalogueError, match="too few arguments"):
        catalogue.ask(f"SELECT format('%9{'9' * 5_000}$s', 1)")


def test_a_statement_that_cannot_be_answered_is_told_to_who_asks_and_to_the_curator(catalogue):
    sql = "SELECT pg_nonsense(1) FROM pg_class"
    for _ in range(2):
        with pytest.raises(CatalogueError, match="function pg_nonsense does not exist") as refused:
            catalogue.ask(sql)
    assert refused.value.sqlstate == "42883"
    assert [each.sql for each in catalogue.misses if each.sql == sql] == [sql]
    lines = catalogue._misses._path.read_text().splitlines()
    assert [json.loads(line)["sql"] for line in lines].count(sql) == 1


def test_a_worker_that_dies_is_replaced(catalogue):
    catalogue.ask("SELECT 1")
    before = catalogue._workers["quick"].pid
    catalogue._workers["quick"]._process.kill()
    with pytest.raises(CatalogueError):
        catalogue.ask("SELECT 1")
    assert catalogue.ask("SELECT 1").rows == ((1,),)
    assert catalogue._workers["quick"].pid != before


def test_who_takes_much_time_has_a_process_of_their_own(catalogue):
    """Also if the statement was refused for it: what it took counts."""
    mallory, ana = ({"session_authorization": name} for name in ("mallory", "ana"))
    bomb = "SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c WHERE a.proname || b.proname <> c.proname"
    with pytest.raises(CatalogueError):
        catalogue.ask(bomb, settings=mallory)
    catalogue.ask("SELECT 1", settings=mallory)
    catalogue.ask("SELECT 1", settings=ana)
    assert catalogue._workers["slow"].pid != catalogue._workers["quick"].pid


def test_a_closed_catalogue_answers_nothing_and_leaves_nothing_behind():
    made = Catalogue(CLINIC)
    made.close()
    with pytest.raises(CatalogueError, match="closed"):
        made.ask("SELECT 1")
    assert not made._workers


def test_the_process_ends_with_the_one_that_started_it():
    """Also in the midst of a statement: what nobody waits for is not computed on."""
    long = "SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c WHERE strpos(a.proname, c.proname) > 9"
    starter = (
        "import os, threading, time\n"
        "from tests.unit.catalogue.clinic import CLINIC\n"
        "from tacit.catalogue import Catalogue\n"
        "made = Catalogue(CLINIC)\n"
        "made.ask('SELECT 1')\n"
        f"threading.Thread(target=made.ask, args=({long!r},), daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print(made._workers['quick']._process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", starter], capture_output=True, text=True, check=True
    )
    worker = Path("/proc") / ran.stdout.strip()
    until = time.monotonic() + 60
    while worker.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not worker.exists()
