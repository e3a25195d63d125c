"""A vault over a Spark cluster: made by `tacit init`, asked, and met by faults: one charge, asking again is free."""

import shutil
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from unittest.mock import patch

import pyarrow as pa
import pytest
from pyarrow import parquet

import tacit
from tacit.curator import Vault
from tacit.engines import SparkTable
from tacit.engines.spark.session import Session
from tacit.errors import EngineFailed, InvalidData, TacitError
from tests import spark
from tests.unit.curator.test_postgres_vault import (
    GREY,
    NEIGHBOURS,
    POLICY,
    QUESTIONS,
    ROWS,
    VISITS,
    check_failure,
    check_neighbours,
    command,
)


def table_of(rows=ROWS) -> SparkTable:
    """A table with these rows."""
    return spark.store({VISITS: rows})[VISITS]


def written(source: SparkTable) -> str:
    return f"{source.address}/{source.called}"


def vault_over(folder: Path, source: SparkTable) -> Vault:
    folder.mkdir(exist_ok=True)
    (folder / "tacit.toml").write_text(POLICY.format(source=written(source)))
    return tacit.open(folder)


def test_from_a_cluster_to_answers(tmp_path):
    """`tacit init`, the bounds filled in, `tacit check`, and questions; a table that is gone has its sentence."""
    source, folder = table_of(), tmp_path / "clinic"
    options = ["--unit", "patient", "--contributions", "3", "--epsilon", "5", "--delta", "1e-6"]
    code, said = command("init", str(folder), "--source", written(source), *options)
    assert code == 0, said
    policy = (folder / "tacit.toml").read_text()
    assert f'source = "{written(source)}"' in policy
    assert 'type = "integer"' in policy
    assert not any(row["note"] in policy for row in ROWS)
    with vault_over(folder, source) as vault:
        answer = vault.sql(QUESTIONS[1], epsilon=0.5)
        assert len(answer.rows) == 2
        left = vault.budget.left
        assert vault.sql(QUESTIONS[1], epsilon=0.5).rows == answer.rows
        spark.execute(f"DROP TABLE {source.parts[-1]}")
        with pytest.raises(InvalidData, match="has no such table"):
            vault.sql(QUESTIONS[0], epsilon=0.5)
        assert vault.budget.left == left
    code, said = command("check", str(folder))
    assert code != 0
    assert "has no such table" in said


def test_a_question_that_is_cancelled_is_one_charge_and_asking_again_is_free(tmp_path, monkeypatch):
    source = table_of()
    name = f"slow_{source.parts[-1]}"
    sleeping = "coalesce(reflect('java.lang.Thread', 'sleep', CAST(8000 + cost AS BIGINT)), 'x')"
    spark.execute(f"CREATE VIEW {name} AS SELECT * FROM {source.parts[-1]} WHERE {sleeping} > ''")
    opened, found = list[Session](), list[object]()
    begin = Session.__init__

    def noted(self, *args):
        begin(self, *args)
        opened.append(self)

    monkeypatch.setattr(Session, "__init__", noted)
    with vault_over(tmp_path, SparkTable(source.address, ("default", name))) as vault:

        def ask() -> None:
            try:
                found.append(vault.sql(QUESTIONS[0], epsilon=0.5))
            except TacitError as failure:
                found.append(failure)

        thread = Thread(target=ask)
        thread.start()
        end = monotonic() + 60
        while not found and monotonic() < end:
            sleep(0.5)
            if (
                len(opened) > 2 and vault.budget.left < 1
            ):  # columns, rehearsal, and the charged question
                opened[-1].interrupt()
        thread.join(60)
        assert isinstance(found[0], EngineFailed)
        assert str(found[0]) == str(EngineFailed())
        left = vault.budget.left
        spark.execute(f"ALTER VIEW {name} AS SELECT * FROM {source.parts[-1]}")
        assert len(vault.sql(QUESTIONS[0], epsilon=0.5).rows) == 1
        assert vault.budget.left == left


def test_tables_of_two_engines_are_refused_where_a_question_needs_both(tmp_path):
    """Each may be asked about alone; together they are refused, and nothing is charged."""
    (tmp_path / "wards.csv").write_text("ward,beds,patient\nA,3,p1\nB,4,p2\n")
    both = (
        POLICY.format(source=written(table_of()))
        + """
[tables.wards]
source = "wards.csv"
unit = "patient"
contributions = 1

[tables.wards.columns]
ward = { type = "text", values = ["A", "B"] }
beds = { type = "integer", low = 0, high = 9 }
"""
    )
    (tmp_path / "tacit.toml").write_text(both)
    with tacit.open(tmp_path) as vault:
        assert len(vault.sql("SELECT SUM(beds) AS b FROM wards", epsilon=0.5).rows) == 1
        left = vault.budget.left
        joined = "SELECT COUNT(*) AS n FROM visits JOIN wards ON visits.patient = wards.patient"
        with pytest.raises(InvalidData, match="different databases"):
            vault.sql(joined, epsilon=0.5)
        assert vault.budget.left == left


def test_a_row_more_changes_nothing_but_the_noise_would_hide_it(tmp_path):
    """Grey box: status, bytes and charge are those of a neighbour, whatever the row holds; all of it in soak."""
    casts = "COUNT(CAST(note AS INTEGER)) AS a, COUNT(CAST(note AS DATE)) AS b"
    text = f"SELECT {casts}, SUM(100 // (cost - 7)) AS q FROM visits"
    check_neighbours(vault_over, table_of, tmp_path, text, NEIGHBOURS[2:3])


@pytest.mark.soak
@pytest.mark.parametrize("text", GREY)
def test_no_row_more_changes_anything_but_the_noise_would_hide_it(tmp_path, text):
    check_neighbours(vault_over, table_of, tmp_path, text, NEIGHBOURS)


# ---------------------------------------------------------------- faults, each on a server of its own


def stored_at(cluster: spark.Cluster) -> SparkTable:
    """The rows as a folder of files that a server of one test's own can read."""
    folder = Path(cluster.folder, "visits")
    folder.mkdir()
    parquet.write_table(pa.Table.from_pylist(ROWS), folder / "part.parquet", compression="NONE")
    return SparkTable(cluster.address, (str(folder),), "parquet")


NO_LOG = {**spark.SETTINGS, "spark.eventLog.enabled": "false"}


@pytest.mark.soak
def test_on_a_full_disk_a_question_is_one_charge_and_asking_again_is_free(tmp_path):
    """Rows are exchanged through files, of which none can be written; then there is room again."""
    with spark.another(NO_LOG) as cluster, vault_over(tmp_path, stored_at(cluster)) as vault:
        assert len(vault.sql(QUESTIONS[0], epsilon=0.5).rows) == 1
        before = vault.budget.left
        with cluster.full_disk():
            check_failure(vault, QUESTIONS[1])
            left = vault.budget.left
            check_failure(vault, QUESTIONS[1])
        assert vault.budget.left == left < before
        assert len(vault.sql(QUESTIONS[1], epsilon=0.5).rows) == 2
        assert vault.budget.left == left


@pytest.mark.soak
def test_a_server_that_dies_in_the_middle_is_one_charge_and_asking_again_is_free(tmp_path):
    """The charge stays; when a server is back with the same rows, asking is free."""
    with spark.another(NO_LOG) as cluster:
        source, rows = stored_at(cluster), tmp_path / "rows"
        shutil.copytree(source.parts[0], rows)
        fetch, dead = Session.fetch, list[int]()
        with vault_over(tmp_path, replace(source, parts=(str(rows),))) as vault:

            def die(self: Session, sql: str) -> object:
                if vault.budget.left < 1 and not dead:
                    dead.append(cluster.process())
                    cluster.crash()
                return fetch(self, sql)

            with patch.object(Session, "fetch", die):
                check_failure(vault, QUESTIONS[1])
            assert dead
            left = vault.budget.left
    with spark.another(NO_LOG, port=cluster.port), tacit.open(tmp_path) as vault:
        assert vault.budget.left == left < 1
        assert len(vault.sql(QUESTIONS[1], epsilon=0.5).rows) == 2
        assert vault.budget.left == left
