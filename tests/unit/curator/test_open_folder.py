"""A vault is a directory: opened in any process, at any time, it goes on where it was."""

import threading
from pathlib import Path

import pytest

import tacit
from tacit import engines
from tacit.curator import adopt_ledger, open_folder, open_tables, was_opened
from tacit.errors import (
    EngineFailed,
    InvalidData,
    InvalidInput,
    InvalidPolicy,
    LedgerRefused,
    LimitExceeded,
)
from tests.unit.cli.clinics import HEAD, POLICY, ROWS, vault
from tests.unit.cli.clinics import tacit as command

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
LINKED = """
[tables.bills]
source = "bills.csv"
unit = "visit.patient"
contributions = 2

[tables.bills.references]
visit = "stays.id"

[tables.bills.columns]
paid = { type = "integer", low = 0, high = 9 }

[tables.stays]
source = "stays.csv"
unit = "patient"
contributions = 2

[tables.stays.columns]
ward = { type = "text", values = ["A", "B"] }
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return vault(tmp_path)


def test_what_was_spent_and_answered_is_there_when_it_is_opened_again(clinic: Path) -> None:
    with tacit.open(clinic) as first:
        answer = first.sql(COUNT, epsilon=0.5)
        spent = first.budget.spent
    with tacit.open(clinic) as again:
        assert again.budget.spent == spent > 0
        same = again.sql(COUNT.lower().replace("visits", "VISITS"), epsilon=0.5)
        assert same.price.free
        assert same.rows == answer.rows
        assert same.receipt == answer.receipt


def test_another_process_sees_the_same(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        opened.sql(COUNT, epsilon=0.5)
        assert (
            "nothing: the stored answer, which cost"
            in command("sql", clinic, COUNT, "--epsilon", "0.5").out
        )
        command("sql", clinic, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.5")
        assert opened.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.5).price.free


def test_analysts_share_the_limit_and_not_their_answers(clinic: Path) -> None:
    with tacit.open(clinic, analyst="alice") as hers, tacit.open(clinic) as everyones:
        hers.sql(COUNT, epsilon=0.4)
        assert not everyones.sql(COUNT, epsilon=0.4).price.free
        assert everyones.budget.spent == hers.budget.spent
        with pytest.raises(LimitExceeded, match="alice"):
            hers.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.4)


def test_answers_are_shared_where_the_policy_says_so(tmp_path: Path) -> None:
    clinic = vault(tmp_path, POLICY.replace("delta = 1e-6", 'delta = 1e-6\nreplay = "everyone"', 1))
    with tacit.open(clinic, analyst="alice") as hers, tacit.open(clinic) as everyones:
        hers.sql(COUNT, epsilon=0.4)
        assert everyones.sql(COUNT, epsilon=0.4).price.free


def test_a_changed_format_asks_anew(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        opened.sql(COUNT, epsilon=0.2)
        opened.clipping("visits", epsilon=0.2)
    policy = clinic / "tacit.toml"
    policy.write_text(policy.read_text() + '\n[tables.visits.format]\nnulls = ["A"]\n')
    with tacit.open(clinic) as opened:
        assert not opened.sql(COUNT, epsilon=0.2).price.free
        assert not opened.clipping("visits", epsilon=0.2).price.free


def test_columns_that_are_never_null_ask_anew(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        opened.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.2)
    policy = clinic / "tacit.toml"
    policy.write_text(
        policy.read_text().replace('type = "integer"', 'type = "integer", nullable = false', 1)
    )
    with tacit.open(clinic) as opened:
        assert not opened.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.2).price.free


def test_changed_bounds_or_contributions_ask_anew(clinic: Path) -> None:
    question = "SELECT SUM(cost) AS s FROM visits"
    with tacit.open(clinic) as opened:
        opened.sql(question, epsilon=0.2)
    for old, new in (("high = 500", "high = 600"), ("contributions = 3", "contributions = 4")):
        (clinic / "tacit.toml").write_text((clinic / "tacit.toml").read_text().replace(old, new))
        with tacit.open(clinic) as opened:
            assert not opened.sql(question, epsilon=0.2).price.free


def test_a_limit_is_changed_by_an_entry_and_keeps_what_was_spent(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        opened.sql(COUNT, epsilon=2)
    (clinic / "tacit.toml").write_text(POLICY.replace("epsilon = 2.0", "epsilon = 3.0"))
    with tacit.open(clinic) as opened:
        assert 0 < opened.budget.spent < 1
        assert [record["kind"] for record in opened.records()].count("limited") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("delta = 1e-6", "delta = 0"),
        ("delta = 1e-6", 'delta = 1e-6\nneighbours = "replace"'),
        ("delta = 1e-6", 'delta = 1e-6\nunit = "person"'),
    ],
)
def test_what_never_changes_is_held_by_the_ledger(clinic: Path, old: str, new: str) -> None:
    with tacit.open(clinic) as opened:
        opened.sql(COUNT, epsilon=0.2)
    (clinic / "tacit.toml").write_text(POLICY.replace(old, new, 1))
    with pytest.raises(LedgerRefused, match="unit, neighbours and whether delta is 0 cannot"):
        tacit.open(clinic)


def test_an_older_copy_of_the_ledger_is_refused_until_it_is_adopted(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        opened.sql(COUNT, epsilon=0.2)
    kept = (clinic / "ledger.sqlite").read_bytes()
    with tacit.open(clinic) as opened:
        opened.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.2)
    for file in clinic.glob("ledger.sqlite*"):
        file.unlink()
    (clinic / "ledger.sqlite").write_bytes(kept)
    with pytest.raises(LedgerRefused, match="tacit ledger adopt"):
        tacit.open(clinic)
    with pytest.raises(InvalidInput, match="why"):
        adopt_ledger(clinic, " ")
    adopt_ledger(clinic, "the newer one was lost in a fire")
    with tacit.open(clinic) as opened:
        assert sum(1 for _ in opened.ledger.entries()) == 1
        assert any("fire" in str(record.get("why")) for record in opened.records())


def test_a_unit_is_found_along_foreign_keys(tmp_path: Path) -> None:
    clinic = vault(tmp_path, POLICY + LINKED)
    (clinic / "stays.csv").write_text(
        "id,patient,ward\n" + "".join(f"{n},{n // 2},A\n" for n in range(100))
    )
    (clinic / "bills.csv").write_text(
        "visit,paid\n" + "".join(f"{n % 100},{n % 10}\n" for n in range(400))
    )
    with tacit.open(clinic) as opened:
        rows = opened.sql("SELECT COUNT(*) AS n FROM bills", epsilon=1.8, raw=True).rows
    assert 0 < rows[0][0] < 160  # fifty patients with eight bills each, held at two


def test_no_row_is_read_before_the_charge(clinic: Path) -> None:
    """A source that cannot be read any more: what is refused is refused for other reasons, and costs nothing."""
    with tacit.open(clinic) as opened:
        (clinic / "visits.csv").unlink()
        with pytest.raises(LimitExceeded):
            opened.sql(COUNT, epsilon=9)
        assert opened.budget.spent == 0
        with pytest.raises(EngineFailed):
            opened.sql(COUNT, epsilon=0.5)
        assert opened.budget.spent > 0
        (clinic / "visits.csv").write_text(HEAD + ROWS)
        assert len(opened.sql(COUNT, epsilon=0.5)) == 2
        assert sum(1 for _ in opened.ledger.entries()) == 1


def test_tables_are_read_before_they_are_asked_about(clinic: Path) -> None:
    """What is read beforehand charges nothing; what cannot be read fails when it is asked about, as it always did."""
    with tacit.open(clinic) as opened, tacit.open(clinic) as broken:
        open_tables(opened)
        (clinic / "visits.csv").unlink()
        open_tables(broken)
        assert not list(opened.ledger.entries())
        with pytest.raises(EngineFailed):
            broken.sql(COUNT, epsilon=0.5)
        assert len(opened.sql(COUNT, epsilon=0.5)) == 2  # of the rows as they were
    open_tables(
        tacit.protect([{"p": 1}], unit="p", columns={}, epsilon=1)
    )  # which was read already


def test_whether_tables_were_read_tells_nothing_of_the_rows(clinic: Path) -> None:
    with tacit.open(clinic) as opened, tacit.open(clinic) as broken:
        for each in (opened, broken):
            assert not was_opened(each, ["visits"])
        open_tables(opened)
        (clinic / "visits.csv").write_text(HEAD + "\xff" * 99)
        open_tables(broken)
        for each in (opened, broken):
            assert was_opened(each, ["visits"])
        opened.refresh("visits")
        for each in (opened, broken):
            assert not was_opened(each, ["visits"])
    in_memory = tacit.protect([{"p": 1}], unit="p", columns={}, epsilon=1)
    assert was_opened(in_memory, ["data"])


def test_who_asks_about_a_table_does_not_wait_until_another_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clinic = vault(tmp_path, POLICY + LINKED)
    (clinic / "stays.csv").write_text("id,patient,ward\n1,1,A\n")
    (clinic / "bills.csv").write_text("visit,paid\n1,5\n")
    begun, go_on, real = threading.Event(), threading.Event(), engines.open_engine

    def slow(tables, **given):
        begun.set()
        assert go_on.wait(60)
        return real(tables, **given)

    with tacit.open(clinic) as opened:
        open_tables(opened, "visits")
        monkeypatch.setattr(open_folder, "open_engine", slow)
        reading = threading.Thread(target=open_tables, args=(opened, "stays"))
        reading.start()
        assert begun.wait(60)
        answered = threading.Thread(target=opened.sql, args=(COUNT,), kwargs={"epsilon": 0.5})
        answered.start()
        answered.join(60)
        assert not answered.is_alive()
        go_on.set()
        reading.join(60)


def test_a_refreshed_table_is_read_anew_by_a_vault_that_is_open(clinic: Path) -> None:
    question = "SELECT COUNT(*) AS n FROM visits"
    with tacit.open(clinic) as opened, tacit.open(clinic) as other:
        few = opened.sql(question, epsilon=0.9, raw=True).rows[0][0]
        rows = "".join(f"{n},A,1.5,3\n" for n in range(5_000))
        (clinic / "visits.csv").write_text(HEAD + rows)
        other.refresh("visits")
        many = opened.sql(question, epsilon=0.9, raw=True).rows[0][0]
        assert few < 1_000
        assert many > 4_000


def test_a_table_on_the_way_to_the_units_is_refreshed_with_those_that_follow_it(
    tmp_path: Path,
) -> None:
    clinic = vault(tmp_path, POLICY + LINKED)
    (clinic / "stays.csv").write_text("id,patient,ward\n1,1,A\n")
    (clinic / "bills.csv").write_text("visit,paid\n1,3\n")
    with tacit.open(clinic) as opened:
        opened.refresh("stays")
        assert [opened.ledger.version(name) for name in ("stays", "bills", "visits")] == [1, 1, 0]


def test_a_vault_of_patients_is_not_switched_to_rows(clinic: Path) -> None:
    text = POLICY.replace("delta = 1e-6", 'delta = 1e-6\nunit = "patient"', 1)
    (clinic / "tacit.toml").write_text(
        text.replace('unit = "patient"\ncontributions = 3', 'unit = "row"')
    )
    with pytest.raises(InvalidPolicy, match="single rows"):
        tacit.open(clinic)


def test_an_explanation_knows_the_analysts_own_limit(clinic: Path) -> None:
    with tacit.open(clinic, analyst="alice") as hers:
        hers.sql(COUNT, epsilon=0.4)
        assert not hers.explain("SELECT COUNT(*) AS n FROM visits", epsilon=0.4).affordable


def test_threads_ask_one_vault_at_once(clinic: Path) -> None:
    with tacit.open(clinic) as opened:
        found: list[bool] = []
        threads = [
            threading.Thread(target=lambda: found.append(opened.sql(COUNT, epsilon=0.3).price.free))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert sum(1 for _ in opened.ledger.entries()) == 1


def test_a_folder_without_a_policy_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidPolicy, match="tacit init"):
        tacit.open(tmp_path)


UNLIKE = """
[limit]
epsilon = 3
delta = 1e-6
unit = "patient"

[ledger]
anchors = "../anchors"

[tables.one]
source = "one.parquet"
unit = "patient"
contributions = 1
columns = { x = { type = "integer", low = 0, high = 9 } }

[tables.two]
source = "two.parquet"
unit = "patient"
contributions = 1
columns = { y = { type = "integer", low = 0, high = 9 } }
"""


@pytest.mark.parametrize(
    ("one", "two"), [("int64", "float64"), ("int32", "date32[day]"), ("int64", "string")]
)
def test_tables_whose_units_are_stored_unlike_are_refused_before_the_charge(tmp_path, one, two):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "clinic"
    folder.mkdir()
    for name, column, kind in (("one", "x", one), ("two", "y", two)):
        units = pa.array([1, 2, 3], pa.int32()).cast(kind)
        pq.write_table(pa.table({"patient": units, column: [1, 2, 3]}), folder / f"{name}.parquet")
    (folder / "tacit.toml").write_text(UNLIKE, encoding="utf-8")
    with tacit.open(folder) as opened:
        text = "SELECT COUNT(*) AS n FROM one JOIN two ON one.patient = two.patient"
        if two == "string":  # an integer has one text
            assert opened.sql(text, epsilon=1).price.epsilon > 0
            return
        with pytest.raises(InvalidData, match="stored as"):
            opened.sql(text, epsilon=1)
        assert opened.budget.spent == 0
