"""What `ingest` has counted is believed of the file that it has written, and of no other."""

import os
import subprocess
import sys
from dataclasses import replace

import duckdb
import pytest

from tacit.engines import DuckDB, ingest
from tacit.engines.duckdb import file_seal
from tacit.engines.duckdb.file_seal import count_checkpoints
from tacit.errors import EngineFailed, InvalidData
from tacit.plan import Field, Keeping, Key
from tests.unit.engines.tables import EVERYTHING, LOOSE, ROWS, VISITS, WARD

LEFT = ["PRAGMA disable_checkpoint_on_shutdown", "SET wal_autocheckpoint = '1GB'"]
CHANGES = {
    "insert": ["INSERT INTO tacit_rows SELECT * FROM tacit_rows"],
    "update": ["UPDATE tacit_rows SET ward = 'A'"],
    "delete": ["DELETE FROM tacit_rows WHERE ward = 'B'"],
    "not yet written": [*LEFT, "UPDATE tacit_rows SET ward = 'A'"],
    "strata": ["UPDATE tacit_strata SET unit_rows = 1"],
    "seal": ["UPDATE tacit_seal SET checkpoints = checkpoints + 7"],
}


@pytest.fixture
def path(tmp_path):
    """An ingested file."""
    return ingest(ROWS, VISITS, tmp_path / "visits.duckdb")


@pytest.mark.parametrize("change", CHANGES)
def test_rows_that_were_changed_are_refused(change, path):
    with duckdb.connect(str(path)) as connection:
        for statement in CHANGES[change]:
            connection.execute(statement).fetchall()
    with pytest.raises(InvalidData, match=r"visits\.duckdb was changed .* ingest its source again"):
        DuckDB({VISITS: path})


def test_what_was_only_read_is_what_it_was(path):
    written = count_checkpoints(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("SELECT count(*) FROM tacit_rows").fetchall()
    assert count_checkpoints(path) == written
    with DuckDB({VISITS: path}) as engine:
        assert engine.evaluate(EVERYTHING, LOOSE).any()


def test_a_file_without_a_seal_is_refused(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP TABLE tacit_seal").fetchall()
    with pytest.raises(InvalidData, match="ingested by an earlier version"):
        DuckDB({VISITS: path})


def test_a_change_at_the_last_moment_is_seen(path, monkeypatch):
    def count_and_change(given):
        found = count_checkpoints(given)
        os.utime(given, ns=(1, 1))
        return found

    monkeypatch.setattr(file_seal, "count_checkpoints", count_and_change)
    with pytest.raises(InvalidData, match="was changed after"):
        DuckDB({VISITS: path})


def change(path):
    """Change a file, in a process of its own: what it says."""
    change = f"import duckdb; duckdb.connect({str(path)!r}).execute('DELETE FROM tacit_rows')"
    return subprocess.run([sys.executable, "-c", change], capture_output=True, check=False).stderr


def test_nobody_changes_rows_while_they_are_read(path):
    with DuckDB({VISITS: path}) as engine:
        before = engine.evaluate(EVERYTHING, LOOSE).tolist()
        assert b"lock" in change(path)
        assert engine.evaluate(EVERYTHING, LOOSE).tolist() == before


def test_rows_that_are_changed_all_the_same_are_not_read(path):
    question = replace(EVERYTHING, keys=(Key(Field(WARD), None),))
    with DuckDB({VISITS: path}) as engine:
        path.read_bytes()  # and so lets go of the lock
        assert change(path) == b""
        with pytest.raises(EngineFailed):
            engine.dry_run(EVERYTHING, LOOSE)
        with pytest.raises(EngineFailed):
            engine.evaluate(EVERYTHING, LOOSE)
        with pytest.raises(EngineFailed), engine.gather(question, Keeping(1, 0, b"")):
            pass
