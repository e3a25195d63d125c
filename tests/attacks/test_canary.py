"""Unique tokens in every private cell; whatever leaves a vault, by any door, is searched for them."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.curator import Vault
from tacit.errors import TacitError
from tests.unit.cli.clinics import called

ROWS = 60
POLICY = """\
[limit]
epsilon = 40
delta = 1e-6

[ledger]
anchors = "../anchors"

[tables.visits]
source = "visits.SUFFIX"
unit = "patient"
contributions = 4

[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
note = { type = "text" }
cost = { type = "number", low = 0, high = 1000000000000 }
born = { type = "date" }
seen = { type = "timestamp" }
code = { type = "integer" }
"""


def token(row: int, column: str) -> str:
    return f"canary-{column}-{row * 7919 + 104_729:08x}"


def number(row: int, column: int) -> int:
    """A number of twelve digits that nothing else is."""
    return 700_000_000_000 + (row * 1_000_003 + column * 100_000_007) % 99_999_999_977


def rows() -> list[dict[str, Any]]:
    return [
        {
            "patient": token(row // 3, "patient"),
            "ward": "AB"[row % 2],
            "note": token(row, "note"),
            "cost": float(number(row, 1)),
            "born": f"{1601 + 3 * row}-0{1 + row % 9}-1{row % 10}",
            "seen": f"{2301 + row}-1{row % 3}-2{row % 9} 01:02:0{row % 10}.{400_000 + row}",
            "code": number(row, 2),
        }
        for row in range(ROWS)
    ]


def tokens() -> list[str]:
    found = []
    for row in rows():
        found += [
            row["patient"],
            row["note"],
            str(row["code"]),
            str(int(row["cost"])),
            row["born"],
            row["seen"][:10],
        ]
    return found


@dataclass
class Searched:
    """Everything that came out so far."""

    texts: list[str] = field(default_factory=list)

    def add(self, *said: object) -> None:
        self.texts += [str(each) for each in said]

    def files(self, *folders: Path) -> None:
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith("visits."):
                    self.texts.append(path.read_bytes().decode("latin-1"))

    def hits(self) -> list[str]:
        everything = "\n".join(self.texts)
        utf16 = everything.replace("\0", "")
        return [each for each in tokens() if each in everything or each in utf16]


class Kept(logging.Handler):
    """Everything that is logged, at every level."""

    def __init__(self, searched: Searched) -> None:
        super().__init__(level=0)
        self.searched = searched

    def emit(self, record: logging.LogRecord) -> None:
        self.searched.add(record.getMessage(), record.exc_info or "", record.args or "")


@pytest.fixture
def searched() -> Iterator[Searched]:
    found = Searched()
    handler, root = Kept(found), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    yield found
    root.removeHandler(handler)
    root.setLevel(level)


QUESTIONS = [
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean, SUM(cost) AS s FROM visits GROUP BY ward",
    "SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE note LIKE 'canary%' AND cost > 5",
    "SELECT COUNT(note) AS n, COUNT(born) AS b FROM visits WHERE born > '1700-01-01'",
    "SELECT COUNT(*) AS n FROM visits WHERE seen > '2310-01-01' AND code > 3 OR note IS NULL",
    "SELECT SUM(CASE WHEN cost > 1 THEN 1 ELSE 0 END) AS n FROM visits",
    "SELECT COUNT(*) AS n FROM visits WHERE CAST(note AS INTEGER) IS NULL",
    "SELECT note, COUNT(*) AS n FROM visits GROUP BY note",  # of which none is shared by many
]
REFUSED = [
    "SELECT note FROM visits",
    "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient",
    "SELECT MAX(note) FROM visits",
    "SELECT SUM(code) FROM visits",
    "SELECT SUM(note) FROM visits",
    "SELECT * FROM read_csv('visits.csv')",
    "SELECT COUNT(*) FROM visits WHERE error(note)",
    "SELECT COUNT(*) FROM",
]


def written(folder: Path, suffix: str) -> Path:
    import pandas as pd

    clinic = folder / "clinic"
    clinic.mkdir()
    frame = pd.DataFrame(rows())
    if suffix == "csv":
        frame.to_csv(clinic / "visits.csv", index=False)
    else:
        frame["born"] = (
            pd.to_datetime(frame["born"], format="%Y-%m-%d").astype("datetime64[s]").dt.date
        )
        frame["seen"] = frame["seen"].astype("datetime64[us]")
        frame.to_parquet(clinic / "visits.parquet")
    (clinic / "tacit.toml").write_text(POLICY.replace("SUFFIX", suffix))
    return clinic


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_private_cell_leaves_by_any_door(
    tmp_path: Path,
    suffix: str,
    searched: Searched,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TMPDIR", "TMP", "TEMP", "HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "temporary")
    clinic = written(tmp_path, suffix)
    folders = clinic, tmp_path / "anchors", tmp_path / "temporary"
    with tacit.open(clinic) as vault:
        asked(vault, searched, folders)
        asked(vault.mock(), searched, folders)
        broken(vault, searched)
        searched.add(*(json.dumps(record) for record in vault.records()), vault.budget)
    for words in commands(clinic, tmp_path):
        said = called(capsys, monkeypatch, *words)
        searched.add(said.out, said.err)
    searched.files(*folders)
    assert sum(map(len, searched.texts)) > 20_000
    assert searched.hits() == []


def asked(vault: Vault, searched: Searched, folders: tuple[Path, ...]) -> None:
    """Ask, explain and be refused; search what lies around meanwhile."""
    for text in QUESTIONS:
        answer = vault.sql(text, epsilon=1)
        searched.add(
            answer,
            answer._repr_html_(),
            answer.rows,
            json.dumps(dict(answer.receipt)),
            answer.to_pandas(),
        )
        searched.add(vault.explain(text, epsilon=1))
        searched.files(*folders)
    for text in REFUSED:
        with pytest.raises(TacitError) as refusal:
            vault.sql(text, epsilon=1)
        _everything_about(refusal.value, searched)


def broken(vault: Vault, searched: Searched) -> None:
    """An engine that fails with a cell in its message."""
    engine: Any = vault._access.engines["visits"]
    real = engine.evaluate

    def failing(*_: Any) -> Any:
        raise RuntimeError(f"could not convert {token(3, 'note')} to INT64")

    engine.evaluate = failing
    try:
        with pytest.raises(TacitError) as refusal:
            vault.sql("SELECT COUNT(*) AS n FROM visits WHERE cost > 77", epsilon=1)
    finally:
        engine.evaluate = real
    _everything_about(refusal.value, searched)


def _everything_about(error: BaseException, searched: Searched) -> None:
    searched.add(error, repr(error), error.args, vars(error), error.__cause__, error.__context__)


def commands(clinic: Path, folder: Path) -> Iterator[list[object]]:
    yield ["check", clinic]
    yield [
        "sql",
        clinic,
        QUESTIONS[0],
        "--epsilon",
        2,
        "--receipt",
        folder / "temporary" / "receipt.json",
    ]
    yield ["sql", clinic, QUESTIONS[1], "--epsilon", 2, "--json"]
    yield ["explain", clinic, QUESTIONS[2], "--epsilon", 3]
    yield ["mock", clinic, QUESTIONS[2], "--epsilon", 3]
    yield ["budget", clinic]
    yield ["ledger", "list", clinic]
    yield ["ledger", "show", clinic, 0]
    yield ["ledger", "verify", clinic, folder / "temporary" / "receipt.json"]
    yield ["ledger", "export", clinic]
    yield ["refresh", clinic, "visits"]
    source = next(clinic.glob("visits.*"))
    yield [
        "init",
        folder / "temporary" / "other",
        "--source",
        source,
        "--epsilon",
        1,
        "--answers",
        3,
    ]
    for text in REFUSED:
        yield ["sql", clinic, text, "--epsilon", 1]


def test_the_search_finds_what_does_leave(searched: Searched) -> None:
    searched.add(f"an error about {token(5, 'note')}")
    logging.getLogger("somewhere").debug("the value %s", number(9, 2))
    assert searched.hits() == [token(5, "note"), str(number(9, 2))]


def test_every_token_is_unique() -> None:
    cells = tokens()
    owned = [each for each in cells if "patient" not in each]
    assert len(owned) == len(set(owned))
    with suppress(KeyError):
        assert not any(each in json.dumps(dict(os.environ)) for each in owned)
