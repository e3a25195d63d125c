"""Text is compared by code point, also where a database would compare it otherwise."""

from pathlib import Path

import duckdb
import pytest

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import DuckDB
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table

VISITS = Table("visits", (Column("code", Kind.TEXT),), unit="patient")


def codes(folder: Path, *rows: tuple[int, str]) -> list[str]:
    """The codes that are found in a table of a DuckDB file whose column compares letters of either case as equal."""
    file = folder / f"{len(rows)}.duckdb"
    with duckdb.connect(str(file)) as stored:
        stored.execute("CREATE TABLE visits (patient BIGINT, code VARCHAR COLLATE NOCASE)")
        stored.executemany("INSERT INTO visits VALUES (?, ?)", rows)
    limit = Limit(3, 1e-6)
    policy = Policy(limit, {"visits": Shared(VISITS, 1)})
    with Vault(policy, {"visits": DuckDB({VISITS: file})}, MemoryLedger(limit.filter())) as clinic:
        return clinic.sql("SELECT code, COUNT(*) AS n FROM visits GROUP BY code", epsilon=2).column("code")


@pytest.mark.xfail(strict=True, reason="a stored collation decides which spelling of a key stands for all of them")
def test_one_person_does_not_decide_how_a_key_is_spelled(tmp_path: Path) -> None:
    many = [(patient, "flu") for patient in range(300)]
    assert codes(tmp_path, (999, "fLu"), *many) == codes(tmp_path, *many) == ["flu"]
