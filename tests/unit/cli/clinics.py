"""A small vault on the disk, and the `tacit` command as a person runs it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

POLICY = """\
[limit]
epsilon = 2.0
delta = 1e-6

[ledger]
anchors = "../anchors"

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 3

[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0, high = 500 }
age  = { type = "integer" }

[analysts.alice]
epsilon = 0.5
"""
HEAD = "patient,ward,cost,age\n"
ROWS = "".join(f"{n % 40},{'AB'[n % 2]},{n % 97}.5,{n % 90}\n" for n in range(200))


def vault(folder: Path, policy: str = POLICY) -> Path:
    """The directory of a new vault."""
    clinic = folder / "clinic"
    clinic.mkdir()
    (clinic / "visits.csv").write_text(HEAD + ROWS)
    (clinic / "tacit.toml").write_text(policy)
    return clinic


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    out: str
    err: str
    code: int


def tacit(*words: object, env: Mapping[str, str] | None = None) -> Said:
    """The command in a process of its own."""
    command = [sys.executable, "-c", "from tacit.cli import main; main()", *map(str, words)]
    plain = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **plain, **(env or {})},
    )
    return Said(done.stdout, done.stderr, done.returncode)


def called(capsys: object, monkeypatch: object, *words: object) -> Said:
    """The command in this process, which is quicker."""
    from tacit.cli import main

    monkeypatch.setattr(sys, "argv", ["tacit", *map(str, words)])  # type: ignore[attr-defined]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    said = capsys.readouterr()  # type: ignore[attr-defined]
    return Said(said.out, said.err, code)
