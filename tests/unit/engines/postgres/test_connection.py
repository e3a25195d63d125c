"""What is said of a failure before anything is paid: a few sentences, and never the server's words."""

from unittest.mock import patch

import psycopg
import pytest

from tacit.engines import Postgres, PostgresTable
from tacit.engines.postgres.connection import Pool, refusal_of
from tacit.errors import EngineFailed, InvalidData
from tests.database import address, as_role, knows_password, new_role, quoted, store
from tests.postgres import PASSWORD, running
from tests.unit.engines.postgres.test_engine import COUNTS, ROWS, VISITS, WEIGHTS

SECRETS = [PASSWORD, "wr0ng", "127.0.0.1", "FATAL", "ERROR", "patient"]


def refused(
    source: PostgresTable, monkeypatch: pytest.MonkeyPatch, password: str = PASSWORD
) -> str:
    monkeypatch.setenv("PGPASSWORD", password)
    with pytest.raises(InvalidData) as raised, Postgres({VISITS: source}) as engine:
        engine.dry_run(COUNTS, WEIGHTS)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    said = str(raised.value)
    assert not [each for each in SECRETS if each in said]
    return said


def test_each_fault_has_its_sentence(monkeypatch):
    source, role = store({VISITS: ROWS})[VISITS], new_role()
    assert "refuses this role or its password" in refused(source, monkeypatch, "wr0ng")
    nobody = PostgresTable(address("nobody"), source.schema, source.table)
    assert "refuses this role or its password" in refused(nobody, monkeypatch)
    elsewhere = PostgresTable(address().replace("/postgres", "/nowhere"), source.schema, "t")
    assert "does not exist" in refused(elsewhere, monkeypatch)
    assert "does not answer" in refused(
        PostgresTable("postgresql://127.0.0.1:1/x", "s", "t"), monkeypatch
    )
    missing = PostgresTable(source.address, source.schema, "no such table")
    assert "has no table" in refused(missing, monkeypatch)
    running().execute(f"GRANT USAGE ON SCHEMA {source.schema} TO {role}")
    assert "may not be read by this role" in refused(as_role(source, role), monkeypatch)


def test_a_column_that_is_dropped_while_a_vault_is_open_has_its_sentence():
    source = store({VISITS: ROWS})[VISITS]
    with knows_password(), Postgres({VISITS: source}) as engine:
        engine.dry_run(COUNTS, WEIGHTS)
        running().execute(f"ALTER TABLE {quoted(source)} DROP COLUMN cost")
        with pytest.raises(InvalidData, match="lacks a column of the policy"):
            engine.dry_run(COUNTS, WEIGHTS)
        with pytest.raises(EngineFailed):
            engine.evaluate(COUNTS, WEIGHTS)


def test_what_has_no_sentence_says_nothing():
    assert isinstance(refusal_of(ValueError("canary")), EngineFailed)
    assert isinstance(refusal_of(psycopg.errors.DivisionByZero("canary")), EngineFailed)


def test_a_connection_that_broke_is_not_used_again():
    with knows_password():
        pool = Pool(address(), 60)
        with pool.session() as session:
            (number,) = session.fetch("SELECT pg_backend_pid()").rows[0]
        running().execute(f"SELECT pg_terminate_backend({number})")
        with pool.session() as session:
            assert session.fetch("SELECT pg_backend_pid()").rows[0] != (number,)
        pool.close()


def test_a_fork_opens_connections_of_its_own():
    with knows_password():
        pool = Pool(address(), 60)
        with pool.session() as session:
            before = session.fetch("SELECT pg_backend_pid()").rows
        (parents,) = pool._idle
        with patch("os.getpid", return_value=-1), pool.session() as session:
            assert session.fetch("SELECT pg_backend_pid()").rows != before
        assert not parents.closed  # the parent may still need it
        parents.close()
        pool.close()


def test_settings_are_those_that_questions_rely_on():
    with knows_password():
        pool = Pool(address(), 60)
        with pool.session() as session:
            for name, value in {
                "TimeZone": "UTC",
                "search_path": "pg_catalog, pg_temp",
                "transaction_read_only": "on",
                "transaction_isolation": "repeatable read",
                "statement_timeout": "1min",
                "work_mem": "64MB",
            }.items():
                assert session.fetch(f"SHOW {name}").rows == [(value,)], name
        pool.close()
