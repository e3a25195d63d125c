"""Everything that goes wrong for a new user gives one helpful sentence, an exit code, and no traceback."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.unit.cli.clinics import POLICY, Said, called, vault

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def helpful(said: Said, code: int, *words: str) -> None:
    """The command ended with this code and said all of this, and nothing of Python."""
    assert said.code == code, said
    assert "Traceback" not in said.err
    assert said.err.startswith("tacit: ")
    for word in words:
        assert word in said.err, f"{word!r} is not in {said.err!r}"


def test_a_missing_vault(run: Run, tmp_path: Path) -> None:
    helpful(run("sql", tmp_path / "nowhere", COUNT, "--epsilon", 1), 4, "nowhere", "tacit init")


def test_a_missing_source(run: Run, clinic: Path) -> None:
    (clinic / "visits.csv").unlink()
    helpful(run("sql", clinic, COUNT, "--epsilon", 1), 4, "line 9", "visits.csv", "source")


def test_a_missing_file_on_its_own(run: Run, tmp_path: Path) -> None:
    said = run(
        "sql",
        tmp_path / "visits.parquet",
        COUNT,
        "--epsilon",
        1,
        "--unit",
        "patient",
        "--contributions",
        3,
    )
    helpful(said, 2, "visits.parquet")


def test_a_wrong_column(run: Run, clinic: Path) -> None:
    said = run("sql", clinic, "SELECT AVG(costs) AS mean FROM visits", "--epsilon", 1)
    helpful(said, 2, "costs", "^^^^^", "cost")


def test_a_wrong_table(run: Run, clinic: Path) -> None:
    helpful(
        run("sql", clinic, "SELECT COUNT(*) AS n FROM visit", "--epsilon", 1), 2, "visit", "visits"
    )


def test_a_missing_bound(run: Run, clinic: Path) -> None:
    said = run("sql", clinic, "SELECT AVG(age) AS mean FROM visits", "--epsilon", 1)
    helpful(said, 2, "age", "low", "high")


def test_an_exhausted_limit(run: Run, clinic: Path) -> None:
    assert run("sql", clinic, COUNT, "--epsilon", 2).code == 0
    helpful(
        run("sql", clinic, "SELECT COUNT(*) AS n FROM visits", "--epsilon", 1),
        3,
        "nothing is left",
        "asked before is answered again",
    )


def test_an_exhausted_limit_of_an_analyst(run: Run, clinic: Path) -> None:
    said = run("sql", clinic, COUNT, "--epsilon", 1, "--analyst", "alice")
    helpful(said, 3, "alice", "still fits")


def test_an_unknown_analyst(run: Run, clinic: Path) -> None:
    helpful(run("sql", clinic, COUNT, "--epsilon", 1, "--analyst", "bob"), 2, "bob", "alice")


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "much"])
def test_an_epsilon_that_is_no_price(run: Run, clinic: Path, epsilon: str) -> None:
    helpful(
        run("sql", clinic, COUNT, f"--epsilon={epsilon}"),
        2,
        "epsilon" if epsilon in "0 -1" else epsilon,
    )


def test_no_price(run: Run, clinic: Path) -> None:
    helpful(run("sql", clinic, COUNT), 2, "epsilon", "within")


@pytest.mark.parametrize(
    ("wrong", "right", "line"),
    [
        ("epsilon = 2.0", 'epsilon = "2.0"', 2),
        ("epsilon = 2.0", "epsilon = 0", 2),
        ("contributions = 3", "contributions = 3.5", 11),
        ('type = "number", low = 0', 'type = "number", low = "zero"', 15),
        ('unit = "patient"', 'unit = "pateint"', 10),
        ("[tables.visits.columns]", "[tables.visits.colums]", 13),
    ],
)
def test_a_wrong_type_or_name_in_the_policy(
    tmp_path: Path, run: Run, wrong: str, right: str, line: int
) -> None:
    clinic = vault(tmp_path, POLICY.replace(wrong, right, 1))
    helpful(run("check", clinic), 4, "tacit.toml", f"line {line}")


def test_all_faults_of_a_policy_at_once(tmp_path: Path, run: Run) -> None:
    clinic = vault(
        tmp_path,
        POLICY.replace("epsilon = 2.0", "epsilon = -1").replace(
            "contributions = 3", "contributions = 0"
        ),
    )
    helpful(run("check", clinic), 4, "2 errors", "epsilon", "contributions")


def test_a_locked_ledger(clinic: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("budget", clinic).code == 0
    monkeypatch.setattr(
        "tacit.ledger.sqlite.SqliteStore.__init__.__kwdefaults__",
        {"timeout": 0.05, "connect": None},
    )
    monkeypatch.setattr("tacit.ledger.sqlite.sqlite_ledger.__kwdefaults__", _impatient())
    holder = sqlite3.connect(clinic / "ledger.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        helpful(
            run("sql", clinic, COUNT, "--epsilon", 1), 5, "locked by another process", "try again"
        )
    finally:
        holder.close()


def _impatient() -> dict[str, object]:
    return {"anchors": None, "adopting": None, "progress": None, "timeout": 0.05, "connect": None}


AS_ANOTHER = """
import os, sys
from tacit.cli import main

def run(words):
    sys.argv = ["tacit", *words]
    try:
        main()
    except SystemExit as ended:
        return ended.code or 0
    return 0

first, second = sys.argv[1:4], sys.argv[4:]
assert run(first) == 0
if os.geteuid() == 0:
    os.setuid(65534)  # nobody: root may do everything
sys.stderr.flush()
sys.exit(run(second))
"""


def as_another(clinic: Path, *words: object) -> Said:
    """A second command, by someone who owns nothing; the first has loaded all that Python needs."""
    command = [sys.executable, "-c", AS_ANOTHER, "budget", str(clinic), "--json", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Said(done.stdout, done.stderr, done.returncode)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_disk_that_cannot_be_written(open_folder: Path, run: Run) -> None:
    clinic = vault(open_folder)
    assert run("budget", clinic).code == 0
    (clinic / "ledger.sqlite").chmod(0o444)
    clinic.chmod(0o555)
    try:
        said = as_another(
            clinic, "sql", clinic, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.2"
        )
        helpful(said, 5, "ledger.sqlite cannot be", "permission to", "nothing was charged")
    finally:
        clinic.chmod(0o755)


def test_no_permission(open_folder: Path, run: Run) -> None:
    clinic = vault(open_folder)
    assert run("budget", clinic).code == 0
    (clinic / "ledger.sqlite").chmod(0o000)
    helpful(
        as_another(clinic, "budget", clinic),
        5,
        "ledger.sqlite cannot be opened",
        "give this account permission to read and write",
    )


def test_a_policy_that_may_not_be_read(open_folder: Path) -> None:
    clinic = vault(open_folder)
    (clinic / "tacit.toml").chmod(0o000)
    helpful(as_another(clinic, "budget", clinic), 4, "tacit.toml", "read")


def test_a_question_that_shows_rows(run: Run, clinic: Path) -> None:
    helpful(
        run("sql", clinic, "SELECT * FROM visits", "--epsilon", 1),
        2,
        "single rows are never released",
        "COUNT(*)",
    )


def test_the_shell_ate_the_quotes(run: Run, clinic: Path) -> None:
    helpful(
        run("sql", clinic, "SELECT COUNT(*) FROM visits WHERE ward = A", "--epsilon", 1),
        2,
        "A",
        "^",
    )


def test_a_type_that_is_written_as_a_value(run: Run, clinic: Path) -> None:
    said = run(
        "sql",
        clinic / "visits.csv",
        COUNT,
        "--epsilon",
        1,
        "--unit",
        "patient",
        "--column",
        "ward=text",
    )
    helpful(said, 2, "ward:text", "ward=A,B")


def test_a_file_of_which_no_column_is_declared(run: Run, clinic: Path) -> None:
    said = run(
        "sql",
        clinic / "visits.csv",
        COUNT,
        "--epsilon",
        1,
        "--unit",
        "patient",
        "--contributions",
        3,
    )
    helpful(said, 2, "ward", "no column is declared")


def test_asking_for_the_unit_itself(run: Run, clinic: Path) -> None:
    said = run(
        "sql", clinic, "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient", "--epsilon", 1
    )
    helpful(said, 2, "patient", "the protected unit", "COUNT(DISTINCT")


def test_a_vault_whose_delta_is_given_needs_no_number_of_answers(
    run: Run, clinic: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    said = run("init", made, "--source", clinic / "visits.csv", "--epsilon", 2, "--delta", "1e-6")
    assert said.code == 0, said
    assert "delta = 1e-6" in (made / "tacit.toml").read_text()


def test_python_runs_the_command_by_the_name_of_the_package():
    said = subprocess.run(
        [sys.executable, "-m", "tacit", "--help"], capture_output=True, text=True, check=True
    )
    assert "Tacit answers questions about everyone" in said.stdout
