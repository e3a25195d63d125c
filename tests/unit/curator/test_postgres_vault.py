"""A vault over a database: made by `tacit init`, asked, and met by every fault: each its sentence, and one charge."""

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any
from unittest.mock import patch

import pytest

import tacit
from tacit.cli import main
from tacit.curator import Vault, inspect_rows
from tacit.engines import PostgresTable
from tacit.engines.postgres import connection
from tacit.errors import EngineFailed, InvalidData, InvalidPolicy, TacitError
from tacit.plan import Column, Kind, Table
from tests.database import address, as_role, knows_password, new_role, quoted, store
from tests.laws.test_corridor import constant_release
from tests.postgres import PASSWORD, fresh_schema, running

VISITS = Table(
    "visits",
    (Column("ward", Kind.TEXT), Column("cost", Kind.INTEGER), Column("note", Kind.TEXT)),
    unit="patient",
)
ROWS = [
    {"patient": f"p{n % 20}", "ward": "AB"[n % 2], "cost": n, "note": f"note {n % 3}"}
    for n in range(60)
]
POLICY = """
[limit]
epsilon = 5
delta = 1e-6

[tables.visits]
source = "{source}"
unit = "patient"
contributions = 3

[tables.visits.columns]
ward = {{ type = "text", values = ["A", "B"] }}
cost = {{ type = "integer", low = 0, high = 100 }}
note = {{ type = "text" }}
"""
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward",
    "SELECT MEDIAN(cost) AS m, COUNT(DISTINCT note) AS d FROM visits WHERE ward = 'A'",
    "SELECT note, COUNT(*) AS n FROM visits GROUP BY note",
]
CANARY = "canary-51ab"


@pytest.fixture(autouse=True)
def _password():
    with knows_password():
        yield


def table_of(rows=ROWS, role=None):
    """The address of a table with these rows."""
    source = store({VISITS: rows})[VISITS]
    return source if role is None else as_role(source, role)


def vault_over(folder: Path, source) -> Vault:
    written = f"{source.address}/{source.schema}.{source.table}"
    folder.mkdir(exist_ok=True)
    (folder / "tacit.toml").write_text(POLICY.format(source=written))
    return tacit.open(folder)


def command(*words: str) -> tuple[int, str]:
    """What `tacit` says, and how it ends."""
    said = io.StringIO()
    with patch.object(sys, "argv", ["tacit", *words]), redirect_stdout(said), redirect_stderr(said):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return code, said.getvalue()


def test_from_a_database_to_answers(tmp_path):
    """`tacit init`, the bounds filled in, `tacit check`, and four questions; nothing shows a password."""
    role, source = new_role(), table_of()
    running().execute(
        f"GRANT USAGE ON SCHEMA {source.schema} TO {role}",
        f"GRANT SELECT ON {quoted(source)} TO {role}",
        f"GRANT UPDATE ON {quoted(source)} TO {role}",
    )
    where = f"{address(role)}/{source.schema}.{source.table}"
    folder = tmp_path / "clinic"
    options = ["--unit", "patient", "--contributions", "3", "--epsilon", "5", "--delta", "1e-6"]
    code, said = command("init", str(folder), "--source", where, *options)
    assert code == 0, said
    written = (folder / "tacit.toml").read_text()
    assert f'source = "{where}"' in written
    assert 'type = "integer"' in written
    assert not any(row["note"] in written for row in ROWS)
    (folder / "tacit.toml").write_text(POLICY.format(source=where))
    code, said = command("check", str(folder))
    assert code == 0, said
    assert "more rights than needed: the database role may write to" in said
    with tacit.open(folder) as vault:
        answers = [vault.sql(text, epsilon=0.5) for text in QUESTIONS]
        assert [len(answer.rows) for answer in answers[:3]] == [1, 2, 1]
        left = vault.budget.left
        assert [vault.sql(text, epsilon=0.5).rows for text in QUESTIONS] == [
            answer.rows for answer in answers
        ]
        assert vault.budget.left == left
        told = " ".join(f"{answer}{answer.receipt}" for answer in answers)
    assert PASSWORD not in said + written + told
    assert not [
        path
        for path in folder.rglob("*")
        if path.is_file() and PASSWORD.encode() in path.read_bytes()
    ]
    assert inspect_rows(folder).tables[0].rows == 60
    assert json.loads(command("check", str(folder), "--json")[1])["excess_rights"]


def test_a_wrong_password_a_missing_right_and_a_dropped_column_have_their_sentences(
    tmp_path, monkeypatch
):
    role, source = new_role(), table_of()
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(InvalidPolicy, match="refuses this role or its password"):
        vault_over(tmp_path, source)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    running().execute(f"GRANT USAGE ON SCHEMA {source.schema} TO {role}")
    with vault_over(tmp_path, as_role(source, role)) as vault:
        left = vault.budget.left
        with pytest.raises(InvalidData, match="may not be read by this role"):
            vault.sql(QUESTIONS[0], epsilon=0.5)
        assert vault.budget.left == left
    code, said = command("check", str(tmp_path))
    assert code != 0
    assert "may not read the column 'ward'" in said
    with vault_over(tmp_path, source) as vault:
        vault.sql(QUESTIONS[0], epsilon=0.5)
        left = vault.budget.left
        running().execute(f"ALTER TABLE {quoted(source)} DROP COLUMN cost")
        with pytest.raises(InvalidData, match="lacks a column of the policy"):
            vault.sql(QUESTIONS[1], epsilon=0.5)
        assert vault.budget.left == left


def slow_table():
    """A view that takes as long as another table says, and that table."""
    source, schema = table_of(), fresh_schema()
    running().execute(
        f"CREATE TABLE {schema}.patience AS SELECT 60 AS seconds",
        f"CREATE VIEW {schema}.visits AS SELECT v.* FROM {quoted(source)} AS v "
        f"CROSS JOIN LATERAL pg_sleep((SELECT seconds FROM {schema}.patience)) AS s",
    )
    return type(source)(source.address, schema, "visits"), f"{schema}.patience"


@pytest.mark.parametrize("fault", ["killed", "cancelled"])
def test_a_fault_in_the_middle_is_one_charge_and_asking_again_is_free(tmp_path, fault):
    source, patience = slow_table()
    with vault_over(tmp_path, source) as vault:
        found: list[object] = []

        def ask() -> None:
            try:
                found.append(vault.sql(QUESTIONS[1], epsilon=0.5))
            except TacitError as failure:
                found.append(failure)

        thread = Thread(target=ask)
        thread.start()
        at_work = (
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'tacit' "
            "AND wait_event = 'PgSleep'"
        )
        end = monotonic() + 60
        while not running().execute(at_work) and monotonic() < end:
            sleep(0.02)
        if fault == "killed":
            running().crash()
        else:
            running().execute(at_work.replace("SELECT pid", "SELECT pg_cancel_backend(pid)"))
        thread.join(60)
        assert isinstance(found[0], EngineFailed)
        assert str(found[0]) == str(EngineFailed())
        left = vault.budget.left
        assert left < 1
        running().execute(f"UPDATE {patience} SET seconds = 0")
        answer = vault.sql(QUESTIONS[1], epsilon=0.5)
        assert len(answer.rows) == 2
        assert vault.budget.left == left


def check_failure(vault: Vault, text: str) -> None:
    """Ask what fails: the sentence is the same as ever, without cause or context."""
    with pytest.raises(EngineFailed) as failure:
        vault.sql(text, epsilon=0.5)
    assert str(failure.value) == str(EngineFailed())
    assert failure.value.__cause__ is failure.value.__context__ is None


def test_on_a_full_disk_a_question_is_one_charge_and_asking_again_is_free(tmp_path, monkeypatch):
    """What does not fit into memory finds no room in a file; then there is room again."""
    role = new_role()
    rows = [{**ROWS[n % 60], "patient": f"p{n}"} for n in range(5_000)]
    source = table_of(rows, role)
    monkeypatch.setitem(connection.ALLOWED, "work_mem", "64kB")
    running().execute(
        f"GRANT USAGE ON SCHEMA {source.schema} TO {role}",
        f"GRANT SELECT ON {quoted(source)} TO {role}",
        f"ALTER ROLE {role} SET temp_file_limit = 0",
    )
    with vault_over(tmp_path, source) as vault:
        before = vault.budget.left
        check_failure(vault, QUESTIONS[1])
        left = vault.budget.left
        check_failure(vault, QUESTIONS[1])
        assert vault.budget.left == left < before
        running().execute(f"ALTER ROLE {role} RESET temp_file_limit")
        assert len(vault.sql(QUESTIONS[1], epsilon=0.5).rows) == 2
        assert vault.budget.left == left


NEIGHBOURS = [
    {"patient": "eve", "ward": CANARY, "cost": 2**62, "note": CANARY},
    {"patient": None, "ward": None, "cost": None, "note": None},
    {"patient": "eve", "ward": "A", "cost": -(2**63), "note": "9" * 5_000},
    {"patient": "p1", "ward": "A", "cost": 7, "note": "2024-02-30"},
]
GREY = [
    *QUESTIONS,
    "SELECT COUNT(CAST(note AS INTEGER)) AS a, COUNT(CAST(note AS DATE)) AS b FROM visits",
    "SELECT SUM(100 // (cost - 7)) AS q, SUM(SQRT(cost - 50)) AS r FROM visits",
    "SELECT COUNT(*) AS n FROM (SELECT patient, MAX(note) AS x FROM visits GROUP BY patient) AS q WHERE x > 'n'",
]


def left_by(opened: Vault, text: str) -> tuple[object, ...]:
    """All that leaves with a constant release: what is said, and what is charged."""
    with opened as vault, constant_release():
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            try:
                answer = vault.sql(text, epsilon=0.5)
                found: object = (answer.columns, answer.rows if "note," not in text else None)
            except TacitError as refusal:
                found = type(refusal), str(refusal), refusal.__cause__, refusal.__context__
        return found, vault.budget.left, said.getvalue()


def check_neighbours(
    open_vault: Callable[[Path, Any], Vault],
    store_rows: Callable[[Any], Any],
    folder: Path,
    text: str,
    neighbours: Any,
) -> None:
    """Compare what leaves with and without each of some rows; a canary leaves nowhere."""
    first = left_by(open_vault(folder / "0", store_rows(ROWS)), text)
    for number, row in enumerate(neighbours, 1):
        other = left_by(open_vault(folder / str(number), store_rows([*ROWS, row])), text)
        assert other == first
        assert CANARY not in str(other)


@pytest.mark.parametrize("text", GREY)
def test_a_row_more_changes_nothing_but_the_noise_would_hide_it(tmp_path, text):
    """Grey box: status, bytes and charge are those of a neighbour, whatever the row holds."""
    check_neighbours(vault_over, table_of, tmp_path, text, NEIGHBOURS)


def test_no_cell_makes_a_whole_numeric_fail():
    """NaN is a numeric of every precision: it is NULL here, also as a unit."""
    schema = fresh_schema()
    running().execute(
        f"CREATE TABLE {schema}.t (patient numeric(10), n numeric(12, 0))",
        f"INSERT INTO {schema}.t VALUES (1, 3), (2, 4), (3, 'NaN'), ('NaN', 4)",
    )
    source = PostgresTable(address(), schema, "t")
    columns = {"t": {"n": {"type": "integer", "low": 0, "high": 10}}}
    said = {"unit": "patient", "contributions": 1, "columns": columns, "epsilon": 10**6}
    with tacit.protect({"t": source}, **said) as vault:
        found = vault.sql("SELECT COUNT(*) AS rows, SUM(n) AS s FROM t", epsilon=10**5)
        assert found.rows[0][found.columns.index("rows")] == 3
        assert found.rows[0][found.columns.index("s")] == 7
        assert vault.sql("SELECT COUNT(*) AS c FROM t WHERE n > 3", epsilon=10**5)["c"] == [1]
