"""Text is compared by code point, also where a database would compare it otherwise."""

from pathlib import Path

import duckdb

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import DuckDB, ingest
from tacit.ledger import MemoryLedger
from tacit.plan import (
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
    Weights,
)

VISITS = Table("visits", (Column("code", Kind.TEXT),), unit="patient")


def codes(folder: Path, *rows: tuple[int, str]) -> list[str]:
    """The codes that are found in a table of a DuckDB file whose column compares letters of either case as equal."""
    file = folder / f"{len(rows)}.duckdb"
    with duckdb.connect(str(file)) as stored:
        stored.execute("CREATE TABLE visits (patient BIGINT, code VARCHAR COLLATE NOCASE)")
        stored.executemany("INSERT INTO visits VALUES (?, ?)", rows)
    limit = Limit(3, 1e-12)  # so small a delta that the key of one person never passes
    policy = Policy(limit, {"visits": Shared(VISITS, 1)})
    with Vault(policy, {"visits": DuckDB({VISITS: file})}, MemoryLedger(limit.filter())) as clinic:
        return clinic.sql("SELECT code, COUNT(*) AS n FROM visits GROUP BY code", epsilon=2).column(
            "code"
        )


def test_one_person_does_not_decide_how_a_key_is_spelled(tmp_path: Path) -> None:
    many = [(patient, "flu") for patient in range(300)]
    assert codes(tmp_path, (999, "fLu"), *many) == codes(tmp_path, *many) == ["flu"]


def test_units_that_differ_in_one_letter_are_two_and_so_are_declared_keys(tmp_path: Path) -> None:
    table = Table("visits", (Column("code", Kind.TEXT, values=("flu", "FLU")),), unit="patient")
    file = tmp_path / "units.duckdb"
    with duckdb.connect(str(file)) as stored:
        stored.execute(
            "CREATE TABLE visits (patient VARCHAR COLLATE NOCASE, code VARCHAR COLLATE NOCASE)"
        )
        stored.executemany(
            "INSERT INTO visits VALUES (?, ?)",
            [("A", "flu"), ("a", "flu"), ("é", "FLU"), ("É", "Flu")],
        )
    question = Question(
        Scan(table), (Key(Field(table.columns[0]), ("flu", "FLU")),), (Units(), Counted())
    )
    weights = Weights(Weighing.L1, 1, 1, 0)
    for source in (file, ingest(file, table, tmp_path / "ingested.duckdb")):
        with DuckDB({table: source}) as engine:
            assert engine.evaluate(question, weights).tolist() == [[2, 2], [1, 1]]
