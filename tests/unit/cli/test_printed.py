"""What the command prints of data and of policies can be printed: nothing of it moves a cursor."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.clinics import Said, called
from tests.unit.test_printing import EVIL, FORMULAS, is_clean

Run = Callable[..., Said]
KEY = EVIL.replace("\0", "")
TABLE, COLUMN, PERSON = "t [bold]", "c\x9b31m\u2028", "person\x1b[31m"
POLICY = f"""\
[limit]
epsilon = 30
delta = 1e-6
unit = {json.dumps(PERSON)}

[tables.{json.dumps(TABLE)}]
source = "rows.csv"
unit = "p"
contributions = 1
keys = 1

[tables.{json.dumps(TABLE)}.columns]
{json.dumps(COLUMN)} = {{ type = "text" }}
known = {{ type = "text", values = [{json.dumps(KEY)}, "B"] }}
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: called(capsys, monkeypatch, *words)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["p", COLUMN, "known"], *([unit, KEY, KEY] for unit in range(900))]
        )
    (folder / "tacit.toml").write_text(POLICY, encoding="utf-8")
    return folder


def test_nothing_that_a_command_prints_moves_the_cursor(
    run: Run, vault: Path, tmp_path: Path
) -> None:
    unknown = f'SELECT "{COLUMN}", COUNT(*) AS n FROM "{TABLE}" GROUP BY "{COLUMN}"'
    known = f'SELECT known, COUNT(*) AS "n{COLUMN}" FROM "{TABLE}" GROUP BY known'
    commands = [
        ("check", vault),
        ("sql", vault, unknown, "--epsilon", "3"),
        ("sql", vault, known, "--epsilon", "3", "--receipt", tmp_path / "receipt.json"),
        ("explain", vault, known, "--epsilon", "3"),
        ("mock", vault, known, "--epsilon", "3"),
        ("budget", vault),
        ("refresh", vault, TABLE),
        ("ledger", "list", vault),
        ("ledger", "show", vault, "0"),
        ("ledger", "verify", vault),
        ("ledger", "export", vault),
        ("sql", vault, f"SELECT COUNT(*) AS n FROM {EVIL}", "--epsilon", "1"),
        ("sql", vault, f'SELECT COUNT(*) AS n FROM "no{TABLE}"', "--epsilon", "1"),
        ("sql", tmp_path / "no\x1b[2Jvault", known, "--epsilon", "1"),
        ("refresh", vault, f"no{TABLE}"),
    ]
    keys = 0
    for command in commands:
        for form in ((), ("--json",)) if command[:2] != ("ledger", "export") else ((),):
            said = run(*command, *form)
            assert said.out + said.err
            assert is_clean(said.out), (command, said.out)
            assert is_clean(said.err), (command, said.err)
            keys += "flu" in said.out
    assert keys >= 8  # the key was there to be seen
    answer = json.loads(run("sql", vault, unknown, "--epsilon", "3", "--json").out)
    assert answer["rows"][0][COLUMN] == KEY
    assert is_clean((tmp_path / "receipt.json").read_text(encoding="utf-8"))


def test_a_table_whose_name_cannot_be_printed_is_refused_when_the_vault_is_opened(
    run: Run, vault: Path
) -> None:
    (vault / "tacit.toml").write_text(
        POLICY.replace(json.dumps(TABLE), json.dumps(f"{TABLE}\x1b")), encoding="utf-8"
    )
    said = run("check", vault)
    assert said.code == 4
    assert "the name of this table contains invisible characters" in said.err
    assert is_clean(said.err)


def test_a_policy_that_is_made_of_a_header_can_be_printed(run: Run, tmp_path: Path) -> None:
    names = ["p", COLUMN, *FORMULAS[:3]]
    (tmp_path / "rows.csv").write_text(",".join(names) + "\n1,2,3,4,5\n", encoding="utf-8")
    made = run(
        "init",
        tmp_path / "vault",
        "--source",
        tmp_path / "rows.csv",
        "--unit",
        "p",
        "--epsilon",
        "3",
        "--answers",
        "9",
    )
    assert made.code == 0, made.err
    assert is_clean(made.out)
    assert is_clean((tmp_path / "vault" / "tacit.toml").read_text(encoding="utf-8"))
