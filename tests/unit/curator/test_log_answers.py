"""The log has a line for every answer, and no value in it."""

import logging
import subprocess
import sys

import pytest

import tacit
from tacit.curator import Vault

ROWS = [{"patient": f"canary-{n}", "ward": "AB"[n % 2], "cost": 123456.5} for n in range(40)]


def clinic() -> Vault:
    columns = {"ward": ["A", "B"], "cost": (0, 200_000)}
    return tacit.protect(ROWS, unit="patient", contributions=1, columns=columns, epsilon=3)


def test_every_answer_has_a_line_with_its_entry_and_its_price(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "tacit")
    vault = clinic()
    text = "SELECT ward, SUM(cost) AS total FROM data GROUP BY ward"
    answer = vault.sql(text, epsilon=0.3)
    vault.sql(text, epsilon=0.3)
    vault.table("data").agg(n=tacit.count()).ask(epsilon=0.6)
    watch = vault.watch(threshold=10**6, epsilon=0.3)
    watch.ask("SELECT COUNT(*) FROM data")
    key = answer.receipt["key"][:12]
    assert [record.getMessage() for record in caplog.records[:2]] == [
        f"answered entry 0 {key} analyst None epsilon 0.3 share 0.1",
        f"answered entry 0 {key} analyst None epsilon 0.3 share 0.1 replayed",
    ]
    assert [record.getMessage().split()[:3] for record in caplog.records[2:]] == [
        ["answered", "entry", "1"],
        ["watched", "entry", "2"],
    ]
    told = "".join(record.getMessage() for record in caplog.records)
    private = ["canary", "123456", "ward", "SELECT", *map(str, answer["total"])]
    assert not [each for each in private if each in told]


def test_nothing_is_printed_by_who_sets_nothing_up() -> None:
    script = (
        "import tacit\n"
        "rows = [{'patient': 1}]\n"
        "vault = tacit.protect(rows, unit='patient', contributions=1, columns={}, epsilon=3)\n"
        "vault.sql('SELECT COUNT(*) AS n FROM data', epsilon=1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
