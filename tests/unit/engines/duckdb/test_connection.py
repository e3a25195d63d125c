"""The connection that describes files: one for the process, which starts no thread and remembers no file."""

import os
from contextlib import closing
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.engines.duckdb.connection import describing_cursor
from tacit.engines.duckdb.discover_columns import stored_kinds, stored_types
from tests.scratch import Lent


def threads():
    return len(list(Path("/proc/self/task").iterdir()))


def test_descriptions_share_a_connection_that_has_no_threads_of_its_own():
    with describing_cursor() as first, describing_cursor() as second:
        first.execute("CREATE TEMP TABLE mine AS SELECT 1")
        names = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'mine'"
        assert second.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
        assert second.execute("SELECT current_setting('async_threads')").fetchall() == [(0,)]
        assert (first.execute(names).fetchall(), second.execute(names).fetchall()) == (
            [(1,)],
            [(0,)],
        )
        before = threads()
        first.execute("SELECT sum(i) FROM range(1000000) t(i)").fetchall()
        assert threads() == before


def test_a_file_that_was_replaced_at_the_same_instant_is_described_anew(tmp_path):
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"cost": pa.array([1], pa.int64())}), file)
    known = file.stat()
    assert stored_types(file) == {"cost": "BIGINT"}
    pq.write_table(pa.table({"cost": pa.array([1], pa.int32())}), file)
    os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert stored_types(file) == {"cost": "INTEGER"}
    assert list(stored_kinds(file)) == ["cost"]


def test_a_fork_describes_by_a_connection_of_its_own(tmp_path):
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"cost": pa.array([1], pa.int64())}), file)
    assert stored_types(file) == {"cost": "BIGINT"}
    child = os.fork()
    if not child:
        os._exit(stored_types(file) != {"cost": "BIGINT"})
    assert os.waitpid(child, 0)[1] == 0


def test_threads_describe_at_the_same_time(tmp_path):
    file, found = tmp_path / "visits.parquet", []
    pq.write_table(pa.table({"cost": pa.array([1], pa.int64())}), file)
    frame = pa.table({"cost": pa.array([1], pa.int8())})

    def describe():
        found.append((stored_types(file), stored_types(frame)))

    at_once = [Thread(target=describe) for _ in range(8)]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()
    assert found == [({"cost": "BIGINT"}, {"cost": "TINYINT"})] * 8


def test_a_database_that_tests_use_again_holds_nothing_of_before():
    with closing(Lent(threads=1)) as first:
        for made in ("SCHEMA s", "TYPE e AS ENUM ('a')", "TABLE s.t AS SELECT 'a'::e AS x"):
            first.execute(f"CREATE {made}")
        first.execute("CREATE VIEW v AS SELECT * FROM s.t")
        first.execute("SET search_path = 's'")
        database = first._database
    with closing(Lent(threads=1)) as second, closing(Lent(threads=1)) as third:
        assert second._database is database is not third._database
        assert not second.execute("FROM duckdb_tables()").fetchall()
        for made in ("SCHEMA s", "TYPE e AS ENUM ('b')", "VIEW v AS SELECT 1", "TABLE t (x INT)"):
            second.execute(f"CREATE {made}")
        assert second.execute("SELECT current_schema()").fetchall() == [("main",)]
